// A service account as Google's console makes it, with a key of the tests' own.
import { generateKeyPairSync } from "node:crypto";

const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2_048 });

/** The public half of the accounts' key. */
export const ACCOUNT_PUBLIC_KEY = publicKey;

/** The JSON of an account. @param more members that are other than usual. */
export function serviceAccount(more: Readonly<Record<string, unknown>> = {}): string {
	return JSON.stringify({
		type: "service_account",
		project_id: "acme-prod",
		private_key_id: "k1",
		private_key: privateKey.export({ type: "pkcs8", format: "pem" }),
		client_email: "svc@acme-prod.iam.gserviceaccount.com",
		client_id: "1",
		auth_uri: "https://accounts.google.com/o/oauth2/auth",
		token_uri: "https://oauth2.googleapis.com/token",
		universe_domain: "googleapis.com",
		...more,
	});
}
