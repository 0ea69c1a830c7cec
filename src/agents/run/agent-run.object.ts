// AgentRun: one Durable Object per run, named `run:` and the run's id. It makes and stores the run's steps and answers the requests
// that wait for its end. An object named `key:` and an idempotency key only stores which run that key names.
//
// Each alarm executes one action, because limits of time, subrequests and CPU apply per invocation.
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
import { hasTables, migrate } from "../../durable/migrations.edge.ts";
import type { BackupPlan, ObjectPage } from "../../durable/object-rows.edge.ts";
import { logError } from "../../http/log.edge.ts";
import { eventBytes, type StoredDeletion, type StoredWrite } from "../../meter/stored-bytes.ts";
import type { RunSnapshot, StepTextResponse } from "../response.ts";
import {
	claimName,
	deleteClaim,
	findClaim,
	isAbandoned,
	type RunClaim,
	storeAbandoned,
	storeClaim,
} from "./claims.edge.ts";
import { RunDeadlines } from "./deadlines.edge.ts";
import { agentRecordEvent, endEvents, planEvent, runDeletedEvent } from "./events.ts";
import { RunExecutor } from "./executor.edge.ts";
import { callConfigFor, type InterruptedRun, lowerCap, RESUMABLE_MS, resumedState } from "./interruption.ts";
import { RunMoney } from "./money.edge.ts";
import { RunOutbox, type RunOutboxRow } from "./outbox.edge.ts";
import {
	endStatus,
	initialRunState,
	type ResumeRules,
	type RunSpec,
	sumChargesNanoUsd,
	toEndedRun,
	toRunEfforts,
} from "./run.ts";
import { type RunOutcome, type RunView, startedRunBytes, toAgentRunRow, toRunView } from "./run-view.ts";
import { type AgentRunRow, deleteRun } from "./runs.store.ts";
import { StoredRun } from "./stored-run.edge.ts";
import { AGENT_RUN_TABLES } from "./tables.ts";
import { hasOnlyWaited, takeOver } from "./take-over.edge.ts";
import { RunWaiters } from "./waiters.edge.ts";

/** After a crash in the middle of an action, the next alarm comes this late. */
const HEARTBEAT_MS = 10_000;
/** A request that joins a run waits this long for it to start. After that the run is abandoned. */
const START_TIMEOUT_MS = 2_000;

/** Why a run is interrupted that was under way when it was backed up. */
const RESTORED_TEXT = "the service was restored from a backup";

/** A run at one moment, and what happens from then on: one JSON object per line. */
export interface WatchedRun {
	view: RunView;
	events: ReadableStream<Uint8Array> | null;
}

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
	#hasTables: boolean;
	#run: StoredRun | null = null;
	#runOutbox: RunOutbox;
	#ownerOutbox: OwnerOutbox<RunOutboxRow>;
	/** This instance started the run, or took it over after a crash. */
	#isInCharge = false;
	#waiters = new RunWaiters();
	#settleBackoff = new Backoff();
	#money: RunMoney;
	#deadlines: RunDeadlines;

	constructor(state: DurableObjectState, env: Env) {
		super(state, env);
		const runOutbox = new RunOutbox(state.storage.sql, env);
		this.#runOutbox = runOutbox;
		this.#money = new RunMoney(env, (work) => state.waitUntil(work));
		this.#deadlines = new RunDeadlines(state.storage.sql, env, {
			run: () => this.#run,
			arm: (atMs) => this.#ownerOutbox.arm(atMs),
			queueRow: (run) => void runOutbox.addRun(run.end ? "end" : "step", toAgentRunRow(run)),
			alertStored: (alert) => {
				this.#ownerOutbox.arm(Date.now());
				if (!this.#run?.end) this.#waiters.publish({ type: "alert", alert });
			},
		});
		this.#ownerOutbox = new OwnerOutbox(state, env, {
			failureEvent: "agent_run_flush_failed",
			nextRound: () => runOutbox.nextRound(),
			record: (rows) => runOutbox.record(rows),
			markFlushed: (rows) => runOutbox.markFlushed(rows),
			isFlushed: (id) => runOutbox.isFlushed(id),
			isIdle: () => this.isIdle(),
		});
		this.#hasTables = hasTables(state.storage);
		if (!this.#hasTables) return;
		migrate(state.storage, AGENT_RUN_TABLES);
		this.#run = StoredRun.load(state.storage);
		this.#ownerOutbox.wake();
		if (this.#run && !this.#run.end) this.#ownerOutbox.arm(Date.now());
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

	#makeTables(): void {
		if (!this.#hasTables) migrate(this.ctx.storage, AGENT_RUN_TABLES);
	}

	/** Returns the run that this key names. A free key is given to `runId`; without a `runId` the answer is null. */
	claim(bodyHash: string, runId: string | null): RunClaim | null {
		const { sql } = this.ctx.storage;
		const known = this.#hasTables ? findClaim(sql, bodyHash) : null;
		if (known || runId === null) return known;
		this.ctx.storage.transactionSync(() => {
			this.#makeTables();
			storeClaim(sql, bodyHash, runId);
		});
		this.#hasTables = true;
		return { runId, isSameBody: true };
	}

	/** Frees the key of a run that was abandoned. */
	releaseClaim(runId: string): void {
		if (this.#hasTables) deleteClaim(this.ctx.storage.sql, runId);
	}

	#isAbandoned(): boolean {
		return this.#hasTables && isAbandoned(this.ctx.storage.sql);
	}

	/**
	 * Starts a run that was admitted under its id, and waits briefly until D1 has it. Idempotent.
	 * @returns false when the run was abandoned before.
	 */
	async start(spec: RunSpec): Promise<boolean> {
		if (this.#run) return true;
		if (this.#isAbandoned()) return false;
		let [rowId, run]: [string, StoredRun | null] = ["", null];
		this.ctx.storage.transactionSync(() => {
			this.#makeTables();
			this.#ownerOutbox.identify(spec.userId, { kind: "run", id: spec.runId });
			run = StoredRun.create(this.ctx.storage, spec, initialRunState(spec));
			rowId = this.#runOutbox.addRun("start", toAgentRunRow(run));
		});
		this.#run = run;
		this.#hasTables = true;
		this.#isInCharge = true;
		this.#ownerOutbox.armAfterWrite();
		this.#ownerOutbox.arm(Date.now());
		this.#waiters.reportStarted();
		await this.#ownerOutbox.deliver(rowId);
		return true;
	}

	/** The user's run as it is now; null when there is none or it is another user's. */
	async read(userId: string): Promise<RunView | null> {
		const run = this.#runForUser(userId);
		return run && this.#show(run);
	}

	/** The run as it is now. One that is over is shown once lists show it so: the object may have died between its end and its flush. */
	async #show(run: StoredRun): Promise<RunView> {
		if (run.end) await this.#ownerOutbox.deliverRest();
		return toRunView(run);
	}

	/**
	 * A step of the user's run with its text. Null when there is no such run; a word when it has no such step, or the text is no longer
	 * kept.
	 */
	async readStep(userId: string, index: number): Promise<StepTextResponse | "unknown" | "expired" | null> {
		const run = this.#runForUser(userId);
		return run && this.#deadlines.readStep(run, index);
	}

	/** The user's run as it is now, which may be about to start. @throws when it is another user's. */
	async readStarted(userId: string): Promise<RunView | "abandoned"> {
		const run = await this.#startedRun(userId);
		return run ? this.#show(run) : "abandoned";
	}

	/** The user's run; null when it did not start and never will. @throws when it is another user's. */
	async #startedRun(userId: string): Promise<StoredRun | null> {
		if (!this.#run && !(await this.#waitForStart())) return null;
		const run = this.#runForUser(userId);
		if (!run) throw new Error("there is no such run");
		return run;
	}

	/** Waits for the end of the user's run, which may be about to start. @throws when it is another user's. */
	async waitForEnd(userId: string): Promise<RunOutcome> {
		const run = await this.#startedRun(userId);
		if (!run) return "abandoned";
		return run.end || run.isInterrupted ? this.#show(run) : this.#waiters.ended;
	}

	/** Waits for the run to start. Returns false when it did not; the run is then abandoned. */
	async #waitForStart(): Promise<boolean> {
		if (!this.#isAbandoned()) await this.#waiters.waitForStart(START_TIMEOUT_MS);
		if (this.#run) return true;
		this.ctx.storage.transactionSync(() => {
			this.#makeTables();
			storeAbandoned(this.ctx.storage.sql);
		});
		this.#hasTables = true;
		this.#waiters.closeFollowers();
		return false;
	}

	/** The events of the user's run, which may be about to start: one JSON object per line. @throws when it is another user's. */
	follow(userId: string): ReadableStream<Uint8Array> {
		if (this.#run && !this.#runForUser(userId)) throw new Error("there is no such run");
		const stream = this.#waiters.follow(true);
		if (this.#run?.end || this.#isAbandoned()) this.#waiters.closeFollowers();
		return stream;
	}

	/**
	 * The user's run as it is now, and its events from this moment on; null when there is no such run. A run that is over or
	 * interrupted has no events: it is not resumed by being watched.
	 */
	watch(userId: string): WatchedRun | null {
		const run = this.#runForUser(userId);
		if (!run) return null;
		const isOver = run.end !== null || run.isInterrupted;
		return { view: toRunView(run), events: isOver ? null : this.#waiters.follow(false) };
	}

	/** Stops further calls of the user's run and waits for its end; null when there is none. A run that is over stays as it is. */
	async cancel(userId: string): Promise<{ outcome: RunOutcome } | null> {
		const run = this.#runForUser(userId);
		if (!run) return null;
		if (!run.end && !run.pendingSettlement) this.#cancel(run);
		return { outcome: await this.waitForEnd(userId) };
	}

	/** Ends the wait for another try or for a resumption, if there is one. */
	#cancel(run: StoredRun): void {
		const { state } = run;
		const fault = run.isInterrupted ? null : state.fault;
		run.saveState({ ...state, fault, isCancelled: true, resumableUntilMs: null });
		if (state.retry || state.resumableUntilMs !== null) this.#ownerOutbox.arm(Date.now());
	}

	/**
	 * Deletes the user's run once it has ended, with its texts; null when there is no such run, a word when it is not deleted. An
	 * idempotency key that named it begins another one. D1 comes first: until the object has deleted the run, the deletion can be repeated.
	 * @param actor who deletes it, as events name them.
	 */
	async delete(userId: string, actor: string): Promise<RunDeletion> {
		const run = this.#runForUser(userId);
		if (!run) return null;
		const { end, spec } = run;
		if (!end) return "not_ended";
		// What D1 got later would be there for good.
		if (!(await this.#ownerOutbox.catchUp())) return "unflushed";
		const event = runDeletedEvent(spec, end, actor, `ae_${ulid()}`, Date.now());
		const keptBytes = await deleteRun(database(this.env.DB), userId, spec.runId, event);
		const rolling = this.#deadlines.keptTexts;
		this.ctx.storage.transactionSync(() => {
			StoredRun.delete(this.ctx.storage.sql);
			storeAbandoned(this.ctx.storage.sql);
		});
		this.#run = null;
		return { keptBytes, ...(rolling ? { rolling } : {}), eventBytes: eventBytes(event.payload) };
	}

	/** The key that began the user's run; null when there is no such run. */
	startedBy(userId: string): string | null {
		return this.#runForUser(userId)?.spec.keyId ?? null;
	}

	/** The user's run where it is interrupted; else null. */
	interrupted(userId: string): InterruptedRun | null {
		const run = this.#runForUser(userId);
		if (!run?.isInterrupted) return null;
		const { goal, capNanoUsd, isBackground = false } = run.spec;
		return { goal, capNanoUsd, isBackground };
	}

	/** Lets the user's run go on where it is interrupted and rules are given. Any other run stays as it is; null when there is none. */
	async resume(userId: string, rules: ResumeRules | null): Promise<{ isCancelled: boolean } | null> {
		const run = this.#runForUser(userId);
		if (!run) return null;
		if (rules && run.isInterrupted) {
			await this.#money.loadSettings();
			const gate = await this.#money.gateFor(run.spec);
			// If the meter has settled the run, the next action finds that out, and closes it.
			const { capNanoUsd } = lowerCap(run.state, rules.maxCostNanoUsd);
			await this.#money.keepOpen(run, gate, Date.now(), capNanoUsd);
			if (run.isInterrupted) this.#resume(run, rules);
		}
		return { isCancelled: run.end?.status === "cancelled" };
	}

	#resume(run: StoredRun, rules: ResumeRules): void {
		run.saveState(resumedState(run.spec, run.state, run.steps, rules, (id) => this.#money.isKnownModel(id)));
		this.#isInCharge = true;
		this.#waiters.reportResumed();
		this.#ownerOutbox.arm(Date.now());
	}

	/** The run's newest row that D1 does not have yet, and whether D1 has everything. */
	unflushedRun(): { row: AgentRunRow | null; idle: boolean } {
		if (!this.#hasTables) return { row: null, idle: true };
		return { row: this.#runOutbox.unflushedRun(), idle: this.isIdle() };
	}

	/** The audit events of a page that only this object has so far. */
	async unflushedEvents(query: EventPageQuery): Promise<UnflushedEvents> {
		return this.#hasTables ? this.#runOutbox.unflushedEvents(query) : { events: [], idle: true };
	}

	/** Flushes at once what D1 does not have; true when nothing is left. */
	async catchUp(): Promise<boolean> {
		return !this.#hasTables || (await this.#ownerOutbox.catchUp());
	}

	/** Whether everything has been flushed. */
	isIdle(): boolean {
		return !this.#hasTables || this.#runOutbox.isIdle();
	}

	/** Executes the run's next action and flushes the outbox. Never throws: Workers give up a failing alarm after a few retries. */
	override async alarm(): Promise<void> {
		const flushed = this.#ownerOutbox.alarm();
		const met = this.#hasTables ? this.#deadlines.meet() : undefined;
		const run = this.#run;
		if (run?.isInterrupted) {
			this.#ownerOutbox.arm(run.state.resumableUntilMs ?? Date.now());
		} else if (run && !run.end) {
			this.#ownerOutbox.arm(Date.now() + HEARTBEAT_MS);
			try {
				await this.#advance(run);
			} catch (error) {
				logError("agent_run_failed", error, { run_id: run.spec.runId });
				this.#recoverFromError(run);
			}
		}
		const others = Promise.all([flushed, met]);
		// A run under way waits neither for D1 nor for the receiver of a webhook.
		if (run && !run.end) this.ctx.waitUntil(others);
		else await others;
	}

	/** An unexpected error counts as a death of the object. If settling failed, it is tried again. */
	#recoverFromError(run: StoredRun): void {
		try {
			if (!run.pendingSettlement && run.state.fault === null) this.#takeOver(run);
		} catch (error) {
			logError("agent_run_not_taken_over", error, { run_id: run.spec.runId });
		}
		this.#retryLater();
	}

	async #advance(run: StoredRun): Promise<void> {
		try {
			await this.#money.loadSettings();
		} catch (error) {
			// Nothing was begun: the run goes on when its catalog can be read.
			logError("agent_run_waits", error, { run_id: run.spec.runId });
			return this.#retryLater();
		}
		if (!this.#isInCharge && !run.pendingSettlement && !hasOnlyWaited(run, HEARTBEAT_MS)) this.#takeOver(run);
		this.#isInCharge = true;
		if (!run.pendingSettlement) {
			const untilMs = run.waitsUntilMs;
			if (untilMs !== null) return this.#ownerOutbox.arm(untilMs);
			if (await this.#executeNext(run)) {
				this.#ownerOutbox.arm(run.state.retry?.notBeforeMs ?? Date.now());
				return;
			}
			if (await this.#canBeResumed(run)) return this.#interrupt(run);
			await this.#money.seal(run);
		}
		await this.#settle(run);
	}

	/** Whether a run that cannot go on is left unsigned: the first time, unless its meter has settled it. */
	async #canBeResumed(run: StoredRun): Promise<boolean> {
		const { state } = run;
		return endStatus(state) === "interrupted" && state.resumableUntilMs === null && !(await this.#money.isSettled(run));
	}

	/** Leaves a run that cannot go on unsigned, to be resumed. What it held is given back but for its charges. */
	async #interrupt(run: StoredRun): Promise<void> {
		const resumableUntilMs = Date.now() + RESUMABLE_MS;
		const gate = await this.#money.gateFor(run.spec);
		if (!(await this.#money.keepOpen(run, gate, resumableUntilMs, sumChargesNanoUsd(run.charges))))
			return this.#reportUnsettled();
		const state = { ...run.state, resumableUntilMs };
		const { spec, steps, charges } = run;
		const interrupted: RunSnapshot = { spec, state, steps, charges, end: null };
		let rowId = "";
		run.saveState(state, () => {
			rowId = this.#runOutbox.addRun("step", toAgentRunRow(interrupted));
			this.#deadlines.addWebhook(interrupted);
		});
		this.#ownerOutbox.armAfterWrite();
		this.#deadlines.arm();
		await this.#ownerOutbox.deliver(rowId);
		this.#ownerOutbox.arm(resumableUntilMs);
		this.#waiters.reportEnd(toRunView(run));
	}

	#reportUnsettled(): void {
		this.#waiters.reportUnsettled();
		this.#retryLater();
	}

	#runForUser(userId: string): StoredRun | null {
		return this.#run?.spec.userId === userId ? this.#run : null;
	}

	async #executeNext(run: StoredRun): Promise<boolean> {
		const { spec } = run;
		const gate = await this.#money.gateFor(spec);
		const { policy, temperature, nonce } = spec;
		const config = callConfigFor(spec, run.state);
		const callGate = await this.#money.callGateFor(run);
		const planEventId = `ae_${ulid()}`;
		const executor = new RunExecutor({
			run,
			planContext: () => this.#money.planContext(spec),
			rules: { policy, config, gate: callGate, temperature, nonce, efforts: toRunEfforts(spec) },
			mask: callGate?.mask ?? null,
			record: (charge) => this.#money.record(run, charge, gate),
			report: (event) => this.#waiters.publish(event),
			recordRefusal: (refusal) => this.#money.recordRefusal(run, refusal),
			queuePlanEvent: (state) => this.#runOutbox.addEvent(planEvent(spec, state, planEventId, Date.now())),
			queueProgress: (progress) => this.#runOutbox.addRun("step", toAgentRunRow({ ...progress, spec, end: null })),
		});
		const hasExecuted = await executor.executeNext();
		if (hasExecuted) this.#ownerOutbox.armAfterWrite();
		const { retry } = run.state;
		// If this fails, the next try cannot be reserved, and fails without a cost.
		if (retry) await this.#money.keepOpen(run, gate, retry.notBeforeMs);
		return hasExecuted;
	}

	#takeOver(run: StoredRun): void {
		const charged = takeOver(run, Date.now());
		if (charged) this.#waiters.publish({ type: "step_done", step: charged.record, text: charged.output });
	}

	/** Settles the run, once, and answers the requests that wait for it. */
	async #settle(run: StoredRun): Promise<void> {
		const settled = await this.#money.settle(run, this.#storedAtEnd(run));
		if (!settled) {
			this.#reportUnsettled();
			return;
		}
		const ended = toEndedRun(run, settled);
		const events = endEvents(ended, () => `ae_${ulid()}`, Date.now());
		await this.#deadlines.keepTexts(ended);
		let rowId = "";
		run.finish(ended, () => {
			rowId = this.#runOutbox.addRun("end", toAgentRunRow(ended));
			for (const event of events) this.#runOutbox.addEvent(event);
			this.#deadlines.addWebhook(ended);
		});
		this.#ownerOutbox.armAfterWrite();
		this.#deadlines.arm();
		await this.#ownerOutbox.deliver(rowId);
		this.#waiters.reportEnd(toRunView(run));
	}

	/** What is stored at the run's end beside what was counted when it started: all that is kept of it, its texts and its events. */
	#storedAtEnd(run: StoredRun): StoredWrite {
		const { spec, state, steps, pendingSettlement } = run;
		if (!pendingSettlement) return { rollingBytes: 0, keptBytes: 0 };
		const ended = toEndedRun(run, { end: pendingSettlement.end, state, steps });
		const planned = ended.state.hasPlan && ended.spec.goalDigest === undefined ? [planEvent(spec, state, "", 0)] : [];
		const events = [...planned, agentRecordEvent(spec, state, pendingSettlement.end, "", 0)];
		return {
			rollingBytes: events.reduce((sum, { payload }) => sum + eventBytes(payload), this.#deadlines.textBytes(ended)),
			keptBytes: toAgentRunRow(ended).stored_bytes - startedRunBytes(spec),
		};
	}

	#retryLater(): void {
		this.#settleBackoff.recordFailure();
		this.#ownerOutbox.arm(Date.now() + this.#settleBackoff.delayMs);
	}
}
