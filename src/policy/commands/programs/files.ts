// Commands that remove, overwrite, move or change files, as far as the roles of their words do not tell.

import { charactersIn } from "../../work-budget.ts";
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
import { findOperands, findProgramUse, parseArguments } from "../grammar.ts";
import { findPlace, isDisk, lastSegment, locatePath, locatingWork, readPath } from "../locations.ts";
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
	const words = parseArguments(command);
	const folder = words.find(({ option }) => option === "-t" || option?.startsWith("--t") === true);
	const operands = words.flatMap(({ option, text }) => (option === null ? [text] : []));
	if (folder) return { sources: operands, target: folder.text };
	return operands.length < 2
		? { sources: operands, target: null }
		: { sources: operands.slice(0, -1), target: operands.at(-1) ?? null };
}

/** Writes the target itself, and each source's name in it, because it may be a folder. */
function writesTarget(command: Invocation): readonly Effect[] {
	const { sources, target } = sourcesAndTarget(command);
	if (target === null || !command.work.charge(charactersIn(sources) + sources.length * target.length)) return [];
	const effects = [writeEffect(target)];
	for (const source of sources) effects.push(writeEffect(`${target}/${lastSegment(source)}`));
	return effects;
}

/** `install -d` makes folders. */
const install: ProgramRule = (command) =>
	hasOption(command, "-d") || hasOption(command, "--directory")
		? findOperands(command).map((path) => writeEffect(path))
		: writesTarget(command);

const mv: ProgramRule = (command) => {
	const { sources, target } = sourcesAndTarget(command);
	const isDiscarded = target === "/dev/null";
	if (!command.work.charge(locatingWork(sources))) return [];
	return [
		...writesTarget(command),
		...sources.map((path) => writeEffect(path, "below")),
		...sources
			.filter((path) => isDiscarded || locatePath(path) === "everything")
			.map((path) => forbiddenEffect(isDiscarded ? `mv destroys ${path}` : `mv moves ${path}, which is everything`)),
	];
};

const dd: ProgramRule = ({ words }) =>
	words.flatMap((word): readonly Effect[] => {
		const target = /^of=(.*)$/s.exec(word)?.[1];
		const source = /^if=(.*)$/s.exec(word)?.[1];
		if (source !== undefined) return [readEffect(source)];
		if (target === undefined) return [];
		return [writeEffect(target)];
	});

/** Sizes that only let a file grow: `+1M`, `>1M`, and sizes that nobody cuts a file of text to. */
const GROWING_SIZE = /^(?:[+>]|[1-9][0-9]*(?:[KMGTP]i?B?|[0-9]{3})$)/i;

const truncate: ProgramRule = (command) => {
	const words = parseArguments(command);
	const size = words.find(({ option }) => option === "-s" || option?.startsWith("--s") === true)?.text ?? "";
	return [
		...(GROWING_SIZE.test(size) ? [] : [raiseEffect("delete_action", "truncate cuts off what a file holds")]),
		...words.flatMap(({ option, text }) => (option === null ? [writeEffect(text)] : [])),
	];
};

/** Whether a symbolic or octal mode lets everyone write, or lends the owner's rights. */
function isOpenMode(mode: string): boolean {
	if (/^[0-7]{3,4}$/.test(mode)) return /[2367]$/.test(mode) || /^[2467][0-7]{3}$/.test(mode);
	return /(?:^|,)(?:(?=[ug]*[ao])[ugoa]*)?[+=][rXxst]*w/.test(mode) || /[+=][rwx]*s/.test(mode);
}

/** Whether a path is a root, a home, the system or a folder right below the root. */
function isWidePath(path: string): boolean {
	const location = locatePath(path);
	const isEverything = location === "everything" && readPath(path).normalized.outside;
	return isEverything || location === "system" || (location === "outside" && /^\/[^/]*\/?$/.test(path));
}

/** Whether a path is a place that is not the workspace's. */
const isForeign = (path: string) => findPlace(readPath(path)) !== null;

const chmod: ProgramRule = (command) => {
	const [mode = "", ...paths] = command.options.operands;
	if (!command.work.charge(locatingWork(paths))) return [];
	const isWide = hasOption(command, "-R") && paths.some(isWidePath);
	if (isWide) return [forbiddenEffect("changes the rights of everything in a root, home or system folder")];
	if (isOpenMode(mode) && paths.some((path) => locatePath(path) === "system"))
		return [forbiddenEffect(`chmod ${mode} lets everyone write, or lends the owner's rights: ${paths.join(" ")}`)];
	if (isOpenMode(mode)) return [riskyEffect(`chmod ${mode} lets everyone write, or lends the owner's rights`)];
	const tightens = /^0?[0-7]00$|^(?:go|og|g|o)(?:-[rwxXst]+|=)$/.test(mode);
	return !tightens && paths.some(isForeign) ? [riskyEffect("changes rights outside the workspace")] : [];
};

const chown: ProgramRule = (command) => {
	const paths = command.options.operands.slice(1);
	if (!command.work.charge(locatingWork(paths))) return [];
	const locations = paths.map((path) => locatePath(path));
	if (hasOption(command, "-R") && paths.some(isWidePath)) {
		return [forbiddenEffect("changes the owner of everything in a root, home or system folder")];
	}
	if (locations.includes("system")) return [riskyEffect("changes the owner of a system file")];
	return paths.some(isForeign) ? [riskyEffect("changes an owner outside the workspace")] : [];
};

const chattr: ProgramRule = (command) =>
	command.words.some((word) => /^-[a-zA-Z]*[ia]/.test(word))
		? [forbiddenEffect("lifts the write protection of a file")]
		: [riskyEffect("changes the attributes of a file")];

const search: ProgramRule = (command) =>
	command.words.some((word) => /^--pre(?:=|$)/.test(word))
		? [riskyEffect(`${command.name} --pre runs a program on each file`)]
		: [];

/** `tar` reads what it packs, writes its archive or where it unpacks, and runs its actions. */
const tar: ProgramRule = (command) => {
	const use = findProgramUse(command);
	if (!use) return [];
	const creates = ["-c", "--create", "-r", "--append", "-u", "--update"].some((option) => use.given.has(option));
	const extracts = ["-x", "--extract", "--get"].some((option) => use.given.has(option));
	return use.words
		.flatMap(({ option, text }): readonly Effect[] => {
			if (option === null) return creates ? [readEffect(text)] : [];
			if (/^(?:-f|--file)$/.test(option)) return creates ? [writeEffect(text)] : [];
			if (/^(?:-C|--dir\w*)$/.test(option)) return extracts ? [writeEffect(text)] : [];
			if (/^(?:-[IF]|--(?:to-|use-|rsh-|rmt-|info-|new-volume-)\w*)/.test(option))
				return [forbiddenEffect("tar runs a command from its options"), scriptEffect(text)];
			const action = /^exec=(.*)$/s.exec(text)?.[1];
			if (option.startsWith("--checkpoint-") && action !== undefined)
				return [forbiddenEffect("tar runs a command from its options"), scriptEffect(action)];
			return [];
		})
		.concat(
			use.given.has("--remove-files") ? [raiseEffect("delete_action", "tar removes the files that it packed")] : [],
		);
};

/** A place on another host: `host:path`, `user@host::module`, `rsync://host/path`. A drive of Windows has one letter. */
const OTHER_MACHINE = /^(?:rsync|scp|sftp):\/\/|^(?:[^/:\s]+@)?(?:[^/:\s@]{2,}|\[[0-9a-f:]+\]):/i;

/** This machine, where it is written as a host. */
const LOCAL_HOST = /^(?:[a-z]+:\/\/)?(?:[^/:\s]+@)?(?:localhost|127\.\d{1,3}\.\d{1,3}\.\d{1,3}|\[::1\])(?:[:/]|$)/i;

/** Whether a word is a place on another host. */
const isElsewhere = (word: string) => OTHER_MACHINE.test(word) && !LOCAL_HOST.test(word);

/** Files that a copy brings to another host: of this machine, or of a third one. */
function sendingEffects(name: string, operands: readonly string[]): readonly Effect[] {
	const isSent = isElsewhere(operands.at(-1) ?? "") && operands.length > 1;
	return isSent ? [riskyEffect(`${name} sends files to another host`)] : [];
}

const rsync: ProgramRule = (command) => {
	const operands = findOperands(command);
	const target = operands.at(-1);
	const deletes = command.options.flags.some((name) => /^--(?:del|delete(?:-.*)?|remove-source-files)$/.test(name));
	return [
		...(deletes && !hasOption(command, "--dry-run")
			? [forbiddenEffect("rsync removes files that the source does not have", "the same with --dry-run")]
			: []),
		...(target === undefined || /^[^/]*:/.test(target) ? [] : [writeEffect(target)]),
		...operands.slice(0, -1).map(readEffect),
		...(hasOption(command, "--dry-run") ? [] : sendingEffects("rsync", operands)),
	];
};

const scp: ProgramRule = (command) => {
	const operands = findOperands(command);
	return [
		...operands.slice(0, -1).map(readEffect),
		...operands.slice(-1).flatMap((path) => (path.includes(":") ? [] : [writeEffect(path)])),
		...sendingEffects(command.name, operands),
	];
};

/** Lines of sftp that send something. */
const SENDING_STEP = /^\s*-?@?(?:re)?m?put\b/im;

/** `sftp` takes its steps from its input, or from the file behind `-b`. Where they are not known, they may send files. */
const sftp: ProgramRule = (command) => {
	const hasFile = findProgramUse(command)?.words.some(({ option, text }) => option === "-b" && text !== "-") === true;
	if (!hasFile && !command.piped) return [];
	const steps = hasFile ? null : command.input;
	if (steps !== null && !SENDING_STEP.test(steps)) return [];
	return command.options.operands.every((word) => LOCAL_HOST.test(word))
		? []
		: [riskyEffect(steps === null ? "sftp may send files to another host" : "sftp sends files to another host")];
};

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
	cp: writesTarget,
	install,
	ginstall: install,
	gcp: writesTarget,
	gmv: mv,
	gln: writesTarget,
	ln: writesTarget,
	dd,
	truncate,
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
	scp,
	pscp: scp,
	sftp,
	psftp: sftp,
};
