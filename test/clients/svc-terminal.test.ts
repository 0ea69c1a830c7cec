// `svc` at a terminal: the key is asked for unseen, calls of agents are decided on, and shells complete its words. A shell that is not there is named as skipped.
import { type ChildProcessWithoutNullStreams, execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestService, type TestService } from "./support.ts";

const SVC = resolve(import.meta.dirname, "../../src/cli/svc.ts");
const home = mkdtempSync(join(tmpdir(), "svc-terminal-"));
const environment = {
	...process.env,
	HOME: home,
	XDG_CONFIG_HOME: join(home, "config"),
	PATH: `${home}:${process.env["PATH"]}`,
};
writeFileSync(join(home, "svc"), `#!/bin/sh\nexec "${process.execPath}" "${SVC}" "$@"\n`);
chmodSync(join(home, "svc"), 0o755);

function isThere(program: string): boolean {
	return spawnSync(program, ["--version"], { stdio: "ignore" }).error === undefined;
}

afterAll(() => rmSync(home, { recursive: true, force: true }));

describe.skipIf(!isThere("script"))("a person at a terminal", () => {
	let service: TestService;
	let key = "";
	beforeAll(async () => {
		service = await startTestService();
		({ key } = await service.newKey("pro"));
	});
	afterAll(() => service?.stop());

	/** Runs `svc login` at a terminal of its own, and types once it asks. */
	async function login(typed: string): Promise<{ code: number; shown: string }> {
		const child: ChildProcessWithoutNullStreams = spawn(
			"script",
			["-qec", `svc login --url ${service.url}`, "/dev/null"],
			{ env: { ...environment, SVC_API_KEY: "", OPENAI_API_KEY: "" } },
		);
		let shown = "";
		let isTyped = false;
		child.stdout.on("data", (chunk) => {
			shown += chunk;
			if (isTyped || !shown.includes("key for")) return;
			isTyped = true;
			child.stdin.write(typed);
		});
		const [code] = await once(child, "close");
		return { code, shown };
	}

	it("shows nothing of what is typed, and keeps the key for its owner alone", async () => {
		const { code, shown } = await login(`${key.slice(0, -1)}x\u007f${key.slice(-1)}\r`);
		expect([code, shown]).toEqual([0, expect.stringContaining(`logged in at ${service.url}`)]);
		expect(shown).not.toContain(key.slice(7, 20));
		expect(readFileSync(join(home, "config/svc/login.json"), "utf8")).toContain(key);
	});

	it("takes the first line of what is pasted, with spaces around the key", async () => {
		const { code, shown } = await login(` ${key} \r\nand more\r\n`);
		expect([code, shown]).toEqual([0, expect.stringContaining(`logged in at ${service.url}`)]);
		expect(shown).not.toContain(key.slice(7, 20));
	});

	it("ends at Ctrl-C and at Ctrl-D without a key", async () => {
		for (const typed of ["\u0003", "\u0004"]) {
			const { code, shown } = await login(typed);
			expect([code, shown]).toEqual([2, expect.stringContaining("there is no key")]);
		}
	});

	/** Runs an agent whose tool asks a person, at a terminal of its own, and types an answer at each question. */
	async function approve(answers: [question: string, typed: string][]): Promise<{ code: number; shown: string }> {
		const headers = { authorization: `Bearer ${key}` };
		const manifest = JSON.stringify({ tools: { ask: ["send_*"] } });
		await fetch(`${service.url}/v1/workspace/mail/manifest`, { method: "PUT", headers, body: manifest });
		const goal = "Send ada@example.com the note: the cache is deployed";
		const command = `svc run --url ${service.url} -w mail --tool send_note=cat '${goal}'`;
		const child = spawn("script", ["-qec", command, "/dev/null"], {
			env: { ...environment, SVC_API_KEY: key, EDITOR: 'sed -i s/.*/{\\"edited\\":true}/' },
		});
		let [shown, read] = ["", 0];
		child.stdout.on("data", (chunk) => {
			shown += chunk;
			const at = shown.indexOf(answers[0]?.[0] ?? "\0", read);
			if (at < 0) return;
			read = shown.length;
			child.stdin.write(answers.shift()?.[1] ?? "");
		});
		const [code] = await once(child, "close");
		return { code, shown };
	}

	it("a call that is approved there runs its command, with the arguments that were shown", async () => {
		const { code, shown } = await approve([["leave it to others [l]: ", "a\r"]]);
		expect(code, shown).toBe(0);
		expect(shown).toMatch(/approval of send_note/);
		expect(shown).toContain("│ {}");
	});

	it("a call that is edited there runs with the edit alone, after it was shown", async () => {
		const { code, shown } = await approve([
			["leave it to others [l]: ", "e\r"],
			["approve exactly this?", "y\r"],
		]);
		expect(code, shown).toBe(0);
		expect(shown).toContain('{"edited":true}');
	});

	it("Ctrl-C at the question leaves the run waiting, and says how it goes on", async () => {
		const { code, shown } = await approve([["leave it to others [l]: ", "\u0003"]]);
		expect(code, shown).toBe(130);
		expect(shown).toMatch(/svc run --resume agt_\w+ --tool send_note=cat/);
	});

	it("says that a key is wrong without repeating it", async () => {
		const { code, shown } = await login("svc_sk_surely-not-a-key\r");
		expect([code, shown]).toEqual([1, expect.stringContaining("the API key is malformed")]);
		expect(shown).not.toContain("surely");
	});
});

/** Beginnings of a line, and a word that must complete it. */
const LINES: readonly [typed: string, completed: string][] = [
	["svc orch", "orchestrate"],
	["svc orchestrate --str", "--strategy"],
	["svc keys cr", "create"],
	["svc keys create --na", "--name"],
	["svc hook cod", "codex"],
];

describe("completion", () => {
	it.skipIf(!isThere("bash"))("completes commands and flags in bash", () => {
		for (const [typed, completed] of LINES) {
			const words = typed.split(" ");
			const script = `source <(svc completion bash); COMP_WORDS=(${words.join(" ")}); COMP_CWORD=${words.length - 1}; _svc; echo "\${COMPREPLY[@]}"`;
			const answer = execFileSync("bash", ["--norc", "-c", script], { env: environment, encoding: "utf8" });
			expect(answer.trim().split(" "), typed).toEqual([completed]);
		}
	});

	it.skipIf(!isThere("fish"))("completes commands and flags in fish", () => {
		for (const [typed, completed] of LINES) {
			const script = `svc completion fish | source; complete -C '${typed}'`;
			const answer = execFileSync("fish", ["--private", "-c", script], { env: environment, encoding: "utf8" });
			expect(answer.trim().split("\n"), typed).toEqual([completed]);
		}
	});

	/** Types into a shell at a terminal until it shows what is expected. @returns all that it showed */
	async function typeInto(shell: string, setup: string, typed: string, expected: string): Promise<string> {
		// A shell that never shows it is ended, and the test says what it showed.
		const child = spawn("script", ["-qec", shell, "/dev/null"], {
			env: { ...environment, TERM: "dumb" },
			timeout: 30_000,
		});
		const ended = once(child, "close");
		let shown = "";
		let isTyped = false;
		child.stdout.on("data", (chunk) => {
			shown += chunk;
			// The shell shows the line of the set-up, too, whose quotes set it apart.
			if (!isTyped && shown.includes("set-up-done")) {
				isTyped = true;
				child.stdin.write(typed);
			} else if (isTyped && shown.includes(expected)) child.stdin.end("\u0003exit\r");
		});
		child.stdin.write(`${setup}; echo "set-up""-done"\r`);
		await ended;
		return shown;
	}

	it.skipIf(!isThere("zsh") || !isThere("script")).each([
		["that has loaded nothing yet", ""],
		["that completes already", "autoload -Uz compinit && compinit -i; "],
	])("completes what is typed into a zsh %s", async (_, before) => {
		for (const [typed, completed] of LINES) {
			const shown = await typeInto("zsh -f", `${before}source <(svc completion zsh)`, `${typed}\t`, completed);
			expect(shown).toContain(completed);
		}
	});

	it.skipIf(!isThere("zsh"))("is taken by a zsh that has loaded nothing yet", () => {
		const script = 'source <(svc completion zsh); print "$_comps[svc]"; whence -w _svc; print "$PATH"';
		const answer = spawnSync("zsh", ["-f", "-c", script], { env: environment, encoding: "utf8" });
		expect([answer.stderr, answer.stdout]).toEqual([
			"",
			`_bash_complete -o default -F _svc\n_svc: function\n${environment.PATH}\n`,
		]);
	});
});
