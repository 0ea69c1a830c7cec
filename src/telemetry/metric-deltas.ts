// What users' objects have counted since they last sent it, and how one object adds it up. Pure.

import type { MetricLabels } from "./metric-point.ts";
import type { ListedLabel, MetricName } from "./metric-table.ts";

/** What was added to one series. */
export type SeriesDelta =
	| { metric: MetricName; labels: MetricLabels; add: number }
	| { metric: MetricName; labels: MetricLabels; counts: readonly number[]; sum: number };

/** What one source has counted of its events with numbers above `after`, up to `through`. JSON. */
export interface MetricsDelta {
	/** A user's id, or what else counts. */
	source: string;
	/** The source's numbers rise by any step. A delta goes on where the one before it ended. */
	after: number;
	through: number;
	series: readonly SeriesDelta[];
}

/** What to count, as the operator set it. */
export interface MetricOptions {
	/** Also the conventions' former metrics. */
	withFormer: boolean;
	listed: readonly ListedLabel[];
}
