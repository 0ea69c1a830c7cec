// The documents of the site: which files they are, where they stand, where their links lead.
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { LinkResolver } from "./markdown.ts";

export interface SiteDocument {
	/** Path from the project's root. */
	source: string;
	/** Its name on the site: `/docs/NAME` and `/docs/NAME.md`. The first is `/docs` itself. */
	name: string;
	label: string;
	/** What is in it, from README's list. */
	description: string;
	markdown: string;
}

export const DOCS = "src/docs";
const README = "README.md";
/** The document that stands at `/docs`. */
export const FIRST_NAME = "index";

/** Files beside the documents that they show or link to, by source. */
export const SITE_TEXTS: Readonly<Record<string, { path: string; type: string }>> = {
	[`${DOCS}/routing.svg`]: { path: "/docs/routing.svg", type: "image/svg+xml; charset=utf-8" },
	LICENSE: { path: "/docs/license.txt", type: "text/plain; charset=utf-8" },
};

function toName(source: string): string {
	return source === README ? FIRST_NAME : (source.split("/").at(-1) ?? "").replace(/\.md$/, "").toLowerCase();
}

function capitalize(words: string): string {
	return words.charAt(0).toUpperCase() + words.slice(1);
}

type Listing = Pick<SiteDocument, "label" | "description">;

const INTRODUCTION: Listing = {
	label: "Introduction",
	description: "what the service does, with one example of each capability",
};

/** README's list of documents: their labels, and descriptions without marks, by source, in its order. */
function listedDocuments(readme: string): Map<string, Listing> {
	const rows = readme.matchAll(/^\| \[([^\]]+)\]\(([^)]+\.md)\)[^|]* \| ([^|]+) \|$/gm);
	return new Map(
		[...rows].map(([, label = "", source = "", text = ""]) => [
			source,
			{ label: capitalize(label), description: text.replaceAll("`", "") },
		]),
	);
}

/** @param root the project's folder. */
export function readDocuments(root: string): SiteDocument[] {
	const read = (source: string) => readFileSync(join(root, source), "utf8");
	const listed = listedDocuments(read(README)).set(README, INTRODUCTION);
	const present = readdirSync(join(root, DOCS))
		.filter((file) => file.endsWith(".md"))
		.map((file) => `${DOCS}/${file}`);
	return [...new Set([README, ...listed.keys(), ...present])].map((source) => {
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
		const target = name === undefined ? SITE_TEXTS[source]?.path : toPath(name);
		if (target === undefined) throw new Error(`${from.source}: ${href} leads to nothing that the site has`);
		return anchor === undefined ? target : `${target}#${anchor}`;
	};
}
