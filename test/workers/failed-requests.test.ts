// Requests that failed: each is a row of its user's, whatever refused it and wherever, unless nobody knows whose it was. It is in no sum.
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it } from "vitest";
import { CATALOG } from "../../src/catalog/shipped.ts";
import { killObject, type Operation, onlyFor, useFaults } from "../support/faults.ts";
import { useService } from "../support/per-test.ts";
import {
	call,
	callWithKey,
	meterOf,
	newKey,
	settledCount,
	type TestKey,
	usageOf,
	withKey,
} from "../support/service.ts";

const { key: owner } = useService("corporate");
let faults: { restore(): void } | undefined;
afterEach(() => {
	faults?.restore();
	faults = undefined;
});

const [MODEL = "", OTHER_MODEL = ""] = CATALOG.models.map(({ id }) => id);
/** What no row may have. */
const WORDS = "the heron eats at dawn";

interface Row {
	request_id: string;
	kind: string;
	key_id: string;
	http_status: number | null;
	error: { code: string; message: string } | null;
	count: number;
	outcome: string;
	model: string | null;
	provider: string | null;
	mode: string | null;
	proof_hash: string | null;
	cost_usd: number;
	attempts: { provider: string; model: string; status: number | null; error: string | null }[];
	session_id: string | null;
	end_user: string | null;
	metadata: Record<string, string>;
}

async function list(query: Record<string, string> = {}, key = owner.key): Promise<Row[]> {
	const response = await callWithKey(key, `/v1/requests?${new URLSearchParams(query)}`);
	expect(response.status, await response.clone().text()).toBe(200);
	return (await response.json<{ data: Row[] }>()).data;
}

/** The entrances of models, each with a body that says something. */
const ENTRANCES = [
	{
		path: "/v1/chat/completions",
		kind: "chat",
		say: (text: string) => ({ messages: [{ role: "user", content: text }] }),
	},
	{ path: "/v1/responses", kind: "chat", say: (text: string) => ({ input: text }) },
	{
		path: "/v1/messages",
		kind: "chat",
		say: (text: string) => ({ max_tokens: 50, messages: [{ role: "user", content: text }] }),
	},
	{ path: "/v1/skills/debugging/invoke", kind: "skill", say: (text: string) => ({ task: text }) },
	{
		path: "/v2/orchestrate",
		kind: "orchestration",
		say: (text: string) => ({ messages: [{ role: "user", content: text }] }),
	},
	{ path: "/v2/code", kind: "code", say: (text: string) => ({ task: text }) },
	{ path: "/v1/agent/run", kind: "agent", say: (text: string) => ({ goal: text }) },
] as const;
const AT_ENTRANCES = ENTRANCES.map((entrance) => [entrance.path, entrance] as const);

/** Asks, and finds the row of what was answered. */
async function ask(
	path: string,
	body: unknown,
	key: TestKey = owner,
	headers: Record<string, string> = {},
): Promise<{ response: Response; row: Row | undefined }> {
	const init = withKey(key.key, body);
	const response = await call(path, { ...init, headers: { ...(init.headers as Record<string, string>), ...headers } });
	await response.clone().text();
	const id = response.headers.get("x-request-id");
	return { response, row: (await list({}, key.key)).find(({ request_id }) => request_id === id) };
}

async function ownKey(options: Record<string, unknown>): Promise<TestKey> {
	const made = await callWithKey(owner.key, "/v1/keys", { name: "bound", role: "owner", ...options });
	expect(made.status, await made.clone().text()).toBe(200);
	return { ...owner, ...(await made.json<{ key: string; key_id: string }>()) };
}

/** No sum, no limit's use and no receipt of them. */
async function expectNothingBilled(key: TestKey, id: string): Promise<void> {
	expect(await settledCount(key)).toBe(0);
	expect((await usageOf(key)).recent).toEqual([]);
	const proof = await call(`/v1/proof/${id}`);
	expect(proof.status).toBe(404);
	expect(await proof.text()).toContain("nothing was billed");
}

describe("a request that is refused", () => {
	const unbilled = { count: 1, model: null, provider: null, mode: null, proof_hash: null, cost_usd: 0, attempts: [] };

	it.each(AT_ENTRANCES)("for its body is a row: %s", async (path, { kind }) => {
		const { response, row } = await ask(path, { [`${WORDS}`]: 1, max_tokens: "many", messages: "none", input: 7 });
		expect(response.status).toBe(row?.http_status);
		expect([400, 422]).toContain(response.status);
		expect(row).toMatchObject({ kind, key_id: owner.key_id, outcome: "refused", ...unbilled });
		expect(JSON.stringify(row)).not.toContain(WORDS);
		await expectNothingBilled(owner, row?.request_id ?? "");
	});

	it.each(AT_ENTRANCES)("because its body is no JSON, or too large, is a row: %s", async (path, { kind }) => {
		const init = withKey(owner.key, {});
		const broken = await call(path, { ...init, body: `{"x": ${WORDS}` });
		expect(broken.status).toBe(400);
		const large = await call(path, { ...init, body: JSON.stringify({ x: "y".repeat(60_000_000) }) });
		expect(large.status).toBe(413);
		const rows = await list();
		expect(rows.map(({ error }) => error?.code)).toEqual(["request_too_large", "invalid_json"]);
		for (const row of rows) expect(row).toMatchObject({ kind, outcome: "refused", ...unbilled });
		expect(JSON.stringify(rows)).not.toContain(WORDS);
	});

	it.each(AT_ENTRANCES)("because its key's budget has no room is a row: %s", async (path, { kind, say }) => {
		const poor = await ownKey({ budget_usd: 0.000001, budget_period: "day" });
		const { response, row } = await ask(
			path,
			{ ...say(WORDS), ...(kind === "agent" ? { max_cost_usd: 1 } : {}) },
			poor,
		);
		expect(response.status).toBe(402);
		expect(row).toMatchObject({ kind, key_id: poor.key_id, http_status: 402, outcome: "refused", ...unbilled });
		expect(row?.error?.code).toBe("key_budget_exceeded");
		expect(JSON.stringify(row)).not.toContain(WORDS);
		await expectNothingBilled(owner, row?.request_id ?? "");
	});

	it.each(AT_ENTRANCES)("because no provider may have it is a row: %s", async (path, { kind, say }) => {
		const { response, row } = await ask(path, { ...say(WORDS), compliance: { jurisdiction: ["CH"] } });
		expect([response.status, row?.http_status]).toEqual([403, 403]);
		expect(row).toMatchObject({ kind, outcome: "refused", ...unbilled, error: { code: "compliance_blocked" } });
		expect(JSON.stringify(row)).not.toContain(WORDS);
	});

	it.each(AT_ENTRANCES.filter(([, { kind }]) => kind === "chat" || kind === "skill"))(
		"because its key may not call its model is a row: %s",
		async (path, { kind, say }) => {
			const narrow = await ownKey({ models: [MODEL] });
			const { response, row } = await ask(path, { ...say(WORDS), model: OTHER_MODEL }, narrow);
			expect([response.status, row?.http_status]).toEqual([403, 403]);
			expect(row).toMatchObject({ kind, outcome: "refused", ...unbilled, key_id: narrow.key_id });
			expect(JSON.stringify(row)).not.toContain(WORDS);
		},
	);

	it("by compliance is a row, with the policy and without a word of the text", async () => {
		const body = {
			...ENTRANCES[0].say("Mail to jane.doe@heron-mail.de and call +49 30 901820"),
			compliance: { block_data_classes: ["PII"], provider_allowlist: ["zai"] },
		};
		const { response, row } = await ask("/v1/chat/completions", body);
		expect([response.status, row?.http_status]).toEqual([403, 403]);
		expect(row).toMatchObject({ outcome: "refused", ...unbilled, error: { code: "compliance_blocked" } });
		expect(JSON.stringify(row)).not.toContain("jane");
	});

	it.each(AT_ENTRANCES)("by its key's limit is a row of all of them: %s", async (path, { kind, say }) => {
		const slow = await ownKey({ rpm: 1 });
		expect((await callWithKey(slow.key, "/v1/usage")).status).toBe(200);
		for (let n = 0; n < 5; n++) expect((await callWithKey(slow.key, path, say(WORDS))).status).toBe(429);
		const rows = await list({ code: "rate_limit_exceeded" });
		expect(rows.reduce((sum, { count }) => sum + count, 0)).toBe(5);
		// Two, where a minute has ended meanwhile.
		expect(rows.length).toBeLessThanOrEqual(2);
		for (const row of rows)
			expect(row).toMatchObject({ kind, key_id: slow.key_id, http_status: 429, outcome: "refused" });
	});

	it("has what it is called by, as far as that could be read", async () => {
		const body = { ...ENTRANCES[0].say(WORDS), max_tokens: -1, user: "u-7", metadata: { team: "search" } };
		const { row } = await ask("/v1/chat/completions", body, owner, { "x-session-id": "s-1" });
		expect(row).toMatchObject({ session_id: "s-1", end_user: "u-7", metadata: { team: "search" } });
	});

	it("under no known key is no row of anybody", async () => {
		expect((await callWithKey("svc_sk_nobody", "/v1/chat/completions", {})).status).toBe(401);
		expect(await list()).toEqual([]);
	});

	it("of no endpoint that calls models is no row", async () => {
		expect((await callWithKey(owner.key, "/v1/route", { prompt: 7 })).status).toBe(422);
		expect((await callWithKey(owner.key, "/v1/requests/svc-none")).status).toBe(404);
		expect(await list()).toEqual([]);
	});
});

describe("a request that failed after tries", () => {
	it.each(AT_ENTRANCES.filter(([, { kind }]) => kind !== "agent"))(
		"is a row with its attempts: %s",
		async (path, { kind, say }) => {
			const { response, row } = await ask(path, { ...say("[[status 503]]"), model: MODEL });
			expect(response.status).toBe(502);
			expect(row).toMatchObject({ kind, http_status: 502, outcome: "failed", proof_hash: null, cost_usd: 0, count: 1 });
			expect(row?.error?.code).toBe(kind === "code" ? "no_code_produced" : "all_models_failed");
			expect(row?.attempts.length).toBeGreaterThan(1);
			for (const attempt of row?.attempts ?? []) expect(attempt).toMatchObject({ status: 503, error: "status" });
			expect(row?.model).toBe(row?.attempts.at(-1)?.model);
			await expectNothingBilled(owner, row?.request_id ?? "");
		},
	);

	it("and was billed has status and error beside its receipt", async () => {
		const { response, row } = await ask("/v1/chat/completions", {
			...ENTRANCES[0].say("[[cut]]"),
			model: MODEL,
			max_tokens: 500,
		});
		expect(response.status).toBe(502);
		expect(row).toMatchObject({ http_status: 502, outcome: "cut", error: { code: "all_models_failed" } });
		expect(row?.proof_hash).toMatch(/^sha256:/);
		expect(row?.attempts.map(({ error, status }) => [error, status])).toContainEqual(["cut", 200]);
		expect(await list()).toHaveLength(1);
	});

	it("in the middle of its stream has the status that was sent, and why it broke off", async () => {
		const body = { ...ENTRANCES[0].say("[[cut]] [[long 50]]"), model: MODEL, stream: true };
		const { response, row } = await ask("/v1/chat/completions", body);
		expect(response.status).toBe(200);
		expect(row).toMatchObject({ http_status: 200, outcome: "cut", error: { code: "upstream_cut" } });
		expect(row?.attempts.at(-1)).toMatchObject({ status: 200, error: "cut" });
	});

	it("has a row each, up to twenty of a minute", async () => {
		for (let n = 0; n < 4; n++)
			expect(
				(await callWithKey(owner.key, "/v1/chat/completions", { ...ENTRANCES[0].say("[[status 503]]"), model: MODEL }))
					.status,
			).toBe(502);
		const rows = await list({ outcome: "failed" });
		expect(rows.map(({ count }) => count)).toEqual([1, 1, 1, 1]);
	});
});

describe("a flood of refusals", () => {
	/** Counts the calls of the user's meter that record some. */
	function countRecords(): { calls: number } {
		const counted = { calls: 0 };
		faults = useFaults({
			ACCOUNT_METER: ({ method }: Operation) => {
				if (method === "recordFailed") counted.calls++;
				return "pass";
			},
		});
		return counted;
	}

	it("costs its meter few calls and one row a minute, with their number", async () => {
		const counted = countRecords();
		const slow = await ownKey({ rpm: 1 });
		expect((await callWithKey(slow.key, "/v1/usage")).status).toBe(200);
		const statuses = new Set<number>();
		for (let n = 0; n < 1_000; n += 50) {
			const some = Array.from({ length: 50 }, () =>
				callWithKey(slow.key, "/v1/chat/completions", ENTRANCES[0].say("hi")),
			);
			for (const { status } of await Promise.all(some)) statuses.add(status);
		}
		const refused = (await list()).filter(({ error }) => error?.code === "rate_limit_exceeded");
		// A minute may pass, after which one is let through.
		const answered = statuses.has(200) ? await settledCount(owner) : 0;
		expect(refused.reduce((sum, { count }) => sum + count, 0)).toBe(1_000 - answered);
		expect(refused.length).toBeLessThanOrEqual(3);
		expect(counted.calls).toBeLessThanOrEqual(2 * refused.length + 2);
	});

	it("loses nothing that was recorded when the meter dies, and counts on", async () => {
		const bad = ENTRANCES[0].say("hi");
		for (let n = 0; n < 3; n++) await callWithKey(owner.key, "/v1/chat/completions", { ...bad, max_tokens: -1 });
		const count = async () => (await list()).reduce((sum, row) => sum + row.count, 0);
		expect(await count()).toBe(3);
		await killObject(env.ACCOUNT_METER.getByName(owner.user_id) as unknown as DurableObjectStub<undefined>);
		expect(await count()).toBe(3);
		await callWithKey(owner.key, "/v1/chat/completions", { ...bad, max_tokens: -1 });
		expect(await count()).toBe(4);
	});

	it("is recorded later where the meter was away, and once where its answer was lost", async () => {
		const refuse = () => callWithKey(owner.key, "/v1/chat/completions", { ...ENTRANCES[0].say("hi"), max_tokens: -1 });
		faults = useFaults({ ACCOUNT_METER: onlyFor(["recordFailed"], () => "fail") });
		expect((await refuse()).status).toBe(422);
		expect(await list()).toEqual([]);
		faults.restore();
		expect((await list()).map(({ count }) => count)).toEqual([1]);
		let lost = 0;
		faults = useFaults({ ACCOUNT_METER: onlyFor(["recordFailed"], () => (lost++ === 0 ? "failAfter" : "pass")) });
		expect((await refuse()).status).toBe(422);
		expect((await list()).reduce((sum, { count }) => sum + count, 0)).toBe(2);
		expect(lost).toBe(2);
	});
});

it("keeps no list waiting while a meter never says that it was recorded, and later ones neither", async () => {
	const refuse = () => callWithKey(owner.key, "/v1/chat/completions", { messages: [] });
	faults = useFaults({ ACCOUNT_METER: onlyFor(["recordFailed"], () => "hangAfter") });
	expect((await refuse()).status).toBe(400);
	expect(await list()).toMatchObject([{ error: { code: "no_messages" } }]);
	faults.restore();
	const other = await callWithKey(owner.key, "/v1/chat/completions", { messages: [], max_tokens: -1 });
	expect(other.status).toBeGreaterThanOrEqual(400);
	expect((await list()).map(({ count }) => count).reduce((sum, count) => sum + count, 0)).toBe(2);
});

describe("a row of a failed request", () => {
	it("is found by its id, and by nobody else", async () => {
		const { row } = await ask("/v1/chat/completions", { ...ENTRANCES[0].say("hi"), max_tokens: -1 });
		const id = row?.request_id ?? "";
		const own = await callWithKey(owner.key, `/v1/requests/${id}`);
		expect(await own.json()).toMatchObject({ request_id: id, outcome: "refused", call_costs: [], http_status: 422 });
		const stranger = await newKey("corporate");
		expect((await callWithKey(stranger.key, `/v1/requests/${id}`)).status).toBe(404);
		expect(await list({}, stranger.key)).toEqual([]);
		const reader = await ownKey({ role: "agent", own_only: true });
		expect((await callWithKey(reader.key, `/v1/requests/${id}`)).status).toBe(404);
		expect(await list({}, reader.key)).toEqual([]);
	});

	it("counts towards the minute as it did, and in no sum", async () => {
		for (let n = 0; n < 3; n++)
			await callWithKey(owner.key, "/v1/chat/completions", { ...ENTRANCES[0].say("hi"), max_tokens: -1 });
		expect(await list()).toHaveLength(1);
		const { totals, quota } = await meterOf(owner).snapshot("corporate");
		expect(totals).toEqual([]);
		// Three refused ones and the list.
		expect(quota.rpm - quota.remaining).toBeGreaterThanOrEqual(4);
		const groups = await callWithKey(owner.key, "/v1/usage?group_by=day");
		expect((await groups.json<{ data: unknown[]; total: { requests: number } }>()).total.requests).toBe(0);
	});
});
