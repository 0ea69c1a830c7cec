// What an object has stored of its run, and the same in memory. Synchronous; every change is one transaction, written before it
// is noted, so that a crash leaves the run as it was before the change or as it is after it.
import type { Settlement } from "../../meter/settlement.ts";
import type { RunSnapshot } from "../response.ts";
import type { OpenCharge } from "../step.edge.ts";
import { LongTexts } from "./long-texts.edge.ts";
import type { RunEnd, RunSpec, RunState, RunStep, StepCharge, StepRecord } from "./run.ts";

/** A run that is over and not settled yet: what is to be settled, as it was sealed. */
export interface PendingSettlement {
	end: RunEnd;
	settlement: Settlement;
}

interface StoredRunRow extends Record<string, SqlStorageValue> {
	goal: string;
	spec: string;
	state: string;
	closing: string | null;
	end: string | null;
}

interface RunStepRow extends Record<string, SqlStorageValue> {
	n: number;
	record: string;
	subtask: string;
	is_plan: number;
	output: string;
}

export class StoredRun implements RunSnapshot {
	readonly spec: RunSpec;
	state: RunState;
	steps: RunStep[];
	/** Of steps that are over. */
	charges: StepCharge[];
	/** Of the step under way. */
	open: OpenCharge | null;
	closing: PendingSettlement | null;
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
			open,
			closing,
			end,
		}: Pick<StoredRun, "state" | "steps" | "charges" | "open" | "closing" | "end">,
	) {
		this.#storage = storage;
		this.#texts = new LongTexts(storage.sql);
		this.spec = spec;
		this.state = state;
		this.steps = steps;
		this.charges = charges;
		this.open = open;
		this.closing = closing;
		this.end = end;
	}

	/** The run that is stored; null where none is. */
	static load(storage: DurableObjectStorage): StoredRun | null {
		const { sql } = storage;
		const [row] = sql.exec<StoredRunRow>("SELECT goal, spec, state, closing, end FROM run").toArray();
		if (!row) return null;
		const texts = new LongTexts(sql);
		const parsed = <T>(name: string, column: string) => JSON.parse(texts.get(name, column)) as T;
		const steps = sql
			.exec<RunStepRow>("SELECT n, record, subtask, is_plan, output FROM steps ORDER BY n")
			.toArray()
			.map(({ n, record, subtask, is_plan, output }) => ({
				record: JSON.parse(record) as StepRecord,
				subtask: texts.get(`subtask:${n}`, subtask),
				isAside: is_plan === 1,
				output: texts.get(`output:${n}`, output),
			}));
		const charges = sql
			.exec<{ is_open: number; charge: string }>("SELECT is_open, charge FROM charges ORDER BY n")
			.toArray();
		const open = charges.find(({ is_open }) => is_open === 1);
		return new StoredRun(
			storage,
			{ ...parsed<Omit<RunSpec, "goal">>("spec", row.spec), goal: texts.get("goal", row.goal) },
			{
				state: parsed<RunState>("state", row.state),
				steps,
				charges: charges.filter(({ is_open }) => is_open === 0).map(({ charge }) => JSON.parse(charge) as StepCharge),
				open: open ? (JSON.parse(open.charge) as OpenCharge) : null,
				closing: row.closing === null ? null : parsed<PendingSettlement>("closing", row.closing),
				end: row.end === null ? null : parsed<RunEnd>("end", row.end),
			},
		);
	}

	/** Stores a run that begins; to be called in a transaction. */
	static create(storage: DurableObjectStorage, spec: RunSpec, state: RunState): StoredRun {
		const { goal, ...rest } = spec;
		const texts = new LongTexts(storage.sql);
		storage.sql.exec(
			"INSERT INTO run (one, goal, spec, state) VALUES (1, ?, ?, ?)",
			texts.put("goal", goal),
			texts.put("spec", JSON.stringify(rest)),
			texts.put("state", JSON.stringify(state)),
		);
		return new StoredRun(storage, spec, { state, steps: [], charges: [], open: null, closing: null, end: null });
	}

	#writeState(state: RunState): void {
		this.#storage.sql.exec("UPDATE run SET state = ?", this.#texts.put("state", JSON.stringify(state)));
	}

	/** Stores where the run stands, with whatever else belongs to the same change. */
	save(state: RunState, also: () => void = () => undefined): void {
		this.#storage.transactionSync(() => {
			this.#writeState(state);
			also();
		});
		this.state = state;
	}

	/** Stores what the step under way may have cost by now. */
	charge(open: OpenCharge): void {
		this.#storage.sql.exec(
			"INSERT OR REPLACE INTO charges (n, is_open, charge) VALUES (?, 1, ?)",
			this.charges.length,
			JSON.stringify(open),
		);
		this.open = open;
	}

	/** Stores a step's end: what it cost, the step if it gave one, and where the run stands then. */
	endStep(charge: StepCharge, step: RunStep | null, state: RunState, also: () => void = () => undefined): void {
		const { sql } = this.#storage;
		this.#storage.transactionSync(() => {
			sql.exec(
				"INSERT OR REPLACE INTO charges (n, is_open, charge) VALUES (?, 0, ?)",
				this.charges.length,
				JSON.stringify(charge),
			);
			if (step) {
				const { record, subtask, isAside, output } = step;
				sql.exec(
					"INSERT INTO steps (n, record, subtask, is_plan, output) VALUES (?, ?, ?, ?, ?)",
					record.index,
					JSON.stringify(record),
					this.#texts.put(`subtask:${record.index}`, subtask),
					isAside ? 1 : 0,
					this.#texts.put(`output:${record.index}`, output),
				);
			}
			this.#writeState(state);
			also();
		});
		this.charges.push(charge);
		this.open = null;
		if (step) this.steps.push(step);
		this.state = state;
	}

	/** Stores what is to be settled. */
	close(closing: PendingSettlement): void {
		this.#storage.transactionSync(() => {
			this.#storage.sql.exec("UPDATE run SET closing = ?", this.#texts.put("closing", JSON.stringify(closing)));
		});
		this.closing = closing;
	}

	/** Stores as what the run is settled, with the steps that this has, and whatever belongs to the same change. */
	finish({ end, state, steps }: Pick<RunSnapshot, "state" | "steps"> & { end: RunEnd }, also: () => void): void {
		const { sql } = this.#storage;
		this.#storage.transactionSync(() => {
			sql.exec("DELETE FROM steps WHERE n >= ?", steps.length);
			const [stateText, endText] = [JSON.stringify(state), JSON.stringify(end)];
			sql.exec(
				"UPDATE run SET state = ?, end = ?, closing = NULL",
				this.#texts.put("state", stateText),
				this.#texts.put("end", endText),
			);
			this.#texts.drop("closing");
			also();
		});
		Object.assign(this, { end, state, steps: [...steps], closing: null });
	}
}
