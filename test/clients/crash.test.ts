// `npm start` as a process: it survives a crash with every account intact, refuses a second start, and stops cleanly.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { canListen, expectRunning, type Launch, ServiceHome, until } from "./process.ts";
import { chat, fetchPems, fetchProof, isSound, type Proof } from "./support.ts";

/** Long enough for a crash and a new start to come before it, short enough to wait for the expiry of reservations after it. */
const UPSTREAM_TIMEOUT_MS = 10_000;

/** Both bursts together stay within the 20 requests that usage lists. */
const SLOW = 4;
const QUICK = 5;
/** Quick answers of a burst that are awaited before the crash; the others are under way. */
const DELIVERED_FIRST = 2;

let made: ServiceHome | undefined;

function home(): ServiceHome {
	if (!made) throw new Error("there is no home to start in");
	return made;
}

const usageSchema = z.looseObject({
	limits: z.looseObject({ daily_requests_used: z.int() }),
	total_requests: z.int(),
	total_cost_usd: z.number(),
	recent: z.array(
		z.looseObject({ request_id: z.string(), created_at: z.string(), cost_usd: z.number(), latency_ms: z.int() }),
	),
});

async function usage(): Promise<z.output<typeof usageSchema>> {
	const response = await fetch(`${home().url}/v1/usage`, { headers: { authorization: `Bearer ${home().key()}` } });
	if (response.status !== 200) throw new Error(`usage: ${response.status} ${await response.text()}`);
	return usageSchema.parse(await response.json());
}

/** Requests that the meter has let in, over all starts; asking for usage is not one of them. */
async function admitted(): Promise<number> {
	return (await usage()).limits.daily_requests_used;
}

/** An answer that arrived whole. */
interface Delivery {
	id: string;
	status: number;
}

/** Null for a request that a crash cut off: of such a one its client knows nothing. */
async function ask(content: string): Promise<Delivery | null> {
	try {
		const response = await chat(home().url, home().key(), content);
		await response.json();
		return { id: response.headers.get("x-request-id") ?? "", status: response.status };
	} catch {
		return null;
	}
}

interface Burst {
	startedAtMs: number;
	slow: (Delivery | null)[];
	quick: (Delivery | null)[];
}

/** Has slow requests waiting at the upstream and quick ones coming and going, and calls `crash` in the middle of it. */
async function burst(crash: () => Promise<unknown>): Promise<Burst> {
	const startedAtMs = Date.now();
	const admittedBefore = await admitted();
	const slow = Array.from({ length: SLOW }, (_, i) => ask(`[[slow 20000]] slow ${i}`));
	await until("the slow ones are let in", 20, async () => (await admitted()) === admittedBefore + SLOW);
	let delivered = 0;
	const quick = Array.from({ length: QUICK }, async (_, i) => {
		const delivery = await ask(`quick ${i}`);
		if (delivery?.status === 200) delivered++;
		return delivery;
	});
	await until("some quick ones are answered", 1, () => delivered >= DELIVERED_FIRST);
	await crash();
	return { startedAtMs, slow: await Promise.all(slow), quick: await Promise.all(quick) };
}

function deliveries(...bursts: Burst[]): Delivery[] {
	return bursts.flatMap(({ slow, quick }) => [...slow, ...quick]).filter((delivery) => delivery !== null);
}

/** Requests that are known to have been let in: every slow one, seen before the crash, and every quick one that was answered. */
function leastAdmitted(...bursts: Burst[]): number {
	return bursts.reduce((sum, { quick }) => sum + SLOW + quick.filter((delivery) => delivery !== null).length, 0);
}

/** The money of a receipt or a usage row, as an integer. */
function nanoUsd(amountUsd: unknown): number {
	return Math.round(Number(amountUsd) * 1e9);
}

beforeAll(async () => {
	made = await ServiceHome.make({
		UPSTREAM_TIMEOUT_MS: String(UPSTREAM_TIMEOUT_MS),
		UPSTREAM_TOTAL_TIMEOUT_MS: String(UPSTREAM_TIMEOUT_MS),
	});
});

afterAll(() => made?.remove());

describe("npm start", () => {
	let running: Launch;
	let firstKey = "";
	let powerCut: Burst;
	let killed: Burst;

	it("gives a fresh machine a key that works", async () => {
		running = await home().startReady();
		expect(home().clientEnv().SVC_BASE_URL).toBe(`${home().url}/v1`);
		firstKey = home().key();
		expect(await usage()).toMatchObject({ plan: "corporate", total_requests: 0 });
	});

	it("starts again after a power cut in the middle of a burst, with the same key", async () => {
		powerCut = await burst(() => home().cutPower(running));
		expect(powerCut.slow).toEqual(Array(SLOW).fill(null));
		running = await home().startReady();
		expect(home().key()).toBe(firstKey);
		expect(await admitted()).toBeGreaterThanOrEqual(leastAdmitted(powerCut));
	});

	it("starts again after being killed in the middle of a burst, though its runtime still has port and state", async () => {
		let survivor: number | null = null;
		killed = await burst(async () => {
			survivor = await home().killStart(running);
		});
		expect(survivor).not.toBeNull();
		running = await home().startReady();
		expect(home().runtimePid()).not.toBe(survivor);
		expect(home().key()).toBe(firstKey);
		expect(await admitted()).toBeGreaterThanOrEqual(leastAdmitted(powerCut, killed));
	});

	it("tells a second start that it is already running, and is not disturbed by it", async () => {
		const second = home().launch();
		expect(await second.exited).not.toBe(0);
		expect(second.output).toContain("already running");
		expect(second.output).not.toContain("ready on");
		expectRunning(running);
		expect((await usage()).total_requests).toBeGreaterThan(0);
	});

	it.each([
		["SIGNING_KEY", "xyz"],
		["UPSTREAM_TIMEOUT_MS", "soon"],
		["LOG_ORIGIN", "https://log.example"],
		["PORT", "no-port"],
	])("refuses a wrong %s, names it and does not repeat its value", async (name, value) => {
		const wrong = home().launch({ [name]: value });
		expect(await wrong.exited).not.toBe(0);
		expect(wrong.output).toContain(name);
		expect(wrong.output).not.toContain(value);
	});

	describe("after the crashes", () => {
		let settled: z.output<typeof usageSchema>;
		const proofs = new Map<string, Proof>();

		it("has every admitted request in usage, exactly once, no later than its reservation expires", async () => {
			const requests = await admitted();
			await until("every reservation is settled", 250, async () => {
				settled = await usage();
				return settled.total_requests >= requests;
			});
			expect(settled.total_requests).toBe(requests);
			expect(settled.limits.daily_requests_used).toBe(requests);
			expect(requests).toBeGreaterThanOrEqual(leastAdmitted(powerCut, killed));
			expect(requests).toBeLessThanOrEqual(2 * (SLOW + QUICK));
			const ids = settled.recent.map(({ request_id }) => request_id);
			expect(ids).toHaveLength(requests);
			expect(new Set(ids).size).toBe(requests);
		});

		it("has a receipt of every one of them that a stranger can check, at the cost that usage says", async () => {
			const pems = await fetchPems(home().url);
			for (const { request_id, cost_usd } of settled.recent) {
				const proof = await fetchProof(home().url, request_id);
				proofs.set(request_id, proof);
				expect(proof.valid).toBe(true);
				expect(isSound(proof, pems)).toBe(true);
				expect(proof.receipt).toMatchObject({ request_id, cost_usd });
			}
			const sum = [...proofs.values()].reduce((total, { receipt }) => total + nanoUsd(receipt["cost_usd"]), 0);
			expect(nanoUsd(settled.total_cost_usd)).toBe(sum);
		});

		it("has every answer that was delivered, as complete and at its real cost", () => {
			const delivered = deliveries(powerCut, killed).filter(({ status }) => status === 200);
			expect(delivered.length).toBeGreaterThanOrEqual(2 * DELIVERED_FIRST);
			expect(new Set(delivered.map(({ id }) => id)).size).toBe(delivered.length);
			for (const { id } of delivered)
				expect(proofs.get(id)?.receipt).toMatchObject({ outcome: "complete", estimated: false });
		});

		it("has every failure that was delivered, as cut and at its bound", () => {
			for (const { id, status } of deliveries(powerCut, killed)) {
				if (status === 200) continue;
				expect(status).toBe(502);
				expect(proofs.get(id)?.receipt).toMatchObject({ outcome: "cut", estimated: true });
			}
		});

		it("has what was cut off marked as estimated, at its bound where nobody settled it, and nothing else", () => {
			const receipts = [...proofs.values()].map(({ receipt }) => receipt);
			let atBound = 0;
			for (const { request_id, latency_ms } of settled.recent) {
				const { outcome, estimated, cost_usd, bound_usd } = proofs.get(request_id)?.receipt ?? {};
				expect(outcome).toBe(estimated ? "cut" : "complete");
				// Who settles knows how long it took; a surviving runtime settles what was sent when its upstream is gone.
				if (latency_ms === 0) atBound++;
				if (latency_ms === 0) expect([outcome, cost_usd]).toEqual(["cut", bound_usd]);
				else expect(Number(cost_usd)).toBeLessThan(Number(bound_usd));
				expect(Number(cost_usd)).toBeGreaterThan(0);
			}
			// A power cut leaves nobody who could settle.
			expect(atBound).toBeGreaterThanOrEqual(SLOW);
			// No slow request can have been completed: the upstream never answered one.
			expect(receipts.filter(({ outcome }) => outcome === "cut").length).toBeGreaterThanOrEqual(2 * SLOW);
		});

		it("settled what the power cut left open no earlier than its upstream call could have ended", () => {
			const open = settled.recent
				.filter(({ created_at }) => Date.parse(created_at) < killed.startedAtMs)
				.flatMap(({ request_id, created_at }) => {
					const receipt = proofs.get(request_id)?.receipt;
					return receipt?.["outcome"] === "cut" ? [{ created_at, settled_at: String(receipt["timestamp"]) }] : [];
				});
			expect(open.length).toBeGreaterThanOrEqual(SLOW);
			for (const { created_at, settled_at } of open)
				expect(Date.parse(settled_at) - Date.parse(created_at)).toBeGreaterThanOrEqual(UPSTREAM_TIMEOUT_MS);
		});

		it("stops on SIGTERM with code 0 and leaves no process and no port behind", () => stopsOn("SIGTERM"));

		it("has kept all of it when it starts again", async () => {
			running = await home().startReady();
			expect(home().key()).toBe(firstKey);
			expect(await usage()).toEqual(settled);
		});

		it("stops on SIGINT with code 0 and leaves no process and no port behind", () => stopsOn("SIGINT"));

		async function stopsOn(signal: "SIGTERM" | "SIGINT"): Promise<void> {
			running.process.kill(signal);
			const code = await running.exited;
			expect(home().runningRuntimes()).toEqual([]);
			expect([await canListen(home().port), await canListen(home().port + 1)]).toEqual([true, true]);
			expect(code).toBe(0);
		}
	});
});
