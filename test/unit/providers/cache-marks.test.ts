// Anthropic's cache marks: where they go, which are kept, and what they do to the worst case.
import { describe, expect, it } from "vitest";
import { priceWorstCase } from "../../../src/catalog/price.ts";
import type { CacheMark, Message, ModelCall, TextPart } from "../../../src/providers/model-call.ts";
import { plainCall, render } from "../../support/rendered.ts";

const MINUTES = { type: "ephemeral" };
const HOUR = { type: "ephemeral", ttl: "1h" };
const text = (value: string, cache?: CacheMark): TextPart => ({
	type: "text",
	text: value,
	...(cache ? { cache } : {}),
});

/** Every mark of a request's JSON, with the words of what it stands on. */
function marksIn(json: unknown): [string, unknown][] {
	const marks: [string, unknown][] = [];
	JSON.stringify(json, (_, value) => {
		if (value?.cache_control) marks.push([value.text ?? value.name ?? value.type, value.cache_control]);
		return value;
	});
	return marks;
}

function callOf(...words: [string, CacheMark?][]): ModelCall {
	return plainCall({ messages: [{ role: "user", content: words.map(([word, cache]) => text(word, cache)) }] });
}

describe("cache marks", () => {
	it("stand on whatever the client marked", () => {
		const cache: CacheMark = {};
		const results: Message = {
			role: "user",
			content: [{ type: "tool_result", callId: "a", content: [text("out")], cache }],
		};
		const call: Message = {
			role: "assistant",
			content: [{ type: "tool_call", id: "a", name: "f", arguments: "{}", cache }],
		};
		const image: Message = {
			role: "user",
			content: [{ type: "image", url: "https://i.test/a.png", cache }, text("hi")],
		};
		const marked = (messages: Message[], tools: ModelCall["tools"] = []) =>
			marksIn(render("anthropic", plainCall({ messages, tools })).json);
		expect(marked([{ role: "system", content: [text("one", cache)] }, image], [{ name: "f", cache }])).toEqual([
			["f", MINUTES],
			["one", MINUTES],
			["image", MINUTES],
		]);
		expect(marked([image, call, results, { role: "system", content: [text("two", cache)] }])).toEqual([
			["image", MINUTES],
			["f", MINUTES],
			["tool_result", MINUTES],
			["<system>\ntwo\n</system>", MINUTES],
		]);
		const inner: Message = {
			role: "user",
			content: [{ type: "tool_result", callId: "a", content: [text("in", cache)] }],
		};
		expect(marked([image, call, inner]).map(([word]) => word)).toEqual(["image", "f", "in"]);
	});

	it("part a text only where the format has them", () => {
		const goOn: TextPart = { type: "text", text: " and b", continues: true };
		const call = plainCall({ messages: [{ role: "user", content: [text("a", {}), goOn] }] });
		expect(marksIn(render("anthropic", call).json)).toEqual([["a", MINUTES]]);
		expect(render("openai", call).json["messages"]).toEqual([{ role: "user", content: "a and b" }]);
	});

	it("keep their time, the last four of them, and none for an hour after one for minutes", () => {
		const marks = (...words: [string, CacheMark?][]) => marksIn(render("anthropic", callOf(...words)).json);
		expect(marks(["a", { ttl: "1h" }], ["b", { ttl: "5m" }], ["c"])).toEqual([
			["a", HOUR],
			["b", MINUTES],
		]);
		expect(marks(["a", {}], ["b", {}], ["c", {}], ["d", {}], ["e", {}]).map(([word]) => word)).toEqual([
			"b",
			"c",
			"d",
			"e",
		]);
		expect(marks(["a", {}], ["b", { ttl: "1h" }])).toEqual([
			["a", MINUTES],
			["b", MINUTES],
		]);
		// The mark that came too early is gone before the others are compared.
		expect(marks(["a", {}], ...["b", "c", "d", "e"].map((word): [string, CacheMark] => [word, { ttl: "1h" }]))).toEqual(
			["b", "c", "d", "e"].map((word) => [word, HOUR]),
		);
	});

	it("count those of Anthropic's own blocks, and leave the client's call as it is", () => {
		const block = { type: "search_result", title: "t", cache_control: MINUTES };
		const call = callOf(["a", {}], ["b", {}], ["c", {}], ["d", {}]);
		call.messages[0]?.content.unshift({ type: "provider", wire: "anthropic", block } as never);
		const before = structuredClone(call);
		expect(marksIn(render("anthropic", call).json).map(([word]) => word)).toEqual(["a", "b", "c", "d"]);
		expect(call).toEqual(before);
	});

	it("stay out of the other formats without a word", () => {
		for (const wire of ["openai", "google"] as const) {
			const { body, warnings, writesHourCache } = render(wire, callOf(["a", { ttl: "1h" }]));
			expect(body).not.toMatch(/cache|ttl/);
			expect([warnings, writesHourCache]).toEqual([[], undefined]);
		}
	});

	it("for an hour make the worst case that of a dearer cache", () => {
		const bound = (cache?: CacheMark) => {
			const { model, maxInputTokens, writesHourCache } = render("anthropic", callOf(["a", cache]));
			return priceWorstCase(model, maxInputTokens, 0, 0, writesHourCache).inputNanoUsd / maxInputTokens;
		};
		expect(bound({ ttl: "1h" })).toBeGreaterThan(bound());
		expect(bound({})).toBe(bound());
		// One that was shortened to minutes costs no more.
		const { writesHourCache } = render("anthropic", callOf(["a", {}], ["b", { ttl: "1h" }]));
		expect(writesHourCache).toBeUndefined();
	});
});
