// Reads one text: walks over its words and signs, and adds what each reader finds there.
import { findAddress } from "./addresses.ts";
import { eachWord } from "./ascii-words.ts";
import { createClinicalReader } from "./clinical-evidence.ts";
import { isPresentedExample } from "./documentation.ts";
import type { FindingSink } from "./finding-sink.ts";
import { createPublicKnowledgeRule } from "./genre.ts";
import { findIbanEnd, IdentifierFinder, type TextProfile, toTextProfile } from "./identify.ts";
import type { DataKind } from "./kinds.ts";
import { createLabelReader } from "./labelled-values.ts";
import {
	createMailboxReader,
	findInternationalPhoneEnd,
	findIpv6End,
	findMacEnd,
	findPublicIpv4End,
	matchName,
} from "./people.ts";
import { addPhrases } from "./phrase-finder.ts";
import { createRecordReader } from "./records.ts";
import { createAssignmentReader, reportKeys, reportSecretPhrases } from "./secrets.ts";
import { type StretchReader, stretches } from "./stretches.ts";

/** Receives full names, too. */
export interface NameSink extends FindingSink {
	/** Adds a first name and a surname. They count only beside data about health or money. */
	addFullName(start: number, end: number): void;
}

const HYPHEN_CODE = 45;
const DOT_CODE = 46;
const COLON_CHAR_CODE = 58;

/** Reads the words of a text. */
class ValueReader {
	readonly #text: string;
	readonly #sink: NameSink;
	readonly #profile: TextProfile;
	readonly #report: (kind: DataKind, start: number, end: number) => void;
	/** Where the last account number ends: its groups are no numbers of their own. */
	#numberEnd = 0;

	constructor(text: string, sink: NameSink) {
		this.#text = text;
		this.#sink = sink;
		this.#profile = toTextProfile(text);
		this.#report = (kind, start, end) => sink.add(kind, start, end);
	}

	read(from: number, to: number): void {
		const text = this.#text;
		const identifiers = new IdentifierFinder(text, this.#profile, from, to);
		eachWord(
			text,
			(start, end, alphabet) => {
				if (start >= this.#numberEnd) {
					if (alphabet !== "letters") this.#readNumber(start, end);
					if (end - start <= 4) this.#readNetworkAddress(start, end);
					if (this.#numberEnd <= start) identifiers.addIdentifiers(start, end, alphabet, this.#sink);
				}
				addPhrases(text, start, end, this.#sink);
				reportKeys(text, start, end, this.#report);
				if (alphabet === "letters") this.#readLetters(start, end);
			},
			from,
			to,
		);
	}

	#addUntil(end: number, kind: DataKind, start: number): void {
		if (end > start) this.#sink.add(kind, start, end);
	}

	#readNumber(start: number, end: number): void {
		const text = this.#text;
		const phoneEnd = findInternationalPhoneEnd(text, start);
		if (phoneEnd > start) this.#sink.add("phone", start - 1, phoneEnd);
		const mayBeIpv4 = end - start <= 3 && text.charCodeAt(end) === DOT_CODE;
		if (mayBeIpv4) this.#addUntil(findPublicIpv4End(text, start), "ip_address", start);
		const address = findAddress(text, start, end);
		if (address !== null) this.#sink.add("postal_address", ...address);
		const ibanEnd = findIbanEnd(text, start);
		this.#addUntil(ibanEnd, "iban", start);
		this.#numberEnd = Math.max(this.#numberEnd, ibanEnd);
	}

	/** A word of up to four hexadecimal digits may begin the address of a network or a device. */
	#readNetworkAddress(start: number, end: number): void {
		const next = this.#text.charCodeAt(end);
		if (next === COLON_CHAR_CODE) this.#addUntil(findIpv6End(this.#text, start), "ip_address", start);
		if (next === COLON_CHAR_CODE || next === HYPHEN_CODE || next === DOT_CODE)
			this.#addUntil(findMacEnd(this.#text, start), "mac_address", start);
	}

	#readLetters(start: number, end: number): void {
		reportSecretPhrases(this.#text, start, end, this.#report);
		const name = matchName(this.#text, start, end);
		if (name === null) return;
		if (name.isIntroduced) this.#sink.add("person_name", start, name.end);
		else this.#sink.addFullName(start, name.end);
	}
}

/** Leaves out the examples of documentation, and what is said of public or invented people. */
function withoutExamples(text: string, sink: NameSink): NameSink {
	const isPublicKnowledge = createPublicKnowledgeRule(text);
	const counts = (kind: DataKind, start: number, end: number) =>
		!isPresentedExample(text, kind, start, end) && !isPublicKnowledge(kind, start, end);
	return {
		add: (kind, start, end) => {
			if (counts(kind, start, end)) sink.add(kind, start, end);
		},
		addFullName: (start, end) => {
			if (counts("person_name", start, end)) sink.addFullName(start, end);
		},
	};
}

/** Reads a text, and pauses after each stretch with the number of characters read. */
export function* readText(text: string, found: NameSink): Generator<number, void> {
	const sink = withoutExamples(text, found);
	const report = (kind: DataKind, start: number, end: number) => sink.add(kind, start, end);
	const words = new ValueReader(text, sink);
	const readers: StretchReader[] = [
		createMailboxReader(text, sink),
		createClinicalReader(text, sink),
		createAssignmentReader(text, report),
		createLabelReader(text, report),
		createRecordReader(text, report),
	];
	for (const [from, to] of stretches(text)) {
		words.read(from, to);
		for (const read of readers) read(to);
		yield to - from;
	}
}
