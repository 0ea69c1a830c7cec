// Computes what filters print of a known text: cut, head, tail, paste, tac, and the plain programs of sed and awk. Null
// wherever the result is not certain, because what it gives may be run.

/** Ranges of `cut`: from one to another, both counted from one. */
type CutRange = readonly [from: number, to: number];

/** The lines of a text. A newline at its end begins none. */
function splitLines(text: string): readonly string[] {
	return text === "" ? [] : (text.endsWith("\n") ? text.slice(0, -1) : text).split("\n");
}

const joinLines = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join("");

/** Options with their values, attached or in the next word. Null for other options, and for operands. */
function readOptions(args: readonly string[], letters: string): ReadonlyMap<string, string> | null {
	const options = new Map<string, string>();
	for (let at = 0; at < args.length; at++) {
		const word = args[at] ?? "";
		const letter = word[1] ?? "";
		if (word === "-") continue;
		if (!word.startsWith("-") || !letters.includes(letter) || options.has(letter)) return null;
		const value = word.length > 2 ? word.slice(2) : args[++at];
		if (value === undefined) return null;
		options.set(letter, value);
	}
	return options;
}

function parseRanges(list: string): readonly CutRange[] | null {
	const ranges: CutRange[] = [];
	for (const part of list.split(",")) {
		const [, from = "", dash, to = ""] = /^([1-9][0-9]{0,5})?(-)?([1-9][0-9]{0,5})?$/.exec(part) ?? [];
		if (from === "" && to === "") return null;
		const first = from === "" ? 1 : Number(from);
		const last = dash === undefined ? first : to === "" ? Number.POSITIVE_INFINITY : Number(to);
		if (last < first) return null;
		ranges.push([first, last]);
	}
	return ranges.length > 8 ? null : ranges;
}

function cutText(args: readonly string[], input: string): string | null {
	const options = readOptions(args, "cbfd");
	const wanted = options?.get("c") ?? options?.get("b") ?? options?.get("f");
	const ranges = wanted === undefined ? null : parseRanges(wanted);
	if (!options || !ranges || options.size > (options.has("f") && options.has("d") ? 2 : 1)) return null;
	const keeps = (_: string, index: number) => ranges.some(([from, to]) => index + 1 >= from && index + 1 <= to);
	if (!options.has("f")) return joinLines(splitLines(input).map((line) => [...line].filter(keeps).join("")));
	const delimiter = options.get("d") ?? "\t";
	if (delimiter.length !== 1) return null;
	const cutLine = (line: string) =>
		line.includes(delimiter) ? line.split(delimiter).filter(keeps).join(delimiter) : line;
	return joinLines(splitLines(input).map(cutLine));
}

/** The first or last lines or characters. */
function cutEnds(name: string, args: readonly string[], input: string): string | null {
	const [only = ""] = args;
	const short = args.length === 1 ? /^-([0-9]{1,6})$/.exec(only)?.[1] : undefined;
	const options = short === undefined ? readOptions(args, "nc") : new Map([["n", short]]);
	if (!options || options.size > 1) return null;
	const [[unit, written] = ["n", "10"]] = options;
	const [, plus, digits] = /^(\+?)([0-9]{1,6})$/.exec(written) ?? [];
	if (digits === undefined || (plus === "+" && name === "head")) return null;
	const items = unit === "c" ? [...input] : (input.match(/[^\n]*\n|[^\n]+$/g) ?? []);
	const count = Number(digits);
	if (name === "head") return items.slice(0, count).join("");
	return items.slice(plus === "+" ? Math.max(0, count - 1) : Math.max(0, items.length - count)).join("");
}

/** `paste -s -d ' '`: all lines in one. */
function pasteText(args: readonly string[], input: string): string | null {
	const [, delimiter] = /^-(?:s -?d|sd|d)(?: )?([^\\])(?: -s)?(?: -)?$/.exec(args.join(" ")) ?? [];
	return delimiter === undefined || !args.some((word) => /^-s/.test(word))
		? null
		: `${splitLines(input).join(delimiter)}\n`;
}

/** A substitution of plain text. `next`: where the command behind it begins. */
interface PlainSubstitution {
	readonly from: string;
	readonly to: string;
	readonly atStart: boolean;
	readonly all: boolean;
	readonly next: number;
}

/** Reads a substitution without a pattern, and without what stands for what it found. Null for other commands. */
function parseSubstitution(program: string, start: number): PlainSubstitution | null {
	let at = start;
	while (program[at] === " ") at++;
	const mark = program[at + 1] ?? "";
	const middle = program.indexOf(mark, at + 2);
	const end = middle < 0 ? -1 : program.indexOf(mark, middle + 1);
	if (program[at] !== "s" || end < 0 || !/^[/|,#@:!_%]$/.test(mark)) return null;
	const pattern = program.slice(at + 2, middle);
	const to = program.slice(middle + 1, end);
	const flags = /(g?) {0,9}(?:;|\n|$)/y;
	flags.lastIndex = end + 1;
	const found = flags.exec(program);
	if (!found || !/^\^?[^\\.*[\]^$+?(){}|\n]+$/.test(pattern) || /[\\&\n]/.test(to)) return null;
	const atStart = pattern.startsWith("^");
	return { from: atStart ? pattern.slice(1) : pattern, to, atStart, all: found[1] === "g", next: flags.lastIndex };
}

function substituteLine(line: string, { from, to, atStart, all }: PlainSubstitution): string {
	if (atStart) return line.startsWith(from) ? to + line.slice(from.length) : line;
	if (all) return line.split(from).join(to);
	const found = line.indexOf(from);
	return found < 0 ? line : line.slice(0, found) + to + line.slice(found + from.length);
}

/** What a program of sed makes of a text that consists of plain substitutions. */
function sedText(args: readonly string[], input: string): string | null {
	const words = args.filter((word) => !/^-[Er]$/.test(word));
	const programs = words.length === 1 ? words : words.filter((_, at) => at % 2 === 1);
	if (words.length > 1 && words.some((word, at) => (at % 2 === 0 && word !== "-e") || programs.length > 8)) return null;
	const program = programs.join(";");
	let lines = input.split("\n");
	for (let at = 0; at < program.length; ) {
		const substitution = parseSubstitution(program, at);
		if (!substitution) return null;
		lines = lines.map((line) => substituteLine(line, substitution));
		at = substitution.next;
	}
	return programs.length === 0 ? null : lines.join("\n");
}

/** A field, a text, or a comma in what awk prints. */
const PRINTED_PART = /\s*(?:\$([0-9]{1,4}|NF)(?![\w[])|"([^"\\]{0,512})"|(,))\s*/y;

/** The parts of a `print` of awk. Null where one of them is computed. */
function parsePrinted(text: string): readonly string[] | null {
	const parts: string[] = [];
	if (/^,|,\s*,|,$/.test(text)) return null;
	for (let at = 0; at < text.length; at = PRINTED_PART.lastIndex) {
		PRINTED_PART.lastIndex = at;
		const [whole, field, quoted] = PRINTED_PART.exec(text) ?? [];
		if (whole === undefined || parts.length >= 64) return null;
		parts.push(field === undefined ? `"${quoted ?? " "}` : field);
	}
	return parts.length === 0 ? ["0"] : parts;
}

/** What `{print $2, "text" $1}` of awk makes of a text. */
function awkText(args: readonly string[], input: string): string | null {
	const separator = /^-F([^\s\\t])$/.exec(args[0] ?? "")?.[1];
	const rest = separator === undefined ? args : args.slice(1);
	const printed =
		rest.length === 1 ? /^\s*\{\s*print\b([^{};<>|()]{0,2048});?\s*\}\s*$/.exec(rest[0] ?? "")?.[1] : undefined;
	const parts = printed === undefined ? null : parsePrinted(printed.trim());
	if (!parts) return null;
	const printLine = (line: string) => {
		const fields = separator === undefined ? (line.match(/[^ \t]+/g) ?? []) : line === "" ? [] : line.split(separator);
		return parts
			.map((part) => {
				if (part.startsWith('"')) return part.slice(1);
				if (part === "0" || (part === "NF" && fields.length === 0)) return line;
				return (part === "NF" ? fields.at(-1) : fields[Number(part) - 1]) ?? "";
			})
			.join("");
	};
	return joinLines(splitLines(input).map(printLine));
}

/** What a filter prints of a text that it reads. Null where that is not certain. */
export function filterText(name: string, args: readonly string[], input: string): string | null {
	// Some of them count bytes, which other characters have several of.
	if (/[^\t\n\x20-\x7e]/.test(input)) return null;
	if (name === "cut") return cutText(args, input);
	if (name === "head" || name === "tail") return cutEnds(name, args, input);
	if (name === "paste") return pasteText(args, input);
	if (name === "tac")
		return args.length === 0 && input.endsWith("\n") ? joinLines([...splitLines(input)].reverse()) : null;
	if (name === "sed") return sedText(args, input);
	return name === "awk" ? awkText(args, input) : null;
}
