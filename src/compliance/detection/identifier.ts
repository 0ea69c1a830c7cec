// An entry in the tables of identifiers: what it looks like, its check digits, and what else must be near it.
import type { ChecksumRule } from "./checksums.ts";
import type { DataKind } from "./kinds.ts";

/**
 * What a shape needs besides its check. `shape`: nothing. `bare`: a context word near it, or a text that is nothing else, such
 * as a form field or a tool's answer. `context`: a context word in any case.
 */
type IdentifierEvidence = "shape" | "bare" | "context";

/** One written form of one kind. Shapes are sticky and of bounded length, so that a try costs a constant. */
export interface Identifier {
	readonly kind: DataKind;
	/**
	 * The fewest and most characters of its first run of letters and digits, and what that begins with, if it is always the
	 * same. At other words the shape is not tried.
	 */
	readonly first: readonly [fewest: number, most: number, begins?: "digit" | "letter"];
	/** False where the first run is either one group or, without separators, the whole: no length in between fits. */
	readonly between?: false;
	/** Before the check, separators are removed, and letters are upper-cased if the shape ignores case. */
	readonly shape: RegExp;
	readonly check?: ChecksumRule;
	/** Published samples and ranges that are never issued; matched against the value without separators. */
	readonly refused?: RegExp;
	readonly needs: IdentifierEvidence;
	/** Matched against the lower-cased context: 64 characters before, 40 after. */
	readonly context?: RegExp;
}
