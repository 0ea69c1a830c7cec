// Which values of a call's arguments occur only in text that others wrote, or in no text at all, so that a person who decides is told. It
// informs; what may run is up to containment.ts. Pure.
import { clip } from "../../clip.ts";
import { isJsonObject, type JsonObject } from "../../json.ts";
import { foldLookAlikes } from "../../policy/look-alikes.ts";
import type { Steps } from "../../turns/steps.ts";
import { readPieces, type TextValue, textValues, uncloak } from "./text-values.ts";
import type { Taint, UnsourcedValue } from "./tool-call.ts";

/** A text of an untrusted tool that the run has read. */
export interface UntrustedText {
	callId: string;
	tool: string;
	text: string;
}

/** What a run has read, by who wrote it. */
export interface ReadTexts {
	/** The goal, steering messages, results of trusted tools. */
	trusted: readonly string[];
	untrusted: readonly UntrustedText[];
}

/** What a search in texts reads. */
export function countReadChars({ trusted, untrusted }: ReadTexts): number {
	return [...trusted, ...untrusted.map(({ text }) => text)].reduce((sum, { length }) => sum + length, 0);
}

/** Values of one call that are looked up in trusted texts: so many known ones do not hide another. */
const MAX_VALUES = 10_000;
/** Those of them that are phrases, each of which takes a search of its own. */
const MAX_PHRASES = 500;
/** Values that no trusted text has, and that are searched for in untrusted ones. */
const MAX_SEARCHED_VALUES = 200;
/** So often are values named again that an earlier call has. What a call quotes is stored in one row. */
const MAX_NAMED_AGAIN = 600;
/** Characters of each side that are searched, newest texts first: four times what a run of fifty cut results reads. */
const MAX_SEARCHED_CHARS = 8_388_608;
const MAX_SHOWN_CHARS = 200;

/** Members that name who gets something, whatever form a name has. */
const RECIPIENT_NAME =
	/^(?:to|cc|bcc|recipients?|receivers?|channels?|chat|account(?:number|no|id)?|beneficiary|payee|iban|phone(?:number)?|user(?:name)?|assignees?|invitees?|attendees?|reviewers?|sharewith|destination|target|owner)$/;

/** Looks that several spellings share: `evil[.]com`, `evil .com`, letters of other scripts. */
function squash(uncloaked: string): string {
	return foldLookAlikes(uncloaked).replace(/[^\p{L}\p{N}]/gu, "");
}

/** Shorter ones occur anywhere. */
const LEAST_SQUASHED_CHARS = 6;

/** The texts of arguments, nested ones too, with the name of the member that holds each. Iterative: a model controls the depth. */
function* argumentTexts(given: JsonObject): Generator<[name: string, text: string]> {
	const waiting: [name: string, value: unknown][] = [["", given]];
	for (let next = waiting.pop(); next; next = waiting.pop()) {
		const [name, value] = next;
		if (typeof value === "string" || typeof value === "number") yield [name, String(value)];
		else if (Array.isArray(value)) for (const item of value) waiting.push([name, item]);
		else if (isJsonObject(value))
			for (const [member, item] of Object.entries(value)) {
				yield ["", member];
				waiting.push([member.toLowerCase().replace(/[^a-z]/g, ""), item]);
			}
	}
}

/** A value that is looked for. */
interface Wanted extends TextValue {
	squashed: string;
}

function* wantedValues(given: JsonObject): Steps<Map<string, TextValue>> {
	const wanted = new Map<string, TextValue>();
	let phrasesLeft = MAX_PHRASES;
	const add = ({ kind, value }: TextValue) => {
		if (wanted.size >= MAX_VALUES || value === "" || wanted.has(value)) return;
		if (kind === "recipient" && phrasesLeft-- <= 0) return;
		wanted.set(value, { kind, value });
	};
	for (const [name, text] of argumentTexts(given)) {
		if (RECIPIENT_NAME.test(name) && text.length <= MAX_SHOWN_CHARS) add(toRecipient(uncloak(text).trim()));
		yield* readPieces(text, (piece) => {
			for (const value of textValues(piece)) add(value);
			return wanted.size < MAX_VALUES;
		});
	}
	return wanted;
}

/** Who gets something: by the form of the name, else as it is written. */
function toRecipient(text: string): TextValue {
	const [first] = textValues(text);
	return first && !/\s/.test(text) ? first : { kind: "recipient", value: text };
}

/** Whether a text holds a phrase as words of their own. */
function holdsPhrase(text: string, phrase: string): boolean {
	for (let at = text.indexOf(phrase); at >= 0; at = text.indexOf(phrase, at + 1)) {
		const around = (text[at - 1] ?? " ") + (text[at + phrase.length] ?? " ");
		if (!/[\p{L}\p{N}]/u.test(around)) return true;
	}
	return false;
}

/** Calls `found` for each wanted value that a text holds in just that form. */
function* findExact(text: string, wanted: ReadonlyMap<string, TextValue>, found: (value: string) => void): Steps<void> {
	const phrases = [...wanted.values()].filter(({ kind }) => kind === "recipient");
	yield* readPieces(text, (piece) => {
		for (const { value } of textValues(piece)) if (wanted.has(value)) found(value);
		for (const { value } of phrases) if (holdsPhrase(piece, value)) found(value);
		return true;
	});
}

/** Calls `found` for each wanted value that a text holds in any spelling. */
function* findAnyhow(text: string, wanted: ReadonlyMap<string, Wanted>, found: (value: string) => void): Steps<void> {
	yield* findExact(text, wanted, found);
	// Pieces overlap by as much as a value is long, which is squashed.
	let before = "";
	yield* readPieces(text, (piece) => {
		const squashed = before + squash(piece);
		for (const { value, squashed: looked } of wanted.values())
			if (looked.length >= LEAST_SQUASHED_CHARS && squashed.includes(looked)) found(value);
		before = squashed.slice(-MAX_SHOWN_CHARS);
		return true;
	});
}

/** The newest texts that are searched. */
function newestTexts<T>(texts: readonly T[], length: (text: T) => number): T[] {
	let left = MAX_SEARCHED_CHARS;
	const taken: T[] = [];
	for (const text of [...texts].reverse()) {
		left -= length(text);
		if (left < 0) break;
		taken.unshift(text);
	}
	return taken;
}

/** Drops the values that trusted texts hold in the same form, and returns them. A look-alike of one is another value. */
function* dropTrusted(wanted: Map<string, TextValue>, trusted: readonly string[]): Steps<Set<string>> {
	const known = new Set<string>();
	for (const text of newestTexts(trusted, ({ length }) => length)) {
		if (wanted.size === 0) break;
		yield* findExact(text, wanted, (value) => void known.add(value));
		for (const value of known) wanted.delete(value);
	}
	return known;
}

/** Which untrusted texts hold values that no trusted text holds. */
function* findSources(
	wanted: ReadonlyMap<string, Wanted>,
	untrusted: readonly UntrustedText[],
): Steps<Map<UntrustedText, Set<string>>> {
	const sources = new Map<UntrustedText, Set<string>>();
	if (wanted.size === 0) return sources;
	for (const source of newestTexts(untrusted, ({ text }) => text.length)) {
		const values = new Set<string>();
		yield* findAnyhow(source.text, wanted, (value) => void values.add(value));
		if (values.size > 0) sources.set(source, values);
	}
	return sources;
}

/** Where the values of a call's arguments come from that the run's owner did not name. */
export interface ArgumentOrigins {
	taintedBy: Taint[];
	unsourced: UnsourcedValue[];
}

/** The values of each text, in order: once each, and again as long as there is room. */
function nameBySource(
	left: readonly TextValue[],
	untrusted: readonly UntrustedText[],
	sources: ReadonlyMap<UntrustedText, ReadonlySet<string>>,
): Taint[] {
	const named = new Set<string>();
	let againLeft = MAX_NAMED_AGAIN;
	return untrusted.map((source) => {
		const values = left.filter(({ value }) => {
			if (!sources.get(source)?.has(value)) return false;
			if (named.has(value)) return againLeft-- > 0;
			named.add(value);
			return true;
		});
		return { callId: source.callId, tool: source.tool, values: values.map(toShown) };
	});
}

const toShown = ({ kind, value }: TextValue) => ({ kind, value: clip(value, MAX_SHOWN_CHARS) });

/**
 * The calls whose untrusted results the run has read, each with the values of the arguments that occur in its result and in no trusted
 * text; and the values that occur in neither. Compared without case, percent-encoding, entities, invisible characters and look-alikes;
 * hosts as URLs have them. Both are empty where the run has read no untrusted text.
 */
export function* findTaint(given: JsonObject, { trusted, untrusted }: ReadTexts): Steps<ArgumentOrigins> {
	if (untrusted.length === 0) return { taintedBy: [], unsourced: [] };
	const wanted = yield* wantedValues(given);
	yield* dropTrusted(wanted, trusted);
	const left = [...wanted.values()].slice(0, MAX_SEARCHED_VALUES);
	const searched = left.map(({ kind, value }): [string, Wanted] => [value, { kind, value, squashed: squash(value) }]);
	const sources = yield* findSources(new Map(searched), untrusted);
	const taintedBy = nameBySource(left, untrusted, sources);
	const found = new Set([...sources.values()].flatMap((values) => [...values]));
	const [tool = null, ...others] = new Set(untrusted.map((source) => source.tool));
	const likely = others.length > 0 ? null : tool;
	const unsourced = left.filter(({ value }) => !found.has(value)).map((value) => ({ ...toShown(value), tool: likely }));
	return { taintedBy, unsourced };
}

/** Those of hosts that a trusted text names. @param hosts in the form of URLs. */
export function* findTrustedHosts(
	hosts: Iterable<string>,
	{ trusted }: Pick<ReadTexts, "trusted">,
): Steps<ReadonlySet<string>> {
	const wanted = new Map(Array.from(hosts, (value) => [value, { kind: "host" as const, value }]));
	return yield* dropTrusted(wanted, trusted);
}
