// Numbers in forms.
import { expect, it } from "vitest";
import { readNumber } from "../../../src/console/form-values.ts";

it.each([
	["", null],
	[" ", null],
	["0.05", 0.05],
	["1e-9", 1e-9],
	["many", "many"],
	["Infinity", "Infinity"],
])("%j is read as %j", (text, value) => {
	expect(readNumber(new URLSearchParams({ n: text }), "n")).toBe(value);
});
