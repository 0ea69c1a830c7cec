import { describe, expect, it } from "vitest";
import { agentRunRequestSchema } from "../../../../src/agents/request.ts";
import { toToolSpec } from "../../../../src/agents/tools/tool-request.ts";

const parameters = {
	type: "object",
	properties: { path: { type: "string" }, mail: { type: "object", properties: { to: { type: "array" } } } },
	required: ["path"],
};
const flat = { type: "function", name: "write_file", description: "Writes.", parameters, strict: true };

/** What is wrong with a body, as its 422 says it; null where nothing is. */
function issueOf(body: Record<string, unknown>): { path: string; message: string } | null {
	const parsed = agentRunRequestSchema.safeParse({ goal: "a", workspace_id: "w", ...body });
	if (!parsed.success) {
		const [issue] = parsed.error.issues;
		return { path: issue?.path.join(".") ?? "", message: issue?.message ?? "" };
	}
	const spec = toToolSpec(parsed.data);
	if (spec.ok) return null;
	return spec.failure.reason === "invalid_request" ? (spec.failure.issues[0] ?? null) : { path: "", message: "" };
}

function specOf(body: Record<string, unknown>) {
	const spec = toToolSpec(agentRunRequestSchema.parse({ goal: "a", workspace_id: "w", ...body }));
	if (!spec.ok) throw new Error(JSON.stringify(spec.failure));
	return spec.value;
}

describe("the tools of a request", () => {
	it("are the same in the flat form and in that of chat completions", () => {
		const { type, ...form } = flat;
		expect(specOf({ tools: [{ type, function: form, effects: "write" }] })).toEqual(
			specOf({ tools: [{ ...flat, effects: "write" }] }),
		);
	});

	it("have the careful defaults", () => {
		expect(specOf({ tools: [flat, { type: "compute" }] })).toEqual({
			tools: [
				{
					...{ kind: "client", name: "write_file", description: "Writes.", parameters, strict: true },
					...{ effects: "external", isUntrusted: false, isPrivate: false, commands: [], files: [], hosts: [] },
					...{ maxCalls: null, timeoutMs: 600_000, isQuarantined: false },
				},
				{ kind: "built_in", name: "compute" },
			],
			maxToolCalls: 50,
		});
	});

	it("leave nothing in a specification where there are none", () => {
		for (const body of [{}, { tools: [] }, { tools: null, plan: null, max_tool_calls: 3, self_approval: false }])
			expect(specOf(body)).toEqual({});
	});

	it.each<[string, Record<string, unknown>, string, RegExp]>([
		["without a workspace", { tools: [flat], workspace_id: null }, "workspace_id", /is required with tools/],
		["a plan without one", { plan: { approve: true }, workspace_id: null }, "workspace_id", /plan\.approve/],
		["without a name", { tools: [{ type: "function" }] }, "tools.0.name", /required/],
		["named twice", { tools: [{ ...flat, function: { name: "b" } }] }, "tools.0.name", /say it once/],
		["of one name", { tools: [flat, flat] }, "tools.1", /names are unique/],
		["of a built-in's name", { tools: [{ ...flat, name: "compute" }] }, "tools.0.name", /built-in/],
		["with another member", { tools: [{ ...flat, secret: 1 }] }, "tools.0", /secret/],
		["of a built-in with members", { tools: [{ type: "compute", effects: "read" }] }, "tools.0", /effects/],
		["of another type", { tools: [{ type: "web" }] }, "tools.0.type", /function, compute, ask_user/],
		["with a name that no provider takes", { tools: [{ ...flat, name: "a b" }] }, "tools.0.name", /letters/],
		["with other effects", { tools: [{ ...flat, effects: "none" }] }, "tools.0.effects", /read, write, external/],
		["that wait too long", { tools: [{ ...flat, timeout_s: 604_801 }] }, "tools.0.timeout_s", /604800/],
		["with a pointer that is none", { tools: [{ ...flat, files: ["path"] }] }, "tools.0.files.0", /RFC 6901/],
		["with a pointer to nothing", { tools: [{ ...flat, files: ["/pth"] }] }, "tools.0.files.0", /leads to nothing/],
		["with one into nothing", { tools: [{ ...flat, hosts: ["/mail/cc"] }] }, "tools.0.hosts.0", /leads to nothing/],
		[
			"with a schema that is none",
			{ tools: [{ ...flat, parameters: { type: 7 } }] },
			"tools.0.parameters.type",
			/object/,
		],
		["that are too long", { tools: [{ ...flat, description: "x".repeat(70_000) }] }, "tools", /65536/],
		["that are too many calls", { tools: [flat], max_tool_calls: 201 }, "max_tool_calls", /1 to 200/],
	])("are refused %s", (_, body, path, message) => {
		const issue = issueOf(body);
		expect(issue?.path).toBe(path);
		expect(issue?.message).toMatch(message);
	});

	it("take pointers that their schema may have", () => {
		expect(issueOf({ tools: [{ ...flat, files: ["/path"], hosts: ["/mail/to", "/mail/to/0"] }] })).toBeNull();
		expect(issueOf({ tools: [{ type: "function", name: "b", files: ["/any"] }] })).toBeNull();
		const open = { ...parameters, anyOf: [{ required: ["other"] }] };
		expect(issueOf({ tools: [{ ...flat, parameters: open, files: ["/other"] }] })).toBeNull();
	});
});
