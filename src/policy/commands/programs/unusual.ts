// Commands whose effect reaches beyond the workspace, and commands that print stored secrets, by tables of first words and
// options. They ask. What destroys or publishes is in the rules of the programs.
import { type Effect, type Invocation, riskyEffect } from "../effects.ts";
import { firstOperandIndexes } from "../options.ts";
import { staysOnThisMachine } from "./requests.ts";
import secretsFile from "./secrets.json" with { type: "json" };
import unusualFile from "./unusual.json" with { type: "json" };

interface UnusualUse {
	readonly verbs?: readonly string[];
	readonly operands?: readonly string[];
	readonly valued?: readonly string[];
	readonly options?: readonly string[];
	readonly unless?: readonly string[];
	readonly unless_local?: boolean;
	readonly unless_plain_name?: boolean;
	readonly unless_template?: boolean;
	readonly unless_fields?: boolean;
	readonly because: string;
	readonly instead?: string;
}

interface VerbAndOption {
	/** The words of each verb in order. Null: any words will do. */
	readonly verbs: readonly (readonly string[])[] | null;
	/** What one of the words behind must be, or a part of it between commas. Null: any words will do. */
	readonly operands: readonly string[] | null;
	/** Options whose value is the next word, which is no operand. */
	readonly valued: readonly string[];
	/** Null: it needs no option. */
	readonly options: readonly string[] | null;
	/** Options and words with which it only looks: each one word, or several in order. */
	readonly unless: readonly (readonly string[])[];
	readonly unlessLocal: boolean;
	/** It is not about names of what is no secret. */
	readonly unlessPlainName: boolean;
	/** It is not about templates that ask for something else than the environment. */
	readonly unlessTemplate: boolean;
	/** It is not about fields that hold no value of a secret. */
	readonly unlessFields: boolean;
	readonly effect: Effect;
}

const HARMLESS_OPTIONS: ReadonlySet<string> = new Set(unusualFile.harmless_options);

function toVerbAndOption({ verbs, options, unless, because, instead, ...row }: UnusualUse): VerbAndOption {
	return {
		verbs: verbs?.map((verb) => verb.split(" ")) ?? null,
		operands: row.operands ?? null,
		valued: row.valued ?? [],
		options: options ?? null,
		unless: unless?.map((phrase) => phrase.split(" ")) ?? [],
		unlessLocal: row.unless_local === true,
		unlessPlainName: row.unless_plain_name === true,
		unlessTemplate: row.unless_template === true,
		unlessFields: row.unless_fields === true,
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

/** Whether a word is the one of the table. A star at its end stands for any end, at its beginning too, alone for any word. */
function isVerbWord(word: string | undefined, wanted: string): boolean {
	if (word === undefined) return false;
	if (wanted.startsWith("*/"))
		return wanted.endsWith("*") ? word.includes(wanted.slice(1, -1)) : word.endsWith(wanted.slice(1));
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

/** The words of a command without the values of some options. */
function withoutValues(words: readonly string[], valued: readonly string[]): readonly string[] {
	return valued.length === 0 ? words : words.filter((_, at) => !valued.includes(words[at - 1] ?? ""));
}

/** Whether a word, or a part of it between commas, is among those of the table: `pods,secrets`. */
function hasOperand(words: readonly string[], operands: readonly string[]): boolean {
	return words.some((word) =>
		word.split(",").some((part) => operands.some((wanted) => isVerbWord(part.toLowerCase(), wanted))),
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

/** The columns or the template that `kubectl get` prints. */
const KUBE_TEMPLATE = /^(?:-o=?|--output=)?(?:jsonpath(?:-as-json)?|custom-columns|go-template)=(.*)$/s;

/** Fields that hold no value. Annotations are none of them: the last one that was applied has them all. */
const PLAIN_FIELDS =
	/range \.items\[\*?\]|(?:\.items\[[^\]]*\])?\.(?:metadata\.(?:name|namespace|uid|creationTimestamp|resourceVersion|labels)|type|kind|apiVersion)\b/g;

/** Whether a template prints plain fields only: nothing is left of it that could be another field, or all of them. */
function asksForPlainFields(words: readonly string[]): boolean {
	const template = words.map((word) => KUBE_TEMPLATE.exec(word)?.[1]).find((text) => text !== undefined);
	return template !== undefined && !/[.*@$]/.test(template.replaceAll(PLAIN_FIELDS, ""));
}

const FILTERS: ReadonlySet<string> = new Set(secretsFile.filters);

/** What a description of a container calls its environment. */
const ENVIRONMENT_MEMBER = /\benv\b/i;

/** Finds that a filter picks the environment of a container out of its description: `docker inspect web | jq '.[0].Config.Env'`. */
function findPickedEnvironment({ name, words, sources }: Invocation): readonly Effect[] {
	if (!FILTERS.has(name) || !words.some((word) => ENVIRONMENT_MEMBER.test(word))) return [];
	const [source = "", ...asked] = sources();
	const isImage = asked.some((word) => /^(?:--type=)?image$/.test(word));
	return /^(?:docker|podman|nerdctl)$/.test(source) && asked.includes("inspect") && !isImage
		? [riskyEffect("prints the environment of a container with its secrets", "docker inspect -f '{{.State.Status}}'")]
		: [];
}

/** Finds what a command does beyond the workspace, or which stored secrets it prints. */
export function findUnusualEffects(command: Invocation): readonly Effect[] {
	const { name, words, options } = command;
	const picked = findPickedEnvironment(command);
	const uses = UNUSUAL_USES.get(name);
	if (uses === undefined || options.flags.some((flag) => HARMLESS_OPTIONS.has(flag))) return picked;
	const isMeant = (use: VerbAndOption): boolean => {
		const own = withoutValues(words, use.valued);
		return (
			!use.unless.some(
				(phrase) => hasPhrase(words, phrase) || (phrase.length === 1 && options.flags.includes(phrase[0] ?? "")),
			) &&
			!(use.unlessPlainName && asksForPlainName(own)) &&
			!(use.unlessTemplate && asksForOtherFacts(words)) &&
			!(use.unlessFields && asksForPlainFields(words)) &&
			!(use.unlessLocal && staysOnThisMachine(options.operands)) &&
			(use.verbs === null || hasVerb(own, use.verbs)) &&
			(use.operands === null || hasOperand(own, use.operands)) &&
			(use.options === null ||
				use.options.some((option) => [...options.flags, ...words].some((word) => isVerbWord(word, option))))
		);
	};
	return [...picked, ...uses.filter(isMeant).map(({ effect }) => effect)];
}
