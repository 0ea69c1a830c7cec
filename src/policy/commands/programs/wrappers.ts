// Commands that run other commands: privileges, limits, loops over lists, containers. Shells are in shells.ts.

import { LISTED } from "../../placeholders.ts";
import {
	type CommandModel,
	type Effect,
	forbid,
	type Invocation,
	raise,
	risky,
	run,
	script,
	write,
} from "../effects.ts";
import { entryOf } from "../entry.ts";
import { firstOperands, MAX_PLACES } from "../options.ts";
import { dashC } from "./shells.ts";

/** Runs what follows its options, and `skip` operands before it: `timeout 5 rm`, `chroot /mnt rm`. */
function prefix(skip = 0): CommandModel {
	return ({ words }) => runsFrom(words, skip, 0);
}

function runsFrom(words: readonly string[], skip: number, from: number): readonly Effect[] {
	const places = firstOperands(words, from);
	const inner = places.flatMap((at): readonly Effect[] =>
		skip > 0 ? runsFrom(words, skip - 1, at + 1) : [run(words.slice(at))],
	);
	return places.length < MAX_PLACES ? inner : [...inner, TOO_MANY_OPTIONS];
}

/** Which word is the command cannot be told: it may be one that was not followed. */
const TOO_MANY_OPTIONS = raise("oversize_command", "more options before a command than can be followed");

/** `-S text` of env: more words in one. */
const SPLITS = /^(?:-[a-zA-Z]*S|--split-string=?)(.*)$/s;

/** `env`: assignments before the command, and `-S`, whose value is split into words. */
const env: CommandModel = ({ words }) => {
	const effects: Effect[] = [];
	const at = words.findIndex((word) => SPLITS.test(word));
	if (at >= 0) {
		const attached = SPLITS.exec(words[at] ?? "")?.[1] ?? "";
		const text = attached === "" ? (words[at + 1] ?? "") : attached;
		const rest = words.slice(at + (attached === "" ? 2 : 1));
		effects.push(run([...text.split(/\s+/).filter((piece) => piece !== ""), ...rest]));
	}
	let bare = true;
	const places = firstOperands(words);
	if (places.length === MAX_PLACES) effects.push(TOO_MANY_OPTIONS);
	for (const place of places) {
		bare = false;
		effects.push(...runsAfterAssignments(words, place));
	}
	return bare && effects.length === 0 && words.length === 0 ? [risky("prints every environment variable")] : effects;
};

function runsAfterAssignments(words: readonly string[], from: number): readonly Effect[] {
	let at = from;
	while (/^[^/=]+=/.test(words[at] ?? "")) at += 1;
	return at < words.length ? [run(words.slice(at))] : [];
}

/** `sudo`: like `env` it takes assignments; a shell of its own when nothing follows. */
const sudo: CommandModel = ({ words }) => [
	...(firstOperands(words).length > 0 ? [risky("runs with another user's rights")] : []),
	...firstOperands(words).flatMap((at) => runsAfterAssignments(words, at)),
	...(firstOperands(words).length === MAX_PLACES ? [TOO_MANY_OPTIONS] : []),
	...(words.some((word) => /^(?:-e|--edit)$/.test(word)) ? words.map((path) => write(path)) : []),
];

/** `command` and `builtin`; with `-v` they only look the name up. */
const lookedUp: CommandModel = (command) =>
	/^-[a-zA-Z]*[vV]/.test(command.words[0] ?? "") ? [] : runsFrom(command.words, 0, 0);

/** What `xargs` and `parallel` put together: the known words of the input, and a name that stands for any. */
function listedCommands(
	words: readonly string[],
	at: number,
	input: string | undefined,
	mark: string,
): readonly Effect[] {
	const command = words.slice(at);
	const holds = mark !== "" && command.some((word) => word.includes(mark));
	const fill = (value: string) =>
		holds ? command.map((word) => word.replaceAll(mark, () => value)) : [...command, value];
	const known =
		input
			?.split(/\n+/)
			.filter((line) => line.trim() !== "")
			.slice(0, 32) ?? [];
	const lines = known.map((line) => (holds ? run(fill(line.trim())) : run([...command, ...line.trim().split(/\s+/)])));
	return [...lines, run(fill(LISTED), true)];
}

/** Options of xargs that take the next word. */
const XARGS_VALUES = /^(?:-[IJnPLsdaER]|--(?:max-args|max-procs|max-lines|max-chars|delimiter|arg-file|eof))$/;

function isXargsCommand(words: readonly string[], word: string, at: number): boolean {
	return !/^-./.test(word) && !XARGS_VALUES.test(words[at - 1] ?? "");
}

const xargs: CommandModel = ({ words, input }) => {
	const mark = words.map((word, at) => {
		const found = /^(?:-[IiJ](.*)|--replace(?:=(.*))?)$/s.exec(word);
		if (!found) return undefined;
		const attached = found[1] ?? found[2] ?? "";
		return attached !== "" ? attached : /^-[IJ]$/.test(word) ? (words[at + 1] ?? "{}") : "{}";
	});
	const replaced = mark.find((found) => found !== undefined) ?? "";
	const first = words.findIndex((word, at) => isXargsCommand(words, word, at));
	return first < 0 ? [] : firstOperands(words, first).flatMap((at) => listedCommands(words, at, input, replaced));
};

const parallel: CommandModel = ({ words, input }) => {
	const list = words.findIndex((word) => /^:::/.test(word));
	const command = list < 0 ? words : words.slice(0, list);
	const values = list < 0 ? input : words.slice(list + 1).join("\n");
	const quoted = firstOperands(command).flatMap((at) => listedCommands(command, at, values, "{}"));
	// Without a command, the lines themselves are commands.
	if (firstOperands(command).length > 0) return quoted;
	return values === undefined || values === "" ? [] : [script(values)];
};

/** `find`: its primaries run, delete and write. */
const find: CommandModel = ({ words }) => {
	const effects: Effect[] = [];
	for (let at = 0; at < words.length; at += 1) {
		const word = words[at] ?? "";
		if (/^-(?:exec|execdir|ok|okdir)$/.test(word)) {
			const rest = words.slice(at + 1);
			const length = rest.findIndex((next, index) => next === ";" || (next === "+" && rest[index - 1] === "{}"));
			const command = length < 0 ? rest : rest.slice(0, length);
			effects.push(
				run(
					command.map((next) => next.replaceAll("{}", LISTED)),
					true,
				),
			);
			at += command.length + 1;
		} else if (/^-(?:fprint|fprint0|fls|fprintf)$/.test(word)) {
			effects.push(write(words[at + 1] ?? ""), risky("writes a file through find"));
			at += 1;
		} else if (/^-(?:name|iname|path|ipath|regex|wholename|type|newer|user|perm|size)$/.test(word)) at += 1;
		else if (word === "-delete") effects.push(forbid("find -delete removes whatever it matches"));
	}
	return effects;
};

/** A subcommand that runs a command inside: `docker exec NAME …`, `kubectl exec POD -- …`, `poetry run …`. */
const SUBCOMMANDS: Readonly<Record<string, Readonly<Record<string, number>>>> = {
	docker: { exec: 1, run: 1 },
	podman: { exec: 1, run: 1 },
	nerdctl: { exec: 1, run: 1 },
	kubectl: { exec: 1, run: 1 },
	oc: { exec: 1, rsh: 1 },
	"docker-compose": { exec: 1, run: 1 },
	poetry: { run: 0 },
	pipenv: { run: 0 },
	uv: { run: 0 },
	rye: { run: 0 },
	pdm: { run: 0 },
	hatch: { run: 0 },
	bundle: { exec: 0 },
	mise: { exec: 0, x: 0 },
	asdf: { exec: 0 },
	rbenv: { exec: 0 },
	pyenv: { exec: 0 },
	npm: { exec: 0, x: 0 },
	pnpm: { exec: 0, dlx: 0 },
	yarn: { exec: 0, dlx: 0 },
	bun: { x: 0 },
	direnv: { exec: 1 },
	conda: { run: 0 },
	mamba: { run: 0 },
	op: { run: 0 },
	doppler: { run: 0 },
	"aws-vault": { exec: 1 },
	vagrant: { ssh: 0 },
	multipass: { exec: 1 },
	lxc: { exec: 1 },
	heroku: { run: 0 },
	git: {},
	minikube: { ssh: 0 },
	nix: { develop: 0, shell: 0 },
};

/** The commands that a subcommand may run inside; none where it runs none. */
export function insideOf(command: Invocation): readonly Effect[] {
	const table = entryOf(SUBCOMMANDS, command.name);
	if (!table) return [];
	return firstOperands(command.words).flatMap((at): readonly Effect[] => {
		const word = command.words[at] ?? "";
		if (command.name === "docker" && word === "compose") {
			return insideOf({ ...command, name: "docker-compose", words: command.words.slice(at + 1) });
		}
		const skip = Object.hasOwn(table, word) ? table[word] : undefined;
		if (skip === undefined) return [];
		const dashes = command.words.indexOf("--", at);
		return dashes < 0 ? runsFrom(command.words, skip, at + 1) : [run(command.words.slice(dashes + 1))];
	});
}

/** `busybox NAME …` is NAME, and `npx NAME …` runs a package by that name, fetched if need be. */
const npx: CommandModel = (command) => [
	...(command.options.flags.some((flag) => /^(?:-y|--yes)$/.test(flag))
		? [risky("installs and runs a package unseen")]
		: []),
	...runsFrom(command.words, 0, 0),
	...dashC(command),
];

const PREFIXES = [
	"nohup",
	"setsid",
	"nice",
	"ionice",
	"stdbuf",
	"time",
	"gtime",
	"exec",
	"busybox",
	"toybox",
	"strace",
	"ltrace",
	"caffeinate",
	"xvfb-run",
	"dbus-run-session",
	"rlwrap",
	"unbuffer",
	"fakeroot",
	"torsocks",
	"proxychains",
	"proxychains4",
	"systemd-run",
	"systemd-inhibit",
	"unshare",
	"nsenter",
	"prlimit",
	"chrt",
	"cpulimit",
	"firejail",
	"bwrap",
	"valgrind",
	"perf",
	"catchsegv",
	"setarch",
	"linux64",
	"choom",
	"coproc",
	"winpty",
	"wsl",
	"arch",
	"hyperfine",
	"entr",
	"noglob",
	"nocorrect",
	"then",
	"!",
	"if",
	"elif",
	"while",
	"until",
	"{",
	"do",
	"else",
	"-",
	"uvx",
	"bunx",
	"pipx",
	"tsx",
	"dotenv",
	"cross-env",
	"chronic",
	"ts",
	"numactl",
	"setpriv",
	"capsh",
	"runcon",
	"pkexec",
];
const SKIPS: Readonly<Record<string, number>> = {
	timeout: 1,
	gtimeout: 1,
	chroot: 1,
	flock: 1,
	taskset: 1,
	sshpass: 0,
	setuidgid: 1,
	gosu: 1,
	"su-exec": 1,
	envdir: 1,
	function: 1,
	faketime: 1,
};

/** The wrappers by name. */
export const WRAPPERS: Readonly<Record<string, CommandModel>> = {
	...Object.fromEntries(PREFIXES.map((name) => [name, prefix()])),
	...Object.fromEntries(Object.entries(SKIPS).map(([name, skip]) => [name, prefix(skip)])),
	env,
	sudo,
	doas: sudo,
	command: lookedUp,
	builtin: lookedUp,
	xargs,
	parallel,
	find,
	gfind: find,
	fd: (command) => {
		const at = command.words.findIndex((word) => /^(?:-x|-X|--exec|--exec-batch)$/.test(word));
		return at < 0 ? [] : [run([...command.words.slice(at + 1), LISTED], true)];
	},
	flock: (command) => [...dashC(command), ...runsFrom(command.words, 1, 0)],
	"nix-shell": (command) =>
		command.words.flatMap((word, at) =>
			/^--(?:run|command)$/.test(word) ? [script(command.words[at + 1] ?? "")] : [],
		),
	npx,
	strace: prefix(),
};
