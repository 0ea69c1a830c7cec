// The pages of the reference: the first one, and those in its folder.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { DOCS } from "../site/documents.ts";
import type { ReferencePage } from "./blocks.ts";

const FIRST_PAGE = "reference.md";
const FOLDER = "reference";

/** The file of a page, from the project's folder. */
export function toPageFile({ path }: Pick<ReferencePage, "path">): string {
	return join(DOCS, path === "" ? FIRST_PAGE : path);
}

/** @param read a file of the project's folder, which is the working directory. */
export function readReferencePages(read = (file: string) => readFileSync(file, "utf8")): ReferencePage[] {
	const files = readdirSync(join(DOCS, FOLDER)).filter((file) => file.endsWith(".md"));
	return ["", ...files.toSorted().map((file) => `${FOLDER}/${file}`)].map((path) => ({
		path,
		markdown: read(toPageFile({ path })),
	}));
}
