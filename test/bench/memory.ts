// The runtime's resident memory under many requests, one in four of them streamed.
import { setTimeout as delay } from "node:timers/promises";
import { type LoadTarget, runRound } from "./load.ts";
import { STREAMED, WHOLE } from "./loads.ts";
import { residentBytes } from "./process.ts";
import { growthOf, type MemorySample } from "./statistics.ts";

export const MEMORY_REQUESTS = 20_000;
const SAMPLE_EVERY_REQUESTS = 1_000;
const WARM_UP_REQUESTS = 1_000;
const CONNECTIONS = 16;
const MIX = [WHOLE, WHOLE, WHOLE, STREAMED];
const ROUND_TIMEOUT_MS = 120_000;
/** Without a request, so that what only waits for its end can go. */
const IDLE_PAUSE_MS = 10_000;

export interface MemoryResult {
	/** From the end of the warm-up (0 requests) on. */
	samples: MemorySample[];
	/** After the pause at the end. */
	idleBytes: number;
	idlePauseMs: number;
	/** Over the second half of the requests. */
	growthMibPer1000: number;
	elapsedMs: number;
}

/** Sends the requests and looks at the memory in between. */
export async function measureMemory(
	target: LoadTarget,
	pid: number,
	onProgress: (text: string) => void,
): Promise<MemoryResult> {
	const send = (maxRequests: number) =>
		runRound(target, MIX, { connections: CONNECTIONS, durationMs: ROUND_TIMEOUT_MS, maxRequests });
	await send(WARM_UP_REQUESTS);
	const startMs = performance.now();
	const samples: MemorySample[] = [{ requests: 0, residentBytes: residentBytes(pid) }];
	let requests = 0;
	while (requests < MEMORY_REQUESTS) {
		const { latenciesMs } = await send(SAMPLE_EVERY_REQUESTS);
		requests += latenciesMs.length;
		samples.push({ requests, residentBytes: residentBytes(pid) });
		if (requests % (5 * SAMPLE_EVERY_REQUESTS) === 0) onProgress(`memory: ${requests} of ${MEMORY_REQUESTS} requests`);
	}
	const elapsedMs = performance.now() - startMs;
	await delay(IDLE_PAUSE_MS);
	const idleBytes = residentBytes(pid);
	return { samples, idleBytes, idlePauseMs: IDLE_PAUSE_MS, growthMibPer1000: growthOf(samples), elapsedMs };
}
