// `npm start`: makes what a fresh machine needs for a first answer, and keeps it for later starts.
import { once } from "node:events";
import { createServer } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import * as z from "zod";
import { choosableModels, listedModels } from "../catalog/catalog.ts";
import type { Model } from "../catalog/schema.ts";
import { parseSettings, type Settings, SettingsError } from "../settings.ts";
import { startFront } from "./front.ts";
import { localVariables, renderKeyLine, STATE_DIR } from "./local-env.ts";
import { renewClientEnv } from "./local-key.ts";
import { buildBundle, LOOPBACK_ADDRESS, prepareState } from "./local-service.ts";
import { UnreadableStateError } from "./local-state.ts";
import { DEFAULT_PORT, OperatorError } from "./operator.ts";
import { CatalogSettingError, readStartCatalog } from "./operator-catalog.ts";
import { checkOperatorConfig } from "./operator-config.ts";
import { readService } from "./read-service.ts";
import { claimState, StateInUseError } from "./single-instance.ts";
import { startWithCatalog } from "./start-service.ts";

/**
 * The address to bind.
 * @throws SettingsError for one beyond this machine when no host but loopback would be answered there.
 */
function addressFromEnvironment({ deployment }: Settings): string {
	const address = process.env["HOST"] || LOOPBACK_ADDRESS;
	if (address !== LOOPBACK_ADDRESS && deployment.allowedHosts.size === 0)
		throw new SettingsError(
			"HOST binds another address than 127.0.0.1 only with ALLOWED_HOSTS, the names to answer there",
		);
	return address;
}

function portFromEnvironment(): number {
	const port = Number(process.env["PORT"] ?? DEFAULT_PORT);
	if (!Number.isInteger(port) || port < 1 || port > 65_535)
		throw new SettingsError("PORT must be a port number from 1 to 65535");
	return port;
}

/** Reads the key from its file: what a terminal shows may be recorded. */
function curlExample(baseUrl: string, model: string): string {
	return `. ./.env.local; curl ${baseUrl}/chat/completions -H "Authorization: Bearer $SVC_API_KEY" -H "Content-Type: application/json" -d '{"model":"${model}","messages":[{"role":"user","content":"Say hello"}]}'`;
}

/** What a first request may name: a model of the operator's, where no other has a provider. */
function modelToTry({ catalog, providers }: Settings): string {
	const isAvailable = ({ provider }: Model) => providers.has(provider);
	if (choosableModels(catalog).some(isAvailable)) return "auto";
	return listedModels(catalog).find(isAvailable)?.id ?? "auto";
}

/** Prints what is wrong with BRAIN_MD, line by line. */
async function reportOperatorConfig({ brainMd, catalog }: Settings): Promise<void> {
	if (brainMd === null) return;
	const { lines } = await checkOperatorConfig(brainMd, "BRAIN_MD", catalog);
	for (const line of lines) console.error(line);
}

const healthSchema = z.object({ default_config: z.string() });

/** Says that the operator's config cannot be read, whether it is BRAIN_MD or in KV. The service runs all the same. */
async function reportConfigState(serviceUrl: string): Promise<void> {
	const health = healthSchema.parse(await (await readService(`${serviceUrl}/health`)).json());
	if (health.default_config !== "invalid") return;
	console.error("the routing config of the operator cannot be read; until it can:");
	console.error("  the last one that could be read is in force; if there never was one, no model is called (503)");
}

/** A runtime that was ended a moment ago may hold its port for another. */
const PORT_TRIES = 20;
const PORT_PAUSE_MS = 100;

/** Ends the start where a port is taken, before seconds of building, and before the runtime says it in its own way. @throws EADDRINUSE */
async function requireFreePort(port: number, address: string, tries = PORT_TRIES): Promise<void> {
	const probe = createServer().listen(port, address);
	try {
		await once(probe, "listening");
	} catch (error) {
		if (tries <= 1) throw error;
		await sleep(PORT_PAUSE_MS);
		return requireFreePort(port, address, tries - 1);
	}
	probe.close();
	await once(probe, "close");
}

async function runStart(): Promise<void> {
	const port = portFromEnvironment();
	const start = readStartCatalog(localVariables());
	for (const warning of start.warnings) console.error(warning);
	const parsed = parseSettings(localVariables(start.catalog), start.catalog);
	const address = addressFromEnvironment(parsed);
	await reportOperatorConfig(parsed);
	const releaseState = await claimState(STATE_DIR);
	await requireFreePort(port, address);

	const bundleDir = await buildBundle(".wrangler/svc-bundle");
	await prepareState(STATE_DIR);
	const service = await startWithCatalog(bundleDir, start, port);
	const front = await startFront(service.url, address, port);

	let stopping = false;
	const stop = async () => {
		if (stopping) return;
		stopping = true;
		await front.stop();
		await service.stop();
		releaseState();
		process.exit(0);
	};
	for (const signal of ["SIGINT", "SIGTERM"] as const) {
		// Miniflare's own handlers would end the process at once, with the exit code of an error.
		process.removeAllListeners(signal);
		process.on(signal, stop);
	}

	const url = `http://127.0.0.1:${port}`;
	const { key, isNew } = await renewClientEnv(service.url, url, service.adminToken);
	await reportConfigState(service.url);
	const { sandboxUrl, settings } = service;
	if (sandboxUrl !== null)
		console.log(`no provider key is configured: answers come from the sandbox upstream at ${sandboxUrl}`);
	else if (settings.providers.size === 0)
		console.log("no provider key is configured: no model is called (503); SANDBOX=1 has the sandbox answer");
	if (sandboxUrl !== null || settings.providers.size === 0)
		console.log("real models: set a provider's key, such as OPENAI_API_KEY=sk-…, in .dev.vars, and start again");
	console.log(`SVC_BASE_URL=${url}/v1`);
	console.log(renderKeyLine(key, isNew, process.stdout));
	console.log(`try: ${curlExample(`${url}/v1`, modelToTry(settings))}`);
	console.log(`console: ${url}/console`);
	console.log(`ready on ${url}`);
}

/** Errors whose message says all. */
const EXPLAINED_ERRORS = [StateInUseError, UnreadableStateError, CatalogSettingError, OperatorError];

/** The port that an error names, after a space. */
function portIn(error: unknown): string {
	return error instanceof Error && "port" in error ? ` ${error.port}` : "";
}

runStart().catch((error: unknown) => {
	const code = error instanceof Error && "code" in error ? error.code : null;
	if (error instanceof SettingsError) console.error(`a setting is wrong: ${error.message}`);
	else if (EXPLAINED_ERRORS.some((explained) => error instanceof explained)) console.error(Object(error).message);
	else if (code === "ERR_ADDRESS_IN_USE" || code === "EADDRINUSE")
		console.error(`the port${portIn(error)} is in use; stop what uses it, or choose another with PORT=…`);
	else console.error(error);
	process.exit(1);
});
