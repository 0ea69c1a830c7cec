// `npm run check:config` as a process: what it reads, prints, and ends with.
import { spawnSync } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

const COMMAND = join(import.meta.dirname, "../../../src/cli/check-config.ts");

/** Runs the command in an empty folder, so that no `.dev.vars` is read. */
function check(
	args: string[],
	{ input = "", ...variables }: { input?: string; BRAIN_MD?: string; CATALOG?: string } = {},
) {
	const cwd = mkdtempSync(join(tmpdir(), "check-config-"));
	writeFileSync(join(cwd, "BRAIN.md"), "max_cost: 0.01\nblocked: [retired-model]\n");
	const env = { ...process.env, ...variables };
	const { status, stdout, stderr } = spawnSync(process.execPath, [COMMAND, ...args], { cwd, input, env });
	const lines = stdout
		.toString()
		.split("\n")
		.filter((line) => line !== "");
	return { status, lines, stderr: stderr.toString() };
}

describe("check:config", () => {
	it("names every error of a text by its line, and ends with 1", () => {
		const input = "modle: auto\ncompliance:\n  provider_denylist: [zia]\n";
		expect(check(["-"], { input })).toMatchObject({
			status: 1,
			lines: [
				"standard input: line 1, column 1: modle: unknown key; did you mean model?",
				'standard input: line 3, column 23: compliance.provider_denylist.0: unknown provider "zia"; did you mean zai?',
			],
		});
	});

	it("takes unknown models for warnings, as the service does", () => {
		expect(check(["BRAIN.md"])).toMatchObject({
			status: 0,
			lines: ['BRAIN.md: warning: blocked: "retired-model" matches no model', "BRAIN.md: valid"],
		});
	});

	it("reads BRAIN_MD without a file", () => {
		const BRAIN_MD = "compliance: {jurisdiction: [EU], mode: monitor}";
		expect(check([], { BRAIN_MD })).toMatchObject({ status: 0, lines: ["BRAIN_MD: valid"] });
	});

	it("knows the models and providers of the operator's catalog", () => {
		const input = "blocked: [my-model]\ncompliance: {provider_denylist: [my-llm]}\n";
		expect(check(["-"], { input }).status).toBe(1);
		const row = { id: "my-model", provider: "my-llm", tier: "mid", prices: { input: 1, output: 1 } };
		const limits = { context_window: 8_192, max_output_tokens: 2_048 };
		const providers = [{ id: "my-llm", base_url: "https://models.example.com/v1" }];
		const CATALOG = JSON.stringify({ providers, models: [{ ...row, limits }] });
		expect(check(["-"], { input, CATALOG })).toMatchObject({ status: 0, lines: ["standard input: valid"] });
		expect(check(["-"], { input, CATALOG: "providers: []" })).toMatchObject({
			status: 2,
			stderr: expect.stringContaining("CATALOG is not JSON"),
		});
		expect(check(["-"], { input, CATALOG: '{"providers": [{"id": 1}]}' }).stderr).toContain(
			"CATALOG: line 1, column 23: providers.0.id: must be an id, such as my-vllm",
		);
	});

	it("ends with 2 when there is nothing to read", () => {
		expect(check([])).toMatchObject({ status: 2, stderr: expect.stringContaining("BRAIN_MD is not set") });
		expect(check(["missing.md"]).status).toBe(2);
	});
});
