// Call sets under one reservation, as an entrance would make them.
import {
	billAtBound,
	billInterruptedCall,
	type InterruptedBilling,
	type RequestPurpose,
} from "../../src/inference/accounting.ts";
import { CallRunner } from "../../src/inference/call-runner.edge.ts";
import type { Caller } from "../../src/inference/caller.edge.ts";
import type { CallSet } from "../../src/inference/failover.ts";
import { RequestSettlement, toRequestRecord } from "../../src/inference/settlement.edge.ts";

const MAX_MS = 60_000;

export interface ReservedCalls {
	calls: CallRunner;
	settlement: RequestSettlement;
}

/** Reserves the worst case of all sets together; nothing is called yet. */
export async function reserveCalls(
	caller: Caller,
	purpose: RequestPurpose,
	sets: readonly [CallSet, ...CallSet[]],
	billInterrupted: InterruptedBilling = billInterruptedCall,
): Promise<ReservedCalls> {
	const boundNanoUsd = sets.reduce((sum, set) => sum + set.boundNanoUsd, 0);
	const { settings, signal, account, startedAtMs: arrivedAtMs } = caller;
	const { userId } = account;
	const endsAtMs = Date.now() + MAX_MS;
	const calls = new CallRunner({ userId, settings, signal, boundNanoUsd, arrivedAtMs, endsAtMs, billInterrupted });
	const settlement = new RequestSettlement(caller, toRequestRecord(caller, purpose, boundNanoUsd), calls, endsAtMs);
	const reserved = await settlement.reserveBound(billAtBound(sets[0].calls[0], caller.startedAtMs));
	if (!reserved.ok) throw new Error(JSON.stringify(reserved.failure));
	return { calls, settlement };
}
