// Receives what the readers of a text find.
import type { DataKind } from "./kinds.ts";

export interface FindingSink {
	/** Offsets in the text that is read; the end is exclusive. The same span may be added again. */
	add(kind: DataKind, start: number, end: number): void;
}
