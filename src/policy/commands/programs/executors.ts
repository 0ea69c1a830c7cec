// Programs that run what their words say, where the grammar of their words cannot say it: settings among options, keys
// typed into a terminal, lines of a debugger, scripts in JSON.
import {
	codeEffect,
	type Effect,
	guessedScriptEffect,
	type Invocation,
	type ProgramRule,
	raiseEffect,
	riskyEffect,
	runEffect,
	scriptEffect,
	writeEffect,
} from "../effects.ts";
import { parseArguments } from "../grammar.ts";
import { type StarredMap, starredNames } from "../starred-names.ts";
import executorsFile from "./executors.json" with { type: "json" };
import { findQuoted } from "./quoted.ts";

/** The options of a program that set something, and the settings that it runs. */
interface SettingOptions {
	readonly options: ReadonlySet<string>;
	readonly run: StarredMap<true>;
}

const SETTING_OPTIONS: ReadonlyMap<string, SettingOptions> = new Map(
	Object.entries(executorsFile.settings).flatMap(([names, { options, run }]) => {
		const settings = { options: new Set(options.split(" ")), run: starredNames(run) };
		return names.split(" ").map((name): [string, SettingOptions] => [name, settings]);
	}),
);

/** Finds the settings in a command's options whose value is run: `-o ProxyCommand=…`, `--config target.x.runner=…`. */
export function* findExecutedSettings(command: Invocation): Iterable<Effect> {
	const settings = SETTING_OPTIONS.get(command.name);
	if (!settings) return;
	for (const { text, option } of parseArguments(command)) {
		if (option === null || !settings.options.has(option)) continue;
		const [, name = "", value = ""] = /^\s*([^\s=]+)\s*=?\s*(.*)$/s.exec(text) ?? [];
		if (settings.run.has(name.toLowerCase()) && value !== "none")
			yield scriptEffect(value.replace(/^\[?["']|["']\]?$/g, ""));
	}
}

/** The command behind assignments, which both `env` and `sudo` take. What it prints is known by its own name. */
function commandAfterAssignments(command: Invocation): readonly Effect[] {
	const from = parseArguments(command).find(({ role }) => role === "run")?.at;
	if (from === undefined || !/^[^/=]+=/.test(command.words[from] ?? "")) return [];
	let at = from;
	while (/^[^/=]+=/.test(command.words[at] ?? "")) at++;
	return at < command.words.length ? [runEffect(command.words.slice(at))] : [];
}

/** `sudo` with a login shell reads commands. */
const sudo: ProgramRule = (command) => {
	const { words, piped } = command;
	const runsShell = words.some((word) => /^(?:-[a-zA-Z]*[is][a-zA-Z]*|--login|--shell)$/.test(word));
	const looks =
		words.length === 0 || words.every((word) => /^(?:-[klvV]+|--list|--validate|--version|--help)$/.test(word));
	return [
		...(looks ? [] : [riskyEffect("runs with another user's rights", `the same without ${command.name}`)]),
		...commandAfterAssignments(command),
		...(runsShell && piped && words.every((word) => word.startsWith("-"))
			? [{ kind: "interpret", language: "shell" } as const]
			: []),
	];
};

/** `env -S text`: several words in one, in front of the others. */
const ENV_SPLIT_OPTION = /^(?:-[a-zA-Z]*S|--split-string=?)(.*)$/s;

const env: ProgramRule = (command) => {
	const { words } = command;
	if (words.length === 0) return [riskyEffect("prints every environment variable")];
	// What follows counts as run there too, as behind a `cd` whose subshell may have ended.
	const folders: Effect[] = parseArguments({ name: "env", words }).flatMap(({ role, text }) =>
		role === "folder" ? [{ kind: "enter" as const, path: text }] : [],
	);
	return [...folders, ...runBehindEnv(command)];
};

function runBehindEnv(command: Invocation): readonly Effect[] {
	const { words } = command;
	const at = words.findIndex((word) => ENV_SPLIT_OPTION.test(word));
	if (at < 0) return commandAfterAssignments(command);
	const attached = ENV_SPLIT_OPTION.exec(words[at] ?? "")?.[1] ?? "";
	const text = attached === "" ? (words[at + 1] ?? "") : attached;
	const rest = words.slice(at + (attached === "" ? 2 : 1));
	return [runEffect([...text.split(/\s+/).filter((piece) => piece !== ""), ...rest])];
}

const NAMED_KEYS: ReadonlyMap<string, string> = new Map(Object.entries(executorsFile.named_keys));

/** `tmux send-keys` types its words without spaces. */
function typedKeys(words: readonly string[]): readonly Effect[] {
	const typed = parseArguments({ name: "tmux", words }).flatMap(({ role, text }) =>
		role === "line" ? [NAMED_KEYS.get(text) ?? text] : [],
	);
	return typed.length > 1 ? [guessedScriptEffect(typed.join(""))] : [];
}

/** A word `;` begins another command of tmux. */
function* tmux({ words }: Invocation): Iterable<Effect> {
	let from = 0;
	for (let at = 0; at <= words.length; at++) {
		if (at < words.length && !/^\\?;$/.test(words[at] ?? "")) continue;
		const own = words.slice(from, at);
		yield* typedKeys(own);
		if (from > 0 && own.length > 0) yield runEffect(["tmux", ...own]);
		from = at + 1;
	}
}

/** A package's command, as `npx` and others name it: `create-vite@latest`, `@changesets/cli`. */
function packageCommand(word: string): string {
	const [, scope = "", name = word] = /^(?:@([^/@]+)\/)?([^@/]+)(?:@[^/]*)?$/.exec(word) ?? [];
	return name === "cli" && scope !== "" ? scope : name;
}

/** What a package manager downloads from, instead of looking a name up. */
const PACKAGE_ADDRESS = /^(?:[a-z+]{1,16}:\/\/|git@|github:|gitlab:|bitbucket:|git\+)/i;

const USUAL_PACKAGES: ReadonlySet<string> = new Set(executorsFile.usual_packages);

const USUAL_SCOPES: ReadonlySet<string> = new Set(executorsFile.usual_scopes);

/** Whether many projects run the package: a known tool, or a generator such as `create-vite`. Another's `@scope` says nothing. */
function isUsualPackage(word: string, name: string): boolean {
	const scope = /^@([^/]+)\//.exec(word)?.[1];
	if (scope !== undefined) return USUAL_SCOPES.has(scope);
	return USUAL_PACKAGES.has(name) || /^(?:create-|create$)/.test(name);
}

/** Verbs with which a program installs a package and runs it, without a question. */
const INSTALLING_VERBS: ReadonlyMap<string, string> = new Map(Object.entries(executorsFile.installing_verbs));

/** Whether a program installs what it runs without a question. `npx` asks, except with `-y`. */
function installsWithoutQuestion({ name, options }: Invocation): boolean {
	if (/^(?:bunx|pnpx|uvx)$/.test(name)) return true;
	const verb = INSTALLING_VERBS.get(name);
	if (verb !== undefined) return options.operands.slice(0, verb.split(" ").length).join(" ") === verb;
	return name === "npx" && options.flags.some((flag) => /^(?:-y|--yes)$/.test(flag));
}

/**
 * `npx NAME …` runs a package by that name. One that comes from an address, or that `-y` installs and few people know, has
 * been seen by nobody.
 */
const packageRunner: ProgramRule = (command) => {
	const installs = installsWithoutQuestion(command);
	return parseArguments(command).flatMap(({ role, text, at, option }): readonly Effect[] => {
		const namesPackage = option === null || /^(?:-p|--package|--from|--spec|--with)$/.test(option);
		if (namesPackage && PACKAGE_ADDRESS.test(text))
			return [raiseEffect("exec_action", "takes a package from an address, unseen")];
		if (role !== "run") return [];
		const name = packageCommand(text);
		return [
			...(/@/.test(text) ? [runEffect([name, ...command.words.slice(at + 1)])] : []),
			...(installs && !isUsualPackage(text, name)
				? [raiseEffect("exec_action", `installs and runs the package ${name}, unseen`)]
				: []),
		];
	});
};

/** `npm pkg set scripts.test=LINE`: the value is a line that a later command runs. */
const npm: ProgramRule = (command) => {
	const [verb, set, ...settings] = command.words;
	const scripts = verb === "pkg" && set === "set" ? settings : [];
	return [
		...scripts.flatMap((setting): readonly Effect[] => {
			const line = /^scripts\.[^=]+=(.*)$/s.exec(setting)?.[1];
			return line === undefined ? [] : [guessedScriptEffect(line)];
		}),
		...packageRunner(command),
	];
};

const USUAL_MODULES: readonly string[] = executorsFile.usual_modules;

/** `go run host/module@version` downloads the module and runs it. */
const go: ProgramRule = ({ options }) => {
	const [verb, module = ""] = options.operands;
	const isRemote = verb === "run" && /^[^/]+\.[^/]+\//.test(module) && module.includes("@");
	return isRemote && !USUAL_MODULES.some((known) => module.startsWith(known))
		? [raiseEffect("exec_action", `installs and runs the module ${module}, unseen`)]
		: [];
};

/** A line of gdb or lldb. Each of them may call `system` of the program that it debugs. */
function debuggerEffects(line: string): readonly Effect[] {
	const effects: Effect[] = [];
	const shell = /^\s*(?:!|sh(?:e|el|ell)?\s|plat(?:form)?\s+sh(?:ell)?\s(?:\s*--?\w+\s)?|target\s+\S+\s*\|)(.*)$/s.exec(
		line,
	)?.[1];
	if (shell !== undefined) effects.push(scriptEffect(shell.replace(/^\s*--\s/, "")));
	const piped = /^\s*(?:pipe\s|\|).*\|(.*)$/s.exec(line)?.[1];
	if (piped !== undefined) effects.push(scriptEffect(piped));
	const file = /^\s*(?:source|command\s+source)\s+(\S+)/.exec(line)?.[1];
	if (file !== undefined) effects.push(runEffect([file]));
	const written = /^\s*(?:set\s+logging\s+file|generate-core-file|gcore|save\s+\S+|dump\s+\S+)\s+(\S+)/.exec(line)?.[1];
	if (written !== undefined) effects.push(writeEffect(written));
	return effects;
}

const DEBUGGER_LINE_OPTIONS =
	/^(?:--?ex|--?iex|--?eval-command|--?init-eval-command|-[oOkK]|--one-line(?:-.*)?|--source-on-crash)$/;

const debuggerCommand: ProgramRule = (command) => {
	const lines = parseArguments(command).flatMap(({ text, option }) =>
		option !== null && DEBUGGER_LINE_OPTIONS.test(option) ? [text] : [],
	);
	const attaches = command.words.some((word) => /^(?:-p|--?pid|--attach-pid|--attach-name|-n)(?:=|$)/.test(word));
	const known = [...lines, ...(command.input ?? "").split("\n")].filter((line) => line.trim() !== "");
	return [
		...(known.length > 0 ? [codeEffect("code", known.join("\n"))] : []),
		...known.flatMap(debuggerEffects),
		...(command.piped && command.input === null
			? [raiseEffect("exec_action", "a debugger runs commands that the check cannot see")]
			: []),
		...(attaches && command.name.startsWith("gdb") ? [riskyEffect("changes a running process")] : []),
	];
};

/** Texts of a command line's JSON, and what stands behind `commands=`, as shell: `aws ssm send-command`, `oci`. */
const remoteScripts: ProgramRule = ({ words, work }) => {
	const carriesScripts = words.some((word) =>
		/^(?:send-command|start-session|command|qemu-agent-command|set|create)$/.test(word),
	);
	const isRemote = words.some((word) => /^(?:ssm|instance-agent|qemu-agent-command|extension)$/.test(word));
	if (!carriesScripts || !isRemote) return [];
	return words.flatMap((word): readonly Effect[] => {
		if (!/[{"=]/.test(word) || !work.charge(20 * word.length)) return [];
		const texts = findQuoted(word).map(({ value }) => value);
		const assigned = /^(?:--[a-z-]+=)?(?:commands|commandLine|command)=\[?(.*)$/is.exec(word)?.[1];
		return [...texts, texts.join(" "), assigned ?? ""]
			.filter((text) => text.trim() !== "")
			.map((text) => guessedScriptEffect(text));
	});
};

/** `start-stop-daemon --exec program -- arguments`. */
const daemon: ProgramRule = (command) => {
	const program = parseArguments(command).find(({ role }) => role === "program")?.text;
	const dashes = command.words.indexOf("--");
	return program === undefined ? [] : [runEffect([program, ...(dashes < 0 ? [] : command.words.slice(dashes + 1))])];
};

/** Behind `--` stands a command. */
const afterDashes: ProgramRule = ({ words }) => {
	const dashes = words.indexOf("--");
	return dashes < 0 ? [] : [scriptEffect(words.slice(dashes + 1).join(" "))];
};

/** The rules by name. The roles of the words are in grammar/executors.json. */
export const EXECUTORS: Readonly<Record<string, ProgramRule>> = {
	...Object.fromEntries(executorsFile.after_dashes.map((name) => [name, afterDashes])),
	"start-stop-daemon": daemon,
	sudo,
	doas: sudo,
	run0: sudo,
	pkexec: sudo,
	gksudo: sudo,
	env,
	genv: env,
	tmux,
	tmate: tmux,
	npx: packageRunner,
	pnpx: packageRunner,
	bunx: packageRunner,
	uvx: packageRunner,
	pipx: packageRunner,
	npm,
	go,
	pnpm: packageRunner,
	yarn: packageRunner,
	bun: packageRunner,
	uv: packageRunner,
	pip: packageRunner,
	pip3: packageRunner,
	gdb: debuggerCommand,
	"gdb-multiarch": debuggerCommand,
	"rust-gdb": debuggerCommand,
	lldb: debuggerCommand,
	"rust-lldb": debuggerCommand,
	aws: remoteScripts,
	az: remoteScripts,
	oci: remoteScripts,
	virsh: remoteScripts,
};
