// Learns how much the parts of words sound like health and like money, from the words of slots and those of ordinary prompts. The
// words that a sentence of training has are left out of the table that reads it, so that the classifier learns how far to trust a
// word that no list has.
import { createUnitFeatures, readUnitFeatures, type WordReader } from "../../../src/compliance/statements/features.ts";
import { TOPIC_BUCKETS, TOPIC_STEPS, TOPICS, type TopicTable } from "../../../src/compliance/statements/topics.ts";
import { textUnits } from "../../../src/compliance/statements/units.ts";
import { createRandom, shuffle } from "../random.ts";

/** A text whose words are about a topic, or about none, and the part of the words that it belongs to. */
export interface TopicExample {
	readonly text: string;
	/** Place in TOPICS; null for none. */
	readonly topic: number | null;
	readonly topicFold: number;
}

/** Keeps the parts of each word. */
class WordCollector implements WordReader {
	readonly words: Int32Array[] = [];
	#parts: number[] = [];
	begin(): void {
		this.#parts = [];
	}
	add(mixed: number): void {
		this.#parts.push(mixed >>> 16);
	}
	endWord(): void {
		if (this.#parts.length > 0) this.words.push(Int32Array.from(this.#parts));
		this.#parts = [];
	}
	endCharacter(): void {
		this.#characters.push(this.#parts);
		if (this.#characters.length > 3) this.#characters.shift();
		this.words.push(Int32Array.from(this.#characters.flat()));
		this.#parts = [];
	}
	#characters: number[][] = [];
	eachLevel(): void {
		this.#characters = [];
	}
}

interface Word {
	readonly parts: Int32Array;
	/** Place in TOPICS; null for none. */
	readonly topic: number | null;
	/** How often it occurs in each part. */
	readonly counts: number[];
}

function collectWords(texts: readonly TopicExample[]): Word[] {
	const found = new Map<string, Word>();
	const collector = new WordCollector();
	const features = createUnitFeatures(collector, []);
	for (const { text, topic, topicFold } of texts) {
		collector.words.length = 0;
		for (const { start, end } of textUnits(text)) readUnitFeatures(text.slice(start, end), features);
		for (const parts of collector.words) {
			const key = `${topic}:${parts.join(",")}`;
			const word = found.get(key) ?? { parts, topic, counts: [] };
			word.counts[topicFold] = (word.counts[topicFold] ?? 0) + 1;
			found.set(key, word);
		}
	}
	return [...found.values()];
}

const SETTINGS = {
	epochs: 4,
	rate: 0.3,
	biasRate: 0.002,
	decay: 2e-4,
	minParts: 3,
	/** A word of a list weighs more than one of a prompt. */
	topicWeight: 2,
	/** A word that is told so well teaches nothing more. */
	leastGradient: 0.02,
} as const;

function sigmoid(sum: number): number {
	return 1 / (1 + Math.exp(-sum));
}

/** How much a word weighs without a part of the texts: it grows slowly with how often it occurs. */
function weigh({ counts, topic }: Word, without: number | null): number {
	const count = counts.reduce((sum, each, fold) => sum + (fold === without ? 0 : each), 0);
	return Math.sqrt(count) * (topic === null ? 1 : SETTINGS.topicWeight);
}

/** Weights of logistic regression by AdaGrad, a bias a topic aside. */
function fitWords(words: readonly Word[], without: number | null): Float32Array {
	const weights = new Float32Array(TOPICS.length * TOPIC_BUCKETS);
	const squares = new Float32Array(weights.length).fill(1e-2);
	const bias = new Float32Array(TOPICS.length).fill(-2);
	const random = createRandom(5);
	const scale = words.map((word) => weigh(word, without));
	const order = Int32Array.from(words.keys()).filter((at) => (scale[at] ?? 0) > 0);
	const step = ({ parts, topic }: Word, weight: number, output: number) => {
		const norm = 1 / Math.sqrt(Math.max(SETTINGS.minParts, parts.length));
		let sum = bias[output] ?? 0;
		for (let at = 0; at < parts.length; at++) sum += norm * (weights[TOPICS.length * (parts[at] ?? 0) + output] ?? 0);
		const gradient = weight * (sigmoid(sum) - (topic === output ? 1 : 0));
		if (Math.abs(gradient) < SETTINGS.leastGradient) return;
		bias[output] = (bias[output] ?? 0) - SETTINGS.biasRate * gradient;
		for (let at = 0; at < parts.length; at++) {
			const cell = TOPICS.length * (parts[at] ?? 0) + output;
			const own = norm * gradient + SETTINGS.decay * (weights[cell] ?? 0);
			const square = (squares[cell] ?? 0) + own * own;
			squares[cell] = square;
			weights[cell] = (weights[cell] ?? 0) - (SETTINGS.rate / Math.sqrt(square)) * own;
		}
	};
	for (let epoch = 0; epoch < SETTINGS.epochs; epoch++) {
		shuffle(order, random);
		for (const at of order) {
			const word = words[at];
			if (word) for (let output = 0; output < TOPICS.length; output++) step(word, scale[at] ?? 0, output);
		}
	}
	return weights;
}

/** In root mean squares of the weights that are not zero: one step. */
const STEP = 1;

function toTable(weights: Float32Array): TopicTable {
	const used = weights.filter((weight) => weight !== 0);
	const step = STEP * Math.sqrt(used.reduce((sum, weight) => sum + weight * weight, 0) / Math.max(1, used.length));
	return Int8Array.from(weights, (weight) => Math.max(-TOPIC_STEPS, Math.min(TOPIC_STEPS, Math.round(weight / step))));
}

/** The table of all words, and by part of the words one that was learned without it. */
export function trainTopics(texts: readonly TopicExample[], folds: number) {
	const words = collectWords(texts);
	return {
		table: toTable(fitWords(words, null)),
		withoutFold: Array.from({ length: folds }, (_, fold) => toTable(fitWords(words, fold))),
	};
}
