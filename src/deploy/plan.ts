// What a deployment still needs: from what was found at the platform and on this machine to steps in their order. Pure.
import { FORMER_VERSION, isFormerDatabase } from "../former-version.ts";

/** Secrets without which no version may run. They are made once, and never again. */
export const REQUIRED_SECRETS = ["SIGNING_KEY", "KEY_PEPPER", "ADMIN_TOKEN"] as const;

/** What is kept about a deployment between runs. */
export interface DeploymentRecord {
	/** SHA-256 of the bundle and its config that run; null before the first. */
	bundleHash: string | null;
	/** Name of each secret that was uploaded, with a SHA-256 of its value. */
	uploaded: Readonly<Record<string, string>>;
	/** Where the service answers. */
	url: string | null;
	/** Whether a run has asked for the first key: then one that nobody saw is its own. */
	isFirstKeyAsked: boolean;
	/** The id of the first key; null until it was shown. */
	firstKeyId: string | null;
}

export const NO_RECORD: DeploymentRecord = {
	bundleHash: null,
	uploaded: {},
	url: null,
	isFirstKeyAsked: false,
	firstKeyId: null,
};

/** What was found before anything is done. */
export interface FoundDeployment {
	/** Of the Worker and of the database. */
	name: string;
	database: { id: string; tables: readonly string[]; applied: readonly string[] } | null;
	namespaceId: string | null;
	/** Null where no Worker has this name. */
	worker: { secrets: readonly string[] } | null;
	record: DeploymentRecord | null;
	/** Secrets that are kept on this machine, by name, with a SHA-256 of their values. */
	kept: Readonly<Record<string, string>>;
	/** Of this checkout, in their order. */
	migrations: readonly string[];
	/** Of this checkout's bundle and config; null where the config lacks an id yet. */
	bundleHash: string | null;
	/** Whether the namespace holds the operator's catalog of this machine; null where no file with one is named. */
	isCatalogStored: boolean | null;
}

export interface DeploymentSteps {
	createDatabase: boolean;
	createNamespace: boolean;
	/** Secrets to be made and kept on this machine. */
	makeSecrets: readonly string[];
	/** Migrations to be applied. */
	migrate: readonly string[];
	/** Secrets that go up with the next version. */
	uploadSecrets: readonly string[];
	deploy: boolean;
	/** After the version that can read it. */
	storeCatalog: boolean;
	firstKey: boolean;
}

export type DeploymentPlan = { refusal: string } | { steps: DeploymentSteps; notes: readonly string[] };

/** Why what stands under a name must not be touched; null where it is ours or nobody's. */
function findStranger({ name, database, worker, record, migrations }: FoundDeployment): string | null {
	const isOurs = database?.applied.some((applied) => migrations.includes(applied)) ?? false;
	const strangeTables = database?.tables.filter((table) => !/^(?:d1_migrations|sqlite_|_cf_)/.test(table)) ?? [];
	if (database && !isOurs && strangeTables.length > 0)
		return `the database ${name} holds tables of something else (${strangeTables.slice(0, 3).join(", ")})`;
	const hasOurSecrets = REQUIRED_SECRETS.some((secret) => worker?.secrets.includes(secret));
	if (worker && !record && !hasOurSecrets && !isOurs) return `the Worker ${name} is something else's`;
	return null;
}

/** Decides what is to be done, in the order of the steps' members. */
export function planDeployment(found: FoundDeployment): DeploymentPlan {
	const { name, database, namespaceId, worker, kept, migrations, bundleHash } = found;
	const record = found.record ?? NO_RECORD;
	if (database && isFormerDatabase(database.applied))
		return {
			refusal: `the database ${name} was made by ${FORMER_VERSION}, and this one does not read it: nothing was changed; deploy under another name, in wrangler.toml or by --env, or delete the Worker ${name} and the database first`,
		};
	const stranger = findStranger(found);
	if (stranger) return { refusal: `${stranger}: nothing was changed; take another name, in wrangler.toml or by --env` };
	const newer = database?.applied.filter((applied) => !migrations.includes(applied)) ?? [];
	if (newer.length > 0)
		return {
			refusal: `the database ${name} has migrations that this checkout lacks (${newer.join(", ")}): update it first`,
		};
	const there = worker?.secrets ?? [];
	const makeSecrets = REQUIRED_SECRETS.filter((secret) => !there.includes(secret) && !(secret in kept));
	const uploadSecrets = [...new Set([...Object.keys(kept), ...makeSecrets])].filter((secret) => {
		if (!there.includes(secret)) return true;
		// What runs wins: another signing key or pepper would break every receipt and key.
		if ((REQUIRED_SECRETS as readonly string[]).includes(secret)) return false;
		return record.uploaded[secret] !== kept[secret];
	});
	const elsewhere = REQUIRED_SECRETS.filter((secret) => there.includes(secret) && !(secret in kept));
	const migrate = migrations.filter((migration) => !database?.applied.includes(migration));
	const hasNoVersion = worker === null || bundleHash === null || record.bundleHash !== bundleHash;
	return {
		steps: {
			createDatabase: database === null,
			createNamespace: namespaceId === null,
			makeSecrets,
			migrate,
			uploadSecrets,
			deploy: hasNoVersion || uploadSecrets.length > 0,
			storeCatalog: found.isCatalogStored === false,
			firstKey: record.firstKeyId === null,
		},
		notes:
			elsewhere.length > 0
				? [
						`${elsewhere.join(", ")} of the running Worker are not on this machine. They stay as they are; get them from where they are stored.`,
					]
				: [],
	};
}

/** The steps as lines for people; none where there is nothing to do. */
export function renderSteps(name: string, steps: DeploymentSteps): string[] {
	const { createDatabase, createNamespace, makeSecrets, migrate, uploadSecrets, deploy, storeCatalog, firstKey } =
		steps;
	return [
		...(createDatabase ? [`create the D1 database ${name}`] : []),
		...(createNamespace ? [`create the KV namespace ${name}-KV`] : []),
		...(makeSecrets.length > 0 ? [`make ${makeSecrets.join(", ")}`] : []),
		...(migrate.length === 1 ? [`apply 1 migration: ${migrate[0]}`] : []),
		...(migrate.length > 1 ? [`apply ${migrate.length} migrations: ${migrate[0]} to ${migrate.at(-1)}`] : []),
		...(deploy
			? [`deploy the Worker ${name}${uploadSecrets.length > 0 ? ` with ${uploadSecrets.join(", ")}` : ""}`]
			: []),
		...(storeCatalog ? ["store the operator's catalog"] : []),
		...(deploy || firstKey ? ["wait for /health"] : []),
		...(firstKey ? ["create the first key, unless there is one"] : []),
	];
}
