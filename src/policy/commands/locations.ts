// Where a path leads: to a temporary folder, into the workspace, to the system. The folders are listed in
// locations.json.

import { foldingWork } from "../look-alikes.ts";
import { MAX_PATH_CHARS, type NormalizedPath, normalizePath, normalizingWork } from "../paths.ts";
import { LISTED, UNKNOWN } from "../placeholders.ts";
import locationsFile from "./locations.json" with { type: "json" };

/** `everything`: a root, a home, the workspace, or all that lies in one of them. */
type PathLocation = "temporary" | "everything" | "system" | "outside" | "inside" | "unknown";

const TEMPORARY_FOLDERS: readonly (readonly string[])[] = locationsFile.temporary.map((folder) => folder.split("/"));

/** Folders that an operating system needs to run, or keeps its accounts and settings in. */
const SYSTEM_FOLDERS: ReadonlySet<string> = new Set(locationsFile.system);

/** Folders at the root that a workspace may lie in. */
const WORKSPACE_ROOTS: ReadonlySet<string> = new Set(locationsFile.workspace_roots);

/** Folders at the root, or in a home, that hold data which no workspace owns. */
const DATA_FOLDERS: ReadonlySet<string> = new Set(locationsFile.data);

/** Folders at the root that hold homes. */
const HOME_ROOTS: ReadonlySet<string> = new Set(locationsFile.homes);

/** Folders that shells search for programs, at the root and in a home. */
const PROGRAM_FOLDERS: readonly (readonly string[])[] = locationsFile.programs.map((folder) => folder.split("/"));

const EVERYTHING_GLOB = /^(?:\*+|\.\*|\.\[.*|\?+\*|\.\?\?\*|\{.*)$/;

function matchesEverything(segment: string | undefined): boolean {
	return segment !== undefined && EVERYTHING_GLOB.test(segment);
}

function liesIn(path: NormalizedPath, folder: readonly string[]): boolean {
	return folder.every((segment, index) => path.segments[index] === segment);
}

/** Locates a path as written, seen from `folder` (the workspace when empty). */
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

/**
 * Describes the place of a path that is not the workspace's, for a reason: `a folder on PATH`. Null inside the workspace
 * and where it may lie: nobody told where that is.
 */
export function findPlace(written: string): string | null {
	const { segments, outside } = normalizePath(written);
	if (!outside || written.startsWith(UNKNOWN)) return null;
	const path = { outside, segments };
	if (TEMPORARY_FOLDERS.some((temporary) => liesIn(path, temporary))) return null;
	if (written.startsWith("~")) return findHomePlace(segments) ?? "outside the workspace";
	if (!/^(?:[a-z]:|[/\\])/i.test(written)) return "outside the workspace";
	const [first] = segments;
	if (first === undefined) return null;
	if (HOME_ROOTS.has(first)) return segments.length < 3 ? "a home" : findHomePlace(segments.slice(2));
	if (PROGRAM_FOLDERS.some((folder) => liesIn(path, folder))) return "a folder on PATH";
	if (SYSTEM_FOLDERS.has(first)) return "a folder of the system";
	if (DATA_FOLDERS.has(first)) return "a folder of data";
	return WORKSPACE_ROOTS.has(first) || /^[a-z]:/i.test(written) ? null : "outside the workspace";
}

/** Describes a place in a home. Null for other folders in it, which may be the workspace. */
function findHomePlace(segments: readonly string[]): string | null {
	if (PROGRAM_FOLDERS.some((folder) => liesIn({ outside: true, segments }, folder))) return "a folder on PATH";
	const [first = ""] = segments;
	if (first === "") return "a home";
	if (first.startsWith(".") || /^(?:library|appdata)$/.test(first)) return "a setting of the home";
	return DATA_FOLDERS.has(first) ? "a folder of data" : null;
}

/** What locating each path up to four times costs, in units of work. A program's rule does not locate it more often. */
export function locatingWork(paths: readonly string[]): number {
	return paths.reduce((sum, path) => sum + 600 + 4 * (foldingWork(path) + normalizingWork(path)), 0);
}

/** The path as written, seen from the folder that a command runs in. */
export function resolvePath(folder: string, written: string): string {
	return folder === "" || /^(?:[a-z]:|[/\\~])/i.test(written) || written.startsWith(UNKNOWN)
		? written
		: `${folder}/${written}`;
}

/** Whether the path is the device file of a disk or a partition. */
export function isDisk(written: string): boolean {
	return /^\/dev\/(?:sd|hd|vd|xvd|nvme|mmcblk|disk|rdisk|loop|md|dm-|mapper\/|mem|kmem)/.test(written);
}

/** Files that shells, schedulers, services or version control run or follow the next time they start. */
const STARTUP_FILES: readonly RegExp[] = [
	/(?:^|\/)\.(?:bashrc|bash_profile|bash_login|bash_logout|bash_aliases|profile|zshrc|zshenv|zprofile|zlogin|kshrc|cshrc|tcshrc|inputrc|xinitrc|xsession)$/,
	/(?:^|\/)\.config\/(?:fish\/|autostart\/|systemd\/)/,
	/(?:^|\/)\.ssh\/(?:authorized_keys2?|config|rc|environment)$/,
	/(?:^|\/)(?:launchagents|launchdaemons)\//,
	/(?:^|\/)\.git\/hooks\//,
];

/**
 * Settings of agents, anywhere below one of these folders. Two expressions, because one would try each pair of matches.
 */
const AGENT_FOLDERS = /(?:^|\/)\.(?:claude|cursor|codex|gemini)\//;
const AGENT_SETTINGS = /settings|hooks|config|mcp|rules/;

/** Whether something runs or follows the file later without being asked to. */
export function isStartupFile(written: string): boolean {
	const path = normalizePath(written).segments.join("/").slice(0, MAX_PATH_CHARS);
	const agents = AGENT_FOLDERS.exec(path);
	if (agents && AGENT_SETTINGS.test(path.slice(agents.index + agents[0].length))) return true;
	return STARTUP_FILES.some((pattern) => pattern.test(path));
}

/** Files that hold a credential. */
const CREDENTIAL_FILES: readonly RegExp[] = [
	/(?:^|\/)\.env(?:\.[^/]+)?$/,
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

/** Names of credentials' kind that everybody may see: examples, types, certificates, public keys. */
const PUBLIC_FILES: readonly RegExp[] = [
	/(?:^|\/)\.env\.(?:[^/]*\.)?(?:example|sample|template|tmpl|tpl|dist|defaults?|schema|test|vault|md|[cm]?[jt]sx?)$/,
	/(?:^|\/)\.env\.(?:example|sample|template)\.[^/.]+$/,
	/(?:^|\/)(?!(?!pub)[^/]*(?:^|[-_.])(?:priv|private|privkey|privatekey|key)[-_.])(?:[^/]*[-_.])?(?:ca|cacert|cert|certificate|chain|fullchain|bundle|crt|pub|public|pubkey|publickey)(?:[-_.][^/]*)?\.(?:pem|key)$/,
	/\.pub$/,
];

/** Whether the path's name is that of a credential. */
export function isCredentialFile(written: string): boolean {
	const path = normalizePath(written).segments.join("/").slice(0, MAX_PATH_CHARS);
	if (PUBLIC_FILES.some((pattern) => pattern.test(path))) return false;
	return CREDENTIAL_FILES.some((pattern) => pattern.test(path));
}
