// Renders the site: every document as a page and as Markdown, the search index, llms.txt.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { RECORDED_EXAMPLES } from "../../site/examples.ts";
import type { IndexedSection } from "../../site/search.ts";
import type { SiteFile } from "../../site/site-file.ts";
import {
	FIRST_NAME,
	linkResolver,
	markdownPath,
	PICTURES,
	pagePath,
	readDocuments,
	SITE_TEXTS,
	type SiteDocument,
} from "./documents.ts";
import { renderHome, renderProgramIndex } from "./home.ts";
import { type RenderedDocument, relinkMarkdown, renderDocument } from "./markdown.ts";
import { TextPacker } from "./pack-text.ts";
import { type PageAssets, renderApiPage, renderPage, type ViewerAssets } from "./page.ts";

const HTML = "text/html; charset=utf-8";
const MARKDOWN = "text/markdown; charset=utf-8";

export interface BuiltSite {
	/** By path. */
	files: Record<string, SiteFile>;
	/** Those of the API viewer, by path. */
	viewerFiles: Record<string, SiteFile>;
	/** Those that pages show, by path. */
	pictures: Record<string, BuiltPicture>;
	missingPage: SiteFile;
	programIndex: SiteFile;
}

interface BuiltPicture {
	type: string;
	base64: string;
	etag: string;
}

/** The first page of the reference. Its lower headings only lead to the sections of its other pages. */
const REFERENCE_NAME = "reference";

interface Sources {
	/** The project's folder. */
	root: string;
	/** Bundled for browsers. */
	script: string;
	style: string;
	/** What shows the OpenAPI document. */
	viewer: { script: string; style: string };
}

function sha256Hex(content: string | Uint8Array): string {
	return createHash("sha256").update(content).digest("hex");
}

function toFile(text: string, type: string, isImmutable = false): SiteFile {
	return { type, text, etag: `"${sha256Hex(text)}"`, isImmutable };
}

function assetPath(name: string, text: string, extension: string): string {
	return `/docs/assets/${name}.${sha256Hex(text).slice(0, 16)}.${extension}`;
}

/** The pictures that pages show. @throws Error for one that there is not. */
function readPictures(root: string, files: Readonly<Record<string, SiteFile>>): Record<string, BuiltPicture> {
	const shown = Object.values(files).flatMap(({ text }) => [...text.matchAll(/\/docs\/pictures\/([\w-]+\.webp)/g)]);
	return Object.fromEntries(
		shown.map(([path, name = ""]) => {
			const bytes = readFileSync(join(root, PICTURES, name));
			return [path, { type: "image/webp", base64: bytes.toString("base64"), etag: `"${sha256Hex(bytes)}"` }];
		}),
	);
}

/** A file at `/llms.txt` as llmstxt.org describes it: a title, a summary, and lists of links with notes. */
function renderLlmsText(documents: readonly SiteDocument[]): string {
	const [introduction] = documents;
	const summary = /^# .+\n\n([\s\S]*?)\n\n/.exec(introduction?.markdown ?? "")?.[1]?.replaceAll("\n", " ") ?? "";
	const toLine = ({ name, label, description }: SiteDocument) =>
		`- [${label}](${markdownPath(name)})${description ? `: ${description}` : ""}`;
	const isOptional = ({ name }: SiteDocument) =>
		["design", "measurements", "gateway-lessons", "contributing", "security"].includes(name);
	return `# svc

> ${summary}

Every request takes \`Authorization: Bearer svc_sk_…\`. OpenAI's clients take \`<origin>/v1\` as their base address, Anthropic's take
\`<origin>\`. Errors name a code, and the reference says what each means.

## Documents

${documents
	.filter((document) => !isOptional(document))
	.map(toLine)
	.join("\n")}

## Interface

- [OpenAPI 3.1](/openapi.json): every endpoint with its schemas
- [Tools](/v1/mcp/manifest): the endpoints as MCP tools; the server is at \`/v1/mcp\`
- [Health](/health): what is up, without a key

## Optional

${documents.filter(isOptional).map(toLine).join("\n")}
`;
}

/**
 * Endpoints as the reference lists them: each is found by its path and leads to itself in the API viewer (see browser/api.ts). Those
 * of the operator are not in every deployment's viewer, so they lead to their section, which the text's last link names.
 */
function indexEndpoints(reference: SiteDocument | undefined, toHref: (href: string) => string): IndexedSection[] {
	const rows = (reference?.markdown ?? "").matchAll(/^\| `([A-Z]+ \/\S*)` \| (\w+) \| (.*?) \|$/gm);
	return [...rows].map(([, title = "", access = "", text = ""]) => ({
		url:
			access === "operator"
				? toHref(/\]\(([^)]+)\)$/.exec(text)?.[1] ?? "#endpoints")
				: `/docs/api#${encodeURI(title.replace(" ", ""))}`,
		title,
		page: "Endpoint",
		text: text.replace(/ \[[^\]]*\]\([^)]*\)$/, "").replaceAll("`", ""),
	}));
}

/** @throws Error for a link that leads nowhere. */
export function buildSite({ root, script, style, viewer }: Sources): BuiltSite {
	const documents = readDocuments(root);
	const rendered = new Map<SiteDocument, RenderedDocument>(
		documents.map((document) => [
			document,
			renderDocument(document.markdown, linkResolver(documents, document, pagePath)),
		]),
	);
	const sections = [...rendered].flatMap(([{ name, label }, document]) =>
		document.sections
			.filter(({ level }) => name !== REFERENCE_NAME || level < 3)
			.map(({ level, title, anchor, text }) => ({
				url: level === 1 ? pagePath(name) : `${pagePath(name)}#${anchor}`,
				title,
				page: label,
				text,
			})),
	);
	const reference = documents.find(({ name }) => name === REFERENCE_NAME);
	const toHref = (href: string) => {
		const resolved = reference ? linkResolver(documents, reference, pagePath)(href) : href;
		return resolved.startsWith("#") ? `${pagePath(REFERENCE_NAME)}${resolved}` : resolved;
	};
	const index = JSON.stringify([...indexEndpoints(reference, toHref), ...sections] satisfies IndexedSection[]);
	const assets: PageAssets = {
		style: assetPath("site", style, "css"),
		script: assetPath("site", script, "js"),
		index: assetPath("index", index, "json"),
	};
	const viewerAssets: ViewerAssets = {
		style: assetPath("viewer", viewer.style, "css"),
		script: assetPath("viewer", viewer.script, "js"),
	};
	const pages = documents.map(({ name, label }) => ({ path: pagePath(name), label }));
	const files: Record<string, SiteFile> = {
		"/docs/api": toFile(renderApiPage(assets, viewerAssets), HTML),
		[assets.style]: toFile(style, "text/css; charset=utf-8", true),
		[assets.script]: toFile(script, "text/javascript; charset=utf-8", true),
		[assets.index]: toFile(index, "application/json; charset=utf-8", true),
		"/llms.txt": toFile(renderLlmsText(documents), "text/plain; charset=utf-8"),
	};
	for (const [document, { html, sections }] of rendered) {
		const { name, label } = document;
		const path = pagePath(name);
		const page = { title: label, path, markdownPath: markdownPath(name), html, sections };
		files[path] = toFile(renderPage(page, pages, assets), HTML);
		const relinked = relinkMarkdown(document.markdown, linkResolver(documents, document, markdownPath));
		files[markdownPath(name)] = toFile(relinked, MARKDOWN);
	}
	// Whoever knows its name on GitHub finds it too.
	files["/docs/readme.md"] = files[markdownPath(FIRST_NAME)] as SiteFile;
	for (const [source, { path, type }] of Object.entries(SITE_TEXTS))
		files[path] = toFile(readFileSync(join(root, source), "utf8"), type);
	const missing = {
		title: "No such page",
		path: null,
		html: '<h1>There is no such page</h1>\n<p>Begin at the <a href="/docs">introduction</a>, or search.</p>\n',
		sections: [],
	};
	files["/"] = toFile(renderHome(assets, RECORDED_EXAMPLES["create_chat_completion"]), HTML);
	return {
		files,
		viewerFiles: {
			[viewerAssets.style]: toFile(viewer.style, "text/css; charset=utf-8", true),
			[viewerAssets.script]: toFile(viewer.script, "text/javascript; charset=utf-8", true),
		},
		pictures: readPictures(root, files),
		missingPage: toFile(renderPage(missing, pages, assets), HTML),
		programIndex: toFile(renderProgramIndex(), "application/json"),
	};
}

/**
 * Packs the texts of files over a base (site/packed-text.ts): all Markdown, and the page with the longest menu and the shortest text, whose
 * frame the others repeat.
 */
export function packFiles(files: Readonly<Record<string, SiteFile>>): {
	base: string;
	files: Record<string, SiteFile>;
} {
	const all = Object.entries(files);
	const markdown = all.filter(([, { type }]) => type === MARKDOWN).map(([, { text }]) => text);
	const [frame = ""] = all
		.filter(([path, { type }]) => type === HTML && path.startsWith(`${pagePath(REFERENCE_NAME)}/`))
		.map(([, { text }]) => text)
		.toSorted((a, b) => a.length - b.length);
	const base = [...markdown, frame].join("");
	const packer = new TextPacker(base);
	const packed = all.map(([path, file]) => [path, { ...file, text: packer.pack(file.text) }]);
	return { base, files: Object.fromEntries(packed) };
}
