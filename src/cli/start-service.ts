// Starts the service of this machine with its settings, the operator's catalog, and the sandbox where no provider can be called.
import { isDeepStrictEqual } from "node:util";
import * as z from "zod";
import type { Catalog } from "../catalog/catalog.ts";
import { CATALOG } from "../catalog/shipped.ts";
import { extendCatalog } from "../operator-catalog/extend.ts";
import { parseSettings, type Settings, SettingsError } from "../settings.ts";
import { hasProviderKey, localVariables, STATE_DIR, sandboxVariables } from "./local-env.ts";
import { startLocalService } from "./local-service.ts";
import { callOperator } from "./operator.ts";
import type { StartCatalog } from "./operator-catalog.ts";
import { startSandbox } from "./sandbox-server.ts";

/** A running service, and what stands behind it. */
interface StartedService {
	url: string;
	settings: Settings;
	adminToken: string;
	/** Null where models are called. */
	sandboxUrl: string | null;
	stop(): Promise<void>;
}

/** Whether the sandbox may stand in for providers. An image says 0, so that no deployment answers with it unawares. */
function allowsSandbox(): boolean {
	const value = process.env["SANDBOX"] || "1";
	if (value !== "0" && value !== "1") throw new SettingsError("SANDBOX must be 0 or 1, or absent");
	return value === "1";
}

function needsSandbox(catalog: Catalog): boolean {
	return !hasProviderKey(localVariables(catalog), catalog) && allowsSandbox();
}

/** The Worker's variables under a catalog, whose providers are all in the sandbox where there is one. */
function toVariables(catalog: Catalog, sandboxUrl: string | null): Record<string, string> {
	const { CATALOG_FILE: _, ...settings } = localVariables(catalog);
	const ofSandbox = sandboxUrl === null ? {} : sandboxVariables(sandboxUrl, catalog);
	return { ...settings, ...ofSandbox, PLATFORM: "local" };
}

async function startService(bundleDir: string, catalog: Catalog, port: number): Promise<StartedService> {
	const sandbox = needsSandbox(catalog) ? await startSandbox(port + 1) : null;
	const sandboxUrl = sandbox?.url ?? null;
	const variables = toVariables(catalog, sandboxUrl);
	const settings = parseSettings(variables, catalog);
	const service = await startLocalService({
		bundleDir,
		stateDir: STATE_DIR,
		// The front has the port.
		port: 0,
		variables,
		onOutput: (stdout, stderr) => {
			stdout.pipe(process.stdout);
			stderr.pipe(process.stderr);
		},
	});
	return {
		url: service.url,
		settings,
		adminToken: settings.adminToken ?? "",
		sandboxUrl,
		async stop() {
			await service.stop();
			await sandbox?.stop();
		},
	};
}

const keptSchema = z.object({ source: z.string(), catalog: z.unknown(), faults: z.array(z.string()) });

/** The catalog that the service keeps; null where it keeps none that can be read. */
async function readKeptCatalog({ url, adminToken, settings }: StartedService): Promise<Catalog | null> {
	const { source, catalog, faults } = keptSchema.parse(await callOperator(url, adminToken, "GET", "/internal/catalog"));
	if (faults.length > 0)
		console.error("the operator's catalog cannot be read; until it can, the last one that could be is in force:");
	for (const fault of faults) console.error(`  ${fault}`);
	if (source !== "kv" || faults.length > 0) return null;
	return extendCatalog(CATALOG, catalog, settings.addressRules).catalog;
}

/**
 * Starts the service with the catalog that it will read: the one of CATALOG_FILE, which it is given, else the one that it keeps. The
 * latter is known only when the service runs. If it has providers with settings of their own on this machine, the service is started
 * once more.
 * @throws OperatorError when the service refuses the catalog.
 */
export async function startWithCatalog(bundleDir: string, start: StartCatalog, port: number): Promise<StartedService> {
	const started = await startService(bundleDir, start.catalog, port);
	if (start.document !== null) {
		await callOperator(started.url, started.adminToken, "PUT", "/internal/catalog", start.document);
		return started;
	}
	const kept = await readKeptCatalog(started);
	if (!kept) return started;
	const { sandboxUrl } = started;
	const variables = toVariables(kept, sandboxUrl);
	const isSame = isDeepStrictEqual(variables, toVariables(start.catalog, sandboxUrl));
	if (isSame && needsSandbox(kept) === (sandboxUrl !== null))
		return { ...started, settings: parseSettings(variables, kept) };
	await started.stop();
	return startService(bundleDir, kept, port);
}
