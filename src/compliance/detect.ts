// Finds personal, health, financial and secret data in texts: says which classes and kinds, never the values. Pure.

import { clinicalEvidence } from "./detection/clinical-evidence.ts";
import { type Genre, genreOf } from "./detection/genre.ts";
import { healthStatements } from "./detection/health-statements.ts";
import { ibanAt } from "./detection/iban.ts";
import { extentOf, identifyAt } from "./detection/identify.ts";
import { classOf, type Kind } from "./detection/kinds.ts";
import { internationalPhoneAt, ipv4At, ipv6At, macAt, mailboxes, nameAt } from "./detection/people.ts";
import type { Phrase } from "./detection/phrase.ts";
import { PHRASES } from "./detection/phrases.ts";
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

const HYPHEN = 45;
const DOT = 46;
const COLON = 58;

const phrases = new Lexicon<Phrase>();
for (const phrase of PHRASES) for (const word of phrase.words) if (/^[a-z0-9]+$/.test(word)) phrases.add(word, phrase);

/** Where the next core of phrases stands, so that each core is searched for once in a text however many words wait. */
class Cores {
	private readonly found = new Map<RegExp, number>();

	/** Whether a core begins between two offsets. Calls come with rising offsets, but for a window's length. */
	isWithin(core: RegExp, text: string, from: number, to: number): boolean {
		let at = this.found.get(core) ?? -1;
		if (at < from) {
			core.lastIndex = from;
			at = core.exec(text)?.index ?? Number.POSITIVE_INFINITY;
			this.found.set(core, at);
		}
		return at < to;
	}
}

/** No window reaches further back. */
const MAX_BEFORE = 128;

function isAt(pattern: RegExp, text: string, start: number): boolean {
	pattern.lastIndex = start;
	return pattern.test(text);
}

/** Whether a phrase says nothing of anybody in a text of a genre. */
function isToldIn(toldIn: Phrase["toldIn"], { isPublished, isExercise }: Genre): boolean {
	return toldIn !== undefined && (isPublished || (isExercise && toldIn === "stories"));
}

function tryPhrases(text: string, start: number, end: number, cores: Cores, genre: Genre, seen: Set<Kind>): void {
	const waiting = phrases.at(text, start, end);
	if (waiting === undefined) return;
	for (const { kind, window, core, pattern, near, unless, toldIn } of waiting) {
		if (seen.has(kind) || isToldIn(toldIn, genre)) continue;
		if (core !== undefined && !cores.isWithin(core, text, Math.max(0, start - MAX_BEFORE), start + window[1])) continue;
		if (pattern.sticky && !isAt(pattern, text, start)) continue;
		const around = text.slice(Math.max(0, start - window[0]), start + window[1]);
		if (!pattern.sticky && !pattern.test(around)) continue;
		const lower = around.toLowerCase();
		if (near?.test(lower) !== false && unless?.test(lower) !== true) seen.add(kind);
	}
}

/** Collects the kinds in one text after the other. */
class Reader {
	readonly seen = new Set<Kind>();
	/** A full name alone says little; beside data about health or what somebody earns and owes it says whose they are. */
	namesSomebody = false;
	private readonly report = (kind: Kind) => void this.seen.add(kind);

	read(text: string): void {
		const extent = extentOf(text);
		const genre = genreOf(text);
		const cores = new Cores();
		let numberedTo = 0;
		eachWord(text, (start, end, make) => {
			if (start >= numberedTo) {
				if (make !== "letters") numberedTo = this.numberAt(text, start, end);
				if (end - start <= 4) this.addressAt(text, start, end);
				if (numberedTo <= start) identifyAt(text, start, end, make, extent, this.seen);
			}
			tryPhrases(text, start, end, cores, genre, this.seen);
			keysAt(text, start, end, this.report);
			if (make === "letters") this.lettersAt(text, start, end, genre);
		});
		mailboxes(text, this.seen);
		if (!genre.isPublished && !genre.isExercise) healthStatements(text, this.seen);
		clinicalEvidence(text, genre, this.seen);
		secretsAtSigns(text, this.report);
	}

	/** Answers with where an account number ends, whose groups are no numbers of their own; else 0. */
	private numberAt(text: string, start: number, end: number): number {
		if (!this.seen.has("phone") && internationalPhoneAt(text, start)) this.seen.add("phone");
		if (end - start <= 3 && text.charCodeAt(end) === DOT && !this.seen.has("ip_address") && ipv4At(text, start))
			this.seen.add("ip_address");
		const ibanEnd = ibanAt(text, start);
		if (ibanEnd > start) this.seen.add("iban");
		return ibanEnd > start ? ibanEnd : 0;
	}

	/** Words of up to four hexadecimal digits may begin an address of a network or a device. */
	private addressAt(text: string, start: number, end: number): void {
		const next = text.charCodeAt(end);
		if (next === COLON && !this.seen.has("ip_address") && ipv6At(text, start)) this.seen.add("ip_address");
		if (next !== COLON && next !== HYPHEN && next !== DOT) return;
		if (!this.seen.has("mac_address") && macAt(text, start)) this.seen.add("mac_address");
	}

	private lettersAt(text: string, start: number, end: number, { isPublished, isPlayed }: Genre): void {
		saidSecretAt(text, start, end, this.report);
		if (this.seen.has("person_name")) return;
		const name = nameAt(text, start, end);
		const isIntroduced = name === "introduced" || (name === "addressed" && !isPublished && !isPlayed);
		if (isIntroduced) this.seen.add("person_name");
		else if (name !== undefined) this.namesSomebody = true;
	}
}

/** Whether a kind says what a person told by name beside it would rather not have said. */
function isOfSomebody(kind: Kind): boolean {
	return classOf(kind) === "PHI" || kind === "salary_context" || kind === "credit_context";
}

/** More than any model of the catalog takes at once. Beyond it nothing is read: the dearest text we know takes 0.7 s a MiB. */
const MAX_READ_CHARS = 4_194_304;

/** A text that was not read may hold anything. */
function unread(): Detection {
	const kinds = Object.fromEntries(DATA_CLASSES.map((dataClass) => [dataClass, ["unread"]]));
	return { classes: [...DATA_CLASSES], kinds };
}

/**
 * The classes and kinds of sensitive data in texts, in every reading of them: as written, without unseen characters,
 * with escapes and base64 decoded. Time grows with the length of the texts alone; of more than 4 Mi characters together every
 * class is said to be there, of kind `unread`. docs/reference.md, "Compliance".
 */
export function detect(texts: Iterable<string>): Detection {
	const reader = new Reader();
	let readChars = 0;
	for (const text of texts) {
		readChars += text.length;
		if (readChars > MAX_READ_CHARS) return unread();
		for (const view of viewsOf(text)) reader.read(view.text);
	}
	const { seen } = reader;
	if (reader.namesSomebody && [...seen].some(isOfSomebody)) seen.add("person_name");
	const kinds: Partial<Record<DataClass, string[]>> = {};
	for (const kind of [...seen].sort()) {
		const dataClass = classOf(kind);
		if (dataClass === undefined) continue;
		const known = kinds[dataClass] ?? [];
		known.push(kind);
		kinds[dataClass] = known;
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
