// The command line as its users run it: a process, its output, its exit code, against a running service.
import { spawn } from "node:child_process";
import { once } from "node:events";
import {
	existsSync,
	mkdirSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	rmSync,
	statSync,
	writeFileSync,
} from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { COMPILE_CACHE } from "../support/compile-cache.ts";
import recorded from "../support/hook-inputs.json" with { type: "json" };
import { startTestService, type TestService } from "./support.ts";

const SCRIPT = join(import.meta.dirname, "../../src/cli/svc.ts");

let service: TestService;
let key: string;
let dir: string;

beforeAll(async () => {
	dir = mkdtempSync(join(tmpdir(), "svc-cli-"));
	service = await startTestService();
	key = (await service.newKey("corporate")).key;
});
afterAll(async () => {
	await service?.stop();
	rmSync(dir, { recursive: true, force: true });
});

interface Outcome {
	code: number | null;
	stdout: string;
	stderr: string;
}

type Watch = (text: string, kill: (signal: NodeJS.Signals) => void) => void;

interface Call {
	input?: string;
	variables?: Record<string, string>;
	/** Called with what was written to standard error so far; sends signals. */
	watch?: Watch;
	/** The same for standard output. */
	watchOutput?: Watch;
}

async function svc(words: readonly string[], { input, variables, watch, watchOutput }: Call = {}): Promise<Outcome> {
	const child = spawn(process.execPath, [SCRIPT, ...words], {
		cwd: dir,
		env: {
			PATH: process.env["PATH"],
			HOME: dir,
			...COMPILE_CACHE,
			...(variables ?? { SVC_BASE_URL: `${service.url}/v1`, SVC_API_KEY: key }),
		},
		stdio: [input === undefined ? "ignore" : "pipe", "pipe", "pipe"],
	});
	child.stdin?.end(input);
	const outcome: Outcome = { code: null, stdout: "", stderr: "" };
	child.stdout?.setEncoding("utf8").on("data", (text: string) => {
		outcome.stdout += text;
		watchOutput?.(outcome.stdout, (signal) => child.kill(signal));
	});
	child.stderr?.setEncoding("utf8").on("data", (text: string) => {
		outcome.stderr += text;
		watch?.(outcome.stderr, (signal) => child.kill(signal));
	});
	const [code] = await once(child, "close");
	return { ...outcome, code };
}

const json = ({ stdout }: Outcome) => JSON.parse(stdout);

describe("answers", () => {
	it("come on standard output, who answered and what it cost beside it", async () => {
		const { code, stdout, stderr } = await svc(["chat", "Say", "hello"]);
		expect([code, stdout]).toEqual([0, expect.stringMatching(/you wrote "Say hello".*\n$/)]);
		expect(stderr).toMatch(/ · 0\.\d+ USD · svc-\w+\n$/);
	});

	it("are to what is piped in and to files, too", async () => {
		writeFileSync(join(dir, "notes.txt"), "sesame");
		const { stdout } = await svc(["chat", "-f", "notes.txt", "-", "Say what this is"], { input: "opened" });
		expect(stdout).toContain("Say what this is");
		const route = json(await svc(["route", "--json", "-f", "notes.txt", "hello"]));
		expect(route.object).toBe("route");
	});

	it("follow a skill, a mode, a model", async () => {
		expect(json(await svc(["chat", "--json", "--model", "gpt-6-luna", "hi"])).model).toBe("gpt-6-luna");
		const skilled = json(await svc(["chat", "--json", "--skill", "debugging", "It fails on Mondays"]));
		expect(skilled.object).toBe("chat.completion");
	});

	it("of several models and of coders come with their progress", async () => {
		const asked = await svc([
			"orchestrate",
			"--strategy",
			"self_consistency",
			"A farmer has 17 sheep, all but 9 run away",
		]);
		expect([asked.code, asked.stderr]).toEqual([0, expect.stringMatching(/call finished[\s\S]*self_consistency · /)]);
		const coded = await svc(["code", "-o", "made", "Write a TypeScript function that turns a title into a slug"]);
		expect(coded.code).toBe(0);
		expect(readdirSync(join(dir, "made")).length).toBeGreaterThan(0);
		const again = await svc(["code", "-o", "made", "Write a TypeScript function that turns a title into a slug"]);
		expect([again.code, again.stderr]).toEqual([2, expect.stringContaining("nothing was written")]);
	});

	it("are not paid for when their files have no place to go", async () => {
		writeFileSync(join(dir, "no-folder"), "");
		const { code, stdout, stderr } = await svc(["code", "-o", "no-folder", "Write a slug function"]);
		expect([code, stdout, stderr]).toEqual([
			2,
			"",
			expect.stringMatching(/^svc: nothing was written: \S+ is no folder\n$/),
		]);
	});

	it("by another model than the one that was named say why", async () => {
		const reason = async (model: string, prompt: string) =>
			(await svc(["chat", "--model", model, prompt])).stderr.split("\n").filter((line) => line.startsWith("not "));
		expect(await reason("no-such-model", "hi")).toEqual([expect.stringMatching(/^not no-such-model: .*catalog/)]);
		expect(await reason("gpt-6-luna", "[[fail openai]] hi")).toEqual([expect.stringMatching(/^not gpt-6-luna: /)]);
		expect(await reason("gpt-6-luna", "hi")).toEqual([]);
		expect(await reason("auto", "hi")).toEqual([]);
	});
});

describe("a run", () => {
	it("shows its spend against the cap step by step, and verifies afterwards", async () => {
		const { code, stdout, stderr } = await svc([
			"run",
			"--max-cost",
			"0.05",
			"1. Name three rivers\n2. Say where each begins",
		]);
		expect(code).toBe(0);
		expect(stdout).not.toBe("");
		expect(stderr).toMatch(/step 2 {2}0\.\d+ of 0\.05 USD {2}\w+, \w+, \S+ {2}done for/);
		const [id = ""] = /agt_\w+/.exec(stderr) ?? [];
		expect(await svc(["verify", id])).toMatchObject({ code: 0, stdout: expect.stringContaining("recomputed root") });
	});

	it("is cancelled at the service by Ctrl-C, which says what was spent", async () => {
		let isSent = false;
		const goal =
			"1. Name three rivers [[slow 3000]]\n2. Say where each begins [[slow 3000]]\n3. Put them in a table [[slow 3000]]";
		const { code, stderr } = await svc(["run", goal], {
			watch: (text, kill) => {
				if (isSent || !/^step 0/m.test(text)) return;
				isSent = true;
				kill("SIGINT");
			},
		});
		expect(stderr).toMatch(/cancelled · \d+ steps · [\d.]+ USD of [\d.]+ USD · agt_/);
		expect(code).toBe(130);
		const [id = ""] = /agt_\w+/.exec(stderr) ?? [];
		const run = await fetch(`${service.url}/v1/agent/${id}`, { headers: { authorization: `Bearer ${key}` } });
		expect(await run.json()).toMatchObject({ status: "cancelled" });
	});
});

describe("the policy", () => {
	it.each([
		["npm test", 0],
		["npm install -g left-pad", 10],
		["rm -rf ~", 12],
	])("says by its exit code what it decided on %s", async (command, expected) => {
		const outcome = await svc(["check", "-w", "shop", "--json", command]);
		expect([outcome.code, typeof json(outcome).reason]).toEqual([expected, "string"]);
	});

	it("permits nothing when it cannot be asked", async () => {
		const unanswered: Record<string, string>[] = [
			{ SVC_BASE_URL: "http://127.0.0.1:9", SVC_API_KEY: key },
			{ SVC_BASE_URL: service.url, SVC_API_KEY: "svc_sk_wrong" },
			{ SVC_BASE_URL: service.url },
		];
		for (const variables of unanswered) expect((await svc(["check", "-w", "shop", "ls"], { variables })).code).toBe(2);
		expect((await svc(["check", "ls"])).code).toBe(2);
	});
});

describe("a hook", () => {
	const ask = (agent: string, input: unknown, words: string[] = [], variables?: Record<string, string>) =>
		svc(["hook", agent, ...words], { input: JSON.stringify(input), ...(variables ? { variables } : {}) });

	it("lets pass, asks or denies what the agents sent", async () => {
		for (const { agent, input } of recorded.recordings) {
			const { code, stdout } = await ask(agent, input);
			const { command } = input.tool_input;
			const decision = stdout === "" ? null : JSON.parse(stdout).hookSpecificOutput.permissionDecision;
			const asked = agent === "codex" ? "deny" : "ask";
			const expected = /^echo/.test(command) ? null : /^git push/.test(command) ? "deny" : asked;
			expect([agent, command, code, decision]).toEqual([agent, command, 0, expected]);
		}
	});

	it("lets a tool pass that the manifest allows, and stops one that it denies, and records what has run", async () => {
		const call = { hook_event_name: "PreToolUse", session_id: "s-cli", cwd: "/home/ada/shop", tool_input: {} };
		const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
		const body = JSON.stringify({ tools: { allow: ["a__*"], deny: ["b__*"] } });
		await fetch(`${service.url}/v1/workspace/hooked/manifest`, { method: "PUT", headers, body });
		const words = ["-w", "hooked"];
		const passed = await ask("claude-code", { ...call, tool_name: "mcp__a__x" }, words);
		expect([passed.code, passed.stdout]).toEqual([0, ""]);
		const stopped = await ask("claude-code", { ...call, tool_name: "mcp__b__x" }, words);
		expect([stopped.code, stopped.stdout]).toEqual([0, expect.stringContaining('"deny"')]);
		const ran = { ...call, hook_event_name: "PostToolUse", tool_name: "mcp__a__x", tool_response: "done" };
		expect((await ask("claude-code", ran, words)).code).toBe(0);
		const { stdout } = await svc(["audit", "-w", "hooked", "--type", "tool_recorded", "--json"]);
		expect(JSON.parse(stdout)).toMatchObject({ payload: { session_id: "s-cli", response: "done", tool: "mcp__a__x" } });
	});

	it("blocks without an answer of the service, whatever the input", async () => {
		const [first] = recorded.recordings;
		const silent = createServer(() => {}).listen(0, "127.0.0.1");
		await once(silent, "listening");
		const away = { SVC_BASE_URL: "http://127.0.0.1:9", SVC_API_KEY: key };
		const mute = { SVC_BASE_URL: `http://127.0.0.1:${(silent.address() as AddressInfo).port}`, SVC_API_KEY: key };
		const outcomes = await Promise.all([
			ask("codex", first?.input, [], away),
			ask("claude-code", first?.input, ["--timeout", "1"], mute),
			ask("codex", { hook_event_name: "PreToolUse" }),
			svc(["hook", "claude-code"], { input: "no json" }),
			ask("claude-code", first?.input, ["--no-such-flag"]),
			ask("claude-code", first?.input, [], { SVC_BASE_URL: service.url, SVC_API_KEY: "svc_sk_wrong" }),
		]);
		silent.closeAllConnections();
		silent.close();
		expect(outcomes.map(({ code, stdout }) => [code, stdout])).toEqual(outcomes.map(() => [2, ""]));
		// What a proxy answers with is no permission.
		const proxy = createServer((_, response) => response.setHeader("content-type", "application/json").end("{}"));
		await once(proxy.listen(0, "127.0.0.1"), "listening");
		const behind = { SVC_BASE_URL: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`, SVC_API_KEY: key };
		for (const words of [[], ["--fail-open"]]) expect((await ask("codex", first?.input, words, behind)).code).toBe(2);
		proxy.close();
		const open = await ask("codex", first?.input, ["--fail-open"], away);
		expect([open.code, open.stderr]).toEqual([0, expect.stringContaining("let pass")]);
		const wrongKey = { SVC_BASE_URL: service.url, SVC_API_KEY: "svc_sk_wrong" };
		expect((await ask("codex", first?.input, ["--fail-open"], wrongKey)).code).toBe(2);
	});
});

describe("the ledger and the log", () => {
	it("show what was handed over, verified, and what was decided", async () => {
		const made = await svc([
			"handoff",
			"-w",
			"cli",
			"--from",
			"coder",
			"--to",
			"Ada",
			"--risk",
			"may break",
			"Deploy the cache",
		]);
		expect([made.code, made.stdout]).toEqual([0, expect.stringMatching(/^ho_\w+ {2}entry 0 {2}signed\n/)]);
		const verified = await svc(["verify", made.stdout.split(" ")[0] ?? ""]);
		expect([verified.code, verified.stdout]).toEqual([
			0,
			expect.stringMatching(/inclusion: leaf 0 of 1[\s\S]*is leaf 0/),
		]);
		const chain = await svc(["chain", "cli"]);
		expect([chain.code, chain.stdout]).toEqual([
			0,
			expect.stringMatching(/coder → Ada {2}\w+ {2}Deploy the cache\n[\s\S]*chain: whole/),
		]);
		await svc(["check", "-w", "cli", "rm -rf ~"]);
		const events = await svc(["audit", "-w", "cli", "--json"]);
		const lines = events.stdout
			.trim()
			.split("\n")
			.map((line) => JSON.parse(line));
		expect(lines.map(({ event_type }) => event_type)).toEqual(["handoff_created", "policy_check"]);
	});

	it("go on with what is new until they are stopped", async () => {
		const following = svc(["audit", "-w", "live", "--follow", "--json"], {
			watchOutput: (text, kill) => {
				if (text.includes("\n")) kill("SIGINT");
			},
		});
		await svc(["check", "-w", "live", "ls"]);
		const { code, stdout } = await following;
		expect([code, JSON.parse(stdout)]).toMatchObject([130, { event_type: "policy_check", workspace_id: "live" }]);
	});
});

describe("a login", () => {
	const loginFile = () => join(dir, "config/svc/login.json");
	const variables = () => ({ XDG_CONFIG_HOME: join(dir, "config") });

	it("is checked, kept for its owner alone, used, and forgotten", async () => {
		const wrong = await svc(["login", "--url", service.url], { input: "svc_sk_wrong\n", variables: variables() });
		expect([wrong.code, existsSync(loginFile())]).toEqual([1, false]);
		const right = await svc(["login", "--url", service.url], { input: `${key}\n`, variables: variables() });
		expect([right.code, right.stdout]).toEqual([0, expect.stringContaining("plan Corporate")]);
		expect(statSync(loginFile()).mode & 0o777).toBe(0o600);
		expect(right.stdout + right.stderr).not.toContain(key);
		const usage = json(await svc(["usage", "--json"], { variables: variables() }));
		expect(usage.plan).toBe("corporate");
		expect((await svc(["logout"], { variables: variables() })).code).toBe(0);
		const after = await svc(["usage", "--url", service.url], { variables: variables() });
		expect([after.code, after.stderr]).toEqual([1, expect.stringContaining("svc login")]);
	});
});

describe("a login file that holds something else", () => {
	it("is replaced by a new login, and is in nobody's way who brings a key", async () => {
		const variables = { XDG_CONFIG_HOME: join(dir, "broken") };
		mkdirSync(join(dir, "broken/svc"), { recursive: true });
		writeFileSync(join(dir, "broken/svc/login.json"), "{");
		const given = { ...variables, SVC_BASE_URL: service.url, SVC_API_KEY: key };
		expect((await svc(["usage"], { variables: given })).code).toBe(0);
		expect((await svc(["usage"], { variables })).stderr).toContain("svc login --url URL");
		expect((await svc(["login", "--url", service.url], { input: key, variables })).code).toBe(0);
		expect((await svc(["usage"], { variables })).code).toBe(0);
	});
});

describe("a printed hook", () => {
	it("works in any folder and without this program on the path, and waits no longer than the agent", async () => {
		// No `claude` is there, so that the printed hook runs this program.
		const path = { PATH: join(dir, "no-programs") };
		const connection = { SVC_BASE_URL: service.url, SVC_API_KEY: key };
		const printed = await svc(["hook", "claude-code", "--print-config", "--root", "/a b", "-w", "shop"], {
			variables: { ...connection, ...path },
		});
		expect([printed.code, printed.stderr]).toEqual([0, expect.stringContaining("claude is not on the path")]);
		const { command } = JSON.parse(printed.stdout).hooks.PreToolUse[0].hooks[0];
		const denied = recorded.recordings.find(({ input }) => /^git push/.test(input.tool_input.command));
		const hook = spawn("/bin/sh", ["-c", command], { cwd: "/", env: { ...path, HOME: dir, SVC_API_KEY: key } });
		hook.stdin.end(JSON.stringify(denied?.input));
		let answer = "";
		hook.stdout.on("data", (bytes) => {
			answer += bytes;
		});
		const [code] = await once(hook, "close");
		expect([code, JSON.parse(answer || "null")]).toMatchObject([
			0,
			{ hookSpecificOutput: { permissionDecision: "deny" } },
		]);
		const input = JSON.stringify(denied?.input);
		expect((await svc(["hook", "codex", "--timeout", "60"], { input })).code).toBe(2);
	});

	it("is for Claude Code's own HTTP where its version blocks on a failure", async () => {
		const bin = join(dir, "bin");
		mkdirSync(bin);
		writeFileSync(join(bin, "claude"), "#!/bin/sh\necho '2.1.330 (Claude Code)'\n", { mode: 0o755 });
		const variables = { SVC_BASE_URL: service.url, SVC_API_KEY: key, PATH: bin };
		const { stdout } = await svc(["hook", "claude-code", "--print-config", "-w", "shop"], { variables });
		expect(JSON.parse(stdout).hooks.PreToolUse[0].hooks[0]).toMatchObject({
			type: "http",
			url: expect.stringMatching(`^${service.url}/v1/hooks/claude-code\\?workspace=shop&root=`),
			onFailure: "block",
		});
	});
});

describe("keys", () => {
	it("are shown once, listed without themselves, and end at once", async () => {
		const made = await svc([
			"keys",
			"create",
			"--name",
			"nightly",
			"--role",
			"agent",
			"--budget-usd",
			"2",
			"--budget-period",
			"day",
		]);
		const given = made.stdout.trim();
		expect([made.code, given]).toEqual([0, expect.stringMatching(/^svc_sk_\w+$/)]);
		const [id = ""] = /key_\w+/.exec(made.stderr) ?? [];
		const listed = await svc(["keys", "list"]);
		expect(listed.stdout).toContain("2 USD a day");
		expect(listed.stdout).not.toContain(given);
		expect((await svc(["keys", "revoke", id])).code).toBe(0);
		const refused = await svc(["usage"], { variables: { SVC_BASE_URL: service.url, SVC_API_KEY: given } });
		expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining("HTTP 401")]);
	});
});

describe("routing configs and proofs", () => {
	it("are checked with exit codes that a script can use", async () => {
		const good = await svc(["config", "check", "-"], { input: "blocked: [openai]\n" });
		const bad = await svc(["config", "check", "-"], { input: "modle: auto\n" });
		expect([good.code, good.stdout]).toEqual([0, "valid\n"]);
		expect([bad.code, bad.stdout]).toEqual([1, expect.stringContaining("did you mean model?")]);
		const shared = await svc(["config", "share", "-"], { input: "blocked: [openai]\n" });
		expect(shared.stdout).toMatch(/^http\S+\/b\/\w+\n$/);
	});

	it("show a forged receipt, offline", async () => {
		const answer = json(await svc(["chat", "--json", "hi"]));
		const { id } = answer;
		const receipt = await (await fetch(`${service.url}/v1/proof/${id}`)).text();
		const pubkey = await (await fetch(`${service.url}/v1/proof/pubkey`)).text();
		writeFileSync(join(dir, "receipt.json"), receipt);
		writeFileSync(join(dir, "pubkey.json"), pubkey);
		const verify = () => svc(["verify", "receipt.json", "--pubkey", "pubkey.json"], { variables: {} });
		expect(await verify()).toMatchObject({ code: 0, stdout: expect.stringContaining("input, output: not compared") });
		writeFileSync(join(dir, "answer.json"), JSON.stringify(answer));
		const compare = (salt: string) =>
			svc(["verify", "receipt.json", "--pubkey", "pubkey.json", "--output", "answer.json", "--salt", salt], {
				variables: {},
			});
		expect(await compare(answer.svc.proof.salt)).toMatchObject({
			code: 0,
			stdout: expect.stringMatching(/^ok {4}output: has the hash/m),
		});
		expect((await compare("0".repeat(32))).code).toBe(1);
		writeFileSync(join(dir, "receipt.json"), receipt.replace('"cost_usd":', '"cost_usd":1'));
		expect(await verify()).toMatchObject({ code: 1, stdout: expect.stringContaining("FAIL") });
		expect((await svc(["verify", "pubkey.json"])).code).toBe(2);
		expect((await svc(["verify", "nothing.json"])).code).toBe(2);
	});
});

it("every failure is readable, and JSON where that was asked for", async () => {
	const refused = await svc(["keys", "revoke", "key_none", "--json"]);
	expect(refused.code).toBe(1);
	expect(json(refused).error).toMatchObject({ status: expect.any(Number), request_id: expect.stringMatching(/^svc-/) });
	for (const { stderr } of [refused, await svc(["verify", "agt_1"]), await svc(["keys"])])
		expect(stderr).not.toMatch(/ {4}at |node:internal/);
	expect(readFileSync(SCRIPT, "utf8")).not.toContain("process.exit(");
});
