import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { findPrefixedTokenEnd, hasRandomPart, isRandom } from "../../../../src/compliance/detection/random-tokens.ts";

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
const DRAWN = "IXRSzTyUroHEI5eCYyNwu0GwDfXwsTkG";

const isPrefixed = (token: string) => findPrefixedTokenEnd(token, 0, token.search(/[-_]/)) === token.length;

describe("isDrawn", () => {
	it("takes nearly every run from a generator for drawn", () => {
		const run = fc.array(fc.constantFrom(...ALPHABET), { minLength: 40, maxLength: 40 }).map((all) => all.join(""));
		const runs = fc.sample(run, { numRuns: 500, seed: 7 });
		expect(runs.filter((each) => !isRandom(each)).length).toBeLessThan(10);
	});

	it.each([
		"ResourceGroupDeployment2024V3Template",
		"useInfiniteScrollWithIntersectionObserverV2",
		"9f3c1e7ab40d2258c6e1f0b7d94a83e5172c6d0f",
		"AAAAAAAAAAAAAAAAaaaaaaaaaaaaaaaa00000000",
	])("takes no name, hash or filling for drawn: %s", (run) => {
		expect(isRandom(run)).toBe(false);
	});
});

describe("hasDrawnPart", () => {
	it("looks at what stands between separators", () => {
		expect(hasRandomPart(`eu-west.${DRAWN}`)).toBe(true);
		expect(hasRandomPart("eu-west-1.Compute2.Internal")).toBe(false);
	});
});

describe("prefixedTokenEnd", () => {
	it.each(["acme_", "sk-proj-", "shop_live_"])("finds the key behind %s", (prefix) => {
		expect(isPrefixed(prefix + DRAWN)).toBe(true);
	});

	it.each(["pi_", "msg_", "chatcmpl-", "user_"])("knows that %s begins an identifier", (prefix) => {
		expect(isPrefixed(prefix + DRAWN)).toBe(false);
	});

	it("finds none in the middle of a path, a file name or a longer token", () => {
		for (const before of ["/docs/", "bundle.", "x-", "a+"]) {
			const start = before.length;
			expect(findPrefixedTokenEnd(`${before}acme_${DRAWN}`, start, start + 4)).toBe(-1);
		}
	});
});
