// The machine itself: power, disks, accounts, services, schedules, kernel, processes; and the same on Windows.
import { type Effect, forbid, raise, risky, script, type Tool, write } from "../effects.ts";
import { hasFlag } from "../options.ts";
import { placeOf } from "../places.ts";

/** Commands that have no harmless use worth allowing, and what they do. */
const ALWAYS: Readonly<Record<string, string>> = {
	shutdown: "stops the machine",
	reboot: "restarts the machine",
	halt: "stops the machine",
	poweroff: "stops the machine",
	telinit: "changes the run level",
	mkfs: "formats a disk",
	newfs: "formats a disk",
	mke2fs: "formats a disk",
	mkswap: "formats a disk",
	wipefs: "wipes a disk's signatures",
	blkdiscard: "discards a disk",
	hdparm: "changes a disk's settings",
	badblocks: "may overwrite a disk",
	cryptsetup: "changes disk encryption",
	mkntfs: "formats a disk",
	userdel: "deletes an account",
	deluser: "deletes an account",
	groupdel: "deletes a group",
	delgroup: "deletes a group",
	visudo: "changes who may do everything",
	vipw: "changes the accounts",
	chpasswd: "changes passwords",
	insmod: "loads a kernel module",
	rmmod: "unloads a kernel module",
	kexec: "replaces the kernel",
	vgremove: "removes a volume group",
	lvremove: "removes a volume",
	pvremove: "removes a physical volume",
	mdadm: "changes a disk array",
	diskpart: "changes partitions",
	vssadmin: "changes shadow copies",
	bcdedit: "changes how the machine boots",
	"clear-disk": "clears a disk",
	"format-volume": "formats a disk",
	"remove-partition": "removes a partition",
};

const CAREFUL: Readonly<Record<string, string>> = {
	passwd: "changes a password",
	usermod: "changes an account",
	useradd: "creates an account",
	groupmod: "changes a group",
	gpasswd: "changes a group",
	modprobe: "loads a kernel module",
	mount: "mounts a file system",
	umount: "unmounts a file system",
	swapoff: "turns swap off",
	sysctl: "changes kernel settings",
	setenforce: "changes mandatory access control",
	resize2fs: "resizes a file system",
	lvresize: "resizes a volume",
	lvreduce: "shrinks a volume",
	pkill: "ends processes by name",
	killall: "ends processes by name",
	sc: "changes a service",
	icacls: "changes rights",
	takeown: "takes ownership",
	printenv: "prints every environment variable",
	gdb: "changes a running process",
};

const always: Tool = (act) => {
	if (
		act.options.flags.some((flag) => /^--(?:help|version)$/.test(flag)) ||
		(act.words.length === 0 && /^(?:mdadm|hdparm|vssadmin)$/.test(act.name))
	)
		return [];
	if (act.name === "mdadm" && act.options.flags.some((flag) => /^--(?:detail|examine|query)$|^-[DEQ]$/.test(flag)))
		return [];
	const name = ALWAYS[act.name] ?? ALWAYS[act.name.replace(/\..*$/, "")] ?? "changes the machine";
	return [forbid(`${act.name} ${name}`)];
};

/** Uses of the careful commands that only look. */
const ONLY_LOOKS: Readonly<Record<string, (words: readonly string[]) => boolean>> = {
	mount: (words) => words.length === 0 || words.every((word) => word === "-l"),
	sysctl: (words) => !words.some((word) => /=|^-[wp]/.test(word)),
	printenv: (words) => words.length > 0,
	sc: (words) => /^query/i.test(words[0] ?? ""),
	icacls: (words) => words.length < 2,
};

const careful: Tool = (act) =>
	ONLY_LOOKS[act.name]?.(act.words) === true ? [] : [risky(`${act.name} ${CAREFUL[act.name] ?? ""}`)];

const kill: Tool = (act) => {
	if (
		act.words.some((word) => /^(?:-1|-- ?-1|0)$/.test(word)) &&
		act.words.some((word) => /^-(?:9|s|KILL|SIGKILL)$/i.test(word))
	)
		return [forbid("kills every process")];
	if (act.options.operands.includes("1")) return [forbid("kills the first process")];
	return act.words.some((word) => /^-(?:9|KILL|SIGKILL)$/i.test(word))
		? [risky("kills a process without letting it finish")]
		: [];
};

/** Services that a machine cannot do without, or that others rely on. */
const systemctl: Tool = (act) => {
	const [verb = ""] = act.options.operands;
	if (/^(?:poweroff|reboot|halt|kexec|rescue|emergency|isolate|suspend|hibernate)$/.test(verb))
		return [forbid(`${act.name} ${verb} stops the machine`)];
	const critical = act.options.operands
		.slice(1)
		.some((unit) =>
			/^(?:ssh|sshd|networkmanager|systemd-.*|firewalld|ufw|docker|auditd|dbus|network|networking|systemd)(?:\.service)?$/i.test(
				unit,
			),
		);
	if (/^(?:stop|disable|mask)$/.test(verb) && critical)
		return [forbid(`${act.name} ${verb} takes a vital service away`)];
	return /^(?:stop|disable|mask|restart|enable|kill|set-default|edit|start|reload|daemon-reexec)$/.test(verb)
		? [risky(`${act.name} ${verb} changes a running service`)]
		: [];
};

/** `service NAME VERB`. */
const service: Tool = (act) =>
	systemctl({
		...act,
		options: { ...act.options, operands: [act.options.operands[1] ?? "", act.options.operands[0] ?? ""] },
	});

/** `at` runs what it reads, later. */
const at: Tool = (act) => [
	risky(`${act.name} schedules a command`),
	...(act.piped ? [{ kind: "obey", language: "shell" } as const] : []),
];

/** Editors write their files; `!` in their commands is a shell. */
const editor: Tool = (act) =>
	act.words.flatMap((word): readonly Effect[] => {
		const command = /^\+?:?(?:silent )?!(.+)$/s.exec(word)?.[1];
		if (command !== undefined) return [script(command)];
		return /^[-+]/.test(word) ? [] : [write(word)];
	});

const crontab: Tool = (act) => {
	if (act.options.letters.has("l")) return [];
	if (hasFlag("crontab", act.options, "-r")) return [forbid("crontab -r removes every schedule")];
	return act.piped || act.options.operands.length > 0 ? [forbid("replaces the schedule of commands")] : [];
};

const partitions: Tool = (act) => {
	const looks =
		act.options.flags.some((flag) => /^(?:-l|--list|-p|--print|--help|--version)$/.test(flag)) ||
		act.options.operands.includes("print") ||
		act.words.length === 0;
	return looks ? [] : [forbid(`${act.name} changes partitions`)];
};

const diskutil: Tool = (act) =>
	/^(?:erase|partition|secureerase|zerodisk|randomdisk|reformat|apfs)/i.test(act.options.operands[0] ?? "")
		? [forbid("erases a disk")]
		: [];

/** `format c:`: a drive, not a word that happens to follow. */
const format: Tool = (act) =>
	act.words.some((word) => /^[a-z]:[\\/]?$/i.test(word)) ? [forbid("formats a drive")] : [];

/** `del`, `rd`: `/s` goes through the folders below. */
const windowsDelete: Tool = (act) => {
	const paths = act.words.filter((word) => !/^\/[a-z]$/i.test(word) && !/^-/.test(word));
	const recursive = act.words.some((word) => /^(?:\/s|-r(?:ecurse)?)$/i.test(word));
	const remove = paths.map((path): Effect => ({ kind: "remove", path, recursive }));
	if (recursive && paths.some((path) => placeOf(path) !== "inside"))
		return [...remove, forbid("removes a whole folder")];
	return [...remove, raise("delete_action", "removes files")];
};

const registry: Tool = (act) =>
	/^(?:delete|unload)$/i.test(act.words[0] ?? "")
		? [forbid("deletes from the registry")]
		: [risky("changes the registry")];

/** `ansible -a text` runs the text elsewhere; a playbook does what it says. */
const ansible: Tool = (act) => {
	const at = act.words.findIndex((word) => /^(?:-a|--args)$/.test(word));
	const remote = at < 0 ? [] : [script(act.words[at + 1] ?? "")];
	const looks = act.options.flags.some((flag) => /^--(?:check|list-.*|syntax-check|version)$/.test(flag));
	return looks ? remote : [...remote, raise("deploy_action", `${act.name} changes other machines`)];
};

export const SYSTEM_TOOLS: Readonly<Record<string, Tool>> = {
	...Object.fromEntries(Object.keys(ALWAYS).map((name) => [name, always])),
	...Object.fromEntries(Object.keys(CAREFUL).map((name) => [name, careful])),
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
	init: (act) => (/^[06]$/.test(act.words[0] ?? "") ? [forbid("stops the machine")] : []),
	del: windowsDelete,
	erase: windowsDelete,
	rd: windowsDelete,
	"remove-item": windowsDelete,
	ri: windowsDelete,
	reg: registry,
	ansible,
	"ansible-playbook": ansible,
	tmutil: (act) => (/^delete/.test(act.words[0] ?? "") ? [forbid("deletes backups")] : []),
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
