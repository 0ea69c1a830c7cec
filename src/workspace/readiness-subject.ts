// The subject of the readiness checks: a manifest with its patterns as the policy reads them, and the state of its
// ledger.
import type { WorkspaceManifest } from "../policy/manifest.ts";
import { isBlankText } from "./quote.ts";

/** The state of the workspace's handoff chain. */
export interface HandoffChainState {
	/** Entries in the chain. */
	handoffs: number;
	/** The share of entries with a signature. Null without entries. */
	signedShare: number | null;
	/** Whether the chain verifies. An empty one does. */
	ok: boolean;
	/** Whether the service has a key to sign new entries with. */
	signingEnabled: boolean;
}

/**
 * How the policy matches patterns, so that readiness counts what a policy check would stop. Both compile the given
 * patterns alone, without the built-in rules.
 */
export interface PatternMatchers {
	/** Compiles `protected_paths` to a test of whether a write to a path touches one of them. */
	protects(patterns: readonly string[]): (path: string) => boolean;
	/** Compiles `forbidden_commands` to a test of whether a command is refused for one of them. */
	forbids(patterns: readonly string[]): (command: string) => boolean;
}

/** A list of patterns, examined entry by entry. Positions count from 0, in the manifest's order. */
interface PatternListReport {
	/** How many entries are not blank. */
	named: number;
	/** Positions of entries that match everything. */
	broad: number[];
	/** Positions of entries that match nothing, not even their own text. */
	idle: number[];
	/** Positions of entries that repeat an earlier one. */
	repeated: number[];
	/** Whether the list, without its broad entries, matches at least one of these. */
	catches(examples: readonly string[]): boolean;
}

export interface ReadinessSubject {
	manifest: WorkspaceManifest;
	ledger: HandoffChainState;
	paths: PatternListReport;
	commands: PatternListReport;
}

/**
 * A longer entry is taken to match its own text. Matching a glob takes the product of both lengths: 200 entries of 500
 * characters, each on itself, took 2.4 s.
 */
const MAX_TRIED_CHARS = 120;

function findPositions(entries: readonly string[], matches: (entry: string, position: number) => boolean): number[] {
	return entries.flatMap((entry, position) => (matches(entry, position) ? [position] : []));
}

/** Positions of entries that repeat an earlier one, whatever its blanks, a `./` before it or a `/` behind it. */
export function findRepeated(entries: readonly string[]): number[] {
	const spelled = entries.map((entry) => entry.trim().replace(/\s+/g, " ").replace(/^\.\//, "").replace(/\/$/, ""));
	return findPositions(spelled, (entry, position) => !isBlankText(entry) && spelled.indexOf(entry) < position);
}

/**
 * Examines one list. `isBroad` judges what a single entry matches. `isSentence` recognises an entry meant for people,
 * which would only ever match itself.
 */
export function examinePatterns(
	entries: readonly string[],
	compile: (patterns: readonly string[]) => (example: string) => boolean,
	isBroad: (catches: (example: string) => boolean) => boolean,
	isSentence: (entry: string) => boolean = () => false,
): PatternListReport {
	const broad = findPositions(entries, (entry) => !isBlankText(entry) && isBroad(compile([entry])));
	const idle = findPositions(entries, (entry) => {
		// `!` exempts from an earlier entry, so what follows it must be able to match.
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
