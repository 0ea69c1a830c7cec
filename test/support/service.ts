// The service under test, through its front door, with the sandbox as its only upstream.
import { createExecutionContext, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { ulid } from "ulid";
import { vi } from "vitest";
import { upsertUser } from "../../src/account/accounts.store.ts";
import { apiKeyDigest, generateApiKey } from "../../src/account/api-key.ts";
import { app } from "../../src/app.ts";
import { planIdSchema } from "../../src/catalog/plans.ts";
import { database } from "../../src/db/client.edge.ts";
import { type MeterClient, meterClient } from "../../src/meter/meter-client.edge.ts";
import { isBilled, type SettlementDetail } from "../../src/meter/request-page.ts";
import { findDaySums } from "../../src/meter/usage-days.store.ts";
import { UsageTotals } from "../../src/meter/usage-totals.ts";
import { health } from "../../src/providers/isolate-health.edge.ts";
import { createSandbox } from "../../src/sandbox/app.ts";
import { cachedSettings } from "../../src/settings.ts";
import { findSumDisagreements } from "../../src/usage/account-check.ts";
import { type FaultPlan, faultyUpstream, passAll } from "./faults.ts";
import { SANDBOX_ORIGIN, TEST_ADMIN_TOKEN } from "./variables.ts";

export const ORIGIN = "https://svc.test";

export interface TestKey {
	user_id: string;
	key_id: string;
	plan: string;
	key: string;
}

/**
 * A request to the service. It goes to the app in this isolate: the runner's loopback (`exports.default.fetch`) does the
 * same and takes longer with each call, up to a tenth of a second after some hundreds.
 */
export async function call(path: string, init: RequestInit = {}): Promise<Response> {
	return app.fetch(new Request(`${ORIGIN}${path}`, init), env, createExecutionContext());
}

/** An address that nobody else calls from: what is limited by address is not limited by what other tests did. */
export function anAddress(): string {
	return `2001:db8:${crypto.randomUUID().slice(0, 4)}:${crypto.randomUUID().slice(0, 4)}::1`;
}

/** A request to the service with bindings of the test's own in place of some of the real ones. */
export async function callWith(bindings: Partial<Env>, path: string, init: RequestInit = {}): Promise<Response> {
	return app.fetch(new Request(`${ORIGIN}${path}`, init), { ...env, ...bindings }, createExecutionContext());
}

/** A JSON request with a key; without a body it is a GET. */
export function callWithKey(key: string, path: string, body?: unknown): Promise<Response> {
	return call(path, withKey(key, body));
}

/** What `fetch` takes for a JSON request with a key; without a body it is a GET. */
export function withKey(key: string, body?: unknown): RequestInit {
	const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
	return body === undefined ? { headers } : { method: "POST", headers, body: JSON.stringify(body) };
}

export function operator(method: "GET" | "POST" | "DELETE", path: string, body?: unknown): Promise<Response> {
	const headers = { authorization: `Bearer ${TEST_ADMIN_TOKEN}`, "content-type": "application/json" };
	return call(path, { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) });
}

/** A key of a user of this name, made by the operator; of a new user with an empty audit log where no name is given. */
export async function newKey(plan: string, user?: string): Promise<TestKey> {
	if (user === undefined) return newUnrecordedKey(plan);
	const response = await operator("POST", "/internal/keys", { user, plan });
	if (response.status !== 200) throw new Error(`no key: ${response.status} ${await response.text()}`);
	return response.json();
}

/** A key of a new user that nobody has recorded. @param user_id to be named where what a test sees depends on it. */
export async function newUnrecordedKey(plan: string, user_id = `usr_${ulid()}`): Promise<TestKey> {
	const key = generateApiKey((count) => crypto.getRandomValues(new Uint8Array(count)));
	const [key_id, createdAt] = [`key_${ulid()}`, new Date().toISOString()];
	await upsertUser(database(env.DB), { id: user_id, name: user_id, plan: planIdSchema.parse(plan), createdAt });
	await db
		.prepare("INSERT INTO api_keys (id, user_id, digest, last4, created_at) VALUES (?, ?, ?, ?, ?)")
		.bind(key_id, user_id, apiKeyDigest(cachedSettings(env).keyPepper, key), key.slice(-4), createdAt)
		.run();
	return { user_id, key_id, plan, key };
}

/** A chat request in one user message. */
export function chat(key: string, content: string, more: Record<string, unknown> = {}): Promise<Response> {
	return callWithKey(key, "/v1/chat/completions", { messages: [{ role: "user", content }], ...more });
}

/** The same request with bindings of the test's own. */
export function chatWith(bindings: Partial<Env>, key: string, content: string): Promise<Response> {
	const body = { messages: [{ role: "user", content }] };
	return callWith(bindings, "/v1/chat/completions", withKey(key, body));
}

/** What `GET /v1/usage` says, as far as tests look at it. */
export interface UsageReport {
	limits: { daily_requests_used: number };
	total_requests: number;
	total_tokens: number;
	total_cost_usd: number;
	by_model: Record<string, NamedTotals>;
	by_provider: Record<string, NamedTotals>;
	by_mode: Record<string, NamedTotals>;
	recent: { request_id: string; model: string; provider: string; mode: string; tokens: number; cost_usd: number }[];
	open: { request_id: string; kind: string; spent_usd: number; held_usd: number; bound_usd: number }[];
	held_usd: number;
}

interface NamedTotals {
	requests: number;
	tokens: number;
	cost_usd: number;
}

/** A body that must have come with status 200. */
async function jsonOf<T>(response: Response): Promise<T> {
	if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`);
	return response.json();
}

/** The usage of a key's user. */
export async function usageOf({ key }: TestKey): Promise<UsageReport> {
	return jsonOf(await callWithKey(key, "/v1/usage"));
}

/** What `GET /v1/proof/{id}` says. */
export interface Proof {
	valid: boolean;
	signed: boolean;
	proof_hash: string;
	signature: string;
	receipt: Record<string, unknown>;
}

/** The receipt of a request with what makes it one; throws when there is none. */
export async function proofOf(id: string): Promise<Proof> {
	return jsonOf(await call(`/v1/proof/${id}`));
}

/** The receipt of a request; throws when there is none, or none that holds. */
export async function receiptOf(id: string): Promise<Record<string, unknown>> {
	const { valid, receipt } = await proofOf(id);
	if (!valid) throw new Error(`the receipt of ${id} is not valid`);
	return receipt;
}

/** The salt of the hashes in a request's receipt, as its owner reads it. */
export async function saltOf({ key }: TestKey, id: string): Promise<string> {
	const { salt } = await jsonOf<{ salt: string }>(await callWithKey(key, `/v1/requests/${id}`));
	return salt;
}

/** The meter of a key's user, past the front door. */
export function meterOf({ user_id }: Pick<TestKey, "user_id">): MeterClient {
	return meterClient(env.ACCOUNT_METER, user_id, env.REQUEST_ARCHIVE);
}

/** Looks into the tables of a user's meter, or changes them behind its back. */
export function inMeter<T>({ user_id }: Pick<TestKey, "user_id">, work: (sql: SqlStorage) => T): Promise<T> {
	const stub = env.ACCOUNT_METER.getByName(user_id) as unknown as DurableObjectStub<undefined>;
	return runInDurableObject(stub, (_, { storage }) => work(storage.sql));
}

/** Runs the alarm of a user's meter. */
export function meterAlarm({ user_id }: Pick<TestKey, "user_id">): Promise<boolean> {
	return runDurableObjectAlarm(env.ACCOUNT_METER.getByName(user_id) as unknown as DurableObjectStub<undefined>);
}

/** All settled requests of a user, newest first. */
export async function settledRequests(key: Pick<TestKey, "user_id">): Promise<SettlementDetail[]> {
	const { entries } = await meterOf(key).requestPage({ filter: { isBilled: true }, after: null, limit: 1_000 });
	const details = await Promise.all(entries.map(({ request_id }) => meterOf(key).request(request_id)));
	return details.flatMap((detail) => {
		if (!detail || detail === "open" || !("request" in detail)) return [];
		const { request, calls } = detail;
		return isBilled(request) ? { request, calls } : [];
	});
}

/** How many settled requests a user's meter has. */
export async function settledCount(key: Pick<TestKey, "user_id">): Promise<number> {
	const { totals } = await meterOf(key).snapshot("free");
	return new UsageTotals(totals).total().requests;
}

/** How many requests of a user stand in D1's sums. */
export async function requestsInD1({ user_id }: Pick<TestKey, "user_id">): Promise<number> {
	const sum = db.prepare("SELECT coalesce(sum(requests), 0) AS n FROM usage_days WHERE user_id = ?").bind(user_id);
	return (await sum.first<number>("n")) ?? 0;
}

/** How many sums of a user D1 has otherwise than the meter, or not at all. */
export async function sumsUnlikeD1({ user_id }: Pick<TestKey, "user_id">): Promise<number> {
	const meter = meterOf({ user_id });
	const days = await meter.daysAfter("", 1_000);
	const unlike = await Promise.all(
		days.map(async (day) => {
			const { sums, rows } = await meter.checkDay(day);
			return findSumDisagreements(sums, rows ?? sums, await findDaySums(database(env.DB), user_id, day)).length;
		}),
	);
	return unlike.reduce((sum, count) => sum + count, 0);
}

/** What went to the sandbox. */
export interface Upstream {
	/** Requests answered as a model would. */
	answered: number;
	/** Every request that the service sent, parsed, in order. */
	requests: UpstreamCall[];
	restore(): void;
}

export interface UpstreamCall {
	url: string;
	headers: Headers;
	body: Record<string, unknown>;
	/** Null as long as there is no answer, and for ever when it was lost. */
	status: number | null;
}

/**
 * Sends the service's upstream calls to the sandbox in this isolate, or to `respond` where that answers.
 * @param plan faults on the way there and back.
 */
export function useSandbox(
	respond: (request: Request) => Promise<Response | undefined> = async () => undefined,
	plan: FaultPlan = passAll,
): Upstream {
	// What one test does to a provider is not held against it in the next.
	health.reset();
	const upstream: Upstream = { answered: 0, requests: [], restore: () => spy.mockRestore() };
	const sandbox = createSandbox(() => upstream.answered++);
	const answer = faultyUpstream(async (request) => {
		const own = await respond(request.clone());
		return own ?? sandbox.fetch(request);
	}, plan);
	const spy = vi.spyOn(globalThis, "fetch").mockImplementation(async (input, init) => {
		const request = new Request(input as RequestInfo, init);
		if (!request.url.startsWith(SANDBOX_ORIGIN)) throw new Error(`a test must not call ${request.url}`);
		const { url, headers } = request;
		const text = new TextDecoder().decode(await request.clone().arrayBuffer());
		// A token is asked for by a form.
		const isForm = headers.get("content-type") === "application/x-www-form-urlencoded";
		const body = isForm ? Object.fromEntries(new URLSearchParams(text)) : JSON.parse(text);
		const sent: UpstreamCall = { url, headers, body, status: null };
		upstream.requests.push(sent);
		const response = await answer(request);
		sent.status = response.status;
		return response;
	});
	return upstream;
}

/** Direct access to D1, for tests that look behind the front door. */
export const db = env.DB;

/** Waits until `check` holds; throws after twenty seconds and more: a busy machine is slow. */
export async function eventually(check: () => Promise<boolean>): Promise<void> {
	for (let tries = 0; tries < 400; tries++) {
		if (await check()) return;
		await new Promise((resolve) => setTimeout(resolve, 50));
	}
	throw new Error("it did not happen within twenty seconds");
}
