// Counts what requests do: drives the counting Worker through minutes of paced traffic, on a clock that is moved instead of waited for.
import { Agent } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import * as z from "zod";
import type { OperationCounts } from "./counting/counts.ts";
import { type ChatLoad, post } from "./load.ts";
import { STREAMED, WHOLE } from "./loads.ts";
import type { SvcTarget } from "./targets.ts";
import { wrangler } from "./wrangler.ts";

const IDLE_CHECK_MS = 3;
const IDLE_TRIES = 5_000;

/** Bundles the counting Worker as a deployment would bundle the Worker; returns the folder. */
export function buildCountingBundle(outDir: string): string {
	wrangler(["deploy", "test/bench/counting/index.ts", "--dry-run", "--outdir", outDir]);
	return outDir;
}

/** How the requests of one user come. */
interface Pace {
	name: string;
	/** Sent together at each step. */
	parallel: number;
	/** Time between steps, on the moved clock. */
	stepMs: number;
	/** Steps before counting begins: until rows are purged as fast as they come. */
	warmUpSteps: number;
	steps: number;
	/** Whether the object leaves memory, before its alarm and after, as it does when nothing comes for a few minutes. */
	evicted: boolean;
}

/** A day's minutes are kept for each user, so the warm-up of a lone request is a day of them. */
const ALONE: Pace = {
	name: "alone, 15 min apart",
	parallel: 1,
	stepMs: 900_000,
	warmUpSteps: 96,
	steps: 24,
	evicted: true,
};
const STEADY: Pace = {
	name: "1 every 2 s",
	parallel: 1,
	stepMs: 2_000,
	warmUpSteps: 45,
	steps: 60,
	evicted: false,
};
const PARALLEL: Pace = {
	name: "16 at once every 5 s",
	parallel: 16,
	stepMs: 5_000,
	warmUpSteps: 18,
	steps: 24,
	evicted: false,
};

/** What is sent. */
interface RequestKind {
	operation: string;
	streamed: boolean;
}

export interface CountedScenario extends RequestKind {
	pace: string;
	requests: number;
	counts: OperationCounts;
	/** Growth of D1's file for one request, bytes. */
	databaseBytesPerRequest: number;
}

const controlAnswer = z.object({
	counts: z.custom<OperationCounts>((value) => typeof value === "object" && value !== null),
	databaseBytes: z.number(),
	busy: z.boolean(),
});
type Standing = z.infer<typeof controlAnswer>;

class CountingService {
	#svc: SvcTarget;
	#agent = new Agent({ keepAlive: true });

	constructor(svc: SvcTarget) {
		this.#svc = svc;
	}

	async #control(path: string): Promise<Standing> {
		const response = await fetch(`${this.#svc.url}/bench/${path}`, { method: "POST" });
		return controlAnswer.parse(await response.json());
	}

	/** Where the counts stand once every flush has ended. */
	async #settled(): Promise<Standing> {
		let idle = 0;
		for (let tries = 0; tries < IDLE_TRIES; tries++) {
			const standing = await this.#control("counts");
			idle = standing.busy ? 0 : idle + 1;
			if (idle === 2) return standing;
			await delay(IDLE_CHECK_MS);
		}
		throw new Error("benchmark failed: the service's objects do not come to rest");
	}

	async #step(send: () => Promise<unknown>, { parallel, stepMs, evicted }: Pace): Promise<void> {
		await Promise.all(Array.from({ length: parallel }, send));
		await this.#settled();
		// What then rings for it wakes it once more.
		if (evicted) await this.#control("evict");
		await this.#control(`clock?ms=${stepMs}`);
		await this.#settled();
		if (evicted) await this.#control("evict");
	}

	/** Counts one kind of request at one pace. */
	async count(kind: RequestKind, pace: Pace, send: () => Promise<unknown>): Promise<CountedScenario> {
		// Alarms of the scenario before ring here, where nobody counts.
		await this.#control("clock?ms=900000");
		for (let step = 0; step < pace.warmUpSteps; step++) await this.#step(send, pace);
		const before = await this.#settled();
		await this.#control("reset");
		for (let step = 0; step < pace.steps; step++) await this.#step(send, pace);
		const { counts, databaseBytes } = await this.#settled();
		const requests = pace.parallel * pace.steps;
		const databaseBytesPerRequest = (databaseBytes - before.databaseBytes) / requests;
		return {
			...kind,
			pace: pace.name,
			requests,
			counts,
			databaseBytesPerRequest,
		};
	}

	/** Sends a chat request with one user's key; resolves to the answer's text. */
	async chat(key: string, load: ChatLoad): Promise<string> {
		const { answer } = await post({ ...this.#svc, nextKey: () => key }, this.#agent, load);
		return answer.toString("utf8");
	}

	/** @throws Error for every status but 200. */
	async get(key: string, path: string): Promise<void> {
		const response = await fetch(`${this.#svc.url}${path}`, { headers: { authorization: `Bearer ${key}` } });
		const text = await response.text();
		if (response.status !== 200) throw new Error(`benchmark failed: ${path} answered ${response.status}: ${text}`);
	}

	close(): void {
		this.#agent.destroy();
	}
}

/** Users that countOperations needs: each scenario has one of its own. */
export const COUNTED_USERS = 7;

/** Counts chat requests at three paces, whole and streamed, and three reads of a user who has made some. */
export async function countOperations(
	svc: SvcTarget,
	onProgress: (text: string) => void,
): Promise<{ chat: CountedScenario[]; reads: CountedScenario[] }> {
	const service = new CountingService(svc);
	const users = [...svc.keys];
	const nextUser = () => users.pop() ?? "";
	const chat: CountedScenario[] = [];
	const reads: CountedScenario[] = [];
	try {
		for (const [operation, load] of [
			["chat, whole", WHOLE],
			["chat, streamed", STREAMED],
		] as const) {
			for (const pace of [ALONE, STEADY, PARALLEL]) {
				onProgress(`counting: ${operation}, ${pace.name}`);
				const key = nextUser();
				chat.push(await service.count({ operation, streamed: load.streamed }, pace, () => service.chat(key, load)));
			}
		}
		onProgress("counting: reads");
		const reader = nextUser();
		let requestId = "";
		for (let made = 0; made < 25; made++) {
			requestId = z.object({ id: z.string() }).parse(JSON.parse(await service.chat(reader, WHOLE))).id;
		}
		for (const path of ["/v1/usage", `/v1/proof/${requestId}`, "/v1/models"]) {
			const operation = `GET ${path.replace(requestId, "{id}")}`;
			reads.push(await service.count({ operation, streamed: false }, STEADY, () => service.get(reader, path)));
		}
		return { chat, reads };
	} finally {
		service.close();
	}
}
