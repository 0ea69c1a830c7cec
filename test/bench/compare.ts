// Targets under the same load in one run. Rounds go round the targets (A B C A B C), so that the machine's noise hits all alike.
import { setTimeout as delay } from "node:timers/promises";
import { type Load, type LoadGenerator, type LoadTarget, runRound } from "./load.ts";
import { LONG_STREAM, MORE_CHUNKS, SHORT_STREAM } from "./loads.ts";
import type { StateName, TargetName } from "./options.ts";
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
import { requireSignedAnswer } from "./targets.ts";

const CONNECTIONS = [1, 16] as const;
const CHUNK_CONNECTIONS = 16;
const WARM_UP_MS = 3_000;
/** Longer than rows wait for a flush to D1: what a round left to do is done, and counted as its CPU time, before the next begins. */
const SETTLE_MS = 1_300;
/** The meter allows a user 1000 requests in a minute. */
export const USERS = 96;
/** wrk does not say when the first delta came; so many streams of the built-in generator do. */
const FIRST_DELTA_STREAMS = 25;

/** A target in a comparison. */
export interface ComparedTarget {
	name: string;
	kind: TargetName;
	/** null for a target that keeps none. */
	state: StateName | null;
	target: LoadTarget;
}

/** What to compare. */
export interface TargetChoice {
	targets: ReadonlySet<TargetName>;
	/** Folders by kind. */
	stateRoots: readonly (readonly [StateName, string])[];
	/** A folder with Portkey in it; null where there is none. */
	portkeyDir: string | null;
}

/** Starts the targets that are asked for, those with state once for each place it can be in. */
export async function startTargets(session: Session, choice: TargetChoice): Promise<ComparedTarget[]> {
	const { targets, stateRoots, portkeyDir } = choice;
	const contenders: ComparedTarget[] = [];
	const add = (kind: TargetName, state: StateName | null, target: LoadTarget) => {
		const name = state === null ? target.name : `${target.name}, ${state}`;
		contenders.push({ name, kind, state, target: { ...target, name } });
	};
	if (targets.has("bare")) add("bare", null, await session.startBare());
	if (targets.has("relay")) add("relay", null, await session.startRelay());
	if (targets.has("portkey") && portkeyDir) add("portkey", null, await session.startPortkey(portkeyDir));
	for (const [state, stateRoot] of stateRoots) {
		if (targets.has("floor")) add("floor", state, await session.startFloor({ users: USERS, stateRoot }));
		if (targets.has("svc")) add("svc", state, await session.startSvc({ users: USERS, stateRoot }));
	}
	return contenders;
}

/** One request per user: isolates trust a looked-up key for 30 seconds only, and a round should not measure the look-ups. */
async function warmKeys(target: LoadTarget, load: Load): Promise<void> {
	await runRound(target, [load], { connections: 4, durationMs: 30_000, maxRequests: target.keys.length });
}

export interface RoundPlan {
	generator: LoadGenerator;
	rounds: number;
	roundMs: number;
	onProgress: (text: string) => void;
}

/** Runs one round and takes the process's CPU time over it. */
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

/** Warms the targets up; what stands beside the service and does not answer this load is left out, and said. */
async function warmUpTargets(
	contenders: readonly ComparedTarget[],
	load: Load,
	plan: RoundPlan,
): Promise<ComparedTarget[]> {
	const sound: ComparedTarget[] = [];
	for (const contender of contenders) {
		const { target, kind } = contender;
		try {
			if (target.signs && load.path === "/v1/chat/completions") await requireSignedAnswer(target, load);
			await runRound(target, [load], { connections: 16, durationMs: WARM_UP_MS, maxRequests: 5_000 });
			sound.push(contender);
		} catch (error) {
			if (kind !== "portkey") throw error;
			plan.onProgress(`left out: ${error}`);
		}
	}
	return sound;
}

/** Runs the rounds of all contenders at one number of connections; by contender, in its order. */
async function runInterleavedRounds(
	contenders: readonly ComparedTarget[],
	load: Load,
	connections: number,
	plan: RoundPlan,
): Promise<Map<ComparedTarget, MeasuredRound[]>> {
	const rounds = new Map<ComparedTarget, MeasuredRound[]>(contenders.map((contender) => [contender, []]));
	for (let round = 1; round <= plan.rounds; round++) {
		plan.onProgress(`${connections} connections, round ${round} of ${plan.rounds}`);
		for (const contender of contenders) {
			rounds.get(contender)?.push(await measureRound(contender.target, load, connections, plan));
		}
	}
	return rounds;
}

/** A target's figures, and where it stands beside those that everything is compared with. */
export interface TargetFigures extends LoadSummary {
	name: string;
	connections: number;
	/** null where it was not measured, or is the target itself. */
	toBare: TargetRatio | null;
	/** To the floor with its state in the same place. */
	toFloor: TargetRatio | null;
	rounds: MeasuredRound[];
}

function toTargetFigures(connections: number, measured: ReadonlyMap<ComparedTarget, MeasuredRound[]>): TargetFigures[] {
	const besides = (own: ComparedTarget, kind: TargetName, rounds: readonly MeasuredRound[]) => {
		const same = ({ state }: ComparedTarget) => state === null || state === own.state;
		const reference = [...measured].find(([other]) => other.kind === kind && same(other) && other !== own);
		return reference ? medianRatio(rounds, reference[1]) : null;
	};
	return [...measured].map(([contender, rounds]) => ({
		name: contender.name,
		connections,
		...summarizeRounds(rounds),
		toBare: besides(contender, "bare", rounds),
		toFloor: contender.kind === "svc" ? besides(contender, "floor", rounds) : null,
		rounds,
	}));
}

/** Sets the targets beside each other, at one connection and at sixteen. */
export async function compareUnderLoad(
	contenders: readonly ComparedTarget[],
	load: Load,
	plan: RoundPlan,
): Promise<TargetFigures[]> {
	const sound = await warmUpTargets(contenders, load, plan);
	const found: TargetFigures[] = [];
	for (const connections of CONNECTIONS) {
		found.push(...toTargetFigures(connections, await runInterleavedRounds(sound, load, connections, plan)));
	}
	return found;
}

/** What one more chunk of a stream costs a target. */
export interface ChunkCost {
	name: string;
	/** CPU time, µs: the median over the rounds; null where CPU time cannot be known. */
	cpuMicros: number | null;
	roundsCpuMicros: number[];
}

/** Compares streams that differ by so many chunks; each chunk comes alone, as a model's do. */
export async function measureChunks(contenders: readonly ComparedTarget[], plan: RoundPlan): Promise<ChunkCost[]> {
	const sound = await warmUpTargets(contenders, LONG_STREAM, plan);
	const costs = new Map<ComparedTarget, number[]>(sound.map((contender) => [contender, []]));
	for (let round = 1; round <= plan.rounds; round++) {
		plan.onProgress(`chunks, round ${round} of ${plan.rounds}`);
		for (const contender of sound) {
			const short = await measureRound(contender.target, SHORT_STREAM, CHUNK_CONNECTIONS, plan);
			const long = await measureRound(contender.target, LONG_STREAM, CHUNK_CONNECTIONS, plan);
			if (short.cpuMs === null || long.cpuMs === null) continue;
			costs.get(contender)?.push(((long.cpuMs - short.cpuMs) * 1_000) / MORE_CHUNKS);
		}
	}
	return [...costs].map(([{ name }, micros]) => ({
		name,
		cpuMicros: micros.length === 0 ? null : median(micros),
		roundsCpuMicros: micros,
	}));
}
