// What a strategy is: it asks questions and makes one answer of the replies. The engine makes the calls. Pure.
import { type NonAnswer, SAID_INSTEAD } from "../answers/verdict.ts";
import type { Failure, Result } from "../failure.ts";
import { fitPlaceholder, placeholder, placeholderBytes } from "../inference/answer-placeholder.ts";
import type { Rating } from "../inference/confidence-basis.ts";
import type { Message, OutputFormat } from "../providers/model-call.ts";
import type { Candidate } from "../routing/selection.ts";
import type { AnswerKind } from "./final-answer.ts";

export const POLICIES = ["efficiency", "balanced", "depth"] as const;
export type EffortPolicy = (typeof POLICIES)[number];

/** Catalog ids of a panel's model and its fallbacks, in the order they are asked. */
export type Member = readonly [string, ...string[]];

/** When a cascade is sure enough to stop before its last step. */
export interface ConfidenceBar {
	/** The least confidence in the answer that it stops with. */
	confidence: number;
	/** It asks one model a step, and a single answer may clear the bar. Otherwise two must agree. */
	isSingleEnough: boolean;
}

/** The models of a strategy. */
export interface Panel {
	members: readonly [Member, ...Member[]];
	/** The model that judges, aggregates or plans. */
	judge: Member;
	/** The model that compares answers, where the judge may be a member or writes the answer itself; else the judge does. */
	comparer?: Member;
	/** Rounds at most, the first one included. */
	rounds: number;
	/** Of a cascade; without it, two answers that agree are enough. */
	bar?: ConfidenceBar;
}

/** Candidates in three orders. */
export interface Rankings {
	/** By policy: the models that propose, sample, debate and judge. */
	panel: readonly [Candidate, ...Candidate[]];
	/** By quality: the first is the top of a cascade. */
	best: readonly [Candidate, ...Candidate[]];
	/** By price and speed: the lower steps of a cascade. */
	cheap: readonly [Candidate, ...Candidate[]];
}

/** The models that a panel is chosen from. */
export interface PanelPool {
	rankings: Rankings;
	/** The model that would answer a chat, and its fallbacks; those of a routing config included. */
	single: Member;
}

export interface PanelSize {
	/** Members. */
	width: number;
	/** Rounds at most; 1 for a strategy without rounds. */
	rounds: number;
	/** The policy that it is chosen under, where a panel depends on it. */
	policy?: EffortPolicy;
}

/** The conversation to be answered. */
export interface Task {
	messages: readonly Message[];
	/** The last user message. */
	prompt: string;
	/** How answers are compared. */
	kind: AnswerKind;
	/** How hard it is, from 1 to 3 (answer-kind.ts). */
	difficulty: number;
	/** It is hard and has no short answer, so that a few words hold none. */
	needsText: boolean;
	/** For each answer. */
	maxTokens: number;
	/** The client's; undefined leaves it to the service. */
	temperature: number | undefined;
	/** The form of the answer; text by default. */
	output?: OutputFormat;
	/** An answer to the task that has not this form is none. */
	checksForm?: boolean;
	/** What the task is for, such as `plan`; its questions pass it on to the sandbox upstream. */
	asksFor?: string;
	/** Marks the texts of others in its prompts (inference/material.ts). */
	nonce: string;
}

/** One call that a strategy wants made. */
export interface Question {
	stage: string;
	role: string;
	member: Member;
	messages: readonly Message[];
	maxTokens: number;
	temperature: number | undefined;
	/** It may be left behind where others have answered and it hangs: the strategy can go on without it. */
	mayBeLeft?: true;
	/** The answer must be a JSON object. */
	json: boolean;
	/** The form of another answer; text by default. */
	output?: OutputFormat;
	/** The JSON Schema of that object, for models that can be held to one. */
	jsonSchema?: Readonly<Record<string, unknown>>;
	/** What stage and role do not say, such as `repair`. The sandbox upstream answers by it; no model is told. */
	asksFor?: string;
}

export interface Answer {
	ok: true;
	text: string;
	/** Catalog id of the model that answered. */
	model: string;
	/** The expected quality of this model on this kind of prompt, 0 to 1. */
	quality: number;
	/** The output limit ended it. */
	isCut: boolean;
	/** Writes the confidence in the answer into the trace. */
	rate(rating: Rating): void;
}

/** What a model said instead of an answer. Some of it may be shown where there is nothing better. */
export interface SaidInstead {
	/** `other_form`: an answer that has not the form that was asked for. */
	kind: NonAnswer | "other_form";
	text: string;
	/** Catalog id of the model that said it. */
	model: string;
	/** The expected quality of this model on this kind of prompt, 0 to 1. */
	quality: number;
	/** What is wrong with its form, in words. */
	fault?: string;
}

/** What a model did instead of answering, as part of a sentence. */
export function sayInstead(kind: SaidInstead["kind"]): string {
	return kind === "other_form" ? "its answer has not the form of response_format" : SAID_INSTEAD[kind];
}

export interface NoAnswer {
	ok: false;
	failure: Failure;
	/** It was not asked, since the rest of the bound does not cover it. */
	unaffordable: boolean;
	/** It was asked, and what it said is no answer. */
	said?: SaidInstead;
}

/** Answers questions, by models or from recordings. */
export interface Engine {
	/** Asks in parallel; the replies are in the order of the questions. */
	ask(questions: readonly Question[]): Promise<(Answer | NoAnswer)[]>;
	/** Adds to a stage's detail in the trace. */
	describe(stage: string, detail: Record<string, unknown>): void;
	/** The member that fits a text best. The others are its fallbacks, also more expensive ones. */
	route(text: string, members: Panel["members"]): Member;
}

/** The answer of a strategy. */
export interface StrategyResult extends Rating {
	text: string;
	/** Catalog id of the model that wrote it. */
	model: string;
	/** The share of pairs of answers that say the same, 0 to 1; of a split task, of parts that the answer keeps. */
	agreement: number;
	/** Too little confidence made it ask a stronger model. */
	escalated: boolean;
	/** The output limit ended the text. */
	isCut: boolean;
	/** Nobody answered: the text is what a model said instead. */
	instead?: SaidInstead["kind"];
	/** A whole answer that may be delivered instead of a text that was cut, if the strategy has one. */
	whole?: Pick<StrategyResult, "text" | "model" | keyof Rating>;
}

/** How a strategy runs when the money covers only the first of its calls. */
interface PartialRun {
	/** How many calls of the call graph, from its beginning, must be covered. */
	leastCalls(panel: Panel): number;
	/** Says in the reason how far it goes. */
	note(limitUsd: number): string;
}

/** Everything that the service knows of a strategy. */
export interface Strategy<Name extends string = string> {
	/** As requests, answers and receipts name it. */
	name: Name;
	/** Members by policy, where the client sets no `k`. */
	width: Readonly<Record<EffortPolicy, number>>;
	/** It needs at least this many members. */
	leastWidth: number;
	/** The client may set the width with `k`. */
	takesK?: true;
	/** Rounds at most, by policy. Where money is short, it loses rounds before it loses members. */
	rounds?: Readonly<Record<EffortPolicy, number>>;
	/**
	 * The model that judges, aggregates or plans. `any` may be a member. `outsider` is preferably none, since a judge that compares
	 * answers is partial to its own.
	 */
	judge?: "any" | "outsider";
	/** It makes one call to one model, so that only a cheaper model makes it cheaper. */
	isOneCall?: true;
	/** Chooses its panel in its own way; by default members are the best ranked of different providers. */
	choosePanel?(pool: PanelPool, size: PanelSize): Panel;
	/** Without it, a strategy runs only if the money covers all its calls. */
	partial?: PartialRun;
	/** Every question it may ask, each at its longest: the bound of its call graph, known before the first call. */
	callGraph(task: Task, panel: Panel): Question[];
	/** Fails only if no question was answered. */
	run(task: Task, panel: Panel, engine: Engine): Promise<Result<StrategyResult>>;
}

/** A user's message of one text. */
export function userMessage(text: string): Message {
	return { role: "user", content: [{ type: "text", text }] };
}

/** A system message of one text. */
export function systemMessage(text: string): Message {
	return { role: "system", content: [{ type: "text", text }] };
}

/** A longer answer is embedded as its beginning and its end, since one prompt holds several answers. */
const MAX_ANSWER_SLOT_BYTES = 32_768;

/** Room for one answer to a task inside another prompt, in bytes of JSON. */
function answerSlotBytes({ maxTokens }: Pick<Task, "maxTokens">): number {
	return Math.min(placeholderBytes(maxTokens), MAX_ANSWER_SLOT_BYTES);
}

/** As long as any embedded answer to the task: it stands for one where a bound is made. */
export function answerPlaceholder(task: Task): string {
	return placeholder(answerSlotBytes(task));
}

/** An answer, cut to its room inside another prompt. */
export function embedAnswer(task: Task, text: string): string {
	return fitPlaceholder(text, answerSlotBytes(task));
}

/** A question that asks the task itself, after instructions of the strategy. */
export function toTaskQuestion(
	task: Task,
	question: Pick<Question, "stage" | "role" | "member" | "asksFor">,
	instructions: readonly Message[] = [],
): Question {
	const { maxTokens, temperature, output, asksFor } = task;
	const messages = [...instructions, ...task.messages];
	return { asksFor, ...question, messages, maxTokens, temperature, output, json: false };
}

export function isAnswered(reply: Answer | NoAnswer): reply is Answer {
	return reply.ok;
}

/** Why no question was answered: all attempts, or the one failure that no other model would cure. */
export function combineFailures(replies: readonly (Answer | NoAnswer)[]): Failure {
	const failures = replies.flatMap((reply) => (reply.ok ? [] : [reply.failure]));
	const [other] = failures.filter(({ reason }) => reason !== "all_models_failed");
	if (other) return other;
	const lost = failures.flatMap((failure) => (failure.reason === "all_models_failed" ? [failure] : []));
	const waitsMs = lost.flatMap(({ retryAfterMs }) => retryAfterMs ?? []);
	return {
		reason: "all_models_failed",
		attempts: lost.flatMap(({ attempts }) => attempts),
		costUsd: lost.reduce((sum, { costUsd }) => sum + costUsd, 0),
		retryAfterMs: waitsMs.length > 0 ? Math.min(...waitsMs) : null,
		...(lost.length > 0 && lost.every(({ isFinal }) => isFinal) ? { isFinal: true } : {}),
	};
}
