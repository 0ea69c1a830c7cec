// AgentRun: one Durable Object per run, named `run:` and its id. It makes the run's steps, keeps them, and answers whoever waits;
// under `key:` and an idempotency key it keeps which run that key stands for, and nothing else.
//
// Crash order. A chain of alarms makes one move each: limits of time, subrequests and CPU are per invocation. What a step may
// have cost is stored here and then written into the run's reservation at the meter, before a call is sent; a step's end is
// stored in one transaction with what it cost. A run that is found running by an object that did not begin it has died: its
// open charge stands, and it is closed as `interrupted`. What is settled is sealed and stored first, so that settling may be
// repeated. Where the meter has settled the run itself, because nobody came for so long, its receipt is what the run came to.
import { DurableObject } from "cloudflare:workers";
import { ulid } from "ulid";
import type { EventSource, UnflushedEvents } from "../../audit/owner.ts";
import { OwnerOutbox } from "../../audit/owner-outbox.edge.ts";
import type { EventPageQuery } from "../../audit/page.ts";
import { Backoff } from "../../durable/backoff.ts";
import { hasTables, migrate } from "../../durable/migrations.edge.ts";
import { logError } from "../../http/log.edge.ts";
import { withDeadline } from "../../in-time.edge.ts";
import { usd } from "../../proof/money.ts";
import { utf8Length } from "../../providers/wire.ts";
import { SpendGuard } from "../guard.ts";
import { type RunResponse, type RunSnapshot, toRunResponse, toRunSummary } from "../response.ts";
import { agentRecordEvent, planEvent } from "./events.ts";
import { RunExecutor } from "./executor.edge.ts";
import { RunFollowers } from "./followers.edge.ts";
import { RunMoney } from "./money.edge.ts";
import { RunOutbox, type RunOutboxRow } from "./outbox.edge.ts";
import { initialRunState, type RunSpec, sumChargesNanoUsd } from "./run.ts";
import type { AgentRunRow } from "./runs.store.ts";
import { StoredRun } from "./stored-run.edge.ts";
import { AGENT_RUN_TABLES } from "./tables.ts";

/** When the alarm looks after a run whose object died in the middle of a move. */
const HEARTBEAT_MS = 10_000;
/** A whole run is mirrored up to this: with its summary, and on its way as JSON in JSON, it stays below the 2 MB of a row. */
const MAX_MIRRORED_BYTES = 500_000;

/** Which run an idempotency key stands for. */
export interface RunClaim {
	runId: string;
	/** It was asked for with the same body. */
	isSameBody: boolean;
}

/** A run as it is handed to the Worker. */
export interface RunView {
	run: RunResponse;
	/** Some answer came from the sandbox upstream. */
	isSandbox: boolean;
}

/**
 * What a run came to for who waited: `unaccounted` where it could not be settled yet, `void` where it was never begun and
 * never will be.
 */
export type RunOutcome = RunView | "unaccounted" | "void";

/** From the claim of a run to its beginning: who waits for it longer sees to it that it is never begun. */
const START_TIMEOUT_MS = 2_000;

export class AgentRun extends DurableObject<Env> implements EventSource {
	#hasTables: boolean;
	#run: StoredRun | null = null;
	#runOutbox: RunOutbox;
	#ownerOutbox: OwnerOutbox<RunOutboxRow>;
	/** The run was begun, or taken over, in this life of the object. */
	#isInCharge = false;
	#whenEnded = Promise.withResolvers<RunOutcome>();
	#whenStarted = Promise.withResolvers<void>();
	#settleBackoff = new Backoff();
	#followers = new RunFollowers();
	#money: RunMoney;

	constructor(state: DurableObjectState, env: Env) {
		super(state, env);
		const outgoing = new RunOutbox(state.storage.sql, env);
		this.#runOutbox = outgoing;
		this.#money = new RunMoney(env, (work) => state.waitUntil(work));
		this.#ownerOutbox = new OwnerOutbox(state, env, {
			failureEvent: "agent_run_flush_failed",
			nextRound: () => outgoing.nextRound(),
			record: (rows) => outgoing.record(rows),
			markFlushed: (rows) => outgoing.markFlushed(rows),
			isFlushed: (id) => outgoing.isFlushed(id),
			isIdle: () => this.isIdle(),
		});
		this.#hasTables = hasTables(state.storage, AGENT_RUN_TABLES);
		if (!this.#hasTables) return;
		migrate(state.storage, AGENT_RUN_TABLES);
		this.#run = StoredRun.load(state.storage);
		this.#ownerOutbox.wake();
		if (this.#run && !this.#run.end) this.#ownerOutbox.arm(Date.now());
	}

	#makeTables(): void {
		if (!this.#hasTables) migrate(this.ctx.storage, AGENT_RUN_TABLES);
	}

	/** The run that this key stands for, from now on `runId` if none did before; null where none does and none is given. */
	claim(bodyHash: string, runId: string | null): RunClaim | null {
		const { sql } = this.ctx.storage;
		const [known] = this.#hasTables
			? sql.exec<{ body_hash: string; run_id: string }>("SELECT body_hash, run_id FROM claim").toArray()
			: [];
		if (known) return { runId: known.run_id, isSameBody: known.body_hash === bodyHash };
		if (runId === null) return null;
		this.ctx.storage.transactionSync(() => {
			this.#makeTables();
			sql.exec("INSERT INTO claim (one, body_hash, run_id) VALUES (1, ?, ?)", bodyHash, runId);
		});
		this.#hasTables = true;
		return { runId, isSameBody: true };
	}

	/** Takes the key from a run that was never begun, for the next who asks. */
	releaseClaim(runId: string): void {
		if (this.#hasTables) this.ctx.storage.sql.exec("DELETE FROM claim WHERE run_id = ?", runId);
	}

	#isAbandoned(): boolean {
		return this.#hasTables && this.ctx.storage.sql.exec("SELECT 1 FROM void").toArray().length > 0;
	}

	/**
	 * Begins a run that has been admitted under its id, and waits a moment for D1 to have it. Idempotent.
	 * @returns false when it is too late: the run was taken for one that never begins.
	 */
	async start(spec: RunSpec): Promise<boolean> {
		if (this.#run) return true;
		if (this.#isAbandoned()) return false;
		let [id, book]: [string, StoredRun | null] = ["", null];
		this.ctx.storage.transactionSync(() => {
			this.#makeTables();
			this.#ownerOutbox.identify(spec.userId, { kind: "run", id: spec.runId });
			book = StoredRun.create(this.ctx.storage, spec, initialRunState(spec));
			id = this.#runOutbox.addRun("begun", toAgentRunRow(book));
		});
		this.#run = book;
		this.#hasTables = true;
		this.#isInCharge = true;
		this.#ownerOutbox.armAfterWrite();
		this.#ownerOutbox.arm(Date.now());
		this.#whenStarted.resolve();
		await this.#ownerOutbox.deliver(id);
		return true;
	}

	/** The run of a user as it stands; null where there is none, or another's. */
	read(userId: string): RunView | null {
		const book = this.#runForUser(userId);
		return book && toRunView(book);
	}

	/** Waits for the end of the user's run, which may be about to begin. @throws when it is another's. */
	async waitForEnd(userId: string): Promise<RunOutcome> {
		if (!this.#run && !(await this.#waitForStart())) return "void";
		const book = this.#runForUser(userId);
		if (!book) throw new Error("there is no such run");
		return book.end ? toRunView(book) : this.#whenEnded.promise;
	}

	/** Waits for the run to begin; false when it did not, and from then on never will. */
	async #waitForStart(): Promise<boolean> {
		if (!this.#isAbandoned()) await withDeadline(this.#whenStarted.promise, START_TIMEOUT_MS, () => undefined);
		if (this.#run) return true;
		this.ctx.storage.transactionSync(() => {
			this.#makeTables();
			this.ctx.storage.sql.exec("INSERT OR IGNORE INTO void (one) VALUES (1)");
		});
		this.#hasTables = true;
		this.#followers.closeAll();
		return false;
	}

	/** What happens in the user's run, which may be about to begin: one JSON object a line. @throws when it is another's. */
	follow(userId: string): ReadableStream<Uint8Array> {
		if (this.#run && !this.#runForUser(userId)) throw new Error("there is no such run");
		const stream = this.#followers.follow();
		if (this.#run?.end || this.#isAbandoned()) this.#followers.closeAll();
		return stream;
	}

	/** Has no further call made for the user's run and waits for its end; null where there is none. One that is over stays as it is. */
	async cancel(userId: string): Promise<{ awaited: RunOutcome } | null> {
		const book = this.#runForUser(userId);
		if (!book) return null;
		if (!book.end && !book.closing && this.#isInCharge) book.save({ ...book.state, isCancelled: true });
		return { awaited: await this.waitForEnd(userId) };
	}

	/** The run's row that D1 does not have, and whether it has everything. */
	unflushedRun(): { row: AgentRunRow | null; idle: boolean } {
		if (!this.#hasTables) return { row: null, idle: true };
		return { row: this.#runOutbox.unflushedRun(), idle: this.isIdle() };
	}

	/** The run's audit events of a page that nobody else has yet. */
	async unflushedEvents(query: EventPageQuery): Promise<UnflushedEvents> {
		return this.#hasTables ? this.#runOutbox.unflushedEvents(query) : { events: [], idle: true };
	}

	/** Hands on at once what D1 does not have; true when nothing is left. */
	async catchUp(): Promise<boolean> {
		return !this.#hasTables || (await this.#ownerOutbox.catchUp());
	}

	/** Whether everything has been handed on. */
	isIdle(): boolean {
		return !this.#hasTables || this.#runOutbox.isIdle();
	}

	/** Makes the run's next move, and hands on what is to be handed on. Never throws: a failed alarm would end after a few retries. */
	override async alarm(): Promise<void> {
		const handedOn = this.#ownerOutbox.alarm();
		const book = this.#run;
		if (book && !book.end) {
			this.#ownerOutbox.arm(Date.now() + HEARTBEAT_MS);
			try {
				await this.#advance(book);
			} catch (error) {
				logError("agent_run_failed", error, { run_id: book.spec.runId });
				this.#recoverFromError(book);
			}
		}
		// A run that goes on does not wait for D1.
		if (book && !book.end) this.ctx.waitUntil(handedOn);
		else await handedOn;
	}

	/** What goes wrong unexpectedly ends the run; what goes wrong with its end is tried again. */
	#recoverFromError(book: StoredRun): void {
		try {
			if (!book.closing && book.state.fault === null)
				this.#interrupt(book, "an unexpected error, which the service has logged");
		} catch (error) {
			logError("agent_run_not_interrupted", error, { run_id: book.spec.runId });
		}
		this.#retryLater();
	}

	async #advance(book: StoredRun): Promise<void> {
		if (!this.#isInCharge && !book.closing) this.#interrupt(book, "the service stopped in the middle of it");
		this.#isInCharge = true;
		if (!book.closing) {
			if (await this.#executeNext(book)) {
				this.#ownerOutbox.arm(Date.now());
				return;
			}
			await this.#money.seal(book);
		}
		await this.#settle(book);
	}

	#runForUser(userId: string): StoredRun | null {
		return this.#run?.spec.userId === userId ? this.#run : null;
	}

	async #executeNext(book: StoredRun): Promise<boolean> {
		const { spec } = book;
		const gate = await this.#money.gateFor(spec);
		const { policy, config, temperature } = spec;
		const plannedAt = ulid();
		const driver = new RunExecutor({
			run: book,
			planContext: () => this.#money.planContext(spec),
			rules: { policy, config, gate, temperature },
			record: (charge) => this.#money.record(book, charge, gate),
			report: (event) => this.#followers.publish(event),
			queuePlanEvent: (state) => this.#runOutbox.addEvent(planEvent(spec, state, `ae_${plannedAt}`, Date.now())),
			queueProgress: (now) => this.#runOutbox.addRun("step", toAgentRunRow({ ...now, spec, end: null })),
		});
		const isMoved = await driver.executeNext();
		if (isMoved) this.#ownerOutbox.armAfterWrite();
		return isMoved;
	}

	/** Ends a run that cannot go on: what the step under way may have cost, it has cost. */
	#interrupt(book: StoredRun, fault: string): void {
		const { open, state } = book;
		if (!open) {
			book.save({ ...state, fault });
			return;
		}
		const { calls, estimated, readers } = open;
		const charge = { calls, estimated };
		const costNanoUsd = sumChargesNanoUsd([charge]);
		const guard = SpendGuard.resume(state.guard);
		guard.hold(costNanoUsd)?.settle(state.trajectory.range.size, { costNanoUsd });
		const all = [...new Set([...state.readers, ...readers])];
		book.endStep(charge, null, { ...state, fault, guard: guard.state, readers: all });
	}

	/** Settles the run, once; whoever waits is told. */
	async #settle(book: StoredRun): Promise<void> {
		const { spec, charges } = book;
		const settled = await this.#money.settle(book);
		if (!settled) {
			this.#whenEnded.resolve("unaccounted");
			this.#whenEnded = Promise.withResolvers<RunOutcome>();
			this.#followers.closeAll();
			this.#retryLater();
			return;
		}
		const { end, state, steps } = settled;
		const event = agentRecordEvent(spec, state, end, `ae_${ulid()}`, Date.now());
		let id = "";
		book.finish(settled, () => {
			id = this.#runOutbox.addRun("ended", toAgentRunRow({ spec, state, steps, charges, end }));
			this.#runOutbox.addEvent(event);
		});
		this.#ownerOutbox.armAfterWrite();
		await this.#ownerOutbox.deliver(id);
		const { status, costNanoUsd, trajectoryProof: trajectory_proof } = end;
		const cost_consumed_usd = usd(costNanoUsd);
		this.#followers.publish({ type: "finished", run_id: spec.runId, status, cost_consumed_usd, trajectory_proof });
		this.#followers.closeAll();
		this.#whenEnded.resolve(toRunView(book));
	}

	#retryLater(): void {
		this.#settleBackoff.failed();
		this.#ownerOutbox.arm(Date.now() + this.#settleBackoff.delayMs);
	}
}

function toRunView(book: StoredRun): RunView {
	return { run: toRunResponse(book), isSandbox: book.state.isSandbox };
}

/** The run's row for D1. */
function toAgentRunRow(run: RunSnapshot): Omit<AgentRunRow, "revision"> {
	const shown = toRunResponse(run);
	const whole = run.end ? JSON.stringify({ run: shown, isSandbox: run.state.isSandbox } satisfies RunView) : null;
	return {
		id: run.spec.runId,
		user_id: run.spec.userId,
		created_at: shown.created_at,
		status: shown.status,
		summary: JSON.stringify(toRunSummary(shown, run.spec.goal)),
		run: whole !== null && utf8Length(whole) <= MAX_MIRRORED_BYTES ? whole : null,
	};
}
