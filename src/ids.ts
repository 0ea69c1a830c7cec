// Names of workspaces: the caller's own, private to its user.
import * as z from "zod";
import type { Failure } from "./failure.ts";

/** Path segments `.` and `..` are resolved by clients before they reach anybody. */
const WORKSPACE_ID = /^(?!\.\.?$)[A-Za-z0-9._:/@-]{1,128}$/;

/** What a workspace id must be, for whoever wrote another. */
const WORKSPACE_ID_RULE = "must be 1 to 128 characters of A-Z a-z 0-9 . _ : / @ - and neither . nor ..";

/** A workspace id in a body or query, where a malformed one is 422. */
export const workspaceIdSchema = z.string().regex(WORKSPACE_ID, WORKSPACE_ID_RULE);

/** A workspace in a path. Any text is taken: a malformed id is an unknown workspace (404), not a fault of the request. */
export const workspaceParams = z.lazy(() => z.object({ workspace_id: z.string() }));

/** True for a name that a workspace can have; in a path, any other is an unknown workspace. */
export function isWorkspaceId(text: string): boolean {
	return WORKSPACE_ID.test(text);
}

/** The answer to a path that names what cannot be a workspace. */
export const noWorkspace: Failure = {
	reason: "workspace_not_found",
	message: `no workspace can have this name: a workspace_id ${WORKSPACE_ID_RULE}`,
};
