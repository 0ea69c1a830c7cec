// What the readiness checks look at: a manifest read the way the policy reads it, and the live state of its ledger.
import type { WorkspaceManifest } from "../policy/manifest.ts";
import { isBlankText } from "./quote.ts";

/** The workspace's handoff chain as it stands. */
export interface LedgerState {
	/** Entries in the chain. */
	handoffs: number;
	/** Fraction of entries that carry a signature; null without entries. */
	signedShare: number | null;
	/** Whether the chain verifies; an empty one does. */
	ok: boolean;
	/** Whether the service has a key to sign new entries with. */
	signingEnabled: boolean;
}

/**
 * How the policy reads patterns, so that readiness counts what a policy check would stop and not what a text looks
 * like. Both compile the given patterns alone, without the policy's built-in rules.
 */
export interface PatternMatchers {
	/** Whether a write to the path touches one of these `protected_paths`. */
	protects(patterns: readonly string[]): (path: string) => boolean;
	/** Whether the command would be refused for one of these `forbidden_commands`. */
	forbids(patterns: readonly string[]): (command: string) => boolean;
}

/** A list of patterns, judged entry by entry. Positions count from 0, in the manifest's order. */
export interface PatternListReport {
	/** Entries that are not blank. */
	named: number;
	/** Positions of entries that catch everything. */
	broad: number[];
	/** Positions of entries that catch nothing, not even what they spell. */
	idle: number[];
	/** Positions of entries that stand further up already. */
	repeated: number[];
	/** Whether the list, without its broad entries, catches at least one of these. */
	catches(examples: readonly string[]): boolean;
}

export interface ReadinessSubject {
	manifest: WorkspaceManifest;
	ledger: LedgerState;
	paths: PatternListReport;
	commands: PatternListReport;
}

/**
 * A longer entry is taken to catch what it spells: matching a glob takes the product of both lengths, and 200 entries
 * of 500 characters, each on itself, took 2.4 s.
 */
const MAX_TRIED_CHARS = 120;

function findPositions(entries: readonly string[], wanted: (entry: string, position: number) => boolean): number[] {
	return entries.flatMap((entry, position) => (wanted(entry, position) ? [position] : []));
}

/** Positions of entries that repeat an earlier one in another spelling of blanks, `./` or a last `/`. */
export function findRepeated(entries: readonly string[]): number[] {
	const spelled = entries.map((entry) => entry.trim().replace(/\s+/g, " ").replace(/^\.\//, "").replace(/\/$/, ""));
	return findPositions(spelled, (entry, position) => !isBlankText(entry) && spelled.indexOf(entry) < position);
}

/**
 * Reads one list. `isBroad` judges what a single entry alone would catch; `isSentence` tells an entry that is meant for
 * people, which would only ever catch itself.
 */
export function examinePatterns(
	entries: readonly string[],
	compile: (patterns: readonly string[]) => (example: string) => boolean,
	isBroad: (catches: (example: string) => boolean) => boolean,
	isSentence: (entry: string) => boolean = () => false,
): PatternListReport {
	const broad = findPositions(entries, (entry) => !isBlankText(entry) && isBroad(compile([entry])));
	const idle = findPositions(entries, (entry) => {
		// `!` takes back what an earlier entry caught, so what follows it is what must be able to catch.
		const pattern = entry.trim().replace(/^!/, "");
		if (isBlankText(pattern) || isSentence(pattern)) return true;
		return pattern.length <= MAX_TRIED_CHARS && !compile([pattern])(pattern);
	});
	const catches = compile(entries.filter((_, position) => !broad.includes(position)));
	return {
		named: entries.filter((entry) => !isBlankText(entry)).length,
		broad,
		idle: idle.filter((position) => !broad.includes(position)),
		repeated: findRepeated(entries),
		catches: (examples) => examples.some(catches),
	};
}
