// Mounts endpoint definitions on Hono: the gate of its access, validation, handler, in this order, the same for every
// endpoint. What a gate asks of a caller is not decided here.
import { zValidator } from "@hono/zod-validator";
import type { Context, Hono, MiddlewareHandler } from "hono";
import { HTTPException } from "hono/http-exception";
import type { z } from "zod";
import { type Failure, StorageUnavailableError } from "../failure.ts";
import { readJsonBody } from "./body.edge.ts";
import type { RequestContext } from "./context.ts";
import type { Access, Answer, Endpoint } from "./endpoint.ts";
import { type HttpFailure, toHttpFailure } from "./errors.ts";
import { logError } from "./log.edge.ts";

/** What the stages of one request hand on. */
export interface Stages<C extends RequestContext = RequestContext> {
	Bindings: Env;
	Variables: { context: C };
}

type Stage<C extends RequestContext = RequestContext> = MiddlewareHandler<Stages<C>>;

/** The way in for endpoints of one access. */
export interface Gate<C extends RequestContext> {
	/** Lets a request pass or answers it. */
	stage(endpoint: Endpoint): Stage<C>;
	/** Calls the handler with the context that its access promises; without it, with the request's own. */
	call?(endpoint: Endpoint, context: C, handle: (context: C) => Promise<Answer<unknown>>): Promise<Answer<unknown>>;
}

/** Gates by access. An endpoint whose access has none cannot be mounted. */
export type Gates<C extends RequestContext> = Partial<Record<Access, Gate<C>>>;

/** The response to a failure; the reason goes into the request's log line. */
export function failureResponse<C extends RequestContext>(c: Context<Stages<C>>, failure: Failure): Response {
	const { status, body, headers }: HttpFailure = toHttpFailure(failure);
	const context: C | undefined = c.get("context");
	if (context) context.log.error = failure.reason;
	return Response.json(body, { status, headers });
}

/** The failure behind an exception: platform trouble the client may retry, or a bug. */
function failureOf(error: unknown, requestId: string): Failure {
	if (error instanceof HTTPException && error.status === 400) {
		return { reason: "invalid_json", message: "the request body is not valid JSON" };
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

/** Hono's error handler for whatever a stage throws. */
export function respondToException<C extends RequestContext>(error: unknown, c: Context<Stages<C>>): Response {
	return failureResponse(c, failureOf(error, c.get("context")?.requestId ?? ""));
}

/** Reads the body and leaves it where zValidator looks for it, whatever content type the client named. */
function bodyStage<C extends RequestContext>(endpoint: Endpoint): Stage<C> {
	return async (c, next) => {
		const context = c.get("context");
		const limitBytes = context.bodyLimits[endpoint.bodyLimit ?? "default"];
		const body = await context.timings.measure("body", () => readJsonBody(c.req.raw, limitBytes));
		if (!body.ok) return failureResponse(c, body.failure);
		context.rawBody = body.value;
		c.req.json = async <T>() => body.value as T;
		if (!/^application\/json *(?:;|$)/i.test(c.req.header("content-type") ?? "")) {
			const headers = new Headers(c.req.raw.headers);
			headers.set("content-type", "application/json");
			c.req.raw = new Request(c.req.url, { method: c.req.method, headers, signal: c.req.raw.signal });
		}
		return next();
	};
}

function isEmpty(value: unknown): boolean {
	return (
		value === undefined ||
		value === null ||
		(typeof value === "string" && value.trim() === "") ||
		(Array.isArray(value) && value.length === 0)
	);
}

/** The spec's own failure for an empty field, else every issue zod found. */
function validationFailure(endpoint: Endpoint, target: string, error: z.core.$ZodError, given: unknown): Failure {
	const empty = endpoint.emptyField;
	if (
		target === "json" &&
		empty &&
		error.issues.some((issue) => issue.path[0] === empty.name) &&
		typeof given === "object" &&
		given !== null &&
		!Array.isArray(given) &&
		isEmpty((given as Record<string, unknown>)[empty.name])
	) {
		return empty.failure;
	}
	const issues = error.issues.slice(0, 20).map((issue) => ({ path: issue.path.join("."), message: issue.message }));
	return { reason: "invalid_request", issues };
}

function validationStage<C extends RequestContext>(
	endpoint: Endpoint,
	target: "param" | "query" | "json",
	schema: z.ZodType,
): Stage<C> {
	return zValidator(target, schema, (result, c) => {
		if (result.success) return;
		const stages = c as unknown as Context<Stages<C>>;
		const context = stages.get("context");
		return failureResponse(stages, validationFailure(endpoint, target, result.error, context.rawBody));
	}) as unknown as Stage<C>;
}

function handlerStage<C extends RequestContext>(endpoint: Endpoint, gate: Gate<C>): Stage<C> {
	return async (c) => {
		const valid = (target: string) => c.req.valid(target as never) as unknown;
		const request = { params: valid("param"), query: valid("query"), body: valid("json") };
		const handle = (context: C) => endpoint.handle({ ...request, context });
		const context = c.get("context");
		const result = await (gate.call ? gate.call(endpoint, context, handle) : handle(context));
		if (!result.ok) return failureResponse(c, result.failure);
		if ("response" in result) return result.response;
		if (endpoint.mediaType) {
			const headers = { "content-type": `${endpoint.mediaType}; charset=utf-8`, ...result.headers };
			return new Response(String(result.value), { status: result.status ?? 200, headers });
		}
		return Response.json(result.value, { status: result.status ?? 200, headers: result.headers ?? {} });
	};
}

/** `/v1/models/{id}` as Hono writes it. */
function honoPath(path: string): string {
	return path.replace(/\{(\w+)\}/g, ":$1");
}

/**
 * Mounts every endpoint, and 405 with `Allow` for its path's other methods.
 * @throws for an endpoint whose access has no gate.
 */
export function mount<C extends RequestContext>(
	app: Hono<Stages<C>>,
	endpoints: readonly Endpoint[],
	gates: Gates<C>,
): void {
	for (const endpoint of endpoints) {
		const gate = gates[endpoint.access];
		if (!gate) throw new Error(`${endpoint.id}: there is no gate for access ${endpoint.access}`);
		const nameStage: Stage<C> = (c, next) => {
			c.get("context").log.endpoint = endpoint.id;
			return next();
		};
		const stages: Stage<C>[] = [nameStage, gate.stage(endpoint)];
		if (endpoint.params) stages.push(validationStage(endpoint, "param", endpoint.params));
		if (endpoint.query) stages.push(validationStage(endpoint, "query", endpoint.query));
		if (endpoint.body) stages.push(bodyStage(endpoint), validationStage(endpoint, "json", endpoint.body));
		app.on(endpoint.method, [honoPath(endpoint.path)], ...stages, handlerStage(endpoint, gate));
	}
	for (const path of new Set(endpoints.map((endpoint) => endpoint.path))) {
		const allow = endpoints.filter((endpoint) => endpoint.path === path).map((endpoint) => endpoint.method);
		app.all(honoPath(path), (c) => failureResponse(c, { reason: "method_not_allowed", allow }));
	}
}
