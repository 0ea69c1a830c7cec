// Finds personal, health, financial and secret data in texts. It says which classes and kinds there are, never the values. Pure.
import { findAddress } from "./detection/addresses.ts";
import { addClinicalEvidence } from "./detection/clinical-evidence.ts";
import { detectGenre, type Genre } from "./detection/genre.ts";
import { addHealthStatements } from "./detection/health-statements.ts";
import { findIbanEnd } from "./detection/iban.ts";
import { addIdentifiers, toTextProfile } from "./detection/identify.ts";
import { type DataKind, findClass } from "./detection/kinds.ts";
import { addMailboxes, classifyName, isInternationalPhone, isIpv6, isMac, isPublicIpv4 } from "./detection/people.ts";
import { reportLabelledValues } from "./detection/labelled-values.ts";
import { PhraseFinder } from "./detection/phrase-finder.ts";
import { reportAssignedSecrets, reportKeys, reportSecretPhrases } from "./detection/secrets.ts";
import { decodeViews } from "./detection/views.ts";
import { eachWord } from "./detection/words.ts";
import { DATA_CLASSES, type DataClass } from "./vocabulary.ts";

/** What texts hold: the classes in their order, and per class the kinds that were found, sorted. */
export interface Detection {
	readonly classes: DataClass[];
	readonly kinds: Partial<Record<DataClass, string[]>>;
}

/** The span of a secret in a text: offsets of UTF-16 units, the end exclusive. */
export interface SecretSpan {
	readonly start: number;
	readonly end: number;
	readonly kind: string;
}

const HYPHEN_CODE = 45;
const DOT_CODE = 46;
const COLON_CHAR_CODE = 58;

/** Collects the kinds of data in texts, one text after the other. */
class KindCollector {
	readonly kinds = new Set<DataKind>();
	/** A full name alone says little. Beside data about health or money it says whose data they are. */
	hasFullName = false;
	readonly #report = (kind: DataKind) => void this.kinds.add(kind);

	collect(text: string): void {
		const profile = toTextProfile(text);
		const genre = detectGenre(text);
		const finder = new PhraseFinder(text, genre);
		let numberEnd = 0;
		eachWord(text, (start, end, alphabet) => {
			if (start >= numberEnd) {
				if (alphabet !== "letters") numberEnd = this.#collectNumber(text, start, end);
				if (alphabet !== "letters" && !this.kinds.has("postal_address") && findAddress(text, start, end) !== null)
					this.kinds.add("postal_address");
				if (end - start <= 4) this.#collectNetworkAddress(text, start, end);
				if (numberEnd <= start) addIdentifiers(text, start, end, alphabet, profile, this.kinds);
			}
			finder.addPhrases(start, end, this.kinds);
			reportKeys(text, start, end, this.#report);
			if (alphabet === "letters") this.#collectAtLetters(text, start, end, genre);
		});
		addMailboxes(text, this.kinds);
		if (!genre.isPublished && !genre.isExercise) addHealthStatements(text, this.kinds);
		addClinicalEvidence(text, genre, this.kinds);
		reportAssignedSecrets(text, this.#report);
		reportLabelledValues(text, this.#report);
	}

	/** Returns where an account number ends, whose groups are no numbers of their own; 0 if there is none. */
	#collectNumber(text: string, start: number, end: number): number {
		if (!this.kinds.has("phone") && isInternationalPhone(text, start)) this.kinds.add("phone");
		const mayBeIpv4 = end - start <= 3 && text.charCodeAt(end) === DOT_CODE;
		if (mayBeIpv4 && !this.kinds.has("ip_address") && isPublicIpv4(text, start)) this.kinds.add("ip_address");
		const ibanEnd = findIbanEnd(text, start);
		if (ibanEnd > start) this.kinds.add("iban");
		return ibanEnd > start ? ibanEnd : 0;
	}

	/** A word of up to four hexadecimal digits may begin the address of a network or a device. */
	#collectNetworkAddress(text: string, start: number, end: number): void {
		const next = text.charCodeAt(end);
		if (next === COLON_CHAR_CODE && !this.kinds.has("ip_address") && isIpv6(text, start)) this.kinds.add("ip_address");
		if (next !== COLON_CHAR_CODE && next !== HYPHEN_CODE && next !== DOT_CODE) return;
		if (!this.kinds.has("mac_address") && isMac(text, start)) this.kinds.add("mac_address");
	}

	#collectAtLetters(text: string, start: number, end: number, { isPublished, isPlayed }: Genre): void {
		reportSecretPhrases(text, start, end, this.#report);
		if (this.kinds.has("person_name")) return;
		const name = classifyName(text, start, end);
		const isIntroduced = name === "introduced" || (name === "addressed" && !isPublished && !isPlayed);
		if (isIntroduced) this.kinds.add("person_name");
		else if (name !== null) this.hasFullName = true;
	}
}

/** Whether a full name beside data of a kind says whose data they are. */
function makesNamePersonal(kind: DataKind): boolean {
	return findClass(kind) === "PHI" || kind === "salary_context" || kind === "credit_context";
}

/**
 * More than any model of the catalog takes at once. Longer texts are not read: the slowest kind of text that we know takes
 * 0.7 s per MiB.
 */
const MAX_READ_CHARS = 4_194_304;

/** The answer for a text that was not read: it may hold anything. */
function unreadDetection(): Detection {
	const kinds = Object.fromEntries(DATA_CLASSES.map((dataClass) => [dataClass, ["unread"]]));
	return { classes: [...DATA_CLASSES], kinds };
}

/**
 * The classes and kinds of sensitive data in texts. Every view of a text is read: as written, without invisible characters,
 * and with escapes and base64 decoded. Time grows linearly with the length of the texts. If they are longer than 4 Mi
 * characters together, every class is reported, of kind `unread`. docs/reference.md, "Compliance".
 */
export function detect(texts: Iterable<string>): Detection {
	const collector = new KindCollector();
	let readChars = 0;
	for (const text of texts) {
		readChars += text.length;
		if (readChars > MAX_READ_CHARS) return unreadDetection();
		for (const view of decodeViews(text)) collector.collect(view.text);
	}
	const found = collector.kinds;
	if (collector.hasFullName && [...found].some(makesNamePersonal)) found.add("person_name");
	const kinds: Partial<Record<DataClass, string[]>> = {};
	for (const kind of [...found].sort()) {
		const dataClass = findClass(kind);
		if (dataClass !== null) kinds[dataClass] = [...(kinds[dataClass] ?? []), kind];
	}
	return { classes: DATA_CLASSES.filter((dataClass) => kinds[dataClass] !== undefined), kinds };
}

/**
 * The spans of the secrets in a text, in order and without overlap. Overlapping secrets are one span, of the kind of the first.
 * The span of an encoded secret is all of its encoding.
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
