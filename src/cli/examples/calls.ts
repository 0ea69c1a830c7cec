// The example request of every endpoint, in an order in which each finds what it names. The contract test holds the list complete.

/** Answers so far, by endpoint id. */
export type Answers = ReadonlyMap<string, unknown>;

interface ExampleRequest {
	/** Values of the path's parameters. */
	params?: Readonly<Record<string, string>>;
	query?: Readonly<Record<string, string>>;
	body?: unknown;
}

export interface ExampleCall {
	/** The endpoint's. */
	id: string;
	request(answers: Answers): ExampleRequest;
}

/** A member of an earlier answer, by its path. @throws Error when it is not there, or no text. */
function textIn(answers: Answers, id: string, ...path: string[]): string {
	let value = answers.get(id);
	for (const name of path) value = typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
	if (typeof value !== "string") throw new Error(`the example of ${id} has no ${path.join(".")}`);
	return value;
}

function call(id: string, request: ExampleRequest | ((answers: Answers) => ExampleRequest) = {}): ExampleCall {
	return { id, request: typeof request === "function" ? request : () => request };
}

const SAY_HELLO = [{ role: "user", content: "Say hello" }];
const WORKSPACE = "order-service";
const inWorkspace = { params: { workspace_id: WORKSPACE } };
const CONFIG = "model: auto\nmax_cost: 0.01\nblocked:\n  - grok-*\n";

const ofRun = (answers: Answers) => ({ run_id: textIn(answers, "start_agent_run", "run_id") });
const ofResponse = (answers: Answers) => ({ params: { response_id: textIn(answers, "create_response", "id") } });
const ofShare = (answers: Answers) => ({ params: { share_id: textIn(answers, "create_brain_share", "share_id") } });
const ofKey = (answers: Answers) => ({ key_id: textIn(answers, "create_key", "key_id") });
const ofUserKey = (answers: Answers) => ({ key_id: textIn(answers, "operator_create_key", "key_id") });
const ofRequest = (answers: Answers) => ({ request_id: textIn(answers, "create_chat_completion", "id") });

export const EXAMPLE_CALLS: readonly ExampleCall[] = [
	call("create_chat_completion", { body: { model: "auto", messages: SAY_HELLO } }),
	call("preview_route", {
		body: { prompt: "Write a Python function that reverses a list", routing_mode: "quality" },
	}),
	call("create_response", { body: { model: "auto", input: "Say hello" } }),
	call("count_response_input_tokens", { body: { model: "auto", input: "Say hello" } }),
	call("get_response", ofResponse),
	call("list_response_input_items", ofResponse),
	call("delete_response", ofResponse),
	call("create_message", { body: { model: "auto", max_tokens: 1_024, messages: SAY_HELLO } }),
	call("count_message_tokens", { body: { model: "auto", messages: SAY_HELLO } }),
	call("orchestrate", {
		body: {
			strategy: "self_consistency",
			messages: [{ role: "user", content: "A farmer has 17 sheep, all but 9 run away. How many are left?" }],
		},
	}),
	call("write_code", { body: { task: "Write a TypeScript function that turns a title into a slug" } }),
	call("preview_compliance", {
		body: {
			prompt: "Card 4111 1111 1111 1111",
			compliance: { block_data_classes: ["FINANCIAL"], frameworks: ["GDPR"] },
		},
	}),
	call("list_models"),
	call("get_model", { params: { id: "claude-haiku-5-5" } }),
	call("get_public_key"),
	call("get_proof", (answers) => ({ params: ofRequest(answers) })),
	call("start_agent_run", {
		body: {
			max_cost_usd: 0.05,
			goal: "1. Name three rivers of France\n2. Say where each begins\n3. Put them in a table",
		},
	}),
	call("list_agent_runs", { query: { limit: "1" } }),
	call("get_agent_run", (answers) => ({ params: ofRun(answers) })),
	call("watch_agent_run", (answers) => ({ params: ofRun(answers), query: { stream: "false" } })),
	call("get_agent_trajectory", (answers) => ({ params: ofRun(answers), query: { full: "true" } })),
	call("verify_trajectory", (answers) => {
		const trajectory = answers.get("get_agent_trajectory");
		const request = typeof trajectory === "object" && trajectory !== null ? trajectory : {};
		return { body: Reflect.get(request, "verify_request") };
	}),
	call("get_agent_step", (answers) => ({ params: { ...ofRun(answers), index: "0" } })),
	call("cancel_agent_run", (answers) => ({ params: ofRun(answers) })),
	call("resume_agent_run", (answers) => ({ params: ofRun(answers), body: {} })),
	call("delete_agent_run", (answers) => ({ params: ofRun(answers) })),
	call("check_workspace_readiness", {
		body: {
			workspace_id: WORKSPACE,
			project_name: "Order service",
			stack: ["TypeScript 5", "Hono"],
			protected_paths: ["infra/", "migrations/"],
			forbidden_commands: ["git push --force", "terraform apply"],
			require_handoffs: true,
			require_risk_gate: true,
		},
	}),
	call("create_handoff", {
		body: {
			workspace_id: WORKSPACE,
			objective: "Deploy the cache to production",
			from_tool: "coder",
			to_tool: "Ada",
			action_kind: "deploy",
		},
	}),
	call("get_handoff", (answers) => ({ params: { handoff_id: textIn(answers, "create_handoff", "id") } })),
	call("get_handoff_chain", inWorkspace),
	call("get_handoff_checkpoint", inWorkspace),
	call("get_handoff_proof", { ...inWorkspace, query: { from: "0", to: "0" } }),
	call("list_workspaces"),
	call("generate_workspace_files", { body: { workspace_id: WORKSPACE } }),
	call("get_workspace_snapshot", inWorkspace),
	call("get_workspace_manifest", inWorkspace),
	call("put_workspace_manifest", {
		...inWorkspace,
		body: { protected_paths: ["infra/"], forbidden_commands: ["git push --force"] },
	}),
	call("check_policy", {
		body: { workspace_id: WORKSPACE, action: "Roll out", commands: ["npm test", "git push --force"] },
	}),
	call("hook_claude_code", {
		query: { workspace: WORKSPACE, root: "/home/ada/order-service" },
		body: {
			hook_event_name: "PreToolUse",
			session_id: "672c9498-463e-4a91-a1ba-92205a2e7848",
			cwd: "/home/ada/order-service",
			permission_mode: "default",
			tool_name: "Bash",
			tool_input: { command: "npm install -g left-pad" },
		},
	}),
	call("hook_codex", {
		query: { workspace: WORKSPACE, root: "/home/ada/order-service" },
		body: {
			hook_event_name: "PostToolUse",
			session_id: "01a2084a-7802-7be3-b7c6-5693137de4a3",
			cwd: "/home/ada/order-service",
			permission_mode: "default",
			tool_name: "Bash",
			tool_input: { command: "npm test" },
			tool_response: "12 passed",
		},
	}),
	call("score_risk", { body: { kind: "exec", targets: ["rm -rf build"] } }),
	call("list_audit_events", { query: { workspace_id: WORKSPACE, limit: "2" } }),
	call("delete_workspace_manifest", inWorkspace),
	call("validate_brain_config", { body: { brain_md: "modle: auto" } }),
	call("create_brain_share", { body: { brain_md: CONFIG, title: "Cheap and careful" } }),
	call("list_brain_shares"),
	call("get_brain_share", ofShare),
	call("show_brain_share", ofShare),
	call("get_brain_badge", { query: { model: "claude-haiku-5-5" } }),
	call("delete_brain_share", ofShare),
	call("list_skills"),
	call("get_skill", { params: { skill_id: "debugging" } }),
	call("invoke_skill", {
		params: { skill_id: "debugging" },
		body: { task: "Uploads fail for some customers since Monday: 413, but the files are small." },
	}),
	call("show_verify_page"),
	call("create_key", {
		body: {
			name: "nightly build",
			role: "agent",
			budget_usd: 2,
			budget_period: "day",
			models: ["budget", "gpt-6-luna"],
			tags: ["ci"],
		},
	}),
	call("list_keys"),
	call("change_key", (answers) => ({ params: ofKey(answers), body: { rpm: 30 } })),
	call("rotate_key", (answers) => ({ params: ofKey(answers), body: { overlap_seconds: 3_600 } })),
	call("delete_key", (answers) => ({ params: ofKey(answers) })),
	call("list_plans"),
	call("get_usage"),
	call("get_savings", { query: { baseline: "claude-fable-5" } }),
	call("list_requests", { query: { limit: "1" } }),
	call("get_request", (answers) => ({ params: ofRequest(answers) })),
	call("give_feedback", (answers) => ({ body: { ...ofRequest(answers), score: 1 } })),
	call("get_mcp_manifest"),
	call("mcp", {
		body: { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "list_plans", arguments: {} } },
	}),
	call("health"),
	call("openapi"),
	call("operator_create_key", { body: { user: "ada", plan: "free" } }),
	call("operator_list_keys", { query: { user: "ada" } }),
	call("operator_change_key", (answers) => ({ params: ofUserKey(answers), body: { rpm: 5 } })),
	call("operator_rotate_key", (answers) => ({ params: ofUserKey(answers), body: { overlap_seconds: 3_600 } })),
	call("operator_revoke_key", (answers) => ({ params: ofUserKey(answers) })),
	call("operator_list_usage", { query: { limit: "1" } }),
	call("operator_check_usage", { query: { user: "ada" } }),
	// Rows reach the table one after the other: that of the first chat completion is there by now.
	call("operator_list_decisions", { query: { after: "svc-", limit: "1" } }),
	call("operator_begin_backup"),
	call("operator_back_up_objects", { query: { after: '{"kind":"WorkspaceLedger","key":null}' } }),
	call("operator_back_up_rows", { query: { table: "users" } }),
	call("operator_restore", (answers) => ({
		body: { step: "check", header: answers.get("operator_begin_backup") },
	})),
	call("operator_delete_share", (answers) => ({
		params: { share_id: textIn(answers, "operator_share", "share_id") },
	})),
];

/** What examples need that stands in no example: each is called before the first. */
export const PREPARING_CALLS: readonly (ExampleCall & { as: string })[] = [
	{
		...call("create_brain_share", { body: { brain_md: "model: auto", title: "Of the operator" } }),
		as: "operator_share",
	},
];
