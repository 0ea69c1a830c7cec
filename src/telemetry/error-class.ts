// Codes of failures as `error.type`: a closed list, which our failures are already; and their classes. Pure.
import type { Failure } from "../failure.ts";

/** Whose matter an error is. */
export const ERROR_CLASSES = ["client", "access", "limit", "policy", "upstream", "service"] as const;
export type ErrorClass = (typeof ERROR_CLASSES)[number];

/** A new failure does not compile until it has its class. */
const CLASSES: Readonly<Record<Failure["reason"], ErrorClass>> = {
	invalid_request: "client",
	context_length_exceeded: "client",
	invalid_json: "client",
	no_messages: "client",
	no_task: "client",
	no_goal: "client",
	idempotency_conflict: "client",
	invalid_brain_config: "client",
	unknown_model: "client",
	not_found: "client",
	model_not_found: "client",
	response_not_found: "client",
	thread_not_found: "client",
	previous_response_not_found: "client",
	invalid_encrypted_content: "client",
	proof_not_found: "client",
	request_not_found: "client",
	feedback_closed: "client",
	key_not_found: "client",
	handoff_not_found: "client",
	workspace_not_found: "client",
	manifest_not_found: "client",
	manifest_changed: "client",
	share_not_found: "client",
	secret_in_share: "client",
	skill_not_found: "client",
	run_not_found: "client",
	run_cancelled: "client",
	run_not_ended: "client",
	action_conflict: "client",
	step_not_found: "client",
	session_not_found: "client",
	text_expired: "client",
	webhook_unavailable: "client",
	chain_broken: "client",
	chain_restored: "client",
	restore_refused: "client",
	method_not_allowed: "client",
	https_required: "client",
	misdirected_request: "client",
	request_too_large: "client",
	headers_too_large: "client",
	body_too_slow: "client",
	invalid_host: "client",
	invalid_api_key: "access",
	plan_changed: "access",
	key_changed: "access",
	role_forbidden: "access",
	approval_forbidden: "access",
	last_owner_key: "access",
	key_scope_exceeded: "access",
	key_limit_reached: "limit",
	rate_limit_exceeded: "limit",
	daily_limit_exceeded: "limit",
	cost_limit_exceeded: "limit",
	key_budget_exceeded: "limit",
	storage_quota_exceeded: "limit",
	budget_exceeds_tier_limit: "limit",
	share_limit_reached: "limit",
	compliance_blocked: "policy",
	model_blocked: "policy",
	model_not_allowed: "policy",
	upstream_rejected: "upstream",
	all_models_failed: "upstream",
	format_not_met: "upstream",
	no_code_produced: "upstream",
	no_provider_available: "upstream",
	agent_error: "service",
	orchestration_error: "service",
	code_error: "service",
	overloaded: "service",
	signing_unavailable: "service",
	storage_unavailable: "service",
	receipt_unavailable: "service",
	misconfigured: "service",
	internal_error: "service",
};

/** Codes that only rows have: of answers that broke off, and of requests whose process died. */
const ROW_CLASSES = { upstream_cut: "upstream", upstream_timeout: "upstream", not_settled: "service" } as const;

const ALL_CLASSES: Readonly<Record<string, ErrorClass>> = { ...CLASSES, ...ROW_CLASSES };

/** What the conventions have for an error that is in no list. */
export const OTHER_ERROR = "_OTHER";

/** Codes that a request can end with, sorted. */
export const ERROR_CODES: readonly string[] = Object.keys(ALL_CLASSES).sort();

function isCode(code: string): boolean {
	return Object.hasOwn(ALL_CLASSES, code);
}

/** The class of a code; `service` for one that is none of ours. */
export function errorClass(code: string): ErrorClass {
	return (isCode(code) && ALL_CLASSES[code]) || "service";
}

/** `error.type` of a request. */
export function requestErrorType(code: string): string {
	return isCode(code) ? code : OTHER_ERROR;
}

/** `error.type` of an attempt: the upstream's status where it answered with one, else why no answer came. */
export function attemptErrorType(error: string | null, status: number | string | null): string | null {
	return error === "status" && status !== null ? `${status}` : error;
}
