// The compliance gate through the front door: the preview, calls under a policy, its attestation, and secrets in the trail.
import { describe, expect, it } from "vitest";
import { CATALOG } from "../../src/catalog/shipped.ts";
import { hashObject } from "../../src/proof/hash.ts";
import { useService } from "../support/per-test.ts";
import { call, callWith, callWithKey, chat, newKey, proofOf, withKey } from "../support/service.ts";
import { readStream } from "../support/sse.ts";

type Json = Record<string, unknown>;

interface Preview extends Json {
	allowed_models: string[];
	excluded_models: Record<string, string[]>;
}

interface Completion extends Json {
	id: string;
	model: string;
	svc: { proof: { compliance?: Json & { type: string; hash: string } } };
}

const PREVIEW = "/v2/compliance/preview";
const CHAT = "/v1/chat/completions";
const MAIL = "Write to ada.lovelace@analytical.org about the engine.";
const providerOf = (id: string) => CATALOG.findModel(id)?.provider;

/** Settings of a test's own. */
const variables = (values: Record<string, string>) => values as unknown as Partial<Env>;

const { upstream, key } = useService("corporate");

async function json<T = Json>(response: Response | Promise<Response>, status = 200): Promise<T> {
	const answer = await response;
	const body = await answer.json<T>();
	expect([answer.status, body]).toEqual([status, expect.anything()]);
	return body;
}

const preview = (body: Json, status = 200) => json<Preview>(callWithKey(key.key, PREVIEW, body), status);

describe("the preview", () => {
	it("shows what a policy lets through, for whom not and why, and what it costs", async () => {
		const body = await preview({ prompt: MAIL, compliance: { block_data_classes: ["PII"], jurisdiction: ["EU"] } });
		expect(body).toMatchObject({
			active: true,
			ok: true,
			detected_classes: ["PII"],
			classification: { PII: ["email"] },
			policy: { active: true, allowed_jurisdictions: ["EU"], block_data_classes: ["PII"], required_frameworks: [] },
			matrix_version: expect.stringMatching(/^rcm-\d{4}\.\d{2}-baseline$/),
			sample_attestation: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
		});
		expect(new Set(body.allowed_models.map(providerOf))).toEqual(new Set(["mistral"]));
		expect(Object.keys(body.excluded_models).length + body.allowed_models.length).toBe(CATALOG.models.length);
		expect(upstream.requests).toEqual([]);
	});

	it("needs a key, and a text", async () => {
		const without = await call(PREVIEW, { method: "POST", body: JSON.stringify({ prompt: "hi" }) });
		expect(without.status).toBe(401);
		for (const body of [{}, { prompt: "  " }, { messages: [] }, { messages: [{ role: "system", content: "hi" }] }])
			expect(await preview(body, 422)).toMatchObject({ error: "invalid_request" });
	});

	it("classifies the last user message, whole or in parts", async () => {
		const messages = [
			{ role: "user", content: MAIL },
			{ role: "assistant", content: "Done." },
			{ role: "user", content: [{ type: "text", text: "Thank you." }] },
		];
		expect(await preview({ messages })).toMatchObject({ active: false, detected_classes: [], classification: {} });
		expect(await preview({ messages: messages.slice(0, 2) })).toMatchObject({ detected_classes: ["PII"] });
	});

	const conversation = [
		{ role: "system", content: "Answer in French." },
		{ role: "user", content: "Look Ada up." },
		{
			role: "assistant",
			content: null,
			tool_calls: [{ id: "call_1", type: "function", function: { name: "find", arguments: '{"page":2}' } }],
		},
		{ role: "tool", tool_call_id: "call_1", content: MAIL },
		{ role: "user", content: [{ type: "text", text: "Thank you." }] },
	];

	it("of scope all classifies every text that a chat would send, and says where the data stand", async () => {
		const tools = [{ type: "function", function: { name: "write", description: "Writes to billing@analytical.org." } }];
		const body = { messages: conversation, tools, compliance: { block_data_classes: ["PII"] } };
		const last = await preview(body);
		expect(last).toMatchObject({ active: true, detected_classes: [] });
		expect(last).not.toHaveProperty("places");
		const all = await preview({ ...body, scope: "all" });
		expect(all).toMatchObject({
			active: true,
			detected_classes: ["PII"],
			classification: { PII: ["email"] },
			places: [
				{ path: "messages[3]", message: 3, place: "tool result", kinds: ["email"], count: 1 },
				{ path: "tools", message: null, place: "tool definition", kinds: ["email"] },
			],
		});
		expect(all.allowed_models.length).toBeLessThan(last.allowed_models.length);
		const served = await json<Completion>(callWithKey(key.key, CHAT, { ...body, max_tokens: 20 }));
		expect(all.allowed_models).toContain(served.model);
		const inert = await preview({ messages: conversation, scope: "all" });
		expect(Object.keys(inert).toSorted()).toEqual(["active", "classification", "detected_classes", "note", "places"]);
		expect(inert["places"]).toMatchObject([{ path: "messages[3]" }]);
	});

	it("of scope all names a prompt beside messages, and needs some text as well", async () => {
		const body = { messages: conversation.slice(0, 2), prompt: MAIL, scope: "all" };
		expect(await preview(body)).toMatchObject({ places: [{ path: "prompt", message: null, place: "text", count: 1 }] });
		for (const messages of [[], [{ role: "user", content: " " }]])
			expect(await preview({ messages, scope: "all" }, 422)).toMatchObject({ error: "invalid_request" });
		expect(await preview({ prompt: "hi", scope: "first" }, 422)).toMatchObject({ issues: [{ path: "scope" }] });
	});

	it("takes what chat takes: megabytes, other fields, and no role that chat refuses", async () => {
		const long = "Nothing to see here. ".repeat(150_000);
		const body = { messages: [{ role: "user", content: long }], model: "auto", max_tokens: 7, seed: 1 };
		expect(await preview(body)).toMatchObject({ active: false, detected_classes: [] });
		const messages = [{ role: "narrator", content: "hi" }];
		const [refused, previewed] = [
			await json(callWithKey(key.key, CHAT, { messages }), 422),
			await preview({ messages }, 422),
		];
		expect(previewed["issues"]).toEqual(refused["issues"]);
	});

	it("shows the floor in force by level, members and digest, and is the same as a tool", async () => {
		const lists = { provider_allowlist: ["mistral", "cohere"], block_data_classes: ["PII"] };
		const get = async (name: string) => (name === "brain:default" ? JSON.stringify({ compliance: lists }) : null);
		const server: Partial<Env> = { KV: { get } as unknown as KVNamespace };
		const body = { messages: conversation, scope: "all" };
		const answer = await json<Preview>(callWith(server, PREVIEW, withKey(key.key, body)));
		expect(answer["floor"]).toEqual([
			{
				level: "operator",
				members: ["block_data_classes", "provider_allowlist"],
				digest: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
			},
		]);
		expect(answer["policy"]).toMatchObject({ provider_allowlist: [], block_data_classes: ["PII"] });
		const call = { name: "preview_compliance", arguments: body };
		const rpc = { jsonrpc: "2.0", id: 1, method: "tools/call", params: call };
		const tool = await json<{ result: Json }>(callWith(server, "/v1/mcp", withKey(key.key, rpc)));
		expect(tool.result["structuredContent"]).toEqual(answer);
		expect(await preview({ ...body, compliance: { jurisdiction: ["EU"] } })).not.toHaveProperty("floor");
	});

	it("of an inert policy says so and no more", async () => {
		for (const compliance of [undefined, {}, { jurisdiction: [], require_zero_retention: false }]) {
			const body = await preview({ prompt: MAIL, compliance });
			expect(Object.keys(body).toSorted()).toEqual(["active", "classification", "detected_classes", "note"]);
			expect(body).toMatchObject({ active: false, detected_classes: ["PII"] });
		}
	});

	it("takes the policy of the config where it has none of its own, under the server's", async () => {
		const brain_config = { compliance: { provider_allowlist: ["groq"] } };
		// A binding of its own, so that no other config of the server's is held of it.
		const get = async (name: string) =>
			name === "brain:default" ? "compliance:\n  provider_allowlist: [mistral, cohere]" : null;
		const server: Partial<Env> = { KV: { get } as unknown as KVNamespace };
		const allowed = async (body: Json) => {
			const answer = await json<Preview>(callWith(server, PREVIEW, withKey(key.key, { prompt: "hi", ...body })));
			return [...new Set(answer.allowed_models.map(providerOf))];
		};
		expect(await allowed({ compliance: { provider_allowlist: ["cohere"] }, brain_config })).toEqual(["cohere"]);
		expect(await allowed({ brain_config })).toEqual([]);
		expect((await allowed({ compliance: {} })).toSorted()).toEqual(["cohere", "mistral"]);
	});

	it("ignores which keys are configured and what the plan allows", async () => {
		const free = await newKey("free");
		const none = Object.fromEntries(CATALOG.providers.map(({ env_prefix }) => [`${env_prefix}_API_KEY`, ""]));
		const body = { prompt: "hi", compliance: { frameworks: ["GDPR"] } };
		const here = await preview(body);
		expect(await json(callWith(variables(none), PREVIEW, withKey(free.key, body)))).toEqual(here);
	});

	it("takes nothing for known behind a replaced address that nobody vouches for", async () => {
		const body = withKey(key.key, { prompt: "hi", compliance: { jurisdiction: ["EU"] } });
		const answer = await json<Preview>(callWith(variables({ MISTRAL_FACTS: "" }), PREVIEW, body));
		expect(answer).toMatchObject({ ok: false, allowed_models: [] });
		expect(answer.excluded_models["mistral-small-2603"]).toEqual([
			"Mistral AI: its jurisdiction is unknown, because its base address is replaced",
		]);
	});

	it("names each fault of a policy", async () => {
		expect(await preview({ prompt: "hi", compliance: { jurisdction: ["EU"] } }, 422)).toMatchObject({
			issues: [{ path: "compliance.jurisdction", message: "unknown key; did you mean jurisdiction?" }],
		});
	});
});

describe("a chat under a policy", () => {
	it("runs where the policy allows, and attests who saw the text", async () => {
		const answer = await json<Completion>(
			chat(key.key, MAIL, { compliance: { jurisdiction: ["EU"], block_data_classes: ["PII"] } }),
		);
		const attestation = answer.svc.proof.compliance;
		if (!attestation) throw new Error("no attestation");
		expect(attestation).toMatchObject({
			type: "svc.attestation.v1",
			models: [answer.model],
			providers: ["mistral"],
			detected_classes: ["PII"],
			policy: { allowed_jurisdictions: ["EU"] },
		});
		const { hash, ...claimed } = attestation;
		expect(hash).toBe(hashObject(claimed));
		const proof = await proofOf(answer.id);
		expect(proof).toMatchObject({ valid: true, receipt: { compliance: attestation } });
	});

	it("carries the attestation in a stream too, and none without a policy", async () => {
		const streamed = await chat(key.key, MAIL, { stream: true, compliance: { frameworks: ["GDPR"] } });
		const { chunks } = await readStream(streamed);
		expect(chunks.find(({ svc }) => svc)?.svc).toMatchObject({
			proof: { compliance: { type: "svc.attestation.v1" } },
		});
		const plain = await json<Completion>(chat(key.key, MAIL));
		expect(plain.svc.proof).not.toHaveProperty("compliance");
		expect(await proofOf(plain.id)).toMatchObject({ receipt: { compliance: null } });
	});

	it("is refused before any call when no model complies, with every reason", async () => {
		const answer = await chat(key.key, MAIL, { compliance: { jurisdiction: ["JP"] } });
		expect(answer.headers.get("x-should-retry")).toBe("false");
		const body = await json<{ error: string; excluded: Json }>(answer, 403);
		expect(body.error).toBe("compliance_blocked");
		expect(Object.keys(body.excluded)).toHaveLength(CATALOG.models.length);
		expect(upstream.requests).toEqual([]);
	});

	it("is refused for a named model that does not comply, and served by the config's own fallback", async () => {
		const compliance = { provider_denylist: ["openai"] };
		expect(await json(chat(key.key, "hi", { model: "gpt-6-luna", compliance }), 403)).toMatchObject({
			error: "compliance_blocked",
			excluded: { "gpt-6-luna": ["OpenAI: is on the provider denylist"] },
		});
		const brain_config = { fallback: ["mistral-small-2603"] };
		const served = await json(chat(key.key, "hi", { model: "gpt-6-luna", compliance, brain_config }));
		expect(served).toMatchObject({ model: "mistral-small-2603", svc: { fallback_from: "gpt-6-luna" } });
	});

	it("says compliance before blocked", async () => {
		const brain_config = { blocked: CATALOG.providers.map(({ id }) => id).filter((id) => id !== "groq") };
		const answer = await json(chat(key.key, "hi", { brain_config, compliance: { jurisdiction: ["JP"] } }), 403);
		expect(answer["error"]).toBe("compliance_blocked");
	});

	it("never goes elsewhere when those who comply fail", async () => {
		upstream.replace(async () => new Response("{}", { status: 500 }));
		const answer = await chat(key.key, "hi", { compliance: { provider_allowlist: ["mistral", "cohere"] } });
		expect(answer.status).toBe(502);
		expect(upstream.requests.length).toBeGreaterThan(1);
		for (const { url } of upstream.requests) expect(url).toMatch(/\/(?:mistral|cohere)\//);
	});

	it.each<[string, Json]>([
		[
			"a system message",
			{
				messages: [
					{ role: "system", content: MAIL },
					{ role: "user", content: "hi" },
				],
			},
		],
		[
			"a tool's result",
			{
				messages: [
					{ role: "user", content: "Who is it?" },
					{
						role: "assistant",
						tool_calls: [{ id: "c1", type: "function", function: { name: "who", arguments: "{}" } }],
					},
					{ role: "tool", tool_call_id: "c1", content: MAIL },
				],
			},
		],
		[
			"a tool call's arguments",
			{
				messages: [
					{ role: "user", content: "Who is it?" },
					{
						role: "assistant",
						tool_calls: [
							{ id: "c1", type: "function", function: { name: "who", arguments: JSON.stringify({ of: MAIL }) } },
						],
					},
					{ role: "tool", tool_call_id: "c1", content: "nobody" },
				],
			},
		],
		[
			"a tool's definition",
			{
				messages: [{ role: "user", content: "hi" }],
				tools: [
					{
						type: "function",
						function: {
							name: "who",
							parameters: { type: "object", properties: { of: { type: "string", description: MAIL } } },
						},
					},
				],
			},
		],
	])("finds what stands in %s", async (_, body) => {
		const compliance = { block_data_classes: ["PII"], provider_allowlist: ["groq", "xai"] };
		expect(await json(callWithKey(key.key, "/v1/chat/completions", { ...body, compliance }), 403)).toMatchObject({
			error: "compliance_blocked",
		});
	});

	it("holds in the routing preview and in a config's rules", async () => {
		const brain_config = { compliance: { provider_allowlist: ["mistral"] }, model: "gpt-6-luna" };
		const route = await json<{ candidates: { provider: string }[]; excluded: Record<string, string[]> }>(
			callWithKey(key.key, "/v1/route", { prompt: "hi", brain_config }),
		);
		expect(new Set(route.candidates.map(({ provider }) => provider))).toEqual(new Set(["mistral"]));
		expect(route.excluded["gpt-6-luna"]).toEqual(["OpenAI: is not on the provider allowlist"]);
		const answer = await json<Completion>(chat(key.key, "hi", { brain_config }));
		expect(providerOf(answer.model)).toBe("mistral");
	});

	it("names no value of what was found, anywhere", async () => {
		const body = {
			messages: [{ role: "user", content: MAIL }],
			compliance: { block_data_classes: ["PII"], jurisdiction: ["JP"] },
		};
		const answers = [
			await callWithKey(key.key, "/v1/chat/completions", body),
			await callWithKey(key.key, PREVIEW, body),
		];
		for (const answer of answers) expect(await answer.text()).not.toContain("lovelace");
	});
});

describe("a chat under the operator's policy", () => {
	/** KV with the operator's config; a binding of its own, so that no other config is held of it. */
	const operator = (text: string): Partial<Env> => {
		const get = async (name: string) => (name === "brain:default" ? text : null);
		return { KV: { get, put: async () => undefined } as unknown as KVNamespace };
	};
	const ask = (server: Partial<Env>, body: Json = {}, path = "/v1/chat/completions") =>
		callWith(server, path, withKey(key.key, { messages: [{ role: "user", content: MAIL }], ...body }));

	it("cannot be lifted by its own", async () => {
		const server = operator("compliance: {block_data_classes: [PII], provider_allowlist: [groq, xai]}");
		for (const own of [
			{},
			{ compliance: { provider_denylist: ["zai"] } },
			{ compliance: { block_data_classes: [], mask_data_classes: ["PII"], allow_unread: ["text"] } },
			{ brain_config: { compliance: { jurisdiction: ["US"] } } },
			{ model: "gpt-6-luna", brain_config: { fallback: ["mistral-small-2603"] } },
		])
			expect(await json(ask(server, own), 403)).toMatchObject({ error: "compliance_blocked" });
		expect(upstream.requests).toEqual([]);
	});

	it.each<[string, Json]>([
		["/v1/chat/completions", {}],
		["/v1/route", {}],
		["/v2/orchestrate", { strategy: "ensemble_moa" }],
		["/v2/code", { task: "Add two numbers" }],
		["/v1/agent/run", { goal: "Add two numbers" }],
		["/v1/skills/editing/invoke", { task: "Add two numbers", messages: undefined }],
	])("is refused on %s when nothing is left of what both allow", async (path, body) => {
		const server = operator("compliance: {jurisdiction: [US]}");
		const own = { ...body, compliance: { jurisdiction: ["EU"] } };
		const refused = await ask(server, own, path);
		const text = await refused.text();
		expect([path, refused.status]).toEqual([path, 403]);
		expect(text).toContain("the operator's policy excludes it (jurisdiction)");
		expect(text).not.toContain("allowed is US");
		expect(upstream.requests).toEqual([]);
	});

	it.each([
		["compliance", { compliance: { jurisdiction: ["EU"], mode: "monitor" } }, "compliance.mode"],
		["brain_config", { brain_config: { compliance: { mode: "monitor" } } }, "compliance.mode"],
	])("cannot be monitored only by a request's %s", async (_, own, place) => {
		const refused = await json(ask({}, own), 422);
		expect(JSON.stringify(refused)).toContain(place);
	});

	it("that monitors refuses nothing, and the attestation says what it would have kept from whom", async () => {
		const server = operator("compliance: {provider_allowlist: [groq], block_data_classes: [PII], mode: monitor}");
		const compliance = { provider_allowlist: ["mistral"] };
		const answer = await json<Completion>(ask(server, { compliance }));
		const attestation = answer.svc.proof.compliance;
		expect(attestation).toMatchObject({
			mode: "monitor",
			policy: { mode: "monitor", provider_allowlist: ["mistral"], block_data_classes: ["PII"] },
			providers: ["mistral"],
			floor: [{ level: "operator", members: ["block_data_classes", "mode", "provider_allowlist"] }],
			violations: [{ level: "operator", member: "provider_allowlist", models: [answer.model] }],
		});
		expect(await proofOf(answer.id)).toMatchObject({ valid: true, receipt: { compliance: attestation } });
		const none = { compliance: { provider_allowlist: ["groq"], block_data_classes: ["PII"] } };
		expect(await json(ask(server, none), 403)).toMatchObject({ error: "compliance_blocked" });
	});

	it("is attested by level, member and digest, without its lists", async () => {
		const answer = await json<Completion>(ask(operator("compliance: {provider_denylist: [zai, deepseek]}")));
		expect(answer.svc.proof.compliance).toMatchObject({
			policy: { active: true, provider_denylist: [] },
			floor: [{ level: "operator", members: ["provider_denylist"], digest: expect.stringMatching(/^sha256:/) }],
		});
		expect(answer.svc.proof.compliance).not.toHaveProperty("mode");
	});
});

describe("a secret in the trail", () => {
	const SECRET = ["ghp", "Zx81Qm4vT7bLw2Nc9RkYp3Hd6GfJs5AeB0uX"].join("_");
	const check = (bindings: Partial<Env>) =>
		json(
			callWith(
				bindings,
				"/v1/policy/check",
				withKey(key.key, {
					workspace_id: "shop",
					action: `Deploy with GITHUB_TOKEN=${SECRET}`,
					commands: [`export GITHUB_TOKEN=${SECRET}`],
					context: { env: { key: SECRET } },
				}),
			),
		);
	const payload = async () => {
		const events = await json<{ data: Json[] }>(callWithKey(key.key, "/v1/audit/events?workspace_id=shop"));
		return JSON.stringify(events.data[0]?.["payload"]);
	};

	it("stands there as it was sent, by default", async () => {
		await check({});
		expect(await payload()).toContain(SECRET);
	});

	it("is a keyed hash under AUDIT_SECRETS=hash, the same for the same value", async () => {
		await check(variables({ AUDIT_SECRETS: "hash" }));
		const kept = await payload();
		expect(kept).not.toContain(SECRET.slice(4));
		const hashes = [...kept.matchAll(/hmac-sha256:([0-9a-f]{32})/g)].map(([, hash]) => hash);
		expect(hashes.length).toBeGreaterThanOrEqual(3);
		expect(new Set(hashes).size).toBe(1);
	});
});
