// The Worker's side of a user's AccountMeter: every call is idempotent by request id and tried twice.

import type { PlanId } from "../catalog/plans.ts";
import { callObject } from "../durable/call-object.edge.ts";
import type { AccountMeter } from "./account-meter.object.ts";
import type { PendingPage } from "./meter-books.edge.ts";
import type {
	AdmitRequest,
	AdmitVerdict,
	ExtendVerdict,
	MarkedOwner,
	MeterSnapshot,
	SettleVerdict,
	Standing,
} from "./meter-calls.ts";
import type { Reservation, Settlement, StoredReceipt } from "./settlement.ts";

export type { MarkedOwner, MeterSnapshot, Quota, Standing } from "./meter-calls.ts";

export interface MeterClient {
	admit(request: AdmitRequest): Promise<AdmitVerdict>;
	settle(settlement: Settlement): Promise<SettleVerdict>;
	release(requestId: string): Promise<void>;
	/** Replaces an open reservation by another. */
	extend(requestId: string, reservation: Reservation): Promise<ExtendVerdict>;
	snapshot(plan: PlanId): Promise<MeterSnapshot>;
	/** A further page of what the snapshot's totals count and D1 may have another row of. */
	doubtful(after: number): Promise<PendingPage>;
	/** The receipt of a request that D1 may not have. */
	receipt(requestId: string): Promise<StoredReceipt | null>;
	/** Flushes, and tells where the totals stand. */
	standing(): Promise<Standing>;
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
	const twice = <T>(call: (stub: DurableObjectStub<AccountMeter>) => Promise<T>) => callObject(namespace, userId, call);
	return {
		admit: (request) => twice(async (stub) => (await stub.admit(request)) as AdmitVerdict),
		settle: (settlement) => twice((stub) => stub.settle(settlement)),
		release: (requestId) => twice((stub) => stub.release(requestId)),
		extend: (requestId, reservation) => twice((stub) => stub.extend(requestId, reservation)),
		doubtful: (after) => twice(async (stub) => await stub.doubtful(after)),
		receipt: (requestId) => twice(async (stub) => await stub.receipt(requestId)),
		standing: () => twice(async (stub) => await stub.standing()),
		snapshot: (plan) => twice(async (stub) => await stub.snapshot(plan)),
		setPlan: (plan) => twice((stub) => stub.setPlan(plan)),
		revokeKey: (keyId) => twice((stub) => stub.revokeKey(keyId)),
		markOwner: (owner, mark) => twice((stub) => stub.markOwner(owner, mark)),
		markedOwners: (prefix, limit) => twice(async (stub) => await stub.markedOwners(prefix, limit)),
		unmarkOwner: (owner, mark) => twice((stub) => stub.unmarkOwner(owner, mark)),
		ping: () => twice((stub) => stub.ping()),
	};
}
