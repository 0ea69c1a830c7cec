// The texts of a run's steps after its end: sealed for the run's user, kept for thirty days, then deleted by the object's alarm. Until
// the end they are the run's working state (stored-run.edge.ts).
import { clipBytes } from "../../clip.ts";
import { requiresZeroRetention } from "../../compliance/policy-levels.ts";
import { SEAL_BYTES } from "../../durable/text-seal.edge.ts";
import { toUtcDay } from "../../meter/budget-period.ts";
import { userSeal } from "../../meter/user-seal.edge.ts";
import { cachedSettings } from "../../settings.ts";
import { utf8Length } from "../../text/utf8.ts";
import { findPacked, packTexts, type SealedText } from "./packed-texts.ts";
import { deleteParts, listParts, storePart } from "./parts.edge.ts";
import type { RunSpec, RunState, RunStep } from "./run.ts";

const RETENTION_MS = 30 * 24 * 60 * 60 * 1_000;
/** What is longer is cut. A row of a Durable Object has at most 2 MB. */
export const MAX_STEP_TEXT_BYTES = 1_048_576;

/** Sealed texts of so many bytes together stand in the run's row. */
const MAX_ROW_BYTES = 100_000;
/** The name of the parts that longer ones stand in. */
export const PARTS_NAME = "texts";

/** Texts that are kept after their run's end: their bytes, and until when. */
export interface TextRetention {
	bytes: number;
	expiresAtMs: number;
	/** What the run's row keeps; null where they are too long for it. */
	packed: ArrayBuffer | null;
}

/** Texts that are sealed and not stored yet. */
interface SealedTexts {
	kept: TextRetention;
	store(): void;
}

export class StepTexts {
	#sql: SqlStorage;
	#env: Env;

	constructor(sql: SqlStorage, env: Env) {
		this.#sql = sql;
		this.#env = env;
	}

	/** Whether a run's texts may be kept beyond its end, by the operator's setting and the policies that the run obeyed. */
	mayKeep({ compliance }: RunSpec, { resumeRules }: RunState): boolean {
		const all = [compliance, resumeRules?.compliance].flatMap((levels) => levels ?? []);
		return cachedSettings(this.#env).storesTexts && !all.some(requiresZeroRetention);
	}

	/** What `seal` gives to be stored, in bytes. */
	bytes(steps: readonly RunStep[]): number {
		return steps.reduce((sum, { output }) => sum + utf8Length(clipBytes(output, MAX_STEP_TEXT_BYTES)), 0);
	}

	/** Seals the texts of a run that ends, which may be kept. `store` belongs to the transaction of its end. */
	async seal(spec: RunSpec, steps: readonly RunStep[]): Promise<SealedTexts> {
		const seal = await userSeal(this.#env, spec.userId);
		const texts: SealedText[] = [];
		for (const { record, output } of steps) {
			const sealed = await seal.seal(`${spec.runId}/${record.index}`, clipBytes(output, MAX_STEP_TEXT_BYTES));
			texts.push({ index: record.index, sealed });
		}
		const parts = packTexts(texts);
		const [only] = parts;
		const isShort = parts.length === 1 && only !== undefined && only.byteLength <= MAX_ROW_BYTES;
		const kept = {
			packed: isShort ? only : null,
			bytes: texts.reduce((sum, { sealed }) => sum + sealed.length - SEAL_BYTES, 0),
			expiresAtMs: Date.now() + RETENTION_MS,
		};
		return { kept, store: () => this.#store(isShort ? [] : parts) };
	}

	#store(parts: readonly ArrayBuffer[]): void {
		deleteParts(this.#sql, PARTS_NAME);
		for (const [part, packed] of parts.entries()) storePart(this.#sql, PARTS_NAME, part, packed);
	}

	/** The text of a step of a run that has ended; null when it is not kept. */
	async read(spec: RunSpec, index: number): Promise<string | null> {
		if (this.#isExpired()) return null;
		const [row] = this.#sql.exec<{ texts: ArrayBuffer | null }>("SELECT texts FROM run").toArray();
		for (const packed of row?.texts ? [row.texts] : listParts<ArrayBuffer>(this.#sql, PARTS_NAME)) {
			const sealed = findPacked(packed, index);
			if (sealed) return (await userSeal(this.#env, spec.userId)).open(`${spec.runId}/${index}`, sealed);
		}
		return null;
	}

	/** The texts that are kept, in bytes, and the day since when they are; null when there are none. */
	get kept(): { bytes: number; day: number } | null {
		const [row] = this.#sql
			.exec<{ bytes: number; at: number }>(
				"SELECT texts_bytes AS bytes, texts_expire_at_ms AS at FROM run WHERE texts_expire_at_ms IS NOT NULL",
			)
			.toArray();
		return row ? { bytes: row.bytes, day: toUtcDay(row.at - RETENTION_MS) } : null;
	}

	/** When the texts are to be deleted; null when there are none. */
	get expiresAtMs(): number | null {
		const [row] = this.#sql.exec<{ at: number | null }>("SELECT texts_expire_at_ms AS at FROM run").toArray();
		return row?.at ?? null;
	}

	#isExpired(): boolean {
		const atMs = this.expiresAtMs;
		return atMs !== null && atMs <= Date.now();
	}

	/** Deletes texts whose time is over. Returns whether it did. */
	deleteExpired(): boolean {
		if (!this.#isExpired()) return false;
		deleteParts(this.#sql, PARTS_NAME);
		this.#sql.exec("UPDATE run SET texts = NULL, texts_bytes = NULL, texts_expire_at_ms = NULL");
		return true;
	}
}
