// The forms of an error body, one a dialect. What is said of a failure stands in errors.ts; here it is only put into form.
import * as z from "zod";

/** `svc`: the two bodies of the spec (section 7). The others are what the libraries of those providers read. */
export type ErrorDialect = "svc" | "openai" | "anthropic";

/** What is said of a failure, whatever the form. */
export interface ErrorReport {
	status: number;
	/** The spec's code. */
	code: string;
	message: string;
	/** The member of the request that is at fault, as a path. */
	param: string | null;
	/** Further fields of this code. */
	extra: Record<string, unknown>;
	/** Where the spec's own body has them: at the top, in the wrapper, or in both. */
	place: "flat" | "wrapped" | "both";
	requestId: string | null;
}

type ErrorBody = Record<string, unknown>;

/** `error.type` as OpenAI names them. */
function openaiErrorType(status: number): string {
	if (status >= 500) return "server_error";
	if (status === 401) return "authentication_error";
	if (status === 403) return "permission_error";
	return status === 429 ? "rate_limit_error" : "invalid_request_error";
}

function openaiError({ status, code, message, param, extra }: ErrorReport): ErrorBody {
	return { message, type: openaiErrorType(status), param, code, ...extra };
}

function specFields({ code, message, extra }: ErrorReport): ErrorBody {
	return { error: code, message, ...extra };
}

function svcBody(report: ErrorReport): ErrorBody {
	const fields = specFields(report);
	switch (report.place) {
		case "flat":
			return fields;
		case "both":
			return { ...fields, detail: fields };
		case "wrapped":
			// The spec leaves the top free here, so that libraries which read `error` show the message to everybody.
			return { detail: fields, error: openaiError(report) };
	}
}

function openaiBody(report: ErrorReport): ErrorBody {
	const detail = report.place === "flat" ? {} : { detail: specFields(report) };
	return { ...detail, error: openaiError(report) };
}

/** docs.anthropic.com/en/api/errors; what is not listed there is an `invalid_request_error` or an `api_error`. */
const ANTHROPIC_TYPES: Readonly<Record<number, string>> = {
	401: "authentication_error",
	402: "billing_error",
	403: "permission_error",
	404: "not_found_error",
	413: "request_too_large",
	429: "rate_limit_error",
	503: "overloaded_error",
	504: "timeout_error",
};

function anthropicBody({ status, code, message, extra, requestId }: ErrorReport): ErrorBody {
	const type = ANTHROPIC_TYPES[status] ?? (status >= 500 ? "api_error" : "invalid_request_error");
	return { type: "error", error: { type, message, code, ...extra }, request_id: requestId };
}

const RENDERERS: Readonly<Record<ErrorDialect, (report: ErrorReport) => ErrorBody>> = {
	svc: svcBody,
	openai: openaiBody,
	anthropic: anthropicBody,
};

/** The body of an error in a dialect. */
export function renderErrorBody(report: ErrorReport, dialect: ErrorDialect): ErrorBody {
	return RENDERERS[dialect](report);
}

/** How versions of the AI SDK name themselves: `ai-sdk/openai-compatible/1.0`, `ai-sdk-provider-utils/5.0`. */
const AI_SDK = /(?:^|\s)ai-sdk[/-]/;

/**
 * The dialect of whoever sends a request: every official OpenAI and Anthropic library says its language in
 * `x-stainless-lang`, and the AI SDK names itself in `user-agent`. Where the interface is OpenAI's, they read OpenAI's form.
 */
export function callerDialect(headers: Headers): ErrorDialect {
	return headers.has("x-stainless-lang") || AI_SDK.test(headers.get("user-agent") ?? "") ? "openai" : "svc";
}

const openaiErrorObject = z.lazy(() =>
	z.looseObject({
		message: z.string(),
		type: z.string(),
		param: z.string().nullable(),
		code: z.string(),
	}),
);

/** `svc`: body of every error but the wrapped ones. */
export const flatErrorSchema = z.lazy(() => z.looseObject({ error: z.string(), message: z.string() }));
/** `svc` and `openai`: body of 401 and of 429 `rate_limit_exceeded`. */
export const wrappedErrorSchema = z.lazy(() =>
	z.object({
		detail: z.looseObject({ error: z.string(), message: z.string() }),
		error: openaiErrorObject,
	}),
);
/** `openai`: body of every error. */
export const openaiErrorSchema = z.lazy(() => z.looseObject({ error: openaiErrorObject }));
/** `anthropic`: body of every error. */
export const anthropicErrorSchema = z.lazy(() =>
	z.looseObject({
		type: z.literal("error"),
		error: z.looseObject({ type: z.string(), message: z.string() }),
		request_id: z.string().nullable(),
	}),
);
