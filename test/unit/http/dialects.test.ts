// One failure in each dialect: the same status and headers, the form that the caller's library reads.
import { describe, expect, it } from "vitest";
import type { Failure } from "../../../src/failure.ts";
import {
	anthropicErrorSchema,
	callerDialect,
	type ErrorDialect,
	errorType,
	flatErrorSchema,
	openaiErrorSchema,
	pathDialects,
	wrappedErrorSchema,
} from "../../../src/http/dialects.ts";
import { failureMessage, toHttpFailure } from "../../../src/http/errors.ts";

const invalid: Failure = { reason: "invalid_request", issues: [{ path: "messages.2.role", message: "is none" }] };
const limited: Failure = { reason: "rate_limit_exceeded", message: "too many", retryAfterMs: 1_500 };
const daily: Failure = {
	reason: "daily_limit_exceeded",
	message: "enough for today",
	plan: "free",
	dailyLimit: 1_000,
	usedToday: 1_000,
	retryAfterMs: 60_000,
};

function bodyIn(dialect: ErrorDialect, failure: Failure): unknown {
	return toHttpFailure(failure, dialect, "svc-1").body;
}

describe("the dialect of a caller", () => {
	it.each([
		[{ "x-stainless-lang": "python" }, "openai"],
		[{ "user-agent": "ai/7.0.1 ai-sdk/openai-compatible/3.0.9 runtime/node.js/24" }, "openai"],
		[{ "user-agent": "ai/7.0.173 ai-sdk-provider-utils/5.0.81 node.js/24" }, "openai"],
		[{ "user-agent": "curl/8" }, "svc"],
		[{ "user-agent": "my-ai-sdk" }, "svc"],
		[{}, "svc"],
	] as const)("is told by its headers: %o is %s", (headers, dialect) => {
		expect(callerDialect(new Headers(headers))).toBe(dialect);
	});
});

describe("the dialect of a path", () => {
	const find = pathDialects([
		{ path: "/v1/messages", errorDialect: "anthropic" },
		{ path: "/v1/responses/{id}", errorDialect: "openai" },
		{ path: "/v1/models" },
	]);

	it.each([
		["/v1/messages", "anthropic"],
		["/v1/messages/nope", "anthropic"],
		["/v1/responses/resp_1/input_items", "openai"],
		["/v1/responses", "openai"],
		["/v1/messagesque", undefined],
		["/v1/models", undefined],
		["/", undefined],
	])("is that of the endpoint it names or is below of: %s", (path, dialect) => {
		expect(find(path)).toBe(dialect);
	});
});

describe("an error", () => {
	it("has the same status and headers in every dialect", () => {
		for (const failure of [invalid, limited, daily]) {
			const { status, headers } = toHttpFailure(failure);
			for (const dialect of ["openai", "anthropic"] as const)
				expect(toHttpFailure(failure, dialect)).toMatchObject({ status, headers });
		}
		expect(toHttpFailure(limited, "openai")).toMatchObject({ status: 429, headers: { "retry-after": "2" } });
	});

	it("is flat by the spec, wrapped where it is about a key or its rate, and both at the daily limit", () => {
		expect(bodyIn("svc", invalid)).toEqual({
			error: "invalid_request",
			message: "messages.2.role: is none",
			issues: invalid.issues,
		});
		expect(wrappedErrorSchema.parse(bodyIn("svc", limited)).detail.error).toBe("rate_limit_exceeded");
		const fields = { error: "daily_limit_exceeded", message: daily.message, plan: "free" };
		expect(bodyIn("svc", daily)).toMatchObject({ ...fields, detail: fields });
		expect(flatErrorSchema.parse(bodyIn("svc", daily)).error).toBe("daily_limit_exceeded");
	});

	it("is an error object with message, type, param, code and its further fields for OpenAI's libraries", () => {
		expect(openaiErrorSchema.parse(bodyIn("openai", invalid))).toEqual({
			error: {
				message: "messages.2.role: is none",
				type: "invalid_request_error",
				param: "messages.2.role",
				code: "invalid_request",
				issues: invalid.issues,
			},
		});
		expect(openaiErrorSchema.parse(bodyIn("openai", daily)).error).toMatchObject({
			type: "rate_limit_error",
			param: null,
			code: "daily_limit_exceeded",
			used_today: 1_000,
		});
	});

	it("of a key or its rate carries both forms for everybody, and the daily limit's both for OpenAI's libraries", () => {
		const error = { message: "too many", type: "rate_limit_error", param: null, code: "rate_limit_exceeded" };
		const detail = { error: "rate_limit_exceeded", message: "too many" };
		for (const dialect of ["svc", "openai"] as const) expect(bodyIn(dialect, limited)).toEqual({ detail, error });
		expect(bodyIn("openai", daily)).toMatchObject({
			error: { code: "daily_limit_exceeded", daily_limit: 1_000 },
			detail: { error: "daily_limit_exceeded", daily_limit: 1_000 },
		});
	});

	it("is a typed error with the request id for Anthropic's", () => {
		expect(anthropicErrorSchema.parse(bodyIn("anthropic", limited))).toEqual({
			type: "error",
			error: { type: "rate_limit_error", message: "too many", code: "rate_limit_exceeded" },
			request_id: "svc-1",
		});
	});

	const excluded = { m: ["it is dear"] };
	const failed: Failure = { reason: "all_models_failed", attempts: ["m: status 500"], costUsd: 0, retryAfterMs: null };
	it.each<[Failure, number, string, string]>([
		[invalid, 422, "invalid_request_error", "invalid_request_error"],
		[{ reason: "invalid_api_key", message: "no" }, 401, "authentication_error", "authentication_error"],
		[
			{ reason: "cost_limit_exceeded", message: "no", scope: "max_cost", limitUsd: 1, worstCaseUsd: 2, wouldFit: null },
			402,
			"invalid_request_error",
			"billing_error",
		],
		[{ reason: "model_not_allowed", message: "no", excluded }, 403, "permission_error", "permission_error"],
		[{ reason: "response_not_found", message: "no" }, 404, "invalid_request_error", "not_found_error"],
		[{ reason: "request_too_large", limitBytes: 1 }, 413, "invalid_request_error", "request_too_large"],
		[limited, 429, "rate_limit_error", "rate_limit_error"],
		[{ reason: "internal_error", requestId: "svc-1" }, 500, "server_error", "api_error"],
		[failed, 502, "server_error", "overloaded_error"],
		[{ reason: "storage_unavailable", message: "no" }, 503, "server_error", "overloaded_error"],
		[{ reason: "key_changed" }, 503, "server_error", "overloaded_error"],
	])("has the type that both libraries know: %o", (failure, status, openai, anthropic) => {
		expect(toHttpFailure(failure).status).toBe(status);
		expect(bodyIn("openai", failure)).toMatchObject({ error: { type: openai, code: failure.reason } });
		expect(bodyIn("anthropic", failure)).toMatchObject({ error: { type: anthropic } });
	});

	it.each([
		["all_models_failed", "server_error", "overloaded_error"],
		["upstream_timeout", "server_error", "timeout_error"],
		["upstream_cut", "server_error", "api_error"],
		["upstream_rejected", "invalid_request_error", "invalid_request_error"],
		["context_length_exceeded", "invalid_request_error", "invalid_request_error"],
		["rate_limit_exceeded", "rate_limit_error", "rate_limit_error"],
		["overloaded_error", "server_error", "overloaded_error"],
		["receipt_unavailable", "server_error", "api_error"],
		["constructor", "server_error", "api_error"],
	])("that ends a stream has a type by its code alone: %s", (code, openai, anthropic) => {
		expect([errorType(code, "openai"), errorType(code, "anthropic")]).toEqual([openai, anthropic]);
	});

	it("names the field at fault and no second try, where a response or its reasoning is not known", () => {
		for (const reason of ["previous_response_not_found", "invalid_encrypted_content"] as const) {
			const failure: Failure = { reason, message: "is unknown", param: "input[2].id" };
			expect(toHttpFailure(failure, "openai")).toMatchObject({
				status: 400,
				headers: { "x-should-retry": "false" },
				body: { error: { code: reason, param: "input[2].id", type: "invalid_request_error" } },
			});
		}
	});

	it("of a prompt that is too long is worded so that agents compact, each by its provider's own words", () => {
		const failure: Failure = {
			reason: "context_length_exceeded",
			message: "too long",
			tokens: 210_000,
			maximum: 200_000,
		};
		expect(bodyIn("anthropic", failure)).toMatchObject({
			error: { type: "invalid_request_error", message: "prompt is too long: 210000 tokens > 200000 maximum" },
		});
		expect(bodyIn("openai", failure)).toMatchObject({
			error: {
				code: "context_length_exceeded",
				param: "input",
				message: expect.stringMatching(/^Your input exceeds the context window of this model.*210000.*200000/),
			},
		});
		expect(failureMessage(failure, "anthropic")).toBe("prompt is too long: 210000 tokens > 200000 maximum");
		expect(failureMessage(failure)).toBe("too long");
		expect(toHttpFailure(failure).status).toBe(400);
	});

	it("of such a prompt keeps the upstream's words where they name no numbers", () => {
		const unknown = { reason: "context_length_exceeded" as const, tokens: null, maximum: null };
		const words = "Please reduce the length of the messages.";
		expect(failureMessage({ ...unknown, message: words }, "openai")).toBe(words);
		expect(failureMessage({ ...unknown, message: words }, "anthropic")).toBe(`prompt is too long: ${words}`);
		expect(failureMessage({ ...unknown, message: "Prompt is too long" }, "anthropic")).toBe("Prompt is too long");
	});

	it("of a reason that has no row does not compile", () => {
		// @ts-expect-error there is no such reason, so that no form of it can be made up
		expect(() => toHttpFailure({ reason: "nope" })).toThrow();
	});
});
