// The ids of runs, as paths and cursors have them.
import type { KeyContext } from "../../account/context.ts";
import { parseRequestId } from "../../account/request-ids.edge.ts";
import type { RequestIdParts } from "../../account/request-tag.ts";

/** The parts of a run's id; null for a text that is none. */
export function parseRunId(runId: string, { settings }: Pick<KeyContext, "settings">): RequestIdParts | null {
	return runId.startsWith("agt_") ? parseRequestId(runId, settings) : null;
}

/** Whether a text can be the id of one of the caller's runs. */
export function isOwnRunId(runId: string, context: KeyContext): boolean {
	const parts = parseRunId(runId, context);
	if (!parts) return false;
	return parts.userNumber === null || parts.userNumber === context.account.number;
}
