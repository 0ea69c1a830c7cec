// The pace of retries: quick at first, never in a rush, never given up.
import { expect, it } from "vitest";
import { Backoff } from "../../../src/durable/backoff.ts";

it("doubles from a second to a minute, and starts again after a success", () => {
	const backoff = new Backoff();
	const delays = [backoff.delayMs];
	for (let failure = 0; failure < 8; failure++) {
		backoff.recordFailure();
		delays.push(backoff.delayMs);
	}
	expect(delays).toEqual([1_000, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000]);
	expect(backoff.failures).toBe(8);
	backoff.recordSuccess();
	expect([backoff.failures, backoff.delayMs]).toEqual([0, 1_000]);
});
