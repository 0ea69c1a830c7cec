// What every object has beside its own work: its rows go into a backup, and a restore puts them back.
//
// A restore hands an object its rows in parts, which stand aside until all are there. Then the object takes them over at once, and begins
// anew from its storage. Until then it is empty to everybody, and sets no alarm.
import { DurableObject } from "cloudflare:workers";
import { type BackupPlan, type ObjectPage, readObjectRows } from "./object-rows.edge.ts";
import { type BackupPart, finishParts, type PartVerdict, takePart } from "./restored-rows.edge.ts";

export abstract class BackedUpObject extends DurableObject<Env> {
	/** Which rows go into a backup. */
	abstract backupPlan(): BackupPlan;

	/** Adapts the rows that were put back, in the transaction that takes them over. */
	adaptRestored(): void {}

	/** A page of the object's rows. @param after `next` of the page before; null for the first. */
	readRows(after: string | null): ObjectPage {
		return { ...readObjectRows(this.ctx.storage, this.backupPlan(), after), takenAtMs: Date.now() };
	}

	/** Keeps a part of a backup aside. Idempotent. */
	takePart(part: BackupPart): PartVerdict {
		return takePart(this.ctx.storage, this.backupPlan().schema, part);
	}

	/** Makes the parts that were kept aside the object's own. Idempotent. Call `beginAnew` next. False when one is missing. */
	finishParts(backupId: string, parts: number): boolean {
		return finishParts(this.ctx.storage, { backupId, parts }, () => this.adaptRestored());
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
