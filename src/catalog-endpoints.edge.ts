// The operator's catalog over HTTP: read, and replaced as a whole.
import * as z from "zod";
import { endpoint } from "./account/endpoint.ts";
import { fail, ok } from "./failure.ts";
import type { Endpoint } from "./http/endpoint.ts";
import { extendSettings, readStoredCatalog, storeCatalog } from "./load-settings.edge.ts";
import { MAX_CATALOG_BYTES } from "./operator-catalog/size.ts";
import type { Settings } from "./settings.ts";

const MAX_ISSUES = 100;

const versionSchema = z.lazy(() =>
	z
		.string()
		.describe("As receipts name it: the shipped catalog's, and after a plus sign the digest of the operator's."),
);
const idsSchema = (what: string) =>
	z.array(z.string()).describe(`Ids of the ${what} that the operator's catalog adds or changes.`);

/** What of a catalog is the operator's. */
function ownIds({ catalog: { providers, models, encoders, version } }: Settings) {
	const own = (rows: readonly { id: string; owner?: string | undefined }[]) =>
		rows.filter(({ owner }) => owner === "operator").map(({ id }) => id);
	return { catalog_version: version, providers: own(providers), models: own([...models, ...encoders]) };
}

const readCatalogEndpoint = endpoint({
	id: "operator_read_catalog",
	method: "GET",
	path: "/internal/catalog",
	access: "operator",
	summary: "The operator's catalog as it is stored, and what it adds to the one that ships.",
	result: z.lazy(() =>
		z.object({
			source: z
				.enum(["kv", "variable", "none"])
				.describe("Where it stands: the KV key `catalog:operator`, the variable CATALOG, or nowhere."),
			catalog: z
				.record(z.string(), z.unknown())
				.nullable()
				.describe("As it was written; null without one, and for one that is not JSON."),
			faults: z
				.array(z.string())
				.describe("Why it cannot be read, each with its path. The last one that could be is in force."),
			catalog_version: versionSchema,
			providers: idsSchema("providers"),
			models: idsSchema("models"),
		}),
	),
	example: {},
	async handle({ context: { env } }) {
		const { source, document, faults, settings } = await readStoredCatalog(env);
		return ok({ source, catalog: document, faults, ...ownIds(settings) });
	},
});

const replaceCatalogEndpoint = endpoint({
	id: "operator_replace_catalog",
	method: "PUT",
	path: "/internal/catalog",
	access: "operator",
	summary:
		"Replace the operator's catalog. One with a fault changes nothing, and is refused with each fault and its path.",
	description: `At most ${MAX_CATALOG_BYTES} bytes as JSON. In force for this isolate at once, and for all others within two minutes. Without rows, the catalog is the one that ships.`,
	body: z.lazy(() =>
		z.looseObject({
			providers: z.unknown().optional().describe("Rows of providers: docs/providers.md."),
			models: z.unknown().optional().describe("Rows of models: docs/providers.md."),
		}),
	),
	result: z.lazy(() =>
		z.object({ catalog_version: versionSchema, providers: idsSchema("providers"), models: idsSchema("models") }),
	),
	example: { body: { providers: [], models: [] } },
	async handle({ body, context: { env } }) {
		const text = JSON.stringify(body);
		const bytes = new TextEncoder().encode(text).length;
		if (bytes > MAX_CATALOG_BYTES) {
			const message = `the catalog has ${bytes} bytes, and may have ${MAX_CATALOG_BYTES}`;
			return fail({ reason: "invalid_request", issues: [{ path: "", message }] });
		}
		const { settings, faults } = await extendSettings(env, body);
		if (faults.length > 0) {
			const issues = faults.slice(0, MAX_ISSUES).map(({ path, message }) => ({ path: path.join("."), message }));
			return fail({ reason: "invalid_request", issues });
		}
		await storeCatalog(env, text);
		return ok(ownIds(settings));
	},
});

export const catalogEndpoints: readonly Endpoint[] = [readCatalogEndpoint, replaceCatalogEndpoint];
