// Embeddings by several keys and several hosts of one model, by models of the operator's, by a default; and what becomes of a request that
// nobody ends.
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { checkReceipt } from "../../src/verifier/receipt.ts";
import { type EmbeddingsBody, embeddingsOf, embeddingsUpstream } from "../support/encoders.ts";
import { useService } from "../support/per-test.ts";
import {
	callWith,
	callWithKey,
	eventually,
	meterAlarm,
	newKey,
	proofOf,
	settledRequests,
	withKey,
} from "../support/service.ts";
import { SANDBOX_ORIGIN } from "../support/variables.ts";

const { upstream, key } = useService("pro");
const MODEL = "text-embedding-3-small";

type Json = Record<string, unknown>;

interface Answer {
	data: { embedding: number[] }[];
	model: string;
	svc: {
		cost: { total_usd: number; estimated: boolean };
		proof: { request_id: string; salt: string };
		fallback: boolean;
		fallback_from: string | null;
		routing: { provider: string; reason: string };
	};
}

beforeEach(() => upstream.replace(embeddingsUpstream()));
afterEach(() => vi.useRealTimers());

const settings = (values: Json) => values as unknown as Partial<Env>;
const catalog = (models: Json[]) =>
	settings({
		CATALOG: JSON.stringify({
			providers: [{ id: "home", base_url: `${SANDBOX_ORIGIN}/home/v1`, auth: "none" }],
			models,
		}),
	});

async function ask(
	env: Partial<Env>,
	body: Json,
	status = 200,
	as = key.key,
): Promise<Answer & { error?: string; message?: string }> {
	const response = await callWith(env, "/v1/embeddings", withKey(as, { model: MODEL, input: "a b", ...body }));
	expect(response.status, await response.clone().text()).toBe(status);
	return response.json();
}

const bearer = (request: Request) => request.headers.get("authorization");
const isAtHome = ({ url }: { url: string }) => url.includes("/home/");

describe("several keys of a provider", () => {
	const KEYS = settings({
		OPENAI_API_KEY: JSON.stringify([
			{ name: "a", key: "secret-a" },
			{ name: "b", key: "secret-b" },
		]),
	});

	it.each([
		[429, "rate_limit_exceeded"],
		[401, "invalid_api_key"],
	])("stand in for each other after a %i", async (status, code) => {
		let first: string | null = null;
		upstream.replace(
			embeddingsUpstream((answer, _, request) => {
				first ??= bearer(request);
				if (bearer(request) !== first) return answer;
				return Response.json(
					{ error: { message: "no", code, type: code } },
					{ status, headers: { "retry-after": "60" } },
				);
			}),
		);
		const answer = await ask(KEYS, {});
		expect(answer.svc).toMatchObject({ fallback: false, fallback_from: null, cost: { total_usd: 2 * 2e-8 } });
		expect(new Set(upstream.requests.map(({ headers }) => headers.get("authorization"))).size).toBe(2);
		const before = upstream.requests.length;
		await ask(KEYS, {});
		expect(upstream.requests.slice(before).map(({ headers }) => headers.get("authorization"))).not.toContain(first);
	});
});

describe("a model of the operator's", () => {
	const OWN = {
		id: "own-vectors",
		kind: "embedding",
		provider: "home",
		prices: { input: 1 },
		limits: { context_window: 512 },
	};

	it("is called at its address by its name there, and its price counts", async () => {
		const env = catalog([{ ...OWN, upstream: "nomic", dimensions: { default: 4 } }]);
		upstream.replace(
			embeddingsUpstream((answer) => ({
				...answer,
				data: answer.data.map((each) => ({ ...each, embedding: [1, 2, 3, 4] })),
			})),
		);
		const answer = await ask(env, { model: "own-vectors", input: ["a b", "c"] });
		expect(answer).toMatchObject({
			model: "own-vectors",
			data: [{ embedding: [1, 2, 3, 4] }, { embedding: [1, 2, 3, 4] }],
		});
		expect(answer.svc.cost).toMatchObject({ total_usd: 3e-6, estimated: false });
		expect(upstream.requests[0]).toMatchObject({ body: { model: "nomic" } });
		const listed = await callWith(env, "/v1/models?kind=embedding", withKey(key.key));
		const { data } = (await listed.json()) as { data: Json[] };
		expect(data.find(({ id }) => id === "own-vectors")).toMatchObject({
			source: "operator",
			max_inputs: 32,
			available: true,
		});
	});

	it("costs its bound where its server reports no usage, marked as estimated", async () => {
		upstream.replace(embeddingsUpstream(({ usage: _, ...answer }) => answer));
		const answer = await ask(catalog([{ ...OWN, prices: { input: 1 } }]), { model: "own-vectors", input: "ab" });
		expect(answer.svc.cost).toMatchObject({ total_usd: 10e-6, estimated: true });
	});

	it("gives vectors of one length, where none is known, or no answer", async () => {
		const env = catalog([{ ...OWN, limits: { context_window: 512, max_inputs: 1 } }]);
		let calls = 0;
		upstream.replace(
			embeddingsUpstream((answer) => {
				const embedding = Array(3 + (calls++ % 2)).fill(0.5);
				return { ...answer, data: answer.data.map((each) => ({ ...each, embedding })) };
			}),
		);
		const refused = await ask(env, { model: "own-vectors", input: ["a", "b", "c"] }, 502);
		expect(refused.message).toMatch(/another length/);
	});

	it("stands in for who asks it only for what it can do", async () => {
		const env = catalog([
			{
				...{ ...OWN, id: "small-at-home", same_as: MODEL, token_inputs: false },
				dimensions: { default: 1_536, sizes: [512] },
			},
		]);
		upstream.replace(async ({ url }) => (isAtHome({ url }) ? undefined : new Response("{}", { status: 500 })));
		for (const body of [{ input: [1, 2] }, { dimensions: 256 }]) await ask(env, body, 502);
		expect(upstream.requests.filter(isAtHome)).toEqual([]);
	});

	it("is for the plans that it names", async () => {
		const free = await newKey("free");
		const refused = await ask(catalog([OWN]), { model: "own-vectors" }, 403, free.key);
		expect(refused.error).toBe("model_not_allowed");
		expect(upstream.requests).toEqual([]);
		const answer = await ask(catalog([{ ...OWN, plans: ["free", "pro"] }]), { model: "own-vectors" }, 200, free.key);
		expect(answer.model).toBe("own-vectors");
	});

	const TWIN = { id: "small-at-home", kind: "embedding", same_as: MODEL, provider: "home", prices: { input: 0.01 } };
	it("stands in as the same model where the named host fails, and the receipt says so", async () => {
		upstream.replace(
			embeddingsUpstream((answer, _, request) => (isAtHome(request) ? answer : new Response("{}", { status: 500 }))),
		);
		const answer = await ask(catalog([TWIN]), { input: ["a b", "c"] });
		expect(answer).toMatchObject({
			model: "small-at-home",
			svc: { fallback: true, fallback_from: MODEL, routing: { provider: "home" } },
		});
		expect(answer.svc.cost.total_usd).toBe(3e-8);
	});

	it("is not asked where the bounds of both hosts are more than max_cost", async () => {
		const refused = await ask(catalog([TWIN]), { brain_config: { max_cost: 0.000_000_01 } }, 402);
		expect(refused.error).toBe("cost_limit_exceeded");
		expect(upstream.requests).toEqual([]);
	});
});

describe("the operator's default", () => {
	const env = settings({ DEFAULT_EMBEDDING_MODEL: "mistral-embed" });

	it.each([{}, { model: "auto" }, { model: null }])("answers who names no model: %j", async (named) => {
		const { model: _, ...body } = { model: undefined, input: "a b", ...named };
		const response = await callWith(env, "/v1/embeddings", withKey(key.key, { ...body, ...named }));
		expect(await response.json()).toMatchObject({
			model: "mistral-embed",
			svc: { routing: { reason: expect.stringContaining("DEFAULT_EMBEDDING_MODEL") } },
		});
	});

	it("is the service's fault where it is none", async () => {
		for (const DEFAULT_EMBEDDING_MODEL of ["nope", "gpt-5-nano", "rerank-v3.5"]) {
			const response = await callWith(
				settings({ DEFAULT_EMBEDDING_MODEL }),
				"/v1/embeddings",
				withKey(key.key, { input: "a" }),
			);
			expect(response.status).toBe(503);
		}
	});
});

describe("a provider that is slow", () => {
	it("is given up after the time of a call, and the request is a failure that says so", async () => {
		upstream.replace(embeddingsUpstream(() => new Promise(() => {})));
		const refused = await ask(settings({ UPSTREAM_TIMEOUT_MS: "60" }), {}, 502);
		expect(refused).toMatchObject({
			error: "all_models_failed",
			message: expect.stringContaining("did not answer in time"),
		});
	});

	it("is given up after the time of a request, however many calls that is", async () => {
		upstream.replace(embeddingsUpstream(() => new Promise(() => {})));
		const input = Array.from({ length: 600 }, () => "a");
		const startedAtMs = Date.now();
		await ask(settings({ UPSTREAM_TOTAL_TIMEOUT_MS: "1000" }), { model: "mistral-embed", input }, 502);
		expect(Date.now() - startedAtMs).toBeLessThan(10_000);
	});
});

it("a request whose process dies between two calls is settled at its bound, with a receipt", async () => {
	let release = () => {};
	const held = new Promise<void>((resolve) => {
		release = resolve;
	});
	let calls = 0;
	upstream.replace(
		embeddingsUpstream(async (answer, { input }: EmbeddingsBody) => {
			calls++;
			if (input.includes("last")) await held;
			return answer;
		}),
	);
	const input = [...Array.from({ length: 256 }, () => "a"), "last"];
	const pending = callWithKey(key.key, "/v1/embeddings", { model: "mistral-embed", input });
	await eventually(async () => calls === 3);
	vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 3_600_000 });
	await meterAlarm(key);
	vi.useRealTimers();
	await eventually(async () => (await settledRequests(key)).length === 1);
	const [settled] = await settledRequests(key);
	expect(settled?.request).toMatchObject({ kind: "embedding", outcome: "cut", estimated: true });
	// USD 0.1 per million; a byte a token, and eight around each input.
	expect(settled?.request).toMatchObject({ cost_nano_usd: (256 * 9 + 12) * 100, input_tokens: 257 });
	release();
	await pending;
	expect((await settledRequests(key)).length).toBe(1);
});

it.each(["float", "base64"])(
	"a receipt agrees with its body and its answer in %s, as the verifier reads them",
	async (encoding_format) => {
		const body = { model: MODEL, input: ["a b", "c"], dimensions: 5, encoding_format };
		upstream.replace(
			embeddingsUpstream((_, asked) => {
				const answer = embeddingsOf(asked);
				return {
					...answer,
					data: answer.data.map((each) => ({ ...each, embedding: [-0, 0.1, -1e-9, 3, each.index] })),
				};
			}),
		);
		const response = await callWithKey(key.key, "/v1/embeddings", body);
		const output = await response.text();
		const { svc } = JSON.parse(output) as Answer;
		const { request_id, salt } = svc.proof;
		await eventually(async () => (await callWithKey(key.key, `/v1/proof/${request_id}`)).status === 200);
		const proof = await proofOf(request_id);
		const findings = await checkReceipt(proof, [], { salt, input: JSON.stringify(body), output });
		const ofTexts = findings.filter(({ text }) => /^(input|output):/.test(text));
		expect(ofTexts.map(({ verdict }) => verdict)).toEqual(["ok", "ok"]);
	},
);
