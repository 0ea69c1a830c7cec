// Delivers the handoff of a person's decision to the ledger of the run's workspace, and asks beforehand whether the ledger will take it.
import type { KeyContext } from "../../account/context.ts";
import { type Failure, StorageUnavailableError } from "../../failure.ts";
import { logError } from "../../http/log.edge.ts";
import { NO_SIGNING_KEY } from "../../ledger/endpoints.edge.ts";
import { ledgerClient } from "../../ledger/ledger-client.edge.ts";
import type { AppendRequest } from "../../ledger/workspace-ledger.object.ts";

/**
 * Appends the handoff of a decision. It may be delivered again at any time: the ledger knows it by its id.
 * @throws StorageUnavailableError when it is to be tried again: the ledger or D1 is away, or the key that signed the chain is.
 */
export async function appendReview(env: Env, handoff: AppendRequest): Promise<void> {
	const verdict = await ledgerClient(env, handoff.userId, handoff.workspaceId).append(handoff);
	if (verdict.appended) return;
	if (verdict.reason === "signing_unavailable")
		throw new StorageUnavailableError("the chain is signed, and there is no signing key now");
	// Trying again would change nothing, and a run that waits for it would never be sealed.
	logError("decision_not_recorded", new Error(verdict.reason), { handoff_id: handoff.id });
}

/** Why no decision is taken in a workspace now: its chain is signed, and the service has no key to go on with. Null with a key. */
export async function findSigningRefusal(
	{ account, env, settings }: Pick<KeyContext, "account" | "env" | "settings">,
	workspaceId: string,
): Promise<Failure | null> {
	if (settings.signer) return null;
	const { last } = await ledgerClient(env, account.userId, workspaceId).state();
	return last === null || last.signature === null ? null : NO_SIGNING_KEY;
}
