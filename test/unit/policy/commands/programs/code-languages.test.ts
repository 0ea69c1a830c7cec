// Long code on a command line. What short code does is in the corpus.
import { describe, expect, it } from "vitest";
import { decideRow } from "../../../../support/policy-corpus.ts";

const reasonFor = (command: string) => decideRow({ commands: [command] }).reason;

describe("code on a command line", () => {
	it.each(["awk 'BEGIN { ", "sed '", "perl -e '", "ruby -e '", "Rscript -e '"])(
		"behind %j is examined whatever is repeated in it",
		(opening) => {
			for (const repeated of ["(", 'x = "a" b | ', "s/a/b/;", "[a ", "{a ", 'f("x", ', "\\"]) {
				const reason = reasonFor(`${opening}${repeated.repeat(20_000)}'`);
				expect(reason.includes("too large"), repeated).toBe(false);
			}
		},
	);

	it.each([
		["python3 -", 'total = load("x", 2)\nprint("found", total)\n', "os.system('rm -rf /')"],
		[
			"node -",
			'const total = load("x", 2);\nconsole.log("found", total);\n',
			'require("fs").rmSync("/", {recursive: true})',
		],
		["Rscript -", 'total <- load("x", 2)\nprint("found")\n', 'system("rm -rf /")'],
	])("a megabyte that %s reads gets a verdict about its content", (command, line, last) => {
		const before = line.repeat(Math.ceil(1_000_000 / line.length));
		const reason = reasonFor(`${command} <<'END'\n${before}${last}\nEND\n`);
		expect(reason).toMatch(/^Denied/);
		expect(reason).not.toContain("too large");
	});
});
