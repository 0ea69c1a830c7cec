// The metrics of a meter's user: counts what is settled, and sends it to object `Metrics` with the minute's sums. While nobody reads metrics,
// nothing is counted and nothing is written.
import { ulid } from "ulid";
import { logError } from "../http/log.edge.ts";
import { cachedSettings, hasMetrics } from "../settings.ts";
import { loadTelemetry } from "../telemetry/load.ts";
import type { CountedToolCall } from "../telemetry/metric-sums.ts";
import { metricsObject } from "../telemetry/metrics-client.edge.ts";
import { type CountedRow, toCountedRequest } from "./counted-request.ts";
import type { MeterState } from "./meter-state.edge.ts";
import { MetricOutbox } from "./metric-outbox.edge.ts";
import { toStoredDetail } from "./stored-request.ts";

/** Ids of checks are known for so many others, as a call whose answer was lost is repeated. */
const REMEMBERED_CHECKS = 1_000;

/** A decision of the policy, as it is counted. */
export interface CountedDecision {
	/** Of its audit event. */
	id: string;
	decision: string;
	tier: string;
}

export class MeterMetrics {
	readonly #env: Env;
	readonly #state: MeterState;
	readonly #outbox: MetricOutbox;
	#userId: string | null;
	#checks = new Set<string>();

	private constructor(env: Env, state: MeterState, outbox: MetricOutbox, userId: string | null) {
		this.#env = env;
		this.#state = state;
		this.#outbox = outbox;
		this.#userId = userId;
	}

	/**
	 * Reads what is unsent, and counts what was settled since it was written. Never throws: a meter goes on without metrics.
	 * @returns null while nobody reads metrics.
	 */
	static async open(sql: SqlStorage, env: Env, state: MeterState, userId: string | null): Promise<MeterMetrics | null> {
		try {
			const { telemetry } = cachedSettings(env);
			if (!hasMetrics(telemetry)) return null;
			const { MetricSums } = await loadTelemetry();
			const metrics = new MeterMetrics(
				env,
				state,
				new MetricOutbox(sql, new MetricSums(telemetry.metricLabels)),
				userId,
			);
			metrics.#recount();
			state.onFold = (changed) => metrics.#outbox.keep(changed);
			return metrics;
		} catch (error) {
			logError("metrics_not_counted", error);
			return null;
		}
	}

	#recount(): void {
		const changed = this.#outbox.read();
		if (changed === null) return;
		for (const whole of this.#state.settledSince(changed)) {
			const { request, calls } = toStoredDetail(whole);
			this.#count({ ...request, calls });
		}
	}

	/** Begins to count, with the first request of the user that may be counted. */
	begin(userId: string): void {
		this.#userId = userId;
		if (!this.#outbox.hasBegun) this.#outbox.begin(`${userId} ${ulid()}`, this.#state.lastChange);
	}

	/** Counts a request that has just been settled. No row tells its tool calls, so what is counted of them is written down. Never throws. */
	count(row: CountedRow, toolCalls: readonly CountedToolCall[] = []): void {
		try {
			this.#count(row);
			for (const call of toolCalls) this.#outbox.grown.addToolCall(call);
		} catch (error) {
			logError("metrics_not_counted", error);
		}
		if (toolCalls.length > 0) this.keep();
	}

	#count(row: CountedRow): void {
		if (this.#userId === null) return;
		this.#outbox.grown.addRequest(toCountedRequest(row, this.#userId));
	}

	/** Counts a decision of the policy, once. It is in no row: should the object die within its minute, it is lost. */
	countCheck({ id, decision, tier }: CountedDecision): void {
		if (this.#checks.has(id)) return;
		this.#checks.add(id);
		if (this.#checks.size > REMEMBERED_CHECKS) this.#checks.delete(this.#checks.values().next().value ?? "");
		this.#outbox.grown.addCheck({ decision, tier });
	}

	/** Writes down what has been counted, where nothing that is read again would tell it. Never throws. */
	keep(): boolean {
		try {
			this.#outbox.keep(this.#state.lastChange);
		} catch (error) {
			logError("metrics_not_kept", error);
		}
		return this.#outbox.hasUnsent;
	}

	get hasUnsent(): boolean {
		return this.#outbox.hasUnsent;
	}

	/** Sends what is unsent. @throws while object `Metrics` is away: then the same is sent again. */
	async send(): Promise<void> {
		const batch = this.#outbox.freeze(this.#state.lastChange);
		if (!batch) return;
		await metricsObject(this.#env).take(batch);
		this.#outbox.taken(batch);
	}
}
