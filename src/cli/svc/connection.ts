// Which service a command asks, and with which key: flag before environment before login. Pure.
import { type ServiceConnection, toServiceOrigin, type Variables } from "../../client/settings.ts";
import { UsageError } from "./failures.ts";
import type { Login } from "./login-file.ts";

export interface ChosenConnection extends ServiceConnection {
	/** Where the key is from, for messages. */
	keyFrom: "--key" | "SVC_API_KEY" | "OPENAI_API_KEY" | "login" | null;
}

const LOCAL_SERVICE = "http://127.0.0.1:8787";

/** Keys of this service begin so; a key of OpenAI's does not, and is never sent anywhere. */
const KEY_PREFIX = "svc_sk_";

/**
 * Chooses the connection. The key of a login is sent to the service of that login only, whatever the address is otherwise.
 * @throws UsageError for an address that is none.
 */
export function chooseConnection(
	flags: { url: string | undefined; key: string | undefined },
	variables: Variables,
	login: Login | null,
): ChosenConnection {
	const address = flags.url || variables["SVC_BASE_URL"] || variables["OPENAI_BASE_URL"] || login?.url || LOCAL_SERVICE;
	let origin: string;
	try {
		origin = toServiceOrigin(address);
	} catch (error) {
		throw new UsageError(error instanceof Error ? error.message : String(error));
	}
	if (flags.key) return { origin, apiKey: flags.key, keyFrom: "--key" };
	if (variables["SVC_API_KEY"]) return { origin, apiKey: variables["SVC_API_KEY"], keyFrom: "SVC_API_KEY" };
	if (variables["OPENAI_API_KEY"]?.startsWith(KEY_PREFIX))
		return { origin, apiKey: variables["OPENAI_API_KEY"], keyFrom: "OPENAI_API_KEY" };
	if (login && toServiceOrigin(login.url) === origin) return { origin, apiKey: login.key, keyFrom: "login" };
	return { origin, apiKey: null, keyFrom: null };
}
