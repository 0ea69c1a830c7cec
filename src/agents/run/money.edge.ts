// A run's money. What a step may cost is written into the run's reservation at the meter before it is spent. At the end the run is
// sealed, stored and settled, once. If the meter has settled the run by itself, that stands.

import { PLANS } from "../../catalog/plans.ts";
import type { ComplianceGate } from "../../compliance/gate.ts";
import { database } from "../../db/client.edge.ts";
import type { PlanContext } from "../../inference/caller.edge.ts";
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
import { settledElsewhere } from "./receipt.ts";
import { type WrittenRun, writtenRun, writtenSoFar } from "./settlement.ts";

/** A run as it was settled. */
type SettledRun = Pick<KnownRun, "state" | "steps"> & { end: NonNullable<KnownRun["end"]> };

export class RunMoney {
	#env: Env;
	#waitUntil: (work: Promise<unknown>) => void;
	/** The gate on the goal of this object's run: the goal is scanned once. */
	#gate: Promise<ComplianceGate | null> | null = null;

	constructor(env: Env, waitUntil: (work: Promise<unknown>) => void) {
		this.#env = env;
		this.#waitUntil = waitUntil;
	}

	#funds({ userId, keyId, planId, runId: requestId }: RunSpec): Funds {
		return createFunds({
			account: { userId, keyId, plan: PLANS[planId], number: null },
			requestId,
			waitUntil: this.#waitUntil,
			db: database(this.#env.DB),
			meter: (id) => meterClient(this.#env.ACCOUNT_METER, id),
			admit: () => Promise.reject(new Error("a run is admitted before it begins")),
		});
	}

	/** What the run's calls are planned by, at current prices. */
	planContext({ planId }: RunSpec): PlanContext {
		return { account: { plan: PLANS[planId] }, settings: cachedSettings(this.#env), startedAtMs: Date.now() };
	}

	/** The compliance gate on the run's goal; null without a policy. */
	gateFor({ goal, compliance }: RunSpec): Promise<ComplianceGate | null> {
		this.#gate ??= gateOnGoal(goal, compliance, cachedSettings(this.#env));
		return this.#gate;
	}

	/** The run as it would be settled if it ended now. */
	#toWrittenRun({ spec, state, steps, charges }: RunBook, gate: ComplianceGate | null): WrittenRun {
		const end = {
			status: "interrupted" as const,
			output: outputOf(steps),
			trajectoryProof: proofSoFar(state, steps),
		};
		return { spec, state, charges, end, gate, catalog: cachedSettings(this.#env).catalog };
	}

	/** Stores what the step under way may have cost, then writes it into the run's reservation; false when that failed. */
	record(book: RunBook, open: OpenCharge, gate: ComplianceGate | null): Promise<boolean> {
		book.charge(open);
		const run = this.#toWrittenRun(book, gate);
		const readers = [...new Set([...book.state.readers, ...open.readers])];
		const written = { ...run, state: { ...book.state, readers }, charges: [...book.charges, open] };
		const spentNanoUsd = sumChargesNanoUsd(book.charges) + open.billedNanoUsd;
		const { expiresAtMs } = open;
		return this.#funds(book.spec).extend({ ...writtenSoFar(written, Date.now()), expiresAtMs, spentNanoUsd });
	}

	/** Stores the sealed settlement, so that settling can be repeated with the same bytes. */
	async seal(book: RunBook): Promise<void> {
		const { signer } = cachedSettings(this.#env);
		const gate = await this.gateFor(book.spec);
		const end = endOf(book.spec, book.state, book.steps, book.charges);
		const { usage, receipt } = writtenRun({ ...this.#toWrittenRun(book, gate), end }, Date.now());
		book.close({ end, settlement: { usage, receipt: await sealReceipt(receipt, signer) } });
	}

	/** Settles a sealed run; null when it is not known yet how it is settled. May be repeated. */
	async settle({ spec, state, steps, closing }: RunBook): Promise<SettledRun | null> {
		if (!closing) throw new Error("a run is sealed before it is settled");
		const { end, settlement } = closing;
		if (await this.#funds(spec).settle(settlement)) return { end, state, steps };
		const receipt = await this.#findReceipt(spec).catch(() => null);
		if (!receipt) return null;
		if (receipt.proof_hash === settlement.receipt.proof_hash) return { end, state, steps };
		return settledElsewhere({ state, steps }, receipt);
	}

	/** The receipt that the run was settled with: from its meter, or from D1 once the meter has let it go. */
	async #findReceipt({ userId, runId }: RunSpec): Promise<StoredReceipt | null> {
		const meter = meterClient(this.#env.ACCOUNT_METER, userId);
		return (await meter.receipt(runId)) ?? (await findReceipt(database(this.#env.DB), runId)) ?? null;
	}
}
