// Circuit breakers, and models that are scarce for a while.
import { describe, expect, it } from "vitest";
import { ProviderHealth } from "../../../src/providers/health.ts";

const NOW = 1_800_000_000_000;

function failedTimes(health: ProviderHealth, key: string, times: readonly number[]): void {
	for (const atMs of times) health.failed(key, false, NOW + atMs);
}

describe("a provider's breaker", () => {
	it("opens after five failures within any 30 seconds, not after five in longer", () => {
		const health = new ProviderHealth();
		failedTimes(health, "p", [0, 1, 2, 3]);
		expect(health.admits("p", NOW + 5)).toBe(true);
		health.failed("p", false, NOW + 5);
		expect(health.admits("p", NOW + 6)).toBe(false);
		expect(health.admits("q", NOW + 6)).toBe(true);
		failedTimes(
			health,
			"slow",
			Array.from({ length: 10 }, (_, i) => i * 8_000),
		);
		expect(health.admits("slow", NOW + 80_000)).toBe(true);
	});

	it("counts failures with successes between them: five in a window need not be in a row", () => {
		const health = new ProviderHealth();
		for (let i = 0; i < 5; i++) {
			health.failed("p", false, NOW + i * 1_000);
			if (i < 4) health.succeeded("p");
		}
		expect(health.admits("p", NOW + 4_001)).toBe(false);
	});

	it("opens at once for the operator's fault", () => {
		const health = new ProviderHealth();
		health.failed("p", true, NOW);
		expect([health.admits("p", NOW + 29_999), health.openSinceMs("p")]).toEqual([false, NOW]);
	});

	it("lets exactly one probe through after 30 seconds: its success closes it, its failure opens it anew", () => {
		const health = new ProviderHealth();
		health.failed("p", true, NOW);
		const asked = Array.from({ length: 20 }, () => health.acquire("p", NOW + 30_000));
		expect(asked.filter(Boolean)).toHaveLength(1);
		health.failed("p", false, NOW + 30_500);
		expect(health.acquire("p", NOW + 60_000)).toBe(false);
		expect(health.acquire("p", NOW + 60_500)).toBe(true);
		health.succeeded("p");
		expect(health.acquire("p", NOW + 60_501)).toBe(true);
		expect(health.openSinceMs("p")).toBe(Number.POSITIVE_INFINITY);
	});

	it("does not wait for ever for a probe that never came back, and not at all for one that proved nothing", () => {
		const health = new ProviderHealth();
		health.failed("p", true, NOW);
		expect(health.acquire("p", NOW + 30_000)).toBe(true);
		expect(health.acquire("p", NOW + 60_000)).toBe(true);
		health.inconclusive("p");
		expect(health.acquire("p", NOW + 60_001)).toBe(true);
	});
});

describe("a model that was answered 429", () => {
	it("is scarce for the wait that was named, else five seconds, at most 30", () => {
		const health = new ProviderHealth();
		health.throttled("p", "a", 2_000, NOW);
		health.throttled("p", "b", null, NOW);
		health.throttled("p", "c", 3_600_000, NOW);
		const at = (ms: number) => ["a", "b", "c"].map((model) => health.scarceForMs("p", model, NOW + ms));
		expect(at(0)).toEqual([2_000, 5_000, 30_000]);
		expect(at(5_000)).toEqual([0, 0, 25_000]);
		expect(health.scarceForMs("other key", "c", NOW)).toBe(0);
	});
});
