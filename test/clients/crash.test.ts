// `npm start` as a process: it survives a crash with every account intact, refuses a second start, and stops cleanly.
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseEnv } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { chat, fetchPems, fetchProof, isSound, type Proof } from "./support.ts";

const ROOT = join(import.meta.dirname, "../..");

/** Long enough for a crash and a new start to come before it, short enough to wait for the expiry of reservations after it. */
const UPSTREAM_TIMEOUT_MS = 10_000;

/** Both bursts together stay within the 20 requests that usage lists. */
const SLOW = 4;
const QUICK = 5;
/** Quick answers of a burst that are awaited before the crash; the others are under way. */
const DELIVERED_FIRST = 2;

let home = "";
let port = 0;
const launched: Launch[] = [];

interface Launch {
	process: ChildProcess;
	output: string;
	/** Pid of the runtime behind our port, once it is ready; a killed start leaves it running. */
	runtime: number | null;
	/** Exit code, or null for one that was killed. */
	exited: Promise<number | null>;
}

/** Throws, with what it wrote, when a start has ended that was to keep running. */
function expectRunning({ process: child, output }: Launch): void {
	if (child.exitCode === null && child.signalCode === null) return;
	throw new Error(`the start ended by itself (code ${child.exitCode}, signal ${child.signalCode}):\n${output}`);
}

/** Runs what `npm start` runs, in `home`, with no variable of this machine but these. */
function launch(variables: Record<string, string> = {}): Launch {
	const env = {
		PATH: process.env["PATH"],
		HOME: process.env["HOME"],
		// A killed start cannot remove its temporary files; these go with `home`.
		TMPDIR: join(home, "tmp"),
		PORT: String(port),
		UPSTREAM_TIMEOUT_MS: String(UPSTREAM_TIMEOUT_MS),
		UPSTREAM_TOTAL_TIMEOUT_MS: String(UPSTREAM_TIMEOUT_MS),
		...variables,
	};
	const child = spawn(process.execPath, ["src/cli/start.ts"], { cwd: home, env, stdio: ["ignore", "pipe", "pipe"] });
	const exited = once(child, "exit").then(([code]) => code);
	const start: Launch = { process: child, output: "", runtime: null, exited };
	child.stdout.on("data", (chunk) => {
		start.output += chunk;
	});
	child.stderr.on("data", (chunk) => {
		start.output += chunk;
	});
	launched.push(start);
	return start;
}

/** Whether a process is a runtime of ours: the port on its command line tells it from everybody else's. */
function isOurRuntime(pid: number): boolean {
	const { stdout } = spawnSync("ps", ["-p", String(pid), "-o", "command="], { encoding: "utf8" });
	return stdout.includes(`127.0.0.1:${port}`);
}

/** The runtime behind our port, as the start noted it; null when there is none. */
function runtimePid(): number | null {
	const file = join(home, ".wrangler/state/runtime.pid");
	const pid = existsSync(file) ? Number(readFileSync(file, "utf8")) : 0;
	return pid > 1 && isOurRuntime(pid) ? pid : null;
}

/** Every runtime of ours that is running, whoever started it. */
function runningRuntimes(): number[] {
	const pids = new Set([runtimePid(), ...launched.map(({ runtime }) => runtime)]);
	return [...pids].filter((pid) => pid !== null).filter(isOurRuntime);
}

/** Waits until `check` holds; throws after 45 seconds, so that a failed wait fails its test and not the whole run. */
async function until(what: string, everyMs: number, check: () => boolean | Promise<boolean>): Promise<void> {
	const endsAtMs = Date.now() + 45_000;
	while (!(await check())) {
		if (Date.now() > endsAtMs) throw new Error(`in vain waited until ${what}`);
		await sleep(everyMs);
	}
}

/** Starts and waits for the ready line. */
async function startReady(): Promise<Launch> {
	const start = launch();
	await until("the service is ready", 20, () => {
		expectRunning(start);
		return /^ready on /m.test(start.output);
	});
	start.runtime = runtimePid();
	return start;
}

async function canListen(candidate: number): Promise<boolean> {
	const server = createServer().listen(candidate, "127.0.0.1");
	try {
		await once(server, "listening");
		return true;
	} catch {
		return false;
	} finally {
		server.close();
	}
}

/** A free port with a free one above it, for the sandbox; below those that the system gives to outgoing connections. */
async function freePortPair(): Promise<number> {
	for (;;) {
		const candidate = 20_000 + 2 * Math.floor(Math.random() * 5_000);
		if ((await canListen(candidate)) && (await canListen(candidate + 1))) return candidate;
	}
}

function clientEnv(): { SVC_BASE_URL?: string; SVC_API_KEY?: string } {
	return parseEnv(readFileSync(join(home, ".env.local"), "utf8"));
}

function key(): string {
	return clientEnv().SVC_API_KEY ?? "";
}

const origin = () => `http://127.0.0.1:${port}`;

const usageSchema = z.looseObject({
	limits: z.looseObject({ daily_requests_used: z.int() }),
	total_requests: z.int(),
	total_cost_usd: z.number(),
	recent: z.array(z.looseObject({ request_id: z.string(), created_at: z.string(), cost_usd: z.number() })),
});

async function usage(): Promise<z.output<typeof usageSchema>> {
	const response = await fetch(`${origin()}/v1/usage`, { headers: { authorization: `Bearer ${key()}` } });
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
		const response = await chat(origin(), key(), content);
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
	home = mkdtempSync(join(tmpdir(), "svc-crash-"));
	mkdirSync(join(home, "tmp"));
	for (const name of ["node_modules", "src", "migrations", "wrangler.toml", "package.json"])
		symlinkSync(join(ROOT, name), join(home, name));
	port = await freePortPair();
});

afterAll(async () => {
	for (const { process: child, exited } of launched) {
		if (child.exitCode !== null || child.signalCode !== null) continue;
		child.kill("SIGTERM");
		await Promise.race([exited, sleep(5_000, undefined, { ref: false })]);
		child.kill("SIGKILL");
		await exited;
	}
	for (const pid of runningRuntimes()) process.kill(pid, "SIGKILL");
	if (home) rmSync(home, { recursive: true, force: true });
});

describe("npm start", () => {
	let running: Launch;
	let firstKey = "";
	let powerCut: Burst;
	let killed: Burst;

	it("gives a fresh machine a key that works", async () => {
		running = await startReady();
		expect(clientEnv().SVC_BASE_URL).toBe(`${origin()}/v1`);
		firstKey = key();
		expect(await usage()).toMatchObject({ plan: "corporate", total_requests: 0 });
	});

	it("starts again after a power cut in the middle of a burst, with the same key", async () => {
		powerCut = await burst(async () => {
			expectRunning(running);
			// Everything goes at once: the runtime first, so that it cannot notice that its upstream went.
			if (running.runtime !== null) process.kill(running.runtime, "SIGKILL");
			running.process.kill("SIGKILL");
			await running.exited;
		});
		expect(powerCut.slow).toEqual(Array(SLOW).fill(null));
		running = await startReady();
		expect(key()).toBe(firstKey);
		expect(await admitted()).toBeGreaterThanOrEqual(leastAdmitted(powerCut));
	});

	it("starts again after being killed in the middle of a burst, though its runtime still has port and state", async () => {
		let survivor: number | null = null;
		killed = await burst(async () => {
			expectRunning(running);
			running.process.kill("SIGKILL");
			await running.exited;
			survivor = runtimePid();
		});
		expect(survivor).not.toBeNull();
		running = await startReady();
		expect(runtimePid()).not.toBe(survivor);
		expect(key()).toBe(firstKey);
		expect(await admitted()).toBeGreaterThanOrEqual(leastAdmitted(powerCut, killed));
	});

	it("tells a second start that it is already running, and is not disturbed by it", async () => {
		const second = launch();
		expect(await second.exited).not.toBe(0);
		expect(second.output).toContain("already running");
		expect(second.output).not.toContain("ready on");
		expectRunning(running);
		expect((await usage()).total_requests).toBeGreaterThan(0);
	});

	it.each([
		["SIGNING_KEY", "xyz"],
		["UPSTREAM_TIMEOUT_MS", "soon"],
		["PORT", "no-port"],
	])("refuses a wrong %s, names it and does not repeat its value", async (name, value) => {
		const wrong = launch({ [name]: value });
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
			const pems = await fetchPems(origin());
			for (const { request_id, cost_usd } of settled.recent) {
				const proof = await fetchProof(origin(), request_id);
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

		it("has what was cut off at its bound and marked as estimated, and nothing else", () => {
			const receipts = [...proofs.values()].map(({ receipt }) => receipt);
			for (const receipt of receipts) {
				const { outcome, cost_usd, bound_usd } = receipt;
				expect(outcome).toBe(receipt["estimated"] ? "cut" : "complete");
				if (outcome === "cut") expect(cost_usd).toBe(bound_usd);
				else expect(Number(cost_usd)).toBeLessThan(Number(bound_usd));
			}
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
			running = await startReady();
			expect(key()).toBe(firstKey);
			expect(await usage()).toEqual(settled);
		});

		it("stops on SIGINT with code 0 and leaves no process and no port behind", () => stopsOn("SIGINT"));

		async function stopsOn(signal: "SIGTERM" | "SIGINT"): Promise<void> {
			running.process.kill(signal);
			const code = await running.exited;
			expect(runningRuntimes()).toEqual([]);
			expect([await canListen(port), await canListen(port + 1)]).toEqual([true, true]);
			expect(code).toBe(0);
		}
	});
});
