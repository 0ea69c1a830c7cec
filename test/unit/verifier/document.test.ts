// What a saved file has to be before anything of it is checked.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decodeText, readDocument } from "../../../src/verifier/document.ts";

describe("a file's bytes", () => {
	const text = '{"a":"é"}';

	it.each([
		["UTF-8", Buffer.from(text)],
		["UTF-8 with a byte order mark", Buffer.from(`\ufeff${text}`)],
		["UTF-16 as a Windows shell writes it", Buffer.from(`\ufeff${text}`, "utf16le")],
		["UTF-16, the other way round", Buffer.from(`\ufeff${text}`, "utf16le").swap16()],
	])("are read as %s", (_, bytes) => {
		expect(decodeText(bytes)).toBe(text);
	});

	it("are not read where they are no text, so that nothing of them stands in for another character", () => {
		expect(decodeText(Uint8Array.of(0x22, 0xff, 0x22))).toBeNull();
		expect(decodeText(Uint8Array.of(0xff, 0xfe, 0x22))).toBeNull();
	});
});

describe("a document", () => {
	it("is what any JSON writer wrote", () => {
		fc.assert(
			fc.property(fc.json(), fc.constantFrom(undefined, 1, "\t"), (text, indent) => {
				const names = new Set<string>();
				const value: unknown = JSON.parse(text, (name, member: unknown) => {
					names.add(name);
					return member;
				});
				const read = readDocument(JSON.stringify(value, null, indent));
				expect(read).toEqual(names.has("__proto__") ? expect.objectContaining({ ok: false }) : { ok: true, value });
			}),
		);
	});

	it("keeps every double that a writer writes", () => {
		fc.assert(
			fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (number) => {
				expect(readDocument(`[${JSON.stringify(number)},${number.toExponential()}]`)).toMatchObject({ ok: true });
			}),
		);
		expect(readDocument("[0.10,1E3,1.50e-7,100000000000000000000.0,-0,0e99]")).toMatchObject({ ok: true });
	});

	it.each([
		['{"a":1,"b":{"a":2},"a":1}', 'has the member "a" twice in one object (line 1, column 20)'],
		['{"a":1,\n"\\u0061":2}', 'has the member "a" twice in one object (line 2, column 1)'],
		[`{"a":1,"a"${" ".repeat(200)}:2}`, 'has the member "a" twice in one object (line 1, column 8)'],
		['[{"a\\"\\\\":1,"a\\"\\\\":1}]', 'has the member "a\\"\\\\" twice in one object (line 1, column 13)'],
		['{"x":{"__proto__":{"y":1}}}', "has a member __proto__, which no answer has (line 1, column 7)"],
		["[9007199254740993]", "has a number of more digits than a number keeps (line 1, column 2)"],
		["[0.10000000000000000001]", "has a number of more digits than a number keeps (line 1, column 2)"],
		['{"a":"1e400","b":-1e400}', "has a number of more digits than a number keeps (line 1, column 18)"],
		[`${"[".repeat(65)}${"]".repeat(65)}`, "nests more than 64 deep (line 1, column 65)"],
		["{'a':1}", "is not valid JSON"],
		['{"a":1', "is not valid JSON"],
		["<!doctype html>", "is not valid JSON"],
		[" \n", "is empty"],
	])("is not %j, which readers would differ in", (text, fault) => {
		expect(readDocument(text)).toEqual({ ok: false, fault });
	});

	it("may have a name in several objects, as a value and between brackets that are text", () => {
		const text = '{"a":"a","b":["a","a",{"a":"{\\"a\\":1,"}],"c":{"a":":"}}';
		expect(readDocument(text)).toEqual({ ok: true, value: JSON.parse(text) });
	});
});
