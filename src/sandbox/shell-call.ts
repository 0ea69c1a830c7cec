// How the sandbox runs a command through an agent's tool: which tool takes a command, and which command a message asks for.

interface AgentTool {
	name: string;
	description: string;
	parameters: Record<string, unknown>;
	/** A custom tool: its argument is one text. */
	input?: "text";
}

type Fields = Record<string, unknown>;

/** A tool that runs commands, and the arguments that make it run one. */
interface ShellTool<Tool> {
	tool: Tool;
	argumentsFor(command: string): Fields;
}

const SHELL_NAME = /bash|shell|exec|command|terminal/i;

/** Codex's script tool: its text is JavaScript, which calls the shell. */
const SCRIPT_DESCRIPTION = /\btools\.exec_command\(/;

function propertiesIn({ parameters }: AgentTool): Fields {
	const { properties } = parameters;
	return typeof properties === "object" && properties !== null ? { ...properties } : {};
}

/** Whether a property's schema allows a type; Google writes types in capitals. */
function allowsType(schema: unknown, type: string): boolean {
	const { type: types } = typeof schema === "object" && schema !== null ? { type: undefined, ...schema } : {};
	return [types].flat().some((name) => String(name).toLowerCase() === type);
}

/** Where a wire has no custom tools, one is a function of the single text `input`. */
function takesText(tool: AgentTool): boolean {
	return tool.input === "text" || Object.keys(propertiesIn(tool)).join() === "input";
}

function toShellTool<Tool extends AgentTool>(tool: Tool): ShellTool<Tool> | null {
	if (takesText(tool)) {
		const isScript = SCRIPT_DESCRIPTION.test(tool.description);
		if (!isScript && !SHELL_NAME.test(tool.name)) return null;
		const toScript = (command: string) => `text(await tools.exec_command({ cmd: ${JSON.stringify(command)} }));`;
		return { tool, argumentsFor: (command) => ({ input: isScript ? toScript(command) : command }) };
	}
	const properties = propertiesIn(tool);
	for (const key of ["cmd", "command"]) {
		if (allowsType(properties[key], "string")) return { tool, argumentsFor: (command) => ({ [key]: command }) };
		if (allowsType(properties[key], "array"))
			return { tool, argumentsFor: (command) => ({ [key]: ["bash", "-lc", command] }) };
	}
	return null;
}

/** The tool that runs commands: the first that is named for it, else the first that takes one. Null if there is none. */
export function findShellTool<Tool extends AgentTool>(tools: readonly Tool[]): ShellTool<Tool> | null {
	const shells = tools.map(toShellTool).filter((shell) => shell !== null);
	return shells.find(({ tool }) => SHELL_NAME.test(tool.name)) ?? shells[0] ?? null;
}

/** The command of the last line that is `run <command>`; null without such a line. */
export function findCommand(userText: string): string | null {
	const lines = [...userText.matchAll(/^(?:please )?run (?:`([^`\n]+)`|(\S.*))$/gim)];
	const [, quoted, plain] = lines.at(-1) ?? [];
	return (quoted ?? plain)?.trim() ?? null;
}
