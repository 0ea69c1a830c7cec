// Marks and words of the usual languages by what they do: join, name a member, stand between values or before one. Each token
// of a script is looked up in some of them, so they are sets and not expressions.
import type { ScriptLanguage } from "../effects.ts";
import type { CodeToken } from "./code-tokens.ts";

type Words = ReadonlySet<string>;

const toWords = (text: string): Words => new Set(text.split(" "));

export const ADDING: Readonly<Record<ScriptLanguage, Words>> = {
	python: toWords("+"),
	javascript: toWords("+"),
	perl: toWords(". +"),
	ruby: toWords("+ <<"),
	php: toWords(". +"),
};
export const MEMBERS: Readonly<Record<ScriptLanguage, Words>> = {
	python: toWords("."),
	javascript: toWords(". ?."),
	perl: toWords("-> ::"),
	ruby: toWords(". :: ?."),
	php: toWords("-> ::"),
};
/** Words before what is printed, with brackets around it or without. */
export const PRINTING: Readonly<Record<ScriptLanguage, Words>> = {
	python: toWords("print"),
	javascript: new Set(),
	perl: toWords("print printf say"),
	ruby: toWords("puts print printf p pp"),
	php: toWords("echo print"),
};

/** Marks that assign a value to the name before them. */
export const ASSIGNING: Words = toWords("= += .= :=");
/** Marks between the values of a list or of a call, or before one of them. */
export const SEPARATING: Words = toWords(", ; : => = ** ...");
/** Marks between a name and its value, in a call and in an object. */
export const NAMING: Words = toWords("= : =>");
export const CLOSING_BRACKETS: Words = toWords(") ] }");

const OPERATORS = toWords("-> <- - * / % < > | & ^ ? ** && || ?? == != === !== <=> =~");
export const WORD_OPERATORS: Words = toWords("and or xor in is if else unless x instanceof of as lt gt eq ne");
const UNARY = toWords("- ! ~ \\ * & + ** ...");

/** Words that are no value, behind which one may follow. */
export const KEYWORDS: Words = toWords(
	"if elif else elsif while until unless for foreach return yield await async new not typeof void throw raise do then begin " +
		"end try my our local const let var and or in is print puts echo defined delete case when with assert class def function sub " +
		"fn lambda static global export",
);

/** Whether a token stands between two values. */
export const isOperator = ({ kind, value }: CodeToken): boolean =>
	(kind === "mark" && OPERATORS.has(value)) || (kind === "name" && WORD_OPERATORS.has(value));

/** Whether a token stands before a value and leaves it. */
export const isUnary = ({ kind, value }: CodeToken) => kind === "mark" && UNARY.has(value);
