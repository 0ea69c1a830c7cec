// Commands on the machine itself: power, disks, accounts, services, schedules, kernel, processes, also on Windows.

import { LISTED, UNKNOWN } from "../../placeholders.ts";
import {
	type Effect,
	forbiddenEffect,
	type Invocation,
	type ProgramRule,
	raiseEffect,
	riskyEffect,
} from "../effects.ts";
import { parseArguments } from "../grammar.ts";
import { locatePath, locatingWork } from "../locations.ts";
import { hasFlag } from "../options.ts";
import systemFile from "./system.json" with { type: "json" };

/** Commands without a harmless use worth allowing, and what they do. */
const FORBIDDEN_COMMANDS_BY_NAME: ReadonlyMap<string, string> = new Map(Object.entries(systemFile.forbidden));

const RISKY_COMMANDS_BY_NAME: ReadonlyMap<string, string> = new Map(Object.entries(systemFile.risky));

const forbiddenCommand: ProgramRule = (command) => {
	if (
		command.options.flags.some((flag) => /^--(?:help|version)$/.test(flag)) ||
		(command.words.length === 0 && /^(?:mdadm|hdparm)$/.test(command.name)) ||
		onlyLooks(command)
	)
		return [];
	if (
		command.name === "mdadm" &&
		command.options.flags.some((flag) => /^--(?:detail|examine|query)$|^-[DEQ]$/.test(flag))
	)
		return [];
	const name =
		FORBIDDEN_COMMANDS_BY_NAME.get(command.name) ??
		FORBIDDEN_COMMANDS_BY_NAME.get(command.name.split(".", 1)[0] ?? "") ??
		"changes the machine";
	return [forbiddenEffect(`${command.name} ${name}`)];
};

/** First words with which a command only looks. An empty text stands for no words at all. */
const LOOKING_WORDS: ReadonlyMap<string, ReadonlySet<string>> = new Map(
	Object.entries(systemFile.looks).map(([name, words]) => [name, new Set(words)]),
);

function onlyLooks({ name, words }: Pick<Invocation, "name" | "words">): boolean {
	const looking = LOOKING_WORDS.get(name);
	return looking !== undefined && (looking.has(words[0] ?? "") || looking.has(words.slice(0, 2).join(" ")));
}

/** Uses of risky commands that only look, where the first word does not say it. */
const ONLY_LOOKS: Readonly<Record<string, (words: readonly string[]) => boolean>> = {
	mount: (words) => words.length === 0 || words.every((word) => word === "-l"),
	sysctl: (words) => !words.some((word) => /=|^-[wp]/.test(word)),
	printenv: (words) => words.length > 0,
	icacls: (words) => words.length < 2,
};

const riskyCommand: ProgramRule = (command) =>
	onlyLooks(command) || ONLY_LOOKS[command.name]?.(command.words) === true
		? []
		: [riskyEffect(`${command.name} ${RISKY_COMMANDS_BY_NAME.get(command.name) ?? ""}`)];

/** Whether a command reads from one that finds processes by a port or a name: `lsof -ti:3000`, `pgrep -f vite`. */
function readsFoundProcesses(command: Invocation): boolean {
	const [finder, ...words] = command.sources();
	if (finder === "lsof") return words.some((word) => /:\d{2,5}$/.test(word));
	return (finder === "pgrep" || finder === "pidof") && words.some((word) => /^[a-z0-9_.]{3,}/i.test(word));
}

const kill: ProgramRule = (command) => {
	if (
		command.words.some((word) => /^(?:-1|-- ?-1|0)$/.test(word)) &&
		command.words.some((word) => /^-(?:9|s|KILL|SIGKILL)$/i.test(word))
	)
		return [forbiddenEffect("kills every process")];
	if (command.options.operands.includes("1")) return [forbiddenEffect("kills process 1, which stops the machine")];
	const pids = command.options.operands;
	const isFound = pids.every((pid) => pid === UNKNOWN || pid === LISTED) && readsFoundProcesses(command);
	return !isFound && command.words.some((word) => /^-(?:9|KILL|SIGKILL)$/i.test(word))
		? [riskyEffect("kills a process without letting it finish")]
		: [];
};

/** Programs that a developer starts and stops all day. */
const DEVELOPED_PROGRAMS: ReadonlySet<string> = new Set(systemFile.developed_programs);

/**
 * Whether a pattern of processes names a program under development: `vite`, `node server.js`, `npm run dev`. A runtime
 * alone also runs editors and agents.
 */
function isDevelopedProgram(pattern: string): boolean {
	const words = pattern.split(" ", 3);
	return (
		DEVELOPED_PROGRAMS.has(words[0] ?? "") ||
		words.slice(0, 2).some((word) => /^[a-z][a-z0-9_/-]{2,63}\.(?:[cm]?[jt]s|py|rb)$/i.test(word)) ||
		/^(?:npm|pnpm|yarn|bun) run [a-z][a-z0-9:_-]{1,63}$/.test(pattern)
	);
}

/** `pkill -f vite`, `pkill -P 1234`. Other people's processes, and those of no known program, ask. */
const killByName: ProgramRule = ({ name, words, options }) => {
	const isPlain = words.every((word) => !/^-./.test(word) || /^-(?:f|P|x|n|o|15|TERM|INT|HUP)$/.test(word));
	const [pattern = ""] = options.operands;
	const isOwn = options.letters.has("P") ? /^[0-9]{2,}$/.test(pattern) : isDevelopedProgram(pattern);
	return isPlain && isOwn && options.operands.length === 1
		? []
		: [riskyEffect(`${name} ends processes by name`, "kill PID")];
};

/** `systemctl`. Some services are vital to the machine, or to others. */
const systemctl: ProgramRule = (command) => {
	const [verb = ""] = command.options.operands;
	if (/^(?:poweroff|reboot|halt|kexec|rescue|emergency|isolate|suspend|hibernate)$/.test(verb))
		return [forbiddenEffect(`${command.name} ${verb} stops the machine`)];
	const critical = command.options.operands
		.slice(1)
		.some((unit) =>
			/^(?:ssh|sshd|networkmanager|systemd-.*|firewalld|ufw|docker|auditd|dbus|network|networking|systemd)(?:\.service)?$/i.test(
				unit,
			),
		);
	if (/^(?:stop|disable|mask)$/.test(verb) && critical)
		return [forbiddenEffect(`${command.name} ${verb} changes a service that the machine needs`)];
	return /^(?:stop|disable|mask|restart|enable|kill|set-default|edit|start|reload|daemon-reexec)$/.test(verb)
		? [riskyEffect(`${command.name} ${verb} changes a running service`)]
		: [];
};

/** `service NAME VERB`. */
const serviceCommand: ProgramRule = (command) =>
	systemctl({
		...command,
		options: { ...command.options, operands: [command.options.operands[1] ?? "", command.options.operands[0] ?? ""] },
	});

/** `at` runs what it reads, later. */
const atCommand: ProgramRule = (command) => {
	if (command.words.some((word) => /^-[lcV]$/.test(word))) return [];
	if (command.words.some((word) => /^-[dr]$/.test(word))) return [riskyEffect("removes a scheduled command")];
	return [
		riskyEffect("schedules a command"),
		...(command.piped ? [{ kind: "interpret", language: "shell" } as const] : []),
	];
};

const crontab: ProgramRule = (command) => {
	if (command.options.letters.has("l")) return [];
	if (hasFlag("crontab", command.options, "-r")) return [forbiddenEffect("crontab -r removes every schedule")];
	return command.piped || command.options.operands.length > 0
		? [forbiddenEffect("replaces the schedule of commands")]
		: [];
};

const partitions: ProgramRule = (command) => {
	const looks =
		command.options.flags.some((flag) => /^(?:-l|--list|-p|--print|--help|--version)$/.test(flag)) ||
		command.options.operands.includes("print") ||
		command.words.length === 0;
	return looks ? [] : [forbiddenEffect(`${command.name} changes partitions`)];
};

const diskutil: ProgramRule = (command) =>
	/^(?:erase|partition|secureerase|zerodisk|randomdisk|reformat|apfs)/i.test(command.options.operands[0] ?? "")
		? [forbiddenEffect("erases a disk")]
		: [];

/** `format c:`: a drive, not a word that happens to follow. */
const formatCommand: ProgramRule = (command) =>
	command.words.some((word) => /^[a-z]:[\\/]?$/i.test(word)) ? [forbiddenEffect("formats a drive")] : [];

/** Parameters of cmdlets whose value is no path that is removed. */
const DELETE_PARAMETERS = /^-(?:erroraction|ea|filter|include|exclude|confirm|verbose|stream)$/i;

/** `del`, `rd`. `/s` includes the folders below. */
const windowsDelete: ProgramRule = (command) => {
	const paths = command.words
		.filter(
			(word, at) =>
				!/^\/[a-z]$/i.test(word) && !/^-/.test(word) && !DELETE_PARAMETERS.test(command.words[at - 1] ?? ""),
		)
		.flatMap((word) => word.split(",").filter((path) => path !== ""));
	const recursive = command.words.some((word) => /^(?:\/s|-r(?:ecurse)?)$/i.test(word));
	if (!command.work.charge(locatingWork(paths))) return [];
	const remove = paths.map((path): Effect => ({ kind: "remove", path, recursive }));
	if (recursive && paths.some((path) => locatePath(path) !== "inside"))
		return [...remove, forbiddenEffect("removes a whole folder")];
	// What it removes may come through a pipe, and its other words are then no paths.
	return command.piped || paths.length === 0 ? [...remove, raiseEffect("delete_action", "removes files")] : remove;
};

/** Modules of `ansible` that only look, or whose `-a` is a command, which is judged by itself. */
const LOOKING_MODULES = /^(?:ping|win_ping|setup|gather_facts|debug|stat|command|shell|raw|win_command|win_shell)$/;

/** `ansible -m module -a arguments` changes other machines. */
const ansible: ProgramRule = (command) => {
	if (command.options.flags.some((flag) => /^--(?:check|list-.*|syntax-check|version)$/.test(flag))) return [];
	const words = parseArguments(command);
	const module = words.find(({ option }) => option === "-m" || option === "--module-name")?.text ?? "command";
	if (command.name === "ansible" && LOOKING_MODULES.test(module.split(".").pop() ?? "")) return [];
	const removes = words.some(({ option, text }) => option !== null && /(?:^|\s)state=absent\b/.test(text));
	return [
		removes
			? forbiddenEffect("removes something on other machines", "the same with --check")
			: raiseEffect("deploy_action", "changes other machines", "the same with --check"),
	];
};

export const SYSTEM_COMMANDS: Readonly<Record<string, ProgramRule>> = {
	...Object.fromEntries([...FORBIDDEN_COMMANDS_BY_NAME.keys()].map((name) => [name, forbiddenCommand])),
	...Object.fromEntries([...RISKY_COMMANDS_BY_NAME.keys()].map((name) => [name, riskyCommand])),
	kill,
	pkill: killByName,
	killall: killByName,
	systemctl,
	service: serviceCommand,
	crontab,
	diskutil,
	format: formatCommand,
	fdisk: partitions,
	sfdisk: partitions,
	cfdisk: partitions,
	gdisk: partitions,
	sgdisk: partitions,
	parted: partitions,
	init: (command) => (/^[06]$/.test(command.words[0] ?? "") ? [forbiddenEffect("stops the machine")] : []),
	del: windowsDelete,
	erase: windowsDelete,
	rd: windowsDelete,
	"remove-item": windowsDelete,
	ri: windowsDelete,
	ansible,
	"ansible-playbook": ansible,
	tmutil: (command) => (/^delete/.test(command.words[0] ?? "") ? [forbiddenEffect("deletes backups")] : []),
	tune2fs: forbiddenCommand,
	at: atCommand,
	batch: atCommand,
};
