// Where a path leads: to a temporary folder, into the workspace, to the system. The folders are listed in
// locations.json.

import { parseGlobSegment, segmentsOverlap } from "../glob.ts";
import { foldingWork } from "../look-alikes.ts";
import { MAX_PATH_CHARS, type NormalizedPath, normalizePath, normalizingWork } from "../paths.ts";
import { LISTED, UNKNOWN } from "../placeholders.ts";
import type { WorkBudget } from "../work-budget.ts";
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

/** A path as a command names it, read once for every question about it. */
export interface NamedPath {
	/** As written. */
	readonly written: string;
	/** Seen from the workspace. */
	readonly full: string;
	readonly normalized: NormalizedPath;
	/** Its segments, as the expressions in this file match them. */
	readonly text: string;
}

/** Reads a path as written, seen from `folder` (the workspace when empty). */
export function readPath(written: string, folder = ""): NamedPath {
	const full = resolvePath(folder, written);
	const normalized = normalizePath(full);
	return { written, full, normalized, text: normalized.segments.join("/").slice(0, MAX_PATH_CHARS) };
}

/** Locates a path as written, seen from `folder` (the workspace when empty). */
export function locatePath(written: string, folder = ""): PathLocation {
	return findLocation(readPath(written, folder));
}

/** Finds where a path leads. */
export function findLocation({ written, full, normalized }: NamedPath): PathLocation {
	if (written === UNKNOWN || written.includes(LISTED)) return "unknown";
	const { segments, outside } = normalized;
	if (segments.length === 0) return "everything";
	if (!outside) return segments.length === 1 && matchesEverything(segments[0]) ? "everything" : "inside";
	if (segments.length === 1 && matchesEverything(segments[0])) return "everything";
	if (written.startsWith(UNKNOWN)) return "unknown";
	const absolute = /^(?:[a-z]:|[/\\])/i.test(full);
	if (!absolute) return "outside";
	if (TEMPORARY_FOLDERS.some((temporary) => liesIn(normalized, temporary))) return "temporary";
	return SYSTEM_FOLDERS.has(segments[0] ?? "") ? "system" : "outside";
}

/**
 * Describes the place of a path that is not the workspace's, for a reason: `in a folder on PATH`. Null inside the workspace,
 * and in places where the workspace may lie: the check is not told where it does.
 */
export function findPlace({ full, normalized }: NamedPath): string | null {
	const { segments, outside } = normalized;
	if (!outside || full.startsWith(UNKNOWN)) return null;
	if (TEMPORARY_FOLDERS.some((temporary) => liesIn(normalized, temporary))) return null;
	if (full.startsWith("~")) return findHomePlace(segments) ?? "outside the workspace";
	if (!/^(?:[a-z]:|[/\\])/i.test(full)) return "outside the workspace";
	const [first] = segments;
	if (first === undefined) return "the root";
	if (HOME_ROOTS.has(first)) return segments.length < 3 ? "which is a home folder" : findHomePlace(segments.slice(2));
	if (PROGRAM_FOLDERS.some((folder) => liesIn(normalized, folder))) return "in a folder on PATH";
	if (SYSTEM_FOLDERS.has(first)) return "in a system folder";
	if (DATA_FOLDERS.has(first)) return "in a data folder";
	return WORKSPACE_ROOTS.has(first) || /^[a-z]:/i.test(full) ? null : "outside the workspace";
}

/** Describes a place in a home. Null for other folders in it, which may be the workspace. */
function findHomePlace(segments: readonly string[]): string | null {
	if (PROGRAM_FOLDERS.some((folder) => liesIn({ outside: true, segments }, folder))) return "in a folder on PATH";
	const [first = ""] = segments;
	if (first === "") return "which is a home folder";
	if (first.startsWith(".") || /^(?:library|appdata)$/.test(first)) return "among the settings in a home folder";
	return DATA_FOLDERS.has(first) ? "in a data folder" : null;
}

/** Whether a path is a home, or a folder that homes are in. Credentials of its user lie below. */
export function holdsHome({ full, normalized: { segments, outside } }: NamedPath): boolean {
	if (!outside || !/^(?:~|[/\\]|[a-z]:)/i.test(full)) return false;
	const [first = ""] = segments;
	if (segments.length === 0) return true;
	if (full.startsWith("~")) return false;
	return first === "root" ? segments.length === 1 : HOME_ROOTS.has(first) && segments.length <= 2;
}

/** What locating each path up to four times costs, in units of work. A program's rule does not locate it more often. */
export function locatingWork(paths: readonly string[]): number {
	return paths.reduce((sum, path) => sum + 600 + 4 * (foldingWork(path) + normalizingWork(path)), 0);
}

/** The path as written, seen from the folder that a command runs in. */
export function resolvePath(folder: string, written: string): string {
	return folder === "" || /^(?:[a-z]:|[/\\~])/i.test(written) || written.startsWith(UNKNOWN)
		? written
		: `${folder === "/" ? "" : folder}/${written}`;
}

/** The last segment of a path as written that is not empty. Empty where there is none. */
export function lastSegment(path: string): string {
	let end = path.length;
	while (end > 0 && isSeparator(path, end - 1)) end--;
	let start = end;
	while (start > 0 && !isSeparator(path, start - 1)) start--;
	return path.slice(start, end);
}

function isSeparator(path: string, at: number): boolean {
	const character = path[at];
	return character === "/" || character === "\\";
}

/** Whether the path is the device file of a disk or a partition. */
export function isDisk(written: string): boolean {
	return /^\/dev\/(?:sd|hd|vd|xvd|nvme|mmcblk|disk|rdisk|loop|md|dm-|mapper\/|mem|kmem)/.test(written);
}

/** One expression that matches what any of several does. It passes over a text once. */
function joinExpressions(expressions: readonly RegExp[]): RegExp {
	return new RegExp(expressions.map(({ source }) => source).join("|"), "s");
}

/** Files that shells, schedulers, services or version control run or follow the next time they start. */
const STARTUP_FILES = joinExpressions([
	/(?:^|\/)\.(?:bashrc|bash_profile|bash_login|bash_logout|bash_aliases|profile|zshrc|zshenv|zprofile|zlogin|kshrc|cshrc|tcshrc|inputrc|xinitrc|xsession)$/,
	/(?:^|\/)\.(?:xprofile|zlogout|pam_environment|login|logout)$/,
	/(?:^|\/)\.(?:bashrc|zshrc|profile)\.d\//,
	/(?:^|\/)\.config\/(?:fish\/|autostart\/|systemd\/|environment\.d\/|powershell\/.*profile\.ps1$)/,
	/(?:^|\/)(?:site|user)customize\.py$/,
	/^var\/spool\/(?:cron|at)(?:\/|$)/,
	/\/start menu\/programs\/startup\//,
	/(?:^|\/)\.ssh\/(?:authorized_keys2?|config|rc|environment)$/,
	/(?:^|\/)(?:launchagents|launchdaemons)\//,
	/(?:^|\/)\.git\/hooks\//,
]);

/**
 * Settings of agents, anywhere below one of these folders. Two expressions, because one would try each pair of matches.
 */
const AGENT_FOLDERS = /(?:^|\/)\.(?:claude|cursor|codex|gemini)\//;
const AGENT_SETTINGS = /settings|hooks|config|mcp|rules/;

/** Whether something runs or follows the file later without being asked to. */
export function isStartupFile({ text }: NamedPath): boolean {
	const agents = AGENT_FOLDERS.exec(text);
	if (agents && AGENT_SETTINGS.test(text.slice(agents.index + agents[0].length))) return true;
	return STARTUP_FILES.test(text);
}

/** Folders and files of the workspace that builds and tests make again. */
const BUILD_OUTPUTS: ReadonlySet<string> = new Set(locationsFile.build_outputs);

/** Whether the path is the workspace's own build output, a cache or something in one. */
export function isBuildOutput({ full, normalized: { outside, segments } }: NamedPath): boolean {
	const isKnown = !full.includes(UNKNOWN) && !full.includes(LISTED);
	return !outside && isKnown && segments.some((segment) => BUILD_OUTPUTS.has(segment));
}

/** Folders of code, as they are usually called. */
const CODE_FOLDERS: ReadonlySet<string> = new Set(locationsFile.code_folders);

/**
 * Whether a glob means the files of a folder of code or of build output, `src/*`, `dist/js/*`, and not one that might lie
 * there: `*.pem`. A folder below that is named like a secret is none.
 */
export function meansOrdinaryFiles(path: string): boolean {
	if (path.length > MAX_PATH_CHARS) return false;
	const folders =
		/^(?:\.\/)?((?:[\w-]+\/+)+)(?:\*\*\/)?\*{1,2}$/.exec(path)?.[1]?.toLowerCase().split(/\/+/).slice(0, -1) ?? [];
	const [first = ""] = folders;
	return (
		(CODE_FOLDERS.has(first) || BUILD_OUTPUTS.has(first)) && !folders.some((folder) => TELLING_FOLDER.test(folder))
	);
}

/** Names of folders that credentials are kept in. */
const TELLING_FOLDER = /secret|credential|cert|key|private|auth|tls|ssl|ssh|gpg|pki|vault|terraform|state/;

/** Files that hold a credential. */
const CREDENTIAL_FILES = joinExpressions([
	/(?:^|\/)\.env(?:\.[^/]+)?$/,
	/(?:^|\/)\.ssh(?:\/(?!known_hosts|config$|[^/]*\.pub$).*)?$/s,
	/(?:^|\/)id_(?:rsa|dsa|ecdsa|ed25519)[^/.]*$/,
	/(?:^|\/)\.(?:netrc|pgpass|my\.cnf|git-credentials|htpasswd|dev\.vars|vault-token|s3cfg|boto|databrickscfg)$/,
	/(?:^|\/)\.(?:gnupg|password-store)(?:\/|$)/,
	/(?:^|\/)\.aws(?:\/credentials|$)/,
	/(?:^|\/)\.(?:azure|cargo|gem|composer|terraform\.d)\/(?:credentials|auth|accesstokens|msal_token)[^/]*$/,
	/(?:^|\/)\.kube\/config$/,
	/(?:^|\/)\.docker\/config\.json$/,
	/(?:^|\/)\.config\/(?:gcloud|gh|hub|op|rclone|doctl|hcloud)(?:\/|$)/,
	/(?:^|\/)(?:\.local\/share\/keyrings|library\/keychains)(?:\/|$)/,
	/(?:^|\/)(?:credentials|service-account[^/]*|secrets)\.json$/,
	/(?:^|\/)secrets\.(?:ya?ml|toml)$/,
	/(?:^|\/)(?:login data|cookies\.sqlite|logins\.json|key4\.db)$/,
	/(?:^|\/)[^/]*\.(?:pem|p12|pfx|jks|keystore|kdbx|key)$/,
	/^etc\/(?:g?shadow-?|sudoers|ssl\/private\/.*|ssh\/ssh_host_[^/.]*)$/s,
	/^(?:var\/)?run\/secrets(?:\/|$)/,
	/^proc\/[^/]+\/(?:environ|mem)$/,
]);

/** Files that may hold a credential among other things. */
const DOUBTFUL_FILES = joinExpressions([
	/(?:^|\/)\.envrc$/,
	/(?:^|\/)\.[a-z_]{1,16}_history$/,
	/(?:^|\/)[^/]*\.(?:tfstate|tfvars)(?:\.backup)?$/,
	/^(?:(?:home|users)\/[^/]+\/)?\.(?:npmrc|pypirc|m2\/settings\.xml)$/,
]);

/** Names like those of credentials, of files that everybody may see: examples, types, certificates, public keys. */
const PUBLIC_FILES = joinExpressions([
	/(?:^|\/)\.env\.(?:[^/]*\.)?(?:example|sample|template|tmpl|tpl|dist|defaults?|schema|test|vault|md|[cm]?[jt]sx?)$/,
	/(?:^|\/)\.env\.(?:example|sample|template)\.[^/.]+$/,
	/\.pub$/,
]);

/** Words in the name of a certificate or a public key, and words in that of a private one. */
const PUBLIC_KEY_WORDS: ReadonlySet<string> = new Set(locationsFile.public_key_words);
const PRIVATE_KEY_WORDS: ReadonlySet<string> = new Set(locationsFile.private_key_words);

/** Whether the name is that of a certificate or a public key: `ca.pem`, `public-key.pem`, but not `cert-key.pem`. */
function isPublicKey(text: string): boolean {
	// No file system has longer names.
	const name = /([^/]*)\.(?:pem|key)$/.exec(text.slice(-256))?.[1];
	const words = name?.split(/[-_.]/) ?? [];
	return (
		words.some((word) => PUBLIC_KEY_WORDS.has(word)) &&
		(words.some((word) => word.startsWith("pub")) || !words.some((word) => PRIVATE_KEY_WORDS.has(word)))
	);
}

/** Whether a path's name is that of a credential, or of a file that may hold one. */
export function findSecrecy({ text, normalized }: NamedPath): "credential" | "doubtful" | null {
	if (PUBLIC_FILES.test(text) || isPublicKey(text)) return null;
	if (CREDENTIAL_FILES.test(text)) return "credential";
	const isDoubtful = DOUBTFUL_FILES.test(text) && (normalized.outside || !/npmrc$/.test(text));
	return isDoubtful ? "doubtful" : null;
}

/**
 * What each path inside the workspace that the expressions of this file match has in one of its names. Paths with a name
 * that begins with a dot are not meant. In lower case.
 */
const TELLING_NAME =
	/^(?:etc|home|launchagents|launchdaemons|library|proc|run|users|var)$|^id_|customize\.py$|^(?:credentials|service-account|secrets|cookies|logins|key4)|\.(?:pem|p12|pfx|jks|keystore|kdbx|key|tfstate|tfvars|backup)$/;

/** Whether a name may make a path one that holds a credential or is run later. It does not begin with a dot. */
export function isTellingName(name: string): boolean {
	return TELLING_NAME.test(name);
}

/** Names that a wildcard in a path is tried for. */
const TRIED_SECRETS: readonly string[] = locationsFile.tried_secrets;

/**
 * The path with each wildcard segment replaced by a secret's name that it matches. At least half of the name must be
 * written out: `*` means the files of a folder, `.e?v` means `.env`. A class of few characters counts as one.
 */
export function fillWildcards(path: NamedPath, work: WorkBudget): NamedPath {
	const segments = path.full.split("/").map((segment) => {
		if (!/[*?[]/.test(segment)) return segment;
		const written = segment.replace(/\[[^\]!^-]{1,3}\]/g, "x").replace(/\[[^\]]*\]|[*?]/g, "").length;
		const glob = parseGlobSegment(segment);
		return (
			TRIED_SECRETS.find((name) => 2 * written >= Math.min(name.length, 8) && segmentsOverlap(glob, [...name], work)) ??
			segment
		);
	});
	return readPath(segments.join("/"));
}

/** Whether a path is an open stream of the program, or nothing: what is written there is in no file. */
export function isStandardStream(path: string): boolean {
	return /^\/dev\/(?:std(?:in|out|err)|null)$/.test(path);
}

/** Whether a path is what a command has open: its input, or what a process substitution stands for. */
export function isInputFile(path: string): boolean {
	return /^\/(?:dev\/(?:stdin|fd\/)|proc\/self\/fd\/)/.test(path);
}
