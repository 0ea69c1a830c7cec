// What `svc` answers by itself: help, its version, and words that it does not know.
import { describe, expect, it } from "vitest";
import manifest from "../../../../package.json" with { type: "json" };
import { runCommandLine } from "../../../../src/cli/svc/main.ts";
import type { Terminal } from "../../../../src/cli/svc/terminal.ts";

/** Runs words at a terminal without a person, a key and a service. */
async function run(...words: string[]): Promise<{ code: number; output: string; errors: string }> {
	let output = "";
	let errors = "";
	const terminal: Terminal = {
		program: ["/usr/bin/node", "/opt/svc.js"],
		readProgram: async () => ({ failure: "is not on the path" }),
		variables: {},
		folder: import.meta.dirname,
		isOutputShown: false,
		isProgressShown: false,
		isTyped: false,
		isPiped: false,
		write: (text) => {
			output += text;
		},
		writeError: (text) => {
			errors += text;
		},
		readInput: async () => "",
		askSecret: async () => "",
		askLine: async () => null,
		editText: (text) => text,
		onInterrupt: () => () => {},
	};
	return { code: await runCommandLine(words, terminal), output, errors };
}

describe("svc", () => {
	it("names its version", async () => {
		expect(await run("--version")).toEqual({ code: 0, output: `svc ${manifest.version}\n`, errors: "" });
	});

	it("without words shows its help as an error", async () => {
		const { code, output, errors } = await run();
		expect([code, output, errors]).toEqual([2, "", (await run("--help")).output]);
	});

	it.each([
		["help", "keys", "create"],
		["--help", "keys", "create"],
		["keys", "create", "--help"],
		["keys", "create", "-h"],
	])("shows the help of one command: %s %s %s", async (...words) => {
		const { code, output } = await run(...words);
		expect([code, output]).toEqual([
			0,
			expect.stringMatching(/^usage: svc keys create \[FLAGS\]\n[\s\S]*--budget-usd/),
		]);
		expect(output.match(/^usage:/gm)).toHaveLength(1);
	});

	it.each([
		["help", "keys"],
		["keys", "--help"],
		["keys", "-h"],
	])("shows the help of the commands that begin with one word: %s %s", async (...words) => {
		const { code, output } = await run(...words);
		expect([code, output.match(/^usage: svc keys \w+/gm)]).toEqual([
			0,
			["list", "create", "rotate", "revoke"].map((name) => `usage: svc keys ${name}`),
		]);
	});

	it("does not take a prompt for a question about itself", async () => {
		const { code, errors } = await run("chat", "help", "--nope");
		expect([code, errors]).toEqual([2, expect.stringContaining("unknown flag --nope")]);
	});

	it.each([["help", "nope"], ["nope"], ["nope", "--help"]])(
		"says that there is no such command: %s %s",
		async (...words) => {
			expect(await run(...words)).toEqual({
				code: 2,
				output: "",
				errors: 'svc: there is no command "nope" (svc --help lists them)\n',
			});
		},
	);

	it.each([
		[["chain"], "the workspace is missing"],
		[["chain", "a", "b"], "the workspace is one word, and there are 2"],
		[["verify", "nope"], "it is no id of a request (svc-…), a run (agt_…) or a handoff (ho_…)"],
		[["keys", "create", "--budget-usd", "-1"], "--budget-usd=-…"],
	])("says what is wrong with %j", async (words, text) => {
		expect(await run(...words)).toEqual({ code: 2, output: "", errors: expect.stringContaining(text) });
	});
});
