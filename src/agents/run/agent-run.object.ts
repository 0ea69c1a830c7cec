// AgentRun: one Durable Object per run, named `run:` and the run's id. This file puts its parts together and takes its calls and alarms.
// run-storage.edge.ts stores the run, run-readers.edge.ts shows it, run-requests.edge.ts changes what requests ask to, run-actions.edge.ts
// executes its actions, and run-ending.edge.ts seals and settles it. An object named `key:` and an idempotency key only stores which run
// that key names.
//
// An alarm executes one action after the other for a minute or some calls, because limits of time, subrequests and CPU apply per invocation.
// Crash safety: before a call is sent, the step's possible cost is stored here and then written into the run's reservation at the
// meter. A step's end and its cost are stored in one transaction. If an object finds a run under way that it did not start, the
// earlier instance died. The open charge is then stored as a step of its own, and the run goes on under the same cap; the third death
// at one step leaves it `interrupted`: unsigned, and to be resumed for seven days. A settlement is sealed and stored before it is
// sent, so that sending can be repeated. If the meter settled the run by itself after its reservation expired, that receipt counts.
import { ulid } from "ulid";
import type { EventSource, UnflushedEvents } from "../../audit/owner.ts";
import { OwnerOutbox } from "../../audit/owner-outbox.edge.ts";
import type { EventPageQuery } from "../../audit/page.ts";
import { database } from "../../db/client.edge.ts";
import { BackedUpObject } from "../../durable/backed-up-object.edge.ts";
import { Backoff } from "../../durable/backoff.ts";
import type { BackupPlan, ObjectPage } from "../../durable/object-rows.edge.ts";
import type { Result } from "../../failure.ts";
import { logError } from "../../http/log.edge.ts";
import { eventBytes, type StoredDeletion } from "../../meter/stored-bytes.ts";
import type { RunSnapshot, StepTextResponse } from "../response.ts";
import type { ResolutionBatch } from "../tools/resolution.ts";
import type { ResolveVerdict } from "../tools/resolving.edge.ts";
import type { ResolverStand } from "../tools/resolving-key.edge.ts";
import { RunWaiting } from "../tools/waiting.edge.ts";
import { isAtRest, nextDueMs, type RunStanding, toRunStanding } from "../tools/waiting.ts";
import { claimName, type RunClaim } from "./claims.edge.ts";
import { RunDeadlines } from "./deadlines.edge.ts";
import { runDeletedEvent } from "./events.ts";
import type { InterruptedRun } from "./interruption.ts";
import { RunMoney } from "./money.edge.ts";
import { RunOutbox, type RunOutboxRow } from "./outbox.edge.ts";
import type { ResumeRules, RunSpec, RunState } from "./run.ts";
import { RunActions } from "./run-actions.edge.ts";
import { RunEnding } from "./run-ending.edge.ts";
import { RunMarks } from "./run-marks.edge.ts";
import type { RunParts } from "./run-parts.ts";
import { RunReaders, type WatchedRun } from "./run-readers.edge.ts";
import { RunRequests } from "./run-requests.edge.ts";
import { RunStorage } from "./run-storage.edge.ts";
import { type RunOutcome, type RunView, toAgentRunRow } from "./run-view.ts";
import { type AgentRunRow, deleteRun } from "./runs.store.ts";
import { StoredRun } from "./stored-run.edge.ts";
import { AGENT_RUN_TABLES } from "./tables.edge.ts";
import { RunWaiters } from "./waiters.edge.ts";

/** After a crash in the middle of an action, the next alarm comes this late. The one that flushes a write comes no sooner. */
const HEARTBEAT_MS = 5_000;
/** Why a run is interrupted that was under way when it was backed up. */
const RESTORED_TEXT = "the service was restored from a backup";

/** What the deletion of a run gave back; null where there is none, and why it was not deleted. */
export type RunDeletion = StoredDeletion | "not_ended" | "unflushed" | null;

/** A page of a run's rows. */
export interface RunPage extends ObjectPage {
	/** Its row in D1 at that moment; absent when the run is over. */
	mirror?: AgentRunRow;
	/** The object that says which run its idempotency key names. */
	claim?: string;
}

export class AgentRun extends BackedUpObject implements EventSource {
	#stored: RunStorage;
	#runOutbox: RunOutbox;
	#ownerOutbox: OwnerOutbox<RunOutboxRow>;
	#waiters = new RunWaiters();
	#settleBackoff = new Backoff();
	#money: RunMoney;
	#deadlines: RunDeadlines;
	#waiting: RunWaiting;
	#actions: RunActions;
	#ending: RunEnding;
	#requests: RunRequests;
	#readers: RunReaders;

	constructor(state: DurableObjectState, env: Env) {
		super(state, env);
		this.#stored = new RunStorage(state.storage);
		const runOutbox = new RunOutbox(() => this.#run, env);
		this.#runOutbox = runOutbox;
		this.#money = new RunMoney(env, (work) => state.waitUntil(work));
		this.#deadlines = new RunDeadlines(state.storage.sql, env, {
			run: () => this.#run,
			arm: (atMs) => this.#ownerOutbox.arm(atMs),
			queueRow: () => void runOutbox.addRun(),
			alertStored: (alert) => {
				this.#ownerOutbox.arm(Date.now());
				if (!this.#run?.end) this.#waiters.publish({ type: "alert", alert });
			},
		});
		this.#waiting = new RunWaiting(env, {
			money: this.#money,
			arm: (atMs) => this.#ownerOutbox.arm(atMs),
			storePause: (run, next, told) => this.#storeWait(run, next, told),
			storeGoingOn: (run, next) =>
				run.saveState(next, () => runOutbox.addRunForLater(() => this.#ownerOutbox.flushSoon())),
			reportRest: async (run) => this.#waiters.reportRest(await this.#readers.show(run)),
			reportUnsettled: () => this.#reportUnsettled(),
			canTurn: (run, guard) => this.#actions.canTurn(run, guard),
		});
		this.#ownerOutbox = new OwnerOutbox(state, env, {
			failureEvent: "agent_run_flush_failed",
			nextRound: () => runOutbox.nextRound(),
			record: (rows) => runOutbox.record(rows),
			markFlushed: (rows) => runOutbox.markFlushed(rows),
			isFlushed: (id) => runOutbox.isFlushed(id),
			isIdle: () => this.isIdle(),
			marks: new RunMarks(state.storage.sql, () => this.#run?.spec ?? null),
		});
		const parts: RunParts = {
			money: this.#money,
			waiting: this.#waiting,
			waiters: this.#waiters,
			runOutbox,
			ownerOutbox: this.#ownerOutbox,
			retryLater: () => this.#retryLater(),
		};
		this.#actions = new RunActions(env, parts);
		this.#readers = new RunReaders(env, { ...parts, stored: this.#stored });
		this.#requests = new RunRequests(env, { ...parts, actions: this.#actions });
		this.#ending = new RunEnding({
			...parts,
			deadlines: this.#deadlines,
			actions: this.#actions,
			storeListed: (store) => this.#storeListed(store),
			reportUnsettled: () => this.#reportUnsettled(),
		});
		if (this.#stored.hasTables) state.blockConcurrencyWhile(() => this.#wake());
	}

	get #run(): StoredRun | null {
		return this.#stored.run;
	}

	/** Sets the alarm that the object needs, which may have been lost with its last machine. One that is set and rings as soon stays. */
	async #wake(): Promise<void> {
		await this.#ownerOutbox.learnAlarm();
		this.#ownerOutbox.wake();
		if (this.#run && !this.#run.end) this.#ownerOutbox.arm(this.#restsUntilMs(this.#run) ?? Date.now());
		this.#deadlines.arm();
	}

	override backupPlan(): BackupPlan {
		return { schema: AGENT_RUN_TABLES };
	}

	/** A page of the object's rows, with what a backup must know of a run: its row in D1 as of now while it may go on. */
	override readRows(after: string | null): RunPage {
		const run = this.#run;
		const { idempotencyKey, claimScope } = run?.spec ?? {};
		return {
			...super.readRows(after),
			...(run && !run.end ? { mirror: { ...toAgentRunRow(run), revision: this.#runOutbox.lastRevision() } } : {}),
			...(idempotencyKey !== undefined && claimScope !== undefined
				? { claim: claimName(claimScope, idempotencyKey) }
				: {}),
		};
	}

	/** A run that was under way may have gone on elsewhere: it is left interrupted, and goes on only when it is resumed. */
	override adaptRestored(): void {
		const run = StoredRun.load(this.ctx.storage);
		if (run && !run.end && !run.pendingSettlement && run.state.resumableUntilMs === null)
			run.saveState({ ...run.state, fault: RESTORED_TEXT });
	}

	/** Returns the run that this key names. A free key is given to `runId`; without a `runId` the answer is null. */
	claim(bodyHash: string, runId: string | null): RunClaim | null {
		return this.#stored.claim(bodyHash, runId);
	}

	/** Frees the key of a run that was abandoned. */
	releaseClaim(runId: string): void {
		this.#stored.releaseClaim(runId);
	}

	/**
	 * Starts a run that was admitted under its id, and waits briefly until D1 has it. Idempotent.
	 * @returns false when the run was abandoned before.
	 */
	async start(spec: RunSpec): Promise<boolean> {
		if (this.#run) return true;
		if (this.#stored.isAbandoned) return false;
		this.#stored.create(spec);
		this.#actions.takeCharge();
		// The first action's alarm serves the outbox, too.
		this.#ownerOutbox.arm(Date.now());
		this.#ownerOutbox.armAfterWrite();
		this.#waiters.reportStarted();
		await this.#ownerOutbox.deliver(this.#runOutbox.lastRowId);
		return true;
	}

	/** The user's run as it is now; null when there is none or it is another user's. */
	async read(userId: string): Promise<RunView | null> {
		const run = this.#stored.runForUser(userId);
		return run && this.#readers.show(run);
	}

	/**
	 * A step of the user's run with its text. Null when there is no such run; a word when it has no such step, or the text is no longer
	 * kept.
	 */
	async readStep(userId: string, index: number): Promise<StepTextResponse | "unknown" | "expired" | null> {
		const run = this.#stored.runForUser(userId);
		return run && this.#deadlines.readStep(run, index);
	}

	/** The user's run as it is now, which may be about to start. @throws when it is another user's. */
	readStarted(userId: string): Promise<RunView | "abandoned"> {
		return this.#readers.readStarted(userId);
	}

	/** Waits for the end of the user's run, which may be about to start. @throws when it is another user's. */
	waitForEnd(userId: string): Promise<RunOutcome> {
		return this.#readers.waitForEnd(userId);
	}

	/** Lets a run that has not begun never begin. Returns false for one that has, which goes on if it can. Idempotent. */
	abandon(): boolean {
		return this.#readers.abandon();
	}

	/** The events of the user's run, which may be about to start: one JSON object per line. @throws when it is another user's. */
	follow(userId: string): ReadableStream<Uint8Array> {
		return this.#readers.follow(userId);
	}

	/**
	 * The user's run as it is now, and its events from this moment on; null when there is no such run. A run that is over,
	 * interrupted or waiting has no events: it is not resumed by being watched.
	 */
	async watch(userId: string): Promise<WatchedRun | null> {
		const run = this.#stored.runForUser(userId);
		return run && this.#readers.watch(run);
	}

	/** Stops further calls of the user's run and waits for its end; null when there is none. A run that is over stays as it is. */
	async cancel(userId: string): Promise<{ outcome: RunOutcome } | null> {
		const run = this.#stored.runForUser(userId);
		if (!run) return null;
		this.#requests.cancel(run);
		return { outcome: await this.waitForEnd(userId) };
	}

	/**
	 * Deletes the user's run once it has ended, with its texts; null when there is no such run, a word when it is not deleted. An
	 * idempotency key that named it begins another one. D1 comes first: until the object has deleted the run, the deletion can be repeated.
	 * @param actor who deletes it, as events name them.
	 */
	async delete(userId: string, actor: string): Promise<RunDeletion> {
		const run = this.#stored.runForUser(userId);
		if (!run) return null;
		const { end, spec } = run;
		if (!end) return "not_ended";
		// What D1 got later would be there for good.
		if (!(await this.#ownerOutbox.catchUp())) return "unflushed";
		const event = runDeletedEvent(spec, end, actor, `ae_${ulid()}`, Date.now());
		const keptBytes = await deleteRun(database(this.env.DB), userId, spec.runId, event);
		const rolling = this.#deadlines.keptTexts;
		this.#stored.delete(run);
		return { keptBytes, ...(rolling ? { rolling } : {}), eventBytes: eventBytes(event.payload) };
	}

	/** The key that began the user's run; null when there is no such run. */
	startedBy(userId: string): string | null {
		return this.#stored.runForUser(userId)?.spec.keyId ?? null;
	}

	/** The user's run where it is interrupted; else null. */
	interrupted(userId: string): InterruptedRun | null {
		const run = this.#stored.runForUser(userId);
		if (!run?.isInterrupted) return null;
		const { goal, capNanoUsd, isBackground = false } = run.spec;
		return { goal, capNanoUsd, isBackground };
	}

	/**
	 * Lets the user's run go on where it is interrupted and rules are given; null when there is none. One that waits waits on, and is vouched
	 * for by whoever may resume it. Any other stays as it is.
	 */
	async resume(userId: string, rules: ResumeRules | null): Promise<{ isCancelled: boolean } | null> {
		const run = this.#stored.runForUser(userId);
		if (!run) return null;
		await this.#requests.resume(run, rules);
		return { isCancelled: run.end?.status === "cancelled" };
	}

	/** What a request needs that answers what the user's run waits for; null when there is no such run. */
	standing(userId: string): RunStanding | null {
		const run = this.#stored.runForUser(userId);
		return run && toRunStanding(run);
	}

	/** Takes answers to what the user's run waits for, all or none; null when there is no such run. */
	async resolve(userId: string, batch: ResolutionBatch, by: ResolverStand): Promise<Result<ResolveVerdict> | null> {
		const run = this.#stored.runForUser(userId);
		return run && this.#requests.resolve(run, batch, by);
	}

	/** The run's newest row that D1 does not have yet, and whether D1 has everything. */
	unflushedRun(): { row: AgentRunRow | null; idle: boolean } {
		return { row: this.#runOutbox.unflushedRun(), idle: this.isIdle() };
	}

	/** The audit events of a page that only this object has so far. */
	async unflushedEvents(query: EventPageQuery): Promise<UnflushedEvents> {
		return this.#stored.hasTables ? this.#runOutbox.unflushedEvents(query) : { events: [], idle: true };
	}

	/** Flushes at once what D1 does not have; true when nothing is left. */
	async catchUp(): Promise<boolean> {
		return !this.#stored.hasTables || (await this.#ownerOutbox.catchUp());
	}

	/** Whether everything has been flushed. */
	isIdle(): boolean {
		return this.#runOutbox.isIdle();
	}

	/** Executes the run's next actions and flushes the outbox. Never throws: Workers give up a failing alarm after a few retries. */
	override async alarm(): Promise<void> {
		const flushed = this.#ownerOutbox.alarm();
		const met = this.#stored.hasTables ? this.#deadlines.meet() : undefined;
		const run = this.#run;
		if (run?.isInterrupted) {
			this.#ownerOutbox.arm(run.state.resumableUntilMs ?? Date.now());
		} else if (run && !run.end) {
			this.#ownerOutbox.arm(this.#restsUntilMs(run) ?? Date.now() + HEARTBEAT_MS);
			try {
				if (await this.#actions.advance(run)) await this.#ending.end(run);
			} catch (error) {
				logError("agent_run_failed", error, { run_id: run.spec.runId });
				this.#actions.recoverFromError(run);
			}
		}
		const others = Promise.all([flushed, met]);
		// A run under way waits neither for D1 nor for the receiver of a webhook.
		if (run && !run.end) this.ctx.waitUntil(others);
		else await others;
	}

	/**
	 * Until when nothing is to be done for a run that waits; null where something is. An alarm that came sooner would come again and again:
	 * a written row each time, for as long as a person takes.
	 */
	#restsUntilMs(run: StoredRun): number | null {
		if (run.pendingSettlement) return null;
		const untilMs = run.waitsUntilMs ?? (isAtRest(run) ? nextDueMs(run) : null);
		return untilMs !== null && untilMs > Date.now() ? untilMs : null;
	}

	/** Stores the state of a run that waits or goes on, with its row for lists. */
	async #storeWait(run: StoredRun, state: RunState, { isNews }: { isNews: boolean }): Promise<void> {
		const { spec, steps, charges, calls } = run;
		const snapshot: RunSnapshot = { spec, state, steps, charges, calls, end: null };
		await this.#storeListed((queueRow) =>
			run.saveState(state, () => {
				queueRow();
				if (isNews) this.#deadlines.addWebhook(snapshot);
			}),
		);
	}

	/** Stores a change with the run's row for lists, and waits briefly until D1 has it. `queueRow` belongs to its transaction. */
	async #storeListed(store: (queueRow: () => void) => void): Promise<void> {
		let rowId = "";
		store(() => {
			rowId = this.#runOutbox.addRun();
		});
		this.#ownerOutbox.armAfterWrite();
		this.#deadlines.arm();
		await this.#ownerOutbox.deliver(rowId);
	}

	#reportUnsettled(): void {
		this.#waiters.reportUnsettled();
		this.#retryLater();
	}

	#retryLater(): void {
		this.#settleBackoff.recordFailure();
		this.#ownerOutbox.arm(Date.now() + this.#settleBackoff.delayMs);
	}
}
