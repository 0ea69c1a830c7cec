// How far patterns with a pipe have come along the pipes of a script: `curl | sh` fires where what curl prints reaches sh.
// Which command a pattern's part matches is left to patterns.ts.
import type { WorkBudget } from "../work-budget.ts";
import type { CommandRange, CommandText, ShellScript, SimpleCommand } from "./shell/script.ts";

/** A pattern of commands, some of which read what the one before them prints. */
interface PipedPattern {
	readonly commands: readonly { readonly reads: boolean }[];
}

/** How many parts of each pattern have matched. */
type Progress = ReadonlyMap<PipedPattern, number>;

const NO_PROGRESS: Progress = new Map();

/** A simple command that is being followed. Both progresses only grow. */
interface FollowedCommand {
	/** What reaches it through pipes and through the substitutions in its words. */
	inflow: Progress;
	/** What its output carries further: what reaches it, what it is itself, and what runs inside it. */
	outflow: Progress;
	/** Whether its substitutions are being followed, which reach the command itself. */
	inWords: boolean;
}

/** Nearly no command makes any progress, so it is copied where it is raised. */
function raiseProgress(progress: Progress, pattern: PipedPattern, parts: number): Progress {
	return (progress.get(pattern) ?? 0) < parts ? new Map(progress).set(pattern, parts) : progress;
}

function mergeProgress(into: Map<PipedPattern, number>, from: Progress): void {
	for (const [pattern, parts] of from) if ((into.get(pattern) ?? 0) < parts) into.set(pattern, parts);
}

/** The progress of patterns along the pipes of one check. */
export class PipeFlow {
	readonly #work: WorkBudget;
	readonly #isNeeded: boolean;
	/** By the text of a command that may be repeated: equal commands are followed once. */
	readonly #outflows = new WeakMap<SimpleCommand | CommandText, Progress>();
	readonly #inflows = new WeakMap<CommandRange, Progress>();
	/** The command being followed, behind those that it runs in. */
	readonly #followed: FollowedCommand[] = [];

	/** @param patterns Without a pipe in any of them, nothing is recorded. */
	constructor(patterns: readonly PipedPattern[], work: WorkBudget) {
		this.#work = work;
		this.#isNeeded = patterns.some(({ commands }) => commands.some(({ reads }) => reads));
	}

	/** Follows a simple command of a script: its substitutions first, then what it does. */
	follow(script: ShellScript, command: SimpleCommand, followWords: () => void, followBody: () => void): void {
		if (!this.#isNeeded) {
			followWords();
			followBody();
			return;
		}
		const inflow = this.#findInflow(script, command);
		const followed: FollowedCommand = { inflow, outflow: inflow, inWords: true };
		this.#followed.push(followed);
		followWords();
		followed.inWords = false;
		followBody();
		this.#followed.pop();
		if (followed.outflow.size > 0) this.#outflows.set(command.text ?? command, followed.outflow);
	}

	/** How many parts of a pattern have matched what reaches the current command. */
	partsBefore(pattern: PipedPattern): number {
		return this.#followed.at(-1)?.inflow.get(pattern) ?? 0;
	}

	/** Records that the current command is the last of so many parts. The commands around it print what it prints. */
	record(pattern: PipedPattern, parts: number): void {
		if (!this.#isNeeded || !this.#work.charge(this.#followed.length)) return;
		for (const followed of this.#followed) {
			followed.outflow = raiseProgress(followed.outflow, pattern, parts);
			if (followed.inWords) followed.inflow = raiseProgress(followed.inflow, pattern, parts);
		}
	}

	/** A command without a pipe of its own reads what the command around it reads. */
	#findInflow(script: ShellScript, { reads }: SimpleCommand): Progress {
		if (!reads) return this.#followed.at(-1)?.inflow ?? NO_PROGRESS;
		const known = this.#inflows.get(reads);
		if (known) return known;
		const inflow = new Map<PipedPattern, number>();
		for (let at = reads.from; at < reads.to; at++) {
			const source = script.commands[at];
			const outflow = source && this.#outflows.get(source.text ?? source);
			if (!this.#work.charge(1 + (outflow?.size ?? 0))) break;
			if (outflow) mergeProgress(inflow, outflow);
		}
		this.#inflows.set(reads, inflow);
		return inflow;
	}
}

/** How far a pattern of several commands has come in all commands so far, and along the pipes into the current one. */
export class PatternProgress {
	readonly #flow: PipeFlow;
	readonly #reached = new Map<PipedPattern, number>();

	readonly #work: WorkBudget;

	constructor(flow: PipeFlow, work: WorkBudget) {
		this.#flow = flow;
		this.#work = work;
	}

	/**
	 * Advances a pattern by the current command. True when it is the last part. A part behind a pipe counts only where the
	 * part before it reaches the command; one behind `;` or `&&` counts anywhere later.
	 */
	advance(pattern: PipedPattern, matches: (at: number) => boolean): boolean {
		const reached = this.#reached.get(pattern) ?? 0;
		const piped = this.#flow.partsBefore(pattern);
		let last = 0;
		for (const [at, part] of pattern.commands.entries()) {
			const isNext = at === 0 || at <= (part.reads ? piped : reached);
			if (isNext && matches(at)) last = at + 1;
		}
		if (last === 0) return false;
		if (last > reached) {
			this.#reached.set(pattern, last);
			this.#work.learn();
		}
		this.#flow.record(pattern, last);
		return last === pattern.commands.length;
	}
}
