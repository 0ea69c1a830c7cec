// Measures the detector of sensitive data on labelled texts and conversations of ../shared and on batches of our own; prints,
// never fails. SENSITIVE_TEXTS names other files, separated as in PATH.
import { existsSync } from "node:fs";
import { delimiter, relative, resolve } from "node:path";
import type { Conversation } from "../../src/compliance/conversation.ts";
import { detect } from "../../src/compliance/detect.ts";
import { findClass } from "../../src/compliance/detection/kinds.ts";
import { inferStatements } from "../../src/compliance/statements/infer.ts";
import { DATA_CLASSES, type DataClass } from "../../src/compliance/vocabulary.ts";
import { runSteps } from "../../src/turns/steps.ts";
import { FREE_STATEMENTS } from "./free-statements.ts";
import { BATCHES } from "./own-sentences.ts";
import {
	isExact,
	renderByClass,
	renderByGroup,
	renderByLanguage,
	renderFlagged,
	renderMissedKinds,
	type SensitiveJudgement,
} from "./sensitive-figures.ts";
import { type LabelledConversation, readLabelledConversations, toLabelledConversation } from "./sensitive-rows.ts";

const SETS = resolve(import.meta.dirname, "../../../shared/data/compliance");
const FILES = process.env["SENSITIVE_TEXTS"]?.split(delimiter) ?? [
	resolve(SETS, "sensitive.jsonl"),
	resolve(SETS, "second.public.jsonl"),
];

function toConversation({ messages }: LabelledConversation): Conversation {
	const texts = messages.flatMap(({ role, texts: parts }, message) =>
		parts.map((text) => ({
			text,
			message,
			role,
			place: role === "tool" ? ("tool_result" as const) : ("text" as const),
		})),
	);
	return { texts, unread: [] };
}

/** What the detector finds: classes, and the kinds of all. */
type FindData = (conversation: Conversation) => { classes: readonly DataClass[]; kinds: readonly string[] };

function findByPatterns(conversation: Conversation) {
	const { classes, kinds } = detect(conversation);
	return { classes, kinds: Object.values(kinds).flat() };
}

function findWithInferred(conversation: Conversation) {
	const found = findByPatterns(conversation);
	const inferred = runSteps(inferStatements(conversation));
	return {
		classes: DATA_CLASSES.filter((each) => found.classes.includes(each) || inferred.classes.includes(each)),
		kinds: [...found.kinds, ...Object.values(inferred.kinds).flat()],
	};
}

const DETECTORS: readonly (readonly [name: string, find: FindData])[] = [
	["pattern matching", findByPatterns],
	["with what is inferred", findWithInferred],
];

function judgeConversation(row: LabelledConversation, find: FindData): SensitiveJudgement {
	const { classes, kinds } = find(toConversation(row));
	if (row.negativeFor.length === 0) return { row, found: classes.filter((each) => !row.mayAlso.includes(each)), kinds };
	const wrong = row.negativeFor.filter((kind) => kinds.includes(kind)).map(findClass);
	return { row, found: DATA_CLASSES.filter((each) => wrong.includes(each)), kinds };
}

function reportRows(judgements: readonly SensitiveJudgement[]): void {
	if (!process.argv.includes("--misses")) return;
	for (const judgement of judgements.filter((each) => !isExact(each))) {
		const { row, found, kinds } = judgement;
		const texts = JSON.stringify(row.messages.map(({ role, texts }) => `${role}: ${texts.join(" ¶ ")}`));
		console.log(`  ${row.group ?? ""} expected [${row.classes}] found [${found}] ${JSON.stringify(kinds)} ${texts}`);
	}
}

function reportSet(name: string, rows: readonly LabelledConversation[]): void {
	for (const [detector, find] of DETECTORS) {
		console.log(`${name}, ${detector}: ${rows.length} texts`);
		reportJudgements(rows.map((row) => judgeConversation(row, find)));
	}
}

function reportJudgements(judgements: readonly SensitiveJudgement[]): void {
	const rows = judgements.map(({ row }) => row);
	console.log(renderByClass(judgements));
	if (rows.some(({ group }) => group !== null)) {
		console.log(`\n${renderByGroup(judgements)}\n\n${renderByLanguage(judgements)}\n`);
		console.log(renderFlagged(judgements));
	} else if (rows.some(({ kinds }) => kinds.length > 0)) console.log(renderMissedKinds(judgements));
	reportRows(judgements);
	console.log("");
}

function main(): void {
	for (const { name, written, prompts } of BATCHES)
		reportSet(
			`${name}, written ${written}`,
			prompts.map(({ text, classes }) => toLabelledConversation(text, classes)),
		);
	for (const [name, statements] of FREE_STATEMENTS)
		reportSet(
			`free statements, ${name}`,
			statements.map(({ text, classes, lang }) => ({
				...toLabelledConversation(text, classes),
				group: classes.length === 0 ? "E" : "A",
				lang,
			})),
		);
	for (const file of FILES) {
		if (existsSync(file)) reportSet(relative(SETS, file), readLabelledConversations(file));
		else console.log(`eval:sensitive: no ${file}; it was not measured.`);
	}
}

main();
