// The tools of `svc run`: commands that stand for functions, named by flags or in a file. Running them is tool-command.ts's.
import type { ToolsByName, ToolWithFunction } from "../../client/tool-calls.ts";
import { renderSuggestion } from "../../suggest.ts";
import { revealHidden } from "../../text/hidden-characters.ts";
import { toShellWord } from "../../text/shell-word.ts";
import type { Flag, GivenWords } from "./command.ts";
import { UsageError } from "./failures.ts";
import { readFileText } from "./input.ts";
import { firstLine } from "./output.ts";
import type { CommandSession } from "./session.ts";
import { runToolCommand } from "./tool-command.ts";

const DEFAULT_TIMEOUT_S = 300;
/** The service waits longer for a result than the command may take, so that a slow command ends as its own failure. */
const SERVICE_MARGIN_S = 300;
/** The service waits for a result for 7 days at most. */
const MAX_TIMEOUT_S = 7 * 24 * 60 * 60 - SERVICE_MARGIN_S;
const BUILT_INS: readonly string[] = ["compute", "ask_user"];
const EFFECTS = ["read", "write", "external"] as const;

export const TOOL_FLAGS: Readonly<Record<string, Flag>> = {
	tool: {
		value: "NAME=COMMAND",
		isList: true,
		about: "a tool: a command line (its arguments are said in --tools), or compute, ask_user; may be repeated",
	},
	"tool-effects": { value: "NAME=EFFECTS", isList: true, about: "read, write or external (default); may be repeated" },
	tools: {
		value: "FILE",
		about: "tools as a JSON list: as the API takes them (`parameters` says which arguments), each with its `command`",
	},
	"tool-timeout": { value: "SECONDS", about: `most seconds for each call, ${DEFAULT_TIMEOUT_S} by default` },
};

/** A tool as it is given: its form, and the command line behind it. */
interface CommandTool {
	name: string;
	command: string;
	form: Omit<ToolWithFunction, "run">;
}

/** @param form what the flag takes, for the message. @throws UsageError */
function splitPair(flag: string, text: string, form: string): [name: string, value: string] {
	const at = text.indexOf("=");
	if (at <= 0 || at === text.length - 1) throw new UsageError(`--${flag} takes ${form}, not ${JSON.stringify(text)}`);
	return [text.slice(0, at), text.slice(at + 1)];
}

function toCommandTool(text: string): CommandTool {
	const [name, command] = splitPair("tool", text, "NAME=COMMAND, or compute or ask_user");
	if (BUILT_INS.includes(name))
		throw new UsageError(`${name} is the service's own tool: --tool ${name}; a command needs another name`);
	// A model that is told nothing of a tool does not call it well.
	const description = `Runs \`${command}\`. It reads its arguments, one JSON object, from standard input.`;
	return { name, command, form: { description, parameters: { type: "object" } } };
}

/** @throws UsageError for a file that is no list of tools with commands. */
function readToolFile(path: string, text: string): CommandTool[] {
	const wrong = (what: string) => new UsageError(`${path}: ${what}`);
	let entries: unknown;
	try {
		entries = JSON.parse(text);
	} catch (error) {
		throw wrong(`no JSON: ${Object(error).message}`);
	}
	if (!Array.isArray(entries))
		throw wrong('it is no JSON list of tools, such as [{"name": "read_note", "command": "cat note.txt"}]');
	return entries.map((entry: unknown, index) => {
		const { name, command, type: _, ...form } = Object(entry) as Record<string, unknown>;
		if (typeof name !== "string" || typeof command !== "string" || command === "")
			throw wrong(`tool ${index} (counted from 0) needs a \`name\` and a \`command\`, both texts`);
		// The boundary: the service says what is wrong with a form.
		return { name, command, form: form as CommandTool["form"] };
	});
}

/** On one line: the status, and the beginning of what the command said. */
function summarizeFailure(message: string): string {
	return revealHidden(firstLine(message.trim().replaceAll(/\s*[\r\n]\s*/g, " · "), 200));
}

/** Puts effects to the tools that they name. @throws UsageError */
function addEffects(tools: readonly CommandTool[], given: readonly string[]): void {
	for (const text of given) {
		const [name, word] = splitPair("tool-effects", text, `NAME=EFFECTS (${EFFECTS.join(", ")})`);
		const effects = EFFECTS.find((each) => each === word);
		if (!effects)
			throw new UsageError(`--tool-effects ${name} takes ${EFFECTS.join(", ")}, not ${JSON.stringify(word)}`);
		const tool = tools.find((each) => each.name === name);
		const names = tools.map((each) => each.name);
		if (!tool)
			throw new UsageError(`--tool-effects names no tool ${JSON.stringify(name)}${renderSuggestion(name, names)}`);
		tool.form.effects = effects;
	}
}

/** The tools of a command line, each of which runs its command. Empty without any. @throws UsageError */
export function readTools(given: GivenWords, session: CommandSession): ToolsByName {
	const { terminal } = session;
	const words = given.list("tool");
	const path = given.text("tools");
	const fromFile = path === undefined ? [] : readToolFile(path, readFileText(terminal, path));
	const tools = [...words.filter((word) => !BUILT_INS.includes(word)).map(toCommandTool), ...fromFile];
	addEffects(tools, given.list("tool-effects"));
	const seconds = given.number("tool-timeout") ?? DEFAULT_TIMEOUT_S;
	if (!(seconds > 0 && seconds <= MAX_TIMEOUT_S))
		throw new UsageError(`--tool-timeout takes a number of seconds above 0, at most ${MAX_TIMEOUT_S}`);
	const entries = tools.map(({ name, command, form }): [string, ToolWithFunction] => [
		name,
		{
			timeout_s: Math.ceil(seconds) + SERVICE_MARGIN_S,
			...form,
			run: async (values, { signal }) => {
				const input = JSON.stringify(values);
				session.note(`${name}  ${firstLine(revealHidden(input), 100)}`, "dim");
				const limits = { timeoutMs: seconds * 1_000, signal };
				try {
					return await runToolCommand(command, `${input}\n`, terminal.folder, terminal.variables, limits);
				} catch (error) {
					if (!signal.aborted) session.note(`${name}  failed: ${summarizeFailure(Object(error).message)}`, "yellow");
					throw error;
				}
			},
		},
	]);
	const twice = entries.find(([name], at) => entries.findIndex(([other]) => other === name) !== at);
	if (twice) throw new UsageError(`there are two tools named ${JSON.stringify(twice[0])}`);
	return Object.fromEntries([
		...words.filter((word) => BUILT_INS.includes(word)).map((word) => [word, true]),
		...entries,
	]);
}

/**
 * The words that go on with a run, with the tools that this command line named.
 * @param missing tools that the run waits for, of which this command line knows no command.
 */
export function renderResumeCommand(runId: string, given: GivenWords, missing: readonly string[] = []): string {
	const flags = ["tool", "tool-effects"].flatMap((flag) => given.list(flag).map((text) => [`--${flag}`, text]));
	flags.push(...missing.map((name) => ["--tool", `${name}=COMMAND`]));
	const single = ["tools", "tool-timeout", "approve"].flatMap((flag) => {
		const text = given.text(flag);
		return text === undefined ? [] : [[`--${flag}`, text]];
	});
	const words = [...flags, ...single].flatMap(([flag = "", text = ""]) => [flag, toShellWord(text)]);
	return ["svc run --resume", runId, ...words].join(" ");
}
