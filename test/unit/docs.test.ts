// The documents: their links lead somewhere, their tables of contents are complete, and what they list is what the code has.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import modelsFile from "../../src/catalog/models.json" with { type: "json" };
import providersFile from "../../src/catalog/providers.json" with { type: "json" };
import { toAnchor } from "../../src/cli/site/markdown.ts";
import { orchestrationRequestSchema } from "../../src/orchestration/request.ts";

const ROOT = resolve(import.meta.dirname, "../..");
const DOCS = "src/docs";
const CONTRIBUTING = ".github/CONTRIBUTING.md";
/** Files of a folder, with their path from the root. */
function filesIn(folder: string): string[] {
	return readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" }).map((name) => join(folder, name));
}

const PAGES = [
	"README.md",
	CONTRIBUTING,
	".github/SECURITY.md",
	...filesIn(DOCS).filter((name) => name.endsWith(".md")),
];

const read = (file: string) => readFileSync(join(ROOT, file), "utf8");
const FENCED_BLOCK = /^([ \t]*)```[\s\S]*?^\1```/gm;

/** A page's prose: what stands in fenced blocks is no Markdown. */
const prose = (page: string) => read(page).replaceAll(FENCED_BLOCK, "");

interface Heading {
	level: number;
	title: string;
	/** As GitHub makes it of the title. */
	anchor: string;
}

function headingsIn(page: string): Heading[] {
	return [...prose(page).matchAll(/^(#+) (.+)$/gm)].map(([, marks = "", title = ""]) => ({
		level: marks.length,
		title,
		anchor: toAnchor(title),
	}));
}

/** A section's text, without its heading; subsections included. */
function section(page: string, title: string): string {
	const [, text = ""] = read(page).split(`\n## ${title}\n`);
	const end = text.search(/^## /m);
	return end < 0 ? text : text.slice(0, end);
}

/** Where a page's links lead, without those to other hosts. */
function linksIn(text: string): string[] {
	return [...text.matchAll(/\]\(([^)\s]+)\)/g)]
		.map(([, target = ""]) => target)
		.filter((link) => !/^https?:/.test(link));
}

/** Anchors that a page links to before its first section. */
function tableOfContents(page: string): string[] {
	const text = prose(page);
	return linksIn(text.slice(0, text.search(/^## /m))).filter((link) => link.startsWith("#"));
}

/** Why a link leads nowhere; null when it leads somewhere. */
function findFault(link: string, page: string): string | null {
	const [path = "", anchor] = link.split("#");
	const target = path === "" ? page : join(dirname(page), path);
	if (!existsSync(join(ROOT, target))) return `${link}: there is no ${target}`;
	if (anchor === undefined || headingsIn(target).some((heading) => heading.anchor === anchor)) return null;
	return `${link}: ${target} has no such heading`;
}

const sources = ["src", "test"]
	.flatMap(filesIn)
	.filter((file) => file.endsWith(".ts") && file !== "test/unit/docs.test.ts");

describe.each(PAGES)("%s", (page) => {
	it("has links that lead somewhere", () => {
		expect(linksIn(prose(page)).flatMap((link) => findFault(link, page) ?? [])).toEqual([]);
	});

	it("has tables whose first line is a head", () => {
		const heads = prose(page).match(/(?<=^|\n\n)[ \t]*\|.*\n.*/g) ?? [];
		expect(heads.filter((lines) => !/\n[ \t]*\|[-:| ]+\|$/.test(lines))).toEqual([]);
	});

	it("names files that are there", () => {
		const named = [...prose(page).matchAll(/`((?:src|test|migrations|\.github)\/[\w./-]*\w)`/g)].map(
			([, path = ""]) => path,
		);
		const there = named.filter((path) => !/\b(?:NAME|PATH)\b/.test(path));
		expect(there.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
	});
});

describe("a table of contents", () => {
	const withContents = PAGES.filter((page) => tableOfContents(page).length > 0);

	it("stands on every long page", () => {
		const long = PAGES.filter((page) => page !== "README.md" && headingsIn(page).length > 7);
		expect(long.filter((page) => !withContents.includes(page))).toEqual([]);
		expect(withContents.length).toBeGreaterThanOrEqual(6);
	});

	it.each(withContents)("of %s has every section, in order", (page) => {
		const sections = headingsIn(page).filter(({ level }) => level === 2);
		expect(tableOfContents(page)).toEqual(sections.map(({ anchor }) => `#${anchor}`));
	});
});

it("the sections that comments cite are there", () => {
	const cited = sources.flatMap((file) => {
		const text = read(file).replaceAll(/\n\s*(?:\/\/|\*) ?/g, " ");
		return [...text.matchAll(/docs\/([a-z/-]+\.md), "([^"]+)"/g)].map(([, name = "", title = ""]) => ({
			file,
			name,
			title,
		}));
	});
	const missing = cited.filter(({ name, title }) => {
		const page = `${DOCS}/${name}`;
		return !PAGES.includes(page) || !headingsIn(page).some((heading) => heading.title === title);
	});
	expect(cited.length).toBeGreaterThan(50);
	expect(missing).toEqual([]);
});

describe("what the documents list", () => {
	it("is the layers", () => {
		const architecture = read("test/unit/architecture.test.ts");
		const quoted = (pattern: RegExp) =>
			[...(pattern.exec(architecture)?.[1] ?? "").matchAll(/"([^"]+)"/g)].map(([, name]) => name);
		const [layers = "", beside = ""] = section(CONTRIBUTING, "Where things go").match(FENCED_BLOCK) ?? [];
		const names = (block: string) => [...block.matchAll(/^([\w.-]+)\/? {2,}\S/gm)].map(([, name]) => name);
		expect(names(layers)).toEqual(quoted(/const LAYERS = \[([\s\S]*?)\] as const/));
		expect(names(beside)).toEqual([...quoted(/const BESIDE_FOLDERS = \[([^\]]*)\]/), basename(DOCS)]);
	});

	it("is the endpoints, with their access", () => {
		const definition = /method: "(\w+)",\s+path: "([^"]+)",\s+access: "(\w+)",(\s+limited: true)?/g;
		const defined = sources
			.filter((file) => file.startsWith("src/"))
			.flatMap((file) => [...read(file).matchAll(definition)])
			.map(([, method, path, access, limited]) => `${method} ${path}: ${limited ? "limited" : access}`);
		const rows = [...section(`${DOCS}/reference.md`, "Endpoints").matchAll(/^\| `(\w+ \S+)` \| (\w+) \|/gm)];
		const listed = rows.map(([, endpoint, access]) => `${endpoint}: ${access}`);
		expect(defined.length).toBeGreaterThan(30);
		expect(defined.filter((endpoint) => !listed.includes(endpoint))).toEqual([]);
		expect(new Set(listed).size).toBe(listed.length);
	});

	it("is the error codes", () => {
		const codes = [...read("src/http/errors.ts").matchAll(/case "(\w+)":/g)].map(([, code = ""]) => code);
		const errors = read(`${DOCS}/reference/errors.md`);
		expect(codes.length).toBeGreaterThan(30);
		expect(codes.filter((code) => !errors.includes(`\`${code}\``))).toEqual([]);
	});

	it("is the strategies", () => {
		const [, table = ""] = section(`${DOCS}/reference/orchestration.md`, "Strategies").split(
			"| strategy | what happens | stages |\n|---|---|---|\n",
		);
		const [rows = ""] = table.split("\n\n");
		const { options } = orchestrationRequestSchema.unwrap().shape.strategy.unwrap().unwrap();
		expect([...rows.matchAll(/^\| `(\w+)` \|/gm)].map(([, name]) => name)).toEqual(options);
	});

	it("is the settings of every provider", () => {
		const settings = section(`${DOCS}/operations.md`, "Settings");
		const names = providersFile.providers.flatMap((provider) => [
			provider.env_prefix,
			...provider.key_env_alternatives,
		]);
		expect(names.filter((name) => !settings.includes(`\`${name}\``))).toEqual([]);
	});
});

describe("what the documents count", () => {
	const models = modelsFile.models.length;
	const counts: [what: string, pattern: RegExp, count: number][] = [
		["models", /\b(\d+)\s+models\s+of\s+\d+\s+providers/g, models],
		["providers", /\b\d+\s+models\s+of\s+(\d+)\s+providers/g, providersFile.providers.length],
		["eligible models", /\b(\d+) eligible models/g, models],
	];

	it.each(counts)("is the number of %s", (_, pattern, count) => {
		const stated = PAGES.flatMap((page) => [...read(page).matchAll(pattern)]).map(([, number]) => Number(number));
		expect(stated.length).toBeGreaterThan(0);
		expect(stated.filter((number) => number !== count)).toEqual([]);
	});
});
