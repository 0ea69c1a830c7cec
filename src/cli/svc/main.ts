// Runs a command line: finds the command, reads its words, runs it, and makes failures readable.
import { type Command, explainUnknownCommand, matchCommand, parseWords } from "./command.ts";
import { COMMANDS } from "./commands.ts";
import { EXIT, explainFailure, failureAsJson } from "./exit-codes.ts";
import { renderCommandHelp, renderOverview } from "./help.ts";
import { CommandSession } from "./session.ts";
import type { Terminal } from "./terminal.ts";

async function runCommand(command: Command, words: readonly string[], terminal: Terminal): Promise<number> {
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

/**
 * Runs a command line.
 * @param words behind `svc`.
 * @returns the exit code.
 */
export async function runCommandLine(words: readonly string[], terminal: Terminal): Promise<number> {
	const overview = () => `${renderOverview(COMMANDS).join("\n")}\n`;
	const [first] = words;
	if (first === undefined) {
		terminal.writeError(overview());
		return EXIT.notAsked;
	}
	if (["--help", "-h", "help"].includes(first)) {
		const named = matchCommand(COMMANDS, words.slice(1));
		terminal.write(named ? `${renderCommandHelp(named.command).join("\n")}\n` : overview());
		return EXIT.ok;
	}
	const found = matchCommand(COMMANDS, words);
	if (found) return runCommand(found.command, found.rest, terminal);
	terminal.writeError(`svc: ${explainUnknownCommand(COMMANDS, words)}\n`);
	return EXIT.notAsked;
}
