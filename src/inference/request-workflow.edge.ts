// A workflow that is a request of its own: its bound is reserved before the first call, each batch goes into the reservation
// before it is sent, and it is settled and signed once, after the last call.
import { type Failure, ok, type Result } from "../failure.ts";
import type { Outcome, SealedReceipt } from "../proof/receipt.ts";
import { hashSalted } from "../proof/salted.ts";
import { type BilledCall, billInterruptedCall } from "./accounting.ts";
import type { Caller } from "./caller.edge.ts";
import { type FailedRequest, RequestSettlement, toRequestRecord } from "./settlement.edge.ts";
import { Workflow } from "./workflow.edge.ts";
import type { WorkflowLimits, WorkflowPurpose } from "./workflow.ts";
import type { SettledWorkflow } from "./workflow-answer.ts";

export class RequestWorkflow {
	/** Its calls. */
	readonly workflow: Workflow;
	#settlement: RequestSettlement;

	private constructor(workflow: Workflow, settlement: RequestSettlement) {
		this.workflow = workflow;
		this.#settlement = settlement;
	}

	/**
	 * Reserves the bound, or what its first calls may cost. Nothing is called yet, and a process that dies before the first call has spent
	 * nothing.
	 */
	static async open(
		caller: Caller,
		purpose: WorkflowPurpose,
		{ boundNanoUsd, firstNanoUsd = boundNanoUsd, maxMs }: WorkflowLimits,
	): Promise<Result<RequestWorkflow>> {
		const endsAtMs = Date.now() + maxMs;
		const workflow = new Workflow(caller, {
			boundNanoUsd,
			endsAtMs,
			signal: caller.signal,
			billInterrupted: billInterruptedCall,
			hashText: (text) => hashSalted(settlement.salt, text),
			beforeSend: (calls) => settlement.extend(calls),
		});
		const describe = () => purpose.describe(workflow.trace);
		const record = toRequestRecord<BilledCall>(caller, { ...purpose, describe }, firstNanoUsd);
		const settlement = new RequestSettlement(caller, record, workflow, endsAtMs);
		const reserved = await settlement.reserveNothingCalled();
		return reserved.ok ? ok(new RequestWorkflow(workflow, settlement)) : reserved;
	}

	/** Seals and stores usage and receipt, once. @param output what `output_hash` is over. @param written the same with placeholders for what is masked; default: nothing is. @returns null when that failed: then nothing may be delivered as a success. */
	async settle(outcome: Outcome, output: string, written = output): Promise<SealedReceipt | null> {
		await this.workflow.idle();
		return this.#settlement.settle(outcome, output, { writtenText: written });
	}

	/** The salt of the receipt's hashes. */
	get salt(): string {
		return this.#settlement.salt;
	}

	/** What the answer of a settled workflow says of it. */
	summary(receipt: SealedReceipt): SettledWorkflow {
		const { totals, trace, warnings } = this.workflow;
		const { record, salt, latencyMs, attestation } = this.#settlement;
		const { requestId, startedAtMs, boundNanoUsd } = record;
		return { requestId, startedAtMs, latencyMs, boundNanoUsd, totals, trace, warnings, receipt, salt, attestation };
	}

	/** Settles a workflow without a result: what may have been billed is recorded; where that is nothing, the reservation is released. */
	async fail(failure: Failure): Promise<FailedRequest> {
		const { workflow } = this;
		const clientClosed = workflow.stopped;
		workflow.stop();
		await workflow.idle();
		return this.#settlement.fail(workflow.toFailure(failure), clientClosed);
	}
}
