// Expands words: braces, variables, field splitting. Values and outputs come from an environment.

import { UNKNOWN } from "../../placeholders.ts";
import { charactersIn, searchingWork, type WorkBudget } from "../../work-budget.ts";
import { splitPlainWords } from "./plain-words.ts";
import type { Assignment, ShellScript, SimpleCommand, Substitution, Word, WordPart } from "./script.ts";

/** The values that words are expanded with. */
export interface Environment {
	/** The value of a variable. Null when it is not known. */
	value(name: string): string | null;
	/** What a substitution's script prints. Null when that is not known without running it. */
	output(script: ShellScript): string | null;
	/** Charged before anything is expanded. Exhausted where a limit leaves out what may matter. */
	readonly work: WorkBudget;
}

/** Units of work for a part of a word, for a field, for a copied character and for a character of a value. */
const PART_WORK = 15;
const EXPANDED_FIELD_WORK = 20;
/** The same for a word that stands in its command's text as it is. */
const PLAIN_FIELD_WORK = 5;
const COPIED_CHARACTER_WORK = 1;
const VALUE_CHARACTER_WORK = 4;

/** Limits of one word's braces: words they expand to, parts of all these words, and nesting. */
const MAX_BRACE_WORDS = 128;
const MAX_BRACE_PARTS = 100_000;
const MAX_BRACE_DEPTH = 8;

type BraceItem = WordPart | "{" | "," | "}";

/** Splits unquoted text at braces and commas. */
function splitAtBraces(word: Word): readonly BraceItem[] {
	return word.flatMap((part): readonly BraceItem[] => {
		if (part.kind !== "text" || part.quoted) return [part];
		const pieces = part.text.match(/[{},]|[^{},]+/g) ?? [];
		return pieces.map((piece) =>
			piece === "{" || piece === "," || piece === "}" ? piece : { kind: "text", text: piece, quoted: false },
		);
	});
}

/** For each opening brace that expands, the indexes of its commas and of its end. */
function matchBraces(items: readonly BraceItem[]): ReadonlyMap<number, readonly number[]> {
	const found = new Map<number, readonly number[]>();
	const open: number[][] = [];
	for (const [at, item] of items.entries()) {
		if (item === "{") open.push([at]);
		else if (item === ",") open.at(-1)?.push(at);
		else if (item === "}") {
			const [start, ...commas] = open.pop() ?? [];
			if (start !== undefined && (commas.length > 0 || expandRange(items, start, at) !== null)) {
				found.set(start, [...commas, at]);
			}
		}
	}
	return found;
}

/** Expands `{a..z}` and `{1..9}`, to a glob where the range has several values. Null where it is no range. */
function expandRange(items: readonly BraceItem[], start: number, end: number): string | null {
	const only = items[start + 1];
	if (end !== start + 2 || typeof only !== "object" || only.kind !== "text") return null;
	const match = /^(?:(-?[0-9]{1,9})\.\.(-?[0-9]{1,9})|([A-Za-z])\.\.([A-Za-z]))(?:\.\.-?[0-9]{1,9})?$/.exec(only.text);
	if (!match) return null;
	const [from, to] = match[1] === undefined ? [match[3], match[4]] : [match[1], match[2]];
	return from === to ? (from ?? null) : "*";
}

function toPart(item: BraceItem): WordPart {
	return typeof item === "string" ? { kind: "text", text: item, quoted: false } : item;
}

/** The expansion of one word's braces so far. */
interface BraceExpansion {
	readonly items: readonly BraceItem[];
	readonly matches: ReadonlyMap<number, readonly number[]>;
	readonly environment: Environment;
	produced: number;
	parts: number;
}

function expandAlternatives(
	braces: BraceExpansion,
	at: number,
	ends: readonly number[],
	depth: number,
): readonly WordPart[][] {
	const range = expandRange(braces.items, at, ends.at(-1) ?? at);
	if (range !== null) return [[{ kind: "text", text: range, quoted: false }]];
	return ends.flatMap((stop, index) => expandItems(braces, (ends[index - 1] ?? at) + 1, stop, depth + 1));
}

/** Counts parts before they are made. False when they are more than the work left. */
function spendParts(braces: BraceExpansion, parts: number): boolean {
	braces.parts += parts;
	if (braces.parts > MAX_BRACE_PARTS) braces.environment.work.exhaust();
	return braces.environment.work.charge(PART_WORK * parts);
}

function countParts(words: readonly Word[]): number {
	return words.reduce((sum, word) => sum + word.length, 0);
}

/** Expands the items from `from` to `to`, exclusive, to words. */
function expandItems(braces: BraceExpansion, from: number, to: number, depth: number): readonly WordPart[][] {
	const { work } = braces.environment;
	let words: WordPart[][] = [[]];
	for (let at = from; at < to && spendParts(braces, words.length); at++) {
		const ends = braces.matches.get(at);
		const item = braces.items[at];
		if (item === undefined) break;
		if (!ends) {
			const part = toPart(item);
			for (const parts of words) parts.push(part);
			continue;
		}
		const alternatives = depth < MAX_BRACE_DEPTH ? expandAlternatives(braces, at, ends, depth) : [];
		braces.produced += words.length * alternatives.length;
		if (alternatives.length === 0 || braces.produced > MAX_BRACE_WORDS) {
			work.exhaust();
			return words.slice(0, 1);
		}
		if (!spendParts(braces, alternatives.length * countParts(words) + words.length * countParts(alternatives)))
			return words;
		words = words.flatMap((head) => alternatives.map((tail) => [...head, ...tail]));
		at = ends.at(-1) ?? at;
	}
	return words;
}

/** Counts the braces and commas at which a text is split. */
function countBraceMarks(text: string): number {
	let marks = 0;
	for (let at = 0; at < text.length; at++) if ("{,}".includes(text[at] ?? "")) marks++;
	return marks;
}

/** Expands a word's braces to words (bash manual 3.5.1). A range of numbers becomes a glob that covers it. */
function expandBraces(word: Word, environment: Environment): readonly Word[] {
	const texts = word.flatMap((part) => (part.kind === "text" && !part.quoted ? [part.text] : []));
	if (!texts.some((text) => text.includes("{"))) return [word];
	const marks = texts.reduce((sum, text) => sum + countBraceMarks(text), 0);
	if (marks > MAX_BRACE_PARTS) environment.work.exhaust();
	if (!environment.work.charge(charactersIn(texts) + PART_WORK * (2 * marks + word.length))) return [word];
	const items = splitAtBraces(word);
	const matches = matchBraces(items);
	return matches.size === 0
		? [word]
		: expandItems({ items, matches, environment, produced: 0, parts: 0 }, 0, items.length, 0);
}

function joinParts(word: Word, environment: Environment): string {
	return word.map((part) => partValue(part, environment)).join("");
}

/** Applies an operation to a known value (bash manual 3.5.3). */
function transform(operation: string, operand: string, value: string, work: WorkBudget): string {
	if (operation === "^^") return value.toUpperCase();
	if (operation === ",,") return value.toLowerCase();
	if (operation === "@") return value;
	if (operation === ":") return takeSubstring(value, operand);
	if (/^[#%]/.test(operation) && /^\?+$/.test(operand)) return cutCharacters(operation, operand.length, value);
	if (/[*?[]/.test(operand)) return UNKNOWN;
	if (operation.startsWith("#")) return value.startsWith(operand) ? value.slice(operand.length) : value;
	if (operation.startsWith("%")) return value.endsWith(operand) ? value.slice(0, value.length - operand.length) : value;
	return operation === "/" || operation === "//" ? replaceText(value, operand, operation === "//", work) : UNKNOWN;
}

/** The value of `${name operation operand}` (bash manual 3.5.3), `UNKNOWN` where it is not known. */
function applyOperation(operation: string, operand: string, value: string | null, work: WorkBudget): string {
	const characters = (value?.length ?? 0) + operand.length;
	if (!work.charge(PART_WORK + VALUE_CHARACTER_WORK * characters)) return UNKNOWN;
	const known = value !== null && !value.includes(UNKNOWN) ? value : null;
	if (operation === "" || /^:?\?$/.test(operation)) return value ?? UNKNOWN;
	if (/^:?[-=]$/.test(operation)) return known === null || known === "" ? operand : known;
	if (/^:?\+$/.test(operation)) return known === "" ? "" : operand;
	return known === null ? UNKNOWN : transform(operation, operand, known, work);
}

/** Cuts off as many characters as the pattern has question marks. A shorter value stays as it is. */
function cutCharacters(operation: string, count: number, value: string): string {
	if (value.length < count) return value;
	return operation.startsWith("#") ? value.slice(count) : value.slice(0, value.length - count);
}

function takeSubstring(value: string, bounds: string): string {
	const [offset, length] = bounds.split(":").map((bound) => Number.parseInt(bound.trim(), 10));
	if (offset === undefined || Number.isNaN(offset)) return UNKNOWN;
	const rest = value.slice(offset);
	return length === undefined || Number.isNaN(length) ? rest : rest.slice(0, length);
}

function replaceText(value: string, operand: string, all: boolean, work: WorkBudget): string {
	const cut = operand.indexOf("/");
	const from = cut < 0 ? operand : operand.slice(0, cut);
	const to = cut < 0 ? "" : operand.slice(cut + 1);
	if (from === "") return value;
	if (!work.charge(2 * searchingWork(value.length, from.length))) return UNKNOWN;
	if (!all) return value.replace(from, () => to);
	const pieces = value.split(from);
	return work.charge(pieces.length * (EXPANDED_FIELD_WORK + VALUE_CHARACTER_WORK * to.length))
		? pieces.join(to)
		: UNKNOWN;
}

/** A loop, because a regular expression would read a run of newlines again from each of them. */
function withoutFinalNewlines(text: string): string {
	let end = text.length;
	while (text[end - 1] === "\n") end--;
	return text.slice(0, end);
}

function partValue(part: WordPart, environment: Environment): string {
	const { work } = environment;
	if (part.kind === "text") return work.charge(PART_WORK + COPIED_CHARACTER_WORK * part.text.length) ? part.text : "";
	if (!work.charge(PART_WORK)) return UNKNOWN;
	if (part.kind === "substitution") {
		if (part.process) return `/dev/fd/${UNKNOWN}`;
		const output = environment.output(part.script);
		if (output === null) return UNKNOWN;
		return work.charge(VALUE_CHARACTER_WORK * output.length) ? withoutFinalNewlines(output) : UNKNOWN;
	}
	const operand = joinParts(part.operand, environment);
	if (part.name.startsWith("!")) {
		const pointer = environment.value(part.name.slice(1));
		if (pointer === null || !work.charge(VALUE_CHARACTER_WORK * pointer.length)) return UNKNOWN;
		return environment.value(pointer) ?? UNKNOWN;
	}
	return applyOperation(part.operation, operand, environment.value(part.name), work);
}

/** White space, and the characters that `IFS` was set to. */
function fieldSeparators(environment: Environment): RegExp {
	const ifs = environment.value("IFS") ?? "";
	if (!environment.work.charge(VALUE_CHARACTER_WORK * ifs.length)) return /[ \t\n]+/;
	const ifsCharacters = [...new Set(ifs.replaceAll(UNKNOWN, "").replace(/\s/g, ""))].join("");
	return ifsCharacters === "" ? /[ \t\n]+/ : new RegExp(`[ \\t\\n${ifsCharacters.replace(/[\\\]^-]/g, "\\$&")}]+`);
}

/** Splits one word into fields. Unquoted values split at separators. Empty unquoted words vanish. */
function splitFields(word: Word, separators: RegExp, environment: Environment): readonly string[] {
	const fields: string[] = [];
	let field: string | null = null;
	for (const part of word) {
		const value = partValue(part, environment);
		if (part.kind === "text" || part.quoted) {
			field = (field ?? "") + value;
			continue;
		}
		const [head = "", ...rest] = value.split(separators);
		if (head !== "") field = (field ?? "") + head;
		for (const next of rest) {
			if (field !== null) fields.push(field);
			field = next === "" ? null : next;
		}
	}
	if (field !== null) fields.push(field);
	return fields;
}

/** The text of a word that is one field as it stands. Null for words that may expand. */
function plainText(word: Word): string | null {
	const [part] = word;
	if (word.length !== 1 || part?.kind !== "text") return null;
	return part.quoted || !part.text.includes("{") ? part.text : null;
}

/** Expands the words of a simple command to fields. Plain ones without braces are fields as they stand. */
export function expandCommand(command: SimpleCommand, environment: Environment): readonly string[] {
	const { plain } = command;
	if (plain === null || plain.includes("{")) return expandWords(command.words, environment);
	const isAffordable = environment.work.charge(PLAIN_FIELD_WORK * command.size + COPIED_CHARACTER_WORK * plain.length);
	return isAffordable ? splitPlainWords(plain) : [];
}

/** Expands a command's words to fields. Unknown text is `UNKNOWN`, `$HOME` is `~`. */
export function expandWords(words: readonly Word[], environment: Environment): readonly string[] {
	const fields: string[] = [];
	let separators: RegExp | null = null;
	for (const word of words) {
		const plain = plainText(word);
		if (plain !== null) {
			const copying = 2 * COPIED_CHARACTER_WORK * plain.length;
			if (!environment.work.charge(PART_WORK + EXPANDED_FIELD_WORK + copying)) return fields;
			fields.push(plain);
			continue;
		}
		separators ??= fieldSeparators(environment);
		for (const expanded of expandBraces(word, environment)) {
			for (const field of splitFields(expanded, separators, environment)) {
				if (!environment.work.charge(EXPANDED_FIELD_WORK + COPIED_CHARACTER_WORK * field.length)) return fields;
				fields.push(field);
			}
		}
	}
	return fields;
}

/** Expands a word to one text without splitting: an assignment's value, a here-document, a redirect's target. */
export function expandText(word: Word, environment: Environment): string {
	return joinParts(word, environment);
}

/** Finds the substitutions anywhere in a word, including those inside `${…}`. */
export function findSubstitutions(word: Word): readonly Substitution[] {
	const found: Substitution[] = [];
	addSubstitutions(word, found);
	return found;
}

function addSubstitutions(word: Word, found: Substitution[]): void {
	for (const part of word) {
		if (part.kind === "substitution") found.push(part);
		else if (part.kind === "variable") {
			addSubstitutions(part.index ?? [], found);
			addSubstitutions(part.operand, found);
		}
	}
}

/** Finds the variables that a word gives a value where they have none, `${x:=value}`, also inside other expansions. */
export function findDefaults(word: Word): readonly Assignment[] {
	const defaults: Assignment[] = [];
	addDefaults(word, defaults);
	return defaults;
}

function addDefaults(word: Word, defaults: Assignment[]): void {
	for (const part of word) {
		if (part.kind !== "variable") continue;
		addDefaults(part.operand, defaults);
		if (/^:?=$/.test(part.operation)) defaults.push({ name: part.name, value: part.operand });
	}
}
