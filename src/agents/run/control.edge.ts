// Which runs a key reads, and which it may cancel, resume and delete: an owner's key all of the user's; an agent's key ends those that it, or a
// key it replaced, began, and reads no others unless it is set to.
import type { KeyContext } from "../../account/context.ts";
import { mayChange, mayRead } from "../../account/makers.ts";
import type { Failure } from "../../failure.ts";
import { RUN_NOT_FOUND } from "./answer.edge.ts";
import { agentRunClient } from "./client.edge.ts";
import { isOwnRunId } from "./run-ids.edge.ts";

const OTHERS_RUN: Failure = {
	reason: "role_forbidden",
	message: "a key with the role agent may cancel, resume and delete only runs that it began",
};

/** Why the caller's key may not cancel, resume or delete a run; null when it may. */
export async function findControlRefusal(runId: string, context: KeyContext): Promise<Failure | null> {
	const { account, env } = context;
	if (!isOwnRunId(runId, context)) return RUN_NOT_FOUND;
	if (account.key.role === "owner") return null;
	const keyId = await agentRunClient(env, account.userId, runId).startedBy();
	if (keyId === null || !mayRead(account, keyId)) return RUN_NOT_FOUND;
	return mayChange(account, keyId) ? null : OTHERS_RUN;
}

/** Why the caller's key does not read a run; null when it does. Another's run is to it as one that is not there. */
export async function findReadRefusal(runId: string, context: KeyContext): Promise<Failure | null> {
	const { account, env } = context;
	if (!isOwnRunId(runId, context)) return RUN_NOT_FOUND;
	if (!account.key.ownOnly) return null;
	const keyId = await agentRunClient(env, account.userId, runId).startedBy();
	return mayRead(account, keyId) ? null : RUN_NOT_FOUND;
}
