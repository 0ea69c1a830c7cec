// `npm run deploy`: from a clone to a running deployment. It reads what is there, plans what is missing, does that in an order in which
// no version ever runs without its tables or secrets, and can be killed anywhere: the next run goes on.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { buildModules } from "../cli/modules.ts";
import { callOperator, createKey, OperatorError } from "../cli/operator.ts";
import { CatalogSettingError, readCatalogFileSetting, readCatalogVariable } from "../cli/operator-catalog.ts";
import { isJsonObject } from "../json.ts";
import { CATALOG_KEY } from "../load-settings.edge.ts";
import { hashText } from "../proof/hash.ts";
import { readAddressRules } from "../settings.ts";
import {
	type DeploymentFiles,
	deploymentFiles,
	makeSecrets,
	readIfThere,
	readRecord,
	readSecrets,
	updateRecord,
} from "./deployment-files.ts";
import { imagineDeployment, KV_ARGUMENTS, readDeployment } from "./found-deployment.ts";
import { nameDeployment, readVariables } from "./generated-config.ts";
import { type DeploymentSteps, type FoundDeployment, planDeployment, renderSteps } from "./plan.ts";
import { DeployError, LoginError, runWranglerCall } from "./wrangler-calls.ts";

const DEPLOY_USAGE = `usage: [CATALOG_FILE=FILE] npm run deploy -- [--dry-run] [--env NAME] [--url URL]
  --dry-run: bundle the version and show the steps; nothing is changed at the platform, and no account is needed
  --env: another deployment beside production, with a database, a namespace, secrets and a name of its own
  --url: where the service will answer, such as https://svc.example.com; by default what wrangler says
  CATALOG_FILE: a file with the operator's catalog, which the deployment is to have; by default it keeps its own`;

const MAX_TRIES = 3;
const RETRY_MS = 5_000;
const HEALTH_TIMEOUT_MS = 120_000;
const HEALTH_EVERY_MS = 2_000;
const FIRST_USER = "owner";

interface Options {
	isDryRun: boolean;
	environment: string;
	url: string | null;
}

/** What is deployed. */
interface Deployment {
	/** Of the Worker and of the database. */
	name: string;
	/** The operator's catalog as JSON; null leaves the one in KV. */
	catalogText: string | null;
}

function readOptions(args: string[]): Options {
	const { values } = parseArgs({
		args,
		options: { "dry-run": { type: "boolean" }, env: { type: "string" }, url: { type: "string" } },
	});
	const environment = values.env ?? "production";
	if (!/^[a-z][a-z0-9-]{0,30}$/.test(environment))
		throw new DeployError(`--env takes a name of letters, digits and dashes\n${DEPLOY_USAGE}`);
	const url = values.url ?? null;
	if (url !== null && !(URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)))
		throw new DeployError(`--url takes an https address\n${DEPLOY_USAGE}`);
	return { isDryRun: values["dry-run"] ?? false, environment, url: url && new URL(url).origin };
}

function readWranglerToml(): string {
	const text = readIfThere("wrangler.toml");
	if (text === null) throw new DeployError("there is no wrangler.toml here: run this in the checkout");
	return text;
}

/** Deploys a version together with the secrets that it lacks. @returns the address that wrangler names */
async function deployVersion(files: DeploymentFiles, names: readonly string[]): Promise<string | null> {
	const kept = readSecrets(files);
	const dir = mkdtempSync(join(tmpdir(), "svc-secrets-"));
	try {
		const secretsFile = join(dir, "secrets.json");
		writeFileSync(secretsFile, JSON.stringify(Object.fromEntries(names.map((name) => [name, kept[name]]))), {
			mode: 0o600,
		});
		const secrets = names.length > 0 ? ["--secrets-file", secretsFile] : [];
		const output = await runWranglerCall(["deploy", "-c", files.config, ...secrets]);
		return /https:\/\/[a-z0-9.-]+\.workers\.dev/.exec(output)?.[0] ?? null;
	} finally {
		rmSync(dir, { recursive: true, force: true });
	}
}

/** Waits until the service answers that it works. */
async function waitForHealth(url: string): Promise<void> {
	const endsAtMs = Date.now() + HEALTH_TIMEOUT_MS;
	let last = "";
	for (;;) {
		try {
			const response = await fetch(`${url}/health`, { signal: AbortSignal.timeout(10_000) });
			const health: unknown = await response.json().catch(() => null);
			if (response.ok && isJsonObject(health) && health["status"] === "ok") return;
			last = `HTTP ${response.status} ${JSON.stringify(health)}`;
		} catch (error) {
			last = Object(error).cause?.code ?? Object(error).message;
		}
		if (Date.now() > endsAtMs)
			throw new DeployError(
				`${url}/health does not say that the service works: ${last}. The version is deployed; run this again, with --url for another address`,
			);
		await sleep(HEALTH_EVERY_MS);
	}
}

interface ListedKey {
	key_id: string;
	revoked_at?: string | null;
}

/** The keys of the first user that are not revoked. */
async function listFirstKeys(url: string, adminToken: string): Promise<ListedKey[]> {
	const listed = await callOperator(url, adminToken, "GET", `/internal/keys?user=${FIRST_USER}`);
	const keys = isJsonObject(listed) && Array.isArray(listed["data"]) ? (listed["data"] as ListedKey[]) : [];
	return keys.filter((key) => !key.revoked_at);
}

/** Makes the first key, and says it once. One that a killed run asked for and nobody saw is replaced; any other is left. */
async function makeFirstKey(url: string, files: DeploymentFiles): Promise<void> {
	const adminToken = process.env["ADMIN_TOKEN"] ?? readSecrets(files)["ADMIN_TOKEN"];
	if (!adminToken) {
		console.log("no first key: ADMIN_TOKEN is not on this machine (npm run keys -- create makes one with it)");
		return;
	}
	const [there] = await listFirstKeys(url, adminToken);
	if (there && !readRecord(files)?.isFirstKeyAsked) {
		updateRecord(files, { firstKeyId: there.key_id });
		console.log(`user ${FIRST_USER} has a key already; npm run keys -- create makes another`);
		return;
	}
	updateRecord(files, { isFirstKeyAsked: true });
	const made = there
		? await callOperator(url, adminToken, "POST", `/internal/keys/${there.key_id}/rotate`, { overlap_seconds: 0 })
		: await createKey(url, adminToken, FIRST_USER, "corporate");
	if (!isJsonObject(made) || typeof made["key"] !== "string") throw new DeployError("the service made no key");
	console.log(`\nthe first key, shown only now:\n  export SVC_BASE_URL=${url}/v1\n  export SVC_API_KEY=${made["key"]}`);
	updateRecord(files, { firstKeyId: String(made["key_id"]) });
}

/** Reads the operator's catalog under the rules of the deployed service, whose CATALOG must be right, too. @throws CatalogSettingError */
function readDeployedCatalog(environment: string): string | null {
	const variables = { ...readVariables(readWranglerToml()), ...readSecrets(deploymentFiles(environment)) };
	const rules = readAddressRules({ ...variables, PLATFORM: "cloudflare" });
	readCatalogVariable(variables["CATALOG"], rules);
	const checked = readCatalogFileSetting(process.env["CATALOG_FILE"], rules);
	for (const warning of checked?.warnings ?? []) console.log(warning);
	return checked && JSON.stringify(checked.document);
}

/** Puts the operator's catalog into the deployment's namespace. */
async function storeCatalog(files: DeploymentFiles, catalogText: string): Promise<void> {
	const dir = mkdtempSync(join(tmpdir(), "svc-catalog-"));
	try {
		const path = join(dir, "catalog.json");
		writeFileSync(path, catalogText, { mode: 0o600 });
		await runWranglerCall(["kv", "key", "put", ...KV_ARGUMENTS, "-c", files.config, CATALOG_KEY, "--path", path]);
	} finally {
		rmSync(dir, { recursive: true, force: true });
	}
}

/** Makes what a version needs before there is one. */
async function provision(steps: DeploymentSteps, name: string, { environment, url }: Options): Promise<void> {
	const files = deploymentFiles(environment);
	if (steps.createDatabase) await runWranglerCall(["d1", "create", name]);
	if (steps.createNamespace) await runWranglerCall(["kv", "namespace", "create", `${name}-KV`]);
	if (steps.makeSecrets.length > 0) {
		makeSecrets(files, steps.makeSecrets);
		const made = `made ${steps.makeSecrets.join(", ")} in ${files.secrets}`;
		console.log(`${made}: store them elsewhere as well, receipts, keys and the ledger hang on them`);
	}
	if (steps.createDatabase || steps.createNamespace) {
		const { database, namespaceId } = await readDeployment(name, files, url);
		if (!database || !namespaceId) throw new DeployError("what was created is not listed yet; run this again", true);
	}
	if (steps.migrate.length > 0)
		await runWranglerCall(["d1", "migrations", "apply", "DB", "--remote", "-c", files.config]);
}

/** Deploys, and keeps what the next run must know to leave it as it is. */
async function deployAndRecord(steps: DeploymentSteps, name: string, { environment, url }: Options): Promise<void> {
	const files = deploymentFiles(environment);
	const address = await deployVersion(files, steps.uploadSecrets);
	const kept = readSecrets(files);
	const uploaded = Object.fromEntries(steps.uploadSecrets.map((secret) => [secret, hashText(kept[secret] ?? "")]));
	const { bundleHash, record } = await readDeployment(name, files, url);
	updateRecord(files, {
		bundleHash,
		uploaded: { ...record?.uploaded, ...uploaded },
		...(address === null ? {} : { url: address }),
	});
}

/** Carries steps out in their order. */
async function carryOut(steps: DeploymentSteps, { name, catalogText }: Deployment, options: Options): Promise<void> {
	const files = deploymentFiles(options.environment);
	await provision(steps, name, options);
	if (steps.deploy) await deployAndRecord(steps, name, options);
	if (steps.storeCatalog && catalogText !== null) await storeCatalog(files, catalogText);
	if (!steps.deploy && !steps.firstKey) return;
	const address = options.url ?? readRecord(files)?.url;
	if (!address)
		throw new DeployError("the version is deployed, but its address is not known: run this again with --url");
	await waitForHealth(address);
	if (steps.firstKey) await makeFirstKey(address, files);
	console.log(`${name} answers at ${address}`);
}

/** What is there. Without a login, a dry run takes it that nothing is. */
async function findDeployment(
	{ name, catalogText }: Deployment,
	{ environment, url, isDryRun }: Options,
): Promise<FoundDeployment> {
	const files = deploymentFiles(environment);
	try {
		return await readDeployment(name, files, url, catalogText);
	} catch (error) {
		if (!isDryRun || !(error instanceof LoginError)) throw error;
		console.log("no login at Cloudflare works here, so it is not known what is there; from nothing:");
		return imagineDeployment(name, files, catalogText);
	}
}

/** Plans and does what is missing. @throws DeployError, temporary where a further try may work */
async function deployOnce(deployment: Deployment, options: Options): Promise<void> {
	const plan = planDeployment(await findDeployment(deployment, options));
	if ("refusal" in plan) throw new DeployError(plan.refusal);
	for (const note of plan.notes) console.log(note);
	const lines = renderSteps(deployment.name, plan.steps);
	if (lines.length === 0) console.log("nothing to do");
	for (const line of lines) console.log(options.isDryRun ? `would ${line}` : line);
	if (!options.isDryRun) await carryOut(plan.steps, deployment, options);
}

async function deploy(options: Options): Promise<void> {
	const name = nameDeployment(readWranglerToml(), options.environment);
	const deployment = { name, catalogText: readDeployedCatalog(options.environment) };
	await buildModules();
	for (let tries = 1; ; tries++) {
		try {
			return await deployOnce(deployment, options);
		} catch (error) {
			// What was done is found again by the next try.
			if (!(error instanceof DeployError && error.isTemporary) || tries === MAX_TRIES) throw error;
			console.log(`${error.message}\nagain in ${(tries * RETRY_MS) / 1_000} s`);
			await sleep(tries * RETRY_MS);
		}
	}
}

try {
	await deploy(readOptions(process.argv.slice(2)));
} catch (error) {
	const isExplained = [DeployError, OperatorError, CatalogSettingError].some((explained) => error instanceof explained);
	console.error(isExplained ? Object(error).message : error);
	process.exitCode = 1;
}
