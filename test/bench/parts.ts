// The parts of the benchmark that need running targets: load, stream, chunks, governance, workflows, neighbours, memory, cost.
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
import type { Load } from "./load.ts";
import { HANDOFF, POLICY_CHECK, STORED_RESPONSE, STREAMED, WHOLE } from "./loads.ts";
import { type MemoryResult, measureMemory } from "./memory.ts";
import { countNeighbourUsers, measureNeighbours, type NeighbourFigures } from "./neighbours.ts";
import {
	buildCountingBundle,
	COUNTED_USERS,
	type CountedKind,
	type CountedScenario,
	countOperations,
} from "./operations.ts";
import { type BenchOptions, stateRoots, TARGET_NAMES, type TargetName } from "./options.ts";
import { inSession, type Session, type Workshop } from "./session.ts";
import { requireSignedAnswer } from "./svc-target.ts";
import { measureWorkflowLoads, type WorkflowFigures } from "./workflows.ts";
import { loadGenerator } from "./wrk.ts";

/** Requests that are priced. */
const BILLED_REQUESTS = 1_000_000;

export type Progress = (text: string) => void;

/** One run of the benchmark. */
export interface BenchRun {
	workshop: Workshop;
	options: BenchOptions;
	onProgress: Progress;
}

function toRoundPlan({ options, onProgress }: BenchRun): RoundPlan {
	const { rounds, roundMs, builtInGenerator } = options;
	return { generator: loadGenerator(builtInGenerator), rounds, roundMs, onProgress };
}

/** Runs some work on the chosen targets among `names`, each with a fresh state. */
function withTargets<T>(
	{ workshop, options }: BenchRun,
	names: readonly TargetName[],
	work: (compared: readonly ComparedTarget[]) => Promise<T>,
): Promise<T> {
	const madeFolders: string[] = [];
	const roots = stateRoots();
	const stateFolders = options.states.flatMap((state) => {
		const root = roots[state];
		if (root === null) return [];
		const folder = mkdtempSync(join(root, "svc-bench-state-"));
		madeFolders.push(folder);
		return [[state, folder] as const];
	});
	const removeAll = () => {
		for (const folder of madeFolders) rmSync(folder, { recursive: true, force: true });
	};
	process.once("exit", removeAll);
	const targets = new Set(names.filter((name) => options.targets.has(name)));
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
	// A relay differs from bare, and a Worker that reads a stream whole from the service, by the form of the answer.
	const otherForm: TargetName = load.streamed ? "bare-stream" : "relay";
	const names = TARGET_NAMES.filter((name) => name !== otherForm);
	return withTargets(run, names, (compared) => compareUnderLoad(compared, load, toRoundPlan(run)));
}

/** The cost of a chunk at each target. */
export function compareChunks(run: BenchRun): Promise<ChunkCost[]> {
	const names = TARGET_NAMES.filter((name) => name !== "bare-stream");
	return withTargets(run, names, (compared) => measureChunks(compared, toRoundPlan(run)));
}

export interface GovernanceResult {
	handoffs: TargetFigures[];
	policyChecks: TargetFigures[];
}

/** The service under handoffs and policy checks. */
export function measureGovernance(run: BenchRun): Promise<GovernanceResult> {
	return withTargets(run, ["svc"], async (compared) => ({
		handoffs: await compareUnderLoad(compared, HANDOFF, toRoundPlan(run)),
		policyChecks: await compareUnderLoad(compared, POLICY_CHECK, toRoundPlan(run)),
	}));
}

/** Agent runs and strategies, with the state in the first chosen place. */
export function measureWorkflows(run: BenchRun): Promise<WorkflowFigures[]> {
	return inSession(run.workshop, async (session) => {
		const svc = await session.startSvc({ users: USERS });
		return measureWorkflowLoads(svc, session.countCalls, toRoundPlan(run));
	});
}

/** A quiet tenant beside a busy one, with the state in the first chosen place. */
export function measureTenants({ workshop, options, onProgress }: BenchRun): Promise<NeighbourFigures[]> {
	return inSession(workshop, async (session) => {
		const svc = await session.startSvc({ users: countNeighbourUsers() });
		return measureNeighbours(svc, { wanted: options.beside, durationMs: options.roundMs }, onProgress);
	});
}

/**
 * The memory of bare, the floor and the service. Growth of the first two is the runtime's own. A target whose process cannot
 * be found is left out.
 * @param onFigures gets the figures so far, so that a failure later on loses none.
 */
export async function measureTargetsMemory(
	{ workshop, options, onProgress }: BenchRun,
	onFigures: (results: readonly MemoryResult[]) => void,
): Promise<MemoryResult[]> {
	const { targets, memoryRequests } = options;
	const results: MemoryResult[] = [];
	for (const name of ["bare", "floor", "svc"] as const) {
		if (!targets.has(name)) continue;
		await inSession(workshop, async (session) => {
			const start = {
				bare: () => session.startBare({ inspected: true }),
				floor: () => session.startFloor({ users: USERS, inspected: true }),
				svc: () => session.startSvc({ users: USERS, inspected: true }),
			};
			const target = await start[name]();
			if (target.pid === null) return;
			if (target.signs) for (const load of [WHOLE, STREAMED]) await requireSignedAnswer(target, load);
			const result = await measureMemory(target, target.pid, {
				requests: memoryRequests,
				onFigures: (soFar) => {
					onFigures([...results, soFar]);
					const { samples } = soFar;
					if (samples.length % 5 === 1) {
						onProgress(`memory of ${name}: ${samples.at(-1)?.requests} of ${memoryRequests} requests`);
					}
				},
			});
			results.push(result);
			onFigures(results);
		});
	}
	return results;
}

/** CPU time per request of the runtime's whole process: Worker, objects, D1 and the runtime's own server; null if unknown. */
type CpuPerRequest = Record<CountedKind, number | null>;

const CPU_LOADS = {
	whole: WHOLE,
	streamed: STREAMED,
	response: STORED_RESPONSE,
	handoff: HANDOFF,
	policy: POLICY_CHECK,
};

/** Of the loads of some kinds. */
function measureCpu(run: BenchRun, kinds: ReadonlySet<CountedKind>): Promise<CpuPerRequest> {
	return inSession(run.workshop, async (session) => {
		const svc = await session.startSvc({ users: USERS });
		const cpu: CpuPerRequest = {
			...{ whole: null, streamed: null, response: null, handoff: null, policy: null, run: null, read: null },
			"tool run": null,
		};
		for (const [kind, load] of Object.entries(CPU_LOADS) as [keyof typeof CPU_LOADS, Load][]) {
			if (!kinds.has(kind)) continue;
			run.onProgress(`CPU time: ${kind}`);
			// The first round warms the code up.
			await measureRound(svc, load, 16, toRoundPlan(run));
			cpu[kind] = (await measureRound(svc, load, 16, toRoundPlan(run))).cpuMs;
		}
		return cpu;
	});
}

/** A counted scenario with its price. */
export interface PricedScenario extends CountedScenario {
	perRequest: Quantities;
	bill: CostBill;
}

export interface CostResult {
	chat: PricedScenario[];
	agents: PricedScenario[];
	reads: PricedScenario[];
	cpu: CpuPerRequest;
	/** Whether the report says where each row comes from. */
	showsSources: boolean;
}

/** Counts operations in the counting Worker, takes CPU time in the deployed one, and prices both. */
export async function measureCost(run: BenchRun): Promise<CostResult> {
	const { workshop, options, onProgress } = run;
	onProgress("building the counting Worker");
	const bundleDir = buildCountingBundle(join(workshop.tempDir, "counting"));
	const counted = await inSession(workshop, async (session) => {
		const svc = await session.startSvc({ users: COUNTED_USERS, bundleDir });
		return countOperations(svc, options, onProgress);
	});
	const cpu = await measureCpu(run, new Set([...counted.chat, ...counted.agents].map(({ kind }) => kind)));
	const priced = (scenarios: readonly CountedScenario[]) =>
		scenarios.map((scenario): PricedScenario => {
			const perRequest = toQuantities(scenario.counts, scenario.requests, cpu[scenario.kind]);
			return { ...scenario, perRequest, bill: toBill(perRequest, BILLED_REQUESTS) };
		});
	return {
		chat: priced(counted.chat),
		agents: priced(counted.agents),
		reads: priced(counted.reads),
		cpu,
		showsSources: options.scenario !== "",
	};
}
