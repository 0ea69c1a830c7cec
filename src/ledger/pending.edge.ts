// Reads after writes: what a user's ledgers hold and D1 does not have yet. The meter knows which ledgers to ask.
import type { KeyContext } from "../account/context.ts";
import { logError } from "../http/log.edge.ts";
import { type LedgerClient, ledgerClient } from "./ledger-client.edge.ts";

type Caller = Pick<KeyContext, "account" | "meter" | "env">;

/**
 * Notes, before the write is answered, that a workspace's ledger holds something D1 does not have.
 * @param mark id of what it holds; a later one replaces it.
 */
export async function noteUnflushed({ account, meter }: Caller, workspaceId: string, mark: string): Promise<void> {
	try {
		await meter(account.userId).markUnflushed(workspaceId, mark);
	} catch (error) {
		// What was appended stays appended: a failure here must not invite the client to append it again.
		logError("unflushed_not_noted", error, { user_id: account.userId });
	}
}

/**
 * Asks every ledger of the caller that may hold what D1 does not have; one that turns out to hold nothing is not asked
 * again. Ask before D1 is read, or read D1 again afterwards: in between a row may have moved there.
 */
export async function askUnflushed<T extends { idle: boolean }>(
	{ account, meter, env }: Caller,
	ask: (ledger: LedgerClient) => Promise<T>,
): Promise<T[]> {
	const own = meter(account.userId);
	const marks = await own.unflushed();
	return Promise.all(
		marks.map(async ({ workspaceId, mark }) => {
			const answer = await ask(ledgerClient(env, account.userId, workspaceId));
			if (answer.idle) await own.clearUnflushed(workspaceId, mark);
			return answer;
		}),
	);
}
