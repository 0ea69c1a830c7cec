// Finds secrets and their spans: keys of providers, settings, URLs with a password, PEM blocks, phrases that give a secret.

import { isWordAt } from "./ascii-words.ts";
import type { SecretKind } from "./kinds.ts";
import { entropy, isExampleKey, isPlaceholder } from "./placeholders.ts";
import { findPrefixedTokenEnd, hasRandomPart } from "./random-tokens.ts";
import { secretPhrasesAt } from "./secret-phrases.ts";
import {
	ATTRIBUTE_NAME,
	KEY_NAME,
	KEY_SHAPES,
	type KeyShape,
	NAMED_SECRETS,
	PASSWORD_NAME,
	POSSIBLE_KEY_NAME,
} from "./secret-shapes.ts";
import type { StretchReader } from "./stretches.ts";

/** Receives the kind of a secret and its offsets; the end is exclusive. */
type ReportSecret = (kind: SecretKind, start: number, end: number) => void;

/** Random text of 16 characters has about 3.6 bits per character; words and sequences have less than 3. */
const MIN_KEY_BITS = 3;
const MIN_NAMED_KEY_LENGTH = 12;
const MIN_PASSWORD_LENGTH = 6;

const byPrefix = new Map<number, KeyShape[]>();
const withoutPrefix: KeyShape[] = KEY_SHAPES.filter(({ prefix }) => prefix === "");
for (const shape of KEY_SHAPES) {
	if (shape.prefix === "") continue;
	const code = shape.prefix.charCodeAt(0) * 128 + shape.prefix.charCodeAt(1);
	byPrefix.set(code, [...(byPrefix.get(code) ?? []), shape]);
}
const hasPrefix = new Uint8Array(128 * 128);
for (const code of byPrefix.keys()) hasPrefix[code] = 1;

function reportMatchingShapes(text: string, start: number, shapes: readonly KeyShape[], report: ReportSecret): void {
	for (const { kind, prefix, shape } of shapes) {
		if (!text.startsWith(prefix, start)) continue;
		// Within a longer run of base64 it is not the header of a token, and each occurrence would be scanned again.
		if (prefix === "eyJ" && /[\w-]/.test(text.charAt(start - 1))) continue;
		shape.lastIndex = start;
		if (!shape.test(text)) continue;
		const value = text.slice(start, shape.lastIndex);
		const isStructured = kind === "jwt" || kind === "slack_webhook";
		if (!isStructured && (isExampleKey(value) || entropy(value) < MIN_KEY_BITS)) continue;
		report(kind, start, shape.lastIndex);
	}
}

function reportShapes(text: string, start: number, end: number, report: ReportSecret): void {
	const code = text.charCodeAt(start) * 128 + text.charCodeAt(start + 1);
	if (hasPrefix[code] === 1) reportMatchingShapes(text, start, byPrefix.get(code) ?? [], report);
	if (canBeUnprefixed(text, start, end)) reportMatchingShapes(text, start, withoutPrefix, report);
}

/** Reports the key that begins at a word, if any. */
export function reportKeys(text: string, start: number, end: number, report: ReportSecret): void {
	reportShapes(text, start, end, report);
	const tokenEnd = findPrefixedTokenEnd(text, start, end);
	if (tokenEnd > 0 && !isKnownKey(text, start, end) && !isExampleKey(text.slice(start, tokenEnd)))
		report("generic_secret", start, tokenEnd);
}

/** Whether a shape of some provider matches at a word. */
function isKnownKey(text: string, start: number, end: number): boolean {
	let isKnown = false;
	reportShapes(text, start, end, () => {
		isKnown = true;
	});
	return isKnown;
}

/** Keys without a prefix have a mark after their first word: `-us`, `Q~`, `.atlasv1`, `:AA`, or a dot after 24 characters. */
function canBeUnprefixed(text: string, start: number, end: number): boolean {
	const length = end - start;
	const next = text.charAt(end);
	if (next === "~") return length === 5;
	if (next === "-") return length === 32;
	if (next === ":") return length >= 8 && length <= 10;
	return next === "." && (length === 14 || (length >= 24 && length <= 27));
}

const PEM = /BEGIN (?:[A-Z0-9]{1,12} ){0,4}PRIVATE KEY(?: BLOCK)?-----[\s\\nr]{1,8}[A-Za-z0-9+/=:, \-\n\r\\]{16}/y;
const PEM_LENGTH = 16_384;

/** Whether a value may be a password: no plain word, no reference, no example. */
function isPassword(value: string): boolean {
	if (value.length < MIN_PASSWORD_LENGTH || isPlaceholder(value)) return false;
	return /[a-z]/i.test(value) && /[\d!-/:-@[-`{-~]/.test(value.replace(/[-_.]/g, "")) && entropy(value) > 2;
}

function isKey(value: string): boolean {
	if (value.length < MIN_NAMED_KEY_LENGTH || isPlaceholder(value)) return false;
	return /\d/.test(value) && /[a-z]/i.test(value) && entropy(value) >= MIN_KEY_BITS && !value.includes("://");
}

/** A password of letters, digits and a symbol, as it is needed where no "is" precedes the value. */
function isStrongPassword(value: string): boolean {
	return (
		isPassword(value) && /\d/.test(value) && /[a-z]/i.test(value) && /[!#$%^&*@~+?=]/.test(value) && value.length > 7
	);
}

const HAS_FORM = {
	password: (value: string) => isPassword(value) && /\d/.test(value),
	strong: isStrongPassword,
	key: isKey,
	bearer: isKey,
} as const;

/** Reports secrets that a phrase at a word gives ("the password is …", "Bearer …"), and PEM blocks. */
export function reportSecretPhrases(text: string, start: number, end: number, report: ReportSecret): void {
	if (end - start === 5 && text.startsWith("-----BEGIN", start - 5)) reportPem(text, start, report);
	const phrases = secretPhrasesAt(text, start, end);
	if (phrases === null) return;
	for (const { shape, form } of phrases) {
		shape.lastIndex = start;
		const span = shape.exec(text)?.indices?.groups?.["value"];
		if (span === undefined) continue;
		const [from, to] = trimPunctuation(text, span[0], span[1]);
		const value = text.slice(from, to);
		if (isProviderKey(value)) continue;
		if (HAS_FORM[form](value)) report(form === "bearer" ? "bearer_token" : "generic_secret", from, to);
	}
}

function trimPunctuation(text: string, start: number, end: number): [number, number] {
	let to = end;
	while (to > start && /[.,;:!?)]/.test(text.charAt(to - 1)) && to > end - 2) to--;
	return [start, to];
}

function reportPem(text: string, start: number, report: ReportSecret): void {
	PEM.lastIndex = start;
	if (!PEM.test(text)) return;
	const block = text.slice(start, start + PEM_LENGTH);
	const close = block.indexOf("-----END");
	const dashes = close < 0 ? -1 : block.indexOf("-----", close + 8);
	report("private_key", start - 5, start + (dashes < 0 ? (close < 0 ? block.length : close) : dashes + 5));
}

const NAME_LENGTH = 48;
/** The last @ before the path ends the password: the password may have one that should have been escaped. */
const USERINFO = /:\/\/(?<user>[^\s/@:'"`<>]{0,64}):(?<value>[^\s/'"`<>?#]{1,128})@(?=[\w[$])/dy;
const URL_SCHEME = /[a-z][a-z0-9+.-]{0,20}$/i;

/** Reports the password of a URL, at the colon of its `://`. */
function reportUrlPassword(text: string, colon: number, report: ReportSecret): void {
	USERINFO.lastIndex = colon;
	const match = USERINFO.exec(text);
	const span = match?.indices?.groups?.["value"];
	if (match === null || span === undefined) return;
	const value = text.slice(span[0], span[1]);
	if (value.length < 4 || isPlaceholder(value) || isProviderKey(value)) return;
	const scheme = URL_SCHEME.exec(text.slice(Math.max(0, colon - 21), colon))?.[0].toLowerCase() ?? "";
	report(/^(?:https?|ftps?|git|ssh|svn)/.test(scheme) ? "basic_auth_url" : "connection_string", span[0], span[1]);
}

const ASSIGNMENT =
	/(?::=|=>|=|:)\s{0,3}(?:(?<quote>["'`])(?<quoted>[^"'`\n]{4,256})\k<quote>|["'`](?<open>[^"'`\s]{4,256})(?!["'`\S])|(?<plain>[^\s"'`,;=]{4,256}={0,2}))/dy;

/** The lower-cased name before a `=` or `:`, without its separators; empty if there is none. */
function readName(text: string, sign: number): string {
	let end = sign;
	while (end > sign - 3 && !isWordAt(text, end - 1)) end--;
	let start = end;
	while (start > end - NAME_LENGTH && (isWordAt(text, start - 1) || /[_.-]/.test(text.charAt(start - 1)))) start--;
	return text.slice(start, end).replace(/[_.-]/g, "").toLowerCase();
}

/** Reports the secret of a setting, at the `=` or `:` before its value. Returns where the value ends, or `at` if it was not read. */
function reportAssignment(text: string, at: number, report: ReportSecret): number {
	const name = readName(text, at);
	const isPasswordName = PASSWORD_NAME.test(name);
	const named = NAMED_SECRETS.find((secret) => secret.name.test(name));
	const isKeyName = KEY_NAME.test(name);
	if (!isPasswordName && named === undefined && !isKeyName && !POSSIBLE_KEY_NAME.test(name)) return at;
	if (named === undefined && ATTRIBUTE_NAME.test(name)) return at;
	ASSIGNMENT.lastIndex = at;
	const groups = ASSIGNMENT.exec(text)?.indices?.groups;
	const span = groups?.["quoted"] ?? groups?.["open"] ?? groups?.["plain"];
	if (span === undefined) return at;
	const value = text.slice(span[0], span[1]);
	if (named?.value.test(value) && !isPlaceholder(value)) report(named.kind, span[0], span[1]);
	else if (
		isPasswordName
			? isPassword(value) && !isCode(text, span[1], value)
			: isKey(value) && (isKeyName || hasRandomPart(value))
	)
		if (!isProviderKey(value)) report("generic_secret", span[0], span[1]);
	return span[1];
}

/** Whether a value is a key of a known shape, which is reported as such. */
function isProviderKey(value: string): boolean {
	return isKnownKey(value, 0, /^[A-Za-z0-9]*/.exec(value)?.[0].length ?? 0);
}

/** Whether a value is code: a call, or an expression. */
function isCode(text: string, end: number, value: string): boolean {
	return text.charAt(end) === "(" || /^\w{1,40}\(|\?\?|&&|\|\||=>/.test(value);
}

/** A longer value is not searched for further settings, so that no character is read for many names. */
const SHORT_VALUE = 32;

/** Reports secrets in URLs and settings as far as it is called to read, in one pass over the colons and equals signs. */
export function createAssignmentReader(text: string, report: ReportSecret): StretchReader {
	let colon = text.indexOf(":");
	let equals = text.indexOf("=");
	let scannedTo = 0;
	const readSign = (at: number, isColon: boolean) => {
		if (isColon && text.charCodeAt(at + 1) === 47) reportUrlPassword(text, at, report);
		else if (at >= scannedTo && isAssignment(text, at)) {
			const end = reportAssignment(text, at, report);
			if (end > at + SHORT_VALUE) scannedTo = end;
		}
	};
	return (to) => {
		while (colon >= 0 || equals >= 0) {
			const isColon = colon >= 0 && (equals < 0 || colon < equals);
			const at = isColon ? colon : equals;
			if (at >= to) return;
			readSign(at, isColon);
			if (isColon) colon = text.indexOf(":", at + 1);
			else equals = text.indexOf("=", at + 1);
		}
	};
}

/** Whether a name, perhaps quoted, precedes the sign, at most two characters away. */
function isAssignment(text: string, at: number): boolean {
	return isWordAt(text, at - 1) || isWordAt(text, at - 2) || isWordAt(text, at - 3);
}
