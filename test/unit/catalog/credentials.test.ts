// Credentials of clouds: where they are read, what is wrong with them, and that no value is shown.
import { generateKeyPairSync } from "node:crypto";
import { describe, expect, it } from "vitest";
import { CATALOG } from "../../../src/catalog/shipped.ts";
import { extendCatalog } from "../../../src/operator-catalog/extend.ts";
import { parseSettings, SettingsError, settingNames } from "../../../src/settings.ts";
import { serviceAccount } from "../../support/service-account.ts";

const { catalog } = extendCatalog(
	CATALOG,
	{
		providers: [
			{ template: "vertex", region: "eu" },
			{ template: "vertex-claude", region: "us", project: "own" },
			{ id: "az", template: "azure-openai", resource: "acme", auth: "entra" },
		],
	},
	{ isLocal: false, hosts: new Set() },
);
const BASE = { KEY_PEPPER: "0123456789abcdef", PLATFORM: "cloudflare" };
const AZURE = { AZURE_TENANT_ID: "acme.example", AZURE_CLIENT_ID: "app", AZURE_CLIENT_SECRET: "s3cr3t" };
const accessOf = (env: Record<string, string>, id: string) =>
	parseSettings({ ...BASE, ...env }, catalog).providers.get(id);
function faultOf(env: Record<string, string>): string | null {
	try {
		parseSettings({ ...BASE, ...env }, catalog);
		return null;
	} catch (error) {
		if (error instanceof SettingsError) return error.message;
		throw error;
	}
}

describe("credentials", () => {
	it("are the cloud's own variables, for each of its providers that has none of its own", () => {
		const env = { GOOGLE_SERVICE_ACCOUNT: serviceAccount(), ...AZURE };
		const [eu, us, azure] = ["vertex-eu", "vertex-claude-us", "az"].map((id) => accessOf(env, id)?.keys[0]);
		expect(eu?.credentials).toMatchObject({ form: "google", clientEmail: "svc@acme-prod.iam.gserviceaccount.com" });
		expect([eu?.secret, eu?.mark]).toEqual(["", us?.mark]);
		expect(azure?.credentials).toEqual({
			form: "entra",
			clientId: "app",
			clientSecret: "s3cr3t",
			scope: "https://cognitiveservices.azure.com/.default",
			tokenUri: "https://login.microsoftonline.com/acme.example/oauth2/v2.0/token",
		});
		const own = serviceAccount({ client_email: "eu@acme.iam.gserviceaccount.com" });
		expect(accessOf({ ...env, VERTEX_EU_CREDENTIALS: own }, "vertex-eu")?.keys[0].credentials).toMatchObject({
			clientEmail: "eu@acme.iam.gserviceaccount.com",
		});
	});

	it("may be a list, whose keys have names, weights and marks", () => {
		const list = ["a", "b"].map((name, index) => ({
			name,
			key: JSON.parse(serviceAccount({ client_email: `${name}@acme.iam.gserviceaccount.com` })),
			weight: index + 1,
		}));
		const keys = accessOf({ VERTEX_EU_CREDENTIALS: JSON.stringify(list) }, "vertex-eu")?.keys ?? [];
		expect(keys.map(({ name, weight, place }) => [name, weight, place])).toEqual([
			["a", 1, "a"],
			["b", 2, "b"],
		]);
		expect(new Set(keys.map(({ mark }) => mark)).size).toBe(2);
		// As a text, as in a variable of its own.
		const asText = [{ key: serviceAccount() }];
		expect(accessOf({ VERTEX_EU_CREDENTIALS: JSON.stringify(asText) }, "vertex-eu")?.keys[0].name).toBe("key-1");
	});

	it("are not there where only the authority is, and then the provider is not", () => {
		expect(accessOf({ AZURE_AUTHORITY_HOST: "https://login.microsoftonline.us" }, "az")).toBeUndefined();
		expect(accessOf({}, "vertex-eu")).toBeUndefined();
	});

	it("are among the names of settings, each once", () => {
		const names = settingNames(catalog);
		expect(names.filter((name) => name === "GOOGLE_SERVICE_ACCOUNT")).toHaveLength(1);
		expect(names).toEqual(expect.arrayContaining(["VERTEX_EU_CREDENTIALS", "AZ_CREDENTIALS", ...Object.keys(AZURE)]));
	});

	it("take a key whose line breaks were escaped once more", () => {
		const escaped = serviceAccount({ private_key: JSON.parse(serviceAccount()).private_key.replaceAll("\n", "\\n") });
		expect(faultOf({ GOOGLE_SERVICE_ACCOUNT: escaped })).toBeNull();
	});
});

describe("what is wrong with credentials is said with the variable's name, and without a value", () => {
	const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2_048 });
	const pkcs1 = privateKey.export({ type: "pkcs1", format: "pem" });
	const ec = generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey.export({ type: "pkcs8", format: "pem" });
	const SA = "GOOGLE_SERVICE_ACCOUNT";

	it.each([
		[{ [SA]: "AIzaSecret" }, "GOOGLE_SERVICE_ACCOUNT must be the JSON of a service account"],
		[{ [SA]: '{"client_email": "a\nb' }, "GOOGLE_SERVICE_ACCOUNT must be the JSON of a service account"],
		[{ [SA]: serviceAccount({ type: "authorized_user" }) }, "GOOGLE_SERVICE_ACCOUNT.type must be service_account"],
		[
			{ [SA]: serviceAccount({ private_key: undefined }) },
			"GOOGLE_SERVICE_ACCOUNT.private_key is required, and a text",
		],
		[
			{ [SA]: serviceAccount({ private_key: pkcs1 }) },
			"GOOGLE_SERVICE_ACCOUNT.private_key must be an RSA key in PKCS #8 (-----BEGIN PRIVATE KEY-----)",
		],
		[
			{ [SA]: serviceAccount({ private_key: ec }) },
			"GOOGLE_SERVICE_ACCOUNT.private_key must be an RSA key in PKCS #8 (-----BEGIN PRIVATE KEY-----)",
		],
		[
			{ [SA]: serviceAccount({ token_uri: "https://169.254.169.254/token" }) },
			"GOOGLE_SERVICE_ACCOUNT: the address of its tokens is of this machine or a private network; UPSTREAM_HOSTS must list its host",
		],
		[
			{ [SA]: serviceAccount({ token_uri: "http://tokens.example.com" }) },
			"GOOGLE_SERVICE_ACCOUNT: the address of its tokens must be https, for UPSTREAM_HOSTS does not list its host",
		],
		[
			{ [SA]: serviceAccount({ project_id: undefined }) },
			"GOOGLE_SERVICE_ACCOUNT has no project_id, and the row of vertex-eu names no project",
		],
		[{ ...AZURE, AZURE_CLIENT_SECRET: "" }, "AZURE_CLIENT_SECRET is required, and a text"],
		[{ ...AZURE, AZURE_TENANT_ID: "a/../b" }, "AZURE_TENANT_ID must be the id of a tenant, or its domain"],
		[
			{ ...AZURE, AZURE_AUTHORITY_HOST: "http://10.0.0.1" },
			"AZURE_AUTHORITY_HOST: the address of its tokens is of this machine or a private network; UPSTREAM_HOSTS must list its host",
		],
		[
			{ AZ_CREDENTIALS: JSON.stringify({ tenant_id: "a", client_id: "b", client_secrt: "s3cr3t" }) },
			"AZ_CREDENTIALS.client_secret is required, and a text; AZ_CREDENTIALS has a member other than tenant_id, client_id, client_secret, authority and scope",
		],
		[{ AZ_CREDENTIALS: "[]" }, "AZ_CREDENTIALS must have at least one key"],
		[
			{
				VERTEX_EU_CREDENTIALS: JSON.stringify([
					{ key: JSON.parse(serviceAccount()) },
					{ key: JSON.parse(serviceAccount()) },
				]),
			},
			"VERTEX_EU_CREDENTIALS[1].key stands in the list already",
		],
	])("%#: %s", (env, message) => {
		expect(faultOf(env as Record<string, string>)).toBe(message);
	});

	it("only for a provider whose row names no project", () => {
		const { catalog: claudeOnly } = extendCatalog(
			CATALOG,
			{ providers: [{ template: "vertex-claude", region: "us", project: "own" }] },
			{ isLocal: false, hosts: new Set() },
		);
		const env = { ...BASE, GOOGLE_SERVICE_ACCOUNT: serviceAccount({ project_id: undefined }) };
		expect(parseSettings(env, claudeOnly).providers.has("vertex-claude-us")).toBe(true);
	});
});
