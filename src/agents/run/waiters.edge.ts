// Who waits for a run in this instance of its object: requests for its start or its end, and followers of its events.
import { withDeadline } from "../../in-time.edge.ts";
import { toPendingEntry } from "../tools/waiting.ts";
import { RunFollowers } from "./followers.edge.ts";
import type { RunEvent } from "./run-event.ts";
import type { RunOutcome, RunView } from "./run-view.ts";

export class RunWaiters {
	#whenStarted = Promise.withResolvers<void>();
	#whenEnded = Promise.withResolvers<RunOutcome>();
	#followers = new RunFollowers();
	/** Followers have been told an end, or that the run waits for somebody. */
	#hasRested = false;

	/** The next outcome of the run. */
	get ended(): Promise<RunOutcome> {
		return this.#whenEnded.promise;
	}

	/** Waits for the run to start, at most this long. */
	waitForStart(timeoutMs: number): Promise<void> {
		return withDeadline(this.#whenStarted.promise, timeoutMs, () => undefined);
	}

	reportStarted(): void {
		this.#whenStarted.resolve();
	}

	/** The events of the run, one JSON object per line. The stream ends with the run. @param withEarlier also those that have been. */
	follow(withEarlier: boolean): ReadableStream<Uint8Array> {
		return this.#followers.follow(withEarlier);
	}

	publish(event: RunEvent): void {
		this.#followers.publish(event);
	}

	closeFollowers(): void {
		this.#followers.closeAll();
	}

	#reportOutcome(outcome: RunOutcome): void {
		this.#hasRested = true;
		this.#followers.closeAll();
		this.#whenEnded.resolve(outcome);
		this.#whenEnded = Promise.withResolvers<RunOutcome>();
	}

	/** The run has ended, or is interrupted. */
	reportEnd(view: RunView): void {
		const { run_id, status, cost_consumed_usd, trajectory_proof } = view.run;
		this.publish({ type: "finished", run_id, status, cost_consumed_usd, trajectory_proof });
		this.#reportOutcome(view);
	}

	/** The run waits for somebody. */
	reportRest(view: RunView): void {
		const { run_id, pending = [] } = view.run;
		this.publish({ type: "requires_action", run_id, pending: pending.map(toPendingEntry) });
		this.#reportOutcome(view);
	}

	/** The run could not be settled so far. */
	reportUnsettled(): void {
		this.#reportOutcome("unsettled");
	}

	/** The run goes on after it was interrupted or has waited. Who follows from now on is not told of what was before. */
	reportResumed(): void {
		if (this.#hasRested) this.#followers = new RunFollowers();
		this.#hasRested = false;
	}
}
