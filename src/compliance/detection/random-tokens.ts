// Distinguishes random tokens from names, slugs, hashes and identifiers, by their characters alone.
import identifierPrefixes from "./lists/identifier-prefixes.json" with { type: "json" };
import { entropy } from "./placeholders.ts";

const MIN_RANDOM_CHARS = 16;

/**
 * The least share of neighbours of different character classes. In random letters and digits it is three in five, in names of
 * mixed case one in three.
 */
const MIN_CLASS_CHANGES = 0.4;
const MIN_RANDOM_BITS = 3.2;

function characterClass(code: number): number {
	if (code < 58) return 0;
	return code < 91 ? 1 : 2;
}

/** Whether a run of ASCII letters and digits mixes upper case, lower case and digits as a generator does. */
export function isRandom(run: string): boolean {
	if (run.length < MIN_RANDOM_CHARS) return false;
	const counts = [0, 0, 0];
	let changes = 0;
	for (let at = 0; at < run.length; at++) {
		const current = characterClass(run.charCodeAt(at));
		counts[current] = (counts[current] ?? 0) + 1;
		if (at > 0 && current !== characterClass(run.charCodeAt(at - 1))) changes++;
	}
	return Math.min(...counts) >= 2 && changes >= MIN_CLASS_CHANGES * (run.length - 1) && entropy(run) >= MIN_RANDOM_BITS;
}

const MIN_LOWERCASE_CHARS = 32;

/** The same without upper case, at twice the length. Hexadecimal digits do not count: they may be a hash as well as a key. */
function isRandomLowercase(run: string): boolean {
	if (run.length < MIN_LOWERCASE_CHARS || /[A-Z]/.test(run) || /^[a-f0-9]+$/.test(run)) return false;
	return (run.match(/\d/g)?.length ?? 0) >= run.length / 8 && entropy(run) >= MIN_RANDOM_BITS && !/[a-z]{12}/.test(run);
}

/** Whether any part of a token between its separators is random. */
export function hasRandomPart(token: string): boolean {
	return token.split(/[^A-Za-z0-9]+/).some((part) => isRandom(part) || isRandomLowercase(part));
}

/** Prefixes of identifiers and of names with a hash in them: what follows is no key, however random it looks. */
const IDENTIFIER_PREFIXES: ReadonlySet<string> = new Set(identifierPrefixes);

const PREFIXED_TOKEN = /[A-Za-z]{2,12}[-_][\w-]{16,240}/y;
const MIN_PREFIXED_CHARS = 24;

/**
 * Where the prefixed token that begins at a word ends, −1 if there is none. Providers form their keys so: a prefix of two to
 * twelve letters, `-` or `_`, then random characters.
 */
export function findPrefixedTokenEnd(text: string, start: number, end: number): number {
	const separator = text.charCodeAt(end);
	if ((separator !== 45 && separator !== 95) || end - start < 2 || end - start > 12) return -1;
	if (/[\w\-./+%#@\\$]/.test(text.charAt(start - 1))) return -1;
	PREFIXED_TOKEN.lastIndex = start;
	if (!PREFIXED_TOKEN.test(text)) return -1;
	const to = PREFIXED_TOKEN.lastIndex;
	if (to - start < MIN_PREFIXED_CHARS || IDENTIFIER_PREFIXES.has(text.slice(start, end).toLowerCase())) return -1;
	return hasRandomPart(text.slice(end + 1, to)) ? to : -1;
}
