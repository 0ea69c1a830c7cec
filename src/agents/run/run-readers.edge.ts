// Shows a run to who reads it, waits for its end or follows its events, as its object does it. A run that is asked for may be about to
// start: that is waited for, and one that does not come is abandoned.
import { showPendings } from "../tools/waiting.edge.ts";
import { isAtRest, isPaused } from "../tools/waiting.ts";
import type { RunParts } from "./run-parts.ts";
import type { RunStorage } from "./run-storage.edge.ts";
import { type RunOutcome, type RunView, toRunView } from "./run-view.ts";
import type { StoredRun } from "./stored-run.edge.ts";

/** A request that joins a run waits this long for it to start. After that the run is abandoned. */
const START_TIMEOUT_MS = 2_000;

/** A run at one moment, and what happens from then on: one JSON object per line. */
export interface WatchedRun {
	view: RunView;
	events: ReadableStream<Uint8Array> | null;
}

/** What the run's object provides. */
interface ReadersOwner extends Pick<RunParts, "waiters" | "ownerOutbox"> {
	stored: RunStorage;
}

/** Whether nothing happens in a run until somebody acts on it, or at all: it is over, interrupted, or waits. */
function standsStill(run: StoredRun): boolean {
	return run.end !== null || run.isInterrupted || isAtRest(run);
}

export class RunReaders {
	#env: Env;
	#owner: ReadersOwner;

	constructor(env: Env, owner: ReadersOwner) {
		this.#env = env;
		this.#owner = owner;
	}

	/** The run as it is now. One that is over is shown once lists show it so: the object may have died between its end and its flush. */
	async show(run: StoredRun): Promise<RunView> {
		if (run.end) await this.#owner.ownerOutbox.deliverRest();
		if (run.end || !isPaused(run)) return toRunView(run);
		const pending = await showPendings(this.#env, run);
		const view = toRunView(run);
		return view.run.pending ? { ...view, run: { ...view.run, pending } } : view;
	}

	/** The user's run as it is now, which may be about to start. @throws when it is another user's. */
	async readStarted(userId: string): Promise<RunView | "abandoned"> {
		const run = await this.#startedRun(userId);
		return run ? this.show(run) : "abandoned";
	}

	/** Waits for the end of the user's run, which may be about to start. @throws when it is another user's. */
	async waitForEnd(userId: string): Promise<RunOutcome> {
		const run = await this.#startedRun(userId);
		if (!run) return "abandoned";
		return standsStill(run) ? this.show(run) : this.#owner.waiters.ended;
	}

	/** The user's run; null when it did not start and never will. @throws when it is another user's. */
	async #startedRun(userId: string): Promise<StoredRun | null> {
		const { stored, waiters } = this.#owner;
		if (!stored.run && !stored.isAbandoned) await waiters.waitForStart(START_TIMEOUT_MS);
		return this.abandon() ? null : this.#runOf(userId);
	}

	/** Lets a run that has not begun never begin. Returns false for one that has, which goes on if it can. Idempotent. */
	abandon(): boolean {
		const { stored, waiters } = this.#owner;
		if (stored.run) return false;
		stored.abandon();
		waiters.closeFollowers();
		return true;
	}

	#runOf(userId: string): StoredRun {
		const run = this.#owner.stored.runForUser(userId);
		if (!run) throw new Error("there is no such run");
		return run;
	}

	/** The events of the user's run, which may be about to start: one JSON object per line. @throws when it is another user's. */
	follow(userId: string): ReadableStream<Uint8Array> {
		const { stored, waiters } = this.#owner;
		const run = stored.run && this.#runOf(userId);
		const stream = waiters.follow(true);
		if (run?.end || (run && isAtRest(run)) || stored.isAbandoned) waiters.closeFollowers();
		return stream;
	}

	/** The run as it is now, and its events from this moment on. One that stands still has none: it is not resumed by being watched. */
	async watch(run: StoredRun): Promise<WatchedRun> {
		const view = await this.show(run);
		return { view, events: standsStill(run) ? null : this.#owner.waiters.follow(false) };
	}
}
