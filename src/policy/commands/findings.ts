// What the commands of a check break: effects held against a workspace's rules, and the reasons for each factor that fired.
import type { FactorId } from "../factors.ts";
import { foldingWork, foldLookAlikes } from "../look-alikes.ts";
import { normalizingWork, type ProtectedPaths } from "../paths.ts";
import { shortenForReason } from "../placeholders.ts";
import type { FactorReason } from "../reasons.ts";
import type { WorkBudget } from "../work-budget.ts";
import { judgePath, type PathEffect } from "./judge.ts";
import { resolvePath } from "./locations.ts";
import { type CommandWords, type ForbiddenCommand, ForbiddenCommandMatcher } from "./patterns.ts";

/** Reasons kept for each factor. */
const MAX_REASONS = 3;

/** Units of work for judging a path, without reading it, and how often it is read. */
const JUDGING_WORK = 400;
const PATH_READINGS = 6;

/** Every factor that a command can raise. When the work is spent, none of them is ruled out. */
const COMMAND_FACTORS: readonly FactorId[] = [
	"forbidden_command",
	"oversize_command",
	"protected_path",
	"delete_action",
	"risky_command",
	"deploy_action",
	"exec_action",
	"unparsable_command",
];

/** The rules that commands are held against. */
export interface CommandRules {
	readonly protectedPaths: ProtectedPaths;
	readonly forbidden: readonly ForbiddenCommand[];
}

/** What was found, and what may have been missed. */
export interface Findings {
	/** Why each factor fired, in the order found. */
	readonly reasons: ReadonlyMap<FactorId, readonly FactorReason[]>;
	/** Factors that count as triggered because the work was spent. One of them has a reason only where one was found. */
	readonly notRuledOut: readonly FactorId[];
}

/** Collects the findings of one check. */
export class FindingCollector {
	#reasons = new Map<FactorId, FactorReason[]>();
	#isAside = false;
	readonly #protectedPaths: ProtectedPaths;
	readonly #matcher: ForbiddenCommandMatcher;
	readonly #work: WorkBudget;
	#command = 0;
	#words: readonly string[] = [];

	constructor(rules: CommandRules, work: WorkBudget) {
		this.#protectedPaths = rules.protectedPaths;
		this.#matcher = new ForbiddenCommandMatcher(rules.forbidden, work);
		this.#work = work;
	}

	/** Begins the next command of the check. Once the work is spent, the command that spent it stays the current one. */
	beginLine(): void {
		if (!this.#work.spent) this.#command++;
	}

	/** Findings concern the simple command of these words while it is followed, except inside other `at`s. */
	at(words: readonly string[], follow: () => void): void {
		const outer = this.#words;
		this.#words = words;
		follow();
		this.#words = outer;
	}

	/**
	 * Raises a factor because of the current simple command. Of the factor's reasons, the first three different ones are
	 * kept; one command of the check gives the same reason once.
	 * @param instead A short text of what would pass.
	 */
	add(factor: FactorId, because: string, instead?: string): void {
		const reasons = this.#reasons.get(factor) ?? [];
		const isNew = !reasons.some((known) => known.because === because && known.place?.command === this.#command);
		if (reasons.length < MAX_REASONS && isNew)
			reasons.push({ because, instead, place: { command: this.#command, words: this.#words } });
		this.#reasons.set(factor, reasons);
	}

	/**
	 * Collects what is found meanwhile apart. Gives the first reason for a factor, or null without one. What is found
	 * apart from what is found apart is not looked for.
	 */
	findAside(factor: FactorId, follow: () => void): string | null {
		if (this.#isAside) return null;
		const kept = this.#reasons;
		this.#reasons = new Map();
		this.#isAside = true;
		follow();
		const because = this.#reasons.get(factor)?.[0]?.because ?? null;
		this.#reasons = kept;
		this.#isAside = false;
		return because;
	}

	/** Holds a command against the forbidden commands. */
	matchForbidden(command: CommandWords): void {
		for (const { text } of this.#matcher.findCompleted(command))
			this.add("forbidden_command", `matches the forbidden command ${shortenForReason(text)}`);
	}

	/** Judges an effect on a path, from each folder that the command may run in. */
	judge(effect: PathEffect, folders: readonly string[]): void {
		for (const folder of folders) {
			const path = resolvePath(folder, effect.path);
			if (!this.#work.charge(PATH_READINGS * foldingWork(path))) return;
			if (!this.#work.charge(JUDGING_WORK + PATH_READINGS * normalizingWork(foldLookAlikes(path)))) return;
			for (const { factor, because } of judgePath(effect, folder, this.#protectedPaths)) this.add(factor, because);
		}
	}

	/** The findings so far. Once the work is spent, they say that nothing is ruled out. */
	toFindings(): Findings {
		const { spent } = this.#work;
		if (spent) this.add("oversize_command", "too large, too deep or too complex: nothing it could do is ruled out");
		return { reasons: this.#reasons, notRuledOut: spent ? COMMAND_FACTORS : [] };
	}
}
