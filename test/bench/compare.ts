// Compares targets under the same load in one run. Rounds take turns (A B C A B C), so that noise of the machine hits all alike.
import { setTimeout as delay } from "node:timers/promises";
import { type Load, type LoadGenerator, type LoadTarget, runRound } from "./load.ts";
import { LONG_STREAM, MORE_CHUNKS, SHORT_STREAM } from "./loads.ts";
import { CONNECTIONS, type StateName, type TargetName } from "./options.ts";
import { processCpuMs } from "./process.ts";
import type { Session } from "./session.ts";
import {
	type LoadSummary,
	type MeasuredRound,
	median,
	medianRatio,
	summarizeRounds,
	type TargetRatio,
} from "./statistics.ts";
import { requireSignedAnswer } from "./svc-target.ts";

const CHUNK_CONNECTIONS = 16;
const WARM_UP_MS = 3_000;
/** Longer than rows wait for a flush to D1. So a round's flushes end before the next round and count as its own CPU time. */
const SETTLE_MS = 1_300;
/** The meter allows a user 1000 requests in a minute. */
export const USERS = 96;
/** Streams that the built-in generator times, because wrk does not time the first delta. */
const FIRST_DELTA_STREAMS = 25;

/** A target in a comparison. Its name says where its state is. */
export interface ComparedTarget {
	name: string;
	kind: TargetName;
	/** null for a target without state. */
	state: StateName | null;
	target: LoadTarget;
}

/** The targets to compare. */
export interface TargetChoice {
	targets: ReadonlySet<TargetName>;
	/** Folders by kind. */
	stateRoots: readonly (readonly [StateName, string])[];
	/** A folder with Portkey in it; null without one. */
	portkeyDir: string | null;
}

/** Starts the chosen targets. Those with state are started once for each place it can be in. */
export async function startTargets(session: Session, choice: TargetChoice): Promise<ComparedTarget[]> {
	const { targets, stateRoots, portkeyDir } = choice;
	const compared: ComparedTarget[] = [];
	const add = (kind: TargetName, state: StateName | null, target: LoadTarget) => {
		const name = state === null ? target.name : `${target.name}, ${state}`;
		compared.push({ name, kind, state, target: { ...target, name } });
	};
	if (targets.has("bare")) add("bare", null, await session.startBare());
	if (targets.has("bare-stream")) add("bare-stream", null, await session.startBareStream());
	if (targets.has("relay")) add("relay", null, await session.startRelay());
	if (targets.has("portkey") && portkeyDir) add("portkey", null, await session.startPortkey(portkeyDir));
	for (const [state, stateRoot] of stateRoots) {
		if (targets.has("floor")) add("floor", state, await session.startFloor({ users: USERS, stateRoot }));
		if (targets.has("svc")) add("svc", state, await session.startSvc({ users: USERS, stateRoot }));
	}
	return compared;
}

/** Sends one request per user. Isolates trust a looked-up key for 30 seconds, and a round should not measure look-ups. */
async function warmKeys(target: LoadTarget, load: Load): Promise<void> {
	await runRound(target, [load], { connections: 4, durationMs: 30_000, maxRequests: target.keys.length });
}

export interface RoundPlan {
	generator: LoadGenerator;
	rounds: number;
	roundMs: number;
	onProgress: (text: string) => void;
}

/** Runs one round and measures the process's CPU time over it. */
export async function measureRound(
	target: LoadTarget,
	load: Load,
	connections: number,
	plan: RoundPlan,
): Promise<MeasuredRound> {
	const { generator, roundMs } = plan;
	await warmKeys(target, load);
	await delay(SETTLE_MS);
	const beforeMs = target.pid === null ? null : processCpuMs(target.pid);
	const limits = { connections, durationMs: roundMs, maxRequests: Number.POSITIVE_INFINITY };
	const answers = await generator.run(target, load, limits);
	await delay(SETTLE_MS);
	const usedMs = beforeMs === null || target.pid === null ? null : processCpuMs(target.pid) - beforeMs;
	let { medianFirstDeltaMs } = answers;
	if (load.streamed && medianFirstDeltaMs === null) {
		const few = { connections, durationMs: roundMs, maxRequests: FIRST_DELTA_STREAMS };
		({ medianFirstDeltaMs } = await runRound(target, [load], few));
	}
	return { ...answers, medianFirstDeltaMs, cpuMs: usedMs === null ? null : usedMs / answers.requests };
}

/** Warms the targets up. If Portkey does not answer this load, it is left out and reported. */
async function warmUpTargets(
	compared: readonly ComparedTarget[],
	load: Load,
	plan: RoundPlan,
): Promise<ComparedTarget[]> {
	const answering: ComparedTarget[] = [];
	for (const one of compared) {
		const { target, kind } = one;
		try {
			if (target.signs && load.path === "/v1/chat/completions") await requireSignedAnswer(target, load);
			await runRound(target, [load], { connections: 16, durationMs: WARM_UP_MS, maxRequests: 5_000 });
			answering.push(one);
		} catch (error) {
			if (kind !== "portkey") throw error;
			plan.onProgress(`left out: ${error}`);
		}
	}
	return answering;
}

/** Runs the rounds of all targets at one number of connections. */
async function runInterleavedRounds(
	compared: readonly ComparedTarget[],
	load: Load,
	connections: number,
	plan: RoundPlan,
): Promise<Map<ComparedTarget, MeasuredRound[]>> {
	const rounds = new Map<ComparedTarget, MeasuredRound[]>(compared.map((one) => [one, []]));
	for (let round = 1; round <= plan.rounds; round++) {
		plan.onProgress(`${connections} connections, round ${round} of ${plan.rounds}`);
		for (const one of compared) {
			rounds.get(one)?.push(await measureRound(one.target, load, connections, plan));
		}
	}
	return rounds;
}

/** A target's figures at one number of connections, and its ratios to bare and to the floor. */
export interface TargetFigures extends LoadSummary {
	name: string;
	connections: number;
	/** null if bare was not measured or is the target itself. */
	toBare: TargetRatio | null;
	/** To the floor with its state in the same place. */
	toFloor: TargetRatio | null;
	rounds: MeasuredRound[];
}

function toTargetFigures(connections: number, measured: ReadonlyMap<ComparedTarget, MeasuredRound[]>): TargetFigures[] {
	const ratioTo = (own: ComparedTarget, kind: TargetName, rounds: readonly MeasuredRound[]) => {
		const same = ({ state }: ComparedTarget) => state === null || state === own.state;
		const reference = [...measured].find(([other]) => other.kind === kind && same(other) && other !== own);
		return reference ? medianRatio(rounds, reference[1]) : null;
	};
	return [...measured].map(([one, rounds]) => ({
		name: one.name,
		connections,
		...summarizeRounds(rounds),
		toBare: ratioTo(one, "bare", rounds),
		toFloor: one.kind === "svc" ? ratioTo(one, "floor", rounds) : null,
		rounds,
	}));
}

/** Compares the targets at one connection and at sixteen. */
export async function compareUnderLoad(
	compared: readonly ComparedTarget[],
	load: Load,
	plan: RoundPlan,
): Promise<TargetFigures[]> {
	const answering = await warmUpTargets(compared, load, plan);
	const figures: TargetFigures[] = [];
	for (const connections of CONNECTIONS) {
		figures.push(...toTargetFigures(connections, await runInterleavedRounds(answering, load, connections, plan)));
	}
	return figures;
}

/** Cost of one more chunk in a stream. */
export interface ChunkCost {
	name: string;
	/** CPU time, µs: the median over the rounds; null if CPU time is unknown. */
	cpuMicros: number | null;
	roundsCpuMicros: number[];
}

/** Compares long and short streams. Each chunk comes alone, as a model's do. */
export async function measureChunks(compared: readonly ComparedTarget[], plan: RoundPlan): Promise<ChunkCost[]> {
	const answering = await warmUpTargets(compared, LONG_STREAM, plan);
	const costs = new Map<ComparedTarget, number[]>(answering.map((one) => [one, []]));
	for (let round = 1; round <= plan.rounds; round++) {
		plan.onProgress(`chunks, round ${round} of ${plan.rounds}`);
		for (const one of answering) {
			const short = await measureRound(one.target, SHORT_STREAM, CHUNK_CONNECTIONS, plan);
			const long = await measureRound(one.target, LONG_STREAM, CHUNK_CONNECTIONS, plan);
			if (short.cpuMs === null || long.cpuMs === null) continue;
			costs.get(one)?.push(((long.cpuMs - short.cpuMs) * 1_000) / MORE_CHUNKS);
		}
	}
	return [...costs].map(([{ name }, micros]) => ({
		name,
		cpuMicros: micros.length === 0 ? null : median(micros),
		roundsCpuMicros: micros,
	}));
}
