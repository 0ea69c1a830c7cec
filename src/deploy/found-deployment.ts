// Reads what is there already: at the platform, by calls that change nothing, and on this machine.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isJsonObject } from "../json.ts";
import { CATALOG_KEY } from "../load-settings.edge.ts";
import { hashText } from "../proof/hash.ts";
import { type DeploymentFiles, readIfThere, readRecord, readSecrets, replacePrivate } from "./deployment-files.ts";
import { type DeploymentIds, findLogOrigin, renderDeploymentConfig } from "./generated-config.ts";
import type { FoundDeployment } from "./plan.ts";
import { askWrangler, isMissingValue, isMissingWorker, runWranglerCall } from "./wrangler-calls.ts";

/** Of wrangler, for the deployment's namespace. */
export const KV_ARGUMENTS = ["--binding", "KV", "--remote"];

function rows(value: unknown): Record<string, unknown>[] {
	return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

/** The rows that a query of the database has. */
async function queryDatabase(config: string, sql: string): Promise<Record<string, unknown>[]> {
	const answer = await askWrangler(["d1", "execute", "DB", "--remote", "--json", "-c", config, "--command", sql]);
	return rows(answer).flatMap(({ results }) => rows(results));
}

async function findDatabaseId(name: string): Promise<string | null> {
	const found = rows(await askWrangler(["d1", "list", "--json"])).find((each) => each["name"] === name);
	return typeof found?.["uuid"] === "string" ? found["uuid"] : null;
}

async function readDatabase(config: string, id: string): Promise<FoundDeployment["database"]> {
	const names = (found: Record<string, unknown>[]) => found.map(({ name }) => String(name));
	const tables = names(await queryDatabase(config, "SELECT name FROM sqlite_master WHERE type = 'table'"));
	const applied = tables.includes("d1_migrations")
		? names(await queryDatabase(config, "SELECT name FROM d1_migrations ORDER BY id"))
		: [];
	return { id, tables, applied };
}

async function findNamespaceId(name: string): Promise<string | null> {
	const found = rows(await askWrangler(["kv", "namespace", "list"])).find(({ title }) => title === `${name}-KV`);
	return typeof found?.["id"] === "string" ? found["id"] : null;
}

/** Whether the namespace holds a catalog's text. */
async function isStored(config: string, catalogText: string): Promise<boolean> {
	try {
		const text = await runWranglerCall(["kv", "key", "get", ...KV_ARGUMENTS, "-c", config, "--text", CATALOG_KEY]);
		return text.trim() === catalogText;
	} catch (error) {
		if (isMissingValue(error)) return false;
		throw error;
	}
}

async function readWorker(name: string): Promise<FoundDeployment["worker"]> {
	try {
		const secrets = rows(await askWrangler(["secret", "list", "--name", name, "--format", "json"]));
		return { secrets: secrets.map((secret) => String(secret["name"])) };
	} catch (error) {
		if (isMissingWorker(error)) return null;
		throw error;
	}
}

/** A hash of all that a version consists of, as wrangler would upload it. */
async function hashBundle(config: string): Promise<string> {
	const outDir = mkdtempSync(join(tmpdir(), "svc-deploy-"));
	try {
		await runWranglerCall(["deploy", "--dry-run", "-c", config, "--outdir", outDir]);
		// The README that wrangler adds has the time in it, and maps are no part of what runs.
		const names = readdirSync(outDir, { recursive: true, encoding: "utf8", withFileTypes: true })
			.filter((entry) => entry.isFile() && !/^README\.md$|\.map$/.test(entry.name))
			.map(({ parentPath, name }) => join(parentPath, name))
			.sort();
		const hashes = names.map((name) => `${name.slice(outDir.length)} ${hashText(readFileSync(name, "latin1"))}`);
		return hashText([readFileSync(config, "utf8"), ...hashes].join("\n"));
	} finally {
		rmSync(outDir, { recursive: true, force: true });
	}
}

/** `LOG_ORIGIN` never changes once it was deployed. At first it is the host that was named, else unique by the database. */
function chooseLogOrigin(files: DeploymentFiles, url: string | null, databaseId: string | null): string | null {
	const known = findLogOrigin(readIfThere(files.config) ?? "");
	if (known !== null) return known;
	if (url !== null) return new URL(url).hostname;
	return databaseId === null ? null : `${databaseId}.svc.local`;
}

/** Writes the config of a deployment. */
function writeDeploymentConfig(
	files: DeploymentFiles,
	ids: Omit<DeploymentIds, "logOrigin">,
	url: string | null,
): void {
	const logOrigin = chooseLogOrigin(files, url, ids.databaseId);
	replacePrivate(files.config, renderDeploymentConfig(readFileSync("wrangler.toml", "utf8"), { ...ids, logOrigin }));
}

/**
 * Reads everything that the plan depends on. At the platform it only reads.
 * @param url where the service answers, if that was said.
 * @param catalogText the operator's catalog that the service is to have; null leaves what it has.
 */
export async function readDeployment(
	name: string,
	files: DeploymentFiles,
	url: string | null,
	catalogText: string | null = null,
): Promise<FoundDeployment> {
	const databaseId = await findDatabaseId(name);
	const [namespaceId, worker] = await Promise.all([findNamespaceId(name), readWorker(name)]);
	writeDeploymentConfig(files, { name, databaseId, namespaceId }, url);
	const database = databaseId === null ? null : await readDatabase(files.config, databaseId);
	const hasIds = databaseId !== null && namespaceId !== null;
	const bundleHash = hasIds ? await hashBundle(files.config) : null;
	const isCatalogStored =
		catalogText === null ? null : namespaceId !== null && (await isStored(files.config, catalogText));
	const found = { database, namespaceId, worker, record: readRecord(files), bundleHash, isCatalogStored };
	return { ...readMachine(name, files), ...found };
}

/** What stands on this machine, whatever there is at the platform. */
function readMachine(name: string, files: DeploymentFiles): Pick<FoundDeployment, "name" | "kept" | "migrations"> {
	const kept = Object.entries(readSecrets(files)).map(([secret, value]) => [secret, hashText(value)]);
	const migrations = readdirSync("migrations").filter((file) => file.endsWith(".sql"));
	return { name, kept: Object.fromEntries(kept), migrations: migrations.sort() };
}

/** A deployment from nothing, for a look at its steps without an account. The version is bundled, so that its faults are seen. */
export async function imagineDeployment(
	name: string,
	files: DeploymentFiles,
	catalogText: string | null,
): Promise<FoundDeployment> {
	await hashBundle("wrangler.toml");
	return {
		...readMachine(name, files),
		database: null,
		namespaceId: null,
		worker: null,
		record: null,
		bundleHash: null,
		isCatalogStored: catalogText === null ? null : false,
	};
}
