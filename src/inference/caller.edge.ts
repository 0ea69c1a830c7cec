// For whom a run is made: the user and plan, where its money comes from, who may stop it.
import type { KeyContext } from "../account/context.ts";
import { type Funds, fundsOf } from "../usage/funds.edge.ts";

export interface Caller
	extends Pick<
		KeyContext,
		"requestId" | "startedAtMs" | "account" | "settings" | "signal" | "waitUntil" | "log" | "timings"
	> {
	funds: Funds;
}

/** The caller of a request. */
export function callerOf(context: KeyContext): Caller {
	const { requestId, startedAtMs, account, settings, signal, log, timings } = context;
	const waitUntil: Caller["waitUntil"] = (work) => context.waitUntil(work);
	return { requestId, startedAtMs, account, settings, signal, waitUntil, log, timings, funds: fundsOf(context) };
}
