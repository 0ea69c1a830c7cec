// Providers of clouds on the front door: tokens, addresses, bodies, refusals in their dialects, and where prompts may go.
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { accessTokens } from "../../src/providers/access-tokens.edge.ts";
import { useService } from "../support/per-test.ts";
import { callWith, eventually, usageOf, withKey } from "../support/service.ts";
import { SANDBOX_ORIGIN } from "../support/variables.ts";

const { upstream, key: owner } = useService("corporate");

type Json = Record<string, unknown>;

const prices = { input: 1, output: 5 };
const CATALOG = {
	providers: [
		{ template: "vertex", region: "eu" },
		{ template: "vertex", region: "us-central1" },
		{ template: "vertex-claude", region: "global" },
		{ template: "azure-openai", resource: "acme", region: "eu" },
		{ id: "az-old", template: "azure-openai-deployments", resource: "acme", auth: "entra" },
		// At its own address, but for the host.
		{
			id: "vertex-far",
			template: "vertex",
			base_url: `${SANDBOX_ORIGIN}/v1/projects/{project}/locations/far/publishers/google`,
		},
	],
	models: [
		{ id: "gemini-eu", same_as: "gemini-3.8-flash", provider: "vertex-eu", prices },
		{ id: "gemini-us", same_as: "gemini-3.8-flash", provider: "vertex-us-central1", prices },
		{ id: "gemini-far", same_as: "gemini-3.8-flash", provider: "vertex-far", prices },
		{
			id: "claude-gcp",
			same_as: "claude-sonnet-5-5",
			upstream: "claude-sonnet-5-5@20260901",
			provider: "vertex-claude-global",
			prices,
		},
		{ id: "gpt-az", same_as: "gpt-5.4-mini", upstream: "mini-prod", provider: "azure-openai-acme", prices },
		{ id: "gpt-old", same_as: "gpt-5.4-mini", upstream: "mini old", provider: "az-old", prices },
	],
};

let privateKey: string;
let publicKey: CryptoKey;
beforeAll(async () => {
	const algorithm = {
		name: "RSASSA-PKCS1-v1_5",
		hash: "SHA-256",
		modulusLength: 2_048,
		publicExponent: new Uint8Array([1, 0, 1]),
	};
	const pair = (await crypto.subtle.generateKey(algorithm, true, ["sign", "verify"])) as CryptoKeyPair;
	const der = new Uint8Array((await crypto.subtle.exportKey("pkcs8", pair.privateKey)) as ArrayBuffer);
	privateKey = `-----BEGIN PRIVATE KEY-----\n${btoa(String.fromCharCode(...der))}\n-----END PRIVATE KEY-----\n`;
	publicKey = pair.publicKey;
});
/** Warnings and errors of the test. */
const logged: string[] = [];
beforeEach(() => {
	respond();
	logged.length = 0;
	for (const level of ["warn", "error"] as const)
		vi.spyOn(console, level).mockImplementation((line) => void logged.push(String(line)));
});
afterEach(() => {
	accessTokens.clear();
	vi.restoreAllMocks();
});

const OF_CLOUDS = /\/(?:vertex|azure|az-old|v1\/projects)|\/token$/;

/** What the clouds answer, else the sandbox; fallbacks at other providers fail. */
function respond(answer: (request: Request) => Promise<Response | undefined> = async () => undefined): void {
	upstream.replace(async (request) => {
		return OF_CLOUDS.test(request.url) ? answer(request) : new Response("{}", { status: 500 });
	});
}

const GOOGLE_TOKEN = `${SANDBOX_ORIGIN}/google/oauth2/v2.0/token`;
const account = (more: Json = {}) => ({
	type: "service_account",
	project_id: "acme-prod",
	private_key_id: "k1",
	private_key: privateKey,
	client_email: "svc@acme-prod.iam.gserviceaccount.com",
	token_uri: GOOGLE_TOKEN,
	...more,
});
/** Settings of the clouds; every address but that of `vertex-far` is the sandbox's own. */
const bindings = (more: Json = {}): Partial<Env> => {
	const addresses = ["vertex-eu", "vertex-us-central1", "vertex-claude-global", "azure-openai-acme", "az-old"].flatMap(
		(id) => {
			const prefix = id.toUpperCase().replaceAll("-", "_");
			return [
				[`${prefix}_BASE_URL`, `${SANDBOX_ORIGIN}/${id}`],
				[`${prefix}_FACTS`, "provider"],
			];
		},
	);
	return {
		CATALOG: JSON.stringify(CATALOG),
		GOOGLE_SERVICE_ACCOUNT: JSON.stringify(account()),
		AZURE_OPENAI_ACME_API_KEY: "azure-key",
		AZURE_TENANT_ID: "entra",
		AZURE_CLIENT_ID: "app",
		AZURE_CLIENT_SECRET: "entra-secret",
		AZURE_AUTHORITY_HOST: SANDBOX_ORIGIN,
		...Object.fromEntries(addresses),
		...more,
	} as unknown as Partial<Env>;
};

const chat = (model: string, body: Json = {}, env = bindings()) =>
	callWith(
		env,
		"/v1/chat/completions",
		withKey(owner.key, { model, messages: [{ role: "user", content: "Say hello" }], ...body }),
	);
const about = (content: string) => ({ messages: [{ role: "user", content }] });
async function json(response: Response | Promise<Response>, status = 200): Promise<Json> {
	const settled = await response;
	const text = await settled.text();
	expect(settled.status, text).toBe(status);
	return JSON.parse(text);
}
const textOf = (body: Json) => (body as { choices: { message: { content: string } }[] }).choices[0]?.message.content;
const isToken = ({ url }: { url: string }) => url.endsWith("/token");
const tokenCalls = () => upstream.requests.filter(isToken);
const modelCalls = () => upstream.requests.filter((request) => OF_CLOUDS.test(request.url) && !isToken(request));
const tokenAnswer = (token: string) => Response.json({ access_token: token, expires_in: 3_599, token_type: "Bearer" });

const MODELS = ["gemini-eu", "claude-gcp", "gpt-az", "gpt-old"];

const WEATHER = {
	type: "function",
	function: {
		name: "weather",
		parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
	},
};

describe.each(MODELS)("%s", (model) => {
	it("answers whole and streamed, and is billed at its row's price", async () => {
		const body = await json(chat(model));
		expect(textOf(body)).toContain("Say hello");
		expect(body).toMatchObject({ svc: { routing: { mode: "direct" }, cost: { estimated: false } } });
		const streamed = await (await chat(model, { stream: true })).text();
		expect(streamed).toContain("data: [DONE]");
		const { total_requests, total_cost_usd } = await usageOf(owner);
		expect([total_requests, Number(total_cost_usd) > 0]).toEqual([2, true]);
	});

	it("calls tools, and reads what they gave", async () => {
		const tools = [WEATHER];
		const ask = {
			messages: [{ role: "user", content: "What is the weather in Ulm? Use the tool." }],
			tools,
			tool_choice: "required",
		};
		const first = (await json(chat(model, ask))) as { choices: { message: Json & { tool_calls?: Json[] } }[] };
		const message = first.choices[0]?.message;
		const [call] = message?.tool_calls ?? [];
		expect(call).toMatchObject({ type: "function", function: { name: "weather" } });
		const messages = [...ask.messages, message, { role: "tool", tool_call_id: call?.["id"], content: "rain" }];
		expect(textOf(await json(chat(model, { messages, tools })))).toContain("rain");
	});

	it.each([
		["[[overflow]]", 400],
		["[[status 429 retry-after 7]]", 502],
		["[[status 500]]", 502],
	])("says what %s means", async (word, status) => {
		const response = await chat(model, about(`Hi ${word}`));
		const body = await response.text();
		expect([response.status, body.length > 0], body).toEqual([status, true]);
		expect(body).not.toContain("sandbox_key");
	});

	it("that is not served there is said so", async () => {
		expect(JSON.stringify(await json(chat(model, about("Hi [[unserved]]")), 502))).toContain(
			"does not serve this model",
		);
	});
});

describe("Gemini on Vertex", () => {
	it("is asked with a token, without ids of calls, at the project of the account", async () => {
		const answer = { candidates: [{ content: { parts: [{ text: "hello" }] }, finishReason: "STOP" }] };
		respond(async ({ url }) => (url === GOOGLE_TOKEN ? tokenAnswer("far-token") : Response.json(answer)));
		expect(textOf(await json(chat("gemini-far")))).toBe("hello");
		const [call] = modelCalls();
		expect(call?.url).toBe(
			`${SANDBOX_ORIGIN}/v1/projects/acme-prod/locations/far/publishers/google/models/gemini-3.8-flash:streamGenerateContent?alt=sse`,
		);
		expect([call?.headers.get("authorization"), call?.headers.get("x-goog-api-key")]).toEqual([
			"Bearer far-token",
			null,
		]);
	});

	it("is not shown with the operator's project or account where it refuses a prompt", async () => {
		const message = `Bad image in projects/acme-prod/locations/eu, asked by ${account().client_email}`;
		const error = { code: 400, message, status: "INVALID_ARGUMENT" };
		respond(async (request) => (isToken(request) ? tokenAnswer("t") : Response.json({ error }, { status: 400 })));
		const body = await json(chat("gemini-eu"), 400);
		expect(body["message"]).toBe("Bad image in projects/…/locations/eu, asked by …");
	});

	it("fetches its token with an assertion of the account's key", async () => {
		await json(chat("gemini-eu"));
		const [header = "", claims = "", signature = ""] = String(tokenCalls()[0]?.body["assertion"]).split(".");
		const bytes = (part: string) =>
			Uint8Array.from(atob(part.replaceAll("-", "+").replaceAll("_", "/")), (char) => char.charCodeAt(0));
		const signed = new TextEncoder().encode(`${header}.${claims}`);
		expect(await crypto.subtle.verify("RSASSA-PKCS1-v1_5", publicKey, bytes(signature), signed)).toBe(true);
		expect(JSON.parse(new TextDecoder().decode(bytes(claims)))).toMatchObject({
			aud: GOOGLE_TOKEN,
			iss: account().client_email,
		});
	});
});

describe("Claude on Vertex", () => {
	it("is named in the address, and its version in the body", async () => {
		await json(chat("claude-gcp"));
		const [call] = modelCalls();
		expect(call?.url).toBe(`${SANDBOX_ORIGIN}/vertex-claude-global/models/claude-sonnet-5-5@20260901:streamRawPredict`);
		expect(call?.body).toMatchObject({ anthropic_version: "vertex-2023-10-16", stream: true });
		expect(call?.body).not.toHaveProperty("model");
		expect(call?.headers.get("x-api-key")).toBeNull();
	});

	it("reports in a list what the platform refuses", async () => {
		const error = {
			code: 429,
			message: "Quota exceeded for aiplatform.googleapis.com/x with base model: anthropic-claude",
			status: "RESOURCE_EXHAUSTED",
		};
		respond(async (request) => (isToken(request) ? tokenAnswer("t") : Response.json([{ error }], { status: 429 })));
		expect(JSON.stringify(await json(chat("claude-gcp"), 502))).toContain("status 429");
	});

	it("whose stream ends in Google's form of an error has failed", async () => {
		const event = `data: ${JSON.stringify({ error: { code: 503, message: "overloaded", status: "UNAVAILABLE" } })}\n\n`;
		const headers = { "content-type": "text/event-stream" };
		respond(async (request) => (isToken(request) ? tokenAnswer("t") : new Response(event, { headers })));
		expect(JSON.stringify(await json(chat("claude-gcp"), 502))).toContain("reported an error instead of an answer");
	});
});

describe("Azure", () => {
	it("takes a deployment's name and the key in a header", async () => {
		await json(chat("gpt-az"));
		const [call] = modelCalls();
		expect(call?.url).toBe(`${SANDBOX_ORIGIN}/azure-openai-acme/chat/completions`);
		expect(call?.headers.get("api-key")).toBe("azure-key");
		expect(call?.body).toMatchObject({ model: "mini-prod", stream_options: { include_usage: true } });
		expect(call?.body).toHaveProperty("max_completion_tokens");
		expect(tokenCalls()).toHaveLength(0);
	});

	it("takes a deployment in the path with its version, and a token of Entra", async () => {
		await json(chat("gpt-old"));
		expect(tokenCalls().map(({ url, body }) => [url, body["client_secret"]])).toEqual([
			[`${SANDBOX_ORIGIN}/entra/oauth2/v2.0/token`, "entra-secret"],
		]);
		const [call] = modelCalls();
		expect(call?.url).toBe(`${SANDBOX_ORIGIN}/az-old/deployments/mini%20old/chat/completions?api-version=2024-10-21`);
		expect(call?.headers.get("authorization")).toMatch(/^Bearer /);
	});

	it("begins a stream with what its filters say of the prompt, which the client gets", async () => {
		const chunks = [
			{
				choices: [],
				created: 0,
				id: "",
				model: "",
				object: "",
				prompt_filter_results: [
					{ prompt_index: 0, content_filter_results: { hate: { filtered: false, severity: "safe" } } },
				],
			},
			{
				choices: [
					{
						content_filter_results: {},
						delta: { content: "", refusal: null, role: "assistant" },
						finish_reason: null,
						index: 0,
						logprobs: null,
					},
				],
				id: "c",
				usage: null,
			},
			{
				choices: [{ content_filter_results: {}, delta: { content: "hello" }, finish_reason: null, index: 0 }],
				id: "c",
				usage: null,
			},
			{
				choices: [
					{ index: 0, finish_reason: null, content_filter_results: {}, content_filter_offsets: { check_offset: 5 } },
				],
				usage: null,
			},
			{ choices: [{ delta: {}, finish_reason: "stop", index: 0 }], id: "c", usage: null },
			{ choices: [], id: "c", usage: { prompt_tokens: 9, completion_tokens: 2, total_tokens: 11 } },
		];
		const text = [...chunks.map((chunk) => JSON.stringify(chunk)), "[DONE]"]
			.map((data) => `data: ${data}\n\n`)
			.join("");
		respond(async () => new Response(text, { headers: { "content-type": "text/event-stream" } }));
		const streamed = await (await chat("gpt-az", { stream: true })).text();
		expect(streamed).toContain('"content":"hello"');
		expect(streamed).toContain("prompt_filter_results");
		expect((await usageOf(owner)).total_requests).toBe(1);
	});

	it.each([
		[
			400,
			{
				code: "content_filter",
				message: "The response was filtered due to the prompt triggering Azure OpenAI's content management policy.",
				status: 400,
				innererror: { code: "ResponsibleAIPolicyViolation" },
			},
			400,
			"content management policy",
		],
		[
			404,
			{ code: "DeploymentNotFound", message: "The API deployment for this resource does not exist." },
			502,
			"does not serve this model",
		],
		[
			401,
			{ code: "401", message: "Access denied due to invalid subscription key or wrong API endpoint." },
			502,
			"status 401",
		],
		[403, { code: "403", message: "Access denied due to Virtual Network/Firewall rules." }, 502, "status 403"],
		[
			429,
			{ code: "429", message: "Requests have exceeded token rate limit. Please retry after 26 seconds." },
			502,
			"status 429",
		],
	])("refuses with %i %j", async (status, error, answered, said) => {
		respond(async () => Response.json({ error }, { status, headers: status === 429 ? { "retry-after": "26" } : {} }));
		const response = await chat("gpt-az");
		expect(response.headers.get("retry-after")).toBe(status === 429 ? "26" : null);
		expect(JSON.stringify(await json(response, answered))).toContain(said);
	});
});

describe("a token", () => {
	it("is fetched once for a hundred calls at once, and for those after them", async () => {
		const answers = await Promise.all(Array.from({ length: 100 }, () => chat("gemini-eu", { max_tokens: 20 })));
		for (const response of answers) await json(response);
		await json(chat("claude-gcp"));
		expect(tokenCalls()).toHaveLength(1);
	});

	it("that has ended early is fetched once more, and the call is billed once", async () => {
		let fetched = 0;
		respond(async (request) => {
			if (isToken(request)) return tokenAnswer(`token-${++fetched}`);
			const isOld = request.headers.get("authorization") === "Bearer token-1" && fetched > 0 && ended;
			return isOld ? Response.json({ error: { code: 401, status: "UNAUTHENTICATED" } }, { status: 401 }) : undefined;
		});
		let ended = false;
		await json(chat("gemini-eu"));
		ended = true;
		await json(chat("gemini-eu"));
		expect([fetched, modelCalls().map(({ status }) => status)]).toEqual([2, [200, 401, 200]]);
		expect((await usageOf(owner)).total_requests).toBe(2);
	});

	it("that is refused when it is new is the account's fault, and asked for once", async () => {
		respond(async (request) =>
			isToken(request)
				? tokenAnswer("t")
				: Response.json({ error: { code: 401, status: "UNAUTHENTICATED" } }, { status: 401 }),
		);
		expect(JSON.stringify(await json(chat("gemini-eu"), 502))).toContain("status 401");
		expect(tokenCalls()).toHaveLength(1);
	});

	it.each([
		[
			"refuses",
			() => Response.json({ error: "invalid_grant", error_description: "Invalid JWT" }, { status: 400 }),
			"its token endpoint refused the credentials (status 400)",
		],
		["fails", () => new Response("oops", { status: 500 }), "its token endpoint reported an error (status 500)"],
		[
			"answers loosely",
			() => new Response("<html>", { status: 200 }),
			"no usable token came of its credentials (status 200)",
		],
	])("whose endpoint %s is said so: nothing is sent, nothing is billed, nothing is shown", async (_, refuse, said) => {
		respond(async (request) => (isToken(request) ? refuse() : undefined));
		const response = await chat("gemini-eu");
		const text = JSON.stringify(await json(response, 502));
		expect(text).toContain(said);
		expect(modelCalls()).toHaveLength(0);
		expect((await usageOf(owner)).total_cost_usd).toBe(0);
		const shown = [text, ...logged].join();
		expect(shown).not.toMatch(/PRIVATE KEY|assertion|iam\.gserviceaccount/);
		const id = response.headers.get("x-request-id");
		await eventually(async () => {
			const row = await callWith(bindings(), `/v1/requests/${id}`, withKey(owner.key));
			return row.status === 200 && (await row.text()).includes('"error":"no_token"');
		});
	});

	it("whose endpoint is slow takes no longer than a head may", async () => {
		respond(async (request) => {
			if (isToken(request)) await new Promise((resolve) => setTimeout(resolve, 3_000));
			return undefined;
		});
		const response = await chat("gemini-eu", {}, bindings({ UPSTREAM_TIMEOUT_MS: "200" }));
		expect(JSON.stringify(await json(response, 502))).toContain("its token endpoint did not answer in time");
	});

	it("that one account does not get is another's", async () => {
		const accounts = ["a", "b"].map((name) => ({
			name,
			key: account({ token_uri: `${SANDBOX_ORIGIN}/${name}/oauth2/v2.0/token` }),
		}));
		respond(async ({ url }) =>
			url.includes("/a/oauth2") ? Response.json({ error: "invalid_grant" }, { status: 400 }) : undefined,
		);
		const env = bindings({ VERTEX_EU_CREDENTIALS: JSON.stringify(accounts) });
		for (const content of ["one", "two", "three", "four"]) await json(chat("gemini-eu", about(content), env));
		expect(tokenCalls().filter(({ url }) => url.includes("/a/")).length).toBeLessThanOrEqual(1);
	});
});

describe("residency", () => {
	it("tells one region of a cloud from another", async () => {
		const policy = { compliance: { data_residency: ["EU"] } };
		await json(chat("gemini-eu", policy));
		const refused = await chat("gemini-us", policy);
		expect(refused.status).toBe(403);
		expect(await refused.text()).toContain("US");
		await json(chat("gpt-az", policy));
		expect((await chat("claude-gcp", policy)).status).toBe(403);
	});
});
