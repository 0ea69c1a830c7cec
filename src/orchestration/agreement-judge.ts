// Asks a judge how answers relate where their values do not say it: which say the same, which contradict each other, and which parts
// a synthesis keeps. No code is run; the judge compares what it says.
//
// Call graph: one call sorts all answers of a stage. Where its verdict decides what happens next, a second call gets the answers in
// reverse, since judges prefer positions, and of two verdicts the more cautious counts. Each unreadable reply is repaired once.
import * as z from "zod";
import { renderMaterial } from "../inference/material.ts";
import { type Comparison, moreCautious, type Relation } from "./agreement.ts";
import { askJson, type JsonQuestion, longestRepair } from "./json-reply.ts";
import { judgeMessages, nonceFor, verdictTokens } from "./prompt.ts";
import {
	type Answer,
	answerPlaceholder,
	type Engine,
	embedAnswer,
	type Panel,
	type Question,
	type Task,
	toTaskQuestion,
} from "./strategy.ts";

/** The stage of these calls; a cascade numbers it. */
export const AGREE_STAGE = "agree";

/** Room for a verdict with its reason. */
const GROUPS_VERDICT_TOKENS = 512;

/** The number of an answer, however it is written: `1`, `"1"`, `"Answer 1"`. */
const answerNumber = z.lazy(() =>
	z.union([
		z.int(),
		z
			.string()
			.regex(/^\D*\d{1,3}\D*$/)
			.transform((text) => Number(/\d+/.exec(text))),
	]),
);

/** Answers of one group: a list, a single number, or an object around a list. */
const answerNumbers = z.lazy(() =>
	z.union([
		z.array(answerNumber),
		answerNumber.transform((number) => [number]),
		z.looseObject({ answers: z.array(answerNumber) }).transform(({ answers }) => answers),
	]),
);

/** Groups in a list. One of bare numbers may be a group, or name one answer of each. */
const listedGroups = z.lazy(() =>
	z
		.array(z.unknown())
		.refine((groups) => groups.some((group) => typeof group === "object" && group !== null))
		.pipe(z.array(answerNumbers)),
);

const groupsSchema = z.lazy(() =>
	z.object({
		groups: z.union([listedGroups, z.record(z.string(), answerNumbers).transform(Object.values<number[]>)]),
		/** Absent: nothing is known of answers in different groups. */
		contradictions: z.array(answerNumbers).nullish(),
	}),
);
type Groups = z.output<typeof groupsSchema>;

const GROUPS_FORM = '{"reason": "one sentence", "groups": [[1, 3], [2]], "contradictions": [[1, 2]]}';
const GROUPS_PROMPT =
	"You sort answers to the last user message of a conversation by what they tell the user. Put two answers into one group only if they " +
	"say the same about what matters: the same conclusion, the same facts, figures, dates, names and conditions. Wording, language, " +
	"order, length and side remarks count for nothing. A negation, another figure, unit, name, operator or condition is no side remark. " +
	"An answer to only a part of the message is not in one group with an answer to all of it. Of code, compare names, parameters and " +
	"what each branch and operator does; do not run it. List as contradictions all pairs of answers that cannot both be right. Answers " +
	"in different groups that can both be right are no contradiction. Every answer is in one group. First give your reason, then the " +
	`verdict, as a JSON object and nothing else: ${GROUPS_FORM}`;

const GROUPS_SCHEMA = {
	type: "object",
	properties: {
		reason: { type: "string" },
		groups: { type: "array", items: { type: "array", items: { type: "integer" } } },
		contradictions: { type: "array", items: { type: "array", items: { type: "integer" } } },
	},
	required: ["reason", "groups", "contradictions"],
	additionalProperties: false,
};

/** A question to the judge about texts that stand in its prompt. */
function judgeQuestion<T>(
	task: Task,
	{ judge, comparer = judge }: Panel,
	place: { stage: string; asksFor?: string },
	instruction: string,
	renderTexts: (nonce: string) => string,
	reply: Pick<JsonQuestion<T>, "schema" | "form" | "jsonSchema" | "listName">,
): JsonQuestion<T> {
	const question = toTaskQuestion(task, { ...place, role: "judge", member: comparer });
	const nonce = nonceFor(task, place.stage);
	const request = `Your verdict: ${reply.form}`;
	const messages = judgeMessages(task, { nonce, instruction, material: renderTexts(nonce), request });
	const repairNonce = nonceFor(task, `${place.stage} repair`);
	return {
		...question,
		...place,
		messages,
		maxTokens: verdictTokens(task, { most: GROUPS_VERDICT_TOKENS }),
		temperature: 0,
		json: true,
		mayBeLeft: true,
		repairNonce,
		...reply,
	};
}

function groupsQuestion(task: Task, panel: Panel, stage: string, texts: readonly string[]): JsonQuestion<Groups> {
	const reply = { schema: groupsSchema, form: GROUPS_FORM, jsonSchema: GROUPS_SCHEMA, listName: "groups" };
	return judgeQuestion(
		task,
		panel,
		{ stage, asksFor: "groups" },
		GROUPS_PROMPT,
		(nonce) => renderMaterial(nonce, "Answer", texts),
		reply,
	);
}

/** Every call that may compare so many answers, each at its longest. @param decides whether a second verdict may be asked. */
export function compareGraph(task: Task, panel: Panel, stage: string, count: number, decides: boolean): Question[] {
	if (count < 2) return [];
	const slot = answerPlaceholder(task);
	const question = groupsQuestion(
		task,
		panel,
		stage,
		Array.from({ length: count }, () => slot),
	);
	const once = [question, longestRepair(question)];
	return decides ? [...once, ...once] : once;
}

/** The relation of two answers by a judge's groups; answers are counted from 1. */
function relateByGroups({ groups, contradictions }: Groups, a: number, b: number): Relation {
	const groupOf = (answer: number) => groups.find((group) => group.includes(answer)) ?? [answer];
	const [left, right] = [groupOf(a), groupOf(b)];
	const contradict = contradictions?.some(
		(list) => (list.includes(a) && list.includes(b)) || (left !== right && crosses(list, left, right)),
	);
	if (contradict) return "contradicting";
	if (left === right) return "same";
	const areListed = groups.includes(left) && groups.includes(right);
	return contradictions && areListed ? "compatible" : "unknown";
}

/** Whether a pair has one answer in each group: what contradicts one of a group contradicts all of it. */
function crosses(pair: readonly number[], left: readonly number[], right: readonly number[]): boolean {
	return pair.some((answer) => left.includes(answer)) && pair.some((answer) => right.includes(answer));
}

/** The answers that a judge must see: those with an undecided pair, one of those that say the same. */
function answersToJudge(answers: readonly Answer[], comparison: Comparison): Answer[] {
	const open = answers.filter((answer) => answers.some((other) => comparison.isUndecided(answer, other)));
	return open.filter((answer, at) => !open.slice(0, at).some((before) => comparison.agrees(answer, before)));
}

/** One judge's verdict on answers in an order; null where it cannot be read, which the trace says. */
async function askGroups(
	task: Task,
	panel: Panel,
	engine: Engine,
	stage: string,
	answers: readonly Answer[],
): Promise<((a: Answer, b: Answer) => Relation) | null> {
	const texts = answers.map(({ text }) => embedAnswer(task, text));
	const [reading] = await askJson(engine, [groupsQuestion(task, panel, stage, texts)]);
	const groups = reading?.value;
	if (reading && !groups) engine.describe(stage, { compared: answers.length, verdict: reading.reading });
	return groups ? (a, b) => relateByGroups(groups, answers.indexOf(a) + 1, answers.indexOf(b) + 1) : null;
}

/** The outcome where a panel says one thing, whatever is delivered: no single verdict makes a consensus. */
export const CONSENSUS = "consensus";

interface CompareRequest {
	stage: string;
	answers: readonly Answer[];
	/** What earlier stages found out. */
	comparison: Comparison;
	/** What follows from a comparison. Where the verdict changes it, the verdict is asked for twice. */
	outcome?: (comparison: Comparison) => unknown;
}

/** Compares answers: by their values, and where those do not decide it by a judge. */
export async function compareAnswers(
	task: Task,
	panel: Panel,
	engine: Engine,
	{ stage, answers, comparison, outcome }: CompareRequest,
): Promise<Comparison> {
	const judged = answersToJudge(answers, comparison);
	if (judged.length < 2) return comparison;
	const byValue = (answer: Answer) => judged.find((one) => one === answer || comparison.agrees(one, answer)) ?? answer;
	const apply = (relate: (a: Answer, b: Answer) => Relation) =>
		comparison.withVerdicts(answers, (a, b) => {
			const [left, right] = [answers[a], answers[b]];
			if (!left || !right) return "unknown";
			const [one, other] = [byValue(left), byValue(right)];
			return judged.includes(one) && judged.includes(other) ? relate(one, other) : "unknown";
		});
	const forward = await askGroups(task, panel, engine, stage, judged);
	if (!forward) return apply(() => "unknown");
	const once = apply(forward);
	const decides = outcome !== undefined && outcome(once) !== outcome(apply(() => "unknown"));
	const note = (detail: Record<string, unknown>) =>
		engine.describe(stage, { compared: judged.length, verdicts: decides ? 2 : 1, ...detail });
	if (!decides) {
		note({});
		return once;
	}
	const backward = await askGroups(task, panel, engine, stage, judged.toReversed());
	const both = apply((a, b) => moreCautious(forward(a, b), backward?.(a, b) ?? "unknown"));
	note({ confirmed: outcome(both) === outcome(once) });
	return both;
}

const partsSchema = z.lazy(() => z.object({ kept: answerNumbers, contradicted: answerNumbers.nullish() }));
type PartsVerdict = z.output<typeof partsSchema>;

const PARTS_FORM = '{"reason": "one sentence", "kept": [1, 2], "contradicted": [3]}';
const PARTS_PROMPT =
	"The last user message of a conversation was split into parts, each was answered, and the answers were put together into one text. " +
	"List as kept the parts whose substance the text says, in whatever words, and as contradicted the parts that the text denies or " +
	`changes. First give your reason, then the verdict, as a JSON object and nothing else: ${PARTS_FORM}`;
const PARTS_SCHEMA = {
	type: "object",
	properties: {
		reason: { type: "string" },
		kept: { type: "array", items: { type: "integer" } },
		contradicted: { type: "array", items: { type: "integer" } },
	},
	required: ["reason", "kept", "contradicted"],
	additionalProperties: false,
};

function partsQuestion(task: Task, panel: Panel, parts: readonly string[], whole: string): JsonQuestion<PartsVerdict> {
	const renderTexts = (nonce: string) =>
		`${renderMaterial(nonce, "Part", parts)}\n\n${renderMaterial(nonce, "Text", [whole])}`;
	const reply = { schema: partsSchema, form: PARTS_FORM, jsonSchema: PARTS_SCHEMA, listName: "kept" };
	return judgeQuestion(task, panel, { stage: AGREE_STAGE, asksFor: "parts" }, PARTS_PROMPT, renderTexts, reply);
}

/** Every call that may compare parts with their synthesis, each at its longest. */
export function partsGraph(task: Task, panel: Panel, parts: readonly string[]): Question[] {
	const question = partsQuestion(task, panel, parts, answerPlaceholder(task));
	return [question, longestRepair(question)];
}

/** How many parts a synthesis keeps and does not contradict, by a judge; none where its verdict cannot be read. */
export async function countKeptParts(
	task: Task,
	panel: Panel,
	engine: Engine,
	parts: readonly string[],
	whole: string,
): Promise<number> {
	const [reading] = await askJson(engine, [partsQuestion(task, panel, parts, embedAnswer(task, whole))]);
	const verdict = reading?.value;
	const isKept = (_: string, at: number) => verdict?.kept.includes(at + 1) && !verdict.contradicted?.includes(at + 1);
	const kept = verdict ? parts.filter(isKept).length : 0;
	engine.describe(AGREE_STAGE, { parts: parts.length, ...(verdict ? { kept } : { verdict: reading?.reading }) });
	return kept;
}
