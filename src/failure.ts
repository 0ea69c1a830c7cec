// Results and expected failures of all features, as one union. http/errors.ts maps a failure to status, code and message.

/** One fault of a request, with its path (`messages.2.role`). */
export interface Issue {
	path: string;
	message: string;
}

/** Where a text holds what looks like a secret. Never the secret itself. */
export interface SecretPlace {
	/** Of the member that holds it. */
	path: string;
	/** In a text of several lines, both from 1; else null. */
	line: number | null;
	column: number | null;
	/** What it looks like, such as `api_key`. */
	kind: string;
}

/** Where a request holds what a compliance policy blocks. Never what stands there. */
export interface BlockedPlace {
	/** The member of the body, such as `messages[3]` or `tools`. */
	path: string;
	/** Index in `messages`; null for a place outside them. */
	message: number | null;
	/** What stands there, such as `text` or `tool result`. */
	place: string;
	/** Kinds of data, sorted. */
	kinds: string[];
	/** How many findings. */
	count: number;
}

/** Why compliance refuses a request, without a word of its content. */
export interface ComplianceNotice {
	/** The levels whose policy excludes a model, with the members that do, and the digest of the policy. */
	policies: { level: string; members: string[]; digest: string }[];
	/** Classes of data that are found and blocked; empty where the policy excludes all models whatever a request holds. */
	classes: string[];
	/** Per class. */
	kinds: Record<string, string[]>;
	/** In the order of the request: the first ones, if there are many. */
	places: BlockedPlace[];
	/** Findings in all places, by kind. */
	counts: Record<string, number>;
}

/** How long a prompt is and how long it may be, tokens; null where an upstream named no number. */
export interface ContextOverflow {
	tokens: number | null;
	maximum: number | null;
}

/** A refusal that a shorter prompt would cure: a model that may serve cannot read this one. */
interface MayOverflow {
	overflow?: ContextOverflow;
}

/** A person's decision on what a run waited for, without its reason. */
export interface DecidedBy {
	decision: "approve" | "edit" | "reject";
	keyId: string;
	/** ISO 8601. */
	at: string;
}

/** What a run waits for, without a text of it. */
export interface OpenPending {
	id: string;
	kind: string;
	tool: string | null;
	action_digest: string | null;
	expires_at: string;
}

/** All expected failures. `reason` selects the member; its other fields reach the client. */
export type Failure =
	| ({ reason: "invalid_request"; message?: string; issues: Issue[] } & MayOverflow)
	/** An entrance's word for a refusal by overflow. Chat says what it has always said. */
	| ({ reason: "context_length_exceeded"; message: string } & ContextOverflow)
	| { reason: "invalid_json"; message: string }
	| { reason: "no_messages" }
	| { reason: "no_task" }
	| { reason: "no_goal" }
	| { reason: "idempotency_conflict"; message: string }
	| { reason: "invalid_brain_config"; errors: string[] }
	| { reason: "invalid_api_key"; message: string }
	/** The mount retries the handler under the new plan. The client sees this only if the plan changes twice at once. */
	| { reason: "plan_changed"; plan: string }
	/** The mount calls the handler again with the key as it is now. The client sees this only if the key changes twice at once. */
	| { reason: "key_changed" }
	| { reason: "role_forbidden"; message: string }
	/** This key may not resolve what the run waits for; the message says which may. */
	| { reason: "approval_forbidden"; message: string }
	| { reason: "last_owner_key" }
	| { reason: "key_limit_reached"; limit: number }
	/** A key cannot hand out more than it has. `member` is what would be more. */
	| { reason: "key_scope_exceeded"; member: string }
	| { reason: "rate_limit_exceeded"; message: string; retryAfterMs: number }
	| {
			reason: "daily_limit_exceeded";
			message: string;
			plan: string;
			dailyLimit: number;
			usedToday: number;
			retryAfterMs: number;
	  }
	| {
			reason: "cost_limit_exceeded";
			message: string;
			scope: "plan_envelope" | "max_cost";
			limitUsd: number;
			worstCaseUsd: number;
			/** The longest answer of a model within the limit; null when none fits. */
			wouldFit: { model: string; maxTokens: number; worstCaseUsd: number } | null;
	  }
	| {
			/** What the request could cost is more than the key's budget leaves. */
			reason: "key_budget_exceeded";
			message: string;
			budgetUsd: number;
			spentUsd: number;
			heldUsd: number;
			/** When the budget's period ends, ISO 8601; null where it has no end. */
			resetsAt: string | null;
			wouldFit: { model: string; maxTokens: number; worstCaseUsd: number } | null;
	  }
	/** What the request would store is more than the plan's quota of stored bytes leaves. */
	| { reason: "storage_quota_exceeded"; message: string; storedBytes: number; quotaBytes: number }
	/** The notice is missing until the gate has added it. */
	| ({
			reason: "compliance_blocked";
			message: string;
			excluded: Record<string, string[]>;
			notice?: ComplianceNotice;
	  } & MayOverflow)
	| {
			reason: "budget_exceeds_tier_limit";
			message: string;
			tierLimitUsd: number;
			planEnvelopeUsd: number;
			requestedMaxCostUsd: number;
	  }
	| ({
			reason: "model_blocked" | "model_not_allowed";
			message: string;
			excluded: Record<string, string[]>;
	  } & MayOverflow)
	| { reason: "not_found"; message: string }
	| { reason: "unknown_model"; message: string }
	| { reason: "model_not_found"; message: string }
	| { reason: "response_not_found"; message: string }
	/** A thread of messages that a request goes on with: none is kept. */
	| { reason: "thread_not_found"; message: string }
	/** `param` is `previous_response_id`, or the path of the item that refers to a response. */
	| { reason: "previous_response_not_found"; message: string; param: string }
	/** Reasoning that was not sealed by this service for this user. `param` is the path of its item. */
	| { reason: "invalid_encrypted_content"; message: string; param: string }
	| { reason: "proof_not_found"; message: string }
	/** `keptSince`: requests of days before it were removed, `YYYY-MM-DD`. */
	| { reason: "request_not_found"; message: string; keptSince?: string }
	| { reason: "feedback_closed"; changeableUntil: string }
	| { reason: "key_not_found"; message: string }
	| { reason: "handoff_not_found"; message: string }
	| { reason: "workspace_not_found"; message: string }
	| { reason: "manifest_not_found"; message: string }
	/** The manifest in force is not the one that a change is based on. */
	| { reason: "manifest_changed"; digest: string; version: number | null }
	| { reason: "share_not_found"; message: string }
	| { reason: "share_limit_reached"; limit: number }
	| { reason: "secret_in_share"; secrets: SecretPlace[] }
	| { reason: "skill_not_found"; message: string }
	| { reason: "run_not_found"; message: string }
	| { reason: "run_cancelled"; message: string }
	| { reason: "run_not_ended"; message: string }
	/** A resolution that comes too late, or says something else than the one before. `state`: what has become of the action. */
	| {
			reason: "action_conflict";
			message: string;
			id: string | null;
			state: string;
			/** Null where nobody decided on it. */
			decided: DecidedBy | null;
			pending: OpenPending[];
	  }
	| { reason: "step_not_found"; message: string }
	| { reason: "session_not_found"; message: string }
	/** The text of a step is no longer kept. */
	| { reason: "text_expired"; message: string }
	| { reason: "webhook_unavailable"; message: string }
	| { reason: "chain_broken"; message: string }
	| { reason: "chain_restored"; message: string }
	| { reason: "restore_refused"; message: string; faults: string[] }
	| { reason: "signing_unavailable"; message: string }
	| { reason: "method_not_allowed"; allow: string[] }
	| { reason: "https_required" }
	| { reason: "misdirected_request"; host: string }
	| { reason: "request_too_large"; limitBytes: number; message?: string }
	| { reason: "headers_too_large"; limitBytes: number }
	/** The body comes more slowly than this; what has come of it is thrown away. */
	| { reason: "body_too_slow"; bytesPerSecond: number; silenceMs: number }
	/** The bodies that are under way in this isolate are as many bytes as it holds. */
	| { reason: "overloaded"; retryAfterMs: number }
	/** The request's Host header names no host. */
	| { reason: "invalid_host" }
	| ({ reason: "upstream_rejected"; message: string; provider: string; upstreamStatus: number } & MayOverflow)
	| {
			reason: "all_models_failed";
			attempts: string[];
			costUsd: number;
			retryAfterMs: number | null;
			/** Another try would end the same: every provider refused, or the service has a bug. */
			isFinal?: true;
	  }
	/** The client asked for a strict form, and neither the answer nor its repair has it. What they cost is settled. */
	| { reason: "format_not_met"; message: string; costUsd: number }
	| { reason: "orchestration_error"; requestId: string }
	/** The run was interrupted; what it spent is settled. `output` is what it reached. */
	| { reason: "agent_error"; message: string; runId: string; costUsd: number; output: string }
	/** Models answered, but none wrote a usable file. */
	| { reason: "no_code_produced"; message: string; attempts: string[]; costUsd: number; retryAfterMs: number | null }
	| { reason: "code_error"; requestId: string }
	| { reason: "no_provider_available"; message: string }
	| { reason: "storage_unavailable"; message: string }
	| { reason: "receipt_unavailable"; requestId: string }
	| { reason: "misconfigured" }
	| { reason: "internal_error"; requestId: string };

/** The result of an operation: a value, or an expected failure. */
export type Result<T> = { ok: true; value: T } | { ok: false; failure: Failure };

export function ok<T>(value: T): { ok: true; value: T } {
	return { ok: true, value };
}

export function fail(failure: Failure): { ok: false; failure: Failure } {
	return { ok: false, failure };
}

/** Thrown when what the operator wrote cannot be read. */
export class MisconfiguredError extends Error {
	override name = "MisconfiguredError";
}

/** Thrown when storage cannot be reached. The client may retry. */
export class StorageUnavailableError extends Error {
	override name = "StorageUnavailableError";
}
