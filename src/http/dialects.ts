// The bodies of errors, one form for each dialect. errors.ts decides what a failure says.
import * as z from "zod";

/** `svc` has the two bodies of the spec (section 7). The libraries of the named providers read the others. */
export type ErrorDialect = "svc" | "openai" | "anthropic";

/** What an error says, in any form. */
export interface ErrorReport {
	status: number;
	/** The spec's code. */
	code: string;
	message: string;
	/** The path of the request's field at fault. */
	param: string | null;
	/** Further fields of this code. */
	extra: Record<string, unknown>;
	/** Where the spec's body has the fields: at the top, in the wrapper, or in both. */
	place: "flat" | "wrapped" | "both";
	requestId: string | null;
}

type ErrorBody = Record<string, unknown>;

/** The type of an error in each form. */
interface ErrorTypes {
	openai: string;
	anthropic: string;
}

const INVALID: ErrorTypes = { openai: "invalid_request_error", anthropic: "invalid_request_error" };
const OVERLOADED: ErrorTypes = { openai: "server_error", anthropic: "overloaded_error" };
const LIMITED: ErrorTypes = { openai: "rate_limit_error", anthropic: "rate_limit_error" };
const TIMED_OUT: ErrorTypes = { openai: "server_error", anthropic: "timeout_error" };
const BROKEN: ErrorTypes = { openai: "server_error", anthropic: "api_error" };

/** By status (platform.openai.com/docs/guides/error-codes, docs.anthropic.com/en/api/errors). */
const TYPES_BY_STATUS: Readonly<Record<number, ErrorTypes>> = {
	401: { openai: "authentication_error", anthropic: "authentication_error" },
	402: { openai: "invalid_request_error", anthropic: "billing_error" },
	403: { openai: "permission_error", anthropic: "permission_error" },
	404: { openai: "invalid_request_error", anthropic: "not_found_error" },
	408: { openai: "invalid_request_error", anthropic: "timeout_error" },
	413: { openai: "invalid_request_error", anthropic: "request_too_large" },
	429: LIMITED,
	503: OVERLOADED,
	504: TIMED_OUT,
};

/** Codes that another type fits than their status has, and those of broken streams, which have none: an upstream's among them. */
const TYPES_BY_CODE: Readonly<Record<string, ErrorTypes>> = {
	all_models_failed: OVERLOADED,
	no_provider_available: OVERLOADED,
	storage_unavailable: OVERLOADED,
	upstream_rejected: INVALID,
	context_length_exceeded: INVALID,
	upstream_timeout: TIMED_OUT,
	overloaded_error: OVERLOADED,
	rate_limit_error: LIMITED,
	rate_limit_exceeded: LIMITED,
};

/**
 * The type of an error in the form of a provider's libraries.
 * @param status of the response; default: the error ends a stream, and is neither the client's nor final but by its code.
 */
export function errorType(code: string, dialect: "openai" | "anthropic", status = 500): string {
	const byCode = Object.hasOwn(TYPES_BY_CODE, code) ? TYPES_BY_CODE[code] : undefined;
	const types = byCode ?? TYPES_BY_STATUS[status] ?? (status >= 500 ? BROKEN : INVALID);
	return types[dialect];
}

function openaiError({ status, code, message, param, extra }: ErrorReport): ErrorBody {
	return { message, type: errorType(code, "openai", status), param, code, ...extra };
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
			// The spec says nothing of the top here. With `error` at the top, OpenAI's libraries show the message.
			return { detail: fields, error: openaiError(report) };
	}
}

function openaiBody(report: ErrorReport): ErrorBody {
	const detail = report.place === "flat" ? {} : { detail: specFields(report) };
	return { ...detail, error: openaiError(report) };
}

function anthropicBody({ status, code, message, extra, requestId }: ErrorReport): ErrorBody {
	const type = errorType(code, "anthropic", status);
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

/** The AI SDK's user-agent in several versions: `ai-sdk/openai-compatible/1.0`, `ai-sdk-provider-utils/5.0`. */
const AI_SDK = /(?:^|\s)ai-sdk[/-]/;

/**
 * The dialect of a request's client. Every official OpenAI and Anthropic library sends its language in `x-stainless-lang`, and
 * the AI SDK names itself in `user-agent`. On OpenAI's interface, they read OpenAI's form.
 */
export function callerDialect(headers: Headers): ErrorDialect {
	return headers.has("x-stainless-lang") || AI_SDK.test(headers.get("user-agent") ?? "") ? "openai" : "svc";
}

/**
 * Finds the dialect of a path: of the endpoint that it names, or that it is below of. So unknown paths and refusals before any
 * endpoint speak it, too.
 */
export function pathDialects(
	endpoints: readonly { path: string; errorDialect?: ErrorDialect }[],
): (path: string) => ErrorDialect | undefined {
	const roots = endpoints.flatMap(({ path, errorDialect }) =>
		errorDialect ? [{ root: path.replace(/\/?\{.*$/, ""), errorDialect }] : [],
	);
	return (path) => roots.find(({ root }) => path === root || path.startsWith(`${root}/`))?.errorDialect;
}

const openaiErrorObject = z.lazy(() =>
	z.looseObject({
		message: z.string(),
		type: z.string(),
		param: z.string().nullable(),
		code: z.string(),
	}),
);

/** `svc`: the body of every error that is not wrapped. */
export const flatErrorSchema = z.lazy(() => z.looseObject({ error: z.string(), message: z.string() }));
/** `svc` and `openai`: the body of 401 and of 429 `rate_limit_exceeded`. */
export const wrappedErrorSchema = z.lazy(() =>
	z.object({
		detail: z.looseObject({ error: z.string(), message: z.string() }),
		error: openaiErrorObject,
	}),
);
/** `openai`: the body of every error. */
export const openaiErrorSchema = z.lazy(() => z.looseObject({ error: openaiErrorObject }));
/** `anthropic`: the body of every error. */
export const anthropicErrorSchema = z.lazy(() =>
	z.looseObject({
		type: z.literal("error"),
		error: z.looseObject({ type: z.string(), message: z.string() }),
		request_id: z.string().nullable(),
	}),
);
