// Where a path leads, for a command that removes, writes or reads it: the temporary folders, the workspace, the system.

import { foldingWork } from "../look-alikes.ts";
import { MAX_PATH_LENGTH, type NormalizedPath, normalizePath, normalizingWork } from "../paths.ts";
import { LISTED, UNKNOWN } from "../placeholders.ts";
import placesFile from "./places.json" with { type: "json" };

/** `everything` is a root, a home, the workspace or all that lies in one of them. */
export type ShellPlace = "temporary" | "everything" | "system" | "outside" | "inside" | "unknown";

const TEMPORARY: readonly (readonly string[])[] = placesFile.temporary.map((folder) => folder.split("/"));

/** Folders an operating system does not run without, or keeps its accounts and settings in. */
const SYSTEM: ReadonlySet<string> = new Set(placesFile.system);

const ALL = /^(?:\*+|\.\*|\.\[.*|\?+\*|\.\?\?\*|\{.*)$/;

function isAll(segment: string | undefined): boolean {
	return segment !== undefined && ALL.test(segment);
}

function startsWith(path: NormalizedPath, folder: readonly string[]): boolean {
	return folder.every((segment, index) => path.segments[index] === segment);
}

/** The place of a path as written, seen from `folder` (the workspace when empty). */
export function placeOf(written: string, folder = ""): ShellPlace {
	if (written === UNKNOWN || written.includes(LISTED)) return "unknown";
	const path = normalizePath(resolveIn(folder, written));
	const { segments, outside } = path;
	if (segments.length === 0) return "everything";
	if (!outside) return segments.length === 1 && isAll(segments[0]) ? "everything" : "inside";
	if (segments.length === 1 && isAll(segments[0])) return "everything";
	if (written.startsWith(UNKNOWN)) return "unknown";
	const absolute = /^(?:[a-z]:|[/\\])/i.test(resolveIn(folder, written));
	if (!absolute) return "outside";
	if (TEMPORARY.some((temporary) => startsWith(path, temporary))) return "temporary";
	return SYSTEM.has(segments[0] ?? "") ? "system" : "outside";
}

/** What asking for the place of each path costs, in units of work; programs' models ask up to four times. */
export function placingWork(paths: readonly string[]): number {
	return paths.reduce((sum, path) => sum + 600 + 4 * (foldingWork(path) + normalizingWork(path)), 0);
}

/** A path as it is written, seen from a folder that was entered before. */
export function resolveIn(folder: string, written: string): string {
	return folder === "" || /^(?:[a-z]:|[/\\~])/i.test(written) || written.startsWith(UNKNOWN)
		? written
		: `${folder}/${written}`;
}

/** A disk or a partition as a device file. */
export function isDisk(written: string): boolean {
	return /^\/dev\/(?:sd|hd|vd|xvd|nvme|mmcblk|disk|rdisk|loop|md|dm-|mapper\/|mem|kmem)/.test(written);
}

/** Files that something runs or follows the next time it starts: shells, schedulers, services, agents, version control. */
const PERSISTENT: readonly RegExp[] = [
	/(?:^|\/)\.(?:bashrc|bash_profile|bash_login|bash_logout|bash_aliases|profile|zshrc|zshenv|zprofile|zlogin|kshrc|cshrc|tcshrc|inputrc|xinitrc|xsession)$/,
	/(?:^|\/)\.config\/(?:fish\/|autostart\/|systemd\/)/,
	/(?:^|\/)\.ssh\/(?:authorized_keys2?|config|rc|environment)$/,
	/(?:^|\/)(?:launchagents|launchdaemons)\//,
	/(?:^|\/)\.git\/hooks\//,
];

/** The same of agents: what lies anywhere below one of these folders. Two tests, since one would try each pair of them. */
const AGENTS = /(?:^|\/)\.(?:claude|cursor|codex|gemini)\//;
const AGENT_SETTINGS = /settings|hooks|config|mcp|rules/;

/** Whether what is written there runs later without being asked for. */
export function isPersistent(written: string): boolean {
	const path = normalizePath(written).segments.join("/").slice(0, MAX_PATH_LENGTH);
	const agents = AGENTS.exec(path);
	if (agents && AGENT_SETTINGS.test(path.slice(agents.index + agents[0].length))) return true;
	return PERSISTENT.some((pattern) => pattern.test(path));
}

/** Files whose contents are a credential. */
const SECRET: readonly RegExp[] = [
	/(?:^|\/)\.env(?:\.(?!(?:example|sample|template|dist|defaults|schema|test)$)[^/]+)?$/,
	/(?:^|\/)\.ssh(?:\/(?!known_hosts|config$|[^/]*\.pub$).*)?$/s,
	/(?:^|\/)id_(?:rsa|dsa|ecdsa|ed25519)[^/.]*$/,
	/(?:^|\/)\.(?:netrc|pgpass|git-credentials|htpasswd|dev\.vars|vault-token)$/,
	/(?:^|\/)\.gnupg(?:\/|$)/,
	/(?:^|\/)\.aws(?:\/credentials|$)/,
	/(?:^|\/)\.kube\/config$/,
	/(?:^|\/)\.docker\/config\.json$/,
	/(?:^|\/)\.config\/(?:gcloud|gh)(?:\/|$)/,
	/(?:^|\/)[^/]*\.(?:pem|p12|pfx|jks|keystore|kdbx|key)$/,
	/^etc\/(?:g?shadow-?|sudoers)$/,
	/^proc\/[^/]+\/environ$/,
];

/** Whether the path is a credential, as far as its name says. */
export function isSecret(written: string): boolean {
	const path = normalizePath(written).segments.join("/").slice(0, MAX_PATH_LENGTH);
	return SECRET.some((pattern) => pattern.test(path));
}
