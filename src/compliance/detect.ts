// Finds personal, health, financial and secret data in a conversation. It says which classes and kinds there are and where they
// stand, never the values. Pure.
import type { Conversation } from "./conversation.ts";
import { findAddress } from "./detection/addresses.ts";
import { addClinicalEvidence } from "./detection/clinical-evidence.ts";
import { isPresentedExample } from "./detection/documentation.ts";
import type { FindingSink } from "./detection/finding-sink.ts";
import { isPublicKnowledge, isStory } from "./detection/genre.ts";
import { addHealthStatements } from "./detection/health-statements.ts";
import { findIbanEnd } from "./detection/iban.ts";
import { addIdentifiers, toTextProfile } from "./detection/identify.ts";
import { type DataKind, findClass } from "./detection/kinds.ts";
import { reportLabelledValues, reportNamedPeople } from "./detection/labelled-values.ts";
import {
	addMailboxes,
	findInternationalPhoneEnd,
	findIpv6End,
	findMacEnd,
	findPublicIpv4End,
	matchName,
} from "./detection/people.ts";
import { PhraseFinder } from "./detection/phrase-finder.ts";
import { reportRecords } from "./detection/records.ts";
import { reportAssignedSecrets, reportKeys, reportSecretPhrases } from "./detection/secrets.ts";
import { decodeViews } from "./detection/views.ts";
import { eachWord } from "./detection/words.ts";
import { type Detection, DetectionCollector, unreadDetection } from "./findings.ts";

/** The span of a secret in a text: offsets of UTF-16 units, the end exclusive. */
export interface SecretSpan {
	readonly start: number;
	readonly end: number;
	readonly kind: string;
}

const HYPHEN_CODE = 45;
const DOT_CODE = 46;
const COLON_CHAR_CODE = 58;

/** Reads one text after the other. */
class TextReader {
	readonly #collector: DetectionCollector;
	/** Leaves out examples of documentation and what is said of public or invented people. */
	readonly #found: FindingSink;
	readonly #report = (kind: DataKind, start: number, end: number) => this.#found.add(kind, start, end);
	#text = "";
	#isStory = false;

	constructor(collector: DetectionCollector) {
		this.#collector = collector;
		this.#found = {
			add: (kind, start, end) => {
				if (!this.#isLeftOut(kind, start, end)) collector.add(kind, start, end);
			},
		};
	}

	#isLeftOut(kind: DataKind, start: number, end: number): boolean {
		if (isPresentedExample(this.#text, kind, start, end)) return true;
		return isPublicKnowledge(this.#text, kind, start, end, this.#isStory);
	}

	read(text: string): void {
		this.#text = text;
		const profile = toTextProfile(text);
		this.#isStory = isStory(text);
		const finder = new PhraseFinder(text);
		let numberEnd = 0;
		eachWord(text, (start, end, alphabet) => {
			if (start >= numberEnd) {
				if (alphabet !== "letters") numberEnd = this.#readNumber(text, start, end);
				if (end - start <= 4) this.#readNetworkAddress(text, start, end);
				if (numberEnd <= start) addIdentifiers(text, start, end, alphabet, profile, this.#found);
			}
			finder.addPhrases(start, end, this.#found);
			reportKeys(text, start, end, this.#report);
			if (alphabet === "letters") this.#readLetters(text, start, end);
		});
		addMailboxes(text, this.#found);
		addHealthStatements(text, this.#found);
		addClinicalEvidence(text, this.#found);
		reportAssignedSecrets(text, this.#report);
		reportLabelledValues(text, this.#report);
		reportNamedPeople(text, this.#report);
		reportRecords(text, this.#report);
	}

	#addUntil(end: number, kind: DataKind, start: number): void {
		if (end > start) this.#found.add(kind, start, end);
	}

	/** Returns where an account number ends, whose groups are no numbers of their own; 0 if there is none. */
	#readNumber(text: string, start: number, end: number): number {
		const phoneEnd = findInternationalPhoneEnd(text, start);
		if (phoneEnd > start) this.#found.add("phone", start - 1, phoneEnd);
		const mayBeIpv4 = end - start <= 3 && text.charCodeAt(end) === DOT_CODE;
		if (mayBeIpv4) this.#addUntil(findPublicIpv4End(text, start), "ip_address", start);
		const address = findAddress(text, start, end);
		if (address !== null) this.#found.add("postal_address", ...address);
		const ibanEnd = findIbanEnd(text, start);
		this.#addUntil(ibanEnd, "iban", start);
		return Math.max(0, ibanEnd);
	}

	/** A word of up to four hexadecimal digits may begin the address of a network or a device. */
	#readNetworkAddress(text: string, start: number, end: number): void {
		const next = text.charCodeAt(end);
		if (next === COLON_CHAR_CODE) this.#addUntil(findIpv6End(text, start), "ip_address", start);
		if (next === COLON_CHAR_CODE || next === HYPHEN_CODE || next === DOT_CODE)
			this.#addUntil(findMacEnd(text, start), "mac_address", start);
	}

	#readLetters(text: string, start: number, end: number): void {
		reportSecretPhrases(text, start, end, this.#report);
		const name = matchName(text, start, end);
		if (name === null) return;
		if (name.certainty !== "full") this.#found.add("person_name", start, name.end);
		else if (!this.#isLeftOut("person_name", start, name.end)) this.#collector.addFullName(start, name.end);
	}
}

/**
 * More than any model of the catalog takes at once. Longer conversations are not read: the slowest kind of text that we know
 * takes 0.7 s per MiB.
 */
const MAX_READ_CHARS = 4_194_304;

/**
 * The sensitive data in a conversation, every occurrence. Every view of a text is read: as written, without invisible
 * characters, and with escapes and base64 decoded. Time grows linearly with the length of the texts. If they are longer than
 * 4 Mi characters together, every class is reported, of kind `unread`, without findings. docs/reference.md, "Compliance".
 */
export function detect({ texts }: Conversation): Detection {
	const found = new DetectionCollector();
	const reader = new TextReader(found);
	let readChars = 0;
	for (const [index, { text }] of texts.entries()) {
		readChars += text.length;
		if (readChars > MAX_READ_CHARS) return unreadDetection();
		for (const view of decodeViews(text)) {
			found.enter(index, view.origin);
			reader.read(view.text);
		}
	}
	return found.toDetection();
}

/**
 * The spans of the secrets in a text, in order and without overlap. Overlapping secrets are one span, of the kind of the first.
 * The span of an encoded secret is all of its encoding. Only the readers of secrets run, because texts of audit events are many.
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
		reportLabelledValues(view.text, (kind, start, end) => {
			if (findClass(kind) === "SECRETS") report(kind, start, end);
		});
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
