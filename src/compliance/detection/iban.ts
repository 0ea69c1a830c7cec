// Reads international bank account numbers: the country's length, separators, MOD 97-10.
import { iban } from "./checksums.ts";
import { standsAlone } from "./identify.ts";
import ibanLengths from "./lists/iban-lengths.json" with { type: "json" };
import { isWordAt } from "./words.ts";

/** How many characters an IBAN has, by country. */
const IBAN_LENGTHS: ReadonlyMap<string, number> = new Map(Object.entries(ibanLengths));

/** Where the IBAN that begins at a word ends, −1 if there is none. One space or hyphen may separate its groups. */
export function findIbanEnd(text: string, start: number): number {
	if (text.charCodeAt(start) < 65) return -1;
	const length = IBAN_LENGTHS.get(text.slice(start, start + 2).toUpperCase());
	if (length === undefined) return -1;
	let value = "";
	let at = start;
	while (value.length < length && at < text.length) {
		const character = text.charAt(at);
		if (isWordAt(text, at)) value += character;
		else if ((character !== " " && character !== "-") || !isWordAt(text, at - 1) || value.length < 4) return -1;
		at++;
	}
	return value.length === length && standsAlone(text, start, at) && iban(value.toUpperCase()) ? at : -1;
}
