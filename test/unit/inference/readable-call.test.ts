// Reasoning is sent to the model that wrote it and to no other.
import { describe, expect, it } from "vitest";
import { readableCalls } from "../../../src/inference/readable-call.ts";
import type { AssistantPart, ModelCall } from "../../../src/providers/model-call.ts";

function callWith(...content: AssistantPart[]): ModelCall {
	const messages: ModelCall["messages"] = [
		{ role: "user", content: [{ type: "text", text: "hi" }] },
		{ role: "assistant", content },
	];
	return { messages, tools: [], output: { type: "text" }, maxTokens: 10, stop: [], sampling: {}, unknownFields: {} };
}

const TEXT: AssistantPart = { type: "text", text: "ho" };
const OPEN: AssistantPart = { type: "reasoning", text: "hm" };
const ofA: AssistantPart = { type: "provider", wire: "anthropic", block: { type: "thinking" }, onlyFor: "a" };
const ofB: AssistantPart = { type: "reasoning", text: "b thinks", onlyFor: "b" };
const CALL: AssistantPart = { type: "tool_call", id: "c", name: "f", arguments: "{}" };
const signed: AssistantPart = { ...CALL, signature: "s", onlyFor: "b" };

const partsFor = (call: ModelCall, modelId: string) => readableCalls(call)(modelId).call.messages[1]?.content;

describe("a call with reasoning", () => {
	it("is sent to the model that wrote it as it is, by identity", () => {
		const call = callWith(OPEN, ofA, TEXT);
		expect(readableCalls(call)("a")).toEqual({ call, warnings: [] });
		expect(readableCalls(call)("a").call).toBe(call);
	});

	it("that is for nobody in particular is sent to every model as it is", () => {
		const call = callWith(OPEN, TEXT);
		expect(readableCalls(call)("x").call).toBe(call);
	});

	it("is sent to another model without it, and the warning names whose it was", () => {
		const { call, warnings } = readableCalls(callWith(OPEN, ofA, TEXT))("x");
		expect(call.messages[1]?.content).toEqual([OPEN, TEXT]);
		expect(warnings).toMatchObject([
			{ code: "input_dropped", param: "messages", message: expect.stringMatching(/of a /) },
		]);
	});

	it("of two models is sent to each with its own alone", () => {
		const call = callWith(ofA, ofB, TEXT, signed);
		expect(partsFor(call, "a")).toEqual([ofA, TEXT, CALL]);
		expect(partsFor(call, "b")).toEqual([ofB, TEXT, signed]);
		expect(partsFor(call, "x")).toEqual([TEXT, CALL]);
	});

	it("is made once for all models that are sent the same", () => {
		const readable = readableCalls(callWith(ofA, TEXT));
		expect(readable("x")).toBe(readable("y"));
	});
});

describe("reasoning of an account", () => {
	const ofOne: AssistantPart = { ...ofA, account: "one" };
	const call = callWith(ofOne, TEXT);

	it("is in the longest call of its model, in its account's, and in no other account's", () => {
		const readable = readableCalls(call);
		expect(readable("a")).toBe(readable("a", "one"));
		expect(readable("a").call).toBe(call);
		for (const account of ["", "two"]) {
			const { call: other, warnings } = readable("a", account);
			expect(JSON.stringify(other)).not.toContain("thinking");
			expect(warnings).toMatchObject([{ code: "input_dropped", param: "messages" }]);
			expect(warnings[0]?.message).toContain("account");
			expect(warnings[0]?.message).not.toContain("one ");
		}
	});

	it("tells accounts of one model apart, and reasoning from before there were any", () => {
		const readable = readableCalls(callWith(ofOne, { ...ofA, account: "two" }, ofA));
		const kept = (account?: string) =>
			readable("a", account).call.messages.flatMap(({ content }) =>
				content.flatMap((part) => ("onlyFor" in part ? [part.account ?? ""] : [])),
			);
		expect([kept(), kept("one"), kept("two"), kept("")]).toEqual([["one", "two", ""], ["one"], ["two"], [""]]);
	});
});
