// The Worker's side of a user's AccountMeter: every call is idempotent by request id and tried twice.
import { callTwice } from "../durable/call-object.edge.ts";
import type {
	AccountMeter,
	AdmitRequest,
	AdmitVerdict,
	Quota,
	SettleVerdict,
	UnflushedMark,
} from "./account-meter.object.ts";
import type { PlanId } from "./plans.ts";
import type { Settlement, UsageRow } from "./settlement.ts";

export type { Quota } from "./account-meter.object.ts";

export interface MeterClient {
	admit(request: AdmitRequest): Promise<AdmitVerdict>;
	settle(settlement: Settlement): Promise<SettleVerdict>;
	release(requestId: string): Promise<void>;
	snapshot(plan: PlanId): Promise<{ quota: Quota; pending: UsageRow[] }>;
	setPlan(plan: PlanId): Promise<void>;
	revokeKey(keyId: string): Promise<void>;
	/** Notes that a workspace's ledger holds what D1 does not have, under the id of what it holds. */
	markUnflushed(workspaceId: string, mark: string): Promise<void>;
	/** Workspaces whose ledger may hold what D1 does not have. */
	unflushed(): Promise<UnflushedMark[]>;
	/** Takes a note away, unless another has taken its place. */
	clearUnflushed(workspaceId: string, mark: string): Promise<void>;
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
		markUnflushed: (workspaceId, mark) => twice((stub) => stub.markUnflushed(workspaceId, mark)),
		unflushed: () => twice(async (stub) => await stub.unflushed()),
		clearUnflushed: (workspaceId, mark) => twice((stub) => stub.clearUnflushed(workspaceId, mark)),
		ping: () => twice((stub) => stub.ping()),
	};
}
