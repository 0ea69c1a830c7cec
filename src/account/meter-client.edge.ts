// The Worker's side of a user's AccountMeter: every call is idempotent by request id and tried twice.
import { callTwice } from "../durable/call-object.edge.ts";
import type {
	AccountMeter,
	AdmitRequest,
	AdmitVerdict,
	MarkedOwner,
	Quota,
	SettleVerdict,
} from "./account-meter.object.ts";
import type { PlanId } from "./plans.ts";
import type { Settlement, UsageRow } from "./settlement.ts";

export type { MarkedOwner, Quota } from "./account-meter.object.ts";

export interface MeterClient {
	admit(request: AdmitRequest): Promise<AdmitVerdict>;
	settle(settlement: Settlement): Promise<SettleVerdict>;
	release(requestId: string): Promise<void>;
	snapshot(plan: PlanId): Promise<{ quota: Quota; pending: UsageRow[] }>;
	setPlan(plan: PlanId): Promise<void>;
	revokeKey(keyId: string): Promise<void>;
	/** Marks an owner of audit events as holding what D1 does not have. */
	markOwner(owner: string, mark: number): Promise<void>;
	/** Owners that may hold what D1 does not have, whose key begins so: any `limit` of them. */
	markedOwners(prefix: string, limit: number): Promise<MarkedOwner[]>;
	/** Takes an owner's marks up to this one away. */
	unmarkOwner(owner: string, mark: number): Promise<void>;
	ping(): Promise<"pong">;
}

/** A client for the meter of one user. */
export function meterClient(namespace: DurableObjectNamespace<AccountMeter>, userId: string): MeterClient {
	const twice = <T>(call: (stub: DurableObjectStub<AccountMeter>) => Promise<T>) => callTwice(namespace, userId, call);
	return {
		admit: (request) => twice(async (stub) => (await stub.admit(request)) as AdmitVerdict),
		settle: (settlement) => twice((stub) => stub.settle(settlement)),
		release: (requestId) => twice((stub) => stub.release(requestId)),
		snapshot: (plan) => twice(async (stub) => await stub.snapshot(plan)),
		setPlan: (plan) => twice((stub) => stub.setPlan(plan)),
		revokeKey: (keyId) => twice((stub) => stub.revokeKey(keyId)),
		markOwner: (owner, mark) => twice((stub) => stub.markOwner(owner, mark)),
		markedOwners: (prefix, limit) => twice(async (stub) => await stub.markedOwners(prefix, limit)),
		unmarkOwner: (owner, mark) => twice((stub) => stub.unmarkOwner(owner, mark)),
		ping: () => twice((stub) => stub.ping()),
	};
}
