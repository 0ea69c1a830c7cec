// The Worker's client of AgentRun objects. Every call is idempotent and tried twice; the end of a run is waited for longer.
import { ownerObjectName } from "../../audit/owner.ts";
import { callObject } from "../../durable/call-object.edge.ts";
import type { Result } from "../../failure.ts";
import type { StepTextResponse } from "../response.ts";
import type { ResolutionBatch } from "../tools/resolution.ts";
import type { ResolveVerdict } from "../tools/resolving.edge.ts";
import type { ResolverStand } from "../tools/resolving-key.edge.ts";
import type { RunStanding } from "../tools/waiting.ts";
import type { AgentRun, RunDeletion } from "./agent-run.object.ts";
import { claimName, type RunClaim } from "./claims.edge.ts";
import type { InterruptedRun } from "./interruption.ts";
import type { ResumeRules, RunSpec } from "./run.ts";
import type { WatchedRun } from "./run-readers.edge.ts";
import type { RunOutcome, RunView } from "./run-view.ts";
import type { AgentRunRow } from "./runs.store.ts";

/** See the methods of AgentRun. */
export interface AgentRunClient {
	start(spec: RunSpec): Promise<boolean>;
	read(): Promise<RunView | null>;
	readStep(index: number): Promise<StepTextResponse | "unknown" | "expired" | null>;
	readStarted(): Promise<RunView | "abandoned">;
	waitForEnd(): Promise<RunOutcome>;
	follow(): Promise<ReadableStream<Uint8Array>>;
	watch(): Promise<WatchedRun | null>;
	cancel(): Promise<{ outcome: RunOutcome } | null>;
	startedBy(): Promise<string | null>;
	interrupted(): Promise<InterruptedRun | null>;
	standing(): Promise<RunStanding | null>;
	resolve(batch: ResolutionBatch, by: ResolverStand): Promise<Result<ResolveVerdict> | null>;
	resume(rules: ResumeRules | null): Promise<{ isCancelled: boolean } | null>;
	delete(actor: string): Promise<RunDeletion>;
	unflushedRun(): Promise<{ row: AgentRunRow | null; idle: boolean }>;
}

/** Pauses between the tries to wait for a run's end. A run goes on when its object dies, and so does whoever waits for it. */
const WAIT_PAUSES_MS = [100, 200, 400, 800, 1_600];

/** Calls again after each pause when the object did not answer. */
async function callPatiently<T>(call: () => Promise<T>): Promise<T> {
	for (const pauseMs of WAIT_PAUSES_MS) {
		try {
			return await call();
		} catch {
			await new Promise((resolve) => setTimeout(resolve, pauseMs));
		}
	}
	return call();
}

/** A client for one user's run. */
export function agentRunClient({ AGENT_RUN: namespace }: Env, userId: string, runId: string): AgentRunClient {
	const name = ownerObjectName(userId, { kind: "run", id: runId });
	const twice = <T>(call: (stub: DurableObjectStub<AgentRun>) => Promise<T>) => callObject(namespace, name, call);
	return {
		start: (spec) => twice((stub) => stub.start(spec)),
		read: () => twice(async (stub) => (await stub.read(userId)) as RunView | null),
		readStep: (index) => twice(async (stub) => await stub.readStep(userId, index)),
		readStarted: () => twice(async (stub) => (await stub.readStarted(userId)) as RunView | "abandoned"),
		waitForEnd: () => callPatiently(() => twice(async (stub) => (await stub.waitForEnd(userId)) as RunOutcome)),
		follow: () => twice(async (stub) => (await stub.follow(userId)) as ReadableStream<Uint8Array>),
		watch: () => twice(async (stub) => (await stub.watch(userId)) as WatchedRun | null),
		cancel: () => twice(async (stub) => (await stub.cancel(userId)) as { outcome: RunOutcome } | null),
		startedBy: () => twice(async (stub) => await stub.startedBy(userId)),
		interrupted: () => twice(async (stub) => await stub.interrupted(userId)),
		standing: () => twice(async (stub) => await stub.standing(userId)),
		resolve: (batch, by) =>
			twice(async (stub) => (await stub.resolve(userId, batch, by)) as Result<ResolveVerdict> | null),
		resume: (rules) => twice(async (stub) => await stub.resume(userId, rules)),
		delete: (actor) => twice(async (stub) => await stub.delete(userId, actor)),
		unflushedRun: () => twice(async (stub) => await stub.unflushedRun()),
	};
}

/** Returns the run that an idempotency key names in its scope. A free key is given to `runId`; without a `runId` the answer is null. */
export function claimRun(
	{ AGENT_RUN: namespace }: Env,
	scope: string,
	key: string,
	bodyHash: string,
	runId: string | null,
): Promise<RunClaim | null> {
	return callObject(namespace, claimName(scope, key), async (stub) => await stub.claim(bodyHash, runId));
}

/** Frees the key of a run that was abandoned. */
export function releaseClaim({ AGENT_RUN: namespace }: Env, scope: string, key: string, runId: string): Promise<void> {
	return callObject(namespace, claimName(scope, key), (stub) => stub.releaseClaim(runId));
}
