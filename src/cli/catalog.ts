// `npm run catalog -- check FILE`: reads an operator's catalog as the service will, and names every mistake with its line. Ends with
// status 0 when the catalog is valid, 1 when it is not, 2 when there is none.
import { parseArgs } from "node:util";
import { readAddressRules } from "../settings.ts";
import { type CheckedCatalog, readCatalogFile } from "./catalog-file.ts";
import { localSettings } from "./local-env.ts";

const CATALOG_USAGE = `usage:
  npm run catalog -- check FILE
FILE is YAML, TOML or JSON; - is standard input.`;
const NO_CATALOG_READ = 2;

/** What a catalog does to the shipped one, in words. */
function renderChanges({ catalog }: CheckedCatalog): string {
	const providers = catalog.providers.filter(({ owner }) => owner === "operator");
	const models = catalog.models.filter(({ owner }) => owner === "operator");
	const count = (number: number, noun: string) => `${number} ${noun}${number === 1 ? "" : "s"}`;
	const list = (ids: readonly { id: string }[]) => (ids.length > 0 ? ` (${ids.map(({ id }) => id).join(", ")})` : "");
	return `${count(providers.length, "provider")}${list(providers)}, ${count(models.length, "model")}${list(models)}`;
}

function readAndReport(path: string): CheckedCatalog {
	const checked = readCatalogFile(path, readAddressRules(localSettings()));
	for (const line of [...checked.errors, ...checked.warnings]) console.log(line);
	return checked;
}

function check(path: string): boolean {
	const checked = readAndReport(path);
	const isValid = checked.errors.length === 0;
	if (isValid) console.log(`valid: ${renderChanges(checked)}; catalog_version ${checked.catalog.version}`);
	return isValid;
}

function runCatalog(args: string[]): boolean {
	const { positionals } = parseArgs({ args, allowPositionals: true });
	const [command, path, ...rest] = positionals;
	if (command === "check" && path !== undefined && rest.length === 0) return check(path);
	throw new Error(CATALOG_USAGE);
}

try {
	process.exitCode = runCatalog(process.argv.slice(2)) ? 0 : 1;
} catch (error) {
	console.error(error instanceof Error ? error.message : error);
	process.exitCode = NO_CATALOG_READ;
}
