// Stored responses as a client meets them: made, gone on from, named, read, deleted; and what a client is told that is not stored.
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { JsonObject } from "../../src/json.ts";
import { useFaults } from "../support/faults.ts";
import {
	call,
	callWithKey,
	chat,
	db,
	inMeter,
	meterOf,
	newKey,
	receiptOf,
	type TestKey,
	type Upstream,
	useSandbox,
} from "../support/service.ts";
import { eventsOf } from "../support/sse.ts";

interface Answer extends JsonObject {
	id: string;
	store: boolean;
	output: { id: string; type: string }[];
	svc: { warnings: { code: string; param: string | null }[]; proof: { request_id: string } };
}

const WORD = "heliotrope";

let upstream: Upstream;
let key: TestKey;
beforeEach(async () => {
	upstream = useSandbox();
	key = await newKey("corporate");
});
afterEach(() => {
	upstream.restore();
	vi.restoreAllMocks();
});

async function create(body: JsonObject): Promise<Answer> {
	const response = await callWithKey(key.key, "/v1/responses", { max_output_tokens: 256, ...body });
	expect(response.status, await response.clone().text()).toBe(200);
	return response.json();
}

async function remove(id: string): Promise<void> {
	const headers = { authorization: `Bearer ${key.key}` };
	expect((await call(`/v1/responses/${id}`, { method: "DELETE", headers })).status).toBe(200);
}

async function refusalOf(body: JsonObject): Promise<unknown> {
	const response = await callWithKey(key.key, "/v1/responses", body);
	return [response.status, await response.json()];
}

/** What the model was sent last. */
function sentText(): string {
	return JSON.stringify(upstream.requests.at(-1)?.body);
}

describe("a stored response", () => {
	it("is gone on from until it is deleted, and then the client is told which field names it", async () => {
		const first = await create({ input: `Remember the word ${WORD}.` });
		const second = await create({ input: "Thanks.", previous_response_id: first.id });
		await create({ input: "Which word was it?", previous_response_id: second.id, store: false });
		expect(sentText()).toContain(WORD);
		expect(await (await callWithKey(key.key, `/v1/responses/${second.id}`)).json()).toEqual(second);
		await remove(first.id);
		for (const previous_response_id of [first.id, second.id]) {
			const answered = upstream.answered;
			expect(await refusalOf({ input: "And now?", previous_response_id })).toMatchObject([
				400,
				{
					error: {
						code: "previous_response_not_found",
						type: "invalid_request_error",
						param: "previous_response_id",
						message: expect.stringContaining(first.id),
					},
				},
			]);
			expect(upstream.answered).toBe(answered);
		}
	});

	it("can be named item by item, in its answer and in its input", async () => {
		const first = await create({ input: `Remember the word ${WORD}.` });
		const list = await callWithKey(key.key, `/v1/responses/${first.id}/input_items`);
		const { data } = (await list.json()) as { data: { id: string }[] };
		const named = [...data, ...first.output].map(({ id }) => ({ type: "item_reference", id }));
		const last = { role: "user", content: "Which word was it?" };
		const second = await create({ input: [...named, last] });
		expect(sentText()).toContain(WORD);
		await remove(first.id);
		expect(await refusalOf({ input: [last, ...named] })).toMatchObject([
			400,
			{ error: { code: "previous_response_not_found", param: "input[1].id" } },
		]);
		await create({ input: "Say it again.", previous_response_id: second.id });
		expect(sentText()).toContain(WORD);
	});

	it("leaves its texts in no row of its request, in no sum in D1 and in no log", async () => {
		const lines: string[] = [];
		for (const level of ["log", "error"] as const)
			vi.spyOn(console, level).mockImplementation((line) => void lines.push(String(line)));
		const { id, svc } = await create({ input: `Remember the word ${WORD}.` });
		await create({ input: "Which?", previous_response_id: id });
		expect(lines.filter((line) => line.includes(WORD))).toEqual([]);
		const row = await inMeter(key, (sql) =>
			sql.exec("SELECT * FROM requests WHERE id = ?", svc.proof.request_id).toArray(),
		);
		expect(row).toHaveLength(1);
		expect(JSON.stringify(row)).not.toContain(WORD);
		await meterOf(key).flushNow();
		const { results } = await db.prepare("SELECT * FROM usage_days WHERE user_id = ?").bind(key.user_id).all();
		expect(results.length).toBeGreaterThan(0);
		expect(JSON.stringify(results)).not.toContain(WORD);
	});
});

describe("a response that is not stored", () => {
	const NOT_STORED = { store: false, svc: { warnings: [{ code: "not_stored", param: "store" }] } };

	async function expectNotStored(answer: Answer): Promise<void> {
		expect((await callWithKey(key.key, `/v1/responses/${answer.id}`)).status).toBe(404);
		expect(await refusalOf({ input: "Go on", previous_response_id: answer.id })).toMatchObject([
			400,
			{ error: { code: "previous_response_not_found" } },
		]);
	}

	it("by its client's own word says so without a warning", async () => {
		const answer = await create({ input: "hi", store: false });
		expect(answer).toMatchObject({ store: false, svc: { warnings: [] } });
		await expectNotStored(answer);
	});

	it("because of a zero-retention policy is answered, and warns", async () => {
		const answer = await create({ input: "hi", compliance: { require_zero_retention: true } });
		expect(answer).toMatchObject(NOT_STORED);
		await expectNotStored(answer);
	});

	it("because it is too long is answered, and warns", async () => {
		const answer = await create({ input: "word ".repeat(220_000), max_output_tokens: 16 });
		expect(answer).toMatchObject(NOT_STORED);
		await expectNotStored(answer);
	});

	it("because the storage is away is answered, whole and streamed, with its receipt", async () => {
		vi.spyOn(console, "error").mockImplementation(() => undefined);
		const faults = useFaults({ STORED_RESPONSES: ({ method }) => (method === "put" ? "fail" : "pass") });
		try {
			const whole = await create({ input: "hi" });
			const stream = await callWithKey(key.key, "/v1/responses", {
				input: "hi",
				stream: true,
				max_output_tokens: 256,
			});
			const last = eventsOf(await stream.text()).at(-1);
			expect(last?.event).toBe("response.completed");
			const { response: streamed } = JSON.parse(last?.data ?? "") as { response: Answer };
			for (const answer of [whole, streamed]) {
				expect(answer).toMatchObject(NOT_STORED);
				expect(await receiptOf(answer.svc.proof.request_id)).toMatchObject({ outcome: "complete" });
				await expectNotStored(answer);
			}
		} finally {
			faults.restore();
		}
	});

	it("was no response: a chat's id is none", async () => {
		const id = (await chat(key.key, "hi")).headers.get("x-request-id") ?? "";
		for (const previous_response_id of [id, id.replace("svc-", "resp_")])
			expect(await refusalOf({ input: "hi", previous_response_id })).toMatchObject([400, { error: {} }]);
	});
});
