// The list of models: OpenAI's and Anthropic's form at once, in pages, for a key in either header.
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { CATALOG } from "../../src/catalog/shipped.ts";
import { call, newKey, type TestKey, type Upstream, useSandbox, withKey } from "../support/service.ts";

let upstream: Upstream;
let key: TestKey;
beforeEach(async () => {
	upstream = useSandbox();
	key = await newKey("pro");
});
afterEach(() => upstream.restore());

interface ModelPage {
	data: { id: string; type: string; object: string; created: number; created_at: string; alias?: string }[];
	first_id: string | null;
	last_id: string | null;
	has_more: boolean;
}

async function list(query = "", init?: RequestInit): Promise<ModelPage> {
	const response = await call(`/v1/models${query}`, init);
	expect(response.status).toBe(200);
	return (await response.json()) as ModelPage;
}

const ids = ({ data }: ModelPage) => data.map(({ id }) => id);
const ALL = CATALOG.models.map(({ id }) => id);

describe("the list of models", () => {
	it("has all models where no limit is set, with what the libraries of both providers read", async () => {
		const page = await list();
		expect(page).toMatchObject({ object: "list", first_id: ALL[0], last_id: ALL.at(-1), has_more: false });
		expect(ids(page)).toEqual(ALL);
		for (const { type, object, created, created_at } of page.data) {
			expect([type, object]).toEqual(["model", "model"]);
			expect(Date.parse(created_at)).toBe(created * 1_000);
		}
	});

	it("is walked by pages in both directions, each model once", async () => {
		const forwards: string[] = [];
		for (let query = "?limit=4"; ; ) {
			const page = await list(query);
			forwards.push(...ids(page));
			if (!page.has_more) break;
			query = `?limit=4&after_id=${page.last_id}`;
		}
		expect(forwards).toEqual(ALL);
		const backwards: string[] = [];
		for (let query = `?limit=4&before_id=${ALL.at(-1)}`; ; ) {
			const page = await list(query);
			backwards.unshift(...ids(page));
			if (!page.has_more) break;
			query = `?limit=4&before_id=${page.first_id}`;
		}
		expect(backwards).toEqual(ALL.slice(0, -1));
	});

	it("ends with an empty page", async () => {
		const after = await list(`?after_id=${ALL.at(-1)}`);
		expect(after).toMatchObject({ data: [], first_id: null, last_id: null, has_more: false });
		expect(await list(`?limit=2&before_id=${ALL[0]}`)).toMatchObject({ data: [], has_more: false });
	});

	it.each([
		["?limit=0", "limit"],
		["?limit=1001", "limit"],
		["?after_id=nope", "after_id"],
		["?before_id=nope", "before_id"],
		[`?after_id=${ALL[0]}&before_id=${ALL[1]}`, "before_id"],
	])("refuses %s", async (query, path) => {
		const response = await call(`/v1/models${query}`);
		expect([response.status, await response.json()]).toMatchObject([422, { issues: [{ path }] }]);
	});

	it("has the models of one kind, or of all", async () => {
		const idsOf = (kind: string) => CATALOG.encoders.filter((model) => model.kind === kind).map(({ id }) => id);
		expect(ids(await list("?kind=chat"))).toEqual(ALL);
		for (const kind of ["embedding", "moderation", "rerank"]) {
			const page = await list(`?kind=${kind}`);
			expect(ids(page)).toEqual(idsOf(kind));
			expect(page.data.every((entry) => "kind" in entry && entry.kind === kind && !("tier" in entry))).toBe(true);
		}
		expect(ids(await list("?kind=all"))).toEqual([...ALL, ...CATALOG.encoders.map(({ id }) => id)]);
		const [, second] = idsOf("embedding");
		expect(await list(`?kind=embedding&limit=1&after_id=${idsOf("embedding")[0]}`)).toMatchObject({
			data: [{ id: second }],
			has_more: true,
		});
		const refused = await call("/v1/models?kind=image");
		expect([refused.status, await refused.json()]).toMatchObject([422, { issues: [{ path: "kind" }] }]);
	});

	it("has a model that makes no text, with its limits and the key that may call it", async () => {
		const get = async (id: string, init?: RequestInit) => (await call(`/v1/models/${id}`, init)).json();
		const entry = await get("text-embedding-3-small");
		expect(entry).toMatchObject({
			kind: "embedding",
			provider: "openai",
			pricing: { input_usd_mtok: 0.02, searches_usd_k: 0 },
			dimensions: { default: 1_536, sizes: { min: 1, max: 1_536 } },
			token_inputs: true,
			available: true,
		});
		expect(entry).not.toHaveProperty("alias");
		expect(await get(encodeURIComponent("openai/text-embedding-3-small"))).toMatchObject({
			id: "text-embedding-3-small",
			alias: "openai/text-embedding-3-small",
		});
		const free = await newKey("free");
		expect(await get("text-embedding-3-small", withKey(free.key))).toMatchObject({ available: false });
		expect(await get("text-embedding-3-small", withKey(key.key))).toMatchObject({
			available: true,
			key_state: { state: "ok", until: null },
		});
	});

	it("has a model for the id of another version of its family, and says so", async () => {
		const response = await call("/v1/models/claude-opus-4-5-20251101");
		expect(await response.json()).toMatchObject({ id: "claude-opus-5-5", alias: "claude-opus-4-5-20251101" });
		expect(await (await call("/v1/models/claude-opus-5-5")).json()).not.toHaveProperty("alias");
		expect((await call("/v1/models/nope")).status).toBe(404);
	});
});

describe("a key in x-api-key", () => {
	const WRONG = `${"svc_sk_"}${"a".repeat(46)}`;
	const get = (headers: Record<string, string>) => call("/v1/models", { headers });

	it("counts as one in Authorization, and both may hold the same", async () => {
		const quota = (response: Response) => response.status;
		expect(quota(await get({ "x-api-key": key.key }))).toBe(200);
		expect(quota(await get({ "x-api-key": key.key, authorization: `Bearer ${key.key}` }))).toBe(200);
		expect(quota(await get({ "x-api-key": WRONG }))).toBe(401);
	});

	it("that differs from the one in Authorization is refused, whichever would do", async () => {
		for (const headers of [
			{ "x-api-key": WRONG, authorization: `Bearer ${key.key}` },
			{ "x-api-key": key.key, authorization: `Bearer ${WRONG}` },
			{ "x-api-key": key.key, authorization: "Basic abc" },
		]) {
			const response = await get(headers);
			expect(response.status).toBe(401);
			expect(JSON.stringify(await response.json())).toContain("different keys");
		}
	});

	it("counts at no endpoint that does not say so", async () => {
		expect((await call("/v1/usage", { headers: { "x-api-key": key.key } })).status).toBe(401);
		const both = await call("/v1/usage", { headers: { ...withKey(key.key).headers, "x-api-key": WRONG } });
		expect(both.status).toBe(200);
	});

	it("may be sent from a page of any origin", async () => {
		const response = await call("/v1/models", {
			method: "OPTIONS",
			headers: {
				origin: "https://app.example",
				"access-control-request-method": "GET",
				"access-control-request-headers": "x-api-key,anthropic-version",
			},
		});
		expect(response.headers.get("access-control-allow-headers")).toBe("x-api-key,anthropic-version");
	});
});
