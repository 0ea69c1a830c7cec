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
	} | Content | Content2 | Content3>;
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

type Content2 = {
	type: "file";
	file: File;
};

type File = {
	file_data?: string | null;
	file_id?: string | null;
	filename?: string | null;
};

type Content3 = {
	type: "input_audio";
	input_audio: {
		data: string;
		format: string;
	};
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
	operator_facts?: string[];
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

type Svc = {
	/** Which model answered, and why: the one that was named, or the same at another host. */
	routing: Routing;
	/** Cost of all calls; `estimated` if some usage was not reported: then it is the upper bound. */
	cost: Cost;
	/** Time from the arrival of the request to its receipt. */
	latency_ms: number;
	/** The receipt in short; `verifiable` is always true. */
	proof: Proof;
	/** Another host of the model served than the named one. */
	fallback: boolean;
	/** The id that was named, where another host served. */
	fallback_from: string | null;
	/** Parameters and parts that had no effect, or another one than was asked for. */
	warnings: Warnings[];
};

type Routing = {
	mode: "direct";
	model_display: string;
	provider: string;
	reason: string;
};

type Cost = {
	input_usd: number;
	total_usd: number;
	estimated: boolean;
};

type Proof = {
	request_id: string;
	timestamp: string;
	proof_hash: string;
	model: string;
	provider: string;
	mode: "direct";
	reason: string;
	verifiable: true;
	signature: string | null;
	key_id: string | null;
	/** Salt of the receipt's hashes of texts: for their owner, who may give it away. */
	salt: string;
	/** When a compliance policy was in force. */
	compliance?: Compliance2;
};

type RerankV2Body = {
	/** An id of list_models with `kind` rerank. */
	model?: string | null;
	/** What is searched for. */
	query: string;
	/** Texts, or objects with a `text`, to be ranked. */
	documents: Array<string | {
		text: string;
	}>;
	/** Only so many of the best are answered. Default: all. */
	top_n?: number | null;
	/** Whether each result has its document. Default: false. */
	return_documents?: boolean | null;
	/** Id of your user, kept with the request: usage groups by it. */
	user?: string | null;
	/** The same, without `user`. */
	safety_identifier?: string | null;
	/** Pairs that are kept with the request: lists filter by them. */
	metadata?: Record<string, string> | null;
	/** A routing config. */
	brain_config?: BrainConfig | null;
	/** Which models may see the request. */
	compliance?: Compliance | null;
	[member: string]: unknown;
};

type RerankV2 = {
	/** The id of the request. */
	id: string;
	/** From the best on. */
	results: Results[];
	/** What the provider reported as billed. */
	meta: Meta;
	/** Model, cost and receipt. */
	svc: Svc;
};

type Results = {
	/** Place of the document in the request. */
	index: number;
	/** Higher is better; scores of two models do not compare. */
	relevance_score: number;
	/** With `return_documents`. */
	document?: {
		text: string;
		[member: string]: unknown;
	};
};

type Meta = {
	api_version: {
		version: string;
	};
	billed_units: BilledUnits;
};

type BilledUnits = {
	search_units?: number;
	input_tokens?: number;
};

type Usage = {
	prompt_tokens: number;
	completion_tokens: number;
	total_tokens: number;
};

type Cost2 = {
	total_usd: number;
	estimated: true;
	basis: "provider_usage" | "bound";
	bound_usd: number;
};

type Stages = {
	name: string;
	results: Results2[];
	detail: Record<string, unknown>;
};

type Results2 = {
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

type KeyState = {
	state: "ok" | "throttled" | "refused" | "failing";
	/** Until when; null where nobody knows, and of `ok`. */
	until: string | null;
};

type Model = {
	/** Its id in the catalog. */
	id: string;
	object: "model";
	type: "model";
	/** It writes text. */
	kind: "chat";
	/** The same as `created_at`, in Unix seconds. */
	created: number;
	/** The release date; the epoch where it is not known. */
	created_at: string;
	/** The same as `provider`. */
	owned_by: string;
	/** Name for people. */
	display_name: string;
	/** Who serves it. */
	provider: string;
	/** From cheap to strong: `budget`, `mid`, `premium`, `frontier`. */
	tier: "budget" | "mid" | "premium" | "frontier";
	/** Today's rates of a short prompt, in USD per million tokens. */
	pricing: Pricing;
	/** Most tokens of prompt and answer together. */
	context_window: number;
	/** Most tokens of an answer. */
	max_output_tokens: number;
	/** Most tokens of a prompt. */
	max_input_tokens: number;
	/** The same as max_output_tokens, as Anthropic's libraries read it. */
	max_tokens: number;
	/** What it can do. */
	capabilities: Capabilities;
	/** Until when its training data reach: a year, month or day; null where it is not published. */
	knowledge_cutoff: string | null;
	/** Whether its weights are published. */
	open_weights: boolean;
	/** Whose row it is: it ships with the service, or the operator added or changed it. */
	source: "shipped" | "operator";
	/** Whether its provider trains on what it is sent: no, if you allow it (`opt_in`), unless you object (`opt_out`). Null: not published, or the base address is replaced. Of a provider that the operator describes, it is the operator's word. */
	trains_on_inputs: "no" | "opt_in" | "opt_out" | null;
	/** Its provider has a key here, and your API key, if you sent one, may call it under its plan. */
	available: boolean;
	/** Its provider has said within ten minutes that it does not serve it. */
	not_served?: true;
	/** For an owner's key: how the operator's keys stand for it, all together, as this isolate has seen. `throttled`: after a 429; `refused`: the provider refuses the key; `failing`: the provider is passed by after failures. The keys themselves are the operator's to see. */
	key_state?: KeyState;
	/** The id you sent, if it is an alias. */
	alias?: string;
};

type Pricing = {
	input_usd_mtok: number;
	output_usd_mtok: number;
};

type Capabilities = {
	tools: boolean;
	vision: boolean;
	pdf: boolean;
	audio: boolean;
	json_schema: boolean;
	logprobs: boolean;
	reasoning: boolean;
	reasoning_efforts: Array<"none" | "minimal" | "low" | "medium" | "high" | "xhigh" | "max">;
};

type Model2 = {
	/** Its id in the catalog. */
	id: string;
	object: "model";
	type: "model";
	/** What it makes in place of text: vectors (`embedding`), findings (`moderation`), or an order (`rerank`). */
	kind: "embedding" | "moderation" | "rerank";
	/** The same as `created_at`, in Unix seconds. */
	created: number;
	/** The release date; the epoch where it is not known. */
	created_at: string;
	/** The same as `provider`. */
	owned_by: string;
	/** Name for people. */
	display_name: string;
	/** Who serves it. */
	provider: string;
	/** Today's rates. */
	pricing: Pricing2;
	/** Most tokens of one input; of a rerank, of the query and a document. */
	context_window: number;
	/** Most inputs of one call to its provider. More are split over several calls, but those of a rerank. */
	max_inputs: number;
	/** Most tokens of one call to its provider, by which requests are split too; null: no limit is known. */
	max_batch_tokens: number | null;
	/** Lengths of its vectors; null where it makes none. */
	dimensions: Dimensions | null;
	/** It also takes inputs that are arrays of tokens. */
	token_inputs: boolean;
	/** Whether its weights are published. */
	open_weights: boolean;
	/** Whose row it is: it ships with the service, or the operator added or changed it. */
	source: "shipped" | "operator";
	/** Whether its provider trains on what it is sent: no, if you allow it (`opt_in`), unless you object (`opt_out`). Null: not published, or the base address is replaced. Of a provider that the operator describes, it is the operator's word. */
	trains_on_inputs: "no" | "opt_in" | "opt_out" | null;
	/** Its provider has a key here, and your API key, if you sent one, may call it under its plan. */
	available: boolean;
	/** Its provider has said within ten minutes that it does not serve it. */
	not_served?: true;
	/** For an owner's key: how the operator's keys stand for it, all together, as this isolate has seen. `throttled`: after a 429; `refused`: the provider refuses the key; `failing`: the provider is passed by after failures. The keys themselves are the operator's to see. */
	key_state?: KeyState;
	/** The id you sent, if it is an alias. */
	alias?: string;
};

type Pricing2 = {
	/** USD per million tokens. */
	input_usd_mtok: number;
	/** USD per thousand searches; 0 where it is charged by tokens alone. */
	searches_usd_k: number;
};

type Dimensions = {
	default: number;
	/** What `dimensions` may ask for: one of a list, or a range; null: its length is fixed. */
	sizes: number[] | Sizes | null;
};

type Sizes = {
	min: number;
	max: number;
};

type GoalDigest = {
	hash: string;
	bytes: number;
};

type ToolCalls2 = {
	/** Tool calls that models made. */
	requested: number;
	/** By the policy, with nobody asked. */
	allowed: number;
	/** By the policy. */
	denied: number;
	/** By a person, edits included. */
	approved: number;
	/** By a person. */
	rejected: number;
	/** Those of them that nobody decided on or answered in time. */
	expired: number;
};

type AgentRun = {
	object: "agent.run";
	/** Id of the run, and of its receipt. */
	run_id: string;
	/** How it ended, or `requires_action` while it waits for somebody; reads also see `running` and `interrupted`. */
	status: "running" | "requires_action" | "complete" | "budget_exhausted" | "max_steps_reached" | "cancelled" | "interrupted";
	/** Its receipt is signed; false while it runs, and while it can be resumed. */
	sealed: boolean;
	/** When it began. */
	created_at: string;
	/** The workspace that its events and its approvals belong to; absent without one. */
	workspace_id?: string;
	/** The effort policy. */
	policy: string;
	/** The strategy that subtasks begin with. */
	strategy: string;
	/** Steps so far. */
	steps_taken: number;
	/** What it has cost. */
	cost_consumed_usd: number;
	/** Its cap. */
	max_cost_usd: number;
	/** What is left of the cap. */
	remaining_usd: number;
	/** Root of the chain of its steps. */
	trajectory_proof: string;
	/** The answer, or the best of what there is. */
	output: string;
	/** The output limit ended the output or a section of it, and nobody could complete it. */
	truncated?: true;
	/** Stands for a goal that is not kept because the cap paid for no call; `goal` and `plan` are empty. */
	goal_digest?: GoalDigest;
	/** What became of the goal, judged on the output, once the run has ended; in no proof. */
	goal_outcome?: "done" | "partial" | "refused" | "needs_tools";
	/** With `output_schema`, once there is a result: whether the output has its form; if not, `final_message` says what is wrong. */
	format_met?: boolean;
	/** Why it stopped, unless it is complete or still running; what of the output does not fit `output_schema`; which messages of yours no turn has read. */
	final_message?: string;
	/** How many tool calls its models made, and what became of them; absent in runs without tools. */
	tool_calls?: ToolCalls2;
	/** Its request said `self_approval`, and an owner's key began it. */
	self_approval?: true;
	/** The goal as it was asked for. */
	goal?: string;
	/** Its subtasks. */
	plan: string[];
	/** Its steps. */
	steps: Steps[];
	/** What its owner should know. */
	alerts: Alerts[];
	/** While it waits: what it waits for, which POST /v1/agent/{run_id}/resolve takes. */
	pending?: Pending[];
	/** The cap, and the limits of the plan that it was held against. */
	budget: Budget;
	/** Salt of the hashes of its texts: for its owner, who may give it away; absent in older runs. */
	salt?: string;
	/** Warnings about an output that was cut at the default limit; in the first answer, also about ignored members. */
	svc?: Svc2;
};

type Steps = {
	/** Position, from 0. */
	index: number;
	/** `finalize` is the last step, which writes the output. */
	role: "subtask" | "finalize";
	/** The model that wrote the kept text. */
	model: string;
	/** The highest tier that it might use. */
	intensity: "Laser" | "Halo" | "Foton";
	/** How its models worked together. */
	strategy: string;
	/** Cost of all its calls. */
	cost_usd: number;
	/** How likely its text is right, 0 to 1. */
	confidence: number;
	/** What the confidence rests on; in no proof. Null where nothing was rated; absent in older steps. */
	confidence_basis?: "verified" | "agreement" | "judge" | "self_report" | "prior" | null;
	/** Hash of what it was told. */
	input_hash: string;
	/** Hash of its text. */
	output_hash: string;
	/** Hash that chains it to the steps before. */
	step_proof: string;
	/** When it was done. */
	timestamp: string;
	/** Tokens of all its calls; in no proof. */
	tokens?: number;
	/** Those of its prompts; in no proof. */
	input_tokens?: number;
};

type Alerts = {
	level: "WARNING" | "CRITICAL";
	code: "budget_pressure" | "provider_overrun" | "model_replaced" | "webhook_failed" | "placeholder_not_restored" | "step_refused" | "loop_detected" | "tools_ended";
	threshold: number | null;
	consumed_share: number;
	consumed_usd: number;
	max_cost_usd: number;
	step_index: number;
	intensity: "Laser" | "Halo" | "Foton";
	message: string;
};

type Pending = {
	/** What a resolution names; for a client tool, its idempotency key. */
	id: string;
	/** What it waits for: a tool of the client to be run, a decision on a call, an answer to a question, or a decision on the plan. */
	kind: "client_tool" | "approval" | "input" | "plan";
	/** The tool that is called; null for a plan. */
	tool: string | null;
	/** The call's arguments; of a plan, its subtasks and its bound. */
	arguments: Record<string, unknown> | null;
	/** Hash of the exact action that a decision is bound to. */
	action_digest: string | null;
	/** What the policy decided; null where nothing is judged. */
	policy: Policy | null;
	/** Calls whose untrusted results the run had read, and the values of this call that occur only in them. */
	tainted_by: TaintedBy[];
	/** In a run that has read untrusted text: values of this call that occur in no text of the owner's and in no untrusted one either, each with the tool that may be behind it, where only one can be. */
	unsourced: Unsourced[];
	/** When it ends without an answer. */
	expires_at: string;
};

type Policy = {
	decision: "allow" | "confirm" | "approve" | "deny";
	risk_score: number;
	reason: string;
	/** The audit event of the decision. */
	event_id: string;
};

type TaintedBy = {
	call_id: string;
	tool: string;
	values: {
		kind: string;
		value: string;
	}[];
};

type Unsourced = {
	kind: string;
	value: string;
	tool: string | null;
};

type Budget = {
	plan: string;
	plan_envelope_usd: number;
	tier_limit_usd: number;
	max_cost_usd: number;
	multiplier: number;
	/** The cap is what the budget of the API key left when the run began. */
	limited_by?: "key_budget";
};

type Svc2 = {
	/** Parameters and parts that had no effect, or another one than was asked for. */
	warnings: Warnings[];
};

type Said = {
	turn: number;
	text: string;
};

type Steering = {
	turn: number;
	id: string;
	text: string;
};

type Data = {
	/** Id of the entry. */
	id: string;
	workspace_id: string;
	/** Whose workspace it is: the first 16 hex digits of SHA-256 of the user's id. Null in older entries. */
	owner: string | null;
	/** Position in the chain, from 0. */
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
	/** Rated by the built-in rules. */
	risk: Risk;
	/** The entry before. */
	prev_handoff_id: string | null;
	prev_hash: string | null;
	prev_signature: string | null;
	/** When it was appended. */
	created_at: string;
	/** Canonical JSON (RFC 8785): what is hashed and signed. */
	subject: string;
	/** Whether it is signed. */
	signed: boolean;
	/** `sha256:` and 64 hex digits. */
	hash: string;
	/** Ed25519 over the subject, base64. */
	signature: string | null;
	/** The key that signed it. */
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
	/** Verdict on an unknown tool that no pattern names. Default: ask. */
	unknown?: "allow" | "ask" | "deny" | null;
	/** With false, nobody approves for a run whose own side asks to approve itself. Default: true. */
	self_approval?: boolean | null;
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
	self_approval?: false;
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
	tool_calls?: ToolCalls3[];
	[member: string]: unknown;
};

type ToolCalls3 = {
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

type Cost3 = {
	input_usd: number;
	output_usd: number;
	total_usd: number;
	estimated: boolean;
};

type Proof2 = {
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
	/** Salt of the receipt's hashes of texts: for their owner, who may give it away. */
	salt: string;
	/** When a compliance policy was in force. */
	compliance?: Compliance2;
};

type ChangeKeyBody = {
	/** Name for people. */
	name?: string | null;
	/** An `agent` may not change manifests, shares or keys. An `approver` reads runs and resolves approvals and plans, nothing else. */
	role?: "owner" | "agent" | "approver" | null;
	/** End: from then on the key is refused. */
	expires_at?: string | null;
	/** Requests a minute, at most the plan's. */
	rpm?: number | null;
	/** Requests in 24 hours, at most the plan's. */
	daily_requests?: number | null;
	/** The most that its requests may cost in a period, in USD. None by default. */
	budget_usd?: number | null;
	/** Calendar day, week (from Monday) or month in UTC, or `total`, which is the default. Only with a budget. */
	budget_period?: "day" | "week" | "month" | "total" | null;
	/** Models it may call: ids, tiers, and `*` globs of ids and providers. */
	models?: string[] | null;
	/** Routing config for its requests, between the server's and their own. */
	brain_config?: Record<string, unknown> | null;
	/** Output limit of its requests that name none. */
	default_max_tokens?: number | null;
	/** Labels: 1 to 64 characters of `A-Z a-z 0-9 . _ : -`. None by default. */
	tags?: string[] | null;
	/** Https address that alerts of its budget are sent to, at 50, 80 and 100 %. None by default. */
	alert_webhook?: string | null;
	/** Keep what its requests asked and were answered, where the operator keeps texts. False by default. */
	log_texts?: boolean | null;
	/** Whether it reads only what it, or a key that it replaced, made. True by default for `agent`; never for the others. */
	own_only?: boolean | null;
};

type ChangeKey = {
	object: "key";
	key_id: string;
	name: string | null;
	role: "owner" | "agent" | "approver";
	last4: string;
	expires_at: string | null;
	/** Null where the plan's limit holds. */
	rpm: number | null;
	/** Null where the plan's limit holds. */
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
	/** Whether texts of its requests are kept, where the operator keeps any. */
	log_texts: boolean;
	created_at: string;
	/** The key that it replaced. */
	rotated_from: string | null;
	/** The key that made it, also by a rotation; null where the operator did. Only owners' keys are shown it. */
	made_by: string | null;
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
	/** The latest UTC day with a request that a model was called for. */
	last_used_on: string | null;
};

type ByProvider = Record<string, ByProvider2>;

type ByProvider2 = {
	requests: number;
	tokens: number;
	cost_usd: number;
};

type FirstTokenMs = {
	p50: number;
	p95: number;
};

type Error = {
	/** Code of the error, as the client got it. */
	code: string;
	/** What went wrong. */
	message: string;
};

type Attempts = {
	/** Who was called. */
	provider: string;
	/** The model that was asked. */
	model: string;
	/** HTTP status of the provider; null where none came. */
	status: number | null;
	/** Why it did not serve; null for one that did. */
	error: "status" | "no_token" | "unreachable" | "no_head" | "head_timeout" | "timeout" | "out_of_time" | "cut" | "reported" | "empty" | "unusable" | "too_large" | "mismatched" | "client_closed" | null;
	/** From the request's arrival to the call. */
	started_ms: number;
	/** From the call to its first token or body; null where none came. */
	first_token_ms: number | null;
	/** From the call to its end. */
	ms: number;
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
			/** `auto` (default), an id of list_models, or a tier: `laser-1`, `halo-1`, `foton-1`. */
			model?: string | null;
			/** Most tokens, reasoning included. */
			max_tokens?: number | null;
			/** The same as `max_tokens`, and wins over it. */
			max_completion_tokens?: number | null;
			/** 0.7 by default. */
			temperature?: number | null;
			/** Nucleus sampling. */
			top_p?: number | null;
			/** Penalty on tokens that have occurred. */
			presence_penalty?: number | null;
			/** Penalty on tokens by how often they have occurred. */
			frequency_penalty?: number | null;
			/** Seed for providers that take one. */
			seed?: number | null;
			/** Bias by token id. */
			logit_bias?: Record<string, number> | null;
			/** Log probabilities of the answer's tokens; only models that have them are chosen. */
			logprobs?: boolean | null;
			/** Alternatives of each token. */
			top_logprobs?: number | null;
			/** Ends the answer. */
			stop?: string | string[] | null;
			/** Number of answers: one. */
			n?: 1 | null;
			/** Answer as Server-Sent Events. */
			stream?: boolean | null;
			/** `include_usage`: a last chunk carries `usage` and `svc`. */
			stream_options?: {
				include_usage?: boolean | null;
			} | null;
			/** Functions it may call. */
			tools?: Tools[] | null;
			/** Whether it must call one, and which. */
			tool_choice?: "auto" | "none" | "required" | ToolChoice | null;
			/** Whether one turn may hold several calls. */
			parallel_tool_calls?: boolean | null;
			/** Text by default. */
			response_format?: {
				type: "text";
			} | {
				type: "json_object";
			} | ResponseFormat | null;
			/** The lowest by default. */
			reasoning_effort?: "none" | "minimal" | "low" | "medium" | "high" | "xhigh" | "max" | null;
			/** Id of your user, kept with the request, and sent to providers that take one. */
			user?: string | null;
			/** At most 16 pairs that are kept with the request. */
			metadata?: Record<string, string> | null;
			/** What `auto` prefers; by the prompt by default. */
			routing_mode?: "quality" | "balanced" | "agility" | null;
			/** A routing config. */
			brain_config?: BrainConfig | null;
			/** Which models may see the request. */
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
				/** The choice of the model, and why. */
				routing: {
					mode: "quality" | "balanced" | "agility" | "direct";
					model_display: string;
					provider: string;
					reason: string;
					tier: "budget" | "mid" | "premium" | "frontier";
					signals_detected: Record<string, boolean>;
					/** How likely the prompt has each intent. */
					intents: Intents;
					/** Observations that the choice was made with; POST /v1/route takes them and repeats it. */
					observed: Observed;
				};
				/** Cost of all calls; `estimated` if some usage was not reported. */
				cost: Cost3;
				/** Time from the arrival of the request to its receipt. */
				latency_ms: number;
				/** The receipt in short; `verifiable` is always true. */
				proof: Proof2;
				/** Another model served than the intended one. */
				fallback: boolean;
				/** The intended model, or the id that was sent. */
				fallback_from: string | null;
				/** The model that served in its place. */
				fallback_to: string | null;
				/** Whether a whole answer has the form that `response_format` asks for, as far as it can be checked. */
				format_met?: boolean;
				/** The answer refuses: by the provider's own sign, or in words, as far as these can be told. */
				refused?: true;
				/** Parameters and parts that had no effect, or another one than was asked for. */
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
			/** `auto` (default), an id of list_models, or a tier: `laser-1`, `halo-1`, `foton-1`. */
			model?: string | null;
			/** Most tokens, reasoning included. */
			max_tokens?: number | null;
			/** The same as `max_tokens`, and wins over it. */
			max_completion_tokens?: number | null;
			/** 0.7 by default. */
			temperature?: number | null;
			/** Nucleus sampling. */
			top_p?: number | null;
			/** Penalty on tokens that have occurred. */
			presence_penalty?: number | null;
			/** Penalty on tokens by how often they have occurred. */
			frequency_penalty?: number | null;
			/** Seed for providers that take one. */
			seed?: number | null;
			/** Bias by token id. */
			logit_bias?: Record<string, number> | null;
			/** Log probabilities of the answer's tokens; only models that have them are chosen. */
			logprobs?: boolean | null;
			/** Alternatives of each token. */
			top_logprobs?: number | null;
			/** Ends the answer. */
			stop?: string | string[] | null;
			/** Number of answers: one. */
			n?: 1 | null;
			/** Answer as Server-Sent Events. */
			stream?: boolean | null;
			/** `include_usage`: a last chunk carries `usage` and `svc`. */
			stream_options?: {
				include_usage?: boolean | null;
			} | null;
			/** Functions it may call. */
			tools?: Tools[] | null;
			/** Whether it must call one, and which. */
			tool_choice?: "auto" | "none" | "required" | ToolChoice | null;
			/** Whether one turn may hold several calls. */
			parallel_tool_calls?: boolean | null;
			/** Text by default. */
			response_format?: {
				type: "text";
			} | {
				type: "json_object";
			} | ResponseFormat | null;
			/** The lowest by default. */
			reasoning_effort?: "none" | "minimal" | "low" | "medium" | "high" | "xhigh" | "max" | null;
			/** Id of your user, kept with the request, and sent to providers that take one. */
			user?: string | null;
			/** At most 16 pairs that are kept with the request. */
			metadata?: Record<string, string> | null;
			/** What `auto` prefers; by the prompt by default. */
			routing_mode?: "quality" | "balanced" | "agility" | null;
			/** A routing config. */
			brain_config?: BrainConfig | null;
			/** Which models may see the request. */
			compliance?: Compliance | null;
			/** One user message, in place of `messages`. */
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
			/** The model that would be called. */
			model: string;
			/** Its name for people. */
			model_display: string;
			/** Who serves it. */
			provider: string;
			/** Its tier. */
			tier: "budget" | "mid" | "premium" | "frontier";
			/** How quality, price and speed were weighed; `direct`: the request or its config named the model. */
			mode: "quality" | "balanced" | "agility" | "direct";
			/** Why this model, in words. */
			reason: string;
			/** A boolean for each signal. */
			signals_detected: Record<string, boolean>;
			/** How likely the prompt has each intent. */
			intents: Intents;
			/** Observations that the choice was made with; send them back to repeat it. */
			observed: Observed;
			/** Expected cost of the call. */
			estimated_cost: {
				input_usd: number;
				output_usd: number;
				total_usd: number;
			};
			/** All models that may serve, best first. */
			candidates: Array<{
				/** Its id. */
				model: string;
				/** Who serves it. */
				provider: string;
				/** Its tier. */
				tier: "budget" | "mid" | "premium" | "frontier";
				/** Whose row it is: shipped with the service, or the operator's. */
				source: "shipped" | "operator";
				/** What the ranking goes by; may be negative. */
				score: number;
				/** 0 to 1, by the catalog. */
				expected_quality: number;
				/** Expected cost. */
				estimated_cost_usd: number;
				/** Expected time to the whole answer. */
				expected_latency_ms: number;
				/** Intents without a figure in the catalog; the general figure of the model stands in. */
				unknown?: Array<"code" | "math" | "reasoning" | "creative" | "text" | "translation" | "factual" | "advice" | "chat" | "tools">;
				/** It is expected to be far worse than the best, and ranks behind the others. */
				below_floor?: true;
				/** Many of its calls failed lately, so it is called after the others. */
				failing?: true;
			}>;
			/** By model: why it may not serve. */
			excluded: Record<string, string[]>;
			/** Under a policy that masks: how many different values of each kind would be masked. */
			masked?: Record<string, number>;
			/** Warnings about the choice that the answer would have. */
			warnings: Warnings[];
			/** Name of the rule of the routing config that matched, else its position. */
			matched_rule: string | null;
		};
	};
	/** Vectors of texts by the embedding model that is named, with cost and receipt. */
	create_embeddings: {
		body: {
			/** A text, texts, the tokens of a text, or those of texts: at most 2,048. */
			input: string | string[] | number[] | Array<number[]>;
			/** An id of list_models with `kind` embedding. `auto` only where the operator names a default. */
			model?: string | null;
			/** Length of the vectors, where the model can shorten them. */
			dimensions?: number | null;
			/** `float`, the default, or `base64` of little-endian float32. */
			encoding_format?: "float" | "base64" | null;
			/** What the texts are for, where the model is told: `query` to find others, `document` to be found. */
			input_type?: "query" | "document" | null;
			/** Id of your user, kept with the request: usage groups by it. */
			user?: string | null;
			/** The same, without `user`. */
			safety_identifier?: string | null;
			/** Pairs that are kept with the request: lists filter by them. */
			metadata?: Record<string, string> | null;
			/** A routing config. */
			brain_config?: BrainConfig | null;
			/** Which models may see the request. */
			compliance?: Compliance | null;
			[member: string]: unknown;
		};
		result: {
			object: "list";
			/** A vector for each input, in their order. */
			data: Array<{
				object: "embedding";
				index: number;
				/** Numbers, or base64. */
				embedding: number[] | string;
			}>;
			/** The model that made them. */
			model: string;
			/** Tokens of all inputs. */
			usage: {
				prompt_tokens: number;
				total_tokens: number;
			};
			/** Model, cost and receipt. */
			svc: Svc;
		};
	};
	/** Says of texts whether they are harmful, and in which way, with cost and receipt. */
	create_moderation: {
		body: {
			/** A text, texts, or the parts of one message: only texts. */
			input: string | string[] | {
				type: "text";
				text: string;
			}[];
			/** An id of list_models with `kind` moderation. Without one, and with `auto`, the first that has a key. */
			model?: string | null;
			/** Id of your user, kept with the request: usage groups by it. */
			user?: string | null;
			/** The same, without `user`. */
			safety_identifier?: string | null;
			/** Pairs that are kept with the request: lists filter by them. */
			metadata?: Record<string, string> | null;
			/** A routing config. */
			brain_config?: BrainConfig | null;
			/** Which models may see the request. */
			compliance?: Compliance | null;
			[member: string]: unknown;
		};
		result: {
			/** The id of the request. */
			id: string;
			/** The model that judged. */
			model: string;
			/** One for each text, in their order; one for the parts of a message. */
			results: {
				/** Whether any category is. */
				flagged: boolean;
				categories: Record<string, boolean>;
				/** From 0 to 1. */
				category_scores: Record<string, number>;
				category_applied_input_types: Record<string, Array<"text">>;
			}[];
			/** Model, cost and receipt. */
			svc: Svc;
		};
	};
	/** Ranks documents by how well they answer a query, with cost and receipt. */
	rerank: {
		body: RerankV2Body;
		result: RerankV2;
	};
	/** The same as `POST /v1/rerank`, where Cohere's newer client asks for it. */
	rerank_v2: {
		body: RerankV2Body;
		result: RerankV2;
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
			/** Chosen by policy and prompt by default. */
			strategy?: "single" | "cascade" | "ensemble_moa" | "rank_fuse" | "decompose_and_route" | "self_consistency" | "debate" | null;
			/** How many answers `ensemble_moa`, `rank_fuse` and `self_consistency` compare. */
			k?: number | null;
			/** Most tokens of each call; 1024 by default. */
			max_tokens?: number | null;
			/** 0.7 by default. */
			temperature?: number | null;
			/** Form of the final answer, as in chat; text by default. */
			response_format?: {
				type: "text";
			} | {
				type: "json_object";
			} | ResponseFormat | null;
			/** How much each call reasons; by policy and role by default. */
			reasoning_effort?: "none" | "minimal" | "low" | "medium" | "high" | "xhigh" | "max" | null;
			/** USD to stay near; one cheapest call always runs. */
			max_cost_usd?: number | null;
			/** Who ranks or judges: an id of list_models. */
			judge_model?: string | null;
			/** A routing config. */
			brain_config?: BrainConfig | null;
			/** Which models may see the request. */
			compliance?: Compliance | null;
			/** Id of your user, kept with the request: usage groups by it. */
			user?: string | null;
			/** The same, without `user`. */
			safety_identifier?: string | null;
			/** Pairs that are kept with the request: lists filter by them. */
			metadata?: Record<string, string> | null;
			/** Whether `svc.stages` is shown; true by default. */
			include_trace?: boolean | null;
			/** Progress as Server-Sent Events, then the answer. */
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
				cost: Cost2;
				proof: {
					request_id: string;
					timestamp: string;
					proof_hash: string;
					verifiable: true;
					/** When a compliance policy was in force. */
					compliance?: Compliance2;
					signature: string | null;
					key_id: string | null;
					/** Salt of the receipt's hashes of texts: for their owner, who may give it away. */
					salt: string;
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
				/** Parameters and parts that had no effect, or another one than was asked for. */
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
			/** Such as `python`; by default that of the task. */
			language?: string | null;
			/** `balanced` by default; `efficiency` has one cheap coder, `depth` several. */
			policy?: "efficiency" | "balanced" | "depth" | null;
			/** The model that writes; an id of list_models. */
			coder_model?: string | null;
			/** The model that reviews; an id of list_models. */
			reviewer_model?: string | null;
			/** Most drafts, the first included; 3 by default. */
			max_iters?: number | null;
			/** False: one draft and no reviewer. True by default. */
			review?: boolean | null;
			/** Most tokens of each call; 2048 by default. */
			max_tokens?: number | null;
			/** 0.2 by default. */
			temperature?: number | null;
			/** How much each call reasons; by policy and role by default. */
			reasoning_effort?: "none" | "minimal" | "low" | "medium" | "high" | "xhigh" | "max" | null;
			/** USD to stay near: repairs stop there. */
			max_cost_usd?: number | null;
			/** A routing config. */
			brain_config?: BrainConfig | null;
			/** Which models may see the request. */
			compliance?: Compliance | null;
			/** Id of your user, kept with the request: usage groups by it. */
			user?: string | null;
			/** The same, without `user`. */
			safety_identifier?: string | null;
			/** Pairs that are kept with the request: lists filter by them. */
			metadata?: Record<string, string> | null;
			/** Whether `svc.stages` is shown; true by default. */
			include_trace?: boolean | null;
			/** Progress as Server-Sent Events, then the answer. */
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
				cost: Cost2;
				proof: {
					request_id: string;
					timestamp: string;
					proof_hash: string;
					verifiable: true;
					/** When a compliance policy was in force. */
					compliance?: Compliance2;
					signature: string | null;
					key_id: string | null;
					/** Salt of the receipt's hashes of texts: for their owner, who may give it away. */
					salt: string;
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
				/** Parameters and parts that had no effect, or another one than was asked for. */
				warnings: Warnings[];
				stages?: Stages[];
			};
		};
	};
	/** What a compliance policy would allow for a text: the classes of data in it, every model with its reasons, what it costs more. No model is called. */
	preview_compliance: {
		body: {
			/** Instead of prompt: the last user message is classified. */
			messages?: Array<Messages | Messages2 | Messages3 | Messages4 | Messages5> | null;
			/** `auto` (default), an id of list_models, or a tier: `laser-1`, `halo-1`, `foton-1`. */
			model?: string | null;
			/** Most tokens, reasoning included. */
			max_tokens?: number | null;
			/** The same as `max_tokens`, and wins over it. */
			max_completion_tokens?: number | null;
			/** 0.7 by default. */
			temperature?: number | null;
			/** Nucleus sampling. */
			top_p?: number | null;
			/** Penalty on tokens that have occurred. */
			presence_penalty?: number | null;
			/** Penalty on tokens by how often they have occurred. */
			frequency_penalty?: number | null;
			/** Seed for providers that take one. */
			seed?: number | null;
			/** Bias by token id. */
			logit_bias?: Record<string, number> | null;
			/** Log probabilities of the answer's tokens; only models that have them are chosen. */
			logprobs?: boolean | null;
			/** Alternatives of each token. */
			top_logprobs?: number | null;
			/** Ends the answer. */
			stop?: string | string[] | null;
			/** Number of answers: one. */
			n?: 1 | null;
			/** Answer as Server-Sent Events. */
			stream?: boolean | null;
			/** `include_usage`: a last chunk carries `usage` and `svc`. */
			stream_options?: {
				include_usage?: boolean | null;
			} | null;
			/** Functions it may call. */
			tools?: Tools[] | null;
			/** Whether it must call one, and which. */
			tool_choice?: "auto" | "none" | "required" | ToolChoice | null;
			/** Whether one turn may hold several calls. */
			parallel_tool_calls?: boolean | null;
			/** Text by default. */
			response_format?: {
				type: "text";
			} | {
				type: "json_object";
			} | ResponseFormat | null;
			/** The lowest by default. */
			reasoning_effort?: "none" | "minimal" | "low" | "medium" | "high" | "xhigh" | "max" | null;
			/** Id of your user, kept with the request, and sent to providers that take one. */
			user?: string | null;
			/** At most 16 pairs that are kept with the request. */
			metadata?: Record<string, string> | null;
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
			/** Whether a policy applies. Without one, only `detected_classes`, `classification` and `note` follow. */
			active: boolean;
			/** Some model may serve. */
			ok?: boolean;
			/** The policy with all its members. */
			policy?: Record<string, unknown>;
			/** The policies above the request's, by level. They hold for every call. */
			floor?: Floor[];
			/** Classes of data in the text. */
			detected_classes: string[];
			/** By class: the kinds that were found. */
			classification: Record<string, string[]>;
			/** Under `detect: inferred`: findings beyond patterns. */
			inferred?: {
				detected_classes: string[];
				classification: Record<string, string[]>;
			};
			/** With scope `all`: where the data stand, as in a refusal. */
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
			/** Models that may serve. */
			allowed_models?: string[];
			/** By model: why it may not serve. */
			excluded_models?: Record<string, string[]>;
			/** The cheapest model of all beside the cheapest allowed one; (3 × input + output) / 4 in USD per million tokens. `premium_pct` is null where the cheapest costs nothing. */
			compliance_cost_premium?: {
				compliant_available: boolean;
				cheapest_unrestricted: string | null;
				unrestricted_min_usd_mtok: number | null;
				cheapest_compliant: string | null;
				compliant_min_usd_mtok: number | null;
				premium_usd_mtok: number | null;
				premium_pct: number | null;
			};
			/** The same decision in one object. */
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
			/** Providers about which the operator of this service says something, beside or instead of what is published. */
			operator_facts?: string[];
			/** Hash of an attestation for the cheapest allowed model. */
			sample_attestation?: string;
			/** Version of the facts about providers. */
			matrix_version?: string;
			/** Remark on the answer. */
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
			/** Only models of this kind: those that write text are `chat`. */
			kind?: "chat" | "embedding" | "moderation" | "rerank" | "all";
		};
		result: {
			object: "list";
			data: Array<Model | Model2>;
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
		result: Model | Model2;
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
	/** Works on a goal in steps, under a cap that is never exceeded, and answers with the run and its proof. */
	start_agent_run: {
		body: {
			/** The goal; at most 256 KiB. */
			goal?: string | null;
			/** The same, where `goal` is blank. */
			prompt?: string | null;
			/** The cap in USD. Default and most: 5 times the plan's envelope. */
			max_cost_usd?: number | null;
			/** Cap of each step; by default that of the run. */
			max_cost_per_step?: number | null;
			/** Most steps, plan and final one included; 50 by default, 1000 at most. */
			max_steps?: number | null;
			/** First intensity; `balanced` by default. */
			policy?: "efficiency" | "balanced" | "depth" | null;
			/** The same key and body again join the first run and spend nothing. */
			idempotency_key?: string | null;
			/** Most tokens of each call; 1024 by default. */
			max_tokens?: number | null;
			/** 0.5 by default. */
			temperature?: number | null;
			/** How much each call reasons; by policy and role by default. */
			reasoning_effort?: "none" | "minimal" | "low" | "medium" | "high" | "xhigh" | "max" | null;
			/** IANA zone of the date that each step is told, such as `Europe/Warsaw`; `UTC` by default. */
			time_zone?: string | null;
			/** Where its audit events belong; with tools it is required, and its manifest judges their calls. */
			workspace_id?: string | null;
			/** Tools that its steps may call: the client's own (`function`), and `compute` and `ask_user`; at most 64, and 64 KiB. */
			tools?: Array<{
				type: "compute";
			} | {
				type: "ask_user";
			} | {
				/** A tool that the client runs. */
				type: "function";
				/** Its name, by which models call it; or it stands in `function`. */
				name?: string;
				/** What it does, for the model. */
				description?: string | null;
				/** JSON Schema of its arguments. */
				parameters?: Record<string, unknown> | null;
				/** The provider holds the model to the schema, where it can. */
				strict?: boolean | null;
				/** Name, description, parameters and strict in the form of chat completions. */
				function?: {
					name: string;
					/** What it does, for the model. */
					description?: string | null;
					/** JSON Schema of its arguments. */
					parameters?: Record<string, unknown> | null;
					/** The provider holds the model to the schema, where it can. */
					strict?: boolean | null;
				};
				/** What a call does: `read`, `write`, or `external` by default. It counts once the run has read untrusted text. */
				effects?: "read" | "write" | "external" | null;
				/** Others write what it returns, such as mail or pages: untrusted text. */
				untrusted?: boolean | null;
				/** What it returns is private. */
				private?: boolean | null;
				/** JSON pointers to commands in its arguments, which the policy judges; one to an array means all its strings. */
				commands?: string[] | null;
				/** JSON pointers to paths of files in its arguments, which the policy judges; one to an array means all its strings. */
				files?: string[] | null;
				/** JSON pointers to hosts or addresses in its arguments, which the policy judges; one to an array means all its strings. */
				hosts?: string[] | null;
				/** Most calls of it in the run. */
				max_calls?: number | null;
				/** Seconds that its result is waited for; 600 by default, 604800 at most. */
				timeout_s?: number | null;
				/** Its result is read by a model without tools, which answers in a schema. It counts as `untrusted`. */
				quarantine?: boolean | null;
			}> | null;
			/** Most tool calls of the run; 50 by default, 200 at most. */
			max_tool_calls?: number | null;
			/** With `approve: true` the run waits until a person has decided on its plan. */
			plan?: {
				/** The run waits until a person has decided on its plan. */
				approve?: boolean | null;
			} | null;
			/** JSON Schema of its output, which is then JSON. */
			output_schema?: Record<string, unknown> | null;
			/** The owner's key that begins the run may decide on its approvals and its plan, unless the manifest forbids it. */
			self_approval?: boolean | null;
			/** A routing config. */
			brain_config?: BrainConfig | null;
			/** Which models may see the request. */
			compliance?: Compliance | null;
			/** Id of your user, kept with the request: usage groups by it. */
			user?: string | null;
			/** The same, without `user`. */
			safety_identifier?: string | null;
			/** Pairs that are kept with the request: lists filter by them. */
			metadata?: Record<string, string> | null;
			/** Progress as Server-Sent Events, then the run. */
			stream?: boolean | null;
			/** Answer at once with 202 and the run; not with `stream`. */
			background?: boolean | null;
			/** An https address that is told when the run has ended or is interrupted; its host is one that the operator allows. */
			webhook?: string | null;
		};
		result: AgentRun;
	};
	/** The caller's runs, newest first. */
	list_agent_runs: {
		query?: {
			/** At most 200; a higher number counts as 200. */
			limit?: number;
			/** Only runs of this status. */
			status?: "running" | "requires_action" | "complete" | "budget_exhausted" | "max_steps_reached" | "cancelled" | "interrupted";
			/** Only runs that began then or later. */
			since?: string;
			/** Only runs that began before. */
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
				/** Id of the run, and of its receipt. */
				run_id: string;
				/** How it ended, or `requires_action` while it waits for somebody; reads also see `running` and `interrupted`. */
				status: "running" | "requires_action" | "complete" | "budget_exhausted" | "max_steps_reached" | "cancelled" | "interrupted";
				/** Its receipt is signed; false while it runs, and while it can be resumed. */
				sealed: boolean;
				/** When it began. */
				created_at: string;
				/** The workspace that its events and its approvals belong to; absent without one. */
				workspace_id?: string;
				/** The effort policy. */
				policy: string;
				/** The strategy that subtasks begin with. */
				strategy: string;
				/** Steps so far. */
				steps_taken: number;
				/** What it has cost. */
				cost_consumed_usd: number;
				/** Its cap. */
				max_cost_usd: number;
				/** What is left of the cap. */
				remaining_usd: number;
				/** Root of the chain of its steps. */
				trajectory_proof: string;
				/** The answer, or the best of what there is. */
				output: string;
				/** The output limit ended the output or a section of it, and nobody could complete it. */
				truncated?: true;
				/** Stands for a goal that is not kept because the cap paid for no call; `goal` and `plan` are empty. */
				goal_digest?: GoalDigest;
				/** What became of the goal, judged on the output, once the run has ended; in no proof. */
				goal_outcome?: "done" | "partial" | "refused" | "needs_tools";
				/** With `output_schema`, once there is a result: whether the output has its form; if not, `final_message` says what is wrong. */
				format_met?: boolean;
				/** Why it stopped, unless it is complete or still running; what of the output does not fit `output_schema`; which messages of yours no turn has read. */
				final_message?: string;
				/** How many tool calls its models made, and what became of them; absent in runs without tools. */
				tool_calls?: ToolCalls2;
				/** Its request said `self_approval`, and an owner's key began it. */
				self_approval?: true;
				/** Its first 200 characters. */
				goal: string;
				/** While it waits: what it waits for, without texts. */
				pending?: Array<{
					/** What a resolution names; for a client tool, its idempotency key. */
					id: string;
					/** What it waits for: a tool of the client to be run, a decision on a call, an answer to a question, or a decision on the plan. */
					kind: "client_tool" | "approval" | "input" | "plan";
					/** The tool that is called; null for a plan. */
					tool: string | null;
					/** Hash of the exact action that a decision is bound to. */
					action_digest: string | null;
					/** When it ends without an answer. */
					expires_at: string;
				}>;
			}>;
		};
	};
	/** Recomputes an agent's trajectory from its steps, and says whether this service signed its root. */
	verify_trajectory: {
		body: {
			/** Id of the run. */
			run_id: string;
			/** The claimed root. */
			trajectory_proof: string;
			/** The policy of the run, which is part of its root. */
			policy?: string;
			/** The strategy of the run, likewise. */
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
			/** Of the hashes of the run's texts. Without it, `output` is checked for a run that this service signed. */
			salt?: string | null;
			/** One per step; with them `mismatched_steps` names the changed ones. */
			step_proofs?: string[] | null;
		};
		result: {
			/** The bundle is consistent with itself and with the claimed root. */
			valid: boolean;
			/** The root that follows from the steps. */
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
			status: "running" | "requires_action" | "complete" | "budget_exhausted" | "max_steps_reached" | "cancelled" | "interrupted";
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
				/** Of the hashes of the run's texts; leave it out to show none of them. */
				salt?: string;
			};
		};
	};
	/** One step of a run with the text that it wrote, and of a step with tools what was called, decided and answered. */
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
			/** Of the whole text; null while the step goes on. */
			output_hash: string | null;
			/** Hash of the exchange, as the step's record has it. */
			input_hash?: string;
			/** What `input_hash` is over; without `steering` where there was none. */
			exchange?: {
				type: "svc.input.v4";
				/** The messages of its first turn. */
				messages: {
					role: string;
					content: string;
				}[];
				/** Hashes of the model's words beside calls. */
				said: Said[];
				/** Hashes of the messages that steered the run before a turn. */
				steering?: Steering[];
				/** Its calls, by turn and place. */
				calls: Array<{
					/** Id of the call. */
					id: string;
					/** The model's turn in the step, from 0. */
					turn: number;
					/** The tool, as the model named it. */
					tool: string;
					/** Hash of the tool's definition; null for a tool that the run does not have. */
					definition: string | null;
					/** What the policy decided; null where nothing was judged. */
					decision: "allow" | "confirm" | "approve" | "deny" | null;
					/** The audit event of the decision. */
					event_id: string | null;
					/** What became of it. */
					state: "requested" | "allowed" | "denied" | "approved" | "rejected" | "dispatched" | "done" | "failed" | "expired";
					/** Hash of the arguments. */
					arguments: string;
					/** A person's decision. */
					approval: {
						/** The key that decided. */
						key_id: string;
						/** What was decided. */
						decision: "approve" | "edit" | "reject";
						/** When. */
						at: string;
						/** The `action_digest` that it is bound to. */
						digest: string;
					} | null;
					/** Hash of the result. */
					result: string | null;
				}>;
			};
			/** The model's words beside calls. */
			said?: Said[];
			/** The messages that steered the run, each with the turn before which the model read it. */
			steering?: Steering[];
			/** Its calls, by turn and place. */
			calls?: Array<{
				/** Id of the call. */
				id: string;
				/** The model's turn in the step, from 0. */
				turn: number;
				/** The tool, as the model named it. */
				tool: string;
				/** Hash of the tool's definition; null for a tool that the run does not have. */
				definition: string | null;
				/** What the policy decided; null where nothing was judged. */
				decision: "allow" | "confirm" | "approve" | "deny" | null;
				/** The audit event of the decision. */
				event_id: string | null;
				/** What became of it. */
				state: "requested" | "allowed" | "denied" | "approved" | "rejected" | "dispatched" | "done" | "failed" | "expired";
				/** An object; the model's text where it cannot be read as one; null where it is not kept. */
				arguments: unknown;
				/** How risky the policy found it, 0 to 100. */
				risk_score: number | null;
				/** Why the policy decided so, and what would pass. */
				reason: string | null;
				/** What it was judged by: the manifest, and the policy engine's version. */
				policy: {
					manifest_digest: string;
					version: string;
				} | null;
				/** Hash of the exact action. */
				action_digest: string | null;
				/** A person's decision; null without one. */
				approval: {
					/** The key that decided. */
					key_id: string;
					/** What was decided. */
					decision: "approve" | "edit" | "reject";
					/** When. */
					at: string;
					/** The `action_digest` that it is bound to. */
					digest: string;
					/** The key that decided began the run, or made the key that did. */
					self_approval?: true;
					/** In the person's words. */
					reason?: string;
				} | null;
				/** Calls whose untrusted results the run had read, and the values of this call that occur only in them. */
				tainted_by: TaintedBy[];
				/** In a run that has read untrusted text: values of this call that occur in no text of the owner's and in no untrusted one either, each with the tool that may be behind it, where only one can be. */
				unsourced: Unsourced[];
				/** As the next turn read it; null where there is none, or where it is not kept. */
				result: string | null;
				/** The result says why there is none. */
				is_error: boolean;
				/** The result was longer than 32 KiB, and the model read its beginning and end. */
				result_cut: boolean;
				/** Its arguments or its result are not kept. */
				truncated: boolean;
			}>;
			/** Of all these hashes: for its owner, who may give it away. */
			salt?: string;
		};
	};
	/** What happens in one of the caller's runs, until it is over, waits or is interrupted; then the run. */
	watch_agent_run: {
		params: {
			run_id: string;
		};
		query?: {
			/** With false, one JSON body: the run, when it is over, waits or is interrupted. */
			stream?: boolean;
		};
		result: AgentRun;
	};
	/** Stops a run before its next call, and answers with its result; a run that is over stays as it is. */
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
		body?: {
			/** Progress as Server-Sent Events, then the run. */
			stream?: boolean | null;
			/** Answer at once with 202 and the run; not with `stream`. */
			background?: boolean | null;
		};
		result: AgentRun;
	};
	/** Answers some or all of what a waiting run asks for; once all is answered, the run goes on. */
	resolve_agent_run: {
		params: {
			run_id: string;
		};
		body: {
			/** Answers to some or all of what the run waits for. They count together, or none does. */
			resolutions?: Array<{
				/** The pending's id. */
				id: string;
				/** Of a `client_tool`: its result, a text or any JSON; at most 1 MiB. */
				output?: unknown;
				/** The client's tool failed; `output` says why. */
				is_error?: boolean | null;
				/** Of an `approval` or a `plan`: what a person decides. */
				decision?: "approve" | "edit" | "reject" | null;
				/** With `edit`: the arguments to run with instead; of a plan, `{plan: [...]}`. */
				arguments?: Record<string, unknown> | null;
				/** With `reject`: why, for the model and for the audit log, which has it as it is. */
				reason?: string | null;
				/** Of an `input`: the answer to the question. */
				payload?: unknown;
			}> | null;
			/** Steers the run; from the key that began it, or an owner's. */
			message?: {
				/** The same id again adds nothing. */
				id: string;
				/** The model reads it as the user's before its next turn. */
				text: string;
			} | null;
			/** Progress as Server-Sent Events, then the run. */
			stream?: boolean | null;
			/** Answer at once with 202 and the run; not with `stream`. */
			background?: boolean | null;
		};
		result: AgentRun;
	};
	/** Deletes a run that has ended, with its goal, output and texts, and frees their bytes. */
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
			/** Its workspace. */
			workspace_id: string;
			/** What the work is for. */
			objective: string;
			/** Who hands off. */
			from_tool?: string | null;
			/** Who receives; may be a person. */
			to_tool?: string | null;
			/** Files that were changed. */
			files_touched?: string[] | null;
			/** Constraints for the next agent. */
			constraints?: string[] | null;
			/** What may go wrong. */
			risks?: {
				id: string;
				description: string;
			}[] | null;
			/** Checks done and to do. */
			validation?: {
				id: string;
				description: string;
			}[] | null;
			/** What to do first. */
			recommended_next_action?: string | null;
			/** Kind of work; `edit` by default. */
			action_kind?: "edit" | "refactor" | "deploy" | "review" | "setup" | null;
			/** Expected cost in USD. */
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
			/** Proves that the entry with this `seq` is in the chain. */
			index?: number;
			/** Size of the tree that it is in; the whole chain by default. */
			size?: number;
			/** Proves that a tree goes on from the one of this size, */
			from?: number;
			/** and is of this size. */
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
				/** All entries verify. */
				ok: boolean;
				/** Entries that were checked. */
				n: number;
				/** The first entry that does not verify. */
				first_broken_index: number | null;
				/** Whose workspace its entries say that it is; null when none does. */
				owner: string | null;
				/** What the verdict does not tell. */
				notes: string[];
				/** `<name>:<position>`, the lowest hundred. */
				reasons: string[];
				/** Whether this service signs. */
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
			/** Id of the workspace, as you choose it. */
			workspace_id: string;
			/** Name of the project in generated files. */
			project_name?: string | null;
			/** Technologies the project is built with. */
			stack?: string[] | null;
			/** gitignore-style globs of paths that need approval before an agent writes to them. */
			protected_paths?: string[] | null;
			/** Command patterns that must never run. */
			forbidden_commands?: string[] | null;
			/** Patterns of commands that need not ask although their effect cannot be seen or undone. */
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
			/** Version of the checks. */
			version: string;
			/** Share of the weight that was earned. */
			score: number;
			/** `excellent` from a score of 90, `good` from 75, `fair` from 50, `poor` from 25, else `critical`. */
			rating: "excellent" | "good" | "fair" | "poor" | "critical";
			/** Weight of the checks that passed. */
			earned_weight: number;
			/** Weight of all checks. */
			total_weight: number;
			/** All checks. */
			checks: {
				id: string;
				label: string;
				weight: number;
				passed: boolean;
			}[];
			/** The heaviest failing checks, at most five, with advice. */
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
			/** The workspace. */
			workspace_id: string;
			/** Handoffs that are counted. */
			count: number;
			/** Handoffs by tier of risk. */
			risk_distribution: {
				auto: number;
				confirm: number;
				approve: number;
				block: number;
				unknown: number;
			};
			/** Mean risk score. */
			avg_risk_score: number | null;
			/** Share of signed handoffs. */
			signed_share: number;
			/** The verdict on the whole chain. */
			integrity: {
				ok: boolean;
				n: number;
				first_broken_index: number | null;
				reasons: string[];
			};
			/** The latest handoffs. */
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
			/** The workspace. */
			workspace_id: string;
			/** `default`: no manifest was ever posted, so only built-in rules hold. */
			source: "stored" | "default";
			/** Counts the workspace's manifests from 1; null for the default. */
			version: number | null;
			/** Object hash of the manifest. */
			digest: string;
			/** When this manifest came into force; null for the default. */
			updated_at: string | null;
			/** The manifest with all its members. */
			manifest: Manifest;
		};
	};
	/** Sets the manifest that is a workspace's policy. */
	put_workspace_manifest: {
		params: {
			workspace_id: string;
		};
		body: {
			/** Id of the workspace, as you choose it. */
			workspace_id?: string;
			/** Name of the project in generated files. */
			project_name?: string | null;
			/** Technologies the project is built with. */
			stack?: string[] | null;
			/** gitignore-style globs of paths that need approval before an agent writes to them. */
			protected_paths?: string[] | null;
			/** Command patterns that must never run. */
			forbidden_commands?: string[] | null;
			/** Patterns of commands that need not ask although their effect cannot be seen or undone. */
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
			/** The workspace. */
			workspace_id: string;
			/** `default`: no manifest was ever posted, so only built-in rules hold. */
			source: "stored" | "default";
			/** Counts the workspace's manifests from 1; null for the default. */
			version: number | null;
			/** Object hash of the manifest. */
			digest: string;
			/** When this manifest came into force; null for the default. */
			updated_at: string | null;
			/** The manifest with all its members. */
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
				/** Its id. */
				workspace_id: string;
				/** Time of its latest audit event or manifest. */
				last_activity_at: string;
				/** Entries of its chain. */
				handoffs: number;
				/** Version of its manifest; null where only the built-in rules hold. */
				manifest_version: number | null;
				/** When that manifest came into force. */
				manifest_updated_at: string | null;
			}>;
		};
	};
	/** Deletes a workspace's manifest with all its versions, or the older versions only, and frees their bytes. */
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
			/** By default its words tell. */
			action_kind?: "edit" | "refactor" | "deploy" | "review" | "setup" | "delete" | null;
			/** Files, held against `protected_paths`. */
			files_affected?: string[] | null;
			/** Commands as a shell would get them, held against `forbidden_commands`. */
			commands?: string[] | null;
			/** Held against five envelopes of the plan. */
			estimated_cost_usd?: number | null;
			/** Any object, kept with the decision. */
			context?: Record<string, unknown> | null;
		};
		result: {
			/** `confirm` and `approve` are for a person. */
			decision: "allow" | "confirm" | "approve" | "deny";
			/** Combined weight of the triggered factors. */
			risk_score: number;
			/** The range of the score. */
			risk_tier: "auto" | "confirm" | "approve" | "block";
			/** All factors, triggered or not. */
			factors: {
				id: string;
				label: string;
				weight: number;
				triggered: boolean;
			}[];
			/** Why, in words. */
			reason: string;
			/** The audit event that records the check. */
			event_id: string;
			/** When it was decided. */
			created_at: string;
			/** The quota of stored bytes is full, and the event keeps less: `context` as its digest, long texts in part. */
			reduced?: "storage_quota_exceeded";
			/** Stands for a context that the event does not keep. */
			context_digest?: GoalDigest;
		};
	};
	/** Scores the risk of an action from its kind and targets, under the built-in rules; nothing is recorded. */
	score_risk: {
		body: {
			/** What the action does. */
			kind: "edit" | "deploy" | "delete" | "exec" | "network" | "read";
			/** Paths; commands for `exec`; addresses or commands for `network`. */
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
			/** Only events of this workspace. */
			workspace_id?: string;
			/** Only events of this type. */
			event_type?: "policy_check" | "tool_recorded" | "handoff_created" | "agent_plan" | "agent_record" | "agent_run_deleted" | "manifest_changed" | "manifest_deleted" | "key_created" | "key_changed" | "key_revoked" | "key_budget_alert" | "key_webhook_failed" | "compliance_blocked" | "texts_read" | "tool_approved" | "tool_rejected";
			/** Only policy checks that were decided so. */
			decision?: "allow" | "confirm" | "approve" | "deny";
			/** Only events of this actor: `key:<key id>` or `operator`. */
			actor?: string;
			/** Only events from the hook of this coding agent: `claude-code` or `codex`. */
			agent?: string;
			/** Only events of this session of a coding agent. */
			session_id?: string;
			/** Only events of coding agents in this directory. */
			directory?: string;
			/** Only events of coding agents in this permission mode. */
			permission_mode?: string;
			/** Only events of this run: its plan, checks of its calls, decisions on them. */
			run_id?: string;
			/** Only events from then on. */
			since?: string;
			/** Only events before. */
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
				/** Id of the event. */
				id: string;
				/** What happened. */
				event_type: "policy_check" | "tool_recorded" | "handoff_created" | "agent_plan" | "agent_record" | "agent_run_deleted" | "manifest_changed" | "manifest_deleted" | "key_created" | "key_changed" | "key_revoked" | "key_budget_alert" | "key_webhook_failed" | "compliance_blocked" | "texts_read" | "tool_approved" | "tool_rejected";
				/** Its workspace, if it has one. */
				workspace_id: string | null;
				/** `key:<key id>` or `operator`. */
				actor: string;
				/** Content of the event, by its type. */
				payload: Record<string, unknown>;
				/** When it happened. */
				created_at: string;
				/** Decision of a policy check. */
				decision?: "allow" | "confirm" | "approve" | "deny";
				/** Risk score of a policy check. */
				risk_score?: number;
				/** Its tier. */
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
			/** Title that lists show beside the id. */
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
	/** All skills: expert instruction sets for tasks. */
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
	/** Gives a task to a skill; the answer is a chat completion, whole or streamed, with cost and receipt. */
	invoke_skill: {
		params: {
			skill_id: string;
		};
		body: {
			/** `auto` (default), an id of list_models, or a tier: `laser-1`, `halo-1`, `foton-1`. */
			model?: string | null;
			/** Most tokens, reasoning included. */
			max_tokens?: number | null;
			/** The same as `max_tokens`, and wins over it. */
			max_completion_tokens?: number | null;
			/** 0.7 by default. */
			temperature?: number | null;
			/** Nucleus sampling. */
			top_p?: number | null;
			/** Penalty on tokens that have occurred. */
			presence_penalty?: number | null;
			/** Penalty on tokens by how often they have occurred. */
			frequency_penalty?: number | null;
			/** Seed for providers that take one. */
			seed?: number | null;
			/** Bias by token id. */
			logit_bias?: Record<string, number> | null;
			/** Log probabilities of the answer's tokens; only models that have them are chosen. */
			logprobs?: boolean | null;
			/** Alternatives of each token. */
			top_logprobs?: number | null;
			/** Ends the answer. */
			stop?: string | string[] | null;
			/** Number of answers: one. */
			n?: 1 | null;
			/** Answer as Server-Sent Events. */
			stream?: boolean | null;
			/** `include_usage`: a last chunk carries `usage` and `svc`. */
			stream_options?: {
				include_usage?: boolean | null;
			} | null;
			/** Whether it must call one, and which. */
			tool_choice?: "auto" | "none" | "required" | ToolChoice | null;
			/** Whether one turn may hold several calls. */
			parallel_tool_calls?: boolean | null;
			/** Text by default. */
			response_format?: {
				type: "text";
			} | {
				type: "json_object";
			} | ResponseFormat | null;
			/** The lowest by default. */
			reasoning_effort?: "none" | "minimal" | "low" | "medium" | "high" | "xhigh" | "max" | null;
			/** Id of your user, kept with the request, and sent to providers that take one. */
			user?: string | null;
			/** At most 16 pairs that are kept with the request. */
			metadata?: Record<string, string> | null;
			/** What `auto` prefers; by the prompt by default. */
			routing_mode?: "quality" | "balanced" | "agility" | null;
			/** A routing config. */
			brain_config?: BrainConfig | null;
			/** Which models may see the request. */
			compliance?: Compliance | null;
			/** The task with all it needs; at most 256 KiB. */
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
					/** Observations that the choice was made with; POST /v1/route takes them and repeats it. */
					observed: Observed;
					model: string;
				};
				/** Cost of all calls; `estimated` if some usage was not reported. */
				cost: Cost3;
				/** Time from the arrival of the request to its receipt. */
				latency_ms: number;
				/** The receipt in short; `verifiable` is always true. */
				proof: Proof2;
				/** Another model served than the intended one. */
				fallback: boolean;
				/** The intended model, or the id that was sent. */
				fallback_from: string | null;
				/** The model that served in its place. */
				fallback_to: string | null;
				/** Whether a whole answer has the form that `response_format` asks for, as far as it can be checked. */
				format_met?: boolean;
				/** The answer refuses: by the provider's own sign, or in words, as far as these can be told. */
				refused?: true;
				/** Parameters and parts that had no effect, or another one than was asked for. */
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
	/** Makes a key, with the limits of the calling key where none are named. The key itself is shown this once. */
	create_key: {
		body?: ChangeKeyBody;
		result: {
			object: "key";
			key_id: string;
			name: string | null;
			role: "owner" | "agent" | "approver";
			last4: string;
			expires_at: string | null;
			/** Null where the plan's limit holds. */
			rpm: number | null;
			/** Null where the plan's limit holds. */
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
			/** Whether texts of its requests are kept, where the operator keeps any. */
			log_texts: boolean;
			created_at: string;
			/** The key that it replaced. */
			rotated_from: string | null;
			/** The key that made it, also by a rotation; null where the operator did. Only owners' keys are shown it. */
			made_by: string | null;
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
			/** The latest UTC day with a request that a model was called for. */
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
			role: "owner" | "agent" | "approver";
			last4: string;
			expires_at: string | null;
			/** Null where the plan's limit holds. */
			rpm: number | null;
			/** Null where the plan's limit holds. */
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
			/** Whether texts of its requests are kept, where the operator keeps any. */
			log_texts: boolean;
			created_at: string;
			/** The key that it replaced. */
			rotated_from: string | null;
			/** The key that made it, also by a rotation; null where the operator did. Only owners' keys are shown it. */
			made_by: string | null;
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
			/** The latest UTC day with a request that a model was called for. */
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
	/** The caller's limits, totals and latest requests; with group_by, usage by key, tag, model, provider, day, end user or session. */
	get_usage: {
		query?: {
			/** Groups by this. The other parameters need it. */
			group_by?: "key" | "tag" | "model" | "provider" | "day" | "end_user" | "session";
			/** First UTC day; by default 30 days up to `until`. At most 366 days. */
			since?: string;
			/** Last UTC day; by default today. */
			until?: string;
			/** Groups of a page; 100 by default. */
			limit?: number;
			/** `next_cursor` of the page before. */
			cursor?: string;
		};
		result: {
			/** Who you are. */
			user_id: string;
			/** Your plan. */
			plan: "free" | "personal" | "pro" | "corporate";
			/** Its name for people. */
			plan_display: string;
			/** Limits of the plan, and the used part. */
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
			/** All settled requests. */
			total_requests: number;
			/** Their tokens. */
			total_tokens: number;
			/** Their cost. */
			total_cost_usd: number;
			/** Calls by model. */
			by_model: ByProvider;
			/** Calls by provider. */
			by_provider: ByProvider;
			/** Requests by mode. */
			by_mode: ByProvider;
			/** The last 20 requests, newest first. */
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
			/** Stored bytes and their quota; null where nothing limits them. */
			storage: {
				stored_bytes: number;
				quota_bytes: number | null;
			};
			/** First UTC day of which requests and receipts are kept; null while none was removed. Totals are of all. */
			kept_since: string | null;
			/** Amount that open requests may still cost. */
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
			group_by: "key" | "tag" | "model" | "provider" | "day" | "end_user" | "session";
			since: string;
			until: string;
			/** Of all pages: every request once, though it may be in several groups. */
			total: {
				/** Those that were billed. By model: those that called it; by provider: those that count for one of its models. */
				requests: number;
				calls: number;
				tokens: number;
				input_tokens: number;
				cost_usd: number;
				/** Requests that were refused before a provider was called; they are not among `requests`. By model and provider, `total` alone has them. */
				refused: number;
				/** Other requests without an answer and a bill, by the model that was tried last. */
				failed: number;
				/** Time from arrival to receipt that half and 95 % of the requests do not exceed, from buckets that each span a tenth: within 5 %. By model and provider, of the requests that count for it; null by key, tag, end user and session. */
				latency_ms: {
					p50: number | null;
					p95: number | null;
				};
				/** The same to the first token, where one came. */
				first_token_ms: {
					p50: number | null;
					p95: number | null;
				};
			};
			has_more: boolean;
			next_cursor: string | null;
			/** By end user or session: requests that arrived before are in `total` alone, because a meter reads so many of the latest. Null where all are in groups. */
			counted_since: string | null;
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
				/** By provider; null for models that are no longer in the catalog. */
				provider?: string | null;
				day?: string;
				/** By end user; null for requests without one. */
				end_user?: string | null;
				/** By session; null for requests without one. */
				session_id?: string | null;
				/** Those that were billed. By model: those that called it; by provider: those that count for one of its models. */
				requests: number;
				calls: number;
				tokens: number;
				input_tokens: number;
				cost_usd: number;
				/** Requests that were refused before a provider was called; they are not among `requests`. By model and provider, `total` alone has them. */
				refused: number;
				/** Other requests without an answer and a bill, by the model that was tried last. */
				failed: number;
				/** Time from arrival to receipt that half and 95 % of the requests do not exceed, from buckets that each span a tenth: within 5 %. By model and provider, of the requests that count for it; null by key, tag, end user and session. */
				latency_ms: {
					p50: number | null;
					p95: number | null;
				};
				/** The same to the first token, where one came. */
				first_token_ms: {
					p50: number | null;
					p95: number | null;
				};
			}>;
		};
	};
	/** What the caller's tokens would have cost on one baseline model: a per-token estimate, not a billing statement. */
	get_savings: {
		query?: {
			/** An id of list_models. */
			baseline?: string;
			/** Groups by this. The other parameters need it. */
			group_by?: "key" | "tag" | "model" | "provider" | "day" | "end_user" | "session";
			/** First UTC day; by default 30 days up to `until`. At most 366 days. */
			since?: string;
			/** Last UTC day; by default today. */
			until?: string;
			/** Groups of a page; 100 by default. */
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
			group_by: "key" | "tag" | "model" | "provider" | "day" | "end_user" | "session";
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
			/** By end user or session: requests that arrived before are in `total` alone, because a meter reads so many of the latest. Null where all are in groups. */
			counted_since: string | null;
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
				/** By provider; null for models that are no longer in the catalog. */
				provider?: string | null;
				day?: string;
				/** By end user; null for requests without one. */
				end_user?: string | null;
				/** By session; null for requests without one. */
				session_id?: string | null;
				requests: number;
				tokens: number;
				actual_cost_usd: number;
				baseline_cost_usd: number;
				saved_usd: number;
				saved_pct: number;
			}>;
		};
	};
	/** The caller's usage over time: requests, failures, tokens, cost and latency, by model, provider, key and more. */
	get_usage_series: {
		query?: {
			/** One series for each. Without it one of everything. */
			group_by?: "model" | "provider" | "key" | "tag" | "session" | "end_user";
			/** How long each step is. */
			step?: "hour" | "day";
			/** From the step that this lies in; by default 30 days before `until`. */
			since?: string;
			/** Up to, and without, this time; by default now. */
			until?: string;
			/** Whose hours and days the steps are: a name of the IANA data base. */
			time_zone?: string;
			/** Series that are told apart, those that cost most; 8 by default. */
			limit?: number;
		};
		result: {
			object: "usage.series";
			/** What each series is of; null for one of everything. */
			group_by: "model" | "provider" | "key" | "tag" | "session" | "end_user" | null;
			/** How long each step is. */
			step: "hour" | "day";
			/** Whose hours and days the steps are. UTC where they come from `day_sums`. */
			time_zone: string;
			/** When each step begins; the first may begin before the range. */
			starts: string[];
			/** When the last step ends. */
			until: string;
			/** `requests`: each was counted. `day_sums`: there are too many; sums of UTC days, with percentiles within 5 %. */
			source: "requests" | "day_sums";
			/** From when on requests are counted, where there are too many, or older ones are archived or removed, and no sums; null where all are. */
			counted_since: string | null;
			/** Of the whole range. */
			total: {
				/** That were answered. By model or provider from `day_sums`: those that called it. */
				requests: number;
				/** That got no answer after calls of models. */
				failed: number;
				/** That got none before any: limits, budgets, policy, validation. */
				refused: number;
				/** Of prompts and answers. */
				tokens: number;
				/** Of prompts. */
				input_tokens: number;
				/** What they cost. */
				cost_usd: number;
				/** From arrival to the end of the answer. */
				latency_ms: FirstTokenMs | null;
				/** From arrival to the first token, of answers that were streamed. */
				first_token_ms: FirstTokenMs | null;
			};
			/** Of each step; null where nothing was answered. */
			latency_ms: Array<FirstTokenMs | null>;
			/** Of each step. */
			first_token_ms: Array<FirstTokenMs | null>;
			/** A series each, with a number for each step; those that cost most first. */
			data: Array<{
				/** Id of the key, name of the model and so on; null for those without one. */
				id: string | null;
				/** What people call it: of a key its name, or its last four characters; else the id. */
				name: string | null;
				/** That were answered. By model or provider from `day_sums`: those that called it. */
				requests: number[];
				/** That got no answer after calls of models. */
				failed: number[];
				/** That got none before any: limits, budgets, policy, validation. */
				refused: number[];
				/** Of prompts and answers. */
				tokens: number[];
				/** Of prompts. */
				input_tokens: number[];
				/** What they cost. */
				cost_usd: number[];
			}>;
			/** Of all that are not told apart; null where all are. */
			others: {
				/** That were answered. By model or provider from `day_sums`: those that called it. */
				requests: number[];
				/** That got no answer after calls of models. */
				failed: number[];
				/** That got none before any: limits, budgets, policy, validation. */
				refused: number[];
				/** Of prompts and answers. */
				tokens: number[];
				/** Of prompts. */
				input_tokens: number[];
				/** What they cost. */
				cost_usd: number[];
			} | null;
		};
	};
	/** The caller's requests, newest first: which model was chosen for each and why, what it cost, and why the failed ones failed. */
	list_requests: {
		query?: {
			/** Only requests of this kind. */
			kind?: "chat" | "skill" | "orchestration" | "code" | "agent" | "embedding" | "moderation" | "rerank";
			/** Only those that this model served; an id of list_models. */
			model?: string;
			/** Only those that this provider served. */
			provider?: string;
			/** Only those that ended so. */
			outcome?: "complete" | "cut" | "refused" | "failed" | "client_closed";
			/** Only those with this code of their error, such as `rate_limit_exceeded`. */
			code?: string;
			/** Only those of this API key. */
			key_id?: string;
			/** Only those of API keys with this tag. */
			tag?: string;
			/** Only those of this session. */
			session_id?: string;
			/** Only those for this end user. */
			end_user?: string;
			/** Only those with all of these pairs: `metadata[team]=search`. */
			metadata?: Record<string, string>;
			/** Only those whose id begins so, with `svc-` or without. */
			q?: string;
			/** Only requests that arrived then or later. */
			since?: string;
			/** Only requests that arrived before. */
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
			/** The first day of which requests are kept, `YYYY-MM-DD`; null while none was removed. */
			kept_since: string | null;
			data: Array<{
				object: "request";
				/** Id of the request and of its receipt. */
				request_id: string;
				/** When it arrived. */
				created_at: string;
				/** Kind of request. */
				kind: string;
				/** The API key; null in requests from before keys were recorded. */
				key_id: string | null;
				/** HTTP status that the client got; null where it had hung up before, or the service had stopped. */
				http_status: number | null;
				/** Why there is no answer, or no whole one; null where nothing went wrong. */
				error: Error | null;
				/** How many requests this is: equal refusals of one minute are one. Else 1. */
				count: number;
				/** The client's session. */
				session_id: string | null;
				/** Whom the client asked for. */
				end_user: string | null;
				/** What else the client said of the request. */
				metadata: Record<string, string>;
				/** The model that the request or its config named; null where routing chose. */
				requested_model: string | null;
				/** The model that served; of several, the one that the request counts for. Null where none was called. */
				model: string | null;
				/** Who served it; null where nobody was called. */
				provider: string | null;
				/** How the model was chosen; null where none was. */
				mode: string | null;
				/** Another model served than the intended one. */
				fallback: boolean;
				/** Why this model, in words; of chats and skills. */
				reason: string | null;
				/** The model that was intended. */
				fallback_from: string | null;
				/** The skill. */
				skill_id: string | null;
				/** The effort policy; of orchestrations, code and runs. */
				policy: string | null;
				/** The strategy; of orchestrations and runs. */
				strategy: string | null;
				/** The language; of code. */
				language: string | null;
				/** How a run ended. */
				status: string | null;
				/** Steps of a run. */
				n_steps: number | null;
				/** Whether the review of code passed. */
				passed: boolean | null;
				/** How likely the answer is right. */
				confidence: number | null;
				/** How far the answers agreed. */
				agreement: number | null;
				/** The reserved amount. */
				bound_usd: number | null;
				/** Version of the catalog that it was planned with. */
				catalog_version: string | null;
				/** Digest of the routing config. */
				config_digest: string | null;
				/** All models that were called. */
				models: string[];
				/** Number of calls. */
				calls: number;
				/** Tokens of all calls. */
				tokens: number;
				/** Those of the prompts. */
				input_tokens: number;
				/** Those of the answers. */
				output_tokens: number;
				/** What it cost. */
				cost_usd: number;
				/** Some usage was not reported and counts at its bound. */
				estimated: boolean;
				/** Time from its arrival to its receipt, or to its error. */
				latency_ms: number;
				/** Time from its arrival to the first token, or to the answer that was asked for as a whole. */
				first_token_ms: number | null;
				/** Output tokens a second behind the first token; null where the answer came as a whole, or of several calls. */
				tokens_per_second: number | null;
				/** Tokens of prompts that providers had in their caches. */
				cached_tokens: number;
				/** Tokens of prompts that were written to providers' caches. */
				cache_write_tokens: number;
				/** Tokens of answers that were reasoning. */
				reasoning_tokens: number;
				/** The calls of providers, in the order of their starts; of more than 32 the first and the last 16. */
				attempts: Attempts[];
				/** `complete`, `cut` or `client_closed`; without an answer and a receipt `refused` (no provider was called) or `failed`. */
				outcome: string;
				/** The upstream cut the answer. */
				truncated: boolean;
				/** Hash of its receipt; null where nothing was billed. */
				proof_hash: string | null;
				/** Its receipt is signed. */
				signed: boolean;
			}>;
		};
	};
	/** One of the caller's requests, with its attempts and the cost of each of its calls. */
	get_request: {
		params: {
			request_id: string;
		};
		result: {
			object: "request";
			/** Id of the request and of its receipt. */
			request_id: string;
			/** When it arrived. */
			created_at: string;
			/** Kind of request. */
			kind: string;
			/** The API key; null in requests from before keys were recorded. */
			key_id: string | null;
			/** HTTP status that the client got; null where it had hung up before, or the service had stopped. */
			http_status: number | null;
			/** Why there is no answer, or no whole one; null where nothing went wrong. */
			error: Error | null;
			/** How many requests this is: equal refusals of one minute are one. Else 1. */
			count: number;
			/** The client's session. */
			session_id: string | null;
			/** Whom the client asked for. */
			end_user: string | null;
			/** What else the client said of the request. */
			metadata: Record<string, string>;
			/** The model that the request or its config named; null where routing chose. */
			requested_model: string | null;
			/** The model that served; of several, the one that the request counts for. Null where none was called. */
			model: string | null;
			/** Who served it; null where nobody was called. */
			provider: string | null;
			/** How the model was chosen; null where none was. */
			mode: string | null;
			/** Another model served than the intended one. */
			fallback: boolean;
			/** Why this model, in words; of chats and skills. */
			reason: string | null;
			/** The model that was intended. */
			fallback_from: string | null;
			/** The skill. */
			skill_id: string | null;
			/** The effort policy; of orchestrations, code and runs. */
			policy: string | null;
			/** The strategy; of orchestrations and runs. */
			strategy: string | null;
			/** The language; of code. */
			language: string | null;
			/** How a run ended. */
			status: string | null;
			/** Steps of a run. */
			n_steps: number | null;
			/** Whether the review of code passed. */
			passed: boolean | null;
			/** How likely the answer is right. */
			confidence: number | null;
			/** How far the answers agreed. */
			agreement: number | null;
			/** The reserved amount. */
			bound_usd: number | null;
			/** Version of the catalog that it was planned with. */
			catalog_version: string | null;
			/** Digest of the routing config. */
			config_digest: string | null;
			/** All models that were called. */
			models: string[];
			/** Number of calls. */
			calls: number;
			/** Tokens of all calls. */
			tokens: number;
			/** Those of the prompts. */
			input_tokens: number;
			/** Those of the answers. */
			output_tokens: number;
			/** What it cost. */
			cost_usd: number;
			/** Some usage was not reported and counts at its bound. */
			estimated: boolean;
			/** Time from its arrival to its receipt, or to its error. */
			latency_ms: number;
			/** Time from its arrival to the first token, or to the answer that was asked for as a whole. */
			first_token_ms: number | null;
			/** Output tokens a second behind the first token; null where the answer came as a whole, or of several calls. */
			tokens_per_second: number | null;
			/** Tokens of prompts that providers had in their caches. */
			cached_tokens: number;
			/** Tokens of prompts that were written to providers' caches. */
			cache_write_tokens: number;
			/** Tokens of answers that were reasoning. */
			reasoning_tokens: number;
			/** The calls of providers, in the order of their starts; of more than 32 the first and the last 16. */
			attempts: Attempts[];
			/** `complete`, `cut` or `client_closed`; without an answer and a receipt `refused` (no provider was called) or `failed`. */
			outcome: string;
			/** The upstream cut the answer. */
			truncated: boolean;
			/** Hash of its receipt; null where nothing was billed. */
			proof_hash: string | null;
			/** Its receipt is signed. */
			signed: boolean;
			/** Cost by model. */
			call_costs: {
				model: string;
				provider: string;
				/** The operator's name of the provider's key, where the provider has several. */
				provider_key?: string;
				calls: number;
				tokens: number;
				input_tokens: number;
				/** Tokens of prompts that providers had in their caches. */
				cached_tokens: number;
				/** Tokens of prompts that were written to providers' caches. */
				cache_write_tokens: number;
				/** Tokens of answers that were reasoning. */
				reasoning_tokens: number;
				cost_usd: number;
			}[];
			/** Salt of the hashes of texts in its receipt, from `svc.receipt.v2` on: for its owner, who may give it away. Null while it cannot be read. */
			salt: string | null;
		};
	};
	/** What a request asked and was answered, after masking, where texts are kept; each look is an audit event. */
	get_request_texts: {
		params: {
			request_id: string;
		};
		result: {
			object: "request.texts";
			/** The request or run. */
			request_id: string;
			/** The messages, each under its role, as models were sent them. Null where no texts are kept. */
			input: string | null;
			/** The answer as the model wrote it, without its reasoning. */
			output: string | null;
			/** Characters of the whole input. Of a long one, both ends are kept. */
			input_chars: number | null;
			/** The same of the output. */
			output_chars: number | null;
			/** From then on the texts are gone. */
			expires_at: string | null;
		};
	};
	/** The sessions of the caller's clients, latest first: their requests, cost and policy checks. */
	list_sessions: {
		query?: {
			/** Sessions of a page. */
			limit?: number;
			/** Only what this API key did: sessions, and what they come to. */
			key_id?: string;
			/** Only sessions with a request or a check then or later. */
			since?: string;
			/** Only sessions whose last request or check was before. */
			until?: string;
			/** `next_cursor` of the page before. */
			cursor?: string;
		};
		result: {
			object: "list";
			has_more: boolean;
			next_cursor: string | null;
			/** Where a page ended that found few: `next_cursor` goes on from there. Null on other pages. */
			searched_back_to: string | null;
			data: {
				object: "session";
				/** The session, as the client names it. */
				id: string;
				/** When its first request arrived, or its first check was made. */
				first_at: string;
				/** The same for the last one. */
				last_at: string;
				/** Requests and runs of it that were billed. */
				requests: number;
				/** Runs among them. */
				runs: number;
				/** Requests of it that got no answer and cost nothing. */
				failed: number;
				/** What they cost. */
				cost_usd: number;
				/** Tokens of their prompts and answers. */
				tokens: number;
				/** Policy checks of it. */
				checks: number;
				/** It has more requests than are counted here: the newest are. */
				is_cut: boolean;
			}[];
		};
	};
	/** A session of a client: its requests, runs and policy checks in one line of time, with their cost. */
	get_session: {
		params: {
			/** The session, as requests name it. */
			session_id: string;
		};
		query?: {
			/** Entries of a page. */
			limit?: number;
			/** `next_cursor` of the page before. */
			cursor?: string;
		};
		result: {
			object: "session";
			/** The session, as the client names it. */
			id: string;
			/** When its first request arrived, or its first check was made. */
			first_at: string;
			/** The same for the last one. */
			last_at: string;
			/** Requests and runs of it that were billed. */
			requests: number;
			/** Runs among them. */
			runs: number;
			/** Requests of it that got no answer and cost nothing. */
			failed: number;
			/** What they cost. */
			cost_usd: number;
			/** Tokens of their prompts and answers. */
			tokens: number;
			/** Policy checks of it. */
			checks: number;
			/** It has more requests than are counted here: the newest are. */
			is_cut: boolean;
			has_more: boolean;
			next_cursor: string | null;
			/** Where a page ended that found few: `next_cursor` goes on from there. Null on other pages. */
			searched_back_to: string | null;
			/** Newest first: a row of the list of requests, or an event of the audit log. */
			data: Array<{
				type: "request";
				/** When it arrived or was made. */
				at: string;
				object: "request";
				/** Id of the request and of its receipt. */
				request_id: string;
				/** When it arrived. */
				created_at: string;
				/** Kind of request. */
				kind: string;
				/** The API key; null in requests from before keys were recorded. */
				key_id: string | null;
				/** HTTP status that the client got; null where it had hung up before, or the service had stopped. */
				http_status: number | null;
				/** Why there is no answer, or no whole one; null where nothing went wrong. */
				error: Error | null;
				/** How many requests this is: equal refusals of one minute are one. Else 1. */
				count: number;
				/** The client's session. */
				session_id: string | null;
				/** Whom the client asked for. */
				end_user: string | null;
				/** What else the client said of the request. */
				metadata: Record<string, string>;
				/** The model that the request or its config named; null where routing chose. */
				requested_model: string | null;
				/** The model that served; of several, the one that the request counts for. Null where none was called. */
				model: string | null;
				/** Who served it; null where nobody was called. */
				provider: string | null;
				/** How the model was chosen; null where none was. */
				mode: string | null;
				/** Another model served than the intended one. */
				fallback: boolean;
				/** Why this model, in words; of chats and skills. */
				reason: string | null;
				/** The model that was intended. */
				fallback_from: string | null;
				/** The skill. */
				skill_id: string | null;
				/** The effort policy; of orchestrations, code and runs. */
				policy: string | null;
				/** The strategy; of orchestrations and runs. */
				strategy: string | null;
				/** The language; of code. */
				language: string | null;
				/** How a run ended. */
				status: string | null;
				/** Steps of a run. */
				n_steps: number | null;
				/** Whether the review of code passed. */
				passed: boolean | null;
				/** How likely the answer is right. */
				confidence: number | null;
				/** How far the answers agreed. */
				agreement: number | null;
				/** The reserved amount. */
				bound_usd: number | null;
				/** Version of the catalog that it was planned with. */
				catalog_version: string | null;
				/** Digest of the routing config. */
				config_digest: string | null;
				/** All models that were called. */
				models: string[];
				/** Number of calls. */
				calls: number;
				/** Tokens of all calls. */
				tokens: number;
				/** Those of the prompts. */
				input_tokens: number;
				/** Those of the answers. */
				output_tokens: number;
				/** What it cost. */
				cost_usd: number;
				/** Some usage was not reported and counts at its bound. */
				estimated: boolean;
				/** Time from its arrival to its receipt, or to its error. */
				latency_ms: number;
				/** Time from its arrival to the first token, or to the answer that was asked for as a whole. */
				first_token_ms: number | null;
				/** Output tokens a second behind the first token; null where the answer came as a whole, or of several calls. */
				tokens_per_second: number | null;
				/** Tokens of prompts that providers had in their caches. */
				cached_tokens: number;
				/** Tokens of prompts that were written to providers' caches. */
				cache_write_tokens: number;
				/** Tokens of answers that were reasoning. */
				reasoning_tokens: number;
				/** The calls of providers, in the order of their starts; of more than 32 the first and the last 16. */
				attempts: Attempts[];
				/** `complete`, `cut` or `client_closed`; without an answer and a receipt `refused` (no provider was called) or `failed`. */
				outcome: string;
				/** The upstream cut the answer. */
				truncated: boolean;
				/** Hash of its receipt; null where nothing was billed. */
				proof_hash: string | null;
				/** Its receipt is signed. */
				signed: boolean;
			} | {
				type: "run";
				/** When it arrived or was made. */
				at: string;
				object: "request";
				/** Id of the request and of its receipt. */
				request_id: string;
				/** When it arrived. */
				created_at: string;
				/** Kind of request. */
				kind: string;
				/** The API key; null in requests from before keys were recorded. */
				key_id: string | null;
				/** HTTP status that the client got; null where it had hung up before, or the service had stopped. */
				http_status: number | null;
				/** Why there is no answer, or no whole one; null where nothing went wrong. */
				error: Error | null;
				/** How many requests this is: equal refusals of one minute are one. Else 1. */
				count: number;
				/** The client's session. */
				session_id: string | null;
				/** Whom the client asked for. */
				end_user: string | null;
				/** What else the client said of the request. */
				metadata: Record<string, string>;
				/** The model that the request or its config named; null where routing chose. */
				requested_model: string | null;
				/** The model that served; of several, the one that the request counts for. Null where none was called. */
				model: string | null;
				/** Who served it; null where nobody was called. */
				provider: string | null;
				/** How the model was chosen; null where none was. */
				mode: string | null;
				/** Another model served than the intended one. */
				fallback: boolean;
				/** Why this model, in words; of chats and skills. */
				reason: string | null;
				/** The model that was intended. */
				fallback_from: string | null;
				/** The skill. */
				skill_id: string | null;
				/** The effort policy; of orchestrations, code and runs. */
				policy: string | null;
				/** The strategy; of orchestrations and runs. */
				strategy: string | null;
				/** The language; of code. */
				language: string | null;
				/** How a run ended. */
				status: string | null;
				/** Steps of a run. */
				n_steps: number | null;
				/** Whether the review of code passed. */
				passed: boolean | null;
				/** How likely the answer is right. */
				confidence: number | null;
				/** How far the answers agreed. */
				agreement: number | null;
				/** The reserved amount. */
				bound_usd: number | null;
				/** Version of the catalog that it was planned with. */
				catalog_version: string | null;
				/** Digest of the routing config. */
				config_digest: string | null;
				/** All models that were called. */
				models: string[];
				/** Number of calls. */
				calls: number;
				/** Tokens of all calls. */
				tokens: number;
				/** Those of the prompts. */
				input_tokens: number;
				/** Those of the answers. */
				output_tokens: number;
				/** What it cost. */
				cost_usd: number;
				/** Some usage was not reported and counts at its bound. */
				estimated: boolean;
				/** Time from its arrival to its receipt, or to its error. */
				latency_ms: number;
				/** Time from its arrival to the first token, or to the answer that was asked for as a whole. */
				first_token_ms: number | null;
				/** Output tokens a second behind the first token; null where the answer came as a whole, or of several calls. */
				tokens_per_second: number | null;
				/** Tokens of prompts that providers had in their caches. */
				cached_tokens: number;
				/** Tokens of prompts that were written to providers' caches. */
				cache_write_tokens: number;
				/** Tokens of answers that were reasoning. */
				reasoning_tokens: number;
				/** The calls of providers, in the order of their starts; of more than 32 the first and the last 16. */
				attempts: Attempts[];
				/** `complete`, `cut` or `client_closed`; without an answer and a receipt `refused` (no provider was called) or `failed`. */
				outcome: string;
				/** The upstream cut the answer. */
				truncated: boolean;
				/** Hash of its receipt; null where nothing was billed. */
				proof_hash: string | null;
				/** Its receipt is signed. */
				signed: boolean;
			} | {
				type: "policy_check";
				/** When it arrived or was made. */
				at: string;
				/** Id of the event. */
				id: string;
				/** What happened. */
				event_type: "policy_check" | "tool_recorded" | "handoff_created" | "agent_plan" | "agent_record" | "agent_run_deleted" | "manifest_changed" | "manifest_deleted" | "key_created" | "key_changed" | "key_revoked" | "key_budget_alert" | "key_webhook_failed" | "compliance_blocked" | "texts_read" | "tool_approved" | "tool_rejected";
				/** Its workspace, if it has one. */
				workspace_id: string | null;
				/** `key:<key id>` or `operator`. */
				actor: string;
				/** Content of the event, by its type. */
				payload: Record<string, unknown>;
				/** When it happened. */
				created_at: string;
				/** Decision of a policy check. */
				decision?: "allow" | "confirm" | "approve" | "deny";
				/** Risk score of a policy check. */
				risk_score?: number;
				/** Its tier. */
				risk_tier?: "auto" | "confirm" | "approve" | "block";
			}>;
		};
	};
	/** Rates the answer to one of the caller's own requests, of any kind that has a receipt. */
	give_feedback: {
		body: {
			/** The answer's `id`, `run_id` or `svc.proof.request_id`. */
			request_id: string;
			/** -1 bad, 0 neither, 1 good. */
			score: number;
			/** What the score is about; none by default. */
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
			/** The operator's models and providers. Of an invalid catalog, the last that could be read is in force; unknown is one that KV did not answer. */
			operator_catalog: "none" | "valid" | "invalid" | "unknown";
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
				/** By provider that has several keys, and by the key's name: for how many ms it is left alone because it was refused (null: until the isolate ends), and by model for how many ms it waits. */
				keys: Record<string, Record<string, {
					refused_ms?: number | null;
					waits: Record<string, number>;
				}>>;
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
	create_embeddings: { method: "POST", path: "/v1/embeddings", member: "object" },
	create_moderation: { method: "POST", path: "/v1/moderations", member: "id" },
	rerank: { method: "POST", path: "/v1/rerank", member: "id" },
	rerank_v2: { method: "POST", path: "/v2/rerank", member: "id" },
	orchestrate: { method: "POST", path: "/v2/orchestrate", member: "id" },
	write_code: { method: "POST", path: "/v2/code", member: "id" },
	preview_compliance: { method: "POST", path: "/v2/compliance/preview", isRepeatable: true, member: "active" },
	list_models: { method: "GET", path: "/v1/models", isRepeatable: true, member: "object" },
	get_model: { method: "GET", path: "/v1/models/{id}", isRepeatable: true },
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
	resolve_agent_run: { method: "POST", path: "/v1/agent/{run_id}/resolve", member: "object" },
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
	get_usage_series: { method: "GET", path: "/v1/usage/series", isRepeatable: true, member: "object" },
	list_requests: { method: "GET", path: "/v1/requests", isRepeatable: true, member: "object" },
	get_request: { method: "GET", path: "/v1/requests/{request_id}", isRepeatable: true, member: "object" },
	get_request_texts: { method: "GET", path: "/v1/requests/{request_id}/texts", isRepeatable: true, member: "object" },
	list_sessions: { method: "GET", path: "/v1/sessions", isRepeatable: true, member: "object" },
	get_session: { method: "GET", path: "/v1/sessions/{session_id}", isRepeatable: true, member: "object" },
	give_feedback: { method: "POST", path: "/v1/feedback", member: "object" },
	health: { method: "GET", path: "/health", isRepeatable: true, member: "status" },
};
