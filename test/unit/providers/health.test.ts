// Who may be called: breakers that only providers' own failures open, one probe, and who is scarce.
import { describe, expect, it } from "vitest";
import { ProviderHealth } from "../../../src/providers/health.ts";

const NOW = 1_800_000_000_000;

/** Calls that fail at these times; those that may not be made are left out. */
function failAt(health: ProviderHealth, key: string, times: readonly number[], operatorsFault = false): void {
	for (const atMs of times) health.acquire(key, NOW + atMs)?.failed(operatorsFault, NOW + atMs);
}

describe("a provider's breaker", () => {
	it("opens after five failures within any 30 seconds, not after five in longer", () => {
		const health = new ProviderHealth();
		failAt(health, "p", [0, 1, 2, 3]);
		expect(health.isOpenTo("p", NOW + 5)).toBe(true);
		failAt(health, "p", [5]);
		expect(health.isOpenTo("p", NOW + 6)).toBe(false);
		expect(health.isOpenTo("q", NOW + 6)).toBe(true);
		const everyEightSeconds = Array.from({ length: 10 }, (_, i) => i * 8_000);
		failAt(health, "slow", everyEightSeconds);
		expect(health.isOpenTo("slow", NOW + 80_000)).toBe(true);
	});

	it("counts failures with successes between them: five in a window need not be in a row", () => {
		const health = new ProviderHealth();
		for (let i = 0; i < 5; i++) {
			health.acquire("p", NOW + i)?.succeeded();
			failAt(health, "p", [i]);
		}
		expect(health.isOpenTo("p", NOW + 5)).toBe(false);
	});

	it("opens at once for the operator's fault", () => {
		const health = new ProviderHealth();
		failAt(health, "p", [0], true);
		expect([health.isOpenTo("p", NOW + 29_999), health.openSinceMs("p")]).toEqual([false, NOW]);
	});

	it("lets exactly one probe through after 30 seconds: its failure opens it anew, its success closes it", () => {
		const health = new ProviderHealth();
		failAt(health, "p", [0], true);
		const probes = Array.from({ length: 50 }, () => health.acquire("p", NOW + 30_000)).filter(Boolean);
		expect(probes).toHaveLength(1);
		probes[0]?.failed(false, NOW + 30_500);
		expect(health.acquire("p", NOW + 60_000)).toBeNull();
		health.acquire("p", NOW + 60_500)?.succeeded();
		expect(health.openSinceMs("p")).toBe(Number.POSITIVE_INFINITY);
		failAt(health, "p", [60_501, 60_502, 60_503, 60_504]);
		expect(health.isOpenTo("p", NOW + 60_505)).toBe(true);
	});

	it("is neither closed nor kept open by calls that began before it opened", () => {
		const health = new ProviderHealth();
		const [early, late, cut] = [0, 1, 2].map(() => health.acquire("p", NOW));
		failAt(health, "p", [0, 1, 2, 3, 4]);
		early?.succeeded();
		expect(health.isOpenTo("p", NOW + 5)).toBe(false);
		late?.failed(false, NOW + 20_000);
		expect(health.openSinceMs("p")).toBe(NOW + 4);
		const probe = health.acquire("p", NOW + 30_004);
		cut?.inconclusive();
		expect(health.acquire("p", NOW + 30_005)).toBeNull();
		probe?.succeeded();
		expect(health.isOpenTo("p", NOW + 30_006)).toBe(true);
	});

	it("does not wait for ever for a probe that never came back, and not at all for one that proved nothing", () => {
		const health = new ProviderHealth();
		failAt(health, "p", [0], true);
		const lost = health.acquire("p", NOW + 30_000);
		expect(health.acquire("p", NOW + 149_999)).toBeNull();
		const probe = health.acquire("p", NOW + 150_000);
		expect(probe).not.toBeNull();
		lost?.inconclusive();
		expect(health.acquire("p", NOW + 150_001)).toBeNull();
		probe?.inconclusive();
		expect(health.acquire("p", NOW + 150_002)).not.toBeNull();
	});

	it("hears of each call once: what is said after the first word says nothing", () => {
		const health = new ProviderHealth();
		for (let i = 0; i < 5; i++) {
			const permit = health.acquire("p", NOW);
			permit?.succeeded();
			permit?.failed(false, NOW);
		}
		expect(health.isOpenTo("p", NOW)).toBe(true);
	});

	it("lets a forced call through, which decides as a probe does", () => {
		const health = new ProviderHealth();
		failAt(health, "p", [0], true);
		health.force("p", NOW + 1).failed(false, NOW + 10);
		expect(health.openSinceMs("p")).toBe(NOW + 10);
		health.force("p", NOW + 11).succeeded();
		expect(health.isOpenTo("p", NOW + 12)).toBe(true);
	});
});

describe("a model that was answered 429", () => {
	it("is scarce for the wait that was named, else five seconds, at most 30", () => {
		const health = new ProviderHealth();
		health.noteThrottle("p", "a", 2_000, NOW);
		health.noteThrottle("p", "b", null, NOW);
		health.noteThrottle("p", "c", 3_600_000, NOW);
		const at = (ms: number) => ["a", "b", "c"].map((model) => health.throttledForMs("p", model, NOW + ms));
		expect(at(0)).toEqual([2_000, 5_000, 30_000]);
		expect(at(5_000)).toEqual([0, 0, 25_000]);
		expect(health.throttledForMs("other key", "c", NOW)).toBe(0);
	});
});
