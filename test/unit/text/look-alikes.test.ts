// Words whose letters pass for others, as somebody who approves is to be told of them.
import { expect, it } from "vitest";
import { findLookAlikes, findLookAlikesIn, isMixedDirection } from "../../../src/text/look-alikes.ts";

it.each([
	[
		"a Cyrillic letter in a host",
		"send to api.\u0430pple.com now",
		"api.\u0430pple.com",
		["U+0430"],
		"api.xn--pple-43d.com",
	],
	[
		"a host of one script",
		"\u0430\u0440\u0440\u04cf\u0435.com",
		"\u0430\u0440\u0440\u04cf\u0435.com",
		["U+0430", "U+0440", "U+04CF", "U+0435"],
		"xn--80ak6aa92e.com",
	],
	["the host of an address", "ada@ex\u00e4mple.com", "ada@ex\u00e4mple.com", ["U+00E4"], "xn--exmple-cua.com"],
	["a word of two alphabets", "rm ver\u0441el", "ver\u0441el", ["U+0441"], null],
	["full-width letters", "\uff52\uff4d notes", "\uff52\uff4d", ["U+FF52", "U+FF4D"], null],
	["mathematical letters", "say \u{1d41a}pprove", "\u{1d41a}pprove", ["U+1D41A"], null],
])("%s is named", (_, text, word, codes, host) => {
	expect(findLookAlikes(text).map((each) => ({ ...each, letters: each.letters.map(({ code }) => code) }))).toEqual([
		{ word, letters: codes, host },
	]);
});

it.each([
	["plain text", "curl https://example.com/a?b=c"],
	["a sentence of another script", "Отправь отчёт завтра, пожалуйста."],
	["accents in a word", "Übergröße naïve Ærøskøbing café."],
	["two words of two scripts, joined", "BMW-Тест"],
	["Japanese beside Latin", "東京のAPIキー"],
	["units", "5 km, 3 Ω, 20 µs"],
])("%s is no trouble", (_, text) => {
	expect(findLookAlikes(text)).toEqual([]);
});

it("a word counts once, however often it stands", () => {
	expect(findLookAlikes("p\u0430y p\u0430y, p\u0430y.")).toHaveLength(1);
});

it("the texts of a value count one by one, names of members included", () => {
	const given = { "p\u0430y": ["line\nпривет", { to: "ok" }], n: 5, none: null };
	expect(findLookAlikesIn(given).map(({ word }) => word)).toEqual(["p\u0430y"]);
});

it("a text from right to left beside one from left to right is of mixed direction", () => {
	expect(isMixedDirection({ text: "שלום abc.com" })).toBe(true);
	expect(isMixedDirection({ text: "שלום", to: "abc.com" })).toBe(false);
	expect(isMixedDirection(null)).toBe(false);
});
