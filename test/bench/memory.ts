// Measures a runtime's memory under many requests, one in four of them streamed: resident memory, and the Worker's heap.
import { setTimeout as delay } from "node:timers/promises";
import { Inspector } from "./inspector.ts";
import { type Load, type LoadTarget, runRound } from "./load.ts";
import { STREAMED, WHOLE } from "./loads.ts";
import { type ResidentMemory, residentMemory } from "./process.ts";
import { growthMibPer1000Requests } from "./statistics.ts";

const SAMPLES = 50;
const WARM_UP_REQUESTS = 1_000;
const CONNECTIONS = 16;
const MIX = [WHOLE, WHOLE, WHOLE, STREAMED];
const ROUND_TIMEOUT_MS = 600_000;
/** A pause without requests at the end, so that the runtime can free what only waits. */
const IDLE_PAUSE_MS = 10_000;

export interface MemorySample extends ResidentMemory {
	/** Since the warm-up. */
	requests: number;
}

/** A forced collection, with the process's memory on both sides of it and the Worker's heap after it. */
export interface CollectionSample {
	requests: number;
	before: ResidentMemory;
	after: ResidentMemory;
	/** Of JavaScript objects, bytes. */
	heapBytes: number;
	/** Held outside the heap by its objects, bytes. */
	outsideBytes: number;
}

/** The figures of one target, complete or so far. */
export interface MemoryResult {
	name: string;
	/** From the end of the warm-up (0 requests) on. */
	samples: MemorySample[];
	/** At the beginning, in the middle and at the end; empty if no inspector listens. */
	collections: CollectionSample[];
	/** What could not be measured, and why. */
	gaps: string[];
	idlePauseMs: number;
	/** Growth of the resident memory over the second half of the requests. */
	growthMibPer1000: number;
	elapsedMs: number;
}

/** Sends the requests of one measurement and keeps its figures. */
class MemoryMeasurement {
	#target: LoadTarget;
	#pid: number;
	#mix: readonly Load[];
	#startMs = performance.now();
	#samples: MemorySample[] = [];
	#collections: CollectionSample[] = [];
	#gaps: string[] = [];

	constructor(target: LoadTarget, pid: number, mix: readonly Load[]) {
		this.#target = target;
		this.#pid = pid;
		this.#mix = mix;
	}

	async send(maxRequests: number): Promise<number> {
		const limits = { connections: CONNECTIONS, durationMs: ROUND_TIMEOUT_MS, maxRequests };
		return (await runRound(this.#target, this.#mix, limits)).requests;
	}

	sample(requests: number): void {
		this.#samples.push({ requests, ...residentMemory(this.#pid) });
	}

	/** Forces a collection. One that does not answer is a gap in the figures, not the end of them. */
	async collect(requests: number, inspector: Inspector | null): Promise<void> {
		if (inspector === null) return;
		try {
			const before = residentMemory(this.#pid);
			await inspector.collectGarbage(async () => (await fetch(this.#target.url)).arrayBuffer());
			const after = residentMemory(this.#pid);
			const { usedSize, backingStorageSize = 0, embedderHeapUsedSize = 0 } = await inspector.heapUsage();
			const outsideBytes = backingStorageSize + embedderHeapUsedSize;
			this.#collections.push({ requests, before, after, heapBytes: usedSize, outsideBytes });
		} catch (error) {
			this.#gaps.push(`no collection after ${requests} requests: ${error}`);
		}
	}

	result(): MemoryResult {
		return {
			name: this.#target.name,
			samples: this.#samples,
			collections: this.#collections,
			gaps: this.#gaps,
			idlePauseMs: IDLE_PAUSE_MS,
			growthMibPer1000: growthMibPer1000Requests(this.#samples),
			elapsedMs: performance.now() - this.#startMs,
		};
	}
}

export interface MemoryOptions {
	requests: number;
	mix?: readonly Load[];
	/** Gets the figures so far after each sample. */
	onFigures(result: MemoryResult): void;
}

/** Sends the requests and samples the memory in between. */
export async function measureMemory(
	target: LoadTarget,
	pid: number,
	{ requests, mix = MIX, onFigures }: MemoryOptions,
): Promise<MemoryResult> {
	const inspector = target.inspectorUrl === null ? null : await Inspector.open(target.inspectorUrl);
	const measurement = new MemoryMeasurement(target, pid, mix);
	try {
		await measurement.send(WARM_UP_REQUESTS);
		await measurement.collect(0, inspector);
		measurement.sample(0);
		const step = Math.max(1, Math.ceil(requests / SAMPLES));
		for (let sent = 0; sent < requests; ) {
			const inFirstHalf = sent < requests / 2;
			sent += await measurement.send(Math.min(step, requests - sent));
			measurement.sample(sent);
			if (inFirstHalf && sent >= requests / 2 && sent < requests) await measurement.collect(sent, inspector);
			onFigures(measurement.result());
		}
		await delay(IDLE_PAUSE_MS);
		await measurement.collect(requests, inspector);
		return measurement.result();
	} finally {
		inspector?.close();
	}
}
