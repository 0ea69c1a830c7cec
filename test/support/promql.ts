// Queries of Prometheus in the dashboard and the documents, against what the service exports.
import { parser } from "@prometheus-io/lezer-promql";
import { METRIC_TABLE, type MetricName } from "../../src/telemetry/metric-table.ts";
import { prometheusLabel, prometheusName } from "../../src/telemetry/prometheus.ts";

/** Labels by the names of time series that a scrape has. */
export const EXPORTED_SERIES: ReadonlyMap<string, ReadonlySet<string>> = new Map(
	(Object.keys(METRIC_TABLE) as MetricName[]).flatMap((metric) => {
		const definition = METRIC_TABLE[metric];
		const names =
			definition.kind === "gauge"
				? definition.labels
				: [...Object.keys(definition.labels), ...definition.parts.flatMap(({ labels }) => Object.keys(labels ?? {}))];
		const labels = names.map(prometheusLabel);
		const name = prometheusName(metric);
		if (definition.kind !== "histogram") return [[name, new Set(labels)] as const];
		return [
			[`${name}_bucket`, new Set([...labels, "le"])] as const,
			[`${name}_sum`, new Set(labels)] as const,
			[`${name}_count`, new Set(labels)] as const,
		];
	}),
);

/** The variables of Grafana as it would fill them in. */
export function fillIn(expression: string): string {
	return expression.replaceAll("$__rate_interval", "5m").replaceAll(/\$(?:model|provider)\b/g, ".*");
}

/** What an expression names, and whether it is PromQL. */
export function readExpression(expression: string) {
	const metrics: string[] = [];
	const labels: string[] = [];
	let hasError = false;
	parser.parse(expression).iterate({
		enter: ({ type, from, to, node }) => {
			hasError ||= type.isError;
			const word = expression.slice(from, to);
			if (type.name === "Identifier" && node.parent?.name === "VectorSelector") metrics.push(word);
			if (type.name === "LabelName") labels.push(word);
		},
	});
	return { metrics, labels, hasError };
}

/**
 * What is wrong with a query: no PromQL, or a metric or a label that the service does not export.
 * @param legend what Grafana shows beside its result.
 */
export function findQueryFaults(expression: string, legend = ""): string[] {
	const { metrics, labels, hasError } = readExpression(fillIn(expression));
	const shown = [...legend.matchAll(/\{\{(\w+)\}\}/g)].map(([, name = ""]) => name);
	const unknown = metrics.filter((name) => !EXPORTED_SERIES.has(name));
	const foreign = metrics.flatMap((name) =>
		[...labels, ...shown].filter((label) => EXPORTED_SERIES.has(name) && !EXPORTED_SERIES.get(name)?.has(label)),
	);
	const lost = shown.filter((label) => !labels.includes(label));
	return [
		...(hasError ? ["is no PromQL"] : []),
		...(metrics.length === 0 ? ["reads no metric"] : []),
		...unknown.map((name) => `no metric is named ${name}`),
		...foreign.map((label) => `a metric has no label ${label}`),
		...lost.map((label) => `${label} is shown and not grouped by`),
	];
}
