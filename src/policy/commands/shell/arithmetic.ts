// Where `((…))` ends: two parentheses may also be a group in a group.
import { endOfQuotes } from "./quotes.ts";

/** How far the end of `((` is searched for, in characters. */
export const MAX_ARITHMETIC = 4096;

/**
 * Finds where the `((` at `start` ends, each parenthesis counted and quotes skipped. `closesTwice`: it ends in `))`. If not,
 * it is a group in a group. Null when it does not end within {@link MAX_ARITHMETIC} characters.
 */
export function findArithmeticEnd(
	text: string,
	start: number,
): { readonly end: number; readonly closesTwice: boolean } | null {
	const mark = /[\\'"()]/g;
	const within = text.slice(start, start + MAX_ARITHMETIC);
	let open = 0;
	for (let found = mark.exec(within); found; found = mark.exec(within)) {
		const character = found[0];
		if (character === "(") open++;
		else if (character === ")") open--;
		else if (character === "\\") mark.lastIndex++;
		else mark.lastIndex = endOfQuotes(within, found.index) + 1;
		if (character === ")" && open === 1)
			return { end: start + found.index + 2, closesTwice: within[found.index + 1] === ")" };
	}
	return null;
}
