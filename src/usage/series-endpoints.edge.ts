// A user's usage over time, for charts: by the hour or the day of a time zone.
import * as z from "zod";
import { endpoint } from "../account/endpoint.ts";
import { readableMakers } from "../account/makers.ts";
import { ok } from "../failure.ts";
import type { Endpoint } from "../http/endpoint.ts";
import { findKeyLabels } from "./groups.store.ts";
import {
	namesToRead,
	SERIES_COLUMNS,
	seriesQueryMembers,
	toSeriesAnswer,
	toSeriesSteps,
	usageSeriesSchema,
} from "./series-views.ts";

const getUsageSeriesEndpoint = endpoint({
	id: "get_usage_series",
	method: "GET",
	path: "/v1/usage/series",
	access: "key",
	countsTowardsDay: false,
	toolGroup: "account",
	page: "overview",
	summary:
		"The caller's usage over time: requests, failures, tokens, cost and latency, by model, provider, key and more.",
	description: "To draw charts, and to see when and by what usage has changed.",
	query: z.lazy(() => z.object(seriesQueryMembers())),
	result: usageSeriesSchema,
	ids: "none",
	example: { query: { group_by: "model", step: "day" } },
	async handle({ query, context }) {
		const { account, db, meter, settings, startedAtMs, timings } = context;
		const steps = toSeriesSteps(query, startedAtMs);
		if (!steps.ok) return steps;
		const grouping = query.group_by;
		const read = await meter(account.userId).usageSeries({
			...steps.value,
			isByDay: query.step === "day",
			column: grouping === undefined ? null : SERIES_COLUMNS[grouping],
			apiKeyIds: readableMakers(account),
			mostNames: namesToRead(grouping, query.limit),
		});
		const ids = grouping === "key" || grouping === "tag" ? read.series.map(({ name }) => name) : [];
		const keys =
			ids.length === 0 ? new Map() : await timings.measure("d1", () => findKeyLabels(db, account.userId, ids));
		const toProvider = (model: string) => settings.catalog.findModel(model)?.provider ?? "";
		return ok(toSeriesAnswer({ query, endMs: steps.value.endMs, read, keys, toProvider }));
	},
});

export const usageSeriesEndpoints: readonly Endpoint[] = [getUsageSeriesEndpoint];
