// Metrics: the one Durable Object that adds up what users' objects have counted, since a scrape meets one isolate of many. Both forms of
// metrics are made of its sums: what is pushed to the collector and what Prometheus reads.
//
// Crash order. A source freezes and numbers what it counted before it sends it, and sends the same again until this object has answered.
// Sums and the number are written in one transaction, so a source counts once, and no sum falls. A restored service begins anew at zero, as
// its users' objects do: what a backup holds was read from the service that it was taken from.
import { DurableObject } from "cloudflare:workers";
import { Backoff } from "../durable/backoff.ts";
import { migrate } from "../durable/migrations.edge.ts";
import { logError, logWarning } from "../http/log.edge.ts";
import { cachedSettings } from "../settings.ts";
import { loadTelemetry } from "./load.ts";
import type { MetricsDelta, SeriesDelta } from "./metric-deltas.ts";
import type { MetricPoint } from "./metric-point.ts";
import { METRICS_TABLES, MetricStore, type ProviderKeyState } from "./metric-store.edge.ts";
import { TELEMETRY_SCOPE, telemetryResource } from "./resource.ts";
import { postToCollector, type SpanCounts } from "./span-exporter.edge.ts";

/** The collector gets all sums once in this time, while they change. */
const PUSH_EVERY_MS = 60_000;
/** Points of one request to the collector: some 2 MB. */
const POINTS_AT_ONCE = 5_000;

export class Metrics extends DurableObject<Env> {
	#store: MetricStore;
	#backoff = new Backoff();
	/** When the alarm is set to push; null when it is not. */
	#pushAtMs: number | null = null;

	constructor(state: DurableObjectState, env: Env) {
		super(state, env);
		migrate(state.storage, METRICS_TABLES);
		this.#store = new MetricStore(state.storage);
		state.blockConcurrencyWhile(async () => {
			this.#pushAtMs = await state.storage.getAlarm();
		});
	}

	/** Adds what a user's object has counted. The same again adds nothing. */
	add(delta: MetricsDelta): void {
		const nowMs = Date.now();
		if (!this.#store.add(delta, nowMs)) logWarning("metrics_overlap", { source: delta.source });
		this.#armPush(nowMs);
	}

	/** Counts spans that isolates have sent or dropped. Not to be repeated. */
	countSpans(counts: SpanCounts): void {
		const series = Object.entries(counts)
			.filter(([, add]) => add > 0)
			.map(([result, add]): SeriesDelta => ({ metric: "svc.telemetry.spans", labels: { result }, add }));
		if (series.length === 0) return;
		this.#store.addOnce(series, Date.now());
		this.#armPush(Date.now());
	}

	/** Notes the state of a provider's key. */
	noteKey(state: ProviderKeyState): void {
		if (this.#store.noteKey(state)) this.#armPush(Date.now());
	}

	/** All sums, and what holds now. */
	points(): MetricPoint[] {
		return this.#store.points(Date.now());
	}

	/** The text that Prometheus reads. */
	async prometheus(): Promise<string> {
		return (await loadTelemetry()).renderPrometheus(this.points());
	}

	/** Sets the alarm that pushes, where there is a collector. It is set while sums change, so that an idle service wakes nothing. */
	#armPush(nowMs: number): void {
		if (cachedSettings(this.env).telemetry.otlp === null) return;
		const delayMs = this.#backoff.failures > 0 ? this.#backoff.delayMs : PUSH_EVERY_MS;
		// One that is further ahead was set by a clock that went back.
		if (this.#pushAtMs !== null && this.#pushAtMs <= nowMs + PUSH_EVERY_MS) return;
		this.#pushAtMs = nowMs + delayMs;
		this.ctx.waitUntil(this.ctx.storage.setAlarm(this.#pushAtMs));
	}

	/** Pushes all sums. Never throws: the platform gives up an alarm after a few failures. */
	override async alarm(): Promise<void> {
		this.#pushAtMs = null;
		try {
			if (await this.#push()) this.#backoff.recordSuccess();
			else {
				this.#backoff.recordFailure();
				this.#armPush(Date.now());
			}
		} catch (error) {
			logError("metrics_not_pushed", error);
			this.#backoff.recordFailure();
			this.#armPush(Date.now());
		}
	}

	/** False when the collector is away: it gets the sums of then with the next try. */
	async #push(): Promise<boolean> {
		const { otlp } = cachedSettings(this.env).telemetry;
		const { startedAtMs } = this.#store;
		if (otlp === null || startedAtMs === null) return true;
		const { encodeMetrics } = await loadTelemetry();
		const atMs = Date.now();
		const points = this.#store.points(atMs);
		for (let from = 0; from < points.length; from += POINTS_AT_ONCE) {
			const some = points.slice(from, from + POINTS_AT_ONCE);
			const resource = telemetryResource(cachedSettings(this.env));
			const body = encodeMetrics({ resource, scope: TELEMETRY_SCOPE, points: some, startedAtMs, atMs });
			const answer = await postToCollector(otlp.metricsUrl, otlp, body);
			if (answer.kind === "away") return false;
			if (answer.kind === "taken" && answer.rejected > 0) logWarning("metrics_rejected", { points: answer.rejected });
		}
		return true;
	}
}

const NAME = "metrics";

/** The one object of a deployment. */
export function metricsObject(env: Pick<Env, "METRICS">): DurableObjectStub<Metrics> {
	return env.METRICS.getByName(NAME);
}
