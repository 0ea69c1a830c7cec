// Code in a language without a reader: it asks and says which language, and what any code shows by its words still counts.
import { describe, expect, it } from "vitest";
import { decide } from "../../../../src/policy/decide.ts";

const decideOn = (command: string) =>
	decide(
		{ action: "Run", action_kind: "edit", files_affected: [], commands: [command] },
		{ protectedPaths: [], forbiddenCommands: [], budgetUsd: Number.POSITIVE_INFINITY },
	);

describe("code in a language that is not read", () => {
	it.each([
		["Lua", "lua -e 'print(1+2)'"],
		["R", "Rscript -e 'devtools::test()'"],
		["Octave", "octave --eval 'disp(1+1)'"],
		["gnuplot", "gnuplot -e 'plot sin(x)'"],
		["Julia", "julia -e 'println(VERSION)'"],
		["Elixir", "mix run -e 'IO.puts(1)'"],
		["Erlang", "erl -noshell -eval 'os:cmd(\"rm -rf /srv\"), halt().'"],
		["Haskell", "ghc -e 'System.Process.callCommand \"rm -rf /srv\"'"],
		["Groovy", "groovy -e '\"rm -rf /srv/data\".execute()'"],
		["Scala", "scala -e 'import sys.process._; \"rm -rf /srv\".!'"],
		["Swift", "swift -e 'print(1)'"],
		["Java", "echo 'System.out.println(1)' | jshell"],
		["Common Lisp", "sbcl --eval '(print (+ 1 2))' --quit"],
		["Clojure", "bb -e '(shell \"rm -rf /srv\")'"],
		["Emacs Lisp", "emacs --batch --eval '(princ (+ 1 2))'"],
		["Tcl", "tclsh <<< 'file delete -force /srv/data'"],
		["Expect", "expect -c 'spawn rm -rf /srv; interact'"],
		["AppleScript", "osascript -e 'display notification \"done\"'"],
		["Lua", "nvim --headless +'lua print(vim.version())' +q"],
		["Lua", "LUA_INIT='print(1)' lua x.lua"],
	])("asks and says that it is %s: %s", (language, command) => {
		const { decision, reason } = decideOn(command);
		expect(decision).toBe("confirm");
		expect(reason).toContain(`code in ${language} is not read`);
	});

	it.each([
		["Lua", "echo 'print(1)' > x.lua; lua x.lua"],
		["Emacs Lisp", "emacs --batch -l /dev/stdin <<'E'\n(message \"x\")\nE"],
		["Tcl", "printf '#!/usr/bin/env tclsh\\nputs 1\\n' > x; ./x"],
		["Groovy", "echo 'task x' > build.gradle; gradle x"],
	])("asks in a file that the check wrote: %s in %j", (language, command) => {
		expect(decideOn(command).reason).toContain(`code in ${language} is not read`);
	});

	it.each([
		"lua x.lua",
		"Rscript analysis.R",
		"gradle build",
		"racket main.rkt",
		"tclsh test.tcl",
		"emacs --batch -f x",
	])("is not asked about in a file of the workspace: %s", (command) => {
		expect(decideOn(command).decision).toBe("allow");
	});

	it.each([
		"lua -e 'os.execute(\"rm -rf /srv\")'",
		"Rscript -e 'system(\"rm -rf /srv\")'",
		"racket -e '(system \"rm -rf /srv\")'",
		"kotlin -e 'Runtime.getRuntime().exec(\"rm -rf /srv\")'",
	])("is denied where its words show a command that is: %s", (command) => {
		expect(decideOn(command).decision).toBe("deny");
	});
});
