// The tables of the documents that are made of the endpoints' definitions, found by their heads. Pure.
import { type Endpoint, TOOL_GROUPS } from "../http/endpoint.ts";
import { isInToolGroup } from "../mcp/tool-groups.ts";

interface EndpointTable {
	/** The line that begins it. Its rows are the lines below its rule that begin with a bar. */
	head: string;
	toRows(endpoints: readonly Endpoint[]): readonly string[][];
}

const asCode = (text: string) => `\`${text}\``;

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

function replaceRows(page: string, { head, toRows }: EndpointTable, endpoints: readonly Endpoint[]): string {
	const lines = page.split("\n");
	const at = lines.indexOf(head);
	if (at < 0) return page;
	const rows = toRows(endpoints).map((cells) => `| ${cells.join(" | ")} |`);
	const below = lines.slice(at + 2);
	const end = below.findIndex((line) => !line.startsWith("|"));
	return [...lines.slice(0, at + 2), ...rows, ...below.slice(end)].join("\n");
}

/** A page of the documents with its tables of endpoints as the definitions have them. */
export function fillTables(page: string, endpoints: readonly Endpoint[]): string {
	return TABLES.reduce((text, table) => replaceRows(text, table, endpoints), page);
}
