// Metrics: the one Durable Object that adds up what users' objects have counted, since a scrape meets one isolate of many. Both forms of
// metrics are made of its sums: what is pushed to the collector and what Prometheus reads.
//
// Crash order. A source freezes and numbers what it counted before it sends it, and sends the same again until this object has answered.
// Sums and the number are written in one transaction, so a source counts once, and no sum falls. A restored service begins anew at zero, as
// its users' objects do: what a backup could hold was read from the service that it was taken from.
import { DurableObject } from "cloudflare:workers";
import { Backoff } from "../durable/backoff.ts";
import { migrate } from "../durable/migrations.edge.ts";
import { logError, logWarning } from "../http/log.edge.ts";
import { cachedSettings } from "../settings.ts";
import { loadTelemetry } from "./load.ts";
import type { MetricPoint } from "./metric-points.ts";
import { METRICS_TABLES, MetricStore, type ProviderKeyState } from "./metric-store.edge.ts";
import type { MetricBatchOfSource } from "./metric-sums.ts";
import type { Telemetry } from "./module.ts";
import { TELEMETRY_SCOPE, telemetryResource } from "./resource.ts";
import { postToCollector, type SpanCounts } from "./span-exporter.edge.ts";
import { readWaitingGauges } from "./waiting.store.ts";

/** The collector gets all sums once in this time, while they change. */
const PUSH_EVERY_MS = 60_000;
/** Points of one request to the collector: some 2 MB. */
const POINTS_AT_ONCE = 5_000;

/** The object's sums, and what reads them. */
interface Counted {
	store: MetricStore;
	telemetry: Telemetry;
}

export class Metrics extends DurableObject<Env> {
	#counted: Promise<Counted> | null = null;
	#backoff = new Backoff();
	/** When the alarm is set to push; null when it is not. */
	#pushAtMs: number | null = null;

	constructor(state: DurableObjectState, env: Env) {
		super(state, env);
		migrate(state.storage, METRICS_TABLES);
		state.blockConcurrencyWhile(async () => {
			this.#pushAtMs = await state.storage.getAlarm();
		});
	}

	/** @throws where the module is missing; the next call tries again. */
	#count(): Promise<Counted> {
		const read = async () => {
			const telemetry = await loadTelemetry();
			return { telemetry, store: new MetricStore(this.ctx.storage, () => new telemetry.MetricSums()) };
		};
		this.#counted ??= read().catch((error: unknown) => {
			this.#counted = null;
			throw error;
		});
		return this.#counted;
	}

	/** Adds what a user's object has counted. The same again adds nothing. */
	async take(batch: MetricBatchOfSource): Promise<void> {
		const { store } = await this.#count();
		if (store.take(batch, Date.now())) this.#armPush(Date.now());
	}

	/** Counts spans that isolates have sent or dropped. Not to be repeated. */
	async countSpans({ sent, dropped }: SpanCounts): Promise<void> {
		const { store, telemetry } = await this.#count();
		const added = new telemetry.MetricSums();
		if (sent > 0) added.addSpans("sent", sent);
		if (dropped > 0) added.addSpans("dropped", dropped);
		store.addOnce(added.toJSON(), Date.now());
		this.#armPush(Date.now());
	}

	/** Notes the state of a provider's key. */
	async noteKey(state: ProviderKeyState): Promise<void> {
		const { store } = await this.#count();
		if (store.noteKey(state)) this.#armPush(Date.now());
	}

	async #points(nowMs: number): Promise<{ points: MetricPoint[]; startedAtMs: number | null; telemetry: Telemetry }> {
		const { store, telemetry } = await this.#count();
		const { hasLegacyMetrics } = cachedSettings(this.env).telemetry;
		// While D1 is away, the other metrics are told all the same.
		const waiting = await readWaitingGauges(this.env.DB).catch((error: unknown) => {
			logError("waiting_runs_not_counted", error);
			return [];
		});
		const points = telemetry.toMetricPoints(store.sums, [...store.gauges(nowMs), ...waiting], hasLegacyMetrics);
		return { points, startedAtMs: store.startedAtMs, telemetry };
	}

	/** The text that Prometheus reads. */
	async prometheus(): Promise<string> {
		const { points, telemetry } = await this.#points(Date.now());
		return telemetry.renderPrometheus(points);
	}

	/** Sets the alarm that pushes, where there is a collector. It is set while sums change, so that an idle service wakes nothing. */
	#armPush(nowMs: number): void {
		if (cachedSettings(this.env).telemetry.otlp === null) return;
		const delayMs = this.#backoff.failures > 0 ? this.#backoff.delayMs : PUSH_EVERY_MS;
		// One that is further ahead was set by a clock that was.
		if (this.#pushAtMs !== null && this.#pushAtMs <= nowMs + PUSH_EVERY_MS) return;
		this.#pushAtMs = nowMs + delayMs;
		this.ctx.waitUntil(this.ctx.storage.setAlarm(this.#pushAtMs));
	}

	/** Pushes all sums. Never throws: the platform gives up an alarm after a few failures. */
	override async alarm(): Promise<void> {
		this.#pushAtMs = null;
		const isTaken = await this.#push().catch((error: unknown) => {
			logError("metrics_not_pushed", error);
			return false;
		});
		if (isTaken) this.#backoff.recordSuccess();
		else {
			this.#backoff.recordFailure();
			this.#armPush(Date.now());
		}
	}

	/** False when the collector is away: with the next try it gets the sums as they are then. */
	async #push(): Promise<boolean> {
		const settings = cachedSettings(this.env);
		const { otlp } = settings.telemetry;
		const atMs = Date.now();
		const { points, startedAtMs, telemetry } = await this.#points(atMs);
		if (otlp === null) return true;
		const about = { resource: telemetryResource(settings), scope: TELEMETRY_SCOPE };
		const times = { startedAtMs: startedAtMs ?? atMs, atMs };
		for (let from = 0; from < points.length; from += POINTS_AT_ONCE) {
			const some = points.slice(from, from + POINTS_AT_ONCE);
			const body = telemetry.encodeMetrics({ ...about, ...times, points: some });
			const answer = await postToCollector(otlp.metricsUrl, otlp, body);
			if (answer.kind === "away") return false;
			if (answer.kind === "taken" && answer.rejected > 0) logWarning("metrics_rejected", { points: answer.rejected });
		}
		return true;
	}
}
