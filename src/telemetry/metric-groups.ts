// How counts are stored: a series is one set of labels with a vector of whole numbers, in which each group of metrics has its slots. So one
// request changes three series, whatever number of metrics follows from them. Pure.

/** A slot is a counter, or a histogram: a count for each bound and one above them all, then their sum. */
interface Slot {
	name: string;
	bounds?: readonly number[];
}

interface GroupDefinition {
	/** Labels of its series, in the order of their keys. */
	labels: readonly string[];
	/** Also those that the operator lists. */
	takesListed?: true;
	/** Slots are only ever added at the end: a vector of an older version is a shorter one. */
	slots: readonly Slot[];
}

/** The bounds that the GenAI conventions ask for: durations in ms, and tokens. */
const CALL_BOUNDS = [10, 20, 40, 80, 160, 320, 640, 1_280, 2_560, 5_120, 10_240, 20_480, 40_960, 81_920];
const TOKEN_BOUNDS = Array.from({ length: 14 }, (_, i) => 4 ** i);
/** Of whole requests, which may be runs of half an hour; ms. */
const REQUEST_BOUNDS = [
	50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 30_000, 60_000, 120_000, 300_000, 600_000, 1_800_000,
];

export const METRIC_GROUPS = {
	/** One entry for each request that ended. */
	request: {
		labels: ["kind", "model", "provider", "outcome", "code"],
		takesListed: true,
		slots: [
			{ name: "requests" },
			{ name: "fallbacks" },
			{ name: "cacheHits" },
			{ name: "cacheMisses" },
			{ name: "duration", bounds: REQUEST_BOUNDS },
			{ name: "firstToken", bounds: REQUEST_BOUNDS },
		],
	},
	/** One entry for each attempt. */
	call: {
		labels: ["operation", "model", "provider", "error", "status"],
		slots: [{ name: "calls" }, { name: "duration", bounds: CALL_BOUNDS }, { name: "firstChunk", bounds: CALL_BOUNDS }],
	},
	/** One entry for each model that a request was billed for. */
	usage: {
		labels: ["operation", "model", "provider"],
		takesListed: true,
		slots: [
			{ name: "input" },
			{ name: "output" },
			{ name: "cacheRead" },
			{ name: "cacheWrite" },
			{ name: "reasoning" },
			{ name: "costNanoUsd" },
			{ name: "inputSizes", bounds: TOKEN_BOUNDS },
			{ name: "outputSizes", bounds: TOKEN_BOUNDS },
		],
	},
	/** One entry for each decision of the policy. */
	check: { labels: ["decision", "tier"], slots: [{ name: "checks" }] },
	/** One entry for each call of a run's tool. */
	tool: {
		labels: ["kind", "outcome", "decision", "by"],
		slots: [{ name: "calls" }, { name: "duration", bounds: REQUEST_BOUNDS }],
	},
	/** One entry for each span that was sent or dropped. */
	span: { labels: ["result"], slots: [{ name: "spans" }] },
} as const satisfies Record<string, GroupDefinition>;

export type MetricGroup = keyof typeof METRIC_GROUPS;
export type SlotName<G extends MetricGroup> = (typeof METRIC_GROUPS)[G]["slots"][number]["name"];

/** The labels that an operator may list: they may have as many values as there are users. */
export const LISTED_LABELS = ["user", "key"] as const;
export type ListedLabel = (typeof LISTED_LABELS)[number];

/** Where a slot lies in the vector of its group. */
export interface SlotPlace {
	start: number;
	/** Null for a counter. */
	bounds: readonly number[] | null;
}

function slotLength({ bounds }: Slot): number {
	return bounds ? bounds.length + 2 : 1;
}

function layOut({ slots }: GroupDefinition): { places: ReadonlyMap<string, SlotPlace>; length: number } {
	let length = 0;
	const places = new Map<string, SlotPlace>();
	for (const slot of slots) {
		places.set(slot.name, { start: length, bounds: slot.bounds ?? null });
		length += slotLength(slot);
	}
	return { places, length };
}

const LAYOUTS = new Map(Object.entries(METRIC_GROUPS).map(([group, definition]) => [group, layOut(definition)]));

/** How many numbers a series of a group has; 0 for a group that there is not. */
export function vectorLength(group: string): number {
	return LAYOUTS.get(group)?.length ?? 0;
}

/** @throws Error for a slot that the group does not have: the table of metrics is wrong. */
export function slotPlace(group: MetricGroup, slot: string): SlotPlace {
	const place = LAYOUTS.get(group)?.places.get(slot);
	if (!place) throw new Error(`the group ${group} has no slot ${slot}`);
	return place;
}

/** Names of a group's labels, in the order of its keys; those that the operator may list come last. */
export function groupLabels(group: MetricGroup): readonly string[] {
	const definition: GroupDefinition = METRIC_GROUPS[group];
	return definition.takesListed ? [...definition.labels, ...LISTED_LABELS] : definition.labels;
}

/** Adds a value to a slot of a vector: to a counter, or `times` times to a histogram. */
export function addToSlot(vector: number[], { start, bounds }: SlotPlace, value: number, times = 1): void {
	if (!bounds) {
		vector[start] = (vector[start] ?? 0) + value * times;
		return;
	}
	const above = bounds.findIndex((bound) => value <= bound);
	const bucket = start + (above < 0 ? bounds.length : above);
	vector[bucket] = (vector[bucket] ?? 0) + times;
	const sum = start + bounds.length + 1;
	vector[sum] = (vector[sum] ?? 0) + value * times;
}
