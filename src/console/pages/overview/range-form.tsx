// The form above the overview: its range, time zone, and what its charts are stacked by.
import type { SeriesGrouping } from "../../../usage/series-views.ts";
import { formatDay } from "../../format.ts";
import { type PageRange, RANGES, zoneOptions } from "../../range.ts";
import { ChoiceField, Field } from "../../views/parts.tsx";

/** What charts can be stacked by. */
export const STACKS: readonly (readonly [value: SeriesGrouping, label: string])[] = [
	["model", "Model"],
	["provider", "Provider"],
	["key", "Key"],
	["tag", "Tag"],
	["session", "Session"],
	["end_user", "End user"],
];

/** What the address says; models where it says nothing. */
export function readStack(query: URLSearchParams): SeriesGrouping {
	return STACKS.find(([value]) => value === query.get("by"))?.[0] ?? "model";
}

const RANGE_OPTIONS = Object.entries(RANGES).map(([name, { label }]) => [name, label] as const);

interface RangeFormProps {
	range: PageRange;
	stack: SeriesGrouping;
}

export function RangeForm({ range, stack }: RangeFormProps) {
	const { name, zone, sinceMs, untilMs } = range;
	return (
		<form class="filters range-form" method="get" action="/console" aria-label="What the overview shows" data-zone="">
			<ChoiceField name="range" label="Range" options={RANGE_OPTIONS} chosen={name} />
			<div class="own-days">
				<Field name="since" label="From">
					{(attributes) => <input {...attributes} type="date" value={formatDay(sinceMs, zone)} />}
				</Field>
				<Field name="until" label="To">
					{(attributes) => <input {...attributes} type="date" value={formatDay(untilMs - 1, zone)} />}
				</Field>
			</div>
			<ChoiceField name="by" label="Stacked by" options={STACKS} chosen={stack} />
			<ChoiceField name="time_zone" label="Time zone" options={zoneOptions(zone)} chosen={zone} />
			<button type="submit" class="quiet">
				Show
			</button>
		</form>
	);
}
