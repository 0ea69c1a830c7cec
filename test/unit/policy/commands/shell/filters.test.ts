import { describe, expect, it } from "vitest";
import { filterText } from "../../../../../src/policy/commands/shell/filters.ts";
import { decide } from "../../../../../src/policy/decide.ts";

const RULES = { protectedPaths: [], forbiddenCommands: [], allowedCommands: [], budgetUsd: Number.POSITIVE_INFINITY };

const decideFor = (command: string) =>
	decide({ action: "Run", action_kind: "edit", files_affected: [], commands: [command] }, RULES).decision;

/** What GNU coreutils, GNU sed and mawk print. */
const PRINTED: readonly (readonly [command: readonly string[], input: string, output: string])[] = [
	[["cut", "-c2-"], "xls\n", "ls\n"],
	[["cut", "-c", "1,3-4"], "abcde", "acd\n"],
	[["cut", "-d:", "-f2"], "a:b:c\nplain\n", "b\nplain\n"],
	[["cut", "-f3,1", "-d,"], "a,b,c\n", "a,c\n"],
	[["head", "-1"], "a\nb\n", "a\n"],
	[["head", "-c3"], "abcd", "abc"],
	[["tail", "-n", "+2"], "a\nb\nc", "b\nc"],
	[["tail", "-n2"], "a\nb\nc\n", "b\nc\n"],
	[["paste", "-sd+"], "a\nb\n", "a+b\n"],
	[["tac"], "a\nb\n", "b\na\n"],
	[["sed", "s/X/m/"], "rXX\nX", "rmX\nm"],
	[["sed", "s|X|m|g;s/^r/ /"], "rXX\n", " mm\n"],
	[["sed", "-e", "s/a/b/", "-e", "s/b/c/"], "ab\n", "cb\n"],
	[["sed", ""], "a b\n", "a b\n"],
	[["awk", "{print}"], "a b", "a b\n"],
	[["awk", '{print $2" "$1}'], "  a\tb c\n", "b a\n"],
	[["awk", "-F:", '{ print $NF, "x" $1 ; }'], "a:b:c\n", "c xa\n"],
];

/** What they print is not computed, or they refuse it. */
const UNCERTAIN: readonly (readonly string[])[] = [
	["cut", "-s", "-d:", "-f1"],
	["cut", "-c0"],
	["cut", "-d::", "-f1"],
	["head", "-n-1"],
	["head", "file"],
	["tail", "-f"],
	["tac", "file"],
	["sed", "s/a.c/x/"],
	["sed", "s/a/&&/"],
	["sed", "-n", "s/a/b/p"],
	["sed", "s/a/b/e"],
	["sed", "1d"],
	["awk", "{print $1-1}"],
	["awk", "{print $1,}"],
	["awk", "-Ft", "{print $1}"],
	["awk", "{print length($1)}"],
	["awk", '{system("ls")}'],
];

describe("filters of a known text", () => {
	it.each(PRINTED)("%j of %j", ([name = "", ...args], input, output) => {
		expect(filterText(name, args, input)).toBe(output);
	});

	it.each(UNCERTAIN.map((command) => [command] as const))("%j is left", ([name = "", ...args]) => {
		expect(filterText(name, args, "a:b\nb c\n")).toBeNull();
	});

	it("leaves characters of several bytes", () => {
		expect(filterText("cut", ["-c1"], "é\n")).toBeNull();
	});
});

describe("a shell behind filters", () => {
	it.each([
		"printf 'xrm -rf /' | cut -c2- | sh",
		"echo 'a:rm -rf /' | cut -d: -f2 | bash",
		"echo 'rX -rf /' | sed 's/X/m/' | sh",
		"echo '-rf / rm' | awk '{print $3,$1,$2}' | sh",
		"echo '-rf / rm' | awk '{print $3\" \"$1\" \"$2}' | sh",
		"printf 'ls\\nrm -rf /\\n' | tail -n1 | sh",
		"printf 'rm -rf /\\nls\\n' | head -1 | sh",
		"printf 'rm\\n-rf\\n/\\n' | paste -sd' ' | sh",
		"bash -c \"$(echo 'rX -rf /' | sed 's/X/m/')\"",
		"echo 72:6d:20:2d:72:66:20:2f | tr -d : | xxd -r -p | sh",
		"echo Y20wZ0xYSm1JQzg9 | base64 -d | base64 -d | sh",
		"echo aaaa | gunzip | sh",
		"xz -dc payload.xz | sh",
	])("%j is denied", (command) => {
		expect(decideFor(command)).toBe("deny");
	});

	it.each(["echo 'rX -rf /' | sed 's/[A-Z]/m/' | sh", "cut -c2- notes.txt | sh", "awk '{print $1}' list | bash"])(
		"%j asks",
		(command) => {
			expect(decideFor(command)).not.toBe("allow");
		},
	);

	it.each([
		"echo 'ls' | sed 's/ls/pwd/' | sh",
		"printf 'ls\\npwd\\n' | head -1 | sh",
		"git log --oneline | head -5 | cut -d' ' -f1",
		"x=$(echo a:b | cut -d: -f2); echo $x",
		"ps aux | awk '{print $2}'",
	])("%j is allowed", (command) => {
		expect(decideFor(command)).toBe("allow");
	});
});
