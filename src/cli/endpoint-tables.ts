// The tables of the documents that are made of the endpoints' definitions, found by their heads. Pure.
import { type Endpoint, TOOL_GROUPS } from "../http/endpoint.ts";
import { isInToolGroup } from "../mcp/tool-groups.ts";
import { asCode, type DocumentTable, replaceRows } from "./document-tables.ts";

interface EndpointTable extends Pick<DocumentTable, "head"> {
	toRows(endpoints: readonly Endpoint[]): readonly string[][];
}

function toToolRow(group: string, endpoints: readonly Endpoint[]): string[] {
	const tools = endpoints.filter((endpoint) => isInToolGroup(endpoint, group));
	return [asCode(group), tools.map(({ id }) => asCode(id)).join(", ")];
}

const TABLES: readonly EndpointTable[] = [
	{
		head: "| group | tools |",
		toRows: (endpoints) => [
			...["default", ...TOOL_GROUPS].map((group) => toToolRow(group, endpoints)),
			[asCode("all"), "all of these"],
		],
	},
	{
		head: "| endpoint | command | console |",
		toRows: (endpoints) =>
			endpoints
				.filter(({ command, page }) => command ?? page)
				.map(({ method, path, command, page }) => [
					asCode(`${method} ${path}`),
					command === undefined ? "" : asCode(`svc ${command}`),
					page ?? "",
				]),
	},
];

/** Each stands on one page. */
export const TABLE_HEADS: readonly string[] = TABLES.map(({ head }) => head);

/** A page of the documents with its tables of endpoints as the definitions have them. */
export function fillTables(page: string, endpoints: readonly Endpoint[]): string {
	return TABLES.reduce((text, { head, toRows }) => replaceRows(text, { head, rows: toRows(endpoints) }), page);
}
