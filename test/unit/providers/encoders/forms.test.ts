// What each form asks for and reads: documented answers, and what no upstream should send.
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type EncoderModel, servesKind } from "../../../../src/catalog/encoder.ts";
import { soleKey } from "../../../../src/catalog/provider-keys.ts";
import type { Provider } from "../../../../src/catalog/schema.ts";
import { CATALOG } from "../../../../src/catalog/shipped.ts";
import type { EncoderCall, EncoderForm } from "../../../../src/providers/encoders/encoder-call.ts";
import { encoderFormFor } from "../../../../src/providers/encoders/forms.ts";
import answers from "../../../fixtures/encoders/answers.json" with { type: "json" };
import { plainProvider } from "../../../support/catalog.ts";

const VOYAGE = plainProvider("voyage", "openai", { encoder_form: "voyage" });
const TEI = plainProvider("tei", "openai", { encoder_form: "tei" });
const OWN = plainProvider("own", "openai", { drops: ["user"] });
const AZURE = plainProvider("azure", "openai", {
	encoder_form: "openai",
	paths: { whole: "/deployments/{model}/chat/completions?api-version=1", stream: "" },
});

function shipped(id: string): Provider {
	const provider = CATALOG.findProvider(id);
	if (!provider) throw new Error(`no provider ${id}`);
	return provider;
}

function formOf(provider: Provider): EncoderForm {
	const form = encoderFormFor(provider);
	if (!form) throw new Error(`${provider.id} has no form`);
	return form;
}

function model(id: string): EncoderModel {
	return {
		id,
		upstream_model: id,
		display_name: id,
		provider: "any",
		kind: "embedding",
		released: null,
		open_weights: false,
		prices: [{ effective_from: null, input: 1 }],
		limits: { context_window: 8_192, max_inputs: 100, max_batch_tokens: null },
	};
}

function ask(provider: Provider, call: EncoderCall, id = "m-1"): { url: string; body: unknown } {
	const access = { provider, keys: [soleKey("k")] as const, baseUrl: provider.base_url, host: "h" };
	const { url, body } = formOf(provider).render(call, model(id), access);
	return { url: url.replace(provider.base_url, ""), body: JSON.parse(body) };
}

const embedding = (inputs: readonly (string | number[])[], dimensions: number | null = null) => ({
	kind: "embedding" as const,
	inputs,
	dimensions,
	user: "u-1",
});
const moderation = (...inputs: string[]): EncoderCall => ({ kind: "moderation", inputs });
const rerank = (documents: string[], topN: number | null = null): EncoderCall => ({
	kind: "rerank",
	query: "q",
	documents,
	topN,
});

describe("a call in the form of", () => {
	it.each<[string, Provider, EncoderCall, string, unknown]>([
		[
			"OpenAI asks for base64 and may have tokens",
			shipped("openai"),
			embedding([[1, 2]], 8),
			"/embeddings",
			{ model: "m-1", input: [[1, 2]], encoding_format: "base64", dimensions: 8, user: "u-1" },
		],
		["OpenAI's moderations", shipped("openai"), moderation("a"), "/moderations", { model: "m-1", input: ["a"] }],
		[
			"Azure's deployments names the deployment in the path",
			AZURE,
			embedding(["a"]),
			"/deployments/m-1/embeddings?api-version=1",
			{ model: "m-1", input: ["a"], encoding_format: "base64", user: "u-1" },
		],
		[
			"a compatible server asks for numbers, and leaves out what its row drops",
			OWN,
			embedding(["a"], 8),
			"/embeddings",
			{ model: "m-1", input: ["a"], encoding_format: "float", dimensions: 8 },
		],
		[
			"Mistral has a name of its own for the length",
			shipped("mistral"),
			embedding(["a"], 8),
			"/embeddings",
			{ model: "m-1", input: ["a"], encoding_format: "float", output_dimension: 8 },
		],
		[
			"Google is a batch with a request for each text",
			shipped("google"),
			embedding(["a", "b"], 8),
			"/models/m-1:batchEmbedContents",
			{
				requests: ["a", "b"].map((text) => ({
					model: "models/m-1",
					content: { parts: [{ text }] },
					outputDimensionality: 8,
				})),
			},
		],
		[
			"Voyage asks for base64 and lets nothing be cut",
			VOYAGE,
			embedding(["a"], 256),
			"/embeddings",
			{ model: "m-1", input: ["a"], encoding_format: "base64", truncation: false, output_dimension: 256 },
		],
		["Voyage's reranks", VOYAGE, rerank(["a"], 1), "/rerank", { model: "m-1", query: "q", documents: ["a"], top_k: 1 }],
		[
			"a compatible server's reranks",
			OWN,
			rerank(["a"], 1),
			"/rerank",
			{ model: "m-1", query: "q", documents: ["a"], top_n: 1, return_documents: false },
		],
	])("%s", (_, provider, call, url, body) => {
		expect(ask(provider, call)).toEqual({ url, body });
	});

	it("Cohere goes to its own API, beside the part that speaks OpenAI's form", () => {
		const { url, body } = ask(shipped("cohere"), embedding(["a"], 256));
		expect(new URL(url, "https://api.cohere.ai").href).toBe("https://api.cohere.ai/v2/embed");
		expect(body).toEqual({
			model: "m-1",
			texts: ["a"],
			input_type: "search_document",
			embedding_types: ["float"],
			truncate: "NONE",
			output_dimension: 256,
		});
		expect(ask(shipped("cohere"), rerank(["a"], 1)).body).toEqual({
			model: "m-1",
			query: "q",
			documents: ["a"],
			top_n: 1,
		});
	});

	it.each([
		["Cohere", shipped("cohere"), "any", { input_type: "search_query" }],
		["Voyage", VOYAGE, "any", { input_type: "query" }],
		[
			"Google's first model",
			shipped("google"),
			"gemini-embedding-001",
			{ requests: [{ taskType: "RETRIEVAL_QUERY" }] },
		],
	])("%s says that a text is a query", (_, provider, id, told) => {
		expect(formOf(provider).takesInputType?.(model(id))).toBe(true);
		expect(ask(provider, { ...embedding(["a"]), inputType: "query" }, id).body).toMatchObject(told);
	});

	it.each([
		["Google's second model", shipped("google"), "gemini-embedding-2"],
		["OpenAI", shipped("openai"), "any"],
		["a compatible server", OWN, "any"],
		["TEI", TEI, "any"],
	])("%s says nothing of what a text is for", (_, provider, id) => {
		expect(formOf(provider).takesInputType?.(model(id)) ?? false).toBe(false);
		const call = embedding(["a"]);
		expect(ask(provider, { ...call, inputType: "query" }, id)).toEqual(ask(provider, call, id));
	});

	it("TEI goes beside its part that speaks OpenAI's form", () => {
		const access = { provider: TEI, keys: [soleKey("k")] as const, baseUrl: "http://tei:8080/v1", host: "h" };
		const { url, body } = formOf(TEI).render(rerank(["a"]), model("m-1"), access);
		expect([url, JSON.parse(body)]).toEqual(["http://tei:8080/rerank", { query: "q", texts: ["a"] }]);
	});

	it("no wire that has none", () => {
		expect(encoderFormFor(plainProvider("a", "anthropic"))).toBeNull();
		expect(encoderFormFor(plainProvider("vertex", "google", { region: "europe-west4" }))).toBeNull();
		expect(servesKind(shipped("google"), "rerank")).toBe(false);
	});

	it("every shipped model's provider has its kind", () => {
		const without = CATALOG.encoders.filter((each) => !servesKind(CATALOG.providerFor(each), each.kind));
		expect(without.map(({ id }) => id)).toEqual([]);
	});
});

describe("a documented answer of", () => {
	const read = (provider: Provider, name: keyof typeof answers, call: EncoderCall) =>
		formOf(provider).parse(answers[name].body, call);

	it("OpenAI's embeddings", () => {
		expect(read(shipped("openai"), "openai embeddings", embedding(["a"]))).toEqual({
			kind: "embedding",
			vectors: [Float32Array.from([0.0023064255, -0.009327292, -0.0028842222])],
			usage: { inputTokens: 8, searches: null },
		});
	});

	it("OpenAI's moderations, without what the model does not judge", () => {
		expect(read(shipped("openai"), "openai moderations", moderation("a"))).toMatchObject({
			results: [{ flagged: false, categories: { harassment: false, "harassment/threatening": false } }],
			usage: { inputTokens: null },
		});
	});

	it("no moderation that judges nothing, and none as harmless of which a category is flagged", () => {
		const { parse } = formOf(shipped("openai"));
		const result = (categories: object, flagged?: boolean) => ({
			results: [{ flagged, categories, category_scores: {} }],
		});
		expect(parse(result({}, false), moderation("a"))).toBeNull();
		expect(parse(result({ hate: null }), moderation("a"))).toBeNull();
		expect(parse(result({ hate: true }, false), moderation("a"))).toMatchObject({ results: [{ flagged: true }] });
		expect(parse(result({ hate: false }, true), moderation("a"))).toMatchObject({ results: [{ flagged: true }] });
	});

	it("Mistral's moderations, flagged where any category is, and under OpenAI's names, too", () => {
		const answer = read(shipped("mistral"), "mistral moderations", moderation("a"));
		if (answer?.kind !== "moderation") throw new Error("not read");
		expect(answer.results[0]).toEqual({
			flagged: true,
			categories: {
				sexual: false,
				violence_and_threats: true,
				dangerous: false,
				criminal: true,
				pii: false,
				violence: true,
				illicit: true,
			},
			scores: {
				sexual: 0.0002,
				violence_and_threats: 0.91,
				dangerous: 0.11,
				criminal: 0.72,
				pii: 0.0043,
				violence: 0.91,
				illicit: 0.72,
			},
		});
	});

	it("Google's embeddings: a shortened vector is made a unit vector, a whole one stays", () => {
		const whole = read(shipped("google"), "google embeddings", embedding(["a", "b"]));
		expect(whole).toMatchObject({ vectors: [Float32Array.from([0.3, 0.4]), Float32Array.from([0, -2])] });
		const short = read(shipped("google"), "google embeddings", embedding(["a", "b"], 2));
		expect(short).toMatchObject({
			vectors: [Float32Array.from([0.6, 0.8]), Float32Array.from([0, -1])],
			usage: { inputTokens: 5 },
		});
	});

	it("Cohere's embeddings and reranks", () => {
		expect(read(shipped("cohere"), "cohere embeddings", embedding(["a"]))).toEqual({
			kind: "embedding",
			vectors: [Float32Array.from([0.021447632, -0.0013963302, -0.004244844])],
			usage: { inputTokens: 20, searches: null },
		});
		expect(read(shipped("cohere"), "cohere rerank", rerank(["a", "b", "c", "d", "e"], 3))).toEqual({
			kind: "rerank",
			results: [
				{ index: 3, score: 0.999071 },
				{ index: 4, score: 0.7867867 },
				{ index: 0, score: 0.32713068 },
			],
			usage: { inputTokens: null, searches: 1 },
		});
	});

	it("Voyage's embeddings and reranks", () => {
		expect(read(VOYAGE, "voyage embeddings", embedding(["a"]))).toMatchObject({
			vectors: [Float32Array.from([1, -2])],
			usage: { inputTokens: 10 },
		});
		expect(read(VOYAGE, "voyage rerank", rerank(["a", "b"]))).toMatchObject({
			results: [
				{ index: 0, score: 0.4375 },
				{ index: 1, score: 0.421875 },
			],
			usage: { inputTokens: 26 },
		});
	});

	it.each<[string, Provider, keyof typeof answers, number, number | null]>([
		["Jina's", OWN, "jina rerank", 0.8, 15],
		["TEI's", TEI, "tei rerank", 0.97, null],
	])("%s reranks, from the best on and as many as were asked for", (_, provider, name, score, tokens) => {
		expect(read(provider, name, rerank(["a", "b"], 1))).toEqual({
			kind: "rerank",
			results: [{ index: 0, score }],
			usage: { inputTokens: tokens, searches: null },
		});
	});
});

const finite32 = fc.float({ noNaN: true, noDefaultInfinity: true });

function toBase64(vector: Float32Array): string {
	return Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength).toString("base64");
}

describe("vectors", () => {
	it("are the same bit for bit as numbers and as base64, in whatever order they are sent", () => {
		const vectors = fc.array(fc.float32Array({ minLength: 3, maxLength: 3, noNaN: true, noDefaultInfinity: true }), {
			minLength: 1,
			maxLength: 6,
		});
		fc.assert(
			fc.property(vectors, fc.nat(), (made, turn) => {
				const call = embedding(made.map((_, index) => `t${index}`));
				const sent = (write: (vector: Float32Array) => unknown) => {
					const data = made.map((vector, index) => ({ index, embedding: write(vector) }));
					const at = turn % data.length;
					return JSON.parse(JSON.stringify({ data: [...data.slice(at), ...data.slice(0, at)] }));
				};
				const form = formOf(shipped("openai"));
				const asNumbers = form.parse(
					sent((vector) => Array.from(vector, (number) => (Object.is(number, -0) ? 0 : number))),
					call,
				);
				const asText = form.parse(
					sent((vector) => toBase64(vector.map((number) => (Object.is(number, -0) ? 0 : number)))),
					call,
				);
				expect(asText).toEqual(asNumbers);
				expect(asText?.kind === "embedding" && asText.vectors).toEqual(made.map((vector) => vector.map((n) => n + 0)));
			}),
		);
	});

	it("are refused where two name one place, only some name one, or one names a place that no input has", () => {
		const form = formOf(shipped("openai"));
		const entry = (index?: number) => ({ ...(index === undefined ? {} : { index }), embedding: [1] });
		expect(form.parse({ data: [entry(0), entry(0)] }, embedding(["a", "b"]))).toBeNull();
		expect(form.parse({ data: [entry(0), entry()] }, embedding(["a", "b"]))).toBeNull();
		expect(form.parse({ data: [entry(0), entry(2)] }, embedding(["a", "b"]))).toBeNull();
		expect(form.parse({ data: [entry(), entry()] }, embedding(["a", "b"]))).not.toBeNull();
	});

	it.each(["AACAPw=", "AACAPwA=", "not base64!", "AA"])("are refused where %s is no base64 of float32", (text) => {
		expect(formOf(VOYAGE).parse({ data: [{ index: 0, embedding: text }] }, embedding(["a"]))).toBeNull();
	});
});

const PROVIDERS = [shipped("openai"), shipped("mistral"), shipped("google"), shipped("cohere"), VOYAGE, TEI, OWN];

describe("no form throws on what an upstream sends", () => {
	const CALLS = [embedding(["a", "b"], 4), moderation("a"), rerank(["a", "b"], 1)];
	/** Answers of all forms with one value anywhere in them changed. */
	const spoilt = fc
		.tuple(fc.constantFrom(...Object.values(answers)), fc.nat(), fc.jsonValue())
		.map(([{ body }, at, value]) => {
			let seen = 0;
			return JSON.parse(JSON.stringify(body), (_, part: unknown) => (seen++ === at % 20 ? value : part)) as unknown;
		});
	it.each(PROVIDERS.map((provider) => [provider.id, provider] as const))("%s", (_, provider) => {
		const form = formOf(provider);
		fc.assert(
			fc.property(fc.oneof(fc.jsonValue(), spoilt), fc.constantFrom(...CALLS), (body, call) => {
				if (!servesKind(provider, call.kind)) return;
				const answer = form.parse(body, call);
				expect(answer === null || answer.kind === call.kind).toBe(true);
			}),
			{ numRuns: 300 },
		);
	});

	it("numbers beyond float32 become none that is finite, which the engine refuses", () => {
		const answer = formOf(OWN).parse({ data: [{ index: 0, embedding: [1e300] }] }, embedding(["a"]));
		expect(answer?.kind === "embedding" && answer.vectors[0]?.every(Number.isFinite)).toBe(false);
	});

	it("a score of any finite size is kept", () => {
		fc.assert(
			fc.property(finite32, (score) => {
				const body = { results: [{ index: 0, relevance_score: score }] };
				expect(formOf(OWN).parse(JSON.parse(JSON.stringify(body)), rerank(["a"]))).toMatchObject({
					results: [{ index: 0 }],
				});
			}),
		);
	});
});
