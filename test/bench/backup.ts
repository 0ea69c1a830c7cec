// `npm run bench:backup`: a backup of a user with a million requests while chats of that user go on at 20 a second, and a restore of it: how
// long they take, how long the chats take meanwhile, and the memory of the Worker's isolate and of the command line. `-- N` stores N
// requests instead, `-- N R` sends R chats a second. Ends with status 1 if the restored sums differ from the restored rows.
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { Agent } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { sandboxVariables } from "../../src/cli/local-env.ts";
import { applyLocalMigrations, buildBundle, startLocalService } from "../../src/cli/local-service.ts";
import { createKey, operatorPages } from "../../src/cli/operator.ts";
import { Inspector } from "./inspector.ts";
import { seedUser } from "./lists/seed.ts";
import { type LoadTarget, sendRequest } from "./load.ts";
import { WHOLE } from "./loads.ts";
import { residentMemory, withRuntimePid } from "./process.ts";
import { percentile } from "./statistics.ts";
import { renderTable } from "./table.ts";
import { discardOutput, startUpstream } from "./targets.ts";

const REQUESTS = Number(process.argv[2] ?? 1_000_000);
const CHATS_PER_SECOND = Number(process.argv[3] ?? 20);
/** Chats without a backup beside them. */
const ALONE_MS = 15_000;
const SAMPLE_MS = 500;
/** Every so many samples of the heap come after a forced collection. */
const COLLECT_EVERY = 6;

const secrets = {
	SIGNING_KEY: randomBytes(32).toString("hex"),
	KEY_PEPPER: randomBytes(32).toString("hex"),
	ADMIN_TOKEN: randomBytes(32).toString("hex"),
};

interface Service {
	target: LoadTarget;
	inspector: Inspector;
	stop(): Promise<void>;
}

async function startService(dirs: { bundleDir: string; stateDir: string }, upstreamUrl: string): Promise<Service> {
	const variables = { ...secrets, ...sandboxVariables(upstreamUrl) };
	const { started, pid } = await withRuntimePid(() =>
		startLocalService({ ...dirs, port: 0, inspectorPort: 0, variables, onOutput: discardOutput }),
	);
	const { url, inspectorUrl } = started;
	if (inspectorUrl === null) throw new Error("benchmark failed: no inspector listens");
	const inspector = await Inspector.open(inspectorUrl);
	const stop = async () => {
		inspector.close();
		await started.stop();
	};
	const target = { name: "svc", url, keys: [], headers: {}, signs: true, expected: null, pid, inspectorUrl, stop };
	return { target, inspector, stop };
}

/** Figures of one stretch of time. */
interface Stretch {
	seconds: number;
	/** Times of the chats, ms. */
	chats: number[];
	failed: number;
	/** By the limits of the plan, which admits 1,000 requests a minute. */
	refused: number;
	/** Of the isolate, objects in the heap and what they hold outside, bytes: at most, and after a collection at most. */
	heapBytes: number;
	collectedBytes: number;
	/** Of the runtime's process, and of the command line, bytes. */
	residentBytes: number;
	commandBytes: number;
}

/** Sends chats at an even pace until it is told to stop. */
async function chatUntil(target: LoadTarget, isOver: () => boolean, stretch: Stretch): Promise<void> {
	const agent = new Agent({ keepAlive: true });
	const sent: Promise<void>[] = [];
	const startMs = performance.now();
	for (let n = 0; !isOver(); n++) {
		await delay(Math.max(0, startMs + (n * 1_000) / CHATS_PER_SECOND - performance.now()));
		const answered = sendRequest(target, agent, WHOLE).then(
			({ latencyMs }) => void stretch.chats.push(latencyMs),
			(error: Error) => {
				if (/\b429\b/.test(error.message)) stretch.refused++;
				else stretch.failed++;
			},
		);
		sent.push(answered);
	}
	await Promise.all(sent);
	agent.destroy();
}

async function sampleUntil({ target, inspector }: Service, isOver: () => boolean, stretch: Stretch): Promise<void> {
	// A connection may be closed just as it is used again.
	const wake = async () => (await fetch(`${target.url}/health`)).arrayBuffer();
	for (let n = 1; !isOver(); n++) {
		if (n % COLLECT_EVERY === 0) await inspector.collectGarbage(wake);
		else void wake().catch(() => undefined);
		const { usedSize, backingStorageSize = 0, embedderHeapUsedSize = 0 } = await inspector.heapUsage();
		const bytes = usedSize + backingStorageSize + embedderHeapUsedSize;
		stretch.heapBytes = Math.max(stretch.heapBytes, bytes);
		if (n % COLLECT_EVERY === 0) stretch.collectedBytes = Math.max(stretch.collectedBytes, bytes);
		if (target.pid !== null)
			stretch.residentBytes = Math.max(stretch.residentBytes, residentMemory(target.pid).residentBytes);
		await delay(SAMPLE_MS);
	}
}

/** Watches a service while something is done, with chats if it has a key. */
async function watch(service: Service, work: (stretch: Stretch) => Promise<void>): Promise<Stretch> {
	const stretch = {
		seconds: 0,
		chats: [],
		failed: 0,
		refused: 0,
		heapBytes: 0,
		collectedBytes: 0,
		residentBytes: 0,
		commandBytes: 0,
	};
	let isOver = false;
	const startMs = performance.now();
	const done = work(stretch).finally(() => {
		stretch.seconds = (performance.now() - startMs) / 1_000;
		isOver = true;
	});
	const chats = service.target.keys.length > 0 ? chatUntil(service.target, () => isOver, stretch) : Promise.resolve();
	await Promise.all([done, chats, sampleUntil(service, () => isOver, stretch)]);
	return stretch;
}

/** Runs a command of the command line, and keeps the most memory that it had. */
async function runCommand(command: string, args: string[], stretch: Stretch): Promise<void> {
	const child = spawn(process.execPath, [`src/cli/${command}.ts`, ...args], {
		env: { ...process.env, ADMIN_TOKEN: secrets.ADMIN_TOKEN },
		stdio: ["ignore", "inherit", "inherit"],
	});
	const sampled = setInterval(() => {
		if (child.pid === undefined || child.exitCode !== null) return;
		try {
			stretch.commandBytes = Math.max(stretch.commandBytes, residentMemory(child.pid).residentBytes);
		} catch {
			// It has just ended.
		}
	}, 100);
	const status = await new Promise<number | null>((resolve) => child.once("exit", resolve));
	clearInterval(sampled);
	if (status !== 0) throw new Error(`benchmark failed: ${command} ended with ${status}`);
}

const toMib = (bytes: number) => (bytes / 1_048_576).toFixed(0);

function toColumns(name: string, stretch: Stretch): string[] {
	const { seconds, chats, failed, refused, heapBytes, collectedBytes, residentBytes, commandBytes } = stretch;
	const ms = (share: number) => (chats.length > 0 ? percentile(chats, share).toFixed(0) : "");
	return [
		name,
		seconds.toFixed(1),
		String(chats.length),
		String(refused),
		String(failed),
		ms(0.5),
		ms(0.99),
		ms(1),
		toMib(heapBytes),
		toMib(collectedBytes),
		toMib(residentBytes),
		commandBytes > 0 ? toMib(commandBytes) : "",
	];
}

/** Whether the sums of the only user are those of the rows. */
async function agrees(url: string): Promise<{ agrees: boolean; requests: number }> {
	let requests = 0;
	let isSame = true;
	const pages = operatorPages<{ agrees: boolean | null; requests: number }>(
		url,
		secrets.ADMIN_TOKEN,
		"/internal/accounts/check",
	);
	for await (const page of pages)
		for (const checked of page) {
			requests += checked.requests;
			isSame &&= checked.agrees === true;
		}
	return { agrees: isSame, requests };
}

async function measureBackup(tempDir: string, upstreamUrl: string): Promise<boolean> {
	const bundleDir = join(tempDir, "bundle");
	const [from, to] = [join(tempDir, "from"), join(tempDir, "to")];
	await buildBundle(bundleDir);
	for (const stateDir of [from, to]) await applyLocalMigrations(stateDir);
	const file = join(tempDir, "backup.jsonl.gz");
	const rows: string[][] = [];

	let service = await startService({ bundleDir, stateDir: from }, upstreamUrl);
	const { key } = await createKey(service.target.url, secrets.ADMIN_TOKEN, "bench", "corporate");
	await service.stop();
	process.stderr.write(`storing ${REQUESTS} requests\n`);
	const meterBytes = seedUser(from, { requests: REQUESTS, runs: 10, events: 10, keys: 10 });
	service = await startService({ bundleDir, stateDir: from }, upstreamUrl);
	try {
		service.target.keys = [key];
		rows.push(toColumns("chats alone", await watch(service, () => delay(ALONE_MS))));
		const { url } = service.target;
		const backup = await watch(service, (stretch) => runCommand("backup", [file, "--url", url], stretch));
		rows.push(toColumns("backup", backup));
	} finally {
		await service.stop();
	}
	rmSync(from, { recursive: true, force: true });

	service = await startService({ bundleDir, stateDir: to }, upstreamUrl);
	try {
		const { url } = service.target;
		const restore = await watch(service, (stretch) => runCommand("restore", [file, "--url", url], stretch));
		rows.push(toColumns("restore", restore));
		const checked = await agrees(url);
		const head = [
			"",
			"s",
			"chats",
			"refused",
			"failed",
			"median ms",
			"p99",
			"most",
			"heap MiB",
			"collected",
			"resident",
			"command",
		];
		console.log(renderTable([head, ...rows]));
		console.log(
			`\nthe meter has ${toMib(meterBytes)} MiB, the file ${toMib(statSync(file).size)} MiB; restored: ${JSON.stringify(checked)}`,
		);
		return checked.agrees && checked.requests >= REQUESTS;
	} finally {
		await service.stop();
	}
}

const tempDir = mkdtempSync(join(tmpdir(), "svc-bench-backup-"));
const upstream = await startUpstream();
try {
	process.exitCode = (await measureBackup(tempDir, upstream.url)) ? 0 : 1;
} finally {
	await upstream.stop();
	rmSync(tempDir, { recursive: true, force: true });
}
