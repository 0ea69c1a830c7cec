// Computes the texts and lists that code builds of constants: what calls, methods and sums give. A part
// that is not constant stands in a text as unknown.

import { UNKNOWN } from "../../placeholders.ts";
import { decodeBase64Text, unescapeText } from "../shell/output.ts";

/** What an expression stands for, as far as the code tells. */
export interface CodeValue {
	/** A constant text or number. Null where it is no such, or not known. */
	readonly text: string | null;
	readonly list: readonly CodeValue[] | null;
	/** The dotted name of a function, a module or a variable: `os.system`. Null for constants. */
	readonly path: string | null;
	/** What the method is called on, or the call was given first: `Path(p)`. */
	readonly subject?: CodeValue;
	/** The members of an object or a dictionary that is written out. */
	readonly fields?: ReadonlyMap<string, CodeValue>;
	/** The secret that is in it: the environment, or a variable named like a secret. */
	readonly secret?: string;
}

export const textValue = (text: string): CodeValue => ({ text, list: null, path: null });
export const listValue = (list: readonly CodeValue[]): CodeValue => ({ text: null, list, path: null });
export function pathValue(written: string, subject?: CodeValue): CodeValue {
	const path =
		written.length > MAX_NAME_CHARS ? `*${written.slice(written.lastIndexOf(".")).slice(0, MAX_NAME_CHARS)}` : written;
	return subject ? { text: null, list: null, path, subject } : { text: null, list: null, path };
}
export const UNKNOWN_VALUE: CodeValue = { text: null, list: null, path: null };

/** Longer texts are not built. They count as unknown. */
export const MAX_TEXT_CHARS = 131_072;

/** Longer lists are not built of others. */
const MAX_ITEMS = 10_000;

/** No function has a longer name. */
const MAX_NAME_CHARS = 256;

export const bounded = (text: string): CodeValue => (text.length > MAX_TEXT_CHARS ? UNKNOWN_VALUE : textValue(text));

/** Adds two values: texts one behind the other, numbers, lists. */
export function addValues(left: CodeValue, right: CodeValue, operator: string): CodeValue {
	if (left.list && right.list)
		return left.list.length + right.list.length > MAX_ITEMS ? UNKNOWN_VALUE : listValue([...left.list, ...right.list]);
	if (left.text === null && right.text === null) return UNKNOWN_VALUE;
	const isNumber = ({ text }: CodeValue) => text !== null && /^-?\d{1,15}$/.test(text);
	if (operator === "+" && isNumber(left) && isNumber(right))
		return textValue(`${Number(left.text) + Number(right.text)}`);
	return bounded((left.text ?? UNKNOWN) + (right.text ?? UNKNOWN));
}

const toNumber = (value: CodeValue | undefined): number | null =>
	/^-?(?:\d{1,15}|0[xX][0-9a-fA-F]{1,12})$/.test(value?.text ?? "") ? Number(value?.text) : null;

const reverseText = (text: string) => [...text].reverse().join("");

function rotate13(text: string): string {
	return text.replace(/[a-zA-Z]/g, (letter) => {
		const base = letter <= "Z" ? 65 : 97;
		return String.fromCharCode(((letter.charCodeAt(0) - base + 13) % 26) + base);
	});
}

function decodeHexText(text: string): string | null {
	const digits = text.replace(/[\s:]/g, "");
	if (!/^(?:[0-9a-fA-F]{2})*$/.test(digits)) return null;
	return digits.replace(/../g, (pair) => String.fromCharCode(Number.parseInt(pair, 16)));
}

function decodePercents(text: string): string {
	return text.replace(/%([0-9a-fA-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}

/** Decodes a text by the name of its encoding. */
function decodeNamed(text: string, encoding: string): string | null {
	if (/^rot_?13$/i.test(encoding)) return rotate13(text);
	if (/^(?:base_?64|base64url|m0?)$/i.test(encoding)) return decodeBase64Text(text);
	if (/^(?:hex|H\*?)$/i.test(encoding)) return decodeHexText(text);
	return /unicode.?escape/i.test(encoding) ? unescapeText(text) : text;
}

function charactersOf(args: readonly CodeValue[]): CodeValue {
	const numbers = args.flatMap((arg) => arg.list ?? [arg]).map(toNumber);
	const isCode = (code: number | null): code is number => code !== null && code >= 0 && code <= 0x10ffff;
	return numbers.length > 0 && numbers.every(isCode)
		? textValue(
				numbers
					.filter(isCode)
					.map((code) => String.fromCodePoint(code))
					.join(""),
			)
		: UNKNOWN_VALUE;
}

const orUnknown = (text: string | null): CodeValue => (text === null ? UNKNOWN_VALUE : bounded(text));

/** Functions of one text. */
const TEXT_FUNCTIONS: Readonly<Record<string, (text: string) => string | null>> = {
	b64decode: decodeBase64Text,
	urlsafe_b64decode: decodeBase64Text,
	standard_b64decode: decodeBase64Text,
	atob: decodeBase64Text,
	base64_decode: decodeBase64Text,
	decode64: decodeBase64Text,
	strict_decode64: decodeBase64Text,
	urlsafe_decode64: decodeBase64Text,
	decode_base64: decodeBase64Text,
	fromhex: decodeHexText,
	unhexlify: decodeHexText,
	a2b_hex: decodeHexText,
	hex2bin: decodeHexText,
	str_rot13: rotate13,
	strrev: reverseText,
	reverse: reverseText,
	unescape: decodePercents,
	decodeURIComponent: decodePercents,
	decodeURI: decodePercents,
	urldecode: decodePercents,
	rawurldecode: decodePercents,
	unquote: decodePercents,
	str: (text) => text,
	String: (text) => text,
	bytes: (text) => text,
	compile: (text) => text,
	dedent: (text) => text,
	expanduser: (text) => text,
	expandvars: (text) => text.replace(/\$\{?HOME\}?/g, "~"),
	expand_path: (text) => text,
	abspath: (text) => text,
	realpath: (text) => text,
	lower: (text) => text.toLowerCase(),
	toLowerCase: (text) => text.toLowerCase(),
	downcase: (text) => text.toLowerCase(),
	strtolower: (text) => text.toLowerCase(),
	lc: (text) => text.toLowerCase(),
	upper: (text) => text.toUpperCase(),
	strip: (text) => text.trim(),
	trim: (text) => text.trim(),
	chomp: (text) => text.trim(),
};

/** Functions that build a text of codes or of other texts. Null for other functions. */
function foldBuilder(name: string, args: readonly CodeValue[], subject: CodeValue | undefined): CodeValue | null {
	if (/^(?:fromCharCode|fromCodePoint|chr|char)$/.test(name))
		return charactersOf(args.length > 0 || !subject ? args : [subject]);
	if ((name === "bytes" || name === "bytearray") && args[0]?.list) return charactersOf(args);
	if (name === "join" || name === "implode") return joinItems(args, subject);
	// Ruby packs the list before the dot.
	const values = subject?.list ?? args.slice(1);
	return name === "pack" && args[0]?.text && values.length > 0 ? foldPack(args[0].text, values) : null;
}

/** Functions of Perl and PHP whose text is their argument, and methods elsewhere, all by their last name. */
export function foldCall(name: string, args: readonly CodeValue[], subject: CodeValue | undefined): CodeValue {
	const built = foldBuilder(name, args, subject);
	if (built) return built;
	const own = subject?.text !== undefined && subject.text !== null ? subject : undefined;
	const [first, ...rest] = own ? [own, ...args] : args;
	const reversed = /^reversed?$/.test(name) ? (first?.list ?? subject?.list) : null;
	if (reversed) return listValue([...reversed].reverse());
	if (first === undefined || first.text === null || first.text.includes(UNKNOWN)) return UNKNOWN_VALUE;
	return foldText(name, first.text, rest, args);
}

function foldPack(format: string, values: readonly CodeValue[]): CodeValue {
	if (/^[CUWc]\*?$/.test(format)) return charactersOf(values);
	return values[0]?.text ? orUnknown(decodeNamed(values[0].text, format)) : UNKNOWN_VALUE;
}

function joinItems(args: readonly CodeValue[], subject: CodeValue | undefined): CodeValue {
	// Python and Perl join by the text before or first, the others by the argument.
	const list = args.find((arg) => arg.list) ?? (subject?.list ? subject : undefined);
	const separator = subject?.text ?? args.find((arg) => arg.text !== null)?.text ?? "";
	const rest = args.filter((arg) => arg !== list).slice(1);
	const items = list?.list ?? rest;
	if (items.length === 0) return UNKNOWN_VALUE;
	return bounded(items.map(({ text }) => text ?? UNKNOWN).join(separator));
}

function foldText(name: string, text: string, rest: readonly CodeValue[], args: readonly CodeValue[]): CodeValue {
	if (Object.hasOwn(TEXT_FUNCTIONS, name)) return orUnknown(TEXT_FUNCTIONS[name]?.(text) ?? null);
	const [first] = rest;
	if (name === "from" || name === "decode" || name === "toString" || name === "encode" || name === "unpack1")
		return orUnknown(decodeNamed(text, first?.text ?? ""));
	if (name === "unpack") return listValue([orUnknown(decodeNamed(text, first?.text ?? ""))]);
	if (name === "concat") return bounded(text + rest.map((arg) => arg.text ?? UNKNOWN).join(""));
	if (name === "split" || name === "list" || name === "chars") return splitText(text, first?.text ?? "");
	if (name === "reversed") return listValue([...text].reverse().map(textValue));
	if (/^(?:slice|substring|substr|sub)$/.test(name)) return sliceCall(name, text, rest);
	const replaced = replacePlaces(name, text, rest, args);
	if (replaced !== null) return bounded(replaced);
	return /^s?printf$|^format$/.test(name) ? bounded(formatText(text, rest)) : UNKNOWN_VALUE;
}

/** Replaces every place of one text by another. PHP names the searched text last. Null for other functions. */
function replacePlaces(
	name: string,
	text: string,
	[first, second]: readonly CodeValue[],
	args: readonly CodeValue[],
): string | null {
	if (/^(?:replace|replaceAll|gsub|tr)$/.test(name) && first?.text && second?.text != null)
		return text.split(first.text).join(second.text);
	const [, put, whole] = args;
	return name === "str_replace" && whole?.text && put?.text != null ? whole.text.split(text).join(put.text) : null;
}

function splitText(text: string, separator: string): CodeValue {
	return listValue((separator === "" ? [...text] : text.split(separator)).map(textValue));
}

function sliceCall(name: string, text: string, [from, to]: readonly CodeValue[]): CodeValue {
	const start = toNumber(from);
	const end = to === undefined ? undefined : toNumber(to);
	if (start === null || end === null) return UNKNOWN_VALUE;
	if (name === "sub") return textValue(text.slice(start > 0 ? start - 1 : start, end));
	return textValue(name === "substr" && end !== undefined ? text.slice(start).slice(0, end) : text.slice(start, end));
}

/** Puts values into the places of a format: `%s`, `%5d`, `%c` and `{}`. A value that is not known stays unknown. */
function formatText(text: string, values: readonly CodeValue[]): string {
	let at = 0;
	return text.replace(/\{(\d{0,3})\}|%[-+ 0#]{0,4}\d{0,4}(?:\.\d{1,4})?([sdcvixq%])/g, (_, index, kind) => {
		if (kind === "%") return "%";
		const value = values[typeof index === "string" && index !== "" ? Number(index) : at++]?.text ?? UNKNOWN;
		return kind === "c" && /^\d{1,6}$/.test(value) ? String.fromCodePoint(Number(value)) : value;
	});
}
