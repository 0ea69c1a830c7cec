// `npm run catalog -- check|apply|show`: the operator's catalog as a file, and as a running service holds it. Ends with status 0 when all
// is well, 1 for a catalog with mistakes, 2 when there was none to read or no service to ask.
import { parseArgs } from "node:util";
import * as z from "zod";
import { credentialForm, keyVariableNames } from "../catalog/credentials.ts";
import type { Provider } from "../catalog/schema.ts";
import { readAddressRules } from "../settings.ts";
import { type CheckedCatalog, readCatalogFile } from "./catalog-file.ts";
import { localSettings } from "./local-env.ts";
import { adminTokenFor, callOperator, localServiceUrl, OperatorError } from "./operator.ts";

const CATALOG_USAGE = `usage:
  npm run catalog -- check FILE                 names every mistake with its line; asks no service
  npm run catalog -- apply FILE [--url URL]     checks, and puts it in force
  npm run catalog -- show [--url URL]           prints what is in force, as JSON
FILE is YAML, TOML or JSON; - is standard input. ADMIN_TOKEN and URL are as for npm run keys.`;
const NOTHING_DONE = 2;

/** What a catalog adds or changes, as the operator endpoint tells it. */
const changesSchema = z.object({
	catalog_version: z.string(),
	providers: z.array(z.string()),
	models: z.array(z.string()),
});
type Changes = z.output<typeof changesSchema>;

const storedSchema = changesSchema.extend({
	source: z.enum(["kv", "variable", "none"]),
	catalog: z.record(z.string(), z.unknown()).nullable(),
	faults: z.array(z.string()),
});

function renderChanges({ catalog_version, providers, models }: Changes): string {
	const list = (ids: readonly string[], noun: string) =>
		`${ids.length} ${noun}${ids.length === 1 ? "" : "s"}${ids.length > 0 ? ` (${ids.join(", ")})` : ""}`;
	return `${list(providers, "provider")}, ${list(models, "model")}; catalog_version ${catalog_version}`;
}

function ownRows<T extends { owner?: string | undefined }>(rows: readonly T[]): T[] {
	return rows.filter(({ owner }) => owner === "operator");
}

/** Says where the keys of a catalog's providers go. */
function reportKeys(providers: readonly Provider[]): void {
	const names = providers
		.filter(({ auth }) => auth !== "none")
		.map((provider) => {
			const [own, ...others] = keyVariableNames(provider);
			return credentialForm(provider) ? `${own} (or ${others.join(", ")})` : own;
		});
	if (names.length > 0) console.log(`keys of these providers: ${names.join(", ")}`);
}

/** Reads a file, and prints its mistakes and warnings. */
function readAndReport(path: string): CheckedCatalog {
	const checked = readCatalogFile(path, readAddressRules(localSettings()));
	for (const line of [...checked.errors, ...checked.warnings]) console.log(line);
	return checked;
}

function checkFile(path: string): boolean {
	const { errors, localOnly, catalog } = readAndReport(path);
	if (errors.length > 0) return false;
	for (const line of localOnly) console.log(line);
	const [providers, models] = [ownRows(catalog.providers), [...ownRows(catalog.models), ...ownRows(catalog.encoders)]];
	const ids = (rows: readonly { id: string }[]) => rows.map(({ id }) => id);
	const changes = { catalog_version: catalog.version, providers: ids(providers), models: ids(models) };
	console.log(`valid: ${renderChanges(changes)}`);
	reportKeys(providers);
	return true;
}

/** The members and indices of a path in an answer. */
function toPath(text: string): (string | number)[] {
	return text === "" ? [] : text.split(".").map((step) => (/^\d+$/.test(step) ? Number(step) : step));
}

async function applyFile(path: string, deploymentUrl: string | undefined): Promise<boolean> {
	const checked = readAndReport(path);
	if (checked.errors.length > 0) return false;
	const url = deploymentUrl ?? localServiceUrl();
	try {
		const answer = await callOperator(url, adminTokenFor(deploymentUrl), "PUT", "/internal/catalog", checked.document);
		console.log(`applied: ${renderChanges(changesSchema.parse(answer))}`);
	} catch (error) {
		if (!(error instanceof OperatorError && error.issues.length > 0)) throw error;
		for (const issue of error.issues) console.log(checked.toLine(toPath(issue.path), issue.message));
		console.log(`${url} refuses it, and keeps what it has`);
		return false;
	}
	reportKeys(ownRows(checked.catalog.providers));
	return true;
}

/** Prints the stored rows on standard output, so that they can become a file again, and what is said of them on standard error. */
async function showStored(deploymentUrl: string | undefined): Promise<boolean> {
	const url = deploymentUrl ?? localServiceUrl();
	const answer = await callOperator(url, adminTokenFor(deploymentUrl), "GET", "/internal/catalog");
	const { source, catalog, faults, ...changes } = storedSchema.parse(answer);
	const origins = { kv: "from KV", variable: "from the variable CATALOG", none: "none: what ships is in force" };
	console.error(`${origins[source]}; ${renderChanges(changes)}`);
	for (const fault of faults) console.error(`cannot be read: ${fault}`);
	console.log(JSON.stringify(catalog ?? {}, null, 2));
	return faults.length === 0;
}

function runCatalog(args: string[]): boolean | Promise<boolean> {
	const { positionals, values } = parseArgs({ args, allowPositionals: true, options: { url: { type: "string" } } });
	const [command, path, ...rest] = positionals;
	if (rest.length > 0) throw new Error(CATALOG_USAGE);
	if (command === "check" && path !== undefined && values.url === undefined) return checkFile(path);
	if (command === "apply" && path !== undefined) return applyFile(path, values.url);
	if (command === "show" && path === undefined) return showStored(values.url);
	throw new Error(CATALOG_USAGE);
}

try {
	process.exitCode = (await runCatalog(process.argv.slice(2))) ? 0 : 1;
} catch (error) {
	console.error(error instanceof Error ? error.message : error);
	process.exitCode = NOTHING_DONE;
}
