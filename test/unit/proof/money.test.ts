// Money: integers inside, numbers of USD outside.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { nanoUsd, usd, usdText } from "../../../src/proof/money.ts";

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

	it("is written for people without an exponent, and with no more digits than it has", () => {
		expect([0, 1, 1_000_000_000, 100_000_000_000, 123_450_000].map(usdText)).toEqual([
			"0 USD",
			"0.000000001 USD",
			"1 USD",
			"100 USD",
			"0.12345 USD",
		]);
	});

	it("keeps every whole nano-dollar", () => {
		fc.assert(fc.property(fc.nat(), (nano) => nanoUsd(usd(nano)) === nano));
	});
});
