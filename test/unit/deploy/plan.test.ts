import { describe, expect, it } from "vitest";
import { type FoundDeployment, NO_RECORD, planDeployment, renderSteps } from "../../../src/deploy/plan.ts";

const MIGRATIONS = ["0000_tables.sql", "0001_more.sql"];
const SECRETS = ["SIGNING_KEY", "KEY_PEPPER", "ADMIN_TOKEN"];
const NOTHING: FoundDeployment = {
	name: "svc",
	database: null,
	namespaceId: null,
	worker: null,
	record: null,
	kept: {},
	migrations: MIGRATIONS,
	bundleHash: null,
	isCatalogStored: null,
};
const RUNNING: FoundDeployment = {
	...NOTHING,
	database: { id: "d", tables: ["d1_migrations", "users"], applied: MIGRATIONS },
	namespaceId: "n",
	worker: { secrets: SECRETS },
	record: { ...NO_RECORD, bundleHash: "same", firstKeyId: "key_1" },
	kept: Object.fromEntries(SECRETS.map((secret) => [secret, "hash"])),
	bundleHash: "same",
};

const steps = (found: Partial<FoundDeployment>, base = RUNNING) => {
	const plan = planDeployment({ ...base, ...found });
	if ("refusal" in plan) throw new Error(plan.refusal);
	return plan.steps;
};
const refusal = (found: Partial<FoundDeployment>) => {
	const plan = planDeployment({ ...RUNNING, ...found });
	return "refusal" in plan ? plan.refusal : null;
};

describe("a deployment", () => {
	it("from nothing makes everything once", () => {
		expect(steps({}, NOTHING)).toEqual({
			createDatabase: true,
			createNamespace: true,
			makeSecrets: SECRETS,
			migrate: MIGRATIONS,
			uploadSecrets: SECRETS,
			deploy: true,
			storeCatalog: false,
			firstKey: true,
		});
	});

	it("is given the operator's catalog where it has another, after the version", () => {
		for (const isCatalogStored of [null, true]) expect(steps({ isCatalogStored }).storeCatalog).toBe(false);
		expect(renderSteps("svc", steps({ isCatalogStored: false }))).toEqual(["store the operator's catalog"]);
		const lines = renderSteps("svc", steps({ isCatalogStored: false }, NOTHING));
		expect(lines.indexOf("store the operator's catalog")).toBeGreaterThan(
			lines.findIndex((line) => line.startsWith("deploy the Worker")),
		);
	});

	it("that runs unchanged needs nothing", () => {
		expect(renderSteps("svc", steps({}))).toEqual([]);
	});

	it("with changed code is deployed again with no secret", () => {
		expect(steps({ bundleHash: "other" })).toMatchObject({
			deploy: true,
			uploadSecrets: [],
			makeSecrets: [],
			firstKey: false,
		});
	});

	it("makes no secret again, wherever the first ones are", () => {
		expect(steps({ kept: {} })).toMatchObject({ makeSecrets: [], uploadSecrets: [] });
		expect(steps({ worker: null })).toMatchObject({ makeSecrets: [], uploadSecrets: SECRETS, deploy: true });
		expect(steps({ worker: { secrets: ["SIGNING_KEY"] }, kept: { KEY_PEPPER: "hash" } })).toMatchObject({
			makeSecrets: ["ADMIN_TOKEN"],
			uploadSecrets: ["KEY_PEPPER", "ADMIN_TOKEN"],
		});
	});

	it("never replaces a signing key, a pepper or a token that runs", () => {
		const kept = Object.fromEntries(SECRETS.map((secret) => [secret, "another"]));
		expect(steps({ kept })).toMatchObject({ uploadSecrets: [], deploy: false });
	});

	it("takes a provider's key up when it is new or changed", () => {
		const kept = { ...RUNNING.kept, OPENAI_API_KEY: "b" };
		expect(steps({ kept })).toMatchObject({ uploadSecrets: ["OPENAI_API_KEY"], deploy: true });
		const worker = { secrets: [...SECRETS, "OPENAI_API_KEY"] };
		const record = (hash: string) => ({
			...NO_RECORD,
			bundleHash: "same",
			firstKeyId: "k",
			uploaded: { OPENAI_API_KEY: hash },
		});
		expect(steps({ kept, worker, record: record("a") })).toMatchObject({ uploadSecrets: ["OPENAI_API_KEY"] });
		expect(steps({ kept, worker, record: record("b") })).toMatchObject({ uploadSecrets: [], deploy: false });
	});

	it("says which of its secrets are not on this machine", () => {
		expect(planDeployment({ ...RUNNING, kept: {} })).toMatchObject({
			notes: [expect.stringContaining("SIGNING_KEY, KEY_PEPPER")],
		});
	});

	it("says which migrations it applies, one or several", () => {
		const line = (migrations: readonly string[]) =>
			renderSteps("svc", steps({ migrations }, NOTHING)).filter((each) => each.startsWith("apply"));
		expect(line([])).toEqual([]);
		expect(line(["0000_tables.sql"])).toEqual(["apply 1 migration: 0000_tables.sql"]);
		expect(line(MIGRATIONS)).toEqual(["apply 2 migrations: 0000_tables.sql to 0001_more.sql"]);
	});

	it("finishes what a killed run began", () => {
		const half = { id: "d", tables: ["d1_migrations", "users"], applied: MIGRATIONS.slice(0, 1) };
		expect(steps({ database: half, worker: null, namespaceId: null, record: null, bundleHash: null })).toMatchObject({
			createDatabase: false,
			createNamespace: true,
			migrate: MIGRATIONS.slice(1),
			deploy: true,
		});
	});

	it("refuses by name what a version from before made, whatever else is there", () => {
		for (const applied of [["0000_users.sql"], ["0000_users.sql", "0001_api_keys.sql", "0018_audit_origin.sql"]])
			for (const found of [{}, { worker: null, record: null, kept: {} }])
				expect(refusal({ ...found, database: { id: "d", tables: ["d1_migrations", "settlements"], applied } })).toMatch(
					/^the database svc was made by a version from before .*: nothing was changed; deploy under another name, .* or delete/,
				);
	});

	it("touches nothing that is something else's, or newer than this checkout", () => {
		expect(refusal({ database: { id: "d", tables: ["orders"], applied: [] } })).toContain("orders");
		expect(refusal({ database: null, worker: { secrets: ["STRIPE_KEY"] }, record: null })).toContain("the Worker svc");
		expect(refusal({ database: { id: "d", tables: ["users"], applied: [...MIGRATIONS, "0002_next.sql"] } })).toContain(
			"0002_next.sql",
		);
		expect(refusal({ database: { id: "d", tables: ["_cf_KV", "sqlite_sequence"], applied: [] } })).toBeNull();
	});
});
