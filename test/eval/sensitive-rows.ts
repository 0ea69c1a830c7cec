// Labelled texts and conversations that measure the detector of sensitive data, read from JSON Lines.
import { readFileSync } from "node:fs";
import * as z from "zod";
import { DATA_CLASSES, type DataClass } from "../../src/compliance/vocabulary.ts";
import { SECRET_MARK } from "./own-sentences.ts";

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
}

const classes = z.array(z.enum(DATA_CLASSES));

const textRow = z.object({
	text: z.string(),
	classes,
	kinds: z.array(z.string()).default([]),
	negative_for: z.array(z.string()).default([]),
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

const row = z.union([conversationRow, textRow]);

function toPlain(text: string): string {
	return text.replaceAll(SECRET_MARK, "");
}

/** A text as a conversation of its own. */
export function toLabelledConversation(
	text: string,
	expected: readonly DataClass[],
	details: Partial<Pick<LabelledConversation, "kinds" | "negativeFor">> = {},
): LabelledConversation {
	return {
		messages: [{ role: "user", texts: [toPlain(text)] }],
		classes: expected,
		mayAlso: [],
		kinds: details.kinds ?? [],
		negativeFor: details.negativeFor ?? [],
		group: null,
		lang: null,
	};
}

function parseRow(line: string): LabelledConversation {
	const parsed = row.parse(JSON.parse(line));
	if ("text" in parsed)
		return toLabelledConversation(parsed.text, parsed.classes, {
			kinds: parsed.kinds,
			negativeFor: parsed.negative_for,
		});
	return {
		messages: parsed.messages.map(({ role, content }) => ({
			role,
			texts: typeof content === "string" ? [toPlain(content)] : content.map(({ text }) => toPlain(text)),
		})),
		classes: parsed.classes,
		mayAlso: parsed.may_also,
		kinds: parsed.kinds,
		negativeFor: [],
		group: parsed.group,
		lang: parsed.lang,
	};
}

/** The rows of a file; each line is a labelled text or a labelled conversation. */
export function readLabelledConversations(file: string): LabelledConversation[] {
	return readFileSync(file, "utf8")
		.split("\n")
		.filter((line) => line.trim() !== "")
		.map(parseRow);
}
