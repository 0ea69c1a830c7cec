// git: what discards work, rewrites what others have, or runs commands from its configuration.

import {
	type Effect,
	forbiddenEffect,
	type Invocation,
	type ProgramRule,
	raiseEffect,
	riskyEffect,
	scriptEffect,
	writeEffect,
} from "../effects.ts";
import { parseArguments } from "../grammar.ts";
import { hasFlag, parseOptions } from "../options.ts";
import gitFile from "./git.json" with { type: "json" };
import { findSettingEffects } from "./git-settings.ts";

/** Global options that take the next word. */
const GLOBAL_OPTIONS_WITH_VALUE: ReadonlySet<string> = new Set(gitFile.global_options_with_value);

/** Options that destroy something, of subcommands that have no rule of their own. */
const DESTROYING_OPTIONS: ReadonlyMap<string, readonly string[]> = new Map(Object.entries(gitFile.destroying_options));

/** Subcommands that `-n` makes harmless. With others it means something else. */
const DRY_RUN_SUBCOMMANDS: ReadonlySet<string> = new Set(gitFile.dry_run_subcommands);

interface GitCommand {
	readonly command: Invocation;
	readonly words: readonly string[];
	readonly operands: readonly string[];
	readonly has: (flag: string) => boolean;
}

const reset: GitRule = ({ has }) =>
	has("--hard") || has("--merge") || has("--keep")
		? [forbiddenEffect("git reset throws uncommitted work away", "git stash")]
		: [];

/** Names of branches that others build on. Which of them a repository protects, only its host knows. */
const SHARED_BRANCH =
	/^(?:refs\/heads\/)?(?:main|master|trunk|default|stable|develop|development|prod|production|staging|live|gh-pages|releases?(?:[/-].*)?)$/i;

/**
 * Whether a push names a branch that others build on as its target: `main`, `HEAD:main`, `+topic:release/1.2`. With `--all`, or a star
 * for all names, one is among them.
 */
function pushesToShared({ operands, has }: Parameters<GitRule>[0]): boolean {
	if (has("--all") || has("--branches")) return true;
	const targets = operands.slice(1).map((ref) => ref.replace(/^\+/, "").split(":").at(-1) ?? "");
	return targets.some((target) => SHARED_BRANCH.test(target) || /^(?:refs\/(?:heads\/)?)?\*$/.test(target));
}

/** What would do where a push overwrites a branch. Others have what a shared one holds, seen or not. */
const REVERT_INSTEAD = "git revert, and a push without force";

/** `--force-with-lease` refuses to overwrite commits that were not seen. No other way of forcing does. */
const push: GitRule = (use) => {
	const { command, words, operands, has } = use;
	const isShared = pushesToShared(use);
	const instead = isShared ? REVERT_INSTEAD : "git push --force-with-lease";
	const isForced = words.some(
		(word) => /^--force/.test(word) && !/^--force-(?:with-lease|if-includes)(?:=|$)/.test(word),
	);
	if (isForced || command.options.letters.has("f") || has("-f"))
		return [forbiddenEffect("git push overwrites what others have", instead)];
	if (has("--mirror") || has("--prune"))
		return [forbiddenEffect("git push deletes remote branches that do not exist here")];
	if (has("--delete") || operands.slice(1).some((ref) => /^:./.test(ref)))
		return [forbiddenEffect("git push deletes a remote branch or tag")];
	if (operands.slice(1).some((ref) => ref.startsWith("+")))
		return [forbiddenEffect("git push overwrites what others have", instead)];
	const hasLease = words.some((word) => /^--force-(?:with-lease|if-includes)(?:=|$)/.test(word));
	return [
		...(hasLease && isShared ? [riskyEffect("git push rewrites a branch that others build on", REVERT_INSTEAD)] : []),
		...(has("--no-verify") && !command.options.letters.has("n")
			? [riskyEffect("git push skips the hooks that check it")]
			: []),
		...(has("--tags") || has("--follow-tags") || operands.slice(1).some((ref) => PUBLISHED_TAG.test(ref))
			? [raiseEffect("deploy_action", "git push publishes a tag, from which releases are made")]
			: []),
		...(PLATFORM_REMOTES.test(operands[0] ?? "") ? [raiseEffect("deploy_action", "git push deploys")] : []),
		...(REMOTE_ADDRESS.test(operands[0] ?? "")
			? [riskyEffect("git push sends the repository to an address that is none of its remotes", "git push origin")]
			: []),
	];
};

/** A tag of a version, or a reference that says that it is a tag. */
const PUBLISHED_TAG = /^(?:[^:]*:)?(?:refs\/tags\/.+|v\d+(?:\.\d+)+(?:[-+.].*)?)$|^tag$/;

/** An address of a repository on another machine: `https://host/path`, `user@host:path`. */
const REMOTE_ADDRESS = /^[a-z][a-z0-9+.-]*:\/\/|^[^/\s]+@[^/\s]+:/i;

/** Names of remotes that build and run what they are sent. */
const PLATFORM_REMOTES =
	/^(?:heroku|dokku|piku|scalingo|clever|gigalixir|azure|production|prod|live|deploy)$|@(?:dokku|git\.heroku)/i;

const clean: GitRule = ({ has }) =>
	has("-f") || has("--force")
		? [forbiddenEffect("git clean removes files that git does not track", "git clean -n")]
		: [];

/** Options of checkout whose value is the next word. */
const CHECKOUT_OPTIONS_WITH_VALUE: ReadonlySet<string> = new Set(gitFile.checkout_options_with_value);

const checkout: GitRule = ({ words, has }) => {
	const dashes = words.indexOf("--");
	const before = dashes < 0 ? words : words.slice(0, dashes);
	const paths = dashes < 0 ? [] : words.slice(dashes + 1);
	if (has("-f") || has("--force"))
		return [forbiddenEffect("git checkout --force throws uncommitted work away", "git stash")];
	if (before.some((word) => /^(?:-b|-B|--orphan)/.test(word))) return [];
	const operandsBefore = before.filter((word, at) => {
		const previous = before[at - 1] ?? "";
		if (/^-./.test(word) || CHECKOUT_OPTIONS_WITH_VALUE.has(previous)) return false;
		return !(/^(?:-t|--track)$/.test(previous) && /^(?:direct|inherit)$/.test(word));
	});
	const overwrittenPaths = [...operandsBefore.slice(1), ...paths, ...operandsBefore.filter((word) => word === ".")];
	if (overwrittenPaths.length === 0 && !words.some((word) => /^--pathspec-from-file/.test(word))) return [];
	return [
		forbiddenEffect("git checkout overwrites files in the working tree", "git stash"),
		...overwrittenPaths.map((path) => writeEffect(path, "below")),
	];
};

const restoreFiles: GitRule = ({ operands, has }) => {
	const onlyStaged = has("--staged") || has("-S");
	if (onlyStaged && !(has("--worktree") || has("-W"))) return [];
	return [
		forbiddenEffect("git restore overwrites files in the working tree", "git stash"),
		...operands.map((path) => writeEffect(path, "below")),
	];
};

const switchTo: GitRule = ({ has }) =>
	has("-f") || has("--force") || has("--discard-changes")
		? [forbiddenEffect("git switch throws uncommitted work away", "git stash")]
		: [];

const branch: GitRule = ({ command, has }) => {
	const deletes = has("-D") || (has("-d") && (command.options.letters.has("f") || has("--force")));
	if (deletes) return [forbiddenEffect("git branch deletes a branch even if it is not merged", "git branch -d")];
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

/** Any two neighbours may be a setting and its value, because `--file` and others take a word between. */
const config: GitRule = ({ operands, has }) => {
	const value = operands[0] === "set" ? operands[2] : operands[1];
	const settings = operands.slice(1).flatMap((next, at) => findSettingEffects(operands[at] ?? "", next));
	if (value === undefined) return [];
	return has("--global") || has("--system")
		? [...settings, riskyEffect("git config changes the settings of every repository", "the same without --global")]
		: settings;
};

/** `ext::command` as an address runs the command. Options of `clone` set what git runs. */
const connects: GitRule = ({ words, operands }) => [
	...operands.flatMap((address) => {
		const line = /(?:^|=)ext::(.*)$/s.exec(address)?.[1];
		// A percent sign keeps a space in a word.
		return line === undefined ? [] : [scriptEffect(line.replaceAll("% ", "\\ "))];
	}),
	...words.flatMap((word, at) => {
		const setting = /^(?:-c|--config)$/.test(word) ? words[at + 1] : /^--config=(.*)$/s.exec(word)?.[1];
		return setting === undefined ? [] : assignedSetting(setting);
	}),
	...words.flatMap((word) => {
		const folder = /^--template=(.+)$/s.exec(word)?.[1];
		return folder === undefined ? [] : [riskyEffect("git copies hooks from another folder")];
	}),
];

const remote: GitRule = (invocation) => {
	const [verb = ""] = invocation.operands;
	if (/^(?:rm|remove)$/.test(verb)) return [raiseEffect("delete_action", "git remote removes a remote")];
	const moves =
		verb === "set-url"
			? [riskyEffect("git remote makes git push to another address", "git remote -v, which only looks")]
			: [];
	return [...moves, ...connects(invocation)];
};

function assignedSetting(written: string): readonly Effect[] {
	const end = written.indexOf("=");
	return end < 0 ? [] : findSettingEffects(written.slice(0, end), written.slice(end + 1));
}

/** Lines of `update-ref --stdin` that take a reference away, whatever it was. */
const DELETING_LINE = /^(?:option [^\n]*\n)?delete\b/m;

const updateRef: GitRule = ({ command, has }) => {
	if (has("-d") || has("--delete")) return [forbiddenEffect("git update-ref deletes a reference")];
	if (!has("--stdin")) return [];
	if (command.input === null) return [raiseEffect("exec_action", "git update-ref reads changes that are not seen")];
	return DELETING_LINE.test(command.input.replaceAll("\u0000", "\n"))
		? [forbiddenEffect("git update-ref deletes a reference")]
		: [riskyEffect("git update-ref moves references")];
};

const credential: GitRule = ({ operands }) =>
	/^(?:fill|get)$/.test(operands[0] ?? "") ? [forbiddenEffect("git shows a stored credential")] : [];

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
		"update-ref": updateRef,
		credential,
		"credential-store": credential,
		"credential-cache": credential,
		"credential-osxkeychain": credential,
		"fast-import": ({ has }) => (has("--force") ? [forbiddenEffect("git fast-import overwrites branches")] : []),
		daemon: () => [riskyEffect("git daemon offers the repository to the network")],
		maintenance: ({ operands }) =>
			operands[0] === "start" ? [riskyEffect("git maintenance adds itself to the schedule of the machine")] : [],
		fetch: connects,
		pull: connects,
		"ls-remote": connects,
		"fetch-pack": connects,
		init: connects,
		reflog: ({ operands }) =>
			/^(?:expire|delete)$/.test(operands[0] ?? "")
				? [forbiddenEffect("git reflog removes entries from which lost commits are restored")]
				: [],
		gc: ({ words }) =>
			words.some((word) => /^--prune(?:=(?:now|all)|$)/.test(word))
				? [forbiddenEffect("git gc removes unreachable commits at once")]
				: [],
		prune: () => [riskyEffect("git prune removes unreachable commits")],
		worktree: ({ operands, has }) =>
			operands[0] === "remove" && (has("-f") || has("--force"))
				? [forbiddenEffect("git worktree remove --force throws uncommitted work away", "git worktree remove")]
				: [],
		submodule: (invocation) => {
			const { operands, has } = invocation;
			if (operands[0] === "deinit" && (has("-f") || has("--all")))
				return [forbiddenEffect("git submodule deinit removes a working tree")];
			if (operands[0] === "update" && has("--force"))
				return [riskyEffect("git submodule update --force throws uncommitted work away")];
			return connects(invocation);
		},
		tag: ({ has }) => (has("-d") || has("--delete") ? [raiseEffect("delete_action", "git tag deletes a tag")] : []),
		remote,
		rm: ({ operands, has }) => [
			...operands.map((path) => writeEffect(path, "below")),
			// Without -f it removes only what a commit holds.
			...(has("-f") && !has("--cached")
				? [
						raiseEffect("delete_action", "git rm removes files"),
						riskyEffect("git rm -f removes files with uncommitted work", "the same without -f"),
					]
				: []),
		],
		mv: ({ operands }) => operands.map((path) => writeEffect(path, "below")),
		commit: ({ has }) => (has("--no-verify") ? [riskyEffect("git commit skips the hooks that check it")] : []),
		lfs: (invocation) => {
			if (invocation.operands[0] === "migrate") return rewriteHistory(invocation);
			return invocation.operands[0] === "prune" ? [riskyEffect("git lfs prune removes local objects")] : [];
		},
		clone: connects,
	}),
);

/** Whether the subcommand only shows what it would do. An option's value is no option, as in `-o --dry-run`. */
function onlyShowsRepository(command: Invocation, subcommand: string): boolean {
	if (!DRY_RUN_SUBCOMMANDS.has(subcommand)) return false;
	const values = new Set(parseArguments(command).map(({ at }) => at));
	const options = parseOptions(
		"git",
		command.words.filter((_, at) => !values.has(at)),
	);
	return hasFlag("git", options, "--dry-run") && !hasFlag("git", options, "--no-dry-run");
}

/** `git [options] subcommand …`. Settings before the subcommand count whatever the subcommand is. */
export const git: ProgramRule = (command) => {
	const effects: Effect[] = [];
	let at = 0;
	for (; /^-./.test(command.words[at] ?? ""); at++) {
		const word = command.words[at] ?? "";
		const setting = word === "-c" ? command.words[at + 1] : /^-c(.+)$/s.exec(word)?.[1];
		if (setting !== undefined) effects.push(...assignedSetting(setting));
		if (/^--exec-path=./s.test(word)) effects.push(riskyEffect("git runs programs from another folder"));
		if (GLOBAL_OPTIONS_WITH_VALUE.has(word)) at++;
	}
	const subcommand = command.words[at] ?? "";
	const words = command.words.slice(at + 1);
	if (words.some((word) => word === "--help")) return effects;
	const options = parseOptions("git", words);
	const has = (flag: string) => hasFlag("git", options, flag);
	if (onlyShowsRepository(command, subcommand)) return effects;
	const destroyingOption = DESTROYING_OPTIONS.get(subcommand)?.find(has);
	if (destroyingOption !== undefined)
		effects.push(forbiddenEffect(`git ${subcommand} ${destroyingOption} removes something`));
	const rule = GIT_SUBCOMMANDS.get(subcommand);
	return rule
		? [...effects, ...rule({ command: { ...command, options }, words, operands: options.operands, has })]
		: effects;
};
