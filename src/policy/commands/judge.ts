// Which factors a command raises by writing, showing or removing a path, or by a word of unknown meaning, and why.

import type { FactorId } from "../factors.ts";
import type { Reach } from "../path-patterns.ts";
import type { ProtectedPaths } from "../paths.ts";
import { LISTED, shortenForReason, UNKNOWN } from "../placeholders.ts";
import type { Effect } from "./effects.ts";
import { findPlace, isCredentialFile, isDisk, isStartupFile, locatePath, resolvePath } from "./locations.ts";

/** An effect on a path. */
export type PathEffect = Extract<Effect, { kind: "write" | "read" | "remove" | "word" }>;

interface PathFinding {
	readonly factor: FactorId;
	readonly because: string;
}

const forbiddenPath = (because: string): PathFinding => ({ factor: "forbidden_command", because });
const riskyPath = (because: string): PathFinding => ({ factor: "risky_command", because });

const hasShellWildcard = (path: string) => /[*?[]/.test(path);

function judgeWrite(path: string, reach: Reach, folder: string, paths: ProtectedPaths): readonly PathFinding[] {
	if (path === "" || path === UNKNOWN || path.includes(LISTED)) return [];
	const location = locatePath(path, folder);
	// A wildcard in a temporary folder means the files there, not all that the glob could match.
	if (hasShellWildcard(path) && location === "temporary") return [];
	const full = resolvePath(folder, path);
	const place = findPlace(full);
	return [
		...judgeProtection(full, reach, paths),
		...(isDisk(path) ? [forbiddenPath(`overwrites the disk ${shortenForReason(path)}`)] : []),
		...(isStartupFile(full) ? [forbiddenPath(`writes ${shortenForReason(full)}, which runs later unasked`)] : []),
		...(location === "system" ? [judgeSystem(full)] : []),
		...(location === "outside" && place !== null ? [riskyPath(`writes ${shortenForReason(full)}, ${place}`)] : []),
	];
}

function judgeProtection(full: string, reach: Reach, paths: ProtectedPaths): readonly PathFinding[] {
	const pattern = paths.find(full, reach);
	if (pattern === null) return [];
	return [
		{
			factor: "protected_path",
			because: `${shortenForReason(full)} is protected by ${shortenForReason(pattern)}`,
		},
	];
}

/** What begins a path, where a word with blanks is one. */
const PATH_START = /^(?:[/~]|\.{1,2}\/|[A-Za-z]:[\\/])/;

/** Places outside the workspace that everybody reads from and that hold no secrets. */
const READ_PLACES =
	/^\/(?:usr\/(?:share|include|lib\d*|src|bin)|proc\/(?:cpuinfo|meminfo|version|loadavg)|etc\/(?:os-release|hosts|ssl\/certs|resolv\.conf|localtime))(?:\/|$)/;

/** Judges a word that may be a path, to whatever end: nobody knows what the program does with it. */
function judgeWord(text: string, folder: string, paths: ProtectedPaths): readonly PathFinding[] {
	if (text === "" || text === UNKNOWN || text.includes(LISTED)) return [];
	if (/\s/.test(text) && !PATH_START.test(text)) return [];
	const full = resolvePath(folder, text);
	const shown = shortenForReason(full);
	const place = READ_PLACES.test(full) || full.startsWith("..") ? null : findPlace(full);
	return [
		...judgeProtection(full, "itself", paths),
		...(isCredentialFile(full) ? [riskyPath(`may show or send the credential ${shown}`)] : []),
		...(isStartupFile(full) ? [riskyPath(`may write ${shown}, which runs later unasked`)] : []),
		...(place === null ? [] : [riskyPath(`uses ${shown}, ${place}`)]),
	];
}

/** Folders that only installers write to. */
const VITAL_PATHS =
	/^(?:\/(?:etc|bin|sbin|boot|lib\d*|sys|proc|system)(?:\/|$)|\/usr(?:\/(?!local\/|src\/)|$))|^[a-z]:[/\\]?windows/i;

function judgeSystem(path: string): PathFinding {
	if (VITAL_PATHS.test(path)) return forbiddenPath(`writes to the system: ${shortenForReason(path)}`);
	return riskyPath(`writes outside the workspace: ${shortenForReason(path)}`);
}

function judgeRead(path: string, folder: string): readonly PathFinding[] {
	const full = resolvePath(folder, path);
	if (isCredentialFile(full)) return [forbiddenPath(`shows or sends the credential ${shortenForReason(full)}`)];
	const isHiddenGlob = /^\.[^/]*[*?[]/.test(path.split("/").pop() ?? "");
	return isHiddenGlob ? [riskyPath(`may show a credential: ${shortenForReason(full)}`)] : [];
}

function judgeRemoval(path: string, recursive: boolean, folder: string, paths: ProtectedPaths): readonly PathFinding[] {
	if (path === "") return [];
	const location = locatePath(path, folder);
	const because = `removes ${shortenForReason(resolvePath(folder, path))}`;
	const writeFindings = judgeWrite(path, recursive ? "below" : "itself", folder, paths);
	if (location === "temporary") return writeFindings;
	const many = path.includes(LISTED);
	const deletion: PathFinding = { factor: "delete_action", because };
	const isBeyondWorkspace =
		location === "everything" || location === "system" || (recursive && (location === "outside" || many));
	if (isBeyondWorkspace)
		return [
			...writeFindings,
			recursive || location === "system" || !hasShellWildcard(path) ? forbiddenPath(because) : deletion,
		];
	return recursive || many || location === "outside" || hasShellWildcard(path)
		? [...writeFindings, deletion]
		: writeFindings;
}

/** Judges an effect on a path, seen from one folder. Removing a folder removes the protected files in it. */
export function judgePath(effect: PathEffect, folder: string, paths: ProtectedPaths): readonly PathFinding[] {
	if (effect.kind === "write") return judgeWrite(effect.path, effect.reach, folder, paths);
	if (effect.kind === "read") return judgeRead(effect.path, folder);
	if (effect.kind === "word") return judgeWord(effect.path, folder, paths);
	return judgeRemoval(effect.path, effect.recursive, folder, paths);
}
