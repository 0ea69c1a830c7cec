// The sums of object `Metrics` in its SQLite: what each source has added so far, one row a series, and when counting began. Synchronous.
import type { TableSchema } from "../durable/migrations.edge.ts";
import type { MetricsDelta, SeriesDelta } from "./metric-deltas.ts";
import type { MetricLabels, MetricPoint } from "./metric-point.ts";
import type { MetricName } from "./metric-table.ts";

export const METRICS_TABLES: TableSchema = {
	name: "metrics",
	steps: [
		(sql) =>
			sql.exec(`
				CREATE TABLE counting (one INTEGER PRIMARY KEY CHECK (one = 1), started_at_ms INTEGER NOT NULL);
				CREATE TABLE sources (source TEXT PRIMARY KEY, through INTEGER NOT NULL) WITHOUT ROWID;
				CREATE TABLE series (id TEXT PRIMARY KEY, metric TEXT NOT NULL, labels TEXT NOT NULL, value TEXT NOT NULL) WITHOUT ROWID;
				CREATE TABLE provider_keys (provider TEXT, name TEXT, state TEXT NOT NULL, until_ms INTEGER,
					PRIMARY KEY (provider, name)) WITHOUT ROWID;
			`),
	],
};

/** Series that are told apart. What comes beyond them is added to one series of its metric. */
export const MAX_SERIES = 20_000;
/** The label of that series (OpenTelemetry, "Metrics SDK", "Overflow attribute"). */
export const OVERFLOW_LABELS: MetricLabels = { "otel.metric.overflow": "true" };

/** A sum: a number, or a histogram's. */
type SeriesValue = number | { counts: readonly number[]; sum: number };

interface Series {
	metric: MetricName;
	labels: MetricLabels;
	value: SeriesValue;
}

interface SeriesRow extends Record<string, SqlStorageValue> {
	id: string;
	metric: string;
	labels: string;
	value: string;
}

function toId(metric: string, labels: MetricLabels): string {
	return JSON.stringify([metric, ...Object.entries(labels).toSorted(([a], [b]) => (a < b ? -1 : 1))]);
}

function addValues(before: SeriesValue | undefined, delta: SeriesDelta): SeriesValue {
	if ("add" in delta) return (typeof before === "number" ? before : 0) + delta.add;
	const { counts, sum } = typeof before === "object" ? before : { counts: [], sum: 0 };
	return { counts: delta.counts.map((count, place) => count + (counts[place] ?? 0)), sum: sum + delta.sum };
}

/** The state that a provider's key is in, as the last isolate that used it saw it. */
export interface ProviderKeyState {
	provider: string;
	/** The operator's name of the key; empty for the only one. */
	name: string;
	state: "ok" | "throttled" | "refused";
	/** When it is good again, ms since the epoch; null where that is not known. */
	untilMs: number | null;
}

export class MetricStore {
	#storage: DurableObjectStorage;
	#series = new Map<string, Series>();
	#startedAtMs: number | null;

	constructor(storage: DurableObjectStorage) {
		this.#storage = storage;
		for (const row of storage.sql.exec<SeriesRow>("SELECT id, metric, labels, value FROM series"))
			this.#series.set(row.id, {
				metric: row.metric as MetricName,
				labels: JSON.parse(row.labels) as MetricLabels,
				value: JSON.parse(row.value) as SeriesValue,
			});
		const [counting] = storage.sql.exec<{ started_at_ms: number }>("SELECT started_at_ms FROM counting").toArray();
		this.#startedAtMs = counting?.started_at_ms ?? null;
	}

	/** When counting began, ms since the epoch; null before that. */
	get startedAtMs(): number | null {
		return this.#startedAtMs;
	}

	/** Up to which of its events a source has been counted; null for one that is not known. */
	#through(source: string): number | null {
		return (
			this.#storage.sql.exec<{ through: number }>("SELECT through FROM sources WHERE source = ?", source).toArray()[0]
				?.through ?? null
		);
	}

	/**
	 * Adds what a source has counted, once: the same delta again adds nothing.
	 * @returns false for one that overlaps with what was added: nobody can say which part of it is new.
	 */
	add(delta: MetricsDelta, nowMs: number): boolean {
		const through = this.#through(delta.source);
		if (through !== null && delta.through <= through) return true;
		if (through !== null && delta.after < through) return false;
		this.#write(delta.series, nowMs, () =>
			this.#storage.sql.exec(
				"INSERT OR REPLACE INTO sources (source, through) VALUES (?, ?)",
				delta.source,
				delta.through,
			),
		);
		return true;
	}

	/** Adds what nobody would send twice. */
	addOnce(series: readonly SeriesDelta[], nowMs: number): void {
		this.#write(series, nowMs, () => undefined);
	}

	#write(deltas: readonly SeriesDelta[], nowMs: number, also: () => void): void {
		const { sql } = this.#storage;
		const startedAtMs = this.#startedAtMs ?? nowMs;
		const changed = this.#sum(deltas);
		this.#storage.transactionSync(() => {
			sql.exec("INSERT OR IGNORE INTO counting (one, started_at_ms) VALUES (1, ?)", startedAtMs);
			for (const [id, { metric, labels, value }] of changed)
				sql.exec(
					"INSERT OR REPLACE INTO series (id, metric, labels, value) VALUES (?, ?, ?, ?)",
					id,
					metric,
					JSON.stringify(labels),
					JSON.stringify(value),
				);
			also();
		});
		this.#startedAtMs = startedAtMs;
		for (const [id, series] of changed) this.#series.set(id, series);
	}

	/** The series that deltas change, as they are then. */
	#sum(deltas: readonly SeriesDelta[]): Map<string, Series> {
		const changed = new Map<string, Series>();
		let added = 0;
		for (const delta of deltas) {
			const { metric } = delta;
			const own = toId(metric, delta.labels);
			const isKnown = this.#series.has(own) || changed.has(own);
			const isWithin = isKnown || this.#series.size + added < MAX_SERIES;
			const labels = isWithin ? delta.labels : OVERFLOW_LABELS;
			const id = isWithin ? own : toId(metric, labels);
			if (!this.#series.has(id) && !changed.has(id)) added++;
			const before = changed.get(id) ?? this.#series.get(id);
			changed.set(id, { metric, labels, value: addValues(before?.value, delta) });
		}
		return changed;
	}

	/** Notes the state of a provider's key. False where that is what was known. */
	noteKey({ provider, name, state, untilMs }: ProviderKeyState): boolean {
		const { rowsWritten } = this.#storage.sql.exec(
			`INSERT INTO provider_keys (provider, name, state, until_ms) VALUES (?, ?, ?, ?)
			ON CONFLICT (provider, name) DO UPDATE SET state = excluded.state, until_ms = excluded.until_ms
				WHERE state <> excluded.state OR until_ms IS NOT excluded.until_ms`,
			provider,
			name,
			state,
			untilMs,
		);
		return rowsWritten > 0;
	}

	/** Counters and histograms since counting began, and what holds now. */
	points(nowMs: number): MetricPoint[] {
		const points = [...this.#series.values()].map(({ metric, labels, value }): MetricPoint => {
			const series = { metric, labels };
			return typeof value === "number"
				? { kind: "counter", ...series, value }
				: { kind: "histogram", ...series, ...value };
		});
		return [...points, ...this.#keyPoints(nowMs)];
	}

	#keyPoints(nowMs: number): MetricPoint[] {
		const rows = this.#storage.sql.exec<{ provider: string; name: string; state: string; until_ms: number | null }>(
			"SELECT provider, name, state, until_ms FROM provider_keys",
		);
		return [...rows].flatMap(({ provider, name, state, until_ms }) => {
			const now = until_ms !== null && until_ms <= nowMs ? "ok" : state;
			return (["ok", "throttled", "refused"] as const).map((each): MetricPoint => {
				const labels = { provider, key: name, state: each };
				return { kind: "gauge", metric: "svc.provider.keys", labels, value: each === now ? 1 : 0 };
			});
		});
	}
}
