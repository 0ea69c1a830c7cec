// JSON as models write it, and what is not taken for it.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { extractJson } from "../../../src/orchestration/loose-json.ts";

describe("the JSON in a reply", () => {
	it.each<[string, unknown[]]>([
		['{"a":1}', [{ a: 1 }]],
		['Sure!\n```json\n{"a":1}\n```\nDone.', [{ a: 1 }]],
		['Of {both} [1, 2]: {"a": "}"} and {"b": [3]}', [[1, 2], { a: "}" }, { b: [3] }]],
		['{"a": [1, 2,], "b": ",}",\n}', [{ a: [1, 2], b: ",}" }]],
		["{", []],
		["nothing", []],
		["} {", []],
		["{'groups': [[1, 2]], 'reason': 'it's \"so\"'}", [{ groups: [[1, 2]], reason: 'it\'s "so"' }]],
		['{"reason": "he said "yes" twice", "winner": 1}', [{ reason: 'he said "yes" twice', winner: 1 }]],
		["{'passed': True, 'score': .9, 'issues': None}", [{ passed: true, score: 0.9, issues: null }]],
		["{groups: [[1 2] [3]] // so\n}", [{ groups: [[1, 2], [3]] }]],
		['```json\n{\n  // two say it\n  "a": [1, /* and */ 2], # so\n}\n```', [{ a: [1, 2] }]],
		['{"a": "line\nline", "b": "\\u00e9\\n\\x"}', [{ a: "line\nline", b: "é\nx" }]],
		["{“a”: “b”}", [{ a: "b" }]],
		["{'groups': [(1, 2), (3,)]}", [{ groups: [[1, 2], [3]] }]],
	])("%j is %j", (text, value) => {
		expect(extractJson(text)).toEqual(value);
	});

	it.each([
		['{"reason": "so", "groups": [[1, 2], [3'],
		['{"reason": "so", "groups": [[1, 2]], "contradictions": [}'],
		["{'groups': [[1, 2]], 'contradictions': maybe []}"],
	])("of %j is none, since a part of an object is not all of it", (text) => {
		expect(extractJson(text)).toEqual([]);
	});

	it("is what was written, among other texts and however deep", () => {
		const written = fc.oneof(fc.object(), fc.array(fc.jsonValue())).map((value) => JSON.stringify(value));
		fc.assert(
			fc.property(written, (json) => {
				expect(extractJson(`So: ${json} it is.`)).toEqual([JSON.parse(json)]);
			}),
		);
		const nested = `${"[".repeat(100_000)}${"{'a':".repeat(100_000)}`;
		expect(extractJson(nested)).toEqual([]);
	});

	it("of any text is read without a throw", () => {
		const sign = fc.constantFrom(..."{}[]():,'\"`“”\\/*#\n 1a-.uTN");
		const text = fc.oneof(
			fc.array(sign, { maxLength: 60 }).map((signs) => signs.join("")),
			fc.string({ unit: "binary" }),
		);
		fc.assert(fc.property(text, (written) => void extractJson(`{'a': ${written}`)));
	});
});
