// Runs a command line: finds the command, reads its words, runs it, and makes failures readable.
import manifest from "../../../package.json" with { type: "json" };
import { type Command, explainUnknownCommand, matchCommand, parseWords } from "./command.ts";
import { COMMANDS } from "./commands.ts";
import { EXIT, explainFailure, failureAsJson } from "./exit-codes.ts";
import { renderCommandHelp, renderOverview } from "./help.ts";
import { CommandSession } from "./session.ts";
import type { Terminal } from "./terminal.ts";

async function executeCommand(command: Command, words: readonly string[], terminal: Terminal): Promise<number> {
	const wantsJson = words.includes("--json");
	let session = new CommandSession(terminal, { url: undefined, key: undefined, isJson: wantsJson });
	try {
		const given = parseWords(command, words);
		session = new CommandSession(terminal, {
			url: given.text("url"),
			key: given.text("key"),
			isJson: given.is("json"),
		});
		if (given.is("help")) {
			session.lines(renderCommandHelp(command));
			return EXIT.ok;
		}
		const stopListening = command.handlesInterrupts ? () => {} : terminal.onInterrupt(() => session.interrupt());
		try {
			return await command.run(given, session);
		} finally {
			stopListening();
		}
	} catch (error) {
		if (session.signal.aborted) return EXIT.interrupted;
		const { code, lines } = explainFailure(error);
		if (session.isJson) session.json(failureAsJson(error));
		for (const line of lines) session.note(line);
		return command.failureCode ?? code;
	}
}

const HELP_WORDS: readonly string[] = ["--help", "-h", "help"];

const overview = () => `${renderOverview(COMMANDS).join("\n")}\n`;

/** The help that words ask for: of all commands, of one, or of those that begin with one word, as `keys` does; null for none. */
function findHelp(words: readonly string[]): string | null {
	const [first = "", second = ""] = words;
	const isAsked = HELP_WORDS.includes(first);
	if (isAsked && second === "") return overview();
	// `help` as a second word may be a prompt.
	if (!isAsked && !["--help", "-h"].includes(second)) return null;
	const named = isAsked ? words.slice(1) : [first];
	const exact = matchCommand(COMMANDS, named);
	const shown = exact ? [exact.command] : COMMANDS.filter(({ name }) => name.startsWith(`${named[0]} `));
	return shown.length === 0 ? null : shown.map((command) => `${renderCommandHelp(command).join("\n")}\n`).join("\n");
}

/**
 * Runs a command line.
 * @param words behind `svc`.
 * @returns the exit code.
 */
export async function runCommandLine(words: readonly string[], terminal: Terminal): Promise<number> {
	const [first] = words;
	if (first === undefined) {
		terminal.writeError(overview());
		return EXIT.notAsked;
	}
	if (first === "--version") {
		terminal.write(`svc ${manifest.version}\n`);
		return EXIT.ok;
	}
	const help = findHelp(words);
	if (help !== null) {
		terminal.write(help);
		return EXIT.ok;
	}
	const found = matchCommand(COMMANDS, words);
	if (found) return executeCommand(found.command, found.rest, terminal);
	const named = HELP_WORDS.includes(first) ? words.slice(1) : words;
	terminal.writeError(`svc: ${explainUnknownCommand(COMMANDS, named)}\n`);
	return EXIT.notAsked;
}
