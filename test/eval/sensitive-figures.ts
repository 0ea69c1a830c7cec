// Figures of a detector on labelled conversations: recall, precision and F1 by class, group and language.
import { DATA_CLASSES, type DataClass } from "../../src/compliance/vocabulary.ts";
import { renderTable, type TableRow } from "../bench/table.ts";
import type { LabelledConversation } from "./sensitive-sets.ts";

/** What a detector found in a labelled conversation. */
export interface SensitiveJudgement {
	readonly row: LabelledConversation;
	/** Without the classes that are neither required nor wrong. */
	readonly found: readonly DataClass[];
	readonly kinds: readonly string[];
}

/** The group of prompts without sensitive data. */
const ORDINARY_GROUP = "E";

/** Languages with fewer conversations are shown together. */
const MIN_LANGUAGE_ROWS = 4;

/** Counts of (conversation, class) pairs. */
interface ClassCounts {
	readonly expected: number;
	readonly found: number;
	readonly both: number;
}

function countClasses(judgements: readonly SensitiveJudgement[], classes: readonly DataClass[]): ClassCounts {
	let [expected, found, both] = [0, 0, 0];
	for (const judgement of judgements)
		for (const dataClass of classes) {
			const isExpected = judgement.row.classes.includes(dataClass);
			const isFound = judgement.found.includes(dataClass);
			if (isExpected) expected++;
			if (isFound) found++;
			if (isExpected && isFound) both++;
		}
	return { expected, found, both };
}

function renderShare(part: number, whole: number): string {
	return whole === 0 ? "–" : `${(part / whole).toFixed(3)} (${part}/${whole})`;
}

function renderF1({ expected, found, both }: ClassCounts): string {
	return expected + found === 0 ? "–" : ((2 * both) / (expected + found)).toFixed(3);
}

function renderCounts(name: string, counts: ClassCounts): TableRow {
	const { expected, found, both } = counts;
	return [name, renderShare(both, expected), renderShare(both, found), renderF1(counts)];
}

function renderGroupRow(name: string, judgements: readonly SensitiveJudgement[]): TableRow {
	const [, ...cells] = renderCounts(name, countClasses(judgements, DATA_CLASSES));
	return [name, String(judgements.length), ...cells];
}

const SHARE_HEADINGS = ["recall", "precision", "F1"] as const;

/** Whether exactly the expected classes were found. */
export function isExact({ row, found }: SensitiveJudgement): boolean {
	return row.classes.length === found.length && row.classes.every((dataClass) => found.includes(dataClass));
}

/** By class, and over all classes. */
export function renderByClass(judgements: readonly SensitiveJudgement[]): string {
	const rows = DATA_CLASSES.map((each) => renderCounts(each, countClasses(judgements, [each])));
	const table = renderTable([
		["", ...SHARE_HEADINGS],
		...rows,
		renderCounts("all", countClasses(judgements, DATA_CLASSES)),
	]);
	return `${table}\nexact class sets ${renderShare(judgements.filter(isExact).length, judgements.length)}`;
}

/** F1 over all classes, by group. */
export function renderByGroup(judgements: readonly SensitiveJudgement[]): string {
	const groups = [...Map.groupBy(judgements, ({ row }) => row.group ?? "–")].toSorted(([a], [b]) => a.localeCompare(b));
	const rows = groups.map(([name, group]) => renderGroupRow(name, group));
	return renderTable([["group", "rows", ...SHARE_HEADINGS], ...rows]);
}

/** F1 over all classes, by language, the most frequent first. */
export function renderByLanguage(judgements: readonly SensitiveJudgement[]): string {
	const sizes = new Map([...Map.groupBy(judgements, ({ row }) => row.lang)].map(([lang, rows]) => [lang, rows.length]));
	const nameLanguage = ({ row }: SensitiveJudgement) =>
		(sizes.get(row.lang) ?? 0) < MIN_LANGUAGE_ROWS ? "others" : (row.lang ?? "–");
	const groups = [...Map.groupBy(judgements, nameLanguage)].toSorted(([, a], [, b]) => b.length - a.length);
	const rows = groups.map(([name, group]) => renderGroupRow(name, group));
	return renderTable([["language", "rows", ...SHARE_HEADINGS], ...rows]);
}

/** The share of ordinary prompts in which anything was found, and in which each class was. */
export function renderFlagged(judgements: readonly SensitiveJudgement[]): string {
	const ordinary = judgements.filter(({ row }) => row.group === ORDINARY_GROUP);
	const flagged = ordinary.filter(({ found }) => found.length > 0);
	const byClass = DATA_CLASSES.map((each) => `${each} ${flagged.filter(({ found }) => found.includes(each)).length}`);
	return `ordinary prompts flagged ${renderShare(flagged.length, ordinary.length)}: ${byClass.join(", ")}`;
}

/** How often each labelled kind was not found, in a set whose kinds have the detector's names. */
export function renderMissedKinds(judgements: readonly SensitiveJudgement[]): string {
	const missed = new Map<string, number>();
	for (const { row, kinds } of judgements)
		for (const kind of row.kinds) if (!kinds.includes(kind)) missed.set(kind, (missed.get(kind) ?? 0) + 1);
	const counts = [...missed].sort().map(([kind, count]) => `${kind} ${count}`);
	return `kinds missed: ${counts.join(", ") || "none"}`;
}
