// Commands that remove, overwrite, move, change or show files.
import { type Act, type Effect, forbid, raise, read, risky, type Tool, write } from "../effects.ts";
import { hasFlag } from "../options.ts";
import { isDisk, placeOf } from "../places.ts";

const flag = (act: Act, name: string) => hasFlag(act.name, act.options, name);

const removal = (path: string, recursive: boolean): Effect => ({ kind: "remove", path, recursive });

const rm: Tool = (act) => {
	if (flag(act, "--help") || flag(act, "--version")) return [];
	const recursive = hasFlag("rm", act.options, "--recursive") || act.options.flags.some((name) => /^-rec/i.test(name));
	return [
		...act.options.operands.map((path) => removal(path, recursive)),
		...(act.options.flags.includes("--no-preserve-root") ? [forbid("rm --no-preserve-root")] : []),
	];
};

/** Removes each operand, folders with all below. */
const removeAll: Tool = (act) => act.options.operands.map((path) => removal(path, true));

/** Removes each operand beyond recovery. */
const shred: Tool = (act) => [
	...act.options.operands.filter(isDisk).map((path) => forbid(`${act.name} overwrites the disk ${path}`)),
	...act.options.operands.map((path) => removal(path, false)),
	raise("delete_action", `${act.name} destroys a file beyond recovery`),
];

/** The operand or `-t` folder that a command copies, moves or links to, and the others. */
function sourcesAndTarget(act: Act): { readonly sources: readonly string[]; readonly target: string | undefined } {
	const at = act.words.findIndex((word) => /^(?:-t|--target-directory)(?:=|$)/.test(word));
	const named = at < 0 ? undefined : (/=(.*)$/s.exec(act.words[at] ?? "")?.[1] ?? act.words[at + 1]);
	const { operands } = act.options;
	if (named !== undefined) return { sources: operands.filter((word) => word !== named), target: named };
	return operands.length < 2
		? { sources: operands, target: undefined }
		: { sources: operands.slice(0, -1), target: operands.at(-1) };
}

/** Writes to the target itself, and to each source's name in it should it be a folder. */
function writesTarget(act: Act): readonly Effect[] {
	const { sources, target } = sourcesAndTarget(act);
	if (target === undefined) return [];
	const inside = sources
		.slice(0, 64)
		.map((source) => `${target}/${source.split(/[/\\]/).findLast((segment) => segment !== "") ?? ""}`);
	return [
		...(isDisk(target) ? [forbid(`${act.name} overwrites the disk ${target}`)] : []),
		...[target, ...inside].map((path) => write(path)),
	];
}

const mv: Tool = (act) => {
	const { sources, target } = sourcesAndTarget(act);
	const lost = target === "/dev/null";
	return [
		...writesTarget(act),
		...sources.map((path) => write(path, "below")),
		...sources.filter((path) => lost || placeOf(path) === "everything").map((path) => forbid(`mv takes ${path} away`)),
	];
};

/** A single link's target is its own name in the current folder. */
const ln: Tool = (act) => writesTarget(act);

const dd: Tool = ({ words }) =>
	words.flatMap((word): readonly Effect[] => {
		const target = /^of=(.*)$/s.exec(word)?.[1];
		const source = /^if=(.*)$/s.exec(word)?.[1];
		if (source !== undefined) return [read(source)];
		if (target === undefined) return [];
		return [write(target), ...(isDisk(target) ? [forbid(`dd overwrites the disk ${target}`)] : [])];
	});

const tee: Tool = (act) =>
	act.options.operands.flatMap((path) => [
		write(path),
		...(isDisk(path) ? [forbid(`tee overwrites the disk ${path}`)] : []),
	]);

const truncate: Tool = (act) => [
	raise("delete_action", "truncate cuts a file's contents off"),
	...act.options.operands.map((path) => write(path)),
];

/** `sed -i`, `perl -i`, `yq -i`: the first operand may be the program; it is harmless as a path. */
const inPlace: Tool = (act) => {
	const edits = act.options.flags.some((name) => name === "--in-place" || /^-[a-zA-Z]{0,3}i/.test(name));
	const runs =
		act.name === "sed"
			? /(?:^|[;{}])\s{0,8}[0-9$,]{0,16}\s{0,8}e\s(.+)$/s.exec(act.options.operands[0] ?? "")?.[1]
			: undefined;
	if (runs !== undefined) return [{ kind: "script", text: runs }];
	if (edits) return act.options.operands.map((path) => write(path));
	return act.name === "sed" ? act.options.operands.slice(1).map(read) : [];
};

/** Symbolic or octal modes that let everyone write, or lend the owner's rights. */
function isOpenMode(written: string): boolean {
	const mode = written.slice(0, 64);
	if (/^[0-7]{3,4}$/.test(mode)) return /[2367]$/.test(mode) || /^[2467][0-7]{3}$/.test(mode);
	return /(?:^|,)(?:[ugo]*[ao][ugo]*|)[+=][rXxst]*w/.test(mode) || /[+=][rwx]*s/.test(mode);
}

/** A root, a home, the system, or a folder right below the root. */
function isWide(path: string): boolean {
	const place = placeOf(path);
	return place === "everything" || place === "system" || (place === "outside" && /^\/[^/]*\/?$/.test(path));
}

const chmod: Tool = (act) => {
	const [mode = "", ...paths] = act.options.operands;
	const wide = flag(act, "-R") && paths.some(isWide);
	if (wide) return [forbid("changes the rights of everything below a root")];
	const system = paths.some((path) => placeOf(path) === "system" || placeOf(path) === "everything");
	if (isOpenMode(mode) && system && paths.some((path) => placeOf(path) === "system"))
		return [forbid(`opens ${paths.join(" ")} to everyone`)];
	return isOpenMode(mode) ? [risky(`chmod ${mode} lets everyone write or lends rights`)] : [];
};

const chown: Tool = (act) => {
	const paths = act.options.operands.slice(1);
	const places = paths.map((path) => placeOf(path));
	if (flag(act, "-R") && paths.some(isWide)) {
		return [forbid("changes the owner of everything below a root")];
	}
	return places.some((place) => place === "system") ? [risky("changes the owner of a system file")] : [];
};

const chattr: Tool = (act) =>
	act.words.some((word) => /^-[a-zA-Z]*[ia]/.test(word))
		? [forbid("takes the protection against changes off a file")]
		: [risky("changes file attributes")];

const reads: Tool = (act) => act.options.operands.map(read);

/** The first operand is a pattern or a program. */
const searches: Tool = (act) => [
	...act.options.operands.slice(act.words.some((word) => /^-[ef]/.test(word)) ? 0 : 1).map(read),
	...(act.words.some((word) => /^--pre(?:=|$)/.test(word))
		? [risky(`${act.name} --pre runs a program on each file`)]
		: []),
];

/** `tar`: what it packs is read, where it unpacks is written, and its actions run. */
const tar: Tool = (act) => [
	...act.words.flatMap((word, at): readonly Effect[] => {
		const action = /^--(?:checkpoint-action=exec|to-command|use-compress-program|rsh-command|info-script)=(.*)$/s.exec(
			word,
		)?.[1];
		if (action !== undefined) return [forbid("tar runs a command of its own"), { kind: "script", text: action }];
		if (word === "--remove-files") return [raise("delete_action", "tar removes what it packed")];
		return /^(?:-C|--directory)$/.test(word) ? [write(act.words[at + 1] ?? "")] : [];
	}),
	...(act.words.some((word, at) => /^--create$|^-[a-zA-Z]*c/.test(word) || (at === 0 && /^[a-zA-Z]*c/.test(word)))
		? act.options.operands.map(read)
		: []),
];

const rsync: Tool = (act) => {
	const remote = act.options.operands.at(-1);
	const deletes = act.options.flags.some((name) => /^--(?:del|delete(?:-.*)?|remove-source-files)$/.test(name));
	return [
		...(deletes && !flag(act, "--dry-run") ? [forbid("rsync removes files that the source does not have")] : []),
		...act.words.flatMap((word, at): readonly Effect[] => {
			const command = /^(?:-e|--rsh)(?:=(.*))?$/s.exec(word);
			return command ? [{ kind: "script", text: command[1] ?? act.words[at + 1] ?? "" }] : [];
		}),
		...(remote === undefined || /^[^/]*:/.test(remote) ? [] : [write(remote)]),
		...act.options.operands.slice(0, -1).map(read),
	];
};

/** Options that name a file to write, per tool. */
const OUTPUT_OPTIONS: Readonly<Record<string, readonly string[]>> = {
	sort: ["-o", "--output"],
	base64: ["-o", "--output"],
	gpg: ["-o", "--output"],
	openssl: ["-out"],
	gcc: ["-o"],
	cc: ["-o"],
	clang: ["-o"],
	go: ["-o"],
	pandoc: ["-o", "--output"],
	jq: [],
	xmllint: ["-o", "--output"],
	rustc: ["-o"],
	tree: ["-o"],
	shuf: ["-o", "--output"],
	dot: ["-o"],
	zip: [],
	unzip: ["-d"],
	pg_dump: ["-f", "--file"],
	mysqldump: ["-r", "--result-file"],
};

/** What a tool's output options write. */
export function outputs(
	name: string,
	words: readonly string[],
	options = OUTPUT_OPTIONS[name] ?? [],
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

const writesOutput: Tool = (act) => outputs(act.name, act.words);

/** macOS's `base64 -o`: writes a file like a redirect, and shows one. */
const base64: Tool = (act) => [...writesOutput(act), ...reads(act)];

const writesOperands: Tool = (act) => act.options.operands.map((path) => write(path));

const READERS = [
	"cat",
	"bat",
	"batcat",
	"less",
	"more",
	"head",
	"tail",
	"nl",
	"tac",
	"rev",
	"xxd",
	"od",
	"hexdump",
	"strings",
	"cut",
	"paste",
	"fold",
	"view",
	"zip",
	"7z",
	"gzip",
	"uuencode",
	"type",
	"gc",
	"get-content",
];

/** The file commands by name. */
export const FILES: Readonly<Record<string, Tool>> = {
	...Object.fromEntries(READERS.map((name) => [name, reads])),
	...Object.fromEntries(Object.keys(OUTPUT_OPTIONS).map((name) => [name, writesOutput])),
	rm,
	grm: rm,
	unlink: rm,
	rmdir: (act) => act.options.operands.map((path) => removal(path, false)),
	rimraf: removeAll,
	"del-cli": removeAll,
	trash: removeAll,
	shred,
	srm: (act) => (act.options.letters.has("r") ? shred(act) : []),
	wipe: shred,
	mv,
	cp: (act) => writesTarget(act),
	install: (act) => writesTarget(act),
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
	prettier: (act) => (act.words.some((word) => /^(?:-w|--write)$/.test(word)) ? writesOperands(act) : []),
	scp: (act) => [
		...act.options.operands.slice(0, -1).map(read),
		...act.options.operands.slice(-1).flatMap((path) => (path.includes(":") ? [] : [write(path)])),
	],
};
