// The config that wrangler deploys with: wrangler.toml with the ids and names of one deployment. Pure.
import { parse, stringify, type TomlTable } from "smol-toml";

export interface DeploymentIds {
	/** Of the Worker and of the database. */
	name: string;
	/** Null while there is none. */
	databaseId: string | null;
	namespaceId: string | null;
	/** Host name in the origin line of checkpoints. It must never change. */
	logOrigin: string | null;
}

function tables(config: TomlTable, name: string): TomlTable[] {
	const value = config[name];
	return Array.isArray(value)
		? value.filter((each): each is TomlTable => Object(each) === each && !Array.isArray(each))
		: [];
}

/** A copy without members that are null, and without ids of local state. */
function withMembers(table: TomlTable, members: Record<string, string | null>): TomlTable {
	const { preview_database_id: _database, preview_id: _namespace, ...kept } = table;
	const given = Object.entries(members).filter((entry): entry is [string, string] => entry[1] !== null);
	return { ...kept, ...Object.fromEntries(given) };
}

/**
 * Renders the config of a deployment, which stands in a folder below wrangler.toml.
 * @param wranglerToml the text of wrangler.toml, which names no deployment.
 */
export function renderDeploymentConfig(wranglerToml: string, ids: DeploymentIds): string {
	const config = parse(wranglerToml);
	const [database = {}] = tables(config, "d1_databases");
	const [namespace = {}] = tables(config, "kv_namespaces");
	const variables = Object(config["vars"]) as TomlTable;
	const isSet = typeof variables["LOG_ORIGIN"] === "string";
	const deployed: TomlTable = {
		...config,
		name: ids.name,
		main: `../${config["main"]}`,
		vars: { ...variables, ...(isSet || ids.logOrigin === null ? {} : { LOG_ORIGIN: ids.logOrigin }) },
		d1_databases: [
			withMembers(database, {
				database_name: ids.name,
				database_id: ids.databaseId,
				migrations_dir: `../${database["migrations_dir"]}`,
			}),
		],
		kv_namespaces: [withMembers(namespace, { id: ids.namespaceId })],
	};
	return `# Written by npm run deploy from wrangler.toml. Change that file, not this one.\n${stringify(deployed)}`;
}

/** The Worker's name in wrangler.toml, with the environment behind it, but for production. */
export function nameDeployment(wranglerToml: string, environment: string): string {
	const { name } = parse(wranglerToml);
	return environment === "production" ? String(name) : `${name}-${environment}`;
}

/** The variables under `[vars]` in wrangler.toml. */
export function readVariables(wranglerToml: string): Record<string, unknown> {
	return { ...Object(parse(wranglerToml)["vars"]) };
}

/** `LOG_ORIGIN` of a config that was rendered before; null without one. */
export function findLogOrigin(config: string): string | null {
	const { vars } = parse(config);
	const origin = Object(vars)["LOG_ORIGIN"];
	return typeof origin === "string" ? origin : null;
}
