// Turns answers and failures into responses: media type, Cache-Control, the error's dialect, the reason in the log line.
import type { Context } from "hono";
import { HTTPException } from "hono/http-exception";
import { type Failure, MisconfiguredError, StorageUnavailableError } from "../failure.ts";
import type { RequestContext } from "./context.ts";
import type { ErrorDialect } from "./dialects.ts";
import type { Endpoint, HandlerResult } from "./endpoint.ts";
import { toHttpFailure } from "./errors.ts";
import { logError } from "./log.edge.ts";

/** What the middlewares of one request share. */
export interface RequestState<C extends RequestContext = RequestContext> {
	Bindings: Env;
	Variables: {
		context: C;
		/** The dialect of this request's errors: its endpoint's, else its caller's, else the spec's. */
		errorDialect?: ErrorDialect;
		/** The body as its endpoint's schema reads it. */
		body?: unknown;
	};
}

/** The failure for a path where this deployment has no endpoint. */
export const PATH_NOT_FOUND: Failure = {
	reason: "not_found",
	message: "no such path; GET /openapi.json lists them all",
};

/** The response to a failure. The reason goes into the request's log line. */
export function failureResponse<C extends RequestContext>(c: Context<RequestState<C>>, failure: Failure): Response {
	const context: C | undefined = c.get("context");
	if (context) {
		context.log.error = failure.reason;
		context.trail.failure = failure;
	}
	const { status, body, headers } = toHttpFailure(failure, c.get("errorDialect"), context?.requestId);
	// A failure holds for this moment only, so no cache may repeat it.
	return Response.json(body, { status, headers: { ...headers, "cache-control": "no-store" } });
}

/** The response to a handler's success, in the endpoint's media type. */
export function answerResponse(endpoint: Endpoint, answer: Extract<HandlerResult<unknown>, { ok: true }>): Response {
	const { mediaType = "application/json", cacheControl } = endpoint;
	let response: Response;
	if ("response" in answer) response = answer.response;
	else {
		const init = { status: answer.status ?? 200, headers: answer.headers ?? {} };
		response =
			mediaType === "application/json" ? Response.json(answer.value, init) : new Response(String(answer.value), init);
		if (mediaType !== "application/json") response.headers.set("content-type", `${mediaType}; charset=utf-8`);
	}
	// A cache must not repeat what is down now.
	if (cacheControl && response.ok && !response.headers.has("cache-control"))
		response.headers.set("cache-control", cacheControl);
	return response;
}

/** The failure for an exception: an outage of the platform, which the client may retry, or a bug. Logs it. */
export function toFailure(error: unknown, requestId: string): Failure {
	if (error instanceof HTTPException && error.status === 400) {
		return { reason: "invalid_json", message: "the request body is not valid JSON" };
	}
	// Its message names the setting, and never its value.
	if (error instanceof MisconfiguredError) {
		logError("misconfigured", error, { request_id: requestId, settings: error.message });
		return { reason: "misconfigured" };
	}
	logError("request_failed", error, { request_id: requestId });
	if (
		error instanceof StorageUnavailableError ||
		(error instanceof Error && /D1_ERROR|D1 DB|D1_EXEC/.test(`${error.message} ${error.cause}`))
	) {
		return { reason: "storage_unavailable", message: "storage did not answer; try again" };
	}
	return { reason: "internal_error", requestId };
}

/** Hono's error handler. */
export function respondToException<C extends RequestContext>(error: unknown, c: Context<RequestState<C>>): Response {
	return failureResponse(c, toFailure(error, c.get("context")?.requestId ?? ""));
}
