// The terminal that a command runs at: its words, streams, variables, interrupts. All of the process that commands touch.
import { execFile, spawnSync } from "node:child_process";
import { fstatSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline/promises";
import { Writable } from "node:stream";
import { text as readWhole } from "node:stream/consumers";
import { LocalError } from "./failures.ts";

/** What a program printed, or why nothing is known of it. */
export type ProgramOutput = { output: string } | { failure: string };

export interface Terminal {
	/** The words that start this program from any folder: Node and the script, absolute. */
	readonly program: readonly string[];
	readonly variables: Readonly<Record<string, string | undefined>>;
	readonly folder: string;
	/** Whether a person reads standard output. */
	readonly isOutputShown: boolean;
	/** Whether a person reads standard error. */
	readonly isProgressShown: boolean;
	/** Whether standard input is a person's keyboard. */
	readonly isTyped: boolean;
	/** Whether standard input is a file or a shell's pipe, which end. What a program holds open may not. */
	readonly isPiped: boolean;
	write(text: string): void;
	writeError(text: string): void;
	/** Standard input to its end. */
	readInput(): Promise<string>;
	/** What a program prints, found on the path and run without a shell. */
	readProgram(name: string, words: readonly string[], timeoutMs: number): Promise<ProgramOutput>;
	/** Asks for a line that is not shown. */
	askSecret(question: string): Promise<string>;
	/** Asks for a line. Null at the end of the input, at Ctrl-C, which interrupts as well, and when the signal aborts. */
	askLine(question: string, signal: AbortSignal): Promise<string | null>;
	/** Has the person's editor change a text. @param extension of the file that the editor gets. */
	editText(text: string, extension: string): string;
	/** Calls back on Ctrl-C and SIGTERM. @returns what stops that */
	onInterrupt(callback: () => void): () => void;
}

function isFileOrPipe(): boolean {
	try {
		const input = fstatSync(0);
		return input.isFIFO() || input.isFile();
	} catch {
		// Closed.
		return false;
	}
}

/** The most that a program prints which is read. */
const MAX_OUTPUT_BYTES = 65_536;

function readProgram(name: string, words: readonly string[], timeoutMs: number): Promise<ProgramOutput> {
	return new Promise((resolve) => {
		const options = { timeout: timeoutMs, killSignal: "SIGKILL", maxBuffer: MAX_OUTPUT_BYTES } as const;
		const child = execFile(name, [...words], options, (error, output) => {
			if (!error) return resolve({ output });
			const { code, killed } = error;
			if (String(code) === "ENOENT") return resolve({ failure: "is not on the path" });
			resolve({ failure: killed ? `did not end within ${timeoutMs / 1_000} s` : `failed: ${code ?? error.message}` });
		});
		child.stdin?.end();
	});
}

async function askLine(question: string, signal: AbortSignal): Promise<string | null> {
	const lines = createInterface({ input: process.stdin, output: process.stderr, terminal: true });
	const ended = new AbortController();
	lines.once("close", () => ended.abort());
	// The terminal sends no signal while lines are read. It is told before the question ends, which would pass for an answer.
	lines.once("SIGINT", () => {
		process.emit("SIGINT");
		lines.close();
	});
	try {
		return await lines.question(question, { signal: AbortSignal.any([ended.signal, signal]) });
	} catch {
		process.stderr.write("\n");
		return null;
	} finally {
		lines.close();
	}
}

/** The file lies in a folder that only this user can read, and is gone afterwards. */
function editText(text: string, extension: string): string {
	const folder = mkdtempSync(join(tmpdir(), "svc-edit-"));
	const path = join(folder, `text.${extension}`);
	try {
		writeFileSync(path, text, { mode: 0o600 });
		const editor = process.env["VISUAL"] || process.env["EDITOR"] || "vi";
		// An editor may be a command line, such as `code --wait`.
		const { error, status } = spawnSync("sh", ["-c", `${editor} "$1"`, "sh", path], { stdio: "inherit" });
		if (error || status !== 0) throw new LocalError(`${editor} failed: ${error?.message ?? `exit status ${status}`}`);
		return readFileSync(path, "utf8");
	} finally {
		rmSync(folder, { recursive: true, force: true });
	}
}

/** The terminal of this process. A reader that goes away (`| head`) ends it quietly. */
export function processTerminal(): Terminal {
	const { stdin, stdout, stderr, env } = process;
	stdout.on("error", (error: NodeJS.ErrnoException) => {
		if (error.code === "EPIPE") process.exit(0);
		throw error;
	});
	return {
		program: [process.execPath, realpathSync(process.argv[1] ?? "")],
		variables: env,
		folder: process.cwd(),
		isOutputShown: stdout.isTTY === true,
		isProgressShown: stderr.isTTY === true,
		isTyped: stdin.isTTY === true,
		isPiped: isFileOrPipe(),
		write: (text) => void stdout.write(text),
		writeError: (text) => void stderr.write(text),
		readInput: () => readWhole(stdin),
		readProgram,
		async askSecret(question) {
			const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
			const lines = createInterface({ input: stdin, output: silent, terminal: true });
			// From here on the terminal shows nothing of what is typed. Asked before, it would show what comes at once.
			stderr.write(question);
			const ended = new AbortController();
			lines.once("close", () => ended.abort());
			try {
				return await lines.question("", { signal: ended.signal });
			} catch {
				return "";
			} finally {
				lines.close();
				stderr.write("\n");
			}
		},
		askLine,
		editText,
		onInterrupt(callback) {
			process.on("SIGINT", callback).on("SIGTERM", callback);
			return () => void process.off("SIGINT", callback).off("SIGTERM", callback);
		},
	};
}
