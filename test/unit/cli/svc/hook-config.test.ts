// What `svc hook --print-config` prints, and what `svc check` and `svc hook` make of answers that are none.
import { execFileSync } from "node:child_process";
import { parse as parseToml } from "smol-toml";
import { afterEach, describe, expect, it, vi } from "vitest";
import { blocksOnFailure, readClaudeVersion } from "../../../../src/cli/svc/hook-config.ts";
import { runCommandLine } from "../../../../src/cli/svc/main.ts";
import type { ProgramOutput, Terminal } from "../../../../src/cli/svc/terminal.ts";
import recorded from "../../../support/hook-inputs.json" with { type: "json" };

interface Outcome {
	code: number;
	output: string;
	errors: string;
}

interface Place {
	claude?: ProgramOutput;
	variables?: Record<string, string>;
	folder?: string;
	input?: string;
}

/** Runs words at a terminal without a person. */
async function run(words: string[], { claude, variables = {}, folder = "/home/ada/shop", input = "" }: Place = {}) {
	const outcome: Outcome = { code: -1, output: "", errors: "" };
	const terminal: Terminal = {
		program: ["/opt/no de/bin/node", "/opt/it's/svc.js"],
		variables: { SVC_BASE_URL: "https://svc.test/v1", SVC_API_KEY: "svc_sk_x", ...variables },
		folder,
		isOutputShown: false,
		isProgressShown: false,
		isTyped: false,
		isPiped: true,
		write: (text) => {
			outcome.output += text;
		},
		writeError: (text) => {
			outcome.errors += text;
		},
		readInput: async () => input,
		readProgram: async (name, args) => {
			expect([name, args]).toEqual(["claude", ["--version"]]);
			return claude ?? { output: "2.1.330 (Claude Code)\n" };
		},
		askSecret: async () => "",
		askLine: async () => null,
		editText: (text) => text,
		onInterrupt: () => () => {},
	};
	outcome.code = await runCommandLine(words, terminal);
	return outcome;
}

const PRINT = ["hook", "claude-code", "--print-config"];

describe("the configuration of Claude Code", () => {
	it("asks the service over HTTP where a failure blocks", async () => {
		const { code, output, errors } = await run([...PRINT, "-w", "a/b c"], { folder: "/home/o'brien & co/shop" });
		const url = "https://svc.test/v1/hooks/claude-code?workspace=a%2Fb%20c&root=%2Fhome%2Fo'brien%20%26%20co%2Fshop";
		const sent = { headers: { Authorization: "Bearer $SVC_API_KEY" }, allowedEnvVars: ["SVC_API_KEY"] };
		const hook = { type: "http", url, timeout: 20, ...sent };
		expect([code, JSON.parse(output)]).toEqual([
			0,
			{
				hooks: {
					PreToolUse: [{ matcher: "*", hooks: [{ ...hook, onFailure: "block" }] }],
					PostToolUse: [{ matcher: "*", hooks: [hook] }],
				},
			},
		]);
		expect(new URL(url).searchParams.get("root")).toBe("/home/o'brien & co/shop");
		expect(errors).toContain("SVC_API_KEY in its environment");
		expect(output + errors).not.toContain("svc_sk_x");
	});

	it("names the workspace and the root that are given, else those of the project", async () => {
		const { url } = JSON.parse((await run(PRINT)).output).hooks.PreToolUse[0].hooks[0];
		expect(new URL(url).search).toBe("?workspace=shop&root=%2Fhome%2Fada%2Fshop");
		const variables = { CLAUDE_PROJECT_DIR: "/srv/pay", SVC_WORKSPACE: "team" };
		const given = JSON.parse((await run(PRINT, { variables })).output).hooks.PreToolUse[0].hooks[0];
		expect(new URL(given.url).search).toBe("?workspace=team&root=%2Fsrv%2Fpay");
		const below = JSON.parse((await run([...PRINT, "--root", "../x"])).output).hooks.PreToolUse[0].hooks[0];
		expect(new URL(below.url).search).toBe("?workspace=x&root=%2Fhome%2Fada%2Fx");
	});

	it.each<[ProgramOutput, RegExp]>([
		[{ output: "2.1.294 (Claude Code)" }, /Claude Code 2\.1\.294 lets a call pass whose HTTP hook fails/],
		[{ output: "2.1.295-beta.1 (Claude Code)" }, /claude --version names no version/],
		[{ output: "" }, /claude --version names no version/],
		[{ failure: "is not on the path" }, /claude is not on the path/],
		[{ failure: "did not end within 10 s" }, /claude did not end within 10 s/],
	])("runs this program from any folder after %j, and says why", async (claude, why) => {
		const { code, output, errors } = await run([...PRINT, "-w", "x;y", "--root", "/a b"], { claude });
		const { hooks } = JSON.parse(output);
		expect([code, errors, Object.keys(hooks)]).toEqual([0, expect.stringMatching(why), ["PreToolUse", "PostToolUse"]]);
		const { command } = hooks.PreToolUse[0].hooks[0];
		expect(command).toMatch(/ \|\| exit 2$/);
		const words = execFileSync("sh", ["-c", `printf '%s\n' ${command.replace(/ \|\| exit 2$/, "")}`]).toString();
		expect(words.trimEnd().split("\n")).toEqual([
			"/opt/no de/bin/node",
			"/opt/it's/svc.js",
			...["hook", "claude-code", "--workspace", "x;y", "--root", "/a b", "--url", "https://svc.test"],
		]);
		expect([hooks.PreToolUse[0].matcher, hooks.PostToolUse[0].matcher]).toEqual(["*", "*"]);
		// What has run is only recorded, so that its failure stops nothing.
		expect(hooks.PostToolUse[0].hooks[0].command).toBe(command.replace(/exit 2$/, "true"));
	});

	it("runs this program with --fail-open, which alone tells a service that is away from one that refuses", async () => {
		const { output } = await run([...PRINT, "--fail-open"]);
		expect(JSON.parse(output).hooks.PreToolUse[0].hooks[0]).toMatchObject({
			type: "command",
			command: expect.stringContaining(" --fail-open || exit 2"),
		});
	});

	it("of an organisation lets nothing but its hooks run, and asks no version of this machine", async () => {
		const claude = { failure: "is not on the path" };
		const { code, output } = await run([...PRINT, "--managed", "-w", "acme"], { claude });
		const url = "https://svc.test/v1/hooks/claude-code?workspace=acme";
		expect([code, JSON.parse(output)]).toMatchObject([
			0,
			{
				requiredMinimumVersion: "2.1.295",
				allowManagedHooksOnly: true,
				allowedHttpHookUrls: ["https://svc.test/v1/hooks/claude-code*"],
				httpHookAllowedEnvVars: ["SVC_API_KEY"],
				hooks: { PreToolUse: [{ matcher: "*", hooks: [{ type: "http", url, onFailure: "block" }] }] },
			},
		]);
		for (const words of [[], ["-w", "acme", "--fail-open"]])
			expect(await run([...PRINT, "--managed", ...words])).toMatchObject({ code: 2, output: "" });
		expect((await run(["hook", "claude-code", "--managed", "-w", "acme"])).code).toBe(2);
	});

	it("knows the versions that block", () => {
		const versions = ["2.1.295", "2.1.330", "2.2.0", "3.0.0", "2.1.294", "2.0.999", "1.9.9"];
		expect(versions.map(blocksOnFailure)).toEqual([true, true, true, true, false, false, false]);
		expect(readClaudeVersion("2.1.330 (Claude Code)\n")).toBe("2.1.330");
	});
});

describe("the configuration of Codex", () => {
	it("asks the service with curl, and blocks when that fails", async () => {
		const { code, output, errors } = await run(["hook", "codex", "--print-config", "-w", "a'b"]);
		const { features, hooks } = parseToml(output) as unknown as {
			features: { hooks: boolean };
			hooks: Record<string, { matcher?: string; hooks: { type: string; command: string; timeout: number }[] }[]>;
		};
		const curl = [
			`curl -sSf --max-time 20 -H "Authorization: Bearer $SVC_API_KEY" -H 'Content-Type: application/json'`,
			`--data-binary @- "https://svc.test/v1/hooks/codex?workspace=a'b"`,
		].join(" ");
		const hook = { type: "command", timeout: 30 };
		expect([code, features.hooks, hooks]).toEqual([
			0,
			true,
			{
				PreToolUse: [{ hooks: [{ ...hook, command: `${curl} || exit 2` }] }],
				PostToolUse: [{ hooks: [{ ...hook, command: `${curl} > /dev/null` }] }],
			},
		]);
		expect(errors).toMatch(/config\.toml[\s\S]*without a word in codex exec/);
	});

	it("runs this program with --fail-open", async () => {
		const { output } = await run(["hook", "codex", "--print-config", "--fail-open", "--timeout", "5"]);
		expect(output).toContain("--timeout 5 --url https://svc.test --fail-open || exit 2");
		expect((await run(["hook", "codex", "--print-config", "--managed"])).code).toBe(2);
	});
});

const answers: [string, () => Response][] = [
	["an empty object", () => Response.json({})],
	["null", () => Response.json(null)],
	["an unknown decision", () => Response.json({ decision: "maybe", reason: "?" })],
	["a page", () => new Response("<html>sign in</html>", { headers: { "content-type": "text/html" } })],
	["a text", () => new Response("allow", { headers: { "content-type": "text/plain" } })],
	["broken JSON", () => new Response("{", { headers: { "content-type": "application/json" } })],
	["nothing", () => new Response(null, { status: 204 })],
];

describe("a 2xx without a decision", () => {
	afterEach(() => vi.unstubAllGlobals());

	it.each(answers)("is no permission to svc check: %s", async (_, answer) => {
		vi.stubGlobal("fetch", async () => answer());
		const { code, errors } = await run(["check", "-w", "shop", "npm test"]);
		expect([code, errors]).toEqual([
			2,
			expect.stringMatching(/^svc: (?:https:\/\/svc\.test: )?the answer.*invalid_answer/),
		]);
	});

	it.each(answers)("blocks a hook with --fail-open: %s", async (_, answer) => {
		vi.stubGlobal("fetch", async () => answer());
		const input = JSON.stringify(recorded.recordings[0]?.input);
		expect(await run(["hook", "claude-code", "--fail-open"], { input })).toMatchObject({ code: 2, output: "" });
	});

	it("is told from a service that is away", async () => {
		const input = JSON.stringify(recorded.recordings[0]?.input);
		const open = () => run(["hook", "claude-code", "--fail-open"], { input });
		for (const status of [429, 401, 404, 422]) {
			vi.stubGlobal("fetch", async () => Response.json({ error: "x", message: "no" }, { status }));
			expect((await open()).code).toBe(2);
		}
		vi.stubGlobal("fetch", async () => new Response("bad gateway", { status: 502 }));
		expect(await open()).toMatchObject({ code: 0, output: "", errors: expect.stringContaining("let pass") });
		vi.stubGlobal("fetch", () => Promise.reject(new TypeError("fetch failed")));
		expect((await open()).code).toBe(0);
	});

	it.each([
		["keys", "create"],
		["keys", "rotate", "key_1"],
		["keys", "revoke", "key_1"],
		["health"],
		["usage"],
		["models"],
	])("is a failure of svc %s %s", async (...words) => {
		for (const [, answer] of answers) {
			vi.stubGlobal("fetch", async () => answer());
			const { code, output } = await run(words.filter((word) => word !== undefined));
			expect([code, output]).toEqual([2, ""]);
		}
	});
});
