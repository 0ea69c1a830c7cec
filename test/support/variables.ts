// Settings of the service under test: a fixed signing key, and every provider sent to the sandbox.
import type { Catalog } from "../../src/catalog/catalog.ts";
import { CATALOG } from "../../src/catalog/shipped.ts";
import { SANDBOX_AWS_KEY, SANDBOX_KEY } from "../../src/providers/sandbox-stage.ts";
import { BEDROCK_CATALOG } from "./bedrock-rows.ts";

export const TEST_SEED = "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60";
export const TEST_ADMIN_TOKEN = "test-admin-token-0123456789";

/** Host that tests route to the sandbox instead of the network. */
export const SANDBOX_ORIGIN = "http://sandbox.test";

/** The wait before each of the three further tries of a run's step. The shipped waits are five seconds together. */
export const TEST_RETRY_WAIT_MS = 250;

/** The only host that webhooks may name. */
export const TEST_WEBHOOK_HOST = "hooks.example.com";

/** How long texts of requests are kept, of keys that want them kept. */
export const TEST_LOG_TEXTS_DAYS = 30;

/** A key for every provider of a catalog, and the sandbox as its address. */
function providerVariables({ providers }: Catalog): Record<string, string> {
	return Object.fromEntries(
		providers.flatMap(({ id, env_prefix, auth }) => [
			auth === "aws"
				? [`${env_prefix}_CREDENTIALS`, JSON.stringify(SANDBOX_AWS_KEY)]
				: [`${env_prefix}_API_KEY`, SANDBOX_KEY],
			[`${env_prefix}_BASE_URL`, `${SANDBOX_ORIGIN}/${id}`],
			[`${env_prefix}_FACTS`, "provider"],
		]),
	);
}

/** Settings under which every model of a catalog is available. */
export function variablesFor(catalog: Catalog): Record<string, string> {
	return {
		SIGNING_KEY: TEST_SEED,
		KEY_PEPPER: "test-pepper-0123456789",
		ADMIN_TOKEN: TEST_ADMIN_TOKEN,
		WEBHOOK_HOSTS: TEST_WEBHOOK_HOST,
		// Texts are kept of keys that want it, and no key does by itself.
		LOG_TEXTS: String(TEST_LOG_TEXTS_DAYS),
		UPSTREAM_HOSTS: new URL(SANDBOX_ORIGIN).host,
		STEP_RETRY_WAITS_MS: Array(3).fill(TEST_RETRY_WAIT_MS).join(),
		// Of the provider that contract tests add (operator-catalog.ts).
		OWN_SERVER_API_KEY: SANDBOX_KEY,
		OWN_SERVER_BASE_URL: `${SANDBOX_ORIGIN}/own-server`,
		...providerVariables({ ...catalog, providers: [...BEDROCK_CATALOG.providers, ...catalog.providers] }),
	};
}

export const TEST_VARIABLES = variablesFor(CATALOG);
