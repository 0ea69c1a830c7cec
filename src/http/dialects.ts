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

type Body = Record<string, unknown>;

function svcBody({ code, message, extra, place }: ErrorReport): Body {
	const fields = { error: code, message, ...extra };
	if (place === "flat") return fields;
	return place === "wrapped" ? { detail: fields } : { ...fields, detail: fields };
}

/** `error.type` as OpenAI names them. */
function openaiType(status: number): string {
	if (status >= 500) return "server_error";
	if (status === 401) return "authentication_error";
	if (status === 403) return "permission_error";
	return status === 429 ? "rate_limit_error" : "invalid_request_error";
}

function openaiBody({ status, code, message, param, extra }: ErrorReport): Body {
	return { error: { message, type: openaiType(status), param, code, ...extra } };
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

function anthropicBody({ status, code, message, extra, requestId }: ErrorReport): Body {
	const type = ANTHROPIC_TYPES[status] ?? (status >= 500 ? "api_error" : "invalid_request_error");
	return { type: "error", error: { type, message, code, ...extra }, request_id: requestId };
}

const BODIES: Readonly<Record<ErrorDialect, (report: ErrorReport) => Body>> = {
	svc: svcBody,
	openai: openaiBody,
	anthropic: anthropicBody,
};

/** The body of an error in a dialect. */
export function errorBody(report: ErrorReport, dialect: ErrorDialect): Body {
	return BODIES[dialect](report);
}

/** `svc`: body of every error but the wrapped ones. */
export const flatErrorSchema = z.lazy(() => z.looseObject({ error: z.string(), message: z.string() }));
/** `svc`: body of 401 and of 429 `rate_limit_exceeded`. */
export const wrappedErrorSchema = z.lazy(() =>
	z.object({ detail: z.looseObject({ error: z.string(), message: z.string() }) }),
);
/** `openai`: body of every error. */
export const openaiErrorSchema = z.lazy(() =>
	z.looseObject({
		error: z.looseObject({
			message: z.string(),
			type: z.string(),
			param: z.string().nullable(),
			code: z.string(),
		}),
	}),
);
/** `anthropic`: body of every error. */
export const anthropicErrorSchema = z.lazy(() =>
	z.looseObject({
		type: z.literal("error"),
		error: z.looseObject({ type: z.string(), message: z.string() }),
		request_id: z.string().nullable(),
	}),
);
