// POST /v1/embeddings through the front door: what goes out, what comes back, what it costs, and what is refused.
import { beforeEach, describe, expect, it } from "vitest";
import type { EmbeddingsBody } from "../support/encoders.ts";
import { embeddingsUpstream, fromBase64Vector, tokensOf, vectorOf } from "../support/encoders.ts";
import { useService } from "../support/per-test.ts";
import { callWithKey, newKey, proofOf, settledRequests, usageOf } from "../support/service.ts";

const { upstream, key } = useService("pro");
const MODEL = "text-embedding-3-small";
/** USD 0.02 per million tokens, nano-USD per token. */
const NANO_PER_TOKEN = 20;

interface Answer {
	object: string;
	data: { object: string; index: number; embedding: number[] | string }[];
	model: string;
	usage: { prompt_tokens: number; total_tokens: number };
	svc: {
		routing: Record<string, unknown>;
		cost: { total_usd: number; estimated: boolean };
		proof: { request_id: string; salt: string; compliance?: unknown };
		warnings: { code: string; param: string | null }[];
	};
}

interface Refusal {
	error: { message: string; code: string; param?: string | null; [more: string]: unknown };
}

beforeEach(() => upstream.replace(embeddingsUpstream()));

function embed(body: Record<string, unknown>, as = key.key): Promise<Response> {
	return callWithKey(as, "/v1/embeddings", { model: MODEL, ...body });
}

async function embedded(body: Record<string, unknown>, as = key.key): Promise<Answer> {
	const response = await embed(body, as);
	expect(response.status, await response.clone().text()).toBe(200);
	return response.json();
}

async function refused(status: number, body: Record<string, unknown>, as = key.key): Promise<Refusal["error"]> {
	const response = await embed(body, as);
	expect(response.status, await response.clone().text()).toBe(status);
	return ((await response.json()) as Refusal).error;
}

const sentBodies = () => upstream.requests.map(({ body }) => body as unknown as EmbeddingsBody);

describe("an embedding", () => {
	it("has OpenAI's form, and says beside it who made it and what it cost", async () => {
		const answer = await embedded({ input: "The food was delicious" });
		expect(answer).toMatchObject({ object: "list", model: MODEL, usage: { prompt_tokens: 4, total_tokens: 4 } });
		expect(answer.data).toEqual([
			{ object: "embedding", index: 0, embedding: vectorOf("The food was delicious", 1536) },
		]);
		expect(answer.svc.routing).toMatchObject({ mode: "direct", provider: "openai" });
		expect(answer.svc.cost).toEqual({ input_usd: 8e-8, total_usd: (4 * NANO_PER_TOKEN) / 1e9, estimated: false });
		expect(sentBodies()).toEqual([{ model: MODEL, input: ["The food was delicious"], encoding_format: "float" }]);
	});
});
