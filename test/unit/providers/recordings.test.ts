// Traffic of providers, recorded and written by hand, through the whole reading path, and on to what OpenAI's own client makes of our chunks.
import OpenAI from "openai";
import { afterEach, describe, expect, it, vi } from "vitest";
import { inputTokens, outputTokens, priceUsage, type TokenUsage } from "../../../src/catalog/price.ts";
import type { Model } from "../../../src/catalog/schema.ts";
import { CATALOG } from "../../../src/catalog/shipped.ts";
import type { WireName } from "../../../src/catalog/vocabulary.ts";
import { chunkHead, lastChunks, partChunk, roleChunk } from "../../../src/chat/chunks.ts";
import type { SvcBlock } from "../../../src/inference/svc-block.ts";
import { markedCallId } from "../../../src/inference/tool-call-ids.ts";
import { AnswerAccumulator } from "../../../src/providers/accumulate.ts";
import { UpstreamInterrupted } from "../../../src/providers/call-failure.ts";
import { openUpstreamStream } from "../../../src/providers/upstream.edge.ts";
import { WellFormedParts } from "../../../src/providers/well-formed.ts";
import type { StreamPart, UpstreamRequest, Wire } from "../../../src/providers/wire.ts";
import { BEDROCK_MODEL } from "../../support/catalog.ts";
import { type FlatAnswer, flat } from "../../support/flat-answer.ts";
import {
	elaborateBody,
	eventJson,
	hasRecordings,
	listStreams,
	plainBody,
	plainSse,
	recordedEvents,
	recordedText,
	recordingsEnding,
	wireOfRecording,
	writtenStreams,
} from "../../support/recordings.ts";
import { readStream } from "../../support/sse.ts";

const LONG_TEST_MS = 60_000;
const AT_MS = Date.UTC(2026, 0, 1);
/** The recording of a gateway that reports no usage. */
const WITHOUT_USAGE = "openai-compatible/anthropic-fallback-tool-call.sse";

const REQUEST: UpstreamRequest = {
	url: "https://u.test/v1",
	headers: {},
	body: "{}",
	maxInputTokens: 1,
	maxOutputTokens: 1,
	warnings: [],
};
const DEADLINES = {
	headMs: LONG_TEST_MS,
	firstDeltaMs: LONG_TEST_MS,
	idleMs: LONG_TEST_MS,
	endsAtMs: Date.now() + 10 * LONG_TEST_MS,
};

/** The Workers runtime's, as far as a test in Node needs it. */
class FixedLengthStream extends TransformStream<Uint8Array, Uint8Array> {
	constructor(_length: number) {
		super();
	}
}

/** Lets the upstream answer with a body that arrives in pieces of at most so many bytes. */
function upstreamSays(
	said: string | Uint8Array,
	pieceBytes = Number.POSITIVE_INFINITY,
	status = 200,
	contentType = "text/event-stream",
): void {
	const bytes = typeof said === "string" ? new TextEncoder().encode(said) : said;
	let at = 0;
	const body = new ReadableStream<Uint8Array>({
		pull(controller) {
			if (at >= bytes.length) return controller.close();
			controller.enqueue(bytes.subarray(at, at + pieceBytes));
			at += pieceBytes;
		},
	});
	vi.stubGlobal("FixedLengthStream", FixedLengthStream);
	vi.stubGlobal("fetch", async () => new Response(body, { status, headers: { "content-type": contentType } }));
}

interface Read {
	parts: StreamPart[];
	/** Null when the stream ended as its format demands. */
	lost: unknown;
}

async function readUpstream(wire: Wire): Promise<Read> {
	const opened = await openUpstreamStream(wire, REQUEST, DEADLINES, new AbortController().signal);
	if (opened.kind !== "stream") throw new Error(opened.kind);
	const parts: StreamPart[] = [];
	try {
		for await (const batch of opened.parts) parts.push(...batch);
		return { parts, lost: null };
	} catch (lost) {
		return { parts, lost };
	}
}

function read(wire: Wire, body: string | Uint8Array, pieceBytes?: number): Promise<Read> {
	upstreamSays(body, pieceBytes);
	return readUpstream(wire);
}

async function wholeRecording(path: string): Promise<StreamPart[]> {
	const { name, wire } = wireOfRecording(path);
	const { parts, lost } = await read(wire, plainBody(name, recordedEvents(path).events));
	expect(lost).toBeNull();
	return parts;
}

function accumulated(parts: readonly StreamPart[]): FlatAnswer {
	const accumulator = new AnswerAccumulator();
	for (const part of parts) accumulator.add(part);
	return flat(accumulator.answer());
}

function modelOf(wireName: WireName): Model {
	if (wireName === "bedrock") return BEDROCK_MODEL;
	const model = CATALOG.models.find((candidate) => CATALOG.providerFor(candidate).wire === wireName);
	if (!model) throw new Error(`no model speaks ${wireName}`);
	return model;
}

/** Usage as the client gets it; zeros stand for what the upstream did not report. */
function usageFields(usage: TokenUsage | null) {
	const promptTokens = usage ? inputTokens(usage) : 0;
	const completionTokens = usage ? outputTokens(usage) : 0;
	return {
		prompt_tokens: promptTokens,
		completion_tokens: completionTokens,
		total_tokens: promptTokens + completionTokens,
		prompt_tokens_details: { cached_tokens: usage?.cacheRead ?? 0 },
		completion_tokens_details: { reasoning_tokens: usage?.reasoning ?? 0 },
	};
}

function expectSoundUsage(usage: TokenUsage | null): void {
	if (!usage) throw new Error("no usage");
	for (const count of Object.values(usage)) expect(Number.isSafeInteger(count) && count >= 0).toBe(true);
	const fields = usageFields(usage);
	expect(fields.total_tokens).toBe(fields.prompt_tokens + fields.completion_tokens);
	expect(fields.prompt_tokens).toBeGreaterThanOrEqual(fields.prompt_tokens_details.cached_tokens);
	expect(fields.completion_tokens).toBeGreaterThanOrEqual(fields.completion_tokens_details.reasoning_tokens);
	expect(fields.completion_tokens).toBeGreaterThan(0);
}

function expectSoundCalls(toolCalls: FlatAnswer["toolCalls"]): void {
	for (const call of toolCalls) {
		expect(call.id).not.toBe("");
		expect(call.name).not.toBe("");
		expect(JSON.parse(call.arguments)).toBeTypeOf("object");
	}
	expect(new Set(toolCalls.map(({ id }) => id)).size).toBe(toolCalls.length);
}

/** The stream as the client gets it, and the answer that the service accounts for. */
function delivered(parts: readonly StreamPart[], model: string): { sse: string; answer: FlatAnswer } {
	const head = chunkHead({ id: "req_1", created: 1, model }, true);
	const accumulator = new AnswerAccumulator();
	const wellFormed = new WellFormedParts();
	const passed = [...parts.map((part) => wellFormed.pass(part)), ...wellFormed.end()].filter((part) => part !== null);
	for (const part of passed) accumulator.add(part);
	const answer = flat(accumulator.answer());
	const finish = { reason: answer.finishReason, native: answer.nativeFinishReason };
	const svc = { routing: { mode: "direct" } } as unknown as SvcBlock;
	const chunks = passed.map((part) => partChunk(head, part) ?? "");
	const sse = roleChunk(head) + chunks.join("") + lastChunks(head, finish, usageFields(answer.usage), svc);
	return { sse, answer };
}

/** What OpenAI's client makes of a stream. */
function clientsView(sse: string): Promise<OpenAI.ChatCompletion> {
	const client = new OpenAI({
		apiKey: "k",
		baseURL: "https://svc.test/v1",
		maxRetries: 0,
		fetch: async () => new Response(sse, { headers: { "content-type": "text/event-stream" } }),
	});
	return client.chat.completions
		.stream({ model: "m", messages: [{ role: "user", content: "hi" }] })
		.finalChatCompletion();
}

function field(value: unknown, ...path: (string | number)[]): unknown {
	return path.reduce<unknown>(
		(inner, key) => (Object(inner) === inner ? Reflect.get(Object(inner), key) : undefined),
		value,
	);
}

/** Index of the event that ends a stream in its format, found without the decoder. */
function endMark(wireName: WireName, events: readonly string[]): number {
	let finish = false;
	let usage = false;
	return events.findIndex((text) => {
		const json = eventJson(text);
		if (wireName === "anthropic") return json?.["type"] === "message_stop";
		if (wireName === "google") return typeof field(json, "candidates", 0, "finishReason") === "string";
		if (wireName === "bedrock") {
			finish ||= field(json, "messageStop") !== undefined;
			usage ||= field(json, "metadata") !== undefined;
			return finish && usage;
		}
		finish ||= typeof field(json, "choices", 0, "finish_reason") === "string";
		usage ||= Object(json?.["usage"]) === json?.["usage"];
		return json === null || (finish && usage);
	});
}

/** Numbers of events to cut a stream after: all of them, but for the middle of long streams, whose price is quadratic. */
function cutsOf(length: number): number[] {
	const step = Math.ceil(length / 120);
	const edge = 20;
	return Array.from({ length: length + 1 }, (_, kept) => kept).filter(
		(kept) => kept <= edge || kept >= length - edge || kept % step === 0,
	);
}

/** The counts of a stream in the place where the unstreamed body of the same format has them. */
function bodyWithUsageOf(wireName: WireName, events: readonly string[]): unknown {
	const bodies = events.map(eventJson);
	if (wireName === "google") {
		return { candidates: [], usageMetadata: bodies.findLast((body) => body?.["usageMetadata"])?.["usageMetadata"] };
	}
	if (wireName === "bedrock")
		return field(
			bodies.find((body) => body?.["metadata"]),
			"metadata",
		);
	const last = bodies.findLast((body) => body?.["usage"])?.["usage"];
	if (wireName === "openai") return { usage: last };
	const start = bodies.findLast((body) => body?.["type"] === "message_start");
	return { usage: { ...Object(field(start, "message", "usage")), ...Object(last) } };
}

afterEach(() => {
	vi.unstubAllGlobals();
});

describe("a stream", () => {
	const streams = listStreams();

	it.each(streams)("%s reads the same however its bytes arrive", { timeout: LONG_TEST_MS }, async (path) => {
		const { name, wire } = wireOfRecording(path);
		const { events, following } = recordedEvents(path);
		const whole = await wholeRecording(path);
		expect(whole.length).toBeGreaterThan(2);
		expect(await read(wire, plainBody(name, events), 1)).toEqual({ parts: whole, lost: null });
		expect(await read(wire, elaborateBody(name, events))).toEqual({ parts: whole, lost: null });
		expect(await read(wire, elaborateBody(name, events), 7)).toEqual({ parts: whole, lost: null });
		if (name === "bedrock") return;
		const plain = plainSse(events);
		// Without the blank line at the end; with what a recording holds after the message.
		expect(await read(wire, plain.trimEnd())).toEqual({ parts: whole, lost: null });
		expect(await read(wire, plain + plainSse(following))).toEqual({ parts: whole, lost: null });
	});

	it.each(streams)("%s says once why it stopped, and numbers its calls from 0", async (path) => {
		const parts = await wholeRecording(path);
		expect(parts.filter(({ type }) => type === "finish")).toHaveLength(1);
		const indices = parts.flatMap((part) => (part.type === "tool_call" ? [part.index] : []));
		expect(indices).toEqual(indices.map((_, position) => position));
		const answer = accumulated(parts);
		expectSoundCalls(answer.toolCalls);
		expect(answer.content || answer.toolCalls.length).toBeTruthy();
		if (path === WITHOUT_USAGE) expect(answer.usage).toBeNull();
		else expectSoundUsage(answer.usage);
	});

	it.each(streams)("%s comes out of OpenAI's client as it is accounted for", async (path) => {
		const model = modelOf(wireOfRecording(path).name);
		const { sse, answer } = delivered(await wholeRecording(path), model.id);
		const completion = await clientsView(sse);
		expect(completion.choices).toHaveLength(1);
		const [choice] = completion.choices;
		expect(choice?.finish_reason).toBe(answer.finishReason);
		expect(choice?.message.content ?? "").toBe(answer.content ?? "");
		expect(choice?.message.refusal ?? null).toBe(answer.refusal);
		expect(choice?.message.tool_calls ?? []).toMatchObject(
			answer.toolCalls.map((call) => ({
				id: markedCallId(call.id, model.id),
				type: "function",
				function: { name: call.name, arguments: call.arguments },
			})),
		);
		expect(completion.usage).toEqual(usageFields(answer.usage));
		expect(field(completion, "svc")).toEqual({ routing: { mode: "direct" } });
	});

	it.each(streams)("%s goes out with its reasoning, one finish reason and one [DONE]", async (path) => {
		const { sse, answer } = delivered(await wholeRecording(path), modelOf(wireOfRecording(path).name).id);
		const { chunks, done, raw } = await readStream(new Response(sse));
		const choices = chunks.flatMap((chunk) => chunk.choices ?? []);
		expect(choices.map(({ delta }) => delta.reasoning_content ?? "").join("")).toBe(answer.reasoning ?? "");
		expect(choices.filter(({ finish_reason }) => finish_reason !== null)).toHaveLength(1);
		expect(chunks.filter(({ usage }) => usage)).toHaveLength(1);
		expect(done).toBe(true);
		expect(raw.split("[DONE]")).toHaveLength(2);
	});

	it.each(streams)(
		"%s is lost when cut before its end mark, whole after it",
		{ timeout: LONG_TEST_MS },
		async (path) => {
			const { name, wire } = wireOfRecording(path);
			const { events } = recordedEvents(path);
			const written = events.map((event) => plainBody(name, [event]));
			const end = endMark(name, events);
			expect(end).toBeGreaterThan(0);
			const whole = accumulated(await wholeRecording(path));
			for (const kept of cutsOf(events.length)) {
				const { parts, lost } = await read(wire, Buffer.concat(written.slice(0, kept)));
				const finishes = parts.filter(({ type }) => type === "finish").length;
				if (kept <= end) {
					expect(lost, `${kept} events`).toBeInstanceOf(UpstreamInterrupted);
					expect(lost).toMatchObject({ why: "cut", error: null });
					expect(finishes).toBeLessThanOrEqual(1);
				} else {
					expect(lost, `${kept} events`).toBeNull();
					expect(finishes).toBe(1);
					expect(accumulated(parts)).toEqual(whole);
				}
			}
		},
	);

	it.each(streams)("%s costs what the unstreamed answer with its counts would", async (path) => {
		const { name, wire } = wireOfRecording(path);
		const model = modelOf(name);
		const streamed = accumulated(await wholeRecording(path)).usage;
		const unstreamed = wire.parseUsage(bodyWithUsageOf(name, recordedEvents(path).events));
		const price = (usage: TokenUsage | null) => usage && priceUsage(model, usage, AT_MS);
		expect(price(streamed)).toEqual(price(unstreamed));
		expect(streamed).toEqual(unstreamed);
		if (path !== WITHOUT_USAGE) expect(price(streamed)?.totalNanoUsd).toBeGreaterThan(0);
	});
});

/** What a stream that was written by hand says, as its author meant it. */
interface WrittenAnswer {
	stream: string;
	content: string | null;
	reasoning: string | null;
	toolCalls: FlatAnswer["toolCalls"] | null;
	finishReason: string;
	usage: { prompt: number; completion: number; reasoning: number; cached: number };
}

const writtenAnswers: WrittenAnswer[] = recordedText("answers.jsonl")
	.trim()
	.split("\n")
	.map((line) => JSON.parse(line));

describe("a stream that was written by hand", () => {
	it("has its answer in answers.jsonl", () => {
		expect(writtenAnswers.map(({ stream }) => stream).sort()).toEqual(writtenStreams());
	});

	it.each(writtenAnswers)("$stream says what its author meant", async ({ stream, ...meant }) => {
		const answer = accumulated(await wholeRecording(stream));
		const { usage } = answer;
		expect({ content: answer.content, reasoning: answer.reasoning, finishReason: answer.finishReason }).toEqual({
			content: meant.content,
			reasoning: meant.reasoning,
			finishReason: meant.finishReason,
		});
		expect(answer.toolCalls).toMatchObject(meant.toolCalls ?? []);
		expect(answer.toolCalls).toHaveLength(meant.toolCalls?.length ?? 0);
		expect(usageFields(usage)).toMatchObject({
			prompt_tokens: meant.usage.prompt,
			completion_tokens: meant.usage.completion,
			prompt_tokens_details: { cached_tokens: meant.usage.cached },
			completion_tokens_details: { reasoning_tokens: meant.usage.reasoning },
		});
	});
});

describe.runIf(hasRecordings())("a recorded body", () => {
	const bodies = recordingsEnding(".json");
	const errors = bodies.filter((path) => "error" in JSON.parse(recordedText(path)));

	it.each(bodies.filter((path) => !errors.includes(path)))("%s gives an answer with sound usage", async (path) => {
		const { wire } = wireOfRecording(path);
		// An upstream may write a whole body where a stream was asked for.
		upstreamSays(recordedText(path), 1_000, 200, "application/json; charset=utf-8");
		const { parts, lost } = await readUpstream(wire);
		expect(lost).toBeNull();
		const answer = accumulated(parts);
		expect(answer).toEqual(flat(wire.parseAnswer(JSON.parse(recordedText(path)))));
		expect(answer.content || answer.toolCalls.length).toBeTruthy();
		expectSoundCalls(answer.toolCalls);
		expectSoundUsage(answer.usage);
		expect(wire.parseUsage(JSON.parse(recordedText(path)))).toEqual(answer.usage);
		if (answer.finishReason === "tool_calls") expect(answer.toolCalls).not.toHaveLength(0);
	});

	it("of an error gives no answer, and the wait that it names", async () => {
		expect(errors).toEqual(["google/google-429-retry-info.json"]);
		const [path = ""] = errors;
		const { wire } = wireOfRecording(path);
		const body: unknown = JSON.parse(recordedText(path));
		expect(flat(wire.parseAnswer(body))).toBeNull();
		expect(wire.parseError(body)).toMatchObject({ retryAfterMs: 34_400 });
		upstreamSays(recordedText(path), 1_000, 429, "application/json");
		const failure = await openUpstreamStream(wire, REQUEST, DEADLINES, new AbortController().signal);
		expect(failure).toMatchObject({ kind: "status", status: 429, retryAfterMs: 34_400 });
	});
});
