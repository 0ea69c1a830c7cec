// The sums of object `Metrics` in its SQLite: one row a series, the last batch of each source, and when counting began. Synchronous.
import type { TableSchema } from "../durable/migrations.edge.ts";
import type { GaugePoint } from "./metric-points.ts";
import type { MetricBatchOfSource, MetricDeltas, MetricSums } from "./metric-sums.ts";

export const METRICS_TABLES: TableSchema = {
	name: "metrics",
	steps: [
		(sql) =>
			sql.exec(`
				CREATE TABLE counting (one INTEGER PRIMARY KEY CHECK (one = 1), started_at_ms INTEGER NOT NULL);
				CREATE TABLE sources (source TEXT PRIMARY KEY, taken INTEGER NOT NULL) WITHOUT ROWID;
				CREATE TABLE series (key TEXT PRIMARY KEY, vector TEXT NOT NULL) WITHOUT ROWID;
				CREATE TABLE provider_keys (provider TEXT, name TEXT, state TEXT NOT NULL, until_ms INTEGER,
					PRIMARY KEY (provider, name)) WITHOUT ROWID;
			`),
	],
};

export const PROVIDER_KEY_STATES = ["ok", "throttled", "refused"] as const;

/** The state of a provider's key, as the last isolate that used it saw it. */
export interface ProviderKeyState {
	provider: string;
	/** The operator's name of the key; empty for the only one. */
	name: string;
	state: (typeof PROVIDER_KEY_STATES)[number];
	/** When it may be good again, ms since the epoch; null where nobody knows. */
	untilMs: number | null;
}

export class MetricStore {
	readonly #storage: DurableObjectStorage;
	readonly #createSums: () => MetricSums;
	#sums: MetricSums;
	#startedAtMs: number | null;

	/** @param createSums makes empty ones. */
	constructor(storage: DurableObjectStorage, createSums: () => MetricSums) {
		this.#storage = storage;
		this.#createSums = createSums;
		this.#sums = this.#read();
		const [counting] = storage.sql.exec<{ started_at_ms: number }>("SELECT started_at_ms FROM counting").toArray();
		this.#startedAtMs = counting?.started_at_ms ?? null;
	}

	#read(): MetricSums {
		const rows = this.#storage.sql.exec<{ key: string; vector: string }>("SELECT key, vector FROM series");
		const sums = this.#createSums();
		sums.merge(Object.fromEntries([...rows].map(({ key, vector }) => [key, JSON.parse(vector) as number[]])));
		return sums;
	}

	get sums(): MetricSums {
		return this.#sums;
	}

	/** When counting began, ms since the epoch; null before that. */
	get startedAtMs(): number | null {
		return this.#startedAtMs;
	}

	/** Adds a source's batch, once: the same again adds nothing. False for one that was taken before. */
	take(batch: MetricBatchOfSource, nowMs: number): boolean {
		const { source, number } = batch;
		const [known] = this.#storage.sql
			.exec<{ taken: number }>("SELECT taken FROM sources WHERE source = ?", source)
			.toArray();
		return this.#write(nowMs, () => {
			const changed = this.#sums.take(batch, known?.taken ?? 0);
			if (changed)
				this.#storage.sql.exec("INSERT OR REPLACE INTO sources (source, taken) VALUES (?, ?)", source, number);
			return changed;
		});
	}

	/** Adds what nobody sends twice. */
	addOnce(deltas: MetricDeltas, nowMs: number): void {
		this.#write(nowMs, () => this.#sums.merge(deltas));
	}

	/** Changes the sums, and writes what has changed in one transaction. @param change returns the keys of what it changed; null for nothing. */
	#write(nowMs: number, change: () => readonly string[] | null): boolean {
		const { sql } = this.#storage;
		const startedAtMs = this.#startedAtMs ?? nowMs;
		try {
			return this.#storage.transactionSync(() => {
				const changed = change();
				if (changed === null) return false;
				sql.exec("INSERT OR IGNORE INTO counting (one, started_at_ms) VALUES (1, ?)", startedAtMs);
				for (const key of changed) {
					const vector = JSON.stringify(this.#sums.vector(key));
					sql.exec("INSERT OR REPLACE INTO series (key, vector) VALUES (?, ?)", key, vector);
				}
				this.#startedAtMs = startedAtMs;
				return true;
			});
		} catch (error) {
			// Memory may have what was not written.
			this.#sums = this.#read();
			throw error;
		}
	}

	/** Notes the state of a provider's key. False where that is what was known. */
	noteKey({ provider, name, state, untilMs }: ProviderKeyState): boolean {
		const written = this.#storage.sql.exec(
			`INSERT INTO provider_keys (provider, name, state, until_ms) VALUES (?, ?, ?, ?)
			ON CONFLICT (provider, name) DO UPDATE SET state = excluded.state, until_ms = excluded.until_ms
				WHERE state <> excluded.state OR until_ms IS NOT excluded.until_ms RETURNING 1`,
			provider,
			name,
			state,
			untilMs,
		);
		return written.toArray().length > 0;
	}

	/** What holds now. */
	gauges(nowMs: number): GaugePoint[] {
		const rows = this.#storage.sql.exec<{ provider: string; name: string; state: string; until_ms: number | null }>(
			"SELECT provider, name, state, until_ms FROM provider_keys",
		);
		return [...rows].flatMap(({ provider, name, state: noted, until_ms }) => {
			const now = until_ms !== null && until_ms <= nowMs ? "ok" : noted;
			return PROVIDER_KEY_STATES.map((state): GaugePoint => {
				const labels = { provider, key: name, state };
				return { kind: "gauge", metric: "svc.provider.keys", labels, value: state === now ? 1 : 0 };
			});
		});
	}
}
