// Where a path leads, for a command that removes, writes or reads it: the temporary folders, the workspace, the system.

import { foldingWork } from "../look-alikes.ts";
import { MAX_PATH_CHARS, type NormalizedPath, normalizePath, normalizingWork } from "../paths.ts";
import { LISTED, UNKNOWN } from "../placeholders.ts";
import locationsFile from "./locations.json" with { type: "json" };

/** `everything` is a root, a home, the workspace or all that lies in one of them. */
export type PathLocation = "temporary" | "everything" | "system" | "outside" | "inside" | "unknown";

const TEMPORARY_FOLDERS: readonly (readonly string[])[] = locationsFile.temporary.map((folder) => folder.split("/"));

/** Folders an operating system does not run without, or keeps its accounts and settings in. */
const SYSTEM_FOLDERS: ReadonlySet<string> = new Set(locationsFile.system);

const EVERYTHING_GLOB = /^(?:\*+|\.\*|\.\[.*|\?+\*|\.\?\?\*|\{.*)$/;

function matchesEverything(segment: string | undefined): boolean {
	return segment !== undefined && EVERYTHING_GLOB.test(segment);
}

function liesIn(path: NormalizedPath, folder: readonly string[]): boolean {
	return folder.every((segment, index) => path.segments[index] === segment);
}

/** The place of a path as written, seen from `folder` (the workspace when empty). */
export function locatePath(written: string, folder = ""): PathLocation {
	if (written === UNKNOWN || written.includes(LISTED)) return "unknown";
	const path = normalizePath(resolvePath(folder, written));
	const { segments, outside } = path;
	if (segments.length === 0) return "everything";
	if (!outside) return segments.length === 1 && matchesEverything(segments[0]) ? "everything" : "inside";
	if (segments.length === 1 && matchesEverything(segments[0])) return "everything";
	if (written.startsWith(UNKNOWN)) return "unknown";
	const absolute = /^(?:[a-z]:|[/\\])/i.test(resolvePath(folder, written));
	if (!absolute) return "outside";
	if (TEMPORARY_FOLDERS.some((temporary) => liesIn(path, temporary))) return "temporary";
	return SYSTEM_FOLDERS.has(segments[0] ?? "") ? "system" : "outside";
}

/** What asking for the place of each path costs, in units of work; programs' models ask up to four times. */
export function locatingWork(paths: readonly string[]): number {
	return paths.reduce((sum, path) => sum + 600 + 4 * (foldingWork(path) + normalizingWork(path)), 0);
}

/** A path as it is written, seen from a folder that was entered before. */
export function resolvePath(folder: string, written: string): string {
	return folder === "" || /^(?:[a-z]:|[/\\~])/i.test(written) || written.startsWith(UNKNOWN)
		? written
		: `${folder}/${written}`;
}

/** A disk or a partition as a device file. */
export function isDisk(written: string): boolean {
	return /^\/dev\/(?:sd|hd|vd|xvd|nvme|mmcblk|disk|rdisk|loop|md|dm-|mapper\/|mem|kmem)/.test(written);
}

/** Files that something runs or follows the next time it starts: shells, schedulers, services, agents, version control. */
const STARTUP_FILES: readonly RegExp[] = [
	/(?:^|\/)\.(?:bashrc|bash_profile|bash_login|bash_logout|bash_aliases|profile|zshrc|zshenv|zprofile|zlogin|kshrc|cshrc|tcshrc|inputrc|xinitrc|xsession)$/,
	/(?:^|\/)\.config\/(?:fish\/|autostart\/|systemd\/)/,
	/(?:^|\/)\.ssh\/(?:authorized_keys2?|config|rc|environment)$/,
	/(?:^|\/)(?:launchagents|launchdaemons)\//,
	/(?:^|\/)\.git\/hooks\//,
];

/** The same of agents: what lies anywhere below one of these folders. Two tests, since one would try each pair of them. */
const AGENT_FOLDERS = /(?:^|\/)\.(?:claude|cursor|codex|gemini)\//;
const AGENT_SETTINGS = /settings|hooks|config|mcp|rules/;

/** Whether what is written there runs later without being asked for. */
export function isStartupFile(written: string): boolean {
	const path = normalizePath(written).segments.join("/").slice(0, MAX_PATH_CHARS);
	const agents = AGENT_FOLDERS.exec(path);
	if (agents && AGENT_SETTINGS.test(path.slice(agents.index + agents[0].length))) return true;
	return STARTUP_FILES.some((pattern) => pattern.test(path));
}

/** Files whose contents are a credential. */
const CREDENTIAL_FILES: readonly RegExp[] = [
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
export function isCredentialFile(written: string): boolean {
	const path = normalizePath(written).segments.join("/").slice(0, MAX_PATH_CHARS);
	return CREDENTIAL_FILES.some((pattern) => pattern.test(path));
}
