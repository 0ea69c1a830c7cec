// Generated input for every operation of the OpenAPI document: never a 500, never a hang, answers as documented.
// The environment variables SEED and CASES choose other cases and how many; a failure prints its seed and the smallest request that fails.
import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, inject, it, vi } from "vitest";
import { app } from "../../src/app.ts";
import { ENDPOINTS } from "../../src/endpoints.ts";
import { openapiDocument } from "../../src/http/openapi.ts";
import { storeCatalog } from "../../src/load-settings.edge.ts";
import { RECORDED_EXAMPLES } from "../../src/site/examples.ts";
import { TEST_METRICS_TOKEN, useMetricsToken } from "../support/collector.ts";
import { exampleRequest, makeIds } from "../support/examples.ts";
import {
	type GeneratedRequest,
	type Operation,
	operationsOf,
	requestsTo,
	weightOf,
} from "../support/generate-request.ts";
import { Documented, type ReadAnswer } from "../support/generate-verdict.ts";
import { hintsFor } from "../support/hints.ts";
import { OPERATOR_CATALOG } from "../support/operator-catalog.ts";
import { newKey, ORIGIN, type TestKey, type Upstream, useSandbox } from "../support/service.ts";
import { TEST_ADMIN_TOKEN } from "../support/variables.ts";

const seed = inject("seed");
const cases = inject("cases");

/** No request takes this long unless it hangs. */
const HANG_MS = 20_000;
const AFTERWARDS_MS = 500;
/** A user's limit is 1,000 a minute; no user gets that far. */
const REQUESTS_PER_KEY = 900;
/** An address that guesses more than 100 ids in ten seconds is refused. */
const GUESSES_PER_ADDRESS = 90;

/**
 * Asks the Worker itself: a request through the loopback binding takes longer the more of them a test has made
 * (1 ms the first, 20 ms the four-hundredth), which thousands of them cannot afford.
 */
async function ask(
	method: string,
	{ target, headers, body }: GeneratedRequest,
	more: HeadersInit,
): Promise<ReadAnswer> {
	const request = new Request(`${ORIGIN}${target}`, { method, headers: { ...headers, ...more }, body });
	const execution = createExecutionContext();
	const response = await app.fetch(request, env, execution);
	const text = await response.text();
	// Counts of failures that are alike are sent much later; what else goes on after an answer is over by then.
	await Promise.race([waitOnExecutionContext(execution), new Promise((resolve) => setTimeout(resolve, AFTERWARDS_MS))]);
	return { status: response.status, headers: response.headers, text };
}

async function orHang<T>(work: Promise<T>): Promise<T> {
	let timer: ReturnType<typeof setTimeout> | undefined;
	const hang = new Promise<never>((_, reject) => {
		timer = setTimeout(() => reject(new Error("hangs")), HANG_MS);
	});
	try {
		return await Promise.race([work, hang]);
	} finally {
		clearTimeout(timer);
	}
}

let sent = 0;
let key: TestKey;

/** What a request needs besides what is generated: a caller whose limits are not reached. */
async function credentials({ security }: Operation): Promise<Record<string, string>> {
	if (sent++ % REQUESTS_PER_KEY === 0) key = await newKey("corporate");
	const address = { "cf-connecting-ip": `2001:db8::${Math.floor(sent / GUESSES_PER_ADDRESS).toString(16)}` };
	if (security.some((scheme) => "apiKey" in scheme)) return { ...address, authorization: `Bearer ${key.key}` };
	if (security.some((scheme) => "adminToken" in scheme))
		return { ...address, authorization: `Bearer ${TEST_ADMIN_TOKEN}` };
	if (security.some((scheme) => "metricsToken" in scheme))
		return { ...address, authorization: `Bearer ${TEST_METRICS_TOKEN}` };
	return address;
}

// Tests are named before the service can be asked; that its answer is the same document is the first of them.
const expected = operationsOf(openapiDocument(ENDPOINTS, RECORDED_EXAMPLES));
const totalWeight = expected.reduce((sum, operation) => sum + weightOf(operation), 0);

let upstream: Upstream;
let document: Record<string, unknown>;
let documented: Documented;
const errors: string[] = [];

let metricsToken: { restore(): void };

beforeAll(async () => {
	metricsToken = useMetricsToken();
	upstream = useSandbox();
	await storeCatalog(env, JSON.stringify(OPERATOR_CATALOG));
	vi.spyOn(console, "log").mockImplementation(() => undefined);
	vi.spyOn(console, "error").mockImplementation((line) => errors.push(String(line)));
	const answer = await ask("GET", { target: "/openapi.json", headers: {}, body: null }, {});
	document = JSON.parse(answer.text);
	documented = new Documented(document);
});
afterAll(() => {
	metricsToken.restore();
	upstream.restore();
	vi.restoreAllMocks();
});

it("the document that is served has the operations tested here", () => {
	expect(operationsOf(document)).toEqual(expected);
});

/** Sends one generated request and says what is wrong with its answer. */
async function complaintsAbout(operation: Operation, request: GeneratedRequest): Promise<[number, string[]]> {
	errors.length = 0;
	const answer = await orHang(ask(operation.method, request, await credentials(operation)));
	const complaints = documented.complaints(operation, answer);
	if (answer.status < 300 && typeof request.body === "string")
		complaints.push(...documented.bodyComplaints(operation, request.body));
	complaints.push(...errors.map((line) => `logged ${line}`));
	return [answer.status, complaints];
}

describe.each(expected.map((operation): [string, Operation] => [operation.operationId, operation]))(
	"%s",
	(id, operation) => {
		const numRuns = Math.max(20, Math.round((cases * weightOf(operation)) / totalWeight));

		it(`answers ${numRuns} generated requests as documented`, { timeout: 600_000 }, async () => {
			// What the example makes is there for its key, with which the first requests are sent.
			key = await newKey("corporate");
			sent += REQUESTS_PER_KEY - (sent % REQUESTS_PER_KEY) + 1;
			const endpoint = ENDPOINTS.find((each) => each.id === id);
			if (!endpoint) throw new Error(`there is no endpoint ${id}`);
			const { path, body } = await exampleRequest(endpoint, key);
			const requests = requestsTo(operation, {
				document,
				path,
				body,
				headers: {},
				hints: hintsFor(id, await makeIds(endpoint, key)),
			});
			const statuses = new Map<number, number>();
			const property = fc.asyncProperty(requests, async (request) => {
				const [status, complaints] = await complaintsAbout(operation, request);
				statuses.set(status, (statuses.get(status) ?? 0) + 1);
				expect(complaints).toEqual([]);
			});
			await fc.assert(property, {
				seed,
				numRuns,
				interruptAfterTimeLimit: 300_000,
				markInterruptAsFailure: true,
			});
			// Requests that are all refused at the door would show nothing of what is behind it.
			expect([...statuses.keys()].some((status) => status < 300)).toBe(true);
			if (operation.requestBody) expect([...statuses.keys()].some((status) => status >= 400)).toBe(true);
		});
	},
);
