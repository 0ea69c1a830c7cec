// Values that a generator would hardly find by a schema alone, by the name of the member or parameter.
import fc from "fast-check";
import { CATALOG } from "../../src/catalog/shipped.ts";
import { hashText } from "../../src/proof/hash.ts";
import { renderGroupCursor } from "../../src/usage/groups.ts";
import { odd } from "./generate-odd.ts";
import { OPERATOR_IDS } from "./operator-catalog.ts";
import { UNKNOWN_RESPONSE } from "./stored-responses.ts";
import { TEST_WEBHOOK_HOST } from "./variables.ts";

export type Hints = Readonly<Record<string, fc.Arbitrary<unknown>>>;

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

const MODEL_IDS = [...CATALOG.models.map(({ id }) => id), ...OPERATOR_IDS];

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

const CHAT_HINTS: Hints = {
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

const MESSAGE_HINTS: Hints = {
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

const BRAIN_HINTS: Hints = {
	brain_md: brainMd,
	brain_config: CHAT_HINTS["brain_config"] ?? fc.constant({}),
};

const EXAMPLE_WEBHOOK = `https://${TEST_WEBHOOK_HOST}/`;

const KEY_HINTS: Hints = {
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

const RESPONSE_HINTS: Hints = {
	include: fc.constantFrom<unknown>("reasoning.encrypted_content", "nope", ["a", "b"]),
	limit: fc.constantFrom("0", "1", "100", "101"),
	order: fc.constantFrom("asc", "desc", "up"),
	after: fc.constantFrom("", `msg_${UNKNOWN_RESPONSE.slice(5)}i0`),
	stream: fc.constantFrom("true", "false", "1"),
};

const CREATE_RESPONSE_HINTS: Hints = {
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
	stream: fc.boolean(),
	store: fc.boolean(),
	max_output_tokens: fc.oneof(fc.integer({ min: 1, max: 5_000 }), fc.constantFrom(1, 128_000, 1_000_000)),
	truncation: fc.constantFrom("auto", "disabled", "nope"),
};

const hash = fc.oneof(fc.constantFrom("in", "out").map(hashText), fc.constantFrom("sha256:0123456789ab", ""));

const GROUP_HINTS = {
	since: fc.constantFrom("2026-11-21", "2026-02-30", "0000-01-01", "9999-12-31"),
	until: fc.constantFrom("2026-11-21", "2026-11-22", "9999-12-31"),
	cursor: fc.constantFrom(renderGroupCursor("day", "2026-11-21"), renderGroupCursor("tag", "")),
};

const workspaceId = fc.constantFrom("contract", "a/b@c:d.e_f-1", "..", "%2F", "x".repeat(128), "x".repeat(129));

const LAST_ULID = "7ZZZZZZZZZZZZZZZZZZZZZZZZZ";

/** Of every endpoint: ids of the forms that there are, which nobody has, and others. */
const COMMON_HINTS: Hints = {
	run_id: fc.constantFrom("agt_01ARZ3NDEKTSV4RRFFQ69G5FAV", "agt_", "svc-01ARZ3NDEKTSV4RRFFQ69G5FAV", "x", ".."),
	request_id: fc.constantFrom(
		"svc-01ARZ3NDEKTSV4RRFFQ69G5FAV",
		"agt_01ARZ3NDEKTSV4RRFFQ69G5FAV",
		"svc-",
		`svc-${LAST_ULID}`,
		"",
	),
	response_id: fc.constantFrom(UNKNOWN_RESPONSE, "resp_", `resp_${LAST_ULID}`, UNKNOWN_RESPONSE.toLowerCase()),
	previous_response_id: fc.constantFrom(UNKNOWN_RESPONSE, "resp_", "nope"),
	key_id: fc.constantFrom("key_01ARZ3NDEKTSV4RRFFQ69G5FAV", "key_", "usr_01ARZ3NDEKTSV4RRFFQ69G5FAV"),
	workspace_id: workspaceId,
	workspace: workspaceId,
	share_id: fc.constantFrom("1111111111", "", "x", ".."),
	skill_id: fc.constantFrom("debugging", "code-review", "nope", "constructor", "..", "%2F"),
	limit: fc.constantFrom("0", "1", "100", "101", "200", "201", "1000", "1001"),
};

const HOOK_HINTS: Hints = {
	root: fc.constantFrom("/home/ada/shop", "C:\\shop"),
	hook_event_name: fc.constantFrom("PreToolUse", "PostToolUse", "Stop"),
	cwd: fc.constantFrom("/home/ada/shop", "C:\\shop", "x"),
	tool_name: fc.constantFrom("Bash", "Write", "Grep", "WebFetch", "apply_patch", "mcp__a__b", "TodoWrite", "New"),
	tool_input: fc.dictionary(
		fc.constantFrom("command", "file_path", "path", "pattern", "url", "query", "sql", "args"),
		fc.oneof(command, pattern, odd.leaf, fc.array(command)),
	),
};

/** By endpoint id. */
const HINTS: Readonly<Record<string, Hints>> = {
	create_chat_completion: CHAT_HINTS,
	create_message: MESSAGE_HINTS,
	count_message_tokens: MESSAGE_HINTS,
	orchestrate: {
		...CHAT_HINTS,
		judge_model: model,
		max_cost_usd: fc.constantFrom(1e-9, 0.001, 0.01, 1, 1e9, 5e-324),
		k: fc.constantFrom(1, 2, 3, 8),
		max_tokens: fc.constantFrom(1, 16, 200, 1_024, 1_000_000),
		compliance: fc.constantFrom({}, { frameworks: ["GDPR"] }),
	},
	write_code: {
		brain_config: fc.constantFrom({}, { max_cost: 0.001 }, { blocked: ["*"] }, { nope: 1 }),
		coder_model: model,
		reviewer_model: model,
		language: fc.constantFrom("", "Rust", "c++", "nope", "日本語"),
		max_cost_usd: fc.constantFrom(1e-9, 0.001, 0.01, 1, 1e9, 5e-324),
		max_tokens: fc.constantFrom(1, 16, 200, 2_048, 1_000_000),
		compliance: COMPLIANCE,
	},
	start_agent_run: {
		goal: fc.oneof(fc.constantFrom("Say hi", "1. A\n2. B\n3. C", "", " ", "x".repeat(5_000)), odd.text),
		prompt: fc.oneof(fc.constantFrom("Say hi", ""), odd.text),

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
	watch_agent_run: { stream: fc.constantFrom("true", "false", "x") },
	get_agent_step: { index: fc.constantFrom("0", "1", "-1", "01", "1e3", "x", "9".repeat(20)) },
	preview_route: CHAT_HINTS,
	preview_compliance: { compliance: COMPLIANCE },
	get_model: { id: model },
	verify_trajectory: {
		run_id: fc.constantFrom("agt_01ARZ3NDEKTSV4RRFFQ69G5FAV", "agt_", "svc-01ARZ3NDEKTSV4RRFFQ69G5FAV", ""),
		trajectory_proof: hash,
		input_hash: hash,
		output_hash: hash,
		index: fc.constantFrom(0, 1, -1, 1.5, 1e308),
		step_proofs: fc.array(hash, { maxLength: 3 }),
	},
	create_handoff: { est_cost: fc.constantFrom(0, 1.5, 5e-324, 1e308, -0) },
	create_response: CREATE_RESPONSE_HINTS,
	count_response_input_tokens: CREATE_RESPONSE_HINTS,
	get_response: RESPONSE_HINTS,
	delete_response: RESPONSE_HINTS,
	list_response_input_items: RESPONSE_HINTS,
	check_workspace_readiness: {
		protected_paths: fc.array(pattern),
		forbidden_commands: fc.array(command),
		allowed_commands: fc.array(command),
	},
	put_workspace_manifest: {
		protected_paths: fc.array(pattern),
		forbidden_commands: fc.array(command),
		allowed_commands: fc.array(command),
	},
	check_policy: { commands: fc.array(command), files_affected: fc.array(pattern) },
	score_risk: { targets: fc.array(fc.oneof(command, pattern)) },
	validate_brain_config: BRAIN_HINTS,
	create_brain_share: BRAIN_HINTS,
	get_brain_badge: { model, share: fc.constantFrom("1111111111", "", "x"), label: odd.text },
	invoke_skill: { ...CHAT_HINTS },
	get_usage: GROUP_HINTS,
	get_savings: { ...GROUP_HINTS, baseline: model },
	list_requests: { model },
	give_feedback: {
		score: fc.constantFrom(-1, 0, 1, -0),
	},
	create_key: KEY_HINTS,
	change_key: { ...KEY_HINTS },
	mcp: {
		jsonrpc: fc.constant("2.0"),
		method: fc.constantFrom("initialize", "ping", "tools/list", "tools/call", "prompts/get", "resources/read", "nope"),
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
	operator_list_keys: { user: fc.constantFrom("contract", "nobody") },
	operator_check_usage: {
		user: fc.constantFrom("contract", "nobody"),
		after: fc.constantFrom("", "usr_7ZZZZZZZZZZZZZZZZZZZZZZZZZ"),
	},
	operator_list_decisions: {
		after: fc.constantFrom("", "svc-01ARZ3NDEKTSV4RRFFQ69G5FAV", "svc-7ZZZZZZZZZZZZZZZZZZZZZZZZZ"),
	},
	operator_back_up_objects: {
		after: fc.constantFrom("", "x", "[]", '{"kind":"AgentRun","key":null}', '{"kind":"AgentRun","key":[]}'),
	},
	operator_back_up_rows: { after: fc.constantFrom("", "x", "[]", '["usr_"]', '["usr_","usr_"]', "[null]") },
	operator_restore: { backup_id: fc.constantFrom("bak_7ZZZZZZZZZZZZZZZZZZZZZZZZZ") },
	operator_change_key: { ...KEY_HINTS },
	hook_claude_code: HOOK_HINTS,
	hook_codex: HOOK_HINTS,
};

/**
 * The hints of an endpoint. A new endpoint needs none of its own.
 * @param made ids of things that are there, which no generator finds.
 */
export function hintsFor(id: string, made: Readonly<Record<string, unknown>>): Hints {
	const hints = { ...COMMON_HINTS, ...HINTS[id] };
	const own = Object.entries(made).map(([name, value]) => {
		const hint = hints[name];
		return [name, hint ? fc.oneof(fc.constant(value), hint) : fc.constant(value)];
	});
	return { ...hints, ...Object.fromEntries(own) };
}
