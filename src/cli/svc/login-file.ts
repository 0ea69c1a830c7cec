// The login that `svc` keeps: one service and one key, in a file that only its owner can read.
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { isJsonObject, parseJson } from "../../json.ts";
import { LocalError } from "./failures.ts";
import type { Terminal } from "./terminal.ts";

export interface Login {
	/** Origin of the service. */
	url: string;
	key: string;
}

/** Where the login is kept: under `XDG_CONFIG_HOME`, else `~/.config`. A relative folder counts as none (XDG Base Directory). */
export function loginPath({ XDG_CONFIG_HOME: folder }: Terminal["variables"]): string {
	return join(folder?.startsWith("/") ? folder : join(homedir(), ".config"), "svc", "login.json");
}

/** The login; null without one. @throws LocalError for a file that is none. */
export function readLogin(path: string): Login | null {
	let text: string;
	try {
		text = readFileSync(path, "utf8");
	} catch (error) {
		if (Object(error).code === "ENOENT") return null;
		throw new LocalError(`${path} cannot be read: ${Object(error).message}`);
	}
	const login = parseJson(text);
	if (isJsonObject(login) && typeof login["url"] === "string" && typeof login["key"] === "string")
		return { url: login["url"], key: login["key"] };
	throw new LocalError(`${path} holds no login; svc login --url URL writes a new one`);
}

/** Keeps a login. The file is whole or not there, and never readable by others, also while it is written. */
export function writeLogin(path: string, login: Login): void {
	const fresh = `${path}.${process.pid}`;
	try {
		mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
		rmSync(fresh, { force: true });
		writeFileSync(fresh, `${JSON.stringify(login, null, "\t")}\n`, { mode: 0o600, flag: "wx" });
		chmodSync(fresh, 0o600);
		renameSync(fresh, path);
	} catch (error) {
		if (existsSync(fresh)) rmSync(fresh, { force: true });
		throw new LocalError(`${path} cannot be written: ${Object(error).message}`);
	}
}

/** Forgets the login. @returns whether there was one */
export function removeLogin(path: string): boolean {
	try {
		rmSync(path);
		return true;
	} catch (error) {
		if (Object(error).code === "ENOENT") return false;
		throw new LocalError(`${path} cannot be removed: ${Object(error).message}`);
	}
}
