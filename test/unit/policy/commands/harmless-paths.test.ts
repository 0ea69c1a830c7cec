// A path that nothing speaks of is passed over by its names. Judged in full, nothing must be found of it either: tried with every
// word of the tables and rules as a name, alone, in a folder, with an ending and in capitals.
import { readdirSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { HarmlessPaths } from "../../../../src/policy/commands/harmless-paths.ts";
import { type PathEffect, PathJudge } from "../../../../src/policy/commands/judge.ts";
import { DEFAULT_PROTECTED_PATHS } from "../../../../src/policy/defaults.ts";
import { compileProtectedPaths } from "../../../../src/policy/paths.ts";
import { WorkBudget } from "../../../../src/policy/work-budget.ts";

const SOURCES = `${import.meta.dirname}/../../../../src/policy/`;
const WORDS = [
	...new Set(
		readdirSync(SOURCES, { recursive: true, encoding: "utf8" })
			.filter((path) => /(?:paths|locations|defaults)\.(?:ts|json)$/.test(path))
			.flatMap((path) => readFileSync(SOURCES + path, "utf8").match(/[\w.+-]{1,40}/g) ?? []),
	),
];

const OWN_PATTERNS = ["infra/", "src/*/generated", "*lock", "v?", "docs/**/*.md", "!infra/public", "/build/keep"];

const work = new WorkBudget(1e12);
const paths = compileProtectedPaths([...DEFAULT_PROTECTED_PATHS, ...OWN_PATTERNS], work);
const judge = new PathJudge(paths, new HarmlessPaths(paths, work), work);
const thorough = new PathJudge(paths, { include: () => false }, work);

const toEffects = (path: string): readonly PathEffect[] => [
	{ kind: "read", path },
	{ kind: "word", path },
	{ kind: "write", path, reach: "itself" },
	{ kind: "write", path, reach: "below" },
	{ kind: "remove", path, recursive: false },
];

it.each(["", "app", "etc", "docs", "../x", "/srv"])(
	"paths seen from %j are judged the same with and without the shortcut",
	(folder) => {
		const names = WORDS.flatMap((word) => [
			word,
			`src/${word}`,
			`${word}/a.ts`,
			`a/${word}.pem`,
			`./B/${word.toUpperCase()}`,
		]);
		const differing = names.filter((path) =>
			toEffects(path).some(
				(effect) => JSON.stringify(judge.judge(effect, folder)) !== JSON.stringify(thorough.judge(effect, folder)),
			),
		);
		expect(differing).toEqual([]);
	},
);

it("only a plain path of a program takes the shortcut", () => {
	const harmless = new HarmlessPaths(paths, work);
	expect(["lib/a.ts", "./lib/Main.java", "README"].filter((path) => harmless.include(path))).toHaveLength(3);
	expect(
		["../a", "/a", ".env", "a//b", "infra/a", "a b", "~/a", "id_rsa"].filter((path) => harmless.include(path)),
	).toEqual([]);
});
