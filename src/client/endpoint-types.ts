// Generated from the list of endpoints by `npm run generate`: what each takes and answers, and where it is. Not to be edited.

type Messages = {
	role: "system";
	content: string | {
		type: "text";
		text: string;
	}[];
	name?: string;
};

type Messages2 = {
	role: "developer";
	content: string | {
		type: "text";
		text: string;
	}[];
	name?: string;
};

type Messages3 = {
	role: "user";
	content: string | Array<{
		type: "text";
		text: string;
	} | Content>;
	name?: string;
};

type Content = {
	type: "image_url";
	image_url: ImageUrl;
};

type ImageUrl = {
	url: string;
	detail?: string;
};

type Messages4 = {
	role: "assistant";
	content?: string | {
		type: "text";
		text: string;
	}[] | null;
	refusal?: string | null;
	reasoning_content?: string | null;
	reasoning?: string | null;
	thinking_blocks?: ThinkingBlocks[] | null;
	tool_calls?: ToolCalls[] | null;
	name?: string;
};

type ThinkingBlocks = {
	signature?: string | null;
	data?: string | null;
	encrypted_content?: string | null;
	thought_signature?: string | null;
	thoughtSignature?: string | null;
	[member: string]: unknown;
};

type ToolCalls = {
	id: string;
	type: "function";
	function: {
		name: string;
		arguments: string;
	};
	extra_content?: {
		google?: {
			thought_signature?: string;
		};
	} | null;
};

type Messages5 = {
	role: "tool";
	content: string | {
		type: "text";
		text: string;
	}[];
	tool_call_id: string;
};

type Tools = {
	type: "function";
	function: Function;
};

type Function = {
	name: string;
	description?: string;
	parameters?: Record<string, unknown>;
	strict?: boolean | null;
};

type ToolChoice = {
	type: "function";
	function: {
		name: string;
	};
};

type ResponseFormat = {
	type: "json_schema";
	json_schema: JsonSchema;
};

type JsonSchema = {
	name: string;
	description?: string;
	schema?: Record<string, unknown>;
	strict?: boolean | null;
};

type BrainConfig = {
	model?: string;
	routing_mode?: "quality" | "balanced" | "agility";
	/** USD a request. */
	max_cost?: number;
	/** Models, providers, globs. */
	blocked?: string[];
	fallback?: string[];
	/** Output limit where the request names none. */
	default_max_tokens?: number;
	/** First match wins. */
	rules?: Rules[];
	[member: string]: unknown;
};

type Rules = {
	name?: string;
	when: When;
	use: Use;
};

type When = {
	intent?: Array<"code" | "math" | "reasoning" | "creative" | "text" | "translation" | "factual" | "advice" | "chat"> | string;
	contains?: string;
	matches?: string;
	min_tokens?: number;
	max_tokens?: number;
	has_tools?: boolean;
	has_images?: boolean;
};

type Use = {
	model?: string;
	routing_mode?: "quality" | "balanced" | "agility";
	tier?: "budget" | "mid" | "premium" | "frontier";
	max_cost?: number;
};

type Compliance = {
	provider_allowlist?: string[] | null;
	provider_denylist?: string[] | null;
	/** ISO codes, EU. */
	jurisdiction?: string[] | null;
	data_residency?: string[] | null;
	frameworks?: string[] | null;
	certifications?: string[] | null;
	block_data_classes?: Array<"PII" | "PHI" | "FINANCIAL" | "SECRETS"> | null;
	mask_data_classes?: string[] | null;
	allow_unread?: string[] | null;
	require_zero_retention?: boolean | null;
	detect?: string | null;
	[member: string]: unknown;
};

type Intents = Record<string, number>;

type Observed = {
	/** The hour in which the decision was made; prices may depend on it. */
	at: string;
	/** The model that has served the conversation so far. */
	conversation_model?: string;
	/** By provider: for how many ms its breaker has been open. */
	open_breakers?: Record<string, number>;
	/** By model: ms until it may be called again after a 429. */
	throttled?: Record<string, number>;
	/** By model: how many times as long as the catalog says its answers have taken lately. */
	slowdown?: Record<string, number>;
	/** By model: the share of its calls that have failed lately. */
	failure_share?: Record<string, number>;
	/** Models that their providers lately said they do not serve, which are passed by: ms until a request that names one asks again. */
	not_served?: Record<string, number>;
};

type Warnings = {
	code: string;
	param: string | null;
	message: string;
};

type Compliance2 = {
	type: "svc.attestation.v1";
	matrix_version: string;
	policy: Record<string, unknown>;
	models: string[];
	providers: string[];
	detected_classes: string[];
	inferred_classes?: string[];
	masked?: Record<string, number>;
	floor?: Floor[];
	mode?: "monitor";
	violations?: Violations[];
	hash: string;
};

type Floor = {
	level: string;
	members: string[];
	digest: string;
};

type Violations = {
	level: string;
	member: string;
	models: string[];
};

type Usage = {
	prompt_tokens: number;
	completion_tokens: number;
	total_tokens: number;
};

type Cost = {
	total_usd: number;
	estimated: true;
	basis: "provider_usage" | "bound";
	bound_usd: number;
};

type Stages = {
	name: string;
	results: Results[];
	detail: Record<string, unknown>;
};

type Results = {
	model: string;
	ok: boolean;
	role: string;
	in_tokens: number;
	out_tokens: number;
	latency_ms: number;
	cost_usd: number;
	confidence: number;
	/** Null where nothing was rated. */
	confidence_basis: "verified" | "agreement" | "judge" | "self_report" | "prior" | null;
};

type Model = {
	id: string;
	object: "model";
	type: "model";
	created: number;
	/** The release date; the epoch where it is not known. */
	created_at: string;
	owned_by: string;
	display_name: string;
	provider: string;
	tier: "budget" | "mid" | "premium" | "frontier";
	pricing: Pricing;
	context_window: number;
	max_output_tokens: number;
	max_input_tokens: number;
	/** The same as max_output_tokens, as Anthropic's libraries read it. */
	max_tokens: number;
	capabilities: Capabilities;
	/** Until when its training data reach: a year, month or day; null where it is not published. */
	knowledge_cutoff: string | null;
	/** Whether its weights are published. */
	open_weights: boolean;
	/** Whether its provider trains on what it is sent: no, if you allow it (`opt_in`), unless you object (`opt_out`). Null: not published, or the base address is replaced. */
	trains_on_inputs: "no" | "opt_in" | "opt_out" | null;
	available: boolean;
	/** Its provider lately said that it does not serve it: requests that do not name it pass it by for ten minutes. */
	not_served?: true;
	/** The id that was asked for, where it stands for this model. */
	alias?: string;
};

type Pricing = {
	input_usd_mtok: number;
	output_usd_mtok: number;
};

type Capabilities = {
	tools: boolean;
	vision: boolean;
	json_schema: boolean;
	logprobs: boolean;
	reasoning: boolean;
	reasoning_efforts: Array<"none" | "minimal" | "low" | "medium" | "high" | "xhigh" | "max">;
};

type GoalDigest = {
	hash: string;
	bytes: number;
};

type AgentRun = {
	object: "agent.run";
	run_id: string;
	/** `running` and `interrupted` are seen by reads only. */
	status: "running" | "complete" | "budget_exhausted" | "max_steps_reached" | "cancelled" | "interrupted";
	/** Its receipt is signed; false while it runs, and while it can be resumed. */
	sealed: boolean;
	created_at: string;
	policy: string;
	/** That subtasks start with. */
	strategy: string;
	steps_taken: number;
	cost_consumed_usd: number;
	max_cost_usd: number;
	remaining_usd: number;
	trajectory_proof: string;
	output: string;
	/** The output limit ended the output or a section of it, and nobody could complete it. */
	truncated?: true;
	/** Of a goal that is not kept, because the cap paid for no call: `goal` is empty and `plan` too. */
	goal_digest?: GoalDigest;
	/** What became of the goal, judged on the output; of a run that has ended. It is in no proof yet. */
	goal_outcome?: "done" | "partial" | "refused" | "needs_tools";
	/** Why it stopped, unless it is complete or still running. */
	final_message?: string;
	goal?: string;
	plan: string[];
	steps: Steps[];
	alerts: Alerts[];
	budget: Budget;
	/** Of an output that was cut at the default limit; to its first request also of members that were ignored. */
	svc?: Svc;
};

type Steps = {
	index: number;
	role: "subtask" | "finalize";
	/** The model that wrote what was kept. */
	model: string;
	intensity: "Laser" | "Halo" | "Foton";
	strategy: string;
	/** Of all calls of the step. */
	cost_usd: number;
	confidence: number;
	/** In no proof. Null where nothing was rated; absent in steps from before it was recorded. */
	confidence_basis?: "verified" | "agreement" | "judge" | "self_report" | "prior" | null;
	input_hash: string;
	output_hash: string;
	step_proof: string;
	timestamp: string;
	/** Of all calls; in no proof. */
	tokens?: number;
	input_tokens?: number;
};

type Alerts = {
	level: "WARNING" | "CRITICAL";
	code: "budget_pressure" | "provider_overrun" | "model_replaced" | "webhook_failed" | "placeholder_not_restored" | "step_refused";
	threshold: number | null;
	consumed_share: number;
	consumed_usd: number;
	max_cost_usd: number;
	step_index: number;
	intensity: "Laser" | "Halo" | "Foton";
	message: string;
};

type Budget = {
	plan: string;
	plan_envelope_usd: number;
	tier_limit_usd: number;
	max_cost_usd: number;
	multiplier: number;
	/** max_cost_usd is what the API key's budget left when the run began. */
	limited_by?: "key_budget";
};

type Svc = {
	warnings: Warnings[];
};

type Data = {
	id: string;
	workspace_id: string;
	/** Whose workspace it is: the first 16 hex digits of SHA-256 of the user's id. Null in older entries. */
	owner: string | null;
	seq: number;
	objective: string;
	from_tool: string | null;
	to_tool: string | null;
	files_touched: string[];
	constraints: string[];
	risks: {
		id: string;
		description: string;
	}[];
	validation: {
		id: string;
		description: string;
	}[];
	recommended_next_action: string | null;
	action_kind: string;
	est_cost: number | null;
	risk: Risk;
	prev_handoff_id: string | null;
	prev_hash: string | null;
	prev_signature: string | null;
	created_at: string;
	/** Canonical JSON (RFC 8785): what is hashed and signed. */
	subject: string;
	signed: boolean;
	/** `sha256:` and 64 hex digits. */
	hash: string;
	/** Ed25519 over the subject, base64. */
	signature: string | null;
	key_id: string | null;
};

type Risk = {
	score: number;
	tier: string;
	factors: string[];
};

type Tools2 = {
	/** Tools that need not ask. */
	allow?: string[] | null;
	/** Tools that a person is asked about. */
	ask?: string[] | null;
	/** Tools that are refused. */
	deny?: string[] | null;
	/** What holds for a tool that no pattern names and that is not known otherwise. Default: ask. */
	unknown?: "allow" | "ask" | "deny" | null;
};

type Manifest = {
	workspace_id: string;
	project_name: string | null;
	stack: string[];
	protected_paths: string[];
	forbidden_commands: string[];
	allowed_commands?: string[];
	tools?: Tools3;
	require_handoffs: boolean;
	require_risk_gate: boolean;
};

type Tools3 = {
	allow: string[];
	ask: string[];
	deny: string[];
	unknown: "allow" | "ask" | "deny";
};

type HookCodexBody = {
	/** The workspace whose manifest is the policy. */
	workspace: string;
	/** The workspace's root: paths in it are named from there. Default: where the agent works. */
	root?: string;
};

type HookCodexBody2 = {
	/** Such as PreToolUse. */
	hook_event_name: string;
	/** The agent's session. */
	session_id?: string | null;
	/** Where the agent works, absolute. */
	cwd?: string | null;
	/** Such as default, plan or bypassPermissions. */
	permission_mode?: string | null;
	/** Such as Bash, Edit or mcp__server__tool. */
	tool_name?: string | null;
	/** The tool's arguments. */
	tool_input?: unknown;
	/** What the tool has answered. */
	tool_response?: unknown;
	/** The call of the tool. */
	tool_use_id?: string | null;
	[member: string]: unknown;
};

type HookCodex = {
	/** Absent, the agent goes on under its own rules. */
	hookSpecificOutput?: HookSpecificOutput;
};

type HookSpecificOutput = {
	hookEventName: "PreToolUse";
	permissionDecision: "ask" | "deny";
	permissionDecisionReason: string;
};

type Config = {
	model: string;
	routing_mode: string | null;
	max_cost: number | null;
	blocked: string[];
	fallback: string[];
	rules?: Array<Record<string, unknown>>;
	compliance?: Record<string, unknown>;
	default_max_tokens?: number;
	[member: string]: unknown;
};

type Choices = {
	index: 0;
	message: Message;
	finish_reason: "stop" | "length" | "tool_calls" | "content_filter";
	native_finish_reason: string | null;
	logprobs: unknown;
};

type Message = {
	role: "assistant";
	content: string | null;
	refusal: string | null;
	reasoning_content?: string;
	tool_calls?: ToolCalls2[];
	[member: string]: unknown;
};

type ToolCalls2 = {
	id: string;
	type: "function";
	function: {
		name: string;
		arguments: string;
	};
	[member: string]: unknown;
};

type Usage2 = {
	prompt_tokens: number;
	completion_tokens: number;
	total_tokens: number;
	prompt_tokens_details: PromptTokensDetails;
	completion_tokens_details: CompletionTokensDetails;
};

type PromptTokensDetails = {
	cached_tokens: number;
};

type CompletionTokensDetails = {
	reasoning_tokens: number;
};

type Cost2 = {
	input_usd: number;
	output_usd: number;
	total_usd: number;
	estimated: boolean;
};

type Proof = {
	request_id: string;
	timestamp: string;
	proof_hash: string;
	model: string;
	provider: string;
	mode: "quality" | "balanced" | "agility" | "direct";
	reason: string;
	verifiable: true;
	signature: string | null;
	key_id: string | null;
	/** When a compliance policy was in force. */
	compliance?: Compliance2;
};

type ChangeKeyBody = {
	/** For people. */
	name?: string | null;
	/** An agent's key may not change manifests, shares or keys. */
	role?: "owner" | "agent" | null;
	/** From then on, the key is refused. None by default. */
	expires_at?: string | null;
	/** Requests a minute, at most the plan's, which is the default. */
	rpm?: number | null;
	/** Requests in 24 hours, at most the plan's, which is the default. */
	daily_requests?: number | null;
	/** USD that its requests never cost more than, in each period; above 0. None by default. */
	budget_usd?: number | null;
	/** The budget's period: a calendar day, week or month in UTC, or total, which is the default. */
	budget_period?: "day" | "week" | "month" | "total" | null;
	/** The models it may call: ids, tiers, and * globs of ids and providers. All of the plan's by default. */
	models?: string[] | null;
	/** A routing config for its requests, between the server's and their own. */
	brain_config?: Record<string, unknown> | null;
	/** The output limit of its requests that name none, before its config's. The service's by default. */
	default_max_tokens?: number | null;
	/** Labels of the key. */
	tags?: string[] | null;
	/** An https address that alerts of its budget are sent to, at 50, 80 and 100 %. None by default. */
	alert_webhook?: string | null;
	/** Whether it reads only what it, or a key that it replaced, made: an agent's key by default, an owner's never. */
	own_only?: boolean | null;
};

type ChangeKey = {
	object: "key";
	key_id: string;
	name: string | null;
	role: "owner" | "agent";
	last4: string;
	expires_at: string | null;
	/** Null where the plan's limit holds. */
	rpm: number | null;
	daily_requests: number | null;
	/** Null where it may spend as much as it likes. */
	budget_usd: number | null;
	budget_period: "day" | "week" | "month" | "total" | null;
	/** Null where it may call all of the plan's. */
	models: string[] | null;
	brain_config: Config | null;
	/** The output limit of its requests that name none; null where the config's or the service's holds. */
	default_max_tokens: number | null;
	tags: string[];
	/** Where alerts of its budget go. Only owners' keys are shown more than the host. */
	alert_webhook: string | null;
	/** Whether it reads only what it, or a key that it replaced, made. */
	own_only: boolean;
	created_at: string;
	/** The key that it replaced. */
	rotated_from: string | null;
	/** Of the budget, in its current period; null without one. */
	spent_usd: number | null;
	/** What open requests may still cost of the budget, at most. */
	held_usd: number | null;
	/** When the budget's period ends; null where it has no end. */
	resets_at: string | null;
	/** Of its requests and those of the keys that it replaced, as the two below. */
	cost_today_usd: number;
	cost_month_usd: number;
	cost_total_usd: number;
	/** The latest UTC day with a request that cost anything. */
	last_used_on: string | null;
};

type ByProvider = Record<string, ByProvider2>;

type ByProvider2 = {
	requests: number;
	tokens: number;
	cost_usd: number;
};

type Kv = {
	ok: boolean;
	latency_ms: number;
};

/** By the endpoint's id. */
export interface EndpointTypes {
	/** A chat completion, whole or streamed, by the model that routing picks or the one named, with cost and receipt. */
	create_chat_completion: {
		body: {
			/** The conversation, oldest first. */
			messages: Array<Messages | Messages2 | Messages3 | Messages4 | Messages5>;
			/** `auto` (default), an id of list_models, or `laser-1`, `halo-1`, `foton-1` for a tier. */
			model?: string | null;
			/** Most tokens of the answer. */
			max_tokens?: number | null;
			max_completion_tokens?: number | null;
			temperature?: number | null;
			top_p?: number | null;
			presence_penalty?: number | null;
			frequency_penalty?: number | null;
			seed?: number | null;
			logit_bias?: Record<string, number> | null;
			logprobs?: boolean | null;
			top_logprobs?: number | null;
			stop?: string | string[] | null;
			n?: 1 | null;
			stream?: boolean | null;
			stream_options?: {
				include_usage?: boolean | null;
			} | null;
			tools?: Tools[] | null;
			tool_choice?: "auto" | "none" | "required" | ToolChoice | null;
			parallel_tool_calls?: boolean | null;
			response_format?: {
				type: "text";
			} | {
				type: "json_object";
			} | ResponseFormat | null;
			/** The lowest that the model has by default. */
			reasoning_effort?: "none" | "minimal" | "low" | "medium" | "high" | "xhigh" | "max" | null;
			user?: string | null;
			metadata?: Record<string, unknown> | null;
			/** What `auto` prefers; by the prompt by default. */
			routing_mode?: "quality" | "balanced" | "agility" | null;
			/** A routing config. */
			brain_config?: BrainConfig | null;
			/** Models that it excludes see nothing. */
			compliance?: Compliance | null;
			[member: string]: unknown;
		};
		result: {
			id: string;
			object: "chat.completion";
			created: number;
			model: string;
			choices: [Choices];
			usage: Usage2;
			svc: {
				routing: {
					mode: "quality" | "balanced" | "agility" | "direct";
					model_display: string;
					provider: string;
					reason: string;
					tier: "budget" | "mid" | "premium" | "frontier";
					signals_detected: Record<string, boolean>;
					/** How likely the prompt has each intent. */
					intents: Intents;
					/** What else the choice was made with; POST /v1/route takes it and repeats the choice. */
					observed: Observed;
				};
				cost: Cost2;
				latency_ms: number;
				proof: Proof;
				fallback: boolean;
				fallback_from: string | null;
				fallback_to: string | null;
				/** Whether a whole answer has the form that `response_format` asks for, as far as it can be checked. */
				format_met?: boolean;
				/** The answer refuses: by the provider's own sign, or in words, as far as these can be told. */
				refused?: true;
				warnings: Warnings[];
			};
			[member: string]: unknown;
		};
	};
	/** What a chat request would run on: every candidate, every exclusion, no model called. */
	preview_route: {
		body: {
			/** The conversation, oldest first. */
			messages?: Array<Messages | Messages2 | Messages3 | Messages4 | Messages5>;
			/** `auto` (default), an id of list_models, or `laser-1`, `halo-1`, `foton-1` for a tier. */
			model?: string | null;
			/** Most tokens of the answer. */
			max_tokens?: number | null;
			max_completion_tokens?: number | null;
			temperature?: number | null;
			top_p?: number | null;
			presence_penalty?: number | null;
			frequency_penalty?: number | null;
			seed?: number | null;
			logit_bias?: Record<string, number> | null;
			logprobs?: boolean | null;
			top_logprobs?: number | null;
			stop?: string | string[] | null;
			n?: 1 | null;
			stream?: boolean | null;
			stream_options?: {
				include_usage?: boolean | null;
			} | null;
			tools?: Tools[] | null;
			tool_choice?: "auto" | "none" | "required" | ToolChoice | null;
			parallel_tool_calls?: boolean | null;
			response_format?: {
				type: "text";
			} | {
				type: "json_object";
			} | ResponseFormat | null;
			/** The lowest that the model has by default. */
			reasoning_effort?: "none" | "minimal" | "low" | "medium" | "high" | "xhigh" | "max" | null;
			user?: string | null;
			metadata?: Record<string, unknown> | null;
			/** What `auto` prefers; by the prompt by default. */
			routing_mode?: "quality" | "balanced" | "agility" | null;
			/** A routing config. */
			brain_config?: BrainConfig | null;
			/** Models that it excludes see nothing. */
			compliance?: Compliance | null;
			/** Stands for one user message when messages is omitted. */
			prompt?: string | null;
			/** The svc.routing.observed of an answer: repeats its choice. Without it, what is observed now counts. */
			observed?: {
				/** The hour in which the decision was made; prices may depend on it. */
				at: string;
				/** The model that has served the conversation so far. */
				conversation_model?: string;
				/** By provider: for how many ms its breaker has been open. */
				open_breakers?: Record<string, number>;
				/** By model: ms until it may be called again after a 429. */
				throttled?: Record<string, number>;
				/** By model: how many times as long as the catalog says its answers have taken lately. */
				slowdown?: Record<string, number>;
				/** By model: the share of its calls that have failed lately. */
				failure_share?: Record<string, number>;
				/** Models that their providers lately said they do not serve, which are passed by: ms until a request that names one asks again. */
				not_served?: Record<string, number>;
			} | null;
			[member: string]: unknown;
		};
		result: {
			object: "route";
			model: string;
			model_display: string;
			provider: string;
			tier: "budget" | "mid" | "premium" | "frontier";
			mode: "quality" | "balanced" | "agility" | "direct";
			reason: string;
			signals_detected: Record<string, boolean>;
			/** How likely the prompt has each intent. */
			intents: Intents;
			/** What else the choice was made with; send it back to repeat the choice. */
			observed: Observed;
			estimated_cost: {
				input_usd: number;
				output_usd: number;
				total_usd: number;
			};
			candidates: Array<{
				model: string;
				provider: string;
				tier: "budget" | "mid" | "premium" | "frontier";
				score: number;
				expected_quality: number;
				estimated_cost_usd: number;
				expected_latency_ms: number;
				/** What the catalog has no figure of this model for: its general figure stands in. */
				unknown?: Array<"code" | "math" | "reasoning" | "creative" | "text" | "translation" | "factual" | "advice" | "chat" | "tools">;
				/** Expected to be so much worse than the best that the mode ranks it behind all others. */
				below_floor?: true;
				/** So many of its calls failed lately that it is called after the others. */
				failing?: true;
			}>;
			excluded: Record<string, string[]>;
			/** Under a policy that masks: how many different values of each kind would be masked. */
			masked?: Record<string, number>;
			/** What the answer's svc.warnings would say of the choice. */
			warnings: Warnings[];
			/** The routing config's rule that matched: its name, else its place. */
			matched_rule: string | null;
		};
	};
	/** One answer from several models: by the strategy that policy and prompt call for, or the one named, with cost, stages and receipt. */
	orchestrate: {
		body: {
			/** The conversation; its last user message is worked on. */
			messages: Array<{
				role: "system" | "developer" | "user" | "assistant";
				content: string | {
					type: "text";
					text: string;
				}[];
			}>;
			/** `balanced` by default; `efficiency` is cheapest, `depth` asks several models. */
			policy?: "efficiency" | "balanced" | "depth" | null;
			/** By policy and prompt where it is left out. */
			strategy?: "single" | "cascade" | "ensemble_moa" | "rank_fuse" | "decompose_and_route" | "self_consistency" | "debate" | null;
			/** How many answers `ensemble_moa`, `rank_fuse` and `self_consistency` compare. */
			k?: number | null;
			/** Of each model call; 1024 by default. */
			max_tokens?: number | null;
			/** 0.7 by default. */
			temperature?: number | null;
			/** Of the final answer, as in chat; text by default. */
			response_format?: {
				type: "text";
			} | {
				type: "json_object";
			} | ResponseFormat | null;
			/** Of every call; by policy and role where it is left out. */
			reasoning_effort?: "none" | "minimal" | "low" | "medium" | "high" | "xhigh" | "max" | null;
			/** USD to stay near; one cheapest call always runs. */
			max_cost_usd?: number | null;
			/** Who aggregates, ranks or judges, if it is an id of list_models. */
			judge_model?: string | null;
			/** A routing config. */
			brain_config?: BrainConfig | null;
			/** Models that it excludes see nothing. */
			compliance?: Compliance | null;
			/** Whether `svc.stages` is shown; true by default. */
			include_trace?: boolean | null;
			stream?: boolean | null;
		};
		result: {
			id: string;
			object: "orchestration";
			created: number;
			policy: "efficiency" | "balanced" | "depth";
			strategy: "single" | "cascade" | "ensemble_moa" | "rank_fuse" | "decompose_and_route" | "self_consistency" | "debate";
			reason: string;
			choices: [{
				index: 0;
				message: {
					role: "assistant";
					content: string;
				};
				finish_reason: "stop";
			}];
			usage: Usage;
			svc: {
				orchestration: {
					policy: "efficiency" | "balanced" | "depth";
					strategy: "single" | "cascade" | "ensemble_moa" | "rank_fuse" | "decompose_and_route" | "self_consistency" | "debate";
					reason: string;
					models_used: string[];
					confidence: number;
					confidence_basis: "verified" | "agreement" | "judge" | "self_report" | "prior";
					agreement: number;
					escalated: boolean;
					latency_ms: number;
				};
				cost: Cost;
				proof: {
					request_id: string;
					timestamp: string;
					proof_hash: string;
					verifiable: true;
					/** When a compliance policy was in force. */
					compliance?: Compliance2;
					signature: string | null;
					key_id: string | null;
					policy: "efficiency" | "balanced" | "depth";
					strategy: "single" | "cascade" | "ensemble_moa" | "rank_fuse" | "decompose_and_route" | "self_consistency" | "debate";
					models_used: string[];
					confidence: number;
					agreement: number;
				};
				/** The output limit ended the answer, and nobody could complete it. */
				truncated?: true;
				/** Whether a whole answer has the form that `response_format` asks for, as far as it can be checked. */
				format_met?: boolean;
				/** Every model that was asked refused; the text is one of their refusals. */
				refused?: true;
				warnings: Warnings[];
				stages?: Stages[];
				/** What the policy in force decided. */
				compliance?: Record<string, unknown>;
			};
		};
	};
	/** Code for a task: one model writes it, another reviews it, and it is repaired until it passes; it is never run. */
	write_code: {
		body: {
			/** What the code is to do; at most 256 KiB. */
			task: string;
			/** Such as `python`; told from the task where it is left out. */
			language?: string | null;
			/** `balanced` by default; `efficiency` has one cheap coder, `depth` several. */
			policy?: "efficiency" | "balanced" | "depth" | null;
			/** Who writes, if it is an id of list_models. */
			coder_model?: string | null;
			/** Who reviews, likewise. */
			reviewer_model?: string | null;
			/** Drafts at most, the first included; 3 by default. */
			max_iters?: number | null;
			/** With false one draft and no reviewer; true by default. */
			review?: boolean | null;
			/** Of each model call; 2048 by default. */
			max_tokens?: number | null;
			/** 0.2 by default. */
			temperature?: number | null;
			/** Of every call; by policy and role where it is left out. */
			reasoning_effort?: "none" | "minimal" | "low" | "medium" | "high" | "xhigh" | "max" | null;
			/** USD near which repairs stop. */
			max_cost_usd?: number | null;
			/** A routing config. */
			brain_config?: BrainConfig | null;
			/** Models that it excludes see nothing. */
			compliance?: Compliance | null;
			/** Whether `svc.stages` is shown; true by default. */
			include_trace?: boolean | null;
			stream?: boolean | null;
		};
		result: {
			id: string;
			object: "code";
			created: number;
			task: string;
			language: string;
			policy: "efficiency" | "balanced" | "depth";
			reason: string;
			passed: boolean;
			iterations: number;
			files: {
				path: string;
				language: string;
				content: string;
				bytes: number;
			}[];
			review: {
				passed: boolean;
				score: number;
				issues: string[];
				reviewer: string;
			} | null;
			usage: Usage;
			svc: {
				code: {
					policy: "efficiency" | "balanced" | "depth";
					language: string;
					passed: boolean;
					score: number;
					confidence: number;
					confidence_basis: "verified" | "agreement" | "judge" | "self_report" | "prior";
					iterations: number;
					coder_models: string[];
					reviewer_model: string | null;
					models_used: string[];
					latency_ms: number;
					static_issues?: string[];
				};
				cost: Cost;
				proof: {
					request_id: string;
					timestamp: string;
					proof_hash: string;
					verifiable: true;
					/** When a compliance policy was in force. */
					compliance?: Compliance2;
					signature: string | null;
					key_id: string | null;
					policy: "efficiency" | "balanced" | "depth";
					language: string;
					passed: boolean;
					models_used: string[];
					confidence: number;
				};
				/** The output limit ended the answer with these files, so some may be missing. */
				truncated?: true;
				/** A review was asked for, and no reviewer gave a verdict that can be read. */
				unreviewed?: true;
				warnings: Warnings[];
				stages?: Stages[];
			};
		};
	};
	/** What a compliance policy would let through for a text: the classes of data in it, every model with its reasons, the price of it. No model is called. */
	preview_compliance: {
		body: {
			/** Instead of prompt: the last user message is classified. */
			messages?: Array<Messages | Messages2 | Messages3 | Messages4 | Messages5> | null;
			/** `auto` (default), an id of list_models, or `laser-1`, `halo-1`, `foton-1` for a tier. */
			model?: string | null;
			/** Most tokens of the answer. */
			max_tokens?: number | null;
			max_completion_tokens?: number | null;
			temperature?: number | null;
			top_p?: number | null;
			presence_penalty?: number | null;
			frequency_penalty?: number | null;
			seed?: number | null;
			logit_bias?: Record<string, number> | null;
			logprobs?: boolean | null;
			top_logprobs?: number | null;
			stop?: string | string[] | null;
			n?: 1 | null;
			stream?: boolean | null;
			stream_options?: {
				include_usage?: boolean | null;
			} | null;
			tools?: Tools[] | null;
			tool_choice?: "auto" | "none" | "required" | ToolChoice | null;
			parallel_tool_calls?: boolean | null;
			response_format?: {
				type: "text";
			} | {
				type: "json_object";
			} | ResponseFormat | null;
			/** The lowest that the model has by default. */
			reasoning_effort?: "none" | "minimal" | "low" | "medium" | "high" | "xhigh" | "max" | null;
			user?: string | null;
			metadata?: Record<string, unknown> | null;
			/** What `auto` prefers; by the prompt by default. */
			routing_mode?: "quality" | "balanced" | "agility" | null;
			/** Its compliance block is used without one. */
			brain_config?: {
				compliance?: {
					provider_allowlist?: string[] | null;
					provider_denylist?: string[] | null;
					/** ISO codes, EU. */
					jurisdiction?: string[] | null;
					data_residency?: string[] | null;
					frameworks?: string[] | null;
					certifications?: string[] | null;
					block_data_classes?: Array<"PII" | "PHI" | "FINANCIAL" | "SECRETS"> | null;
					mask_data_classes?: string[] | null;
					allow_unread?: string[] | null;
					require_zero_retention?: boolean | null;
					detect?: string | null;
				};
				[member: string]: unknown;
			} | null;
			/** The policy; before that of the config. */
			compliance?: Compliance | null;
			/** The text to classify. */
			prompt?: string | null;
			/** `all`: every text of a call is classified, and `places` says where. */
			scope?: "last" | "all" | null;
			[member: string]: unknown;
		};
		result: {
			active: boolean;
			ok?: boolean;
			policy?: Record<string, unknown>;
			/** The policies above the request's, by level. They hold for every call. */
			floor?: Floor[];
			detected_classes: string[];
			classification: Record<string, string[]>;
			/** Under detect: inferred, what is found beyond pattern matching. */
			inferred?: {
				detected_classes: string[];
				classification: Record<string, string[]>;
			};
			/** With scope all: where the data stand. */
			places?: Array<{
				path: string;
				message: number | null;
				place: string;
				kinds: string[];
				count: number;
			}>;
			/** Under a policy that masks: how many different values of each kind would be masked. */
			masked?: Record<string, number>;
			/** Under a policy that masks: the last user message as models would read it, at most 4,000 characters. */
			masked_text?: string;
			allowed_models?: string[];
			excluded_models?: Record<string, string[]>;
			compliance_cost_premium?: {
				compliant_available: boolean;
				cheapest_unrestricted: string | null;
				unrestricted_min_usd_mtok: number | null;
				cheapest_compliant: string | null;
				compliant_min_usd_mtok: number | null;
				premium_usd_mtok: number | null;
				premium_pct: number | null;
			};
			decision?: {
				policy: Record<string, unknown>;
				policy_active: boolean;
				detected_classes: string[];
				allowed: string[];
				allowed_count: number;
				excluded: Record<string, string[]>;
				excluded_count: number;
				matrix_version: string;
			};
			sample_attestation?: string;
			matrix_version?: string;
			note?: string;
		};
	};
	/** All models of the catalog, with price, limits and whether a provider key is configured. */
	list_models: {
		query?: {
			/** How many models a page has. Default: all. */
			limit?: number;
			/** The page begins after this model. */
			after_id?: string;
			/** The page ends before this model. */
			before_id?: string;
		};
		result: {
			object: "list";
			data: Model[];
			first_id: string | null;
			last_id: string | null;
			has_more: boolean;
		};
	};
	/** One model of the catalog, by its id or that of another version of its family. */
	get_model: {
		params: {
			id: string;
		};
		result: Model;
	};
	/** The keys that verify this service's signatures; with a workspace's id and its owner's key, also the verifier key of its checkpoints. */
	get_public_key: {
		query?: {
			workspace_id?: string;
		};
		result: {
			object: "proof.pubkey";
			algorithm: "Ed25519";
			enabled: boolean;
			current: string | null;
			keys: Array<{
				key_id: string;
				status: "current" | "retired";
				public_key: string;
				pem: string;
				jwk: {
					kty: "OKP";
					crv: "Ed25519";
					x: string;
					kid: string;
					use: "sig";
					alg: "EdDSA";
				};
			}>;
			/** c2sp.org/signed-note verifier key, `<name>+<hash>+<key>`. */
			vkey?: string;
		};
	};
	/** The receipt of a request, recomputed and with its signature checked. */
	get_proof: {
		params: {
			request_id: string;
		};
		result: {
			object: "proof";
			request_id: string;
			kind: string;
			valid: boolean;
			proof_hash: string;
			recomputed_hash: string;
			signed: boolean;
			signature: string | null;
			key_id: string | null;
			receipt: Record<string, unknown>;
		};
	};
	/** Works on a goal in steps, under a ceiling that is never exceeded, and answers with the run and its proof. */
	start_agent_run: {
		body: {
			/** What is to be reached; at most 256 KiB. */
			goal?: string | null;
			/** The same, where `goal` is missing or blank. */
			prompt?: string | null;
			/** USD the run never spends more than. Default and most: 5 times the plan's envelope. */
			max_cost_usd?: number | null;
			/** USD, the same for each step; what is above the run's is the run's. */
			max_cost_per_step?: number | null;
			/** All steps, the plan's and the final one included; 50 by default, 1000 at most. */
			max_steps?: number | null;
			/** `balanced` by default. */
			policy?: "efficiency" | "balanced" | "depth" | null;
			/** A second request with the same key and body joins the first run and spends nothing. */
			idempotency_key?: string | null;
			/** Of each model call; 1024 by default. */
			max_tokens?: number | null;
			/** 0.5 by default. */
			temperature?: number | null;
			/** Of every call; by policy and role where it is left out. */
			reasoning_effort?: "none" | "minimal" | "low" | "medium" | "high" | "xhigh" | "max" | null;
			/** IANA zone of the date that each step is told, such as `Europe/Warsaw`; `UTC` by default. */
			time_zone?: string | null;
			/** Where the run's audit events belong. */
			workspace_id?: string | null;
			/** A routing config. */
			brain_config?: BrainConfig | null;
			/** Models that it excludes see nothing. */
			compliance?: Compliance | null;
			/** Progress as Server-Sent Events, then the run. */
			stream?: boolean | null;
			/** Answer at once, 202 with the run as it stands; not with `stream`. */
			background?: boolean | null;
			/** An https address that is told when the run has ended or is interrupted; its host is one that the operator allows. */
			webhook?: string | null;
		};
		result: AgentRun;
	};
	/** The caller's runs, newest first. */
	list_agent_runs: {
		query?: {
			/** At most 200; what is above counts as that. */
			limit?: number;
			/** Only these. */
			status?: "running" | "complete" | "budget_exhausted" | "max_steps_reached" | "cancelled" | "interrupted";
			/** Begun then or later. */
			since?: string;
			/** Begun before. */
			until?: string;
			/** `next_cursor` of the page before. */
			cursor?: string;
		};
		result: {
			object: "list";
			/** Runs on this page. */
			count: number;
			has_more: boolean;
			next_cursor: string | null;
			data: Array<{
				object: "agent.run";
				run_id: string;
				/** `running` and `interrupted` are seen by reads only. */
				status: "running" | "complete" | "budget_exhausted" | "max_steps_reached" | "cancelled" | "interrupted";
				/** Its receipt is signed; false while it runs, and while it can be resumed. */
				sealed: boolean;
				created_at: string;
				policy: string;
				/** That subtasks start with. */
				strategy: string;
				steps_taken: number;
				cost_consumed_usd: number;
				max_cost_usd: number;
				remaining_usd: number;
				trajectory_proof: string;
				output: string;
				/** The output limit ended the output or a section of it, and nobody could complete it. */
				truncated?: true;
				/** Of a goal that is not kept, because the cap paid for no call: `goal` is empty and `plan` too. */
				goal_digest?: GoalDigest;
				/** What became of the goal, judged on the output; of a run that has ended. It is in no proof yet. */
				goal_outcome?: "done" | "partial" | "refused" | "needs_tools";
				/** Why it stopped, unless it is complete or still running. */
				final_message?: string;
				/** Its first 200 characters. */
				goal: string;
			}>;
		};
	};
	/** Recomputes an agent's trajectory from its steps, and says whether this service signed its root. */
	verify_trajectory: {
		body: {
			run_id: string;
			/** The claimed root. */
			trajectory_proof: string;
			/** The run's, which is part of its root. */
			policy?: string;
			/** Likewise. */
			strategy?: string;
			/** In the order they were taken; hashed as given, unknown members apart. */
			steps: {
				index: number;
				model: string;
				input_hash: string;
				output_hash: string;
				cost_usd: number;
				confidence: number;
				timestamp: string;
			}[];
			/** The run's output, which is hashed here. */
			output?: string | null;
			/** Its hash. With `output` too, both must agree; with neither, the last step's stands in. */
			output_hash?: string | null;
			/** One per step; with them `mismatched_steps` names the changed ones. */
			step_proofs?: string[] | null;
		};
		result: {
			/** The bundle is consistent with itself and with the claimed root. */
			valid: boolean;
			recomputed_proof: string;
			/** With `step_proofs`: the positions whose proof does not follow. */
			mismatched_steps: number[];
			/** `index_gap:<position>`, `output_hash_mismatch`, `root_mismatch`. */
			faults: string[];
			/** Whether this service signed the claimed root for this run; null for a run that it does not know. */
			issued: boolean | null;
		};
	};
	/** One of the caller's runs as it stands. */
	get_agent_run: {
		params: {
			run_id: string;
		};
		result: AgentRun;
	};
	/** The steps of a run with their proofs, recomputed; with `full` as whole hashes and what verifies them. */
	get_agent_trajectory: {
		params: {
			run_id: string;
		};
		query?: {
			/** With true whole hashes and `verify_request`. */
			full?: boolean;
		};
		result: {
			object: "agent.trajectory";
			run_id: string;
			status: "running" | "complete" | "budget_exhausted" | "max_steps_reached" | "cancelled" | "interrupted";
			trajectory_proof: string;
			/** Hashes are cut, unless `full` is true. */
			steps: Steps[];
			verification: {
				valid: boolean;
				recomputed_proof: string;
				n_steps: number;
				mismatched_steps: number[];
			};
			/** With `full`: what POST /v1/agent/verify takes. */
			verify_request?: {
				run_id: string;
				trajectory_proof: string;
				policy: string;
				strategy: string;
				output_hash: string;
				steps: Steps[];
				step_proofs: string[];
			};
		};
	};
	/** One step of a run with the text that it wrote. */
	get_agent_step: {
		params: {
			run_id: string;
			/** From 0. */
			index: string;
		};
		result: {
			object: "agent.step";
			run_id: string;
			index: number;
			role: "subtask" | "finalize";
			/** Its purpose, in words. */
			subtask: string;
			text: string;
			/** The text was longer than 1 MiB, and is its beginning. */
			truncated: boolean;
			/** Of the whole text. */
			output_hash: string;
		};
	};
	/** What happens in one of the caller's runs, until it is over or interrupted; then the run. */
	watch_agent_run: {
		params: {
			run_id: string;
		};
		query?: {
			/** With false, one JSON body: the run, when it is over or interrupted. */
			stream?: boolean;
		};
		result: AgentRun;
	};
	/** Has a run make no further call, and answers with what it came to; one that is over stays as it is. */
	cancel_agent_run: {
		params: {
			run_id: string;
		};
		result: AgentRun;
	};
	/** Lets an interrupted run go on under its cap, and answers with the run at its end. */
	resume_agent_run: {
		params: {
			run_id: string;
		};
		body: {
			/** Progress as Server-Sent Events, then the run. */
			stream?: boolean | null;
			/** Answer at once, 202 with the run as it stands; not with `stream`. */
			background?: boolean | null;
		};
		result: AgentRun;
	};
	/** Deletes a run that has ended, with its goal, output and texts; what it took of the quota is free. */
	delete_agent_run: {
		params: {
			run_id: string;
		};
		result: {
			object: "agent.run";
			run_id: string;
			deleted: true;
			freed_bytes: number;
		};
	};
	/** Appends a signed handoff to a workspace's chain. */
	create_handoff: {
		body: {
			workspace_id: string;
			/** What the work is for. */
			objective: string;
			/** Tool handing off. */
			from_tool?: string | null;
			/** Tool receiving; may be a human. */
			to_tool?: string | null;
			/** Paths modified. */
			files_touched?: string[] | null;
			/** Constraints for the next agent. */
			constraints?: string[] | null;
			/** What may go wrong. */
			risks?: {
				id: string;
				description: string;
			}[] | null;
			/** What was checked, and what is to be. */
			validation?: {
				id: string;
				description: string;
			}[] | null;
			/** What the receiver does first. */
			recommended_next_action?: string | null;
			/** Default `edit`. */
			action_kind?: "edit" | "refactor" | "deploy" | "review" | "setup" | null;
			/** USD estimate, recorded as given. */
			est_cost?: number | null;
		};
		result: Data;
	};
	/** A signed statement of the chain's size and root, in the C2SP checkpoint format. */
	get_handoff_checkpoint: {
		params: {
			workspace_id: string;
		};
		result: string;
	};
	/** Shows that an entry is in the chain's tree (index), or that one tree continues another (from, to). */
	get_handoff_proof: {
		params: {
			workspace_id: string;
		};
		query?: {
			/** Inclusion of the entry with this seq. */
			index?: number;
			/** … in the tree of this size; the whole chain by default. */
			size?: number;
			/** Consistency of the tree of this size … */
			from?: number;
			/** … with the one of this size. */
			to?: number;
		};
		result: {
			object: "handoff.proof";
			kind: "inclusion" | "consistency";
			/** Entries of the tree with this root. */
			size: number;
			index?: number;
			from?: number;
			to?: number;
			/** Of an inclusion; null for consistency. */
			leaf_hash: string | null;
			root: string;
			hashes: string[];
		};
	};
	/** A workspace's chain, oldest first, in pages; the verdict is on all of it. */
	get_handoff_chain: {
		params: {
			workspace_id: string;
		};
		query?: {
			/** Entries per page; large entries make a page end before. */
			limit?: number;
			/** Only entries with a larger seq. */
			after?: number;
			/** Entries the reader knows of. */
			expected_size?: number;
			/** Hash of the entry at that size, or of any entry. */
			expected_head?: string;
		};
		result: {
			object: "handoff.chain";
			workspace_id: string;
			/** Entries of the whole chain. */
			count: number;
			data: Data[];
			has_more: boolean;
			verification: {
				ok: boolean;
				n: number;
				first_broken_index: number | null;
				/** Whose workspace its entries say that it is; null when none does. */
				owner: string | null;
				/** What the verdict does not tell. */
				notes: string[];
				/** `<name>:<position>`, the lowest hundred. */
				reasons: string[];
				signing_enabled: boolean;
				/** Whether what was expected is there; null without expectations. */
				complete: boolean | null;
			};
			pubkey_endpoint: string;
		};
	};
	/** One handoff of the caller's. */
	get_handoff: {
		params: {
			handoff_id: string;
		};
		result: Data;
	};
	/** Scores how ready a workspace is for agents, with advice; its manifest becomes the workspace's policy. */
	check_workspace_readiness: {
		body: {
			workspace_id: string;
			/** Appears in generated files. */
			project_name?: string | null;
			/** Technologies the project is built with. */
			stack?: string[] | null;
			/** gitignore-style globs of paths that need approval before an agent writes to them. */
			protected_paths?: string[] | null;
			/** Command patterns that must never run. */
			forbidden_commands?: string[] | null;
			/** Patterns of simple commands that need not ask because their effect cannot be seen or undone. */
			allowed_commands?: string[] | null;
			/** Which tools coding agents may call: patterns over `server__tool` of MCP tools, and names of others. */
			tools?: Tools2 | null;
			/** Agents must record a handoff before handing off. */
			require_handoffs?: boolean | null;
			/** Agents must pass the policy check before they act. */
			require_risk_gate?: boolean | null;
			/** False scores the manifest and leaves the policy as it is. Default: true. */
			activate?: boolean | null;
		};
		result: {
			object: "repo.readiness";
			version: string;
			score: number;
			rating: "excellent" | "good" | "fair" | "poor" | "critical";
			earned_weight: number;
			total_weight: number;
			checks: {
				id: string;
				label: string;
				weight: number;
				passed: boolean;
			}[];
			recommendations: {
				id: string;
				label: string;
				weight: number;
				rec: string;
			}[];
			/** Whether this manifest differs from the one in force before and has become the workspace's policy. */
			policy_updated: boolean;
		};
	};
	/** A workspace at a glance: its handoffs' risks and signatures, whether the chain is intact, the last entries. */
	get_workspace_snapshot: {
		params: {
			workspace_id: string;
		};
		query?: {
			/** Handoffs in the tail. */
			limit?: number;
			/** Counts handoffs created then or later; the verdict is on the whole chain. */
			since?: string;
		};
		result: {
			object: "workspace.snapshot";
			workspace_id: string;
			count: number;
			risk_distribution: {
				auto: number;
				confirm: number;
				approve: number;
				block: number;
				unknown: number;
			};
			avg_risk_score: number | null;
			signed_share: number;
			integrity: {
				ok: boolean;
				n: number;
				first_broken_index: number | null;
				reasons: string[];
			};
			tail: Array<{
				id: string;
				objective: string;
				from_tool: string | null;
				to_tool: string | null;
				created_at: string;
				risk_tier: string | null;
				risk_score: number | null;
				signed: boolean;
			}>;
		};
	};
	/** The manifest that is a workspace's policy, or one that was. */
	get_workspace_manifest: {
		params: {
			workspace_id: string;
		};
		query?: {
			/** An older one; by default the one in force. */
			version?: number;
		};
		result: {
			object: "workspace.manifest";
			workspace_id: string;
			/** `default`: none was ever posted, so only built-in rules hold. */
			source: "stored" | "default";
			/** Counts the workspace's manifests from 1; null for the default. */
			version: number | null;
			digest: string;
			/** When this manifest came into force; null for the default. */
			updated_at: string | null;
			manifest: Manifest;
		};
	};
	/** Sets the manifest that is a workspace's policy. */
	put_workspace_manifest: {
		params: {
			workspace_id: string;
		};
		body: {
			workspace_id?: string;
			/** Appears in generated files. */
			project_name?: string | null;
			/** Technologies the project is built with. */
			stack?: string[] | null;
			/** gitignore-style globs of paths that need approval before an agent writes to them. */
			protected_paths?: string[] | null;
			/** Command patterns that must never run. */
			forbidden_commands?: string[] | null;
			/** Patterns of simple commands that need not ask because their effect cannot be seen or undone. */
			allowed_commands?: string[] | null;
			/** Which tools coding agents may call: patterns over `server__tool` of MCP tools, and names of others. */
			tools?: Tools2 | null;
			/** Agents must record a handoff before handing off. */
			require_handoffs?: boolean | null;
			/** Agents must pass the policy check before they act. */
			require_risk_gate?: boolean | null;
			/** Digest of the manifest that this one is to replace. If another is in force by then, nothing changes. */
			base_digest?: string | null;
		};
		result: {
			object: "workspace.manifest";
			workspace_id: string;
			/** `default`: none was ever posted, so only built-in rules hold. */
			source: "stored" | "default";
			/** Counts the workspace's manifests from 1; null for the default. */
			version: number | null;
			digest: string;
			/** When this manifest came into force; null for the default. */
			updated_at: string | null;
			manifest: Manifest;
			policy_updated: boolean;
		};
	};
	/** The caller's workspaces, by name. */
	list_workspaces: {
		query?: {
			/** Workspaces of a page. */
			limit?: number;
			/** `next_cursor` of the page before. */
			cursor?: string;
		};
		result: {
			object: "list";
			has_more: boolean;
			next_cursor: string | null;
			data: Array<{
				object: "workspace";
				workspace_id: string;
				/** Of its latest audit event or manifest. */
				last_activity_at: string;
				handoffs: number;
				/** Null where the built-in rules hold. */
				manifest_version: number | null;
				manifest_updated_at: string | null;
			}>;
		};
	};
	/** Deletes a workspace's manifest with all its versions, or the older versions only; what they took of the quota is free. */
	delete_workspace_manifest: {
		params: {
			workspace_id: string;
		};
		query?: {
			/** With true the manifest in force stays, and only the versions before it are deleted. */
			older_only?: boolean;
		};
		result: {
			object: "workspace.manifest";
			workspace_id: string;
			deleted: true;
			/** How many are gone. */
			versions: number;
			freed_bytes: number;
		};
	};
	/** Decides whether an action may go ahead under a workspace's policy, and records the decision. */
	check_policy: {
		body: {
			/** The workspace whose manifest is the policy. */
			workspace_id: string;
			/** What is about to be done, in words. */
			action: string;
			/** What sort of action it is; deletions and deployments weigh. */
			action_kind?: "edit" | "refactor" | "deploy" | "review" | "setup" | "delete" | null;
			/** Paths, held against protected_paths. */
			files_affected?: string[] | null;
			/** Commands as a shell would get them, held against forbidden_commands. */
			commands?: string[] | null;
			/** Held against the plan's limit for an agent run. */
			estimated_cost_usd?: number | null;
			/** Anything; kept with the decision and not looked at. */
			context?: Record<string, unknown> | null;
		};
		result: {
			decision: "allow" | "confirm" | "approve" | "deny";
			risk_score: number;
			risk_tier: "auto" | "confirm" | "approve" | "block";
			/** All of them, in a fixed order. */
			factors: {
				id: string;
				label: string;
				weight: number;
				triggered: boolean;
			}[];
			reason: string;
			event_id: string;
			created_at: string;
			/** The quota of stored bytes is full, and the event keeps less: `context` as its digest, long texts in part. */
			reduced?: "storage_quota_exceeded";
			/** Of a context that the event does not keep. */
			context_digest?: GoalDigest;
		};
	};
	/** Scores the risk of an action from its kind and targets, under the built-in rules; nothing is recorded. */
	score_risk: {
		body: {
			/** What the action does. */
			kind: "edit" | "deploy" | "delete" | "exec" | "network" | "read";
			/** Paths; of `exec` commands, of `network` addresses. */
			targets?: string[] | null;
		};
		result: {
			object: "risk.score";
			score: number;
			tier: "auto" | "confirm" | "approve" | "block";
			/** Those that fired. */
			factors: {
				id: string;
				label: string;
				weight: number;
			}[];
		};
	};
	/** Decides on what Claude Code is about to do, and records what it has done, as its hook. */
	hook_claude_code: {
		query: HookCodexBody;
		body: HookCodexBody2;
		result: HookCodex;
	};
	/** Decides on what Codex is about to do, and records what it has done, as its hook. */
	hook_codex: {
		query: HookCodexBody;
		body: HookCodexBody2;
		result: HookCodex;
	};
	/** The caller's audit log, newest first. */
	list_audit_events: {
		query?: {
			/** All of the caller's workspaces without it. */
			workspace_id?: string;
			/** Only these. */
			event_type?: "policy_check" | "tool_recorded" | "handoff_created" | "agent_plan" | "agent_record" | "agent_run_deleted" | "manifest_changed" | "manifest_deleted" | "key_created" | "key_changed" | "key_revoked" | "key_budget_alert" | "key_webhook_failed" | "compliance_blocked";
			/** Only policy checks have one. */
			decision?: "allow" | "confirm" | "approve" | "deny";
			/** Only what this one did: `key:<key id>` or `operator`. */
			actor?: string;
			/** Only what this coding agent's hook sent: `claude-code` or `codex`. */
			agent?: string;
			/** Only of this session of a coding agent. */
			session_id?: string;
			/** Only of coding agents that worked in this directory. */
			directory?: string;
			/** Only of coding agents in this permission mode. */
			permission_mode?: string;
			/** Created then or later. */
			since?: string;
			/** Created before. */
			until?: string;
			/** Events of a page. */
			limit?: number;
			/** `next_cursor` of the page before. */
			cursor?: string;
		};
		result: {
			object: "audit.events";
			/** Events on this page. */
			count: number;
			has_more: boolean;
			next_cursor: string | null;
			/** Where a page ended that found few: `next_cursor` goes on from there. Null on other pages. */
			searched_back_to: string | null;
			data: Array<{
				id: string;
				event_type: "policy_check" | "tool_recorded" | "handoff_created" | "agent_plan" | "agent_record" | "agent_run_deleted" | "manifest_changed" | "manifest_deleted" | "key_created" | "key_changed" | "key_revoked" | "key_budget_alert" | "key_webhook_failed" | "compliance_blocked";
				workspace_id: string | null;
				actor: string;
				payload: Record<string, unknown>;
				created_at: string;
				/** Of policy checks, as the two below. */
				decision?: "allow" | "confirm" | "approve" | "deny";
				risk_score?: number;
				risk_tier?: "auto" | "confirm" | "approve" | "block";
			}>;
		};
	};
	/** Whether a routing config is valid, what is wrong with it and where, and its normal form. */
	validate_brain_config: {
		body: {
			/** YAML, or Markdown with YAML front matter or one fenced yaml block. */
			brain_md?: string | null;
			/** The same, parsed already; instead of brain_md. */
			brain_config?: Record<string, unknown> | null;
		};
		result: {
			object: "brain.validation";
			valid: boolean;
			errors: string[];
			warnings: string[];
			/** Normalized. Of an invalid config: the members that are valid. */
			config: Config;
		};
	};
	/** Shares a routing config under a short public id; sharing the same again answers with the same share. */
	create_brain_share: {
		body: {
			/** YAML, or Markdown with YAML front matter or one fenced yaml block. */
			brain_md?: string | null;
			/** The same, parsed already; instead of brain_md. */
			brain_config?: Record<string, unknown> | null;
			/** What lists show beside the id. */
			title?: string | null;
		};
		result: {
			object: "brain.share";
			share_id: string;
			url: string;
			short_url: string;
			title: string | null;
			/** Normalized. Of an invalid config: the members that are valid. */
			config: Config;
			valid: boolean;
			errors: string[];
		};
	};
	/** The caller's shared routing configs, newest first. */
	list_brain_shares: {
		query?: {
			/** Shares of a page. */
			limit?: number;
			/** `next_cursor` of the page before. */
			cursor?: string;
		};
		result: {
			object: "list";
			has_more: boolean;
			next_cursor: string | null;
			data: Array<{
				share_id: string;
				title: string | null;
				/** Normalized. Of an invalid config: the members that are valid. */
				config: Config;
				url: string;
				short_url: string;
				/** Unix timestamp. */
				created_at: number;
			}>;
		};
	};
	/** A shared routing config: its normal form, and its text if it was shared as one. */
	get_brain_share: {
		params: {
			share_id: string;
		};
		result: {
			object: "brain.share";
			share_id: string;
			title: string | null;
			/** Normalized. Of an invalid config: the members that are valid. */
			config: Config;
			brain_md: string | null;
			valid: boolean;
			errors: string[];
			/** Unix timestamp. */
			created_at: number;
		};
	};
	/** Deletes one of the caller's shared routing configs; its id is never used again. */
	delete_brain_share: {
		params: {
			share_id: string;
		};
		result: {
			object: "brain.share";
			share_id: string;
			deleted: true;
		};
	};
	/** All skills: expert instruction sets that a task can be put to. */
	list_skills: {
		result: {
			object: "list";
			count: number;
			source: string;
			data: {
				id: string;
				name: string;
				description: string;
			}[];
		};
	};
	/** One skill with the text that becomes the system prompt. */
	get_skill: {
		params: {
			skill_id: string;
		};
		result: {
			id: string;
			name: string;
			description: string;
			/** Markdown; the system prompt, as it is. */
			raw: string;
			source: string;
		};
	};
	/** Puts a task to a skill; the answer is a chat completion, whole or streamed, with cost and receipt. */
	invoke_skill: {
		params: {
			skill_id: string;
		};
		body: {
			/** `auto` (default), an id of list_models, or `laser-1`, `halo-1`, `foton-1` for a tier. */
			model?: string | null;
			/** Most tokens of the answer. */
			max_tokens?: number | null;
			max_completion_tokens?: number | null;
			temperature?: number | null;
			top_p?: number | null;
			presence_penalty?: number | null;
			frequency_penalty?: number | null;
			seed?: number | null;
			logit_bias?: Record<string, number> | null;
			logprobs?: boolean | null;
			top_logprobs?: number | null;
			stop?: string | string[] | null;
			n?: 1 | null;
			stream?: boolean | null;
			stream_options?: {
				include_usage?: boolean | null;
			} | null;
			tool_choice?: "auto" | "none" | "required" | ToolChoice | null;
			parallel_tool_calls?: boolean | null;
			response_format?: {
				type: "text";
			} | {
				type: "json_object";
			} | ResponseFormat | null;
			/** The lowest that the model has by default. */
			reasoning_effort?: "none" | "minimal" | "low" | "medium" | "high" | "xhigh" | "max" | null;
			user?: string | null;
			metadata?: Record<string, unknown> | null;
			/** What `auto` prefers; by the prompt by default. */
			routing_mode?: "quality" | "balanced" | "agility" | null;
			/** A routing config. */
			brain_config?: BrainConfig | null;
			/** Models that it excludes see nothing. */
			compliance?: Compliance | null;
			/** What the skill is put to, with all that it needs to know; at most 256 KiB. */
			task: string;
			messages?: null;
			tools?: null;
			[member: string]: unknown;
		};
		result: {
			id: string;
			object: "chat.completion";
			created: number;
			model: string;
			choices: [Choices];
			usage: Usage2;
			svc: {
				routing: {
					mode: "quality" | "balanced" | "agility" | "direct";
					model_display: string;
					provider: string;
					reason: string;
					tier: "budget" | "mid" | "premium" | "frontier";
					signals_detected: Record<string, boolean>;
					/** How likely the prompt has each intent. */
					intents: Intents;
					/** What else the choice was made with; POST /v1/route takes it and repeats the choice. */
					observed: Observed;
					model: string;
				};
				cost: Cost2;
				latency_ms: number;
				proof: Proof;
				fallback: boolean;
				fallback_from: string | null;
				fallback_to: string | null;
				/** Whether a whole answer has the form that `response_format` asks for, as far as it can be checked. */
				format_met?: boolean;
				/** The answer refuses: by the provider's own sign, or in words, as far as these can be told. */
				refused?: true;
				warnings: Warnings[];
				skill: {
					id: string;
					name: string;
					source: string;
				};
			};
			[member: string]: unknown;
		};
	};
	/** Makes a key; what is not named is as the calling key has it. The key itself is shown this once. */
	create_key: {
		body?: ChangeKeyBody;
		result: {
			object: "key";
			key_id: string;
			name: string | null;
			role: "owner" | "agent";
			last4: string;
			expires_at: string | null;
			/** Null where the plan's limit holds. */
			rpm: number | null;
			daily_requests: number | null;
			/** Null where it may spend as much as it likes. */
			budget_usd: number | null;
			budget_period: "day" | "week" | "month" | "total" | null;
			/** Null where it may call all of the plan's. */
			models: string[] | null;
			brain_config: Config | null;
			/** The output limit of its requests that name none; null where the config's or the service's holds. */
			default_max_tokens: number | null;
			tags: string[];
			/** Where alerts of its budget go. Only owners' keys are shown more than the host. */
			alert_webhook: string | null;
			/** Whether it reads only what it, or a key that it replaced, made. */
			own_only: boolean;
			created_at: string;
			/** The key that it replaced. */
			rotated_from: string | null;
			/** Of the budget, in its current period; null without one. */
			spent_usd: number | null;
			/** What open requests may still cost of the budget, at most. */
			held_usd: number | null;
			/** When the budget's period ends; null where it has no end. */
			resets_at: string | null;
			/** Of its requests and those of the keys that it replaced, as the two below. */
			cost_today_usd: number;
			cost_month_usd: number;
			cost_total_usd: number;
			/** The latest UTC day with a request that cost anything. */
			last_used_on: string | null;
			/** The key itself, which is shown this once. */
			key: string;
		};
	};
	/** The caller's keys that are not deleted, newest first, without the keys themselves; a key that reads only its own sees itself. */
	list_keys: {
		query?: {
			/** Keys of a page. */
			limit?: number;
			/** `next_cursor` of the page before. */
			cursor?: string;
		};
		result: {
			object: "list";
			has_more: boolean;
			next_cursor: string | null;
			data: ChangeKey[];
		};
	};
	/** Changes what one of the caller's keys may do, from its next request on; null removes a limit. */
	change_key: {
		params: {
			key_id: string;
		};
		body: ChangeKeyBody;
		result: ChangeKey;
	};
	/** Deletes one of the caller's keys; it is refused before this answers. */
	delete_key: {
		params: {
			key_id: string;
		};
		result: {
			object: "key";
			key_id: string;
			deleted: true;
		};
	};
	/** Makes a key that replaces one of the caller's, with the same options; the old one ends at once or after an overlap. */
	rotate_key: {
		params: {
			key_id: string;
		};
		body?: {
			/** How long the old key still works beside the new one. */
			overlap_seconds?: number;
		};
		result: {
			object: "key";
			key_id: string;
			name: string | null;
			role: "owner" | "agent";
			last4: string;
			expires_at: string | null;
			/** Null where the plan's limit holds. */
			rpm: number | null;
			daily_requests: number | null;
			/** Null where it may spend as much as it likes. */
			budget_usd: number | null;
			budget_period: "day" | "week" | "month" | "total" | null;
			/** Null where it may call all of the plan's. */
			models: string[] | null;
			brain_config: Config | null;
			/** The output limit of its requests that name none; null where the config's or the service's holds. */
			default_max_tokens: number | null;
			tags: string[];
			/** Where alerts of its budget go. Only owners' keys are shown more than the host. */
			alert_webhook: string | null;
			/** Whether it reads only what it, or a key that it replaced, made. */
			own_only: boolean;
			created_at: string;
			/** The key that it replaced. */
			rotated_from: string | null;
			/** Of the budget, in its current period; null without one. */
			spent_usd: number | null;
			/** What open requests may still cost of the budget, at most. */
			held_usd: number | null;
			/** When the budget's period ends; null where it has no end. */
			resets_at: string | null;
			/** Of its requests and those of the keys that it replaced, as the two below. */
			cost_today_usd: number;
			cost_month_usd: number;
			cost_total_usd: number;
			/** The latest UTC day with a request that cost anything. */
			last_used_on: string | null;
			/** The key itself, which is shown this once. */
			key: string;
			/** When the old key ends, or has ended. */
			previous_ends_at: string;
		};
	};
	/** The four plans with their limits. */
	list_plans: {
		result: {
			object: "list";
			data: Array<{
				id: "free" | "personal" | "pro" | "corporate";
				object: "plan";
				display_name: string;
				price_usd_month: number;
				daily_requests: number | null;
				rpm: number;
				/** The most that a user may store; null where nothing limits it. */
				stored_bytes: number | null;
				model_access: {
					type: "all" | "allowlist";
					count: number;
					models: string[] | null;
				};
				agentguard: boolean;
				description: string;
			}>;
		};
	};
	/** The caller's limits, totals and latest requests; with group_by, usage by key, tag, model or day. */
	get_usage: {
		query?: {
			/** Groups instead of everything at once; the others need it. */
			group_by?: "key" | "tag" | "model" | "day";
			/** First UTC day, YYYY-MM-DD; 30 days in all without it. */
			since?: string;
			/** Last UTC day; today without it. */
			until?: string;
			/** Groups of a page; 100 without it. */
			limit?: number;
			/** `next_cursor` of the page before. */
			cursor?: string;
		};
		result: {
			user_id: string;
			plan: "free" | "personal" | "pro" | "corporate";
			plan_display: string;
			limits: {
				daily_requests: number | null;
				rpm: number;
				daily_requests_used: number;
				daily_requests_remaining: number | null;
				model_access: {
					type: "all" | "allowlist";
					models: string[] | null;
				};
			};
			total_requests: number;
			total_tokens: number;
			total_cost_usd: number;
			by_model: ByProvider;
			by_provider: ByProvider;
			by_mode: ByProvider;
			recent: {
				request_id: string;
				created_at: string;
				kind: string;
				model: string;
				provider: string;
				mode: string;
				tokens: number;
				cost_usd: number;
				latency_ms: number;
				fallback: boolean;
			}[];
			/** What is stored, and the most that may be; null where nothing limits it. */
			storage: {
				stored_bytes: number;
				quota_bytes: number | null;
			};
			/** What requests that are not settled yet may cost besides what they have spent. */
			held_usd: number;
			/** Requests that are not settled yet, oldest first; in no total, and in `recent` only afterwards. */
			open: {
				request_id: string;
				kind: string;
				spent_usd: number;
				held_usd: number;
				/** The most that it may cost in all. */
				bound_usd: number;
			}[];
		} | {
			object: "usage.groups";
			group_by: "key" | "tag" | "model" | "day";
			since: string;
			until: string;
			/** Of all pages: every request once, though it may be in several groups. */
			total: {
				/** By model: those that called it. */
				requests: number;
				calls: number;
				tokens: number;
				input_tokens: number;
				cost_usd: number;
			};
			has_more: boolean;
			next_cursor: string | null;
			data: Array<{
				/** By key, as the four below; null where it was not recorded. */
				key_id?: string | null;
				name?: string | null;
				last4?: string | null;
				tags?: string[];
				revoked_at?: string | null;
				/** By tag; null for keys without one. */
				tag?: string | null;
				model?: string;
				day?: string;
				/** By model: those that called it. */
				requests: number;
				calls: number;
				tokens: number;
				input_tokens: number;
				cost_usd: number;
			}>;
		};
	};
	/** What the caller's tokens would have cost on one baseline model: a per-token estimate, not a billing statement. */
	get_savings: {
		query?: {
			/** An id of list_models. */
			baseline?: string;
			/** Groups instead of everything at once; the others need it. */
			group_by?: "key" | "tag" | "model" | "day";
			/** First UTC day, YYYY-MM-DD; 30 days in all without it. */
			since?: string;
			/** Last UTC day; today without it. */
			until?: string;
			/** Groups of a page; 100 without it. */
			limit?: number;
			/** `next_cursor` of the page before. */
			cursor?: string;
		};
		result: {
			baseline_model: string;
			total_requests: number;
			total_tokens: number;
			actual_cost_usd: number;
			baseline_cost_usd: number;
			saved_usd: number;
			saved_pct: number;
		} | {
			object: "savings.groups";
			group_by: "key" | "tag" | "model" | "day";
			since: string;
			until: string;
			/** Of all pages: every request once, though it may be in several groups. */
			total: {
				requests: number;
				tokens: number;
				actual_cost_usd: number;
				baseline_cost_usd: number;
				saved_usd: number;
				saved_pct: number;
			};
			has_more: boolean;
			next_cursor: string | null;
			data: Array<{
				/** By key, as the four below; null where it was not recorded. */
				key_id?: string | null;
				name?: string | null;
				last4?: string | null;
				tags?: string[];
				revoked_at?: string | null;
				/** By tag; null for keys without one. */
				tag?: string | null;
				model?: string;
				day?: string;
				requests: number;
				tokens: number;
				actual_cost_usd: number;
				baseline_cost_usd: number;
				saved_usd: number;
				saved_pct: number;
			}>;
		};
	};
	/** The caller's requests, newest first: which model was chosen for each and why, and what it cost. */
	list_requests: {
		query?: {
			/** Only these. */
			kind?: "chat" | "skill" | "orchestration" | "code" | "agent";
			/** Only those that this model served; an id of list_models. */
			model?: string;
			/** Only those of this API key. */
			key_id?: string;
			/** Arrived then or later. */
			since?: string;
			/** Arrived before. */
			until?: string;
			/** Requests of a page. */
			limit?: number;
			/** `next_cursor` of the page before. */
			cursor?: string;
		};
		result: {
			object: "list";
			has_more: boolean;
			next_cursor: string | null;
			/** Where a page ended that found few: `next_cursor` goes on from there. Null on other pages. */
			searched_back_to: string | null;
			data: Array<{
				object: "request";
				request_id: string;
				/** When it arrived. */
				created_at: string;
				kind: string;
				/** Null in requests from before keys were recorded. */
				key_id: string | null;
				/** As named; null where the choice was left to routing. */
				requested_model: string | null;
				/** The one that served; of several, the one that the request counts for. */
				model: string;
				provider: string;
				mode: string;
				fallback: boolean;
				/** Of chats and skills: why this model. */
				reason: string | null;
				fallback_from: string | null;
				skill_id: string | null;
				/** Of orchestration, code and runs: the effort policy. */
				policy: string | null;
				strategy: string | null;
				language: string | null;
				/** How a run ended. */
				status: string | null;
				n_steps: number | null;
				/** Whether the review of code passed. */
				passed: boolean | null;
				confidence: number | null;
				agreement: number | null;
				bound_usd: number | null;
				catalog_version: string | null;
				config_digest: string | null;
				/** Those that were called, by name. */
				models: string[];
				/** Calls of models. */
				calls: number;
				tokens: number;
				input_tokens: number;
				output_tokens: number;
				cost_usd: number;
				/** Some usage was not reported and counts at its bound. */
				estimated: boolean;
				latency_ms: number;
				/** `complete`, `cut` or `client_closed`. */
				outcome: string;
				/** The upstream cut the answer. */
				truncated: boolean;
				/** Of its receipt, which get_proof shows. */
				proof_hash: string;
				signed: boolean;
			}>;
		};
	};
	/** One of the caller's requests, with the cost of each of its calls. */
	get_request: {
		params: {
			request_id: string;
		};
		result: {
			object: "request";
			request_id: string;
			/** When it arrived. */
			created_at: string;
			kind: string;
			/** Null in requests from before keys were recorded. */
			key_id: string | null;
			/** As named; null where the choice was left to routing. */
			requested_model: string | null;
			/** The one that served; of several, the one that the request counts for. */
			model: string;
			provider: string;
			mode: string;
			fallback: boolean;
			/** Of chats and skills: why this model. */
			reason: string | null;
			fallback_from: string | null;
			skill_id: string | null;
			/** Of orchestration, code and runs: the effort policy. */
			policy: string | null;
			strategy: string | null;
			language: string | null;
			/** How a run ended. */
			status: string | null;
			n_steps: number | null;
			/** Whether the review of code passed. */
			passed: boolean | null;
			confidence: number | null;
			agreement: number | null;
			bound_usd: number | null;
			catalog_version: string | null;
			config_digest: string | null;
			/** Those that were called, by name. */
			models: string[];
			/** Calls of models. */
			calls: number;
			tokens: number;
			input_tokens: number;
			output_tokens: number;
			cost_usd: number;
			/** Some usage was not reported and counts at its bound. */
			estimated: boolean;
			latency_ms: number;
			/** `complete`, `cut` or `client_closed`. */
			outcome: string;
			/** The upstream cut the answer. */
			truncated: boolean;
			/** Of its receipt, which get_proof shows. */
			proof_hash: string;
			signed: boolean;
			call_costs: {
				model: string;
				provider: string;
				calls: number;
				tokens: number;
				input_tokens: number;
				cost_usd: number;
			}[];
		};
	};
	/** Rates the answer to one of the caller's own requests, of any kind that has a receipt. */
	give_feedback: {
		body: {
			/** The answer's `id`, `run_id` or `svc.proof.request_id`. */
			request_id: string;
			/** -1 bad, 0 neither, 1 good. */
			score: number;
			/** What the score is about. */
			reason?: "wrong" | "incomplete" | "style" | "slow" | "other" | null;
		};
		result: {
			object: "feedback";
			request_id: string;
			score: number;
			reason: string | null;
			/** Of the first feedback on this request. */
			created_at: string;
			updated_at: string;
			changeable_until: string;
		};
	};
	/** Whether D1, KV and Durable Objects answer, whether answers are signed, how many providers have a key, whether the default routing config is valid. */
	health: {
		result: {
			status: "ok" | "degraded";
			checks: {
				d1: Kv;
				kv: Kv;
				durable_objects: Kv;
			};
			signing: boolean;
			providers_configured: number;
			/** The server's routing config. Of an invalid one, the last that could be read is in force; unknown is one that KV did not answer. */
			default_config: "none" | "valid" | "invalid" | "unknown";
			/** For operators only: what this isolate knows of the providers. */
			providers?: {
				/** By provider: for how many ms. */
				open_breakers: Record<string, number>;
				/** By model: ms until it may be called again after a 429. */
				throttled: Record<string, number>;
				/** By model: until when it is passed by, because its provider said that it does not serve it. */
				not_served: Record<string, {
					provider: string;
					upstream_model: string;
					until: string;
				}>;
			};
		};
	};
}

/**
 * Where each endpoint is. `isRepeatable`: a second request changes nothing that the first has not. `member`: every answer has it;
 * absent for texts, and for answers of several kinds.
 */
export const ROUTES: Readonly<
	Record<keyof EndpointTypes, { method: string; path: string; isRepeatable?: true; member?: string }>
> = {
	create_chat_completion: { method: "POST", path: "/v1/chat/completions", member: "id" },
	preview_route: { method: "POST", path: "/v1/route", isRepeatable: true, member: "object" },
	orchestrate: { method: "POST", path: "/v2/orchestrate", member: "id" },
	write_code: { method: "POST", path: "/v2/code", member: "id" },
	preview_compliance: { method: "POST", path: "/v2/compliance/preview", isRepeatable: true, member: "active" },
	list_models: { method: "GET", path: "/v1/models", isRepeatable: true, member: "object" },
	get_model: { method: "GET", path: "/v1/models/{id}", isRepeatable: true, member: "id" },
	get_public_key: { method: "GET", path: "/v1/proof/pubkey", isRepeatable: true, member: "object" },
	get_proof: { method: "GET", path: "/v1/proof/{request_id}", isRepeatable: true, member: "object" },
	start_agent_run: { method: "POST", path: "/v1/agent/run", member: "object" },
	list_agent_runs: { method: "GET", path: "/v1/agent/runs", isRepeatable: true, member: "object" },
	verify_trajectory: { method: "POST", path: "/v1/agent/verify", isRepeatable: true, member: "valid" },
	get_agent_run: { method: "GET", path: "/v1/agent/{run_id}", isRepeatable: true, member: "object" },
	get_agent_trajectory: { method: "GET", path: "/v1/agent/{run_id}/trajectory", isRepeatable: true, member: "object" },
	get_agent_step: { method: "GET", path: "/v1/agent/{run_id}/steps/{index}", isRepeatable: true, member: "object" },
	watch_agent_run: { method: "GET", path: "/v1/agent/{run_id}/events", isRepeatable: true, member: "object" },
	cancel_agent_run: { method: "POST", path: "/v1/agent/{run_id}/cancel", member: "object" },
	resume_agent_run: { method: "POST", path: "/v1/agent/{run_id}/resume", member: "object" },
	delete_agent_run: { method: "DELETE", path: "/v1/agent/{run_id}", isRepeatable: true, member: "object" },
	create_handoff: { method: "POST", path: "/v1/handoff", member: "id" },
	get_handoff_checkpoint: { method: "GET", path: "/v1/handoff/chain/{workspace_id}/checkpoint", isRepeatable: true },
	get_handoff_proof: { method: "GET", path: "/v1/handoff/chain/{workspace_id}/proof", isRepeatable: true, member: "object" },
	get_handoff_chain: { method: "GET", path: "/v1/handoff/chain/{workspace_id}", isRepeatable: true, member: "object" },
	get_handoff: { method: "GET", path: "/v1/handoff/{handoff_id}", isRepeatable: true, member: "id" },
	check_workspace_readiness: { method: "POST", path: "/v1/workspace/readiness", member: "object" },
	get_workspace_snapshot: { method: "GET", path: "/v1/workspace/{workspace_id}/snapshot", isRepeatable: true, member: "object" },
	get_workspace_manifest: { method: "GET", path: "/v1/workspace/{workspace_id}/manifest", isRepeatable: true, member: "object" },
	put_workspace_manifest: { method: "PUT", path: "/v1/workspace/{workspace_id}/manifest", isRepeatable: true, member: "object" },
	list_workspaces: { method: "GET", path: "/v1/workspaces", isRepeatable: true, member: "object" },
	delete_workspace_manifest: { method: "DELETE", path: "/v1/workspace/{workspace_id}/manifest", isRepeatable: true, member: "object" },
	check_policy: { method: "POST", path: "/v1/policy/check", member: "decision" },
	score_risk: { method: "POST", path: "/v1/risk/score", isRepeatable: true, member: "object" },
	hook_claude_code: { method: "POST", path: "/v1/hooks/claude-code" },
	hook_codex: { method: "POST", path: "/v1/hooks/codex" },
	list_audit_events: { method: "GET", path: "/v1/audit/events", isRepeatable: true, member: "object" },
	validate_brain_config: { method: "POST", path: "/v1/brain/validate", isRepeatable: true, member: "object" },
	create_brain_share: { method: "POST", path: "/v1/brain/share", member: "object" },
	list_brain_shares: { method: "GET", path: "/v1/brain/shares", isRepeatable: true, member: "object" },
	get_brain_share: { method: "GET", path: "/v1/b/{share_id}", isRepeatable: true, member: "object" },
	delete_brain_share: { method: "DELETE", path: "/v1/b/{share_id}", isRepeatable: true, member: "object" },
	list_skills: { method: "GET", path: "/v1/skills", isRepeatable: true, member: "object" },
	get_skill: { method: "GET", path: "/v1/skills/{skill_id}", isRepeatable: true, member: "id" },
	invoke_skill: { method: "POST", path: "/v1/skills/{skill_id}/invoke", member: "id" },
	create_key: { method: "POST", path: "/v1/keys", member: "object" },
	list_keys: { method: "GET", path: "/v1/keys", isRepeatable: true, member: "object" },
	change_key: { method: "PATCH", path: "/v1/keys/{key_id}", member: "object" },
	delete_key: { method: "DELETE", path: "/v1/keys/{key_id}", isRepeatable: true, member: "object" },
	rotate_key: { method: "POST", path: "/v1/keys/{key_id}/rotate", member: "object" },
	list_plans: { method: "GET", path: "/v1/plans", isRepeatable: true, member: "object" },
	get_usage: { method: "GET", path: "/v1/usage", isRepeatable: true },
	get_savings: { method: "GET", path: "/v1/savings", isRepeatable: true },
	list_requests: { method: "GET", path: "/v1/requests", isRepeatable: true, member: "object" },
	get_request: { method: "GET", path: "/v1/requests/{request_id}", isRepeatable: true, member: "object" },
	give_feedback: { method: "POST", path: "/v1/feedback", member: "object" },
	health: { method: "GET", path: "/health", isRepeatable: true, member: "status" },
};
