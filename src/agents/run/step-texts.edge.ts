// The texts of a run's steps after its end: sealed for the run's user, kept for thirty days, then deleted by the object's alarm. Until
// the end they are the run's working state (stored-run.edge.ts).
import { clipBytes } from "../../clip.ts";
import { requiresZeroRetention } from "../../compliance/policy-levels.ts";
import { SEAL_BYTES } from "../../durable/text-seal.edge.ts";
import { toUtcDay } from "../../meter/budget-period.ts";
import { userSeal } from "../../meter/user-seal.edge.ts";
import { cachedSettings } from "../../settings.ts";
import { utf8Length } from "../../text/utf8.ts";
import type { RunSpec, RunState, RunStep } from "./run.ts";

const RETENTION_MS = 30 * 24 * 60 * 60 * 1_000;
/** What is longer is cut. A row of a Durable Object has at most 2 MB. */
export const MAX_STEP_TEXT_BYTES = 1_048_576;

export class StepTexts {
	#sql: SqlStorage;
	#env: Env;

	constructor(sql: SqlStorage, env: Env) {
		this.#sql = sql;
		this.#env = env;
	}

	/** Whether a run's texts may be kept beyond its end, by the operator's setting and the policies that the run obeyed. */
	#mayKeep({ compliance }: RunSpec, { resumeRules }: RunState): boolean {
		const all = [compliance, resumeRules?.compliance].flatMap((levels) => levels ?? []);
		return cachedSettings(this.#env).storesTexts && !all.some(requiresZeroRetention);
	}

	/** What `keep` will store, in bytes. */
	bytes(spec: RunSpec, state: RunState, steps: readonly RunStep[]): number {
		if (!this.#mayKeep(spec, state)) return 0;
		return steps.reduce((sum, { output }) => sum + utf8Length(clipBytes(output, MAX_STEP_TEXT_BYTES)), 0);
	}

	/** Seals the texts of a run that has ended, where they may be kept. May be repeated. */
	async keep(spec: RunSpec, state: RunState, steps: readonly RunStep[]): Promise<void> {
		if (!this.#mayKeep(spec, state)) return;
		const seal = await userSeal(this.#env, spec.userId);
		for (const { record, output } of steps) {
			const sealed = await seal.seal(`${spec.runId}/${record.index}`, clipBytes(output, MAX_STEP_TEXT_BYTES));
			this.#sql.exec("INSERT OR REPLACE INTO step_texts (n, sealed) VALUES (?, ?)", record.index, sealed.buffer);
		}
		this.#sql.exec("INSERT OR REPLACE INTO text_retention VALUES (1, ?)", Date.now() + RETENTION_MS);
	}

	/** The text of a step of a run that has ended; null when it is not kept. */
	async read(spec: RunSpec, index: number): Promise<string | null> {
		if (this.#isExpired()) return null;
		const [row] = this.#sql.exec<{ sealed: ArrayBuffer }>("SELECT sealed FROM step_texts WHERE n = ?", index).toArray();
		if (!row) return null;
		const seal = await userSeal(this.#env, spec.userId);
		return seal.open(`${spec.runId}/${index}`, new Uint8Array(row.sealed));
	}

	/** The texts that are kept, in bytes, and the day since when they are; null when there are none. */
	get kept(): { bytes: number; day: number } | null {
		const atMs = this.expiresAtMs;
		if (atMs === null) return null;
		const { bytes } = this.#sql
			.exec<{ bytes: number }>("SELECT coalesce(sum(length(sealed) - ?), 0) AS bytes FROM step_texts", SEAL_BYTES)
			.one();
		return { bytes, day: toUtcDay(atMs - RETENTION_MS) };
	}

	/** When the texts are to be deleted; null when there are none. */
	get expiresAtMs(): number | null {
		const [row] = this.#sql.exec<{ at: number }>("SELECT expires_at_ms AS at FROM text_retention").toArray();
		return row?.at ?? null;
	}

	#isExpired(): boolean {
		const atMs = this.expiresAtMs;
		return atMs !== null && atMs <= Date.now();
	}

	/** Deletes texts whose time is over. */
	deleteExpired(): void {
		if (!this.#isExpired()) return;
		this.#sql.exec("DELETE FROM step_texts");
		this.#sql.exec("DELETE FROM text_retention");
	}
}
