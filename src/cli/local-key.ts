// The key of the local user, with which `.env.local` lets clients in.
import { readClientEnv, writeClientEnv } from "./local-env.ts";
import { createKey } from "./operator.ts";
import { readService } from "./read-service.ts";

const LOCAL_USER = "local";

/** A key for clients on this machine, and whether it was made just now. */
export interface LocalKey {
	key: string;
	isNew: boolean;
}

/** Takes the key in `.env.local` if the service knows it, else makes one, and writes it there beside the service's address. */
export async function renewClientEnv(
	serviceUrl: string,
	clientUrl: string,
	adminToken: string,
	envFile = ".env.local",
): Promise<LocalKey> {
	const local = await findOrMakeKey(serviceUrl, adminToken, readClientEnv(envFile).SVC_API_KEY);
	writeClientEnv({ SVC_BASE_URL: `${clientUrl}/v1`, SVC_API_KEY: local.key }, envFile);
	return local;
}

async function findOrMakeKey(serviceUrl: string, adminToken: string, known: string | undefined): Promise<LocalKey> {
	if (known) {
		const check = await readService(`${serviceUrl}/v1/usage`, { authorization: `Bearer ${known}` });
		if (check.status !== 401) return { key: known, isNew: false };
	}
	return { key: (await createKey(serviceUrl, adminToken, LOCAL_USER, "corporate")).key, isNew: true };
}
