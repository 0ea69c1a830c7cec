// Commands that remove, overwrite, move or change files, as far as the roles of their words do not tell.

import {
	type Effect,
	forbiddenEffect,
	type Invocation,
	type ProgramRule,
	raiseEffect,
	readEffect,
	riskyEffect,
	scriptEffect,
	writeEffect,
} from "../effects.ts";
import { isDisk, locatePath, locatingWork } from "../locations.ts";
import { hasFlag } from "../options.ts";

const hasOption = (command: Invocation, name: string) => hasFlag(command.name, command.options, name);

const removeEffect = (path: string, recursive: boolean): Effect => ({ kind: "remove", path, recursive });

const rm: ProgramRule = (command) => {
	if (hasOption(command, "--help") || hasOption(command, "--version")) return [];
	const recursive =
		hasFlag("rm", command.options, "--recursive") || command.options.flags.some((name) => /^-rec/i.test(name));
	return [
		...command.options.operands.map((path) => removeEffect(path, recursive)),
		...(command.options.flags.includes("--no-preserve-root") ? [forbiddenEffect("rm --no-preserve-root")] : []),
	];
};

/** Removes each operand, folders with everything below. */
const removeAll: ProgramRule = (command) => command.options.operands.map((path) => removeEffect(path, true));

/** Removes each operand beyond recovery. */
const shred: ProgramRule = (command) => [
	...command.options.operands
		.filter(isDisk)
		.map((path) => forbiddenEffect(`${command.name} overwrites the disk ${path}`)),
	...command.options.operands.map((path) => removeEffect(path, false)),
	raiseEffect("delete_action", `${command.name} destroys a file beyond recovery`),
];

/** The operand or `-t` folder that a command copies, moves or links to, and its other operands. */
function sourcesAndTarget(command: Invocation): {
	readonly sources: readonly string[];
	readonly target: string | null;
} {
	const at = command.words.findIndex((word) => /^(?:-t|--target-directory)(?:=|$)/.test(word));
	const targetOption = at < 0 ? undefined : (/=(.*)$/s.exec(command.words[at] ?? "")?.[1] ?? command.words[at + 1]);
	const { operands } = command.options;
	if (targetOption !== undefined)
		return { sources: operands.filter((word) => word !== targetOption), target: targetOption };
	return operands.length < 2
		? { sources: operands, target: null }
		: { sources: operands.slice(0, -1), target: operands.at(-1) ?? null };
}

/** Writes the target itself, and each source's name in it, because it may be a folder. */
function writesTarget(command: Invocation): readonly Effect[] {
	const { sources, target } = sourcesAndTarget(command);
	if (target === null) return [];
	const inside = sources
		.slice(0, 64)
		.map((source) => `${target}/${source.split(/[/\\]/).findLast((segment) => segment !== "") ?? ""}`);
	return [...[target, ...inside].map((path) => writeEffect(path))];
}

const mv: ProgramRule = (command) => {
	const { sources, target } = sourcesAndTarget(command);
	const isDiscarded = target === "/dev/null";
	if (!command.work.charge(locatingWork(sources))) return [];
	return [
		...writesTarget(command),
		...sources.map((path) => writeEffect(path, "below")),
		...sources
			.filter((path) => isDiscarded || locatePath(path) === "everything")
			.map((path) => forbiddenEffect(`mv takes ${path} away`)),
	];
};

/** Without a target, the link is written to the current folder under its own name. */
const ln: ProgramRule = (command) => writesTarget(command);

const dd: ProgramRule = ({ words }) =>
	words.flatMap((word): readonly Effect[] => {
		const target = /^of=(.*)$/s.exec(word)?.[1];
		const source = /^if=(.*)$/s.exec(word)?.[1];
		if (source !== undefined) return [readEffect(source)];
		if (target === undefined) return [];
		return [writeEffect(target)];
	});

const truncate: ProgramRule = (command) => [
	raiseEffect("delete_action", "truncate cuts a file's contents off"),
	...command.options.operands.map((path) => writeEffect(path)),
];

/** The program of `sed` may run a line of shell. */
const sed: ProgramRule = (command) => {
	const line = /(?:^|[;{}])\s{0,8}[0-9$,]{0,16}\s{0,8}e\s(.+)$/s.exec(command.options.operands[0] ?? "")?.[1];
	return line === undefined ? [] : [scriptEffect(line)];
};

/** Whether a symbolic or octal mode lets everyone write, or lends the owner's rights. */
function isOpenMode(written: string): boolean {
	const mode = written.slice(0, 64);
	if (/^[0-7]{3,4}$/.test(mode)) return /[2367]$/.test(mode) || /^[2467][0-7]{3}$/.test(mode);
	return /(?:^|,)(?:(?=[ug]*[ao])[ugoa]*)?[+=][rXxst]*w/.test(mode) || /[+=][rwx]*s/.test(mode);
}

/** Whether a path is a root, a home, the system or a folder right below the root. */
function isWidePath(path: string): boolean {
	const location = locatePath(path);
	return location === "everything" || location === "system" || (location === "outside" && /^\/[^/]*\/?$/.test(path));
}

const chmod: ProgramRule = (command) => {
	const [mode = "", ...paths] = command.options.operands;
	if (!command.work.charge(locatingWork(paths))) return [];
	const isWide = hasOption(command, "-R") && paths.some(isWidePath);
	if (isWide) return [forbiddenEffect("changes the rights of everything below a root")];
	if (isOpenMode(mode) && paths.some((path) => locatePath(path) === "system"))
		return [forbiddenEffect(`opens ${paths.join(" ")} to everyone`)];
	return isOpenMode(mode) ? [riskyEffect(`chmod ${mode} lets everyone write or lends rights`)] : [];
};

const chown: ProgramRule = (command) => {
	const paths = command.options.operands.slice(1);
	if (!command.work.charge(locatingWork(paths))) return [];
	const locations = paths.map((path) => locatePath(path));
	if (hasOption(command, "-R") && paths.some(isWidePath)) {
		return [forbiddenEffect("changes the owner of everything below a root")];
	}
	return locations.includes("system") ? [riskyEffect("changes the owner of a system file")] : [];
};

const chattr: ProgramRule = (command) =>
	command.words.some((word) => /^-[a-zA-Z]*[ia]/.test(word))
		? [forbiddenEffect("takes the protection against changes off a file")]
		: [riskyEffect("changes file attributes")];

const search: ProgramRule = (command) =>
	command.words.some((word) => /^--pre(?:=|$)/.test(word))
		? [riskyEffect(`${command.name} --pre runs a program on each file`)]
		: [];

/** `tar` reads what it packs, writes where it unpacks, and runs its actions. */
const tar: ProgramRule = (command) => [
	...command.words.flatMap((word, at): readonly Effect[] => {
		const action = /^--(?:checkpoint-action=exec|to-command|use-compress-program|rsh-command|info-script)=(.*)$/s.exec(
			word,
		)?.[1];
		if (action !== undefined)
			return [forbiddenEffect("tar runs a command of its own"), { kind: "script", text: action }];
		if (word === "--remove-files") return [raiseEffect("delete_action", "tar removes what it packed")];
		return /^(?:-C|--directory)$/.test(word) ? [writeEffect(command.words[at + 1] ?? "")] : [];
	}),
	...(command.words.some((word, at) => /^--create$|^-[a-zA-Z]*c/.test(word) || (at === 0 && /^[a-zA-Z]*c/.test(word)))
		? command.options.operands.map(readEffect)
		: []),
];

const rsync: ProgramRule = (command) => {
	const remote = command.options.operands.at(-1);
	const deletes = command.options.flags.some((name) => /^--(?:del|delete(?:-.*)?|remove-source-files)$/.test(name));
	return [
		...(deletes && !hasOption(command, "--dry-run")
			? [forbiddenEffect("rsync removes files that the source does not have")]
			: []),
		...command.words.flatMap((word, at): readonly Effect[] => {
			const shell = /^(?:-e|--rsh)(?:=(.*))?$/s.exec(word);
			return shell ? [{ kind: "script", text: shell[1] ?? command.words[at + 1] ?? "" }] : [];
		}),
		...(remote === undefined || /^[^/]*:/.test(remote) ? [] : [writeEffect(remote)]),
		...command.options.operands.slice(0, -1).map(readEffect),
	];
};

/** Finds the files that a tool's output options name. */
export function findOutputFiles(words: readonly string[], options: readonly string[]): readonly Effect[] {
	return words.flatMap((word, at): readonly Effect[] => {
		for (const option of options) {
			if (word === option) return [writeEffect(words[at + 1] ?? "")];
			if (word.startsWith(`${option}=`)) return [writeEffect(word.slice(option.length + 1))];
			if (/^-[a-zA-Z]$/.test(option) && word.startsWith(option)) return [writeEffect(word.slice(2))];
		}
		return [];
	});
}

/** The file commands by name. */
export const FILE_COMMANDS: Readonly<Record<string, ProgramRule>> = {
	rm,
	grm: rm,
	unlink: rm,
	rmdir: (command) => command.options.operands.map((path) => removeEffect(path, false)),
	rimraf: removeAll,
	"del-cli": removeAll,
	trash: removeAll,
	shred,
	srm: (command) => (command.options.letters.has("r") ? shred(command) : []),
	wipe: shred,
	mv,
	cp: (command) => writesTarget(command),
	install: (command) => writesTarget(command),
	ln,
	dd,
	truncate,
	sed,
	gsed: sed,
	chmod,
	chown,
	chgrp: chown,
	chattr,
	chflags: chattr,
	rg: search,
	rga: search,
	tar,
	gtar: tar,
	bsdtar: tar,
	rsync,
	scp: (command) => [
		...command.options.operands.slice(0, -1).map(readEffect),
		...command.options.operands.slice(-1).flatMap((path) => (path.includes(":") ? [] : [writeEffect(path)])),
	],
};
