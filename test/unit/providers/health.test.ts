// Who may be called: breakers that only providers' own failures open, one probe, and who is scarce.
import { describe, expect, it } from "vitest";
import type { MetFailure } from "../../../src/providers/breaker.ts";
import { ProviderHealth } from "../../../src/providers/health.ts";
import type { KeyStates } from "../../../src/providers/key-states.ts";

const NOW = 1_800_000_000_000;

const U = "user one";
const V = "user two";

/** A failure of a prompt. */
function met(prompt: unknown, operatorsFault = false): MetFailure {
	return { operatorsFault, prompt: String(prompt) };
}

/** Calls of one user that fail at these times, each with a prompt of its own; those that may not be made are left out. */
function failAt(health: ProviderHealth, key: string, times: readonly number[], operatorsFault = false): void {
	for (const atMs of times) health.acquire(key, U, NOW + atMs)?.failed(met(atMs, operatorsFault), NOW + atMs);
}

describe("a provider's breaker", () => {
	it("opens after five failures within any 30 seconds, not after five in longer", () => {
		const health = new ProviderHealth();
		failAt(health, "p", [0, 1, 2, 3]);
		expect(health.isOpenTo("p", U, NOW + 5)).toBe(true);
		failAt(health, "p", [5]);
		expect(health.isOpenTo("p", U, NOW + 6)).toBe(false);
		expect(health.isOpenTo("q", U, NOW + 6)).toBe(true);
		const everyEightSeconds = Array.from({ length: 10 }, (_, i) => i * 8_000);
		failAt(health, "slow", everyEightSeconds);
		expect(health.isOpenTo("slow", U, NOW + 80_000)).toBe(true);
	});

	it("counts failures with successes between them: five in a window need not be in a row", () => {
		const health = new ProviderHealth();
		for (let i = 0; i < 5; i++) {
			health.acquire("p", U, NOW + i)?.succeeded();
			failAt(health, "p", [i]);
		}
		expect(health.isOpenTo("p", U, NOW + 5)).toBe(false);
	});

	it("opens at once for the operator's fault", () => {
		const health = new ProviderHealth();
		failAt(health, "p", [0], true);
		expect([health.isOpenTo("p", U, NOW + 29_999), health.openSinceMs("p")]).toEqual([false, NOW]);
	});

	it("lets exactly one probe through after 30 seconds: its failure opens it anew, its success closes it", () => {
		const health = new ProviderHealth();
		failAt(health, "p", [0], true);
		const probes = Array.from({ length: 50 }, () => health.acquire("p", U, NOW + 30_000)).filter(Boolean);
		expect(probes).toHaveLength(1);
		probes[0]?.failed(met(0), NOW + 30_500);
		expect(health.acquire("p", U, NOW + 60_000)).toBeNull();
		health.acquire("p", U, NOW + 60_500)?.succeeded();
		expect(health.openSinceMs("p")).toBe(Number.POSITIVE_INFINITY);
		failAt(health, "p", [60_501, 60_502, 60_503, 60_504]);
		expect(health.isOpenTo("p", U, NOW + 60_505)).toBe(true);
	});

	it("is neither closed nor kept open by calls that began before it opened", () => {
		const health = new ProviderHealth();
		const [early, late, cut] = [0, 1, 2].map(() => health.acquire("p", U, NOW));
		failAt(health, "p", [0, 1, 2, 3, 4]);
		early?.succeeded();
		expect(health.isOpenTo("p", U, NOW + 5)).toBe(false);
		late?.failed(met(0), NOW + 20_000);
		expect(health.openSinceMs("p")).toBe(NOW + 4);
		const probe = health.acquire("p", U, NOW + 30_004);
		cut?.inconclusive();
		expect(health.acquire("p", U, NOW + 30_005)).toBeNull();
		probe?.succeeded();
		expect(health.isOpenTo("p", U, NOW + 30_006)).toBe(true);
	});

	it("does not wait for ever for a probe that never came back, and not at all for one that proved nothing", () => {
		const health = new ProviderHealth();
		failAt(health, "p", [0], true);
		const lost = health.acquire("p", U, NOW + 30_000);
		expect(health.acquire("p", U, NOW + 149_999)).toBeNull();
		const probe = health.acquire("p", U, NOW + 150_000);
		expect(probe).not.toBeNull();
		lost?.inconclusive();
		expect(health.acquire("p", U, NOW + 150_001)).toBeNull();
		probe?.inconclusive();
		expect(health.acquire("p", U, NOW + 150_002)).not.toBeNull();
	});

	it("hears of each call once: what is said after the first word says nothing", () => {
		const health = new ProviderHealth();
		for (let i = 0; i < 5; i++) {
			const permit = health.acquire("p", U, NOW);
			permit?.succeeded();
			permit?.failed(met(i), NOW);
		}
		expect(health.isOpenTo("p", U, NOW)).toBe(true);
	});

	it("lets a forced call through, which decides as a probe does", () => {
		const health = new ProviderHealth();
		failAt(health, "p", [0], true);
		health.force("p", U, NOW + 1).failed(met(0), NOW + 10);
		expect(health.openSinceMs("p")).toBe(NOW + 10);
		health.force("p", U, NOW + 11).succeeded();
		expect(health.isOpenTo("p", U, NOW + 12)).toBe(true);
	});
});

describe("a breaker that several users call through", () => {
	const failures = (
		health: ProviderHealth,
		user: string,
		count: number,
		prompt: (i: number) => unknown,
		fromMs = 0,
	) => {
		for (let i = 0; i < count; i++)
			health.acquire("p", user, NOW + fromMs + i)?.failed(met(prompt(i)), NOW + fromMs + i);
	};
	const callers = (health: ProviderHealth, count: number, atMs = 0) => {
		for (let i = 0; i < count; i++) health.acquire("p", `caller ${i}`, NOW + atMs)?.succeeded();
	};

	it("is not opened by any number of one user's failures, whatever the prompts", () => {
		const health = new ProviderHealth();
		callers(health, 1);
		failures(health, U, 1_000, (i) => i, 1);
		expect(health.isOpenTo("p", V, NOW + 1_001)).toBe(true);
		// The other's last call is ten minutes ago: now it is the only user's provider.
		failures(health, U, 4, (i) => i, 600_000);
		expect(health.isOpenTo("p", V, NOW + 600_004)).toBe(true);
		failures(health, U, 1, (i) => i, 600_005);
		expect(health.isOpenTo("p", V, NOW + 600_006)).toBe(false);
	});

	it("is opened by the failure of a second user", () => {
		const health = new ProviderHealth();
		callers(health, 30);
		failures(health, U, 4, () => "same");
		expect(health.isOpenTo("p", U, NOW + 5)).toBe(true);
		failures(health, V, 1, () => "same", 5);
		expect(health.isOpenTo("p", U, NOW + 6)).toBe(false);
	});

	it("is not opened by two users' failures that lie further apart than the window", () => {
		const health = new ProviderHealth();
		failures(health, V, 1, () => "v");
		failures(health, U, 5, () => "u", 30_000);
		expect(health.isOpenTo("p", U, NOW + 30_006)).toBe(true);
	});

	it("of one user only needs failures of two prompts", () => {
		const health = new ProviderHealth();
		failures(health, U, 50, () => "same");
		expect(health.isOpenTo("p", U, NOW + 60)).toBe(true);
		failures(health, U, 1, () => "another", 60);
		expect(health.isOpenTo("p", U, NOW + 61)).toBe(false);
	});

	it("is opened by one operator's fault, whoever met it", () => {
		const health = new ProviderHealth();
		callers(health, 3);
		expect(health.acquire("p", U, NOW)?.failed(met("a", true), NOW)).toBe(true);
		expect(health.isOpenTo("p", V, NOW)).toBe(false);
	});

	it("is not held open by one user's probes while others call", () => {
		const health = new ProviderHealth();
		failures(health, U, 4, (i) => i);
		failures(health, V, 1, () => "v", 4);
		health.acquire("p", U, NOW + 31_000)?.failed(met("u"), NOW + 31_000);
		expect(health.acquire("p", U, NOW + 61_000)).toBeNull();
		health.acquire("p", V, NOW + 61_000)?.succeeded();
		expect(health.isOpenTo("p", U, NOW + 61_001)).toBe(true);
		// Alone, a user probes again.
		const alone = new ProviderHealth();
		failures(alone, U, 5, (i) => i);
		alone.acquire("p", U, NOW + 31_000)?.failed(met("u"), NOW + 31_000);
		expect(alone.acquire("p", U, NOW + 61_000)).not.toBeNull();
	});
});

describe("a clock that went back", () => {
	const LATER = NOW + 10 * 3_600_000;

	it("keeps no breaker open, no model scarce and none left out for longer than their longest waits", () => {
		const health = new ProviderHealth();
		health.acquire("p", U, LATER)?.failed(met("a", true), LATER);
		health.keys.noteThrottle("p m", 30_000, LATER, LATER);
		health.keys.noteRefusal("p", 3_600_000, LATER);
		health.unserved.note("p m", LATER);
		expect(health.isOpenTo("p", U, NOW)).toBe(true);
		expect(health.keys.throttledForMs("p m", NOW)).toBe(0);
		expect(health.keys.refusedForMs("p", NOW)).toBe(0);
		expect(health.unserved.find("p m", NOW)).toBeNull();
	});

	it("keeps no probe waiting, and counts no failure of then", () => {
		const health = new ProviderHealth();
		health.acquire("p", U, LATER - 40_000)?.failed(met("a", true), LATER - 40_000);
		health.acquire("p", U, LATER);
		expect(health.acquire("p", U, NOW)).not.toBeNull();
		const other = new ProviderHealth();
		for (let i = 0; i < 4; i++) other.acquire("p", U, LATER)?.failed(met(i), LATER);
		other.acquire("p", U, NOW)?.failed(met("now"), NOW);
		expect(other.isOpenTo("p", U, NOW)).toBe(true);
	});
});

describe("a model that its provider does not serve", () => {
	it("is passed by for ten minutes, and asked for once a minute by who names it", () => {
		const { unserved } = new ProviderHealth();
		expect(unserved.note("p m", NOW)).toBe(true);
		expect(unserved.note("p m", NOW + 1)).toBe(false);
		expect(unserved.find("p m", NOW + 1)).toEqual({ untilMs: NOW + 600_001, askAgainMs: 60_000 });
		expect(unserved.find("p m", NOW + 60_001)?.askAgainMs).toBe(0);
		unserved.noteAsked("p m", NOW + 60_001);
		expect(unserved.find("p m", NOW + 60_002)?.askAgainMs).toBe(59_999);
		expect(unserved.find("p m", NOW + 600_001)).toBeNull();
		expect(unserved.note("p m", NOW + 600_001)).toBe(true);
		expect(unserved.find("p other", NOW)).toBeNull();
	});

	it("is back as soon as it answers", () => {
		const { unserved } = new ProviderHealth();
		unserved.note("p m", NOW);
		unserved.noteServed("p m");
		expect([unserved.find("p m", NOW), unserved.isEmpty]).toEqual([null, true]);
	});
});

describe("a model that was answered 429", () => {
	const waitsAt =
		(keys: KeyStates, ...calls: string[]) =>
		(nowMs: number) =>
			calls.map((call) => keys.throttledForMs(call, nowMs));

	it("is scarce for the wait that was named, however long, else five seconds", () => {
		const { keys } = new ProviderHealth();
		keys.noteThrottle("p a", 2_000, NOW, NOW);
		keys.noteThrottle("p b", null, NOW, NOW);
		keys.noteThrottle("p c", 3_600_000, NOW, NOW);
		const at = waitsAt(keys, "p a", "p b", "p c", "other c");
		expect(at(NOW)).toEqual([2_000, 5_000, 3_600_000, 0]);
		expect(at(NOW + 5_000)).toEqual([0, 0, 3_595_000, 0]);
	});

	it("waits twice as long with each 429 in a row, at most 30 seconds, and five again once it was served", () => {
		const { keys } = new ProviderHealth();
		const at = waitsAt(keys, "p a");
		let nowMs = NOW;
		const waits = Array.from({ length: 5 }, () => {
			keys.noteThrottle("p a", null, nowMs, nowMs + 10);
			nowMs += 10;
			const [waitMs = 0] = at(nowMs);
			nowMs += waitMs + 1;
			return waitMs;
		});
		expect(waits).toEqual([5_000, 10_000, 20_000, 30_000, 30_000]);
		keys.noteServed("p", "p a");
		keys.noteThrottle("p a", null, nowMs, nowMs);
		expect(at(nowMs)).toEqual([5_000]);
	});

	it("counts the 429s of calls side by side once, and keeps the longest wait", () => {
		const { keys } = new ProviderHealth();
		for (let i = 0; i < 50; i++) keys.noteThrottle("p a", null, NOW, NOW + 100 + i);
		expect(waitsAt(keys, "p a")(NOW + 149)).toEqual([5_000]);
		keys.noteThrottle("p a", 60_000, NOW, NOW + 150);
		keys.noteThrottle("p a", 1_000, NOW, NOW + 151);
		expect(waitsAt(keys, "p a")(NOW + 151)).toEqual([59_999]);
	});
});

describe("a key that was refused", () => {
	it("is left alone for its time, and is back as soon as it is served", () => {
		const { keys } = new ProviderHealth();
		expect(keys.noteRefusal("p", 3_600_000, NOW)).toBe(true);
		expect(keys.noteRefusal("p", 3_600_000, NOW + 1)).toBe(false);
		expect(keys.refusedForMs("p", NOW + 1)).toBe(3_600_000);
		expect(keys.refusedForMs("p", NOW + 3_600_001)).toBe(0);
		keys.noteRefusal("p", Number.POSITIVE_INFINITY, NOW);
		expect(keys.refusedForMs("p", NOW + 1e12)).toBe(Number.POSITIVE_INFINITY);
		keys.noteServed("p", "p m");
		expect([keys.refusedForMs("p", NOW), keys.isEmpty]).toEqual([0, true]);
	});
});
