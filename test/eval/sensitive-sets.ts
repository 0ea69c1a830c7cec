// The labelled texts and conversations that measure the detector of sensitive data, set by set, from JSON Lines.
import { existsSync, readFileSync } from "node:fs";
import { delimiter, relative, resolve } from "node:path";
import * as z from "zod";
import { DATA_CLASSES, type DataClass } from "../../src/compliance/vocabulary.ts";
import { readSensitiveRows, SENSITIVE_FILES, STATEMENT_ROWS, withoutSecretMark } from "../support/sensitive-corpus.ts";

const SHARED = resolve(import.meta.dirname, "../../../shared/data/compliance");
/** Others are named as in PATH. */
const FILES = process.env["SENSITIVE_TEXTS"]?.split(delimiter) ?? [
	resolve(SHARED, "sensitive.jsonl"),
	resolve(SHARED, "second.public.jsonl"),
];

/** What the detector knew of the batches of our own sentences when it was first measured on them. */
const BATCHES: Readonly<Record<string, string>> = {
	"first batch": "before any pattern was",
	"second batch": "before its author read the patterns, which were widened for it; first measured at 0.840 exact",
	"third batch":
		"after the patterns were widened for the second; first measured at 0.923 exact, 0.636 of PHI found, and its misses have since been widened for",
	"fourth batch":
		"chiefly about health, before the phrases were widened for it; first measured at 0.500 exact, 0.200 of PHI found",
	"fifth batch": "after the phrases were widened; first measured at 0.640 exact, 0.500 of PHI found",
};

/** A message as it is labelled: its texts are the parts of its content. */
interface LabelledMessage {
	readonly role: "system" | "user" | "assistant" | "tool";
	readonly texts: readonly string[];
}

/** A conversation and the classes of data in it. A single text is a conversation of one user message. */
export interface LabelledConversation {
	readonly messages: readonly LabelledMessage[];
	readonly classes: readonly DataClass[];
	/** Classes that are neither required nor wrong. */
	readonly mayAlso: readonly DataClass[];
	readonly kinds: readonly string[];
	/** The kinds that the text looks like and is not; only they are judged. It may hold others. */
	readonly negativeFor: readonly string[];
	/** Null in a set without groups. */
	readonly group: string | null;
	readonly lang: string | null;
	/** The part of the detector that the row was written for. */
	readonly for?: string | undefined;
}

/** Rows that were written at one time. */
export interface LabelledSet {
	/** In the table of parts. */
	readonly name: string;
	/** Above its figures. */
	readonly title: string;
	readonly rows: readonly LabelledConversation[];
}

const classes = z.array(z.enum(DATA_CLASSES));

const textRow = z.object({
	text: z.string(),
	classes,
	kinds: z.array(z.string()).default([]),
	may_also: classes.default([]),
	negative_for: z.array(z.string()).default([]),
	lang: z.string().nullable().default(null),
	genre: z.string().nullable().default(null),
	set: z.string().default(""),
});

const messageRow = z.object({
	role: z.enum(["system", "user", "assistant", "tool"]),
	content: z.union([z.string(), z.array(z.object({ type: z.literal("text"), text: z.string() }))]),
});

const conversationRow = z.object({
	messages: z.array(messageRow),
	classes,
	kinds: z.array(z.string()).default([]),
	may_also: classes.default([]),
	group: z.string(),
	lang: z.string(),
});

function readLines<Row>(file: string, schema: z.ZodType<Row>): Row[] {
	return readFileSync(file, "utf8")
		.split("\n")
		.filter((line) => line.trim() !== "")
		.map((line) => schema.parse(JSON.parse(line)));
}

function toMessage({ role, content }: z.output<typeof messageRow>): LabelledMessage {
	const texts = typeof content === "string" ? [content] : content.map(({ text }) => text);
	return { role, texts: texts.map(withoutSecretMark) };
}

function toConversation(row: z.output<typeof textRow> | z.output<typeof conversationRow>): LabelledConversation {
	const common = { classes: row.classes, mayAlso: row.may_also, kinds: row.kinds, lang: row.lang };
	if (!("text" in row)) return { ...common, messages: row.messages.map(toMessage), negativeFor: [], group: row.group };
	const messages: LabelledMessage[] = [{ role: "user", texts: [withoutSecretMark(row.text)] }];
	return { ...common, messages, negativeFor: row.negative_for, group: row.genre };
}

/** The sets in a file of ours. */
function readOwnSets(file: string, name: string, toTitle: (set: string) => string): LabelledSet[] {
	const rows = readLines(resolve(import.meta.dirname, file), textRow);
	return [...Map.groupBy(rows, ({ set }) => set)].map(([set, all]) => ({
		name,
		title: toTitle(set),
		rows: all.map(toConversation),
	}));
}

/** Statements in free words and what only sounds like them, in groups as the second public set has them. */
function readStatements(): LabelledSet[] {
	return readOwnSets("free-statements.jsonl", "statements", (set) => `free statements, ${set}`).map((set) => ({
		...set,
		rows: set.rows.map((row) => ({ ...row, group: row.classes.length === 0 ? "E" : "A" })),
	}));
}

/** Texts by somebody who has never read the detector. */
const UNSEEN = resolve(import.meta.dirname, "unseen-sensitive.jsonl");

function readFile(file: string): LabelledSet[] {
	if (!existsSync(file)) {
		console.log(`eval:sensitive: no ${file}; it was not measured.`);
		return [];
	}
	const name = relative(SHARED, file);
	return [{ name, title: name, rows: readLines(file, z.union([conversationRow, textRow])).map(toConversation) }];
}

/** All sets. */
export function readSets(): LabelledSet[] {
	const unseen = existsSync(UNSEEN) ? readOwnSets("unseen-sensitive.jsonl", "unseen", () => "unseen texts") : [];
	return [
		...readOwnSets("own-sentences.jsonl", "own", (set) => `${set}, written ${BATCHES[set]}`),
		...readStatements(),
		...unseen,
		...FILES.flatMap(readFile),
	];
}

const ROUTING = resolve(SHARED, "../routing");
/** Prompts of the second file that are read: every so many. */
const ORDINARY_STEP = 6;

/** Prompts that hold no sensitive data but by chance: those that people typed, and some of those that signals are trained on. */
export function readOrdinary(): LabelledSet {
	const files = ["natural.public.jsonl", "intent-train.jsonl"].map((name) => resolve(ROUTING, name)).filter(existsSync);
	const prompts = files.flatMap((file, index) =>
		readLines(file, z.object({ prompt: z.string() })).filter((_, at) => index === 0 || at % ORDINARY_STEP === 0),
	);
	const rows = prompts.map(({ prompt }) => toConversation(textRow.parse({ text: prompt, classes: [] })));
	return { name: "ordinary", title: "ordinary prompts", rows };
}

/** The corpus of the tests, whose rows mostly say which part they were written for. */
export function readCorpus(): LabelledSet {
	const rows = SENSITIVE_FILES.filter((file) => file !== STATEMENT_ROWS).flatMap(readSensitiveRows);
	return {
		name: "corpus",
		title: "corpus",
		rows: rows.map((row) => ({
			messages: [{ role: "user", texts: [row.text] }],
			classes: row.classes,
			mayAlso: [],
			kinds: row.kinds,
			negativeFor: [],
			group: null,
			lang: null,
			for: row.for,
		})),
	};
}
