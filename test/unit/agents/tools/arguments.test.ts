import { describe, expect, it } from "vitest";
import { listRounded, readArguments } from "../../../../src/agents/tools/arguments.ts";

describe("the arguments of a tool call", () => {
	it.each([
		['{"id": 9007199254740993}', "9007199254740993, which readers of JSON change to 9007199254740992"],
		['{"of": [{"id": -12345678901234567890}]}', "-12345678901234567890"],
		['{"note": "a \\"quote\\" 1", "id": 1234567890123456789012345}', "1234567890123456789012345"],
	])("are refused where a number would be another one for the tool: %s", (text, quoted) => {
		expect(readArguments(text)).toEqual({ ok: false, fault: expect.stringContaining(quoted) });
	});

	it.each([
		'{"id": 9007199254740992}',
		'{"id": "9007199254740993"}',
		'{"note": "id \\" 9007199254740993"}',
		'{"pi": 3.14159265358979323846}',
		'{"mol": 6.02214076e23}',
		'{"big": 1000000000000000000000}',
		'{"small": -1, "none": 0.1}',
	])("are taken where none would: %s", (text) => {
		const read = readArguments(text);
		expect(read).toMatchObject({ ok: true, value: JSON.parse(text) });
		// What is stored is read again.
		expect(read.ok && readArguments(read.canonical)).toEqual(read);
	});

	it("list what may have been rounded when they are parsed already", () => {
		const given = { id: 2 ** 53 + 2, of: [-(2 ** 60), 2 ** 53 - 1, 0.1, 6.02e23, "9007199254740993", null] };
		expect(listRounded(given)).toEqual([2 ** 53 + 2, -(2 ** 60)]);
	});

	it.each([
		["{", "cannot be parsed"],
		["[1]", "an array"],
		["null", "null"],
		["7", "a number"],
		['"{\\"a\\":1}"', "leave out the quotes"],
	])("say what they are in place of an object: %s", (text, said) => {
		expect(readArguments(text)).toEqual({ ok: false, fault: expect.stringContaining(`are no JSON object: `) });
		expect(readArguments(text)).toEqual({ ok: false, fault: expect.stringContaining(said) });
	});
});
