import { describe, expect, it } from "vitest";
import { placeFaults } from "../../../src/console/config-faults.ts";
import { parseJsonText, placeIssues } from "../../../src/console/json-faults.ts";

function faultsOf(text: string): string[] {
	const parsed = parseJsonText(text);
	return parsed.ok ? [] : parsed.faults;
}

describe("a JSON text", () => {
	it("is its value", () => {
		expect(parseJsonText('{"a":[1,"\\u00e9",null]}\r\n')).toEqual({ ok: true, value: { a: [1, "é", null] } });
	});

	it("says what is wrong at which line", () => {
		const text = '{\r\n  "stack": ["a" "b"],\r\n  "x": nope\r\n';
		expect(faultsOf(text)).toEqual([
			"line 2, column 17: a comma is missing",
			"line 3, column 8: this is no value: texts stand in double quotes",
			"line 4, column 1: a value is missing",
		]);
		const { lines, unplaced } = placeFaults(text, faultsOf(text));
		expect(unplaced).toEqual([]);
		expect(lines.filter(({ faults }) => faults.length > 0).map(({ number }) => number)).toEqual([2, 3, 4]);
	});

	it.each([
		["", "a value is missing"],
		["{} {}", "the value ends before this"],
		["[1,]", "a value is missing"],
		["// note\n{}", "JSON has no comments"],
		['{"a":"b\n"}', "the text does not end on its line"],
		["{'a':1}", "this is no value"],
		['{"a":"\\x"}', "this is no escape of a character"],
	])("that is none names its fault: %j", (text, fault) => {
		expect(faultsOf(text).join("\n")).toContain(fault);
	});

	it("is refused wherever JSON.parse refuses it, and names few faults however many there are", () => {
		for (const text of ["01", "[1 2]", "\u00a0{}", '{"a":1,}', "nul", "-", '"\t"', "[".repeat(5_000)]) {
			expect(() => JSON.parse(text)).toThrow();
			expect(faultsOf(text).length, text.slice(0, 20)).toBeGreaterThan(0);
		}
		expect(faultsOf(`[${"1 ".repeat(5_000)}]`).length).toBeLessThanOrEqual(20);
	});
});

describe("the issues of a refused request", () => {
	const text = '{\n  "stack": [\n    "ok",\n    7\n  ]\n}';
	it("stand at the member that they name, at the nearest that is there, or nowhere", () => {
		expect(placeIssues(text, [{ path: "stack.1", message: "must be text" }])).toEqual([
			"line 4, column 5: stack.1: must be text",
		]);
		expect(placeIssues(text, [{ path: "stack.9.x", message: "is missing" }])).toEqual([
			"line 2, column 12: stack.9.x: is missing",
		]);
		expect(
			placeIssues(text, [
				{ path: "other", message: "is missing" },
				{ path: "", message: "is wrong" },
			]),
		).toEqual(["other: is missing", "is wrong"]);
	});
});
