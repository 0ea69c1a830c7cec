// Which tools a client lists: groups, the default among them, and what its list costs a session.
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { ENDPOINTS } from "../../../src/endpoints.ts";
import { toToolListing } from "../../../src/mcp/server.edge.ts";
import { parseGroups, TOOL_GROUPS } from "../../../src/mcp/tool-groups.ts";
import { toTools } from "../../../src/mcp/tools.ts";

const tools = toTools(ENDPOINTS);

describe("the groups of tools", () => {
	const groups = [...TOOL_GROUPS].filter(([name]) => name !== "default" && name !== "all");

	it("hold every tool once", () => {
		const grouped = groups.flatMap(([, names]) => names);
		expect(grouped.toSorted()).toEqual(tools.map(({ name }) => name).toSorted());
		expect(TOOL_GROUPS.get("all")?.toSorted()).toEqual(grouped.toSorted());
	});

	it("are those of the reference", () => {
		const [, section = ""] = readFileSync("src/docs/reference/tools.md", "utf8").split("\n## MCP\n");
		const rows = [...section.matchAll(/^\| `(\w+)` \| (`.*`) \|$/gm)].map(([, group, names = ""]) => [
			group,
			[...names.matchAll(/`(\w+)`/g)].map(([, name]) => name),
		]);
		expect(Object.fromEntries(rows)).toEqual(Object.fromEntries([...TOOL_GROUPS].filter(([name]) => name !== "all")));
	});

	it("have a default of tools that there are", () => {
		const names = tools.map(({ name }) => name);
		expect(TOOL_GROUPS.get("default")?.filter((name) => !names.includes(name))).toEqual([]);
	});

	it("are named by a text, and by none the default", () => {
		expect(parseGroups("")).toEqual(["default"]);
		expect(parseGroups(" , ")).toEqual(["default"]);
		expect(parseGroups("skills, nope")).toEqual(["skills", "nope"]);
	});
});

it("the default list takes less than 6,000 tokens", () => {
	const tokens = (group: string) => {
		const listed = tools.filter(({ name }) => TOOL_GROUPS.get(group)?.includes(name)).map(toToolListing);
		return new TextEncoder().encode(JSON.stringify({ tools: listed })).byteLength / 4;
	};
	console.log(`tools/list: ${tokens("default")} tokens by default, ${tokens("all")} of all tools`);
	expect(tokens("default")).toBeLessThan(6_000);
});
