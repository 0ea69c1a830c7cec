// Counts the billed operations of requests: drives the counting Worker through minutes of paced traffic on a clock that it moves.
import { Agent } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import * as z from "zod";
import type { OperationCounts, OperationSource } from "./counting/counts.ts";
import { type Load, type LoadTarget, sendRequest } from "./load.ts";
import { AGENT_RUN, HANDOFF, POLICY_CHECK, STORED_RESPONSE, STREAMED, WAITING_RUN, WHOLE } from "./loads.ts";
import { makeToolRun, prepareToolRuns, type SendJson, TOOL_CALLS } from "./tool-run.ts";
import { runWrangler } from "./wrangler.ts";

const IDLE_CHECK_MS = 3;
const IDLE_TRIES = 5_000;

/** Bundles the counting Worker as a deployment would bundle the Worker; returns the folder. */
export function buildCountingBundle(outDir: string): string {
	runWrangler(["deploy", "test/bench/counting/index.ts", "--dry-run", "--outdir", outDir]);
	return outDir;
}

/** The pace of one user's requests. */
interface RequestPace {
	name: string;
	/** Sent together at each step. */
	parallel: number;
	/** Time between steps, on the moved clock. */
	stepMs: number;
	/** Steps before counting begins, until rows are purged as fast as they come. */
	warmUpSteps: number;
	steps: number;
	/** Whether the object leaves memory before and after its alarm, as it does after a few idle minutes. */
	evicted: boolean;
}

/** The meter keeps a day of minutes for each user, so the warm-up of single requests is a day long. */
const ALONE: RequestPace = {
	name: "alone, 15 min apart",
	parallel: 1,
	stepMs: 900_000,
	warmUpSteps: 96,
	steps: 24,
	evicted: true,
};
const STEADY: RequestPace = {
	name: "1 every 2 s",
	parallel: 1,
	stepMs: 2_000,
	warmUpSteps: 45,
	steps: 60,
	evicted: false,
};
const PARALLEL: RequestPace = {
	name: "16 at once every 5 s",
	parallel: 16,
	stepMs: 5_000,
	warmUpSteps: 18,
	steps: 24,
	evicted: false,
};

/** A ledger keeps its events for ten minutes, so the warm-up of requests that write to one is longer. */
const GOVERNANCE_STEADY: RequestPace = {
	name: "1 every 30 s",
	parallel: 1,
	stepMs: 30_000,
	warmUpSteps: 25,
	steps: 40,
	evicted: false,
};
const GOVERNANCE_PARALLEL: RequestPace = {
	name: "16 at once every 30 s",
	parallel: 16,
	stepMs: 30_000,
	warmUpSteps: 25,
	steps: 16,
	evicted: false,
};

/** Each run is an object of its own, which purges nothing. */
const RUNS_STEADY: RequestPace = {
	name: "1 every 30 s",
	parallel: 1,
	stepMs: 30_000,
	warmUpSteps: 5,
	steps: 20,
	evicted: false,
};

/** Runs that wait for a day: each object leaves memory meanwhile, and its alarm loads it again. */
const RUNS_WAITING: RequestPace = {
	name: "1 every 6 h",
	parallel: 1,
	stepMs: 21_600_000,
	warmUpSteps: 6,
	steps: 12,
	evicted: true,
};

/** Kinds of requests. */
export type CountedKind = "whole" | "streamed" | "response" | "handoff" | "policy" | "run" | "tool run" | "read";

interface RequestKind {
	operation: string;
	kind: CountedKind;
}

export interface CountedScenario extends RequestKind {
	pace: string;
	requests: number;
	counts: OperationCounts;
	/** Where they come from: by kind of object and statement, or D1 and statement. */
	sources: Readonly<Record<string, OperationSource>>;
	/** Growth of D1's file per request, bytes. */
	databaseBytesPerRequest: number;
}

const controlAnswer = z.object({
	counts: z.custom<OperationCounts>((value) => typeof value === "object" && value !== null),
	sources: z.record(z.string(), z.object({ times: z.number(), rowsRead: z.number(), rowsWritten: z.number() })),
	databaseBytes: z.number(),
	busy: z.boolean(),
});
type CountsAnswer = z.infer<typeof controlAnswer>;

class CountingService {
	#svc: LoadTarget;
	#agent = new Agent({ keepAlive: true });
	#share: number;

	/** @param quick counts over fewer steps, which makes rare operations inexact. The warm-up stays as long. */
	constructor(svc: LoadTarget, quick: boolean) {
		this.#svc = svc;
		this.#share = quick ? 0.25 : 1;
	}

	async #control(path: string): Promise<CountsAnswer> {
		const response = await fetch(`${this.#svc.url}/bench/${path}`, { method: "POST" });
		return controlAnswer.parse(await response.json());
	}

	/** The counts once every flush has ended. */
	async #countsAtRest(): Promise<CountsAnswer> {
		let idle = 0;
		for (let tries = 0; tries < IDLE_TRIES; tries++) {
			const answer = await this.#control("counts");
			idle = answer.busy ? 0 : idle + 1;
			if (idle === 2) return answer;
			await delay(IDLE_CHECK_MS);
		}
		throw new Error("benchmark failed: the service's objects do not come to rest");
	}

	async #step(send: () => Promise<unknown>, { parallel, stepMs, evicted }: RequestPace): Promise<void> {
		await Promise.all(Array.from({ length: parallel }, send));
		await this.#countsAtRest();
		// An alarm that rings afterwards loads the object again.
		if (evicted) await this.#control("evict");
		await this.#control(`clock?ms=${stepMs}`);
		await this.#countsAtRest();
		if (evicted) await this.#control("evict");
	}

	/** Counts one kind of request at one pace. */
	async count(kind: RequestKind, pace: RequestPace, send: () => Promise<unknown>): Promise<CountedScenario> {
		// Alarms of the scenario before ring here, before counting begins.
		await this.#control("clock?ms=900000");
		const steps = Math.ceil(pace.steps * this.#share);
		for (let step = 0; step < pace.warmUpSteps; step++) await this.#step(send, pace);
		const before = await this.#countsAtRest();
		await this.#control("reset");
		for (let step = 0; step < steps; step++) await this.#step(send, pace);
		const { counts, sources, databaseBytes } = await this.#countsAtRest();
		const requests = pace.parallel * steps;
		const databaseBytesPerRequest = (databaseBytes - before.databaseBytes) / requests;
		return {
			...kind,
			pace: pace.name,
			requests,
			counts,
			sources,
			databaseBytesPerRequest,
		};
	}

	/** Sends a request with one user's key; resolves to the answer's text. */
	async send(key: string, load: Load): Promise<string> {
		const { answer } = await sendRequest(this.#svc, this.#agent, load, key);
		return answer.toString("utf8");
	}

	/** @throws Error for every status but 200. */
	async get(key: string, path: string): Promise<void> {
		const response = await fetch(`${this.#svc.url}${path}`, { headers: { authorization: `Bearer ${key}` } });
		const text = await response.text();
		if (response.status !== 200) throw new Error(`benchmark failed: ${path} answered ${response.status}: ${text}`);
	}

	/** Sends JSON with one user's key. @throws Error for every status but 200 and 201. */
	async sendJson(key: string, method: string, path: string, body: unknown): Promise<unknown> {
		const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
		const response = await fetch(`${this.#svc.url}${path}`, { method, headers, body: JSON.stringify(body) });
		const text = await response.text();
		if (!response.ok) throw new Error(`benchmark failed: ${path} answered ${response.status}: ${text}`);
		return JSON.parse(text);
	}

	close(): void {
		this.#agent.destroy();
	}
}

/** What is counted, and at which paces. Each scenario has its own user. */
const SCENARIOS: readonly (readonly [RequestKind, Load, readonly RequestPace[]])[] = [
	[{ operation: "chat, whole", kind: "whole" }, WHOLE, [ALONE, STEADY, PARALLEL]],
	[{ operation: "chat, streamed", kind: "streamed" }, STREAMED, [ALONE, STEADY, PARALLEL]],
	[{ operation: "response, stored", kind: "response" }, STORED_RESPONSE, [ALONE, STEADY, PARALLEL]],
	[{ operation: "handoff", kind: "handoff" }, HANDOFF, [GOVERNANCE_STEADY, GOVERNANCE_PARALLEL]],
	[{ operation: "policy check", kind: "policy" }, POLICY_CHECK, [GOVERNANCE_STEADY, GOVERNANCE_PARALLEL]],
	[{ operation: "agent run of 6 steps", kind: "run" }, AGENT_RUN, [RUNS_STEADY]],
	[{ operation: "agent run, waits a day in vain", kind: "run" }, WAITING_RUN, [RUNS_WAITING]],
];

const TOOL_RUN: RequestKind = { operation: `agent run, ${TOOL_CALLS} tool calls, 1 approval`, kind: "tool run" };

/** Users that countOperations needs. Runs with tools and the reads need one more each. */
export const COUNTED_USERS = SCENARIOS.reduce((sum, [, , paces]) => sum + paces.length, 2);

/** Three reads of a user with some requests. */
async function countReads(
	service: CountingService,
	key: string,
	onProgress: (text: string) => void,
): Promise<CountedScenario[]> {
	onProgress("counting: reads");
	let requestId = "";
	for (let made = 0; made < 25; made++) {
		requestId = z.object({ id: z.string() }).parse(JSON.parse(await service.send(key, WHOLE))).id;
	}
	const reads: CountedScenario[] = [];
	for (const path of ["/v1/usage", `/v1/proof/${requestId}`, "/v1/models"]) {
		const operation = `GET ${path.replace(requestId, "{id}")}`;
		reads.push(await service.count({ operation, kind: "read" }, STEADY, () => service.get(key, path)));
	}
	return reads;
}

export interface CountedOperations {
	chat: CountedScenario[];
	agents: CountedScenario[];
	reads: CountedScenario[];
}

/**
 * Counts chat requests, handoffs, policy checks and runs at their paces, and three reads of a user with some requests.
 * @param scenario part of the names of those that are counted; all with "".
 */
export async function countOperations(
	svc: LoadTarget,
	{ quick, scenario }: { quick: boolean; scenario: string },
	onProgress: (text: string) => void,
): Promise<CountedOperations> {
	const service = new CountingService(svc, quick);
	const users = [...svc.keys];
	const nextUser = () => users.pop() ?? "";
	const counted: CountedScenario[] = [];
	const reads: CountedScenario[] = [];
	try {
		for (const [request, load, paces] of SCENARIOS) {
			if (!request.operation.includes(scenario)) continue;
			for (const pace of paces) {
				onProgress(`counting: ${request.operation}, ${pace.name}`);
				const key = nextUser();
				counted.push(await service.count(request, pace, () => service.send(key, load)));
			}
		}
		if (TOOL_RUN.operation.includes(scenario)) {
			onProgress(`counting: ${TOOL_RUN.operation}, ${RUNS_STEADY.name}`);
			const key = nextUser();
			const send: SendJson = (method, path, body) => service.sendJson(key, method, path, body);
			await prepareToolRuns(send);
			counted.push(await service.count(TOOL_RUN, RUNS_STEADY, () => makeToolRun(send)));
		}
		if (scenario === "") reads.push(...(await countReads(service, nextUser(), onProgress)));
		const isChat = ({ kind }: CountedScenario) => ["whole", "streamed", "response"].includes(kind);
		return { chat: counted.filter(isChat), agents: counted.filter((one) => !isChat(one)), reads };
	} finally {
		service.close();
	}
}
