// Names of workspaces: the caller's own, private to its user.
import * as z from "zod";

/** Path segments `.` and `..` are resolved by clients before they reach anybody. */
const WORKSPACE_ID = /^(?!\.\.?$)[A-Za-z0-9._:/@-]{1,128}$/;

/** A workspace id in a body or query, where a malformed one is 422. */
export const workspaceIdSchema = z
	.string()
	.regex(WORKSPACE_ID, "must be 1 to 128 characters of A-Z a-z 0-9 . _ : / @ - and neither . nor ..");

/** True for a name that a workspace can have; in a path, any other is an unknown workspace. */
export function isWorkspaceId(text: string): boolean {
	return WORKSPACE_ID.test(text);
}
