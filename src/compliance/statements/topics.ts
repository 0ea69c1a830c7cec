// How much a word sounds like illness and treatment, or like money: weights of its parts, learned from lists of words. A word that no
// list has is made of parts that some have. Pure; the table is an argument.
import { ZERO_CHARACTER } from "../../text/step-text.ts";
import type { WordReader } from "./features.ts";

/** What a word is about, by the order of its scores. */
export const TOPICS = ["health", "money"] as const;

/** Parts of words are hashed to this many buckets. */
export const TOPIC_BUCKETS = 1 << 16;

/** Steps of a weight on each side of zero. */
export const TOPIC_STEPS = 2;

const WIDTH = 2 * TOPIC_STEPS + 1;

/** By bucket and topic: a weight in steps. */
export type TopicTable = Int8Array;

/** Writes the table as text: a character a bucket holds both weights. */
export function encodeTopics(table: TopicTable): string {
	let text = "";
	for (let bucket = 0; bucket < TOPIC_BUCKETS; bucket++) {
		const [health, money] = [table[2 * bucket] ?? 0, table[2 * bucket + 1] ?? 0];
		text += String.fromCharCode(ZERO_CHARACTER + health * WIDTH + money);
	}
	return text;
}

export function decodeTopics(text: string): TopicTable {
	const table = new Int8Array(TOPICS.length * TOPIC_BUCKETS);
	for (let bucket = 0; bucket < text.length; bucket++) {
		const both = text.charCodeAt(bucket) - ZERO_CHARACTER;
		const health = Math.round(both / WIDTH);
		table[2 * bucket] = health;
		table[2 * bucket + 1] = both - health * WIDTH;
	}
	return table;
}

/** A score of at least so much is of the first level, the second, and so on. */
const LEVELS = [0.5, 1, 1.5, 2, 2.75, 3.5] as const;

/** A word with fewer parts is scored as one of this many. */
const MIN_PARTS = 3;

/** A character of a script without spaces makes a word with so many before it. */
const WINDOW = 3;

/** The strongest words of one unit of text, by topic. */
export class TopicScores implements WordReader {
	table: TopicTable;
	#health = 0;
	#money = 0;
	#parts = 0;
	/** Sums of the last characters: health, money and parts of each. */
	readonly #window = new Int32Array(3 * WINDOW);
	/** By topic: the highest score of a word, and that of the next one. */
	readonly #best = new Float64Array(2 * TOPICS.length);

	constructor(table: TopicTable) {
		this.table = table;
	}

	begin(): void {
		this.#best.fill(0);
		this.#window.fill(0);
		this.#clear();
	}

	#clear(): void {
		this.#health = 0;
		this.#money = 0;
		this.#parts = 0;
	}

	add(mixed: number): void {
		const at = TOPICS.length * (mixed >>> 16);
		this.#health += this.table[at] ?? 0;
		this.#money += this.table[at + 1] ?? 0;
		this.#parts++;
	}

	endWord(): void {
		this.#score(this.#health, this.#money, this.#parts);
		this.#window.fill(0);
		this.#clear();
	}

	endCharacter(): void {
		const window = this.#window;
		window.copyWithin(0, 3);
		window.set([this.#health, this.#money, this.#parts], 3 * (WINDOW - 1));
		let [health, money, parts] = [0, 0, 0];
		for (let at = 0; at < window.length; at += 3) {
			health += window[at] ?? 0;
			money += window[at + 1] ?? 0;
			parts += window[at + 2] ?? 0;
		}
		this.#score(health, money, parts);
		this.#clear();
	}

	#score(health: number, money: number, parts: number): void {
		const norm = 1 / Math.sqrt(Math.max(MIN_PARTS, parts));
		this.#keep(0, norm * health);
		this.#keep(1, norm * money);
	}

	#keep(topic: number, score: number): void {
		const best = this.#best;
		if (score > (best[2 * topic] ?? 0)) {
			best[2 * topic + 1] = best[2 * topic] ?? 0;
			best[2 * topic] = score;
		} else if (score > (best[2 * topic + 1] ?? 0)) best[2 * topic + 1] = score;
	}

	/** A number for each level that the strongest words reach. */
	eachLevel(report: (level: number) => void): void {
		for (const [place, score] of this.#best.entries())
			for (const [level, least] of LEVELS.entries()) if (score >= least) report(place * LEVELS.length + level);
	}
}
