// Which tools a client lists: groups, the default among them, and what its list costs a session.
import { describe, expect, it } from "vitest";
import { ENDPOINTS } from "../../../src/endpoints.ts";
import { toToolListing } from "../../../src/mcp/server.edge.ts";
import { isInToolGroup, parseGroups, TOOL_GROUP_NAMES } from "../../../src/mcp/tool-groups.ts";
import { toTools } from "../../../src/mcp/tools.ts";

function namesIn(group: string): string[] {
	return ENDPOINTS.filter((endpoint) => isInToolGroup(endpoint, group)).map(({ id }) => id);
}

describe("the groups of tools", () => {
	it("hold every tool once, and none is empty", () => {
		const groups = TOOL_GROUP_NAMES.filter((name) => name !== "default" && name !== "all").map(namesIn);
		const names = toTools(ENDPOINTS).map(({ name }) => name);
		expect(groups.flat().toSorted()).toEqual(names.toSorted());
		expect(namesIn("all")).toEqual(names);
		expect(groups.filter((group) => group.length === 0)).toEqual([]);
	});

	it("have a default that is enough to work", () => {
		expect(namesIn("default")).toEqual([
			"create_chat_completion",
			"preview_route",
			"orchestrate",
			"start_agent_run",
			"get_agent_run",
			"cancel_agent_run",
			"resolve_agent_run",
			"create_handoff",
			"get_handoff_chain",
			"check_policy",
			"list_skills",
			"get_skill",
			"invoke_skill",
		]);
	});

	it("are named by a text, and by none the default", () => {
		expect(parseGroups("")).toEqual(["default"]);
		expect(parseGroups(" , ")).toEqual(["default"]);
		expect(parseGroups("skills, nope")).toEqual(["skills", "nope"]);
	});
});

it("the default list takes less than 6,000 tokens", () => {
	const tokens = (group: string) => {
		const listed = toTools(ENDPOINTS.filter((endpoint) => isInToolGroup(endpoint, group))).map(toToolListing);
		return new TextEncoder().encode(JSON.stringify({ tools: listed })).byteLength / 4;
	};
	console.log(`tools/list: ${tokens("default")} tokens by default, ${tokens("all")} of all tools`);
	expect(tokens("default")).toBeLessThan(6_000);
});
