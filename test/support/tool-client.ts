// A client of runs with tools that never gives up: it answers what a run waits for, repeats what failed, and keeps a journal of what it
// was shown and told. It judges nothing.
import { runDurableObjectAlarm } from "cloudflare:test";
import { vi } from "vitest";
import { type RunResponse, runSchema } from "../../src/agents/response.ts";
import { callWithKey, type TestKey } from "./service.ts";

export type RunPending = NonNullable<RunResponse["pending"]>[number];
/** What a pending is answered with; null lets it expire. */
export type Answer = Record<string, unknown> | null;

/** Requests that a client sends again: something was away. */
const AGAIN = [502, 503];
const MAX_ROUNDS = 80;
/** A run that is not on by then waits before it tries again: its next tries are made at once. */
const PATIENT_ROUNDS = 40;

/** How long it is until the first of what is waited for expires. */
function untilExpiryMs(pending: readonly RunPending[]): number {
	return Math.min(...pending.map(({ expires_at }) => Date.parse(expires_at))) - Date.now() + 1;
}

export class ToolClient {
	/** All pendings that were shown, by id. */
	readonly shown = new Map<string, RunPending>();
	/** Answers that were no success, with what was asked. */
	readonly refused: { status: number; body: string; asked: string }[] = [];
	readonly #key: TestKey;
	readonly #decider: TestKey;
	readonly #answer: (pending: RunPending) => Answer;
	readonly #objectOf: (runId: string) => DurableObjectStub<undefined>;
	readonly #given = new Map<string, Answer>();

	/**
	 * @param keys that begins the runs, and that decides on approvals and plans.
	 * @param objectOf a run's object, without the faults of a test.
	 */
	constructor(
		keys: { beginner: TestKey; decider: TestKey },
		objectOf: (runId: string) => DurableObjectStub<undefined>,
		answer: (pending: RunPending) => Answer,
	) {
		this.#key = keys.beginner;
		this.#decider = keys.decider;
		this.#objectOf = objectOf;
		this.#answer = answer;
	}

	/** Pendings of a client's tool, by what they would do: the tool and its arguments. */
	get dispatches(): Map<string, string[]> {
		const by = new Map<string, string[]>();
		for (const { id, kind, tool, arguments: args } of this.shown.values()) {
			if (kind !== "client_tool") continue;
			const action = `${tool} ${JSON.stringify(args)}`;
			by.set(action, [...(by.get(action) ?? []), id]);
		}
		return by;
	}

	async read(runId: string): Promise<RunResponse> {
		for (let tries = 0; ; tries++) {
			const response = await callWithKey(this.#key.key, `/v1/agent/${runId}`).catch(() => null);
			if (response?.status === 200) return runSchema.parse(await response.json());
			if (tries > MAX_ROUNDS) throw new Error(`the run cannot be read: ${response?.status}`);
			await new Promise((resolve) => setTimeout(resolve, 10));
		}
	}

	/** The same answer each time that a pending is asked about. */
	answerTo(pending: RunPending): Answer {
		this.shown.set(pending.id, pending);
		const given = this.#given.has(pending.id) ? (this.#given.get(pending.id) ?? null) : this.#answer(pending);
		this.#given.set(pending.id, given);
		return given;
	}

	/** Answers what a run waits for. False when all of it is left to expire. */
	async answerAll(runId: string, pending: readonly RunPending[], more: Record<string, unknown> = {}): Promise<boolean> {
		const answers = pending.flatMap((each) => {
			const answer = this.answerTo(each);
			return answer ? [{ isDecision: "decision" in answer, resolution: { id: each.id, ...answer } }] : [];
		});
		for (const isDecision of [true, false]) {
			const resolutions = answers.filter((each) => each.isDecision === isDecision).map(({ resolution }) => resolution);
			if (resolutions.length === 0) continue;
			const by = isDecision ? this.#decider : this.#key;
			const body = { resolutions, ...(isDecision ? {} : more) };
			const response = await callWithKey(by.key, `/v1/agent/${runId}/resolve`, body).catch(() => null);
			if (response && response.status >= 300)
				this.refused.push({ status: response.status, body: await response.text(), asked: JSON.stringify(body) });
			else await response?.body?.cancel();
		}
		return answers.length > 0;
	}

	/** Lets so much time pass, until `vi.useRealTimers()`. */
	static pass(ms: number): void {
		vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + ms });
	}

	/** Gives a run time. Its own alarms are late where the clock was moved; elsewhere an alarm of the test's would run beside them. */
	async #letGoOn(runId: string, round: number): Promise<void> {
		if (!vi.isFakeTimers() && round < PATIENT_ROUNDS) {
			await new Promise((resolve) => setTimeout(resolve, round > 5 ? 50 : 5));
			return;
		}
		await runDurableObjectAlarm(this.#objectOf(runId)).catch(() => undefined);
		ToolClient.pass(300);
	}

	/** Answers until a run stands still for good. @param more members of requests with results. */
	async drive(runId: string, more: Record<string, unknown> = {}): Promise<RunResponse> {
		for (let round = 0; round < MAX_ROUNDS; round++) {
			const run = await this.read(runId);
			if (run.sealed) return run;
			if (run.status === "interrupted") {
				const resumed = await callWithKey(this.#key.key, `/v1/agent/${runId}/resume`, { background: true }).catch(
					() => null,
				);
				await resumed?.body?.cancel();
			}
			const pending = run.status === "requires_action" ? (run.pending ?? []) : [];
			if (pending.length > 0) {
				if (!(await this.answerAll(runId, pending, more))) ToolClient.pass(untilExpiryMs(pending));
				else if (this.refused.length > MAX_ROUNDS) throw new Error(JSON.stringify(this.refused.at(-1)));
			}
			await this.#letGoOn(runId, round);
		}
		throw new Error(`the run does not end: ${JSON.stringify([await this.read(runId), this.refused.slice(-3)])}`);
	}
}

/** Whether a status says that the same request may be sent again. */
export const isAgain = (status: number): boolean => AGAIN.includes(status);
