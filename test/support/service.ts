// The service under test, through its front door, with the sandbox as its only upstream.
import { env, exports } from "cloudflare:workers";
import { vi } from "vitest";
import { breakers } from "../../src/chat/run.ts";
import { createSandbox } from "../../src/sandbox/app.ts";
import { SANDBOX_ORIGIN, TEST_ADMIN_TOKEN } from "./variables.ts";

export const ORIGIN = "https://svc.test";

export interface TestKey {
	user_id: string;
	key_id: string;
	plan: string;
	key: string;
}

/** A request to the service. */
export function call(path: string, init: RequestInit = {}): Promise<Response> {
	return exports.default.fetch(new Request(`${ORIGIN}${path}`, init));
}

/** A JSON request with a key; without a body it is a GET. */
export function callWithKey(key: string, path: string, body?: unknown): Promise<Response> {
	const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
	return call(path, body === undefined ? { headers } : { method: "POST", headers, body: JSON.stringify(body) });
}

export function operator(method: "GET" | "POST", path: string, body?: unknown): Promise<Response> {
	const headers = { authorization: `Bearer ${TEST_ADMIN_TOKEN}`, "content-type": "application/json" };
	return call(path, { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) });
}

let users = 0;

/** A key of a new user. */
export async function newKey(plan: string, user = `user-${++users}-${crypto.randomUUID()}`): Promise<TestKey> {
	const response = await operator("POST", "/internal/keys", { user, plan });
	if (response.status !== 200) throw new Error(`no key: ${response.status} ${await response.text()}`);
	return response.json();
}

/** A chat request in one user message. */
export function chat(key: string, content: string, more: Record<string, unknown> = {}): Promise<Response> {
	return callWithKey(key, "/v1/chat/completions", { messages: [{ role: "user", content }], ...more });
}

/** What went to the sandbox. */
export interface Upstream {
	/** Requests answered as a model would. */
	answered: number;
	/** Every request, parsed. */
	requests: { url: string; headers: Headers; body: Record<string, unknown> }[];
	restore(): void;
}

/** Sends the service's upstream calls to the sandbox in this isolate, or to `respond` where that answers. */
export function useSandbox(
	respond: (request: Request) => Promise<Response | undefined> = async () => undefined,
): Upstream {
	// What one test does to a provider is not held against it in the next.
	breakers.reset();
	const upstream: Upstream = { answered: 0, requests: [], restore: () => spy.mockRestore() };
	const sandbox = createSandbox(() => upstream.answered++);
	const spy = vi.spyOn(globalThis, "fetch").mockImplementation(async (input, init) => {
		const request = new Request(input as RequestInfo, init);
		if (!request.url.startsWith(SANDBOX_ORIGIN)) throw new Error(`a test must not call ${request.url}`);
		upstream.requests.push({ url: request.url, headers: request.headers, body: await request.clone().json() });
		const own = await respond(request.clone());
		if (own) return own;
		const path = request.url.slice(SANDBOX_ORIGIN.length);
		return sandbox.request(path, request);
	});
	return upstream;
}

/** Direct access to D1, for tests that look behind the front door. */
export const db = env.DB;

/** Waits until `check` holds; throws after five seconds. */
export async function eventually(check: () => Promise<boolean>): Promise<void> {
	for (let tries = 0; tries < 100; tries++) {
		if (await check()) return;
		await new Promise((resolve) => setTimeout(resolve, 50));
	}
	throw new Error("it did not happen within five seconds");
}
