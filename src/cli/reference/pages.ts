// Reads the pages of the reference: the first one, and those in its folder.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { ReferencePage } from "./blocks.ts";

const DOCUMENTS = "src/docs";
const FIRST_PAGE = "reference.md";
const FOLDER = "reference";

/** The file of a page, from the project's folder. */
export function toPageFile({ path }: Pick<ReferencePage, "path">): string {
	return `${DOCUMENTS}/${path === "" ? FIRST_PAGE : path}`;
}

/** @param root the project's folder. */
export function readReferencePages(root: string): ReferencePage[] {
	const files = readdirSync(join(root, DOCUMENTS, FOLDER)).filter((file) => file.endsWith(".md"));
	return ["", ...files.toSorted().map((file) => `${FOLDER}/${file}`)].map((path) => ({
		path,
		markdown: readFileSync(join(root, toPageFile({ path })), "utf8"),
	}));
}
