// The bodies of here-documents in a script's text (POSIX, Shell Command Language 2.7.4): where they end.
import type { Word } from "./script.ts";
import type { TextReader } from "./text-reader.ts";

/** A here-document whose body was not reached yet. */
export interface Heredoc {
	readonly command: { size: number };
	readonly redirect: { target: Word };
	readonly delimiter: string;
	/** The delimiter was quoted, so nothing in the body is expanded. */
	readonly literal: boolean;
	readonly stripTabs: boolean;
}

/** Whether the line that begins at `at` is the wanted one. It may end in a carriage return. */
function isLine(text: string, line: string, at: number): boolean {
	const end = at + line.length;
	if (!text.startsWith(line, at)) return false;
	return end === text.length || text[end] === "\n" || (text[end] === "\r" && (text[end + 1] ?? "\n") === "\n");
}

/** Where a line begins that is the wanted one. -1 when there is none from `from`, which is the beginning of a line. */
function findLine(text: string, line: string, from: number): number {
	if (from < text.length && isLine(text, line, from)) return from;
	const wanted = `\n${line}`;
	for (let at = text.indexOf(wanted, from); at >= 0; at = text.indexOf(wanted, at + 1))
		if (at + 1 < text.length && isLine(text, line, at + 1)) return at + 1;
	return -1;
}

/** The same for a line behind any number of tabs. */
function findTabbedLine(text: string, line: string, from: number): number {
	for (let at = from; at >= 0 && at < text.length; ) {
		let first = at;
		while (text[first] === "\t") first++;
		if (isLine(text, line, first)) return at;
		const end = text.indexOf("\n", at);
		at = end < 0 ? -1 : end + 1;
	}
	return -1;
}

/** Reads the body of a here-document, up to the line that is its delimiter or to the end of the text. */
export function readHeredocBody(
	reader: TextReader,
	{ delimiter, stripTabs }: Pick<Heredoc, "delimiter" | "stripTabs">,
): { readonly body: string; readonly closed: boolean } {
	const { text, at } = reader;
	const end = stripTabs ? findTabbedLine(text, delimiter, at) : findLine(text, delimiter, at);
	const bodyEnd = end < 0 ? text.length : end;
	reader.chargeSearch(bodyEnd - at);
	const written = text.slice(at, bodyEnd);
	const lineEnd = end < 0 ? -1 : text.indexOf("\n", bodyEnd);
	reader.at = lineEnd < 0 ? text.length : lineEnd + 1;
	const whole = written === "" || written.endsWith("\n") ? written : `${written}\n`;
	return { body: stripTabs ? whole.replace(/^\t+/gm, "") : whole, closed: end >= 0 };
}
