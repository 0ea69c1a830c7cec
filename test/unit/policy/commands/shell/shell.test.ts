// The shell: what a text would run, word by word, as bash reads it.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Environment, expandText, expandWords } from "../../../../../src/policy/commands/shell/expand.ts";
import { predictOutput } from "../../../../../src/policy/commands/shell/output.ts";
import { parseShell } from "../../../../../src/policy/commands/shell/parse.ts";
import { UNKNOWN } from "../../../../../src/policy/placeholders.ts";
import { WorkBudget } from "../../../../../src/policy/work-budget.ts";

const VALUES: Readonly<Record<string, string>> = { HOME: "~", a: "x y", b: "lib.tar.gz", n: "5", empty: "", IFS: " " };

const environment: Environment = {
	value: (name) => VALUES[name] ?? null,
	output: () => null,
	work: new WorkBudget(Number.POSITIVE_INFINITY),
};

/** The fields of each command of a text, unknown text as `?`. */
function commandsOf(text: string): string[][] {
	return parseShell(text).commands.map(({ words }) =>
		expandWords(words, environment).map((field) => field.replaceAll(UNKNOWN, "?")),
	);
}

const fieldsOf = (text: string) => commandsOf(text)[0] ?? [];

describe("a word", () => {
	it.each<[string, string[]]>([
		["a 'b  c' \"d  e\" f\\ g", ["a", "b  c", "d  e", "f g"]],
		["a''b\"\"c", ["abc"]],
		["'' \"\"", ["", ""]],
		["$'a\\tb\\x41\\u00e9\\101\\'' x", ["a\tbAéA'", "x"]],
		['"a\\"b\\$c\\d"', ['a"b$c\\d']],
		["a\\\nb", ["ab"]],
		["a#b #c", ["a#b"]],
		['$a "$a"', ["x", "y", "x y"]],
		["p$a-q", ["px", "y-q"]],
		['$empty "$empty" x', ["", "x"]],
		["~/x ~", ["~/x", "~"]],
		["$HOME/x", ["~/x"]],
		["$unset/x", ["?/x"]],
		["$1$@x", ["??x"]],
		["$", ["$"]],
		["a{b,c}d", ["abd", "acd"]],
		["{a,b}{c,d}", ["ac", "ad", "bc", "bd"]],
		["{a,{b,c}}x", ["ax", "bx", "cx"]],
		["{a} {} {a,b '{c,d}' \"{e,f}\"", ["{a}", "{}", "{a,b", "{c,d}", "{e,f}"]],
		["f{1..9} g{a..a}", ["f*", "ga"]],
		["{rm,-rf,/}", ["rm", "-rf", "/"]],
		['a$(b)c "$(d e)" `f`', ["a?c", "?", "?"]],
		["$((1+(2))) x", ["?", "x"]],
	])("%j is %j", (text, fields) => {
		expect(fieldsOf(text)).toEqual(fields);
	});

	it.each<[string, string]>([
		["{b}", "lib.tar.gz"],
		["{b%.gz}", "lib.tar"],
		["{b#lib}", ".tar.gz"],
		["{b/tar/zip}", "lib.zip.gz"],
		["{b//./-}", "lib-tar-gz"],
		["{b:4}", "tar.gz"],
		["{b:0:3}", "lib"],
		["{b^^}", "LIB.TAR.GZ"],
		["{unset:-d e}", "d e"],
		["{empty:-d}", "d"],
		["{b:-d}", "lib.tar.gz"],
		["{b:+d}", "d"],
		["{b%.*}", UNKNOWN],
		["{unset}", UNKNOWN],
		["{unset:?}b", `${UNKNOWN}b`],
	])("$%s is %j", (text, value) => {
		const word = parseShell(`"$${text}"`).commands[0]?.words[0] ?? [];
		expect(expandText(word, environment)).toBe(value);
	});
});

describe("a script", () => {
	it.each<[string, string[][]]>([
		["a; b & c && d || e | f |& g\nh", [["a"], ["b"], ["c"], ["d"], ["e"], ["f"], ["g"], ["h"]]],
		["a <b >c 2>&1 d", [["a", "d"]]],
		["x=1 y='2 3' a b", [["a", "b"]]],
		["(a; (b)) | { c; }", [["a"], ["b"], ["c"]]],
		["if a; then b; elif c; then d; else e; fi", [["a"], ["b"], ["c"], ["d"], ["e"]]],
		["while a; do b; done; until c; do d; done", [["a"], ["b"], ["c"], ["d"]]],
		["for i in 1 2; do a; done", [[], ["a"]]],
		["for ((i=0; i<3; i++)); do a; done", [["?"], ["a"]]],
		["case $x in a|b) c ;; (d) e ;& *) f;; esac; g", [[], ["c"], ["e"], ["f"], ["g"]]],
		["f() { a; }; function g { b; }", [["a"], ["b"]]],
		["! a; time b; x=(1 2) c", [["a"], ["b"], ["c"]]],
		["[[ a < b && c =~ (d|e) ]] && f", [[], ["f"]]],
		["((a<<2)); b", [["?"], ["b"]]],
		["echo done if then", [["echo", "done", "if", "then"]]],
		["a # b; c\nd", [["a"], ["d"]]],
		["cat <<A <<'B'\n$(x)\nA\ny\nB\nc", [["cat"], ["c"]]],
		["cat <<-A\n\tx\n\tA\nb", [["cat"], ["b"]]],
		["a \\\n b", [["a", "b"]]],
		["", []],
	])("%j runs %j", (text, commands) => {
		const parsed = parseShell(text);
		expect(parsed.malformed).toBe(false);
		expect(commandsOf(text)).toEqual(commands);
	});

	it("tells which command reads the output of which", () => {
		const reads = (text: string) => parseShell(text).commands.map(({ reads: range }) => range);
		expect(reads("a | b | c")).toEqual([null, { from: 0, to: 1 }, { from: 1, to: 2 }]);
		expect(reads("{ a; b; } | c")).toEqual([null, null, { from: 0, to: 2 }]);
		expect(reads("a | (b; c)")).toEqual([null, { from: 0, to: 1 }, { from: 0, to: 1 }]);
		expect(reads("a |\n b; c")).toEqual([null, { from: 0, to: 1 }, null]);
	});

	it("keeps the body of a here-document, expanded only when its end is not quoted", () => {
		const body = (text: string) => expandText(parseShell(text).commands[0]?.redirects[0]?.target ?? [], environment);
		expect(body("cat <<A\n$b\nA")).toBe("lib.tar.gz\n");
		expect(body("cat <<'A'\n$b\nA")).toBe("$b\n");
		expect(body("cat <<-A\n\tx\n\tA")).toBe("x\n");
		expect(body('cat <<< "$b"')).toBe("lib.tar.gz");
	});

	it.each(["'", '"', "$(", "`", "${", "(a", "{ a", "if a", "a )", "&& a", "<<A\nb", "[[ a", "a >", "case x", "fi"])(
		"%j is malformed",
		(text) => {
			expect(parseShell(text).malformed).toBe(true);
		},
	);

	it("still runs what surrounds the malformed part", () => {
		expect(commandsOf("| a b; ) c")).toEqual([["a", "b"], ["c"]]);
		expect(commandsOf("a 'b c")).toEqual([["a", "b c"]]);
		expect(parseShell("cat <<A\nrm x").commands.at(-1)?.redirects).toHaveLength(1);
	});

	it("is read without an error, whatever the text", () => {
		fc.assert(fc.property(fc.string({ unit: "binary" }), (text) => void commandsOf(text.replaceAll("{", ""))));
	});
});

describe("what is printed", () => {
	it.each<[string, string[], string | null, string | null]>([
		["echo", ["a", "b"], null, "a b\n"],
		["echo", ["-e", "a\\tb"], null, "a\tb\n"],
		["printf", ["%s-%s\\n", "a", "b"], null, "a-b\n"],
		["printf", ["%s\\n", "a", "b"], null, "a\nb\n"],
		["printf", ["\\x41\\102"], null, "AB"],
		["cat", [], "x", "x"],
		["cat", ["file"], "x", null],
		["base64", ["-d"], "aGk=", "hi"],
		["base64", ["--decode"], "aGk", "hi"],
		["base64", ["-d"], "%%%", null],
		["base64", [], "hi", null],
		["xxd", ["-r", "-p"], "6869", "hi"],
		["rev", [], "ab\ncd", "ba\ndc"],
		["tr", ["a-z", "b-za"], "hal", "ibm"],
		["tr", ["-d", "x"], "axb", "ab"],
		["which", ["rm"], null, "/usr/bin/rm"],
		["date", [], null, null],
	])("by %s %j from %j is %j", (name, args, input, text) => {
		expect(predictOutput(name, args, input, new WorkBudget())).toBe(text);
	});
});
