// The frame of the site's pages: head, search, list of documents, the document's sections.
import type { DocumentSection } from "./markdown.ts";
import { escapeHtml } from "./markdown.ts";

/** Paths of what every page loads. */
export interface PageAssets {
	style: string;
	script: string;
	index: string;
}

/** Paths of what the API page loads besides. */
export type ViewerAssets = Pick<PageAssets, "style" | "script">;

interface PageLink {
	path: string;
	label: string;
}

export interface SitePage {
	title: string;
	/** Where it stands; null for the page that says that there is none. */
	path: string | null;
	/** Of the same document as Markdown. */
	markdownPath?: string;
	html: string;
	sections: readonly DocumentSection[];
}

/** Pages of the service beside the documents. */
const SERVICE_LINKS: readonly PageLink[] = [
	{ path: "/docs", label: "Docs" },
	{ path: "/docs/api", label: "API" },
	{ path: "/console", label: "Console" },
	{ path: "/verify", label: "Verify" },
];

/** @param more elements of the head. */
export function renderHead(title: string, { style, script }: Pick<PageAssets, "style" | "script">, more = ""): string {
	return `<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)} · svc</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${style}">
<script src="${script}" defer></script>${more}
</head>`;
}

export function renderBar({ index }: Pick<PageAssets, "index">): string {
	const links = SERVICE_LINKS.map(({ path, label }) => `<li><a href="${path}">${label}</a></li>`).join("");
	return `<a class="skip" href="#main">Skip to content</a>
<header class="bar">
<a class="brand" href="/">svc</a>
<form id="search" role="search" data-index="${index}" hidden>
<label for="query">Search the documents</label>
<input id="query" type="search" placeholder="Search  /" autocomplete="off" spellcheck="false" aria-controls="found">
<div id="found" hidden>
<p id="found-status" role="status"></p>
<ol id="found-list"></ol>
</div>
</form>
<nav aria-label="Service"><ul>${links}</ul></nav>
</header>`;
}

function renderSections(sections: readonly DocumentSection[]): string {
	const items = sections
		.filter(({ level }) => level === 2)
		.map(({ anchor, title }) => `<li><a href="#${anchor}">${escapeHtml(title)}</a></li>`);
	return items.length > 1 ? `<ul class="sections">${items.join("")}</ul>` : "";
}

/** The list of pages. Those below another one's path are listed under it while one of them, or that one, is shown. */
function renderMenu(pages: readonly PageLink[], { path, sections }: SitePage): string {
	const isBelow = (page: PageLink, { path: above }: PageLink) => page.path.startsWith(`${above}/`);
	const parents = pages.filter((page) => page.path !== pages[0]?.path && pages.some((other) => isBelow(other, page)));
	const renderLink = (page: PageLink): string => {
		const isShown = page.path === path;
		const current = isShown ? ' aria-current="page"' : "";
		const below = parents.includes(page) && `${path}/`.startsWith(`${page.path}/`) ? renderBelow(page) : "";
		return `<li><a href="${page.path}"${current}>${escapeHtml(page.label)}</a>${isShown ? renderSections(sections) : ""}${below}</li>`;
	};
	const renderBelow = (parent: PageLink) =>
		`<ul class="pages">${pages
			.filter((page) => isBelow(page, parent))
			.map(renderLink)
			.join("")}</ul>`;
	const items = pages.filter((page) => !parents.some((parent) => isBelow(page, parent))).map(renderLink);
	return `<details class="menu"><summary>Contents</summary>
<nav aria-label="Documents"><ul>${items.join("\n")}</ul></nav>
</details>`;
}

/** The page with the API viewer, which brings its own `main`. Without a script it says where the same is read. */
export function renderApiPage(assets: PageAssets, viewer: ViewerAssets): string {
	const more = `\n<link rel="stylesheet" href="${viewer.style}">\n<script src="${viewer.script}" defer></script>`;
	return `<!doctype html>
<html lang="en">
${renderHead("API", assets, more)}
<body>
${renderBar(assets)}
<div id="main" class="api" tabindex="-1">
<h1>API</h1>
<p>Every endpoint with its fields, an example request and the sandbox's answer to it, from <a href="/openapi.json">openapi.json</a>.
What the fields mean, limits and errors are in the <a href="/docs/reference">reference</a>; the console has a
<a href="/console/playground">playground</a>.</p>
<noscript><p>The list of endpoints is drawn by a script of this page, which your browser does not run. The
<a href="/docs/reference#endpoints">reference</a> has them all.</p></noscript>
<div id="api"></div>
</div>
</body>
</html>
`;
}

export function renderPage(page: SitePage, pages: readonly PageLink[], assets: PageAssets): string {
	const { title, html, markdownPath } = page;
	const alternate =
		markdownPath === undefined ? "" : `\n<link rel="alternate" type="text/markdown" href="${markdownPath}">`;
	const source =
		markdownPath === undefined ? "" : `<p class="source"><a href="${markdownPath}">This page as Markdown</a></p>`;
	return `<!doctype html>
<html lang="en">
${renderHead(title, assets, alternate)}
<body>
${renderBar(assets)}
<div class="columns">
${renderMenu(pages, page)}
<main id="main" tabindex="-1">
${html}${source}
</main>
</div>
</body>
</html>
`;
}
