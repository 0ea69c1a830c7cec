// A runtime's memory under many requests, one in four of them streamed: what is resident, and what of it JavaScript holds.
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
/** Without a request, so that what only waits for its end can go. */
const IDLE_PAUSE_MS = 10_000;

export interface MemorySample extends ResidentMemory {
	requests: number;
}

/** The Worker's JavaScript heap after a forced collection, with what its objects hold outside of it, bytes. */
export interface HeapSample {
	requests: number;
	usedBytes: number;
	outsideBytes: number;
}

export interface MemoryResult {
	name: string;
	/** From the end of the warm-up (0 requests) on. */
	samples: MemorySample[];
	/** At the beginning, in the middle and at the end; empty where no inspector listens. */
	heap: HeapSample[];
	/** After a pause at the end and a forced collection. */
	idle: ResidentMemory;
	idlePauseMs: number;
	/** Over the second half of the requests, of what is resident. */
	growthMibPer1000: number;
	elapsedMs: number;
}

/** A target whose memory is looked at. */
export interface Watched {
	target: LoadTarget;
	pid: number;
	/** Origin of V8's inspector; null where none listens. */
	inspectorUrl: string | null;
}

async function heapOf(requests: number, inspector: Inspector): Promise<HeapSample> {
	await inspector.collectGarbage();
	const { usedSize, backingStorageSize = 0, embedderHeapUsedSize = 0 } = await inspector.heapUsage();
	return { requests, usedBytes: usedSize, outsideBytes: backingStorageSize + embedderHeapUsedSize };
}

/** Sends the requests and looks at the memory in between. */
export async function measureMemory(
	{ target, pid, inspectorUrl }: Watched,
	requests: number,
	onProgress: (text: string) => void,
	mix: readonly Load[] = MIX,
): Promise<MemoryResult> {
	const send = (maxRequests: number) =>
		runRound(target, mix, { connections: CONNECTIONS, durationMs: ROUND_TIMEOUT_MS, maxRequests });
	const inspector = inspectorUrl === null ? null : await Inspector.open(inspectorUrl, "svc");
	try {
		await send(WARM_UP_REQUESTS);
		const startMs = performance.now();
		const samples: MemorySample[] = [{ requests: 0, ...residentMemory(pid) }];
		const heap: HeapSample[] = inspector ? [await heapOf(0, inspector)] : [];
		const step = Math.max(1, Math.ceil(requests / SAMPLES));
		for (let sent = 0; sent < requests; ) {
			const half = sent < requests / 2;
			sent += (await send(Math.min(step, requests - sent))).requests;
			samples.push({ requests: sent, ...residentMemory(pid) });
			if (inspector && half !== sent < requests / 2) heap.push(await heapOf(sent, inspector));
			if (samples.length % 5 === 1) onProgress(`memory of ${target.name}: ${sent} of ${requests} requests`);
		}
		const elapsedMs = performance.now() - startMs;
		await delay(IDLE_PAUSE_MS);
		if (inspector) heap.push(await heapOf(requests, inspector));
		const idle = residentMemory(pid);
		const growthMibPer1000 = growthMibPer1000Requests(samples);
		return { name: target.name, samples, heap, idle, idlePauseMs: IDLE_PAUSE_MS, growthMibPer1000, elapsedMs };
	} finally {
		inspector?.close();
	}
}
