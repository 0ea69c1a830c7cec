// Official clients of embeddings, moderations and reranks against the running service, with a model of each provider's form.
import { createOpenAI } from "@ai-sdk/openai";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { OpenAIEmbeddings } from "@langchain/openai";
import { OpenAIEmbedding } from "@llamaindex/openai";
import { cosineSimilarity, embedMany } from "ai";
import { CohereClient, CohereClientV2 } from "cohere-ai";
import OpenAI, { UnprocessableEntityError } from "openai";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestService, type TestService } from "./support.ts";

let service: TestService | undefined;
let apiKey = "";
let baseURL = "";

beforeAll(async () => {
	service = await startTestService();
	apiKey = (await service.newKey("corporate")).key;
	baseURL = `${service.url}/v1`;
});
afterAll(() => service?.stop());

const QUESTION = "How do I bake bread at home?";
/** The second answers the question, the others do not. */
const TEXTS = [
	"The train to Vienna leaves at noon.",
	"To bake bread at home, let the dough rise first.",
	"Central banks raised interest rates again.",
];

/** The place of the text that is nearest to the question. */
function nearest(question: readonly number[], texts: readonly (readonly number[])[]): number {
	const scores = texts.map((vector) => cosineSimilarity([...question], [...vector]));
	return scores.indexOf(Math.max(...scores));
}

/** A model of each form, with a length that it can be asked for. */
const MODELS = [
	{ model: "text-embedding-3-small", own: 1_536, asked: 256 },
	{ model: "gemini-embedding-001", own: 3_072, asked: 768 },
	{ model: "mistral-embed", own: 1_024, asked: 1_024 },
	{ model: "codestral-embed", own: 1_536, asked: 512 },
	{ model: "embed-v4.0", own: 1_536, asked: 512 },
	{ model: "text-embedding-v4", own: 1_024, asked: 256 },
];

function openai(): OpenAI {
	return new OpenAI({ baseURL, apiKey, maxRetries: 0 });
}

describe.each(MODELS)("embeddings of $model", ({ model, own, asked }) => {
	it("come through OpenAI's client, which asks for base64 by itself, as they come when it asks for numbers", async () => {
		const input = [QUESTION, ...TEXTS];
		const bySelf = await openai().embeddings.create({ model, input });
		const asFloat = await openai().embeddings.create({ model, input, encoding_format: "float" });
		const vectors = bySelf.data.map(({ embedding }) => embedding);
		expect(vectors.map((vector) => vector.length)).toEqual(input.map(() => own));
		expect(asFloat.data.map(({ embedding }) => embedding)).toEqual(vectors);
		expect(bySelf.data.map(({ index }) => index)).toEqual([0, 1, 2, 3]);
		expect(bySelf.usage.prompt_tokens).toBeGreaterThan(20);
		expect(nearest(vectors[0] ?? [], vectors.slice(1))).toBe(1);
	});

	it("may be of a query, which the client sends as a further member", async () => {
		const further = { model, input: QUESTION, input_type: "query" };
		expect((await openai().embeddings.create(further)).data[0]?.embedding).toHaveLength(own);
		const other = openai().embeddings.create({ ...further, ...{ input_type: "question" } });
		await expect(other).rejects.toMatchObject({ status: 422, param: "input_type" });
	});

	it("have the asked length, and are unit vectors", async () => {
		const { data } = await openai().embeddings.create({ model, input: QUESTION, dimensions: asked });
		expect(data[0]?.embedding).toHaveLength(asked);
		expect(Math.hypot(...(data[0]?.embedding ?? []))).toBeCloseTo(1, 5);
	});

	it("come through LangChain", async () => {
		const embeddings = new OpenAIEmbeddings({ model, apiKey, configuration: { baseURL } });
		const [question, texts] = await Promise.all([embeddings.embedQuery(QUESTION), embeddings.embedDocuments(TEXTS)]);
		expect(question).toHaveLength(own);
		expect(nearest(question, texts)).toBe(1);
	});

	it("come through LlamaIndex", async () => {
		const embedding = new OpenAIEmbedding({ model, apiKey, baseURL });
		const [question, texts] = [await embedding.getTextEmbedding(QUESTION), await embedding.getTextEmbeddings(TEXTS)];
		expect(question).toHaveLength(own);
		expect(nearest(question, texts)).toBe(1);
	});

	it.each([
		["OpenAI's provider", () => createOpenAI({ baseURL, apiKey }).embedding(model)],
		["the compatible one", () => createOpenAICompatible({ name: "svc", baseURL, apiKey }).embeddingModel(model)],
	])("come through the AI SDK with %s", async (_, embeddingModel) => {
		const values = [QUESTION, ...TEXTS];
		const { embeddings, usage } = await embedMany({ model: embeddingModel(), values });
		expect(embeddings.map(({ length }) => length)).toEqual(values.map(() => own));
		expect(usage.tokens).toBeGreaterThan(20);
		expect(nearest(embeddings[0] ?? [], embeddings.slice(1))).toBe(1);
	});
});

it("embeddings of more texts than a provider takes at once come in order", async () => {
	const input = Array.from({ length: 230 }, (_, index) => `text number ${index}`);
	const whole = await openai().embeddings.create({ model: "text-embedding-v4", input, dimensions: 64 });
	const alone = await openai().embeddings.create({
		model: "text-embedding-v4",
		input: input[171] ?? "",
		dimensions: 64,
	});
	expect(whole.data).toHaveLength(230);
	expect(whole.data[171]?.embedding).toEqual(alone.data[0]?.embedding);
});

it("embeddings of tokens come from OpenAI's models, and are refused by name where none are taken", async () => {
	const { data } = await openai().embeddings.create({ model: "text-embedding-3-small", input: [[1, 2], [3]] });
	expect(data).toHaveLength(2);
	const refused = openai().embeddings.create({ model: "embed-v4.0", input: [[1, 2], [3]] });
	await expect(refused).rejects.toThrow(/input\.0: embed-v4\.0 takes texts and no lists of tokens/);
	await expect(refused).rejects.toBeInstanceOf(UnprocessableEntityError);
});

describe.each(["omni-moderation-latest", "mistral-moderation-latest"])("moderations by %s", (model) => {
	it("come through OpenAI's client, one for each text", async () => {
		const { results, ...answer } = await openai().moderations.create({
			model,
			input: ["I will kill you", "The food was delicious"],
		});
		expect(answer.model).toBe(model);
		expect(results.map(({ flagged }) => flagged)).toEqual([true, false]);
		expect(results[0]?.categories.violence).toBe(true);
		expect(results[0]?.category_scores.violence).toBeGreaterThan(0.5);
		expect(results[0]?.category_applied_input_types.violence).toEqual(["text"]);
	});
});

it("moderations need no model, and take the parts of a message as one text", async () => {
	const { results, model } = await openai().moderations.create({
		input: [
			{ type: "text", text: "Have a nice day" },
			{ type: "text", text: "I want to die" },
		],
	});
	expect(model).toBe("omni-moderation-latest");
	expect(results).toHaveLength(1);
	expect(results[0]?.categories["self-harm/intent"]).toBe(true);
});

it("moderations refuse images by their place", async () => {
	const input = [{ type: "image_url" as const, image_url: { url: "https://example.com/a.png" } }];
	const refused = openai().moderations.create({ input });
	await expect(refused).rejects.toThrow(/input\.0: is an image, and only texts are judged here/);
	await expect(refused).rejects.toBeInstanceOf(UnprocessableEntityError);
});

describe.each(["rerank-v3.5", "rerank-v5.0-fast"])("reranks by %s", (model) => {
	it("come through Cohere's clients, the best first", async () => {
		const url = service?.url ?? "";
		const request = { model, query: QUESTION, documents: TEXTS, topN: 2 };
		const newer = await new CohereClientV2({ token: apiKey, environment: url }).rerank(request);
		const older = await new CohereClient({ token: apiKey, environment: url }).rerank({
			...request,
			documents: TEXTS.map((text) => ({ text })),
			returnDocuments: true,
		});
		expect(newer.results.map(({ index }) => index)).toEqual(older.results.map(({ index }) => index));
		expect(newer.results).toHaveLength(2);
		expect(older.results[0]?.document?.text).toBe(TEXTS[1]);
		const billed = newer.meta?.billedUnits;
		expect(model === "rerank-v3.5" ? billed?.searchUnits : billed?.inputTokens).toBeGreaterThan(0);
	});
});
