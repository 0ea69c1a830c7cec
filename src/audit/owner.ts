// Who holds audit events until D1 has them: an object for each thing that events are about. Pure.
import type { AuditEventRow } from "./event.ts";
import type { PageQuery } from "./page.ts";

/** Kinds of owners, each with a class of objects. */
export const OWNER_KINDS = ["workspace", "run"] as const;
export type OwnerKind = (typeof OWNER_KINDS)[number];

/** An owner among those of one user. */
export interface OwnerKey {
	kind: OwnerKind;
	/** The workspace's id, or the run's. */
	id: string;
}

/** The beginning of every key of a kind, as text. */
export function ownerPrefix(kind: OwnerKind): string {
	return `${kind}:`;
}

/** A key as text: `workspace:` or `run:`, and the id. */
export function ownerText({ kind, id }: OwnerKey): string {
	return `${ownerPrefix(kind)}${id}`;
}

/**
 * The key that a text stands for.
 * @throws for a text that ownerText did not write.
 */
export function ownerKeyOf(text: string): OwnerKey {
	const kind = OWNER_KINDS.find((known) => text.startsWith(ownerPrefix(known)));
	if (!kind) throw new Error("not the key of an owner of audit events");
	return { kind, id: text.slice(ownerPrefix(kind).length) };
}

/**
 * The name of an owner's object in its namespace. Workspace ids are their user's own, and a user id holds no slash, so no two
 * pairs share one; the id of a run is nobody else's.
 */
export function ownerObjectName(userId: string, { kind, id }: OwnerKey): string {
	return kind === "run" ? `run:${id}` : `${userId}/${id}`;
}

/**
 * A table that every owner's object has, for its OwnerMark: who it is, the number of its last mark at the user's meter, and
 * whether the meter may still have it. Part of migrations: a released table never changes.
 */
export const OWNER_TABLE = `CREATE TABLE owner (one INTEGER PRIMARY KEY CHECK (one = 1), user_id TEXT NOT NULL,
	owner TEXT NOT NULL, mark INTEGER NOT NULL, is_marked INTEGER NOT NULL)`;

/** What an owner holds of a page. */
export interface UnflushedEvents {
	/** Newest first: as many as fit on the page, and one more if there is one. */
	events: AuditEventRow[];
	/** D1 has everything. */
	idle: boolean;
}

/** What an object that holds events does. */
export interface EventHolder {
	/** The events of a page that D1 does not have. */
	unflushedEvents(query: PageQuery): UnflushedEvents | Promise<UnflushedEvents>;
	/** Hands on to D1 what it does not have, and waits a moment for it; true when it has everything. */
	catchUp(): Promise<boolean>;
}

/** One that is also given events; a run makes its own. */
export interface EventOwner extends EventHolder {
	/** Stores an event and waits a moment for D1 to have it; true when it does. Idempotent by the event's id. */
	record(event: AuditEventRow, key: OwnerKey): Promise<boolean>;
}
