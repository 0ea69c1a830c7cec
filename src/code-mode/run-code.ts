// The loop of code mode: drafts, checks, reviews, repairs, until the code passes, or cycles or money run out. Its calls are the
// engine's, and nothing that was written is run. Pure.
import { type Failure, fail, ok, type Result } from "../failure.ts";
import { roundShare } from "../inference/trace.ts";
import { askJson } from "../orchestration/json-reply.ts";
import {
	type Answer,
	combineFailures,
	type Engine,
	isAnswered,
	type Member,
	type Question,
} from "../orchestration/strategy.ts";
import type { CodeCast } from "./cast.ts";
import { type CodeFile, type DraftFault, readDraft } from "./file-format.ts";
import { type CodePlan, generateStage, repairCycles, reviewStage } from "./plan.ts";
import { draftQuestion, repairQuestion, reviewQuestion } from "./prompts.ts";
import type { CodeTask } from "./request.ts";
import { codeConfidence, criticReview, type Review, staticReview } from "./review.ts";
import { issueText, staticIssues } from "./static-checks.ts";

/** An engine that knows what is left to spend. */
export interface CodeEngine extends Engine {
	/** Whether what is left covers all of these questions. */
	covers(questions: readonly Question[]): boolean;
}

export type CodeProgress =
	| {
			type: "drafted";
			iteration: number;
			model: string;
			files: { path: string; characters: number }[];
			faults: string[];
	  }
	| { type: "reviewed"; iteration: number; passed: boolean; score: number; issues: string[]; reviewer: string | null };

/** Why the loop ended. */
export type LoopStop = "passed" | "max_iters" | "budget" | "no_answer";

/** The result of the loop. */
export interface CodeOutcome {
	/** Sorted by path; never empty. */
	files: CodeFile[];
	/** Of these files. Its reviewer is null where no critic was asked. */
	review: Review;
	confidence: number;
	/** Cycles that ran. */
	iterations: number;
	stop: LoopStop;
}

/** A coder's answer, parsed and checked. */
interface CheckedDraft {
	coder: Member;
	answered: Answer;
	iteration: number;
	files: CodeFile[];
	/** Faults of format and findings of the static checks, one line each. */
	faults: string[];
	review: Review;
}

function faultText({ path, message }: DraftFault): string {
	return path === null ? message : `${path}: ${message}`;
}

/** Parses and checks a draft. Its review is that of the static checks until a critic has given a verdict. */
async function checkDraft(
	answered: Answer,
	{
		coder,
		boundary,
		iteration,
		previous,
	}: { coder: Member; boundary: string; iteration: number; previous: CodeFile[] },
): Promise<CheckedDraft> {
	const { files, changed, faults } = readDraft(answered.text, boundary, previous);
	const unchanged = changed || previous.length === 0 ? [] : ["the answer changes no file"];
	const found = await staticIssues(files);
	const texts = [...faults.map(faultText), ...(faults.length > 0 ? [] : unchanged), ...found.map(issueText)];
	return { coder, answered, iteration, files, faults: texts, review: staticReview(texts) };
}

function isClean({ files, faults }: CheckedDraft): boolean {
	return files.length > 0 && faults.length === 0;
}

/** The better of two drafts, by: has files, passed, is clean, higher score, fewer faults. Of equals, the second. */
function betterDraft(a: CheckedDraft, b: CheckedDraft): CheckedDraft {
	const rank = (draft: CheckedDraft) => [
		draft.files.length > 0 ? 1 : 0,
		draft.review.passed ? 1 : 0,
		isClean(draft) ? 1 : 0,
		draft.review.reviewer === null ? 0 : draft.review.score,
		-draft.faults.length,
	];
	const [left, right] = [rank(a), rank(b)];
	const at = left.findIndex((value, place) => value !== right[place]);
	return at >= 0 && (left[at] ?? 0) > (right[at] ?? 0) ? a : b;
}

/** The best draft of a round. */
function bestDraft(drafts: readonly [CheckedDraft, ...CheckedDraft[]]): CheckedDraft {
	return drafts.reduce((best, next) => betterDraft(next, best));
}

/** Where every call failed, no code was produced either (spec 7); any other failure stands for itself. */
function toNoCode(failure: Failure): Failure {
	if (failure.reason !== "all_models_failed") return failure;
	const { attempts, costUsd, retryAfterMs } = failure;
	const message = `no model answered: ${attempts.at(-1) ?? "none could be called"}`;
	return { reason: "no_code_produced", message, attempts, costUsd, retryAfterMs };
}

class CodeLoop {
	readonly #task: CodeTask;
	readonly #plan: CodePlan;
	readonly #cast: CodeCast;
	readonly #engine: CodeEngine;
	readonly #report: (progress: CodeProgress) => void;
	/** The longest questions of a repair by each coder, and of its review. */
	readonly #repairs: Map<Member, Question[]>;

	constructor(
		task: CodeTask,
		plan: CodePlan,
		cast: CodeCast,
		engine: CodeEngine,
		report: (progress: CodeProgress) => void,
	) {
		this.#task = task;
		this.#plan = plan;
		this.#cast = cast;
		this.#engine = engine;
		this.#report = report;
		const cycles = repairCycles(task, cast);
		this.#repairs = new Map(cast.coders.map((coder, at) => [coder, cycles[at] ?? []]));
	}

	async run(): Promise<Result<CodeOutcome>> {
		const first = await this.#firstDrafts();
		if (!first.ok) return first;
		let latest = await this.#review(first.value, 0);
		let best = latest;
		let stop = this.#stopAfter(0, best);
		for (let iteration = 1; stop === null; iteration++) {
			const draft = await this.#nextDraft(latest, iteration);
			if (!draft) {
				stop = "no_answer";
				break;
			}
			latest = await this.#review([draft], iteration);
			best = betterDraft(best, latest);
			stop = this.#stopAfter(iteration, latest);
		}
		return this.#conclude(best, latest.iteration + 1, stop);
	}

	#conclude(best: CheckedDraft, iterations: number, stop: LoopStop): Result<CodeOutcome> {
		if (best.files.length === 0) {
			const [why = "no answer held a file"] = best.faults;
			const message = `no model wrote a usable file: ${why}`;
			return fail({ reason: "no_code_produced", message, attempts: best.faults, costUsd: 0, retryAfterMs: null });
		}
		const { files, review } = best;
		return ok({ files, review, confidence: codeConfidence(review), iterations, stop });
	}

	/** Why the loop ends here; null when it goes on. */
	#stopAfter(iteration: number, { coder, review, files }: CheckedDraft): LoopStop | null {
		if (review.passed && files.length > 0) return "passed";
		if (iteration + 1 >= this.#plan.iterations) return "max_iters";
		return this.#coversRepairBy(coder) ? null : "budget";
	}

	#coversRepairBy(coder: Member): boolean {
		return this.#engine.covers(this.#repairs.get(coder) ?? []);
	}

	/** Every coder's draft; a failure when no coder answered. */
	async #firstDrafts(): Promise<Result<[CheckedDraft, ...CheckedDraft[]]>> {
		const stage = generateStage(0);
		const { coders } = this.#cast;
		const asked = coders.map((coder) => draftQuestion(this.#task, coder, stage));
		const replies = await this.#engine.ask(asked.map(({ question }) => question));
		const drafts = await Promise.all(
			replies.flatMap((reply, at) => {
				const [coder, boundary] = [coders[at], asked[at]?.boundary];
				if (!isAnswered(reply) || !coder || !boundary) return [];
				return [checkDraft(reply, { coder, boundary, iteration: 0, previous: [] })];
			}),
		);
		const [first, ...rest] = drafts;
		if (!first) return fail(toNoCode(combineFailures(replies)));
		this.#describeDrafts(0, drafts);
		return ok([first, ...rest]);
	}

	/**
	 * What the next cycle reviews: a repair, or the same files again where no fault is known and the verdict was missing.
	 * Null when no model answered.
	 */
	async #nextDraft(latest: CheckedDraft, iteration: number): Promise<CheckedDraft | null> {
		if (!isClean(latest) || !latest.review.lacksVerdict) return this.#repair(latest, iteration);
		const kept = "the files as they are: their reviewer gave no verdict";
		this.#engine.describe(generateStage(iteration), { drafts: [], kept });
		return { ...latest, iteration };
	}

	/** A repair of a draft; null when no model answered. */
	async #repair({ coder, files, review }: CheckedDraft, iteration: number): Promise<CheckedDraft | null> {
		const stage = generateStage(iteration);
		const { question, boundary } = repairQuestion(this.#task, coder, stage, { files, issues: review.issues });
		const [reply] = await this.#engine.ask([question]);
		if (!reply || !isAnswered(reply)) return null;
		const draft = await checkDraft(reply, { coder, boundary, iteration, previous: files });
		this.#describeDrafts(iteration, [draft]);
		return draft;
	}

	#describeDrafts(iteration: number, drafts: readonly CheckedDraft[]): void {
		const detail = drafts.map(({ answered: { model }, files, faults }) => ({
			model,
			files: files.map(({ path }) => path),
			faults,
		}));
		this.#engine.describe(generateStage(iteration), { drafts: detail });
		for (const { answered, files, faults } of drafts) {
			const sizes = files.map(({ path, content }) => ({ path, characters: content.length }));
			this.#report({ type: "drafted", iteration, model: answered.model, files: sizes, faults });
		}
	}

	/** Reviews a round's drafts and returns the best of them. */
	async #review(drafts: readonly [CheckedDraft, ...CheckedDraft[]], iteration: number): Promise<CheckedDraft> {
		const { critic } = this.#cast;
		const chosen = critic ? this.#toReview(drafts, iteration) : [];
		const readings = critic
			? await askJson(
					this.#engine,
					chosen.map(({ files }) => reviewQuestion(this.#task, critic, reviewStage(iteration), files)),
				)
			: [];
		for (const [at, draft] of chosen.entries()) {
			const reading = readings[at];
			if (reading && critic) draft.review = criticReview(draft.faults, reading, critic[0]);
		}
		for (const draft of drafts) draft.answered.rate(codeConfidence(draft.review));
		const best = bestDraft(drafts);
		this.#describeReviews(drafts, best, iteration);
		return best;
	}

	/**
	 * The drafts that a critic is asked about. A draft that fails the static checks is not worth a call as long as it can be
	 * repaired. At the end it is, because the answer needs a score.
	 */
	#toReview(drafts: readonly CheckedDraft[], iteration: number): readonly CheckedDraft[] {
		const clean = drafts.filter(isClean);
		if (clean.length > 0) return clean;
		const isLast = iteration + 1 >= this.#plan.iterations || !drafts.every(({ coder }) => this.#coversRepairBy(coder));
		return isLast ? drafts.filter(({ files }) => files.length > 0) : [];
	}

	#describeReviews(drafts: readonly CheckedDraft[], best: CheckedDraft, iteration: number): void {
		const reviews = drafts.map(({ answered: { model }, review }) => ({
			model,
			passed: review.passed,
			score: roundShare(review.score),
			issues: review.issues,
			by: review.reviewer ?? "static checks",
		}));
		const kept = drafts.length > 1 ? { kept: best.answered.model } : {};
		this.#engine.describe(reviewStage(iteration), { reviews, ...kept });
		const { passed, score, issues, reviewer } = best.review;
		this.#report({ type: "reviewed", iteration, passed, score: roundShare(score), issues, reviewer });
	}
}

/** Writes code for a task. Fails when no model answered, or when no answer contained a usable file. */
export function runCode(
	task: CodeTask,
	plan: CodePlan,
	cast: CodeCast,
	engine: CodeEngine,
	report: (progress: CodeProgress) => void,
): Promise<Result<CodeOutcome>> {
	return new CodeLoop(task, plan, cast, engine, report).run();
}
