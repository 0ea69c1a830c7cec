// Faults of a config at their lines.
import { describe, expect, it } from "vitest";
import { placeFaults } from "../../../src/console/config-faults.ts";

describe("faults", () => {
	it("stand at the lines that they name; others apart", () => {
		const faults = [
			"line 2, column 3: b: unknown key",
			"is empty",
			"line 9, column 1: beyond",
			"line 2, column 9: again",
		];
		const { lines, unplaced } = placeFaults("a: 1\r\n  b: 2", faults);
		expect(lines).toEqual([
			{ number: 1, text: "a: 1", faults: [] },
			{ number: 2, text: "  b: 2", faults: [faults[0], faults[3]] },
		]);
		expect(unplaced).toEqual(["is empty", "line 9, column 1: beyond"]);
	});
});
