// Commands that remove, overwrite, move, change or show files.

import { type CommandModel, type Effect, forbid, type Invocation, raise, read, risky, write } from "../effects.ts";
import { hasFlag } from "../options.ts";
import { isDisk, placeOf, placingWork } from "../places.ts";
import filesFile from "./files.json" with { type: "json" };

const flag = (command: Invocation, name: string) => hasFlag(command.name, command.options, name);

const removal = (path: string, recursive: boolean): Effect => ({ kind: "remove", path, recursive });

const rm: CommandModel = (command) => {
	if (flag(command, "--help") || flag(command, "--version")) return [];
	const recursive =
		hasFlag("rm", command.options, "--recursive") || command.options.flags.some((name) => /^-rec/i.test(name));
	return [
		...command.options.operands.map((path) => removal(path, recursive)),
		...(command.options.flags.includes("--no-preserve-root") ? [forbid("rm --no-preserve-root")] : []),
	];
};

/** Removes each operand, folders with all below. */
const removeAll: CommandModel = (command) => command.options.operands.map((path) => removal(path, true));

/** Removes each operand beyond recovery. */
const shred: CommandModel = (command) => [
	...command.options.operands.filter(isDisk).map((path) => forbid(`${command.name} overwrites the disk ${path}`)),
	...command.options.operands.map((path) => removal(path, false)),
	raise("delete_action", `${command.name} destroys a file beyond recovery`),
];

/** The operand or `-t` folder that a command copies, moves or links to, and the others. */
function sourcesAndTarget(command: Invocation): {
	readonly sources: readonly string[];
	readonly target: string | undefined;
} {
	const at = command.words.findIndex((word) => /^(?:-t|--target-directory)(?:=|$)/.test(word));
	const named = at < 0 ? undefined : (/=(.*)$/s.exec(command.words[at] ?? "")?.[1] ?? command.words[at + 1]);
	const { operands } = command.options;
	if (named !== undefined) return { sources: operands.filter((word) => word !== named), target: named };
	return operands.length < 2
		? { sources: operands, target: undefined }
		: { sources: operands.slice(0, -1), target: operands.at(-1) };
}

/** Writes to the target itself, and to each source's name in it should it be a folder. */
function writesTarget(command: Invocation): readonly Effect[] {
	const { sources, target } = sourcesAndTarget(command);
	if (target === undefined) return [];
	const inside = sources
		.slice(0, 64)
		.map((source) => `${target}/${source.split(/[/\\]/).findLast((segment) => segment !== "") ?? ""}`);
	return [
		...(isDisk(target) ? [forbid(`${command.name} overwrites the disk ${target}`)] : []),
		...[target, ...inside].map((path) => write(path)),
	];
}

const mv: CommandModel = (command) => {
	const { sources, target } = sourcesAndTarget(command);
	const lost = target === "/dev/null";
	if (!command.work.charge(placingWork(sources))) return [];
	return [
		...writesTarget(command),
		...sources.map((path) => write(path, "below")),
		...sources.filter((path) => lost || placeOf(path) === "everything").map((path) => forbid(`mv takes ${path} away`)),
	];
};

/** A single link's target is its own name in the current folder. */
const ln: CommandModel = (command) => writesTarget(command);

const dd: CommandModel = ({ words }) =>
	words.flatMap((word): readonly Effect[] => {
		const target = /^of=(.*)$/s.exec(word)?.[1];
		const source = /^if=(.*)$/s.exec(word)?.[1];
		if (source !== undefined) return [read(source)];
		if (target === undefined) return [];
		return [write(target), ...(isDisk(target) ? [forbid(`dd overwrites the disk ${target}`)] : [])];
	});

const tee: CommandModel = (command) =>
	command.options.operands.flatMap((path) => [
		write(path),
		...(isDisk(path) ? [forbid(`tee overwrites the disk ${path}`)] : []),
	]);

const truncate: CommandModel = (command) => [
	raise("delete_action", "truncate cuts a file's contents off"),
	...command.options.operands.map((path) => write(path)),
];

/** `sed -i`, `perl -i`, `yq -i`: the first operand may be the program; it is harmless as a path. */
const inPlace: CommandModel = (command) => {
	const edits = command.options.flags.some((name) => name === "--in-place" || /^-[a-zA-Z]{0,3}i/.test(name));
	const runs =
		command.name === "sed"
			? /(?:^|[;{}])\s{0,8}[0-9$,]{0,16}\s{0,8}e\s(.+)$/s.exec(command.options.operands[0] ?? "")?.[1]
			: undefined;
	if (runs !== undefined) return [{ kind: "script", text: runs }];
	if (edits) return command.options.operands.map((path) => write(path));
	return command.name === "sed" ? command.options.operands.slice(1).map(read) : [];
};

/** Symbolic or octal modes that let everyone write, or lend the owner's rights. */
function isOpenMode(written: string): boolean {
	const mode = written.slice(0, 64);
	if (/^[0-7]{3,4}$/.test(mode)) return /[2367]$/.test(mode) || /^[2467][0-7]{3}$/.test(mode);
	return /(?:^|,)(?:(?=[ug]*[ao])[ugoa]*)?[+=][rXxst]*w/.test(mode) || /[+=][rwx]*s/.test(mode);
}

/** A root, a home, the system, or a folder right below the root. */
function isWide(path: string): boolean {
	const place = placeOf(path);
	return place === "everything" || place === "system" || (place === "outside" && /^\/[^/]*\/?$/.test(path));
}

const chmod: CommandModel = (command) => {
	const [mode = "", ...paths] = command.options.operands;
	if (!command.work.charge(placingWork(paths))) return [];
	const wide = flag(command, "-R") && paths.some(isWide);
	if (wide) return [forbid("changes the rights of everything below a root")];
	if (isOpenMode(mode) && paths.some((path) => placeOf(path) === "system"))
		return [forbid(`opens ${paths.join(" ")} to everyone`)];
	return isOpenMode(mode) ? [risky(`chmod ${mode} lets everyone write or lends rights`)] : [];
};

const chown: CommandModel = (command) => {
	const paths = command.options.operands.slice(1);
	if (!command.work.charge(placingWork(paths))) return [];
	const places = paths.map((path) => placeOf(path));
	if (flag(command, "-R") && paths.some(isWide)) {
		return [forbid("changes the owner of everything below a root")];
	}
	return places.some((place) => place === "system") ? [risky("changes the owner of a system file")] : [];
};

const chattr: CommandModel = (command) =>
	command.words.some((word) => /^-[a-zA-Z]*[ia]/.test(word))
		? [forbid("takes the protection against changes off a file")]
		: [risky("changes file attributes")];

const reads: CommandModel = (command) => command.options.operands.map(read);

/** The first operand is a pattern or a program. */
const searches: CommandModel = (command) => [
	...command.options.operands.slice(command.words.some((word) => /^-[ef]/.test(word)) ? 0 : 1).map(read),
	...(command.words.some((word) => /^--pre(?:=|$)/.test(word))
		? [risky(`${command.name} --pre runs a program on each file`)]
		: []),
];

/** `tar`: what it packs is read, where it unpacks is written, and its actions run. */
const tar: CommandModel = (command) => [
	...command.words.flatMap((word, at): readonly Effect[] => {
		const action = /^--(?:checkpoint-action=exec|to-command|use-compress-program|rsh-command|info-script)=(.*)$/s.exec(
			word,
		)?.[1];
		if (action !== undefined) return [forbid("tar runs a command of its own"), { kind: "script", text: action }];
		if (word === "--remove-files") return [raise("delete_action", "tar removes what it packed")];
		return /^(?:-C|--directory)$/.test(word) ? [write(command.words[at + 1] ?? "")] : [];
	}),
	...(command.words.some((word, at) => /^--create$|^-[a-zA-Z]*c/.test(word) || (at === 0 && /^[a-zA-Z]*c/.test(word)))
		? command.options.operands.map(read)
		: []),
];

const rsync: CommandModel = (command) => {
	const remote = command.options.operands.at(-1);
	const deletes = command.options.flags.some((name) => /^--(?:del|delete(?:-.*)?|remove-source-files)$/.test(name));
	return [
		...(deletes && !flag(command, "--dry-run") ? [forbid("rsync removes files that the source does not have")] : []),
		...command.words.flatMap((word, at): readonly Effect[] => {
			const shell = /^(?:-e|--rsh)(?:=(.*))?$/s.exec(word);
			return shell ? [{ kind: "script", text: shell[1] ?? command.words[at + 1] ?? "" }] : [];
		}),
		...(remote === undefined || /^[^/]*:/.test(remote) ? [] : [write(remote)]),
		...command.options.operands.slice(0, -1).map(read),
	];
};

/** Options that name a file to write, per tool. */
const OUTPUT_OPTIONS: ReadonlyMap<string, readonly string[]> = new Map<string, readonly string[]>(
	Object.entries(filesFile.output_options),
);

/** What a tool's output options write. */
export function outputs(
	name: string,
	words: readonly string[],
	options = OUTPUT_OPTIONS.get(name) ?? [],
): readonly Effect[] {
	return words.flatMap((word, at): readonly Effect[] => {
		for (const option of options) {
			if (word === option) return [write(words[at + 1] ?? "")];
			if (word.startsWith(`${option}=`)) return [write(word.slice(option.length + 1))];
			if (/^-[a-zA-Z]$/.test(option) && word.startsWith(option)) return [write(word.slice(2))];
		}
		return [];
	});
}

const writesOutput: CommandModel = (command) => outputs(command.name, command.words);

/** macOS's `base64 -o`: writes a file like a redirect, and shows one. */
const base64: CommandModel = (command) => [...writesOutput(command), ...reads(command)];

const writesOperands: CommandModel = (command) => command.options.operands.map((path) => write(path));

/** The file commands by name. */
export const FILES: Readonly<Record<string, CommandModel>> = {
	...Object.fromEntries(filesFile.readers.map((name) => [name, reads])),
	...Object.fromEntries([...OUTPUT_OPTIONS.keys()].map((name) => [name, writesOutput])),
	rm,
	grm: rm,
	unlink: rm,
	rmdir: (command) => command.options.operands.map((path) => removal(path, false)),
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
	tee,
	sponge: tee,
	truncate,
	sed: inPlace,
	gsed: inPlace,
	yq: inPlace,
	chmod,
	chown,
	chgrp: chown,
	chattr,
	chflags: chattr,
	grep: searches,
	egrep: searches,
	fgrep: searches,
	rg: searches,
	ag: searches,
	tar,
	gtar: tar,
	bsdtar: tar,
	rsync,
	base64,
	ed: writesOperands,
	ex: writesOperands,
	patch: writesOperands,
	touch: writesOperands,
	mkdir: writesOperands,
	mkfifo: writesOperands,
	prettier: (command) => (command.words.some((word) => /^(?:-w|--write)$/.test(word)) ? writesOperands(command) : []),
	scp: (command) => [
		...command.options.operands.slice(0, -1).map(read),
		...command.options.operands.slice(-1).flatMap((path) => (path.includes(":") ? [] : [write(path)])),
	],
};
