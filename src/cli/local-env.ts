// The files of a local installation: `.dev.vars` with its secrets, `.env.local` for clients. The environment overrides them.
import { generateKeyPairSync, randomBytes } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { parseEnv } from "node:util";
import type { Catalog } from "../catalog/catalog.ts";
import { credentialForm, keyVariableNames } from "../catalog/credentials.ts";
import { CATALOG } from "../catalog/shipped.ts";
import type { CredentialForm } from "../catalog/vocabulary.ts";
import { SANDBOX_AWS_KEY, SANDBOX_KEY } from "../providers/sandbox-stage.ts";
import { settingNames } from "../settings.ts";
import { writePrivateFile } from "./private-files.ts";

/** Where the local service keeps D1, KV and objects, also under `wrangler dev`. */
export const STATE_DIR = ".wrangler/state";

/** All that holds secrets, or what users wrote: states that were set aside stand beside the state. */
export const PRIVATE_PATHS = [".dev.vars", ".env.local", ".wrangler"];

function readVars(path: string): Record<string, string> {
	return existsSync(path) ? (parseEnv(readFileSync(path, "utf8")) as Record<string, string>) : {};
}

const SECRET_GENERATORS: Readonly<Record<string, () => string>> = {
	SIGNING_KEY: () => randomBytes(32).toString("hex"),
	KEY_PEPPER: () => randomBytes(32).toString("hex"),
	ADMIN_TOKEN: () => randomBytes(32).toString("hex"),
};

/** Reads `.dev.vars`, after adding the secrets that a local service lacks. */
export function ensureDevVars(path = ".dev.vars"): Record<string, string> {
	const vars = readVars(path);
	const missing = Object.entries(SECRET_GENERATORS).filter(([name]) => vars[name] === undefined);
	if (missing.length === 0) return vars;
	const lines = missing.map(([name, make]) => `${name}=${make()}\n`).join("");
	const existing = existsSync(path) ? readFileSync(path, "utf8") : "# Secrets of the local service; never committed.\n";
	writePrivateFile(path, `${existing}${existing.endsWith("\n") || existing === "" ? "" : "\n"}${lines}`);
	return readVars(path);
}

/** Settings of a start, which the Worker does not read. */
const START_SETTINGS = ["CATALOG_FILE"];

/** Settings in the process environment. An empty one removes that of `.dev.vars`. */
function settingsInEnvironment(catalog: Catalog): Record<string, string> {
	return Object.fromEntries(
		[...settingNames(catalog), ...START_SETTINGS].flatMap((name) => {
			const value = process.env[name];
			return value === undefined ? [] : [[name, value]];
		}),
	);
}

/**
 * Settings as they are: `.dev.vars`, overridden by the process environment.
 * @param catalog whose providers' settings are read.
 */
export function localSettings(catalog = CATALOG): Record<string, string> {
	return { ...readVars(".dev.vars"), ...settingsInEnvironment(catalog) };
}

/** All settings of the local service, after adding the secrets that it lacks. */
export function localVariables(catalog = CATALOG): Record<string, string> {
	return { ...ensureDevVars(), ...settingsInEnvironment(catalog) };
}

/** Whether any provider has a key, or is called without one. */
export function hasProviderKey(variables: Record<string, string>, { providers }: Catalog = CATALOG): boolean {
	return providers.some(
		(provider) => provider.auth === "none" || keyVariableNames(provider).some((name) => variables[name]),
	);
}

/** Credentials that the sandbox changes for a token, or takes as they are. */
function sandboxCredentials(form: CredentialForm, providerUrl: string): Record<string, string> {
	if (form === "aws") return SANDBOX_AWS_KEY;
	// Its tenant is the first part of the path behind the authority.
	const url = new URL(providerUrl);
	if (form === "entra")
		return {
			tenant_id: url.pathname.slice(1),
			client_id: "sandbox",
			client_secret: SANDBOX_KEY,
			authority: url.origin,
		};
	const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2_048 });
	return {
		client_email: "sandbox@sandbox.iam.gserviceaccount.com",
		private_key: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
		token_uri: `${providerUrl}/oauth2/v2.0/token`,
		project_id: "sandbox",
	};
}

/** Settings that send the calls of every provider to the sandbox. What is publicly known of the provider still holds. */
export function sandboxVariables(sandboxUrl: string, { providers }: Catalog = CATALOG): Record<string, string> {
	return Object.fromEntries(
		providers.flatMap((provider) => {
			const { id, env_prefix } = provider;
			const url = `${sandboxUrl}/${id}`;
			const form = credentialForm(provider);
			const [keyName = ""] = keyVariableNames(provider);
			return [
				[keyName, form === null ? SANDBOX_KEY : JSON.stringify(sandboxCredentials(form, url))],
				[`${env_prefix}_BASE_URL`, url],
				[`${env_prefix}_FACTS`, "provider"],
			];
		}),
	);
}

/** What clients read: the base URL and a key. */
interface ClientEnv {
	SVC_BASE_URL: string;
	SVC_API_KEY: string;
}

export function readClientEnv(path = ".env.local"): Partial<ClientEnv> {
	return readVars(path);
}

/**
 * What a start prints of its key: itself once, when it is made, and to a person; else where it is. Logs of containers and services
 * are kept, and others read them.
 */
export function renderKeyLine(key: string, isNew: boolean, { isTTY }: { isTTY?: boolean }): string {
	return isNew && isTTY === true ? `SVC_API_KEY=${key}` : "key: .env.local";
}

/** The lines of the file that are not about the two variables. */
function otherLines(path: string): string[] {
	if (!existsSync(path)) return [];
	const lines = readFileSync(path, "utf8").split("\n");
	return lines.filter((line) => line !== "" && !/^SVC_(?:BASE_URL|API_KEY)=/.test(line));
}

/** Sets the two variables and keeps every other line of the file. */
export function writeClientEnv(values: ClientEnv, path = ".env.local"): void {
	const lines = [...otherLines(path), ...Object.entries(values).map(([name, value]) => `${name}=${value}`)];
	writePrivateFile(path, `${lines.join("\n")}\n`);
}

/** Removes the two variables and keeps every other line of the file. */
export function removeClientEnv(path = ".env.local"): void {
	if (!existsSync(path)) return;
	const kept = otherLines(path).map((line) => `${line}\n`);
	writePrivateFile(path, kept.join(""));
}
