// What somebody approves is what stands there: nothing in it is unseen or turned around.
import { expect, it } from "vitest";
import { renderPlainJson, revealHidden } from "../../../src/text/hidden-characters.ts";

it.each([
	["a direction mark", "a\u202eb", "a\\u202eb"],
	["a zero-width space", "a\u200bb", "a\\u200bb"],
	["a tag, which says ASCII unseen", "a\u{e0041}b", "a\\udb40\\udc41b"],
	["a variation selector", "a\ufe0fb", "a\\ufe0fb"],
	["an escape", "a\u001b[2Kb", "a\\u001b[2Kb"],
	["a carriage return", "a\rb", "a\\u000db"],
	["a no-break space", "rm -rf /\u00a0home", "rm -rf /\\u00a0home"],
	["a blank that is no space", "a\u3164\u2800b", "a\\u3164\\u2800b"],
	["a line separator", "a\u2028b", "a\\u2028b"],
	["half a character", "a\ud800b", "a\\ud800b"],
])("shows %s", (_what, text, shown) => {
	expect(revealHidden(text)).toBe(shown);
});

it("keeps lines, tabs and writing of all languages", () => {
	const text = "ünï\n\tשלום 日本　語 👍 e\u0301";
	expect(revealHidden(text)).toBe(text);
});

it("JSON keeps its value", () => {
	const value = { to: "a\u202eb", "k\u200b": ["\u{e0041}", "\u0007"] };
	expect(JSON.parse(renderPlainJson(value))).toEqual(value);
	expect(renderPlainJson(value)).toMatch(/^[\x20-\x7e\n]+$/);
});
