// Tables of what held-out prompts say of the fitted difficulty, beside the length of the prompt alone.
import { renderTable, type TableRow } from "../bench/table.ts";
import type { HeldOutExpectation } from "./expected-difficulty.ts";
import { FOLD_NAMES, findFold } from "./labelled.ts";
import { HARD_GRADE, type Judgement, measureAuc } from "./measures.ts";
import type { RecordedGain } from "./recorded.ts";

const show = (share: number | null) => (share === null ? "–" : share.toFixed(3));
const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

/** A held-out prompt of people with its grade. */
interface Graded {
	grade: number;
	chars: number;
	expected: number;
	fold: number;
}

function toGraded(heldOut: readonly HeldOutExpectation[]): Graded[] {
	return heldOut.flatMap(({ example: { row }, expected }) =>
		row === null || row.difficulty === null
			? []
			: [{ grade: row.difficulty, chars: row.turns[0].chars, expected, fold: findFold(row.source) }],
	);
}

/** AUC of hard against easy prompts, all together and by held-out sources, with the mean and the worst of those. */
export function renderDifficulty(heldOut: readonly HeldOutExpectation[]): string {
	const graded = toGraded(heldOut);
	const measure = (prompts: readonly Graded[]) => ({
		model: measureAuc(
			prompts,
			({ grade }) => grade,
			({ expected }) => expected,
		),
		length: measureAuc(
			prompts,
			({ grade }) => grade,
			({ chars }) => chars,
		),
	});
	const all = measure(graded);
	const bySource = FOLD_NAMES.flatMap((name, fold) => {
		const { model, length } = measure(graded.filter((each) => each.fold === fold));
		return model === null || length === null ? [] : [{ name, model, length }];
	});
	const rows: TableRow[] = [
		["all together", show(all.model), show(all.length)],
		[
			"mean of sources",
			show(mean(bySource.map(({ model }) => model))),
			show(mean(bySource.map(({ length }) => length))),
		],
		[
			"worst source",
			show(Math.min(...bySource.map(({ model }) => model))),
			show(Math.min(...bySource.map(({ length }) => length))),
		],
		...bySource.map(({ name, model, length }): TableRow => [name, show(model), show(length)]),
	];
	return renderTable([["AUC, hard against easy", "difficulty", "length alone"], ...rows]);
}

/** APGR of a preference: the share of the gap between weak and strong that is recovered, over all shares of strong calls. */
function measureApgr(prompts: readonly { gain: RecordedGain; value: number }[]): number {
	const gap = ({ gain: { strongRight, weakRight } }: { gain: RecordedGain }) => strongRight - weakRight;
	const total = prompts.reduce((sum, each) => sum + gap(each), 0);
	let [gained, area] = [0, 0];
	for (const each of prompts.toSorted((a, b) => b.value - a.value)) {
		area += (gained + gap(each) / 2) / total;
		gained += gap(each);
	}
	return area / prompts.length;
}

/** APGR on each recorded set, of parts that the fit did not see. */
export function renderGains(heldOut: readonly HeldOutExpectation[]): string {
	const recorded = heldOut.flatMap(({ example: { recorded: gain }, expected }) =>
		gain ? [{ gain, value: expected }] : [],
	);
	const sets = [...Map.groupBy(recorded, ({ gain }) => gain.set)];
	const rows = sets.map(([set, prompts]): TableRow => {
		const byLength = prompts.map(({ gain }) => ({ gain, value: gain.turns[0].chars }));
		return [set, String(prompts.length), show(measureApgr(prompts)), show(measureApgr(byLength))];
	});
	return renderTable([["APGR by difficulty alone", "prompts", "difficulty", "length alone"], ...rows]);
}

/** Prompts of fewer characters are short. */
const SHORT_CHARS = 200;

/** The expected difficulty below which a share of prompts lies. */
function quantile(prompts: readonly Judgement[], share: number): string {
	const sorted = prompts.map(({ expectedDifficulty }) => expectedDifficulty).toSorted((a, b) => a - b);
	return (sorted[Math.floor(share * sorted.length)] ?? Number.NaN).toFixed(2);
}

/** AUC of hard against easy among short prompts, beside their length, and what difficulties both have. */
export function renderShortPrompts(judgements: readonly Judgement[]): string {
	const short = judgements.filter(({ row }) => row.turns[0].chars < SHORT_CHARS);
	const grade = ({ row }: Judgement) => row.difficulty ?? 1;
	const groups: [string, Judgement[]][] = [
		["all", short],
		["English", short.filter(({ row }) => row.lang === "en")],
		["other languages", short.filter(({ row }) => row.lang !== "en")],
	];
	const rows = groups.map(([name, group]): TableRow => {
		const hard = group.filter((each) => grade(each) >= HARD_GRADE);
		const easy = group.filter((each) => grade(each) === 1);
		return [
			name,
			`${hard.length}, ${easy.length}`,
			show(measureAuc(group, grade, ({ expectedDifficulty }) => expectedDifficulty)),
			show(measureAuc(group, grade, ({ row }) => row.turns[0].chars)),
			`${quantile(hard, 0.25)}, ${quantile(hard, 0.5)}`,
			`${quantile(easy, 0.5)}, ${quantile(easy, 0.95)}`,
		];
	});
	const headings = [
		"up to 200 characters",
		"hard, easy",
		"AUC",
		"length alone",
		"hard: 25 %, 50 %",
		"easy: 50 %, 95 %",
	];
	return renderTable([headings, ...rows]);
}
