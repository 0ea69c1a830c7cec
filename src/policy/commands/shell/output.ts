// Predicts what a command prints, where that is known without running it: echo, printf, cat of known text, decoders.

import { UNKNOWN } from "../../placeholders.ts";
import { charactersIn, type WorkBudget } from "../../work-budget.ts";
import { printsEnvironment } from "./environments.ts";
import { filterText } from "./filters.ts";
import outputFile from "./output.json" with { type: "json" };

/** Units of work for a character that is copied, and for one that is unescaped, decoded or replaced. */
const PRINTED_CHARACTER_WORK = 1;
const DECODED_CHARACTER_WORK = 15;
/** Units of work for a character of a set of `tr`, with those that a range stands for. */
const TR_CHARACTER_WORK = 10;

const PRINTF_ESCAPES: Readonly<Record<string, string>> = {
	n: "\n",
	t: "\t",
	r: "\r",
	"\\": "\\",
	a: "\u0007",
	b: "\b",
	f: "\f",
	v: "\v",
	'"': '"',
	"'": "'",
	e: "\u001b",
};

/** Resolves the backslash escapes of `printf` and `echo -e`. */
export function unescapeText(text: string): string {
	return text.replace(
		/\\(?:x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{1,4})|U([0-9a-fA-F]{1,8})|0?([0-7]{1,3})|(.))/gsu,
		(whole, hex, unicode, long, octal, character) => {
			const code: unknown = hex ?? unicode ?? long;
			if (typeof code === "string") {
				const point = Number.parseInt(code, 16);
				return point > 0x10ffff ? UNKNOWN : String.fromCodePoint(point);
			}
			if (typeof octal === "string") return String.fromCharCode(Number.parseInt(octal, 8) & 0xff);
			return typeof character === "string" ? (PRINTF_ESCAPES[character] ?? whole) : whole;
		},
	);
}

function echoOutput(args: readonly string[]): string {
	let at = 0;
	let escapes = false;
	for (; /^-[neE]+$/.test(args[at] ?? ""); at++) if (args[at]?.includes("e")) escapes = true;
	const text = args.slice(at).join(" ");
	return `${escapes ? unescapeText(text) : text}\n`;
}

/** A directive of printf: flags, width, precision and modifiers, then what kind of value it prints. */
const PRINTF_DIRECTIVE = /%([-+ #'0-9.*]*)[hlLjzt]*([a-zA-Z%(])/g;

/** The most characters that a directive is padded to. */
const MAX_PADDING = 4096;

/** What a directive of printf makes of a value. Unknown for numbers in other forms, and for what is computed. */
function formatValue(flags: string, kind: string, value: string): string {
	const isPlainNumber = /^[diu]$/.test(kind) && flags === "" && /^(?:-?[1-9][0-9]{0,14}|0)$/.test(value);
	if (isPlainNumber || (flags === "" && /^[sq]$/.test(kind))) return value;
	const [head = "", digits] = flags.split(".");
	const width = Number(head.replace(/^[-+ #'0]+/, ""));
	if (!/^[sbcq]$/.test(kind) || value.includes(UNKNOWN) || !(width <= MAX_PADDING)) return UNKNOWN;
	const whole = kind === "b" ? unescapeText(value) : kind === "c" ? value.slice(0, 1) : value;
	const cut = digits === undefined ? whole : whole.slice(0, Number(digits));
	return head.includes("-") ? cut.padEnd(width) : cut.padStart(width);
}

function printfOutput(args: readonly string[], work: WorkBudget): string {
	const [format = "", ...values] = args[0] === "--" ? args.slice(1) : args;
	let at = 0;
	const unescaped = unescapeText(format);
	const once = () =>
		unescaped.replace(PRINTF_DIRECTIVE, (_, flags: string, kind: string) => {
			if (kind === "%") return "%";
			const value = values[at] ?? "";
			at++;
			const printed = formatValue(flags, kind, value);
			return work.charge(printed.length) ? printed : "";
		});
	let text = once();
	// The format is used again while arguments are left.
	while (at > 0 && at < values.length) {
		if (!work.charge(DECODED_CHARACTER_WORK * (1 + format.length))) return text;
		const before = at;
		text += once();
		if (at === before) break;
	}
	return text;
}

/** Decodes Base64 to text. Null when it is none. */
export function decodeBase64Text(text: string): string | null {
	const compact = text.replace(/\s+/g, "").replaceAll("-", "+").replaceAll("_", "/").replaceAll("=", "");
	if (!/^[A-Za-z0-9+/]*$/.test(compact) || compact.length % 4 === 1) return null;
	return new TextDecoder().decode(Uint8Array.from(atob(compact), (character) => character.charCodeAt(0)));
}

function decodeHex(text: string): string {
	const digits = text.replace(/[^0-9a-fA-F]/g, "");
	return digits.replace(/../g, (pair) => String.fromCharCode(Number.parseInt(pair, 16)));
}

/** Classes of `tr` as sets. */
const TR_CLASSES: Readonly<Record<string, string>> = {
	upper: "A-Z",
	lower: "a-z",
	digit: "0-9",
	alpha: "A-Za-z",
	alnum: "0-9A-Za-z",
	space: "\t\n\v\f\r ",
};

/** A set of `tr` with its classes and ranges written out. Null for other classes, and for repeated characters. */
function expandTrSet(text: string, work: WorkBudget): string | null {
	const written = text.replace(/\[:([a-z]{1,8}):\]/g, (whole, name: string) => TR_CLASSES[name] ?? whole);
	if (/\[[:=]|\[.\*[0-9]*\]/s.test(written)) return null;
	return unescapeText(written).replace(/([\s\S])-([\s\S])/g, (whole, from: string, to: string) => {
		const first = from.charCodeAt(0);
		const count = to.charCodeAt(0) - first + 1;
		if (count < 1 || !work.charge(TR_CHARACTER_WORK * count)) return whole;
		return Array.from({ length: count }, (_, index) => String.fromCharCode(first + index)).join("");
	});
}

function trOutput(args: readonly string[], input: string, work: WorkBudget): string | null {
	const options = args.filter((word) => /^-./.test(word));
	const sets = args.filter((word) => !/^-./.test(word));
	if (sets.length === 0 || sets.length > 2 || options.some((option) => option !== "-d")) return null;
	if (!work.charge(TR_CHARACTER_WORK * charactersIn(sets))) return null;
	const from = expandTrSet(sets[0] ?? "", work);
	const to = expandTrSet(sets[1] ?? "", work);
	if (from === null || to === null) return null;
	const positions = new Map<string, number>();
	for (let at = from.length - 1; at >= 0; at--) positions.set(from[at] ?? "", at);
	if (options.length > 0) return [...input].filter((character) => !positions.has(character)).join("");
	if (to === "") return null;
	const translate = (character: string) => {
		const at = positions.get(character);
		return at === undefined ? character : (to[at] ?? to.at(-1) ?? "");
	};
	return [...input].map(translate).join("");
}

const isShortOption = (word: string, character: string) => /^-[A-Za-z]+$/.test(word) && word.includes(character);

/** Where a program of this name is, as far as it matters: a folder on PATH. A path is printed as it is. */
function locateProgram(name: string | undefined): string | null {
	if (name === undefined || name.includes("/") || !/^[\w.+-]+$/.test(name)) return name ?? null;
	return `/usr/bin/${name}`;
}

/** What find prints when it looks for names: files of those names, as patterns. Null when it does more, or looks for none. */
function foundNames(args: readonly string[]): string | null {
	const names = args.flatMap((word, at) => (/^-i?(?:name|path|wholename)$/.test(word) ? (args[at + 1] ?? []) : []));
	const isPlain = !args.some((word) => /^-(?:exec|ok|print0|printf|fprint|delete|not|o$|or$)|^!$/.test(word));
	return isPlain && names.length === 1 ? (names[0] ?? null) : null;
}

/**
 * Predicts what a command prints by its arguments and its input. Null when that is not known. Unknown parts of a text
 * are kept where it is only copied.
 */
export function predictOutput(
	name: string,
	args: readonly string[],
	input: string | null,
	work: WorkBudget,
): string | null {
	const characters = charactersIn(args) + (input?.length ?? 0);
	if (!work.charge(20 + PRINTED_CHARACTER_WORK * characters)) return null;
	if (printsEnvironment(name, args)) return "";
	if (name === "which" || (name === "command" && args[0] === "-v")) return locateProgram(args.at(-1));
	if (name === "find") return foundNames(args);
	const operands = args.filter((word) => !word.startsWith("-") || word === "-");
	const readsOnlyInput = operands.every((word) => word === "-");
	if ((name === "cat" || name === "tee" || name === "sort" || name === "") && (readsOnlyInput || name === "tee"))
		return input;
	if (!COMPUTED_COMMANDS.has(name) || !work.charge(DECODED_CHARACTER_WORK * characters)) return null;
	return computeOutput(name, args, input, work);
}

/** Commands that do more than copy their input. */
const COMPUTED_COMMANDS: ReadonlySet<string> = new Set(outputFile.computed);

function computeOutput(name: string, args: readonly string[], input: string | null, work: WorkBudget): string | null {
	if (name === "echo") return echoOutput(args);
	if (name === "printf") return printfOutput(args, work);
	if (input === null || input.includes(UNKNOWN)) return null;
	const readsOnlyInput = args.every((word) => word.startsWith("-"));
	if (
		name === "base64" &&
		readsOnlyInput &&
		args.some((word) => isShortOption(word, "d") || isShortOption(word, "D") || /^--d/.test(word))
	) {
		return decodeBase64Text(input);
	}
	if (name === "openssl" && args.some((word) => /^-?(?:base64|a)$/.test(word)) && args.includes("-d")) {
		return decodeBase64Text(input);
	}
	if (name === "xxd" && args.some((word) => isShortOption(word, "r"))) return decodeHex(input);
	if (name === "rev" && readsOnlyInput) return input.replace(/[^\n]+/g, (line) => [...line].reverse().join(""));
	if (name === "tr") return trOutput(args, input, work);
	return filterText(name, args, input);
}

/** Commands that decode text. Piped into a shell, they hide what runs. */
export const DECODERS: ReadonlySet<string> = new Set(outputFile.decoders);
