// Mounts endpoint definitions on Hono: access, admission, validation, handler, in this order, the same for every endpoint.
import { zValidator } from "@hono/zod-validator";
import type { Context, Hono, MiddlewareHandler } from "hono";
import { HTTPException } from "hono/http-exception";
import type { z } from "zod";
import { PLANS } from "../account/plans.ts";
import { ObjectUnavailableError } from "../durable/call-object.edge.ts";
import { Admission, keyContext, quotaHeaders } from "../account/admission.edge.ts";
import { authenticate, authenticateOperator } from "../account/auth.edge.ts";
import { readJsonBody } from "./body.edge.ts";
import type { Account, RequestContext } from "./context.ts";
import type { Answer, Endpoint } from "./endpoint.ts";
import { type Failure, type HttpFailure, toHttpFailure } from "./errors.ts";
import { logError } from "./log.edge.ts";

/** What the stages of one request hand on. */
export interface Stages {
	Bindings: Env;
	Variables: { context: RequestContext; account: Account; admission: Admission };
}

type Stage = MiddlewareHandler<Stages>;

/** The response to a failure; the reason goes into the request's log line. */
export function failureResponse(c: Context<Stages>, failure: Failure): Response {
	const { status, body, headers }: HttpFailure = toHttpFailure(failure);
	const context: RequestContext | undefined = c.get("context");
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
		error instanceof ObjectUnavailableError ||
		(error instanceof Error && /D1_ERROR|D1 DB|D1_EXEC/.test(`${error.message} ${error.cause}`))
	) {
		return { reason: "storage_unavailable", message: "storage did not answer; try again" };
	}
	return { reason: "internal_error", requestId };
}

/** Hono's error handler for whatever a stage throws. */
export function respondToException(error: unknown, c: Context<Stages>): Response {
	return failureResponse(c, failureOf(error, c.get("context")?.requestId ?? ""));
}

function addQuotaHeaders(c: Context<Stages>, admission: Admission): void {
	if (!admission.quota) return;
	for (const [name, value] of Object.entries(quotaHeaders(admission.quota))) c.res.headers.set(name, value);
}

/** Hono merges the headers of a response that is set over another; a refusal must not inherit any. */
function replaceResponse(c: Context<Stages>, response: Response): void {
	c.res = undefined;
	c.res = response;
}

function keyStage(endpoint: Extract<Endpoint, { access: "key" }>): Stage {
	return async (c, next) => {
		const context = c.get("context");
		const authorization = c.req.header("authorization") ?? null;
		const caller = await context.timings.measure("auth", () => authenticate(authorization, context));
		if (!caller.ok) return failureResponse(c, caller.failure);
		context.log.user_id = caller.value.userId;
		context.log.key_id = caller.value.keyId;
		const admission = new Admission(context, caller.value, endpoint.countsTowardsDay ?? true);
		c.set("account", caller.value);
		c.set("admission", admission);
		if (endpoint.admission === "handler") {
			await next();
			// A request that failed before its handler asked to be admitted counts all the same.
			const last = c.get("admission");
			const verdict = last.outcome ?? (await last.request());
			if (!verdict.ok) replaceResponse(c, failureResponse(c, verdict.failure));
		} else {
			const verdict = await admission.request();
			if (verdict.ok) await next();
			else c.res = failureResponse(c, verdict.failure);
		}
		addQuotaHeaders(c, c.get("admission"));
	};
}

const operatorStage: Stage = async (c, next) => {
	const refused = authenticateOperator(c.req.header("authorization") ?? null, c.get("context").settings.adminToken);
	return refused ? failureResponse(c, refused) : next();
};

const PUBLIC_LIMIT_PERIOD_MS = 60_000;

const publicStage: Stage = async (c, next) => {
	const address = c.req.header("cf-connecting-ip") ?? "unknown";
	const { success } = await c.env.PUBLIC_LIMITER.limit({ key: address });
	if (success) return next();
	const message = "too many requests from this address; try again in a minute";
	return failureResponse(c, { reason: "rate_limit_exceeded", message, retryAfterMs: PUBLIC_LIMIT_PERIOD_MS });
};

function accessStage(endpoint: Endpoint): Stage {
	if (endpoint.access === "key") return keyStage(endpoint);
	if (endpoint.access === "operator") return operatorStage;
	return endpoint.limited ? publicStage : (_, next) => next();
}

/** Reads the body and leaves it where zValidator looks for it, whatever content type the client named. */
function bodyStage(endpoint: Endpoint): Stage {
	return async (c, next) => {
		const context = c.get("context");
		const { maxBodyBytes, maxChatBodyBytes } = context.settings;
		const limitBytes = endpoint.bodyLimit === "chat" ? maxChatBodyBytes : maxBodyBytes;
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

function validationStage(endpoint: Endpoint, target: "param" | "query" | "json", schema: z.ZodType): Stage {
	return zValidator(target, schema, (result, c) => {
		if (result.success) return;
		const stages = c as unknown as Context<Stages>;
		const context = stages.get("context");
		return failureResponse(stages, validationFailure(endpoint, target, result.error, context.rawBody));
	}) as unknown as Stage;
}

async function answer(endpoint: Endpoint, c: Context<Stages>): Promise<Answer<unknown>> {
	const valid = (target: string) => c.req.valid(target as never) as unknown;
	const request = { params: valid("param"), query: valid("query"), body: valid("json") };
	const context = c.get("context");
	if (endpoint.access !== "key") return endpoint.handle({ ...request, context });
	const admission = c.get("admission");
	const account = c.get("account");
	const first = await endpoint.handle({ ...request, context: keyContext(context, account, admission) });
	if (first.ok || first.failure.reason !== "plan_changed") return first;
	const replanned = { ...account, plan: PLANS[first.failure.plan] };
	const again = new Admission(context, replanned, endpoint.countsTowardsDay ?? true);
	c.set("admission", again);
	return endpoint.handle({ ...request, context: keyContext(context, replanned, again) });
}

function handlerStage(endpoint: Endpoint): Stage {
	return async (c) => {
		const result = await answer(endpoint, c);
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

/** Mounts every endpoint, and 405 with `Allow` for its path's other methods. */
export function mount(app: Hono<Stages>, endpoints: readonly Endpoint[]): void {
	for (const endpoint of endpoints) {
		const nameStage: Stage = (c, next) => {
			c.get("context").log.endpoint = endpoint.id;
			return next();
		};
		const stages: Stage[] = [nameStage, accessStage(endpoint)];
		if (endpoint.params) stages.push(validationStage(endpoint, "param", endpoint.params));
		if (endpoint.query) stages.push(validationStage(endpoint, "query", endpoint.query));
		if (endpoint.body) stages.push(bodyStage(endpoint), validationStage(endpoint, "json", endpoint.body));
		app.on(endpoint.method, [honoPath(endpoint.path)], ...stages, handlerStage(endpoint));
	}
	for (const path of new Set(endpoints.map((endpoint) => endpoint.path))) {
		const allow = endpoints.filter((endpoint) => endpoint.path === path).map((endpoint) => endpoint.method);
		app.all(honoPath(path), (c) => failureResponse(c, { reason: "method_not_allowed", allow }));
	}
}
