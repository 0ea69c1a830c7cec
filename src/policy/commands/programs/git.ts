// git: what discards work, rewrites what others have, or runs commands from its configuration.

import {
	type Effect,
	forbiddenEffect,
	type Invocation,
	type ProgramRule,
	raiseEffect,
	riskyEffect,
	runEffect,
	scriptEffect,
	writeEffect,
} from "../effects.ts";
import { hasFlag, parseOptions } from "../options.ts";
import gitFile from "./git.json" with { type: "json" };

/** Global options that take the next word. */
const GLOBAL_OPTIONS_WITH_VALUE: ReadonlySet<string> = new Set(gitFile.global_options_with_value);

/** Settings whose value git runs. */
const EXECUTED_SETTINGS =
	/^(?:core\.(?:sshcommand|pager|editor|fsmonitor|askpass|gitproxy)|pager\..+|credential(?:\..+)?\.helper|diff\.external|diff\..+\.(?:command|textconv)|filter\..+\.(?:clean|smudge|process)|merge\..+\.driver|mergetool\..+\.cmd|difftool\..+\.cmd|gpg\.program|gpg\..+\.program|sequence\.editor|uploadpack\.packobjectshook|protocol\.ext\.allow|http\.proxy|remote\..+\.(?:receivepack|uploadpack))$/i;

/** Usual programs of these settings. */
const HARMLESS_PROGRAMS =
	/^(?:|cat|less(?: -\S+)*|more|true|false|:|vim?|nvim|nano|emacs|code --wait|delta|bat|store|cache.*|osxkeychain|manager.*|ssh(?: -i \S+)?)$/;

interface GitCommand {
	readonly command: Invocation;
	readonly words: readonly string[];
	readonly operands: readonly string[];
	readonly has: (flag: string) => boolean;
}

/** What git runs because of a setting given by `-c` or `git config`. */
function settingEffects(name: string, value: string): readonly Effect[] {
	if (/^alias\./i.test(name)) {
		const aliasEffect = value.startsWith("!")
			? scriptEffect(value.slice(1))
			: runEffect(["git", ...value.split(/\s+/).filter((word) => word !== "")]);
		return [aliasEffect];
	}
	if (/^core\.hookspath$/i.test(name)) return [riskyEffect("git runs hooks from another folder")];
	if (!EXECUTED_SETTINGS.test(name) || HARMLESS_PROGRAMS.test(value.trim())) return [];
	return [forbiddenEffect(`git runs the program set as ${name}`), scriptEffect(value.replace(/^!/, ""))];
}

const reset: GitRule = ({ has }) =>
	has("--hard") || has("--merge") || has("--keep") ? [forbiddenEffect("git reset throws uncommitted work away")] : [];

/** `--force-with-lease` refuses to overwrite commits that were not seen. No other way of forcing does. */
const push: GitRule = ({ command, words, operands, has }) => {
	const isForced = words.some(
		(word) => /^--force/.test(word) && !/^--force-(?:with-lease|if-includes)(?:=|$)/.test(word),
	);
	if (isForced || command.options.letters.has("f") || has("-f"))
		return [forbiddenEffect("git push overwrites what others have")];
	if (has("--mirror") || has("--prune")) return [forbiddenEffect("git push removes what is not here")];
	if (has("--delete") || operands.slice(1).some((ref) => /^:./.test(ref)))
		return [forbiddenEffect("git push deletes a remote branch or tag")];
	if (operands.slice(1).some((ref) => ref.startsWith("+")))
		return [forbiddenEffect("git push overwrites what others have")];
	return [];
};

const clean: GitRule = ({ has }) => {
	if (has("-n") || has("--dry-run")) return [];
	return has("-f") || has("--force") ? [forbiddenEffect("git clean removes files git does not know")] : [];
};

/** Options of checkout whose value is the next word. */
const CHECKOUT_OPTIONS_WITH_VALUE: ReadonlySet<string> = new Set(gitFile.checkout_options_with_value);

const checkout: GitRule = ({ words, has }) => {
	const dashes = words.indexOf("--");
	const before = dashes < 0 ? words : words.slice(0, dashes);
	const paths = dashes < 0 ? [] : words.slice(dashes + 1);
	if (has("-f") || has("--force")) return [forbiddenEffect("git checkout --force throws local changes away")];
	if (before.some((word) => /^(?:-b|-B|--orphan)/.test(word))) return [];
	const operandsBefore = before.filter((word, at) => {
		const previous = before[at - 1] ?? "";
		if (/^-./.test(word) || CHECKOUT_OPTIONS_WITH_VALUE.has(previous)) return false;
		return !(/^(?:-t|--track)$/.test(previous) && /^(?:direct|inherit)$/.test(word));
	});
	const overwrittenPaths = [...operandsBefore.slice(1), ...paths, ...operandsBefore.filter((word) => word === ".")];
	if (overwrittenPaths.length === 0 && !words.some((word) => /^--pathspec-from-file/.test(word))) return [];
	return [
		forbiddenEffect("git checkout overwrites files in the working tree"),
		...overwrittenPaths.map((path) => writeEffect(path, "below")),
	];
};

const restoreFiles: GitRule = ({ operands, has }) => {
	const onlyStaged = has("--staged") || has("-S");
	if (onlyStaged && !(has("--worktree") || has("-W"))) return [];
	return [
		forbiddenEffect("git restore overwrites files in the working tree"),
		...operands.map((path) => writeEffect(path, "below")),
	];
};

const switchTo: GitRule = ({ has }) =>
	has("-f") || has("--force") || has("--discard-changes")
		? [forbiddenEffect("git switch throws local changes away")]
		: [];

const branch: GitRule = ({ command, has }) => {
	const deletes = has("-D") || (has("-d") && (command.options.letters.has("f") || has("--force")));
	if (deletes) return [forbiddenEffect("git branch deletes a branch that is not merged")];
	return has("-M") || has("-C") || (has("-f") && !has("--format"))
		? [riskyEffect("git branch moves a branch by force")]
		: [];
};

const stash: GitRule = ({ operands }) => {
	if (operands[0] === "clear") return [forbiddenEffect("git stash clear throws every stash away")];
	return operands[0] === "drop" ? [raiseEffect("delete_action", "git stash drop throws a stash away")] : [];
};

const rewriteHistory: GitRule = ({ command }) => [
	forbiddenEffect(`git ${command.words.find((word) => !word.startsWith("-")) ?? ""} rewrites or removes history`),
];

const config: GitRule = ({ operands, has }) => {
	const [name = "", value] = operands[0] === "set" ? operands.slice(1) : operands;
	if (has("--global") || has("--system"))
		return [
			...(value === undefined ? [] : settingEffects(name, value)),
			...(value === undefined ? [] : globalSettingEffects(name)),
		];
	return value === undefined ? [] : settingEffects(name, value);
};

function globalSettingEffects(name: string): readonly Effect[] {
	return /^(?:user|init|pull|push|color|core\.(?:autocrlf|editor|pager))\b/i.test(name)
		? []
		: [riskyEffect("changes git's configuration for every repository")];
}

type GitRule = (command: GitCommand) => readonly Effect[];

/** The subcommands that can lose something. */
const GIT_SUBCOMMANDS: ReadonlyMap<string, GitRule> = new Map(
	Object.entries<GitRule>({
		reset,
		push,
		clean,
		checkout,
		co: checkout,
		restore: restoreFiles,
		switch: switchTo,
		branch,
		stash,
		config,
		"filter-branch": rewriteHistory,
		"filter-repo": rewriteHistory,
		"send-pack": ({ has }) =>
			has("--force") || has("--mirror") ? [forbiddenEffect("git send-pack overwrites what others have")] : [],
		"update-ref": ({ has }) => (has("-d") ? [forbiddenEffect("git update-ref deletes a reference")] : []),
		reflog: ({ operands }) =>
			/^(?:expire|delete)$/.test(operands[0] ?? "") ? [forbiddenEffect("git reflog drops what undo needs")] : [],
		gc: ({ words }) =>
			words.some((word) => /^--prune(?:=(?:now|all)|$)/.test(word))
				? [forbiddenEffect("git gc drops unreachable work at once")]
				: [],
		prune: ({ has }) => (has("-n") ? [] : [riskyEffect("git prune drops unreachable objects")]),
		worktree: ({ operands, has }) =>
			operands[0] === "remove" && (has("-f") || has("--force"))
				? [forbiddenEffect("git worktree remove throws its changes away")]
				: [],
		submodule: ({ operands, words, has }) => {
			if (operands[0] === "deinit" && (has("-f") || has("--all")))
				return [forbiddenEffect("git submodule deinit removes a working tree")];
			return operands[0] === "foreach"
				? [
						scriptEffect(
							words
								.slice(words.indexOf("foreach") + 1)
								.filter((word) => !/^--/.test(word))
								.join(" "),
						),
					]
				: [];
		},
		tag: ({ has }) => (has("-d") || has("--delete") ? [raiseEffect("delete_action", "deletes a tag")] : []),
		remote: ({ operands }) =>
			/^(?:rm|remove)$/.test(operands[0] ?? "") ? [raiseEffect("delete_action", "removes a remote")] : [],
		rm: ({ operands, has }) => [
			...operands.map((path) => writeEffect(path, "below")),
			...(has("--cached") ? [] : [raiseEffect("delete_action", "git rm removes files")]),
			...(has("-f") && !has("--cached") ? [riskyEffect("git rm -f removes changed files")] : []),
		],
		mv: ({ operands }) => operands.map((path) => writeEffect(path, "below")),
		commit: ({ has }) => (has("--no-verify") ? [riskyEffect("skips the checks before a commit")] : []),
		rebase: ({ words }) =>
			words.flatMap((word, at) => {
				const command = /^(?:-x|--exec)(?:=(.*))?$/s.exec(word);
				return command ? [scriptEffect(command[1] ?? words[at + 1] ?? "")] : [];
			}),
		bisect: ({ operands }) => (operands[0] === "run" ? [runEffect(operands.slice(1))] : []),
		lfs: ({ operands }) => (operands[0] === "prune" ? [riskyEffect("git lfs prune removes local objects")] : []),
		clone: ({ operands }) => operands.filter((url) => url.startsWith("ext::")).map((url) => scriptEffect(url.slice(5))),
	}),
);

/** `git [options] subcommand …`. Settings before the subcommand count whatever the subcommand is. */
export const git: ProgramRule = (command) => {
	const effects: Effect[] = [];
	let at = 0;
	for (; /^-./.test(command.words[at] ?? ""); at++) {
		const word = command.words[at] ?? "";
		const setting = word === "-c" ? command.words[at + 1] : /^-c(.+)$/s.exec(word)?.[1];
		const [, name, value] = /^([^=]+)=?(.*)$/s.exec(setting ?? "") ?? [];
		if (name !== undefined && value !== undefined) effects.push(...settingEffects(name, value));
		if (GLOBAL_OPTIONS_WITH_VALUE.has(word)) at++;
	}
	const words = command.words.slice(at + 1);
	const rule = GIT_SUBCOMMANDS.get(command.words[at] ?? "");
	if (!rule || words.some((word) => word === "--help")) return effects;
	const options = parseOptions("git", words);
	const has = (flag: string) => hasFlag("git", options, flag);
	return [...effects, ...rule({ command: { ...command, options }, words, operands: options.operands, has })];
};
