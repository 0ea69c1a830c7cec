// Values in texts by which something can be sent or changed: hosts, addresses, recipients, paths and accounts, each in one form whatever
// way it is written. What occurs where is compared by others (taint.ts, untrusted-links.ts). Pure.
import { HTML_ENTITIES } from "../../text/html-entities.ts";
import type { Steps } from "../../turns/steps.ts";

export type TextValueKind = "host" | "address" | "email" | "recipient" | "path" | "account";

export interface TextValue {
	kind: TextValueKind;
	/** In the form that is compared. */
	value: string;
}

function toCharacter(code: number): string {
	return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : "";
}

/** A text without HTML's references to characters. */
export function decodeEntities(text: string): string {
	if (!text.includes("&")) return text;
	return text.replace(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]{2,8}));?/gi, (whole, decimal, hex, name) => {
		if (decimal !== undefined) return toCharacter(Number.parseInt(decimal, 10));
		if (hex !== undefined) return toCharacter(Number.parseInt(hex, 16));
		return HTML_ENTITIES[name.toLowerCase()] ?? whole;
	});
}

const utf8 = new TextDecoder();

/** A text without percent-encoding, also of what was encoded twice. */
function decodePercent(text: string): string {
	let decoded = text;
	for (let times = 0; times < 2 && decoded.includes("%"); times++)
		decoded = decoded.replace(/(?:%[\da-f]{2})+/gi, (run) => {
			const bytes = run
				.slice(1)
				.split("%")
				.map((hex) => Number.parseInt(hex, 16));
			return utf8.decode(new Uint8Array(bytes));
		});
	return decoded;
}

/** A text without what hides a value from a search: escapes, percent-encoding, entities, characters that nobody sees, case. */
export function uncloak(text: string): string {
	const unescaped = text
		.replace(/\\(?:u([\da-f]{4})|x([\da-f]{2}))/gi, (_, wide, short) => toCharacter(Number.parseInt(wide ?? short, 16)))
		.replaceAll("\\/", "/");
	return decodePercent(decodeEntities(unescaped))
		.normalize("NFKC")
		.replace(/[\p{Default_Ignorable_Code_Point}]/gu, "")
		.replace(/[。｡]/g, ".")
		.replaceAll("\\", "/")
		.toLowerCase();
}

/** A host in the form of URLs: punycode, dotted decimals, no dot at its end. */
export function toHostForm(host: string): string {
	const parsed = URL.parse(`http://${host}`)?.hostname ?? host;
	return parsed.replace(/\.+$/, "").replace(/^\[|\]$/g, "");
}

/** Longer words are read as far as that. */
const MAX_WORD_CHARS = 2_048;
/** What stands between words. Quotes, brackets and separators of lists are no part of any value. */
const TEXT_WORDS = /[^\s"'`<>()[\]{},;|^]+/gu;
const DOMAIN = /^(?:[\p{L}\p{N}\p{M}_-]{1,63}\.){1,20}(?:xn--[a-z\d-]{1,59}|[\p{L}\p{M}]{2,24})\.?$/u;
const IPV4 = /^\d{1,3}(?:\.\d{1,3}){3}$/;
const IPV6 = /^(?=.*:.*:)[\da-f:]{2,39}$/;
/** Names of files that have the form of a host. */
const FILE_NAME =
	/\.(?:c|cfg|conf|cpp|cs|css|csv|docx?|env|gif|go|h|html?|ini|java|jpe?g|js|json|lock|log|md|mjs|pdf|png|pptx?|py|rb|rs|sh|sql|svg|toml|tsx?|txt|xlsx?|xml|ya?ml|zip)$/;

function toPathForm(path: string): string {
	return path
		.replace(/\/{2,}/g, "/")
		.replace(/^(?:\.\/)+/, "")
		.replace(/\/$/, "");
}

/** What the authority of an address names, without user and port. */
function authorityHost(authority: string): string {
	const host = authority.slice(authority.lastIndexOf("@") + 1);
	return host.startsWith("[") ? host : host.replace(/:\d*$/, "");
}

function* urlValues(authority: string, rest: string): Generator<TextValue> {
	const host = authorityHost(authority);
	if (host === "") return;
	const form = toHostForm(host);
	yield { kind: "host", value: form };
	const path = toPathForm(/^[^?#]*/.exec(rest)?.[0] ?? "");
	if (path !== "") yield { kind: "address", value: `${form}${path.startsWith("/") ? "" : "/"}${path}` };
}

function* bareValues(word: string): Generator<TextValue> {
	const [, head = "", rest = ""] = /^([^/:?#]*)(.*)$/su.exec(word) ?? [];
	if (DOMAIN.test(head) && !(rest === "" && FILE_NAME.test(head))) yield* urlValues(head, rest.replace(/^:\d+/, ""));
	else if (IPV4.test(head)) yield { kind: "host", value: head };
	else if (IPV6.test(word)) yield { kind: "host", value: toHostForm(`[${word}]`) };
	else if (/[/~]/.test(word) || FILE_NAME.test(word) || /^\.[a-z]/.test(word)) {
		const path = toPathForm(word);
		if (path.length > 1) yield { kind: "path", value: path };
	}
	if (/^[@#][\p{L}\p{N}_.-]{2,64}$/u.test(word)) yield { kind: "account", value: word };
	if (/^(?=[a-z_-]*\d)(?=.*[a-z])[a-z\d_-]{16,128}$/.test(word)) yield { kind: "account", value: word };
}

/** The values of a word. */
function* wordValues(written: string): Generator<TextValue> {
	const word = written
		.slice(0, MAX_WORD_CHARS)
		.replace(/^[:!?*_]+/, "")
		.replace(/^\.{2,}(?=[^./])/, "")
		.replace(/[.:!?*_]+$/, "");
	const url = /^(?:[a-z][a-z\d+.-]{0,20}:)?\/\/([^/?#]*)(.*)$/su.exec(word);
	const mail = /^(?:[a-z]{1,10}[:=]\/{0,2})?([^@/:=]{1,128})@([^@/:?&=]{1,253})/u.exec(word);
	if (url) yield* urlValues(url[1] ?? "", url[2] ?? "");
	else if (mail) yield { kind: "email", value: `${mail[1]}@${toHostForm(mail[2] ?? "")}` };
	else yield* bareValues(word);
}

/** Digits as people group them: of accounts, cards and telephones. A date is none. */
const NUMBERS = /\d(?:[ \u00a0./-]?\d){6,33}/g;
const DATE = /^(?:19|20)\d{2}[./-]?(?:0[1-9]|1[0-2])[./-]?[0-3]\d/;
const IBANS = /\b[a-z]{2}\d{2}(?:[ -]?[a-z\d]){11,30}\b/g;

function* numberValues(text: string): Generator<TextValue> {
	const ibans: string[] = [];
	const rest = text.replace(IBANS, (found) => {
		ibans.push(found.replace(/[^a-z\d]/g, ""));
		return " ";
	});
	for (const value of ibans) yield { kind: "account", value };
	for (const [found] of rest.matchAll(NUMBERS))
		if (!DATE.test(found)) yield { kind: "account", value: found.replace(/\D/g, "") };
}

/** Characters of a text that are read at once. */
const PIECE_CHARS = 16_384;

/** Pieces of a text that end between words, so that each is read by itself. A word that is longer than what is read of one is cut. */
function* toPieces(text: string): Generator<string> {
	for (let from = 0; from < text.length; ) {
		const end = from + PIECE_CHARS;
		const gap = text.slice(end, end + MAX_WORD_CHARS).search(/\s/);
		const to = end >= text.length ? text.length : end + Math.max(0, gap);
		yield text.slice(from, to);
		from = to;
	}
}

/** The values of an uncloaked text, each as often as it occurs. Takes time linear in the text. */
export function* textValues(uncloaked: string): Generator<TextValue> {
	for (const [word] of uncloaked.matchAll(TEXT_WORDS)) yield* wordValues(word);
	yield* numberValues(uncloaked);
}

/** Reads a text piece by piece, uncloaked; pauses after each. @param read returns false when it has seen enough. */
export function* readPieces(text: string, read: (uncloaked: string) => boolean): Steps<void> {
	for (const piece of toPieces(text)) {
		if (!read(uncloak(piece))) return;
		// Uncloaking and looking at each word take eight times as long as a scan does.
		yield 8 * piece.length;
	}
}
