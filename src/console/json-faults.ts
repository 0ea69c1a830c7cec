// Faults of a JSON text at their lines, in the form of the API: `line L, column C: what is wrong`. Pure.
import { findNodeAtLocation, type JSONPath, type ParseError, parseTree, printParseErrorCode } from "jsonc-parser";

/** Of a text with many faults, the first ones say enough. */
const MOST_FAULTS = 20;

/** Strict JSON: no comments, no trailing commas. */
const STRICT = { disallowComments: true, allowTrailingComma: false };

const JSON_FAULT_TEXTS: Readonly<Record<string, string>> = {
	InvalidSymbol: "this is no value: texts stand in double quotes",
	InvalidNumberFormat: "this is no number",
	PropertyNameExpected: "the name of a member is missing, in double quotes",
	ValueExpected: "a value is missing",
	ColonExpected: "a colon is missing",
	CommaExpected: "a comma is missing",
	CloseBraceExpected: "a closing brace is missing",
	CloseBracketExpected: "a closing bracket is missing",
	EndOfFileExpected: "the value ends before this",
	InvalidCommentToken: "JSON has no comments",
	UnexpectedEndOfComment: "JSON has no comments",
	UnexpectedEndOfString: "the text does not end on its line",
	UnexpectedEndOfNumber: "the number does not end",
	InvalidUnicode: "this is no escape of a character",
	InvalidEscapeCharacter: "this is no escape of a character",
	InvalidCharacter: "a text cannot hold this character unescaped",
};

function placeOf(text: string, offset: number): string {
	const before = text.slice(0, offset).split(/\r?\n/);
	return `line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`;
}

type JsonTree = NonNullable<ReturnType<typeof parseTree>>;

/** The tree of a text, with its errors; null for one that is nested too deeply to be read. */
function readTree(text: string): { tree: JsonTree | undefined; errors: ParseError[] } | null {
	const errors: ParseError[] = [];
	try {
		return { tree: parseTree(text, errors, STRICT), errors };
	} catch (error) {
		if (error instanceof RangeError) return null;
		throw error;
	}
}

/** The value of a JSON text, or its faults in order: the first at each place. */
export function parseJsonText(text: string): { ok: true; value: unknown } | { ok: false; faults: string[] } {
	try {
		return { ok: true, value: JSON.parse(text) };
	} catch (error) {
		const read = readTree(text);
		if (!read) return { ok: false, faults: ["this is nested too deeply"] };
		const byPlace = new Map<number, string>();
		for (const { error: code, offset } of read.errors) {
			const name = printParseErrorCode(code);
			if (!byPlace.has(offset)) byPlace.set(offset, `${placeOf(text, offset)}: ${JSON_FAULT_TEXTS[name] ?? name}`);
			if (byPlace.size === MOST_FAULTS) break;
		}
		// Where the two differ, the stricter one decides.
		const faults =
			byPlace.size > 0 ? [...byPlace.values()] : [error instanceof Error ? error.message : "this is not JSON"];
		return { ok: false, faults };
	}
}

/** The value that a path such as `stack.2` names, or the nearest that is there. */
function nearestOffset(tree: JsonTree, path: string): number | null {
	const steps: JSONPath = path === "" ? [] : path.split(".").map((step) => (/^\d+$/.test(step) ? Number(step) : step));
	for (let length = steps.length; length > 0; length--) {
		const node = findNodeAtLocation(tree, steps.slice(0, length));
		if (node) return node.offset;
	}
	return null;
}

/** What the API found wrong with a JSON text, each at the place of the member that it names, if that is there. */
export function placeIssues(text: string, issues: readonly { path: string; message: string }[]): string[] {
	const tree = readTree(text)?.tree;
	return issues.map(({ path, message }) => {
		const offset = tree ? nearestOffset(tree, path) : null;
		const fault = path === "" ? message : `${path}: ${message}`;
		return offset === null ? fault : `${placeOf(text, offset)}: ${fault}`;
	});
}
