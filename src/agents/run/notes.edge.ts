// What an AgentRun object knows beside a run's own rows: short texts under names. They stand before the parts of long texts. Synchronous.
import { deleteParts, listParts, storePart } from "./parts.edge.ts";

/** The part number of a note. Parts of a text count from 0. */
const NOTE = -1;

/** A note; null where there is none. */
export function readNote(sql: SqlStorage, name: string): string | null {
	return listParts<string>(sql, name, NOTE)[0] ?? null;
}

export function writeNote(sql: SqlStorage, name: string, text: string): void {
	storePart(sql, name, NOTE, text);
}

export function deleteNote(sql: SqlStorage, name: string): void {
	deleteParts(sql, name, NOTE);
}
