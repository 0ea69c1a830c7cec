// The Worker's side of a user's AccountMeter: every call is idempotent by request id and tried twice.
import type { AccountMeter, AdmitRequest, AdmitVerdict, Quota, SettleVerdict } from "./account-meter.object.ts";
import type { PlanId } from "./plans.ts";
import type { Reservation, Settlement, UsageRow } from "./settlement.ts";

export type { Quota } from "./account-meter.object.ts";
export type AdmissionDraft = Reservation;

/** The meter could not be reached, twice. */
export class MeterUnavailableError extends Error {
	override name = "MeterUnavailableError";
}

export interface MeterClient {
	admit(request: AdmitRequest): Promise<AdmitVerdict>;
	settle(settlement: Settlement): Promise<SettleVerdict>;
	release(requestId: string): Promise<void>;
	snapshot(plan: PlanId): Promise<{ quota: Quota; pending: UsageRow[] }>;
	setPlan(plan: PlanId): Promise<void>;
	revokeKey(keyId: string): Promise<void>;
	ping(): Promise<"pong">;
}

/** A client for the meter of one user. */
export function meterClient(namespace: DurableObjectNamespace<AccountMeter>, userId: string): MeterClient {
	// A stub is broken for good after an error, so each try takes a new one.
	async function twice<T>(call: (stub: DurableObjectStub<AccountMeter>) => Promise<T>): Promise<T> {
		try {
			return await call(namespace.getByName(userId));
		} catch {
			try {
				return await call(namespace.getByName(userId));
			} catch (cause) {
				throw new MeterUnavailableError("the account meter did not answer", { cause });
			}
		}
	}
	return {
		admit: (request) => twice(async (stub) => (await stub.admit(request)) as AdmitVerdict),
		settle: (settlement) => twice((stub) => stub.settle(settlement)),
		release: (requestId) => twice((stub) => stub.release(requestId)),
		snapshot: (plan) => twice(async (stub) => await stub.snapshot(plan)),
		setPlan: (plan) => twice((stub) => stub.setPlan(plan)),
		revokeKey: (keyId) => twice((stub) => stub.revokeKey(keyId)),
		ping: () => twice((stub) => stub.ping()),
	};
}
