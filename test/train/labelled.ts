// Labelled prompts as training and evaluation use them: where they come from, what they weigh, and how they are split by
// source.
import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import * as z from "zod";
import { INTENTS, type Intent } from "../../src/catalog/vocabulary.ts";
import { type Turn, toTurn } from "../../src/routing/signals/turns.ts";

/** Public labelled prompts, which are not part of the repository. */
const FOLDER = resolve(import.meta.dirname, "../../../shared/data/routing");

/** Whether the public labelled prompts are on this machine. */
export function hasLabelledPrompts(): boolean {
	return existsSync(FOLDER);
}

const intent = z.enum(INTENTS);

const rowSchema = z.object({
	prompt: z.string(),
	prior: z.string().optional(),
	/** Of `tool` and `safety` no class is made. */
	primary: z.string(),
	intents: z.array(z.string()),
	difficulty: z.number().optional(),
	lang: z.string().optional(),
	source: z.string(),
});

export interface LabelledPrompt {
	/** The user's turns, the last one first. */
	turns: [Turn, ...Turn[]];
	/** Null where no class fits. */
	primary: Intent | null;
	/** All that a sensible person could choose. */
	intents: Intent[];
	/** 1 to 3, in half steps; null when nobody rated it. */
	difficulty: number | null;
	lang: string;
	source: string;
}

function toIntents(names: readonly string[]): Intent[] {
	return names.flatMap((name) => intent.safeParse(name).data ?? []);
}

function readRows(file: string): LabelledPrompt[] {
	return readFileSync(file, "utf8")
		.trimEnd()
		.split("\n")
		.map((line) => {
			const { prompt, prior, primary, intents, difficulty, lang, source } = rowSchema.parse(JSON.parse(line));
			return {
				turns: [toTurn([prompt]), ...(prior === undefined ? [] : [toTurn([prior])])],
				primary: toIntents([primary])[0] ?? null,
				intents: toIntents(intents),
				difficulty: difficulty ?? null,
				lang: lang ?? "en",
				source,
			};
		});
}

/** Prompts of public sets and templates, with intents. Their difficulty is of another scale and is left out. */
export function readTrainingSets(): LabelledPrompt[] {
	return readRows(join(FOLDER, "intent-train.jsonl")).map((row) => ({ ...row, difficulty: null }));
}

/** Prompts that people typed, labelled twice. */
export function readNaturalPrompts(): LabelledPrompt[] {
	return readRows(join(FOLDER, "natural.public.jsonl"));
}

/** Prompts written and labelled for this project. */
export function readOwnPrompts(): LabelledPrompt[] {
	return readRows(join(import.meta.dirname, "prompts.jsonl"));
}

/** Prompts of sources that nothing is trained on or tuned by. */
export function readOtherSources(): LabelledPrompt[] {
	return readRows(join(FOLDER, "intent-public-other-sources.jsonl"));
}

/** The sources of natural prompts, small ones together: what is held out at once in cross-validation. */
const FOLDS: readonly { name: string; sources: RegExp }[] = [
	{ name: "OpenAssistant", sources: /^artidoro\/qlora/ },
	{ name: "RealHumanEval", sources: /^clinicalml\/realhumaneval/ },
	{ name: "WildChat (Russian)", sources: /^kuk\/wildchat/ },
	{ name: "MathConverse", sources: /^collinskatie\/checkmate/ },
	{ name: "instruction_ja", sources: /^megagonlabs\/instruction_ja/ },
	{ name: "BFCL and four prompt logs", sources: /^(?:idleh4021|pcruise|21prompts|Asphyksia|ShishirPatil)\// },
	{ name: "BELLE and four prompt logs", sources: /^(?:closup|LIDR-academy|LianjiaTech|AFI-Protocol|Aquaticat)\// },
	{ name: "simonw/tools", sources: /^simonw\/tools/ },
];
export const FOLD_NAMES: readonly string[] = FOLDS.map(({ name }) => name);

/** The fold of a natural prompt. */
export function findFold(source: string): number {
	const fold = FOLDS.findIndex(({ sources }) => sources.test(source));
	if (fold < 0) throw new Error(`${source} belongs to no fold`);
	return fold;
}

/** The collection that a source of the training sets belongs to. */
export function toCollection(source: string): string {
	return source.split(":")[0]?.split(" (")[0] ?? source;
}

/** The repository that a natural prompt is from, without its commit. */
export function toRepository(source: string): string {
	return source.split("@")[0]?.split(":")[0] ?? source;
}
