import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { parse } from "smol-toml";
import { describe, expect, it } from "vitest";
import { findLogOrigin, nameDeployment, renderDeploymentConfig } from "../../../src/deploy/generated-config.ts";

const WRANGLER_TOML = readFileSync(resolve(import.meta.dirname, "../../../wrangler.toml"), "utf8");
const IDS = { name: "svc-staging", databaseId: "d", namespaceId: "n", logOrigin: "svc.example.com" };

describe("the config of a deployment", () => {
	it("has its own name and ids, and paths from its folder", () => {
		expect(parse(renderDeploymentConfig(WRANGLER_TOML, IDS))).toMatchObject({
			name: "svc-staging",
			main: "../src/index.ts",
			vars: { PLATFORM: "cloudflare", LOG_ORIGIN: "svc.example.com" },
			d1_databases: [
				{ binding: "DB", database_name: "svc-staging", database_id: "d", migrations_dir: "../migrations" },
			],
			kv_namespaces: [{ binding: "KV", id: "n" }],
		});
	});

	it("has everything else as wrangler.toml has it", () => {
		const { name: _n, main: _m, vars: _v, d1_databases: _d, kv_namespaces: _k, ...rest } = parse(WRANGLER_TOML);
		expect(parse(renderDeploymentConfig(WRANGLER_TOML, IDS))).toMatchObject(rest);
	});

	it("has no id that is not known yet, and none of local state", () => {
		const text = renderDeploymentConfig(WRANGLER_TOML, {
			...IDS,
			databaseId: null,
			namespaceId: null,
			logOrigin: null,
		});
		expect(text).not.toMatch(/svc-local|database_id|LOG_ORIGIN|preview/);
	});

	it("keeps an origin that wrangler.toml sets", () => {
		const own = WRANGLER_TOML.replace("[vars]", '[vars]\nLOG_ORIGIN = "log.example.com"');
		expect(findLogOrigin(renderDeploymentConfig(own, IDS))).toBe("log.example.com");
	});

	it("is named by its environment, but for production", () => {
		expect(["production", "staging"].map((environment) => nameDeployment(WRANGLER_TOML, environment))).toEqual([
			"svc",
			"svc-staging",
		]);
	});
});

it("wrangler.toml names no deployment", () => {
	expect(WRANGLER_TOML).not.toMatch(/^(?:database_id|id|account_id)\s*=/m);
});
