// The parts of the benchmark that need running targets: load, stream, chunks, agents, memory, cost.
import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import {
	type ChunkCost,
	type ComparedTarget,
	compareUnderLoad,
	measureChunks,
	measureRound,
	type RoundPlan,
	startTargets,
	type TargetFigures,
	USERS,
} from "./compare.ts";
import { type CostBill, type Quantities, toBill, toQuantities } from "./cost.ts";
import type { Load, LoadTarget } from "./load.ts";
import { HANDOFF, POLICY_CHECK, STREAMED, WHOLE } from "./loads.ts";
import { type MemoryResult, measureMemory } from "./memory.ts";
import {
	buildCountingBundle,
	COUNTED_USERS,
	type CountedKind,
	type CountedScenario,
	countOperations,
} from "./operations.ts";
import { type BenchOptions, stateRoots, TARGET_NAMES, type TargetName } from "./options.ts";
import { inSession, type Session, type Workshop } from "./session.ts";
import { requireSignedAnswer, type SvcTarget } from "./targets.ts";
import { loadGenerator } from "./wrk.ts";

/** Requests whose cost is told. */
const BILLED_REQUESTS = 1_000_000;

export type Progress = (text: string) => void;

/** What one run of the benchmark has to work with. */
export interface BenchRun {
	workshop: Workshop;
	options: BenchOptions;
	onProgress: Progress;
}

function toRoundPlan({ options, onProgress }: BenchRun): RoundPlan {
	const { rounds, roundMs, builtInGenerator } = options;
	return { generator: loadGenerator(builtInGenerator), rounds, roundMs, onProgress };
}

/** Runs something on the targets that were asked for, each with a fresh state of its own; `only` leaves others out. */
function withTargets<T>(
	{ workshop, options }: BenchRun,
	only: readonly TargetName[],
	work: (contenders: readonly ComparedTarget[]) => Promise<T>,
): Promise<T> {
	const made: string[] = [];
	const roots = stateRoots();
	const stateFolders = options.states.flatMap((state) => {
		const root = roots[state];
		if (root === null) return [];
		const folder = mkdtempSync(join(root, "svc-bench-state-"));
		made.push(folder);
		return [[state, folder] as const];
	});
	const removeAll = () => {
		for (const folder of made) rmSync(folder, { recursive: true, force: true });
	};
	process.once("exit", removeAll);
	const targets = new Set(only.filter((name) => options.targets.has(name)));
	const portkeyDir = process.env["PORTKEY_DIR"] ?? null;
	return inSession(workshop, async (session: Session) =>
		work(await startTargets(session, { targets, stateRoots: stateFolders, portkeyDir })),
	).finally(() => {
		process.off("exit", removeAll);
		removeAll();
	});
}

/** All targets under one load. */
export function compareTargets(run: BenchRun, load: Load): Promise<TargetFigures[]> {
	// Of a whole answer there is nothing to relay piece by piece.
	const names = TARGET_NAMES.filter((name) => load.streamed || name !== "relay");
	return withTargets(run, names, (contenders) => compareUnderLoad(contenders, load, toRoundPlan(run)));
}

/** What a chunk costs each target. */
export function compareChunks(run: BenchRun): Promise<ChunkCost[]> {
	return withTargets(run, TARGET_NAMES, (contenders) => measureChunks(contenders, toRoundPlan(run)));
}

export interface AgentResult {
	handoffs: TargetFigures[];
	policyChecks: TargetFigures[];
}

/** The service under what agents send beside chat. */
export function measureAgents(run: BenchRun): Promise<AgentResult> {
	return withTargets(run, ["svc"], async (contenders) => ({
		handoffs: await compareUnderLoad(contenders, HANDOFF, toRoundPlan(run)),
		policyChecks: await compareUnderLoad(contenders, POLICY_CHECK, toRoundPlan(run)),
	}));
}

/**
 * The memory of the service, and of the bare Worker and the floor, whose growth is the runtime's own; empty where a
 * runtime's process cannot be found.
 */
export async function measureTargetsMemory({ workshop, options, onProgress }: BenchRun): Promise<MemoryResult[]> {
	const { targets, memoryRequests } = options;
	const found: MemoryResult[] = [];
	for (const name of ["bare", "floor", "svc"] as const) {
		if (!targets.has(name)) continue;
		await inSession(workshop, async (session) => {
			const start = {
				bare: () => session.startBare(),
				floor: () => session.startFloor({ users: USERS }),
				svc: () => session.startSvc({ users: USERS, inspected: true }),
			};
			const target: LoadTarget & Partial<SvcTarget> = await start[name]();
			if (target.pid === null) return;
			if (target.signs) for (const load of [WHOLE, STREAMED]) await requireSignedAnswer(target, load);
			const inspectorUrl = target.inspectorUrl ?? null;
			found.push(await measureMemory({ target, pid: target.pid, inspectorUrl }, memoryRequests, onProgress));
		});
	}
	return found;
}

/** CPU time of the runtime's whole process for one request: Worker, objects, D1 and the runtime's own server. */
type CpuPerRequest = Record<CountedKind, number | null>;

const CPU_LOADS = { whole: WHOLE, streamed: STREAMED, handoff: HANDOFF, policy: POLICY_CHECK };

function measureCpu(run: BenchRun): Promise<CpuPerRequest> {
	return inSession(run.workshop, async (session) => {
		const svc = await session.startSvc({ users: USERS });
		const cpu: CpuPerRequest = { whole: null, streamed: null, handoff: null, policy: null, run: null, read: null };
		for (const [kind, load] of Object.entries(CPU_LOADS) as [keyof typeof CPU_LOADS, Load][]) {
			run.onProgress(`CPU time: ${kind}`);
			// The first round warms the code up.
			await measureRound(svc, load, 16, toRoundPlan(run));
			cpu[kind] = (await measureRound(svc, load, 16, toRoundPlan(run))).cpuMs;
		}
		return cpu;
	});
}

/** A counted scenario with what it comes to. */
export interface PricedScenario extends CountedScenario {
	perRequest: Quantities;
	bill: CostBill;
}

export interface CostResult {
	chat: PricedScenario[];
	agents: PricedScenario[];
	reads: PricedScenario[];
	cpu: CpuPerRequest;
}

/** Counts operations in the counting Worker, takes CPU time in the deployed one, and prices both. */
export async function measureCost(run: BenchRun): Promise<CostResult> {
	const { workshop, options, onProgress } = run;
	onProgress("building the counting Worker");
	const bundleDir = buildCountingBundle(join(workshop.tempDir, "counting"));
	const counted = await inSession(workshop, async (session) => {
		const svc = await session.startSvc({ users: COUNTED_USERS, bundleDir });
		return countOperations(svc, options.quick, onProgress);
	});
	const cpu = await measureCpu(run);
	const priced = (scenarios: readonly CountedScenario[]) =>
		scenarios.map((scenario): PricedScenario => {
			const perRequest = toQuantities(scenario.counts, scenario.requests, cpu[scenario.kind]);
			return { ...scenario, perRequest, bill: toBill(perRequest, BILLED_REQUESTS) };
		});
	return { chat: priced(counted.chat), agents: priced(counted.agents), reads: priced(counted.reads), cpu };
}
