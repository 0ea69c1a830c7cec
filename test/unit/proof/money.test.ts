// Money: integers inside, numbers of USD outside.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { nanoUsd, usd } from "../../../src/proof/money.ts";

describe("money", () => {
	it("never makes more of a client's amount than it was", () => {
		fc.assert(
			fc.property(fc.double({ min: 0, max: 1e6, noNaN: true }), (amount) => {
				const nano = nanoUsd(amount);
				expect(Number.isSafeInteger(nano)).toBe(true);
				expect(usd(nano)).toBeLessThanOrEqual(amount);
				expect(amount - usd(nano)).toBeLessThanOrEqual(1.01e-9 + amount * 1e-15);
			}),
		);
	});

	it("keeps every whole nano-dollar", () => {
		fc.assert(fc.property(fc.nat(), (nano) => nanoUsd(usd(nano)) === nano));
	});
});
