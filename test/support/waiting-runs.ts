// Runs that wait for somebody: begun, answered, and left alone for a while.
import { evictDurableObject, runDurableObjectAlarm } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { vi } from "vitest";
import { type RunResponse, runSchema } from "../../src/agents/response.ts";
import { readRun } from "./agents.ts";
import { call, callWithKey, eventually, type TestKey, withKey } from "./service.ts";

export type ShownPending = NonNullable<RunResponse["pending"]>[number];

/** The run that an answer holds. */
export async function parseRun(response: Response | Promise<Response>, status = 200): Promise<RunResponse> {
	const answer = await response;
	const body = await answer.json();
	if (answer.status !== status) throw new Error(`${answer.status} ${JSON.stringify(body)}`);
	return runSchema.parse(body);
}

export async function errorOf(response: Response | Promise<Response>): Promise<{ status: number; body: unknown }> {
	const answer = await response;
	return { status: answer.status, body: await answer.json() };
}

export function resolve(run: Pick<RunResponse, "run_id">, body: object, by: TestKey): Promise<Response> {
	return callWithKey(by.key, `/v1/agent/${run.run_id}/resolve`, body);
}

/** What a run waits for, which must be of these kinds. */
export function pendingsOf({ pending = [] }: RunResponse, ...kinds: ShownPending["kind"][]): ShownPending[] {
	if (pending.map(({ kind }) => kind).join() !== kinds.join())
		throw new Error(`waits for ${JSON.stringify(pending)}, not for ${kinds.join()}`);
	return pending;
}

/** The one pending of a run, of this kind. */
export function pendingOf(run: RunResponse, kind: ShownPending["kind"]): ShownPending {
	const [pending] = pendingsOf(run, kind);
	if (!pending) throw new Error("nothing waits");
	return pending;
}

export const runObject = ({ run_id }: Pick<RunResponse, "run_id">) => env.AGENT_RUN.getByName(`run:${run_id}`);

/** Lets so much time pass: the run's object has slept meanwhile, and its alarm wakes it. `vi.useRealTimers` ends it. */
export async function sleep(run: Pick<RunResponse, "run_id">, ms: number): Promise<void> {
	await evictDurableObject(runObject(run));
	vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + ms });
	await runDurableObjectAlarm(runObject(run));
}

/** Lets the alarms of a run's object ring while something goes on: with a moved clock, the platform does not ring them. */
export async function withAlarms<T>(run: Pick<RunResponse, "run_id">, work: Promise<T>): Promise<T> {
	let isDone = false;
	const done = work.finally(() => {
		isDone = true;
	});
	while (!isDone) {
		await runDurableObjectAlarm(runObject(run));
		await Promise.race([done.catch(() => undefined), new Promise((go) => setTimeout(go, 5))]);
	}
	return done;
}

/** Waits until a run that goes on by itself has come to this. */
export async function readUntil(
	key: TestKey,
	{ run_id }: Pick<RunResponse, "run_id">,
	isSo: (run: RunResponse) => boolean,
): Promise<RunResponse> {
	await withAlarms(
		{ run_id },
		eventually(async () => isSo(await readRun(key, run_id))),
	);
	return readRun(key, run_id);
}

/** Puts a manifest in force, which says only this of tools. */
export async function putTools(key: TestKey, workspace: string, tools: object): Promise<void> {
	const path = `/v1/workspace/${workspace}/manifest`;
	const response = await call(path, { ...withKey(key.key, { tools }), method: "PUT" });
	if (response.status !== 200) throw new Error(`no manifest: ${response.status} ${await response.text()}`);
}
