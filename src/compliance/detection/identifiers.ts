// All tables of identifiers as one, by the length of the word that begins them.
import { FINANCIAL_IDENTIFIERS } from "./financial-identifiers.ts";
import { HEALTH_IDENTIFIERS } from "./health-identifiers.ts";
import type { Identifier } from "./identifier.ts";
import { NATIONAL_NUMBERS } from "./national-numbers.ts";
import { PERSONAL_IDENTIFIERS } from "./personal-identifiers.ts";

const ALL = [...NATIONAL_NUMBERS, ...PERSONAL_IDENTIFIERS, ...HEALTH_IDENTIFIERS, ...FINANCIAL_IDENTIFIERS];
const LONGEST = Math.max(...ALL.map(({ first }) => first[1]));

function byLength(begins: "digit" | "letter"): readonly (readonly Identifier[])[] {
	const those = ALL.filter(({ first }) => first[2] === undefined || first[2] === begins);
	return Array.from({ length: LONGEST + 1 }, (_, length) =>
		those.filter(({ first: [fewest, most], between }) =>
			between === false ? length === fewest || length === most : length >= fewest && length <= most,
		),
	);
}

/** The identifiers to try at a word, by what it begins with and its length. */
export const IDENTIFIERS = { digit: byLength("digit"), letter: byLength("letter") } as const;
