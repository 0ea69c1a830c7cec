// Groups of tools, of which a client lists some (docs/reference/tools.md, "MCP"). Pure.
import { type Endpoint, TOOL_GROUPS } from "../http/endpoint.ts";
import { isTool } from "./tools.ts";

/** The names that a client may ask for. `default` is what it gets that names none. */
export const TOOL_GROUP_NAMES: readonly string[] = ["default", "all", ...TOOL_GROUPS];

/** Whether a tool is in a group. */
export function isInToolGroup(endpoint: Endpoint, group: string): boolean {
	if (!isTool(endpoint)) return false;
	return group === "all" || group === endpoint.toolGroup || (group === "default" && endpoint.isDefaultTool === true);
}

/** The names of groups in a text, joined by commas. A blank text stands for the default. */
export function parseGroups(text: string): string[] {
	const groups = text.split(",").flatMap((name) => name.trim() || []);
	return groups.length === 0 ? ["default"] : groups;
}
