// The documents of the site: which files they are, where they stand, where their links lead.
import { readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { PICTURE_PATHS } from "../../site/site-file.ts";
import type { LinkResolver } from "./markdown.ts";

export interface SiteDocument {
	/** Path from the project's root. */
	source: string;
	/** Its name on the site: `/docs/NAME` and `/docs/NAME.md`. The first is `/docs` itself. */
	name: string;
	label: string;
	/** What is in it, from the list that names it. */
	description: string;
	markdown: string;
}

export const DOCS = "src/docs";
const README = "README.md";
/** The document that lists those in its folder. */
const REFERENCE = `${DOCS}/reference.md`;
/** The document that stands at `/docs`. */
export const FIRST_NAME = "index";

/** Files beside the documents that they show or link to, by source. */
export const SITE_TEXTS: Readonly<Record<string, { path: string; type: string }>> = {
	[`${DOCS}/routing.svg`]: { path: "/docs/routing.svg", type: "image/svg+xml; charset=utf-8" },
	LICENSE: { path: "/docs/license.txt", type: "text/plain; charset=utf-8" },
};

/** Pictures of the console, of which documents show some (written by `npm run test:browser -- --shots`). */
export const PICTURES = `${DOCS}/pictures/`;

/** Where a file is served that is no document; undefined where it is not on the site. */
function filePath(source: string): string | undefined {
	if (source.startsWith(PICTURES)) return `${PICTURE_PATHS}${basename(source)}`;
	return SITE_TEXTS[source]?.path;
}

function toName(source: string): string {
	if (source === README) return FIRST_NAME;
	const path = source.startsWith(`${DOCS}/`) ? source.slice(DOCS.length + 1) : basename(source);
	return path.replace(/\.md$/, "").toLowerCase();
}

function capitalize(words: string): string {
	return words.charAt(0).toUpperCase() + words.slice(1);
}

type Listing = Pick<SiteDocument, "label" | "description">;

const INTRODUCTION: Listing = {
	label: "Introduction",
	description: "what the service does, with one example of each capability",
};

/** A document's list of others: their labels, and descriptions without marks, by source, in its order. */
function listedDocuments(source: string, markdown: string): [source: string, Listing][] {
	const rows = markdown.matchAll(/^\| \[([^\]]+)\]\(([^)]+\.md)\)[^|]* \| ([^|]+) \|$/gm);
	return [...rows].map(([, label = "", path = "", text = ""]) => [
		join(dirname(source), path),
		{ label: capitalize(label), description: text.replaceAll("`", "") },
	]);
}

/** The marks of blocks that are written from the endpoints (../reference/blocks.ts) are not for readers. */
function stripMarks(markdown: string): string {
	return markdown.replaceAll(/^<!-- .* -->\n\n?/gm, "");
}

/** @param root the project's folder. */
export function readDocuments(root: string): SiteDocument[] {
	const read = (source: string) => stripMarks(readFileSync(join(root, source), "utf8"));
	const listed = new Map([
		[README, INTRODUCTION],
		...listedDocuments(README, read(README)).flatMap((entry) =>
			entry[0] === REFERENCE ? [entry, ...listedDocuments(REFERENCE, read(REFERENCE))] : [entry],
		),
	]);
	const present = readdirSync(join(root, DOCS), { recursive: true, encoding: "utf8" })
		.filter((file) => file.endsWith(".md"))
		.map((file) => `${DOCS}/${file}`);
	return [...new Set([...listed.keys(), ...present])].map((source) => {
		const name = toName(source);
		const unlisted: Listing = { label: capitalize(name.replaceAll("-", " ")), description: "" };
		return { source, name, ...(listed.get(source) ?? unlisted), markdown: read(source) };
	});
}

export function pagePath(name: string): string {
	return name === FIRST_NAME ? "/docs" : `/docs/${name}`;
}

export function markdownPath(name: string): string {
	return `/docs/${name}.md`;
}

/** How a document's links lead to others: as pages, or as Markdown. @throws Error for a file that is not on the site. */
export function linkResolver(
	documents: readonly SiteDocument[],
	from: SiteDocument,
	toPath: (name: string) => string,
): LinkResolver {
	const names = new Map(documents.map(({ source, name }) => [source, name]));
	return (href) => {
		if (/^(?:https?:|mailto:|#)/.test(href)) return href;
		const [path = "", anchor] = href.split("#");
		const source = join(dirname(from.source), path);
		const name = names.get(source);
		const target = name === undefined ? filePath(source) : toPath(name);
		if (target === undefined) throw new Error(`${from.source}: ${href} leads to nothing that the site has`);
		return anchor === undefined ? target : `${target}#${anchor}`;
	};
}
