// What coding agents tell their hooks, as the policy decides on it; on inputs that the agents sent, and on one of each tool.
import { describe, expect, it } from "vitest";
import { AGENTS } from "../../../src/hooks/agents.ts";
import { collectArgumentTexts } from "../../../src/hooks/argument-texts.ts";
import { hookInputSchema, readEventKind, toHookAnswer, toHookCall } from "../../../src/hooks/hook-input.ts";
import { type JudgedUse, toJudgedUse } from "../../../src/hooks/tool-use.ts";
import tools from "../../../src/hooks/tools.json" with { type: "json" };
import { decide, type PolicyDecision } from "../../../src/policy/decide.ts";
import { readPathEffect } from "../../../src/policy/tool-effect.ts";
import { NO_TOOL_RULES, TOOL_RULES_WITHOUT_MANIFEST } from "../../../src/policy/tool-rules.ts";
import { toWorkspacePath } from "../../../src/policy/workspace-path.ts";
import recorded from "../../support/hook-inputs.json" with { type: "json" };

const ROOT = "/home/ada/shop";

function judge(tool: string, input: Record<string, unknown>, folder = ROOT): JudgedUse | "harmless" {
	return toJudgedUse({ tool, input, folder }, { root: ROOT, findSecrets: () => [] });
}

function decideOn(tool: string, input: Record<string, unknown>, rules = {}): PolicyDecision {
	const use = judge(tool, input);
	if (use === "harmless") throw new Error(`${tool} is not decided on`);
	const base = { protectedPaths: ["infra/"], forbiddenCommands: [], budgetUsd: Number.POSITIVE_INFINITY };
	return decide(
		{ ...use, action_kind: use.action_kind ?? undefined },
		{ ...base, tools: TOOL_RULES_WITHOUT_MANIFEST, ...rules },
	);
}

describe("a hook's input", () => {
	it.each(recorded.recordings)("of $agent $version is a check of its command", ({ input }) => {
		const parsed = hookInputSchema.parse(input);
		const call = toHookCall(parsed);
		if (typeof call === "string") throw new Error(call);
		expect(readEventKind(parsed)).toBe("decide");
		expect(judge(call.tool, call.input, call.folder)).toMatchObject({
			commands: [input.tool_input.command],
			tool: { names: ["Bash"], isKnown: true, isUnreadable: false },
		});
	});

	it("was recorded from both agents", () => {
		expect(new Set(recorded.recordings.map(({ agent }) => agent))).toEqual(new Set(AGENTS));
	});

	it("of a tool that has run is a record, and of other events is neither", () => {
		const kinds = ["PostToolUse", "PostToolUseFailure", "PermissionRequest", "Stop", "UserPromptSubmit"];
		expect(kinds.map((hook_event_name) => readEventKind({ hook_event_name }))).toEqual([
			"record",
			"record",
			"other",
			"other",
			"other",
		]);
	});

	it.each([
		[{}, "tool_name"],
		[{ tool_name: "Bash", cwd: "/" }, "tool_input"],
		[{ tool_name: "Bash", tool_input: ["x"], cwd: "/" }, "tool_input"],
		[{ tool_name: "Bash", tool_input: {} }, "cwd"],
	])("%j is no call, for want of %s", (input, missing) => {
		expect(toHookCall({ hook_event_name: "PreToolUse", ...input })).toBe(missing);
	});
});

describe("a path", () => {
	it.each([
		["infra/a.tf", ROOT, ROOT, "infra/a.tf"],
		["../x.md", `${ROOT}/infra`, ROOT, "x.md"],
		["../../etc/x", `${ROOT}/infra`, ROOT, "/home/ada/etc/x"],
		[`${ROOT}/..x`, ROOT, ROOT, "..x"],
		[`${ROOT}/./a//b/`, ROOT, `${ROOT}/`, "a/b"],
		["/home/ada/shopping/x", ROOT, ROOT, "/home/ada/shopping/x"],
		["/etc/passwd", ROOT, ROOT, "/etc/passwd"],
		["~/.ssh/id_rsa", ROOT, ROOT, "~/.ssh/id_rsa"],
		[".", ROOT, ROOT, "."],
		["C:\\Shop\\infra\\a.tf", "c:\\shop", "C:\\shop", "infra/a.tf"],
		["..\\.ssh\\id", "C:\\shop", "C:\\shop", "C:/.ssh/id"],
		["a\\b", ROOT, ROOT, "a\\b"],
	])("%s in %s below %s is %s", (path, folder, root, expected) => {
		expect(toWorkspacePath(path, folder, root)).toBe(expected);
	});
});

describe("a call of a built-in tool", () => {
	it("below the root begins in its folder, outside by its whole name", () => {
		expect(judge("Bash", { command: "rm -rf x" }, `${ROOT}/a b`)).toMatchObject({ commands: ["cd 'a b'", "rm -rf x"] });
		expect(judge("Bash", { command: "ls" }, "/home/ada")).toMatchObject({ commands: ["cd /home/ada", "ls"] });
		expect(judge("exec_command", { cmd: "ls", workdir: "infra" })).toMatchObject({ commands: ["cd infra", "ls"] });
		expect(judge("shell", { command: ["rm", "-r", "a b"] })).toMatchObject({ commands: ["rm -r 'a b'"] });
	});

	it("that edits names the files as the workspace's rules do", () => {
		for (const [tool, member] of [
			["Write", "file_path"],
			["Edit", "file_path"],
			["MultiEdit", "file_path"],
			["NotebookEdit", "notebook_path"],
		] as const)
			expect(judge(tool, { [member]: `${ROOT}/infra/x` })).toMatchObject({
				action_kind: "edit",
				files_affected: ["infra/x"],
			});
		expect(decideOn("Write", { file_path: `${ROOT}/infra/main.tf`, content: "x" }).decision).toBe("approve");
		expect(decideOn("Write", { file_path: `${ROOT}/src/a.ts`, content: "x" }).decision).toBe("allow");
	});

	it("that patches names every file of the patch, and a deletion as one", () => {
		const patch =
			"*** Begin Patch\n*** Update File: a.ts\n*** Move to: lib/b.ts\n@@\n*** Delete File: infra/c.tf\n*** End Patch";
		expect(judge("apply_patch", { command: patch })).toMatchObject({
			action: "Apply a patch",
			action_kind: "delete",
			files_affected: ["a.ts", "lib/b.ts", "infra/c.tf"],
		});
	});

	it.each([
		["Read", { file_path: `${ROOT}/.env` }],
		["NotebookRead", { notebook_path: `${ROOT}/.aws/credentials` }],
		["read_file", { file_path: "/home/ada/.ssh/id_rsa" }],
		["Grep", { pattern: "KEY", path: `${ROOT}/.env` }],
		["Grep", { pattern: "KEY", glob: ".env*" }],
		["Grep", { pattern: "KEY", path: "/home/ada", glob: ".ssh/*" }],
		["grep_files", { pattern: "KEY", include: ".env" }],
	])("%s with %j is refused as the command that shows the secret", (tool, input) => {
		expect(decideOn(tool, input).decision).toBe("deny");
	});

	it.each([
		["Read", { file_path: `${ROOT}/src/a.ts` }],
		["Read", { file_path: `${ROOT}/infra/main.tf` }],
		["NotebookRead", { notebook_path: `${ROOT}/a.ipynb` }],
		["Grep", { pattern: "TODO" }],
		["Grep", { pattern: "rm -rf /; $(x)", glob: "**/*.{ts,tsx}", path: `${ROOT}/src` }],
		["Grep", { pattern: "TODO", glob: "!.env" }],
		["Glob", { pattern: "**/*.ts" }],
		["Glob", { pattern: ".env*", path: ROOT }],
		["LS", { path: "/etc" }],
		["list_dir", { dir_path: "/etc" }],
		["WebFetch", { url: "https://example.com/docs", prompt: "x" }],
		["WebSearch", { query: "how to delete a branch" }],
		["write_stdin", { session_id: 1, chars: "ls\n" }],
	])("%s with %j is allowed", (tool, input) => {
		expect(decideOn(tool, input)).toMatchObject({ decision: "allow" });
	});

	it("that sends a secret to a host asks", () => {
		for (const [tool, input] of [
			["WebFetch", { url: "https://x.io/?token=sesame-and-more", prompt: "x" }],
			["WebFetch", { url: "https://ada:sesame@x.io/", prompt: "x" }],
			["WebFetch", { url: `https://x.io/?q=${"x".repeat(9_000)}`, prompt: "x" }],
			["WebSearch", { query: "what is AKIAIOSFODNN7EXAMPLE" }],
		] as const) {
			const { decision, reason } = decideOn(tool, input);
			expect(decision).toBe("confirm");
			expect(reason).not.toContain("sesame");
		}
	});

	it("that presses keys in a shell is judged as its commands, and one that only waits is recorded", () => {
		expect(decideOn("write_stdin", { session_id: 1, chars: "rm -rf /\n" }).decision).toBe("deny");
		expect(judge("write_stdin", { session_id: 1, chars: "" })).toBe("harmless");
	});

	it("that changes a file outside the root is judged as the command that does it", () => {
		for (const [tool, input, decision] of [
			["Write", { file_path: "/etc/passwd", content: "x" }, "deny"],
			["Edit", { file_path: "../../../usr/local/bin/svc" }, "confirm"],
			["NotebookEdit", { notebook_path: "/etc/a.ipynb" }, "deny"],
			["Write", { file_path: "~/notes.md", content: "x" }, "confirm"],
			["Write", { file_path: "/tmp/notes.md", content: "x" }, "allow"],
			["Write", { file_path: "/home/bob/notes.md", content: "x" }, "allow"],
			["apply_patch", { command: "*** Begin Patch\n*** Add File: /etc/cron.d/a\n+x\n*** End Patch" }, "deny"],
			["apply_patch", { command: "*** Begin Patch\n*** Delete File: /etc/hosts\n*** End Patch" }, "deny"],
			["mcp__files__write_file", { path: "/etc/hosts", content: "x" }, "deny"],
			["mcp__files__delete_file", { path: "/etc/hosts" }, "deny"],
			["mcp__files__read_file", { path: "/etc/hosts" }, "allow"],
		] as const)
			expect([tool, input, decideOn(tool, input).decision]).toEqual([tool, input, decision]);
		expect(judge("Write", { file_path: `${ROOT}/a` })).toMatchObject({ commands: [], files_affected: ["a"] });
	});

	it("that listens to an address is judged as a request to it", () => {
		expect(judge("Monitor", { description: "x", ws: { url: "wss://x.io/a" } })).toMatchObject({
			commands: ["curl -- wss://x.io/a"],
			tool: { names: ["Monitor"], places: ["Monitor(domain:x.io)"], isUnreadable: false },
		});
		expect(decideOn("Monitor", { description: "x", ws: {} }).decision).toBe("deny");
		expect(decideOn("Monitor", { command: "rm -rf /", ws: { url: "wss://x.io/a" } }).decision).toBe("deny");
	});

	it("without saying what it would do is refused", () => {
		for (const tool of ["Bash", "Write", "Read", "Grep", "Glob", "LS", "WebFetch", "WebSearch", "apply_patch"])
			expect(decideOn(tool, { nothing: "x" })).toMatchObject({
				decision: "deny",
				reason: expect.stringContaining("without saying what it would do"),
			});
		expect(decideOn("write_stdin", { chars: 7 }).decision).toBe("deny");
		const files = Array.from({ length: 10_001 }, (_, at) => `*** Add File: ${at}`).join("\n");
		expect(decideOn("apply_patch", { command: files }).decision).toBe("deny");
	});

	it("that changes nothing outside the agent is recorded only", () => {
		const harmless = Object.entries(tools.tools).filter(([, reading]) => reading === "harmless");
		expect(harmless.length).toBeGreaterThan(20);
		for (const [tool] of harmless) expect(judge(tool, {})).toBe("harmless");
		for (const tool of ["TodoWrite", "Task", "Skill", "ToolSearch", "AskUserQuestion", "update_plan", "view_image"])
			expect(judge(tool, {})).toBe("harmless");
	});
});

describe("the rules about tools", () => {
	const rules = (tools: Partial<typeof NO_TOOL_RULES>) => ({ tools: { ...NO_TOOL_RULES, ...tools } });
	const verdict = (tool: string, tools: Partial<typeof NO_TOOL_RULES>, input = {}) =>
		decideOn(tool, input, rules(tools)).decision;

	it("name MCP tools without Claude Code's prefix, or with it", () => {
		for (const pattern of ["github__create_issue", "GitHub__*", "*__create_*", "mcp__github__create_issue"])
			expect(verdict("mcp__github__create_issue", { deny: [pattern] })).toBe("deny");
		for (const pattern of ["github__create", "create_issue", "github__create_issue_*", "git*hub__create_issuex"])
			expect(verdict("mcp__github__create_issue", { deny: [pattern], unknown: "allow" })).toBe("allow");
	});

	it("let deny beat ask, and ask beat allow", () => {
		const all = { deny: ["a__*"], ask: ["*__*"], allow: ["*"] };
		expect(verdict("mcp__a__x", all)).toBe("deny");
		expect(verdict("mcp__b__x", all)).toBe("confirm");
		expect(verdict("NewTool", all)).toBe("allow");
	});

	it("say what holds for a tool that none names", () => {
		for (const [unknown, decision] of [
			["allow", "allow"],
			["ask", "confirm"],
			["deny", "deny"],
		] as const) {
			expect(verdict("mcp__a__x", { unknown })).toBe(decision);
			expect(verdict("NewTool", { unknown })).toBe(decision);
			expect(verdict("Bash", { unknown }, { command: "ls" })).toBe("allow");
		}
	});

	it("hold for known tools and hosts that they name", () => {
		expect(verdict("WebSearch", { deny: ["WebSearch"] }, { query: "x" })).toBe("deny");
		const fetch = (url: string) =>
			verdict("WebFetch", { ask: ["WebFetch(domain:*.example.com)"] }, { url, prompt: "x" });
		expect([fetch("https://a.example.com/x"), fetch("https://a.example.org/x")]).toEqual(["confirm", "allow"]);
		expect(fetch("https://A.example.com./x")).toBe("confirm");
	});

	it("spare a listed tool what its name says, not what its arguments say", () => {
		expect(verdict("mcp__github__delete_repository", { unknown: "allow" })).toBe("confirm");
		expect(verdict("mcp__github__delete_repository", { allow: ["github__*"] })).toBe("allow");
		expect(verdict("mcp__db__query", { allow: ["db__*"] }, { sql: "DROP TABLE users" })).toBe("deny");
	});

	it("are named in the reason", () => {
		expect(decideOn("mcp__a__x", {}, rules({ deny: ["a__*"] })).reason).toBe(
			"Denied: risk score 90 reaches the block threshold of 86. Calls a tool that the manifest denies (a__x is named by a__* in tools.deny).",
		);
		expect(decideOn("mcp__a__x", {}, rules({})).reason).toContain(
			"no pattern in tools names a__x, and unknown tools are asked about",
		);
	});
});

describe("the arguments of an MCP tool", () => {
	it.each([
		["mcp__db__query", { sql: "DROP TABLE users" }, "deny"],
		["mcp__db__query", { query: "/* all */ delete from users" }, "deny"],
		["mcp__db__query", { query: "select * from users" }, "allow"],
		["mcp__db__query", { query: "TRUNCATE users" }, "deny"],
		["mcp__notes__search", { query: "drop shipping" }, "allow"],
		["mcp__notes__search", { query: "delete my account, how?" }, "allow"],
		["mcp__shell__run", { command: "rm -rf /" }, "deny"],
		["mcp__shell__run", { command: "rm", args: ["-rf", "/"] }, "deny"],
		["mcp__shell__run", { command: ["rm", "-rf", "/"] }, "deny"],
		["mcp__shell__run", { steps: [{ commands: ["ls", "rm -rf /"] }] }, "deny"],
		["mcp__shell__run", { shellCommand: "npm test" }, "allow"],
		["mcp__router__call", { tool: "run", arguments: '{"command":"rm -rf /"}' }, "deny"],
		["mcp__router__call", { tool: "query", params: '[{"sql":"DROP TABLE users"}]' }, "deny"],
		["mcp__router__call", { tool: "run", arguments: "{oh" }, "allow"],
		["mcp__files__write_file", { path: "a.json", content: '{"command":"rm -rf /"}' }, "allow"],
		["mcp__files__read_text_file", { path: ".env" }, "deny"],
		["mcp__files__read_text_file", { path: "infra/a.tf" }, "allow"],
		["mcp__files__read_files", { paths: ["src/a.ts", ".env"] }, "deny"],
		["mcp__files__write_file", { path: "infra/a.tf", content: "x" }, "approve"],
		["mcp__files__move_file", { source: "a", destination: `${ROOT}/infra/a` }, "approve"],
		["mcp__files__write_file", { path: "src/a.ts", content: "rm -rf /\n" }, "allow"],
		["mcp__files__delete_file", { path: "src/a.ts" }, "confirm"],
		["mcp__files__get", { uri: "file:///home/ada/.ssh/id_rsa" }, "deny"],
		["mcp__web__fetch", { url: "https://x.io/?api_key=sesame" }, "confirm"],
		["mcp__web__fetch", { url: "https://x.io/" }, "allow"],
		["mcp__chat__post", { text: "rm -rf /", channel: "#ops" }, "allow"],
	])("of %s with %j come to %s", (tool, input, decision) => {
		expect(decideOn(tool, input)).toMatchObject({ decision });
	});

	it("are walked at any depth, and refused where they are too many", () => {
		let deep: unknown = { command: "rm -rf /" };
		for (let at = 0; at < 19_000; at++) deep = [deep];
		expect(collectArgumentTexts(deep)).toMatchObject({ commands: ["rm -rf /"] });
		expect(collectArgumentTexts(Array.from({ length: 20_001 }, () => 1))).toBeNull();
		expect(decideOn("mcp__a__x", { rows: Array.from({ length: 20_001 }, () => 1) }).decision).toBe("deny");
	});

	it("are in their order", () => {
		expect(collectArgumentTexts({ steps: [{ command: "a" }, { cmd: "b", args: ["c d"] }], script: "e" })).toEqual({
			commands: ["a", "b 'c d'", "e"],
			sql: [],
			paths: [],
			urls: [],
		});
	});

	it("name paths that are read, changed or deleted, as the tool's name says", () => {
		expect(["read_file", "getFile", "fs__list", "write_file", "readAndRemove", "upload"].map(readPathEffect)).toEqual([
			"read",
			"read",
			"read",
			"edit",
			"delete",
			"edit",
		]);
	});
});

describe("a hook's answer", () => {
	const answer = (agent: (typeof AGENTS)[number], decision: "allow" | "confirm" | "approve" | "deny") =>
		toHookAnswer(agent, decision, "Because.").hookSpecificOutput;

	it("to what is allowed leaves the agent's own rules in force", () => {
		for (const agent of AGENTS) expect(toHookAnswer(agent, "allow", "")).toEqual({});
	});

	it("has Claude Code ask a person, and denies where Codex cannot ask", () => {
		for (const decision of ["confirm", "approve"] as const) {
			expect(answer("claude-code", decision)).toMatchObject({ permissionDecision: "ask" });
			expect(answer("codex", decision)).toMatchObject({
				permissionDecision: "deny",
				permissionDecisionReason: expect.stringContaining("A person must decide"),
			});
		}
		for (const agent of AGENTS)
			expect(answer(agent, "deny")).toEqual({
				hookEventName: "PreToolUse",
				permissionDecision: "deny",
				permissionDecisionReason: "svc policy: Because.",
			});
	});
});
