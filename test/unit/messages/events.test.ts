// Streamed messages: recorded traffic of all wires as Anthropic's own client reads it, and odd orders of parts that no wire is kept from.
import Anthropic from "@anthropic-ai/sdk";
import fc from "fast-check";
import { describe, expect, inject, it } from "vitest";
import { markedCallId } from "../../../src/inference/tool-call-ids.ts";
import { AnswerBlocks, type BlockStep } from "../../../src/messages/answer-blocks.ts";
import { toContent } from "../../../src/messages/answer-content.ts";
import { MessageEvents } from "../../../src/messages/events.ts";
import { toMessage } from "../../../src/messages/message.ts";
import { WellFormedParts } from "../../../src/providers/well-formed.ts";
import type { StreamPart } from "../../../src/providers/wire.ts";
import { readMessageStream } from "../../support/message-stream.ts";
import {
	accumulate,
	MESSAGE_ID,
	openSeal,
	SVC,
	settledAnswer,
	streamEvents,
	testWording,
} from "../../support/messages.ts";
import {
	hasRecordings,
	listStreams,
	readerEvents,
	recordedEvents,
	recordedText,
	recordingsEnding,
	wireOfRecording,
} from "../../support/recordings.ts";

/** A message that began twice is signed twice where it is streamed: what was delivered stands. */
const RESTARTED = ["anthropic/duplicate-message-start.chunks.txt", "anthropic/spliced-message-start.chunks.txt"];

/** What Anthropic's client makes of a stream. */
function clientsMessage(sse: string) {
	const client = new Anthropic({
		apiKey: "k",
		baseURL: "https://svc.test",
		maxRetries: 0,
		fetch: async () => new Response(sse, { headers: { "content-type": "text/event-stream" } }),
	});
	return client.messages
		.stream({ model: "m", max_tokens: 1, messages: [{ role: "user", content: "hi" }] })
		.finalMessage();
}

function recordedParts(path: string): StreamPart[] {
	const { name, wire } = wireOfRecording(path);
	const decoder = wire.createDecoder();
	const wellFormed = new WellFormedParts();
	const events = readerEvents(name, recordedEvents(path).events);
	const parts = [...events.flatMap((event) => decoder.decode(event)), ...decoder.end()].flatMap(
		(part) => wellFormed.pass(part) ?? [],
	);
	return [...parts, ...wellFormed.end()];
}

function wordingOfRecording(path: string) {
	return testWording({ isNative: wireOfRecording(path).name === "anthropic" });
}

describe("a stream", () => {
	const streams = listStreams();

	it.each(streams)("%s comes out of Anthropic's client as the whole message", async (path) => {
		const wording = wordingOfRecording(path);
		const parts = recordedParts(path);
		const sse = await streamEvents(parts, wording);
		const { svc, ...whole } = await toMessage(settledAnswer(accumulate(parts)), wording);
		// What the client adds itself.
		const { usage, parsed_output: _parsed, ...streamed } = await clientsMessage(sse);
		// The client keeps the split of cache writes that the stream began with.
		expect(usage).toEqual({ ...whole.usage, cache_creation: null });
		if (RESTARTED.includes(path)) return;
		expect({ ...streamed, usage: whole.usage }).toEqual(whole);
		expect(svc).toBe(SVC);
	});

	it.each(streams)("%s has its events in order, all of its usage and the svc block at its end", async (path) => {
		const parts = recordedParts(path);
		const { start, delta, error, content, pings, names } = readMessageStream(
			await streamEvents(parts, wordingOfRecording(path)),
		);
		expect(start).toMatchObject({ id: MESSAGE_ID, model: "m", role: "assistant" });
		expect([error, pings, names.slice(0, 2)]).toEqual([null, 1, ["message_start", "ping"]]);
		const { usage, svc } = await toMessage(settledAnswer(accumulate(parts)), wordingOfRecording(path));
		expect(delta).toMatchObject({ usage, svc });
		expect(content.length).toBeGreaterThan(0);
	});

	it.each(streams)("%s that breaks off ends with an error, wherever it does", async (path) => {
		const parts = recordedParts(path);
		const step = Math.ceil(parts.length / 40);
		for (let kept = 0; kept < parts.length; kept += step) {
			const sse = await streamEvents(parts.slice(0, kept), wordingOfRecording(path), { isCut: true });
			const { error, delta } = readMessageStream(sse);
			expect([error?.["error"], delta]).toEqual([{ type: "api_error", message: "cut", code: "upstream_cut" }, null]);
		}
	});
});

describe.runIf(hasRecordings())("a recorded message of Anthropic's", () => {
	const bodies = recordingsEnding(".json").filter((path) => wireOfRecording(path).name === "anthropic");

	it.each(bodies)("%s keeps its blocks and its stop reason", async (path) => {
		const body = JSON.parse(recordedText(path)) as Anthropic.Message;
		const answer = wireOfRecording(path).wire.parseAnswer(body);
		if (!answer) throw new Error("no answer");
		const { content, stop_reason } = await toMessage(settledAnswer(answer), wordingOfRecording(path));
		// Tools that Anthropic's own code called have been answered; this service offers it none.
		const isCode = body.content.some((block) => block.type === "tool_use" && block.caller?.type !== "direct");
		expect(stop_reason).toBe(isCode ? "tool_use" : body.stop_reason);
		const own = body.content.filter(({ type }) => type !== "text" && type !== "tool_use");
		expect(content.filter(({ type }) => type !== "text" && type !== "tool_use")).toEqual(own);
		const calls = body.content.filter((block) => block.type === "tool_use");
		expect(content.filter(({ type }) => type === "tool_use")).toMatchObject(
			calls.map(({ name, input }) => ({ name, input })),
		);
	});
});

describe("the events", () => {
	const call = (index: number, id = `c${index}`): StreamPart => ({ type: "tool_call", index, id, name: "f" });
	const text = (index: number, piece: string): StreamPart => ({ type: "tool_arguments", index, text: piece });
	const names = (steps: readonly BlockStep[]) =>
		steps.map((step) => (step.type === "start" ? String(step.block["id"] ?? step.block.type) : step.type));

	it("of a call go out at once, and the next call waits only until its object is complete", () => {
		const blocks = new AnswerBlocks(testWording().toBlockForm("m"));
		const [first, second] = ["c0", "c1"].map((id) => markedCallId(id, "m"));
		expect(names(blocks.pass(call(0)))).toEqual([first]);
		expect(names(blocks.pass(text(0, '{"a":"}')))).toEqual(["delta"]);
		expect(names(blocks.pass(call(1)))).toEqual([]);
		expect(names(blocks.pass(text(1, "{")))).toEqual([]);
		expect(names(blocks.pass({ type: "text", text: "Both." }))).toEqual([]);
		expect(names(blocks.pass(text(0, '\\""}')))).toEqual(["delta", "stop", second, "delta"]);
		expect(names(blocks.pass(text(1, "}")))).toEqual(["delta", "stop", "text", "delta"]);
		expect(names(blocks.end())).toEqual(["stop"]);
	});

	it("of a call that never completes keep the others waiting to the end", () => {
		const blocks = new AnswerBlocks(testWording().toBlockForm("m"));
		for (const part of [call(0), text(0, '{"a'), call(1), text(1, "{}"), call(2)]) blocks.pass(part);
		const [second, third] = ["c1", "c2"].map((id) => markedCallId(id, "m"));
		expect(names(blocks.end())).toEqual(["stop", second, "delta", "stop", third, "stop"]);
	});

	it("of many calls that are written in turns are made in one pass over the parts", () => {
		const indexes = Array.from({ length: 300 }, (_, index) => index);
		const rounds = ["[", "1,", "2,", "3]"].map((piece) => indexes.map((index) => text(index, piece)));
		let looks = 0;
		const counted = [...indexes.map((index) => call(index)), ...rounds.flat()].map(
			(part) =>
				new Proxy(part, {
					get(target, name) {
						looks++;
						return Reflect.get(target, name);
					},
				}),
		);
		const blocks = new AnswerBlocks(testWording().toBlockForm("m"));
		const steps = [...counted.flatMap((part) => blocks.pass(part)), ...blocks.end()];
		expect(steps).toHaveLength(indexes.length * (2 + rounds.length));
		expect(looks).toBeLessThan(20 * counted.length);
	});

	it("of an error have the type of Anthropic's form, also before the message", () => {
		const types = ["upstream_cut", "overloaded_error", "all_models_failed", "upstream_timeout", "constructor"].map(
			(code) => {
				const sse = new MessageEvents(testWording()).fail({ type: "upstream_error", code, message: "why" }, null);
				return readMessageStream(sse).error?.["error"];
			},
		);
		expect(types).toMatchObject([
			{ type: "api_error", message: "why", code: "upstream_cut" },
			{ type: "overloaded_error" },
			{ type: "overloaded_error" },
			{ type: "timeout_error" },
			{ type: "api_error" },
		]);
	});

	it("of a silent stream are pings", () => {
		expect(new MessageEvents(testWording()).keepAlive).toBe('event: ping\ndata: {"type":"ping"}\n\n');
	});
});

/** Text that comes in pieces. */
const pieces = fc.array(fc.string({ minLength: 1, maxLength: 5 }), { minLength: 1, maxLength: 3 });

/** JSON text in pieces of a few characters, now and then cut short. */
const argumentPieces = fc
	.tuple(fc.dictionary(fc.string({ maxLength: 3 }), fc.jsonValue({ maxDepth: 1 }), { maxKeys: 3 }), fc.nat(30))
	.map(([value, cut]) => {
		const text = JSON.stringify(value);
		return (cut === 0 ? text.slice(0, -1) : text).match(/.{1,4}/gsu) ?? [];
	});

/** Parts of one kind that belong together, without the index of a call. */
const runOfParts: fc.Arbitrary<StreamPart[]> = fc.oneof(
	pieces.map((texts) => texts.map((text): StreamPart => ({ type: "text", text }))),
	pieces.map((texts) => texts.map((text): StreamPart => ({ type: "refusal", text }))),
	fc.tuple(pieces, fc.constantFrom("none", "signed", "other")).map(([texts, end]): StreamPart[] => {
		const reasoning = texts.map((text): StreamPart => ({ type: "reasoning", text }));
		if (end === "none") return reasoning;
		const thinking = end === "signed" ? texts.join("") : "what the model wrote";
		return [
			...reasoning,
			{ type: "provider", wire: "anthropic", block: { type: "thinking", thinking, signature: "s" } },
		];
	}),
	fc
		.tuple(argumentPieces, fc.boolean())
		.map(([texts, isSigned]): StreamPart[] => [
			{ type: "tool_call", index: 0, id: "c", name: "f", ...(isSigned ? { signature: "g" } : {}) },
			...texts.map((text): StreamPart => ({ type: "tool_arguments", index: 0, text })),
		]),
	fc.constantFrom<StreamPart[]>(
		[{ type: "provider", wire: "anthropic", block: { type: "redacted_thinking", data: "d" } }],
		[{ type: "provider", wire: "google", block: { type: "google.thought_signature", thoughtSignature: "t" } }],
		[{ type: "provider", wire: "google", block: { executableCode: {} } }],
		[{ type: "extra", fields: { a: 1 } }],
	),
);

/** Runs of parts, whose calls write at once. */
function interleave(runs: readonly StreamPart[][], picks: readonly number[]): StreamPart[] {
	const numbered = runs.map((run, index) =>
		run.map((part) =>
			part.type === "tool_call"
				? { ...part, index, id: `c${index}` }
				: part.type === "tool_arguments"
					? { ...part, index }
					: part,
		),
	);
	const parts: StreamPart[] = [];
	let queues = numbered.filter((run) => run.length > 0);
	for (let turn = 0; queues.length > 0; turn++) {
		// Only calls go on while something else is written.
		const [first] = queues;
		const picked = queues[(picks[turn % picks.length] ?? 0) % Math.min(3, queues.length)];
		const isCall = first?.[0]?.type === "tool_arguments" && picked?.[0]?.type.startsWith("tool_");
		const next = (isCall ? picked : first)?.shift();
		if (next) parts.push(next);
		queues = queues.filter((run) => run.length > 0);
	}
	return parts;
}

const FINISH: StreamPart = { type: "finish", reason: "stop", native: "stop" };
const streamOfParts = fc
	.tuple(fc.array(runOfParts, { maxLength: 8 }), fc.array(fc.nat(2), { minLength: 1, maxLength: 7 }))
	.map(([runs, picks]) => [...interleave(runs, picks), FINISH]);

const forms = fc.record({ isNative: fc.boolean(), showsThinking: fc.boolean(), returnsReasoning: fc.boolean() });
const property = { seed: inject("seed"), numRuns: Math.min(inject("cases"), 1_000) };

describe("any stream", () => {
	it("has one block at a time and the content of the whole message", async () => {
		await fc.assert(
			fc.asyncProperty(streamOfParts, forms, async (parts, form) => {
				const wording = testWording(form);
				const { content, error } = readMessageStream(await streamEvents(parts, wording));
				expect(error).toBeNull();
				expect(content).toEqual(await toContent(accumulate(parts), wording.toBlockForm("m"), openSeal));
			}),
			property,
		);
	});

	it("keeps its order where the upstream begins again, and where it breaks off", async () => {
		await fc.assert(
			fc.asyncProperty(streamOfParts, streamOfParts, forms, fc.nat(40), async (before, after, form, kept) => {
				const parts: StreamPart[] = [...before.slice(0, -1), { type: "restart" }, ...after];
				const { delta } = readMessageStream(await streamEvents(parts, testWording(form)));
				expect(delta).not.toBeNull();
				const { error } = readMessageStream(
					await streamEvents(parts.slice(0, kept), testWording(form), { isCut: true }),
				);
				expect(error).not.toBeNull();
			}),
			property,
		);
	});
});
