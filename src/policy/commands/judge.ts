// Which factors a command raises by writing, showing or removing a path, or by a word of unknown meaning, and why.

import type { FactorId } from "../factors.ts";
import { foldingWork, foldLookAlikes } from "../look-alikes.ts";
import type { Reach } from "../path-patterns.ts";
import { isPlainName, normalizingWork, type ProtectedPaths } from "../paths.ts";
import { LISTED, shortenForReason, UNKNOWN } from "../placeholders.ts";
import { describeProtection } from "../reasons.ts";
import type { WorkBudget } from "../work-budget.ts";
import type { Effect } from "./effects.ts";
import type { HarmlessPaths } from "./harmless-paths.ts";
import {
	fillWildcards,
	findLocation,
	findPlace,
	findSecrecy,
	holdsHome,
	isBuildOutput,
	isDisk,
	isStartupFile,
	type NamedPath,
	readPath,
	resolvePath,
} from "./locations.ts";

/** An effect on a path. */
export type PathEffect = Extract<Effect, { kind: "write" | "read" | "remove" | "word" }>;

interface PathFinding {
	readonly factor: FactorId;
	readonly because: string;
}

const forbiddenPath = (because: string): PathFinding => ({ factor: "forbidden_command", because });
const riskyPath = (because: string): PathFinding => ({ factor: "risky_command", because });

const hasShellWildcard = (path: string) => /[*?[]/.test(path);

/** Units of work for judging a path, without reading it, and how often it is read. */
const JUDGING_WORK = 150;
const PATH_READINGS = 2;

/** Characters of paths whose findings are kept. The same few paths stand in thousands of words. */
const MAX_JUDGED_CHARS = 1_000_000;
/** The same for plain names, in names. */
const MAX_REMEMBERED_NAMES = 4096;

/** Judges effects on paths against a workspace's rules. Each effect is judged once in a check. */
export class PathJudge {
	readonly #paths: ProtectedPaths;
	readonly #harmless: Pick<HarmlessPaths, "include">;
	readonly #work: WorkBudget;
	/** Findings by the path, by the effect and the folder that it was judged from. */
	readonly #remembered = new Map<string, Map<string, readonly PathFinding[]>>();
	/** Findings of plain names, which do not depend on the folder. */
	readonly #names = new Map<string, readonly PathFinding[]>();
	#rememberedChars = 0;

	/** @param harmless Paths from which nothing follows, whatever is done with them alone. */
	constructor(paths: ProtectedPaths, harmless: Pick<HarmlessPaths, "include">, work: WorkBudget) {
		this.#paths = paths;
		this.#harmless = harmless;
		this.#work = work;
	}

	/**
	 * Judges an effect seen from one folder. A plain name is the workspace's and names no secret: only patterns match it.
	 * Removing a folder removes the protected files in it.
	 */
	judge(effect: PathEffect, folder: string): readonly PathFinding[] {
		const { kind, path } = effect;
		if (!this.#work.charge(20 + (path.length + folder.length) / 4)) return [];
		const isAlone = kind === "write" ? effect.reach === "itself" : kind !== "remove" || !effect.recursive;
		if ((folder === "" || kind === "word") && isPlainName(path) && !/^id_/i.test(path)) {
			if (kind === "read") return NO_FINDINGS;
			// A bare word is rarely a path below the folder that an unknown program works in: `plan`, `show`.
			if (isAlone) return this.#judgeName(path);
		}
		const full = resolvePath(folder, path);
		if (isAlone && this.#harmless.include(full)) return NO_FINDINGS;
		const variant = kind === "write" ? effect.reach : kind === "remove" ? effect.recursive : "";
		const judged = this.#judgedFrom(`${kind} ${variant} ${folder}`);
		const known = judged.get(path);
		if (known) return known;
		const folding = PATH_READINGS * foldingWork(full);
		if (!this.#work.charge(JUDGING_WORK + folding)) return [];
		if (!this.#work.charge(PATH_READINGS * normalizingWork(foldLookAlikes(full)))) return [];
		const findings = this.#judgePath(effect, readPath(path, folder));
		this.#rememberedChars += path.length;
		if (this.#rememberedChars <= MAX_JUDGED_CHARS) judged.set(path, findings);
		return findings;
	}

	/** The findings so far of one effect from one folder. */
	#judgedFrom(key: string): Map<string, readonly PathFinding[]> {
		const known = this.#remembered.get(key);
		if (known) return known;
		const judged = new Map<string, readonly PathFinding[]>();
		this.#rememberedChars += key.length;
		if (this.#rememberedChars <= MAX_JUDGED_CHARS) this.#remembered.set(key, judged);
		return judged;
	}

	#judgePath(effect: PathEffect, path: NamedPath): readonly PathFinding[] {
		if (effect.kind === "write") return this.#judgeWrite(path, effect.reach);
		if (effect.kind === "read") return this.#judgeRead(path);
		return effect.kind === "word" ? this.#judgeWord(path) : this.#judgeRemoval(path, effect.recursive);
	}

	#judgeWrite(path: NamedPath, reach: Reach): readonly PathFinding[] {
		const { written, full } = path;
		if (written === "" || written === UNKNOWN || written.includes(LISTED)) return [];
		const location = findLocation(path);
		// A wildcard in a temporary folder means the files there, not all that the glob could match.
		if (hasShellWildcard(written) && location === "temporary") return [];
		const shown = () => shortenForReason(full);
		const place = location === "outside" || location === "everything" ? findPlace(path) : null;
		return [
			...this.#judgeProtection(path, reach),
			...(isDisk(written) ? [forbiddenPath(`overwrites the disk ${shown()}`)] : []),
			...(isStartupFile(path) ? [forbiddenPath(`writes ${shown()}, which runs later unasked`)] : []),
			...(location === "system" ? [judgeSystem(full)] : []),
			...(place === "the root" ? [forbiddenPath("writes to the root folder")] : []),
			...(place !== null && place !== "the root" ? [riskyPath(`writes ${shown()} ${place}`)] : []),
		];
	}

	#judgeName(name: string): readonly PathFinding[] {
		const known = this.#names.get(name);
		if (known) return known;
		const findings = toProtectionFindings(name, this.#paths.find(name), "itself");
		if (this.#names.size < MAX_REMEMBERED_NAMES) this.#names.set(name, findings);
		return findings;
	}

	#judgeProtection({ full, normalized }: NamedPath, reach: Reach): readonly PathFinding[] {
		return toProtectionFindings(full, this.#paths.find(full, reach, normalized), reach);
	}

	#judgeRead(path: NamedPath): readonly PathFinding[] {
		const shown = () => shortenForReason(path.full);
		const secrecy = this.#findSecrecy(path);
		if (secrecy === "credential") return [forbiddenPath(`shows or sends the credential ${shown()}`)];
		if (secrecy === "doubtful") return [riskyPath(`may show a credential: ${shown()}`)];
		return holdsHome(path) ? [riskyPath(`reads all of ${shown()}, where credentials are kept`)] : [];
	}

	/** The secrecy of the path, and of what its wildcards may stand for. */
	#findSecrecy(path: NamedPath): "credential" | "doubtful" | null {
		const own = findSecrecy(path);
		if (own !== null || !hasShellWildcard(path.full)) return own;
		// `.[test]`, an extra of a package, matches no name of more than two characters.
		const isHiddenGlob = /^\.(?!\[[^\]]*\]$)[^/]*[*?[]/.test(path.full.split("/").pop() ?? "");
		return findSecrecy(fillWildcards(path, this.#work)) ?? (isHiddenGlob ? "doubtful" : null);
	}

	/** Judges a word that may be a path. It is not known what the program does with it. */
	#judgeWord(path: NamedPath): readonly PathFinding[] {
		const { written, full } = path;
		if (written === "" || written === UNKNOWN || written.includes(LISTED)) return [];
		if (/\s/.test(written) && !PATH_START.test(written)) return [];
		const shown = () => shortenForReason(full);
		const isPublicPlace = READ_PLACES.test(full) || full.startsWith("..") || path.normalized.segments.length === 0;
		const place = isPublicPlace ? null : findPlace(path);
		return [
			// A wildcard means the files there, not all that the glob could match.
			...(hasShellWildcard(full)
				? this.#judgeName(full.replace(/(?:^|[/\\])[^/\\]*[*?[].*$/s, ""))
				: this.#judgeProtection(path, "itself")),
			...(this.#findSecrecy(path) === null ? [] : [riskyPath(`may show or send the credential ${shown()}`)]),
			...(isStartupFile(path) ? [riskyPath(`may write ${shown()}, which runs later unasked`)] : []),
			...(place === null || place === "outside the workspace" ? [] : [riskyPath(`uses ${shown()} ${place}`)]),
		];
	}

	#judgeRemoval(path: NamedPath, recursive: boolean): readonly PathFinding[] {
		const { written } = path;
		if (written === "") return [];
		const location = findLocation(path);
		const writeFindings = this.#judgeWrite(path, recursive ? "below" : "itself");
		if (location === "temporary" || isBuildOutput(path)) return writeFindings;
		if (location === "inside" && THROWAWAY_NAME.test(written)) return writeFindings;
		const many = written.includes(LISTED);
		const isBeyondWorkspace =
			location === "everything" || location === "system" || (recursive && (location === "outside" || many));
		const deletes =
			(recursive && !FILE_NAME.test(written)) || many || location === "outside" || hasShellWildcard(written);
		if (!isBeyondWorkspace && !deletes) return writeFindings;
		const because = written === LISTED ? "removes whatever a list names" : `removes ${shortenForReason(path.full)}`;
		const isForbidden = isBeyondWorkspace && (recursive || location === "system" || !hasShellWildcard(written));
		return [...writeFindings, isForbidden ? forbiddenPath(because) : { factor: "delete_action", because }];
	}
}

/** Files, or all of them in a folder, that programs write again: logs, objects, copies of editors. */
const THROWAWAY_NAME = /^(?:[\w-]+\/)*[\w*-]+\.(?:log|tmp|pyc|pyo|o|obj|class|orig|swp|tsbuildinfo)$/;

/** Names of files by their ending: `rm -rf` of one removes one file. */
const FILE_NAME =
	/\.(?:[cm]?[jt]sx?|json|lock|py|go|rs|java|kt|c|h|cpp|hpp|cs|rb|php|sh|md|txt|log|ya?ml|toml|xml|html?|css|[ct]sv|png|jpe?g|svg|t?gz|zip|tar|wasm|map|out|pdf)$/;

const NO_FINDINGS: readonly PathFinding[] = [];

function toProtectionFindings(path: string, pattern: string | null, reach: Reach): readonly PathFinding[] {
	if (pattern === null) return NO_FINDINGS;
	return [{ factor: "protected_path", because: describeProtection(path, pattern, reach) }];
}

/** What begins a path, where a word with blanks is one. */
const PATH_START = /^(?:[/~]|\.{1,2}\/|[A-Za-z]:[\\/])/;

/** Places outside the workspace that everybody reads from and that hold no secrets. */
const READ_PLACES =
	/^\/(?:usr\/(?:share|include|lib\d*|src|bin)|proc\/(?:cpuinfo|meminfo|version|loadavg)|etc\/(?:os-release|hosts|ssl\/certs|resolv\.conf|localtime))(?:\/|$)/;

/** Folders that only installers write to. */
const VITAL_PATHS =
	/^(?:\/(?:etc|bin|sbin|boot|lib\d*|sys|proc|system)(?:\/|$)|\/usr(?:\/(?!local\/|src\/)|$))|^[a-z]:[/\\]?windows/i;

function judgeSystem(path: string): PathFinding {
	if (VITAL_PATHS.test(path)) return forbiddenPath(`writes to a system folder: ${shortenForReason(path)}`);
	return riskyPath(`writes outside the workspace: ${shortenForReason(path)}`);
}
