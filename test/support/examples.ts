// What the harnesses know of every endpoint beyond its definition: a request that works, whose ids it names, values no schema tells.
import fc from "fast-check";
import { appendStep, emptyTrajectory, trajectoryProof } from "../../src/agents/trajectory.ts";
import { CATALOG } from "../../src/catalog/shipped.ts";
import { hashText } from "../../src/proof/hash.ts";
import { renderGroupCursor } from "../../src/usage/groups.ts";
import { renderWorkspaceCursor } from "../../src/workspace/workspace-list.ts";
import { odd } from "./generate-odd.ts";
import { call, callWithKey, chat, newKey, operator, type TestKey, withKey } from "./service.ts";
import { storeText, UNKNOWN_RESPONSE } from "./stored-responses.ts";
import { TEST_WEBHOOK_HOST } from "./variables.ts";

export interface ExampleRequest {
	/** The path with its parameters filled in, and its query if it has one. Default: the endpoint's path. */
	path?: string;
	body?: unknown;
	headers?: Record<string, string>;
}

/** One place in an endpoint's requests where the id of something stands that belongs to a user. */
export interface OwnedId {
	/** Makes such a thing for a user and answers with its id; a name of the user's own choosing counts as an id. */
	make(owner: TestKey): Promise<string>;
	/** An id of the same form that nobody has. */
	unknown(): string;
	/** The request that names it. The owner's is answered with 200. */
	request(id: string): ExampleRequest;
	/** Where its owner can read it, if the request itself does not show it: what others ask for must not change it. */
	shownAt?(id: string): string;
}

export interface EndpointExample {
	/** A request that is answered with 200. */
	request(key: TestKey): Promise<ExampleRequest> | ExampleRequest;
	/**
	 * Ids of things that belong to a user. Every endpoint with `access: "key"` says it:
	 * `none` where a request names nothing that could be another's, `public` where its ids are of things that all may read.
	 */
	owned?: "none" | "public" | readonly [OwnedId, ...OwnedId[]];
	/** Values that a generator would hardly find by the schema alone, by the name of the member or parameter. */
	hints?: Readonly<Record<string, fc.Arbitrary<unknown>>>;
}

const SCHEMA_WORDS = ["type", "properties", "items", "required", "enum", "anyOf", "$ref", "$defs", "description"];

/** What clients put where a JSON Schema is wanted: most of it one, some of it not, some of it in circles. */
const schemaLike = fc.letrec<{ schema: Record<string, unknown> }>((tie) => ({
	schema: fc.oneof(
		{ depthSize: "small", withCrossShrink: true },
		fc.record({ type: fc.constantFrom("string", "integer", "number", "boolean", "null", "object", "array", "nope") }),
		fc.record({ type: fc.constant(["string", "null"]), description: odd.text }),
		fc.record({ enum: fc.array(odd.leaf, { maxLength: 3 }) }),
		fc.record({ const: odd.leaf }),
		fc.record({ $ref: fc.constantFrom("#", "#/$defs/a", "#/$defs/missing", "https://a.test/schema", "") }),
		fc.record({ type: fc.constant("array"), items: tie("schema") }),
		fc.record({ anyOf: fc.array(tie("schema"), { maxLength: 3 }) }),
		fc.record({ allOf: fc.array(tie("schema"), { maxLength: 2 }), not: tie("schema") }, { requiredKeys: ["allOf"] }),
		fc.record(
			{
				type: fc.constant("object"),
				properties: fc.dictionary(fc.oneof(fc.constantFrom("a", "b", "city"), odd.key), tie("schema"), { maxKeys: 3 }),
				required: fc.array(fc.constantFrom("a", "b", "missing"), { maxLength: 2 }),
				additionalProperties: fc.oneof(fc.boolean(), tie("schema")),
				$defs: fc.record({ a: tie("schema") }),
			},
			{ requiredKeys: ["type", "properties"] },
		),
		fc.dictionary(fc.constantFrom(...SCHEMA_WORDS), odd.leaf, { maxKeys: 3 }),
	),
})).schema;

const MODEL_IDS = CATALOG.models.map(({ id }) => id);

const model = fc.oneof(
	{ weight: 5, arbitrary: fc.constantFrom(...MODEL_IDS) },
	{ weight: 2, arbitrary: fc.constantFrom("auto", "laser-1", "halo-1", "foton-1") },
	{ weight: 1, arbitrary: fc.constantFrom("nope", "gpt-4o", "AUTO", "__proto__", "constructor") },
);

const COMPLIANCE = fc.oneof(
	fc.constantFrom<Record<string, unknown>>(
		{},
		{ jurisdiction: ["EU"] },
		{ jurisdiction: "Atlantis" },
		{ provider_allowlist: ["openai"], allowlist: ["openai"] },
		{ block_data_classes: ["PII", "pii", "nope"] },
		{ require_zero_retention: true, frameworks: ["SOC 2 Type II", "ISO/IEC 27001:2022", "X"] },
		{ data_residency: [""], provider_denylist: ["nobody"] },
	),
	fc.record({ frameworks: fc.array(odd.text, { maxLength: 3 }), jurisdiction: odd.text }, { requiredKeys: [] }),
);

const CHAT_HINTS: EndpointExample["hints"] = {
	model,
	compliance: COMPLIANCE,
	parameters: schemaLike,
	schema: schemaLike,
	arguments: fc.oneof(fc.constantFrom("{}", '{"city":"Oslo"}', "", "[]", "null", '{"__proto__":1}', "{"), odd.text),
	url: fc.constantFrom(
		"data:image/png;base64,iVBORw0KGgo=",
		"data:image/png;base64,",
		"data:image/svg+xml;base64,!!!",
		"https://a.test/b.png",
		"https://",
	),
	id: fc.constantFrom("call_1", `call_1~${MODEL_IDS[0]}`, "call_1~claude-opus-4.8", "~", "call~nope"),
	tool_call_id: fc.constantFrom("call_1", `call_1~${MODEL_IDS[0]}`, "call_2", "~"),
	max_tokens: fc.oneof(fc.integer({ min: 1, max: 5_000 }), fc.constantFrom(1, 15, 16, 1_000_000)),
	brain_config: fc.record(
		{
			model,
			routing_mode: fc.constantFrom("quality", "balanced", "agility", "nope"),
			max_cost: fc.constantFrom(1, 0.01, 5e-324, 1e-9, 1e308, 0, -1),
			max_cost_per_request: fc.constantFrom(1, 0.01),
			blocked: fc.array(fc.oneof(fc.constantFrom("*", "**", "openai", "glm*", "*a*a*a*b", ""), odd.text), {
				maxLength: 4,
			}),
			fallback: fc.array(model, { maxLength: 3 }),
			rules: fc.constantFrom<unknown[]>(
				[],
				[{ when: {}, use: {} }],
				[{ name: "r", when: { intent: "code", matches: "(a*)*b" }, use: { tier: "budget", max_cost: 0.01 } }],
				[{ when: { matches: "(?=" }, use: {} }],
				[{ when: { contains: "a", min_tokens: 9, max_tokens: 1 }, use: { model: "nope" } }],
			),
			compliance: fc.constantFrom({}, { frameworks: ["GDPR"] }),
		},
		{ requiredKeys: [] },
	),
};

const MESSAGE_HINTS: EndpointExample["hints"] = {
	...CHAT_HINTS,
	model: fc.oneof(model, fc.constantFrom("claude-opus-5-5", "claude-sonnet-4-5-20250929", "gpt-5-codex", "opus[1m]")),
	max_tokens: fc.oneof(fc.integer({ min: 1, max: 5_000 }), fc.constantFrom(1, 128_000, 1e9)),
	input_schema: schemaLike,
	input: fc.constantFrom<unknown>({}, { city: "Oslo" }, null),
	tool_use_id: fc.constantFrom("toolu_1", "toolu_2", "~"),
	data: fc.constantFrom("iVBORw0KGgo=", "svc1AAAA", "!!!", ""),
	media_type: fc.constantFrom("image/png", "image/svg+xml", "text/plain", "application/pdf"),
	signature: fc.constantFrom("", "c2ln", "?"),
};

const brainMd = fc.oneof(
	fc.constantFrom(
		"model: auto",
		"---\nblocked: [openai]\n---\n# Why",
		"```yaml\nmax_cost: 0.01\n```",
		"a: &a [*a]",
		"{".repeat(100),
		"- - -",
		"rules:\n  - when: {matches: '('}\n    use: {}",
		"\t",
		"%YAML 1.2\n---\n!!x 1",
		"__proto__: 1",
	),
	odd.text,
);

const shareId = fc.constantFrom("1111111111", "", "x", "..");

/** A share of the user's; its id. */
async function newShare({ key }: TestKey, title: string): Promise<string> {
	const share = await callWithKey(key, "/v1/brain/share", { brain_md: "max_cost: 0.01", title });
	return ((await share.json()) as { share_id: string }).share_id;
}

const BRAIN_HINTS: EndpointExample["hints"] = {
	brain_md: brainMd,
	brain_config: CHAT_HINTS["brain_config"] ?? fc.constant({}),
};

const skillId = fc.constantFrom("debugging", "code-review", "nope", "constructor", "..", "%2F");

const EXAMPLE_WEBHOOK = `https://${TEST_WEBHOOK_HOST}/`;

const keyId = fc.constantFrom("key_01ARZ3NDEKTSV4RRFFQ69G5FAV", "key_", "usr_01ARZ3NDEKTSV4RRFFQ69G5FAV");

/** A further key of the user's; its id. */
async function newOwnKey({ key }: TestKey): Promise<string> {
	const made = await callWithKey(key, "/v1/keys", { name: "Example" });
	return ((await made.json()) as { key_id: string }).key_id;
}

function ownedKey(request: OwnedId["request"]): OwnedId {
	return { make: newOwnKey, unknown: () => "key_01ARZ3NDEKTSV4RRFFQ69G5FAV", request };
}

const KEY_HINTS: EndpointExample["hints"] = {
	models: fc.array(fc.constantFrom("budget", "openai", "gpt-*", "nope", "*", "", ...MODEL_IDS), { maxLength: 4 }),
	brain_config: CHAT_HINTS["brain_config"] ?? fc.constant({}),
	expires_at: fc.constantFrom("2099-01-01", "2099-01-01T00:00:00Z", "2020-01-01", "soon", ""),
	rpm: fc.constantFrom(1, 1_000, 1_001, 0, 1e300),
	daily_requests: fc.constantFrom(1, 50_000, 0, -1),
	default_max_tokens: fc.constantFrom(1, 4_096, 0),
	own_only: fc.constantFrom(false, null),
	tags: fc.array(fc.constantFrom("ci", "team:a", "", "a b", "x".repeat(65)), { maxLength: 11 }),
	budget_usd: fc.constantFrom(0, 1e-9, 0.5, 1e-300, 1_000_000, 1_000_001),
	budget_period: fc.constantFrom("day", "week", "month", "total", "year"),
	alert_webhook: fc.oneof(
		{ weight: 5, arbitrary: fc.constantFrom(EXAMPLE_WEBHOOK, `https://${TEST_WEBHOOK_HOST}:443/a?b=c#d`, null) },
		{
			weight: 1,
			arbitrary: fc.constantFrom(
				`http://${TEST_WEBHOOK_HOST}/`,
				`${EXAMPLE_WEBHOOK}${"x".repeat(2_048)}`,
				"https://127.0.0.1/",
				"nowhere",
				"",
			),
		},
	),
};

const workspaceId = fc.constantFrom("contract", "a/b@c:d.e_f-1", "..", "%2F", "x".repeat(128), "x".repeat(129));

const pattern = fc.oneof(
	fc.constantFrom("infra/", "**", "!.env", "[a-", "a/**/b", "../x", "/etc/passwd", "C:\\x", "", " ", "*".repeat(300)),
	odd.text,
);
const command = fc.oneof(
	fc.constantFrom(
		"rm -rf /",
		"git push --force",
		"$(",
		"{a,b}{c,d}",
		"<<EOF",
		"'",
		"sh -c 'sh -c \"ls\"'",
		"echo $IFS",
	),
	odd.text,
);

function toolCall(name: string, given: Record<string, unknown>) {
	return { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: given } };
}

function handoff(workspace_id: string) {
	return { workspace_id, objective: "Hand on the order list" };
}

const UNKNOWN_RUN = "agt_01ARZ3NDEKTSV4RRFFQ69G5FAV";

/** A handoff of the user's; its id. */
async function newHandoff({ key }: TestKey, workspaceId: string): Promise<string> {
	return ((await (await callWithKey(key, "/v1/handoff", handoff(workspaceId))).json()) as { id: string }).id;
}

const runId = fc.constantFrom(UNKNOWN_RUN, "agt_", "svc-01ARZ3NDEKTSV4RRFFQ69G5FAV", "x", "..");

/** A run of the user's; its id. */
async function newRun({ key }: TestKey): Promise<string> {
	const run = await callWithKey(key, "/v1/agent/run", { goal: "Say hi", max_steps: 1 });
	return ((await run.json()) as { run_id: string }).run_id;
}

let lastResponse = UNKNOWN_RESPONSE;

/** A stored response of the user's; its id. */
async function newResponse(owner: TestKey): Promise<string> {
	lastResponse = await storeText(owner, "hi", "ho");
	return lastResponse;
}

function ownedResponse(request: OwnedId["request"]): OwnedId {
	return { make: newResponse, unknown: () => UNKNOWN_RESPONSE, request, shownAt: (id) => `/v1/responses/${id}` };
}

const RESPONSE_HINTS: EndpointExample["hints"] = {
	response_id: fc.oneof(
		fc.constant(null).map(() => lastResponse),
		fc.constantFrom(UNKNOWN_RESPONSE, "resp_", "resp_7ZZZZZZZZZZZZZZZZZZZZZZZZZ", UNKNOWN_RESPONSE.toLowerCase()),
	),
	include: fc.constantFrom<unknown>("reasoning.encrypted_content", "nope", ["a", "b"]),
	limit: fc.constantFrom("0", "1", "100", "101"),
	order: fc.constantFrom("asc", "desc", "up"),
	after: fc.constantFrom("", `msg_${UNKNOWN_RESPONSE.slice(5)}i0`),
	stream: fc.constantFrom("true", "false", "1"),
};

const CREATE_RESPONSE_HINTS: EndpointExample["hints"] = {
	...CHAT_HINTS,
	...RESPONSE_HINTS,
	input: fc.oneof(
		odd.text,
		fc.constantFrom<unknown[]>(
			[{ role: "user", content: "hi" }],
			[{ type: "message", role: "user", content: [{ type: "input_text", text: "hi" }] }],
			[
				{ type: "function_call", call_id: "call_1", name: "f", arguments: "{" },
				{ type: "function_call_output", call_id: "call_1", output: "" },
			],
			[{ type: "reasoning", summary: [], encrypted_content: "svc1AAAA" }],
			[{ type: "item_reference", id: `msg_${UNKNOWN_RESPONSE.slice(5)}_0` }],
			[{ type: "additional_tools", tools: [{ type: "custom", name: "f" }] }],
			[{ type: "nope" }],
		),
	),
	include: fc.array(fc.constantFrom("reasoning.encrypted_content", "message.output_text.logprobs", "nope"), {
		maxLength: 3,
	}),
	previous_response_id: fc.oneof(
		fc.constant(null).map(() => lastResponse),
		fc.constantFrom(UNKNOWN_RESPONSE, "resp_", "nope"),
	),
	stream: fc.boolean(),
	store: fc.boolean(),
	max_output_tokens: fc.oneof(fc.integer({ min: 1, max: 5_000 }), fc.constantFrom(1, 128_000, 1_000_000)),
	truncation: fc.constantFrom("auto", "disabled", "nope"),
};

const UNKNOWN_REQUEST = "svc-01ARZ3NDEKTSV4RRFFQ69G5FAV";

/** An answered request of the user's; its id. */
async function newRequest({ key }: TestKey): Promise<string> {
	return (await chat(key, "hi")).headers.get("x-request-id") ?? "";
}

/** What the example of feedback rates: a generator finds no id of a receipt by itself. */
let ratedRequest = UNKNOWN_REQUEST;

function ownedRun(request: OwnedId["request"]): OwnedId {
	return { make: newRun, unknown: () => UNKNOWN_RUN, request };
}

/** A workspace in which its owner has a handoff. */
function inWorkspace(request: OwnedId["request"]): OwnedId {
	let made = 0;
	return {
		make: async (owner) => {
			const id = `isolation/${made++}`;
			await newHandoff(owner, id);
			return id;
		},
		unknown: () => `isolation/${made++}`,
		request,
	};
}

/** What a trajectory of one step would be verified with. */
function trajectoryBundle() {
	const step = {
		index: 0,
		model: MODEL_IDS[0] ?? "",
		input_hash: hashText("in"),
		output_hash: hashText("out"),
		cost_usd: 0.000001,
		confidence: 0.5,
		timestamp: "2026-07-22T10:00:00.000Z",
	};
	const run = { run_id: "agt_01ARZ3NDEKTSV4RRFFQ69G5FAV", policy: "balanced", strategy: "single" };
	const trajectory = appendStep(emptyTrajectory(run), step);
	return { ...run, steps: [step], trajectory_proof: trajectoryProof(trajectory, hashText("out")) };
}

const hash = fc.oneof(fc.constantFrom("in", "out").map(hashText), fc.constantFrom("sha256:0123456789ab", ""));

const GROUP_HINTS = {
	since: fc.constantFrom("2026-11-21", "2026-02-30", "0000-01-01", "9999-12-31"),
	until: fc.constantFrom("2026-11-21", "2026-11-22", "9999-12-31"),
	limit: fc.constantFrom("0", "1", "1000", "1001"),
	cursor: fc.constantFrom(renderGroupCursor("day", "2026-11-21"), renderGroupCursor("tag", "")),
};

/** A cursor of groups names an API key: that of whoever was given it. */
function groupCursor(path: string): OwnedId {
	return {
		make: async (owner) => {
			await newRequest(owner);
			const own = await callWithKey(owner.key, "/v1/keys", {});
			await newRequest((await own.json()) as TestKey);
			const list = await callWithKey(owner.key, `${path}?group_by=key&limit=1`);
			return ((await list.json()) as { next_cursor: string }).next_cursor;
		},
		unknown: () => renderGroupCursor("key", "key_01ARZ3NDEKTSV4RRFFQ69G5FAV"),
		request: (id) => ({ path: `${path}?group_by=key&cursor=${id}` }),
	};
}

/** A hook's call of a tool before it runs. */
function hookExample(agent: string): EndpointExample {
	const path = (id: string) => `/v1/hooks/${agent}?workspace=${encodeURIComponent(id)}`;
	const body = {
		hook_event_name: "PreToolUse",
		session_id: "contract",
		cwd: "/home/ada/shop",
		tool_name: "Bash",
		tool_input: { command: "ls -la" },
	};
	return {
		request: () => ({ path: path("contract"), body }),
		owned: [inWorkspace((id) => ({ path: path(id), body }))],
		hints: {
			workspace: workspaceId,
			root: fc.constantFrom("/home/ada/shop", "C:\\shop"),
			hook_event_name: fc.constantFrom("PreToolUse", "PostToolUse", "Stop"),
			cwd: fc.constantFrom("/home/ada/shop", "C:\\shop", "x"),
			tool_name: fc.constantFrom("Bash", "Write", "Grep", "WebFetch", "apply_patch", "mcp__a__b", "TodoWrite", "New"),
			tool_input: fc.dictionary(
				fc.constantFrom("command", "file_path", "path", "pattern", "url", "query", "sql", "args"),
				fc.oneof(command, pattern, odd.leaf, fc.array(command)),
			),
		},
	};
}

/** By endpoint id. An endpoint joins every harness by being in the list of src/endpoints.ts and standing here. */
export const EXAMPLES: Readonly<Record<string, EndpointExample>> = {
	create_chat_completion: {
		request: () => ({ body: { messages: [{ role: "user", content: "hi" }] } }),
		owned: "none",
		hints: CHAT_HINTS,
	},
	create_message: {
		request: () => ({ body: { max_tokens: 64, messages: [{ role: "user", content: "hi" }] } }),
		owned: "none",
		hints: MESSAGE_HINTS,
	},
	count_message_tokens: {
		request: () => ({ body: { messages: [{ role: "user", content: "hi" }] } }),
		owned: "none",
		hints: MESSAGE_HINTS,
	},
	orchestrate: {
		request: () => ({ body: { messages: [{ role: "user", content: "hi" }] } }),
		owned: "none",
		hints: {
			...CHAT_HINTS,
			judge_model: model,
			max_cost_usd: fc.constantFrom(1e-9, 0.001, 0.01, 1, 1e9, 5e-324),
			k: fc.constantFrom(1, 2, 3, 8),
			max_tokens: fc.constantFrom(1, 16, 200, 1_024, 1_000_000),
			compliance: fc.constantFrom({}, { frameworks: ["GDPR"] }),
		},
	},
	write_code: {
		request: () => ({ body: { task: "Write a Python function that adds two numbers" } }),
		owned: "none",
		hints: {
			brain_config: fc.constantFrom({}, { max_cost: 0.001 }, { blocked: ["*"] }, { nope: 1 }),
			coder_model: model,
			reviewer_model: model,
			language: fc.constantFrom("", "Rust", "c++", "nope", "日本語"),
			max_cost_usd: fc.constantFrom(1e-9, 0.001, 0.01, 1, 1e9, 5e-324),
			max_tokens: fc.constantFrom(1, 16, 200, 2_048, 1_000_000),
			compliance: COMPLIANCE,
		},
	},
	start_agent_run: {
		request: () => ({ body: { goal: "Say hi", max_steps: 3 } }),
		owned: [
			inWorkspace((workspace_id) => ({ body: { goal: "Say hi", max_steps: 1, workspace_id } })),
			{
				make: async (owner) => {
					const idempotency_key = `key of ${owner.user_id}`;
					await callWithKey(owner.key, "/v1/agent/run", { goal: "Say hi", max_steps: 1, idempotency_key });
					return idempotency_key;
				},
				unknown: () => "nobody's key",
				request: (idempotency_key) => ({ body: { goal: "Say hi", max_steps: 1, idempotency_key } }),
			},
		],
		hints: {
			goal: fc.oneof(fc.constantFrom("Say hi", "1. A\n2. B\n3. C", "", " ", "x".repeat(5_000)), odd.text),
			prompt: fc.oneof(fc.constantFrom("Say hi", ""), odd.text),
			workspace_id: workspaceId,
			idempotency_key: fc.oneof(fc.constantFrom("a", "b", "", "x".repeat(201)), odd.text),
			max_cost_usd: fc.constantFrom(1e-9, 0.0001, 0.01, 0.1, 1e9, 5e-324),
			max_cost_per_step: fc.constantFrom(1e-9, 0.001, 1),
			// A longer run would only take longer.
			max_steps: fc.constantFrom(1, 2, 3, 4),
			max_tokens: fc.constantFrom(1, 16, 200, 1_024, 1_000_000),
			compliance: COMPLIANCE,
			brain_config: CHAT_HINTS["brain_config"] ?? fc.constant({}),
			webhook: fc.constantFrom("https://hooks.example.com/x", "http://10.0.0.1/", "", "x"),
		},
	},
	list_agent_runs: {
		request: () => ({}),
		owned: [
			{
				// A cursor names a place in time, whoever was given it.
				make: async (owner) => {
					for (let n = 0; n < 2; n++) await newRun(owner);
					const list = await callWithKey(owner.key, "/v1/agent/runs?limit=1");
					return ((await list.json()) as { next_cursor: string }).next_cursor;
				},
				unknown: () => btoa(`2026-01-01T00:00:00.000Z ${UNKNOWN_RUN}`).replaceAll("=", ""),
				request: (id) => ({ path: `/v1/agent/runs?cursor=${id}` }),
			},
		],
		hints: { limit: fc.constantFrom("0", "1", "200", "1000") },
	},
	get_agent_run: {
		request: async (key) => ({ path: `/v1/agent/${await newRun(key)}` }),
		owned: [ownedRun((id) => ({ path: `/v1/agent/${id}` }))],
		hints: { run_id: runId },
	},
	get_agent_trajectory: {
		request: async (key) => ({ path: `/v1/agent/${await newRun(key)}/trajectory?full=true` }),
		owned: [ownedRun((id) => ({ path: `/v1/agent/${id}/trajectory` }))],
		hints: { run_id: runId },
	},
	watch_agent_run: {
		request: async (key) => ({ path: `/v1/agent/${await newRun(key)}/events?stream=false` }),
		owned: [ownedRun((id) => ({ path: `/v1/agent/${id}/events?stream=false` }))],
		hints: { run_id: runId, stream: fc.constantFrom("true", "false", "x") },
	},
	get_agent_step: {
		request: async (key) => ({ path: `/v1/agent/${await newRun(key)}/steps/0` }),
		owned: [ownedRun((id) => ({ path: `/v1/agent/${id}/steps/0` }))],
		hints: { run_id: runId, index: fc.constantFrom("0", "1", "-1", "01", "1e3", "x", "9".repeat(20)) },
	},
	cancel_agent_run: {
		request: async (key) => ({ path: `/v1/agent/${await newRun(key)}/cancel` }),
		owned: [{ ...ownedRun((id) => ({ path: `/v1/agent/${id}/cancel` })), shownAt: (id) => `/v1/agent/${id}` }],
		hints: { run_id: runId },
	},
	delete_agent_run: {
		request: async (key) => ({ path: `/v1/agent/${await newRun(key)}` }),
		owned: [{ ...ownedRun((id) => ({ path: `/v1/agent/${id}` })), shownAt: (id) => `/v1/agent/${id}` }],
		hints: { run_id: runId },
	},
	resume_agent_run: {
		request: async (key) => ({ path: `/v1/agent/${await newRun(key)}/resume`, body: {} }),
		owned: [
			{ ...ownedRun((id) => ({ path: `/v1/agent/${id}/resume`, body: {} })), shownAt: (id) => `/v1/agent/${id}` },
		],
		hints: { run_id: runId },
	},
	preview_route: {
		request: () => ({ body: { prompt: "hi" } }),
		owned: "none",
		hints: CHAT_HINTS,
	},
	preview_compliance: {
		request: () => ({ body: { prompt: "Mail ada@lovelace.org", compliance: { block_data_classes: ["PII"] } } }),
		owned: "none",
		hints: { compliance: COMPLIANCE },
	},
	list_models: { request: () => ({}) },
	get_model: { request: () => ({ path: `/v1/models/${MODEL_IDS[0]}` }), hints: { id: model } },
	get_public_key: { request: () => ({}) },
	get_proof: {
		request: async (key) => ({ path: `/v1/proof/${await newRequest(key)}` }),
		hints: { request_id: fc.constantFrom(UNKNOWN_REQUEST, "svc-", "svc-7ZZZZZZZZZZZZZZZZZZZZZZZZZ") },
	},
	verify_trajectory: {
		request: () => ({ body: trajectoryBundle() }),
		hints: {
			run_id: fc.constantFrom("agt_01ARZ3NDEKTSV4RRFFQ69G5FAV", "agt_", "svc-01ARZ3NDEKTSV4RRFFQ69G5FAV", ""),
			trajectory_proof: hash,
			input_hash: hash,
			output_hash: hash,
			index: fc.constantFrom(0, 1, -1, 1.5, 1e308),
			step_proofs: fc.array(hash, { maxLength: 3 }),
		},
	},
	create_handoff: {
		request: () => ({ body: handoff("contract") }),
		owned: [inWorkspace((id) => ({ body: handoff(id) }))],
		hints: { workspace_id: workspaceId, est_cost: fc.constantFrom(0, 1.5, 5e-324, 1e308, -0) },
	},
	create_response: {
		request: () => ({ body: { input: "hi", store: false } }),
		owned: [ownedResponse((id) => ({ body: { input: "hi", previous_response_id: id } }))],
		hints: CREATE_RESPONSE_HINTS,
	},
	count_response_input_tokens: {
		request: () => ({ body: { input: "hi" } }),
		owned: [ownedResponse((id) => ({ body: { input: "hi", previous_response_id: id } }))],
		hints: CREATE_RESPONSE_HINTS,
	},
	get_response: {
		request: async (key) => ({ path: `/v1/responses/${await newResponse(key)}` }),
		owned: [ownedResponse((id) => ({ path: `/v1/responses/${id}` }))],
		hints: RESPONSE_HINTS,
	},
	delete_response: {
		request: async (key) => ({ path: `/v1/responses/${await newResponse(key)}` }),
		owned: [ownedResponse((id) => ({ path: `/v1/responses/${id}` }))],
		hints: RESPONSE_HINTS,
	},
	list_response_input_items: {
		request: async (key) => ({ path: `/v1/responses/${await newResponse(key)}/input_items` }),
		owned: [ownedResponse((id) => ({ path: `/v1/responses/${id}/input_items` }))],
		hints: RESPONSE_HINTS,
	},
	get_handoff: {
		request: async (key) => ({ path: `/v1/handoff/${await newHandoff(key, "contract")}` }),
		owned: [
			{
				make: (owner) => newHandoff(owner, "isolation"),
				unknown: () => "ho_01ARZ3NDEKTSV4RRFFQ69G5FAV",
				request: (id) => ({ path: `/v1/handoff/${id}` }),
			},
		],
	},
	get_handoff_chain: {
		request: () => ({ path: "/v1/handoff/chain/contract" }),
		owned: [inWorkspace((id) => ({ path: `/v1/handoff/chain/${encodeURIComponent(id)}` }))],
		hints: { workspace_id: workspaceId },
	},
	get_handoff_checkpoint: {
		request: () => ({ path: "/v1/handoff/chain/contract/checkpoint" }),
		owned: [inWorkspace((id) => ({ path: `/v1/handoff/chain/${encodeURIComponent(id)}/checkpoint` }))],
		hints: { workspace_id: workspaceId },
	},
	get_handoff_proof: {
		request: () => ({ path: "/v1/handoff/chain/contract/proof?from=0&to=0" }),
		owned: [inWorkspace((id) => ({ path: `/v1/handoff/chain/${encodeURIComponent(id)}/proof?from=0&to=0` }))],
		hints: { workspace_id: workspaceId },
	},
	list_workspaces: {
		request: async (key) => {
			await newHandoff(key, "list");
			return { path: "/v1/workspaces?limit=1" };
		},
		owned: [
			{
				// A cursor names a place among all names, whoever was given it.
				make: async (owner) => {
					for (const workspace of ["one", "two"])
						await callWithKey(owner.key, "/v1/handoff", { workspace_id: workspace, objective: "List" });
					const list = await callWithKey(owner.key, "/v1/workspaces?limit=1");
					return ((await list.json()) as { next_cursor: string }).next_cursor;
				},
				unknown: () => renderWorkspaceCursor("nobodys"),
				request: (id) => ({ path: `/v1/workspaces?cursor=${id}` }),
			},
		],
		hints: { limit: fc.constantFrom("0", "1", "200", "201") },
	},
	check_workspace_readiness: {
		request: () => ({ body: { workspace_id: "contract" } }),
		owned: [inWorkspace((id) => ({ body: { workspace_id: id } }))],
		hints: {
			workspace_id: workspaceId,
			protected_paths: fc.array(pattern),
			forbidden_commands: fc.array(command),
			allowed_commands: fc.array(command),
		},
	},
	generate_workspace_files: {
		request: () => ({ body: { workspace_id: "contract" } }),
		owned: [inWorkspace((id) => ({ body: { workspace_id: id } }))],
		hints: { workspace_id: workspaceId },
	},
	get_workspace_snapshot: {
		request: () => ({ path: "/v1/workspace/contract/snapshot" }),
		owned: [inWorkspace((id) => ({ path: `/v1/workspace/${encodeURIComponent(id)}/snapshot` }))],
		hints: { workspace_id: workspaceId },
	},
	get_workspace_manifest: {
		request: () => ({ path: "/v1/workspace/contract/manifest" }),
		owned: [inWorkspace((id) => ({ path: `/v1/workspace/${encodeURIComponent(id)}/manifest` }))],
		hints: { workspace_id: workspaceId },
	},
	put_workspace_manifest: {
		request: () => ({ path: "/v1/workspace/contract/manifest", body: { protected_paths: ["infra/"] } }),
		owned: [
			inWorkspace((id) => ({
				path: `/v1/workspace/${encodeURIComponent(id)}/manifest`,
				body: { protected_paths: ["infra/"] },
			})),
		],
		hints: {
			workspace_id: workspaceId,
			protected_paths: fc.array(pattern),
			forbidden_commands: fc.array(command),
			allowed_commands: fc.array(command),
		},
	},
	delete_workspace_manifest: {
		request: async (key) => {
			const path = "/v1/workspace/to-delete/manifest";
			await call(path, { ...withKey(key.key, { protected_paths: ["infra/"] }), method: "PUT" });
			return { path };
		},
		owned: [
			{
				make: async (owner) => {
					const path = "/v1/workspace/owned/manifest";
					await call(path, { ...withKey(owner.key, { protected_paths: ["infra/"] }), method: "PUT" });
					return "owned";
				},
				unknown: () => "unknown",
				request: (id) => ({ path: `/v1/workspace/${id}/manifest` }),
				shownAt: (id) => `/v1/workspace/${id}/manifest`,
			},
		],
		hints: { workspace_id: workspaceId },
	},
	check_policy: {
		request: () => ({ body: { workspace_id: "contract", action: "Tidy up", commands: ["ls -la"] } }),
		owned: [inWorkspace((id) => ({ body: { workspace_id: id, action: "Tidy up" } }))],
		hints: { workspace_id: workspaceId, commands: fc.array(command), files_affected: fc.array(pattern) },
	},
	hook_claude_code: hookExample("claude-code"),
	hook_codex: hookExample("codex"),
	score_risk: {
		request: () => ({ body: { kind: "exec", targets: ["ls"] } }),
		owned: "none",
		hints: { targets: fc.array(fc.oneof(command, pattern)) },
	},
	list_audit_events: {
		request: () => ({}),
		owned: [
			inWorkspace((id) => ({ path: `/v1/audit/events?workspace_id=${encodeURIComponent(id)}` })),
			{
				// A cursor names a place in time, whoever was given it.
				make: async (owner) => {
					for (const objective of ["one", "two"]) await newHandoff(owner, objective);
					const list = await callWithKey(owner.key, "/v1/audit/events?limit=1");
					return ((await list.json()) as { next_cursor: string }).next_cursor;
				},
				unknown: () => btoa(`2026-01-01T00:00:00.000Z ae_${"0".repeat(26)}`).replaceAll("=", ""),
				request: (id) => ({ path: `/v1/audit/events?cursor=${id}` }),
			},
		],
		hints: { workspace_id: workspaceId, limit: fc.constantFrom("0", "1", "200", "201") },
	},
	validate_brain_config: { request: () => ({ body: { brain_md: "model: auto" } }), hints: BRAIN_HINTS },
	create_brain_share: {
		request: () => ({ body: { brain_md: "max_cost: 0.01", title: "Contract" } }),
		owned: "none",
		hints: BRAIN_HINTS,
	},
	list_brain_shares: {
		request: () => ({}),
		owned: [
			{
				make: async (owner) => {
					for (const title of ["one", "two"]) await newShare(owner, title);
					const list = await callWithKey(owner.key, "/v1/brain/shares?limit=1");
					return ((await list.json()) as { next_cursor: string }).next_cursor;
				},
				unknown: () => btoa("2026-01-01T00:00:00.000Z 1111111111").replaceAll("=", ""),
				request: (id) => ({ path: `/v1/brain/shares?cursor=${id}` }),
			},
		],
		hints: { limit: fc.constantFrom("0", "1", "1000", "1001") },
	},
	get_brain_badge: {
		request: () => ({ path: "/v1/brain/badge?label=Brain" }),
		hints: { model, share: fc.constantFrom("1111111111", "", "x"), label: odd.text },
	},
	get_brain_share: { request: async (key) => ({ path: `/v1/b/${await newShare(key, "Contract")}` }) },
	delete_brain_share: {
		request: async (key) => ({ path: `/v1/b/${await newShare(key, "Contract")}` }),
		owned: [
			{
				make: (owner) => newShare(owner, "Isolation"),
				unknown: () => "1111111111",
				request: (id) => ({ path: `/v1/b/${id}` }),
				shownAt: (id) => `/v1/b/${id}`,
			},
		],
		hints: { share_id: shareId },
	},
	show_verify_page: { request: () => ({}) },
	show_brain_share: { request: async (key) => ({ path: `/b/${await newShare(key, "Contract")}` }) },
	list_skills: { request: () => ({}) },
	get_skill: {
		request: () => ({ path: "/v1/skills/debugging" }),
		hints: { skill_id: skillId },
	},
	invoke_skill: {
		request: () => ({ path: "/v1/skills/debugging/invoke", body: { task: "It prints 8, not 9." } }),
		owned: "public",
		hints: { ...CHAT_HINTS, skill_id: skillId },
	},
	list_plans: { request: () => ({}) },
	get_usage: { request: () => ({}), owned: [groupCursor("/v1/usage")], hints: GROUP_HINTS },
	get_savings: {
		request: () => ({}),
		owned: [groupCursor("/v1/savings")],
		hints: { ...GROUP_HINTS, baseline: model },
	},
	list_requests: {
		request: async (key) => {
			await newRequest(key);
			return { path: `/v1/requests?kind=chat&key_id=${key.key_id}` };
		},
		owned: [
			{
				make: async ({ key_id }) => key_id,
				unknown: () => "key_01ARZ3NDEKTSV4RRFFQ69G5FAV",
				request: (id) => ({ path: `/v1/requests?key_id=${id}` }),
			},
			{
				// A cursor names a place in time, whoever was given it.
				make: async (owner) => {
					for (let n = 0; n < 2; n++) await newRequest(owner);
					const list = await callWithKey(owner.key, "/v1/requests?limit=1");
					return ((await list.json()) as { next_cursor: string }).next_cursor;
				},
				unknown: () => btoa(`2026-01-01T00:00:00.000Z ${UNKNOWN_REQUEST}`).replaceAll("=", ""),
				request: (id) => ({ path: `/v1/requests?cursor=${id}` }),
			},
		],
		hints: { model, key_id: keyId, limit: fc.constantFrom("0", "1", "200", "201") },
	},
	get_request: {
		request: async (key) => ({ path: `/v1/requests/${await newRequest(key)}` }),
		owned: [
			{
				make: newRequest,
				unknown: () => UNKNOWN_REQUEST,
				request: (id) => ({ path: `/v1/requests/${id}` }),
			},
		],
		hints: { request_id: fc.constantFrom(UNKNOWN_REQUEST, UNKNOWN_RUN, "svc-", "svc-7ZZZZZZZZZZZZZZZZZZZZZZZZZ") },
	},
	give_feedback: {
		request: async (key) => {
			ratedRequest = await newRequest(key);
			return { body: { request_id: ratedRequest, score: 1, reason: "style" } };
		},
		owned: [
			{
				make: newRequest,
				unknown: () => UNKNOWN_REQUEST,
				request: (request_id) => ({ body: { request_id, score: 1 } }),
			},
		],
		hints: {
			request_id: fc.oneof(
				fc.constant(null).map(() => ratedRequest),
				fc.constantFrom(UNKNOWN_REQUEST, UNKNOWN_RUN, "svc-", "svc-7ZZZZZZZZZZZZZZZZZZZZZZZZZ", ""),
			),
			score: fc.constantFrom(-1, 0, 1, -0),
		},
	},
	create_key: {
		request: () => ({
			body: { name: "Contract", role: "agent", rpm: 5, tags: ["ci"], budget_usd: 1, alert_webhook: EXAMPLE_WEBHOOK },
		}),
		owned: "none",
		hints: KEY_HINTS,
	},
	list_keys: {
		request: () => ({}),
		owned: [
			{
				make: async (owner) => {
					await newOwnKey(owner);
					const list = await callWithKey(owner.key, "/v1/keys?limit=1");
					return ((await list.json()) as { next_cursor: string }).next_cursor;
				},
				unknown: () => btoa("2099-01-01T00:00:00.000Z key_01ARZ3NDEKTSV4RRFFQ69G5FAV").replaceAll("=", ""),
				request: (id) => ({ path: `/v1/keys?cursor=${id}` }),
			},
		],
		hints: { limit: fc.constantFrom("0", "1", "1000", "1001") },
	},
	change_key: {
		request: async (key) => ({ path: `/v1/keys/${await newOwnKey(key)}`, body: { name: "Changed" } }),
		owned: [
			ownedKey((id) => ({ path: `/v1/keys/${id}`, body: { name: "Changed" } })),
			ownedKey((id) => ({ path: `/v1/keys/${id}`, body: { budget_usd: 1, alert_webhook: EXAMPLE_WEBHOOK } })),
		],
		hints: { ...KEY_HINTS, key_id: keyId },
	},
	rotate_key: {
		request: async (key) => ({ path: `/v1/keys/${await newOwnKey(key)}/rotate`, body: { overlap_seconds: 60 } }),
		owned: [ownedKey((id) => ({ path: `/v1/keys/${id}/rotate` }))],
		hints: { key_id: keyId },
	},
	delete_key: {
		request: async (key) => ({ path: `/v1/keys/${await newOwnKey(key)}` }),
		owned: [ownedKey((id) => ({ path: `/v1/keys/${id}` }))],
		hints: { key_id: keyId },
	},
	health: { request: () => ({}) },
	get_mcp_manifest: { request: () => ({}) },
	mcp: {
		request: () => ({ body: toolCall("get_usage", {}) }),
		owned: [
			{
				make: (owner) => newHandoff(owner, "isolation"),
				unknown: () => "ho_01ARZ3NDEKTSV4RRFFQ69G5FAV",
				request: (id) => ({ body: toolCall("get_handoff", { handoff_id: id }) }),
				shownAt: (id) => `/v1/handoff/${id}`,
			},
		],
		hints: {
			jsonrpc: fc.constant("2.0"),
			method: fc.constantFrom(
				"initialize",
				"ping",
				"tools/list",
				"tools/call",
				"prompts/get",
				"resources/read",
				"nope",
			),
			params: fc.constantFrom<unknown>(
				{ name: "list_plans" },
				{ name: "list_models", arguments: null },
				{ name: "nope", arguments: {} },
				{ name: "get_skill", arguments: { skill_id: ".." } },
				{ uri: "svc://skills/debugging" },
				{ uri: "svc://brain/%2e%2e" },
				{ name: "debugging", arguments: { task: "It hangs." } },
				{ protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "c", version: "1" } },
			),
		},
	},
	openapi: { request: () => ({}) },
	operator_create_key: { request: () => ({ body: { user: "contract", plan: "pro" } }) },
	operator_list_keys: { request: () => ({}), hints: { user: fc.constantFrom("contract", "nobody") } },
	operator_delete_share: {
		request: async () => ({ path: `/internal/shares/${await newShare(await newKey("pro"), "Contract")}` }),
		hints: { share_id: shareId },
	},
	operator_check_usage: {
		request: async () => ({ path: `/internal/usage/check?user=${encodeURIComponent("contract")}` }),
		hints: {
			user: fc.constantFrom("contract", "nobody"),
			after: fc.constantFrom("", "usr_7ZZZZZZZZZZZZZZZZZZZZZZZZZ"),
		},
	},
	operator_list_usage: {
		request: () => ({ path: "/internal/usage?limit=2" }),
		hints: { limit: fc.constantFrom("1", "1000", "0") },
	},
	operator_list_decisions: {
		request: async (key) => {
			await newRequest(key);
			return { path: "/internal/decisions?limit=2" };
		},
		hints: {
			after: fc.constantFrom("", UNKNOWN_REQUEST, "svc-7ZZZZZZZZZZZZZZZZZZZZZZZZZ"),
			limit: fc.constantFrom("0", "1", "1000", "1001"),
		},
	},
	operator_begin_backup: { request: () => ({}) },
	operator_back_up_objects: {
		request: () => ({ path: "/internal/backup/objects" }),
		hints: { after: fc.constantFrom("", "x", "[]", '{"kind":"AgentRun","key":null}', '{"kind":"AgentRun","key":[]}') },
	},
	operator_back_up_rows: {
		request: () => ({ path: "/internal/backup/rows?table=users" }),
		hints: { after: fc.constantFrom("", "x", "[]", '["usr_"]', '["usr_","usr_"]', "[null]") },
	},
	operator_restore: {
		request: async () => {
			const header: unknown = await (await operator("GET", "/internal/backup")).json();
			return { body: { step: "check", header } };
		},
		hints: { backup_id: fc.constantFrom("bak_7ZZZZZZZZZZZZZZZZZZZZZZZZZ") },
	},
	operator_rotate_key: {
		request: async () => ({
			path: `/internal/keys/${(await newKey("pro")).key_id}/rotate`,
			body: { overlap_seconds: 60 },
		}),
		hints: { key_id: keyId },
	},
	operator_change_key: {
		request: async () => ({ path: `/internal/keys/${(await newKey("pro")).key_id}`, body: { rpm: 5 } }),
		hints: { ...KEY_HINTS, key_id: keyId },
	},
	operator_revoke_key: {
		request: async () => ({ path: `/internal/keys/${(await newKey("pro")).key_id}/revoke` }),
		hints: { key_id: keyId },
	},
};
