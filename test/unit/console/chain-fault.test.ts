// Faults of a chain in words.
import { describe, expect, it } from "vitest";
import { parseChainFault } from "../../../src/console/chain-fault.ts";

describe("a fault of a chain", () => {
	it("has its position and words", () => {
		expect(parseChainFault("signature_invalid:12")).toEqual({ position: 12, text: "its signature does not hold" });
	});

	it("of a name that is not known keeps its name", () => {
		expect(parseChainFault("moon_phase:0")).toEqual({ position: 0, text: "moon_phase" });
	});
});
