// Texts of requests: kept where operator and key both want it, after masking, for so long; read by whom they are meant for, with a trail;
// and nowhere else.
import { afterEach, describe, expect, it, vi } from "vitest";
import { MAX_KEPT_TEXTS } from "../../src/meter/kept-texts.ts";
import { TextTable } from "../../src/meter/text-table.edge.ts";
import { always, onlyFor, useFaults } from "../support/faults.ts";
import { useService } from "../support/per-test.ts";
import { flatTree, toBase64, toPdf, toWav } from "../support/sent-files.ts";
import { call, callWith, callWithKey, db, inMeter, meterAlarm, newKey, withKey } from "../support/service.ts";
import { eventsOf } from "../support/sse.ts";
import { TEST_LOG_TEXTS_DAYS } from "../support/variables.ts";

const DAY_MS = 86_400_000;
const WORD = "heliotrope";

const { key: owner } = useService("corporate");

let faults: { restore(): void } | undefined;
afterEach(() => {
	faults?.restore();
	faults = undefined;
	vi.useRealTimers();
	vi.restoreAllMocks();
});

type Json = Record<string, unknown>;

interface Texts {
	request_id: string;
	input: string | null;
	output: string | null;
	input_chars: number | null;
	output_chars: number | null;
	expires_at: string | null;
}

interface OwnKey {
	key_id: string;
	key: string;
	log_texts: boolean;
}

const messages = (content: string) => [{ role: "user", content }];

async function makeKey(options: Json): Promise<OwnKey> {
	const response = await callWithKey(owner.key, "/v1/keys", options);
	expect(response.status, await response.clone().text()).toBe(200);
	return response.json();
}

const loggingKey = (options: Json = {}) => makeKey({ log_texts: true, ...options });

async function textsOf(requestId: string, key = owner.key): Promise<Texts> {
	const response = await callWithKey(key, `/v1/requests/${requestId}/texts`);
	expect(response.status, await response.clone().text()).toBe(200);
	expect(response.headers.get("cache-control")).toBe("no-store");
	return response.json();
}

/** The newest request of the owner's. */
async function latestId(): Promise<string> {
	const list = (await (await callWithKey(owner.key, "/v1/requests?limit=1")).json()) as {
		data: { request_id: string }[];
	};
	return list.data[0]?.request_id ?? "";
}

async function chatId(key: string, content: string, more: Json = {}): Promise<string> {
	const response = await callWithKey(key, "/v1/chat/completions", { messages: messages(content), ...more });
	expect(response.status, await response.clone().text()).toBe(200);
	return ((await response.json()) as { id: string }).id;
}

async function looks(): Promise<{ actor: string; payload: Json }[]> {
	const response = await callWithKey(owner.key, "/v1/audit/events?event_type=texts_read");
	return ((await response.json()) as { data: { actor: string; payload: Json }[] }).data;
}

/** Each entrance with a body that says the word. */
const ENTRANCES: readonly { path: string; body: Json }[] = [
	{ path: "/v1/chat/completions", body: { messages: messages(`Say ${WORD}`) } },
	{ path: "/v1/responses", body: { input: `Say ${WORD}`, max_output_tokens: 2_000 } },
	{ path: "/v1/messages", body: { messages: messages(`Say ${WORD}`), max_tokens: 100 } },
	{ path: "/v1/skills/debugging/invoke", body: { task: `Say ${WORD}` } },
	{ path: "/v2/orchestrate", body: { messages: messages(`Say ${WORD}`), strategy: "single" } },
	{ path: "/v2/code", body: { task: `Print ${WORD} in Python`, review: false } },
	{ path: "/v1/agent/run", body: { goal: `Say ${WORD}`, max_steps: 1, max_cost_usd: 0.05 } },
];

describe.each(ENTRANCES)("texts of $path", ({ path, body }) => {
	it.each([false, true])("are kept and shown, streamed: %s", async (stream) => {
		const { key } = await loggingKey();
		const response = await callWithKey(key, path, { ...body, stream });
		expect(response.status).toBe(200);
		await response.text();
		const id = await latestId();
		const texts = await textsOf(id);
		expect(texts).toMatchObject({ object: "request.texts", request_id: id });
		expect(texts.input).toContain(WORD);
		expect(texts.output).not.toBe("");
		expect([texts.input_chars, texts.output_chars]).toEqual([texts.input?.length, texts.output?.length]);
		const days = (Date.parse(texts.expires_at ?? "") - Date.now()) / DAY_MS;
		expect(Math.round(days)).toBe(TEST_LOG_TEXTS_DAYS);
	});

	it("are not kept of a key that does not ask for it", async () => {
		await (await callWithKey(owner.key, path, body)).text();
		const id = await latestId();
		expect(await textsOf(id)).toEqual({
			object: "request.texts",
			request_id: id,
			...{ input: null, output: null, input_chars: null, output_chars: null, expires_at: null },
		});
	});

	it("are not kept under a policy of zero retention", async () => {
		const { key } = await loggingKey();
		const response = await callWithKey(key, path, { ...body, compliance: { require_zero_retention: true } });
		await response.text();
		const rows = await inMeter(owner, (sql) => sql.exec("SELECT id FROM request_texts").toArray());
		expect(rows).toEqual([]);
	});
});

describe.each([
	{ path: "/v1/embeddings", body: { model: "text-embedding-3-small", input: ["first", `Say ${WORD}`] } },
	{ path: "/v1/moderations", body: { input: ["first", `Say ${WORD}`] } },
	{ path: "/v1/rerank", body: { model: "rerank-v3.5", query: "first", documents: [`Say ${WORD}`] } },
])("texts of $path", ({ path, body }) => {
	const keptInputs = async (key: string, more: Json = {}) => {
		const response = await callWithKey(key, path, { ...body, ...more });
		expect(response.status, await response.clone().text()).toBe(200);
		return textsOf(await latestId());
	};

	it("are those of its inputs, kept where the key asks for it", async () => {
		const texts = await keptInputs((await loggingKey()).key);
		expect(texts.input).toContain(`first\n\nSay ${WORD}`);
		expect(texts.output).toBe("");
		expect((await keptInputs(owner.key)).input).toBeNull();
	});

	it("are not kept under a policy of zero retention", async () => {
		const { key } = await loggingKey();
		const compliance = { require_zero_retention: true };
		await (await callWithKey(key, path, { ...body, compliance })).text();
		expect(await inMeter(owner, (sql) => sql.exec("SELECT id FROM request_texts").toArray())).toEqual([]);
	});
});

describe("texts of a request", () => {
	it.each([{ LOG_TEXTS: "0" }, { STORE_RESPONSES: "off" }])("are not kept under %o", async (settings) => {
		const { key } = await loggingKey();
		const init = withKey(key, { messages: messages("hi") });
		const response = await callWith(settings as unknown as Partial<Env>, "/v1/chat/completions", init);
		const { id } = (await response.json()) as { id: string };
		expect((await textsOf(id)).input).toBeNull();
	});

	it.each([
		["/v1/chat/completions", { messages: messages("Say my address: ada@example.com") }],
		["/v2/orchestrate", { messages: messages("Say my address: ada@example.com"), strategy: "single" }],
		["/v1/agent/run", { goal: "Say my address: ada@example.com", max_steps: 1, max_cost_usd: 0.05 }],
	])("have placeholders for what is masked: %s", async (path, body) => {
		const { key } = await loggingKey();
		const response = await callWithKey(key, path, { ...body, compliance: { mask_data_classes: ["PII"] } });
		expect(response.status, await response.clone().text()).toBe(200);
		await response.text();
		const { input, output } = await textsOf(await latestId());
		expect(input).toContain("[EMAIL_1]");
		expect(`${input} ${output}`).not.toContain("ada@example.com");
	});

	it("are kept at both ends where they are long, and say how much is left out", async () => {
		const { key } = await loggingKey();
		const long = `begin ${"😀".repeat(40_000)} end`;
		const id = await chatId(key, long);
		const { input, input_chars } = await textsOf(id);
		expect(input_chars).toBe(long.length + "user:\n".length);
		expect(input?.length).toBeLessThan(33_000);
		expect(input).toMatch(/^user:\nbegin 😀/);
		expect(input).toMatch(/😀 end$/);
		expect(input).toMatch(/\[… \d+ characters are not kept …\]/);
		expect(input?.isWellFormed()).toBe(true);
	});

	it("of tools and images say which, and not the image", async () => {
		const { key } = await loggingKey();
		const image = `data:image/png;base64,${"A".repeat(400)}`;
		const content = [
			{ type: "text", text: "What is this?" },
			{ type: "image_url", image_url: { url: image } },
		];
		const response = await callWithKey(key, "/v1/chat/completions", { messages: [{ role: "user", content }] });
		const { id } = (await response.json()) as { id: string };
		expect((await textsOf(id)).input).toBe(`user:\nWhat is this?\n[image/png, ${image.length} characters]`);
	});

	it("of files and recordings say which, and not their bytes", async () => {
		const { key } = await loggingKey();
		const pdf = toBase64(toPdf(flatTree(2)));
		const wav = toBase64(toWav(1));
		const content = [
			{ type: "file", file: { filename: "q3.pdf", file_data: `data:application/pdf;base64,${pdf}` } },
			{ type: "input_audio", input_audio: { data: wav, format: "wav" } },
		];
		const response = await callWithKey(key, "/v1/chat/completions", { messages: [{ role: "user", content }] });
		const { id } = (await response.json()) as { id: string };
		expect((await textsOf(id)).input).toBe(
			`user:\n[q3.pdf, application/pdf, 2 pages, ${pdf.length} characters]\n[audio/wav, ${wav.length} characters]`,
		);
	});

	it("of a stream whose client has gone are kept as far as it came", async () => {
		const { key } = await loggingKey();
		const response = await callWithKey(key, "/v1/chat/completions", {
			messages: messages("Say hello [[cut]]"),
			stream: true,
		});
		expect(eventsOf(await response.text()).length).toBeGreaterThan(0);
		expect((await textsOf(await latestId())).input).toContain("Say hello");
	});
});

describe("who reads texts", () => {
	it("is an owner's key, and an agent's key its own alone; each look leaves an event", async () => {
		const agent = await loggingKey({ role: "agent" });
		const reader = await makeKey({ role: "agent", own_only: false });
		const ofAgent = await chatId(agent.key, `Say ${WORD}`);
		const { key } = await loggingKey();
		const ofOwner = await chatId(key, "Say hello");
		expect((await textsOf(ofAgent)).input).toContain(WORD);
		expect((await textsOf(ofAgent, agent.key)).input).toContain(WORD);
		const stranger = await newKey("corporate");
		for (const [by, id] of [
			[agent.key, ofOwner],
			// It reads the rows of others, and not their texts.
			[reader.key, ofOwner],
			[stranger.key, ofOwner],
			[owner.key, "svc-00000000000000000000000000"],
		] as const) {
			const refused = await callWithKey(by, `/v1/requests/${id}/texts`);
			expect([refused.status, ((await refused.json()) as Json)["error"]]).toEqual([404, "request_not_found"]);
		}
		expect((await callWithKey(reader.key, `/v1/requests/${ofOwner}`)).status).toBe(200);
		expect(await looks()).toMatchObject([
			{ actor: `key:${agent.key_id}`, payload: { request_id: ofAgent } },
			{ actor: `key:${owner.key_id}`, payload: { request_id: ofAgent } },
		]);
	});

	it("sees nothing while the look cannot be recorded", async () => {
		const { key } = await loggingKey();
		const id = await chatId(key, `Say ${WORD}`);
		faults = useFaults({
			DB: (operation) => (String(operation.target).includes("audit_events") ? "fail" : "pass"),
		} as Parameters<typeof useFaults>[0]);
		const response = await callWithKey(owner.key, `/v1/requests/${id}/texts`);
		expect(response.status).toBe(503);
		expect(await response.text()).not.toContain(WORD);
		faults.restore();
		expect(await looks()).toEqual([]);
		expect((await textsOf(id)).input).toContain(WORD);
		expect(await looks()).toHaveLength(1);
	});

	it("leaves no event where nothing is kept", async () => {
		const id = await chatId(owner.key, "hi");
		await textsOf(id);
		expect(await looks()).toEqual([]);
	});
});

describe("kept texts", () => {
	it("expire after so many days, and the alarm removes them", async () => {
		const { key } = await loggingKey();
		const id = await chatId(key, `Say ${WORD}`);
		const atMs = Date.now();
		vi.useFakeTimers({ toFake: ["Date"], now: atMs + TEST_LOG_TEXTS_DAYS * DAY_MS - 60_000 });
		expect((await textsOf(id)).input).toContain(WORD);
		vi.setSystemTime(atMs + TEST_LOG_TEXTS_DAYS * DAY_MS + 60_000);
		expect((await textsOf(id)).input).toBeNull();
		const count = () =>
			inMeter(owner, (sql) => sql.exec<{ n: number }>("SELECT count(*) AS n FROM request_texts").one().n);
		expect(await count()).toBe(1);
		await meterAlarm(owner);
		expect(await count()).toBe(0);
	});

	it("stand sealed in their user's object, and in no log, list, receipt, event or table of D1", async () => {
		const lines = vi.spyOn(console, "log");
		const { key } = await loggingKey();
		const id = await chatId(key, `Say ${WORD}`);
		await textsOf(id);
		const stored = await inMeter(owner, (sql) =>
			sql
				.exec<{ name: string }>(
					"SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '\\_cf%' ESCAPE '\\'",
				)
				.toArray()
				.flatMap(({ name }) => sql.exec(`SELECT * FROM "${name}"`).toArray())
				.flatMap((row) => Object.values(row))
				.map((value) => (value instanceof ArrayBuffer ? new TextDecoder().decode(value) : String(value)))
				.join("\n"),
		);
		expect(stored).toContain(id);
		expect(stored).not.toContain(WORD);
		for (const path of ["/v1/requests", `/v1/requests/${id}`, `/v1/proof/${id}`, "/v1/audit/events", "/v1/usage"])
			expect(await (await callWithKey(owner.key, path)).text(), path).not.toContain(WORD);
		expect(lines).toHaveBeenCalled();
		expect(JSON.stringify(lines.mock.calls)).not.toContain(WORD);
		const { results } = await db.prepare("SELECT * FROM audit_events WHERE user_id = ?").bind(owner.user_id).all();
		expect(JSON.stringify(results)).not.toContain(WORD);
	});

	it("fail no answer where they cannot be kept, and the log says so", async () => {
		const errors = vi.spyOn(console, "error").mockImplementation(() => undefined);
		const { key } = await loggingKey();
		faults = useFaults({ ACCOUNT_METER: onlyFor(["keepTexts"], always("fail")) });
		const id = await chatId(key, `Say ${WORD}`);
		faults.restore();
		expect((await textsOf(id)).input).toBeNull();
		const logged = JSON.stringify([...errors.mock.calls]);
		expect(logged).toContain("texts_not_kept");
		expect(logged).toContain(id);
		expect(logged).not.toContain(WORD);
	});

	it("are as many as a user may have; those that expire first go", async () => {
		const { key } = await loggingKey();
		await chatId(key, "hi");
		await inMeter(owner, (sql) => {
			const table = new TextTable(sql);
			sql.exec("DELETE FROM request_texts");
			sql.exec(
				"INSERT INTO request_texts SELECT 'svc-' || value, 1000 + value, 10, x'00' FROM json_each(?)",
				JSON.stringify(Array.from({ length: MAX_KEPT_TEXTS }, (_, n) => n)),
			);
			const put = (requestId: string) => table.put({ requestId, sealed: new ArrayBuffer(10), expiresAtMs: 1 });
			put("svc-new");
			put("svc-new");
			put("svc-newer");
			const { n } = sql.exec<{ n: number }>("SELECT count(*) AS n FROM request_texts").one();
			expect(n).toBe(MAX_KEPT_TEXTS);
			const first = sql.exec<{ id: string }>("SELECT id FROM request_texts ORDER BY expires_at_ms LIMIT 2").toArray();
			expect(first.map(({ id }) => id)).toEqual(["svc-newer", "svc-1"]);
		});
	});
});

describe("the key's option", () => {
	it("is off by default, is not inherited, stays through a rotation, and is changed with a trail", async () => {
		const key = await makeKey({});
		expect(key.log_texts).toBe(false);
		const logging = await loggingKey();
		expect(logging.log_texts).toBe(true);
		const made = await callWithKey(logging.key, "/v1/keys", {});
		expect(((await made.json()) as OwnKey).log_texts).toBe(false);
		const rotated = await callWithKey(owner.key, `/v1/keys/${logging.key_id}/rotate`, {});
		const next = (await rotated.json()) as OwnKey;
		expect(next.log_texts).toBe(true);
		const changed = await call(`/v1/keys/${next.key_id}`, {
			...withKey(owner.key, { log_texts: false }),
			method: "PATCH",
		});
		expect(((await changed.json()) as OwnKey).log_texts).toBe(false);
		const id = await chatId(next.key, "hi");
		expect((await textsOf(id)).input).toBeNull();
		const events = await callWithKey(owner.key, "/v1/audit/events?event_type=key_changed");
		expect(((await events.json()) as { data: { payload: Json }[] }).data[0]?.payload).toMatchObject({
			before: { log_texts: true },
			after: { log_texts: false },
		});
	});
});
