// What the commands of a check break: effects held against a workspace's rules, and the reasons for each factor that fired.
import type { FactorId } from "../factors.ts";
import type { ProtectedPaths } from "../paths.ts";
import { shortenForReason } from "../placeholders.ts";
import type { CommandPlace, FactorReason } from "../reasons.ts";
import type { WorkBudget } from "../work-budget.ts";
import { type AllowedCommand, AllowedCommands, canBeAllowed } from "./allowed.ts";
import { HarmlessCommands } from "./harmless.ts";
import { HarmlessPaths } from "./harmless-paths.ts";
import { type PathEffect, PathJudge } from "./judge.ts";
import { type CommandWords, commandName, type ForbiddenCommand, ForbiddenCommandMatcher } from "./patterns.ts";
import { PipeFlow } from "./pipe-flow.ts";
import type { Redirect, ShellScript, SimpleCommand } from "./shell/script.ts";

/** Reasons kept for each factor. */
const MAX_REASONS = 3;

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

/** What an allowed command is excused from. */
const EXCUSED_FACTORS: ReadonlySet<FactorId> = new Set(["exec_action", "unparsable_command", "risky_command"]);

/** Unseen files that are kept. A reason names fewer, and says that there are more. */
const MAX_UNSEEN_FILES = 4;

/** The rules that commands are held against. */
export interface CommandRules {
	readonly protectedPaths: ProtectedPaths;
	readonly forbidden: readonly ForbiddenCommand[];
	readonly allowed: readonly AllowedCommand[];
}

/** What was found, and what may have been missed. */
export interface Findings {
	/** Why each factor fired, in the order found. */
	readonly reasons: ReadonlyMap<FactorId, readonly FactorReason[]>;
	/** Factors that count as triggered because the work was spent. One of them has a reason only where one was found. */
	readonly notRuledOut: readonly FactorId[];
	/** Workspace files that commands run, whose content is not part of the check. */
	readonly unseenFiles: readonly string[];
}

/** Collects the findings of one check. */
export class FindingCollector {
	#reasons = new Map<FactorId, FactorReason[]>();
	#isAside = false;
	readonly #paths: PathJudge;
	/** The commands from which nothing is found. */
	readonly harmless: HarmlessCommands;
	readonly #matcher: ForbiddenCommandMatcher;
	readonly #flow: PipeFlow;
	readonly #allowed: AllowedCommands;
	readonly #unseenFiles = new Set<string>();
	readonly #work: WorkBudget;
	#command = 0;
	#words: readonly string[] = [];
	#redirect: CommandPlace["redirect"];
	#isAllowed = false;
	/** Whether the current command would be allowed if a pattern covered its words. */
	#isListable = false;

	constructor(rules: CommandRules, work: WorkBudget) {
		const harmlessPaths = new HarmlessPaths(rules.protectedPaths, work);
		this.#paths = new PathJudge(rules.protectedPaths, harmlessPaths, work);
		this.#flow = new PipeFlow(rules.forbidden, work);
		this.#matcher = new ForbiddenCommandMatcher(rules.forbidden, this.#flow, work);
		this.#allowed = new AllowedCommands(rules.allowed, work);
		this.harmless = new HarmlessCommands(rules.protectedPaths, harmlessPaths, this.#matcher, work);
		this.#work = work;
	}

	/** Begins the next command of the check. Once the work is spent, the command that spent it stays the current one. */
	beginLine(): void {
		if (!this.#work.spent) this.#command++;
	}

	/** Follows a simple command of a script: the substitutions in its words, then what it does itself. */
	within(script: ShellScript, command: SimpleCommand, followWords: () => void, followBody: () => void): void {
		this.inside(() => this.#flow.follow(script, command, followWords, followBody));
	}

	/** Follows what runs inside the current command without being in its words. An allowed command excuses none of it. */
	inside(follow: () => void): void {
		const outer = { isAllowed: this.#isAllowed, isListable: this.#isListable };
		this.#isAllowed = false;
		this.#isListable = false;
		follow();
		this.#isAllowed = outer.isAllowed;
		this.#isListable = outer.isListable;
	}

	/** Asks because the current command runs something that is not in its words. */
	addUnknownRun(because: string): void {
		this.inside(() => this.add("exec_action", because));
	}

	/** Whether a simple command is one of the allowed ones. */
	allows(words: readonly string[], redirects: readonly Redirect[]): boolean {
		return this.#allowed.cover(words, redirects);
	}

	/**
	 * Findings concern the simple command of these words while it is followed, except inside other `at`s.
	 * @param redirects Those of the command. Absent, the command cannot be an allowed one.
	 */
	at(words: readonly string[], follow: () => void, redirects?: readonly Redirect[]): void {
		const outer = { words: this.#words, redirect: this.#redirect };
		this.#words = words;
		this.#redirect = undefined;
		this.inside(() => {
			this.#isAllowed = redirects !== undefined && this.allows(words, redirects);
			this.#isListable = redirects !== undefined && canBeAllowed(words, redirects);
			follow();
		});
		this.#words = outer.words;
		this.#redirect = outer.redirect;
	}

	/** Findings concern a redirect of the current command while it is followed. */
	atRedirect(operator: string, path: string, follow: () => void): void {
		const outer = this.#redirect;
		this.#redirect = [operator, path];
		follow();
		this.#redirect = outer;
	}

	/**
	 * Raises a factor because of the current simple command, unless the command is allowed. Of the factor's reasons, the
	 * first three different ones are kept; one command of the check gives the same reason once.
	 * @param instead A short text of what would pass.
	 */
	add(factor: FactorId, because: string, instead?: string): void {
		if (this.#isAllowed && EXCUSED_FACTORS.has(factor)) return;
		const reasons = this.#reasons.get(factor) ?? [];
		const same = reasons.findIndex((known) => known.because === because && known.place?.command === this.#command);
		const place = {
			command: this.#command,
			words: this.#words,
			redirect: this.#redirect,
			isListable: this.#isListable,
		};
		if (same < 0 && reasons.length < MAX_REASONS) reasons.push({ because, instead, place });
		else if (instead !== undefined && reasons[same]?.instead === undefined) reasons[same] = { because, instead, place };
		this.#reasons.set(factor, reasons);
	}

	/**
	 * Keeps the findings of `follow` out of the result, and gives the first reason for a factor, or null without one.
	 * Inside another `findAside`, it follows nothing.
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

	/** Records that a file of the workspace is run whose content is not known. It raises nothing. */
	addUnseenFile(path: string): void {
		if (this.#unseenFiles.size < MAX_UNSEEN_FILES) this.#unseenFiles.add(shortenForReason(path));
	}

	/** Whether there are forbidden commands of this name, or whose name is not plain. */
	mayForbid(name: string): boolean {
		return this.#matcher.hasPatternsFor(commandName(name));
	}

	/**
	 * Holds a command against the forbidden commands. One pattern is reason enough. One that ends as the command does comes
	 * first: `rm -rf ~` is also matched by `rm -rf /`.
	 */
	matchForbidden(command: CommandWords): void {
		const found = this.#matcher.findCompleted(command);
		const last = command.words.at(-1) ?? "";
		const named = found.find(({ text }) => text.endsWith(` ${last}`)) ?? found[0];
		if (named) this.add("forbidden_command", `matches the forbidden command ${shortenForReason(named.text)}`);
	}

	/** Judges an effect on a path, from each folder that the command may run in. */
	judge(effect: PathEffect, folders: readonly string[]): void {
		for (const folder of folders) {
			for (const { factor, because } of this.#paths.judge(effect, folder)) this.add(factor, because);
			if (this.#work.spent) return;
		}
	}

	/** The findings so far. Once the work is spent, they say that nothing is ruled out. */
	toFindings(): Findings {
		const { spent } = this.#work;
		if (spent) this.add("oversize_command", "too large, too deep or too complex: nothing it could do is ruled out");
		return {
			reasons: this.#reasons,
			notRuledOut: spent ? COMMAND_FACTORS : [],
			unseenFiles: [...this.#unseenFiles],
		};
	}
}
