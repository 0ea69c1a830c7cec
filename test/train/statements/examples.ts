// The texts that the classifier of statements is trained on and judged by: sentences of ours, and prompts that people typed.
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import * as z from "zod";
import { STATEMENT_CLASSES } from "../../../src/compliance/statements/model.ts";
import { createRandom } from "../random.ts";
import { expandFrame, type Frame, findTextFold, readFrames, type WordFilter } from "./frames.ts";
import type { TopicExample } from "./topics.ts";

/** Public prompts, which are not part of the repository. */
const PUBLIC = resolve(import.meta.dirname, "../../../../shared/data/routing");

export const FOLDS = 4;

/** Tables of topics, each learned without a part of the words: a text is read with the one that does not know its own. */
export const TOPIC_FOLDS = 4;

/** Sentences of one frame, in training and when held out. */
const SENTENCES = { trained: 40, heldOut: 12 } as const;

const WEIGHTS = { sentence: 1, ordinary: 1.5, set: 1 } as const;

/** Prompts are read up to here. */
const MAX_PROMPT_CHARS = 3_000;

/** Every so many prompts of the sets of one kind are enough. */
const SET_STEP = 4;

/** Sets of assistants for banks, and templates; they say what a customer would of money. */
const OTHER_SETS = /clinc|banking|chatterbot|synthetic/;

/** A conversation of texts, and the classes of statements in the last one. */
export interface StatementText {
	readonly texts: readonly string[];
	/** 0 or 1, by STATEMENT_CLASSES. */
	readonly targets: readonly number[];
	readonly weight: number;
	readonly lang: string;
	/** Of an ordinary prompt, null. */
	readonly frame: Frame | null;
	/** The part of the words that it has. */
	readonly topicFold: number;
}

/** The part of words that a text belongs to, whatever fold holds it out. */
function findTopicFold(text: string): number {
	return findTextFold(`topic ${text}`, TOPIC_FOLDS);
}

const promptRow = z.object({ prompt: z.string(), source: z.string(), lang: z.string().default("en") });
type PromptRow = z.output<typeof promptRow>;

function readPrompts(file: string): PromptRow[] {
	return readFileSync(file, "utf8")
		.trimEnd()
		.split("\n")
		.map((line) => promptRow.parse(JSON.parse(line)));
}

function toOrdinary({ prompt, lang }: PromptRow, weight: number): StatementText {
	return {
		texts: [prompt.slice(0, MAX_PROMPT_CHARS)],
		targets: STATEMENT_CLASSES.map(() => 0),
		weight,
		lang,
		frame: null,
		topicFold: findTopicFold(prompt),
	};
}

function toSentences(frame: Frame, count: number, filter: WordFilter): StatementText[] {
	const targets = STATEMENT_CLASSES.map((each) => (frame.classes.includes(each) ? 1 : 0));
	return Array.from({ length: TOPIC_FOLDS }, (_, topicFold) => {
		const inFold: WordFilter = (word) => findTopicFold(word) === topicFold && filter(word);
		return expandFrame(frame, Math.ceil(count / TOPIC_FOLDS), inFold, topicFold).map((texts) => ({
			texts,
			targets,
			weight: WEIGHTS.sentence,
			lang: frame.lang,
			frame,
			topicFold,
		}));
	}).flat();
}

/** How many sentences follow another one, about something else: most are not the first of their text. */
const FOLLOWING = 0.4;

/** Puts sentences of no class before some that have nothing before them, in their own language. */
function addEarlierTexts(all: readonly StatementText[]): StatementText[] {
	const alone = ({ texts, frame }: StatementText) => frame !== null && texts.length === 1;
	const harmless = Map.groupBy(
		all.filter((text) => alone(text) && text.targets.every((target) => target === 0)),
		({ lang }) => lang,
	);
	const random = createRandom(11);
	return all.map((text) => {
		const others = harmless.get(text.lang) ?? [];
		const other = others[Math.floor(random() * others.length)];
		const follows = random() < FOLLOWING && alone(text) && other !== undefined;
		return follows ? { ...text, texts: [...other.texts, ...text.texts] } : text;
	});
}

/** Slots by what their words are about; null is none. Their order is that of TOPICS. */
const SLOT_TOPICS: Readonly<Record<string, number | null>> = {
	cond: 0,
	sym: 0,
	drug: 0,
	proc: 0,
	fin: 1,
	thing: null,
	who: null,
	whose: null,
	month: null,
};

function toTopicExamples(
	frames: readonly Frame[],
	ordinary: readonly StatementText[],
	filter: WordFilter,
): TopicExample[] {
	const slots = new Map(frames.map(({ lang, slots }) => [lang, slots]));
	const words = [...slots.values()].flatMap((ofLanguage) =>
		Object.entries(SLOT_TOPICS).flatMap(([name, topic]) =>
			(ofLanguage.get(name) ?? []).filter(filter).map((text) => ({ text, topic, topicFold: findTopicFold(text) })),
		),
	);
	return [...words, ...ordinary.map(({ texts, topicFold }) => ({ text: texts.join("\n"), topic: null, topicFold }))];
}

/** What is trained on, and what is judged. */
export interface StatementSplit {
	readonly trained: readonly StatementText[];
	readonly heldOut: readonly StatementText[];
	/** What the tables of topics are learned from. */
	readonly topics: readonly TopicExample[];
}

/**
 * All texts, or those outside and inside of a fold. Sentences are held out with their frames and their words.
 * @param fold null trains on all.
 */
export function readSplit(fold: number | null): StatementSplit {
	const frames = readFrames();
	const natural = readPrompts(join(PUBLIC, "natural.public.jsonl"));
	const own = readPrompts(join(import.meta.dirname, "../prompts.jsonl"));
	const sets = readPrompts(join(PUBLIC, "intent-train.jsonl"));
	const isHeldOut = (text: string) => fold !== null && findTextFold(text, FOLDS) === fold;
	const isTrained: WordFilter = (word) => !isHeldOut(word);
	const setPrompts = sets.filter(({ source }, at) => at % SET_STEP === 0 && !OTHER_SETS.test(source));
	const ordinary = [
		...natural.filter(({ prompt }) => !isHeldOut(prompt)).map((row) => toOrdinary(row, WEIGHTS.ordinary)),
		...own.map((row) => toOrdinary(row, WEIGHTS.ordinary)),
		...setPrompts.map((row) => toOrdinary(row, WEIGHTS.set)),
	];
	const trained = [
		...frames
			.filter(({ text }) => !isHeldOut(text))
			.flatMap((frame) => toSentences(frame, SENTENCES.trained, isTrained)),
		...ordinary,
	];
	const heldOut = [
		...frames
			.filter(({ text }) => isHeldOut(text))
			.flatMap((frame) => toSentences(frame, SENTENCES.heldOut, isHeldOut)),
		...natural.filter(({ prompt }) => isHeldOut(prompt)).map((row) => toOrdinary(row, WEIGHTS.ordinary)),
	];
	return {
		trained: addEarlierTexts(trained),
		heldOut: addEarlierTexts(heldOut),
		topics: toTopicExamples(frames, ordinary, isTrained),
	};
}
