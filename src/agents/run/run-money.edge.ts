// A run's money: what its steps may have cost goes into its reservation at the meter before it is spent, and at the end the run
// is sealed, stored and settled, once. What the meter has settled itself stands.

import { PLANS } from "../../catalog/plans.ts";
import type { ComplianceGate } from "../../compliance/gate.ts";
import { database } from "../../db/client.edge.ts";
import { Timings } from "../../http/timings.ts";
import type { Caller } from "../../inference/caller.edge.ts";
import { meterClient } from "../../meter/meter-client.edge.ts";
import type { StoredReceipt } from "../../meter/settlement.ts";
import { sealReceipt } from "../../proof/receipt.ts";
import { cachedSettings } from "../../settings.ts";
import { createFunds, type Funds } from "../../usage/funds.edge.ts";
import { findReceipt } from "../../usage/receipts.store.ts";
import { gateOnGoal } from "../goal-gate.edge.ts";
import type { KnownRun } from "../response.ts";
import type { OpenCharge } from "../step.edge.ts";
import { endOf, outputOf, proofSoFar, type RunSpec, sumChargesNanoUsd } from "./run.ts";
import type { RunBook } from "./run-book.edge.ts";
import { settledElsewhere } from "./run-receipt.ts";
import { type WrittenRun, writtenRun, writtenSoFar } from "./run-settlement.ts";

/** A run as it was settled. */
export type SettledRun = Pick<KnownRun, "state" | "steps"> & { end: NonNullable<KnownRun["end"]> };

export class RunMoney {
	#env: Env;
	#waitUntil: Caller["waitUntil"];
	/** Of the one run of this object: its goal is scanned once. */
	#gate: Promise<ComplianceGate | null> | null = null;

	constructor(env: Env, waitUntil: Caller["waitUntil"]) {
		this.#env = env;
		this.#waitUntil = waitUntil;
	}

	#funds({ userId, runId: requestId }: RunSpec): Funds {
		return createFunds({
			account: { userId },
			requestId,
			waitUntil: this.#waitUntil,
			db: database(this.#env.DB),
			meter: (id) => meterClient(this.#env.ACCOUNT_METER, id),
			admit: () => Promise.reject(new Error("a run is admitted before it begins")),
		});
	}

	/** The caller of the engine for one move, now. */
	callerFor(spec: RunSpec): Caller {
		const { userId, keyId, planId, runId: requestId } = spec;
		const startedAtMs = Date.now();
		return {
			requestId,
			startedAtMs,
			account: { userId, keyId, plan: PLANS[planId] },
			settings: cachedSettings(this.#env),
			signal: new AbortController().signal,
			waitUntil: this.#waitUntil,
			log: { endpoint: "agent_run" },
			timings: new Timings(startedAtMs, () => Date.now()),
			funds: this.#funds(spec),
		};
	}

	/** The compliance policy in force on the run's goal; null without one. */
	gateOf({ goal, compliance }: RunSpec): Promise<ComplianceGate | null> {
		this.#gate ??= gateOnGoal(goal, compliance, cachedSettings(this.#env));
		return this.#gate;
	}

	/** The run as it would be written down if it ended now. */
	#written({ spec, state, steps, charges }: RunBook, gate: ComplianceGate | null): WrittenRun {
		const end = {
			status: "interrupted" as const,
			output: outputOf(steps),
			trajectoryProof: proofSoFar(state, steps),
		};
		return { spec, state, charges, end, gate, catalog: cachedSettings(this.#env).catalog };
	}

	/** Stores what the step under way may have cost, then has the meter know; false when it could not be told. */
	tell(book: RunBook, open: OpenCharge, gate: ComplianceGate | null): Promise<boolean> {
		book.charge(open);
		const run = this.#written(book, gate);
		const readers = [...new Set([...book.state.readers, ...open.readers])];
		const written = { ...run, state: { ...book.state, readers }, charges: [...book.charges, open] };
		const spentNanoUsd = sumChargesNanoUsd(book.charges) + open.billedNanoUsd;
		const { expiresAtMs } = open;
		return this.#funds(book.spec).extend({ ...writtenSoFar(written, Date.now()), expiresAtMs, spentNanoUsd });
	}

	/** Stores what is to be settled, as it is sealed: so it can be settled again and is the same. */
	async seal(book: RunBook): Promise<void> {
		const { signer } = cachedSettings(this.#env);
		const gate = await this.gateOf(book.spec);
		const end = endOf(book.spec, book.state, book.steps, book.charges);
		const { usage, receipt } = writtenRun({ ...this.#written(book, gate), end }, Date.now());
		book.close({ end, settlement: { usage, receipt: await sealReceipt(receipt, signer) } });
	}

	/** Settles a run that is sealed; null when it cannot be known yet as what it is settled. May be repeated. */
	async settle({ spec, state, steps, closing }: RunBook): Promise<SettledRun | null> {
		if (!closing) throw new Error("a run is sealed before it is settled");
		const { end, settlement } = closing;
		if (await this.#funds(spec).settle(settlement)) return { end, state, steps };
		const receipt = await this.#receiptOf(spec).catch(() => null);
		if (!receipt) return null;
		if (receipt.proof_hash === settlement.receipt.proof_hash) return { end, state, steps };
		return settledElsewhere({ state, steps }, receipt);
	}

	/** What the run was settled as: at its meter, or in D1 where the meter knows it no more. */
	async #receiptOf({ userId, runId }: RunSpec): Promise<StoredReceipt | null> {
		const meter = meterClient(this.#env.ACCOUNT_METER, userId);
		return (await meter.receipt(runId)) ?? (await findReceipt(database(this.#env.DB), runId)) ?? null;
	}
}
