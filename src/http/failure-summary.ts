// A failure as the row of its request keeps it: status, code and a message in our own words. What a message may quote of a request, or
// of what a provider said of it, is left out. Pure.
import { clip } from "../clip.ts";
import type { Failure } from "../failure.ts";
import { failureMessage, failureStatus } from "./errors.ts";

/** A failure without a client's text. */
export interface FailureSummary {
	status: number;
	code: string;
	message: string;
}

const MAX_SUMMARY_CHARS = 300;

/** Reasons whose messages hold nothing of the request but names of our own: models, providers, policies, members, amounts. */
const IN_OUR_WORDS: ReadonlySet<Failure["reason"]> = new Set([
	"no_messages",
	"no_task",
	"no_goal",
	"idempotency_conflict",
	"run_cancelled",
	"plan_changed",
	"key_changed",
	"role_forbidden",
	"approval_forbidden",
	"rate_limit_exceeded",
	"daily_limit_exceeded",
	"cost_limit_exceeded",
	"key_budget_exceeded",
	"storage_quota_exceeded",
	"budget_exceeds_tier_limit",
	"compliance_blocked",
	"request_too_large",
	"body_too_slow",
	"overloaded",
	"all_models_failed",
	"no_code_produced",
	"orchestration_error",
	"code_error",
	"no_provider_available",
	"storage_unavailable",
	"receipt_unavailable",
	"misconfigured",
	"internal_error",
]);

/** What is said of those that may quote a request. */
const IN_GENERAL: Partial<Record<Failure["reason"], string>> = {
	invalid_json: "the request body is not valid JSON",
	invalid_brain_config: "the routing config is invalid",
	context_length_exceeded: "the input exceeds the context window of the model",
	unknown_model: "the model is unknown",
	model_not_found: "the model is unknown",
	model_blocked: "the routing config or the key blocks the model",
	model_not_allowed: "the routing config, the key or the plan does not allow the model",
	previous_response_not_found: "the previous response is not stored",
	response_not_found: "the response is not stored",
	thread_not_found: "the thread of messages is not stored",
	invalid_encrypted_content: "the encrypted reasoning is not this service's for this user",
	skill_not_found: "the skill is unknown",
	workspace_not_found: "the workspace is unknown",
	webhook_unavailable: "the webhook's address cannot be used",
	format_not_met: "no answer has the form that was asked for",
	agent_error: "the run was interrupted",
};

/** The name of a member of a body, as schemas have them. */
const MEMBER_NAME = /^[a-z][a-z0-9_]{0,40}(?![^.[])/;

function toOwnMessage(failure: Failure): string {
	if (IN_OUR_WORDS.has(failure.reason)) return failureMessage(failure);
	if (failure.reason === "invalid_request") {
		const [member] = MEMBER_NAME.exec(failure.issues[0]?.path ?? "") ?? [];
		return member === undefined ? "the request is invalid" : `the request is invalid at ${member}`;
	}
	if (failure.reason === "upstream_rejected")
		return `${failure.provider} refused the request with status ${failure.upstreamStatus}`;
	return IN_GENERAL[failure.reason] ?? "the request was refused";
}

/** What the row of a failed request says of its failure. */
export function summarizeFailure(failure: Failure): FailureSummary {
	return {
		status: failureStatus(failure),
		code: failure.reason,
		message: clip(toOwnMessage(failure), MAX_SUMMARY_CHARS),
	};
}
