// What a cloud's key is made of where it is more than one text: a service account of Google's, an application of Entra's, an access key
// of AWS's. What is asked with them is authorize.edge.ts's. Pure.
import * as z from "zod";
import { parseJson } from "../json.ts";
import type { Provider } from "./schema.ts";
import { CREDENTIAL_FORMS, type CredentialForm } from "./vocabulary.ts";

/** A service account: its JSON file, as Google's console makes it. */
export interface GoogleCredentials {
	form: "google";
	clientEmail: string;
	/** Named in the header of each assertion; null where the file has none. */
	privateKeyId: string | null;
	/** PKCS #8, DER in base64. */
	privateKey: string;
	/** Where an assertion is changed for a token. */
	tokenUri: string;
	/** Null where the file names none. */
	projectId: string | null;
}

/** An application of Entra's with a client secret. */
export interface EntraCredentials {
	form: "entra";
	clientId: string;
	clientSecret: string;
	/** What the token is for. */
	scope: string;
	tokenUri: string;
}

export interface AwsCredentials {
	form: "aws";
	accessKeyId: string;
	secretAccessKey: string;
	sessionToken: string | null;
}

export type Credentials = GoogleCredentials | EntraCredentials | AwsCredentials;

/** Stands in an address for the project of the key that a call is made with. */
export const PROJECT = "{project}";

const GOOGLE_TOKEN_URI = "https://oauth2.googleapis.com/token";
/** The one of the public cloud; others are at login.microsoftonline.us and login.partner.microsoftonline.cn. */
const ENTRA_AUTHORITY = "https://login.microsoftonline.com";

/** Azure OpenAI in the public cloud (learn.microsoft.com/azure/foundry/openai/supported-languages, read 2026-11-28). */
const ENTRA_SCOPE = "https://cognitiveservices.azure.com/.default";

const MAX_CHARS = 4_096;
const printable = z
	.string("is required, and a text")
	.max(MAX_CHARS, `must have at most ${MAX_CHARS} characters`)
	.regex(/^[\x21-\x7e]+$/, "must be ASCII characters without spaces");

/** `AlgorithmIdentifier` of an RSA key (RFC 8017, appendix A.1) as it stands in a PKCS #8 key. */
const RSA_OID = "06092a864886f70d010101";
const PEM = /^-----BEGIN PRIVATE KEY-----([A-Za-z0-9+/=\s]+)-----END PRIVATE KEY-----$/;
const OID_WITHIN_BYTES = 32;

/** The base64 in a PEM text; null where it is no RSA key in PKCS #8. */
function readPrivateKey(pem: string): string | null {
	// Variables are often written with the line breaks escaped once more.
	const base64 = PEM.exec(pem.replaceAll("\\n", "\n").trim())?.[1]?.replace(/\s/g, "");
	if (base64 === undefined) return null;
	try {
		const head = [...atob(base64).slice(0, OID_WITHIN_BYTES)].map((char) =>
			char.charCodeAt(0).toString(16).padStart(2, "0"),
		);
		return head.join("").includes(RSA_OID) ? base64 : null;
	} catch {
		return null;
	}
}

/** Google's own files have further members, which nothing here needs. */
const googleSchema = z
	.looseObject(
		{
			type: z.literal("service_account", "must be service_account").optional(),
			client_email: printable,
			private_key_id: printable.optional(),
			private_key: z.string("is required, and a text").transform((pem, check) => {
				const key = readPrivateKey(pem);
				if (key !== null) return key;
				check.addIssue({ code: "custom", message: "must be an RSA key in PKCS #8 (-----BEGIN PRIVATE KEY-----)" });
				return z.NEVER;
			}),
			token_uri: printable.default(GOOGLE_TOKEN_URI),
			project_id: z
				.string("must be a text")
				.regex(/^[a-z0-9][a-z0-9.:-]{0,127}$/, "must be the id of a project")
				.optional(),
		},
		"must be the JSON of a service account",
	)
	.transform(
		(account): GoogleCredentials => ({
			form: "google",
			clientEmail: account.client_email,
			privateKeyId: account.private_key_id ?? null,
			privateKey: account.private_key,
			tokenUri: account.token_uri,
			projectId: account.project_id ?? null,
		}),
	);

/** Neither a value nor a member is repeated: either may be the secret. */
const onlyMembers = (members: string) => ({
	error: ({ code }: { code: string }) =>
		code === "unrecognized_keys" ? `has a member other than ${members}` : `must be an object of ${members}`,
});

const entraSchema = z
	.strictObject(
		{
			tenant_id: z
				.string("is required, and a text")
				.regex(/^[A-Za-z0-9][A-Za-z0-9.-]{0,127}$/, "must be the id of a tenant, or its domain"),
			client_id: printable,
			client_secret: printable,
			authority: printable.default(ENTRA_AUTHORITY),
			scope: printable.default(ENTRA_SCOPE),
		},
		onlyMembers("tenant_id, client_id, client_secret, authority and scope"),
	)
	.transform(
		({ tenant_id, client_id, client_secret, authority, scope }): EntraCredentials => ({
			form: "entra",
			clientId: client_id,
			clientSecret: client_secret,
			scope,
			tokenUri: `${authority.replace(/\/+$/, "")}/${tenant_id}/oauth2/v2.0/token`,
		}),
	);

const awsSchema = z
	.strictObject(
		{ access_key_id: printable, secret_access_key: printable, session_token: printable.optional() },
		onlyMembers("access_key_id, secret_access_key and session_token"),
	)
	.transform(
		({ access_key_id, secret_access_key, session_token }): AwsCredentials => ({
			form: "aws",
			accessKeyId: access_key_id,
			secretAccessKey: secret_access_key,
			sessionToken: session_token ?? null,
		}),
	);

/** Credentials as they are written: an object, or its JSON as a text. Messages name members, never values. */
export const CREDENTIAL_SCHEMAS = {
	google: z.preprocess(readObject, googleSchema),
	entra: z.preprocess(readObject, entraSchema),
	aws: z.preprocess(readObject, awsSchema),
} as const satisfies Readonly<Record<CredentialForm, z.ZodType<Credentials>>>;

function readObject(written: unknown): unknown {
	return typeof written === "string" ? parseJson(written) : written;
}

/**
 * The variables by which a cloud's own tools take credentials, which all of its providers share: by the member that each holds, or one
 * that holds all.
 */
export const SHARED_VARIABLES: Readonly<Record<CredentialForm, string | Readonly<Record<string, string>>>> = {
	google: "GOOGLE_SERVICE_ACCOUNT",
	entra: {
		tenant_id: "AZURE_TENANT_ID",
		client_id: "AZURE_CLIENT_ID",
		client_secret: "AZURE_CLIENT_SECRET",
		authority: "AZURE_AUTHORITY_HOST",
	},
	aws: {
		access_key_id: "AWS_ACCESS_KEY_ID",
		secret_access_key: "AWS_SECRET_ACCESS_KEY",
		session_token: "AWS_SESSION_TOKEN",
	},
};

/** Names of the shared variables of a form. */
function sharedVariableNames(form: CredentialForm): string[] {
	const shared = SHARED_VARIABLES[form];
	return typeof shared === "string" ? [shared] : Object.values(shared);
}

/** The form of a provider's credentials; null for one that takes a plain key, or none. */
export function credentialForm({ auth }: Pick<Provider, "auth">): CredentialForm | null {
	return CREDENTIAL_FORMS.find((form) => form === auth) ?? null;
}

/** Names of the variables that may hold a plain key instead of credentials: an API key of Bedrock's. */
export function plainKeyNames({ auth, env_prefix }: Pick<Provider, "auth" | "env_prefix">): string[] {
	return auth === "aws" ? [`${env_prefix}_API_KEY`, "AWS_BEARER_TOKEN_BEDROCK"] : [];
}

/** Names of the variables that may hold a provider's key, its own first. */
export function keyVariableNames(provider: Pick<Provider, "auth" | "env_prefix" | "key_env_alternatives">): string[] {
	const { env_prefix, key_env_alternatives } = provider;
	const form = credentialForm(provider);
	if (form === null) return [`${env_prefix}_API_KEY`, ...key_env_alternatives];
	return [`${env_prefix}_CREDENTIALS`, ...sharedVariableNames(form), ...plainKeyNames(provider)];
}

/** What is wrong with the variables of one credential, each named; the credential where nothing is. */
export function parseSharedCredentials(
	form: CredentialForm,
	read: (variable: string) => string | undefined,
): { written?: unknown; faults: string[] } {
	const shared = SHARED_VARIABLES[form];
	if (typeof shared === "string") return { written: read(shared), faults: [] };
	const written = Object.fromEntries(
		Object.entries(shared).flatMap(([member, variable]) => {
			const value = read(variable);
			return value === undefined ? [] : [[member, value]];
		}),
	);
	// One that only says where tokens are asked for is no credential.
	const { authority: _, ...own } = written;
	if (Object.keys(own).length === 0) return { faults: [] };
	const { error } = CREDENTIAL_SCHEMAS[form].safeParse(written);
	const faults = (error?.issues ?? []).map(
		({ path: [member = ""], message }) => `${shared[String(member)]} ${message}`,
	);
	return faults.length > 0 ? { faults } : { written, faults };
}

/** Where a credential's tokens are asked for; null for one that is used without any. */
export function tokenAddress(credentials: Credentials): string | null {
	return credentials.form === "aws" ? null : credentials.tokenUri;
}
