// The hook's input and answer, on inputs that the agents sent.
import { describe, expect, it } from "vitest";
import {
	AGENTS,
	nameWorkspace,
	parseToolCall,
	toHookAnswer,
	toPolicyCheck,
} from "../../../../src/cli/svc/hook-inputs.ts";
import recorded from "../../../support/hook-inputs.json" with { type: "json" };

const call = (tool: string, input: Record<string, unknown>, folder = "/home/ada/shop") => ({ tool, input, folder });
const check = (tool: string, input: Record<string, unknown>, folder?: string) =>
	toPolicyCheck(call(tool, input, folder), "/home/ada/shop");

describe("a hook's input", () => {
	it.each(recorded.recordings)("of $agent $version is a check of its command", ({ input }) => {
		const parsed = parseToolCall(JSON.stringify(input));
		expect(parsed).not.toBeNull();
		expect(parsed && toPolicyCheck(parsed, "/home/ada/shop")).toMatchObject({ commands: [input.tool_input.command] });
	});

	it("was recorded from both agents", () => {
		expect(new Set(recorded.recordings.map(({ agent }) => agent))).toEqual(new Set(AGENTS));
	});

	it.each(["", "null", "[]", "{}", '{"hook_event_name":"PostToolUse","tool_name":"Bash","tool_input":{},"cwd":"/"}'])(
		"that is %j is none",
		(text) => {
			expect(parseToolCall(text)).toBeNull();
		},
	);

	it("names files from the agent's folder, as rules name them from the root", () => {
		const patch = "*** Begin Patch\n*** Update File: prod.tf\n*** Add File: ../x.md\n*** End Patch";
		expect(check("apply_patch", { command: patch }, "/home/ada/shop/infra")).toMatchObject({
			files_affected: ["infra/prod.tf", "x.md"],
		});
		expect(check("Edit", { file_path: "../../etc/x" }, "/home/ada/shop/infra")).toMatchObject({
			files_affected: ["/home/ada/etc/x"],
		});
		expect(check("Write", { file_path: "/home/ada/shop/..x" })).toMatchObject({ files_affected: ["..x"] });
	});

	it("below the root begins in its folder, above it by its whole name", () => {
		expect(check("Bash", { command: "rm -rf x" }, "/home/ada/shop/a b")).toMatchObject({
			commands: ["cd 'a b'", "rm -rf x"],
		});
		expect(check("Bash", { command: "ls" }, "/home/ada")).toMatchObject({ commands: ["cd /home/ada", "ls"] });
	});

	it("of an edit names the file as the workspace's rules do", () => {
		expect(check("Write", { file_path: "/home/ada/shop/infra/main.tf", content: "x" })).toMatchObject({
			action_kind: "edit",
			files_affected: ["infra/main.tf"],
		});
		expect(check("Edit", { file_path: "/etc/passwd" })).toMatchObject({ files_affected: ["/etc/passwd"] });
	});

	it("of a patch names every file of it, and a deletion as one", () => {
		const patch =
			"*** Begin Patch\n*** Update File: a.ts\n*** Move to: lib/b.ts\n@@\n*** Delete File: infra/c.tf\n*** End Patch";
		expect(check("apply_patch", { command: patch })).toEqual({
			action: "Apply a patch",
			action_kind: "delete",
			files_affected: ["a.ts", "lib/b.ts", "infra/c.tf"],
		});
	});

	it("of reading is judged as the command that shows the file", () => {
		expect(check("Read", { file_path: "/home/ada/shop/.env" })).toMatchObject({ commands: ["cat -- .env"] });
	});

	it("that does not say what it would do must not pass, and a tool without words is the agent's matter", () => {
		expect(check("Bash", { cmdline: "x" })).toBe("unreadable");
		expect(check("apply_patch", { command: "nothing" })).toBe("unreadable");
		expect(check("mcp__memory__store", { text: "x" })).toBeNull();
	});

	it("has a workspace by the name of its folder", () => {
		expect([nameWorkspace("/home/ada/my shop"), nameWorkspace("/"), nameWorkspace("/a/..x")]).toEqual([
			"my-shop",
			"workspace",
			"..x",
		]);
	});
});

describe("a hook's answer", () => {
	const output = (text: string) => (text === "" ? null : JSON.parse(text).hookSpecificOutput);
	const answer = (agent: (typeof AGENTS)[number], decision: "allow" | "confirm" | "approve" | "deny") =>
		output(toHookAnswer(agent, { decision, reason: "Because." }).stdout);

	it("to what is allowed leaves the agent's own rules in force", () => {
		for (const agent of AGENTS)
			expect(toHookAnswer(agent, { decision: "allow", reason: "" })).toMatchObject({ stdout: "", exitCode: 0 });
	});

	it("has Claude Code ask a person, and denies where Codex cannot ask", () => {
		expect(answer("claude-code", "confirm")).toMatchObject({ permissionDecision: "ask" });
		expect(answer("claude-code", "approve")).toMatchObject({ permissionDecision: "ask" });
		for (const decision of ["confirm", "approve"] as const)
			expect(answer("codex", decision)).toMatchObject({
				permissionDecision: "deny",
				permissionDecisionReason: expect.stringContaining("A person must decide"),
			});
		for (const agent of AGENTS)
			expect(answer(agent, "deny")).toEqual({
				hookEventName: "PreToolUse",
				permissionDecision: "deny",
				permissionDecisionReason: "svc policy: Because.",
			});
	});
});
