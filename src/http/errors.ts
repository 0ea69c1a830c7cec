// The one mapping of failures to status, code, body and headers (spec section 7).
import * as z from "zod";
import type { Failure } from "../failure.ts";

/** A failure as it goes over the wire. */
export interface HttpFailure {
	status: number;
	body: Record<string, unknown>;
	headers: Record<string, string>;
}

/** Wait before a try after trouble on our side. */
const RETRY_SOON_MS = 2_000;
/** A refusal that a retry cannot cure; without it OpenAI clients would try again. */
const NO_RETRY = { "x-should-retry": "false" };

function retryAfter(ms: number): Record<string, string> {
	return { "retry-after": String(Math.ceil(ms / 1000)), "retry-after-ms": String(Math.ceil(ms)) };
}

/** Maps a failure to its response. Exhaustive: a new reason does not compile until it has a row here. */
export function toHttpFailure(failure: Failure): HttpFailure {
	const flat = (status: number, message: string, extra = {}, headers: Record<string, string> = {}): HttpFailure => ({
		status,
		body: { error: failure.reason, message, ...extra },
		headers,
	});
	const wrapped = (status: number, message: string, headers: Record<string, string>): HttpFailure => ({
		status,
		body: { detail: { error: failure.reason, message } },
		headers,
	});
	switch (failure.reason) {
		case "invalid_request": {
			const first = failure.issues[0];
			const summary = first ? `${first.path ? `${first.path}: ` : ""}${first.message}` : "the request is invalid";
			return flat(422, failure.message ?? summary, { issues: failure.issues });
		}
		case "invalid_json":
		case "unknown_model":
			return flat(400, failure.message);
		case "no_messages":
			return flat(400, "messages is missing or empty");
		case "invalid_brain_config":
			return flat(422, failure.errors[0] ?? "the routing config is invalid", { errors: failure.errors });
		case "invalid_api_key":
			return wrapped(401, failure.message, { "www-authenticate": "Bearer" });
		case "rate_limit_exceeded":
			return wrapped(429, failure.message, retryAfter(failure.retryAfterMs));
		case "plan_changed":
			return flat(503, "the plan of this account has just changed; try again", {}, retryAfter(RETRY_SOON_MS));
		case "daily_limit_exceeded": {
			const fields = {
				error: failure.reason,
				message: failure.message,
				plan: failure.plan,
				daily_limit: failure.dailyLimit,
				used_today: failure.usedToday,
			};
			return {
				status: 429,
				body: { ...fields, detail: fields },
				headers: { ...retryAfter(failure.retryAfterMs), ...NO_RETRY },
			};
		}
		case "cost_limit_exceeded":
			return flat(
				402,
				failure.message,
				{ scope: failure.scope, limit_usd: failure.limitUsd, worst_case_usd: failure.worstCaseUsd },
				NO_RETRY,
			);
		case "model_blocked":
			return flat(403, failure.message, { excluded: failure.excluded }, NO_RETRY);
		case "not_found":
		case "model_not_found":
		case "proof_not_found":
		case "key_not_found":
		case "handoff_not_found":
		case "workspace_not_found":
			return flat(404, failure.message);
		case "chain_broken":
			return flat(409, failure.message, {}, NO_RETRY);
		case "method_not_allowed":
			return flat(405, `this path answers to ${failure.allow.join(", ")}`, {}, { allow: failure.allow.join(", ") });
		case "request_too_large":
			return flat(413, `the request body exceeds ${failure.limitBytes} bytes`, { limit_bytes: failure.limitBytes });
		case "headers_too_large":
			return flat(431, `the request headers exceed ${failure.limitBytes} bytes`, { limit_bytes: failure.limitBytes });
		case "upstream_rejected":
			return flat(
				400,
				failure.message,
				{ provider: failure.provider, upstream_status: failure.upstreamStatus },
				NO_RETRY,
			);
		case "all_models_failed":
			return flat(
				502,
				failure.attempts.at(-1) ?? "no model could answer",
				{ attempts: failure.attempts, cost_usd: failure.costUsd },
				{
					...(failure.retryAfterMs === null ? {} : retryAfter(failure.retryAfterMs)),
					// What has cost money already is not repeated behind the user's back.
					...(failure.costUsd > 0 ? NO_RETRY : {}),
				},
			);
		case "no_provider_available":
		case "signing_unavailable":
			return flat(503, failure.message, {}, { ...retryAfter(RETRY_SOON_MS), ...NO_RETRY });
		case "storage_unavailable":
			return flat(503, failure.message, {}, retryAfter(RETRY_SOON_MS));
		case "receipt_unavailable":
			return flat(
				503,
				"the answer could not be accounted for and was withheld",
				{ request_id: failure.requestId },
				retryAfter(RETRY_SOON_MS),
			);
		case "misconfigured":
			return flat(503, "the service is not configured; its log names the setting", {}, retryAfter(RETRY_SOON_MS));
		case "internal_error":
			return flat(500, "an unexpected error; the log has it under this request id", { request_id: failure.requestId });
	}
}

/** Body of every error but the wrapped ones. */
export const flatErrorSchema = z.looseObject({ error: z.string(), message: z.string() });
/** Body of 401 and of 429 `rate_limit_exceeded`. */
export const wrappedErrorSchema = z.object({ detail: z.looseObject({ error: z.string(), message: z.string() }) });
