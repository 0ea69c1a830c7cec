// The command line of the benchmark, and how long its parts take.
import { mkdirSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import { resolve } from "node:path";
import { parseArgs } from "node:util";

export const PART_NAMES = [
	"cold",
	"load",
	"stream",
	"chunks",
	"governance",
	"workflows",
	"neighbours",
	"memory",
	"cost",
] as const;
export type PartName = (typeof PART_NAMES)[number];

export const TARGET_NAMES = ["bare", "bare-stream", "relay", "floor", "portkey", "svc"] as const;
export type TargetName = (typeof TARGET_NAMES)[number];

export const STATE_NAMES = ["disk", "tmpfs"] as const;
export type StateName = (typeof STATE_NAMES)[number];

export interface BenchOptions {
	parts: readonly PartName[];
	targets: ReadonlySet<TargetName>;
	states: readonly StateName[];
	/** Per target and number of connections. */
	rounds: number;
	/** A round should have several seconds, because the service flushes to D1 up to a second after a row was written. */
	roundMs: number;
	memoryRequests: number;
	/** Part of the names of the loads that the part neighbours measures; all with "". */
	beside: string;
	/** Part of the names of the scenarios that the part cost counts; all with "". */
	scenario: string;
	/** Whether operations are counted over fewer steps. */
	quick: boolean;
	builtInGenerator: boolean;
}

const FULL = { rounds: 3, seconds: 8, memoryRequests: 50_000 };
const QUICK = { rounds: 2, seconds: 4, memoryRequests: 10_000 };

export const USAGE = `npm run bench -- [PART …] [option …]
  PART             ${PART_NAMES.join(", ")}; all by default
  --only NAMES     targets, by comma: ${TARGET_NAMES.join(", ")} (portkey needs PORTKEY_DIR, a folder with @portkey-ai/gateway installed)
  --state NAMES    where state is, by comma: ${STATE_NAMES.join(", ")}; both by default. workflows, neighbours, memory and cost use the first
  --rounds N       rounds per target and number of connections, ${FULL.rounds}
  --seconds S      length of a round, ${FULL.seconds}
  --requests N     of the part memory, ${FULL.memoryRequests}
  --beside TEXT    loads of the part neighbours whose names contain it
  --scenario TEXT  scenarios of the part cost whose names contain it, with the source of each row
  --quick          ${QUICK.rounds} rounds of ${QUICK.seconds} s, ${QUICK.memoryRequests} requests in memory, fewer steps counted
  --built-in       the built-in load generator even if wrk is on the PATH

Minutes by default: cold 1, load 10, stream 10, chunks 10, governance 5, workflows 6, neighbours 8, memory 15, cost 6; with --quick about half.
A part takes less with --only, --state, --rounds and --seconds, and memory with --requests.`;

/** Time a round takes beside its load: settling before and after it, and one request per user. */
export const ROUND_OVERHEAD_MS = 3_600;
/** Numbers of connections that targets are compared at. */
export const CONNECTIONS = [1, 16] as const;

/** How long the rounds of a comparison take, without the start of its targets. */
export function comparisonMs(targets: number, { rounds, roundMs }: Pick<BenchOptions, "rounds" | "roundMs">): number {
	return targets * CONNECTIONS.length * rounds * (roundMs + ROUND_OVERHEAD_MS);
}

/** The named ones, in the order of `all`; all of them if none is named. */
function pickNames<Name extends string>(what: string, named: readonly string[], all: readonly Name[]): Name[] {
	const unknown = named.filter((name) => !(all as readonly string[]).includes(name));
	if (unknown.length > 0) throw new Error(`there is no ${what} ${unknown.join(", ")}\n${USAGE}`);
	return all.filter((name) => named.length === 0 || named.includes(name));
}

function parsePositive(name: string, text: string | undefined, fallback: number): number {
	if (text === undefined) return fallback;
	const value = Number(text);
	if (!(value > 0)) throw new Error(`--${name} must be a number above 0\n${USAGE}`);
	return value;
}

/** @throws Error with the usage at its end, for unknown names and bad numbers. */
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
			beside: { type: "string", default: "" },
			scenario: { type: "string", default: "" },
			quick: { type: "boolean", default: false },
			"built-in": { type: "boolean", default: false },
		},
	});
	const defaults = values.quick ? QUICK : FULL;
	return {
		parts: pickNames("part", positionals, PART_NAMES),
		targets: new Set(pickNames("target", values.only?.split(",") ?? [], TARGET_NAMES)),
		states: pickNames("state", values.state?.split(",") ?? [], STATE_NAMES),
		rounds: Math.ceil(parsePositive("rounds", values.rounds, defaults.rounds)),
		roundMs: 1_000 * parsePositive("seconds", values.seconds, defaults.seconds),
		memoryRequests: Math.ceil(parsePositive("requests", values.requests, defaults.memoryRequests)),
		beside: values.beside,
		scenario: values.scenario,
		quick: values.quick,
		builtInGenerator: values["built-in"],
	};
}

/** Linux's type number of tmpfs (statfs(2)). */
const TMPFS = 0x01021994;

function isTmpfs(folder: string): boolean {
	try {
		return statfsSync(folder).type === TMPFS;
	} catch {
		return false;
	}
}

/** Folders to keep state in; null if the machine has none of the kind. */
export function stateRoots(): Record<StateName, string | null> {
	const onDisk = isTmpfs(tmpdir()) ? resolve(".wrangler") : tmpdir();
	mkdirSync(onDisk, { recursive: true });
	return { disk: onDisk, tmpfs: isTmpfs("/dev/shm") ? "/dev/shm" : null };
}
