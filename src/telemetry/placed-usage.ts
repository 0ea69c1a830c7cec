// Which span of a request says what was used. Pure.
import { asksOneModel } from "./operations.ts";
import type { AttemptTelemetry, ModelUsageTelemetry, RequestTelemetry, TokenTelemetry } from "./request-telemetry.ts";

/** What was used, by the span that says it. */
export interface PlacedUsage {
	/** Null where nothing is left for the request's own span. */
	ofRequest: TokenTelemetry | null;
	/** By index. */
	ofAttempts: ReadonlyMap<number, TokenTelemetry>;
}

/** The sum of what providers say; null where none says anything. */
function sumKnown(values: readonly (number | null)[]): number | null {
	const known = values.filter((value) => value !== null);
	return known.length > 0 ? known.reduce((sum, value) => sum + value, 0) : null;
}

function sumTokens(parts: readonly TokenTelemetry[]): TokenTelemetry {
	return {
		input: parts.reduce((sum, { input }) => sum + input, 0),
		output: parts.reduce((sum, { output }) => sum + output, 0),
		cacheRead: sumKnown(parts.map(({ cacheRead }) => cacheRead)),
		cacheWrite: sumKnown(parts.map(({ cacheWrite }) => cacheWrite)),
		reasoning: sumKnown(parts.map(({ reasoning }) => reasoning)),
	};
}

/** The attempt that stands for a model's calls: the last that served, else the last; -1 where none is known. */
function findAttemptOf({ attempts }: RequestTelemetry, { model, provider }: ModelUsageTelemetry): number {
	const isOfModel = (attempt: AttemptTelemetry) => attempt.model === model && attempt.provider === provider;
	const served = attempts.findLastIndex((attempt) => isOfModel(attempt) && attempt.error === null);
	return served >= 0 ? served : attempts.findLastIndex(isOfModel);
}

/**
 * Where the tokens stand: on the request's span where it called one model, else on that of each model. Whoever adds up the spans of a
 * trace counts each token once, under the model that used it.
 */
export function placeUsage(request: RequestTelemetry): PlacedUsage {
	const { usage, tokens, model, costNanoUsd } = request;
	const none = new Map<number, TokenTelemetry>();
	// A request that no model answered used nothing, and says nothing of it.
	if (model === null && usage.length === 0 && costNanoUsd === 0) return { ofRequest: null, ofAttempts: none };
	if (usage.length === 0 || (usage.length === 1 && asksOneModel(request)))
		return { ofRequest: tokens, ofAttempts: none };
	const byAttempt = Map.groupBy(usage, (part) => findAttemptOf(request, part));
	const unplaced = byAttempt.get(-1)?.map((part) => part.tokens) ?? [];
	byAttempt.delete(-1);
	return {
		ofRequest: unplaced.length > 0 ? sumTokens(unplaced) : null,
		ofAttempts: new Map([...byAttempt].map(([i, parts]) => [i, sumTokens(parts.map((part) => part.tokens))])),
	};
}
