// The machine itself: power, disks, accounts, services, schedules, kernel, processes; and the same on Windows.

import { type CommandModel, type Effect, forbid, raise, risky, script, write } from "../effects.ts";
import { hasFlag } from "../options.ts";
import { placeOf, placingWork } from "../places.ts";
import systemFile from "./system.json" with { type: "json" };

/** Commands that have no harmless use worth allowing, and what they do. */
const FORBIDDEN: ReadonlyMap<string, string> = new Map(Object.entries(systemFile.forbidden));

const RISKY: ReadonlyMap<string, string> = new Map(Object.entries(systemFile.risky));

const always: CommandModel = (command) => {
	if (
		command.options.flags.some((flag) => /^--(?:help|version)$/.test(flag)) ||
		(command.words.length === 0 && /^(?:mdadm|hdparm|vssadmin)$/.test(command.name))
	)
		return [];
	if (
		command.name === "mdadm" &&
		command.options.flags.some((flag) => /^--(?:detail|examine|query)$|^-[DEQ]$/.test(flag))
	)
		return [];
	const name =
		FORBIDDEN.get(command.name) ?? FORBIDDEN.get(command.name.split(".", 1)[0] ?? "") ?? "changes the machine";
	return [forbid(`${command.name} ${name}`)];
};

/** Uses of the careful commands that only look. */
const ONLY_LOOKS: Readonly<Record<string, (words: readonly string[]) => boolean>> = {
	mount: (words) => words.length === 0 || words.every((word) => word === "-l"),
	sysctl: (words) => !words.some((word) => /=|^-[wp]/.test(word)),
	printenv: (words) => words.length > 0,
	sc: (words) => /^query/i.test(words[0] ?? ""),
	icacls: (words) => words.length < 2,
};

const careful: CommandModel = (command) =>
	ONLY_LOOKS[command.name]?.(command.words) === true ? [] : [risky(`${command.name} ${RISKY.get(command.name) ?? ""}`)];

const kill: CommandModel = (command) => {
	if (
		command.words.some((word) => /^(?:-1|-- ?-1|0)$/.test(word)) &&
		command.words.some((word) => /^-(?:9|s|KILL|SIGKILL)$/i.test(word))
	)
		return [forbid("kills every process")];
	if (command.options.operands.includes("1")) return [forbid("kills the first process")];
	return command.words.some((word) => /^-(?:9|KILL|SIGKILL)$/i.test(word))
		? [risky("kills a process without letting it finish")]
		: [];
};

/** Services that a machine cannot do without, or that others rely on. */
const systemctl: CommandModel = (command) => {
	const [verb = ""] = command.options.operands;
	if (/^(?:poweroff|reboot|halt|kexec|rescue|emergency|isolate|suspend|hibernate)$/.test(verb))
		return [forbid(`${command.name} ${verb} stops the machine`)];
	const critical = command.options.operands
		.slice(1)
		.some((unit) =>
			/^(?:ssh|sshd|networkmanager|systemd-.*|firewalld|ufw|docker|auditd|dbus|network|networking|systemd)(?:\.service)?$/i.test(
				unit,
			),
		);
	if (/^(?:stop|disable|mask)$/.test(verb) && critical)
		return [forbid(`${command.name} ${verb} takes a vital service away`)];
	return /^(?:stop|disable|mask|restart|enable|kill|set-default|edit|start|reload|daemon-reexec)$/.test(verb)
		? [risky(`${command.name} ${verb} changes a running service`)]
		: [];
};

/** `service NAME VERB`. */
const service: CommandModel = (command) =>
	systemctl({
		...command,
		options: { ...command.options, operands: [command.options.operands[1] ?? "", command.options.operands[0] ?? ""] },
	});

/** `at` runs what it reads, later. */
const at: CommandModel = (command) => [
	risky(`${command.name} schedules a command`),
	...(command.piped ? [{ kind: "interpret", language: "shell" } as const] : []),
];

/** Editors write their files; `!` in their commands is a shell. */
const editor: CommandModel = (command) =>
	command.words.flatMap((word): readonly Effect[] => {
		const line = /^\+?:?(?:silent )?!(.+)$/s.exec(word)?.[1];
		if (line !== undefined) return [script(line)];
		return /^[-+]/.test(word) ? [] : [write(word)];
	});

const crontab: CommandModel = (command) => {
	if (command.options.letters.has("l")) return [];
	if (hasFlag("crontab", command.options, "-r")) return [forbid("crontab -r removes every schedule")];
	return command.piped || command.options.operands.length > 0 ? [forbid("replaces the schedule of commands")] : [];
};

const partitions: CommandModel = (command) => {
	const looks =
		command.options.flags.some((flag) => /^(?:-l|--list|-p|--print|--help|--version)$/.test(flag)) ||
		command.options.operands.includes("print") ||
		command.words.length === 0;
	return looks ? [] : [forbid(`${command.name} changes partitions`)];
};

const diskutil: CommandModel = (command) =>
	/^(?:erase|partition|secureerase|zerodisk|randomdisk|reformat|apfs)/i.test(command.options.operands[0] ?? "")
		? [forbid("erases a disk")]
		: [];

/** `format c:`: a drive, not a word that happens to follow. */
const format: CommandModel = (command) =>
	command.words.some((word) => /^[a-z]:[\\/]?$/i.test(word)) ? [forbid("formats a drive")] : [];

/** `del`, `rd`: `/s` goes through the folders below. */
const windowsDelete: CommandModel = (command) => {
	const paths = command.words.filter((word) => !/^\/[a-z]$/i.test(word) && !/^-/.test(word));
	const recursive = command.words.some((word) => /^(?:\/s|-r(?:ecurse)?)$/i.test(word));
	if (!command.work.charge(placingWork(paths))) return [];
	const remove = paths.map((path): Effect => ({ kind: "remove", path, recursive }));
	if (recursive && paths.some((path) => placeOf(path) !== "inside"))
		return [...remove, forbid("removes a whole folder")];
	return [...remove, raise("delete_action", "removes files")];
};

const registry: CommandModel = (command) =>
	/^(?:delete|unload)$/i.test(command.words[0] ?? "")
		? [forbid("deletes from the registry")]
		: [risky("changes the registry")];

/** `ansible -a text` runs the text elsewhere; a playbook does what it says. */
const ansible: CommandModel = (command) => {
	const at = command.words.findIndex((word) => /^(?:-a|--args)$/.test(word));
	const remote = at < 0 ? [] : [script(command.words[at + 1] ?? "")];
	const looks = command.options.flags.some((flag) => /^--(?:check|list-.*|syntax-check|version)$/.test(flag));
	return looks ? remote : [...remote, raise("deploy_action", `${command.name} changes other machines`)];
};

export const SYSTEM_TOOLS: Readonly<Record<string, CommandModel>> = {
	...Object.fromEntries([...FORBIDDEN.keys()].map((name) => [name, always])),
	...Object.fromEntries([...RISKY.keys()].map((name) => [name, careful])),
	kill,
	systemctl,
	service,
	crontab,
	diskutil,
	format,
	fdisk: partitions,
	sfdisk: partitions,
	cfdisk: partitions,
	gdisk: partitions,
	sgdisk: partitions,
	parted: partitions,
	init: (command) => (/^[06]$/.test(command.words[0] ?? "") ? [forbid("stops the machine")] : []),
	del: windowsDelete,
	erase: windowsDelete,
	rd: windowsDelete,
	"remove-item": windowsDelete,
	ri: windowsDelete,
	reg: registry,
	ansible,
	"ansible-playbook": ansible,
	tmutil: (command) => (/^delete/.test(command.words[0] ?? "") ? [forbid("deletes backups")] : []),
	tune2fs: always,
	at,
	batch: at,
	vim: editor,
	vi: editor,
	nvim: editor,
	ex: editor,
	ed: editor,
	nano: editor,
	emacs: editor,
};
