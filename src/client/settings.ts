// Where the service is and with which key: given, else from the environment, where there is one. Pure.

/** The variables that are read; all of them are optional. */
export type Variables = Readonly<Record<string, string | undefined>>;

export interface ConnectionOptions {
	/** Address of the service, with `/v1` or without. Default: `SVC_BASE_URL`, else `OPENAI_BASE_URL`, else the local service. */
	baseUrl?: string;
	/** A key that starts with `svc_sk_`. Default: `SVC_API_KEY`, else `OPENAI_API_KEY`. Public endpoints need none. */
	apiKey?: string | null;
}

/** A service with the key for it. */
export interface ServiceConnection {
	/** Without a version and without a slash at its end. */
	origin: string;
	apiKey: string | null;
}

const LOCAL_SERVICE = "http://127.0.0.1:8787";

/** An address without the version segment that OpenAI's clients need. @throws TypeError for text that is no http address. */
export function toServiceOrigin(baseUrl: string): string {
	const url = URL.canParse(baseUrl) ? new URL(baseUrl) : null;
	if (!url || !/^https?:$/.test(url.protocol))
		throw new TypeError(`${JSON.stringify(baseUrl)} is no http address of a service`);
	return `${url.origin}${url.pathname}`.replace(/\/+$/, "").replace(/\/v[12]$/, "");
}

/** The process's variables where there is a process; else none. */
export function environmentVariables(): Variables {
	const { process } = globalThis as { process?: { env?: Variables } };
	return process?.env ?? {};
}

/** The first text that is not empty. */
function firstText(...texts: (string | null | undefined)[]): string | null {
	return texts.find((text) => text) ?? null;
}

/** Options with their defaults from the variables. An empty variable counts as absent. */
export function toConnection({ baseUrl, apiKey }: ConnectionOptions, variables: Variables): ServiceConnection {
	const address = firstText(baseUrl, variables["SVC_BASE_URL"], variables["OPENAI_BASE_URL"], LOCAL_SERVICE);
	const key = apiKey === undefined ? firstText(variables["SVC_API_KEY"], variables["OPENAI_API_KEY"]) : apiKey;
	return { origin: toServiceOrigin(address ?? LOCAL_SERVICE), apiKey: key };
}
