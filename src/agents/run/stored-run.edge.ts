// A run as its object stores it, with a copy in memory, and what of it is on its way to D1. Synchronous. Every change is one transaction,
// and memory changes after it, so that a crash leaves the run either before the change or after it.
//
// Every change is one written row, the run's own, whatever of it changes: rows are what costs. The latest steps stand in it, too; when they
// are long, they move into parts that are not written again before the run's end.
import type { AuditEventRow } from "../../audit/event.ts";
import { hasTable } from "../../durable/table-rows.edge.ts";
import type { AppendRequest } from "../../ledger/workspace-ledger.object.ts";
import type { Settlement } from "../../meter/settlement.ts";
import type { RunSnapshot } from "../response.ts";
import type { OpenCharge } from "../step.edge.ts";
import { type SealedChanges, StoredCalls } from "../tools/stored-calls.edge.ts";
import type { ToolCall } from "../tools/tool-call.ts";
import type { StepCharge } from "./charges.ts";
import { isResumable } from "./interruption.ts";
import { LongTexts, PART_CHARS } from "./long-texts.edge.ts";
import type { RunSpec, RunState, RunStep, StepDraft } from "./run.ts";
import type { EndedRun, RunEnd } from "./run-end.ts";
import type { TextRetention } from "./step-texts.edge.ts";

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

/** An audit event; that of a person's decision with the handoff that is delivered after it. */
export type OutgoingEvent = AuditEventRow & { handoff?: AppendRequest };

/** What D1 may lack of a run. */
export interface Outgoing {
	/** Of the run's row for D1: rises with each one, and is never reused. */
	readonly revision: number;
	/** That of the row which D1 has. */
	readonly flushed: number;
	/** Audit events that have not arrived, oldest first. */
	readonly events: readonly OutgoingEvent[];
}

/** Columns of the run's row that are to be written. */
type RunColumns = Record<string, SqlStorageValue>;

interface StoredRunRow extends RunColumns {
	goal: string;
	spec: string;
	state: string;
	latest: string;
	parts: number;
	open_charge: string | null;
	pending_settlement: string | null;
	end: string | null;
	revision: number;
	flushed: number;
	events: string;
}

const RUN_COLUMNS = "goal, spec, state, latest, parts, open_charge, pending_settlement, end, revision, flushed, events";

type StoredMembers = Pick<
	StoredRun,
	"state" | "steps" | "charges" | "openCharge" | "pendingSettlement" | "end" | "outgoing"
>;

/** Steps and charges, in their order: a part of a run's, or its latest. */
interface StoredSteps {
	steps: readonly RunStep[];
	charges: readonly StepCharge[];
}

const NO_STEPS: StoredSteps = { steps: [], charges: [] };

const partName = (part: number) => `steps:${part}`;

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
	outgoing: Outgoing;
	/** The turns and calls of its tool steps. */
	readonly toolCalls: StoredCalls;
	#storage: DurableObjectStorage;
	#texts: LongTexts;
	/** How many steps and charges stand in parts, and in how many. */
	#inParts: { parts: number; steps: number; charges: number };
	/** What a transaction under way adds to the outbox; null outside. */
	#adding: { revision: number; events: OutgoingEvent[] } | null = null;

	private constructor(
		storage: DurableObjectStorage,
		spec: RunSpec,
		members: StoredMembers,
		inParts = { parts: 0, steps: 0, charges: 0 },
	) {
		this.#storage = storage;
		this.#texts = new LongTexts(storage.sql);
		this.spec = spec;
		this.state = members.state;
		this.steps = members.steps;
		this.charges = members.charges;
		this.openCharge = members.openCharge;
		this.pendingSettlement = members.pendingSettlement;
		this.end = members.end;
		this.outgoing = members.outgoing;
		this.#inParts = inParts;
		this.toolCalls = StoredCalls.load(storage.sql, spec);
	}

	/** The stored run, or null. */
	static load(storage: DurableObjectStorage): StoredRun | null {
		const { sql } = storage;
		const [row] = sql.exec<StoredRunRow>(`SELECT ${RUN_COLUMNS} FROM run`).toArray();
		if (!row) return null;
		const { pending_settlement: pending, open_charge: open, parts, revision, flushed } = row;
		const texts = new LongTexts(sql);
		const parse = <T>(name: string, column: string) => JSON.parse(texts.get(name, column)) as T;
		const apart = Array.from({ length: parts }, (_, part) => parse<StoredSteps>(partName(part), ""));
		const latest = JSON.parse(row.latest) as StoredSteps;
		const inParts = {
			parts,
			steps: apart.reduce((sum, { steps }) => sum + steps.length, 0),
			charges: apart.reduce((sum, { charges }) => sum + charges.length, 0),
		};
		const all = [...apart, latest];
		return new StoredRun(
			storage,
			{ ...parse<Omit<RunSpec, "goal">>("spec", row.spec), goal: texts.get("goal", row.goal) },
			{
				state: parse<RunState>("state", row.state),
				steps: all.flatMap(({ steps }) => steps),
				charges: all.flatMap(({ charges }) => charges),
				openCharge: open === null ? null : parse<OpenStepCharge>("open_charge", open),
				pendingSettlement: pending === null ? null : parse<PendingSettlement>("pending_settlement", pending),
				end: row.end === null ? null : parse<RunEnd>("end", row.end),
				outgoing: { revision, flushed, events: parse<OutgoingEvent[]>("events", row.events) },
			},
			inParts,
		);
	}

	/** Deletes all that the object keeps of a run. To be called in a transaction. */
	delete(): void {
		const { sql } = this.#storage;
		this.toolCalls.deleteAll();
		sql.exec("DELETE FROM run");
		if (hasTable(sql, "webhooks")) sql.exec("DELETE FROM webhooks");
		LongTexts.deleteAll(sql);
	}

	/** Stores a run that starts, with its first row for D1. To be called in a transaction. */
	static create(storage: DurableObjectStorage, spec: RunSpec, state: RunState): StoredRun {
		if (spec.tools) StoredCalls.create(storage.sql);
		const run = new StoredRun(storage, spec, {
			state,
			steps: [],
			charges: [],
			openCharge: null,
			pendingSettlement: null,
			end: null,
			outgoing: { revision: 1, flushed: 0, events: [] },
		});
		const [goalText, specText] = run.#putSpec(spec);
		storage.sql.exec(
			`INSERT INTO run (one, goal, spec, state, latest, parts, revision, flushed, events)
			VALUES (1, ?, ?, ?, ?, 0, 1, 0, '[]')`,
			goalText,
			specText,
			run.#texts.put("state", JSON.stringify(state)),
			JSON.stringify(NO_STEPS),
		);
		return run;
	}

	/** Stores long texts of a specification, and returns the columns `goal` and `spec`. */
	#putSpec({ goal, ...rest }: RunSpec): [goal: string, spec: string] {
		return [this.#texts.put("goal", goal), this.#texts.put("spec", JSON.stringify(rest))];
	}

	/** The calls of its tools so far. */
	get calls(): readonly ToolCall[] {
		return this.toolCalls.calls;
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

	#stateColumns(state: RunState): RunColumns {
		return { state: this.#texts.put("state", JSON.stringify(state)) };
	}

	#outgoingColumns({ revision, flushed, events }: Outgoing): RunColumns {
		return { revision, flushed, events: this.#texts.put("events", JSON.stringify(events)) };
	}

	/** Writes columns of the run's row: one written row, however many they are. */
	#writeRun(columns: RunColumns): void {
		const names = Object.keys(columns);
		if (names.length === 0) return;
		const set = names.map((name) => `${name} = ?`).join(", ");
		this.#storage.sql.exec(`UPDATE run SET ${set}`, ...Object.values(columns));
	}

	/**
	 * One transaction: whatever belongs to it, which may add to the outbox, then the run's row.
	 * @param write returns the columns of the run's row that change.
	 */
	#commit(alsoStore: () => void, write: () => RunColumns): void {
		const { revision, flushed, events } = this.outgoing;
		const adding = { revision, events: [] as OutgoingEvent[] };
		this.#adding = adding;
		let outgoing = this.outgoing;
		try {
			this.#storage.transactionSync(() => {
				alsoStore();
				if (adding.revision > revision || adding.events.length > 0)
					outgoing = { revision: adding.revision, flushed, events: [...events, ...adding.events] };
				const columns = write();
				// What was flushed since is stored with whatever comes next.
				const isUnchanged = outgoing === this.outgoing && Object.keys(columns).length === 0;
				this.#writeRun(isUnchanged ? {} : { ...columns, ...this.#outgoingColumns(outgoing) });
			});
		} finally {
			this.#adding = null;
		}
		this.outgoing = outgoing;
	}

	/** Lets D1 get the run's row as it is from now on. To be called in a transaction of the run's. Returns the row's revision. */
	addRevision(): number {
		if (!this.#adding) throw new Error("a row for D1 belongs to the transaction of a change");
		return ++this.#adding.revision;
	}

	/** Adds an audit event to the outbox. To be called in the transaction of the run's that it describes. */
	addEvent(event: OutgoingEvent): void {
		if (!this.#adding) throw new Error("an event belongs to the transaction of what it describes");
		this.#adding.events.push(event);
	}

	/**
	 * Records what has arrived. It is stored with the run's next change: what arrives twice is ignored. A run that waits for nobody's
	 * change stores it at once.
	 */
	markFlushed(revision: number, eventIds: ReadonlySet<string>): void {
		const flushed = Math.max(this.outgoing.flushed, revision);
		const events = this.outgoing.events.filter(({ id }) => !eventIds.has(id));
		const outgoing = { ...this.outgoing, flushed, events };
		if (this.end || this.isInterrupted)
			this.#storage.transactionSync(() => this.#writeRun(this.#outgoingColumns(outgoing)));
		this.outgoing = outgoing;
	}

	/** Stores the run's state, with whatever belongs to the same transaction. */
	saveState(state: RunState, alsoStore: () => void = () => undefined): void {
		this.#commit(alsoStore, () => this.#stateColumns(state));
		this.state = state;
	}

	/** Stores the run's state with changes of its calls. */
	saveCalls(state: RunState, changes: SealedChanges | null, alsoStore: () => void = () => undefined): void {
		this.saveState(state, () => {
			if (changes) this.toolCalls.store(changes);
			alsoStore();
		});
		if (changes) this.toolCalls.apply(changes);
	}

	/** Stores the end of a tool step's turn, whose cost is in the state. */
	endTurn(state: RunState, changes: SealedChanges | null, alsoStore: () => void = () => undefined): void {
		const store = () => {
			if (changes) this.toolCalls.store(changes);
			alsoStore();
		};
		this.#commit(store, () => ({ ...this.#stateColumns(state), open_charge: null }));
		this.state = state;
		if (changes) this.toolCalls.apply(changes);
		this.openCharge = null;
	}

	/** Stores what the step under way may have cost so far. */
	saveOpenCharge(open: OpenStepCharge): void {
		this.#commit(
			() => undefined,
			() => ({ open_charge: this.#texts.put("open_charge", JSON.stringify(open)) }),
		);
		this.openCharge = open;
	}

	/** Stores a step's end: its cost, the step unless it is null, and the run's state after it. */
	endStep(charge: StepCharge, step: RunStep | null, state: RunState, alsoStore: () => void = () => undefined): void {
		const steps = step ? [...this.steps, step] : this.steps;
		const charges = [...this.charges, charge];
		let inParts = this.#inParts;
		this.#commit(alsoStore, () => {
			const latest = JSON.stringify({
				steps: steps.slice(inParts.steps),
				charges: charges.slice(inParts.charges),
			} satisfies StoredSteps);
			const isLong = latest.length > PART_CHARS;
			if (isLong) {
				this.#texts.putApart(partName(inParts.parts), latest);
				inParts = { parts: inParts.parts + 1, steps: steps.length, charges: charges.length };
			}
			return {
				...this.#stateColumns(state),
				open_charge: null,
				latest: isLong ? JSON.stringify(NO_STEPS) : latest,
				parts: inParts.parts,
			};
		});
		Object.assign(this, { steps, charges, openCharge: null, state });
		this.#inParts = inParts;
	}

	savePendingSettlement(pending: PendingSettlement): void {
		this.#commit(
			() => undefined,
			() => ({ pending_settlement: this.#texts.put("pending_settlement", JSON.stringify(pending)) }),
		);
		this.pendingSettlement = pending;
	}

	/**
	 * Stores the run as it was settled. Steps that the settlement lacks are deleted, and the texts of all.
	 * @param keptTexts those that are kept elsewhere; null where none are.
	 */
	finish(
		{ spec, end, state, steps, charges }: EndedRun,
		keptTexts: TextRetention | null,
		alsoStore: () => void = () => undefined,
	): void {
		const withoutTexts = steps.map((step) => ({ ...step, output: "" }));
		let inParts = { parts: 0, steps: 0, charges: 0 };
		this.#commit(alsoStore, () => {
			const [goal, specText] = spec === this.spec ? [] : this.#putSpec(spec);
			for (let part = 0; part < this.#inParts.parts; part++) this.#texts.drop(partName(part));
			const latest = JSON.stringify({ steps: withoutTexts, charges } satisfies StoredSteps);
			const isLong = latest.length > PART_CHARS;
			if (isLong) {
				this.#texts.putApart(partName(0), latest);
				inParts = { parts: 1, steps: steps.length, charges: charges.length };
			}
			for (const name of ["pending_settlement", "open_charge"]) this.#texts.drop(name);
			return {
				...(goal === undefined || specText === undefined ? {} : { goal, spec: specText }),
				...this.#stateColumns(state),
				end: this.#texts.put("end", JSON.stringify(end)),
				latest: isLong ? JSON.stringify(NO_STEPS) : latest,
				parts: inParts.parts,
				pending_settlement: null,
				open_charge: null,
				texts: keptTexts?.packed ?? null,
				texts_bytes: keptTexts?.bytes ?? null,
				texts_expire_at_ms: keptTexts?.expiresAtMs ?? null,
			};
		});
		Object.assign(this, {
			spec,
			end,
			state,
			steps: withoutTexts,
			charges: [...charges],
			pendingSettlement: null,
			openCharge: null,
		});
		this.#inParts = inParts;
	}
}
