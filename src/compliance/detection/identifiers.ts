// All tables of identifiers as one, by the length of the word that begins them.
import { FINANCIAL_IDENTIFIERS } from "./financial-identifiers.ts";
import { HEALTH_IDENTIFIERS } from "./health-identifiers.ts";
import type { Identifier } from "./identifier.ts";
import { NATIONAL_NUMBERS } from "./national-numbers.ts";
import { PERSONAL_IDENTIFIERS } from "./personal-identifiers.ts";

const ALL = [...NATIONAL_NUMBERS, ...PERSONAL_IDENTIFIERS, ...HEALTH_IDENTIFIERS, ...FINANCIAL_IDENTIFIERS];
const LONGEST = Math.max(...ALL.map(({ first }) => first[1]));

/** The identifiers to try at a word, by its length. */
export const IDENTIFIERS: readonly (readonly Identifier[])[] = Array.from({ length: LONGEST + 1 }, (_, length) =>
	ALL.filter(({ first: [fewest, most] }) => length >= fewest && length <= most),
);
