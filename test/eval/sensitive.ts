// Measures the detector of sensitive data on labelled texts and conversations of ../shared and on sets of our own; prints, never
// fails. `--ablate` tells which rows each part of it decides, `--without PART` shows them.
import type { Conversation } from "../../src/compliance/conversation.ts";
import type { detect } from "../../src/compliance/detect.ts";
import { findClass } from "../../src/compliance/detection/kinds.ts";
import type { inferStatements } from "../../src/compliance/statements/infer.ts";
import { DATA_CLASSES, type DataClass } from "../../src/compliance/vocabulary.ts";
import { runSteps } from "../../src/turns/steps.ts";
import { openRoom } from "./ablation/load.ts";
import { findOptionValues, type GradedRow, printAblation, printWithout } from "./ablation/table.ts";
import {
	isExact,
	renderByClass,
	renderByGroup,
	renderByLanguage,
	renderFlagged,
	renderMissedKinds,
	type SensitiveJudgement,
} from "./sensitive-figures.ts";
import { SENSITIVE_ROOM } from "./sensitive-parts.ts";
import { type LabelledConversation, readCorpus, readOrdinary, readSets } from "./sensitive-sets.ts";

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

const load = openRoom(SENSITIVE_ROOM);

/** The detector without parts: what matches patterns, and that with what the classifier infers. */
async function loadDetectors(without: readonly string[]) {
	const patterns = (await load("compliance/detect.ts", without)) as { detect: typeof detect };
	const statements = (await load("compliance/statements/infer.ts", without)) as {
		inferStatements: typeof inferStatements;
	};
	const findByPatterns: FindData = (conversation) => {
		const { classes, kinds } = patterns.detect(conversation);
		return { classes, kinds: Object.values(kinds).flat() };
	};
	const findWithInferred: FindData = (conversation) => {
		const found = findByPatterns(conversation);
		const inferred = runSteps(statements.inferStatements(conversation));
		return {
			classes: DATA_CLASSES.filter((each) => found.classes.includes(each) || inferred.classes.includes(each)),
			kinds: [...found.kinds, ...Object.values(inferred.kinds).flat()],
		};
	};
	return [
		["pattern matching", findByPatterns],
		["with what is inferred", findWithInferred],
	] as const;
}

function judgeConversation(row: LabelledConversation, find: FindData): SensitiveJudgement {
	const { classes, kinds } = find(toConversation(row));
	if (row.negativeFor.length === 0) return { row, found: classes.filter((each) => !row.mayAlso.includes(each)), kinds };
	const wrong = row.negativeFor.filter((kind) => kinds.includes(kind)).map(findClass);
	return { row, found: DATA_CLASSES.filter((each) => wrong.includes(each)), kinds };
}

function renderText({ messages }: LabelledConversation): string {
	return messages.map(({ role, texts }) => `${role}: ${texts.join(" ¶ ")}`).join("\n");
}

/** How many classes are judged rightly. */
function countRight({ row, found }: SensitiveJudgement): number {
	return DATA_CLASSES.filter((each) => row.classes.includes(each) === found.includes(each)).length;
}

/** Grades all rows by what the detector finds without some parts, by patterns and with what is inferred. */
async function gradeWithout(without: readonly string[]): Promise<readonly GradedRow[]> {
	const detectors = await loadDetectors(without);
	return [...readSets(), readOrdinary(), readCorpus()].flatMap(({ name, rows }) =>
		rows.map((row) => {
			const judgements = detectors.map(([, find]) => judgeConversation(row, find));
			return {
				set: name,
				text: renderText(row),
				for: row.for,
				outcome: judgements.map(({ found }) => found.join(" ") || "nothing").join(" / "),
				grade: judgements.reduce((sum, judgement) => sum + countRight(judgement), 0),
			};
		}),
	);
}

function printMisses(judgements: readonly SensitiveJudgement[]): void {
	if (!process.argv.includes("--misses")) return;
	for (const judgement of judgements.filter((each) => !isExact(each))) {
		const { row, found, kinds } = judgement;
		const text = JSON.stringify(renderText(row));
		console.log(`  ${row.group ?? ""} expected [${row.classes}] found [${found}] ${JSON.stringify(kinds)} ${text}`);
	}
}

function printJudgements(judgements: readonly SensitiveJudgement[]): void {
	const rows = judgements.map(({ row }) => row);
	console.log(renderByClass(judgements));
	if (rows.some(({ group }) => group !== null)) {
		console.log(`\n${renderByGroup(judgements)}\n\n${renderByLanguage(judgements)}\n`);
		console.log(renderFlagged(judgements));
	} else if (rows.some(({ kinds }) => kinds.length > 0)) console.log(renderMissedKinds(judgements));
	printMisses(judgements);
	console.log("");
}

/** Prints in how many ordinary prompts anything is found. */
function printOrdinary(detector: string, find: FindData): void {
	const { title, rows } = readOrdinary();
	const flagged = rows.filter((row) => judgeConversation(row, find).found.length > 0);
	console.log(`${title}, ${detector}: ${flagged.length} of ${rows.length} are flagged`);
}

async function printFigures(): Promise<void> {
	const detectors = await loadDetectors([]);
	for (const { title, rows } of readSets())
		for (const [detector, find] of detectors) {
			console.log(`${title}, ${detector}: ${rows.length} texts`);
			printJudgements(rows.map((row) => judgeConversation(row, find)));
		}
	for (const [detector, find] of detectors) printOrdinary(detector, find);
}

const without = findOptionValues(process.argv, "--without");
if (process.argv.includes("--ablate")) await printAblation(SENSITIVE_ROOM, gradeWithout);
else if (without.length > 0) await printWithout(SENSITIVE_ROOM, without, gradeWithout);
else await printFigures();
