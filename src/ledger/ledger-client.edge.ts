// The Worker's client for a workspace's ledger. Every call is tried twice; calls that write are idempotent by id. The
// ledger's audit events are left to audit/.
import { ownerObjectName } from "../audit/owner.ts";
import { callObject } from "../durable/call-object.edge.ts";
import type { VerifiedPrefix } from "./chain.ts";
import type { HandoffRow } from "./entry.ts";
import type { AppendRequest, AppendVerdict, LedgerState, WorkspaceLedger } from "./workspace-ledger.object.ts";

export type { LedgerState } from "./workspace-ledger.object.ts";

/** See the methods of WorkspaceLedger. */
export interface LedgerClient {
	append(request: AppendRequest): Promise<AppendVerdict>;
	state(): Promise<LedgerState>;
	find(id: string): Promise<{ entry: HandoffRow | null; idle: boolean }>;
	unflushedEntries(fromSeq: number, asOfMs: number): Promise<HandoffRow[]>;
	remember(verified: VerifiedPrefix): Promise<void>;
	checkpoint(origin: string): Promise<string | null>;
}

/** A client for the ledger of one user's workspace. */
export function ledgerClient({ WORKSPACE_LEDGER: namespace }: Env, userId: string, workspaceId: string): LedgerClient {
	const name = ownerObjectName(userId, { kind: "workspace", id: workspaceId });
	const callLedger = <T>(call: (stub: DurableObjectStub<WorkspaceLedger>) => Promise<T>) =>
		callObject(namespace, name, call);
	return {
		append: (request) => callLedger(async (stub) => (await stub.append(request)) as AppendVerdict),
		state: () => callLedger(async (stub) => (await stub.state()) as LedgerState),
		find: (id) => callLedger(async (stub) => await stub.find(id)),
		unflushedEntries: (fromSeq, asOfMs) => callLedger(async (stub) => await stub.unflushedEntries(fromSeq, asOfMs)),
		remember: (verified) => callLedger((stub) => stub.remember(verified)),
		checkpoint: (origin) => callLedger((stub) => stub.checkpoint(origin)),
	};
}
