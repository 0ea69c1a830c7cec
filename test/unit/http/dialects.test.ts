// One failure in each dialect: the same status and headers, the form that the caller's library reads.
import { describe, expect, it } from "vitest";
import type { Failure } from "../../../src/failure.ts";
import {
	anthropicErrorSchema,
	callerDialect,
	type ErrorDialect,
	flatErrorSchema,
	openaiErrorSchema,
	wrappedErrorSchema,
} from "../../../src/http/dialects.ts";
import { toHttpFailure } from "../../../src/http/errors.ts";

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

	it("of a reason that has no row does not compile", () => {
		// @ts-expect-error there is no such reason, so that no form of it can be made up
		expect(() => toHttpFailure({ reason: "nope" })).toThrow();
	});
});
