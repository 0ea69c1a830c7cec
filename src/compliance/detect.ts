// Finds personal, health, financial and secret data in texts: says which classes and kinds, never the values. Pure.

import { addClinicalEvidence } from "./detection/clinical-evidence.ts";
import { type Genre, detectGenre } from "./detection/genre.ts";
import { addHealthStatements } from "./detection/health-statements.ts";
import { ibanAt } from "./detection/iban.ts";
import { toTextProfile, addIdentifiers } from "./detection/identify.ts";
import { findClass, type DataKind } from "./detection/kinds.ts";
import { isInternationalPhone, isPublicIpv4, isIpv6, isMac, addMailboxes, classifyName } from "./detection/people.ts";
import type { Phrase } from "./detection/phrase.ts";
import { PHRASES } from "./detection/phrases.ts";
import { reportKeys, reportSecretPhrases, reportAssignedSecrets } from "./detection/secrets.ts";
import { decodeViews } from "./detection/views.ts";
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

const HYPHEN_CODE = 45;
const DOT_CODE = 46;
const COLON_CODE = 58;

const phrases = new Lexicon<Phrase>();
for (const phrase of PHRASES) for (const word of phrase.words) if (/^[a-z0-9]+$/.test(word)) phrases.add(word, phrase);

/** Where the next core of phrases stands, so that each core is searched for once in a text however many words wait. */
class CoreSearch {
	private readonly nextByCore = new Map<RegExp, number>();

	/** Whether a core begins between two offsets. Calls come with rising offsets, but for a window's length. */
	isWithin(core: RegExp, text: string, from: number, to: number): boolean {
		let at = this.nextByCore.get(core) ?? -1;
		if (at < from) {
			core.lastIndex = from;
			at = core.exec(text)?.index ?? Number.POSITIVE_INFINITY;
			this.nextByCore.set(core, at);
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
function isIgnoredIn(toldIn: Phrase["ignoredIn"], { isPublished, isExercise }: Genre): boolean {
	return toldIn !== undefined && (isPublished || (isExercise && toldIn === "stories"));
}

function tryPhrases(text: string, start: number, end: number, cores: CoreSearch, genre: Genre, seen: Set<DataKind>): void {
	const waiting = phrases.at(text, start, end);
	if (waiting === undefined) return;
	for (const { kind, window, core, pattern, near, unless, ignoredIn: toldIn } of waiting) {
		if (seen.has(kind) || isIgnoredIn(toldIn, genre)) continue;
		if (core !== undefined && !cores.isWithin(core, text, Math.max(0, start - MAX_BEFORE), start + window[1])) continue;
		if (pattern.sticky && !isAt(pattern, text, start)) continue;
		const around = text.slice(Math.max(0, start - window[0]), start + window[1]);
		if (!pattern.sticky && !pattern.test(around)) continue;
		const lower = around.toLowerCase();
		if (near?.test(lower) !== false && unless?.test(lower) !== true) seen.add(kind);
	}
}

/** Collects the kinds in one text after the other. */
class KindCollector {
	readonly kinds = new Set<DataKind>();
	/** A full name alone says little; beside data about health or what somebody earns and owes it says whose they are. */
	hasFullName = false;
	private readonly report = (kind: DataKind) => void this.kinds.add(kind);

	collect(text: string): void {
		const extent = toTextProfile(text);
		const genre = detectGenre(text);
		const cores = new CoreSearch();
		let numberedTo = 0;
		eachWord(text, (start, end, make) => {
			if (start >= numberedTo) {
				if (make !== "letters") numberedTo = this.collectNumber(text, start, end);
				if (end - start <= 4) this.collectNetworkAddress(text, start, end);
				if (numberedTo <= start) addIdentifiers(text, start, end, make, extent, this.kinds);
			}
			tryPhrases(text, start, end, cores, genre, this.kinds);
			reportKeys(text, start, end, this.report);
			if (make === "letters") this.collectAtLetters(text, start, end, genre);
		});
		addMailboxes(text, this.kinds);
		if (!genre.isPublished && !genre.isExercise) addHealthStatements(text, this.kinds);
		addClinicalEvidence(text, genre, this.kinds);
		reportAssignedSecrets(text, this.report);
	}

	/** Answers with where an account number ends, whose groups are no numbers of their own; else 0. */
	private collectNumber(text: string, start: number, end: number): number {
		if (!this.kinds.has("phone") && isInternationalPhone(text, start)) this.kinds.add("phone");
		if (end - start <= 3 && text.charCodeAt(end) === DOT_CODE && !this.kinds.has("ip_address") && isPublicIpv4(text, start))
			this.kinds.add("ip_address");
		const ibanEnd = ibanAt(text, start);
		if (ibanEnd > start) this.kinds.add("iban");
		return ibanEnd > start ? ibanEnd : 0;
	}

	/** Words of up to four hexadecimal digits may begin an address of a network or a device. */
	private collectNetworkAddress(text: string, start: number, end: number): void {
		const next = text.charCodeAt(end);
		if (next === COLON_CODE && !this.kinds.has("ip_address") && isIpv6(text, start)) this.kinds.add("ip_address");
		if (next !== COLON_CODE && next !== HYPHEN_CODE && next !== DOT_CODE) return;
		if (!this.kinds.has("mac_address") && isMac(text, start)) this.kinds.add("mac_address");
	}

	private collectAtLetters(text: string, start: number, end: number, { isPublished, isPlayed }: Genre): void {
		reportSecretPhrases(text, start, end, this.report);
		if (this.kinds.has("person_name")) return;
		const name = classifyName(text, start, end);
		const isIntroduced = name === "introduced" || (name === "addressed" && !isPublished && !isPlayed);
		if (isIntroduced) this.kinds.add("person_name");
		else if (name !== undefined) this.hasFullName = true;
	}
}

/** Whether a kind says what a person told by name beside it would rather not have said. */
function identifiesSubject(kind: DataKind): boolean {
	return findClass(kind) === "PHI" || kind === "salary_context" || kind === "credit_context";
}

/** More than any model of the catalog takes at once. Beyond it nothing is read: the dearest text we know takes 0.7 s a MiB. */
const MAX_READ_CHARS = 4_194_304;

/** A text that was not read may hold anything. */
function unreadDetection(): Detection {
	const kinds = Object.fromEntries(DATA_CLASSES.map((dataClass) => [dataClass, ["unread"]]));
	return { classes: [...DATA_CLASSES], kinds };
}

/**
 * The classes and kinds of sensitive data in texts, in every reading of them: as written, without unseen characters,
 * with escapes and base64 decoded. Time grows with the length of the texts alone; of more than 4 Mi characters together every
 * class is said to be there, of kind `unread`. docs/reference.md, "Compliance".
 */
export function detect(texts: Iterable<string>): Detection {
	const reader = new KindCollector();
	let readChars = 0;
	for (const text of texts) {
		readChars += text.length;
		if (readChars > MAX_READ_CHARS) return unreadDetection();
		for (const view of decodeViews(text)) reader.collect(view.text);
	}
	const { kinds: seen } = reader;
	if (reader.hasFullName && [...seen].some(identifiesSubject)) seen.add("person_name");
	const kinds: Partial<Record<DataClass, string[]>> = {};
	for (const kind of [...seen].sort()) {
		const dataClass = findClass(kind);
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
	for (const view of decodeViews(text)) {
		const report = (kind: DataKind, start: number, end: number) => {
			const [from, to] = view.origin(start, end);
			found.push({ start: from, end: to, kind });
		};
		eachWord(view.text, (start, end) => {
			reportKeys(view.text, start, end, report);
			reportSecretPhrases(view.text, start, end, report);
		});
		reportAssignedSecrets(view.text, report);
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
