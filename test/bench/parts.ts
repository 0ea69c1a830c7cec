// The parts of the benchmark that need running targets: load, stream, memory, cost.

import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { type Bill, billOf, type Quantities, quantitiesOf } from "./cost.ts";
import { type ChatLoad, type LoadTarget, type Round, runRound } from "./load.ts";
import { STREAMED, WHOLE } from "./loads.ts";
import { type MemoryResult, measureMemory } from "./memory.ts";
import { buildCountingBundle, COUNTED_USERS, type CountedScenario, countOperations } from "./operations.ts";
import { cpuMs } from "./process.ts";
import { inSession, type Workshop } from "./session.ts";
import { type Comparison, compare } from "./statistics.ts";
import { requireSignedAnswer } from "./targets.ts";

const CONNECTIONS = [1, 16] as const;
const ROUNDS = 3;
const ROUND_MS = 2_000;
const JIT_WARM_UP_MS = 2_000;
/** Lets the service's flush to D1 end, which runs on after the answers, so that it does not slow the next round. */
const PAUSE_MS = 500;
/** The meter allows a user 1000 requests in a minute. */
const USERS = 48;
const MAX_ROUND_REQUESTS = 8_000;
/** Requests whose cost is told. */
const BILLED_REQUESTS = 1_000_000;

export type Progress = (text: string) => void;

/** One request per user: isolates trust a looked-up key for 30 seconds only, and a round should not measure the look-ups. */
async function warmKeys(target: LoadTarget, load: ChatLoad): Promise<void> {
	await runRound(target, [load], { connections: 4, durationMs: 10_000, maxRequests: USERS });
}

async function warmUp(target: LoadTarget, load: ChatLoad): Promise<void> {
	await runRound(target, [load], { connections: 16, durationMs: JIT_WARM_UP_MS, maxRequests: MAX_ROUND_REQUESTS });
}

async function measuredRound(target: LoadTarget, load: ChatLoad, connections: number): Promise<Round> {
	await warmKeys(target, load);
	const limits = { connections, durationMs: ROUND_MS, maxRequests: MAX_ROUND_REQUESTS };
	const round = await runRound(target, [load], limits);
	await delay(PAUSE_MS);
	return round;
}

/** Sets the service beside the bare Worker; rounds alternate between the two, so that the machine's noise hits both alike. */
export function compareUnderLoad(workshop: Workshop, load: ChatLoad, onProgress: Progress): Promise<Comparison[]> {
	return inSession(workshop, async (session) => {
		const bare = await session.startBare();
		const { svc } = await session.startSvc(USERS);
		await requireSignedAnswer(svc, load);
		for (const target of [bare, svc]) await warmUp(target, load);
		const comparisons: Comparison[] = [];
		for (const connections of CONNECTIONS) {
			const bareRounds: Round[] = [];
			const svcRounds: Round[] = [];
			for (let round = 1; round <= ROUNDS; round++) {
				onProgress(`${load.streamed ? "streamed" : "whole"}: ${connections} connections, round ${round} of ${ROUNDS}`);
				bareRounds.push(await measuredRound(bare, load, connections));
				svcRounds.push(await measuredRound(svc, load, connections));
			}
			comparisons.push(compare(connections, bareRounds, svcRounds));
		}
		return comparisons;
	});
}

/** The runtime's memory under many requests; null where its process cannot be found. */
export function watchMemory(workshop: Workshop, onProgress: Progress): Promise<MemoryResult | null> {
	return inSession(workshop, async (session) => {
		const { svc, pid } = await session.startSvc(USERS);
		if (pid === null) return null;
		for (const load of [WHOLE, STREAMED]) await requireSignedAnswer(svc, load);
		return measureMemory(svc, pid, onProgress);
	});
}

/** CPU time of the runtime's whole process for one request: Worker, objects, D1 and the runtime's own server. */
interface CpuPerRequest {
	wholeMs: number | null;
	streamedMs: number | null;
}

function measureCpu(workshop: Workshop): Promise<CpuPerRequest> {
	return inSession(workshop, async (session) => {
		const { svc, pid } = await session.startSvc(USERS);
		const perRequest = async (load: ChatLoad) => {
			if (pid === null) return null;
			await warmUp(svc, load);
			const beforeMs = cpuMs(pid);
			const round = await measuredRound(svc, load, 16);
			// The look-ups of keys before the round are requests too.
			return (cpuMs(pid) - beforeMs) / (round.latenciesMs.length + USERS);
		};
		return { wholeMs: await perRequest(WHOLE), streamedMs: await perRequest(STREAMED) };
	});
}

/** A counted scenario with what it comes to. */
export interface PricedScenario extends CountedScenario {
	perRequest: Quantities;
	bill: Bill;
}

export interface CostResult {
	chat: PricedScenario[];
	reads: PricedScenario[];
	cpu: CpuPerRequest;
}

/** Counts operations in the counting Worker, takes CPU time in the deployed one, and prices both. */
export async function measureCost(workshop: Workshop, onProgress: Progress): Promise<CostResult> {
	onProgress("building the counting Worker");
	const bundleDir = buildCountingBundle(join(workshop.tempDir, "counting"));
	const counted = await inSession(workshop, async (session) => {
		const { svc } = await session.startSvc(COUNTED_USERS, bundleDir);
		return countOperations(svc, onProgress);
	});
	onProgress("measuring CPU time");
	const cpu = await measureCpu(workshop);
	const priced = (scenario: CountedScenario, cpuMsPerRequest: number | null): PricedScenario => {
		const perRequest = quantitiesOf(scenario.counts, scenario.requests, cpuMsPerRequest);
		return { ...scenario, perRequest, bill: billOf(perRequest, BILLED_REQUESTS) };
	};
	return {
		chat: counted.chat.map((scenario) => priced(scenario, scenario.streamed ? cpu.streamedMs : cpu.wholeMs)),
		reads: counted.reads.map((scenario) => priced(scenario, null)),
		cpu,
	};
}
