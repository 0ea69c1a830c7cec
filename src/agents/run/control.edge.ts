// Which runs a key may cancel and resume: an owner's key all of the user's, an agent's key those that it began.
import type { KeyContext } from "../../account/context.ts";
import type { Failure } from "../../failure.ts";
import { RUN_NOT_FOUND } from "./answer.edge.ts";
import { agentRunClient } from "./client.edge.ts";

const OTHERS_RUN: Failure = {
	reason: "role_forbidden",
	message: "a key with the role agent may cancel and resume only runs that it began",
};

/** Why the caller's key may not cancel or resume one of the user's runs; null when it may. */
export async function findControlRefusal(runId: string, { account, env }: KeyContext): Promise<Failure | null> {
	if (account.key.role !== "agent") return null;
	const keyId = await agentRunClient(env, account.userId, runId).startedBy();
	if (keyId === null) return RUN_NOT_FOUND;
	return keyId === account.keyId ? null : OTHERS_RUN;
}
