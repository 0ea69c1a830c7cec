import { describe, expect, it } from "vitest";
import { decide } from "../../../../src/policy/decide.ts";

const rules = { protectedPaths: [], budgetUsd: Number.POSITIVE_INFINITY };

function matchedPatterns(forbiddenCommands: readonly string[], ...commands: readonly string[]): readonly string[] {
	const input = { action: "Run", action_kind: "edit" as const, files_affected: [], commands };
	const { reason } = decide(input, { ...rules, forbiddenCommands });
	return forbiddenCommands.filter((pattern) => reason.includes(`matches the forbidden command ${pattern}`));
}

describe("a forbidden pattern with a pipe", () => {
	it.each([
		"cat a | wc",
		"cat a |& wc",
		"cat a | sort | head -3 | wc -l",
		"sudo cat a | env X=1 wc",
		"{ cat a; cat b; } | wc",
		"cat a | { read x; wc; }",
		"cat a | (sort | wc)",
		"cat a | while read l; do wc; done",
		"bash -c 'cat a' | wc",
		"cat a | bash -c 'sort; wc'",
		"wc <(cat a)",
		'wc "$(cat a)"',
		"wc < <(cat a)",
		"cat <(ls) | wc",
		"f() { cat a; }; cat a | wc",
		"cat a; cat a | wc",
		"cat a | xargs wc",
		"cat a | tee >(wc)",
	])("matches %j", (command) => {
		expect(matchedPatterns(["cat | wc"], command)).toEqual(["cat | wc"]);
	});

	it.each([
		"cat a; wc b",
		"cat a && wc b",
		"wc a | cat",
		"cat a > b; ls | wc",
		"cat a | sort; wc b",
		"(cat a; ls); wc b",
		"bash -c 'cat a; wc b'",
		"ls | wc; cat a",
		"x=$(cat a); wc b",
		"{ cat a; wc b; } | sort",
	])("does not match %j", (command) => {
		expect(matchedPatterns(["cat | wc"], command)).toEqual([]);
	});

	it("does not match across commands of the check, unlike a pattern without a pipe", () => {
		expect(matchedPatterns(["cat | wc", "cat; wc"], "cat a", "wc b")).toEqual(["cat; wc"]);
		expect(matchedPatterns(["ls; cat | wc"], "ls", "cat a", "wc")).toEqual([]);
		expect(matchedPatterns(["ls; cat | wc"], "ls", "cat a | wc")).toEqual(["ls; cat | wc"]);
		expect(matchedPatterns(["cat | sort | wc"], "cat a | wc; sort a | wc")).toEqual([]);
		expect(matchedPatterns(["cat | sort | wc"], "cat a | uniq | sort | head | wc")).toEqual(["cat | sort | wc"]);
	});

	it("follows long pipes", () => {
		expect(matchedPatterns(["cat | wc"], `cat a | ${"sort | ".repeat(3_000)} wc`)).toEqual(["cat | wc"]);
		expect(matchedPatterns(["cat | wc"], `cat a; sort ${"| sort".repeat(3_000)} | wc`)).toEqual([]);
	});
});
