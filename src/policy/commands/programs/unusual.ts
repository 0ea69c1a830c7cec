// Commands whose effect reaches beyond the workspace, and commands that print stored secrets, by tables of first words and
// options. They ask. What destroys or publishes is in the rules of the programs.
import { type Effect, type Invocation, riskyEffect } from "../effects.ts";
import { firstOperandIndexes } from "../options.ts";
import { staysOnThisMachine } from "./requests.ts";
import secretsFile from "./secrets.json" with { type: "json" };
import unusualFile from "./unusual.json" with { type: "json" };

interface UnusualUse {
	readonly verbs?: readonly string[];
	readonly options?: readonly string[];
	readonly unless?: readonly string[];
	readonly unless_local?: boolean;
	readonly unless_plain_name?: boolean;
	readonly unless_template?: boolean;
	readonly because: string;
	readonly instead?: string;
}

interface VerbAndOption {
	/** The words of each verb in order. Null: any words will do. */
	readonly verbs: readonly (readonly string[])[] | null;
	/** Null: it needs no option. */
	readonly options: readonly string[] | null;
	/** Options and words with which it only looks: each one word, or several in order. */
	readonly unless: readonly (readonly string[])[];
	readonly unlessLocal: boolean;
	/** It is not about names of what is no secret. */
	readonly unlessPlainName: boolean;
	/** It is not about templates that ask for something else than the environment. */
	readonly unlessTemplate: boolean;
	readonly effect: Effect;
}

const HARMLESS_OPTIONS: ReadonlySet<string> = new Set(unusualFile.harmless_options);

function toVerbAndOption({ verbs, options, unless, because, instead, ...row }: UnusualUse): VerbAndOption {
	return {
		verbs: verbs?.map((verb) => verb.split(" ")) ?? null,
		options: options ?? null,
		unless: unless?.map((phrase) => phrase.split(" ")) ?? [],
		unlessLocal: row.unless_local === true,
		unlessPlainName: row.unless_plain_name === true,
		unlessTemplate: row.unless_template === true,
		effect: riskyEffect(because, instead),
	};
}

/** The rows by program. A program may stand in several keys. */
const UNUSUAL_USES: ReadonlyMap<string, readonly VerbAndOption[]> = collectUses([
	...Object.entries(unusualFile.programs),
	...Object.entries(secretsFile.programs),
]);

function collectUses(
	programs: readonly (readonly [names: string, rows: readonly UnusualUse[]])[],
): ReadonlyMap<string, readonly VerbAndOption[]> {
	const uses = new Map<string, VerbAndOption[]>();
	for (const [names, rows] of programs) {
		const added = rows.map(toVerbAndOption);
		for (const name of names.split(" ")) uses.set(name, [...(uses.get(name) ?? []), ...added]);
	}
	return uses;
}

/** Whether a word is the one of the table. A star at its end stands for any end, alone for any word. */
function isVerbWord(word: string | undefined, wanted: string): boolean {
	if (word === undefined) return false;
	return wanted.endsWith("*") ? word.startsWith(wanted.slice(0, -1)) : word === wanted;
}

/** Whether the words that are no options begin with one of the verbs, at any word that may be the first of them. */
function hasVerb(words: readonly string[], verbs: readonly (readonly string[])[]): boolean {
	const starts = new Set(firstOperandIndexes(words));
	const operands = words.flatMap((word, at) => (/^-./.test(word) ? [] : [{ word, mayBeFirst: starts.has(at) }]));
	return operands.some(
		({ mayBeFirst }, first) =>
			mayBeFirst && verbs.some((verb) => verb.every((wanted, at) => isVerbWord(operands[first + at]?.word, wanted))),
	);
}

/** Whether words stand in a command one behind the other. */
function hasPhrase(words: readonly string[], phrase: readonly string[]): boolean {
	return words.some((_, at) => phrase.every((wanted, index) => isVerbWord(words[at + index], wanted)));
}

const PLAIN_ENDINGS: ReadonlySet<string> = new Set(secretsFile.plain_endings);

/** Whether what is asked for by name is no secret: `vpc_id`, `NODE_ENV`. Without a name everything is asked for. */
function asksForPlainName(words: readonly string[]): boolean {
	const operands = words.filter((word) => !/^-./.test(word));
	const last = operands.at(-1) ?? "";
	return operands.length > 1 && /[_-]/.test(last) && PLAIN_ENDINGS.has(last.toLowerCase().split(/[_-]/).at(-1) ?? "");
}

/** A template that prints the environment, or all that it is in: `{{.Config.Env}}`, `{{json .Config}}`, `{{json .}}`. */
const PRINTS_ENVIRONMENT = /\.Env\b|\.Config\s*(?:\}|\||$)|(?:json|\{)\s*\.\s*(?:\}|\||$)/;

/** Whether a template asks for something else than the environment. */
function asksForOtherFacts(words: readonly string[]): boolean {
	const template = words.find((word) => word.includes("{{"));
	return template !== undefined && !PRINTS_ENVIRONMENT.test(template);
}

/** Finds what a command does beyond the workspace, or which stored secrets it prints. */
export function findUnusualEffects({ name, words, options }: Invocation): readonly Effect[] {
	const uses = UNUSUAL_USES.get(name);
	if (uses === undefined || options.flags.some((flag) => HARMLESS_OPTIONS.has(flag))) return [];
	return uses
		.filter(
			(use) =>
				!use.unless.some(
					(phrase) => hasPhrase(words, phrase) || (phrase.length === 1 && options.flags.includes(phrase[0] ?? "")),
				) &&
				!(use.unlessPlainName && asksForPlainName(words)) &&
				!(use.unlessTemplate && asksForOtherFacts(words)) &&
				!(use.unlessLocal && staysOnThisMachine(options.operands)) &&
				(use.verbs === null || hasVerb(words, use.verbs)) &&
				(use.options === null ||
					use.options.some((option) => [...options.flags, ...words].some((word) => isVerbWord(word, option)))),
		)
		.map(({ effect }) => effect);
}
