// The prompts of topics.txt, written for this project: short hard ones beside short easy ones on the same topic, and one task in
// several languages. A line has the language, the intents (the primary one first), the grade, and the prompt, behind the turn
// before it and ⇒ if there is one. Whole topics are held back: they are only measured.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import { INTENTS } from "../../src/catalog/vocabulary.ts";
import { toTurn } from "../../src/routing/signals/turns.ts";
import { hashUnits, mixHash } from "../../src/text/hash.ts";
import type { LabelledPrompt } from "./labelled.ts";

export interface TopicPrompt extends LabelledPrompt {
	topic: string;
	primary: NonNullable<LabelledPrompt["primary"]>;
	difficulty: number;
	/** A third of the topics, by the hash of their names. */
	isHeldBack: boolean;
}

const HEADING = "# ";
const LINE = /^([a-z]{2}) ([a-z+]+) ([123]) (?:(.+) ⇒ )?(.+)$/;
const intentList = z.tuple([z.enum(INTENTS)], z.enum(INTENTS));

function parseLine(line: string, topic: string): TopicPrompt {
	const [, lang = "", intents = "", grade, prior, prompt = ""] = LINE.exec(line) ?? [];
	const [primary, ...others] = intentList.parse(intents.split("+"));
	return {
		topic,
		turns: [toTurn([prompt]), ...(prior === undefined ? [] : [toTurn([prior])])],
		primary,
		intents: [primary, ...others],
		difficulty: Number(grade),
		lang,
		source: "topics written for this project",
		isHeldBack: mixHash(hashUnits(topic)) % 3 === 0,
	};
}

export function parseTopics(file: string): TopicPrompt[] {
	let topic = "";
	return file
		.trimEnd()
		.split("\n")
		.flatMap((line) => {
			if (!line.startsWith(HEADING)) return parseLine(line, topic);
			topic = line.slice(HEADING.length);
			return [];
		});
}

export function readTopicPrompts(): TopicPrompt[] {
	return parseTopics(readFileSync(join(import.meta.dirname, "topics.txt"), "utf8"));
}
