// The rendered site: every link leads somewhere, on its pages and in its Markdown, and nothing of a document runs.
import { resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { loadEndpoints } from "../../../src/cli/endpoint-list.ts";
import { buildSite } from "../../../src/cli/site/build.ts";
import { readDocuments } from "../../../src/cli/site/documents.ts";
import { toAnchor } from "../../../src/cli/site/markdown.ts";
import type { IndexedSection } from "../../../src/site/search.ts";

const ROOT = resolve(import.meta.dirname, "../../..");
const viewer = { script: "viewer", style: "viewer" };
const {
	files: documentFiles,
	viewerFiles,
	pictures,
	missingPage,
} = buildSite({
	root: ROOT,
	script: "script",
	style: "style",
	viewer,
});
const files = { ...documentFiles, ...viewerFiles };

/** Pages of the service that are no documents. */
const SERVICE_PATHS = ["/console", "/console/playground", "/verify", "/openapi.json", "/health", "/v1/mcp/manifest"];

/** Where the API viewer shows each endpoint, from the list that the service has. */
const ENDPOINT_ANCHORS = new Set((await loadEndpoints()).map(({ method, path }) => encodeURI(`${method}${path}`)));

const textAt = (path: string) => files[path]?.text ?? "";
const pages = Object.entries(files).filter(([, { type }]) => type.startsWith("text/html"));
const markdown = Object.entries(files).filter(([, { type }]) => type.startsWith("text/markdown"));

function anchorsIn(path: string, text: string): Set<string> {
	if (!path.endsWith(".md")) return new Set([...text.matchAll(/ id="([^"]+)"/g)].map(([, id = ""]) => id));
	const prose = text.replaceAll(/^([ \t]*)```[\s\S]*?^\1```/gm, "");
	return new Set([...prose.matchAll(/^#+ (.+)$/gm)].map(([, title = ""]) => toAnchor(title)));
}

/** Links that lead nowhere. */
function findLost(from: string, links: readonly string[]): string[] {
	const own = anchorsIn(from, from in files ? textAt(from) : missingPage.text);
	return links.filter((link) => {
		if (/^(?:https?:|mailto:)/.test(link)) return false;
		const [path = "", anchor] = link.split("#");
		if (path === "") return anchor === undefined || !own.has(anchor);
		if (SERVICE_PATHS.includes(path)) return anchor !== undefined;
		if (path === "/docs/api" && anchor !== undefined) return !ENDPOINT_ANCHORS.has(anchor);
		if (path in pictures) return anchor !== undefined;
		return !files[path] || (anchor !== undefined && !anchorsIn(path, textAt(path)).has(anchor));
	});
}

describe("every document", () => {
	const documents = readDocuments(ROOT);

	it("has a page, Markdown, a row in README and so a line in llms.txt", () => {
		expect(documents.length).toBeGreaterThan(8);
		for (const { name, description } of documents) {
			expect(files[name === "index" ? "/docs" : `/docs/${name}`]?.type).toContain("text/html");
			expect(files[`/docs/${name}.md`]?.type).toContain("text/markdown");
			expect(description, name).not.toBe("");
			expect(textAt("/llms.txt")).toContain(`(/docs/${name}.md): ${description}`);
		}
	});
});

describe.each([...pages, ["no such page", missingPage] as const])("the page %s", (path, { text }) => {
	it("has links that lead somewhere", () => {
		const links = [...text.matchAll(/ (?:href|src)="([^"]*)"/g)]
			.map(([, link = ""]) => link)
			.filter((link) => link !== "data:,");
		expect(links.length).toBeGreaterThan(10);
		expect(findLost(path, links)).toEqual([]);
	});

	it("has one heading of the first level, nothing inline, and no id twice", () => {
		expect(text.match(/<h1/g)).toHaveLength(1);
		expect(text.match(/<script(?![^>]* src=)|<style|<[^<>]+\s(?:style|on\w+)=|="javascript:/gi)).toBeNull();
		const ids = [...text.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
		expect(ids.length).toBe(new Set(ids).size);
	});
});

describe.each(markdown)("%s", (path, { text }) => {
	it("has links that lead somewhere", () => {
		const prose = text.replaceAll(/^([ \t]*)```[\s\S]*?^\1```/gm, "").replaceAll(/`[^`\n]+`/g, "");
		const links = [...prose.matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = ""]) => link);
		expect(findLost(path, links)).toEqual([]);
	});
});

it("llms.txt is a title, a summary and lists of links that lead somewhere", () => {
	const text = textAt("/llms.txt");
	expect(text).toMatch(/^# svc\n\n> \S[^\n]{80,}\n/);
	const links = [...text.matchAll(/^- \[[^\]]+\]\(([^)]+)\): \S/gm)].map(([, link = ""]) => link);
	expect(links.length).toBe(text.match(/^- /gm)?.length);
	expect(findLost("/llms.txt", links)).toEqual([]);
});

it("the search index has every endpoint of the reference and every section, under addresses that are there", () => {
	const [, file] = Object.entries(files).find(([path]) => path.startsWith("/docs/assets/index.")) ?? [];
	const index: IndexedSection[] = JSON.parse(file?.text ?? "[]");
	expect(index.find(({ title }) => title === "POST /v1/chat/completions")?.url).toBe(
		"/docs/api#POST/v1/chat/completions",
	);
	expect(index.find(({ title }) => title === "POST /internal/keys")?.url).toBe(
		"/docs/reference/operator#operator-endpoints",
	);
	expect(index.filter(({ page }) => page === "Endpoint").length).toBeGreaterThan(50);
	expect(index.length).toBeGreaterThan(200);
	expect(
		findLost(
			"/docs",
			index.map(({ url }) => url),
		),
	).toEqual([]);
});

describe("the pages of the reference", () => {
	const menuAt = (path: string) => /<nav aria-label="Documents">[\s\S]*?<\/nav>/.exec(textAt(path))?.[0] ?? "";

	it("are listed under it while one of them is shown", () => {
		const link = '<a href="/docs/reference/agents"';
		expect(menuAt("/docs/reference")).toContain(link);
		expect(menuAt("/docs/reference/chat")).toContain(link);
		expect(menuAt("/docs/reference/agents")).toContain(`${link} aria-current="page"`);
		expect(menuAt("/docs/proofs")).not.toContain(link);
	});

	it("show no marks of the blocks that are written from the endpoints", () => {
		for (const path of ["/docs/reference/chat", "/docs/reference/chat.md"]) {
			expect(textAt(path)).toContain("/v1/chat/completions");
			expect(textAt(path)).not.toMatch(/(?:<|&lt;)!--/);
		}
	});

	it("are found once by a topic, not also by the entry that leads to them", () => {
		const [, file] = Object.entries(files).find(([path]) => path.startsWith("/docs/assets/index.")) ?? [];
		const index: IndexedSection[] = JSON.parse(file?.text ?? "[]");
		const urls = index.filter(({ title }) => title === "Failover").map(({ url }) => url);
		expect(urls).toEqual(["/docs/reference/models#failover"]);
		expect(textAt("/docs/reference")).toContain('id="failover"');
	});
});
