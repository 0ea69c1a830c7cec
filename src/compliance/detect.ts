// Finds personal, health, financial and secret data in texts: says which classes and kinds, never the values. Pure.

import { ibanAt } from "./detection/iban.ts";
import { identifyAt } from "./detection/identify.ts";
import { classOf, type Kind } from "./detection/kinds.ts";
import { internationalPhoneAt, ipv4At, ipv6At, macAt, mailboxes, nameAt } from "./detection/people.ts";
import { PHRASES, type Phrase } from "./detection/phrases.ts";
import { keysAt, saidSecretAt, secretsAtSigns } from "./detection/secrets.ts";
import { viewsOf } from "./detection/views.ts";
import { eachWord, Lexicon } from "./detection/words.ts";
import { DATA_CLASSES, type DataClass } from "./vocabulary.ts";

/** What is in the texts: the classes in their order, and per class the kinds that were found, sorted. */
export interface Detection {
	readonly classes: DataClass[];
	readonly kinds: Partial<Record<DataClass, string[]>>;
}

/** Where a secret stands in a text: offsets of UTF-16 units, the end behind the last. */
export interface SecretSpan {
	readonly start: number;
	readonly end: number;
	readonly kind: string;
}

const phrases = new Lexicon<Phrase>();
for (const phrase of PHRASES) for (const word of phrase.words) if (/^[a-z0-9]+$/.test(word)) phrases.add(word, phrase);

function tryPhrases(text: string, start: number, end: number, seen: Set<Kind>): void {
	for (const { kind, window, pattern, near, unless } of phrases.at(text, start, end) ?? []) {
		if (seen.has(kind)) continue;
		const around = text.slice(Math.max(0, start - window[0]), start + window[1]);
		if (!pattern.test(around)) continue;
		const lower = around.toLowerCase();
		if (near?.test(lower) !== false && unless?.test(lower) !== true) seen.add(kind);
	}
}

function numbersAt(text: string, start: number, end: number, seen: Set<Kind>): void {
	if (!seen.has("phone") && internationalPhoneAt(text, start)) seen.add("phone");
	if (!seen.has("ip_address")) {
		const next = text.charCodeAt(end);
		if (next === 46 && end - start <= 3 && ipv4At(text, start)) seen.add("ip_address");
	}
	if (!seen.has("iban") && ibanAt(text, start)) seen.add("iban");
}

/** Words of up to four hexadecimal digits may begin an address of a network or a device. */
function addressesAt(text: string, start: number, end: number, seen: Set<Kind>): void {
	const next = text.charCodeAt(end);
	if (next === 58 && !seen.has("ip_address") && ipv6At(text, start)) seen.add("ip_address");
	if (!seen.has("mac_address") && (next === 58 || next === 45 || next === 46) && macAt(text, start))
		seen.add("mac_address");
}

function detectIn(text: string, seen: Set<Kind>): void {
	const report = (kind: Kind) => void seen.add(kind);
	const extent = { start: text.length - text.trimStart().length, end: text.trimEnd().length };
	const here = new Set<Kind>();
	const known = seen.size === 0 ? here : seen;
	let namesSomebody = false;
	eachWord(text, (start, end, make) => {
		if (make !== "letters") numbersAt(text, start, end, known);
		if (end - start <= 4) addressesAt(text, start, end, known);
		identifyAt(text, start, end, make, extent, known);
		tryPhrases(text, start, end, known);
		keysAt(text, start, end, report);
		if (make !== "letters") return;
		saidSecretAt(text, start, end, report);
		if (known.has("person_name")) return;
		const name = nameAt(text, start, end);
		if (name === "introduced") known.add("person_name");
		else if (name === "full") namesSomebody = true;
	});
	mailboxes(text, known);
	secretsAtSigns(text, report);
	for (const kind of here) seen.add(kind);
	if (namesSomebody && [...known].some((kind) => classOf(kind) === "PHI")) seen.add("person_name");
}

/**
 * The classes and kinds of sensitive data in texts, in every reading of them: as written, without unseen characters,
 * with escapes and base64 decoded. Time grows with the length of the texts alone. docs/reference.md, "Compliance".
 */
export function detect(texts: Iterable<string>): Detection {
	const seen = new Set<Kind>();
	for (const text of texts) for (const view of viewsOf(text)) detectIn(view.text, seen);
	const kinds: Partial<Record<DataClass, string[]>> = {};
	for (const kind of [...seen].sort()) {
		const dataClass = classOf(kind);
		if (dataClass !== undefined) (kinds[dataClass] ??= []).push(kind);
	}
	return { classes: DATA_CLASSES.filter((dataClass) => kinds[dataClass] !== undefined), kinds };
}

/**
 * Where secrets stand in a text, in order and without overlap; what overlaps is one span, of the first one's kind.
 * A secret in an encoding is reported as the whole of what encodes it.
 */
export function secretSpans(text: string): SecretSpan[] {
	const found: SecretSpan[] = [];
	for (const view of viewsOf(text)) {
		const report = (kind: Kind, start: number, end: number) => {
			const [from, to] = view.origin(start, end);
			found.push({ start: from, end: to, kind });
		};
		eachWord(view.text, (start, end) => {
			keysAt(view.text, start, end, report);
			saidSecretAt(view.text, start, end, report);
		});
		secretsAtSigns(view.text, report);
	}
	found.sort((a, b) => a.start - b.start || b.end - a.end);
	const spans: SecretSpan[] = [];
	for (const span of found) {
		const last = spans.at(-1);
		if (last === undefined || span.start >= last.end) spans.push(span);
		else if (span.end > last.end) spans[spans.length - 1] = { ...last, end: span.end };
	}
	return spans;
}
