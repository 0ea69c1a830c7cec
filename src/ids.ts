// Workspace ids: names that callers choose, private to their user.
import * as z from "zod";
import type { Failure } from "./failure.ts";

/** `.` and `..` are excluded: HTTP clients resolve such path segments before they send them. */
const WORKSPACE_ID = /^(?!\.\.?$)[A-Za-z0-9._:/@-]{1,128}$/;

/** The rule, as error messages state it. */
const WORKSPACE_ID_RULE = "must be 1 to 128 characters of A-Z a-z 0-9 . _ : / @ - and neither . nor ..";

/** A workspace id in a body or query, where a malformed one is 422. */
export const workspaceIdSchema = z.string().regex(WORKSPACE_ID, WORKSPACE_ID_RULE);

/** A workspace id in a path. Any text is valid here: a malformed id is an unknown workspace (404), not a 422. */
export const workspaceParams = z.lazy(() => z.object({ workspace_id: z.string() }));

/** True for a valid workspace id. */
export function isWorkspaceId(text: string): boolean {
	return WORKSPACE_ID.test(text);
}

/** The failure for a path with an invalid workspace id. */
export const WORKSPACE_NOT_FOUND: Failure = {
	reason: "workspace_not_found",
	message: `no workspace can have this name: a workspace_id ${WORKSPACE_ID_RULE}`,
};

/** The name of the object of a run. */
export function runObjectName(runId: string): string {
	return `run:${runId}`;
}
