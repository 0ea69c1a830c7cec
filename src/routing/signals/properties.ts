// Measured properties of a prompt beside its words: length, marks, code, formulas, scripts. Pure.

import { SCRIPTS } from "../../text/scripts.ts";
import { PROMPT_LANGUAGES } from "./languages.ts";
import type { Scan } from "./scan.ts";

/** Upper ends of the length classes, in characters. */
const LENGTHS = [20, 50, 100, 250, 700, 2_000] as const;

/** Longer prompts count as this long, because hardly any prompt that was trained on is longer. */
const MAX_LENGTH = 8_000;

/** Looked for in the part of a turn that is read. Without nested repetition: matching is linear. */
const PATTERNS = {
	code_fence: /```/,
	formula: /\$[^$\n]{1,80}\$|\\(?:frac|int|sum|sqrt|begin|mathbb|cdot|in\b|to\b)/,
	arithmetic: /\d\s?[-+*×÷^=]\s?\d/,
	file_name: /[\w-]\.(?:py|tsx?|jsx?|html|css|md|json|ya?ml|java|go|rs|c|cpp|cs|rb|php|sh|sql|toml|txt|ipynb|csv)\b/i,
	code_line:
		/(?:^|\n)\s*(?:def |class |import |from \w+ import|function |const |let |var |public |#include|select |if \(|for \(|return )/i,
	error_text: /traceback|error:|exception|at line|stack trace|errno|syntaxerror|npm err/i,
	identifier: /(?:^|\s)@[\w./-]+|\.\/|\/src\/|\w\(\)|[a-z]_[a-z]|[a-z][A-Z][a-z]/,
	address: /https?:\/\//,
	list: /(?:^|\n)\s*(?:[-*•]|\d{1,2}[.)])\s/,
	long_quote: /["“«「][^"”»」]{15,}["”»」]/,
	colon_at_line_end: /:\s*(?:\n|$)/,
	choices: /\n\s*[a-eа-д1-4][.)]\s.*\n\s*[a-eа-д1-4][.)]\s/i,
	question_at_end: /[?？]\s*$/,
} as const;
const PATTERN_NAMES = Object.keys(PATTERNS);
const PATTERN_TESTS = Object.values(PATTERNS);
/** Value of a pattern that is found. */
const FOUND = 0.7;
const CLASS_VALUE = 0.5;

/** Names of the properties, by position. */
export const PROPERTIES = [
	"bias",
	"question_mark",
	"code_marks",
	"digits",
	"newlines",
	"mixed_scripts",
	"log_length",
	...LENGTHS.map((end) => `up_to_${end}_chars`),
	"longer",
	...SCRIPTS,
	...PATTERN_NAMES,
	...PROMPT_LANGUAGES,
	"unknown_language",
] as const;

const FIRST_LENGTH = 7;
const FIRST_SCRIPT = FIRST_LENGTH + LENGTHS.length + 1;
const FIRST_PATTERN = FIRST_SCRIPT + SCRIPTS.length;
const FIRST_LANGUAGE = FIRST_PATTERN + PATTERN_NAMES.length;
/** Position of a language that nothing tells. */
const UNKNOWN_LANGUAGE = PROMPT_LANGUAGES.length;

/** A share of a text's characters, scaled so that ordinary texts fill 0 to 1. */
function density(count: number, chars: number, scale: number): number {
	return Math.min(1, (count / (chars + 1)) * scale);
}

/** The script that most words are in, and whether others have a quarter or more. */
function mainScript({ scripts }: Scan): { index: number; mixed: boolean } {
	let index = 0;
	let total = 0;
	for (const [each, count] of scripts.entries()) {
		total += count;
		if (count > (scripts[index] ?? 0)) index = each;
	}
	return { index, mixed: (scripts[index] ?? 0) < 0.75 * total };
}

/**
 * The properties that are not zero, with their values.
 * @param text the part of a turn that is read.
 * @param chars the length of the whole turn.
 * @param language null when nothing tells it.
 */
export function measureProperties(
	text: string,
	chars: number,
	found: Scan,
	language: string | null,
): [property: number, value: number][] {
	const lengthClass = LENGTHS.findIndex((end) => chars <= end);
	const { index, mixed } = mainScript(found);
	const properties: [number, number][] = [
		[0, 1],
		[1, found.questionMarks > 0 ? CLASS_VALUE : 0],
		[2, density(found.codeMarks, text.length, 8)],
		[3, density(found.digits, text.length, 6)],
		[4, density(found.newlines, text.length, 30)],
		[5, mixed ? CLASS_VALUE : 0],
		[6, Math.log2(1 + Math.min(chars, MAX_LENGTH)) / 12],
		[FIRST_LENGTH + (lengthClass < 0 ? LENGTHS.length : lengthClass), CLASS_VALUE],
		[FIRST_SCRIPT + index, CLASS_VALUE],
		[FIRST_LANGUAGE + (language === null ? UNKNOWN_LANGUAGE : PROMPT_LANGUAGES.indexOf(language)), CLASS_VALUE],
	];
	for (const [at, pattern] of PATTERN_TESTS.entries())
		if (pattern.test(text)) properties.push([FIRST_PATTERN + at, FOUND]);
	return properties.filter(([, value]) => value !== 0);
}

const CODE_PATTERNS = [
	PROPERTIES.indexOf("code_fence"),
	PROPERTIES.indexOf("code_line"),
	PROPERTIES.indexOf("error_text"),
];

/** Whether a text has code or an error message in it. */
export function hasCode(properties: readonly (readonly [property: number, value: number])[]): boolean {
	return properties.some(([property]) => CODE_PATTERNS.includes(property));
}
