// The tables of spans and metrics in the documents, from the tables of the code. Pure.
import { ERROR_CLASSES, ERROR_CODES, errorClass } from "../telemetry/error-class.ts";
import { LISTED_LABELS } from "../telemetry/metric-groups.ts";
import { METRIC_TABLE, type MetricDefinition, type MetricName } from "../telemetry/metric-table.ts";
import { prometheusName } from "../telemetry/prometheus.ts";
import { ATTRIBUTES, SPAN_EVENTS, SPANS } from "../telemetry/span-table.ts";
import { asCode, type DocumentTable, replaceRows } from "./document-tables.ts";

function asList(names: readonly string[]): string {
	return names.map(asCode).join(", ");
}

function metricLabels(definition: MetricDefinition): string {
	if (definition.kind === "gauge") return asList(definition.labels);
	const own = definition.parts.flatMap(({ labels }) => Object.keys(labels ?? {}));
	const all = [...Object.keys(definition.labels), ...new Set(own)];
	return `${asList(all)}${definition.takesListed ? `; ${asList(LISTED_LABELS)} where listed` : ""}`;
}

function toMetricRow([name, definition]: [string, MetricDefinition]): string[] {
	const { kind, unit, description, isFormer } = definition;
	const told = isFormer ? `${description} Only with \`OTLP_LEGACY_METRICS=on\`.` : description;
	return [asCode(name), asCode(prometheusName(name as MetricName)), kind, asCode(unit), metricLabels(definition), told];
}

const TELEMETRY_TABLES: readonly DocumentTable[] = [
	{
		head: "| span | name | kind | what it is |",
		rows: Object.entries(SPANS).map(([type, { name, kind, description }]) => [type, name, kind, description]),
	},
	{
		head: "| attribute | type | spans | meaning |",
		rows: Object.entries(ATTRIBUTES).map(([name, { type, on, description }]) => [
			asCode(name),
			type,
			on.length === Object.keys(SPANS).length ? "all" : on.join(", "),
			description,
		]),
	},
	{
		head: "| event | attributes | meaning |",
		rows: Object.entries(SPAN_EVENTS).map(([name, { attributes, description }]) => [
			asCode(name),
			asList(attributes),
			description,
		]),
	},
	{
		head: "| metric | for Prometheus | kind | unit | labels | meaning |",
		rows: Object.entries(METRIC_TABLE).map(toMetricRow),
	},
	{
		head: "| class | codes |",
		rows: ERROR_CLASSES.map((name) => [asCode(name), asList(ERROR_CODES.filter((code) => errorClass(code) === name))]),
	},
];

/** Each stands on one page. */
export const TELEMETRY_TABLE_HEADS: readonly string[] = TELEMETRY_TABLES.map(({ head }) => head);

/** A page of the documents with its tables of spans and metrics as the code has them. */
export function fillTelemetryTables(page: string): string {
	return TELEMETRY_TABLES.reduce(replaceRows, page);
}
