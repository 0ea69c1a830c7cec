// The files of a local installation: `.dev.vars` with its secrets, `.env.local` for clients. Values given in the environment win.
import { randomBytes } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { parseEnv } from "node:util";
import { CATALOG } from "../catalog/shipped.ts";
import { SANDBOX_KEY } from "../providers/sandbox-stage.ts";
import { SETTING_NAMES } from "../settings.ts";

/** Where the local service keeps D1, KV and objects; `wrangler dev` uses the same folder. */
export const STATE_DIR = ".wrangler/state";

function readVars(path: string): Record<string, string> {
	return existsSync(path) ? (parseEnv(readFileSync(path, "utf8")) as Record<string, string>) : {};
}

const FRESH: Readonly<Record<string, () => string>> = {
	SIGNING_KEY: () => randomBytes(32).toString("hex"),
	KEY_PEPPER: () => randomBytes(32).toString("hex"),
	ADMIN_TOKEN: () => randomBytes(32).toString("hex"),
};

/** Reads `.dev.vars`, after adding the secrets a local service needs and does not have yet. */
export function ensureDevVars(path = ".dev.vars"): Record<string, string> {
	const vars = readVars(path);
	const missing = Object.entries(FRESH).filter(([name]) => vars[name] === undefined);
	if (missing.length === 0) return vars;
	const lines = missing.map(([name, make]) => `${name}=${make()}\n`).join("");
	const before = existsSync(path) ? readFileSync(path, "utf8") : "# Secrets of the local service; never committed.\n";
	writeFileSync(path, `${before}${before.endsWith("\n") || before === "" ? "" : "\n"}${lines}`, { mode: 0o600 });
	return readVars(path);
}

/** Settings that the process environment has; an empty one is absent, whatever `.dev.vars` says. */
function settingsInEnvironment(): Record<string, string> {
	return Object.fromEntries(
		SETTING_NAMES.flatMap((name) => {
			const value = process.env[name];
			return value === undefined ? [] : [[name, value]];
		}),
	);
}

/** All settings of the local service: `.dev.vars` under the process environment. */
export function localVariables(): Record<string, string> {
	return { ...ensureDevVars(), ...settingsInEnvironment() };
}

/** Whether any provider can be called for real. */
export function hasProviderKey(variables: Record<string, string>): boolean {
	return CATALOG.providers.some(({ env_prefix, key_env_alternatives }) =>
		[`${env_prefix}_API_KEY`, ...key_env_alternatives].some((name) => variables[name]),
	);
}

/** Settings that send every provider to the sandbox, which stands for it in everything: what is public of a provider holds. */
export function sandboxVariables(sandboxUrl: string): Record<string, string> {
	return Object.fromEntries(
		CATALOG.providers.flatMap(({ id, env_prefix }) => [
			[`${env_prefix}_API_KEY`, SANDBOX_KEY],
			[`${env_prefix}_BASE_URL`, `${sandboxUrl}/${id}`],
			[`${env_prefix}_FACTS`, "provider"],
		]),
	);
}

/** What clients read: the base address and a key. */
export interface ClientEnv {
	SVC_BASE_URL: string;
	SVC_API_KEY: string;
}

export function readClientEnv(path = ".env.local"): Partial<ClientEnv> {
	return readVars(path);
}

/** Sets the two variables and keeps every other line of the file. */
export function writeClientEnv(values: ClientEnv, path = ".env.local"): void {
	const kept = existsSync(path)
		? readFileSync(path, "utf8")
				.split("\n")
				.filter((line) => line !== "" && !/^SVC_(?:BASE_URL|API_KEY)=/.test(line))
		: [];
	const lines = [...kept, ...Object.entries(values).map(([name, value]) => `${name}=${value}`)];
	writeFileSync(path, `${lines.join("\n")}\n`, { mode: 0o600 });
}
