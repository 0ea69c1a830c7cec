// The table of parts of words: how it is shipped, and what it says of a unit's words.
import { describe, expect, it } from "vitest";
import { createUnitFeatures, readUnitFeatures } from "../../../../src/compliance/statements/features.ts";
import { decodeStatements } from "../../../../src/compliance/statements/model.ts";
import {
	decodeTopics,
	encodeTopics,
	TOPIC_BUCKETS,
	TOPIC_STEPS,
	TOPICS,
	TopicScores,
} from "../../../../src/compliance/statements/topics.ts";
import shippedFile from "../../../../src/compliance/statements/weights.json" with { type: "json" };

/** How many levels the strongest words of a text reach. */
function countLevels(text: string): number {
	const words = new TopicScores(decodeStatements(shippedFile).topics);
	readUnitFeatures(text, createUnitFeatures(words, []));
	let levels = 0;
	words.eachLevel(() => levels++);
	return levels;
}

describe("a table of topics", () => {
	it("is read as it was written, whatever two steps meet", () => {
		const width = 2 * TOPIC_STEPS + 1;
		const table = Int8Array.from(
			{ length: TOPICS.length * TOPIC_BUCKETS },
			(_, cell) => (cell % 2 === 0 ? (cell >> 1) % width : Math.floor((cell >> 1) / width) % width) - TOPIC_STEPS,
		);
		const read = decodeTopics(encodeTopics(table));
		expect(read.length).toBe(table.length);
		expect(read.findIndex((step, cell) => step !== table[cell])).toBe(-1);
	});

	it("has no character that JSON escapes", () => {
		expect(JSON.stringify(shippedFile.topics).length).toBe(shippedFile.topics.length + 2);
	});

	it.each([
		["pharyngitis and bronchiolitis", "fences and lanterns"],
		["eine Kehlkopfentzündung", "eine Gartenlampe"],
		["脊髄炎", "音楽会"],
	])("says more of %s than of %s", (telling, other) => {
		expect(countLevels(telling)).toBeGreaterThan(countLevels(other));
	});

	it("forgets the words of the unit before", () => {
		const words = new TopicScores(decodeStatements(shippedFile).topics);
		const features = createUnitFeatures(words, []);
		readUnitFeatures("chemotherapy", features);
		readUnitFeatures("", features);
		const levels: number[] = [];
		words.eachLevel((level) => levels.push(level));
		expect(levels).toEqual([]);
	});
});
