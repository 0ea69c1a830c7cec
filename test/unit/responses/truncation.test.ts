// A conversation that is too long for its model loses its oldest turns, on demand, and never half of a call and its output.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Catalog, createCatalog } from "../../../src/catalog/catalog.ts";
import type { InputItem } from "../../../src/responses/items.ts";
import { truncateItems } from "../../../src/responses/truncation.ts";
import { TEST_CATALOG } from "../../support/catalog.ts";
import { callFor } from "../../support/responses.ts";

/** The test catalog with context windows of this many tokens. */
function catalogWith(contextWindow: number): Catalog {
	const models = TEST_CATALOG.models.map((model) => ({
		...model,
		limits: { ...model.limits, context_window: contextWindow, max_input_tokens: null },
	}));
	return createCatalog({ ...TEST_CATALOG, models });
}

const user = (text: string) => ({ type: "message" as const, role: "user" as const, content: text });
const call = (call_id: string) => ({ type: "function_call" as const, call_id, name: "f", arguments: "{}" });
const output = (call_id: string) => ({ type: "function_call_output" as const, call_id, output: "o" });
const RULES = { type: "message" as const, role: "developer" as const, content: "rules" };

const fitting = (most: number) => (items: readonly InputItem[]) => items.length <= most;

describe("truncated items", () => {
	const turn = (name: string): InputItem[] => [user(name), call(name), output(name)];
	const items: InputItem[] = [RULES, ...turn("a"), ...turn("b"), ...turn("c")];

	it("are all of them where they fit", () => {
		expect(truncateItems(items, fitting(10))).toBe(items);
	});

	it("lose as few of the oldest turns as it takes; instructions stay", () => {
		expect(truncateItems(items, fitting(9))).toEqual([RULES, ...turn("b"), ...turn("c")]);
		expect(truncateItems(items, fitting(6))).toEqual([RULES, ...turn("c")]);
	});

	it("keep the last message of the user's and what follows, even where that does not fit", () => {
		expect(truncateItems(items, fitting(1))).toEqual([RULES, ...turn("c")]);
		expect(truncateItems(turn("a"), fitting(1))).toEqual(turn("a"));
	});

	it("lose an output together with its call, wherever it stands", () => {
		const late: InputItem[] = [user("a"), call("x"), user("b"), output("x"), call("y"), output("y")];
		expect(truncateItems(late, fitting(4))).toEqual([user("b"), call("y"), output("y")]);
	});

	it("hold each call with its outputs, generated", () => {
		const ids = fc.constantFrom("1", "2", "3", "4");
		const anyItem: fc.Arbitrary<InputItem> = fc.oneof(
			ids.map(user),
			ids.map(call),
			ids.map(output),
			fc.constant(RULES),
			fc.constant<InputItem>({ type: "reasoning", summary: [] }),
		);
		fc.assert(
			fc.property(fc.array(anyItem, { maxLength: 30 }), fc.nat(30), (all, most) => {
				const kept = truncateItems(all, fitting(most));
				const countOf = (list: readonly InputItem[], id: string) =>
					list.filter((item) => "call_id" in item && item.call_id === id).length;
				for (const id of ["1", "2", "3", "4"]) expect([0, countOf(all, id)]).toContain(countOf(kept, id));
				expect(kept.filter((item) => item === RULES)).toHaveLength(all.filter((item) => item === RULES).length);
				const last = all.findLast((item) => item.type === "message" && item.role === "user");
				if (last) expect(kept).toContain(last);
			}),
		);
	});
});

describe("a conversation that is too long for its model", () => {
	const catalog = catalogWith(3_000);
	const long = "word ".repeat(1_000);
	const input = [user(`${long}1`), user(`${long}2`), user("3")];
	const textsOf = (body: object) =>
		callFor(body, { catalog }).call.messages.map(({ content }) =>
			content.map((part) => ("text" in part ? part.text.at(-1) : "")).join(""),
		);

	it("is left as it is by default", () => {
		expect(textsOf({ input })).toEqual(["1", "2", "3"]);
		expect(textsOf({ input, truncation: "disabled" })).toEqual(["1", "2", "3"]);
	});

	it("is shortened with truncation auto, and a warning counts what is missing", () => {
		expect(textsOf({ input, truncation: "auto", instructions: "!" })).toEqual(["!", "2", "3"]);
		expect(callFor({ input, truncation: "auto" }, { catalog }).warnings).toEqual([
			{
				code: "input_dropped",
				param: "truncation",
				message: "the conversation is too long for its model, so its oldest 1 items were left out",
			},
		]);
	});

	it("is measured by the model that is named, else by the longest context of those that may serve", () => {
		const models = catalog.models.map((model, index) =>
			index === 0 ? { ...model, limits: { ...model.limits, context_window: 100_000 } } : model,
		);
		const mixed = createCatalog({ ...catalog, models });
		const [wide, narrow] = models;
		const leftOut = (more: object, mayServe?: (model: { id: string }) => boolean) =>
			callFor({ input, truncation: "auto", ...more }, { catalog: mixed, ...(mayServe ? { mayServe } : {}) }).warnings
				.length;
		expect(leftOut({})).toBe(0);
		expect(leftOut({ model: wide?.id })).toBe(0);
		expect(leftOut({ model: narrow?.id })).toBe(1);
		expect(leftOut({}, ({ id }) => id !== wide?.id)).toBe(1);
	});
});
