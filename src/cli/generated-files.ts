// What is generated from the list of endpoints, their recorded examples and the tables of telemetry. `npm run generate` writes it, and a test compares it with
// what is there.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Endpoint } from "../http/endpoint.ts";
import type { EndpointExchanges } from "../http/openapi.ts";
import { renderClientTypes } from "./client-types.ts";
import { fillTables } from "./endpoint-tables.ts";
import { fillBlocks } from "./reference/blocks.ts";
import { readReferencePages, toPageFile } from "./reference/pages.ts";
import { DOCS } from "./site/documents.ts";
import { fillTelemetryTables } from "./telemetry-tables.ts";

/** What files are generated from. */
interface GeneratorSources {
	endpoints: readonly Endpoint[];
	exchanges: EndpointExchanges;
}

/** Texts by path, from the root of the project. */
type GeneratedFiles = Record<string, string>;

/** Makes the texts of some files. @param read a file as the steps before have left it. */
type GeneratorStep = (sources: GeneratorSources, read: (path: string) => string) => GeneratedFiles;

const writeClientTypes: GeneratorStep = ({ endpoints }) => ({
	"src/client/endpoint-types.ts": renderClientTypes(endpoints),
});

const fillDocuments: GeneratorStep = ({ endpoints }, read) => {
	const pages = readdirSync(DOCS, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".md"));
	const fill = (page: string) => fillTelemetryTables(fillTables(page, endpoints));
	return Object.fromEntries(pages.map((name) => [join(DOCS, name), fill(read(join(DOCS, name)))]));
};

const fillReference: GeneratorStep = (sources, read) =>
	Object.fromEntries(fillBlocks(readReferencePages(read), sources).map((page) => [toPageFile(page), page.markdown]));

/** In this order. What is generated anew is one more of them. */
const STEPS: readonly GeneratorStep[] = [writeClientTypes, fillDocuments, fillReference];

/** All generated files as they should be. */
export function renderGeneratedFiles(sources: GeneratorSources): GeneratedFiles {
	const files: GeneratedFiles = {};
	for (const step of STEPS)
		Object.assign(
			files,
			step(sources, (path) => files[path] ?? readFileSync(path, "utf8")),
		);
	return files;
}
