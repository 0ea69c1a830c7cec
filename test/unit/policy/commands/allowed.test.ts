import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decide } from "../../../../src/policy/decide.ts";
import type { FactorId } from "../../../../src/policy/factors.ts";

const RULES = { protectedPaths: ["infra/"], forbiddenCommands: ["kill -9 *"], budgetUsd: Number.POSITIVE_INFINITY };

function check(command: string, allowedCommands?: readonly string[]) {
	const input = { action: "Run", action_kind: "edit" as const, files_affected: [], commands: [command] };
	return decide(input, { ...RULES, allowedCommands });
}

function fired(command: string, ...allowedCommands: readonly string[]): readonly FactorId[] {
	return check(command, allowedCommands)
		.factors.filter(({ triggered }) => triggered)
		.map(({ id }) => id);
}

describe("a command that is allowed whole", () => {
	it.each([
		["kill -KILL 4711", "kill -KILL 4711"],
		["kill -KILL 4711 4712", "kill -KILL *"],
		["X=1 kill -KILL 4711", "kill -KILL *"],
		["kill -KILL 4711 2>/dev/null >&2", "kill -KILL *"],
		["ls && kill -KILL 4711 | cat", "kill -KILL *"],
		["ps | xargs kill -KILL", "kill -KILL *"],
		["timeout 5 kill -KILL 4711", "kill -KILL *"],
		["bash -c 'kill -KILL 4711'", "kill -KILL *"],
		["sysctl -w vm.swappiness=1", "sysctl -w 'vm.*'"],
		["sysctl -w vm.swappiness=1", "sysctl -w *"],
		["git commit --no-verify -m 'a b'", "git commit --no-verify -m *"],
		["git commit -m x --no-verify", "git commit --no-verify -m *"],
		["git branch -M main", "git branch -M ma?n"],
		["git branch --no-color -f -v a", "git branch -vf --no-color a"],
		["kill -KILL 'x", "kill -KILL *"],
	])("%j is excused by %j", (command, pattern) => {
		expect(fired(command)).not.toEqual([]);
		expect(fired(command, pattern)).toEqual([]);
		expect(fired(command, "true", pattern)).toEqual([]);
	});

	it.each([
		["another operand", "kill -KILL 4711 4712", "kill -KILL 4711"],
		["an operand less", "kill -KILL 4711", "kill -KILL 4711 4712"],
		["another option", "git commit --no-verify --amend", "git commit --no-verify"],
		["an option less", "git commit --no-verify", "git commit --no-verify --amend"],
		["an option before the covered rest", "sysctl -p -w vm.swappiness=1", "sysctl -w vm.swappiness=1"],
		["another value", "git branch --sort=x -f a b", "git branch --sort=y -f a b"],
		["a value where the pattern has none", "git branch -f --sort=x a b", "git branch -f --sort a b"],
		["another order of operands", "git branch -f b a", "git branch -f a b"],
		["another case", "kill -kill 4711", "kill -KILL 4711"],
		["another folder", "./kill -KILL 4711", "kill -KILL 4711"],
		["a way upwards", "sysctl -w vm/../kernel.x=1", "sysctl -w 'vm/*'"],
		["a redirect to a file", "kill -KILL 4711 > log.txt", "kill -KILL *"],
		["a redirect from a file", "kill -KILL 4711 < pids.txt", "kill -KILL *"],
		["a computed word", 'kill -KILL "$PID"', "kill -KILL 4711"],
		["a computed name", "$KILL -KILL 4711", "kill -KILL *"],
		["a wildcard in the pattern's name", "kill -KILL 4711", "ki* -KILL *"],
		["a pattern of two commands", "kill -KILL 4711", "kill -KILL *; ls"],
		["a pattern with a redirect", "kill -KILL 4711", "kill -KILL * > x"],
		["a pattern that is cut off", "kill -KILL 4711", "kill -KILL * 'x"],
		["a computed pattern", "kill -KILL 4711", "kill -KILL $PID"],
		["the command beside it", "kill -KILL 1234; sysctl -w x=1", "kill -KILL *"],
		["the command around it", "sudo -i kill -KILL 1234", "kill -KILL *"],
		["what reads its pipe", "kill -KILL 1 | sh", "kill -KILL *"],
		["what a wrapper runs", "bash -c 'kill -KILL 1234'", "bash *"],
		["what a pipe brings", "cat x | bash -s", "bash *"],
		["what a file brings", "bash -s < <(cat x)", "bash *"],
		["what a substitution brings", 'bash -c "$(cat x)"', "bash *"],
		["a substitution in it", 'git commit --no-verify -m "$(sysctl -w x=1)"', "git commit *"],
		["an assignment before it", "LD_PRELOAD=./x.so ls -l", "ls *"],
		["a function that it calls", "f() { sysctl -w x=1; }; f a", "f *"],
	])("excuses nothing in %s: %j by %j", (_, command, pattern) => {
		expect(fired(command)).not.toEqual([]);
		expect(fired(command, pattern)).toEqual(fired(command));
	});

	it.each([
		["a forbidden command", "rm -rf /", "rm *"],
		["a forbidden command of the team", "kill -9 4711", "kill -9 4711"],
		["a deletion", "rm -rf build-old", "rm *"],
		["a deployment", "terraform apply", "terraform *"],
		["a protected path", "cp a infra/main.tf", "cp *"],
	])("stays %s: %j by %j", (_, command, pattern) => {
		expect(fired(command, pattern)).toEqual(fired(command).filter((factor) => factor !== "risky_command"));
		expect(check(command, [pattern]).decision).toBe(check(command).decision);
	});

	it("never raises a score, and no pattern lowers one below what stays", () => {
		const word = fc.constantFrom(
			"kill",
			"-9",
			"-KILL",
			"4711",
			"*",
			"|",
			";",
			"rm",
			"-rf",
			"a",
			"'",
			"$X",
			">",
			"sudo",
		);
		const line = fc.array(word, { minLength: 1, maxLength: 6 }).map((words) => words.join(" "));
		const staying: readonly FactorId[] = ["forbidden_command", "protected_path", "delete_action", "deploy_action"];
		fc.assert(
			fc.property(line, fc.array(line, { maxLength: 3 }), (command, patterns) => {
				const without = fired(command);
				const excused = fired(command, ...patterns);
				expect(without).toEqual(expect.arrayContaining([...excused]));
				expect(excused).toEqual(expect.arrayContaining(without.filter((factor) => staying.includes(factor))));
			}),
			{ numRuns: 300 },
		);
	});

	it("is read from a list of any size and shape", () => {
		const patterns = Array.from({ length: 200 }, (_, at) => `kill ${"*a".repeat(240)} ${at} *`);
		expect(fired(`kill -KILL ${"a ".repeat(20_000)}`, ...patterns)).toContain("risky_command");
		expect(fired("kill -KILL 4711", "", " ", "'", "*", "> x", "$(", "kill -KILL *")).toEqual([]);
	});

	it("changes nothing where there is none", () => {
		for (const command of ["kill -KILL 4711", "ls", "cat x | sh"])
			expect(check(command, [])).toEqual(check(command, undefined));
	});
});
