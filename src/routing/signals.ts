// Reads signals from a call: what its prompt is about, how difficult it is, and what can be measured. Pure; takes a bounded
// time for prompts of any size, except for the estimates of tokens, which are linear.

import { INTENTS, type Intent } from "../catalog/vocabulary.ts";
import {
	type AudioPart,
	type ContentPart,
	callImages,
	callMedia,
	type FilePart,
	type ModelCall,
	messageTexts,
	partsOfType,
} from "../providers/model-call.ts";
import { chunksBeyondAscii } from "../text/utf8.ts";
import { decodeWeights, predict, type Weights } from "./signals/classifier.ts";
import { extractFeatures } from "./signals/features.ts";
import { hasCode } from "./signals/properties.ts";
import { createFeatureSpace } from "./signals/space.ts";
import { countChars, readTurns, type Turn, toTurn } from "./signals/turns.ts";
import weightsFile from "./signals/weights.json" with { type: "json" };

/** Intents of prompts without a more particular one. */
const GENERAL_INTENTS: readonly Intent[] = ["factual", "advice", "chat"];

/** How much a prompt demands: 1, a small model answers it well; 3, strong models differ. */
export type DifficultyLevel = 1 | 2 | 3;

/** What is measured, not estimated. */
interface PromptFacts {
	/** Length of the last user turn. */
	chars: number;
	/** ISO 639-1 code of its language; null when nothing tells it. */
	language: string | null;
	/** It has code or an error message in it. */
	hasCode: boolean;
	/** The answer is to be JSON, by the request's format or by the prompt. */
	asksForJson: boolean;
	/** User turns of the conversation. */
	turns: number;
}

/** What routing reads from a prompt. */
export interface Signals {
	/** At least one, the most likely first. */
	intents: Intent[];
	/** By intent; they add up to 1. */
	probabilities: Readonly<Record<Intent, number>>;
	difficulty: "trivial" | "normal" | "hard";
	level: DifficultyLevel;
	/** From 1, a small model answers it well, to 3, strong models differ: the mean grade that people give. Finer than the level. */
	expectedDifficulty: number;
	facts: PromptFacts;
	hasTools: boolean;
	hasImages: boolean;
	/** Images given by https address. */
	hasRemoteImages: boolean;
	/** The prompt is so long that models differ in how well they handle it. */
	longContext: boolean;
	/** An estimate at four characters a token, plus a fixed number for each image, page and second of a recording. */
	promptTokens: number;
	/**
	 * The same estimate for checks against a context window. It also counts scripts that take more tokens per
	 * character.
	 */
	contextTokens: number;
}

/** An estimate that holds for English. */
export const CHARS_PER_TOKEN = 4;
/** Typical number of tokens for an image. The cost bound uses another figure. */
export const IMAGE_TOKENS = 1_000;
/** Typical number of tokens for a page of a PDF, between Gemini's 560 and Claude's 2,350 for a page of text. */
export const PAGE_TOKENS = 1_500;
/** Gemini's. The other models here take no recordings. */
const AUDIO_TOKENS_PER_SECOND = 32;
const LONG_CONTEXT_TOKENS = 32_000;
const HARD_TOKENS = 4_000;
const TRIVIAL_CHARS = 60;

const HARD_WORDS =
	/\b(?:prove|proof|derive|optimi[sz]e|architect(?:ure)?|distributed|concurren(?:cy|t)|race condition|formal(?:ly)?|rigorous(?:ly)?|comprehensive|in[- ]depth|from scratch|production[- ]ready|step[- ]by[- ]step|edge cases|threat model|trade-?offs?|complexity|end-to-end|multi-?step)\b/gi;

/** The text of the last user message. Tool results are not the user's words. */
export function lastUserText({ messages }: Pick<ModelCall, "messages">): string {
	const message = messages.findLast(
		({ role, content }) => role === "user" && !content.every(({ type }) => type === "tool_result"),
	);
	return message
		? partsOfType<ContentPart, "text">(message.content, "text")
				.map(({ text }) => text)
				.join("\n")
		: "";
}

/** Prompt tokens at four characters a token, including tools and media. */
function estimatePromptTokens(call: ModelCall, toolsText: string): number {
	let chars = toolsText.length;
	for (const text of messageTexts(call)) chars += text.length;
	return Math.ceil(chars / CHARS_PER_TOKEN) + estimateMediaTokens(call);
}

/** What a call shows and plays besides its texts. */
export interface MediaSummary {
	images: number;
	files: readonly FilePart[];
	/** Of the files, as far as they can be counted. */
	pages: number;
	recordings: readonly AudioPart[];
	/** Of the recordings, at most. */
	seconds: number;
}

/** Walks all messages of a call. */
export function summarizeMedia(call: ModelCall): MediaSummary {
	const media = callMedia(call);
	const files = partsOfType(media, "file");
	const recordings = partsOfType(media, "audio");
	return {
		images: partsOfType(media, "image").length,
		files,
		pages: files.reduce((sum, { pages }) => sum + (pages.counted ?? 1), 0),
		recordings,
		seconds: recordings.reduce((sum, { maxSeconds }) => sum + maxSeconds, 0),
	};
}

function estimateMediaTokens(call: ModelCall): number {
	const { images, pages, seconds } = summarizeMedia(call);
	return images * IMAGE_TOKENS + pages * PAGE_TOKENS + Math.ceil(seconds * AUDIO_TOKENS_PER_SECOND);
}

/** UTF-8 bytes beyond one per character: none in ASCII, two for each CJK character. */
function bytesBeyondAscii(text: string): number {
	let bytes = 0;
	for (const chunk of chunksBeyondAscii(text)) {
		for (let at = 0; at < chunk.length; at++) {
			const unit = chunk.charCodeAt(at);
			if (unit > 0x7f) bytes += unit > 0x7ff ? 2 : 1;
		}
	}
	return bytes;
}

/** A CJK character has two bytes beyond one and makes about one token, as four Latin letters do. */
const TOKENS_PER_BYTE_BEYOND = 0.375;

/** The prompt's tokens, plus the arguments of tool calls, plus what other scripts add. */
function estimateContextTokens(call: ModelCall, toolsText: string, promptTokens: number): number {
	const calls = call.messages.flatMap(({ content }) => partsOfType<ContentPart, "tool_call">(content, "tool_call"));
	const callArguments = calls.map(({ arguments: args }) => args);
	let chars = 0;
	for (const text of callArguments) chars += text.length;
	let beyond = 0;
	for (const text of [...messageTexts(call), ...callArguments, toolsText]) beyond += bytesBeyondAscii(text);
	return promptTokens + Math.ceil(chars / CHARS_PER_TOKEN + beyond * TOKENS_PER_BYTE_BEYOND);
}

/** Tokens of a text at four characters a token, rounded up. */
export function estimateTokens(text: string): number {
	return Math.ceil(text.length / CHARS_PER_TOKEN);
}

/** Whether only factual, advice or chat was found. */
export function isGeneral({
	intents,
	hasTools,
	longContext,
}: Pick<Signals, "intents" | "hasTools" | "longContext">): boolean {
	return !hasTools && !longContext && intents.every((intent) => GENERAL_INTENTS.includes(intent));
}

/** Difficulty for selection: the model's level, besides words and sizes that always count as hard. */
function rateDifficulty(
	{ text, chars }: Turn,
	prompt: Pick<Signals, "intents" | "level" | "hasTools" | "longContext" | "promptTokens">,
): Signals["difficulty"] {
	const { intents, level, promptTokens } = prompt;
	const hardWords = new Set([...text.matchAll(HARD_WORDS)].map(([word]) => word.toLowerCase())).size;
	const demanding = intents.some((intent) => intent === "code" || intent === "math" || intent === "reasoning");
	if (level === 3 || hardWords >= 2 || (demanding && hardWords >= 1 && chars > 200)) return "hard";
	if (demanding && promptTokens > HARD_TOKENS) return "hard";
	// People act on advice, so that even the shortest question for it deserves a good answer more than a fast one.
	const isAdvice = intents[0] === "advice";
	return level === 1 && isGeneral(prompt) && !isAdvice && chars <= TRIVIAL_CHARS ? "trivial" : "normal";
}

const WORD_OR_NUMBER = /[\p{L}\p{N}]/u;

/** A prompt without a letter or digit in any turn that is read: nothing, images alone, emoji. It is taken for small talk. */
const WORDLESS: Pick<Signals, "intents" | "probabilities" | "level" | "expectedDifficulty"> = {
	intents: ["chat"],
	probabilities: {
		code: 0,
		math: 0,
		reasoning: 0,
		creative: 0,
		text: 0,
		translation: 0,
		factual: 0,
		advice: 0,
		chat: 1,
	},
	level: 1,
	expectedDifficulty: 1,
};

/** An intent other than the first one counts from this probability on. */
const INTENT_THRESHOLD = 0.25;

/** The intents that count, the most likely first. */
function likelyIntents(probabilities: Readonly<Record<Intent, number>>): Intent[] {
	const likely = INTENTS.filter((intent) => probabilities[intent] >= INTENT_THRESHOLD);
	if (likely.length > 1) return likely.sort((a, b) => probabilities[b] - probabilities[a]);
	if (likely.length === 1) return likely;
	return [INTENTS.reduce((first, intent) => (probabilities[intent] > probabilities[first] ? intent : first))];
}

let shippedWeights: Weights | undefined;
/** One conversation is read at a time. */
const space = createFeatureSpace();

/** What the trained model says of the user's turns. */
function classify(turns: readonly [Turn, ...Turn[]]) {
	shippedWeights ??= decodeWeights(weightsFile);
	const { language, properties } = extractFeatures(turns, space);
	const facts = { language, hasCode: hasCode(properties) };
	if (!turns.some(({ text }) => WORD_OR_NUMBER.test(text))) return { ...WORDLESS, ...facts };
	const predicted = predict(shippedWeights, space, countChars(turns));
	return { intents: likelyIntents(predicted.probabilities), ...predicted, ...facts };
}

const JSON_WORD = /\bjson\b/i;

/** By call, and what it was read by: a workflow plans one call in several modes, and a call never changes. */
const knownSignals = new WeakMap<ModelCall, { asks: string | undefined; signals: Signals }>();

/**
 * A call's signals, from its last user messages, its tools and its size.
 * @param asks read in place of the messages, which the service wrote around it.
 */
export function detectSignals(call: ModelCall, asks?: string): Signals {
	const known = knownSignals.get(call);
	if (known && known.asks === asks) return known.signals;
	const signals = readSignals(call, asks === undefined ? readTurns(call) : [toTurn([asks])]);
	knownSignals.set(call, { asks, signals });
	return signals;
}

function readSignals(call: ModelCall, turns: readonly [Turn, ...Turn[]]): Signals {
	const [last] = turns;
	const { language, hasCode, ...predicted } = classify(turns);
	const toolsText = call.tools.length > 0 ? JSON.stringify(call.tools) : "";
	const promptTokens = estimatePromptTokens(call, toolsText);
	const images = callImages(call);
	const measured = {
		hasTools: call.tools.length > 0,
		longContext: promptTokens > LONG_CONTEXT_TOKENS,
		promptTokens,
	};
	return {
		...predicted,
		...measured,
		difficulty: rateDifficulty(last, { ...predicted, ...measured }),
		facts: {
			chars: last.chars,
			language,
			hasCode,
			asksForJson: call.output.type !== "text" || JSON_WORD.test(last.text),
			turns: call.messages.filter(({ role }) => role === "user").length,
		},
		hasImages: images.length > 0,
		hasRemoteImages: images.some(({ url }) => url.startsWith("https:")),
		contextTokens: estimateContextTokens(call, toolsText, promptTokens),
	};
}

/** The probabilities that `svc.routing.intents` shows, to four digits. */
export function toIntentShares({ probabilities }: Pick<Signals, "probabilities">): Record<Intent, number> {
	const shares = { ...probabilities };
	for (const intent of INTENTS) shares[intent] = Math.round(shares[intent] * 1e4) / 1e4;
	return shares;
}

/** The booleans that `signals_detected` shows, by signal name. */
export function toSignalFlags({
	intents,
	difficulty,
	hasTools,
	hasImages,
	longContext,
}: Signals): Record<string, boolean> {
	const byIntent = INTENTS.map((intent): [string, boolean] => [intent, intents.includes(intent)]);
	return Object.fromEntries([
		...byIntent,
		["tools", hasTools],
		["images", hasImages],
		["long_context", longContext],
		["trivial", difficulty === "trivial"],
		["hard", difficulty === "hard"],
	]);
}
