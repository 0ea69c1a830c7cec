// The help of `svc` and its completion in shells, from the table of commands. Pure.
import { COMMON_FLAGS, type Command, type Flag } from "./command.ts";
import { renderColumns } from "./output.ts";

function renderFlags(flags: Readonly<Record<string, Flag>>): string[] {
	return renderColumns(
		Object.entries(flags).map(([name, { short, value, about }]) => [
			`  ${short === undefined ? "    " : `-${short}, `}--${name}${value === undefined ? "" : ` ${value}`}`,
			about,
		]),
	);
}

export const EXIT_HELP = [
	"exit codes: 0 done; 1 the service refused, or what was asked does not hold; 2 wrong words, no key, no connection;",
	"  130 interrupted. svc check: 0 allow, 10 confirm, 11 approve, 12 deny, 2 anything else.",
] as const;

/** The help of all commands. */
export function renderOverview(commands: readonly Command[]): string[] {
	return [
		"usage: svc COMMAND [FLAGS] [WORDS…]",
		"",
		...renderColumns(commands.map(({ name, operands = "", about }) => [`  ${name} ${operands}`.trimEnd(), about])),
		"",
		"flags of every command:",
		...renderFlags(COMMON_FLAGS),
		"svc --version prints the version; svc help COMMAND shows a command's flags.",
		"",
		"The service and the key come from --url and --key, else SVC_BASE_URL and SVC_API_KEY (else OpenAI's variables), else svc login.",
		...EXIT_HELP,
	];
}

/** The help of one command. */
export function renderCommandHelp({ name, about, operands, details = [], flags }: Command): string[] {
	return [
		`usage: svc ${[name, ...(flags ? ["[FLAGS]"] : []), ...(operands ? [operands] : [])].join(" ")}`,
		"",
		`${about[0]?.toUpperCase()}${about.slice(1)}.`,
		...details,
		...(flags ? ["", ...renderFlags(flags)] : []),
		"",
		...renderFlags(Object.fromEntries(Object.entries(COMMON_FLAGS).filter(([flag]) => !flags || !(flag in flags)))),
	];
}

export const SHELLS = ["bash", "zsh", "fish"] as const;
export type CompletionShell = (typeof SHELLS)[number];

/** Every command with the words that may follow it. */
function completions(commands: readonly Command[]): { path: string; words: string[] }[] {
	const firsts = [...new Set(commands.map(({ name }) => name.split(" ")[0] ?? name))];
	const below = firsts.flatMap((first) => {
		const words = commands.flatMap(({ name }) => (name.startsWith(`${first} `) ? [name.slice(first.length + 1)] : []));
		return words.length > 0 ? [{ path: first, words }] : [];
	});
	const flags = commands.map(({ name, flags = {} }) => ({
		path: name,
		words: Object.keys({ ...COMMON_FLAGS, ...flags }).map((flag) => `--${flag}`),
	}));
	return [{ path: "", words: [...firsts, "--help", "--version"] }, ...below, ...flags];
}

/** The cases of a function for bash and zsh: what was typed before the word, without flags, leads to the words that fit. */
function renderCases(commands: readonly Command[]): string {
	return completions(commands)
		.map(({ path, words }) => `    "${path}") words="${words.join(" ")}" ;;`)
		.join("\n");
}

/** Zsh completes as bash does once both systems are loaded; the first may be there already. */
const ZSH_HEAD = `(( $+functions[compdef] )) || { autoload -Uz compinit && compinit -i; }
autoload -U +X bashcompinit && bashcompinit
`;

/** A script that completes commands and flags; other words complete as files. */
export function renderCompletion(shell: CompletionShell, commands: readonly Command[]): string {
	if (shell === "fish")
		return `${completions(commands)
			.map(({ path, words }) => {
				const depth = path === "" ? 0 : path.split(" ").length;
				const names = path.split(" ").map((word, at) => `test "$words[${at + 1}]" = "${word}"`);
				const condition = [
					`test (count $words) -${path === "" || !words[0]?.startsWith("--") ? "eq" : "ge"} ${depth}`,
					...(path === "" ? [] : names),
				];
				return `complete -c svc -n 'set -l words (commandline -opc)[2..-1]; ${condition.join("; and ")}' ${words.every((word) => word.startsWith("--")) ? words.map((word) => `-l ${word.slice(2)}`).join(" ") : `-f -a '${words.join(" ")}'`}`;
			})
			.join("\n")}\n`;
	const head = shell === "zsh" ? ZSH_HEAD : "";
	return `${head}_svc() {
  local current="\${COMP_WORDS[COMP_CWORD]}" typed="" words="" index word
  for ((index = 1; index < COMP_CWORD; index++)); do
    word="\${COMP_WORDS[index]}"
    case "$word" in -*) break ;; esac
    [ "$index" -gt 2 ] && break
    typed="\${typed:+$typed }$word"
  done
  case "$typed" in
${renderCases(commands)}
    *) case "\${typed%% *}" in
${renderCases(commands).replaceAll(/^/gm, "  ")}
      esac ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _svc svc
`;
}
