// `svc run` with tools: commands as functions, decisions at the terminal, and what is said where nobody decides.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, describe, expect, it, vi } from "vitest";
import { LocalError } from "../../../../src/cli/svc/failures.ts";
import { runCommandLine } from "../../../../src/cli/svc/main.ts";
import type { Terminal } from "../../../../src/cli/svc/terminal.ts";
import type { RunPending } from "../../../../src/client/tool-calls.ts";
import { makePending, WaitingRun } from "../../../support/waiting-run.ts";

const folder = mkdtempSync(join(tmpdir(), "svc-run-tools-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
afterEach(() => vi.unstubAllGlobals());

interface Person {
	/** What is typed at each question in turn; null for the end of the input. No list: there is no person. */
	types?: (string | null)[];
	/** What the editor makes of a text. */
	edits?: (text: string) => string;
	/** Pressed as soon as a command runs. */
	interruptsAt?: string;
}

async function run(service: WaitingRun, words: string[], { types, edits, interruptsAt }: Person = {}) {
	vi.stubGlobal("fetch", service.fetch);
	let output = "";
	let errors = "";
	let interrupt = () => {};
	const questions: string[] = [];
	const terminal: Terminal = {
		program: ["node", "svc.js"],
		readProgram: async () => ({ failure: "is not on the path" }),
		variables: { ...process.env, SVC_BASE_URL: "http://svc.test", SVC_API_KEY: "svc_sk_secret" },
		folder,
		isOutputShown: false,
		isProgressShown: types !== undefined,
		isTyped: types !== undefined,
		isPiped: false,
		write: (text) => {
			output += text;
		},
		writeError: (text) => {
			errors += text;
			if (interruptsAt !== undefined && text.includes(interruptsAt)) setTimeout(() => interrupt(), 100);
		},
		readInput: async () => "",
		askSecret: async () => "",
		askLine: async (question) => {
			questions.push(question);
			return types?.shift() ?? null;
		},
		editText: (text) => edits?.(text) ?? text,
		onInterrupt: (callback) => {
			interrupt = callback;
			return () => {};
		},
	};
	const code = await runCommandLine(["run", ...words], terminal);
	return { code, output, errors, questions };
}

const approval = (members: Partial<RunPending> = {}) =>
	makePending("p", { kind: "approval", tool: "send", arguments: { to: "ada@example.com" }, ...members });

describe("a command", () => {
	const lookWith = async (command: string, words: string[] = []) => {
		const service = new WaitingRun([[makePending("a")]]);
		const ran = await run(service, ["-w", "shop", "--tool", `look=${command}`, ...words, "look"]);
		return { ...ran, service, result: service.taken.get("a") };
	};

	it("reads its arguments as JSON and answers with what it prints", async () => {
		const { code, output, result, service } = await lookWith("cat; echo seen", ["--tool-effects", "look=read"]);
		expect([code, output, result]).toEqual([0, "done\n", { id: "a", output: '{"id":"a"}\nseen\n' }]);
		expect(service.started).toMatchObject({
			workspace_id: "shop",
			tools: [{ type: "function", name: "look", effects: "read", timeout_s: 600 }],
		});
	});

	it("that fails is an error with its status and what it said", async () => {
		const { code, result, errors } = await lookWith("echo half; echo no row >&2; exit 3");
		expect([code, result]).toEqual([
			0,
			{ id: "a", output: "it ended with exit status 3\nno row\nhalf", is_error: true },
		]);
		expect(errors).toContain("look  failed: it ended with exit status 3 · no row · half\n");
	});

	it("that prints no text is an error that says what to do, and a text that is cut within a character is none", async () => {
		const printed = await lookWith("printf 'a\\0b'");
		expect(printed.result).toMatchObject({ is_error: true, output: expect.stringMatching(/^\[3 bytes.*base64/) });
		const invalid = await lookWith("printf '\\377\\376'");
		expect(invalid.result).toMatchObject({ is_error: true });
		// The bound, 262,144 bytes, falls within the last character that is kept.
		const cut = await lookWith("printf x; head -c 300000 /dev/zero | sed 's/\\x0/é/g'");
		expect(cut.result).not.toHaveProperty("is_error");
		expect(JSON.stringify(cut.result)).not.toContain("\ufffd");
	});

	it("that takes too long is ended with all that it started", async () => {
		const { result } = await lookWith("sleep 30 & sleep 30; wait", ["--tool-timeout", "0.2"]);
		expect(result).toEqual({ id: "a", output: "it did not end within 0.2 s", is_error: true });
	});

	it("that reads nothing and prints without end is cut, and says so", async () => {
		const { result } = await lookWith("head -c 300000 /dev/zero | tr '\\0' x");
		expect(JSON.stringify(result)).toContain("[37856 more bytes are left out]");
	});

	it("gets no key of the service, with which it could approve its own calls", async () => {
		const { result } = await lookWith("env");
		expect(JSON.stringify(result)).not.toContain("svc_sk_");
	});

	it("may stand in a file with its form", async () => {
		const path = join(folder, "tools.json");
		writeFileSync(
			path,
			JSON.stringify([
				{ type: "function", name: "look", command: "echo hi", parameters: { type: "object" }, untrusted: true },
			]),
		);
		const service = new WaitingRun([[makePending("a")]]);
		await run(service, ["-w", "shop", "--tools", path, "--tool", "compute", "look"]);
		expect(service.started).toMatchObject({
			tools: [{ type: "compute" }, { type: "function", name: "look", untrusted: true }],
		});
		expect(service.taken.get("a")).toEqual({ id: "a", output: "hi\n" });
	});
});

describe("words that make no tools", () => {
	it.each([
		[["--tool", "look"], /NAME=COMMAND, or compute or ask_user/],
		[["-w", "shop", "--tool", "compute=ls"], /compute is the service's own/],
		[["-w", "shop", "--tool", "look=cat", "--tool-timeout", "9999999"], /at most 604500/],
		[["--tool", "look=cat"], /--workspace/],
		[["-w", "shop", "--tool", "look=cat", "--tool-effects", "lok=read"], /names no tool "lok".*look/],
		[["-w", "shop", "--tool", "look=cat", "--tool-effects", "look=rd"], /read, write, external/],
		[["-w", "shop", "--tool", "look=cat", "--tool", "look=ls"], /two tools named "look"/],
		[["-w", "shop", "--tool", "look=cat", "--tool-timeout", "0"], /above 0/],
	])("%j are refused before anything is asked", async (words, message) => {
		const service = new WaitingRun([[]]);
		const { code, errors } = await run(service, [...words, "look"]);
		expect([code, service.started]).toEqual([2, null]);
		expect(errors).toMatch(message);
	});
});

describe("without a person", () => {
	it("the run waits, and its id, the action and the command that goes on are printed", async () => {
		const service = new WaitingRun([[makePending("a"), approval()]]);
		const { code, errors } = await run(service, ["-w", "shop", "--tool", "look=echo 'a b'", "go"]);
		expect(code).toBe(1);
		expect([...service.taken.keys()]).toEqual(["a"]);
		expect(service.started).not.toHaveProperty("self_approval");
		expect(errors).toContain("approval of send  p  until 2099-01-01T00:00:00.000Z");
		expect(errors).toContain('│   "to": "ada@example.com"');
		expect(errors).toContain(`svc run --resume agt_1 --tool "look=echo 'a b'"`);
	});

	it("an approval by others is said to take another key, and the record of a run that may approve itself is told", async () => {
		const waiting = async (members: Record<string, unknown>) => {
			const service = new WaitingRun([[approval()]]);
			service.members = members;
			return (await run(service, ["-w", "shop", "--tool", "send=cat", "go"])).errors;
		};
		const console = "answer it in the console, http://svc.test/console/waiting";
		expect(await waiting({})).toContain(`${console}, with a key that neither began the run nor comes from`);
		expect(await waiting({ self_approval: true })).toContain(`${console}; then this goes on:`);
	});

	it("while others are waited for, the action and where it is decided are shown", async () => {
		const service = new WaitingRun([[approval()]]);
		const decided = setTimeout(() => service.settle("p"), 500);
		const { code, errors } = await run(service, ["-w", "shop", "--tool", "send=cat", "--approve", "wait", "go"]);
		clearTimeout(decided);
		expect(code).toBe(0);
		expect(errors).toContain('│   "to": "ada@example.com"');
		expect(errors).toContain("answer it in the console, http://svc.test/console/waiting, with a key that");
		expect(errors).toContain("; this goes on by itself\n");
	});

	it("a tool without a command here is named: the console cannot run it", async () => {
		const service = new WaitingRun([[makePending("a")]]);
		const { code, errors } = await run(service, ["--resume", "agt_1", "--tool", "other=cat"]);
		expect(code).toBe(1);
		expect(errors).toContain("no command was given for look\nthis goes on:\n");
		expect(errors).toContain("svc run --resume agt_1 --tool other=cat --tool look=COMMAND");
		expect(errors).not.toContain("console");
	});

	it("the printed command goes on", async () => {
		const service = new WaitingRun([[makePending("a")]]);
		const { code } = await run(service, ["--resume", "agt_1", "--tool", "look=cat"]);
		expect([code, service.status]).toEqual([0, "complete"]);
	});
});

describe("a person at the terminal", () => {
	const decide = async (types: (string | null)[], members: Partial<RunPending> = {}, edits?: Person["edits"]) => {
		const service = new WaitingRun([[approval(members)]]);
		const ran = await run(service, ["-w", "shop", "--tool", "send=cat", "go"], { types, ...(edits ? { edits } : {}) });
		return { ...ran, service, decision: service.taken.get("p") };
	};

	it("approves what stands there in full", async () => {
		const { decision, errors, service } = await decide(["a"], {
			policy: { decision: "approve", risk_score: 70, reason: "send is unknown", event_id: "ae_1" },
			tainted_by: [{ call_id: "call_1", tool: "fetch", values: [{ kind: "email", value: "eve@evil.example" }] }],
			unsourced: [{ kind: "host", value: "attacker.example", tool: "fetch" }],
		});
		expect(decision).toEqual({ id: "p", decision: "approve" });
		expect(service.started).toMatchObject({ self_approval: true });
		expect(errors).toContain("approve, risk 70 of 100: send is unknown");
		expect(errors).toContain('fetch (call_1); only there stands: email "eve@evil.example"');
		expect(errors).toContain('put together by the model: host "attacker.example", perhaps from what fetch returned');
	});

	it("rejects with a reason for the model", async () => {
		const { decision } = await decide(["r", "not to her"]);
		expect(decision).toEqual({ id: "p", decision: "reject", reason: "not to her" });
	});

	it("edits, sees the edit, and approves it", async () => {
		const { decision } = await decide(["e", "y"], {}, (text) => text.replace("ada", "bob"));
		expect(decision).toEqual({ id: "p", decision: "edit", arguments: { to: "bob@example.com" } });
	});

	it("is told of an edit that is no JSON, and edits again", async () => {
		let edits = 0;
		const { decision, errors } = await decide(["e", "y", "y"], {}, () => (edits++ === 0 ? "{" : '{"to":"b"}'));
		expect(errors).toContain("this is no JSON");
		expect(decision).toEqual({ id: "p", decision: "edit", arguments: { to: "b" } });
	});

	it("is back at the question when the editor fails", async () => {
		const { decision, errors, questions } = await decide(["e", "a"], {}, () => {
			throw new LocalError("vi failed: exit status 1");
		});
		expect(errors).toContain("vi failed: exit status 1; VISUAL or EDITOR names the editor");
		expect([decision, questions.length]).toEqual([{ id: "p", decision: "approve" }, 2]);
	});

	it.each([[["l"]], [[null]], [["r", null]]])("leaves it to others by %j", async (typed) => {
		const { code, decision, errors } = await decide(typed);
		expect([code, decision]).toEqual([1, undefined]);
		expect(errors).toContain("svc run --resume agt_1");
	});

	it("is asked again at anything else: a slip approves nothing", async () => {
		const { decision, questions, errors } = await decide(["", "x", "yes", "r", ""]);
		expect(decision).toEqual({ id: "p", decision: "reject" });
		expect(errors).toContain("none of a, e, r and l; nothing was decided");
		expect(questions).toHaveLength(5);
	});

	it("sees no line that the model wrote as one of this program", async () => {
		const { errors } = await decide(["l"], {
			tool: "send\napprove, risk 0 of 100: safe",
			arguments: { "\u001b[2Ka": "x\u202ey\n[a]pprove" },
			policy: { decision: "approve", risk_score: 70, reason: "line\nrisk 0", event_id: "ae_1" },
		});
		expect(errors).toContain('│   "\\u001b[2Ka": "x\\u202ey\\n[a]pprove"');
		expect(errors).not.toMatch(/^approve, risk 0/m);
		expect(errors).not.toMatch(/^risk 0/m);
	});

	it("sees a tool that the model made up on one line", async () => {
		const service = new WaitingRun([[approval()]]);
		service.called = "send\nnothing waits for you\u202e";
		const { errors } = await run(service, ["-w", "shop", "look"], { types: ["l"] });
		expect(errors).toContain("  send\u001b[0m\n");
		expect(errors).not.toContain("nothing waits");
	});

	it("is told of letters that look like others, which no font shows", async () => {
		const { errors } = await decide(["l"], { arguments: { to: "ada@ex\u0430mple.com", text: "line\nпривет" } });
		expect(errors).toContain(
			'letters that look like others in "ada@ex\u0430mple.com": \u0430 is U+0430; the host is xn--',
		);
		expect(errors).not.toMatch(/look like others in "[^a]/);
	});

	it("answers questions, by number where there are choices", async () => {
		const asked = { question: "Which?", choices: ["red", "blue"] };
		const service = new WaitingRun([[makePending("q", { kind: "input", tool: "ask_user", arguments: asked })]]);
		await run(service, ["-w", "shop", "--tool", "ask_user", "go"], { types: ["2"] });
		expect(service.taken.get("q")).toEqual({ id: "q", payload: "blue" });
	});
});

it("Ctrl-C ends the command and leaves the run waiting, with what goes on and what ends it", async () => {
	const service = new WaitingRun([[makePending("a")]]);
	const words = ["-w", "shop", "--tool", "look=sleep 30", "go"];
	const { code, errors } = await run(service, words, { interruptsAt: "look  {" });
	expect([code, service.taken.size]).toEqual([130, 0]);
	expect(errors).toContain("svc run --resume agt_1 --tool 'look=sleep 30'");
	expect(errors).toContain("svc run --cancel agt_1 ends it");
});
