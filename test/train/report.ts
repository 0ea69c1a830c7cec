// Tables of what a model said of labelled prompts: all together, by source and by language.
import { renderTable, type TableRow } from "../bench/table.ts";
import { type Judgement, measureDifficulty, measureIntents } from "./measures.ts";

/** Languages with fewer prompts are shown together. */
const MIN_LANGUAGE_PROMPTS = 10;

/** Calibration errors are those of the first intent being a sensible one, and of its being the primary one. */
const HEADINGS = [
	"",
	"prompts",
	"any intent",
	"macro-F1",
	"three-way",
	"ECE any",
	"ECE primary",
	"difficulty",
] as const;

function renderRow(name: string, judgements: readonly Judgement[]): TableRow {
	const { count, anyIntent, macroF1, threeWay, anyError, primaryError } = measureIntents(judgements);
	const difficulty = measureDifficulty(judgements);
	const shares = [anyIntent, macroF1, threeWay, anyError, primaryError].map((share) => share.toFixed(3));
	return [name, String(count), ...shares, difficulty.count === 0 ? "–" : difficulty.withinHalf.toFixed(3)];
}

function renderGroups(judgements: readonly Judgement[], nameGroup: (judgement: Judgement) => string): TableRow[] {
	const groups = [...Map.groupBy(judgements, nameGroup)].toSorted(([, a], [, b]) => b.length - a.length);
	return groups.map(([name, group]) => renderRow(name, group));
}

/** The figures of all prompts. */
export function renderFigures(name: string, judgements: readonly Judgement[]): string {
	return renderTable([HEADINGS, renderRow(name, judgements)]);
}

/** The figures by what `nameSource` makes of each prompt, the largest group first. */
export function renderBySource(judgements: readonly Judgement[], nameSource: (judgement: Judgement) => string): string {
	return renderTable([HEADINGS, ...renderGroups(judgements, nameSource)]);
}

export function renderByLanguage(judgements: readonly Judgement[]): string {
	const byLanguage = Map.groupBy(judgements, ({ row }) => row.lang);
	const rows = renderGroups(judgements, ({ row }) =>
		(byLanguage.get(row.lang)?.length ?? 0) < MIN_LANGUAGE_PROMPTS ? "others" : row.lang,
	);
	return renderTable([HEADINGS, ...rows]);
}

/** F1 of each intent. */
export function renderByIntent(judgements: readonly Judgement[]): string {
	const { f1 } = measureIntents(judgements);
	const rows = Object.entries(f1).map(([intent, score]) => {
		const count = judgements.filter(({ row }) => row.primary === intent).length;
		return [intent, String(count), score.toFixed(3)];
	});
	return renderTable([["", "prompts", "F1"], ...rows]);
}

/** The languages with enough prompts to tell whose share of sensible first intents is below the least accepted one. */
export function findWeakLanguages(judgements: readonly Judgement[], least: number): string[] {
	return [...Map.groupBy(judgements, ({ row }) => row.lang)].flatMap(([lang, group]) =>
		group.length >= MIN_LANGUAGE_PROMPTS && measureIntents(group).anyIntent < least ? [lang] : [],
	);
}
