// The dashboard: each query is PromQL, and each metric and label that it names is one that the service exports.
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { METRIC_TABLE, type MetricName } from "../../../src/telemetry/metric-table.ts";
import { prometheusName } from "../../../src/telemetry/prometheus.ts";
import { EXPORTED_SERIES, fillIn, findQueryFaults, readExpression } from "../../support/promql.ts";

const targetSchema = z.object({ expr: z.string(), legendFormat: z.string(), refId: z.string() });
const panelSchema = z.object({
	id: z.int(),
	type: z.enum(["row", "stat", "timeseries", "table"]),
	title: z.string().min(1),
	gridPos: z.object({ x: z.int(), y: z.int(), w: z.int(), h: z.int() }),
	targets: z.array(targetSchema).default([]),
});
const dashboardSchema = z.object({
	title: z.literal("svc"),
	templating: z.object({
		list: z.array(z.object({ name: z.string(), type: z.string(), definition: z.string().optional() })),
	}),
	panels: z.array(panelSchema),
});

const text = readFileSync("src/deploy/grafana.json", "utf8");
const { panels, templating } = dashboardSchema.parse(JSON.parse(text));
const targets = panels.flatMap(({ title, targets }) => targets.map((target) => ({ title, ...target })));

describe("the dashboard", () => {
	it.each(targets)("$title: $expr", ({ expr, legendFormat }) => {
		expect(findQueryFaults(expr, legendFormat)).toEqual([]);
	});

	it("has variables that are read from labels of metrics", () => {
		const queries = templating.list.flatMap(({ definition }) => definition ?? []);
		expect(queries).toHaveLength(2);
		for (const query of queries) {
			const [, metric = "", label = ""] = /^label_values\((\w+), (\w+)\)$/.exec(query) ?? [];
			expect(EXPORTED_SERIES.get(metric)?.has(label)).toBe(true);
		}
		const known = templating.list.map(({ name }) => name);
		const used = [...text.matchAll(/\$\{?([a-z]\w*)/g)].map(([, name = ""]) => name);
		expect([...new Set(used)].filter((name) => !known.includes(name))).toEqual([]);
	});

	it("shows each of our metrics, and those of the conventions by which providers differ", () => {
		const shown = new Set(targets.flatMap(({ expr }) => readExpression(fillIn(expr)).metrics));
		const ours = (Object.keys(METRIC_TABLE) as MetricName[]).filter((name) => name.startsWith("svc."));
		const missing = ours.filter((metric) => {
			const name = prometheusName(metric);
			return !shown.has(name) && !shown.has(`${name}_bucket`);
		});
		expect(missing).toEqual([]);
	});

	it("has panels with ids of their own, which do not overlap", () => {
		expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
		const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
			Array.from({ length: w * h }, (_, i) => `${x + (i % w)} ${y + Math.floor(i / w)}`),
		);
		expect(new Set(cells).size).toBe(cells.length);
		for (const { gridPos } of panels) expect(gridPos.x + gridPos.w).toBeLessThanOrEqual(24);
	});

	it("would be told of a metric, a label or a query that is wrong", () => {
		expect(findQueryFaults("sum(rate(svc_requests[5m]))")).toEqual(["no metric is named svc_requests"]);
		expect(findQueryFaults("sum by (user) (rate(svc_requests_total[5m]))")).toEqual(["a metric has no label user"]);
		expect(findQueryFaults('svc_requests_total{code="x"}')).toEqual(["a metric has no label code"]);
		expect(findQueryFaults("sum(rate(svc_requests_total[5m])")).toEqual(["is no PromQL"]);
		expect(findQueryFaults("sum(rate(svc_requests_total[5m]))", "{{model}}")).toEqual([
			"model is shown and not grouped by",
		]);
	});
});
