// The loop of code mode: drafts, checks, reviews, repairs, until the code passes, or cycles or money run out. Its calls are the
// engine's, and nothing that was written is run. Pure.
import { type Failure, fail, ok, type Result } from "../failure.ts";
import type { Rating } from "../inference/confidence-basis.ts";
import { roundShare } from "../inference/trace.ts";
import {
	type Answer,
	combineFailures,
	type Member,
	type NoAnswer,
	type SaidInstead,
} from "../orchestration/strategy.ts";
import type { CodeCast } from "./cast.ts";
import { askCritics, askSecondCritic, type ReviewPlace } from "./critics.ts";
import {
	askDrafts,
	bestDraft,
	betterDraft,
	type CheckedDraft,
	changesNothing,
	type DraftRound,
	isClean,
} from "./drafts.ts";
import type { CodeEngine } from "./engine.ts";
import type { CodeFile } from "./file-format.ts";
import { type CodePlan, continueStage, generateStage, repairCycles, reviewQuestions, reviewStage } from "./plan.ts";
import { draftQuestion, type FailedRepair, repairQuestion } from "./prompts.ts";
import type { CodeTask } from "./request.ts";
import { criticReview, type GivenVerdict, missedReview, moreCautiousVerdict, type Review, rateCode } from "./review.ts";

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
export type LoopStop = "passed" | "max_iters" | "budget" | "no_answer" | "refused" | "no_verdict" | "no_change";

/** The result of the loop. */
export interface CodeOutcome extends Rating {
	/** Sorted by path; never empty. */
	files: CodeFile[];
	/** Of these files. Its reviewer is null where no critic gave a verdict. */
	review: Review;
	/** Cycles that ran. */
	iterations: number;
	stop: LoopStop;
	/** An output limit ended an answer, what it left open is missing from these files, and no critic has passed them without it. */
	isCut: boolean;
	/** What the only coder said before another model wrote a draft; null where it wrote one. */
	instead: SaidInstead | null;
}

/** Whether nobody answered, and whoever said anything refused. */
function allRefused(replies: readonly (Answer | NoAnswer)[]): boolean {
	return replies.length > 0 && replies.every((reply) => !reply.ok && reply.said?.kind === "refusal");
}

/** Where every call failed, no code was produced either (spec 7); any other failure stands for itself. */
function toNoCode(replies: readonly (Answer | NoAnswer)[]): Failure {
	const failure = combineFailures(replies);
	if (failure.reason !== "all_models_failed") return failure;
	const { attempts, costUsd, retryAfterMs } = failure;
	const what = allRefused(replies) ? "every model that was asked refused" : "no model answered";
	const message = `${what}: ${attempts.at(-1) ?? "none could be called"}`;
	return { reason: "no_code_produced", message, attempts, costUsd, retryAfterMs };
}

/** What a coder said instead of an answer; null where it answered or failed. */
function findSaid([reply]: readonly (Answer | NoAnswer)[]): SaidInstead | null {
	return (reply && !reply.ok && reply.said) || null;
}

/** The coder's models without the one that wrote no answer; null where there is none. */
function findOther(coder: Member, said: SaidInstead): Member | null {
	const [first, ...others] = coder.filter((model) => model !== said.model);
	return first === undefined ? null : [first, ...others];
}

/** Reviews a draft by a verdict, or by none. */
function setVerdict(draft: CheckedDraft, given: GivenVerdict | null): void {
	draft.review = given ? criticReview(draft.faults, given) : missedReview(draft.faults);
}

type Drafts = readonly [CheckedDraft, ...CheckedDraft[]];

class CodeLoop {
	readonly #task: CodeTask;
	readonly #plan: CodePlan;
	readonly #cast: CodeCast;
	readonly #engine: CodeEngine;
	readonly #report: (progress: CodeProgress) => void;
	/** The longest questions of a repair by each coder, and of its review. */
	readonly #repairs: ReturnType<typeof repairCycles>;
	/** Repairs of the best draft that made it worse. */
	#tried: FailedRepair[] = [];
	#instead: SaidInstead | null = null;

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
		this.#repairs = repairCycles(task, cast);
	}

	async run(): Promise<Result<CodeOutcome>> {
		const first = await this.#firstDrafts();
		if (!first.ok) return first;
		let latest = await this.#review(first.value, 0, null);
		let best = latest;
		let stop = this.#stopAfter(latest, best);
		for (let iteration = 1; stop === null; iteration++) {
			const draft = await this.#repair(best, iteration);
			if (typeof draft === "string") {
				stop = draft;
				break;
			}
			latest = await this.#review([draft], iteration, best);
			best = this.#keepBetter(best, latest);
			stop = this.#stopAfter(latest, best);
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
		// What a critic passes is whole, whatever a draft before it lost.
		const isCut = best.isCut && !review.passed;
		return ok({ files, review, ...rateCode(review), iterations, stop, isCut, instead: this.#instead });
	}

	/** The better of the best draft and a repair of it. Of a repair that made it worse, the next one is told. */
	#keepBetter(best: CheckedDraft, repair: CheckedDraft): CheckedDraft {
		const better = betterDraft(best, repair);
		const failed = { changed: repair.changed, issues: repair.review.issues };
		this.#tried = better === repair ? [] : [...this.#tried, failed];
		return better;
	}

	/** Why the loop ends here; null when it goes on. Without a verdict on sound files there is nothing to mend. */
	#stopAfter(latest: CheckedDraft, best: CheckedDraft): LoopStop | null {
		if (best.review.passed && best.files.length > 0) return "passed";
		if (isClean(latest) && latest.review.lacksVerdict) return "no_verdict";
		if (changesNothing(latest)) return "no_change";
		if (this.#isLast(latest.iteration)) return "max_iters";
		return this.#coversRepair(best) ? null : "budget";
	}

	#isLast(iteration: number): boolean {
		return iteration + 1 >= this.#plan.iterations;
	}

	#coversRepair({ coder }: CheckedDraft): boolean {
		const [model] = coder;
		const known = this.#repairs.find((repair) => repair.coder === coder || repair.coder.includes(model));
		return this.#engine.covers(known?.cycle ?? []);
	}

	#round(iteration: number, before: CheckedDraft | null, drafts: number): DraftRound {
		const { files: previous, missing } = before ?? { files: [], missing: [] };
		return {
			...{
				task: this.#task,
				iteration,
				previous,
				missing,
				stage: generateStage(iteration),
				continueStage: continueStage(iteration),
			},
			wasClean: before !== null && isClean(before),
			kept: reviewQuestions(this.#task, this.#cast, iteration, drafts),
		};
	}

	/** Every coder's draft; a failure when no coder answered. Where the only one refused, another model is asked once, if money is left. */
	async #firstDrafts(): Promise<Result<Drafts>> {
		const { coders } = this.#cast;
		const ask = (members: readonly Member[]) => {
			const requests = members.map((coder) => ({ coder, asked: draftQuestion(this.#task, coder, generateStage(0)) }));
			return askDrafts(this.#engine, requests, this.#round(0, null, members.length));
		};
		let { drafts, replies } = await ask(coders);
		const said = coders.length === 1 ? findSaid(replies) : null;
		const other = said && findOther(coders[0], said);
		if (other && this.#engine.covers([draftQuestion(this.#task, other, generateStage(0)).question])) {
			const again = await ask([other]);
			drafts = again.drafts;
			this.#instead = said;
			replies = [...replies, ...again.replies];
		}
		const [first, ...rest] = drafts;
		if (!first) return fail(toNoCode(replies));
		this.#reportDrafts(drafts);
		return ok([first, ...rest]);
	}

	/** A repair of a draft, or why there is none: no model answered, all refused, or it could not be reserved. */
	async #repair(best: CheckedDraft, iteration: number): Promise<CheckedDraft | "no_answer" | "refused" | "budget"> {
		const { coder, files, review } = best;
		const input = { files, issues: review.issues, tried: this.#tried };
		const asked = repairQuestion(this.#task, coder, generateStage(iteration), input);
		const { drafts, replies } = await askDrafts(this.#engine, [{ coder, asked }], this.#round(iteration, best, 1));
		this.#reportDrafts(drafts);
		if (drafts[0]) return drafts[0];
		if (allRefused(replies)) return "refused";
		return replies.every((reply) => !reply.ok && reply.unaffordable) ? "budget" : "no_answer";
	}

	#reportDrafts(drafts: readonly CheckedDraft[]): void {
		for (const { iteration, model, files, faults } of drafts) {
			const sizes = files.map(({ path, content }) => ({ path, characters: content.length }));
			this.#report({ type: "drafted", iteration, model, files: sizes, faults });
		}
	}

	/** Reviews a round's drafts and returns the best of them. @param before the best draft of earlier rounds. */
	async #review(drafts: Drafts, iteration: number, before: CheckedDraft | null): Promise<CheckedDraft> {
		const { critic } = this.#cast;
		const chosen = critic ? this.#toReview(drafts, before) : [];
		if (critic && chosen.length > 0) {
			const place = { task: this.#task, critic, engine: this.#engine, stage: reviewStage(iteration) };
			const verdicts = await askCritics(
				place,
				chosen.map(({ files }) => files),
			);
			for (const [at, draft] of chosen.entries()) setVerdict(draft, verdicts[at]?.given ?? null);
			if (this.#plan.confirms) {
				const open = chosen.flatMap((draft, at) => {
					const verdict = verdicts[at];
					return verdict?.given && !verdict.askedTwice
						? [[draft, verdict.given] satisfies [CheckedDraft, GivenVerdict]]
						: [];
				});
				await this.#confirmBest(drafts, new Map(open), place);
			}
		}
		for (const draft of drafts) draft.rate(rateCode(draft.review));
		const best = bestDraft(drafts);
		this.#describeReviews(drafts, best, iteration);
		return best;
	}

	/**
	 * Has a second critic confirm the best draft's pass. Where it does not, the next best may pass, and is confirmed in turn.
	 * @param open verdicts by drafts that no second critic has seen.
	 */
	async #confirmBest(drafts: Drafts, open: Map<CheckedDraft, GivenVerdict>, place: ReviewPlace): Promise<void> {
		for (;;) {
			const best = bestDraft(drafts);
			const first = open.get(best);
			if (!best.review.passed || !first) return;
			open.delete(best);
			const second = await askSecondCritic(place, best.files, first);
			if (!second) continue;
			setVerdict(best, moreCautiousVerdict(first, second));
			this.#engine.describe(place.stage, { confirmed: best.review.passed });
		}
	}

	/**
	 * The drafts that a critic is asked about. A draft that fails the static checks is not worth a call as long as it can be
	 * repaired, or a sound one is there. At the end it is, because the answer needs a score.
	 */
	#toReview(drafts: Drafts, before: CheckedDraft | null): readonly CheckedDraft[] {
		const clean = drafts.filter(isClean);
		if (clean.length > 0) return clean;
		if (before && isClean(before)) return [];
		const isLast =
			this.#isLast(drafts[0].iteration) ||
			drafts.every(changesNothing) ||
			!drafts.every((draft) => this.#coversRepair(draft));
		return isLast ? drafts.filter(({ files }) => files.length > 0) : [];
	}

	#describeReviews(drafts: readonly CheckedDraft[], best: CheckedDraft, iteration: number): void {
		const reviews = drafts.map(({ model, review }) => ({
			model,
			passed: review.passed,
			score: roundShare(review.score),
			issues: review.issues,
			by: review.reviewer ?? "static checks",
		}));
		const kept = drafts.length > 1 ? { kept: best.model } : {};
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
