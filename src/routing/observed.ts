// What a service has observed of its providers and a conversation, as data that decisions depend on and answers show: with
// it, a decision can be repeated. Pure; who observes is inference/observe.edge.ts.
import * as z from "zod";

const byName = <T extends z.ZodType>(value: T) => z.record(z.string(), value);

/** Members are left out when there is nothing to say. */
export const observedSchema = z.lazy(() =>
	z.object({
		at: z.iso.datetime().describe("The hour in which the decision was made; prices may depend on it."),
		conversation_model: z.string().optional().describe("The model that has served the conversation so far."),
		open_breakers: byName(z.int().min(0))
			.optional()
			.describe("By provider: for how many ms its breaker has been open."),
		throttled: byName(z.int().min(0)).optional().describe("By model: ms until it may be called again after a 429."),
		slowdown: byName(z.number().min(1))
			.optional()
			.describe("By model: how many times as long as the catalog says its answers have taken lately."),
		failure_share: byName(z.number().min(0).max(1))
			.optional()
			.describe("By model: the share of its calls that have failed lately."),
		not_served: byName(z.int().min(0))
			.optional()
			.describe(
				"Models that their providers lately said they do not serve, which are passed by: ms until a request that names one asks again.",
			),
	}),
);

/** What was observed when a decision was made. */
export type Observed = z.infer<typeof observedSchema>;

/** The same without the time, which the request has. */
export type Observations = Omit<Observed, "at">;

/** What was observed of one model. */
export interface ModelObservation {
	/** At least 1. */
	slowdown: number;
	/** 0 to 1. */
	failureShare: number;
}

/** A model that works as the catalog says. */
const AS_EXPECTED: ModelObservation = { slowdown: 1, failureShare: 0 };

/** What was observed of a model. */
export function findObservation({ slowdown, failure_share }: Observations, modelId: string): ModelObservation {
	if (slowdown?.[modelId] === undefined && failure_share?.[modelId] === undefined) return AS_EXPECTED;
	return { slowdown: slowdown?.[modelId] ?? 1, failureShare: failure_share?.[modelId] ?? 0 };
}

/** A model as observations name it. */
type NamedModel = { id: string; provider: string };

function onlyNamed<T>(
	values: Record<string, T> | undefined,
	models: readonly NamedModel[],
	member: keyof NamedModel,
): Record<string, T> | undefined {
	const all = Object.entries(values ?? {});
	if (all.length === 0) return undefined;
	const names = new Set(models.map((model) => model[member]));
	const entries = all.filter(([name]) => names.has(name));
	return entries.length === 0 ? undefined : Object.fromEntries(entries);
}

/** Prices change on the hour. */
const HOUR_MS = 3_600_000;

/** The part that matters for these models, and what kept others from being among them, with the hour. Empty members are left out. */
export function toObserved(observations: Observations, models: readonly NamedModel[], nowMs: number): Observed {
	const at = new Date(nowMs - (nowMs % HOUR_MS)).toISOString();
	const { conversation_model, not_served = {} } = observations;
	const open_breakers = onlyNamed(observations.open_breakers, models, "provider");
	const throttled = onlyNamed(observations.throttled, models, "id");
	const slowdown = onlyNamed(observations.slowdown, models, "id");
	const failure_share = onlyNamed(observations.failure_share, models, "id");
	return {
		at,
		...(conversation_model === undefined ? {} : { conversation_model }),
		...(open_breakers ? { open_breakers } : {}),
		...(throttled ? { throttled } : {}),
		...(slowdown ? { slowdown } : {}),
		...(failure_share ? { failure_share } : {}),
		...(Object.keys(not_served).length > 0 ? { not_served } : {}),
	};
}
