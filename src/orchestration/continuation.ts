// Runs a strategy, and completes it once. Where the output limit ended its answer, the model that wrote it goes on from its last whole
// line or word. Where it cannot, a whole answer that the strategy has is taken, or another model answers alone; else the cut answer is
// delivered as such. Where nobody's answer has the form that was asked for, one is repaired. Where the only model asked refused, or
// said something else that is no answer, one other model is asked; if nobody answers, what was said is delivered with a confidence
// of 0. Pure.
//
// Call graph: one call after the strategy's own, made where what is left of the bound covers it.
import { isDeliverable } from "../answers/verdict.ts";
import { type Failure, fail, ok, type Result } from "../failure.ts";
import { fitPlaceholder, placeholder, placeholderBytes } from "../inference/answer-placeholder.ts";
import { Comparison } from "./agreement.ts";
import { nonAnswerRating, supportFor, withCheckedValue } from "./confidence.ts";
import { addTurn } from "./prompt.ts";
import {
	type Answer,
	combineFailures,
	type Engine,
	type Member,
	type NoAnswer,
	type Panel,
	type Question,
	type SaidInstead,
	type Strategy,
	type StrategyResult,
	sayInstead,
	type Task,
	toTaskQuestion,
} from "./strategy.ts";
import { longestFormRepair, repairUnfit } from "./unfit-answer.ts";

const CONTINUE_STAGE = "continue";
export const CONTINUE_PROMPT =
	"Your last message was cut off at the length limit. Continue it exactly where it ends: repeat nothing of it, begin with no " +
	"introduction, and keep its form and language.";

/** Other models that may answer instead, at most. */
const MAX_OTHERS = 3;

/** A text whose lines count: code in a fence that is still open, or JSON. */
function isLineText(text: string): boolean {
	return (text.match(/^[ \t]*```/gm)?.length ?? 0) % 2 === 1 || /^\s*[{[]/.test(text);
}

/** Where the last word of a text begins. A loop, since a regular expression takes the square of a long word's length. */
function lastWordStart(text: string): number {
	let at = text.length;
	while (at > 0 && /\S/.test(text.charAt(at - 1))) at--;
	return at;
}

/** The part of a cut answer that is kept: up to the last whole line of code or JSON, else up to the last whole word. */
export function wholeBeginning(text: string): string {
	const end = isLineText(text) ? text.lastIndexOf("\n") + 1 : lastWordStart(text);
	return text.slice(0, end).trim() === "" ? text : text.slice(0, end);
}

/** A repetition of the last words counts as one from this length on. */
const MIN_SEAM_REPEAT_CHARS = 12;
const MAX_SEAM_REPEAT_CHARS = 400;

/** How many characters at the beginning of a continuation repeat the end of what it continues. */
function repeatedLength(end: string, continuation: string): number {
	for (let length = Math.min(MAX_SEAM_REPEAT_CHARS, continuation.length); length >= MIN_SEAM_REPEAT_CHARS; length--) {
		const start = continuation.slice(0, length).trimEnd();
		if (start.length >= MIN_SEAM_REPEAT_CHARS && end.endsWith(start)) return start.length;
	}
	return 0;
}

/** Puts a beginning and its continuation together, without what the continuation repeats, and without a second fence. */
export function joinAtSeam(beginning: string, continuation: string): string {
	const isLines = isLineText(beginning);
	const bare = isLines ? continuation.replace(/^(?:\s*\n)?[ \t]*```[\w-]*[ \t]*\n|^\s*\n/, "") : continuation;
	const end = beginning.trimEnd();
	// A beginning without white space at its end was not cut at a word or line, so all that follows belongs to it.
	if (beginning === end) return beginning + bare.slice(repeatedLength(end, bare));
	const next = isLines ? bare : bare.trimStart();
	const rest = next.slice(repeatedLength(end, next));
	return beginning + (isLines ? rest.replace(/^[ \t]*\n/, "") : rest.trimStart());
}

function continuationQuestion(task: Task, member: Member, beginning: string): Question {
	const written = fitPlaceholder(beginning, placeholderBytes(task.maxTokens));
	const question = toTaskQuestion(task, { stage: CONTINUE_STAGE, role: "answerer", member, asksFor: "continuation" });
	const messages = addTurn(addTurn(question.messages, "assistant", written), "user", CONTINUE_PROMPT);
	// A model that is held to a form would begin anew.
	return { ...question, output: undefined, messages, mayBeLeft: true };
}

/**
 * The call that may follow a strategy's own, in its forms: the longest continuation that any model of a panel may be asked for, the
 * task itself, and the longest repair of an answer's form. The most expensive one is its bound.
 */
export function followingQuestions(
	task: Task,
	{ members, judge }: Panel,
): readonly [Question, Question, ...Question[]] {
	const [first] = members[0];
	const member: Member = [first, ...new Set([...members.flat(), ...judge].filter((id) => id !== first))];
	return [
		continuationQuestion(task, member, placeholder(placeholderBytes(task.maxTokens))),
		anotherQuestion(task, member),
		...longestFormRepair(task, member),
	];
}

/** The most that the call after a strategy's own can cost, nano-USD; a failure where no model may make it. */
export function followingBound(
	task: Task,
	panel: Panel,
	boundFor: (question: Question) => Result<number>,
): Result<number> {
	let most = 0;
	for (const question of followingQuestions(task, panel)) {
		const bound = boundFor(question);
		if (!bound.ok) return bound;
		most = Math.max(most, bound.value);
	}
	return ok(most);
}

function anotherQuestion(task: Task, member: Member): Question {
	return toTaskQuestion(task, { stage: CONTINUE_STAGE, role: "answerer", member });
}

function isWhole(reply: Answer | NoAnswer | null | undefined): reply is Answer {
	return reply?.ok === true && !reply.isCut;
}

/** Another model's reply to the task; null where there is no other. @param mayBeLeft there is an answer to deliver without it. */
async function askAnother(
	task: Task,
	{ members, judge }: Panel,
	engine: Engine,
	{ model, mayBeLeft }: { model: string; mayBeLeft?: true },
): Promise<Answer | NoAnswer | null> {
	const [first, ...others] = new Set([...members.flat(), ...judge].filter((id) => id !== model));
	if (first === undefined) return null;
	const member: Member = [first, ...others.slice(0, MAX_OTHERS - 1)];
	const [reply] = await engine.ask([{ ...anotherQuestion(task, member), mayBeLeft }]);
	return reply ?? null;
}

async function completeResult(cut: StrategyResult, task: Task, panel: Panel, engine: Engine): Promise<StrategyResult> {
	const beginning = wholeBeginning(cut.text);
	const [reply] = await engine.ask([continuationQuestion(task, [cut.model], beginning)]);
	const note = (how: string) => engine.describe(CONTINUE_STAGE, { how });
	if (reply?.ok) {
		const { isCut } = reply;
		// What the cut halved counts whole again.
		const confidence = isCut ? cut.confidence : Math.min(1, 2 * cut.confidence);
		reply.rate({ confidence, confidenceBasis: cut.confidenceBasis });
		note(isCut ? "continued, and cut again" : "continued");
		return { ...cut, text: joinAtSeam(beginning, reply.text), isCut, confidence };
	}
	if (cut.whole) {
		note("another answer was taken");
		return { ...cut, ...cut.whole, isCut: false };
	}
	const instead = await askAnother(task, panel, engine, { model: cut.model, mayBeLeft: true });
	const other = isWhole(instead) ? instead : null;
	note(other ? "another model answered" : "delivered as it was cut");
	if (!other) return cut;
	const rating = supportFor(other, [other], new Comparison(task));
	other.rate(rating);
	return { ...cut, text: other.text, model: other.model, ...rating, isCut: false };
}

/** An engine that keeps what was said instead of answers. */
function keepSaid(engine: Engine): { engine: Engine; said: SaidInstead[] } {
	const said: SaidInstead[] = [];
	const ask: Engine["ask"] = async (questions) => {
		const replies = await engine.ask(questions);
		said.push(...replies.flatMap((reply) => (reply.ok || !reply.said ? [] : [reply.said])));
		return replies;
	};
	return { engine: { ...engine, ask }, said };
}

/** The answer without the form that was asked for, of several that of the best model; undefined without one. */
function findUnfit(said: readonly SaidInstead[]): SaidInstead | undefined {
	return said.filter(({ kind }) => kind === "other_form").toSorted((a, b) => b.quality - a.quality)[0];
}

/** The result where nobody answered: what the first model said instead. */
function toSaidResult({ kind, text, model }: SaidInstead): StrategyResult {
	return { text, model, ...nonAnswerRating(kind), agreement: 0, escalated: false, isCut: false, instead: kind };
}

/** What may be shown where nobody answered: an answer in another form, else a refusal, which says why, else the first. */
function findShown(said: readonly SaidInstead[]): SaidInstead | undefined {
	const shown = said.filter(({ kind }) => kind === "other_form" || isDeliverable(kind));
	return findUnfit(shown) ?? shown.find(({ kind }) => kind === "refusal") ?? shown[0];
}

/** The reply of another model, where one alone was asked and did not answer; null where there is no other. */
async function askInstead(
	{ kind, model }: SaidInstead,
	task: Task,
	panel: Panel,
	engine: Engine,
): Promise<Answer | NoAnswer | null> {
	const reply = await askAnother(task, panel, engine, { model });
	const how = reply?.ok ? "another model answered" : "nobody else answered";
	engine.describe(CONTINUE_STAGE, { how, instead_of: model, why: sayInstead(kind) });
	return reply;
}

function toReplacedResult(reply: Answer, task: Task): StrategyResult {
	const { text, model, isCut } = reply;
	const rating = supportFor(reply, [reply], new Comparison(task));
	reply.rate(rating);
	return { text, model, ...rating, agreement: 1, escalated: true, isCut };
}

/** What follows where a strategy has no answer. */
async function replaceFailure(
	failure: Failure,
	said: readonly SaidInstead[],
	task: Task,
	panel: Panel,
	engine: Engine,
): Promise<Result<StrategyResult>> {
	const [first] = said;
	if (!first) return fail(failure);
	const unfit = findUnfit(said);
	if (unfit) return ok(await repairUnfit(unfit, task, engine));
	const isAlone = new Set(said.map(({ model }) => model)).size === 1;
	const reply = isAlone ? await askInstead(first, task, panel, engine) : null;
	if (reply?.ok) return ok(toReplacedResult(reply, task));
	const shown = findShown([...said, ...(reply?.said ? [reply.said] : [])]);
	if (shown) return ok(toSaidResult(shown));
	return fail(combineFailures([{ ok: false, failure, unaffordable: false }, ...(reply ? [reply] : [])]));
}

/** Runs a strategy, completes its answer if the output limit ended it, and asks another model where the only one did not answer. */
export async function runStrategy(
	strategy: Strategy,
	task: Task,
	panel: Panel,
	engine: Engine,
): Promise<Result<StrategyResult>> {
	const keeping = keepSaid(engine);
	const result = await strategy.run(task, panel, keeping.engine);
	if (!result.ok) return replaceFailure(result.failure, keeping.said, task, panel, engine);
	const completed = result.value.isCut ? await completeResult(result.value, task, panel, engine) : result.value;
	return ok(withCheckedValue(completed, task));
}
