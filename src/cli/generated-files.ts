// What is generated from the list of endpoints, but for the examples, which are answers of a running service. Each step makes the
// texts of its files; `npm run generate` writes them, and a test compares them with those that are there.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Endpoint } from "../http/endpoint.ts";
import { renderClientTypes } from "./client-types.ts";
import { fillTables } from "./endpoint-tables.ts";
import { DOCS } from "./site/documents.ts";

/** Texts by path, from the root of the project. */
export type GeneratedFiles = Readonly<Record<string, string>>;

/** A new step is a line here. */
const STEPS: readonly ((endpoints: readonly Endpoint[]) => GeneratedFiles)[] = [
	(endpoints) => ({ "src/client/endpoint-types.ts": renderClientTypes(endpoints) }),
	(endpoints) => {
		const pages = readdirSync(DOCS, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".md"));
		const paths = pages.map((name) => join(DOCS, name));
		return Object.fromEntries(paths.map((path) => [path, fillTables(readFileSync(path, "utf8"), endpoints)]));
	},
];

/** All generated files as they should be. */
export function renderGeneratedFiles(endpoints: readonly Endpoint[]): GeneratedFiles {
	return Object.assign({}, ...STEPS.map((step) => step(endpoints)));
}
