// All tables of identifiers as one, by the length of the word that begins them.
import { FINANCIAL_IDENTIFIERS } from "./financial-identifiers.ts";
import { HEALTH_IDENTIFIERS } from "./health-identifiers.ts";
import type { Identifier } from "./identifier.ts";
import { NATIONAL_NUMBERS } from "./national-numbers.ts";
import { PERSONAL_IDENTIFIERS } from "./personal-identifiers.ts";

const ALL_IDENTIFIERS = [...NATIONAL_NUMBERS, ...PERSONAL_IDENTIFIERS, ...HEALTH_IDENTIFIERS, ...FINANCIAL_IDENTIFIERS];
const LONGEST_FIRST_WORD = Math.max(...ALL_IDENTIFIERS.map(({ first }) => first[1]));

function groupByLength(begins: "digit" | "letter"): readonly (readonly Identifier[])[] {
	const those = ALL_IDENTIFIERS.filter(({ first }) => first[2] === undefined || first[2] === begins);
	return Array.from({ length: LONGEST_FIRST_WORD + 1 }, (_, length) =>
		those.filter(({ first: [fewest, most], between }) =>
			between === false ? length === fewest || length === most : length >= fewest && length <= most,
		),
	);
}

/** The identifiers to try at a word, by what it begins with and its length. */
export const IDENTIFIERS = { digit: groupByLength("digit"), letter: groupByLength("letter") } as const;
