// What the benchmark is asked for on its command line.
import { mkdirSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import { resolve } from "node:path";
import { parseArgs } from "node:util";

export const PART_NAMES = ["cold", "load", "stream", "chunks", "agents", "memory", "cost"] as const;
export type PartName = (typeof PART_NAMES)[number];

export const TARGET_NAMES = ["bare", "relay", "floor", "portkey", "svc"] as const;
export type TargetName = (typeof TARGET_NAMES)[number];

export const STATE_NAMES = ["disk", "tmpfs"] as const;
export type StateName = (typeof STATE_NAMES)[number];

export interface BenchOptions {
	parts: readonly PartName[];
	targets: ReadonlySet<TargetName>;
	states: readonly StateName[];
	/** Per target and number of connections. */
	rounds: number;
	/** The service flushes to D1 at most a second after the first row that waits, so a round should have many seconds. */
	roundMs: number;
	memoryRequests: number;
	/** Whether requests are counted over fewer steps. */
	quick: boolean;
	builtInGenerator: boolean;
}

const FULL = { rounds: 5, seconds: 10, memoryRequests: 50_000 };
const QUICK = { rounds: 2, seconds: 4, memoryRequests: 10_000 };

export const USAGE = `npm run bench -- [PART …] [option …]
  PART             ${PART_NAMES.join(", ")}; all where none is named
  --only NAMES     targets, by comma: ${TARGET_NAMES.join(", ")} (portkey needs PORTKEY_DIR, a folder with @portkey-ai/gateway installed)
  --state NAMES    where state is, by comma: ${STATE_NAMES.join(", ")}; both where nothing is said. memory and cost use the first
  --rounds N       rounds per target and number of connections, ${FULL.rounds}
  --seconds S      length of a round, ${FULL.seconds}
  --requests N     of the part memory, ${FULL.memoryRequests}
  --quick          ${QUICK.rounds} rounds of ${QUICK.seconds} s, ${QUICK.memoryRequests} requests in memory, fewer steps counted
  --built-in       the built-in load generator even where wrk is on the PATH`;

/** The names of a list by comma, in the order of `all`; all of them where nothing is named. */
function pickNames<Name extends string>(what: string, named: readonly string[], all: readonly Name[]): Name[] {
	const unknown = named.filter((name) => !(all as readonly string[]).includes(name));
	if (unknown.length > 0) throw new Error(`there is no ${what} ${unknown.join(", ")}\n${USAGE}`);
	return all.filter((name) => named.length === 0 || named.includes(name));
}

function parsePositive(name: string, text: string | undefined, otherwise: number): number {
	if (text === undefined) return otherwise;
	const value = Number(text);
	if (!(value > 0)) throw new Error(`--${name} must be a number above 0\n${USAGE}`);
	return value;
}

/** @throws Error that ends with the usage, for what there is not. */
export function readOptions(args: readonly string[]): BenchOptions {
	const { values, positionals } = parseArgs({
		args: [...args],
		allowPositionals: true,
		options: {
			only: { type: "string" },
			state: { type: "string" },
			rounds: { type: "string" },
			seconds: { type: "string" },
			requests: { type: "string" },
			quick: { type: "boolean", default: false },
			"built-in": { type: "boolean", default: false },
		},
	});
	const otherwise = values.quick ? QUICK : FULL;
	return {
		parts: pickNames("part", positionals, PART_NAMES),
		targets: new Set(pickNames("target", values.only?.split(",") ?? [], TARGET_NAMES)),
		states: pickNames("state", values.state?.split(",") ?? [], STATE_NAMES),
		rounds: Math.ceil(parsePositive("rounds", values.rounds, otherwise.rounds)),
		roundMs: 1_000 * parsePositive("seconds", values.seconds, otherwise.seconds),
		memoryRequests: Math.ceil(parsePositive("requests", values.requests, otherwise.memoryRequests)),
		quick: values.quick,
		builtInGenerator: values["built-in"],
	};
}

/** Linux's number of the file system that is memory (statfs(2)). */
const TMPFS = 0x01021994;

function isTmpfs(folder: string): boolean {
	try {
		return statfsSync(folder).type === TMPFS;
	} catch {
		return false;
	}
}

/** Folders to keep state in; null where the machine has none of the kind. */
export function stateRoots(): Record<StateName, string | null> {
	const onDisk = isTmpfs(tmpdir()) ? resolve(".wrangler") : tmpdir();
	mkdirSync(onDisk, { recursive: true });
	return { disk: onDisk, tmpfs: isTmpfs("/dev/shm") ? "/dev/shm" : null };
}
