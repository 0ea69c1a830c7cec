// Leaves in a text only links that lead where the run's owner has been: shown, any other could carry what the run has read to whoever
// wrote a text that it read. No notation of links is recognised but the plain ones that may stay. Of all else, the characters by which
// any reader of Markdown or HTML would make a link are parted, so that it is the text that it was written as. Pure.
import { isJsonObject, parseJson } from "../../json.ts";
import type { Steps } from "../../turns/steps.ts";
import { toCodeFinder } from "./plain-code.ts";
import { findTrustedHosts, type ReadTexts } from "./taint.ts";
import { decodeEntities, toHostForm } from "./text-values.ts";

type Hosts = ReadonlySet<string>;

/** The one plain form of an address: a scheme or `www.`, a host of ASCII letters, perhaps a port. What follows cannot belong to the host. */
const ADDRESS =
	/(?:https?:\/\/|(?=www\.))([a-z\d](?:[a-z\d.-]{0,252}))(?::\d{1,5})?(?=[/?#<]|[.,:;!*_~)\]}>"'|]*(?:\s|$))/iy;
/** What may stand in an address after its host. */
const ADDRESS_REST = /[^\s<>"'`\\\]]*/y;
/** As much of that as no reader ends an address at: an address within it is no link of its own. */
const SURE_REST = /[\w/?=#%.:@&-]*/y;
const HOSTS = /(?:https?:\/\/|(?=www\.))([a-z\d](?:[a-z\d.-]{0,252}))/gi;

function hostsOf(text: string): Set<string> {
	return new Set(Array.from(text.matchAll(HOSTS), ([, host = ""]) => toHostForm(host.toLowerCase())));
}

function matchSticky(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
	pattern.lastIndex = at;
	return pattern.exec(text);
}

/** The end of a plain address that leads to a known host; -1 where there is none. */
function endOfKnown(text: string, at: number, hosts: Hosts, rest = ADDRESS_REST): number {
	const [authority, host] = matchSticky(ADDRESS, text, at) ?? [];
	if (authority === undefined || host === undefined || !hosts.has(toHostForm(host.toLowerCase()))) return -1;
	const end = at + authority.length;
	return end + (/[/?#]/.test(text.charAt(end)) ? (matchSticky(rest, text, end)?.[0].length ?? 0) : 0);
}

/** Whether a destination is a place in the document or beside it: nothing in it can be a scheme, a host or an escape. */
function isPlace(destination: string): boolean {
	return !/[:\\&<]|\/\/|[^\P{Cc}\n]|^\s*www\./iu.test(destination);
}

/** What follows the words of a link in its plain form: a destination, perhaps a title. */
const PLAIN_TARGET = /\]\(((?:[^\s()<>"'`\\]|\([^\s()<>"'`\\]{0,512}\)){0,2048})(?: "[^"\\\n]{0,500}")?\)/y;
/** What a destination of any form begins with. */
const TARGET = /\]\(([^)]{0,512})/y;
/** What the destination of a definition begins with. */
const DEFINED = /\]:([\s>]{0,512}\S{0,512})/y;

/** Whether a link to this destination may stay. */
function mayLead(destination: string, hosts: Hosts): boolean {
	// In a quote, its mark may stand before what is on a new line.
	const written = destination.replace(/^[\s>]+/, "").trimEnd();
	return isPlace(written) || endOfKnown(written, 0, hosts) === written.length;
}

/** In place of a closing bracket with what makes a link of it; null where it may stay. */
function partBracket(text: string, at: number, hosts: Hosts): string | null {
	if (text[at + 1] === ":") {
		const [, defined] = matchSticky(DEFINED, text, at) ?? [];
		return defined !== undefined && mayLead(defined, hosts) ? null : "] ";
	}
	const [, plain] = matchSticky(PLAIN_TARGET, text, at) ?? [];
	if (plain !== undefined && mayLead(plain, hosts)) return null;
	const [whole = "", begins = ""] = matchSticky(TARGET, text, at) ?? [];
	return text[at + whole.length] === ")" && isPlace(begins) ? null : "] ";
}

/** The places of `<` that begin a tag with a value in it. Quotes count only after the first `=`, so the first `>` ends a tag without. */
function findValuedTags(text: string): Set<number> {
	const valued = new Set<number>();
	let open: number[] = [];
	// A `>` at the beginning of a line may be the mark of a quote, which stands in no tag.
	for (const { 0: found, index } of text.matchAll(/\n[\s>*+\-\d.)]{0,64}|[<>=]/g)) {
		if (found === "<" && /[a-z]/i.test(text.charAt(index + 1))) open.push(index);
		if (found === "=") for (const start of open) valued.add(start);
		if (found === "=" || found === ">") open = [];
	}
	return valued;
}

const AUTOLINK = /<[a-z][a-z\d+.-]{0,40}:/iy;
/** The tags that do something with what stands between them. */
const ACTING_TAG = /<(?:script|style)(?![a-z\d-])/iy;

function isActiveTag(text: string, at: number, valued: ReadonlySet<number>, hosts: Hosts): boolean {
	if (valued.has(at) || matchSticky(ACTING_TAG, text, at)) return true;
	if (!matchSticky(AUTOLINK, text, at)) return false;
	const end = endOfKnown(text, at + 1, hosts);
	return end < 0 || text[end] !== ">";
}

/** The beginning of an address as people write one that nobody is to follow. @param next what stands after it. */
function partHost(address: string, next: string): string {
	const parted = `${address}${next}`.replace(/:(?=\\?\/)/, "[:]").replace(/\.(?=[^\s()[\]:.])/g, "[.]");
	return next === "" ? parted : parted.slice(0, -next.length);
}

/** References to the characters by which readers know an address once they are decoded. */
function partReference(reference: string): string {
	return /[\w:/.]/.test(decodeEntities(reference)) ? `&amp;${reference.slice(1)}` : reference;
}

/** All by which readers make a link of something: brackets, tags, addresses in prose, references to characters, commands of LaTeX. */
const ACTIVE = new RegExp(
	[
		String.raw`\](?=[(:])`,
		"<(?=[a-z])",
		String.raw`(?:(?:https?|ftps?)\\?:\\?\/\\?\/|(?<![:\w/\\])\/\/(?=[\w-]{1,63}\\?\.)|(?<![a-z\d])www\\?\.)(?:(?!(?:https?|ftps?)\\?:)[^\s/?#<>()[\]"'\`&]){0,255}`,
		"&(?:#x[\\da-f]{1,6};?|#\\d{1,7};?|(?:colon|sol|period);)",
		String.raw`\\(?=(?:href|url|includegraphics|style|htmlStyle)\s{0,8}[{[])`,
	].join("|"),
	"gi",
);

interface Parting {
	hosts: Hosts;
	/** Addresses in prose stay: no reader of the text makes a link of them. */
	keepsAddresses: boolean;
}

/** What stands in place of something by which readers make a link, and what it replaces; null where it may stay. */
type Instead = { text: string; length: number } | null;

/** In place of an address in prose. What stays of a known one is passed over: an address in it is no link. */
function partAddress(text: string, at: number, found: string, { hosts, keepsAddresses }: Parting): Instead {
	if (keepsAddresses) return null;
	const end = endOfKnown(text, at, hosts, SURE_REST);
	if (end >= 0) return { text: text.slice(at, end), length: end - at };
	return { text: partHost(found, text.charAt(at + found.length)), length: found.length };
}

function partFound(text: string, at: number, found: string, parting: Parting, valued: ReadonlySet<number>): Instead {
	const { hosts } = parting;
	if (found === "]") {
		const parted = partBracket(text, at, hosts);
		return parted === null ? null : { text: parted, length: 1 };
	}
	if (found === "<") return isActiveTag(text, at, valued, hosts) ? { text: "< ", length: 1 } : null;
	if (found === "\\") return { text: "", length: 1 };
	if (found.startsWith("&")) return { text: partReference(found), length: found.length };
	return partAddress(text, at, found, parting);
}

/** A text in which only plain links to known hosts, and to places beside it, are links. */
function partLinks(text: string, parting: Parting): string {
	const isCode = toCodeFinder(text);
	const valued = findValuedTags(text);
	const parts: string[] = [];
	let from = 0;
	for (const { 0: found, index } of text.matchAll(ACTIVE)) {
		if (isCode(index) || index < from) continue;
		const instead = partFound(text, index, found, parting, valued);
		if (!instead) continue;
		parts.push(text.slice(from, index), instead.text);
		from = index + instead.length;
	}
	return parts.join("") + text.slice(from);
}

/** Plain links whose words can stand alone. */
const PLAIN_LINK =
	/!?\[([^[\]]{0,1000})\]\(((?:[^\s()<>"'`\\]|\([^\s()<>"'`\\]{0,512}\)){0,2048})(?: "[^"\\\n]{0,500}")?\)/g;

const TAG = /<[a-z][^<>]{0,4096}>/gi;

/**
 * Puts the words of plain links in their place where they may not stay, and takes out tags with values. It is for people: what may stay
 * is up to `partLinks`.
 */
function unwrapLinks(text: string, hosts: Hosts): string {
	const isInTag = toCodeFinder(text);
	const untagged = text.replace(TAG, (tag, at: number) => (/\s[\w:-]+=/.test(tag) && !isInTag(at) ? "" : tag));
	const isInLink = toCodeFinder(untagged);
	return untagged.replace(PLAIN_LINK, (link, words: string, destination: string, at: number) =>
		isInLink(at) || mayLead(destination, hosts) ? link : words,
	);
}

/** The texts in a JSON value, each changed. A literal that does not change stays as it is written. */
function changeJsonTexts(json: string, change: (text: string) => string): string {
	return json.replace(/"(?:[^"\\]|\\.)*"/g, (literal) => {
		const text = parseJson(literal);
		if (typeof text !== "string") return literal;
		const changed = change(text);
		return changed === text ? literal : JSON.stringify(changed);
	});
}

const WITHOUT_LINKS = /^[^\]<&\\]*$/;

/**
 * A text without links and images but plain ones to hosts that a trusted text names, and to places beside the text; the words of all
 * others stay. Unchanged where the run has read no untrusted text.
 * @param isJson it is read by a program: only the texts in it are looked at, and bare addresses in them stay.
 */
export function* takeOutLinks(text: string, texts: ReadTexts, isJson = false): Steps<string> {
	if (texts.untrusted.length === 0) return text;
	if (WITHOUT_LINKS.test(text) && !/\/\/|www\./i.test(text)) return text;
	const hosts = yield* findTrustedHosts(hostsOf(text), texts);
	yield 8 * text.length;
	const value = isJson ? parseJson(text) : undefined;
	const keepsAddresses = Array.isArray(value) || isJsonObject(value);
	const take = (each: string) => partLinks(unwrapLinks(each, hosts), { hosts, keepsAddresses });
	return keepsAddresses ? changeJsonTexts(text, take) : take(text);
}
