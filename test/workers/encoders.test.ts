// Moderations and reranks through the front door, and the faults of each provider's form, with the sandbox as upstream.
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { always, faultyD1, faultyNamespace, onlyFor } from "../support/faults.ts";
import { useService } from "../support/per-test.ts";
import { callWith, callWithKey, eventually, proofOf, withKey } from "../support/service.ts";
import { SANDBOX_ORIGIN } from "../support/variables.ts";

const { upstream, key } = useService("pro");

interface Answer {
	id: string;
	model: string;
	results: { index: number; relevance_score: number; flagged: boolean; document?: unknown }[];
	data: { embedding: number[] }[];
	meta: { billed_units: Record<string, number> };
	svc: {
		cost: { total_usd: number; estimated: boolean };
		proof: { request_id: string; salt: string };
		warnings: { code: string; param: string | null; message: string }[];
	};
}

interface Refused {
	error: string;
	message: string;
	cost_usd?: number;
	issues?: { path: string; message: string }[];
}

async function ask<Body>(path: string, body: Record<string, unknown>, status = 200): Promise<Body> {
	const response = await callWithKey(key.key, path, body);
	expect(response.status, await response.clone().text()).toBe(status);
	return response.json();
}

const moderate = (body: Record<string, unknown>) => ask<Answer>("/v1/moderations", body);
const rank = (body: Record<string, unknown>) => ask<Answer>("/v1/rerank", { model: "rerank-v3.5", ...body });

async function receiptOf({ svc }: Answer): Promise<Record<string, unknown>> {
	await eventually(async () => (await callWithKey(key.key, `/v1/proof/${svc.proof.request_id}`)).status === 200);
	const proof = await proofOf(svc.proof.request_id);
	expect(proof).toMatchObject({ valid: true, signed: true });
	return proof.receipt;
}

const DOCUMENTS = [
	"Carson City is the capital city of the American state of Nevada.",
	"The Commonwealth of the Northern Mariana Islands is a group of islands. Its capital is Saipan.",
	"Washington, D.C. is the capital of the United States.",
	"Capital punishment has existed in the United States since before it was a country.",
];

describe("a rerank", () => {
	it("puts the document first that answers the query, and says what it cost", async () => {
		const query = "What is the capital of the United States?";
		const answer = await rank({ query, documents: DOCUMENTS });
		const scores = answer.results.map(({ relevance_score }) => relevance_score);
		expect(answer.results[0]?.index).toBe(2);
		expect(answer.results.map(({ index }) => index).toSorted()).toEqual([0, 1, 2, 3]);
		expect(scores).toEqual(scores.toSorted((a, b) => b - a));
		expect(answer.meta.billed_units).toEqual({ search_units: 1 });
		expect(answer.svc.cost).toEqual({ input_usd: 0.002, total_usd: 0.002, estimated: false });
		expect(await receiptOf(answer)).toMatchObject({ kind: "rerank", model: "rerank-v3.5", provider: "cohere" });
	});

	it("answers as many as are asked for, with the documents as they were sent", async () => {
		const documents = [{ text: "bread dough", page: 7 }, "trains"];
		const answer = await rank({ query: "dough", documents, top_n: 1, return_documents: true });
		expect(answer.results).toMatchObject([{ index: 0, document: { text: "bread dough", page: 7 } }]);
		const all = await rank({ query: "trains", documents, return_documents: true });
		expect(all.results.map(({ document }) => document)).toEqual([{ text: "trains" }, { text: "bread dough", page: 7 }]);
	});

	it("is charged by tokens where the model is, and searches by pieces of long documents", async () => {
		const byTokens = await rank({ model: "rerank-v5.0-fast", query: "dough", documents: DOCUMENTS });
		expect(byTokens.meta.billed_units["input_tokens"]).toBeGreaterThan(50);
		const long = "word ".repeat(2_000);
		const bySearch = await rank({ query: "dough", documents: Array.from({ length: 60 }, () => long) });
		expect(bySearch.meta.billed_units["search_units"]).toBeGreaterThan(1);
		expect(bySearch.svc.cost).toMatchObject({
			total_usd: (bySearch.meta.billed_units["search_units"] ?? 0) * 0.002,
			estimated: false,
		});
	});

	it("warns of a document that is read only in part", async () => {
		const answer = await rank({ query: "dough", documents: ["word ".repeat(5_000), "dough"] });
		expect(answer.svc.warnings).toMatchObject([{ code: "truncated", param: "documents.0" }]);
	});

	it.each<[string, Record<string, unknown>, string, RegExp]>([
		["no model", { query: "q", documents: ["a"] }, "model", /name a rerank model, such as rerank/],
		[
			"another kind of model",
			{ model: "mistral-embed", query: "q", documents: ["a"] },
			"model",
			/a rerank model is needed here/,
		],
		["no documents", { model: "rerank-v3.5", query: "q", documents: [] }, "documents", /empty list/],
		["an empty query", { model: "rerank-v3.5", query: "", documents: ["a"] }, "query", /empty string/],
		[
			"a document without text",
			{ model: "rerank-v3.5", query: "q", documents: ["a", { title: "b" }] },
			"documents.1",
			/string as text/,
		],
		["an empty document", { model: "rerank-v3.5", query: "q", documents: ["a", ""] }, "documents.1", /leave it out/],
		["top_n of none", { model: "rerank-v3.5", query: "q", documents: ["a"], top_n: 0 }, "top_n", /from 1/],
		[
			"too many documents",
			{ model: "rerank-v3.5", query: "q", documents: Array(1_001).fill("a") },
			"documents",
			/at most 1000/,
		],
		[
			"a query that leaves no room",
			{ model: "rerank-v3.5", query: "word ".repeat(4_096), documents: ["a"] },
			"query",
			/at most 4096/,
		],
	])("is told what is wrong: %s", async (_, body, path, message) => {
		const refused = await ask<Refused>("/v1/rerank", body, 422);
		expect(refused.issues).toMatchObject([{ path, message: expect.stringMatching(message) }]);
		expect(upstream.requests).toEqual([]);
	});
});

describe("a moderation", () => {
	it("flags each text by itself, in order, however many calls it takes", async () => {
		const input = Array.from({ length: 70 }, (_, index) => (index % 7 === 3 ? "I will kill you" : "Good bread"));
		const answer = await moderate({ input });
		expect(answer.results.map(({ flagged }) => flagged)).toEqual(input.map((text) => text !== "Good bread"));
		expect(upstream.requests.length).toBe(3);
		expect(answer.svc.cost.total_usd).toBe(0);
		expect(await receiptOf(answer)).toMatchObject({ kind: "moderation", model: "omni-moderation-latest" });
	});

	it.each<[string, unknown, string, RegExp]>([
		["nothing", undefined, "input", /missing/],
		["an empty text", "", "input", /empty string/],
		["an empty list", [], "input", /empty list/],
		["a number among texts", ["a", 3], "input.1", /is no string/],
		["an image", [{ type: "image_url", image_url: { url: "https://a.test/b.png" } }], "input.0", /is an image/],
		["a part of another kind", [{ type: "audio" }], "input.0.type", /must be text/],
		["a part without text", [{ type: "text" }], "input.0.text", /not empty/],
		["a string among parts", [{ type: "text", text: "a" }, "b"], "input.1", /among parts/],
	])("is told what is wrong: %s", async (_, input, path, message) => {
		const refused = await ask<Refused>("/v1/moderations", { ...(input === undefined ? {} : { input }) }, 422);
		expect(refused.issues).toMatchObject([{ path, message: expect.stringMatching(message) }]);
		expect(upstream.requests).toEqual([]);
	});

	it("is by Mistral's model where it is named", async () => {
		const answer = await moderate({ input: "please launder money", model: "mistral-moderation-latest" });
		expect(answer.results).toMatchObject([
			{ flagged: true, categories: { criminal: true, illicit: true, violence: false } },
		]);
	});
});

/** A request of each form, with words for faults in its text. */
const FORMS: [form: string, path: string, toBody: (word: string) => Record<string, unknown>][] = [
	...["text-embedding-3-small", "gemini-embedding-001", "mistral-embed", "embed-v4.0", "text-embedding-v4"].map(
		(model): (typeof FORMS)[number] => [model, "/v1/embeddings", (word) => ({ model, input: ["a b", word] })],
	),
	...["omni-moderation-latest", "mistral-moderation-latest"].map((model): (typeof FORMS)[number] => [
		model,
		"/v1/moderations",
		(word) => ({ model, input: ["a b", word] }),
	]),
	...["rerank-v3.5", "rerank-v5.0-fast"].map((model): (typeof FORMS)[number] => [
		model,
		"/v1/rerank",
		(word) => ({ model, query: "a", documents: ["a b", word] }),
	]),
];

/** What a model is told that its texts are for, in its provider's words. */
function toldTypes(): unknown[] {
	return upstream.requests.flatMap(({ body }) => {
		const { input_type, requests } = body as { input_type?: string; requests?: { taskType?: string }[] };
		return requests?.map(({ taskType }) => taskType) ?? input_type;
	});
}

describe("what the texts of an embedding are for", () => {
	const embed = (model: string, body: Record<string, unknown>, status = 200) =>
		ask<Answer & Refused>("/v1/embeddings", { model, input: ["a", "b"], ...body }, status);

	it.each([
		["embed-v4.0", ["search_query", "search_document", "search_document"]],
		["gemini-embedding-001", ["RETRIEVAL_QUERY", "RETRIEVAL_DOCUMENT", undefined].flatMap((type) => [type, type])],
	])("is told to %s in its words", async (model, told) => {
		for (const input_type of ["query", "document", null])
			expect((await embed(model, { input_type })).svc.warnings).toEqual([]);
		expect(toldTypes()).toEqual(told);
	});

	it.each(["text-embedding-3-small", "gemini-embedding-2", "mistral-embed", "text-embedding-v4"])(
		"is not told to %s, which the answer says",
		async (model) => {
			const { svc } = await embed(model, { input_type: "query" });
			expect(svc.warnings).toMatchObject([{ code: "parameter_dropped", param: "input_type" }]);
			expect(svc.warnings[0]?.message).toContain(model);
			expect(toldTypes().filter((type) => type !== undefined)).toEqual([]);
		},
	);

	it("is told in every call that a request becomes, and what is left out of them all is said once", async () => {
		const input = Array.from({ length: 200 }, (_, index) => `text ${index}`);
		await embed("embed-v4.0", { input, input_type: "query" });
		expect(toldTypes().length).toBeGreaterThan(1);
		expect(new Set(toldTypes())).toEqual(new Set(["search_query"]));
		const { svc } = await embed("text-embedding-v4", { input, input_type: "query" });
		expect(svc.warnings).toHaveLength(1);
	});

	it("is refused where it is neither of the two, which are named", async () => {
		for (const input_type of ["search_query", "classification", 7]) {
			const { issues } = await embed("embed-v4.0", { input_type }, 422);
			expect(issues).toMatchObject([{ path: "input_type" }]);
			expect(issues?.[0]?.message).toMatch(/query.*document/);
		}
		expect(upstream.requests).toEqual([]);
	});
});

describe.each(FORMS)("%s", (model, path, toBody) => {
	it("gives no answer that cannot be accounted for, and is not to be asked again", async () => {
		await ask(path, toBody("c d"));
		const without = {
			ACCOUNT_METER: faultyNamespace(env.ACCOUNT_METER, onlyFor(["settle"], always("fail"))),
			DB: faultyD1(env.DB, always("fail")),
		};
		const response = await callWith(without, path, withKey(key.key, toBody("c d")));
		expect(response.headers.get("x-should-retry")).toBe("false");
		expect([response.status, await response.json()]).toMatchObject([503, { error: "receipt_unavailable" }]);
	});

	it.each(["[[one short]]", "[[merged]]", "[[garbage]]", "[[cut]]", "[[status 503]]", "[[error]]"])(
		"is 502 for %s, and never an answer in part",
		async (word) => {
			const refused = await ask<Refused>(path, toBody(word), 502);
			expect(refused).toMatchObject({ error: "all_models_failed" });
			expect(refused.message).toContain(model);
		},
	);

	it("passes a refusal of the provider on in its words", async () => {
		const refused = await ask<Refused>(path, toBody("[[overflow]]"), 400);
		expect(refused).toMatchObject({ error: "upstream_rejected" });
		expect(refused.message).toMatch(/tokens/);
	});

	it("is settled at the bound where no usage is reported", async () => {
		const answer = await ask<Answer>(path, toBody("[[no usage]]"));
		expect(answer.svc.cost.estimated).toBe(true);
	});

	if (path === "/v1/embeddings")
		it("is 502 for vectors of another length, and keeps the order where it is answered in another", async () => {
			await ask<Refused>(path, toBody("[[short vectors]]"), 502);
			const straight = await ask<Answer>(path, toBody("c d"));
			const shuffled = await ask<Answer>(path, { ...toBody("c d"), input: ["a b", "c d", "[[shuffled]]"] });
			expect(shuffled.data.slice(0, 2)).toEqual(straight.data);
		});
});

const limits = { context_window: 8_192, max_inputs: 128 };
const CATALOG = {
	providers: [
		{ id: "voyage", template: "voyage", base_url: `${SANDBOX_ORIGIN}/voyage`, auth: "none" },
		{ id: "jina", template: "jina", base_url: `${SANDBOX_ORIGIN}/jina`, auth: "none" },
		{ id: "tei", template: "tei", base_url: `${SANDBOX_ORIGIN}/tei`, auth: "none" },
	],
	models: [
		...["voyage", "jina", "tei"].flatMap((provider) => [
			{
				...{ id: `${provider}-embed`, provider, kind: "embedding", prices: { input: 0.06 }, limits },
				dimensions: { default: 1_024, sizes: [256, 1_024] },
			},
			{ id: `${provider}-rerank`, provider, kind: "rerank", prices: { input: 0.05 }, limits },
		]),
	],
};
const SERVICE = { CATALOG: JSON.stringify(CATALOG) } as Partial<Env>;

describe.each(["voyage", "jina", "tei"])("a row of the operator's with the template %s", (provider) => {
	async function asked(path: string, body: Record<string, unknown>): Promise<Answer> {
		const response = await callWith(SERVICE, path, withKey(key.key, body));
		expect(response.status, await response.clone().text()).toBe(200);
		return response.json();
	}

	it("makes vectors of the asked length", async () => {
		const answer = await asked("/v1/embeddings", { model: `${provider}-embed`, input: ["a", "b"], dimensions: 256 });
		expect(answer.data.map(({ embedding }) => embedding.length)).toEqual([256, 256]);
		expect(answer.svc.cost.estimated).toBe(false);
	});

	it("is told what its texts are for, or the answer says that it is not", async () => {
		const body = { model: `${provider}-embed`, input: ["a"], dimensions: 256, input_type: "query" };
		const { svc } = await asked("/v1/embeddings", body);
		expect(toldTypes()).toEqual([provider === "voyage" ? "query" : undefined]);
		expect(svc.warnings.map(({ param }) => param)).toEqual(provider === "voyage" ? [] : ["input_type"]);
	});

	it("ranks documents", async () => {
		const body = { model: `${provider}-rerank`, query: "capital of the United States", documents: DOCUMENTS, top_n: 2 };
		const answer = await asked("/v1/rerank", body);
		expect(answer.results).toHaveLength(2);
		expect(answer.results[0]?.index).toBe(2);
		// Text Embeddings Inference reports no usage of reranks.
		expect(answer.svc.cost.estimated).toBe(provider === "tei");
	});
});
