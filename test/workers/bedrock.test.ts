// Models of Bedrock on the front door: signed calls, broken streams to the byte, refusals in AWS's words, what is billed, and where
// prompts may go.
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { streamEvent, streamException } from "../../src/sandbox/aws-event-stream.ts";
import { EXPIRED_SESSION } from "../../src/sandbox/aws-signature.ts";
import { useService } from "../support/per-test.ts";
import { saysEvents } from "../support/scripted.ts";
import { callWith, receiptOf, withKey } from "../support/service.ts";
import { readStream } from "../support/sse.ts";
import { SANDBOX_ORIGIN } from "../support/variables.ts";

const { upstream, key: owner } = useService("corporate");

type Json = Record<string, unknown>;

const prices = { input: 3, output: 15, cached_input: 0.3, cache_write: 3.75 };
const CATALOG = {
	providers: [
		{ template: "bedrock", region: "eu-central-1" },
		{ template: "bedrock", region: "us-east-1" },
	],
	models: [
		{
			id: "claude-eu",
			same_as: "claude-sonnet-5-5",
			upstream: "eu.anthropic.claude-x",
			provider: "bedrock-eu-central-1",
			prices,
		},
		{
			id: "claude-anywhere",
			same_as: "claude-sonnet-5-5",
			upstream: "global.anthropic.claude-x",
			provider: "bedrock-us-east-1",
			prices,
		},
	],
};
const CREDENTIALS = { AWS_ACCESS_KEY_ID: "AKIASANDBOX", AWS_SECRET_ACCESS_KEY: "sandbox" };

function bindings(keys: Json = CREDENTIALS): Partial<Env> {
	const own = ["bedrock-eu-central-1", "bedrock-us-east-1"].map((id) => [id, id.toUpperCase().replaceAll("-", "_")]);
	const addresses = own.flatMap(([id, prefix]) => [
		[`${prefix}_BASE_URL`, `${SANDBOX_ORIGIN}/${id}`],
		[`${prefix}_FACTS`, "provider"],
		// Those of all tests go before the shared ones.
		[`${prefix}_CREDENTIALS`, ""],
	]);
	return { CATALOG: JSON.stringify(CATALOG), ...Object.fromEntries(addresses), ...keys } as unknown as Partial<Env>;
}

const logged: string[] = [];

/** What Bedrock answers, else the sandbox; other providers fail. */
function respond(answer: (request: Request) => Response | undefined = () => undefined): void {
	upstream.replace(async (request) =>
		request.url.includes("/bedrock-") ? answer(request) : new Response("{}", { status: 500 }),
	);
}

beforeEach(() => {
	respond();
	logged.length = 0;
	for (const level of ["warn", "error"] as const)
		vi.spyOn(console, level).mockImplementation((line) => void logged.push(String(line)));
});
afterEach(() => {
	vi.restoreAllMocks();
});

function chat(content: string, body: Json = {}, env = bindings()): Promise<Response> {
	const request = { model: "claude-eu", messages: [{ role: "user", content }], ...body };
	return callWith(env, "/v1/chat/completions", withKey(owner.key, request));
}

async function json(response: Promise<Response>, status = 200): Promise<Json> {
	const settled = await response;
	const text = await settled.text();
	expect(settled.status, text).toBe(status);
	return JSON.parse(text);
}

const bedrockCalls = () => upstream.requests.filter(({ url }) => url.includes("/bedrock-"));
const logLines = () => logged.map((line) => JSON.parse(line) as Json);

interface Completion extends Json {
	id: string;
	choices: { message: Json & { content: string; tool_calls?: Json[] } }[];
	svc: { cost: { total_usd: number; estimated: boolean } };
}

describe("a call of Bedrock", () => {
	it("is signed for its region, and costs the same whole and streamed", async () => {
		const whole = (await json(chat("Say hello"))) as Completion;
		const streamed = await readStream(
			await chat("Say hello", { stream: true, stream_options: { include_usage: true } }),
		);
		expect(streamed.text).toBe(whole.choices[0]?.message.content);
		expect(streamed.chunks.at(-1)?.svc?.cost ?? streamed.chunks.find(({ svc }) => svc)?.svc?.cost).toMatchObject({
			total_usd: whole.svc.cost.total_usd,
			estimated: false,
		});
		const [first] = bedrockCalls();
		expect(first?.url).toBe(`${SANDBOX_ORIGIN}/bedrock-eu-central-1/model/eu.anthropic.claude-x/converse-stream`);
		expect(first?.headers.get("authorization")).toMatch(
			/^AWS4-HMAC-SHA256 Credential=AKIASANDBOX\/\d{8}\/eu-central-1\/bedrock\/aws4_request, SignedHeaders=[^,]*host[^,]*, Signature=[0-9a-f]{64}$/,
		);
	});

	it("has an API key instead of a signature where one is set", async () => {
		await json(chat("Say hello", {}, bindings({ ...CREDENTIALS, AWS_BEARER_TOKEN_BEDROCK: "bedrock-api-key-x" })));
		expect(bedrockCalls()[0]?.headers.get("authorization")).toBe("Bearer bedrock-api-key-x");
	});

	it("shows what was seen in an image, and goes on with a tool's output", async () => {
		const image = { type: "image_url", image_url: { url: "data:image/png;base64,iVBORw0KGgo=" } };
		await json(chat("", { messages: [{ role: "user", content: [{ type: "text", text: "what?" }, image] }] }));
		expect(bedrockCalls()[0]?.body["messages"]).toEqual([
			{ role: "user", content: [{ text: "what?" }, { image: { format: "png", source: { bytes: "iVBORw0KGgo=" } } }] },
		]);
		const tools = [
			{
				type: "function",
				function: { name: "weather", parameters: { type: "object", properties: { city: { type: "string" } } } },
			},
		];
		const asked = { role: "user", content: "the weather in Ulm" };
		const first = (await json(chat("", { messages: [asked], tools, reasoning_effort: "high" }))) as Completion;
		const message = first.choices[0]?.message;
		const output = { role: "tool", tool_call_id: message?.tool_calls?.[0]?.["id"], content: "rain" };
		const last = (await json(chat("", { messages: [asked, message, output], tools }))) as Completion;
		expect(last.choices[0]?.message.content).toContain("rain");
		expect(JSON.stringify(bedrockCalls().at(-1)?.body)).toContain('"reasoningContent":{"reasoningText":');
	});
});

describe("credentials that Bedrock refuses", () => {
	it.each([
		["another secret", { ...CREDENTIALS, AWS_SECRET_ACCESS_KEY: "wrong-secret" }, "InvalidSignatureException"],
		["an unknown key", { ...CREDENTIALS, AWS_ACCESS_KEY_ID: "AKIAOTHER" }, "UnrecognizedClientException"],
		["a session that has ended", { ...CREDENTIALS, AWS_SESSION_TOKEN: EXPIRED_SESSION }, "ExpiredTokenException"],
	])("shut the provider off, and are named in the log by their kind: %s", async (_, keys, code) => {
		const body = await json(chat("Say hello", {}, bindings(keys)), 502);
		expect(body["attempts"]).toContain("claude-eu at bedrock-eu-central-1: status 403");
		expect(logLines()).toContainEqual(
			expect.objectContaining({ event: "provider_refuses", provider: "bedrock-eu-central-1", status: 403, code }),
		);
		expect(JSON.stringify([body, logged])).not.toMatch(/wrong-secret|AKIAOTHER|"expired"/);
	});

	it("because of the clock say so", async () => {
		const message =
			"Signature expired: 20261128T190000Z is now earlier than 20261128T195500Z (20261128T200000Z - 5 min.)";
		respond(() =>
			Response.json({ message }, { status: 403, headers: { "x-amzn-errortype": "InvalidSignatureException:" } }),
		);
		await json(chat("Say hello"), 502);
		expect(logLines()).toContainEqual(expect.objectContaining({ event: "provider_refuses", code: "clock_skew" }));
	});
});

describe("what Bedrock refuses", () => {
	it("because the prompt is too long ends the request, in the client's own words", async () => {
		const body = await json(chat("Hi [[overflow]]"), 400);
		expect(body).toMatchObject({ error: "upstream_rejected", provider: "bedrock-eu-central-1", upstream_status: 400 });
		const own = await callWith(
			bindings(),
			"/v1/messages",
			withKey(owner.key, {
				model: "claude-eu",
				max_tokens: 9,
				messages: [{ role: "user", content: "Hi [[overflow]]" }],
			}),
		);
		expect(await own.text()).toContain("prompt is too long");
	});

	it.each([
		["ThrottlingException", 429],
		["ModelNotReadyException", 429],
		["ModelTimeoutException", 408],
		["ModelErrorException", 424],
		["ServiceUnavailableException", 503],
		["InternalServerException", 500],
	])("for a while goes to another model: %s", async (kind, status) => {
		respond((request) =>
			request.url.includes("eu-central-1")
				? Response.json({ message: "m" }, { status, headers: { "x-amzn-errortype": kind } })
				: undefined,
		);
		const body = await json(chat("Say hello"), 502);
		expect(body["attempts"]).toContain(`claude-eu at bedrock-eu-central-1: status ${status}`);
		expect(new Set(body["attempts"] as string[]).size).toBeGreaterThan(1);
	});

	it("because it does not serve the model is said so", async () => {
		const body = await json(chat("Hi [[unserved]]"), 502);
		expect(JSON.stringify(body)).toContain("claude-eu at bedrock-eu-central-1: the provider does not serve this model");
	});
});

const delta = (text: string) => streamEvent("contentBlockDelta", { contentBlockIndex: 0, delta: { text } });
const END = [
	streamEvent("contentBlockStop", { contentBlockIndex: 0 }),
	streamEvent("messageStop", { stopReason: "end_turn" }),
	streamEvent("metadata", { usage: { inputTokens: 12, outputTokens: 5, totalTokens: 17 } }),
];

/** A body that comes in pieces of so many bytes. */
function inPieces(messages: readonly Uint8Array[], size: number, cut = 0): Response {
	const all = messages.flatMap((message) => [...message]);
	const bytes = Uint8Array.from(cut > 0 ? all.slice(0, -cut) : all);
	let at = 0;
	const body = new ReadableStream<Uint8Array>({
		pull(controller) {
			if (at >= bytes.length) return controller.close();
			controller.enqueue(bytes.slice(at, at + size));
			at += size;
		},
	});
	return new Response(body, { headers: { "content-type": "application/vnd.amazon.eventstream" } });
}

describe("a stream of Bedrock", () => {
	it.each([1, 2, 13, 4_096])("is the same in pieces of %i bytes", async (size) => {
		respond(() => inPieces([delta("Grüße, "), delta("👋 "), delta("Welt"), ...END], size));
		const { text, done } = await readStream(await chat("hi", { stream: true }));
		expect([text, done]).toEqual(["Grüße, 👋 Welt", true]);
	});

	it.each([
		["the bytes of its last event", 3],
		["its last event", END[2]?.length ?? 0],
		["its stop reason", (END[2]?.length ?? 0) + (END[1]?.length ?? 0)],
	])("without %s is a cut answer, billed by estimate and within its bound", async (_, cut) => {
		respond(() => inPieces([delta("One "), delta("two"), ...END], 64, cut));
		const response = await chat("hi", { stream: true, max_tokens: 50 });
		const id = response.headers.get("x-request-id") ?? "";
		const { text, done, raw } = await readStream(response);
		expect([text, done]).toEqual(["One two", false]);
		expect(raw).toContain('"error"');
		const receipt = await receiptOf(id);
		expect(receipt).toMatchObject({ outcome: "cut", estimated: true });
		expect(Number(receipt["cost_usd"])).toBeLessThanOrEqual(Number(receipt["bound_usd"]));
	});

	it.each([
		["a wrong checksum", () => delta("x").with(-1, 0)],
		["a wrong length", () => delta("x").with(2, 0xff)],
		["an exception", () => streamException("throttlingException", "slow down")],
	])("that breaks with %s keeps what came before, and ends with an error", async (_, broken) => {
		respond(() => saysEvents(delta("One "), broken(), delta("never"), ...END));
		const { text, done, raw } = await readStream(await chat("hi", { stream: true }));
		expect([text, done]).toEqual(["One ", false]);
		expect(raw).toContain('"error"');
	});

	it("that fails before its first word goes to another model", async () => {
		respond((request) =>
			request.url.includes("eu-central-1") ? saysEvents(streamException("modelStreamErrorException", "m")) : undefined,
		);
		const body = await json(chat("hi"), 502);
		expect(body["attempts"]).toContain("claude-eu at bedrock-eu-central-1: reported an error instead of an answer");
		expect(new Set(body["attempts"] as string[]).size).toBeGreaterThan(1);
	});

	it("without counts is billed at its bound", async () => {
		respond(() => saysEvents(delta("One"), ...END.slice(0, 2), streamEvent("metadata", { metrics: { latencyMs: 1 } })));
		const body = (await json(chat("hi", { max_tokens: 50 }))) as Completion;
		expect(body.svc.cost.estimated).toBe(true);
		expect(await receiptOf(body.id)).toMatchObject({ estimated: true });
	});
});

describe("residency", () => {
	it("is the region's and its profile's, and nowhere for a profile of all regions", async () => {
		const policy = { compliance: { data_residency: ["EU"] } };
		await json(chat("Say hello", policy));
		const refused = await chat("Say hello", { ...policy, model: "claude-anywhere" });
		expect(refused.status).toBe(403);
	});
});
