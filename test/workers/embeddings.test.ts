// POST /v1/embeddings through the front door: what goes out, what comes back, what it costs, and what is refused.
import { beforeEach, describe, expect, it } from "vitest";
import { canonicalJson } from "../../src/proof/canonical.ts";
import { hashSalted } from "../../src/proof/salted.ts";
import {
	type EmbeddingsAnswer,
	type EmbeddingsBody,
	embeddingsUpstream,
	fromBase64Vector,
	tokensOf,
	vectorOf,
} from "../support/encoders.ts";
import { useService } from "../support/per-test.ts";
import { pause } from "../support/scripted.ts";
import {
	call,
	callWithKey,
	eventually,
	newKey,
	proofOf,
	settledRequests,
	usageOf,
	withKey,
} from "../support/service.ts";

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
	/** The code. */
	error: string;
	message: string;
	issues?: { path: string; message: string }[];
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

async function refused(status: number, body: Record<string, unknown>, as = key.key): Promise<Refusal> {
	const response = await embed(body, as);
	expect(response.status, await response.clone().text()).toBe(status);
	return response.json();
}

async function json(path: string): Promise<unknown> {
	const response = await callWithKey(key.key, path);
	expect(response.status, await response.clone().text()).toBe(200);
	return response.json();
}

/** A further key of the user. */
async function makeKey(options: Record<string, unknown>): Promise<string> {
	const response = await callWithKey(key.key, "/v1/keys", options);
	expect(response.status, await response.clone().text()).toBe(200);
	return ((await response.json()) as { key: string }).key;
}

async function callWithSession(body: Record<string, unknown>, session: string): Promise<void> {
	const init = withKey(key.key, { model: MODEL, ...body });
	const headers = new Headers(init.headers);
	headers.set("x-session-id", session);
	expect((await call("/v1/embeddings", { ...init, headers })).status).toBe(200);
}

const sentBodies = () => upstream.requests.map(({ body }) => body as unknown as EmbeddingsBody);

/** What the request's receipt says. */
async function receiptOf({ svc }: Answer): Promise<Record<string, unknown>> {
	await eventually(async () => (await callWithKey(key.key, `/v1/proof/${svc.proof.request_id}`)).status === 200);
	const proof = await proofOf(svc.proof.request_id);
	expect(proof).toMatchObject({ valid: true, signed: true });
	return proof.receipt;
}

describe("an embedding", () => {
	it("has OpenAI's form, and says beside it who made it and what it cost", async () => {
		const answer = await embedded({ input: "The food was delicious" });
		expect(answer).toMatchObject({ object: "list", model: MODEL, usage: { prompt_tokens: 4, total_tokens: 4 } });
		expect(answer.data).toEqual([
			{ object: "embedding", index: 0, embedding: vectorOf("The food was delicious", 1536) },
		]);
		expect(answer.svc.routing).toMatchObject({ mode: "direct", provider: "openai" });
		expect(answer.svc.cost).toEqual({ input_usd: 8e-8, total_usd: (4 * NANO_PER_TOKEN) / 1e9, estimated: false });
		expect(sentBodies()).toEqual([{ model: MODEL, input: ["The food was delicious"], encoding_format: "base64" }]);
	});

	it.each([
		["a text", "a b"],
		["texts", ["a", "b c", "d e f"]],
		["tokens", [5, 6, 7]],
		["lists of tokens", [[5, 6], [7]]],
	])("takes %s, and answers a vector for each input in order", async (_, input) => {
		const isOne = typeof input === "string" || typeof input[0] === "number";
		const inputs = (isOne ? [input] : input) as (string | number[])[];
		const answer = await embedded({ input, dimensions: 4 });
		expect(answer.data.map(({ index }) => index)).toEqual(inputs.map((_each, index) => index));
		expect(answer.data.map(({ embedding }) => embedding)).toEqual(inputs.map((each) => vectorOf(each, 4)));
		expect(answer.usage.prompt_tokens).toBe(inputs.reduce((sum, each) => sum + tokensOf(each), 0));
	});

	it("comes as base64 of the same numbers only to who asks for it, and OpenAI is asked for the shorter form", async () => {
		const asFloat = await embedded({ input: ["a", "b c"], dimensions: 3, encoding_format: "float" });
		const asText = await embedded({ input: ["a", "b c"], dimensions: 3, encoding_format: "base64" });
		expect(asText.data.map(({ embedding }) => fromBase64Vector(String(embedding)))).toEqual(
			asFloat.data.map(({ embedding }) => embedding),
		);
		expect(sentBodies().map((body) => body.encoding_format)).toEqual(["base64", "base64"]);
		expect(sentBodies().map((body) => body.dimensions)).toEqual([3, 3]);
	});

	it("keeps its order where the provider answers in another", async () => {
		upstream.replace(embeddingsUpstream((answer) => ({ ...answer, data: answer.data.toReversed() })));
		const answer = await embedded({ input: ["a", "bb", "ccc"], dimensions: 2 });
		expect(answer.data.map(({ embedding }) => embedding[0])).toEqual([1, 2, 3]);
	});

	it("is made by the model that is named in any spelling, and under its provider's name", async () => {
		for (const model of ["openai/text-embedding-3-small", "Text-Embedding-3-Small"])
			expect((await embedded({ input: "a", model })).model).toBe(MODEL);
	});

	it("sends the end user to OpenAI, and warns of members that it does not know", async () => {
		const answer = await embedded({ input: "a", user: "u-7", truncate: "END" });
		expect(sentBodies()[0]).toMatchObject({ user: "u-7" });
		expect(sentBodies()[0]).not.toHaveProperty("truncate");
		expect(answer.svc.warnings).toMatchObject([{ code: "parameter_dropped", param: "truncate" }]);
	});
});

describe("a request that nobody could answer", () => {
	it.each([
		["no input", {}, "input"],
		["an empty text", { input: "" }, "input"],
		["an empty list", { input: [] }, "input"],
		["an empty text among others", { input: ["a", ""] }, "input.1"],
		["an empty list of tokens", { input: [[1], []] }, "input.1"],
		["texts and tokens", { input: ["a", 1] }, "input.1"],
		["tokens and lists of tokens", { input: [1, [2]] }, "input.1"],
		["a token that is none", { input: [1, -2] }, "input.1"],
		["half a token", { input: [[1.5]] }, "input.0.0"],
		["objects", { input: [{ text: "a" }] }, "input.0"],
		["a number", { input: 7 }, "input"],
		["too many inputs", { input: Array.from({ length: 2_049 }, () => "a") }, "input"],
		["a length that the model cannot make", { input: "a", dimensions: 1_537 }, "dimensions"],
		["another encoding", { input: "a", encoding_format: "int8" }, "encoding_format"],
		["a use of texts that is no search", { input: "a", input_type: "clustering" }, "input_type"],
		["no model", { input: "a", model: null }, "model"],
		["auto", { input: "a", model: "auto" }, "model"],
		["a model that writes", { input: "a", model: "gpt-5-nano" }, "model"],
		["a moderation model", { input: "a", model: "omni-moderation-latest" }, "model"],
		["tokens for a model that takes texts", { input: [1, 2], model: "mistral-embed" }, "input"],
	])("is told what is wrong: %s", async (_, body, path) => {
		const error = await refused(422, body);
		expect(JSON.stringify(error)).toContain(`"${path}"`);
		expect(upstream.requests).toHaveLength(0);
	});

	it("is told the bound and what it has, of inputs, tokens and numbers", async () => {
		const words = (count: number) => Array.from({ length: count }, () => "w").join(" ");
		const message = async (body: Record<string, unknown>) => JSON.stringify(await refused(422, body));
		expect(await message({ input: Array.from({ length: 2_049 }, () => "a") })).toMatch(/2048.*2049/);
		expect(await message({ input: words(8_193) })).toMatch(/8193.*8192/);
		expect(await message({ input: Array.from({ length: 8_193 }, () => 1) })).toMatch(/8193.*8192/);
		expect(await message({ input: Array.from({ length: 40 }, () => words(8_000)) })).toMatch(/320000.*300000/);
		expect(await message({ input: Array.from({ length: 456 }, () => "a") })).toMatch(/700416.*699050/);
		expect(
			await message({
				input: Array.from({ length: 2_048 }, () => "a"),
				encoding_format: "base64",
				model: "text-embedding-3-large",
			}),
		).toMatch(/6291456.*3145728/);
	});

	it("is passed to the provider where it may be short enough, and its refusal comes back", async () => {
		const tooLong = { message: "This model's maximum context length is 8192 tokens", type: "invalid_request_error" };
		upstream.replace(embeddingsUpstream(() => Response.json({ error: tooLong }, { status: 400 })));
		// No white space: one word for all that this service can tell.
		const error = await refused(400, { input: "x".repeat(50_000) });
		expect(error).toMatchObject({ error: "upstream_rejected" });
		expect(error.message).toContain("8192");
	});

	it("names an unknown model, and one that is like it", async () => {
		const error = await refused(404, { input: "a", model: "text-embedding-3-smal" });
		expect(error).toMatchObject({ error: "model_not_found" });
		expect(error.message).toContain(MODEL);
	});

	it("is told where its model is used, if chat is asked for vectors", async () => {
		const response = await callWithKey(key.key, "/v1/chat/completions", {
			model: MODEL,
			messages: [{ role: "user", content: "Hello" }],
		});
		expect(response.status).toBe(422);
		expect(await response.text()).toContain("/v1/embeddings");
	});
});

describe("many inputs", () => {
	it("become calls that keep the provider's limits, at most six at once, and are answered in order", async () => {
		let open = 0;
		let most = 0;
		const slow = embeddingsUpstream(async (answer) => {
			most = Math.max(most, ++open);
			await pause(20);
			open--;
			return answer;
		});
		upstream.replace(slow);
		const inputs = Array.from({ length: 1_000 }, (_, index) => "a".repeat(1 + (index % 300)));
		const answer = await embedded({ input: inputs, model: "mistral-embed", encoding_format: "base64" });
		expect(answer.data.map(({ embedding }) => fromBase64Vector(String(embedding))[0])).toEqual(
			inputs.map(({ length }) => length),
		);
		expect(most).toBeGreaterThan(1);
		expect(most).toBeLessThanOrEqual(6);
		for (const { input } of sentBodies()) {
			expect(input.length).toBeLessThanOrEqual(256);
			expect(input.join("").length).toBeLessThanOrEqual(16_384);
			expect(input.length * 1024).toBeLessThanOrEqual(131_072);
		}
		expect(answer.usage.prompt_tokens).toBe(1_000);
		const [settled] = await settledRequests(key);
		expect(settled?.calls).toHaveLength(sentBodies().length);
	});

	it("are a failure as a whole where one call fails, and cost what the others did", async () => {
		upstream.replace(
			embeddingsUpstream((answer, { input }) =>
				input.includes("x") ? Response.json({ error: { message: "no" } }, { status: 400 }) : answer,
			),
		);
		const inputs = [...Array.from({ length: 127 }, () => "a"), "x", "b"];
		const error = await refused(400, { input: inputs, model: "mistral-embed" });
		expect(error).toMatchObject({ error: "upstream_rejected" });
		const [settled] = await settledRequests(key);
		const made = sentBodies().filter(({ input }) => !input.includes("x"));
		expect(settled?.request).toMatchObject({
			kind: "embedding",
			status: 400,
			tokens: made.reduce((sum, { input }) => sum + input.length, 0),
		});
	});
});

describe("what a provider answers", () => {
	const wrong: [string, (answer: EmbeddingsAnswer) => unknown][] = [
		["fewer vectors than inputs", (answer) => ({ ...answer, data: answer.data.slice(1) })],
		["more vectors than inputs", (answer) => ({ ...answer, data: [...answer.data, ...answer.data] })],
		[
			"vectors of another length",
			(answer) => ({ ...answer, data: answer.data.map((each) => ({ ...each, embedding: [1, 2] })) }),
		],
		[
			"one vector that is shorter",
			(answer) => ({
				...answer,
				data: answer.data.map((each, at) => ({ ...each, embedding: each.embedding.slice(at) })),
			}),
		],
		["no vectors", (answer) => ({ ...answer, data: [] })],
		[
			"texts for numbers",
			(answer) => ({ ...answer, data: answer.data.map((each) => ({ ...each, embedding: ["a"] })) }),
		],
		["an error with status 200", () => ({ error: { message: "overloaded" } })],
		["nothing", () => new Response("")],
		["no JSON", () => new Response("<html>", { headers: { "content-type": "text/html" } })],
		["loose JSON", (answer) => new Response(`Here you are: ${JSON.stringify(answer)}`)],
		["JSON that is cut", (answer) => new Response(JSON.stringify(answer).slice(0, -40))],
	];

	it.each(wrong)("is 502 where it is not what was asked: %s", async (_, change) => {
		upstream.replace(embeddingsUpstream(change));
		const error = await refused(502, { input: ["a b", "c"], dimensions: 4 });
		expect(error).toMatchObject({ error: "all_models_failed" });
		// It was served and is billed, whatever became of it.
		const [settled] = await settledRequests(key);
		expect(settled?.request).toMatchObject({ kind: "embedding", status: 502 });
		expect(settled?.request.cost_nano_usd).toBeGreaterThan(0);
	});

	it("costs what is reported even where it cannot be used", async () => {
		upstream.replace(embeddingsUpstream((answer) => ({ ...answer, data: answer.data.slice(1) })));
		await refused(502, { input: ["a b", "c"] });
		const [settled] = await settledRequests(key);
		expect(settled?.request).toMatchObject({ cost_nano_usd: 3 * NANO_PER_TOKEN, estimated: false });
	});

	it.each([
		["reports no usage", (answer: EmbeddingsAnswer) => ({ ...answer, usage: undefined })],
		["reports zeros", (answer: EmbeddingsAnswer) => ({ ...answer, usage: { prompt_tokens: 0, total_tokens: 0 } })],
		["reports rubbish", (answer: EmbeddingsAnswer) => ({ ...answer, usage: { prompt_tokens: "many" } })],
	])("is settled at the bound where it %s", async (_, change) => {
		upstream.replace(embeddingsUpstream(change));
		const answer = await embedded({ input: "a b" });
		expect(answer.svc.cost.estimated).toBe(true);
		const receipt = await receiptOf(answer);
		expect(receipt).toMatchObject({ estimated: true, cost_usd: receipt["bound_usd"] });
	});

	it("costs no more than the bound, whatever is reported", async () => {
		upstream.replace(embeddingsUpstream((answer) => ({ ...answer, usage: { prompt_tokens: 9e9, total_tokens: 9e9 } })));
		const answer = await embedded({ input: "a b" });
		const receipt = await receiptOf(answer);
		expect(receipt["cost_usd"]).toBe(receipt["bound_usd"]);
		expect(answer.svc.warnings).toMatchObject([{ code: "provider_overrun" }]);
	});

	it("is asked once more where it is overloaded, and then is the client's 502, billed at nothing", async () => {
		upstream.replace(embeddingsUpstream(() => Response.json({}, { status: 503 })));
		await refused(502, { input: "a" });
		expect(upstream.requests).toHaveLength(2);
		expect((await usageOf(key)).total_cost_usd).toBe(0);
	});

	it("may fail once", async () => {
		let calls = 0;
		upstream.replace(embeddingsUpstream((answer) => (calls++ === 0 ? Response.json({}, { status: 503 }) : answer)));
		await embedded({ input: "a" });
		expect(upstream.requests).toHaveLength(2);
	});
});

describe("a receipt of kind embedding", () => {
	it("says who made the vectors, of what, and which they are, in bytes that a stranger can check", async () => {
		const body = {
			model: MODEL,
			input: ["a b", "c"],
			dimensions: 3,
			encoding_format: "base64",
			nonce: { z: 1, a: [2] },
		};
		const answer = await embedded(body);
		const receipt = await receiptOf(answer);
		expect(receipt).toMatchObject({
			kind: "embedding",
			model: MODEL,
			provider: "openai",
			mode: "direct",
			prompt_tokens: 3,
			fallback_from: null,
			skill_id: null,
			outcome: "complete",
			cost_usd: answer.svc.cost.total_usd,
		});
		expect(receipt).not.toHaveProperty("completion_tokens");
		const { salt } = answer.svc.proof;
		const input = canonicalJson({ type: "svc.input.v3", endpoint: "embeddings", body });
		expect(receipt["input_hash"]).toBe(hashSalted(salt, input));
		const bytes = answer.data.map(({ embedding }) =>
			Uint8Array.from(atob(String(embedding)), (char) => char.charCodeAt(0)),
		);
		const all = Uint8Array.from(bytes.flatMap((each) => [...each]));
		expect(receipt["output_hash"]).toBe(hashSalted(salt, all));
	});
});

describe("keys and plans", () => {
	it("keep a Free key from every shipped model, and nothing is rerouted", async () => {
		const free = await newKey("free");
		const error = await refused(403, { input: "a" }, free.key);
		expect(error).toMatchObject({ error: "model_not_allowed" });
		expect(error.message).toContain("Free");
		expect(upstream.requests).toHaveLength(0);
	});

	it("call the models of their list, by id and by glob, and no others", async () => {
		for (const models of [[MODEL], ["text-embedding-*"], ["openai"], ["*"]]) {
			const made = await makeKey({ models });
			await embedded({ input: "a" }, made);
		}
		for (const models of [["gpt-5-nano"], ["text-embedding-3-large"], ["mistral*"]]) {
			const made = await makeKey({ models });
			expect(await refused(403, { input: "a" }, made)).toMatchObject({ error: "model_not_allowed" });
		}
	});

	it("pay from their budget, and never more than it leaves, however many come at once", async () => {
		// Ten words are ten tokens, 200 nano-USD, and the bound is their bytes.
		const made = await makeKey({ budget_usd: 0.00003 });
		const input = "w w w w w w w w w w";
		const all = await Promise.all(Array.from({ length: 100 }, () => embed({ input }, made)));
		const served = all.filter(({ status }) => status === 200).length;
		expect(served).toBeGreaterThan(0);
		for (const response of all)
			if (response.status !== 200)
				expect((await response.json()) as Refusal).toMatchObject({ error: expect.stringMatching(/budget|rate/) });
		const spent = (await settledRequests(key)).reduce((sum, { request }) => sum + request.cost_nano_usd, 0);
		expect(spent).toBe(served * 10 * NANO_PER_TOKEN);
		expect(spent).toBeLessThanOrEqual(30_000);
	});

	it("keep their limits a minute, however many come at once", async () => {
		const made = await makeKey({ rpm: 5 });
		const all = await Promise.all(Array.from({ length: 30 }, () => embed({ input: "a" }, made)));
		expect(all.filter(({ status }) => status === 200)).toHaveLength(5);
		expect(all.filter(({ status }) => status === 429)).toHaveLength(25);
	});

	it("are refused what could cost more than max_cost", async () => {
		const error = await refused(402, { input: "a ".repeat(2_000), brain_config: { max_cost: 0.00001 } });
		expect(error).toMatchObject({ error: "cost_limit_exceeded" });
		expect(upstream.requests).toHaveLength(0);
	});

	it("are refused what the routing config blocks", async () => {
		const error = await refused(403, { input: "a", brain_config: { blocked: ["openai"] } });
		expect(error).toMatchObject({ error: "model_blocked" });
	});
});

describe("a compliance policy", () => {
	const SECRET = "The key is AKIAIOSFODNN7QRSTUVW, keep it";

	it("keeps a blocked class from being sent, and names the input that has it", async () => {
		const error = await refused(403, { input: ["a", SECRET], compliance: { block_data_classes: ["SECRETS"] } });
		expect(error).toMatchObject({ error: "compliance_blocked" });
		expect(JSON.stringify(error)).toContain("input[1]");
		expect(JSON.stringify(error)).not.toContain("AKIA");
		expect(upstream.requests).toHaveLength(0);
	});

	it("refuses what it would mask, because the mask would be lost", async () => {
		const error = await refused(403, { input: SECRET, compliance: { mask_data_classes: ["SECRETS"] } });
		expect(error).toMatchObject({ error: "compliance_blocked" });
		expect(JSON.stringify(error)).toContain("cannot be masked");
		expect(upstream.requests).toHaveLength(0);
	});

	it("lets an innocent text pass, and attests who saw it", async () => {
		const answer = await embedded({ input: "a cat", compliance: { block_data_classes: ["SECRETS"] } });
		expect(answer.svc.proof.compliance).toMatchObject({ models: [MODEL], providers: ["openai"] });
		expect((await receiptOf(answer))["compliance"]).toEqual(answer.svc.proof.compliance);
	});

	it("counts tokens as unread, unless it allows that", async () => {
		const policy = { block_data_classes: ["SECRETS"] };
		expect(await refused(403, { input: [1, 2], compliance: policy })).toMatchObject({ error: "compliance_blocked" });
		await embedded({ input: [1, 2], compliance: { ...policy, allow_unread: ["text"] } });
	});

	it("excludes the provider that it does not want, and none stands in", async () => {
		const error = await refused(403, { input: "a", compliance: { provider_denylist: ["openai"] } });
		expect(error).toMatchObject({ error: "compliance_blocked" });
	});
});

describe("an embedding in the accounts", () => {
	it("is a request of its kind in usage, lists, sessions and requests", async () => {
		await callWithSession({ input: "a b", user: "u-1", metadata: { team: "search" } }, "session-1");
		const usage = await usageOf(key);
		expect(usage).toMatchObject({ total_requests: 1, total_tokens: 2 });
		expect(usage.recent[0]).toMatchObject({ kind: "embedding", model: MODEL, mode: "direct" });
		const list = await json(`/v1/requests?kind=embedding&session=session-1&user=u-1`);
		expect(list).toMatchObject({ data: [{ kind: "embedding", model: MODEL }] });
		expect(await json("/v1/requests?kind=chat")).toMatchObject({ data: [] });
		const session = await json("/v1/sessions/session-1");
		expect(JSON.stringify(session)).toContain("embedding");
	});

	it("saves nothing: there is no model that would have done the same for more", async () => {
		await embedded({ input: "a b c" });
		expect(await json("/v1/savings")).toMatchObject({
			saved_usd: 0,
			baseline_cost_usd: 0,
			total_requests: 0,
			total_tokens: 0,
		});
	});

	it("is a failed request where no provider took it", async () => {
		upstream.replace(embeddingsUpstream(() => Response.json({}, { status: 503 })));
		await refused(502, { input: "a" });
		await eventually(
			async () => ((await json("/v1/requests?kind=embedding")) as { data: unknown[] }).data.length === 1,
		);
	});

	it("is paid for where its client has gone", async () => {
		const gone = new AbortController();
		upstream.replace(
			embeddingsUpstream(async (answer) => {
				gone.abort();
				await pause(50);
				return answer;
			}),
		);
		await call("/v1/embeddings", {
			...withKey(key.key, { model: MODEL, input: "a b" }),
			signal: gone.signal,
		}).catch(() => undefined);
		await eventually(async () => (await settledRequests(key)).length === 1);
		const [settled] = await settledRequests(key);
		expect(settled?.request).toMatchObject({ kind: "embedding" });
		expect(settled?.request.cost_nano_usd).toBeGreaterThan(0);
	});
});
