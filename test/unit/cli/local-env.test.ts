// Where a local service's settings come from: `.dev.vars`, and the environment before it.
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { CATALOG } from "../../../src/catalog/shipped.ts";
import {
	ensureDevVars,
	hasProviderKey,
	localVariables,
	removeClientEnv,
	renderKeyLine,
	sandboxVariables,
	writeClientEnv,
} from "../../../src/cli/local-env.ts";
import { closeToOthers } from "../../../src/cli/private-files.ts";
import { extendCatalog } from "../../../src/operator-catalog/extend.ts";
import { parseSettings, SETTING_NAMES } from "../../../src/settings.ts";

let dir: string;
const home = process.cwd();
beforeEach(() => {
	dir = mkdtempSync(join(tmpdir(), "svc-env-"));
	process.chdir(dir);
	for (const name of SETTING_NAMES) vi.stubEnv(name, undefined);
});
afterEach(() => {
	process.chdir(home);
	vi.unstubAllEnvs();
	rmSync(dir, { recursive: true });
});

describe("settings of a local service", () => {
	it("are made where they are missing, and kept where they are there", () => {
		writeFileSync(".dev.vars", "LOG_ORIGIN=log.example\nKEY_PEPPER=0123456789abcdef");
		const made = ensureDevVars();
		expect(made).toMatchObject({ LOG_ORIGIN: "log.example", KEY_PEPPER: "0123456789abcdef" });
		expect(parseSettings(made)).toMatchObject({ logOrigin: "log.example", adminToken: made["ADMIN_TOKEN"] });
		expect(ensureDevVars()).toEqual(made);
		expect(readFileSync(".dev.vars", "utf8")).toContain("SIGNING_KEY=");
	});

	it.each(SETTING_NAMES)("take %s from the environment before .dev.vars", (name) => {
		writeFileSync(".dev.vars", `${name}=of the file\n`);
		expect(localVariables()[name]).toBe("of the file");
		vi.stubEnv(name, "of the environment");
		expect(localVariables()[name]).toBe("of the environment");
	});

	it("take an empty variable of the environment for an absent one", () => {
		writeFileSync(".dev.vars", "OPENAI_API_KEY=sk-1\n");
		expect(hasProviderKey(localVariables())).toBe(true);
		vi.stubEnv("OPENAI_API_KEY", "");
		expect(hasProviderKey(localVariables())).toBe(false);
	});

	it("are those of a catalog's providers", () => {
		const { catalog } = extendCatalog(
			CATALOG,
			{ providers: [{ id: "my-llm", base_url: "https://models.example.com/v1" }] },
			{ isLocal: true, hosts: new Set() },
		);
		vi.stubEnv("MY_LLM_API_KEY", "sk-1");
		vi.stubEnv("MY_LLM_BASE_URL", "https://models.example.com/v2");
		expect(localVariables()).not.toHaveProperty("MY_LLM_API_KEY");
		const variables = localVariables(catalog);
		expect(variables).toMatchObject({ MY_LLM_API_KEY: "sk-1", MY_LLM_BASE_URL: "https://models.example.com/v2" });
		expect([hasProviderKey(variables), hasProviderKey(variables, catalog)]).toEqual([false, true]);
		expect(sandboxVariables("http://sandbox", catalog)["MY_LLM_BASE_URL"]).toBe("http://sandbox/my-llm");
	});

	it("need no key of a provider that takes none", () => {
		const rules = { isLocal: true, hosts: new Set<string>() };
		const { catalog } = extendCatalog(CATALOG, { providers: [{ id: "ollama" }] }, rules);
		expect(hasProviderKey({}, catalog)).toBe(true);
	});

	it("take nothing else from the environment", () => {
		vi.stubEnv("SOMEBODY_ELSES", "secret");
		expect(localVariables()["SOMEBODY_ELSES"]).toBeUndefined();
	});
});

/** The permissions of a file or folder, in octal. */
function modeOf(path: string): string {
	return (statSync(path).mode & 0o777).toString(8);
}

describe("files with secrets", () => {
	it("are their owner's alone, also those that others could read", () => {
		for (const path of [".dev.vars", ".env.local"]) {
			writeFileSync(path, "OTHER=1\n");
			chmodSync(path, 0o644);
		}
		ensureDevVars();
		writeClientEnv({ SVC_BASE_URL: "http://127.0.0.1:8787/v1", SVC_API_KEY: "svc_sk_1" });
		expect([modeOf(".dev.vars"), modeOf(".env.local")]).toEqual(["600", "600"]);
		chmodSync(".env.local", 0o644);
		removeClientEnv();
		expect([modeOf(".env.local"), readFileSync(".env.local", "utf8")]).toEqual(["600", "OTHER=1\n"]);
	});

	it("are closed with all that is below them, and nothing that a link in them leads to", () => {
		mkdirSync("state/v3", { recursive: true });
		mkdirSync("elsewhere");
		writeFileSync("state/v3/db.sqlite", "");
		writeFileSync("state/run", "#!/bin/sh\n");
		writeFileSync("elsewhere/file", "");
		symlinkSync(join(dir, "elsewhere"), "state/link");
		chmodSync("state", 0o755);
		chmodSync("state/v3", 0o775);
		chmodSync("state/v3/db.sqlite", 0o664);
		chmodSync("state/run", 0o755);
		chmodSync("elsewhere", 0o755);
		chmodSync("elsewhere/file", 0o644);
		closeToOthers(["state", "not-there"]);
		const closed = ["state", "state/v3", "state/v3/db.sqlite", "state/run"];
		expect(closed.map(modeOf)).toEqual(["700", "700", "600", "700"]);
		expect(["elsewhere", "elsewhere/file"].map(modeOf)).toEqual(["755", "644"]);
	});
});

describe("a start's line about its key", () => {
	it.each([
		[true, true, "SVC_API_KEY=svc_sk_1"],
		[false, true, "key: .env.local"],
		[true, undefined, "key: .env.local"],
		[true, false, "key: .env.local"],
	])("of a new key (%s), at a terminal (%s), is %s", (isNew, isTTY, line) => {
		expect(renderKeyLine("svc_sk_1", isNew, isTTY === undefined ? {} : { isTTY })).toBe(line);
	});
});
