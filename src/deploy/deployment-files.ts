// What a deployment keeps on this machine, in `.deploy`, which git ignores: the config for wrangler, the secrets, a record.
import { randomBytes } from "node:crypto";
import { chmodSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseEnv } from "node:util";
import { isJsonObject, parseJson } from "../json.ts";
import { type DeploymentRecord, NO_RECORD } from "./plan.ts";

export const DEPLOY_DIR = ".deploy";

export interface DeploymentFiles {
	config: string;
	secrets: string;
	record: string;
}

/** The files of an environment, relative to the checkout. */
export function deploymentFiles(environment: string): DeploymentFiles {
	const base = join(DEPLOY_DIR, environment);
	return { config: `${base}.toml`, secrets: `${base}.secrets`, record: `${base}.json` };
}

/** A file's text; null where there is none. */
export function readIfThere(path: string): string | null {
	try {
		return readFileSync(path, "utf8");
	} catch (error) {
		if (Object(error).code === "ENOENT") return null;
		throw error;
	}
}

/** Replaces a file as a whole: a process that dies leaves the old one. Only its owner can read it. */
export function replacePrivate(path: string, text: string): void {
	mkdirSync(DEPLOY_DIR, { recursive: true, mode: 0o700 });
	const fresh = `${path}.${process.pid}`;
	writeFileSync(fresh, text, { mode: 0o600 });
	chmodSync(fresh, 0o600);
	renameSync(fresh, path);
}

/** Secrets by name. */
export type Secrets = Readonly<Record<string, string>>;

export function readSecrets({ secrets }: DeploymentFiles): Secrets {
	const found = parseEnv(readIfThere(secrets) ?? "");
	return Object.fromEntries(Object.entries(found).flatMap(([name, value]) => (value ? [[name, value]] : [])));
}

/** Makes secrets, and keeps them before anything uses them. What the file holds already stays as it is. */
export function makeSecrets(files: DeploymentFiles, names: readonly string[]): void {
	const there =
		readIfThere(files.secrets) ?? "# Store these elsewhere as well: receipts, keys and the ledger hang on them.\n";
	const lines = names.map((name) => `${name}=${randomBytes(32).toString("hex")}\n`);
	replacePrivate(files.secrets, `${there}${there.endsWith("\n") ? "" : "\n"}${lines.join("")}`);
}

function textOrNull(value: unknown): string | null {
	return typeof value === "string" ? value : null;
}

/** The record; null without one. */
export function readRecord({ record }: DeploymentFiles): DeploymentRecord | null {
	const value = parseJson(readIfThere(record) ?? "");
	if (!isJsonObject(value)) return null;
	const uploaded = isJsonObject(value["uploaded"]) ? value["uploaded"] : {};
	return {
		bundleHash: textOrNull(value["bundleHash"]),
		uploaded: Object.fromEntries(
			Object.entries(uploaded).flatMap(([name, hash]) => (typeof hash === "string" ? [[name, hash]] : [])),
		),
		url: textOrNull(value["url"]),
		isFirstKeyAsked: value["isFirstKeyAsked"] === true,
		firstKeyId: textOrNull(value["firstKeyId"]),
	};
}

/** Changes members of the record. */
export function updateRecord(files: DeploymentFiles, members: Partial<DeploymentRecord>): void {
	const record = { ...(readRecord(files) ?? NO_RECORD), ...members };
	replacePrivate(files.record, `${JSON.stringify(record, null, "\t")}\n`);
}
