import { describe, expect, it } from "vitest";
import { analyse, parseAllowedCommands, parseForbiddenCommands } from "../../../src/policy/commands/analyse.ts";
import secrets from "../../../src/policy/commands/programs/secrets.json" with { type: "json" };
import unusual from "../../../src/policy/commands/programs/unusual.json" with { type: "json" };
import { decide } from "../../../src/policy/decide.ts";
import { compileProtectedPaths } from "../../../src/policy/paths.ts";
import { WorkBudget } from "../../../src/policy/work-budget.ts";
import { quoteShellWord } from "../../../src/text/shell-word.ts";
import { decideRow, readPolicyCorpus } from "../../support/policy-corpus.ts";

const check = (command: string, allowed_commands: string[] = []) =>
	decideRow({ commands: [command], manifest: { allowed_commands } });

describe("what a reason offers instead", () => {
	it("is tried in the corpus for each row of the tables of unusual commands and of secrets", () => {
		const tables: readonly Readonly<Record<string, readonly { because: string; instead?: string }[]>>[] = [
			unusual.programs,
			secrets.programs,
		];
		const rows = tables.flatMap((table) => Object.values(table).flat());
		const offered = rows.flatMap(({ instead }) => (instead === undefined ? [] : [instead]));
		const tried = [...readPolicyCorpus().values()]
			.flat()
			.flatMap((row) => (row.instead === undefined ? [] : [row.instead]));
		expect(offered.length).toBeGreaterThan(15);
		for (const instead of offered)
			expect(
				tried.some((offer) => instead.includes(offer)),
				instead,
			).toBe(true);
	});
});

/** The commands that the reasons of two factors name, as patterns of `allowed_commands`. */
function listedCommands(command: string): string[] {
	const work = new WorkBudget();
	const rules = { protectedPaths: compileProtectedPaths([], work), forbidden: parseForbiddenCommands([], work) };
	const { reasons } = analyse([command], { ...rules, allowed: parseAllowedCommands([], work) }, work);
	const found = [...(reasons.get("risky_command") ?? []), ...(reasons.get("exec_action") ?? [])];
	return found.flatMap(({ place }) => (place ? [place.words.map(quoteShellWord).join(" ")] : []));
}

describe("allowed_commands", () => {
	it.each([
		"apt install jq",
		"sudo apt-get install jq",
		"aws s3 cp a s3://b/",
		"systemctl restart web",
		"git commit --no-verify -m x",
		"nginx -s reload",
		"python -c 'import ctypes'",
		"python -c 'eval(input())'",
		"awk '{ system($0) }' a",
		"chmod 777 a.sh",
		"env",
		"frobnicate 'rm -rf /'",
		"npm install https://packages.example.com/a.tgz",
		"cd src && systemctl restart web",
	])("are named where they would let the command pass: %s", (command) => {
		const asked = check(command);
		expect(asked.reason).toContain("in allowed_commands.");
		expect(check(command, listedCommands(command)).decision).toBe("allow");
	});

	it.each([
		"cat a.txt | sh",
		"/tmp/run.sh",
		"sh ../run.sh",
		"make -C ../other",
		"$CMD a",
		'eval "$TEXT"',
		"echo x > ~/notes.txt",
		"echo x >> ../other/a",
		"PATH=/tmp:$PATH ls",
		"LD_PRELOAD=./a.so ls",
		"telnet host.example.com < a",
	])("are not named where they would not help: %s", (command) => {
		const asked = check(command);
		expect(asked.decision).toBe("confirm");
		expect(asked.reason).not.toContain("allowed_commands");
		expect(check(command, listedCommands(command)).decision).toBe("confirm");
	});
});

describe("why a command fired", () => {
	it("is said of the kind and of the description of an action", () => {
		const rules = { protectedPaths: [], forbiddenCommands: [], budgetUsd: 10 };
		const action = { action: "Delete the old table", files_affected: [], commands: [] };
		expect(decide(action, rules).reason).toContain("Deletes something (the description of the action says so).");
		expect(decide({ ...action, action_kind: "deploy", estimated_cost_usd: 12.5 }, rules).reason).toMatch(
			/Costs more than the budget \(12\.5 USD, with a budget of 10 USD\)\. Deploys or publishes \(the action is of kind deploy\)\.$/,
		);
	});
});
