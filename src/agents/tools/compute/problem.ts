// Why a calculation of the tool compute has no result: words for the model, which name the place and what would pass. Pure.

import { renderSuggestion } from "../../../suggest.ts";

/** The most names that an error lists. */
const MAX_LISTED = 40;

/** Says that there is no such column, and which there are. */
export function unknownColumn(name: string, columns: readonly string[]): string {
	const known = columns.slice(0, MAX_LISTED).join(", ");
	return `there is no column ${JSON.stringify(name)}${renderSuggestion(name, columns)}; there are ${known}`;
}

/** Thrown inside the calculation; compute.ts turns it into an error result. */
export class ComputeProblem extends Error {
	/** Place in the expression, characters from 0; null where it is not in the expression. */
	readonly at: number | null;

	constructor(message: string, at: number | null = null) {
		super(message);
		this.at = at;
	}
}
