// Turns sentences and prompts into examples: units of text, their features, and what stood before them.
import { existsSync } from "node:fs";
import { createUnitFeatures, readUnitFeatures } from "../../../src/compliance/statements/features.ts";
import { eachUnit } from "../../../src/compliance/statements/units.ts";

/** Units before one that count as what was said before. */
export const MAX_BEFORE = 2;

const space = createUnitFeatures();

/** The buckets of each unit of a conversation's texts; those of the last text are read, the others stand before them. */
export interface ConversationUnits {
	readonly units: readonly Int32Array[];
	/** How many of them belong to earlier texts. */
	readonly earlier: number;
}

function readText(text: string): Int32Array[] {
	const units: Int32Array[] = [];
	eachUnit(text, ({ start, end }) => {
		readUnitFeatures(text.slice(start, end), space);
		units.push(space.buckets.slice(0, space.length));
	});
	return units;
}

export function toConversationUnits(texts: readonly string[]): ConversationUnits {
	const earlier = texts.slice(0, -1).flatMap(readText);
	return { units: [...earlier, ...readText(texts.at(-1) ?? "")], earlier: earlier.length };
}

export const hasFile = existsSync;
