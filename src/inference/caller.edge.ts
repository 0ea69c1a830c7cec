// For whom a run is made: the user and plan, where its money comes from, who may stop it.
import type { Account, KeyContext } from "../account/context.ts";
import { createFunds, type Funds } from "../usage/funds.edge.ts";

export interface Caller
	extends Pick<KeyContext, "requestId" | "startedAtMs" | "settings" | "signal" | "waitUntil" | "log" | "timings"> {
	account: Omit<Account, "number">;
	funds: Funds;
}

/** The caller of a request. */
export function toCaller(context: KeyContext): Caller {
	const { requestId, startedAtMs, account, settings, signal, log, timings } = context;
	const waitUntil: Caller["waitUntil"] = (work) => context.waitUntil(work);
	return { requestId, startedAtMs, account, settings, signal, waitUntil, log, timings, funds: createFunds(context) };
}
