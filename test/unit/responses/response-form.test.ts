// Responses, whole and streamed: the same answer either way, by OpenAI's own client, whatever the parts and their order.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { markedCallId } from "../../../src/inference/tool-call-ids.ts";
import { THOUGHT_SIGNATURE } from "../../../src/providers/returned-blocks.ts";
import type { StreamPart } from "../../../src/providers/wire.ts";
import { responseObjectSchema } from "../../../src/responses/response.ts";
import type { ResponseWording } from "../../../src/responses/response-form.ts";
import {
	readByOpenAi,
	responseEvents,
	testResponseWording,
	toDelivered,
	wholeResponse,
} from "../../support/answered-responses.ts";
import { listStreams, readerEvents, recordedEvents, wireOfRecording } from "../../support/recordings.ts";
import { eventsOf } from "../../support/sse.ts";

const TOOLS = new Map([
	["functions__exec", { kind: "custom" as const, name: "exec", namespace: "functions" }],
	["clock__sleep", { kind: "function" as const, name: "sleep", namespace: "clock" }],
	["plain", { kind: "function" as const, name: "plain" }],
]);

const FINISH: StreamPart = { type: "finish", reason: "stop", native: "stop" };
const USAGE: StreamPart = {
	type: "usage",
	usage: { uncachedInput: 5, cacheRead: 3, cacheWrite: 2, outputText: 4, reasoning: 6 },
};

type Events = { event: string; data: Record<string, unknown> }[];

function parsedEvents(sse: string): Events {
	return eventsOf(sse).map(({ event, data }) => ({ event, data: JSON.parse(data) as Record<string, unknown> }));
}

/** Asserts what every stream owes: names, numbers from 0, items one after the other. */
function expectSoundEvents(events: Events): void {
	let open: unknown = null;
	let begun = 0;
	for (const [position, { event, data }] of events.entries()) {
		expect([data["type"], data["sequence_number"]]).toEqual([event, position]);
		if (event === "response.output_item.added") {
			expect([open, data["output_index"]]).toEqual([null, begun++]);
			open = data["output_index"];
		} else if (data["output_index"] !== undefined) expect(data["output_index"]).toBe(open);
		if (event === "response.output_item.done") open = null;
	}
	expect(open).toBeNull();
}

/** What OpenAI's client adds: the text of all messages, and parsed members. */
function withoutClientMembers(response: unknown): unknown {
	const own = new Set(["output_text", "output_parsed", "parsed", "parsed_arguments"]);
	return JSON.parse(JSON.stringify(response, (name, value: unknown) => (own.has(name) ? undefined : value)));
}

/** All reasoning of an item as one text: an upstream that began again ends a text in a stream. */
function joinReasoning(name: string, value: unknown): unknown {
	if (!["content", "summary"].includes(name) || !Array.isArray(value)) return value;
	const isReasoning = value.every(({ type }) => type === "reasoning_text" || type === "summary_text");
	return isReasoning ? value.map(({ text }) => text).join("") : value;
}

/** Asserts that a stream of these parts comes to the whole answer. */
async function expectSame(parts: readonly StreamPart[], wording: ResponseWording): Promise<void> {
	const sse = await responseEvents(parts, wording);
	expectSoundEvents(parsedEvents(sse));
	const { response } = await readByOpenAi(sse);
	const whole = await wholeResponse(toDelivered(parts).answer, wording);
	const toComparable = (answer: unknown) => JSON.parse(JSON.stringify(withoutClientMembers(answer), joinReasoning));
	expect(toComparable(response)).toEqual(toComparable(whole));
	expect(responseObjectSchema.safeParse({ ...whole, svc: undefined }).error).toBeUndefined();
}

async function outputOf(parts: readonly StreamPart[], wording: Partial<ResponseWording> = {}) {
	return (await wholeResponse(toDelivered(parts).answer, testResponseWording(wording))).output;
}

async function eventNames(parts: readonly StreamPart[], wording: Partial<ResponseWording> = {}): Promise<string[]> {
	const sse = await responseEvents(parts, testResponseWording(wording));
	return parsedEvents(sse).map(({ event }) => event.replace("response.", ""));
}

describe("a stream", () => {
	const wordings = [
		testResponseWording(),
		testResponseWording({ reasoningForm: "summary", includesSealed: false, hasLogprobs: true }),
		testResponseWording({ includesSealed: false, store: async () => null }),
	];

	it.each(listStreams())("%s comes to the whole answer", async (path) => {
		const { name, wire } = wireOfRecording(path);
		const decoder = wire.createDecoder();
		const events = readerEvents(name, recordedEvents(path).events);
		const parts = [...events.flatMap((event) => decoder.decode(event)), ...decoder.end()];
		expect(parts.some(({ type }) => type === "finish")).toBe(true);
		for (const wording of wordings) await expectSame(parts, wording);
	});
});

/** Words of one call: how it begins, and the pieces of its arguments. */
interface AnyCall {
	name: string;
	signature: string | undefined;
	pieces: string[];
}

const anyPiece = fc.string({ unit: "grapheme", minLength: 1, maxLength: 6 });
const anyCall: fc.Arbitrary<AnyCall> = fc
	.record({
		name: fc.constantFrom("plain", "clock__sleep", "functions__exec", "unknown"),
		signature: fc.option(fc.constant("c2ln"), { nil: undefined }),
		text: fc.string({ unit: "grapheme", maxLength: 20 }),
		size: fc.integer({ min: 1, max: 9 }),
	})
	.map(({ name, signature, text, size }) => {
		const json = JSON.stringify({ input: text });
		return { name, signature, pieces: json.match(new RegExp(`[^]{1,${size}}`, "g")) ?? [] };
	});
const anyOther: fc.Arbitrary<StreamPart> = fc.oneof(
	anyPiece.map((text): StreamPart => ({ type: "text", text })),
	anyPiece.map((text): StreamPart => ({ type: "reasoning", text })),
	anyPiece.map((text): StreamPart => ({ type: "refusal", text })),
	fc.constantFrom<StreamPart>(
		{ type: "provider", wire: "anthropic", block: { type: "thinking", thinking: "t", signature: "c2ln" } },
		{ type: "provider", wire: "google", block: { type: THOUGHT_SIGNATURE, thoughtSignature: "c2ln" } },
		{ type: "provider", wire: "anthropic", block: { type: "server_tool_use" } },
		{ type: "extra", fields: { citations: [1] } },
		{ type: "body_fields", fields: { system_fingerprint: "fp", output: "not ours", tools: 1 } },
	),
);

/** The parts of calls and of everything else, in any order that keeps each call's own. */
const anyParts: fc.Arbitrary<StreamPart[]> = fc
	.record({
		calls: fc.array(anyCall, { maxLength: 4 }),
		others: fc.array(anyOther, { maxLength: 12 }),
		turns: fc.infiniteStream(fc.nat(100)),
		reason: fc.constantFrom("stop" as const, "length" as const, "content_filter" as const),
	})
	.map(({ calls, others, turns, reason }) => {
		const waiting: StreamPart[][] = [others, ...calls.map(toCallParts)].filter((parts) => parts.length > 0);
		const parts: StreamPart[] = [];
		while (waiting.length > 0) {
			const turn = Number(turns.next().value) % waiting.length;
			const next = waiting[turn]?.shift();
			if (next) parts.push(next);
			if (waiting[turn]?.length === 0) waiting.splice(turn, 1);
		}
		return [...parts, { type: "finish", reason, native: null }, USAGE];
	});

function toCallParts({ name, signature, pieces }: AnyCall, index: number): StreamPart[] {
	const begin = { type: "tool_call" as const, index, id: `call_${index}`, name };
	return [
		{ ...begin, ...(signature === undefined ? {} : { signature }) },
		...pieces.map((text): StreamPart => ({ type: "tool_arguments", index, text })),
	];
}

describe("a stream", () => {
	it("comes to the whole answer, whatever its parts and their order", async () => {
		await fc.assert(
			fc.asyncProperty(
				anyParts,
				fc.constantFrom("summary" as const, "content" as const),
				fc.boolean(),
				fc.boolean(),
				async (parts, reasoningForm, includesSealed, isStored) => {
					const store = isStored ? async () => null : null;
					await expectSame(parts, testResponseWording({ tools: TOOLS, reasoningForm, includesSealed, store }));
				},
			),
			{ numRuns: 300 },
		);
	});

	it("tells of a text in the order of OpenAI's events", async () => {
		expect(await eventNames([{ type: "text", text: "Hel" }, { type: "text", text: "lo" }, FINISH, USAGE])).toEqual([
			"created",
			"in_progress",
			"output_item.added",
			"content_part.added",
			"output_text.delta",
			"output_text.delta",
			"output_text.done",
			"content_part.done",
			"output_item.done",
			"completed",
		]);
	});

	it("tells of reasoning as a summary where one is wanted, else as its text", async () => {
		const parts: StreamPart[] = [{ type: "reasoning", text: "Hm." }, FINISH];
		expect((await eventNames(parts, { reasoningForm: "summary" })).slice(2, -1)).toEqual([
			"output_item.added",
			"reasoning_summary_part.added",
			"reasoning_summary_text.delta",
			"reasoning_summary_text.done",
			"reasoning_summary_part.done",
			"output_item.done",
		]);
		expect((await eventNames(parts)).slice(2, -1)).toEqual([
			"output_item.added",
			"content_part.added",
			"reasoning_text.delta",
			"reasoning_text.done",
			"content_part.done",
			"output_item.done",
		]);
	});

	it("tells of a call while it is written, and of the next one after it", async () => {
		const call = (index: number): StreamPart => ({ type: "tool_call", index, id: `c${index}`, name: "plain" });
		const args = (index: number, text: string): StreamPart => ({ type: "tool_arguments", index, text });
		const inTurns = [call(0), args(0, '{"a"'), call(1), args(1, "{}"), args(0, ":1}"), FINISH];
		expect((await eventNames(inTurns)).slice(2, -1)).toEqual([
			...["output_item.added", "function_call_arguments.delta", "function_call_arguments.delta"],
			...["function_call_arguments.done", "output_item.done"],
			...["output_item.added", "function_call_arguments.delta", "function_call_arguments.done", "output_item.done"],
		]);
		const output = await outputOf(inTurns);
		expect(output).toMatchObject([{ arguments: '{"a":1}' }, { arguments: "{}" }]);
	});

	it("does not wait for a call that is complete", async () => {
		const form = (await import("../../../src/responses/response-form.ts")).responseWording(testResponseWording());
		const stream = form.toStream();
		stream.begin({ requestId: "svc-1", startedAtMs: 0, modelId: "m", account: "" });
		stream.part({ type: "tool_call", index: 0, id: "a", name: "plain" });
		stream.part({ type: "tool_arguments", index: 0, text: '{"a":1}' });
		const next = await stream.part({ type: "text", text: "and" });
		expect(parsedEvents(next).map(({ event }) => event)).toContain("response.output_text.delta");
	});

	it("that breaks off ends in response.failed with what was delivered", async () => {
		const parts: StreamPart[] = [
			{ type: "text", text: "Hel" },
			{ type: "tool_call", index: 0, id: "c", name: "plain" },
			{ type: "tool_arguments", index: 0, text: '{"a' },
		];
		const events = parsedEvents(await responseEvents(parts, testResponseWording(), true));
		expect(events.at(-1)).toMatchObject({
			event: "response.failed",
			data: {
				response: {
					status: "failed",
					error: { code: "upstream_cut", message: "cut" },
					output: [
						{ type: "message", status: "completed", content: [{ text: "Hel" }] },
						{ type: "function_call", status: "incomplete", arguments: '{"a' },
					],
					svc: { routing: { mode: "direct" } },
				},
			},
		});
		expect(events.some(({ event }) => event === "response.completed")).toBe(false);
	});

	it("that breaks off before it begins is an error event, which OpenAI's client throws", async () => {
		const { responseWording } = await import("../../../src/responses/response-form.ts");
		const error = { type: "upstream_error", code: "all_models_failed", message: "nobody answered" } as const;
		const sse = String(await responseWording(testResponseWording()).toStream().fail(error, null));
		expect(parsedEvents(sse)).toMatchObject([
			{ event: "error", data: { sequence_number: 0, ...{ code: error.code } } },
		]);
		await expect(readByOpenAi(sse)).rejects.toThrow("nobody answered");
	});
});

describe("a Response", () => {
	it("names tools as the client does, and gives a custom tool its text", async () => {
		const parts: StreamPart[] = [
			{ type: "tool_call", index: 0, id: "a", name: "functions__exec" },
			{ type: "tool_arguments", index: 0, text: '{"input":"ls\\n"}' },
			{ type: "tool_call", index: 1, id: "b", name: "clock__sleep" },
			{ type: "tool_arguments", index: 1, text: '{"ms":1}' },
			FINISH,
		];
		expect(await outputOf(parts, { tools: TOOLS })).toMatchObject([
			{
				type: "custom_tool_call",
				call_id: markedCallId("a", "m"),
				name: "exec",
				namespace: "functions",
				input: "ls\n",
			},
			{
				type: "function_call",
				call_id: markedCallId("b", "m"),
				name: "sleep",
				namespace: "clock",
				arguments: '{"ms":1}',
			},
		]);
	});

	it("seals signed thinking once, without the text that it holds", async () => {
		const block = { type: "thinking", thinking: "Hm.", signature: "c2ln" };
		const parts: StreamPart[] = [
			{ type: "reasoning", text: "Hm." },
			{ type: "provider", wire: "anthropic", block },
			{ type: "text", text: "Yes." },
			FINISH,
		];
		const [reasoning] = await outputOf(parts);
		expect(reasoning).toMatchObject({ type: "reasoning", content: [{ text: "Hm." }], summary: [] });
		expect(JSON.parse(String(Reflect.get(reasoning ?? {}, "encrypted_content")))).toEqual({
			modelId: "m",
			parts: [{ type: "provider", wire: "anthropic", block }],
		});
	});

	it("seals the signature of a call before the call", async () => {
		const parts: StreamPart[] = [
			{ type: "tool_call", index: 0, id: "a", name: "plain", signature: "c2ln" },
			{ type: "tool_arguments", index: 0, text: "{}" },
			FINISH,
		];
		const [reasoning, call] = await outputOf(parts);
		expect(JSON.parse(String(Reflect.get(reasoning ?? {}, "encrypted_content")))).toEqual({
			modelId: "m",
			parts: [
				{ type: "tool_call", id: Reflect.get(call ?? {}, "call_id"), name: "", arguments: "", signature: "c2ln" },
			],
		});
	});

	it("is stored with sealed reasoning that the client did not ask for", async () => {
		const stored: unknown[] = [];
		const store: ResponseWording["store"] = async ({ output, store: isStored }) => {
			stored.push(isStored, ...output);
			return null;
		};
		const wording = testResponseWording({ includesSealed: false, store });
		const { answer } = toDelivered([{ type: "reasoning", text: "Hm." }, { type: "text", text: "Yes." }, FINISH]);
		const response = await wholeResponse(answer, wording);
		expect(response.output[0]).not.toHaveProperty("encrypted_content");
		expect(stored).toMatchObject([true, { encrypted_content: expect.any(String) }, { type: "message" }]);
		expect(response.store).toBe(true);
	});

	it("says that it is not stored where it could not be", async () => {
		const fault = { code: "not_stored" as const, param: "store", message: "too long" };
		const { answer } = toDelivered([{ type: "text", text: "Yes." }, FINISH]);
		const response = await wholeResponse(answer, testResponseWording({ store: async () => fault }));
		expect(response).toMatchObject({ store: false, svc: { warnings: [fault] } });
	});

	it("says what has no form here, and what could not be sealed", async () => {
		const { answer } = toDelivered([
			{ type: "reasoning", text: "Hm." },
			{ type: "provider", wire: "anthropic", block: { type: "server_tool_use" } },
			{ type: "text", text: "Yes." },
			FINISH,
		]);
		const { output, svc } = await wholeResponse(answer, testResponseWording({ seal: async () => null }));
		expect(svc?.warnings.map(({ message }) => message)).toEqual([
			expect.stringContaining("server_tool_use"),
			expect.stringContaining("too long"),
		]);
		expect(output[0]).toMatchObject({ encrypted_content: null });
	});

	it.each([
		["length", "max_output_tokens"],
		["content_filter", "content_filter"],
	] as const)("of an answer that ended by %s is incomplete", async (reason, why) => {
		const { answer } = toDelivered([{ type: "text", text: "Hel" }, { type: "finish", reason, native: null }, USAGE]);
		expect(await wholeResponse(answer, testResponseWording())).toMatchObject({
			status: "incomplete",
			incomplete_details: { reason: why },
			completed_at: null,
			output: [{ status: "incomplete" }],
		});
	});

	it("has usage with its details, and repeats the request", async () => {
		const { answer } = toDelivered([{ type: "text", text: "Yes." }, FINISH, USAGE]);
		const rawBody = {
			input: "hi",
			instructions: "Be short.",
			tools: [{ type: "web_search" }],
			temperature: 0.5,
			text: { verbosity: "low" },
		};
		expect(await wholeResponse(answer, testResponseWording({ rawBody }))).toMatchObject({
			id: "resp_01ARZ3NDEKTSV4RRFFQ69G5FAV",
			object: "response",
			created_at: 1,
			completed_at: 3,
			status: "completed",
			error: null,
			model: "m",
			usage: {
				input_tokens: 10,
				input_tokens_details: { cached_tokens: 3, cache_write_tokens: 2 },
				output_tokens: 10,
				output_tokens_details: { reasoning_tokens: 6 },
				total_tokens: 20,
			},
			instructions: "Be short.",
			tools: [{ type: "web_search" }],
			temperature: 0.5,
			text: { format: { type: "text" }, verbosity: "low" },
			tool_choice: "auto",
			parallel_tool_calls: true,
			truncation: "disabled",
			store: false,
			metadata: {},
			previous_response_id: null,
		});
	});

	it("has log probabilities with their text, whole and in pieces", async () => {
		const entry = (token: string) => ({ token, logprob: -1, bytes: null, top_logprobs: [] });
		const parts: StreamPart[] = [
			{ type: "text", text: "a" },
			{ type: "logprobs", content: [entry("a")] },
			{ type: "text", text: "b" },
			{ type: "logprobs", content: [entry("b"), "no entry"] },
			FINISH,
		];
		const wording = testResponseWording({ hasLogprobs: true });
		await expectSame(parts, wording);
		const deltas = parsedEvents(await responseEvents(parts, wording)).filter(({ event }) =>
			event.endsWith("text.delta"),
		);
		expect(deltas.map(({ data }) => [data["delta"], data["logprobs"]])).toEqual([
			["a", [{ token: "a", logprob: -1, bytes: [97], top_logprobs: [] }]],
			["b", [{ token: "b", logprob: -1, bytes: [98], top_logprobs: [] }]],
		]);
	});
});
