// What a command works on: its operands, files and standard input, as one text.
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import type { GivenWords } from "./command.ts";
import { LocalError, UsageError } from "./failures.ts";
import type { Terminal } from "./terminal.ts";

/** A file as text. @throws LocalError for one that cannot be read or is no UTF-8. */
export function readFileText(terminal: Terminal, path: string): string {
	try {
		return new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(
			readFileSync(resolve(terminal.folder, path)),
		);
	} catch (error) {
		throw new LocalError(explainFileError(path, error));
	}
}

/** Why a file cannot be read, without the system's own words where there are clearer ones. */
function explainFileError(path: string, error: unknown): string {
	const { code, message } = Object(error) as { code?: string; message?: string };
	if (code === "ENOENT") return `there is no file ${path}`;
	if (code === "EISDIR") return `${path} is a folder`;
	if (code === "EACCES") return `${path} may not be read`;
	return code === "ERR_ENCODING_INVALID_ENCODED_DATA"
		? `${path} is no text in UTF-8`
		: `${path} cannot be read: ${message}`;
}

/** A file, or standard input for `-`. */
export function readTextOrInput(terminal: Terminal, path: string): Promise<string> | string {
	return path === "-" ? terminal.readInput() : readFileText(terminal, path);
}

/** A fence that does not stand in the text. */
function fenceFor(text: string): string {
	const longest = Math.max(2, ...[...text.matchAll(/^`{3,}/gm)].map(([ticks]) => ticks.length));
	return "`".repeat(longest + 1);
}

/** A file as a prompt quotes it. */
function quoteFile(name: string, text: string): string {
	const fence = fenceFor(text);
	return `File ${name}:\n${fence}\n${text.replace(/\n$/, "")}\n${fence}`;
}

/**
 * The prompt of a command: its words, the files of `--file`, and what is piped in. The operand `-` reads standard
 * input whatever it is.
 * @throws UsageError when there is nothing.
 */
export async function readPrompt(given: GivenWords, terminal: Terminal, what: string): Promise<string> {
	const words = given.operands.filter((word) => word !== "-").join(" ");
	const files = given.list("file").map((path) => quoteFile(path, readFileText(terminal, path)));
	const isRead =
		given.operands.includes("-") || terminal.isPiped || (words === "" && files.length === 0 && !terminal.isTyped);
	const piped = isRead ? await terminal.readInput() : "";
	const prompt = [words, ...files, piped.trim()].filter((part) => part !== "").join("\n\n");
	if (prompt === "") throw new UsageError(`${what} is missing: as words, or on standard input`);
	return prompt;
}
