// What every endpoint of the list owes. An endpoint joins by being in the list.
import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { ulid } from "ulid";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { generateApiKey } from "../../src/account/api-key.ts";
import { app } from "../../src/app.ts";
import { ENDPOINTS } from "../../src/endpoints.ts";
import { anthropicErrorSchema, type ErrorDialect, wrappedErrorSchema } from "../../src/http/dialects.ts";
import { type Access, type Endpoint, KEY_ROLES, type KeyRole, METHODS } from "../../src/http/endpoint.ts";
import { toJsonSchema } from "../../src/http/json-schema.ts";
import { RULE_NAMES } from "../../src/http/near-misses.ts";
import { TEST_METRICS_TOKEN, useMetricsToken } from "../support/collector.ts";
import { exampleRequest } from "../support/examples.ts";
import {
	anAddress,
	call,
	callWith,
	callWithKey,
	chat,
	inMeter,
	newKey,
	ORIGIN,
	operator,
	type TestKey,
	type Upstream,
	useSandbox,
} from "../support/service.ts";
import { TEST_ADMIN_TOKEN } from "../support/variables.ts";

/** A path with something in the place of each parameter. */
function anyPath({ path, query }: Endpoint): string {
	const { required = [] } = query ? Object(toJsonSchema(query, "input")) : {};
	const search = required.map((name: string) => `${name}=anything`).join("&");
	return `${path.replace(/\{\w+\}/g, "anything")}${search === "" ? "" : `?${search}`}`;
}

function send(
	{ method }: { method: string },
	path: string,
	authorization: string | null,
	body?: BodyInit,
	more: Record<string, string> = {},
): Promise<Response> {
	const headers = {
		"cf-connecting-ip": address,
		...more,
		"content-type": more["content-type"] ?? "application/json",
		...(authorization === null ? {} : { authorization }),
	};
	return call(path, { method, headers, ...(body === undefined ? {} : { body }) });
}

/**
 * Which keys an endpoint takes, where it is not owners' and agents'. Written down once more, so that nobody opens or closes one unseen:
 * what an approver's key may call stands here, and all else is closed to it.
 */
const ROLES_BY_ENDPOINT: Readonly<Record<string, readonly KeyRole[]>> = {
	create_key: ["owner"],
	change_key: ["owner"],
	rotate_key: ["owner"],
	delete_key: ["owner"],
	put_workspace_manifest: ["owner"],
	delete_workspace_manifest: ["owner"],
	create_brain_share: ["owner"],
	delete_brain_share: ["owner"],
	list_agent_runs: ["owner", "agent", "approver"],
	get_agent_run: ["owner", "agent", "approver"],
	get_agent_trajectory: ["owner", "agent", "approver"],
	get_agent_step: ["owner", "agent", "approver"],
	watch_agent_run: ["owner", "agent", "approver"],
	resolve_agent_run: ["owner", "agent", "approver"],
};

/** Where the body of an error has its code and its fields, by the dialect of the endpoint's errors. */
const ERROR_FORMS: Readonly<Record<ErrorDialect, (code: string, fields: object) => object>> = {
	svc: (error, fields) => ({ error, ...fields }),
	openai: (code, fields) => ({ error: { code, ...fields } }),
	anthropic: (code, fields) => ({ type: "error", error: { code, ...fields } }),
};

/** What the error of an endpoint says, in its dialect. */
function errorForm({ errorDialect = "svc" }: Endpoint, code: string, fields: object = {}): object {
	return ERROR_FORMS[errorDialect](code, fields);
}

/** What lets a request in, by access. A new access needs a guard in src/account/access-guards.edge.ts and a line here. */
const CREDENTIALS: Partial<Record<Access, (key: TestKey) => string | null>> = {
	public: () => null,
	key: ({ key }) => `Bearer ${key}`,
	operator: () => `Bearer ${TEST_ADMIN_TOKEN}`,
	metrics: () => `Bearer ${TEST_METRICS_TOKEN}`,
};

function credentialFor({ access }: Endpoint, key: TestKey): string | null {
	const credential = CREDENTIALS[access];
	if (!credential) throw new Error(`no test knows how to be let in by access ${access}`);
	return credential(key);
}

/** Methods that a path answers to, as `Allow` names them: HEAD follows GET. */
function allowedAt(path: string): string[] {
	return ENDPOINTS.filter((endpoint) => endpoint.path === path).flatMap(({ method }) =>
		method === "GET" ? ["GET", "HEAD"] : [method],
	);
}

/** The request that an endpoint's example shows, with its credential. */
async function sendExample(endpoint: Endpoint, more: Record<string, string> = {}, method = endpoint.method as string) {
	return sendExampleOf(key, key, endpoint, more, method);
}

/** The same request, prepared with one key of a user and sent with another. */
async function sendExampleOf(
	preparer: TestKey,
	sender: TestKey,
	endpoint: Endpoint,
	more: Record<string, string> = {},
	method: string = endpoint.method,
) {
	const { path, body } = await exampleRequest(endpoint, preparer);
	const sent = body === undefined ? undefined : JSON.stringify(body);
	return send({ ...endpoint, method }, path, credentialFor(endpoint, sender), sent, more);
}

/** A policy and a config with a misspelt member each, and the answer to them. */
const MISSPELT: Readonly<Record<string, { value: unknown; code: string; fields: object }>> = {
	compliance: {
		value: { provider_denylst: ["zai"] },
		code: "invalid_request",
		fields: {
			issues: [{ path: "compliance.provider_denylst", message: "unknown key; did you mean provider_denylist?" }],
		},
	},
	brain_config: {
		value: { maxCost: 1 },
		code: "invalid_brain_config",
		fields: { errors: ["maxCost: unknown key; did you mean max_cost?"] },
	},
};

/** The faults of a config are the answer of one of these, and the other shares it all the same. */
const REPORTS_CONFIG_FAULTS = new Set(["validate_brain_config", "create_brain_share"]);

let upstream: Upstream;
let key: TestKey;
let address: string;
let metricsToken: { restore(): void };
beforeEach(async () => {
	metricsToken = useMetricsToken();
	address = anAddress();
	upstream = useSandbox();
	key = await newKey("corporate");
});
afterEach(() => {
	upstream.restore();
	metricsToken.restore();
});

it("every endpoint has an id and a path of its own", () => {
	expect(new Set(ENDPOINTS.map(({ id }) => id)).size).toBe(ENDPOINTS.length);
	expect(new Set(ENDPOINTS.map(({ method, path }) => `${method} ${path}`)).size).toBe(ENDPOINTS.length);
	for (const { id, summary, path, method, body, conditional } of ENDPOINTS) {
		expect(summary.endsWith("."), id).toBe(true);
		expect(path, id).toMatch(/^(?:\/(?:[a-z0-9][a-z0-9._-]*|\{\w+\}))+$/);
		// A body of these means nothing (RFC 9110, sections 9.3.1 and 9.3.5), and only what is read can be unchanged.
		if (body) expect(["POST", "PUT", "PATCH"], id).toContain(method);
		if (conditional) expect(method, id).toBe("GET");
	}
});

it("the table of roles names endpoints that there are", () => {
	const ids = ENDPOINTS.map(({ id }) => id);
	expect(Object.keys(ROLES_BY_ENDPOINT).filter((id) => !ids.includes(id))).toEqual([]);
});

describe.each(ENDPOINTS.map((endpoint): [string, Endpoint] => [`${endpoint.method} ${endpoint.path}`, endpoint]))(
	"%s",
	(_, endpoint) => {
		it("answers as its schema says, under a request id", async () => {
			const response = await sendExample(endpoint);
			expect(response.status, await response.clone().text()).toBe(200);
			expect(response.headers.get("x-request-id")).toMatch(/^(?:svc-|agt_)[0-9A-Z]{26}$/);
			const { mediaType = "application/json" } = endpoint;
			expect(response.headers.get("content-type")?.split(";")[0]).toBe(mediaType);
			if (endpoint.cacheControl) expect(response.headers.get("cache-control")).toBe(endpoint.cacheControl);
			const parsed = endpoint.result.safeParse(
				mediaType === "application/json" ? await response.json() : await response.text(),
			);
			expect(parsed.error?.issues ?? []).toEqual([]);
			// What counts nothing has no count to tell of.
			if (endpoint.access === "key")
				expect(response.headers.get("x-ratelimit-limit-requests")).toBe(endpoint.admission === "none" ? null : "1000");
		});

		if (endpoint.access === "key")
			it.each(KEY_ROLES)("lets a key with the role %s in, or refuses it, as the table says", async (role) => {
				const made: TestKey = await (await callWithKey(key.key, "/v1/keys", { role })).json();
				const sender = { ...key, ...made };
				const isAllowed = (ROLES_BY_ENDPOINT[endpoint.id] ?? ["owner", "agent"]).includes(role);
				// An approver's key makes nothing that an example could name.
				const response = await sendExampleOf(isAllowed && role !== "approver" ? sender : key, sender, endpoint);
				const text = await response.text();
				if (isAllowed) expect(response.status, text).toBe(200);
				else {
					const forbidden = [403, errorForm(endpoint, "role_forbidden")];
					expect([response.status, JSON.parse(text)]).toMatchObject(forbidden);
					if (!endpoint.body) return;
					// Nothing is read of a body that comes with such a key.
					const unread = await send(endpoint, anyPath(endpoint), `Bearer ${sender.key}`, "{");
					expect([unread.status, await unread.json()]).toMatchObject(forbidden);
				}
			});

		it("answers 405 with Allow to every method it does not have", async () => {
			const allowed = allowedAt(endpoint.path);
			const others = [...METHODS, "HEAD"].filter((method) => !allowed.includes(method));
			for (const method of others) {
				const response = await call(anyPath(endpoint), { method });
				expect([response.status, response.headers.get("allow")], method).toEqual([405, allowed.join(", ")]);
				if (method !== "HEAD") expect(await response.json()).toMatchObject(errorForm(endpoint, "method_not_allowed"));
			}
		});

		if (endpoint.method === "GET")
			it("answers HEAD as GET, without the body", async () => {
				const response = await sendExample(endpoint, {}, "HEAD");
				expect([response.status, await response.text()]).toEqual([200, ""]);
				expect(response.headers.get("content-type")).toContain(endpoint.mediaType ?? "application/json");
			});

		if (endpoint.conditional)
			it("answers 304 to who has what it would send", async () => {
				const { path, body } = await exampleRequest(endpoint, key);
				const sent = body === undefined ? undefined : JSON.stringify(body);
				const again = (more: Record<string, string> = {}) =>
					send(endpoint, path, credentialFor(endpoint, key), sent, more);
				const etag = (await again()).headers.get("etag") ?? "";
				expect(etag).toMatch(endpoint.conditional === "weak" ? /^W\/".+"$/ : /^".+"$/);
				for (const tags of [etag, `"other", ${etag}`, `W/${etag.replace("W/", "")}`, "*"]) {
					const unchanged = await again({ "if-none-match": tags });
					expect([unchanged.status, await unchanged.text(), unchanged.headers.get("etag")]).toEqual([304, "", etag]);
					expect(unchanged.headers.get("cache-control")).toBe(endpoint.cacheControl ?? null);
					expect(unchanged.headers.get("access-control-allow-origin")).toBe("*");
				}
				expect((await again({ "if-none-match": '"other"' })).status).toBe(200);
			});

		if (endpoint.access !== "public")
			it("answers the wrapped 401 without a key, to a malformed, an unknown and a revoked one, before it reads a body", async () => {
				const revoked = await newKey("pro");
				expect((await operator("POST", `/internal/keys/${revoked.key_id}/revoke`)).status).toBe(200);
				const unknown = generateApiKey((count) => crypto.getRandomValues(new Uint8Array(count)));
				const wrong = [
					null,
					"",
					"Bearer",
					"Basic abc",
					"Bearer svc_sk_short",
					`Bearer ${key.key.slice(0, -1)}`,
					`Bearer ${unknown}`,
					`Bearer ${revoked.key}`,
					`Bearer ${"x".repeat(5_000)}`,
				];
				for (const authorization of wrong) {
					const response = await send(
						endpoint,
						anyPath(endpoint),
						authorization,
						endpoint.body ? "{not json" : undefined,
					);
					expect(response.status, String(authorization)).toBe(401);
					const body = await response.json();
					if (endpoint.errorDialect === "anthropic")
						expect(anthropicErrorSchema.parse(body)).toMatchObject(errorForm(endpoint, "invalid_api_key"));
					else expect(wrappedErrorSchema.parse(body).detail.error).toBe("invalid_api_key");
				}
			});

		// A protocol has errors of its own for these.
		if (endpoint.body && !endpoint.protocol)
			it("answers 400 to malformed JSON and 422 to a body that is none of its own", async () => {
				const credential = credentialFor(endpoint, key);
				for (const text of ["{", "\u0000", "{'a':1}", ...(endpoint.isBodyOptional ? [] : [""])]) {
					const response = await send(endpoint, anyPath(endpoint), credential, text);
					expect([response.status, await response.json()]).toMatchObject([400, errorForm(endpoint, "invalid_json")]);
				}
				for (const junk of ["[]", '"text"', "7", "null", "true", "[[[]]]"]) {
					const response = await send(endpoint, anyPath(endpoint), credential, junk);
					const issues = expect.arrayContaining([expect.anything()]);
					expect([response.status, await response.json()], junk).toMatchObject([
						422,
						errorForm(endpoint, "invalid_request", { issues }),
					]);
				}
			});

		if (endpoint.body)
			it("refuses a mistyped rule and suggests it, before it reads anything else of the body", async () => {
				const example = await exampleRequest(endpoint, key);
				const sentBefore = upstream.requests.length;
				for (const name of RULE_NAMES) {
					const body = JSON.stringify({ ...Object(example.body), [`${name}s`]: {} });
					const response = await send(endpoint, example.path ?? anyPath(endpoint), credentialFor(endpoint, key), body);
					const message = `is no member of any request; did you mean ${name}?`;
					expect([response.status, await response.json()]).toMatchObject(
						endpoint.protocol
							? [400, { error: { message: expect.stringContaining(message) } }]
							: [422, errorForm(endpoint, "invalid_request", { issues: [{ path: `${name}s`, message }] })],
					);
				}
				expect(upstream.requests).toHaveLength(sentBefore);
			});

		const members = endpoint.body ? Object.keys(Object(toJsonSchema(endpoint.body, "input")["properties"])) : [];
		const faults = Object.entries(MISSPELT).filter(([rule]) => members.includes(rule));
		if (faults.length > 0 && !REPORTS_CONFIG_FAULTS.has(endpoint.id))
			it("refuses a misspelt member of a policy or a config and suggests it", async () => {
				const example = await exampleRequest(endpoint, key);
				for (const [rule, { value, code, fields }] of faults) {
					const body = JSON.stringify({ ...Object(example.body), [rule]: value });
					const response = await send(endpoint, example.path ?? anyPath(endpoint), credentialFor(endpoint, key), body);
					expect([response.status, await response.json()], rule).toMatchObject([
						422,
						errorForm(endpoint, code, fields),
					]);
				}
			});

		if (endpoint.body)
			it("reads its body whatever content type the client names", async () => {
				for (const contentType of ["", "text/plain", "application/jsonl", "application/json, application/json"])
					expect((await sendExample(endpoint, { "content-type": contentType })).status, contentType).toBe(200);
			});

		if (endpoint.body)
			it("answers 413 to a body over its limit", async () => {
				const bytes = endpoint.bodyLimit === "chat" ? 16_777_217 : 2_097_153;
				const response = await send(
					endpoint,
					anyPath(endpoint),
					credentialFor(endpoint, key),
					new Uint8Array(bytes).fill(32),
				);
				expect(response.status).toBe(413);
				expect(await response.json()).toMatchObject(errorForm(endpoint, "request_too_large"));
			});
	},
);

describe("any other path", () => {
	it("is 404 not_found", async () => {
		for (const path of ["/v1", "/v1/nope", "/v3/chat/completions", "/v1/chat/completions/"]) {
			const response = await call(path);
			expect([response.status, await response.json()]).toMatchObject([404, { error: "not_found" }]);
		}
	});
});

describe("without ADMIN_TOKEN", () => {
	const none = { ADMIN_TOKEN: "" } as Partial<Env>;
	const operators = ENDPOINTS.filter(({ access }) => access === "operator");

	it.each(operators.map((endpoint): [string, Endpoint] => [endpoint.id, endpoint]))(
		"%s is an unknown path, whatever the method and the token",
		async (_, endpoint) => {
			const unknown = await (await callWith(none, "/v1/nope")).json();
			for (const method of [...METHODS, "HEAD"])
				for (const authorization of ["", `Bearer ${TEST_ADMIN_TOKEN}`, "Bearer null"]) {
					const response = await callWith(none, anyPath(endpoint), { method, headers: { authorization } });
					expect([response.status, response.headers.get("allow")], method).toEqual([404, null]);
					if (method !== "HEAD") expect(await response.json()).toEqual(unknown);
				}
		},
	);

	it("the OpenAPI document has none of their paths, and another ETag", async () => {
		const [whole, without] = await Promise.all([call("/openapi.json"), callWith(none, "/openapi.json")]);
		const paths = async (response: Response) => Object.keys(((await response.json()) as { paths: object }).paths);
		const internal = operators.map(({ path }) => path);
		expect(without.headers.get("etag")).not.toBe(whole.headers.get("etag"));
		expect(await paths(whole)).toEqual(expect.arrayContaining(internal));
		expect((await paths(without)).filter((path) => internal.includes(path as `/${string}`))).toEqual([]);
	});
});

describe("a public look-up of a receipt", () => {
	it("sees a receipt that has only just been settled", async () => {
		const id = (await chat(key.key, "hi")).headers.get("x-request-id");
		expect((await call(`/v1/proof/${id}`)).status).toBe(200);
	});

	it("is 404 for unknown and malformed ids", async () => {
		for (const id of [
			"svc-01ARZ3NDEKTSV4RRFFQ69G5FAV",
			"nope",
			"svc-",
			"%00",
			"svc-%F0%9F%98%80",
			"..%2F..",
			"a".repeat(5_000),
		]) {
			const response = await call(`/v1/proof/${id}`);
			expect([response.status, await response.json()], id).toMatchObject([404, { error: "proof_not_found" }]);
		}
	});

	it("waits for no receipt of an id from the future", async () => {
		const prepare = vi.spyOn(env.DB, "prepare");
		const lookUps = () => prepare.mock.calls.filter(([query]) => /stranded_settlements|"users"/.test(query)).length;
		const id = `svc-${ulid(Date.now() + 3_600_000)}`;
		const response = await app.fetch(new Request(`${ORIGIN}/v1/proof/${id}`), env, createExecutionContext());
		// The id leads to nobody; in one case of 256 it seems to, and D1 is asked to whom.
		expect(response.status).toBe(404);
		expect(lookUps()).toBeLessThanOrEqual(1);
		prepare.mockRestore();
	});

	it("finds a tampered receipt invalid", async () => {
		const id = (await chat(key.key, "hi")).headers.get("x-request-id") ?? "";
		await inMeter(key, (sql) => sql.exec("UPDATE requests SET outcome = 'cut' WHERE id = ?", id).toArray());
		expect(await (await call(`/v1/proof/${id}`)).json()).toMatchObject({ valid: false, signed: true });
	});
});

describe("a field that may stand for another", () => {
	it("is not called missing when something else is wrong", async () => {
		const response = await callWithKey(key.key, "/v1/route", { prompt: "hi", temperature: 99 });
		expect([response.status, await response.json()]).toMatchObject([422, { issues: [{ path: "temperature" }] }]);
		const missing = await callWithKey(key.key, "/v1/route", { prompt: " " });
		expect([missing.status, await missing.json()]).toMatchObject([400, { error: "no_messages" }]);
	});
});

describe("an error", () => {
	const LIBRARIES: Record<string, string>[] = [
		{ "x-stainless-lang": "js" },
		{ "user-agent": "ai/7.0 ai-sdk/openai-compatible/3.0" },
	];
	const ERRORS = [
		["/nope", "GET", 404, "not_found"],
		["/v1/plans", "PATCH", 405, "method_not_allowed"],
		["/v1/models/nope", "GET", 404, "model_not_found"],
		["/v1/usage", "GET", 401, "invalid_api_key"],
		["/v1/proof/pubkey?workspace_id=..", "GET", 422, "invalid_request"],
	] as const;

	it.each(ERRORS)("of %s (%s) is OpenAI's error object to its libraries, under the same status", async (...row) => {
		const [path, method, status, code] = row;
		for (const headers of LIBRARIES) {
			const response = await call(path, { method, headers });
			expect([response.status, await response.json()]).toMatchObject([status, { error: { code } }]);
		}
	});

	it.each(ERRORS)("of %s (%s) is for no cache", async (path, method) => {
		expect((await call(path, { method })).headers.get("cache-control")).toBe("no-store");
	});
});

describe("browsers", () => {
	it("may call from any origin and read the service's headers", async () => {
		const preflight = await call("/v1/chat/completions", {
			method: "OPTIONS",
			headers: {
				origin: "https://a.test",
				"access-control-request-method": "POST",
				"access-control-request-headers": "authorization",
			},
		});
		expect([
			preflight.status,
			preflight.headers.get("access-control-allow-origin"),
			preflight.headers.get("access-control-allow-headers"),
		]).toEqual([204, "*", "authorization"]);
		expect((await call("/v1/plans")).headers.get("access-control-expose-headers")).toContain("x-request-id");
	});
});

describe("a request with too many header bytes", () => {
	it("is 431", async () => {
		const response = await call("/v1/plans", { headers: { "x-long": "a".repeat(65_536) } });
		expect([response.status, await response.json()]).toMatchObject([431, { error: "headers_too_large" }]);
	});
});
