// Finds mailboxes, telephone numbers, network addresses and names of people in a text.

import { isWordAt } from "./ascii-words.ts";
import type { FindingSink } from "./finding-sink.ts";
import { lowerContext } from "./identify.ts";
import notSurnames from "./lists/not-surnames.json" with { type: "json" };
import phoneNumberLengths from "./lists/phone-number-lengths.json" with { type: "json" };
import { FULL_NAME, isFullName, isGerman } from "./names.ts";
import type { StretchReader } from "./stretches.ts";
import { verbose } from "./verbose.ts";

const LOCAL_PART = /[A-Za-z0-9._%+'-]{1,64}$/;
const MAIL_DOMAIN =
	/@(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,40}[A-Za-z0-9])?\.){1,5}(?:xn--[A-Za-z0-9-]{2,40}|[A-Za-z]{2,18})(?![A-Za-z0-9])/y;
/** The same with letters of all scripts (RFC 6531); tried where the address has a letter beyond ASCII. */
const INTERNATIONAL_LOCAL_PART = /[\p{L}\p{M}\p{N}._%+'-]{1,64}$/u;
const INTERNATIONAL_DOMAIN = /@(?:[\p{L}\p{N}][\p{L}\p{M}\p{N}-]{0,40}[.。]){1,5}[\p{L}\p{M}]{2,18}(?![\p{L}\p{N}])/uy;

/** Domains reserved for documentation (RFC 2606, RFC 6761): a mailbox there counts only if it reads like a person's name. */
const RESERVED_DOMAIN = /@(?:[a-z0-9.-]{1,80}\.)?(?:example(?:\.(?:com|org|net|edu))?|test|invalid|localhost|local)$/i;

/** Mailboxes in tutorials, and those of machines. */
const GENERIC_LOCAL_PART = new RegExp(
	verbose`
		^(?:
			user(?:name)?|you(?:r[._-]?(?:name|email))?|name|me|someone|somebody|foo|bar|baz|test(?:er|ing|user)?|example
			|email|mail|admin|root|alice|bob|info|hello|contact|support|noreply|no-reply|a|b|x|first\.?last|sample|demo|dev
			|git
		)\d{0,4}$
	`,
	"i",
);

/** Remotes of repositories: `git@github.com:acme/repo`. */
const NOT_A_MAILBOX = /^(?:git|hg|svn)$/i;

/** Adds mailboxes as far as it is called to read, each tried at its @. */
export function createMailboxReader(text: string, sink: FindingSink): StretchReader {
	let at = text.indexOf("@");
	return (to) => {
		for (; at >= 0 && at < to; at = text.indexOf("@", at + 1)) addMailbox(text, at, sink);
	};
}

function addMailbox(text: string, at: number, sink: FindingSink): void {
	if (isBeyondAscii(text, at + 1) || isBeyondAscii(text, at - 1)) {
		addAddress(text, at, INTERNATIONAL_LOCAL_PART, INTERNATIONAL_DOMAIN, sink);
		return;
	}
	if (isWordAt(text, at + 1) && !addAddress(text, at, LOCAL_PART, MAIL_DOMAIN, sink))
		addAddress(text, at, INTERNATIONAL_LOCAL_PART, INTERNATIONAL_DOMAIN, sink);
}

function isBeyondAscii(text: string, at: number): boolean {
	return text.charCodeAt(at) > 127;
}

/** Adds the address around an @. Returns whether it has the form of one. */
function addAddress(text: string, at: number, localPart: RegExp, mailDomain: RegExp, sink: FindingSink): boolean {
	mailDomain.lastIndex = at;
	const domain = mailDomain.exec(text)?.[0];
	if (domain === undefined) return false;
	const before = text.slice(Math.max(0, at - 65), at);
	const local = withoutQuote(localPart.exec(before)?.[0] ?? "", text.charAt(at + domain.length));
	if (!/[\p{L}\p{N}]/u.test(local)) return false;
	const isGeneric = RESERVED_DOMAIN.test(domain) && GENERIC_LOCAL_PART.test(local);
	if (!isGeneric && !NOT_A_MAILBOX.test(local) && !isUserinfo(before, local))
		sink.add("email", at - local.length, at + domain.length);
	return true;
}

/** A local part without the quote before the address: `'ada@…'`, `f'ada@…'`. One in it, as in O'Hara, is its own. */
function withoutQuote(local: string, after: string): string {
	return local.slice(after === "'" ? local.lastIndexOf("'") + 1 : 0).replace(/^'+/, "");
}

/** Whether the @ ends the user information of a URL: then it follows `//`, before any path or query, and a host comes next. */
function isUserinfo(before: string, local: string): boolean {
	const lead = before.slice(0, before.length - local.length);
	return /\/\/[^\s/?#"'<>]{0,63}$/.test(lead);
}

/** The fewest and most digits of a telephone number, by country code. */
const COUNTRY_LENGTHS = new Map(phoneNumberLengths.map(({ code, fewest, most }) => [code, { fewest, most }] as const));

/** Country codes of three digits begin so; seven to ten digits follow them. */
const THREE_DIGIT_CODE = /^(?:2[1-69]|3[578]|42|5[09]|67|68|69|80|85|87|88|9[679])\d/;

const PHONE_DIGIT = /[-. ()/]{0,2}\d/y;
const MAX_PHONE_DIGITS = 15;

/** Where the telephone number in international form ends whose first digit after the + is at an offset; −1 if there is none. */
export function findInternationalPhoneEnd(text: string, start: number): number {
	if (text.charCodeAt(start - 1) !== 43 || isWordAt(text, start - 2)) return -1;
	let digits = "";
	PHONE_DIGIT.lastIndex = start;
	let end = start;
	while (digits.length <= MAX_PHONE_DIGITS && PHONE_DIGIT.test(text)) {
		end = PHONE_DIGIT.lastIndex;
		digits += text.charAt(end - 1);
	}
	if (isWordAt(text, end)) return -1;
	return isInternationalNumber(digits) ? end : -1;
}

function isInternationalNumber(digits: string): boolean {
	for (const codeLength of [1, 2]) {
		const lengths = COUNTRY_LENGTHS.get(digits.slice(0, codeLength));
		const rest = digits.length - codeLength;
		if (lengths !== undefined) return rest >= lengths.fewest && rest <= lengths.most;
	}
	return THREE_DIGIT_CODE.test(digits) && digits.length >= 10 && digits.length <= 13;
}

const IPV4 = /(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)\.){3}(?:25[0-5]|2[0-4]\d|1?\d?\d)(?![\d/]|\.\d)/y;
const NOT_PUBLIC = new RegExp(verbose`
	^(?:
		0|10|127|169\.254|192\.168|172\.(?:1[6-9]|2\d|3[01])|100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7])|192\.0\.2
		|198\.51\.100|203\.0\.113|198\.1[89]|2(?:2[4-9]|[345]\d)
	)\.
	|^(?:8\.8\.(?:8\.8|4\.4)|1\.1\.1\.1|1\.0\.0\.1|9\.9\.9\.9|1\.2\.3\.4)$
`);
const VERSION_WORD = /version|\bv$|release|build|assembly|file ?version|upgrade|firmware|section|\bver\b|chapter|§/;

/** Where the public IPv4 address at an offset ends, −1 if there is none. Private, loopback and documentation addresses and well-known resolvers identify nobody. */
export function findPublicIpv4End(text: string, start: number): number {
	IPV4.lastIndex = start;
	if (!IPV4.test(text)) return -1;
	const end = IPV4.lastIndex;
	const before = text.charAt(start - 1);
	if (before === "." || before === "-" || before === "^" || before === "~") return -1;
	if (NOT_PUBLIC.test(text.slice(start, end))) return -1;
	return VERSION_WORD.test(lowerContext(text, start, end)) ? -1 : end;
}

const IPV6 = /[\da-f]{0,4}(?::[\da-f]{0,4}){2,7}/iy;

/** Where the IPv6 address at an offset ends, −1 if there is none. */
export function findIpv6End(text: string, start: number): number {
	IPV6.lastIndex = start;
	if (!IPV6.test(text)) return -1;
	const end = IPV6.lastIndex;
	if (isWordAt(text, end) || text.charAt(end) === ":" || text.charAt(start - 1) === ":") return -1;
	return isIpv6(text.slice(start, end)) ? end : -1;
}

/** Eight groups, or fewer around one `::`. Times and MAC addresses are neither. */
function isIpv6(address: string): boolean {
	const groups = address.split(":");
	const gaps = address.split("::").length - 1;
	if (address.includes(":::") || gaps > 1) return false;
	if (gaps === 0) return groups.length === 8 && groups.every((group) => group !== "");
	const written = groups.filter((group) => group !== "").length;
	return written >= 2 && written <= 7 && /\d/.test(address) && groups.some((group) => group.length >= 3);
}

const MAC =
	/(?:[\da-f]{2}([:-])(?:[\da-f]{2}\1){4}[\da-f]{2}|[\da-f]{4}\.[\da-f]{4}\.[\da-f]{4})(?![\da-z]|[:-][\da-f]{2}|\.\d)/iy;
const UNASSIGNED_MAC = /^(?:00[:-]){5}00$|^(?:ff[:-]){5}ff$/i;

/** Where the hardware address at an offset ends, −1 if there is none. It identifies a device, and so the person who carries it. */
export function findMacEnd(text: string, start: number): number {
	MAC.lastIndex = start;
	if (!MAC.test(text) || /[:.-]/.test(text.charAt(start - 1))) return -1;
	const end = MAC.lastIndex;
	return UNASSIGNED_MAC.test(text.slice(start, end)) ? -1 : end;
}

const INTRODUCTION = new RegExp(
	verbose`
		(?:
			\bpatient|\bpt|\bcustomer|\bclient|\bemployee|\bapplicant|\bname(?=["']?\s?[:=])|\bmr|\bmrs|\bms|\bdr|\btenant|\bresident
			|\bsubscriber|\bmember|\bbeneficiary|\binsured|\bship (?:it )?to|\bdeliver(?:ed)? to|\bcontact|\bcliente
			|\bkund(?:e|in)|\bpaciente|\bherr|\bfrau|\bmadame|\bmonsieur
		)\W{1,3}(?:is |name |named |called |record )?\W{0,4}$
	`,
	"i",
);

/** Names of nobody. */
const EXAMPLE_NAME = /^(?:John|Jane) (?:[A-Z]\. )?(?:Doe|Smith)$/;
/** Characters around a name that say in which language it stands. */
const LANGUAGE_CHARS = 80;
/** The role that a model is to play. */
const ROLE_PROMPT =
	/\b(?:you are|you['’]re|role-?play(?:ing)? as|imagine|act as|pretend)\b[^.!?\n]{0,36}(?:dr|mr|mrs|ms)\. $/i;

/** Precedes a surname. A surname alone identifies nobody, but makes health data beside it personal. */
const TITLE = new RegExp(
	verbose`
		(?:
			(?<!['’])\b(?:
				mr|mrs|ms|miss|mx|dr|prof|herrn?|frau|mme|mlle|m|madame|monsieur|señora?|sra?|sig|sig\.ra|signora?|dott|senhora?
				|dhr|mevr|mevrouw|meneer|pan|pani|pana|shri|smt|patient(?:in|e|a)?|paciente|paziente|pacjent(?:ka)?|pati[ëe]nt
			)\b\.?:? )$
	`,
	"i",
);
const SURNAME = /\p{Lu}[\p{L}'’-]{2,24}/uy;
const NOT_A_SURNAME = new RegExp(`^(?:${notSurnames.join("|")})$`);
const INITIAL_AND_SURNAME = /[A-Z]\. \p{Lu}\p{L}{2,24}/uy;
/** No company's. */
const PERSON_NAME = new RegExp(`${FULL_NAME}(?![\\p{L}'’-]| (?:LLC|Ltd|Inc|GmbH|Corp))`, "uy");

interface NameMatch {
	/** Whether the words before say that it is a name. Otherwise it is two capitalised words, or a title and a surname, and no more. */
	readonly isIntroduced: boolean;
	readonly end: number;
}

/** The person's name that begins at a word; null if there is none. */
export function matchName(text: string, start: number, end: number): NameMatch | null {
	const first = text.charCodeAt(start);
	if (first < 65 || first > 90) return null;
	const before = text.slice(Math.max(0, start - 40), start);
	const shape = end - start === 1 ? INITIAL_AND_SURNAME : PERSON_NAME;
	shape.lastIndex = start;
	const name = shape.exec(text)?.[0];
	if (name === undefined || !isFullName(name)) return matchTitledSurname(text, start, before);
	const nameEnd = trimName(text, start + name.length);
	if (INTRODUCTION.test(before) && !ROLE_PROMPT.test(before) && !EXAMPLE_NAME.test(name))
		return { isIntroduced: true, end: nameEnd };
	if (shape === INITIAL_AND_SURNAME) return null;
	return isGerman(text.slice(Math.max(0, start - LANGUAGE_CHARS), start + LANGUAGE_CHARS))
		? matchTitledSurname(text, start, before)
		: { isIntroduced: false, end: nameEnd };
}

/** Where a name ends whose last word was read with what stands behind it: the quote around it, or a possessive. */
function trimName(text: string, end: number): number {
	return end - (/(?:['’]s|['’-]+)$/.exec(text.slice(end - 3, end))?.[0].length ?? 0);
}

function matchTitledSurname(text: string, start: number, before: string): NameMatch | null {
	SURNAME.lastIndex = start;
	if (!/[ .:]$/.test(before) || !TITLE.test(before)) return null;
	const name = SURNAME.exec(text)?.[0];
	return name === undefined || NOT_A_SURNAME.test(name)
		? null
		: { isIntroduced: false, end: trimName(text, start + name.length) };
}
