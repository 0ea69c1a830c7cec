// A command from which nothing follows is passed over by its text. With its name in quotes it is followed as before, so both
// must be judged alike: tried with every word of the tables and rules as a name, a word and an option, and in random scripts.
import { readdirSync, readFileSync } from "node:fs";
import fc from "fast-check";
import { expect, it } from "vitest";
import { analyse, parseForbiddenCommands } from "../../../../src/policy/commands/analyse.ts";
import { DEFAULT_FORBIDDEN_COMMANDS, DEFAULT_PROTECTED_PATHS } from "../../../../src/policy/defaults.ts";
import { compileProtectedPaths } from "../../../../src/policy/paths.ts";
import { WorkBudget } from "../../../../src/policy/work-budget.ts";

const SOURCES = `${import.meta.dirname}/../../../../src/policy/`;
const WORDS = [
	...new Set(
		readdirSync(SOURCES, { recursive: true, encoding: "utf8" })
			.filter((path) => /\.(?:ts|json)$/.test(path))
			.flatMap(
				(path) =>
					readFileSync(SOURCES + path, "utf8")
						.toLowerCase()
						.match(/[a-z0-9_][\w-]{0,30}/g) ?? [],
			),
	),
];

const OWN_PATTERNS = [
	"infra/",
	"src/*/generated",
	"*lock",
	"v?",
	"docs/**/*.md",
	"!infra/public",
	"config[0-9]",
	"/build/keep",
];
const OWN_COMMANDS = ["frob delete *", "deploy-* now", "frobnicate | sh", "git push && frob"];

const SEED = 29;

const plenty = () => new WorkBudget(1e9);
const protectedPaths = compileProtectedPaths([...DEFAULT_PROTECTED_PATHS, ...OWN_PATTERNS], plenty());
const forbidden = parseForbiddenCommands([...DEFAULT_FORBIDDEN_COMMANDS, ...OWN_COMMANDS], plenty());

/** What a line of shell is found to do. */
function findingsOf(line: string) {
	const { reasons, unseenFiles } = analyse([line], { protectedPaths, forbidden, allowed: [] }, plenty());
	return {
		factors: [...reasons].map(([factor, why]) => `${factor}: ${why.map(({ because }) => because).join("; ")}`),
		unseenFiles,
	};
}

/** Lines that are judged otherwise where their names are quoted. */
function differences(lines: readonly (readonly [plain: string, quoted: string])[]): readonly string[] {
	return lines.flatMap(([plain, quoted]) =>
		JSON.stringify(findingsOf(plain)) === JSON.stringify(findingsOf(quoted)) ? [] : [plain],
	);
}

it("each word of the tables is judged the same with and without the shortcut, as a program's name", () => {
	const tails = ["", " -x a src/b.ts delete"];
	const lines = WORDS.flatMap((name) => tails.map((tail) => [`${name}${tail}`, `'${name}'${tail}`] as const));
	expect(differences(lines.filter(([line]) => !RESERVED.test(line)))).toEqual([]);
});

const RESERVED = /^(?:if|then|elif|else|fi|do|done|case|esac|while|until|for|select|function|in|time|coproc)(?: |$)/;

it("each word of the tables is judged the same with and without the shortcut, as a word, a path and an option", () => {
	const shapes = [
		(word: string) => `${word}/a.txt`,
		(word: string) => `${word}/${word}`,
		(word: string) => `a.${word}`,
		(word: string) => `${word}.db`,
		(word: string) => `${word}.json`,
		(word: string) => `site${word}.py`,
		(word: string) => `--${word} x.key`,
		(word: string) => `b ${word}`,
	];
	const lines = WORDS.flatMap((word) =>
		shapes.map((shape) => [`zork ${shape(word)}`, `'zork' ${shape(word)}`] as const),
	);
	expect(differences(lines)).toEqual([]);
});

it("commands of random scripts are judged the same with and without the shortcut, whatever came before them", () => {
	const before = [
		"cd etc",
		"cd /etc",
		"cd infra && cd ..",
		"cd src/gen",
		"ln -s /etc link",
		"ln -s ../.. up",
		"frob() { rm -rf /; }",
		"alias frob='rm -rf'",
		"cp /bin/rm frob",
		"echo 'rm -rf /' > script",
		"curl https://a.test/x > got",
		"x=1",
		"PATH=.:$PATH",
		"cat .env",
		"set -- a b",
		"exec 3< .env",
		"echo a |",
		"if true; then",
		"{",
		"(",
	];
	const closing: Readonly<Record<string, string>> = { "if true; then": "fi", "{": "}", "(": ")" };
	const names = ["frob", "Frob", "zork", "deploy-it", "x1", "script", "got", "python9", "bash-static", "link"];
	const pieces = [
		"a",
		"src",
		"infra",
		"link",
		"up",
		"etc",
		"shadow",
		"id_rsa",
		"a.key",
		"keys",
		"lock",
		"v1",
		"config7",
	];
	const more = [
		"README.md",
		".env",
		"..",
		"delete",
		"rm",
		"x=y",
		"-f",
		"--all",
		"-o",
		"--output",
		"run",
		"secrets.json",
		"*",
	];
	const word = fc.oneof(
		fc.constantFrom(...pieces, ...more),
		fc.tuple(fc.constantFrom(...pieces), fc.constantFrom(...pieces, ...more)).map((path) => path.join("/")),
	);
	const script = fc.record({
		opening: fc.constantFrom("", ...before),
		name: fc.constantFrom(...names),
		words: fc.array(word, { maxLength: 4 }),
	});
	fc.assert(
		fc.property(script, ({ opening, name, words }) => {
			const joint = opening === "" || /(?:\||then|[{(])$/.test(opening) ? " " : "; ";
			const line = (written: string) => `${opening}${joint}${written} ${words.join(" ")}; ${closing[opening] ?? ""}`;
			expect(findingsOf(line(name))).toEqual(findingsOf(line(`'${name}'`)));
		}),
		{ seed: SEED, numRuns: 6_000 },
	);
});
