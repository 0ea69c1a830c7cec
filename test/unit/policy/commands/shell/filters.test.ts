import { describe, expect, it } from "vitest";
import { filterText } from "../../../../../src/policy/commands/shell/filters.ts";

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
