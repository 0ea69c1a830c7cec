// The OpenAI stream format read into parts, with the liberties providers take. Recorded streams are in recordings.test.ts.
import { describe, expect, it } from "vitest";
import { AnswerAccumulator } from "../../../src/providers/accumulate.ts";
import { OpenAiDecoder } from "../../../src/providers/openai-stream.ts";
import type { StreamPart } from "../../../src/providers/wire.ts";
import { type FlatAnswer, flat } from "../../support/flat-answer.ts";

const DONE = "[DONE]";
const USAGE = { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 };
const COUNTED = { uncachedInput: 7, cacheRead: 0, cacheWrite: 0, outputText: 3, reasoning: 0 };

interface Decoded {
	parts: StreamPart[];
	answer: FlatAnswer;
	finished: boolean;
}

/** Decodes events: text as it stands, anything else as JSON. */
function decoded(...events: unknown[]): Decoded {
	const decoder = new OpenAiDecoder();
	const accumulator = new AnswerAccumulator();
	const parts = events.flatMap((body) =>
		decoder.decode({ data: typeof body === "string" ? body : JSON.stringify(body) }),
	);
	parts.push(...decoder.end());
	for (const part of parts) accumulator.add(part);
	return { parts, answer: flat(accumulator.answer()), finished: decoder.finished };
}

function delta(fields: Record<string, unknown>) {
	return { choices: [{ index: 0, delta: fields, finish_reason: null }] };
}

function stop(finish_reason = "stop", more: Record<string, unknown> = {}) {
	return { choices: [{ index: 0, delta: {}, finish_reason }], ...more };
}

/** A chunk with one fragment of a tool call. */
function fragment(fields: Record<string, unknown>, name?: string | null, args?: string) {
	return delta({ tool_calls: [{ ...fields, function: { name, arguments: args } }] });
}

function typesOf(parts: readonly StreamPart[]): string[] {
	return parts.map(({ type }) => type);
}

function callsOf(...events: unknown[]) {
	return decoded(...events).answer.toolCalls;
}

function indicesOf(parts: readonly StreamPart[]): number[] {
	return parts.flatMap((part) => (part.type === "tool_call" ? [part.index] : []));
}

describe("tool calls of a stream", () => {
	it("are put together from fragments without id and name", () => {
		const { parts } = decoded(
			fragment({ index: 0, id: "a", type: "function" }, "f", ""),
			fragment({ index: 0 }, undefined, '{"x"'),
			fragment({ index: 0 }, null, ":1}"),
		);
		expect(parts).toEqual([
			{ type: "tool_call", index: 0, id: "a", name: "f" },
			{ type: "tool_arguments", index: 0, text: '{"x"' },
			{ type: "tool_arguments", index: 0, text: ":1}" },
		]);
	});

	it("may come whole in one fragment, two in one chunk", () => {
		const call = (index: number, id: string) => ({ index, id, function: { name: id, arguments: `{"i":${index}}` } });
		expect(callsOf(delta({ tool_calls: [call(0, "a"), call(1, "b")] }))).toEqual([
			{ id: "a", name: "a", arguments: '{"i":0}' },
			{ id: "b", name: "b", arguments: '{"i":1}' },
		]);
	});

	it("get an index each when all carry 0 but different ids", () => {
		const { parts, answer } = decoded(
			fragment({ index: 0, id: "a" }, "f", '{"x":'),
			fragment({ index: 0 }, undefined, "1}"),
			fragment({ index: 0, id: "b" }, "g", '{"y":'),
			fragment({ index: 0 }, undefined, "2}"),
		);
		expect(indicesOf(parts)).toEqual([0, 1]);
		expect(answer.toolCalls).toEqual([
			{ id: "a", name: "f", arguments: '{"x":1}' },
			{ id: "b", name: "g", arguments: '{"y":2}' },
		]);
	});

	it("are numbered from 0 when the provider starts at 1", () => {
		const { parts, answer } = decoded(
			fragment({ index: 1, id: "a" }, "f", "{"),
			fragment({ index: 2, id: "b" }, "g", "{"),
			fragment({ index: 1 }, undefined, "}"),
			fragment({ index: 2 }, undefined, "}"),
		);
		expect(indicesOf(parts)).toEqual([0, 1]);
		expect(answer.toolCalls).toEqual([
			{ id: "a", name: "f", arguments: "{}" },
			{ id: "b", name: "g", arguments: "{}" },
		]);
	});

	it("need no index: an id begins a call, a fragment without one belongs to the last", () => {
		const calls = callsOf(
			fragment({ id: "a" }, "f", "{"),
			fragment({}, undefined, "}"),
			fragment({ id: "b" }, "g", "{}"),
		);
		expect(calls).toEqual([
			{ id: "a", name: "f", arguments: "{}" },
			{ id: "b", name: "g", arguments: "{}" },
		]);
	});

	it("stay one call when every fragment repeats index and id", () => {
		const calls = callsOf(fragment({ index: 0, id: "a" }, "f", "{"), fragment({ index: 0, id: "a" }, undefined, "}"));
		expect(calls).toEqual([{ id: "a", name: "f", arguments: "{}" }]);
	});

	it("keep the name they began with when later fragments carry an empty one or repeat it", () => {
		const calls = callsOf(
			fragment({ index: 0, id: "a" }, "f", ""),
			fragment({ index: 0 }, "", '{"x":1'),
			fragment({ index: 0 }, "f", "}"),
		);
		expect(calls).toEqual([{ id: "a", name: "f", arguments: '{"x":1}' }]);
	});

	it("whose name arrives late lose none of the arguments before it", () => {
		const { parts } = decoded(
			fragment({ index: 0, id: "a" }, undefined, '{"x"'),
			fragment({ index: 0 }, "", ":"),
			fragment({ index: 0 }, "f", "1}"),
		);
		expect(parts).toEqual([
			{ type: "tool_call", index: 0, id: "a", name: "f" },
			{ type: "tool_arguments", index: 0, text: '{"x":1}' },
		]);
	});

	it("get an id each when the provider gives none", () => {
		const calls = callsOf(fragment({ index: 0 }, "f", "{}"), fragment({ index: 1 }, "g", "{}"));
		expect(calls.map(({ name }) => name)).toEqual(["f", "g"]);
		expect(new Set(calls.map(({ id }) => id)).size).toBe(2);
		expect(calls.every(({ id }) => id !== "")).toBe(true);
	});

	it("make the reason tool_calls even where the provider says stop, but not where the limit cut them", () => {
		const call = fragment({ index: 0, id: "a" }, "f", "{}");
		expect(decoded(call, stop("stop")).answer).toMatchObject({
			finishReason: "tool_calls",
			nativeFinishReason: "stop",
		});
		expect(decoded(call, stop("length")).answer.finishReason).toBe("length");
	});
});

describe("usage of a stream", () => {
	const text = delta({ content: "t" });

	it.each([
		["the last chunk", [text, stop("stop", { usage: USAGE })]],
		["an extra chunk with empty choices", [text, stop(), { choices: [], usage: USAGE }]],
		["an extra chunk without choices", [text, stop(), { usage: USAGE }]],
		["Groq's x_groq", [text, stop("stop", { x_groq: { id: "req_1", usage: USAGE } })]],
	])("is read from %s", (_place, events) => {
		const { parts, answer } = decoded(...events, DONE);
		expect(answer.usage).toEqual(COUNTED);
		expect(typesOf(parts)).toEqual(["text", "finish", "usage"]);
	});

	it("is the last of those reported so far", () => {
		const early = { ...text, usage: { prompt_tokens: 7, completion_tokens: 1, total_tokens: 8 } };
		expect(decoded(early, stop("stop", { usage: USAGE }), DONE).answer.usage).toEqual(COUNTED);
	});

	it("is null, not zero, when none or nothing readable is reported", () => {
		for (const usage of [undefined, null, {}, { prompt_tokens: "7", completion_tokens: 3 }]) {
			expect(decoded(text, stop("stop", { usage }), DONE).answer.usage).toBeNull();
		}
	});
});

describe("what a stream says", () => {
	it("is text in order, without empty deltas", () => {
		const { parts } = decoded(
			delta({ role: "assistant", content: "" }),
			delta({ content: "a" }),
			delta({ content: "b" }),
		);
		expect(parts).toEqual([
			{ type: "text", text: "a" },
			{ type: "text", text: "b" },
		]);
	});

	it("may be Mistral's content parts, thinking among them, under a delta with an index", () => {
		const thinking = { type: "thinking", thinking: [{ type: "text", text: "hm" }] };
		const { parts } = decoded(
			delta({ role: "assistant", index: 0, content: [thinking] }),
			delta({
				index: 0,
				content: [
					{ type: "text", text: "a" },
					{ type: "text", text: "b" },
				],
			}),
			delta({ index: 0, content: "" }),
		);
		expect(parts).toEqual([
			{ type: "reasoning", text: "hm" },
			{ type: "text", text: "ab" },
		]);
	});

	it("is reasoning under either of its names, once where both are given", () => {
		expect(decoded(delta({ reasoning_content: "r", content: null })).answer.reasoning).toBe("r");
		expect(decoded(delta({ reasoning: "r" })).answer.reasoning).toBe("r");
		expect(decoded(delta({ reasoning: "r", reasoning_content: "r" })).answer.reasoning).toBe("r");
		expect(decoded(delta({ reasoning: "r", content: "t" })).parts).toEqual([
			{ type: "reasoning", text: "r" },
			{ type: "text", text: "t" },
		]);
	});

	it("may be a refusal", () => {
		const { answer } = decoded(delta({ refusal: "I can" }), delta({ refusal: "not" }), stop());
		expect(answer).toMatchObject({ refusal: "I cannot", content: null, finishReason: "stop" });
	});

	it("comes with log probabilities, all of them in order", () => {
		const chunk = (token: string) => ({
			choices: [{ index: 0, delta: { content: token }, logprobs: { content: [{ token, logprob: -1 }] } }],
		});
		expect(decoded(chunk("a"), chunk("b"), stop()).answer.logprobs).toEqual({
			content: [
				{ token: "a", logprob: -1 },
				{ token: "b", logprob: -1 },
			],
		});
		expect(decoded(delta({ content: "a" }), stop()).answer.logprobs).toBeNull();
	});

	it("keeps delta fields nobody knows", () => {
		const annotations = [{ type: "url_citation" }];
		const { parts, answer } = decoded(delta({ content: "t", annotations }), delta({ audio: { id: "x" } }));
		expect(parts).toEqual([
			{ type: "text", text: "t" },
			{ type: "extra", fields: { annotations } },
			{ type: "extra", fields: { audio: { id: "x" } } },
		]);
		expect(answer.extra).toEqual({ annotations, audio: { id: "x" } });
	});

	it("passes chunk fields nobody knows, each once, and does not mind chunks that hold nothing", () => {
		const { parts, finished } = decoded(
			{ id: "1", object: "chat.completion.chunk", choices: [], prompt_filter_results: [{}], obfuscation: "x", svc: 1 },
			{ id: "1", object: "chat.completion.chunk", choices: [], prompt_filter_results: [{}], obfuscation: "y" },
			{ choices: null },
			{ choices: [{ delta: null }] },
			delta({ content: "t" }),
			stop("stop", { citations: ["u"] }),
			DONE,
		);
		expect(parts).toMatchObject([
			{ type: "body_fields", fields: { prompt_filter_results: [{}] } },
			{ type: "text" },
			{ type: "body_fields", fields: { citations: ["u"] } },
			{ type: "finish" },
		]);
		expect(finished).toBe(true);
	});
});

describe("the end of a stream", () => {
	it.each([
		["stop", "stop"],
		["length", "length"],
		["content_filter", "content_filter"],
		["eos", "stop"],
	])("reported as %s means %s", (native, reason) => {
		expect(decoded(delta({ content: "t" }), stop(native), DONE).parts).toContainEqual({
			type: "finish",
			reason,
			native,
		});
	});

	it("is said once, as it was said first", () => {
		const { parts } = decoded(delta({ content: "t" }), stop("length"), stop("stop"), DONE);
		expect(parts.filter(({ type }) => type === "finish")).toEqual([
			{ type: "finish", reason: "length", native: "length" },
		]);
	});

	it("is a failure where the provider says that it failed", () => {
		for (const native of ["error", "insufficient_system_resource"]) {
			expect(decoded(delta({ content: "half" }), stop(native)).parts.at(-1)).toMatchObject({
				type: "failure",
				error: { code: native },
			});
		}
	});

	it("is [DONE], with or without space around it; nothing after it counts", () => {
		for (const done of [DONE, ` ${DONE} `]) {
			const { parts, finished } = decoded(
				delta({ content: "t" }),
				stop(),
				done,
				delta({ content: "more" }),
				"no JSON",
				{ error: { message: "late" } },
			);
			expect(typesOf(parts)).toEqual(["text", "finish"]);
			expect(finished).toBe(true);
		}
	});

	it("is reached without [DONE] when reason and usage are there, in either order", () => {
		expect(decoded(delta({ content: "t" }), stop("stop", { usage: USAGE })).finished).toBe(true);
		expect(decoded(delta({ content: "t" }), { usage: USAGE }, stop()).finished).toBe(true);
	});

	it("is not reached by a stream cut before its reason, or between reason and usage", () => {
		expect(decoded().finished).toBe(false);
		expect(decoded(delta({ content: "t" })).finished).toBe(false);
		expect(decoded({ ...delta({ content: "t" }), usage: USAGE }).finished).toBe(false);
		expect(decoded(delta({ content: "t" }), stop()).finished).toBe(false);
	});
});

describe("a stream that cannot be used", () => {
	it("reports the provider's error, whatever its form", () => {
		const text = delta({ content: "half" });
		expect(decoded(text, { error: { message: "overloaded", type: "server_error", code: 503 } }).parts).toEqual([
			{ type: "text", text: "half" },
			{ type: "failure", error: { message: "overloaded", code: "503", type: "server_error" } },
		]);
		expect(decoded({ error: "overloaded" }).parts).toEqual([
			{ type: "failure", error: { message: "overloaded", code: null } },
		]);
		expect(decoded({ ...stop(), error: { message: "m" } }).parts).toEqual([
			{ type: "failure", error: { message: "m", code: null } },
		]);
	});

	it("goes on when the error field is empty", () => {
		expect(decoded({ ...delta({ content: "t" }), error: null }).parts).toEqual([{ type: "text", text: "t" }]);
	});

	it("fails, and does not throw, on malformed JSON and chunks of another shape", () => {
		for (const event of ['{"choices":[{"del', "<html>", "null", "[]", "7", { choices: "x" }, delta({ content: 7 })]) {
			const { parts, finished } = decoded(event);
			expect(typesOf(parts), JSON.stringify(event)).toEqual(["failure"]);
			expect(finished).toBe(false);
		}
	});
});

describe("what providers get wrong", () => {
	it("is an error although it has no message, or stands flat in the event", () => {
		for (const event of [
			{ error: { code: 500 } },
			{ error: { message: null } },
			{ object: "error", message: "overloaded", code: 503 },
			{ detail: "no" },
		]) {
			const { parts, finished } = decoded(delta({ content: "half" }), event, DONE);
			expect([typesOf(parts).at(-1), finished]).toEqual(["failure", false]);
		}
	});

	it("is not taken for whole without a finish reason", () => {
		expect(decoded(delta({ content: "half" }), DONE).finished).toBe(false);
	});

	it("leaves every call an id, its arguments and its place", () => {
		const twice = [fragment({ index: 0, id: "" }, "f", "{}"), fragment({ index: 1, id: "" }, "g", "{}")];
		expect(new Set(callsOf(...twice).map(({ id }) => id)).size).toBe(2);
		const cases = [
			[fragment({ id: "a" }, "f", "{"), fragment({ id: "a" }, null, "}")],
			[
				fragment({ index: 0, id: "a" }, "f", "{"),
				fragment({ index: 0, id: "b" }, "f", "{"),
				fragment({ index: 0, id: "a" }, null, "}"),
				fragment({ index: 0, id: "b" }, null, "}"),
			],
			[fragment({ index: 0 }, "f", "{"), fragment({ index: 0, id: "x" }, null, "}")],
			[fragment({}, "f", "{}"), fragment({}, "g", "{}")],
		];
		for (const events of cases) {
			for (const call of callsOf(...events)) expect(call.arguments).toBe("{}");
		}
		const { parts } = decoded(fragment({ index: 0, id: "a" }, null, ""), fragment({ index: 1, id: "b" }, "g", "{}"));
		expect(indicesOf(parts)).toEqual([0]);
	});

	it("gives a call without arguments an empty object, which the client gets as well", () => {
		const { parts, answer } = decoded(fragment({ index: 0, id: "a" }, "f", ""), stop("tool_calls"), DONE);
		expect(parts).toContainEqual({ type: "tool_arguments", index: 0, text: "{}" });
		expect(answer.toolCalls).toMatchObject([{ arguments: "{}" }]);
	});
});

describe("what servers of operators do otherwise", () => {
	const reported = (event: unknown) => decoded(delta({ content: "half" }), event, DONE).parts.at(-1);

	it("is an error within the stream, in OpenRouter's, vLLM's, llama.cpp's and LM Studio's forms", () => {
		expect(
			reported({
				...{ id: "gen-1", object: "chat.completion.chunk", provider: "Box", error: { code: 502, message: "gone" } },
				choices: [{ index: 0, delta: { content: "" }, finish_reason: "error", native_finish_reason: "error" }],
			}),
		).toEqual({ type: "failure", error: { message: "gone", code: "502" } });
		expect(reported({ error: { message: "m", type: "BadRequestError", param: null, code: 400 } })).toEqual({
			type: "failure",
			error: { message: "m", code: "400", type: "BadRequestError" },
		});
		expect(reported({ object: "error", message: "m", type: "InternalServerError", param: null, code: 500 })).toEqual({
			type: "failure",
			error: { message: "m", code: "500", type: "InternalServerError" },
		});
		expect(reported({ error: "model has crashed" })).toEqual({
			type: "failure",
			error: { message: "model has crashed", code: null },
		});
		expect(reported(stop("error"))).toMatchObject({ type: "failure" });
	});

	it("is usage with the reason, after it, or with every chunk; timings beside it are passed", () => {
		for (const events of [
			[stop("stop", { usage: USAGE }), DONE],
			[{ ...delta({ content: "" }), usage: null }, stop("stop"), { choices: [], usage: USAGE }, DONE],
			[{ ...delta({ content: "" }), usage: { ...USAGE, completion_tokens: 1 } }, stop("stop", { usage: USAGE })],
		]) {
			const { answer, finished } = decoded(
				delta({ role: "assistant", content: null }),
				delta({ content: "a" }),
				...events,
			);
			expect([answer.usage, answer.content, finished]).toEqual([COUNTED, "a", true]);
		}
		const timings = { prompt_n: 7, predicted_n: 3, predicted_per_second: 31.5 };
		const { parts } = decoded(delta({ content: "a" }), stop("stop"), { choices: [], usage: USAGE, timings }, DONE);
		expect(parts).toContainEqual({ type: "body_fields", fields: { timings } });
	});

	it("is an empty reason until the last chunk, which is none", () => {
		const open = { choices: [{ index: 0, delta: { content: "a" }, finish_reason: "" }] };
		const { answer, finished } = decoded(open, open, stop("stop"), DONE);
		expect([answer.content, answer.nativeFinishReason, finished]).toEqual(["aa", "stop", true]);
		expect(decoded(open, stop(""), DONE).finished).toBe(false);
	});

	it("is arguments as an object, whole", () => {
		const { answer, parts } = decoded(
			delta({ tool_calls: [{ function: { name: "f", arguments: { city: "Rome" } } }] }),
			delta({ tool_calls: [{ function: { name: "g", arguments: {} } }] }),
			stop("stop"),
			DONE,
		);
		expect(answer.toolCalls).toMatchObject([
			{ name: "f", arguments: '{"city":"Rome"}' },
			{ name: "g", arguments: "{}" },
		]);
		expect(indicesOf(parts)).toEqual([0, 1]);
		expect(answer.finishReason).toBe("tool_calls");
	});

	it("is two whole calls of one tool, both without an id and with index 0", () => {
		for (const index of [{ index: 0 }, {}])
			expect(
				callsOf(fragment(index, "f", '{"a":1}'), fragment(index, "f", '{"a":2}'), stop("tool_calls")).map(
					({ arguments: written }) => written,
				),
			).toEqual(['{"a":1}', '{"a":2}']);
		// One call whose name every fragment repeats.
		expect(callsOf(fragment({ index: 0 }, "f", '{"a":'), fragment({ index: 0 }, "f", "1}"))).toMatchObject([
			{ arguments: '{"a":1}' },
		]);
	});
});
