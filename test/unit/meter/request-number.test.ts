// The numbers of rows, made of ids.
import fc from "fast-check";
import { ulid } from "ulid";
import { describe, expect, it } from "vitest";
import { deriveTagKey, encodeRequestId, type RequestIdPrefix } from "../../../src/account/request-tag.ts";
import { firstNumberAt, numberTimeMs, requestNumber } from "../../../src/meter/request-number.ts";

const START_MS = Date.UTC(2020, 0, 1);
/** As long as the numbers stay exact. */
const END_MS = Date.UTC(2089, 0, 1);
const aTime = fc.integer({ min: START_MS, max: END_MS });
const aRandom = fc.uint8Array({ minLength: 5, maxLength: 5 });
const aPrefix = fc.constantFrom<RequestIdPrefix>("svc-", "agt_");
const TAG_KEY = deriveTagKey("a pepper for the test");

describe("the number of an id", () => {
	it("lies in the numbers of the id's millisecond, and tells it, whatever the prefix", () => {
		fc.assert(
			fc.property(aTime, aRandom, aPrefix, fc.nat(1_000), (atMs, random, prefix, user) => {
				const n = requestNumber(encodeRequestId(TAG_KEY, user, atMs, random, prefix));
				expect(Number.isSafeInteger(n)).toBe(true);
				expect(n).toBeGreaterThanOrEqual(firstNumberAt(atMs));
				expect(n).toBeLessThan(firstNumberAt(atMs + 1));
				expect(numberTimeMs(n)).toBe(atMs);
				expect(numberTimeMs(firstNumberAt(atMs))).toBe(atMs);
			}),
		);
	});

	it("rises with the ids: a later or larger id never has a lower one", () => {
		const anId = fc
			.tuple(fc.integer({ min: START_MS, max: START_MS + 3 }), aRandom)
			.map(([atMs, random]) => encodeRequestId(TAG_KEY, 7, atMs, random));
		fc.assert(
			fc.property(anId, anId, (a, b) => {
				const [low, high] = a < b ? [a, b] : [b, a];
				expect(requestNumber(low)).toBeLessThanOrEqual(requestNumber(high));
			}),
		);
	});

	it("is spread over four thousand numbers of a millisecond", () => {
		const numbers = Array.from({ length: 4_000 }, () => requestNumber(`svc-${ulid(START_MS)}`));
		expect(Math.max(...numbers)).toBeLessThan(4_096);
		expect(new Set(numbers).size).toBeGreaterThan(2_200);
	});
});

describe("the first number of a time", () => {
	it("is 0 up to 2020, and counts whole milliseconds", () => {
		expect([0, START_MS - 1, START_MS].map(firstNumberAt)).toEqual([0, 0, 0]);
		expect(firstNumberAt(START_MS + 1.9)).toBe(firstNumberAt(START_MS + 1));
		expect(firstNumberAt(START_MS + 1)).toBe(4_096);
	});
});
