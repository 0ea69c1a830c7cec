// What has been counted: by a user's object since it last sent it, and by the one object that adds it all up. Sums of whole numbers, so
// that the order and the grouping of what is added change nothing. Pure.

import {
	addToSlot,
	groupLabels,
	LISTED_LABELS,
	type ListedLabel,
	METRIC_GROUPS,
	type MetricGroup,
	type SlotName,
	slotPlace,
	vectorLength,
} from "./metric-groups.ts";
import { toOperation } from "./operations.ts";
import type { PolicyCheckTelemetry, RequestTelemetry, TokenTelemetry } from "./request-telemetry.ts";

/** What a request's row says that is counted. */
export type CountedRequest = Pick<
	RequestTelemetry,
	| "kind"
	| "userId"
	| "keyId"
	| "latencyMs"
	| "firstTokenMs"
	| "outcome"
	| "error"
	| "count"
	| "model"
	| "provider"
	| "fallbackFrom"
	| "tokens"
	| "costNanoUsd"
	| "usage"
	| "attempts"
	| "isStream"
>;

/** A call of a run's tool, as it is counted: words of the service alone. */
export interface CountedToolCall {
	/** The type of its tool. */
	kind: string;
	/** The state in which it ended. */
	outcome: string;
	/** The one that stood, and whose it was; null where nobody decided. */
	decision: string | null;
	by: "person" | "policy" | null;
	/** Null where it did not run. */
	ms: number | null;
}

/** Vectors by the keys of their series: JSON. */
export type MetricDeltas = Readonly<Record<string, readonly number[]>>;

/** One source's deltas. A batch is frozen when it gets its number, and sent until it is taken; then the next number follows. */
export interface MetricBatchOfSource {
	/** A user's id, or what else counts. */
	source: string;
	/** Counts from 1. */
	number: number;
	deltas: MetricDeltas;
}

/** The labels of a series; null for the one that takes what is beyond the bound of its group. */
export interface SeriesName {
	group: MetricGroup;
	labels: Readonly<Record<string, string>> | null;
}

/** Most series that are kept of a group, the one for all others besides. A scrape of three such groups has some 10 MB. */
export const MAX_SERIES = 1_000;
/** Longer values of labels are cut: models of operators have names of any length. */
const MAX_LABEL_CHARS = 128;

function isGroup(name: unknown): name is MetricGroup {
	return typeof name === "string" && Object.hasOwn(METRIC_GROUPS, name);
}

/** The key of a series: its group and the values of its labels, as JSON. */
function seriesKey(group: MetricGroup, labels: Readonly<Record<string, string | null>>): string {
	const values = groupLabels(group).map((name) => (labels[name] ?? "").slice(0, MAX_LABEL_CHARS));
	while (values.at(-1) === "") values.pop();
	return JSON.stringify([group, ...values]);
}

/** The key of the series that takes what is beyond the bound. */
function overflowKey(group: MetricGroup): string {
	return JSON.stringify([group, null]);
}

/** The series of a key; null for a text that is none. Labels without a value are left out. */
export function parseSeriesKey(key: string): SeriesName | null {
	let parts: unknown;
	try {
		parts = JSON.parse(key);
	} catch {
		return null;
	}
	if (!Array.isArray(parts)) return null;
	const [group, ...values] = parts as unknown[];
	if (!isGroup(group)) return null;
	if (values.length === 1 && values[0] === null) return { group, labels: null };
	const names = groupLabels(group);
	if (values.length > names.length || !values.every((value) => typeof value === "string")) return null;
	const labels = names.map((name, i) => [name, values[i] ?? ""] as const).filter(([, value]) => value !== "");
	return { group, labels: Object.fromEntries(labels) };
}

/** Whole numbers from 0 on, no more than the group has. */
function isVector(vector: unknown, length: number): vector is readonly number[] {
	return (
		Array.isArray(vector) &&
		vector.length > 0 &&
		vector.length <= length &&
		vector.every((value) => Number.isInteger(value) && value >= 0)
	);
}

/** What of the request's tokens stands in no model's entry. */
function restOf(total: number | null, parts: readonly (number | null)[]): number {
	return Math.max(0, (total ?? 0) - parts.reduce<number>((sum, part) => sum + (part ?? 0), 0));
}

export class MetricSums {
	readonly #vectors = new Map<string, number[]>();
	readonly #listed: readonly ListedLabel[];
	readonly #maxSeries: number;
	/** Series of each group, without those for all others. */
	readonly #sizes = new Map<string, number>();

	/** @param listed labels that the operator has listed. @param maxSeries of a group. */
	constructor(listed: readonly ListedLabel[] = [], maxSeries = MAX_SERIES) {
		this.#listed = LISTED_LABELS.filter((name) => listed.includes(name));
		this.#maxSeries = maxSeries;
	}

	get isEmpty(): boolean {
		return this.#vectors.size === 0;
	}

	clear(): void {
		this.#vectors.clear();
		this.#sizes.clear();
	}

	/** All series, as they are sent and stored. */
	toJSON(): MetricDeltas {
		return Object.fromEntries([...this.#vectors].map(([key, vector]) => [key, [...vector]]));
	}

	/** Series with their names, in the order in which they began. */
	*series(): Generator<SeriesName & { vector: readonly number[] }> {
		for (const [key, vector] of this.#vectors) {
			const name = parseSeriesKey(key);
			if (name) yield { ...name, vector };
		}
	}

	/** The vector of a key, or the one for all others where a new series would be one too many. */
	#place(key: string, group: MetricGroup): { key: string; vector: number[] } {
		const known = this.#vectors.get(key);
		if (known) return { key, vector: known };
		const size = this.#sizes.get(group) ?? 0;
		const isOther = key === overflowKey(group);
		if (!isOther && size >= this.#maxSeries) return this.#place(overflowKey(group), group);
		const vector = new Array<number>(vectorLength(group)).fill(0);
		this.#vectors.set(key, vector);
		if (!isOther) this.#sizes.set(group, size + 1);
		return { key, vector };
	}

	#add<G extends MetricGroup>(
		group: G,
		labels: Readonly<Record<string, string | null>>,
		values: readonly (readonly [slot: SlotName<G>, value: number | null, times?: number])[],
	): void {
		const { vector } = this.#place(seriesKey(group, labels), group);
		for (const [slot, value, times] of values)
			if (value !== null) addToSlot(vector, slotPlace(group, slot), Math.max(0, Math.round(value)), times);
	}

	#listedLabels({ userId, keyId }: CountedRequest): Record<string, string | null> {
		const all: Record<ListedLabel, string> = { user: userId, key: keyId };
		return Object.fromEntries(this.#listed.map((name) => [name, all[name]]));
	}

	/** Counts a request that ended, with its attempts and what it was billed. */
	addRequest(request: CountedRequest): void {
		const { kind, model, provider, outcome, error, count, tokens } = request;
		const listed = this.#listedLabels(request);
		const reportsCache = tokens.input > 0 && tokens.cacheRead !== null;
		this.#add("request", { kind, model, provider, outcome, code: error?.code ?? null, ...listed }, [
			["requests", count],
			["fallbacks", request.fallbackFrom === null ? 0 : count],
			["cacheHits", reportsCache && tokens.cacheRead ? count : 0],
			["cacheMisses", reportsCache && !tokens.cacheRead ? count : 0],
			// Nobody knows how long a request took whose process died.
			["duration", request.latencyMs > 0 ? request.latencyMs : null, count],
			["firstToken", request.firstTokenMs, count],
		]);
		this.#addCalls(request);
		this.#addUsage(request, listed);
	}

	#addCalls({ kind, attempts, isStream }: CountedRequest): void {
		for (const { provider, model, error, status, ms, firstTokenMs } of attempts)
			this.#add(
				"call",
				{ operation: toOperation(kind), model, provider, error, status: status === null ? null : `${status}` },
				[
					["calls", 1],
					["duration", ms],
					["firstChunk", isStream ? firstTokenMs : null],
				],
			);
	}

	#addUsage(request: CountedRequest, listed: Readonly<Record<string, string | null>>): void {
		const { kind, usage, tokens, costNanoUsd, model, provider } = request;
		const operation = toOperation(kind);
		for (const part of usage) {
			const labels = { operation, model: part.model, provider: part.provider, ...listed };
			this.#addTokens(labels, part.tokens, part.costNanoUsd);
		}
		const rest = (name: keyof TokenTelemetry) =>
			restOf(
				tokens[name],
				usage.map((part) => part.tokens[name]),
			);
		const left = {
			input: rest("input"),
			output: rest("output"),
			cacheRead: rest("cacheRead"),
			cacheWrite: rest("cacheWrite"),
			reasoning: rest("reasoning"),
		};
		const leftNanoUsd = restOf(
			costNanoUsd,
			usage.map((part) => part.costNanoUsd),
		);
		if (Object.values(left).every((value) => value === 0) && leftNanoUsd === 0) return;
		this.#addTokens({ operation, model, provider, ...listed }, left, leftNanoUsd);
	}

	#addTokens(
		labels: Readonly<Record<string, string | null>>,
		{ input, output, cacheRead, cacheWrite, reasoning }: TokenTelemetry,
		costNanoUsd: number,
	): void {
		this.#add("usage", labels, [
			["input", input],
			["output", output],
			["cacheRead", cacheRead],
			["cacheWrite", cacheWrite],
			["reasoning", reasoning],
			["costNanoUsd", costNanoUsd],
			["inputSizes", input > 0 ? input : null],
			["outputSizes", output > 0 ? output : null],
		]);
	}

	/** Counts a decision of the policy. */
	addCheck({ decision, tier }: Pick<PolicyCheckTelemetry, "decision" | "tier">): void {
		this.#add("check", { decision, tier }, [["checks", 1]]);
	}

	/** Counts a call of a run's tool. */
	addToolCall({ ms, ...labels }: CountedToolCall): void {
		this.#add("tool", labels, [
			["calls", 1],
			["duration", ms],
		]);
	}

	/** Counts spans that were sent, or dropped. */
	addSpans(result: "sent" | "dropped", count: number): void {
		this.#add("span", { result }, [["spans", count]]);
	}

	/**
	 * Adds what another counted. What is no series of this version is left out.
	 * @returns keys of the series that changed.
	 */
	merge(deltas: MetricDeltas): string[] {
		const changed = new Set<string>();
		for (const [key, added] of Object.entries(deltas)) {
			const group = parseSeriesKey(key)?.group;
			if (!group || !isVector(added, vectorLength(group))) continue;
			const place = this.#place(key, group);
			for (const [i, value] of added.entries()) place.vector[i] = (place.vector[i] ?? 0) + value;
			changed.add(place.key);
		}
		return [...changed];
	}

	/**
	 * Adds a source's batch, once.
	 * @param taken the number of the last batch that was taken of the source; 0 for none. The caller stores the new one with the series.
	 * @returns keys of the series that changed; null for a batch that was taken before.
	 */
	take({ number, deltas }: MetricBatchOfSource, taken: number): string[] | null {
		return number > taken ? this.merge(deltas) : null;
	}

	/** The vector of a series by its key. */
	vector(key: string): readonly number[] {
		return this.#vectors.get(key) ?? [];
	}
}
