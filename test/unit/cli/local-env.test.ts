// Where a local service's settings come from: `.dev.vars`, and the environment before it.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { ensureDevVars, hasProviderKey, localVariables } from "../../../src/cli/local-env.ts";
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

	it("take nothing else from the environment", () => {
		vi.stubEnv("SOMEBODY_ELSES", "secret");
		expect(localVariables()["SOMEBODY_ELSES"]).toBeUndefined();
	});
});
