// The lists of parts that `--without` and `--ablate` leave out are true to the folders, and what is left out is left out.
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { countLines, findFaults, type Room } from "../eval/ablation/parts.ts";
import { findChanged, type GradedRow } from "../eval/ablation/table.ts";
import { POLICY_ROOM } from "../eval/policy-parts.ts";
import { SENSITIVE_ROOM } from "../eval/sensitive-parts.ts";
import { readSensitiveRows, SENSITIVE_FILES } from "../support/sensitive-corpus.ts";

const LOAD = resolve(import.meta.dirname, "../eval/ablation/load.ts");

let root = "";
const write = (file: string, text: string) => writeFileSync(join(root, file), text);

beforeEach(() => {
	root = mkdtempSync(join(tmpdir(), "room-"));
	mkdirSync(join(root, "rules"));
	write("rules/lisp.ts", "export const find = () => ['a form'];\nexport const own = find();\n");
	write("rules/table.json", '{\n  "names": {\n    "rm": true\n  },\n  "words": ["one"]\n}\n');
	write(
		"rules/all.ts",
		[
			'import { find, own } from "./lisp.ts";',
			'import table from "./table.json" with { type: "json" };',
			"export const found = [...find(), own.length, Object.keys(table.names).length, table.words.length];",
		].join("\n"),
	);
});

afterEach(() => rmSync(root, { recursive: true }));

const openRoom = (): Room => ({
	root,
	folders: ["rules"],
	parts: [
		{ name: "lisp", files: ["rules/lisp.ts"], without: { "rules/lisp.ts": { find: "() => []" } } },
		{ name: "names", files: [], without: { "rules/table.json": ["names"] } },
	],
	foundation: ["rules/all.ts"],
});

describe("a list of parts", () => {
	it.each([
		["policy", POLICY_ROOM],
		["sensitive data", SENSITIVE_ROOM],
	] as const)("of %s is true to its folders", (_, room) => {
		expect(findFaults(room)).toEqual([]);
	});

	it("has the parts that rows of the corpus of sensitive data were written for", () => {
		const names = new Set(SENSITIVE_ROOM.parts.flatMap(({ name, within }) => [name, within ?? name]));
		const rows = SENSITIVE_FILES.flatMap(readSensitiveRows);
		expect(rows.filter((row) => row.for !== undefined && !names.has(row.for))).toEqual([]);
	});

	it("has no faults where each module is in it", () => {
		expect(findFaults(openRoom())).toEqual([]);
	});

	it("fails for a module that is in no part", () => {
		write("rules/tcl.ts", "export const find = () => [];\n");
		expect(findFaults(openRoom())).toEqual(["rules/tcl.ts is in no part"]);
	});

	it("fails for a part whose module is gone", () => {
		rmSync(join(root, "rules/lisp.ts"));
		expect(findFaults(openRoom())).toEqual(["part lisp: there is no rules/lisp.ts"]);
	});

	it("fails for an export and a member that are gone", () => {
		write("rules/lisp.ts", "export const findForms = () => [];\n");
		write("rules/table.json", "{}\n");
		expect(findFaults(openRoom())).toEqual([
			"part lisp: nothing is called find",
			"part names: nothing is called names",
		]);
	});

	it("fails for a module that is listed twice", () => {
		expect(findFaults({ ...openRoom(), foundation: ["rules/all.ts", "rules/lisp.ts"] })).toEqual([
			"rules/lisp.ts is listed twice",
		]);
	});

	it("counts the lines that would go", () => {
		expect(openRoom().parts.map((part) => countLines(openRoom(), part))).toEqual([2, 3]);
	});
});

describe("a part that is left out", () => {
	/** What the room finds without parts, as another process loads it. */
	function findWithout(...loads: readonly (readonly string[])[]): unknown {
		const script = [
			`import { openRoom } from ${JSON.stringify(LOAD)};`,
			`const load = openRoom(${JSON.stringify(openRoom())});`,
			`const found = [];`,
			`for (const without of ${JSON.stringify(loads)}) found.push((await load("rules/all.ts", without)).found);`,
			`console.log(JSON.stringify(found));`,
		].join("\n");
		return JSON.parse(
			execFileSync(process.execPath, ["--input-type=module", "-e", script], {
				encoding: "utf8",
				stdio: "pipe",
			}),
		);
	}

	it("finds nothing, and the others find what they find", () => {
		expect(findWithout([], ["lisp"], ["names"], ["lisp", "names"], [])).toEqual([
			["a form", 1, 1, 1],
			[1, 1, 1],
			["a form", 1, 0, 1],
			[1, 0, 1],
			["a form", 1, 1, 1],
		]);
	});

	it("must be in the list", () => {
		expect(() => findWithout(["tcl"])).toThrow("no part is called tcl");
	});
});

describe("the rows that a part decides", () => {
	const row = (text: string, outcome: string, own?: string): GradedRow => ({
		set: "own",
		text,
		outcome,
		grade: outcome === "deny" ? 1 : 0,
		for: own,
	});

	it("are those of others that come out otherwise", () => {
		const whole = [row("a", "deny"), row("b", "deny"), row("c", "deny", "lisp"), row("d", "deny", "awk")];
		const without = [row("a", "deny"), row("b", "allow"), row("c", "allow", "lisp"), row("d", "allow", "awk")];
		expect(findChanged(whole, without, new Set(["lisp"])).map(({ row: { text } }) => text)).toEqual(["b", "d"]);
		expect(findChanged(whole, without, new Set(["lisp", "awk"])).map(({ row: { text } }) => text)).toEqual(["b"]);
	});
});
