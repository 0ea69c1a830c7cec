// Owners of audit events: the objects that hold events until D1 has them, one per workspace or run. Pure.
import { runObjectName } from "../ids.ts";
import type { AuditEventRow } from "./event.ts";
import type { EventPageQuery } from "./page.ts";

/** Each kind of owner has a Durable Object class. */
const OWNER_KINDS = ["workspace", "run"] as const;
export type OwnerKind = (typeof OWNER_KINDS)[number];

/** Identifies an owner among those of one user. */
export interface OwnerKey {
	kind: OwnerKind;
	/** Id of the workspace or the run. */
	id: string;
}

/** The prefix of all rendered keys of a kind. */
export function ownerKeyPrefix(kind: OwnerKind): string {
	return `${kind}:`;
}

/** Renders a key as `workspace:<id>` or `run:<id>`. */
export function renderOwnerKey({ kind, id }: OwnerKey): string {
	return `${ownerKeyPrefix(kind)}${id}`;
}

/**
 * Parses what renderOwnerKey wrote.
 * @throws Error for any other text.
 */
export function parseOwnerKey(text: string): OwnerKey {
	const kind = OWNER_KINDS.find((known) => text.startsWith(ownerKeyPrefix(known)));
	if (!kind) throw new Error("not the key of an owner of audit events");
	return { kind, id: text.slice(ownerKeyPrefix(kind).length) };
}

/**
 * The name of an owner's object in its namespace. Workspace ids are unique per user, and a user id holds no slash, so names
 * do not collide. Run ids are unique.
 */
export function ownerObjectName(userId: string, { kind, id }: OwnerKey): string {
	return kind === "run" ? runObjectName(id) : `${userId}/${id}`;
}

/**
 * The table that each owner's object keeps for its OwnerMark: the owner's key, the number of its last mark at the user's
 * meter, and whether the meter may still have that mark.
 */
export const OWNER_TABLE = `CREATE TABLE owner (one INTEGER PRIMARY KEY CHECK (one = 1), user_id TEXT NOT NULL,
	owner TEXT NOT NULL, mark INTEGER NOT NULL, is_marked INTEGER NOT NULL)`;

/** Events of one page that an owner holds and D1 lacks. */
export interface UnflushedEvents {
	/** Newest first, as many as fit on the page, plus one if there are more. */
	events: AuditEventRow[];
	/** True when D1 has all events of this owner. */
	idle: boolean;
}

/** The part of an owner that readers call. */
export interface EventSource {
	/** The events of a page that D1 does not have. */
	unflushedEvents(query: EventPageQuery): UnflushedEvents | Promise<UnflushedEvents>;
	/** Flushes to D1 and waits a moment for it. True when D1 then has everything. */
	catchUp(): Promise<boolean>;
}

/** An owner that also takes events from outside. Runs make their own. */
export interface EventOwner extends EventSource {
	/** Stores an event and waits a moment for the flush. True when D1 has it. Idempotent by the event's id. */
	record(event: AuditEventRow, key: OwnerKey): Promise<boolean>;
}
