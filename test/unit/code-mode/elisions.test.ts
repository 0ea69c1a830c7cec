// What a model left out is seen in many wordings, and what only sounds like it is left alone.
import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { elisionsIn } from "../../../src/code-mode/elisions.ts";

const SRC = resolve(import.meta.dirname, "../../../src");

describe("code that is left out", () => {
	it.each([
		"// ... existing code ...",
		"// ...existing code...",
		"// rest of the code here",
		"# rest of the code",
		"# ... rest of the function ...",
		"// The rest of the implementation remains unchanged",
		"// rest of your component goes here",
		"/* ... */",
		"/* rest of the styles */",
		"<!-- rest of the page stays the same -->",
		"{/* ... existing markup ... */}",
		"# ... (same as before)",
		"-- remaining columns omitted for brevity",
		"// Other methods omitted for brevity",
		"// implementation omitted",
		"# [remaining code unchanged]",
		"// previous code here",
		"// ... keep existing code (form fields)",
		"// unchanged code here",
		"// ... same as before",
		"# existing imports remain unchanged",
		"// keep the existing handlers",
		"# Insert your own logic here",
		"// Your code here",
		"# your implementation goes here",
		"// Implementation goes here",
		"# Implement your logic here",
		"// ... other methods ...",
		"# ...",
		"// …",
		"; and so on",
		"# repeat for the other cases",
		"... existing code ...",
		"[rest of the file unchanged]",
		"[…]",
		"function f() { /* ... */ }",
		"function f() { ... }",
	])("%s", (line) => {
		expect(elisionsIn(`const a = 1;\n${line}\n`)).toEqual([{ line: 2, text: line }]);
	});

	it.each([
		["def f():\n    # TODO: implement\n    pass\n"],
		["def f():\n    # TODO implement this\n    ...\n"],
		["def f():\n    # TODO: add logic\n    raise NotImplementedError()\n\nx = 1\n"],
		["function f() {\n  // TODO: implement\n}\n"],
		["function f() {\n  // TODO\n  return null;\n}\n"],
		["fn f() {\n    // FIXME: write this\n    todo!()\n}\n"],
		["def f\n  # x\nend\n\ndef g(a)\n  # TODO: implement\nend\n"],
	])("a promise that is the whole of a body: %j", (content) => {
		expect(elisionsIn(content)).toHaveLength(1);
	});
});

describe("code that is all there", () => {
	it.each([
		"const rest = [...values];",
		"[...values]",
		"(...args) =>",
		"call(...args)",
		"def f(x) -> tuple[int, ...]: ...",
		"    ...",
		"// Takes the rest of a body and throws it away.",
		"// The rest of the tests only take longer with more.",
		"# the remaining time, in seconds",
		"// Existing users keep their role; new ones get one.",
		"# Other threads may hold the lock here.",
		'print("... existing code ...")',
		'const hint = "Your code here";',
		"// ...config,",
		" * ... and what follows is documentation",
		"/** The rest of the file. */",
		"// Skipped rows are counted.",
		"# etc/passwd is never read",
		"// TODO: use the index once it is there",
		"// unchanged rows keep their version",
		"// The logic here is taken from the parser.",
		"# Same as above, in lower case",
		"/* no change */",
		"# ...and then it is closed",
		"# Keep the original file open when the copy is written",
		"// ..............",
		"local arguments = { ... }",
		"return {...}",
		"/// if (isA(value)) { ... }",
	])("%s", (line) => {
		expect(elisionsIn(`a = 1\n${line}\nb = 2\n`)).toEqual([]);
	});

	it("may promise more beside what it does", () => {
		expect(elisionsIn("def f(x):\n    # TODO: add caching\n    return x + 1\n")).toEqual([]);
	});

	it("is what this service is made of", () => {
		const files = readdirSync(SRC, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".ts"));
		const found = files.flatMap((name) =>
			elisionsIn(readFileSync(join(SRC, name), "utf8")).map(({ line, text }) => `${name}:${line} ${text}`),
		);
		expect(found).toEqual([]);
	});
});

it("a long line or many lines cost no more than their length", () => {
	for (const piece of [
		"// ... ",
		"the rest of the ",
		"... ",
		"// rest of existing ",
		"TODO: implement\n",
		"{\n// TODO\n",
	])
		expect(elisionsIn(`// ${piece.repeat(30_000)}`).length).toBeLessThanOrEqual(10);
});
