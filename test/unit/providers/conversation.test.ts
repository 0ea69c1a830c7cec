// What makes a conversation one that providers take: every call with its one result, and system text in its place.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { pairToolResults, placeSystem } from "../../../src/providers/conversation.ts";
import type { Message, TextPart, ToolCallPart, ToolResultPart } from "../../../src/providers/model-call.ts";

const text = (value: string): TextPart => ({ type: "text", text: value });
const call = (id: string): ToolCallPart => ({ type: "tool_call", id, name: `f_${id}`, arguments: "{}" });
const result = (callId: string, value = `out ${callId}`): ToolResultPart => ({
	type: "tool_result",
	callId,
	content: [text(value)],
});
const user = (...content: Extract<Message, { role: "user" }>["content"]): Message => ({ role: "user", content });
const assistant = (...content: Extract<Message, { role: "assistant" }>["content"]): Message => ({
	role: "assistant",
	content,
});
const system = (...content: TextPart[]): Message => ({ role: "system", content });
const missing = (callId: string) => result(callId, "No output of this call was given.");

describe("tool calls and their results", () => {
	it("stay as they are where they are right", () => {
		const plain = [user(text("hi")), assistant(text("hello"))];
		expect(pairToolResults(plain)).toBe(plain);
		const loop = [user(text("go")), assistant(text("ok"), call("a"), call("b")), user(result("a"), result("b"))];
		expect(pairToolResults(loop)).toEqual(loop);
	});

	it("stand together, in the order of the calls, before whatever the client said meanwhile", () => {
		expect(
			pairToolResults([
				user(text("go")),
				assistant(call("a"), call("b")),
				system(text("aside")),
				user(text("quick"), result("b")),
				user(result("a")),
				assistant(text("done")),
			]),
		).toEqual([
			user(text("go")),
			assistant(call("a"), call("b")),
			user(result("a"), result("b")),
			system(text("aside")),
			user(text("quick")),
			assistant(text("done")),
		]);
	});

	it("keep a result that came after the model spoke again", () => {
		expect(pairToolResults([assistant(call("a")), assistant(text("wait")), user(result("a"))])).toEqual([
			assistant(call("a")),
			user(result("a")),
			assistant(text("wait")),
		]);
	});

	it("say that an output is missing, wherever that is", () => {
		expect(
			pairToolResults([assistant(call("a"), call("b")), user(result("b")), assistant(call("c")), user(text("stop"))]),
		).toEqual([
			assistant(call("a"), call("b")),
			user(missing("a"), result("b")),
			assistant(call("c")),
			user(missing("c")),
			user(text("stop")),
		]);
		expect(pairToolResults([user(text("go")), assistant(call("a"))])).toEqual([
			user(text("go")),
			assistant(call("a")),
			user(missing("a")),
		]);
	});

	it("become the user's text where there is an output and no call, or a second output", () => {
		const failed: ToolResultPart = { ...result("y"), isError: true };
		expect(pairToolResults([user(result("x")), assistant(call("a")), user(result("a"), result("a", "again"), failed)]))
			// The order of what the user said stays.
			.toEqual([
				user(text("Output of tool call x:"), text("out x")),
				assistant(call("a")),
				user(result("a")),
				user(text("Output of tool call a:"), text("again"), text("Error of tool call y:"), text("out y")),
			]);
	});

	it("count as parallel where a client sent the calls one by one", () => {
		expect(
			pairToolResults([assistant(text("ok"), call("a")), assistant(call("b")), user(result("b"), result("a"))]),
		).toEqual([assistant(text("ok"), call("a"), call("b")), user(result("a"), result("b"))]);
	});

	it("are told apart where a provider used an id again", () => {
		const first = result("0", "one");
		const second = result("0", "two");
		expect(
			pairToolResults([assistant(call("0")), user(first), assistant(call("0")), user(second), assistant(call("0"))]),
		).toEqual([
			assistant(call("0")),
			user(first),
			assistant({ ...call("0"), id: "0_2" }),
			user({ ...second, callId: "0_2" }),
			assistant({ ...call("0"), id: "0_3" }),
			user(missing("0_3")),
		]);
	});

	const part = fc.constantFrom("a", "b", "c");
	const message = fc.oneof(
		fc.array(part, { minLength: 1, maxLength: 3 }).map((ids) => assistant(...[...new Set(ids)].map(call))),
		fc.array(part, { minLength: 1, maxLength: 3 }).map((ids) => user(...ids.map((id) => result(id)))),
		part.map((word) => user(text(word))),
		part.map((word) => assistant(text(word))),
		part.map((word) => system(text(word))),
	);

	it("are one result to each call, right after it, for any conversation, and lose no text", () => {
		fc.assert(
			fc.property(fc.array(message, { maxLength: 8 }), (messages) => {
				const paired = pairToolResults(messages);
				for (const [index, { content }] of paired.entries()) {
					const ids = content.flatMap((each) => (each.type === "tool_call" ? [each.id] : []));
					const answered = (paired[index + 1]?.content ?? []).flatMap((each) =>
						each.type === "tool_result" ? [each.callId] : [],
					);
					expect(answered).toEqual(ids);
				}
				const texts = (list: readonly Message[]) => JSON.stringify(list).match(/"text":"out [abc]"/g)?.length ?? 0;
				expect(texts(paired)).toBe(texts(messages));
				expect(pairToolResults(paired)).toEqual(paired);
			}),
		);
	});

	it("begin the same on the next turn", () => {
		fc.assert(
			fc.property(fc.array(message, { maxLength: 6 }), part, (messages, word) => {
				const now = pairToolResults([...messages, user(text(word))]);
				const next = pairToolResults([...messages, user(text(word)), assistant(text("done")), user(text("more"))]);
				expect(next.slice(0, now.length)).toEqual(now);
			}),
		);
	});
});

describe("system messages", () => {
	it("go apart before the first answer, and stay in their place after it", () => {
		const cache = { ttl: "1h" } as const;
		expect(
			placeSystem([
				system(text("one")),
				user(text("hi")),
				system(text("two")),
				assistant(text("hello")),
				user(text("and")),
				system({ ...text("three"), cache }, text(" ")),
				system(text("")),
			]),
		).toEqual({
			system: [text("one"), text("two")],
			conversation: [
				user(text("hi")),
				assistant(text("hello")),
				user(text("and")),
				user({ ...text("<system>\nthree\n</system>"), cache }),
				user(),
			],
		});
	});
});
