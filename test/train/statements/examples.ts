// The texts that the classifier of statements is trained on and judged by: sentences of ours, and prompts that people typed.
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import * as z from "zod";
import { STATEMENT_CLASSES } from "../../../src/compliance/statements/model.ts";
import { createRandom } from "../random.ts";
import { expandFrame, type Frame, findTextFold, type Holdout, readFrames } from "./frames.ts";

/** Public prompts, which are not part of the repository. */
const PUBLIC = resolve(import.meta.dirname, "../../../../shared/data/routing");

export const FOLDS = 4;

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
	};
}

function toSentences(frame: Frame, count: number, holdout: Holdout | null): StatementText[] {
	const targets = STATEMENT_CLASSES.map((each) => (frame.classes.includes(each) ? 1 : 0));
	return expandFrame(frame, count, holdout).map((texts) => ({
		texts,
		targets,
		weight: WEIGHTS.sentence,
		lang: frame.lang,
		frame,
	}));
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

/** What is trained on, and what is judged. */
export interface StatementSplit {
	readonly trained: readonly StatementText[];
	readonly heldOut: readonly StatementText[];
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
	const holdout = (isInside: boolean): Holdout | null => (fold === null ? null : { folds: FOLDS, fold, isInside });
	const setPrompts = sets.filter(({ source }, at) => at % SET_STEP === 0 && !OTHER_SETS.test(source));
	const split: StatementSplit = {
		trained: [
			...frames
				.filter(({ text }) => !isHeldOut(text))
				.flatMap((frame) => toSentences(frame, SENTENCES.trained, holdout(false))),
			...natural.filter(({ prompt }) => !isHeldOut(prompt)).map((row) => toOrdinary(row, WEIGHTS.ordinary)),
			...own.map((row) => toOrdinary(row, WEIGHTS.ordinary)),
			...setPrompts.map((row) => toOrdinary(row, WEIGHTS.set)),
		],
		heldOut: [
			...frames
				.filter(({ text }) => isHeldOut(text))
				.flatMap((frame) => toSentences(frame, SENTENCES.heldOut, holdout(true))),
			...natural.filter(({ prompt }) => isHeldOut(prompt)).map((row) => toOrdinary(row, WEIGHTS.ordinary)),
		],
	};
	return { trained: addEarlierTexts(split.trained), heldOut: addEarlierTexts(split.heldOut) };
}
