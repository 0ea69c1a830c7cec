// CPU time of requests that make several model calls: agent runs, and orchestrations by each strategy.
import { STRATEGIES } from "../../src/orchestration/strategies.ts";
import { measureRound, type RoundPlan } from "./compare.ts";
import { builtInGenerator, type Load, type LoadTarget, runRound } from "./load.ts";
import { AGENT_RUN, AGENT_RUN_STEPS, orchestrationLoad, WHOLE } from "./loads.ts";
import { median } from "./statistics.ts";

const CONNECTIONS = 16;
/** Requests that warm the code up. Their model calls are counted. */
const WARM_UP_REQUESTS = 48;

interface WorkflowLoad {
	name: string;
	load: Load;
	/** Steps of one run; null for anything but a run. */
	steps: number | null;
}

const LOADS: readonly WorkflowLoad[] = [
	{ name: "chat, for comparison", load: WHOLE, steps: null },
	...STRATEGIES.map((strategy) => ({ name: strategy, load: orchestrationLoad(strategy), steps: null })),
	{ name: `agent run of ${AGENT_RUN_STEPS} steps`, load: AGENT_RUN, steps: AGENT_RUN_STEPS },
];

/** CPU time of one kind of request, ms, as the median over the rounds. */
export interface WorkflowFigures {
	name: string;
	requests: number;
	/** Model calls of one request, on average. */
	calls: number;
	/** null if CPU time is unknown, as in the two below. */
	cpuMs: number | null;
	cpuMsPerCall: number | null;
	/** null for anything but a run, too. */
	cpuMsPerStep: number | null;
	roundsCpuMs: number[];
}

/**
 * Measures each kind of request in turn, round by round.
 * @param countCalls says how many model calls were made so far.
 */
export async function measureWorkflowLoads(
	svc: LoadTarget,
	countCalls: () => Promise<number>,
	plan: RoundPlan,
): Promise<WorkflowFigures[]> {
	// wrk leaves requests unfinished at the end of a round, and does not count them. Of slow requests they are too many.
	const patientPlan = { ...plan, generator: builtInGenerator };
	const measured = LOADS.map((workflow) => ({ ...workflow, calls: 0, requests: 0, roundsCpuMs: [] as number[] }));
	for (const workflow of measured) {
		const callsBefore = await countCalls();
		const limits = { connections: CONNECTIONS, durationMs: 60_000, maxRequests: WARM_UP_REQUESTS };
		const { requests } = await runRound(svc, [workflow.load], limits);
		workflow.calls = ((await countCalls()) - callsBefore) / requests;
	}
	for (let round = 1; round <= plan.rounds; round++) {
		for (const workflow of measured) {
			plan.onProgress(`${workflow.name}, round ${round} of ${plan.rounds}`);
			const { cpuMs, requests } = await measureRound(svc, workflow.load, CONNECTIONS, patientPlan);
			workflow.requests += requests;
			if (cpuMs !== null) workflow.roundsCpuMs.push(cpuMs);
		}
	}
	return measured.map(({ name, calls, requests, roundsCpuMs, steps }) => {
		const cpuMs = roundsCpuMs.length === 0 ? null : median(roundsCpuMs);
		return {
			name,
			requests,
			calls,
			cpuMs,
			cpuMsPerCall: cpuMs === null ? null : cpuMs / calls,
			cpuMsPerStep: cpuMs === null || steps === null ? null : cpuMs / steps,
			roundsCpuMs,
		};
	});
}
