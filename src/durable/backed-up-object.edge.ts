// What every object has beside its own work: its rows go into a backup, and a restore puts them back.
//
// A restore keeps an object's rows aside until all are there, then makes them its own in one transaction, and the object begins anew
// from its storage. Until then it is empty to everybody, and sets no alarm.
import { DurableObject } from "cloudflare:workers";
import {
	applyRows,
	type BackupPlan,
	type ObjectPage,
	readObjectRows,
	type StagedPart,
	type StageVerdict,
	stageRows,
} from "./object-rows.edge.ts";

export abstract class BackedUpObject extends DurableObject<Env> {
	/** Tells this instance from a later one. */
	readonly #instance = crypto.randomUUID();

	/** Which rows go into a backup. */
	abstract backupPlan(): BackupPlan;

	/** Adapts the rows that were put back, in their transaction. */
	adaptRestored(): void {}

	/** A page of the object's rows. @param after `next` of the page before; null for the first. */
	readRows(after: string | null): ObjectPage {
		const page = readObjectRows(this.ctx.storage, this.backupPlan(), after);
		return { ...page, state: `${this.#instance} ${page.state}`, takenAtMs: Date.now() };
	}

	/** Keeps rows of a backup aside. Idempotent. */
	stageRows(part: StagedPart): StageVerdict {
		return stageRows(this.ctx.storage, part);
	}

	/** Makes the rows that were kept aside the object's own. Idempotent. Call `beginAnew` next. False when there are none. */
	applyRows(backupId: string): boolean {
		return applyRows(this.ctx.storage, this.backupPlan().schema, backupId, () => this.adaptRestored());
	}

	/** Ends this instance, so that the next call finds one that has read the storage. The call itself fails. */
	beginAnew(): void {
		this.ctx.abort("restored from a backup");
	}

	/** Answers once the object has read its storage, and set the alarms that it needs. */
	isThere(): true {
		return true;
	}
}
