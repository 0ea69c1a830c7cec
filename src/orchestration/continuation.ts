// Runs a strategy, and completes it once. Where the output limit ended its answer, the model that wrote it goes on from its last whole
// line or word. Where it cannot, a whole answer that the strategy has is taken, or another model answers alone; else the cut answer is
// delivered as such. Where the only model asked refused, or said something else that is no answer, one other model is asked; if nobody
// answers, what was said is delivered with a confidence of 0. Pure.
//
// Call graph: one call after the strategy's own, made where what is left of the bound covers it.
import { SAID_INSTEAD } from "../answers/verdict.ts";
import { ok, type Result } from "../failure.ts";
import { fitPlaceholder, placeholder, placeholderBytes } from "../inference/answer-placeholder.ts";
import { Comparison } from "./agreement.ts";
import { supportFor } from "./confidence.ts";
import { addTurn } from "./prompt.ts";
import {
	type Answer,
	type Engine,
	type Member,
	type NoAnswer,
	type Panel,
	type Question,
	type SaidInstead,
	type Strategy,
	type StrategyResult,
	type Task,
	toTaskQuestion,
} from "./strategy.ts";

const CONTINUE_STAGE = "continue";
const CONTINUE_PROMPT =
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
	return { ...question, output: undefined, messages };
}

/**
 * The call that may follow a strategy's own, in its two forms: the longest continuation that any model of a panel may be asked for, and
 * the task itself. The more expensive one is its bound.
 */
export function followingQuestions(task: Task, { members, judge }: Panel): readonly [Question, Question] {
	const [first] = members[0];
	const member: Member = [first, ...new Set([...members.flat(), ...judge].filter((id) => id !== first))];
	return [
		continuationQuestion(task, member, placeholder(placeholderBytes(task.maxTokens))),
		anotherQuestion(task, member),
	];
}

/** The most that the call after a strategy's own can cost, nano-USD; a failure where no model may make it. */
export function followingBound(
	task: Task,
	panel: Panel,
	boundFor: (question: Question) => Result<number>,
): Result<number> {
	const [continuation, another] = followingQuestions(task, panel).map(boundFor);
	if (!continuation?.ok || !another) return continuation ?? ok(0);
	return another.ok ? ok(Math.max(continuation.value, another.value)) : another;
}

function anotherQuestion(task: Task, member: Member): Question {
	return toTaskQuestion(task, { stage: CONTINUE_STAGE, role: "answerer", member });
}

function isWhole(reply: Answer | NoAnswer | null | undefined): reply is Answer {
	return reply?.ok === true && !reply.isCut;
}

/** Another model's answer to the task; null where none gave one. */
async function askAnother(
	task: Task,
	{ members, judge }: Panel,
	engine: Engine,
	model: string,
): Promise<Answer | null> {
	const [first, ...others] = new Set([...members.flat(), ...judge].filter((id) => id !== model));
	if (first === undefined) return null;
	const member: Member = [first, ...others.slice(0, MAX_OTHERS - 1)];
	const [reply] = await engine.ask([anotherQuestion(task, member)]);
	return reply?.ok ? reply : null;
}

async function completeResult(cut: StrategyResult, task: Task, panel: Panel, engine: Engine): Promise<StrategyResult> {
	const beginning = wholeBeginning(cut.text);
	const [reply] = await engine.ask([continuationQuestion(task, [cut.model], beginning)]);
	const note = (how: string) => engine.describe(CONTINUE_STAGE, { how });
	if (reply?.ok) {
		const { isCut } = reply;
		// What the cut halved counts whole again.
		const confidence = isCut ? cut.confidence : Math.min(1, 2 * cut.confidence);
		reply.rate(confidence);
		note(isCut ? "continued, and cut again" : "continued");
		return { ...cut, text: joinAtSeam(beginning, reply.text), isCut, confidence };
	}
	if (cut.whole) {
		note("another answer was taken");
		return { ...cut, ...cut.whole, isCut: false };
	}
	const other = await askAnother(task, panel, engine, cut.model).then((reply) => (isWhole(reply) ? reply : null));
	note(other ? "another model answered" : "delivered as it was cut");
	if (!other) return cut;
	const confidence = supportFor(other, [other], new Comparison(task.kind));
	other.rate(confidence);
	return { ...cut, text: other.text, model: other.model, confidence, isCut: false };
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

/** The result where nobody answered: what the first model said instead. */
function toSaidResult({ kind, text, model }: SaidInstead): StrategyResult {
	return { text, model, confidence: 0, agreement: 0, escalated: false, isCut: false, instead: kind };
}

/** The answer of another model, where one alone was asked and did not answer; null where none did. */
async function replaceSaid(
	{ kind, model }: SaidInstead,
	task: Task,
	panel: Panel,
	engine: Engine,
): Promise<StrategyResult | null> {
	const other = await askAnother(task, panel, engine, model);
	engine.describe(CONTINUE_STAGE, {
		how: other ? "another model answered" : "nobody else answered",
		instead_of: model,
		why: SAID_INSTEAD[kind],
	});
	if (!other) return null;
	const confidence = supportFor(other, [other], new Comparison(task.kind));
	other.rate(confidence);
	const { text, isCut } = other;
	return { text, model: other.model, confidence, agreement: 1, escalated: true, isCut };
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
	const { said } = keeping;
	const [first] = said;
	if (!result.ok) {
		if (!first) return result;
		const isAlone = new Set(said.map(({ model }) => model)).size === 1;
		const replaced = isAlone ? await replaceSaid(first, task, panel, keeping.engine) : null;
		// A refusal says why; an echo or another language does not.
		const refused = said.find(({ kind }) => kind === "refusal") ?? first;
		return ok(replaced ?? toSaidResult(refused));
	}
	if (!result.value.isCut) return result;
	return ok(await completeResult(result.value, task, panel, engine));
}
