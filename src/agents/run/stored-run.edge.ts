// A run as its object stores it, with a copy in memory. Synchronous. Every change is one transaction, and memory changes after it, so
// that a crash leaves the run either before the change or after it.
import type { Settlement } from "../../meter/settlement.ts";
import type { RunSnapshot } from "../response.ts";
import type { OpenCharge } from "../step.edge.ts";
import { isResumable } from "./interruption.ts";
import { LongTexts } from "./long-texts.edge.ts";
import type { EndedRun, RunEnd, RunSpec, RunState, RunStep, StepCharge, StepDraft, StepRecord } from "./run.ts";

/** The charge of a step under way, and the step that it is for. */
export interface OpenStepCharge extends OpenCharge {
	step: StepDraft;
}

/** The end and the sealed settlement of a run that is over and not settled yet. */
interface PendingSettlement {
	end: RunEnd;
	settlement: Settlement;
}

/** A run as it was settled. */
export type SettledRun = Pick<RunSnapshot, "state" | "steps"> & { end: RunEnd };

interface StoredRunRow extends Record<string, SqlStorageValue> {
	goal: string;
	spec: string;
	state: string;
	pending_settlement: string | null;
	end: string | null;
}

interface RunStepRow extends Record<string, SqlStorageValue> {
	n: number;
	record: string;
	subtask: string;
	has_result: number;
	output: string;
}

export class StoredRun implements RunSnapshot {
	spec: RunSpec;
	state: RunState;
	steps: RunStep[];
	/** The charges of steps that ended. */
	charges: StepCharge[];
	/** The charge of the step under way. */
	openCharge: OpenStepCharge | null;
	pendingSettlement: PendingSettlement | null;
	end: RunEnd | null;
	#storage: DurableObjectStorage;
	#texts: LongTexts;

	private constructor(
		storage: DurableObjectStorage,
		spec: RunSpec,
		{
			state,
			steps,
			charges,
			openCharge: open,
			pendingSettlement,
			end,
		}: Pick<StoredRun, "state" | "steps" | "charges" | "openCharge" | "pendingSettlement" | "end">,
	) {
		this.#storage = storage;
		this.#texts = new LongTexts(storage.sql);
		this.spec = spec;
		this.state = state;
		this.steps = steps;
		this.charges = charges;
		this.openCharge = open;
		this.pendingSettlement = pendingSettlement;
		this.end = end;
	}

	/** The stored run, or null. */
	static load(storage: DurableObjectStorage): StoredRun | null {
		const { sql } = storage;
		const [row] = sql.exec<StoredRunRow>("SELECT goal, spec, state, pending_settlement, end FROM run").toArray();
		if (!row) return null;
		const { pending_settlement: pending } = row;
		const texts = new LongTexts(sql);
		const parse = <T>(name: string, column: string) => JSON.parse(texts.get(name, column)) as T;
		const steps = sql
			.exec<RunStepRow>("SELECT n, record, subtask, has_result, output FROM steps ORDER BY n")
			.toArray()
			.map(({ n, record, subtask, has_result, output }) => ({
				record: JSON.parse(record) as StepRecord,
				subtask: texts.get(`subtask:${n}`, subtask),
				hasResult: has_result === 1,
				output: texts.get(`output:${n}`, output),
			}));
		const charges = sql
			.exec<{ is_open: number; charge: string }>("SELECT is_open, charge FROM charges ORDER BY n")
			.toArray();
		const open = charges.find(({ is_open }) => is_open === 1);
		return new StoredRun(
			storage,
			{ ...parse<Omit<RunSpec, "goal">>("spec", row.spec), goal: texts.get("goal", row.goal) },
			{
				state: parse<RunState>("state", row.state),
				steps,
				charges: charges.filter(({ is_open }) => is_open === 0).map(({ charge }) => JSON.parse(charge) as StepCharge),
				openCharge: open ? (JSON.parse(open.charge) as OpenStepCharge) : null,
				pendingSettlement: pending === null ? null : parse<PendingSettlement>("pending_settlement", pending),
				end: row.end === null ? null : parse<RunEnd>("end", row.end),
			},
		);
	}

	/** Deletes all that the object keeps of a run. To be called in a transaction. */
	static delete(sql: SqlStorage): void {
		for (const table of ["run", "steps", "charges", "parts", "step_texts", "text_retention", "webhooks"])
			sql.exec(`DELETE FROM ${table}`);
	}

	/** Stores a run that starts. To be called in a transaction. */
	static create(storage: DurableObjectStorage, spec: RunSpec, state: RunState): StoredRun {
		const run = new StoredRun(storage, spec, {
			state,
			steps: [],
			charges: [],
			openCharge: null,
			pendingSettlement: null,
			end: null,
		});
		storage.sql.exec(
			"INSERT INTO run (one, goal, spec, state) VALUES (1, ?, ?, ?)",
			...run.#putSpec(spec),
			run.#texts.put("state", JSON.stringify(state)),
		);
		return run;
	}

	/** Stores long texts of a specification, and returns the columns `goal` and `spec`. */
	#putSpec({ goal, ...rest }: RunSpec): [goal: string, spec: string] {
		return [this.#texts.put("goal", goal), this.#texts.put("spec", JSON.stringify(rest))];
	}

	/** It cannot go on, and can be resumed. */
	get isInterrupted(): boolean {
		return this.end === null && isResumable(this.state, Date.now());
	}

	/** When a step is tried again; null when the run does not wait. */
	get waitsUntilMs(): number | null {
		const { retry, isCancelled } = this.state;
		return retry && !isCancelled && Date.now() < retry.notBeforeMs ? retry.notBeforeMs : null;
	}

	#writeState(state: RunState): void {
		this.#storage.sql.exec("UPDATE run SET state = ?", this.#texts.put("state", JSON.stringify(state)));
	}

	/** Stores the run's state, with whatever belongs to the same transaction. */
	saveState(state: RunState, alsoStore: () => void = () => undefined): void {
		this.#storage.transactionSync(() => {
			this.#writeState(state);
			alsoStore();
		});
		this.state = state;
	}

	/** Stores what the step under way may have cost so far. */
	saveOpenCharge(open: OpenStepCharge): void {
		this.#storage.sql.exec(
			"INSERT OR REPLACE INTO charges (n, is_open, charge) VALUES (?, 1, ?)",
			this.charges.length,
			JSON.stringify(open),
		);
		this.openCharge = open;
	}

	/** Stores a step's end: its cost, the step unless it is null, and the run's state after it. */
	endStep(charge: StepCharge, step: RunStep | null, state: RunState, alsoStore: () => void = () => undefined): void {
		const { sql } = this.#storage;
		this.#storage.transactionSync(() => {
			sql.exec(
				"INSERT OR REPLACE INTO charges (n, is_open, charge) VALUES (?, 0, ?)",
				this.charges.length,
				JSON.stringify(charge),
			);
			if (step) {
				const { record, subtask, hasResult, output } = step;
				sql.exec(
					"INSERT INTO steps (n, record, subtask, has_result, output) VALUES (?, ?, ?, ?, ?)",
					record.index,
					JSON.stringify(record),
					this.#texts.put(`subtask:${record.index}`, subtask),
					hasResult ? 1 : 0,
					this.#texts.put(`output:${record.index}`, output),
				);
			}
			this.#writeState(state);
			alsoStore();
		});
		this.charges.push(charge);
		this.openCharge = null;
		if (step) this.steps.push(step);
		this.state = state;
	}

	savePendingSettlement(pending: PendingSettlement): void {
		this.#storage.transactionSync(() => {
			const text = this.#texts.put("pending_settlement", JSON.stringify(pending));
			this.#storage.sql.exec("UPDATE run SET pending_settlement = ?", text);
		});
		this.pendingSettlement = pending;
	}

	/** Stores the run as it was settled. Steps that the settlement lacks are deleted, and the texts of all. */
	finish({ spec, end, state, steps }: Omit<EndedRun, "charges">, alsoStore: () => void): void {
		const { sql } = this.#storage;
		this.#storage.transactionSync(() => {
			if (spec !== this.spec) {
				const [goalText, specText] = this.#putSpec(spec);
				sql.exec("UPDATE run SET goal = ?, spec = ?", goalText, specText);
			}
			sql.exec("DELETE FROM steps WHERE n >= ?", steps.length);
			sql.exec("UPDATE steps SET output = ''");
			for (const { record } of this.steps) this.#texts.drop(`output:${record.index}`);
			const [stateText, endText] = [JSON.stringify(state), JSON.stringify(end)];
			sql.exec(
				"UPDATE run SET state = ?, end = ?, pending_settlement = NULL",
				this.#texts.put("state", stateText),
				this.#texts.put("end", endText),
			);
			this.#texts.drop("pending_settlement");
			alsoStore();
		});
		const withoutTexts = steps.map((step) => ({ ...step, output: "" }));
		Object.assign(this, { spec, end, state, steps: withoutTexts, pendingSettlement: null });
	}
}
