// What all prompts of a run share: their messages, the rules for the models, the lengths they are told, and the secret marks of a
// step. Pure.
import { NONCE_DIGITS } from "../inference/material.ts";
import { hashText } from "../proof/hash.ts";

/** A message of a chat. */
export interface PromptMessage {
	role: "system" | "user" | "assistant";
	content: string;
}

/** Tells a model what it is. */
export const STEP_RULE =
	"You are one step of a run: a service works on a user's goal in steps, and each step is one answer of a language model.";

/** Tells a model that writes a result what it is, and what it cannot do. */
export const AGENT_RULES = [
	STEP_RULE,
	"You have no tools, no web and no files, and nothing that you write is executed. Do not invent sources, quotations, figures or results of actions. If something cannot be done by writing alone, say so in one sentence and do the rest.",
	"Write in the language of the goal, unless the goal asks for another.",
];

/** In English a token is about three quarters of a word, and in most languages less. */
const WORDS_PER_TOKEN = 0.6;
const MIN_WORDS = 30;

/** The words that an answer of so many tokens has room for, rounded down. */
export function toWordLimit(maxTokens: number): number {
	const words = Math.floor(maxTokens * WORDS_PER_TOKEN);
	return Math.max(MIN_WORDS, words - (words % 10));
}

/** Tells a model how long its answer may be. */
export function lengthRule(maxTokens: number): string {
	return `Write at most ${toWordLimit(maxTokens)} words; be shorter where that is enough. What is longer is cut off.`;
}

/** Secret words of one step's prompts. No text that was written before the step can hold them. */
export interface StepMarks {
	/** Marks the texts of others in the step's prompt (inference/material.ts). */
	nonce: string;
	/** The same in prompts that hold answers to that prompt, whose writers have seen the other nonce. */
	answersNonce: string;
	/** Without it, a claim that the goal is met does not count. */
	claimCode: string;
}

const CLAIM_CODE_DIGITS = 8;

/** The marks of a step. @param runNonce random, and never in a prompt itself. @param number differs for each step with an answer. */
export function toStepMarks(runNonce: string, number: number): StepMarks {
	const digits = hashText(`${runNonce} ${number}`).slice("sha256:".length);
	return {
		nonce: digits.slice(0, NONCE_DIGITS),
		answersNonce: digits.slice(NONCE_DIGITS, 2 * NONCE_DIGITS),
		claimCode: digits.slice(-CLAIM_CODE_DIGITS),
	};
}
