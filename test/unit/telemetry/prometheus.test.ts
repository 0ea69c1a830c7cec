// The text of a scrape: what Prometheus' own tool finds nothing wrong with, and reads as it was counted.
import { spawnSync } from "node:child_process";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type GaugePoint, type MetricPoint, toMetricPoints } from "../../../src/telemetry/metric-points.ts";
import { MetricSums } from "../../../src/telemetry/metric-sums.ts";
import { METRIC_TABLE, type MetricName } from "../../../src/telemetry/metric-table.ts";
import { prometheusLabel, prometheusName, renderPrometheus } from "../../../src/telemetry/prometheus.ts";
import { checkTelemetry, countedToolCall, refusedTelemetry, requestTelemetry } from "../../support/telemetry.ts";

const NAMES = Object.keys(METRIC_TABLE) as MetricName[];

function keyGauge(key: string): GaugePoint {
	return {
		metric: "svc.provider.keys",
		kind: "gauge",
		labels: { provider: "openai", key, state: "ready" },
		value: 1,
	};
}

const PENDINGS: GaugePoint = { metric: "svc.agent.pending", kind: "gauge", labels: { kind: "approval" }, value: 2 };

/** A scrape with every metric. */
function scrape(key = "main"): string {
	const sums = new MetricSums(["user", "key"], 3);
	for (const model of ["a", "b", "c", "d"]) sums.addRequest(requestTelemetry({ model }));
	sums.addRequest(refusedTelemetry({ count: 7 }));
	sums.addCheck(checkTelemetry());
	sums.addToolCall(countedToolCall());
	sums.addSpans("dropped", 3);
	return renderPrometheus(toMetricPoints(sums, [keyGauge(key), PENDINGS], true));
}

const hasPromtool = spawnSync("promtool", ["--version"]).status === 0;

describe("the text of a scrape", () => {
	it("has each metric once, with its help and its type before its values", () => {
		const lines = scrape().split("\n");
		expect(lines.pop()).toBe("");
		for (const metric of NAMES) {
			const name = prometheusName(metric);
			const at = lines.indexOf(`# TYPE ${name} ${METRIC_TABLE[metric].kind}`);
			expect(lines[at - 1]).toMatch(new RegExp(`^# HELP ${name} .+`));
			expect(lines[at + 1]?.startsWith(name)).toBe(true);
			expect(lines.filter((line) => line.startsWith(`# TYPE ${name} `))).toHaveLength(1);
		}
		const families = lines
			.filter((line) => !line.startsWith("#"))
			.map((line) => line.replace(/\{.*| .*/g, "").replace(/_(?:bucket|sum|count)$/, ""));
		expect(families.filter((name, i) => name !== families[i - 1])).toHaveLength(NAMES.length);
	});

	it("has buckets that hold those before them, seconds and USD", () => {
		const sums = new MetricSums();
		for (const latencyMs of [40, 60, 70_000, 9_000_000]) sums.addRequest(requestTelemetry({ latencyMs }));
		const text = renderPrometheus(toMetricPoints(sums, [], false));
		const labels = 'kind="chat",model="gpt-5.4",provider="openai",outcome="complete"';
		const bucket = (le: string) => `svc_request_duration_seconds_bucket{${labels},le="${le}"}`;
		expect(text).toContain(`${bucket("0.05")} 1\n`);
		expect(text).toContain(`${bucket("0.1")} 2\n`);
		expect(text).toContain(`${bucket("120")} 3\n`);
		expect(text).toContain(`${bucket("1800")} 3\n`);
		expect(text).toContain(`${bucket("+Inf")} 4\n`);
		expect(text).toContain(`svc_request_duration_seconds_sum{${labels}} 9070.1\n`);
		expect(text).toContain(`svc_request_duration_seconds_count{${labels}} 4\n`);
		expect(text).toContain('svc_cost_usd_total{model="gpt-5.4",provider="openai"} 0.017\n');
	});

	it("leaves out the conventions' former metrics unless they are asked for", () => {
		const sums = new MetricSums();
		sums.addRequest(requestTelemetry());
		expect(renderPrometheus(toMetricPoints(sums, [], false))).not.toContain("gen_ai_client_token_usage");
		expect(renderPrometheus(toMetricPoints(sums, [], true))).toContain("gen_ai_client_token_usage_bucket");
	});

	it("is empty where nothing was counted", () => {
		expect(renderPrometheus(toMetricPoints(new MetricSums(), [], true))).toBe("");
	});

	it("escapes what a label's value may hold, so that each line stays one and is read as it was", () => {
		fc.assert(
			fc.property(fc.string({ unit: "binary" }), (value) => {
				const point: MetricPoint = { metric: "svc.attempts", kind: "counter", labels: { model: value }, value: 2 };
				const lines = renderPrometheus([point]).split("\n");
				expect(lines).toHaveLength(4);
				const [, quoted] = /^svc_attempts_total\{model="((?:[^"\\]|\\.)*)"\} 2$/s.exec(lines[2] ?? "") ?? [];
				expect.assert(quoted !== undefined);
				const read = quoted.replace(/\\(.)/gs, (_, character) => (character === "n" ? "\n" : character));
				expect(read).toBe(value.toWellFormed());
			}),
		);
	});

	it("has names and labels in the form that Prometheus takes", () => {
		for (const metric of NAMES) expect(prometheusName(metric)).toMatch(/^[a-z][a-z0-9_]*$/);
		expect(prometheusLabel("gen_ai.provider.name")).toBe("gen_ai_provider_name");
		expect(new Set(NAMES.map(prometheusName)).size).toBe(NAMES.length);
	});

	it.skipIf(!hasPromtool)("passes `promtool check metrics` (Debian's package prometheus)", () => {
		for (const key of ["main", 'quote " backslash \\ line\nfeed é 漢 \ud800']) {
			const { stdout, stderr, status } = spawnSync("promtool", ["check", "metrics"], {
				input: scrape(key),
				encoding: "utf8",
			});
			expect(`${stdout}${stderr}`).toBe("");
			expect(status).toBe(0);
		}
	});
});
