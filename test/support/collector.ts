// Telemetry of the service under test: its settings for a while, and a collector in place of the network.
import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { cachedSettings, type OtlpTarget, type TelemetrySettings } from "../../src/settings.ts";
import { call } from "./service.ts";

export const TEST_METRICS_TOKEN = "test-metrics-token-0123456789";
const COLLECTOR = "https://collector.example.com/otlp";

/** A collector's address. A new one has an exporter of its own. */
export function aCollector(): OtlpTarget {
	return {
		tracesUrl: `${COLLECTOR}/v1/traces`,
		metricsUrl: `${COLLECTOR}/v1/metrics`,
		headers: [["x-scope", "tests"]],
	};
}

/** What objects are called with. */
export type AnyStub = DurableObjectStub<undefined>;

/** Gives the Worker the token of metrics, which its users' objects do not count for that. To be restored. */
export function useMetricsToken(): { restore(): void } {
	const { telemetry } = cachedSettings(env);
	telemetry.metricsToken = TEST_METRICS_TOKEN;
	return {
		restore() {
			telemetry.metricsToken = null;
		},
	};
}

/** Changes the settings of Worker and objects. Objects that are awake have counted, or not, since they woke. To be restored. */
export async function useTelemetry(changed: Partial<TelemetrySettings>): Promise<{ restore(): void }> {
	// All objects of this isolate have one environment, which is not the Worker's.
	const ofObjects = await runInDurableObject(metricsStub(), (instance) => (instance as unknown as { env: Env }).env);
	const before = [cachedSettings(env), cachedSettings(ofObjects)].map(({ telemetry }) => {
		const as = { ...telemetry };
		Object.assign(telemetry, changed);
		return () => void Object.assign(telemetry, as);
	});
	return {
		restore() {
			for (const restore of before) restore();
		},
	};
}

export interface ReceivedExport {
	url: string;
	headers: Headers;
	// biome-ignore lint/suspicious/noExplicitAny: tests read what they expect.
	body: any;
}

export interface Collector {
	received: ReceivedExport[];
	/** Spans that were taken, in the order of their arrival. */
	// biome-ignore lint/suspicious/noExplicitAny: tests read what they expect.
	spans(): any[];
	restore(): void;
}

/**
 * Answers what is sent to the collector; every other request goes on as before. To be called after `useSandbox`, and restored before it.
 * @param answer the answer to the nth request, from 0. What it throws breaks the connection.
 */
export function useCollector(
	answer: (nth: number, signal: AbortSignal) => Response | Promise<Response> = () => new Response("{}"),
): Collector {
	const before = globalThis.fetch;
	const received: ReceivedExport[] = [];
	const taken: ReceivedExport[] = [];
	globalThis.fetch = async (input, init) => {
		const url = input instanceof Request ? input.url : String(input);
		if (!url.startsWith(COLLECTOR)) return before(input, init);
		const { headers, signal } = new Request(input as RequestInfo, init);
		const request = { url, headers, body: JSON.parse(String(init?.body)) };
		received.push(request);
		const response = await answer(received.length - 1, signal);
		if (response.ok) taken.push(request);
		return response;
	};
	return {
		received,
		spans: () =>
			taken
				.filter(({ url }) => url.endsWith("/v1/traces"))
				.flatMap(({ body }) => body.resourceSpans)
				.flatMap(({ scopeSpans }) => scopeSpans)
				.flatMap(({ spans }) => spans),
		restore() {
			globalThis.fetch = before;
		},
	};
}

export const metricsStub = () => env.METRICS.getByName("metrics") as unknown as AnyStub;

/** Runs the alarm of the object of metrics. */
export function metricsAlarm(): Promise<boolean> {
	return runDurableObjectAlarm(metricsStub());
}

/** Looks into the tables of the object of metrics. */
export function inMetrics<T>(work: (sql: SqlStorage) => T): Promise<T> {
	return runInDurableObject(metricsStub(), (_, { storage }) => work(storage.sql));
}

/** The text of `GET /metrics`. */
export async function scrape(): Promise<string> {
	const response = await call("/metrics", { headers: { authorization: `Bearer ${TEST_METRICS_TOKEN}` } });
	if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`);
	return response.text();
}

/** A sample of Prometheus' text: its value, or their sum where several series have these labels. */
export function sample(text: string, name: string, labels: Readonly<Record<string, string>> = {}): number {
	return text
		.split("\n")
		.filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `))
		.filter((line) => Object.entries(labels).every(([label, value]) => line.includes(`${label}="${value}"`)))
		.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(" ") + 1)), 0);
}
