// Calls the operator endpoints of a running service. Never opens its database.
import { ensureDevVars, readClientEnv } from "./local-env.ts";

/** What is wrong with a member of a request, as the service says it. */
export interface RequestIssue {
	/** Members and indices with dots between them. */
	path: string;
	message: string;
}

/** A failure whose message is all that the command line prints. */
export class OperatorError extends Error {
	override name = "OperatorError";
	/** Of a request that the service refused. */
	readonly issues: readonly RequestIssue[];

	constructor(message: string, issues: readonly RequestIssue[] = []) {
		super(message);
		this.issues = issues;
	}
}

export const DEFAULT_PORT = 8787;
const LOOPBACK_HOSTS = ["127.0.0.1", "localhost", "[::1]"];

/**
 * Where the service of this checkout answers: at PORT, else where `npm start` last wrote to `.env.local` that it does, else at the
 * default port. Never on another machine, which would be sent the local token.
 */
export function localServiceUrl(envFile = ".env.local"): string {
	const port = process.env["PORT"];
	if (port) return `http://127.0.0.1:${port}`;
	const written = readClientEnv(envFile).SVC_BASE_URL ?? "";
	const url = URL.canParse(written) ? new URL(written) : null;
	return url && LOOPBACK_HOSTS.includes(url.hostname) ? url.origin : `http://127.0.0.1:${DEFAULT_PORT}`;
}

/** The operator's token. A deployment's must be in the environment; the local one may come from `.dev.vars`. */
export function adminTokenFor(deploymentUrl: string | undefined): string {
	const local = () => (deploymentUrl === undefined ? ensureDevVars()["ADMIN_TOKEN"] : undefined);
	const token = process.env["ADMIN_TOKEN"] ?? local();
	if (!token) throw new OperatorError("ADMIN_TOKEN is not set; a deployment's token must be in the environment");
	return token;
}

export interface CreatedKey {
	user_id: string;
	key_id: string;
	plan: string;
	key: string;
}

interface OperatorPage<T> {
	data: T[];
	/** `after` of the next page; null on the last one. */
	next: string | null;
}

/** Calls an operator endpoint and returns its parsed body. */
export async function callOperator(
	serviceUrl: string,
	adminToken: string,
	method: "GET" | "POST" | "PUT" | "PATCH",
	path: string,
	body?: unknown,
): Promise<unknown> {
	let response: Response;
	try {
		response = await fetch(new URL(path, serviceUrl), {
			method,
			headers: {
				authorization: `Bearer ${adminToken}`,
				...(body === undefined ? {} : { "content-type": "application/json" }),
			},
			...(body === undefined ? {} : { body: JSON.stringify(body) }),
		});
	} catch (error) {
		const { code } = (error as { cause?: { code?: string } }).cause ?? {};
		throw new OperatorError(
			`no service answers at ${serviceUrl}${code ? ` (${code})` : ""}; start it with "npm start", or name a deployment with --url`,
		);
	}
	const answer = (await response.json().catch(() => ({}))) as {
		message?: string;
		issues?: RequestIssue[];
		detail?: { message?: string };
	};
	if (response.ok) return answer;
	if (response.status === 404 && ["/internal/keys", "/internal/catalog"].includes(path)) {
		throw new OperatorError(
			`${serviceUrl} has no operator endpoints; set its ADMIN_TOKEN (wrangler secret put ADMIN_TOKEN)`,
		);
	}
	throw new OperatorError(
		`${serviceUrl} answered ${response.status}: ${answer.detail?.message ?? answer.message ?? "no message"}`,
		answer.issues,
	);
}

/** Goes through the pages of an operator endpoint, from the first to the one without `next`. */
export async function* operatorPages<T>(
	serviceUrl: string,
	adminToken: string,
	path: string,
	query: Record<string, string> = {},
): AsyncGenerator<T[]> {
	for (let after: string | null = ""; after !== null; ) {
		const search = new URLSearchParams({ after, ...query });
		const page = (await callOperator(serviceUrl, adminToken, "GET", `${path}?${search}`)) as OperatorPage<T>;
		yield page.data;
		after = page.next;
	}
}

/** Creates a user, if new, and a key. */
export async function createKey(
	serviceUrl: string,
	adminToken: string,
	user: string,
	plan: string,
): Promise<CreatedKey> {
	return (await callOperator(serviceUrl, adminToken, "POST", "/internal/keys", { user, plan })) as CreatedKey;
}
