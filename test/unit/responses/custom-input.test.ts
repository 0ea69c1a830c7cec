// The text of a custom tool call, read from arguments that come in pieces.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CustomInputDecoder } from "../../../src/responses/custom-input.ts";

/** The texts that pieces of arguments add, and all of it. */
function decode(pieces: readonly string[]): { texts: string[]; whole: string } {
	const decoder = new CustomInputDecoder();
	const texts = [...pieces.map((piece) => decoder.add(piece)), decoder.end()];
	return { texts, whole: texts.join("") };
}

/** A text cut at every place that `sizes` lead to. */
function cut(text: string, sizes: readonly number[]): string[] {
	const pieces: string[] = [];
	for (let at = 0, turn = 0; at < text.length; turn++) {
		const size = sizes[turn % sizes.length] ?? 1;
		pieces.push(text.slice(at, at + size));
		at += size;
	}
	return pieces;
}

const anyText = fc.string({ unit: "binary" });
const anySizes = fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1 });
const anySpace = fc.constantFrom("", " ", "\n\t", "  ");

/** JSON of the text in which every character is escaped. */
function escaped(text: string): string {
	return text.replace(/[\s\S]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

describe("the text of a custom call", () => {
	it("is what the model wrote, wherever the pieces are cut", () => {
		fc.assert(
			fc.property(anyText, anySizes, anySpace, fc.boolean(), (text, sizes, space, escapes) => {
				const value = escapes ? `"${escaped(text)}"` : JSON.stringify(text);
				const json = `${space}{${space}"input"${space}:${space}${value}${space}}`;
				const { texts, whole } = decode(cut(json, sizes));
				expect(whole).toBe(text);
				for (const piece of texts) expect(piece.isWellFormed()).toBe(true);
			}),
		);
	});

	it("comes as soon as it is there", () => {
		const { texts } = decode(['{"inp', 'ut": "ab', "c\\", "n\\ud83d", '\\ude00d"', "}"]);
		expect(texts).toEqual(["", "ab", "c", "\n", "😀d", "", ""]);
	});

	it("that is cut is what had come", () => {
		expect(decode(['{"input":"abc']).whole).toBe("abc");
		expect(decode(['{"input":"abc\\u00']).whole).toBe("abc");
		expect(decode(['{"input":"abc\\ud83d']).whole).toBe("abc\ufffd");
	});

	it.each([
		["{}", ""],
		['{"other":1,"input":"x"}', "x"],
		['{"input":5}', '{"input":5}'],
		["echo hi", "echo hi"],
		['"quoted"', '"quoted"'],
		["", ""],
	])("of arguments in another form, %s, is %s", (written, text) => {
		expect(decode([written]).whole).toBe(text);
		expect(decode(cut(written, [1])).whole).toBe(text);
	});

	it("has U+FFFD for half a character", () => {
		expect(decode(['{"input":"\\ud83dx"}']).whole).toBe("\ufffdx");
		expect(decode(['{"input":"\\ude00\\ud83d"}']).whole).toBe("\ufffd\ufffd");
	});
});
