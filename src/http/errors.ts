// Maps every failure to status, code, message, fields and headers (docs/reference/errors.md, "Errors"). dialects.ts writes the body.
import type { ComplianceNotice, Failure } from "../failure.ts";
import { type ErrorDialect, type ErrorReport, renderErrorBody } from "./dialects.ts";

/** A failure as an HTTP response. */
interface HttpFailure {
	status: number;
	body: Record<string, unknown>;
	headers: Record<string, string>;
}

/** What the response to a failure says. Its code is the failure's reason. */
interface FailureRow extends Partial<Pick<ErrorReport, "param" | "extra" | "place">> {
	status: number;
	message: string;
	/** Where a dialect has words of its own. */
	messages?: Partial<Record<ErrorDialect, string>>;
	headers?: Record<string, string>;
}

/** The wait before a retry after a fault of ours. */
const RETRY_SOON_MS = 2_000;
/** For refusals that a retry cannot cure. Without it, OpenAI's clients would try again. */
const NO_RETRY = { "x-should-retry": "false" };

function retryAfter(ms: number): Record<string, string> {
	return { "retry-after": String(Math.ceil(ms / 1000)), "retry-after-ms": String(Math.ceil(ms)) };
}

/** The first place, in words. */
function secretPlaceText([first]: Extract<Failure, { reason: "secret_in_share" }>["secrets"]): string {
	if (!first) return "";
	const at = first.line === null ? first.path : `${first.path}, line ${first.line}, column ${first.column}`;
	return `${at} (${first.kind})`;
}

/** Places that the message of a refusal names. Its body has more. */
const MAX_NAMED_PLACES = 3;

/** Which policies refuse a request, and what of it where, such as `; it holds PII (email) in messages[3], tool result`. */
function noticeText({ policies, classes, kinds, places }: ComplianceNotice): string {
	const by = policies.map(({ level, members }) => `the ${level}'s ${members.join(", ")}`);
	const found = classes.map((name) => `${name} (${(kinds[name] ?? []).join(", ")})`);
	const where = places.slice(0, MAX_NAMED_PLACES).map(({ path, place }) => `${path}, ${place}`);
	const others = places.length > MAX_NAMED_PLACES ? "; and elsewhere" : "";
	return [
		by.length > 0 ? `, by ${by.join(" and ")}` : "",
		found.length > 0 ? `; it holds ${found.join(" and ")}` : "",
		where.length > 0 ? ` in ${where.join("; ")}${others}` : "",
	].join("");
}

function toComplianceRow({
	message,
	excluded,
	notice,
}: Extract<Failure, { reason: "compliance_blocked" }>): FailureRow {
	const text = notice ? `${message}${noticeText(notice)}` : message;
	return { status: 403, message: text, extra: { excluded, ...notice }, headers: NO_RETRY };
}

/** `would_fit` of a request that could cost too much. */
function toFitFields(fit: Extract<Failure, { reason: "cost_limit_exceeded" }>["wouldFit"]) {
	return fit && { model: fit.model, max_tokens: fit.maxTokens, worst_case_usd: fit.worstCaseUsd };
}

/** Coding agents know by these very words that their conversation is too long, and compact it. */
function toOverflowRow({
	message,
	tokens,
	maximum,
}: Extract<Failure, { reason: "context_length_exceeded" }>): FailureRow {
	const isCounted = tokens !== null && maximum !== null;
	const counted = {
		openai: `Your input exceeds the context window of this model: it has ${tokens} tokens, ${maximum} is the most. Please adjust your input and try again.`,
		anthropic: `prompt is too long: ${tokens} tokens > ${maximum} maximum`,
	};
	const isAnthropics = /^prompt is too long/i.test(message);
	const upstreams = { anthropic: isAnthropics ? message : `prompt is too long: ${message}` };
	return {
		status: 400,
		message,
		messages: isCounted ? counted : upstreams,
		param: "input",
		extra: isCounted ? { tokens, maximum } : {},
		headers: NO_RETRY,
	};
}

function toRequestNotFoundRow({ message, keptSince }: Extract<Failure, { reason: "request_not_found" }>): FailureRow {
	return { status: 404, message, ...(keptSince === undefined ? {} : { extra: { kept_since: keptSince } }) };
}

function toConflictRow({
	message,
	id,
	state,
	decided,
	pending,
}: Extract<Failure, { reason: "action_conflict" }>): FailureRow {
	const decision = decided && { decision: decided.decision, key_id: decided.keyId, at: decided.at };
	return {
		status: 409,
		message,
		param: "resolutions",
		extra: { id, state, decided: decision, pending },
		headers: NO_RETRY,
	};
}

/** A new reason does not compile until it has a row here. */
function toFailureRow(failure: Failure): FailureRow {
	switch (failure.reason) {
		case "invalid_request": {
			const first = failure.issues[0];
			const summary = first ? `${first.path ? `${first.path}: ` : ""}${first.message}` : "the request is invalid";
			return {
				status: 422,
				message: failure.message ?? summary,
				param: first?.path || null,
				extra: { issues: failure.issues },
			};
		}
		case "context_length_exceeded":
			return toOverflowRow(failure);
		case "previous_response_not_found":
		case "invalid_encrypted_content":
			return { status: 400, message: failure.message, param: failure.param, headers: NO_RETRY };
		case "invalid_json":
		case "unknown_model":
			return { status: 400, message: failure.message };
		case "no_messages":
			return { status: 400, message: "messages is missing or empty", param: "messages" };
		case "no_task":
			return { status: 400, message: "task is missing or blank", param: "task" };
		case "no_goal":
			return { status: 400, message: "goal is missing or blank", param: "goal" };
		case "run_cancelled":
		case "idempotency_conflict":
			return { status: 409, message: failure.message, param: "idempotency_key", headers: NO_RETRY };
		case "action_conflict":
			return toConflictRow(failure);
		case "webhook_unavailable":
			return { status: 422, message: failure.message, param: "webhook", headers: NO_RETRY };
		case "invalid_brain_config":
			return {
				status: 422,
				message: failure.errors[0] ?? "the routing config is invalid",
				extra: { errors: failure.errors },
			};
		case "invalid_api_key":
			return { status: 401, message: failure.message, place: "wrapped", headers: { "www-authenticate": "Bearer" } };
		case "rate_limit_exceeded":
			return { status: 429, message: failure.message, place: "wrapped", headers: retryAfter(failure.retryAfterMs) };
		case "plan_changed":
			return {
				status: 503,
				message: "the plan of this account has just changed; try again",
				headers: retryAfter(RETRY_SOON_MS),
			};
		case "key_changed":
			return {
				status: 503,
				message: "this API key has just been changed; try again",
				headers: retryAfter(RETRY_SOON_MS),
			};
		case "role_forbidden":
		case "approval_forbidden":
			return { status: 403, message: failure.message, headers: NO_RETRY };
		case "key_scope_exceeded":
			return {
				status: 403,
				message:
					failure.member === "budget_usd"
						? "a key with a budget makes no keys, and widens no budget"
						: `a key cannot make or change a key beyond itself; ${failure.member} would be wider than the calling key's`,
				param: failure.member,
				extra: { member: failure.member },
				headers: NO_RETRY,
			};
		case "last_owner_key":
			return {
				status: 409,
				message:
					"no other owner key lasts as long as this one, so it can be replaced (rotate) but not deleted, expired or demoted",
				headers: NO_RETRY,
			};
		case "key_limit_reached":
			return {
				status: 409,
				message: `you have ${failure.limit} keys, which is the most; delete one to make another`,
				extra: { limit: failure.limit },
				headers: NO_RETRY,
			};
		case "daily_limit_exceeded":
			return {
				status: 429,
				message: failure.message,
				// The spec asks for both: fields at the top, and wrapped rate-limit errors.
				place: "both",
				extra: { plan: failure.plan, daily_limit: failure.dailyLimit, used_today: failure.usedToday },
				headers: { ...retryAfter(failure.retryAfterMs), ...NO_RETRY },
			};
		case "cost_limit_exceeded": {
			return {
				status: 402,
				message: failure.message,
				extra: {
					scope: failure.scope,
					limit_usd: failure.limitUsd,
					worst_case_usd: failure.worstCaseUsd,
					would_fit: toFitFields(failure.wouldFit),
				},
				headers: NO_RETRY,
			};
		}
		case "key_budget_exceeded":
			return {
				status: 402,
				message: failure.message,
				extra: {
					budget_usd: failure.budgetUsd,
					spent_usd: failure.spentUsd,
					held_usd: failure.heldUsd,
					resets_at: failure.resetsAt,
					would_fit: toFitFields(failure.wouldFit),
				},
				headers: NO_RETRY,
			};
		case "storage_quota_exceeded":
			return {
				status: 402,
				message: failure.message,
				extra: { stored_bytes: failure.storedBytes, quota_bytes: failure.quotaBytes },
				headers: NO_RETRY,
			};
		case "budget_exceeds_tier_limit":
			return {
				status: 402,
				message: failure.message,
				param: "max_cost_usd",
				extra: {
					tier_limit_usd: failure.tierLimitUsd,
					plan_envelope_usd: failure.planEnvelopeUsd,
					requested_max_cost_usd: failure.requestedMaxCostUsd,
				},
				headers: NO_RETRY,
			};
		case "compliance_blocked":
			return toComplianceRow(failure);
		case "model_blocked":
		case "model_not_allowed":
			return { status: 403, message: failure.message, extra: { excluded: failure.excluded }, headers: NO_RETRY };
		case "thread_not_found":
			// Anthropic's libraries know by these details to send the whole conversation.
			return { status: 404, message: failure.message, extra: { details: { error_code: failure.reason } } };
		case "not_found":
		case "model_not_found":
		case "response_not_found":
		case "proof_not_found":
		case "key_not_found":
		case "handoff_not_found":
		case "workspace_not_found":
		case "manifest_not_found":
		case "share_not_found":
		case "skill_not_found":
		case "run_not_found":
		case "step_not_found":
		case "session_not_found":
		case "text_expired":
			return { status: 404, message: failure.message };
		case "request_not_found":
			return toRequestNotFoundRow(failure);
		case "share_limit_reached":
			return {
				status: 409,
				message: `you have ${failure.limit} shares, which is the most; delete one to share another`,
				extra: { limit: failure.limit },
				headers: NO_RETRY,
			};
		case "feedback_closed":
			return {
				status: 409,
				message: `the feedback on this request could be changed until ${failure.changeableUntil}`,
				extra: { changeable_until: failure.changeableUntil },
				headers: NO_RETRY,
			};
		case "secret_in_share":
			return {
				status: 422,
				message: `what is shared is public, and this looks like a secret: ${secretPlaceText(failure.secrets)}`,
				param: failure.secrets[0]?.path ?? null,
				extra: { secrets: failure.secrets },
				headers: NO_RETRY,
			};
		case "manifest_changed":
			return {
				status: 409,
				message: "the manifest has changed since the one in base_digest; read it again, and repeat the change",
				param: "base_digest",
				extra: { digest: failure.digest, version: failure.version },
				headers: NO_RETRY,
			};
		case "run_not_ended":
			return { status: 409, message: failure.message, headers: NO_RETRY };
		case "restore_refused":
			return { status: 409, message: failure.message, extra: { faults: failure.faults }, headers: NO_RETRY };
		case "chain_restored":
		case "chain_broken":
			return { status: 409, message: failure.message, headers: NO_RETRY };
		case "method_not_allowed": {
			const allow = failure.allow.join(", ");
			return { status: 405, message: `this path answers to ${allow}`, headers: { allow } };
		}
		case "https_required":
			return {
				status: 403,
				message: "this address answers over https only; a key sent in the clear should be rotated",
				headers: NO_RETRY,
			};
		case "misdirected_request":
			return {
				status: 421,
				message: `this service does not answer for ${failure.host}; its operator can name the host in ALLOWED_HOSTS`,
				headers: NO_RETRY,
			};
		case "request_too_large":
			return {
				status: 413,
				message: failure.message ?? `the request body exceeds ${failure.limitBytes} bytes`,
				extra: { limit_bytes: failure.limitBytes },
			};
		case "headers_too_large":
			return {
				status: 431,
				message: `the request headers exceed ${failure.limitBytes} bytes`,
				extra: { limit_bytes: failure.limitBytes },
			};
		case "body_too_slow":
			return {
				status: 408,
				message: `the request body stopped, or comes at less than ${failure.bytesPerSecond} bytes a second`,
				extra: { bytes_per_second: failure.bytesPerSecond, silence_ms: failure.silenceMs },
			};
		case "overloaded":
			return {
				status: 503,
				message: "too many request bodies are under way; try again in a moment",
				headers: retryAfter(failure.retryAfterMs),
			};
		case "invalid_host":
			return { status: 400, message: "the Host header names no host", headers: NO_RETRY };
		case "upstream_rejected":
			return {
				status: 400,
				message: failure.message,
				extra: { provider: failure.provider, upstream_status: failure.upstreamStatus },
				headers: NO_RETRY,
			};
		case "format_not_met":
			return { status: 502, message: failure.message, extra: { cost_usd: failure.costUsd }, headers: NO_RETRY };
		case "all_models_failed":
		case "no_code_produced":
			return {
				status: 502,
				message: "message" in failure ? failure.message : (failure.attempts.at(-1) ?? "no model could answer"),
				extra: { attempts: failure.attempts, cost_usd: failure.costUsd },
				headers: {
					...(failure.retryAfterMs === null ? {} : retryAfter(failure.retryAfterMs)),
					// A request that has cost money is not repeated without the user's knowledge.
					...(failure.costUsd > 0 ? NO_RETRY : {}),
				},
			};
		case "agent_error":
			return {
				status: 502,
				message: failure.message,
				extra: { run_id: failure.runId, cost_consumed_usd: failure.costUsd, output: failure.output },
				headers: NO_RETRY,
			};
		case "orchestration_error":
			return {
				status: 502,
				message: "the orchestrator failed; what was spent is settled, and the log has the cause under this request id",
				extra: { request_id: failure.requestId },
				headers: NO_RETRY,
			};
		case "code_error":
			return {
				status: 502,
				message: "the code run failed; what was spent is settled, and the log has the cause under this request id",
				extra: { request_id: failure.requestId },
				headers: NO_RETRY,
			};
		case "no_provider_available":
		case "signing_unavailable":
			return { status: 503, message: failure.message, headers: { ...retryAfter(RETRY_SOON_MS), ...NO_RETRY } };
		case "storage_unavailable":
			return { status: 503, message: failure.message, headers: retryAfter(RETRY_SOON_MS) };
		case "receipt_unavailable":
			return {
				status: 503,
				message: "the answer could not be accounted for and was withheld",
				extra: { request_id: failure.requestId },
				// The calls are paid for: a retry would pay again.
				headers: NO_RETRY,
			};
		case "misconfigured":
			return {
				status: 503,
				message: "the service is not configured; its log names the setting",
				headers: retryAfter(RETRY_SOON_MS),
			};
		case "internal_error":
			return {
				status: 500,
				message: "an unexpected error; the log has it under this request id",
				extra: { request_id: failure.requestId },
			};
	}
}

function messageIn({ message, messages }: FailureRow, dialect: ErrorDialect): string {
	return messages?.[dialect] ?? message;
}

/** The HTTP status of a failure. */
export function failureStatus(failure: Failure): number {
	return toFailureRow(failure).status;
}

/** What a failure says in a dialect. */
export function failureMessage(failure: Failure, dialect: ErrorDialect = "svc"): string {
	return messageIn(toFailureRow(failure), dialect);
}

/**
 * The response to a failure.
 * @param requestId of the failed request, for dialects whose body names it.
 */
export function toHttpFailure(
	failure: Failure,
	dialect: ErrorDialect = "svc",
	requestId: string | null = null,
): HttpFailure {
	const row = toFailureRow(failure);
	const { status, param = null, extra = {}, place = "flat", headers = {} } = row;
	const message = messageIn(row, dialect);
	const report = { status, code: failure.reason, message, param, extra, place, requestId };
	return { status, body: renderErrorBody(report, dialect), headers };
}
