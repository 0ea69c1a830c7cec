// The form of an entry in the tables of identifiers: what it looks like, its check, what else must be near it.
import type { ChecksumRule } from "./checksums.ts";
import type { DataKind } from "./kinds.ts";

/**
 * What a shape needs beside its check. `shape`: nothing. `bare`: a context word near it, or that the text is nothing
 * else, such as a form field or the answer of a tool. `context`: the context word in any case.
 */
export type IdentifierEvidence = "shape" | "bare" | "context";

/** One written form of one kind. Shapes are sticky and of bounded length: a try costs a constant. */
export interface Identifier {
	readonly kind: DataKind;
	/**
	 * Fewest and most characters of the first run of letters and digits, and what it begins with if that is always the same:
	 * where it differs, the shape is not tried.
	 */
	readonly first: readonly [fewest: number, most: number, begins?: "digit" | "letter"];
	/** False where the first run is one group or, without separators, all of them: no length between fits. */
	readonly between?: false;
	/** Separators inside are taken out before the check, and letters become capitals where it ignores case. */
	readonly shape: RegExp;
	readonly check?: ChecksumRule;
	/** Published samples and ranges that are never given out, held against the value without separators. */
	readonly refused?: RegExp;
	readonly needs: IdentifierEvidence;
	/** Held against the lower-cased surroundings: 64 characters before, 40 after. */
	readonly context?: RegExp;
}
