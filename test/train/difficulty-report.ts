// Tables of what held-out prompts say of the fitted difficulty, beside the length of the prompt alone.
import { renderTable, type TableRow } from "../bench/table.ts";
import type { HeldOutDifficulty } from "./difficulty.ts";
import { FOLD_NAMES, findFold } from "./labelled.ts";
import { measureAuc } from "./measures.ts";
import type { RecordedGain } from "./recorded.ts";

const show = (share: number | null) => (share === null ? "–" : share.toFixed(3));
const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

/** A held-out prompt of people with its grade. */
interface Graded {
	grade: number;
	chars: number;
	sum: number;
	fold: number;
}

function toGraded(heldOut: readonly HeldOutDifficulty[]): Graded[] {
	return heldOut.flatMap(({ example: { row }, sum }) =>
		row === null || row.difficulty === null
			? []
			: [{ grade: row.difficulty, chars: row.turns[0].chars, sum, fold: findFold(row.source) }],
	);
}

/** AUC of hard against easy prompts, all together and by held-out sources, with the mean and the worst of those. */
export function renderDifficulty(heldOut: readonly HeldOutDifficulty[]): string {
	const graded = toGraded(heldOut);
	const measure = (prompts: readonly Graded[]) => ({
		model: measureAuc(
			prompts,
			({ grade }) => grade,
			({ sum }) => sum,
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
export function renderGains(heldOut: readonly HeldOutDifficulty[]): string {
	const recorded = heldOut.flatMap(({ example: { recorded: gain }, sum }) => (gain ? [{ gain, value: sum }] : []));
	const sets = [...Map.groupBy(recorded, ({ gain }) => gain.set)];
	const rows = sets.map(([set, prompts]): TableRow => {
		const byLength = prompts.map(({ gain }) => ({ gain, value: gain.turns[0].chars }));
		return [set, String(prompts.length), show(measureApgr(prompts)), show(measureApgr(byLength))];
	});
	return renderTable([["APGR by difficulty alone", "prompts", "difficulty", "length alone"], ...rows]);
}
