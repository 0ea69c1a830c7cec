// Commands whose effect reaches beyond the workspace, by one table of first words and options. They ask. What destroys or
// publishes is in the rules of the programs.
import { type Effect, type Invocation, riskyEffect } from "../effects.ts";
import { firstOperandIndexes } from "../options.ts";
import { staysOnThisMachine } from "./requests.ts";
import unusualFile from "./unusual.json" with { type: "json" };

interface UnusualUse {
	readonly verbs?: readonly string[];
	readonly options?: readonly string[];
	readonly unless?: readonly string[];
	readonly unless_local?: boolean;
	readonly because: string;
	readonly instead?: string;
}

interface VerbAndOption {
	/** The words of each verb in order. Null: any words will do. */
	readonly verbs: readonly (readonly string[])[] | null;
	/** Null: it needs no option. */
	readonly options: ReadonlySet<string> | null;
	/** Options with which it only looks. */
	readonly unless: ReadonlySet<string>;
	readonly unlessLocal: boolean;
	readonly effect: Effect;
}

const HARMLESS_OPTIONS: ReadonlySet<string> = new Set(unusualFile.harmless_options);

function toVerbAndOption({ verbs, options, unless, because, instead, ...row }: UnusualUse): VerbAndOption {
	return {
		verbs: verbs?.map((verb) => verb.split(" ")) ?? null,
		options: options ? new Set(options) : null,
		unless: new Set(unless),
		unlessLocal: row.unless_local === true,
		effect: riskyEffect(because, instead),
	};
}

/** The rows by program. A program may stand in several keys. */
const UNUSUAL_USES: ReadonlyMap<string, readonly VerbAndOption[]> = collectUses(unusualFile.programs);

function collectUses(
	programs: Readonly<Record<string, readonly UnusualUse[]>>,
): ReadonlyMap<string, readonly VerbAndOption[]> {
	const uses = new Map<string, VerbAndOption[]>();
	for (const [names, rows] of Object.entries(programs)) {
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

/** Finds what a command does beyond the workspace. */
export function findUnusualEffects({ name, words, options }: Invocation): readonly Effect[] {
	const uses = UNUSUAL_USES.get(name);
	if (uses === undefined || options.flags.some((flag) => HARMLESS_OPTIONS.has(flag))) return [];
	return uses
		.filter(
			(use) =>
				!options.flags.some((flag) => use.unless.has(flag)) &&
				!(use.unlessLocal && staysOnThisMachine(options.operands)) &&
				(use.verbs === null || hasVerb(words, use.verbs)) &&
				(use.options === null || [...options.flags, ...words].some((word) => use.options?.has(word))),
		)
		.map(({ effect }) => effect);
}
