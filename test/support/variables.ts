// Settings of the service under test: a fixed signing key, and every provider sent to the sandbox.
import { CATALOG } from "../../src/catalog/shipped.ts";

export const TEST_SEED = "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60";
export const TEST_ADMIN_TOKEN = "test-admin-token-0123456789";

/** Host that tests route to the sandbox instead of the network. */
export const SANDBOX_ORIGIN = "http://sandbox.test";

const providers = CATALOG.providers.flatMap(({ id, env_prefix }) => [
	[`${env_prefix}_API_KEY`, "sandbox"],
	[`${env_prefix}_BASE_URL`, `${SANDBOX_ORIGIN}/${id}`],
]);

export const TEST_VARIABLES: Record<string, string> = {
	SIGNING_KEY: TEST_SEED,
	KEY_PEPPER: "test-pepper-0123456789",
	ADMIN_TOKEN: TEST_ADMIN_TOKEN,
	...Object.fromEntries(providers),
};
