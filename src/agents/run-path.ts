// What the endpoints of one run have in common: how its path names it, and how its answers are described. Pure.
import * as z from "zod";
import type { IdSources } from "../http/endpoint.ts";

export const runIdParam = z.lazy(() => z.object({ run_id: z.string() }));

export const RUN_ID_SOURCES: IdSources = { run_id: { answerOf: "start_agent_run" } };

/** What answers a request with `background: true`. */
export const IN_BACKGROUND = "With `background: true`: the run as it stands, which goes on.";

/** A run's event stream in words. @param progress what comes before its end. */
export function describeStream(progress: string): string {
	return `${progress}, then \`event: result\` with the run, \`event: requires_action\` with a run that waits, or \`event: error\`.`;
}
