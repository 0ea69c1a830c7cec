// What a change on a remote platform brings about, by the roles of its words in dangers.json; and whether a command line
// prints a stored secret, by those in secrets.json.
import { type Effect, type Invocation, riskyEffect } from "../effects.ts";
import dangersFile from "./dangers.json" with { type: "json" };
import secretsFile from "./secrets.json" with { type: "json" };

interface DangerRow {
	readonly opens?: boolean;
	readonly parts?: readonly string[];
	readonly and?: readonly string[];
	readonly unless?: readonly string[];
	readonly because: string;
	readonly instead?: string;
}

const EVERYBODY: ReadonlySet<string> = new Set(dangersFile.everybody);

/** What rows are asked about: the parts of the first words, and whether some word opens something to everybody. */
interface ChangeWords {
	readonly parts: ReadonlySet<string>;
	readonly opens: boolean;
}

const ROWS = dangersFile.rows.map(({ opens, parts, and, unless, because, instead }: DangerRow) => {
	const isAmong = (found: ReadonlySet<string>, wanted: readonly string[]) => wanted.some((part) => found.has(part));
	return {
		because,
		instead,
		fits: (words: ChangeWords) =>
			(opens !== true || words.opens) &&
			(parts === undefined || isAmong(words.parts, parts)) &&
			(and === undefined || isAmong(words.parts, and)) &&
			!(unless !== undefined && isAmong(words.parts, unless)),
	};
});

/** Parts of words, as verbs and nouns are joined: `attach-role-policy`, `config:set`, `firewall-rules`. */
function findParts(groups: readonly string[]): ReadonlySet<string> {
	return new Set(groups.flatMap((word) => word.toLowerCase().split(/[-_:/.]/)));
}

/**
 * Whether a word, or the value in it, means everybody: `0.0.0.0/0`, `--visibility=public`, `CidrIp=0.0.0.0/0`,
 * `allUsers:objectViewer`, `private=false`.
 */
function meansEverybody(word: string): boolean {
	const parts = word.toLowerCase().split(/[=,\]}"' ]/);
	return [word.toLowerCase(), ...parts, ...parts.flatMap((part) => part.split(/(?<!:):(?!:)/))].some((part) =>
		EVERYBODY.has(part),
	);
}

/** An option of a source, or of who may come, with everybody as its value. Alone, a star is a name: `--repo '*'`. */
const EVERY_SOURCE = /^--(?:source|source-address-prefix(?:es)?|source-ranges|principal)[= ](?:\*|internet|any)$/i;

/** What a change brings about, and what would do instead. */
interface Danger {
	readonly because: string;
	readonly instead: string | undefined;
}

/** Whether the words of a change open something to everybody. */
function opensToEverybody(words: readonly string[]): boolean {
	return (
		words.some(meansEverybody) ||
		words.some((word, at) => EVERY_SOURCE.test(word) || EVERY_SOURCE.test(`${word} ${words[at + 1]}`))
	);
}

/** Says what a change brings about. Null where only the verb is known. */
export function findDanger(groups: readonly string[], words: readonly string[]): Danger | null {
	const change = { parts: findParts(groups), opens: opensToEverybody(words) };
	return ROWS.find((row) => row.fits(change)) ?? null;
}

/** Says what a command line opens to everybody. It shows in words whose verb nobody knows, too. */
export function findOpening(groups: readonly string[], words: readonly string[]): Danger | null {
	return opensToEverybody(words) ? findDanger(groups, words) : null;
}

const SECRET_NOUNS: ReadonlySet<string> = new Set(secretsFile.nouns);
const PRINTING_VERBS: ReadonlySet<string> = new Set(secretsFile.printing_verbs);
/** Clients that the rows by program are about: some print no value by their verb alone. */
const RULED_CLIENTS: ReadonlySet<string> = new Set(secretsFile.ruled_clients);

/** Words that describe a secret, or name several. */
const DESCRIBING = /(?:^|-)(?:list|describe|policy|policies|metadata|tags|random)(?:-|$)/;

/**
 * Finds that a client of a platform prints the value of a secret: a noun of what is secret, and a verb that prints one. `versions
 * access` and `get-secret-value` are such verbs.
 */
export function findPrintedSecrets({ name }: Invocation, groups: readonly string[]): readonly Effect[] {
	if (RULED_CLIENTS.has(name)) return [];
	const at = groups.findIndex((word) => word.split(/[-_:]/).some((part) => SECRET_NOUNS.has(part)));
	const verbs = at < 0 ? [] : groups.slice(at);
	if (verbs.length === 0 || verbs.at(-1) === "help" || verbs.some((word) => DESCRIBING.test(word))) return [];
	const prints = verbs.some((word) => {
		const parts = word.split(/[-_:]/);
		return PRINTING_VERBS.has(word) || PRINTING_VERBS.has(parts[0] ?? "") || PRINTING_VERBS.has(parts.at(-1) ?? "");
	});
	return prints ? [riskyEffect(`${name} prints the value of a stored secret`, "the verb that only lists them")] : [];
}
