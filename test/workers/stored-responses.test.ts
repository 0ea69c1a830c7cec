// Stored responses: who reads what, for how long, what goes on from them, and where their texts are not.
import { evictDurableObject, runDurableObjectAlarm } from "cloudflare:test";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { JsonObject } from "../../src/json.ts";
import type { InputItem } from "../../src/responses/items.ts";
import { MAX_RESPONSE_BYTES } from "../../src/responses/stored-response.ts";
import { alarmAtMs } from "../support/faults.ts";
import { call, callWithKey, newKey, type TestKey } from "../support/service.ts";
import {
	queryStored,
	resolve,
	store,
	storedResponsesOf,
	storeText,
	textEntry,
	UNKNOWN_RESPONSE,
} from "../support/stored-responses.ts";

const DAY_MS = 86_400_000;

let key: TestKey;
beforeEach(async () => {
	key = await newKey("pro");
});
afterEach(() => {
	vi.useRealTimers();
	vi.restoreAllMocks();
});

function getResponse(id: string, query = "", by = key): Promise<Response> {
	return callWithKey(by.key, `/v1/responses/${id}${query}`);
}

function deleteResponse(id: string, by = key): Promise<Response> {
	return call(`/v1/responses/${id}`, { method: "DELETE", headers: { authorization: `Bearer ${by.key}` } });
}

async function errorOf(response: Response): Promise<unknown> {
	return [response.status, ((await response.json()) as { error: { code: string } }).error.code];
}

async function jsonOf(response: Response): Promise<JsonObject> {
	expect(response.status, await response.clone().text()).toBe(200);
	return response.json();
}

/** The texts of messages, in order. */
function textsOf(items: readonly InputItem[]): string[] {
	return items.map((item) => {
		const content: unknown = "content" in item ? item.content : undefined;
		return Array.isArray(content) ? content.map(({ text }: { text: string }) => text).join("") : String(content);
	});
}

/** The texts of what a body resolves to. */
async function resolvedTexts(body: Parameters<typeof resolve>[1], by = key): Promise<string[]> {
	const resolved = await resolve(by, body);
	if (!resolved.ok) throw new Error(JSON.stringify(resolved.failure));
	return textsOf(resolved.value.items);
}

/** Why a body is refused, and which of its fields is at fault. */
async function refusalOf(body: Parameters<typeof resolve>[1], by = key): Promise<unknown> {
	const resolved = await resolve(by, body);
	if (resolved.ok) return "resolved";
	const { failure } = resolved;
	return [failure.reason, "param" in failure ? failure.param : null];
}

const NOT_FOUND = ["previous_response_not_found", "previous_response_id"];

describe("a conversation", () => {
	it("is resolved oldest first, input before output, and then the request's own items", async () => {
		const first = await storeText(key, "one", "two");
		const second = await storeText(key, "three", "four", { previousId: first });
		expect(await resolvedTexts({ input: "five", previous_response_id: second })).toEqual([
			"one",
			"two",
			"three",
			"four",
			"five",
		]);
		expect(await resolvedTexts({ previous_response_id: first })).toEqual(["one", "two"]);
		expect(await resolvedTexts({ input: "alone" })).toEqual(["alone"]);
		expect(await resolvedTexts({ input: "alone", previous_response_id: null })).toEqual(["alone"]);
	});

	it("may branch: each branch has what stands before it", async () => {
		const root = await storeText(key, "root", "trunk");
		const [left, right] = await Promise.all([
			storeText(key, "left", "leaf", { previousId: root }),
			storeText(key, "right", "bud", { previousId: root }),
		]);
		expect(await resolvedTexts({ previous_response_id: left })).toEqual(["root", "trunk", "left", "leaf"]);
		expect(await resolvedTexts({ previous_response_id: right })).toEqual(["root", "trunk", "right", "bud"]);
	});

	it("is resolved over an eviction, by any key of the user", async () => {
		const id = await storeText(key, "one", "two");
		await evictDurableObject(storedResponsesOf(key));
		expect(await resolvedTexts({ previous_response_id: id })).toEqual(["one", "two"]);
		const other: TestKey = await (await callWithKey(key.key, "/v1/keys", {})).json();
		expect(await jsonOf(await getResponse(id, "", other))).toMatchObject({ id });
	});

	it("that is not stored is refused by name, whyever it is not", async () => {
		const id = await storeText(key, "one", "two");
		const deleted = await storeText(key, "three", "four");
		expect((await deleteResponse(deleted)).status).toBe(200);
		for (const previous_response_id of [UNKNOWN_RESPONSE, deleted, "resp_nope", "nope", `${id} `, "a".repeat(256)])
			expect(await refusalOf({ input: "hi", previous_response_id }), previous_response_id).toEqual(NOT_FOUND);
		expect(await refusalOf({ previous_response_id: id }, await newKey("pro"))).toEqual(NOT_FOUND);
		vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 30 * DAY_MS });
		expect(await refusalOf({ previous_response_id: id })).toEqual(NOT_FOUND);
	});

	it("of which a link is gone is refused, and the link is named", async () => {
		const first = await storeText(key, "one", "two");
		const second = await storeText(key, "three", "four", { previousId: first });
		const third = await storeText(key, "five", "six", { previousId: second });
		expect((await deleteResponse(second)).status).toBe(200);
		const resolved = await resolve(key, { previous_response_id: third });
		expect(resolved).toMatchObject({
			ok: false,
			failure: { reason: "previous_response_not_found", param: "previous_response_id" },
		});
		expect(JSON.stringify(resolved)).toContain(second);
		// What stands after the gap can still be read.
		expect((await getResponse(third)).status).toBe(200);
	});

	it("counts against the limits of a body", async () => {
		const first = await storeText(key, "a".repeat(5_000), "b");
		const second = await storeText(key, "c".repeat(5_000), "d", { previousId: first });
		const body = { input: "e", previous_response_id: second };
		expect((await resolve(key, body, 11_000)).ok).toBe(true);
		expect(await resolve(key, body, 10_000)).toMatchObject({
			ok: false,
			failure: { reason: "request_too_large", limitBytes: 10_000, message: expect.stringContaining("conversation") },
		});
		const long = await resolve(key, { input: "f".repeat(1_000), previous_response_id: second }, 11_000);
		expect(long).toMatchObject({ ok: false, failure: { reason: "request_too_large" } });
	});

	it("has at most 2,000 items", async () => {
		const entry = textEntry("", "reply");
		const many = Array.from({ length: 1_998 }, (): InputItem => ({ role: "user", content: "x" }));
		expect(await store(key, { ...entry, input: many })).toBeNull();
		const previous_response_id = entry.response.id;
		expect((await resolve(key, { input: "one more", previous_response_id })).ok).toBe(true);
		const two: InputItem[] = [many[0], many[0]].flatMap((item) => item ?? []);
		expect(await resolve(key, { input: two, previous_response_id })).toMatchObject({
			ok: false,
			failure: { reason: "invalid_request", issues: [{ path: "previous_response_id" }] },
		});
	});
});

describe("an item that is named", () => {
	const reference = (id: string): InputItem => ({ type: "item_reference", id });
	const outputItem = (responseId: string) => `msg_${responseId.slice(5)}`;

	it("is found in any of the user's stored responses, in the answer as in the input", async () => {
		const first = await storeText(key, "one", "two");
		const second = await storeText(key, "three", "four");
		const input: InputItem[] = [
			{ role: "user", content: "one" },
			reference(outputItem(first)),
			reference(`${outputItem(second)}i0`),
			reference(outputItem(second)),
			reference(outputItem(first)),
		];
		expect(await resolvedTexts({ input })).toEqual(["one", "two", "three", "four", "two"]);
	});

	it("may have an id of the client's own where it stands in the conversation or in the request", async () => {
		const entry = textEntry("", "two");
		expect(await store(key, { ...entry, input: [{ role: "user", id: "mine", content: "one" }] })).toBeNull();
		const previous_response_id = entry.response.id;
		const input: InputItem[] = [reference("mine"), { role: "user", id: "here", content: "three" }, reference("here")];
		expect(await resolvedTexts({ input, previous_response_id })).toEqual(["one", "two", "one", "three", "three"]);
		expect(await refusalOf({ input })).toEqual(["previous_response_not_found", "input[0].id"]);
	});

	it("that is not stored is refused by its place, also another's, and one of a deleted response", async () => {
		const id = await storeText(key, "one", "two");
		const input: InputItem[] = [{ role: "user", content: "hi" }, reference(outputItem(id))];
		const refused = ["previous_response_not_found", "input[1].id"];
		expect(await refusalOf({ input }, await newKey("pro"))).toEqual(refused);
		expect(
			await refusalOf({ input: [input[0] ?? "", reference(`${outputItem(id)}i1`)].flat() as InputItem[] }),
		).toEqual(refused);
		expect((await deleteResponse(id)).status).toBe(200);
		expect(await refusalOf({ input })).toEqual(refused);
	});

	it("is stored in place of its reference, so that the conversation outlives what it was named from", async () => {
		const first = await storeText(key, "one", "two");
		const resolved = await resolve(key, { input: [reference(outputItem(first)), { role: "user", content: "three" }] });
		if (!resolved.ok) throw new Error("not resolved");
		const next = textEntry("", "four");
		expect(await store(key, { ...next, input: resolved.value.own })).toBeNull();
		expect((await deleteResponse(first)).status).toBe(200);
		expect(await resolvedTexts({ previous_response_id: next.response.id })).toEqual(["two", "three", "four"]);
	});

	it("counts against the limit of a body with the list that it stands in", async () => {
		const id = await storeText(key, "a", "b".repeat(5_000));
		const body = { input: [reference(outputItem(id))] };
		expect((await resolve(key, body, 6_000)).ok).toBe(true);
		expect(await resolve(key, body, 5_000)).toMatchObject({ ok: false, failure: { reason: "request_too_large" } });
	});
});

describe("a read of a response", () => {
	it("shows it as it was answered, without what only its maker can read unless that is included", async () => {
		const entry = textEntry("one", "two");
		const reasoning = { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "sealed" };
		const response = { ...entry.response, svc: { mode: "balanced" }, output: [reasoning, ...entry.response.output] };
		expect(await store(key, { ...entry, response })).toBeNull();
		const read = await getResponse(response.id);
		expect(read.headers.get("cache-control")).toBe("no-store");
		const { encrypted_content: _, ...shown } = reasoning;
		expect(await read.json()).toEqual({ ...response, output: [shown, ...entry.response.output] });
		for (const name of ["include", "include[]"]) {
			const query = `?${name}=reasoning.encrypted_content&${name}=other`;
			expect(await jsonOf(await getResponse(response.id, query)), name).toEqual(response);
		}
	});

	it("is 404 for another's, an unknown, a deleted and an expired one, in OpenAI's form", async () => {
		const id = await storeText(key, "one", "two");
		const deleted = await storeText(key, "three", "four");
		expect(await jsonOf(await deleteResponse(deleted))).toEqual({ id: deleted, object: "response", deleted: true });
		const other = await newKey("pro");
		const paths = (one: string) => [`/v1/responses/${one}`, `/v1/responses/${one}/input_items`];
		for (const one of [UNKNOWN_RESPONSE, deleted, "nope", "resp_", "%00", id.toLowerCase()]) {
			for (const path of paths(one))
				expect(await errorOf(await callWithKey(key.key, path)), path).toEqual([404, "response_not_found"]);
			expect(await errorOf(await deleteResponse(one)), one).toEqual([404, "response_not_found"]);
		}
		for (const path of paths(id))
			expect(await errorOf(await callWithKey(other.key, path)), path).toEqual([404, "response_not_found"]);
		expect(await errorOf(await deleteResponse(id, other))).toEqual([404, "response_not_found"]);
		expect((await getResponse(id)).status).toBe(200);
		vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 30 * DAY_MS });
		for (const path of paths(id))
			expect(await errorOf(await callWithKey(key.key, path)), path).toEqual([404, "response_not_found"]);
		expect(await errorOf(await deleteResponse(id))).toEqual([404, "response_not_found"]);
	});

	it("is not streamed, and nothing is cancelled", async () => {
		const id = await storeText(key, "one", "two");
		expect((await getResponse(id, "?stream=false")).status).toBe(200);
		expect(await errorOf(await getResponse(id, "?stream=true"))).toEqual([422, "invalid_request"]);
		expect((await callWithKey(key.key, `/v1/responses/${id}/cancel`, {})).status).toBe(404);
	});

	it("counts towards the minute, not towards the day", async () => {
		const id = await storeText(key, "one", "two");
		await getResponse(id);
		const usage = (await (await callWithKey(key.key, "/v1/usage")).json()) as { limits: object };
		expect(usage.limits).toMatchObject({ daily_requests_used: 0 });
	});
});

describe("the list of a response's input items", () => {
	it("has its own, the last first, in pages", async () => {
		const before = await storeText(key, "before", "reply");
		const entry = textEntry("", "last", { previousId: before });
		const input: InputItem[] = [
			{ role: "user", content: "one" },
			{ type: "function_call_output", call_id: "call_1", output: "two" },
			{ role: "assistant", id: "mine", content: "three" },
		];
		expect(await store(key, { ...entry, input })).toBeNull();
		const requestUlid = entry.response.id.slice(5);
		const [one, two, three] = [`msg_${requestUlid}i0`, `fco_${requestUlid}i1`, "mine"];
		const list = (query: string) =>
			callWithKey(key.key, `/v1/responses/${entry.response.id}/input_items${query}`).then(jsonOf);
		expect(await list("")).toEqual({
			object: "list",
			data: [
				{
					id: three,
					type: "message",
					role: "assistant",
					status: "completed",
					content: [{ type: "output_text", text: "three", annotations: [] }],
				},
				{ id: two, type: "function_call_output", status: "completed", call_id: "call_1", output: "two" },
				{
					id: one,
					type: "message",
					role: "user",
					status: "completed",
					content: [{ type: "input_text", text: "one" }],
				},
			],
			first_id: three,
			last_id: one,
			has_more: false,
		});
		expect(await list("?limit=2&order=asc")).toMatchObject({ first_id: one, last_id: two, has_more: true });
		expect(await list(`?limit=2&order=asc&after=${two}`)).toMatchObject({ first_id: three, has_more: false });
		expect(await list(`?after=${one}`)).toMatchObject({ data: [], first_id: null, last_id: null, has_more: false });
		for (const query of ["?after=nope", "?limit=0", "?limit=101", "?order=up"])
			expect(
				await errorOf(await callWithKey(key.key, `/v1/responses/${entry.response.id}/input_items${query}`)),
				query,
			).toEqual([422, "invalid_request"]);
	});
});

describe("what is stored", () => {
	it("is sealed: nothing is readable but ids and numbers, and nothing opens under another name or user", async () => {
		const first = await storeText(key, "my question", "your answer");
		await storeText(key, "another question", "another answer", { previousId: first });
		const rows = await queryStored(key, "SELECT * FROM responses ORDER BY id");
		expect(rows).toHaveLength(2);
		const text = rows
			.flatMap((row) => Object.values(row))
			.map((value) => (value instanceof ArrayBuffer ? new TextDecoder().decode(value) : String(value)))
			.join("\n");
		for (const word of ["question", "answer", "user", "message", "output"]) expect(text).not.toContain(word);

		await queryStored(
			key,
			"UPDATE responses SET output = (SELECT output FROM responses WHERE id <> ?) WHERE id = ?",
			first,
			first,
		);
		expect(await errorOf(await getResponse(first))).toEqual([503, "storage_unavailable"]);
		await queryStored(key, "UPDATE responses SET output = input WHERE id = ?", first);
		expect(await errorOf(await getResponse(first))).toEqual([503, "storage_unavailable"]);
	});

	it("stands in no log", async () => {
		const lines: string[] = [];
		for (const level of ["log", "error"] as const)
			vi.spyOn(console, level).mockImplementation((line) => void lines.push(String(line)));
		const id = await storeText(key, "my question", "your answer");
		await getResponse(id);
		await resolve(key, { input: "my next question", previous_response_id: id });
		await deleteResponse(id);
		expect(lines.length).toBeGreaterThanOrEqual(2);
		expect(lines.filter((line) => /question|answer/.test(line))).toEqual([]);
	});

	it("is at most 1 MiB of JSON a response; a longer one is not stored, and that is said", async () => {
		const entry = textEntry("", "reply");
		const bytesOf = (text: string) => {
			const { output, ...response } = entry.response;
			const input = [{ role: "user", content: text, id: `msg_${entry.response.id.slice(5)}i0` }];
			return [response, input, output].reduce((sum: number, part) => sum + JSON.stringify(part).length, 0);
		};
		const room = MAX_RESPONSE_BYTES - bytesOf("");
		const stored = (text: string) => store(key, { ...entry, input: [{ role: "user", content: text }] });
		expect(await stored("x".repeat(room + 1))).toMatchObject({ code: "not_stored", param: "store" });
		// Characters of two bytes each.
		expect(await stored("é".repeat(room - 10))).toMatchObject({ code: "not_stored" });
		expect(await errorOf(await getResponse(entry.response.id))).toEqual([404, "response_not_found"]);
		expect(await stored("x".repeat(room))).toBeNull();
		expect((await getResponse(entry.response.id)).status).toBe(200);
	});

	it("is nothing of a user who has stored nothing, whatever is asked", async () => {
		await getResponse(UNKNOWN_RESPONSE);
		await deleteResponse(UNKNOWN_RESPONSE);
		await resolve(key, { previous_response_id: UNKNOWN_RESPONSE });
		expect(await queryStored(key, "SELECT name FROM sqlite_master WHERE name = 'responses'")).toEqual([]);
		expect(await alarmAtMs(storedResponsesOf(key))).toBeNull();
	});
});

describe("expiry", () => {
	it("comes thirty days after the request, by an alarm at the oldest one's time", async () => {
		const nowMs = Date.now();
		const old = await storeText(key, "one", "two", { atMs: nowMs - 29 * DAY_MS });
		const young = await storeText(key, "three", "four", { atMs: nowMs });
		expect(await alarmAtMs(storedResponsesOf(key))).toBe(nowMs + DAY_MS);
		vi.useFakeTimers({ toFake: ["Date"], now: nowMs + DAY_MS - 1 });
		expect((await getResponse(old)).status).toBe(200);
		vi.setSystemTime(nowMs + DAY_MS);
		expect(await errorOf(await getResponse(old))).toEqual([404, "response_not_found"]);
		expect(await queryStored(key, "SELECT id FROM responses ORDER BY id")).toEqual([{ id: old }, { id: young }]);
		expect(await runDurableObjectAlarm(storedResponsesOf(key))).toBe(true);
		expect(await queryStored(key, "SELECT id FROM responses")).toEqual([{ id: young }]);
		expect(await alarmAtMs(storedResponsesOf(key))).toBe(nowMs + 30 * DAY_MS);
		vi.setSystemTime(nowMs + 30 * DAY_MS);
		expect(await runDurableObjectAlarm(storedResponsesOf(key))).toBe(true);
		expect(await queryStored(key, "SELECT id FROM responses")).toEqual([]);
		expect(await alarmAtMs(storedResponsesOf(key))).toBeNull();
	});

	it("is set earlier by a response of an earlier request that took longer", async () => {
		const nowMs = Date.now();
		await storeText(key, "one", "two", { atMs: nowMs });
		await storeText(key, "three", "four", { atMs: nowMs - 60_000 });
		expect(await alarmAtMs(storedResponsesOf(key))).toBe(nowMs - 60_000 + 30 * DAY_MS);
	});
});
