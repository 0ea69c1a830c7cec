import fc from "fast-check";
import { expect, it } from "vitest";
import { parseExactJson } from "../../src/json.ts";

it("long whole numbers are written as they were read, and all else is as ever", () => {
	const text =
		'{"id":9007199254740993,"ids":[-12345678901234567890,[1e400,0.1]],"text":"9007199254740993","even":9007199254740992}';
	expect(JSON.stringify(parseExactJson(text))).toBe(text.replace("1e400", "null"));
	expect(parseExactJson('{"even":9007199254740992}')).toEqual({ even: 2 ** 53 });
	expect(() => parseExactJson('{"id":9007199254740993')).toThrow(SyntaxError);
});

it("whole numbers of any length come through", () => {
	fc.assert(
		fc.property(fc.array(fc.bigInt({ min: -(2n ** 80n), max: 2n ** 80n })), (numbers) => {
			const text = `[${numbers.join(",")}]`;
			expect(JSON.stringify(parseExactJson(text))).toBe(text);
		}),
	);
});
