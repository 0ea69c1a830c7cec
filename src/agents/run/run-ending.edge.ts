// Ends a run when nothing of it is left to execute: it is left interrupted and unsigned, to be resumed, or it is sealed, settled and
// stored with its end. money.edge.ts asks the meter; run-actions.edge.ts executes what comes before.
import { ulid } from "ulid";
import { eventBytes, type StoredWrite } from "../../meter/stored-bytes.ts";
import type { RunSnapshot } from "../response.ts";
import { listCharges, sumChargesNanoUsd } from "./charges.ts";
import type { RunDeadlines } from "./deadlines.edge.ts";
import { agentRecordEvent, endEvents, planEvent } from "./events.ts";
import { RESUMABLE_MS } from "./interruption.ts";
import type { RunActions } from "./run-actions.edge.ts";
import { endStatus, toEndedRun } from "./run-end.ts";
import type { RunParts } from "./run-parts.ts";
import { startedRunBytes, toAgentRunRow, toRunView } from "./run-view.ts";
import type { StoredRun } from "./stored-run.edge.ts";

/** What the run's object provides. */
interface EndingOwner extends RunParts {
	deadlines: RunDeadlines;
	actions: RunActions;
	/** Stores a change with the run's row for lists, and waits briefly until D1 has it. `queueRow` belongs to its transaction. */
	storeListed(store: (queueRow: () => void) => void): Promise<void>;
	/** The run could not be settled so far: whoever waits for it is answered, and it is tried again. */
	reportUnsettled(): void;
}

export class RunEnding {
	#owner: EndingOwner;

	constructor(owner: EndingOwner) {
		this.#owner = owner;
	}

	/** Leaves a run interrupted, or seals and settles it. One that is sealed already is settled. What fails is tried again. */
	async end(run: StoredRun): Promise<void> {
		const { money, waiting, actions } = this.#owner;
		if (!run.pendingSettlement) {
			if (await this.#canBeResumed(run)) return this.#interrupt(run);
			waiting.close(run);
			if (run.state.tools?.open) await actions.closeToolStep(run);
			if (!(await this.#hasRecordedDecisions())) return this.#owner.retryLater();
			await money.seal(run);
		}
		await this.#settle(run);
	}

	/** Whether a run that cannot go on is left unsigned: the first time, unless its meter has settled it. */
	async #canBeResumed(run: StoredRun): Promise<boolean> {
		const { state } = run;
		return (
			endStatus(state) === "interrupted" && state.resumableUntilMs === null && !(await this.#owner.money.isSettled(run))
		);
	}

	/** Leaves a run that cannot go on unsigned, to be resumed. What it held is given back but for its charges. */
	async #interrupt(run: StoredRun): Promise<void> {
		const { money, waiters, deadlines, ownerOutbox } = this.#owner;
		const resumableUntilMs = Date.now() + RESUMABLE_MS;
		const gate = await money.gateFor(run);
		if (!(await money.keepOpen(run, gate, resumableUntilMs, sumChargesNanoUsd(listCharges(run)))))
			return this.#owner.reportUnsettled();
		const state = { ...run.state, resumableUntilMs };
		const { spec, steps, charges } = run;
		const interrupted: RunSnapshot = { spec, state, steps, charges, end: null };
		await this.#owner.storeListed((queueRow) =>
			run.saveState(state, () => {
				queueRow();
				deadlines.addWebhook(interrupted);
			}),
		);
		ownerOutbox.arm(resumableUntilMs);
		waiters.reportEnd(toRunView(run));
	}

	/** Whether the record of every decision has arrived. Until then no receipt says that a run is over. */
	async #hasRecordedDecisions(): Promise<boolean> {
		const { runOutbox, ownerOutbox } = this.#owner;
		if (runOutbox.hasUnflushedDecisions()) await ownerOutbox.catchUp();
		return !runOutbox.hasUnflushedDecisions();
	}

	/** Settles the run, once, and answers the requests that wait for it. */
	async #settle(run: StoredRun): Promise<void> {
		const { money, waiters, deadlines, runOutbox } = this.#owner;
		const settled = await money.settle(run, this.#storedAtEnd(run));
		if (!settled) {
			this.#owner.reportUnsettled();
			return;
		}
		const ended = toEndedRun(run, settled);
		const events = endEvents(ended, () => `ae_${ulid()}`, Date.now());
		const texts = await deadlines.sealTexts(ended);
		await this.#owner.storeListed((queueRow) =>
			run.finish(ended, texts.kept, () => {
				texts.store();
				queueRow();
				for (const event of events) runOutbox.addEvent(event);
				deadlines.addWebhook(ended);
			}),
		);
		waiters.reportEnd(toRunView(run));
	}

	/** What is stored at the run's end beside what was counted when it started: all that is kept of it, its texts and its events. */
	#storedAtEnd(run: StoredRun): StoredWrite {
		const { spec, state, steps, pendingSettlement } = run;
		if (!pendingSettlement) return { rollingBytes: 0, keptBytes: 0 };
		const ended = toEndedRun(run, { end: pendingSettlement.end, state, steps });
		const planned = ended.state.hasPlan && ended.spec.goalDigest === undefined ? [planEvent(spec, state, "", 0)] : [];
		const events = [...planned, agentRecordEvent(spec, state, pendingSettlement.end, "", 0)];
		return {
			rollingBytes: events.reduce(
				(sum, { payload }) => sum + eventBytes(payload),
				this.#owner.deadlines.textBytes(ended) + (state.recordedBytes ?? 0),
			),
			keptBytes: toAgentRunRow(ended).stored_bytes - startedRunBytes(spec),
		};
	}
}
