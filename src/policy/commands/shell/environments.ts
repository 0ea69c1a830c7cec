// Commands that print settings of the shell: `eval "$(fnm env)"` is how their tools want to be set up.
import environmentsFile from "./environments.json" with { type: "json" };

const PRINTERS: ReadonlySet<string> = new Set(environmentsFile.printers);

/** Whether a command prints the environment, hooks or completions of an installed tool, and nothing a caller wrote. */
export function printsEnvironment(name: string, args: readonly string[]): boolean {
	return PRINTERS.has(name) || PRINTERS.has(`${name} ${args.find((word) => !/^-/.test(word)) ?? args[0] ?? ""}`);
}
