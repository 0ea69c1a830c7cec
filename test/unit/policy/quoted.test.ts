// Quoted text in code: the same as regular expressions find, which take too long for some texts.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { blankQuoted, findQuoted } from "../../../src/policy/commands/programs/quoted.ts";
import { unescapeText } from "../../../src/policy/commands/shell/output.ts";

const STRINGS =
	/"""([\s\S]*?)"""|"((?:[^"\\\n]|\\.)*)"|'((?:[^'\\\n]|\\.)*)'|`((?:[^`\\]|\\.)*)`|(?:qx|qw|q|%x|%w|%q)\s*(?:[{([]([^})\]\n]*)|[!|]([^!|\n]*))/g;
const QUOTED = /"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'/g;

const text = fc
	.array(fc.constantFrom('"', "'", "`", "\\", "\n", "a", "q", "x", "%", "{", "(", "|", "!", ")", " ", '"""', "w"))
	.map((pieces) => pieces.join(""));

describe("quoted text", () => {
	it("is found as a regular expression finds it", () => {
		fc.assert(
			fc.property(text, (code) => {
				const found = [...code.matchAll(STRINGS)].map((match) => ({
					value: unescapeText(match.slice(1).find((group) => group !== undefined) ?? ""),
					from: match.index,
					to: match.index + match[0].length,
				}));
				expect(findQuoted(code)).toEqual(found);
			}),
			{ numRuns: 2000 },
		);
	});

	it("is emptied where a regular expression finds it", () => {
		fc.assert(
			fc.property(text, (code) => {
				expect(blankQuoted(code)).toBe(code.replace(QUOTED, "''"));
			}),
			{ numRuns: 2000 },
		);
	});

	it("is found in any length and number", () => {
		expect(findQuoted(`"${"a".repeat(100_000)}"`)).toHaveLength(1);
		expect(findQuoted("'a'".repeat(100_000))).toHaveLength(100_000);
	});
});
