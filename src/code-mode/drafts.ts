// A coder's drafts: asked for, continued once where the output limit cut them, read, checked without a model, and compared. Pure.
import {
	type Answer,
	type Engine,
	isAnswered,
	type Member,
	type NoAnswer,
	type Question,
} from "../orchestration/strategy.ts";
import { type CodeEngine, countAffordable } from "./engine.ts";
import { readFencedFiles } from "./fenced-files.ts";
import { type CodeFile, type DraftFault, fileBlock, hasMarker, readDraft } from "./file-format.ts";
import { type CoderQuestion, codeContinuation } from "./prompts.ts";
import type { CodeTask } from "./request.ts";
import { type Review, staticReview } from "./review.ts";
import { joinDraft, wholeLines } from "./seam.ts";
import { issueText, staticIssues } from "./static-checks.ts";

/** A coder's answer, with what continued it. */
interface CoderAnswer {
	coder: Member;
	/** Of the answer. */
	boundary: string;
	model: string;
	text: string;
	isCut: boolean;
	/** The answer was cut, and a continuation may have completed it. */
	wasCut: boolean;
	rate: Answer["rate"];
}

/** A coder's answer, parsed and checked. */
export interface CheckedDraft {
	coder: Member;
	/** Catalog id of the model that wrote it. */
	model: string;
	iteration: number;
	files: CodeFile[];
	/** Paths that it wrote with another content, or removed. */
	changed: string[];
	/** Faults of format and findings of the static checks, one line each. */
	faults: string[];
	review: Review;
	/** Paths that an output limit left open, here or in a draft before, and that are no files yet. */
	missing: string[];
	/** The output limit ended it, or something is missing. */
	isCut: boolean;
	/** Writes the confidence in it into the trace. */
	rate: Answer["rate"];
}

/** The round that drafts are asked for. */
export interface DraftRound {
	task: CodeTask;
	iteration: number;
	stage: string;
	/** The stage of continuations. */
	continueStage: string;
	/** The files before it, and what was missing from them. */
	previous: readonly CodeFile[];
	missing: readonly string[];
	/** Nothing was wrong with the files before it as far as the static checks go. */
	wasClean: boolean;
	/** Questions that must stay affordable when an answer is continued. */
	kept: readonly Question[];
}

function toCoderAnswer(coder: Member, { boundary }: CoderQuestion, { model, text, isCut, rate }: Answer): CoderAnswer {
	return { coder, boundary, model, text, isCut, wasCut: isCut, rate };
}

function joinAnswers(cut: CoderAnswer, beginning: string, reply: Answer): CoderAnswer {
	const rate: Answer["rate"] = (rating) => {
		cut.rate(rating);
		reply.rate(rating);
	};
	return { ...cut, text: joinDraft(beginning, reply.text, cut.boundary), isCut: reply.isCut, rate };
}

/** Has answers that were cut continued by their own models, once, as far as the money reaches. */
async function continueAnswers(
	engine: CodeEngine,
	answers: readonly { asked: CoderQuestion; answer: CoderAnswer }[],
	{ continueStage, kept }: DraftRound,
): Promise<CoderAnswer[]> {
	const cut = answers.flatMap(({ asked, answer }) => {
		if (!answer.isCut) return [];
		const beginning = wholeLines(answer.text, asked.boundary);
		return [{ answer, beginning, question: codeContinuation(asked, [answer.model], continueStage, beginning) }];
	});
	const count = countAffordable(
		engine,
		cut.map(({ question }) => [question]),
		kept,
	);
	const continued = cut.slice(0, count);
	if (continued.length === 0) return answers.map(({ answer }) => answer);
	const replies = await engine.ask(continued.map(({ question }) => question));
	const joined = new Map(
		continued.map(({ answer, beginning }, at): [CoderAnswer, CoderAnswer] => {
			const reply = replies[at];
			return [answer, reply && isAnswered(reply) ? joinAnswers(answer, beginning, reply) : answer];
		}),
	);
	const detail = continued.map(({ answer }, at) => {
		const reply = replies[at];
		return { model: answer.model, how: !reply?.ok ? "not continued" : reply.isCut ? "cut again" : "continued" };
	});
	engine.describe(continueStage, { answers: detail });
	return answers.map(({ answer }) => joined.get(answer) ?? answer);
}

function faultText({ path, message }: DraftFault): string {
	return path === null ? message : `${path}: ${message}`;
}

/** Paths whose contents differ. */
function changedPaths(before: readonly CodeFile[], after: readonly CodeFile[]): string[] {
	const contents = new Map(before.map(({ path, content }) => [path, content]));
	const left = new Set(after.map(({ path }) => path));
	return [
		...after.filter(({ path, content }) => contents.get(path) !== content).map(({ path }) => path),
		...before.filter(({ path }) => !left.has(path)).map(({ path }) => path),
	];
}

/** An answer in the form that was asked for, where its files stand in plain fences. */
function toMarkedAnswer({ text, boundary }: CoderAnswer, { task, previous }: DraftRound): string {
	if (hasMarker(text, boundary)) return text;
	const files = readFencedFiles(text, { text: task.text, language: task.language, previous });
	return files.length === 0 ? text : files.map((file) => fileBlock(boundary, file)).join("");
}

/** Reads and checks a draft. Its review is that of the static checks until a critic has given a verdict. */
async function checkDraft(answer: CoderAnswer, round: DraftRound): Promise<CheckedDraft> {
	const { iteration, previous, missing: before } = round;
	const { coder, boundary, model, isCut, wasCut, rate } = answer;
	const read = readDraft(toMarkedAnswer(answer, round), boundary, { previous, isCut });
	const { files, unclosed, faults } = read;
	const changed = changedPaths(previous, files);
	// Files may be written again as they were to leave out what could not be read.
	const isSame = changed.length === 0 && (round.wasClean || !read.changed);
	const unchanged = isSame && previous.length > 0 ? ["the answer changes no file"] : [];
	const found = await staticIssues(files);
	const texts = [...faults.map(faultText), ...(faults.length > 0 ? [] : unchanged), ...found.map(issueText)];
	const cutOpen = wasCut ? unclosed : [];
	const missing = [...new Set([...before, ...cutOpen])].filter((open) => !files.some(({ path }) => path === open));
	return {
		...{ coder, model, iteration, files, missing, rate, faults: texts, review: staticReview(texts) },
		changed,
		isCut: isCut || cutOpen.length > 0 || missing.length > 0,
	};
}

/** Asks coders for drafts side by side. A coder that does not answer has none. */
export async function askDrafts(
	engine: CodeEngine,
	requests: readonly { coder: Member; asked: CoderQuestion }[],
	round: DraftRound,
): Promise<{ drafts: CheckedDraft[]; replies: (Answer | NoAnswer)[] }> {
	const questions = requests.map(({ asked }) => asked.question);
	// Of several coders one may hang. A draft alone is waited for.
	const replies = await engine.ask(
		questions.length > 1 ? questions.map((question) => ({ ...question, mayBeLeft: true })) : questions,
	);
	const answers = requests.flatMap(({ coder, asked }, at) => {
		const reply = replies[at];
		return reply && isAnswered(reply) ? [{ asked, answer: toCoderAnswer(coder, asked, reply) }] : [];
	});
	const whole = await continueAnswers(engine, answers, round);
	const drafts = await Promise.all(whole.map((answer) => checkDraft(answer, round)));
	describeDrafts(engine, round.stage, drafts);
	return { drafts, replies };
}

function describeDrafts(engine: Engine, stage: string, drafts: readonly CheckedDraft[]): void {
	if (drafts.length === 0) return;
	const detail = drafts.map(({ model, files, faults, isCut }) => ({
		...{ model, files: files.map(({ path }) => path), faults },
		...(isCut ? { truncated: true } : {}),
	}));
	engine.describe(stage, { drafts: detail });
}

/** Whether a draft has files in which nothing is wrong as far as the static checks go. */
export function isClean({ files, faults }: CheckedDraft): boolean {
	return files.length > 0 && faults.length === 0;
}

/** Whether a draft is a repair that mended nothing and left all files as they were. One that was cut may have meant to change them. */
export function changesNothing(draft: CheckedDraft): boolean {
	return draft.iteration > 0 && draft.changed.length === 0 && !draft.isCut && !isClean(draft);
}

/** The better of two drafts, by: has files, passed, is clean, has a verdict, higher score, fewer faults. Of equals, the second. */
export function betterDraft(a: CheckedDraft, b: CheckedDraft): CheckedDraft {
	const rank = (draft: CheckedDraft) => [
		draft.files.length > 0 ? 1 : 0,
		draft.review.passed ? 1 : 0,
		isClean(draft) ? 1 : 0,
		draft.review.reviewer === null ? 0 : 1,
		draft.review.reviewer === null ? 0 : draft.review.score,
		-draft.faults.length,
	];
	const [left, right] = [rank(a), rank(b)];
	const at = left.findIndex((value, place) => value !== right[place]);
	return at >= 0 && (left[at] ?? 0) > (right[at] ?? 0) ? a : b;
}

/** The best draft of a round. */
export function bestDraft(drafts: readonly [CheckedDraft, ...CheckedDraft[]]): CheckedDraft {
	return drafts.reduce((best, next) => betterDraft(next, best));
}
