// Circuit breakers and the failover table.
import { describe, expect, it } from "vitest";
import { consequenceOf } from "../../src/inference/failover.ts";
import { Breakers } from "../../src/providers/breaker.ts";

const NOW = 1_800_000_000_000;

describe("a provider's breaker", () => {
	it("opens after five failures within 30 seconds, not after five in longer", () => {
		const breakers = new Breakers();
		for (let i = 0; i < 4; i++) breakers.failed("p", false, NOW + i);
		expect(breakers.admits("p", NOW + 5)).toBe(true);
		breakers.failed("p", false, NOW + 5);
		expect(breakers.admits("p", NOW + 6)).toBe(false);
		expect(breakers.admits("q", NOW + 6)).toBe(true);
		for (let i = 0; i < 10; i++) breakers.failed("slow", false, NOW + i * 8_000);
		expect(breakers.admits("slow", NOW + 80_000)).toBe(true);
	});

	it("opens at once for the operator's fault", () => {
		const breakers = new Breakers();
		breakers.failed("p", true, NOW);
		expect([breakers.admits("p", NOW + 29_999), breakers.openSinceMs("p")]).toEqual([false, NOW]);
	});

	it("lets one probe through after 30 seconds: its success closes it, its failure opens it anew", () => {
		const breakers = new Breakers();
		breakers.failed("p", true, NOW);
		expect(breakers.admits("p", NOW + 30_000)).toBe(true);
		breakers.called("p", NOW + 30_000);
		expect(breakers.admits("p", NOW + 30_001)).toBe(false);
		breakers.failed("p", false, NOW + 30_500);
		expect(breakers.admits("p", NOW + 60_000)).toBe(false);
		expect(breakers.admits("p", NOW + 60_500)).toBe(true);
		breakers.called("p", NOW + 60_500);
		breakers.succeeded("p");
		expect(breakers.admits("p", NOW + 60_501)).toBe(true);
		expect(breakers.openSinceMs("p")).toBe(Number.POSITIVE_INFINITY);
	});

	it("does not wait for ever for a probe that never came back", () => {
		const breakers = new Breakers();
		breakers.failed("p", true, NOW);
		breakers.called("p", NOW + 30_000);
		expect(breakers.admits("p", NOW + 60_000)).toBe(true);
	});
});

describe("the failover table", () => {
	const status = (code: number, error: string | null = null) =>
		consequenceOf({
			kind: "status",
			status: code,
			error: error === null ? null : { message: "m", code: error },
			retryAfterMs: null,
		});

	it.each([408, 429, 500, 502, 503, 504, 520, 524, 529, 301])("tries anyone else after status %s", (code) => {
		expect(status(code)).toEqual({ next: "anyone", operatorsFault: false, counts: true });
	});

	it.each([525, 526])("does not try the same provider after status %s", (code) => {
		expect(status(code)).toEqual({ next: "elsewhere", operatorsFault: false, counts: true });
	});

	it("shuts a provider off for a wrong key and an empty account, whatever the status", () => {
		for (const consequence of [
			status(401),
			status(402),
			status(403),
			status(429, "insufficient_quota"),
			status(400, "invalid_api_key"),
		]) {
			expect(consequence).toEqual({ next: "elsewhere", operatorsFault: true, counts: true });
		}
	});

	it.each([400, 404, 409, 413, 415, 422])("ends with status %s, which is the caller's", (code) => {
		expect(status(code)).toEqual({ next: "end", operatorsFault: false, counts: false });
	});

	it("moves on from what was lost, and ends with a client that left", () => {
		expect(consequenceOf({ kind: "lost", why: "timeout", usage: null, error: null }).next).toBe("anyone");
		expect(consequenceOf({ kind: "client_closed" })).toEqual({ next: "end", operatorsFault: false, counts: false });
	});
});
