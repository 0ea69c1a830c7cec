// Mounts endpoint definitions on Hono. Each request passes the guard of the endpoint's access, validation and the handler, in
// this order. What a guard asks of a caller is not decided here.
import { zValidator } from "@hono/zod-validator";
import type { Context, Hono, MiddlewareHandler } from "hono";
import { etag, RETAINED_304_HEADERS } from "hono/etag";
import * as z from "zod";
import type { Failure } from "../failure.ts";
import { isJsonObject } from "../json.ts";
import { arrayLimitCheck, MAX_REPORTED_ISSUES } from "./array-limits.ts";
import { parseBodyInSteps, readJsonBody, takeBodyTicket } from "./body.edge.ts";
import type { BodyTicket } from "./body-tickets.ts";
import type { RequestContext } from "./context.ts";
import { addressOwner } from "./deployment.ts";
import type { Access, Endpoint, HandlerResult } from "./endpoint.ts";
import { pathText } from "./json-shape.ts";
import { runInOneTurn, runInTurns } from "./long-work.edge.ts";
import { findNearMisses } from "./near-misses.ts";
import { gatherPairs } from "./pairs.ts";
import { answerResponse, failureResponse, PATH_NOT_FOUND, type RequestState } from "./respond.edge.ts";
import { suggestMembers } from "./unknown-keys.ts";

/** What Hono reads and validates of a request. The body is read here. */
type ValidationTarget = "param" | "query";

type Middleware<C extends RequestContext> = MiddlewareHandler<
	RequestState<C>,
	string,
	{ out: Record<ValidationTarget, unknown> }
>;

/** Decides who may call the endpoints of one access. */
export interface AccessGuard<C extends RequestContext> {
	/** False when this deployment has no endpoints of the access; their paths are then unknown. Default: true. */
	exists?(context: C): boolean;
	/** Lets a request pass or answers it. */
	stage(endpoint: Endpoint): Middleware<C>;
	/** Calls the handler with the context that the access promises. Default: with the request's own. */
	call?(
		endpoint: Endpoint,
		context: C,
		handle: (context: C) => Promise<HandlerResult<unknown>>,
	): Promise<HandlerResult<unknown>>;
}

/** Guards by access. An endpoint whose access has none cannot be mounted. */
export type AccessGuards<C extends RequestContext> = Partial<Record<Access, AccessGuard<C>>>;

/** The response to a body that is refused, in the form of the endpoint's protocol if it has one. */
function bodyFailureResponse<C extends RequestContext>(
	{ protocol }: Endpoint,
	c: Context<RequestState<C>>,
	failure: Failure,
): Response {
	const context = c.get("context");
	context.refusedBody ??= "read";
	const refused = protocol?.refuse(failure, context.rawBody);
	if (!refused) return failureResponse(c, failure);
	context.log.error = failure.reason;
	context.trail.failure = failure;
	return refused;
}

/**
 * Takes a ticket for the body, reads the body and validates it, whatever the content type is. zValidator would read it once more,
 * without a limit and in one go. The ticket is given back with the answer, or by whoever counts the request.
 * @param endpoints all of the service, whose fields are no mistyped rules.
 */
function bodyStage<C extends RequestContext>(
	endpoint: Endpoint,
	schema: z.ZodType,
	endpoints: readonly Endpoint[],
): Middleware<C> {
	// Compiled with the first body, so that unused schemas do not slow down the start.
	let findOverlong: ReturnType<typeof arrayLimitCheck> | null = null;
	const read = async (
		c: Context<RequestState<C>>,
		limitBytes: number,
		ticket: BodyTicket,
	): Promise<Response | null> => {
		const context = c.get("context");
		// Until it is read: a client that hangs up has sent no body.
		context.refusedBody = "read";
		const body = await context.timings.measure("body", () =>
			readJsonBody(c.req.raw, limitBytes, ticket, endpoint.isBodyOptional, (text) => {
				context.bodyChars = text.length;
				return runInTurns(context, parseBodyInSteps(text, endpoint.parseBody));
			}),
		);
		if (!body.ok) return bodyFailureResponse(endpoint, c, body.failure);
		delete context.refusedBody;
		context.rawBody = body.value;
		const checkLengths = findOverlong ?? arrayLimitCheck(schema);
		findOverlong = checkLengths;
		const issues = await runInOneTurn(context, () => {
			const nearMisses = findNearMisses(body.value, endpoints);
			return nearMisses.length > 0 ? nearMisses : checkLengths(body.value);
		});
		if (issues.length > 0) return bodyFailureResponse(endpoint, c, { reason: "invalid_request", issues });
		const parsed = await schema.safeParseAsync(body.value);
		if (!parsed.success)
			return bodyFailureResponse(endpoint, c, toBodyFailure(endpoint, parsed.error, schema, body.value));
		c.set("body", parsed.data);
		return null;
	};
	return async (c, next) => {
		const context = c.get("context");
		const limitBytes = context.bodyLimits[endpoint.bodyLimit ?? "default"];
		const ticket = takeBodyTicket(c.req.raw, context.bodyOwner ?? addressOwner(context.address), limitBytes);
		if (!ticket.ok) {
			if (ticket.failure.reason !== "request_too_large") context.refusedBody = "unread";
			return bodyFailureResponse(endpoint, c, ticket.failure);
		}
		context.bodyTicket = ticket.value;
		try {
			return (await read(c, limitBytes, ticket.value)) ?? (await next());
		} finally {
			ticket.value.release();
		}
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

/** A message may quote a key of the client's, which may be of any length. */
const MAX_MESSAGE_CHARS = 500;

/** What is wrong with a member. Zod names the types of one that is not there, which its caller did not write. */
function toIssueMessage(issue: z.core.$ZodIssue, schema: z.ZodType, value: unknown): string {
	const { code, message } = issue;
	if (code === "invalid_type" && message.endsWith(", received undefined")) return "is missing";
	const suggestion = code === "unrecognized_keys" ? suggestMembers(schema, issue, value) : "";
	return `${message.slice(0, MAX_MESSAGE_CHARS)}${suggestion}`;
}

/** The first issues that zod found. @param value what the schema refused. */
function toValidationFailure(error: z.core.$ZodError, schema: z.ZodType, value: unknown): Failure {
	const issues = error.issues.slice(0, MAX_REPORTED_ISSUES).map((issue) => ({
		path: pathText(issue.path.map(String)),
		message: toIssueMessage(issue, schema, value),
	}));
	return { reason: "invalid_request", issues };
}

/** The endpoint's own failure for an empty field, else the first issues. */
function toBodyFailure(
	{ emptyField }: Endpoint,
	error: z.core.$ZodError,
	schema: z.ZodType,
	rawBody: unknown,
): Failure {
	const isAtFault = emptyField && error.issues.some(({ path }) => path[0] === emptyField.name);
	if (isAtFault && isJsonObject(rawBody) && isEmpty(rawBody[emptyField.name])) return emptyField.failure;
	return toValidationFailure(error, schema, rawBody);
}

function validationStage<C extends RequestContext>(target: ValidationTarget, schema: z.ZodType): Middleware<C> {
	const gathered = target === "query" ? z.preprocess(gatherPairs, schema) : schema;
	return zValidator(target, gathered, (result, c: Context<RequestState<C>>) =>
		result.success ? undefined : failureResponse(c, toValidationFailure(result.error, schema, result.data)),
	);
}

function handlerStage<C extends RequestContext>(endpoint: Endpoint, guard: AccessGuard<C>): Middleware<C> {
	return async (c) => {
		const request = { params: c.req.valid("param"), query: c.req.valid("query"), body: c.get("body") };
		const handle = (context: C) => endpoint.handle({ ...request, context });
		const context = c.get("context");
		const errorDialect = c.get("errorDialect");
		if (errorDialect) context.errorDialect = errorDialect;
		const answer = await (guard.call ? guard.call(endpoint, context, handle) : handle(context));
		return answer.ok ? answerResponse(endpoint, answer) : failureResponse(c, answer.failure);
	};
}

/** Headers that a 304 keeps besides those of RFC 9110, section 15.4.5. Without them, a browser hides it from a page. */
const CORS_HEADERS = ["access-control-allow-origin", "access-control-expose-headers"];

/** Adds an ETag to the answer, and answers 304 to a request that names it. */
export function conditionalStage(conditional: NonNullable<Endpoint["conditional"]>): MiddlewareHandler {
	return etag({
		weak: conditional === "weak",
		retainedHeaders: [...RETAINED_304_HEADERS, ...CORS_HEADERS],
		generateDigest: (body) => crypto.subtle.digest("SHA-256", body),
	});
}

/** `/v1/models/{id}` as Hono writes it. */
function honoPath(path: string): string {
	return path.replace(/\{(\w+)\}/g, ":$1");
}

/** Whether this deployment has an endpoint. */
export function isDeployed<C extends RequestContext>(
	{ access }: Endpoint,
	guards: AccessGuards<C>,
	context: C,
): boolean {
	return guards[access]?.exists?.(context) ?? true;
}

/** The methods that a path answers to, in the order of its endpoints. */
function allowedMethods(endpoints: readonly Endpoint[]): string[] {
	return endpoints.flatMap(({ method }) => (method === "GET" ? ["GET", "HEAD"] : [method]));
}

/**
 * Mounts every endpoint, and 405 with `Allow` for its path's other methods.
 * @throws for an endpoint whose access has no gate.
 */
export function mount<C extends RequestContext>(
	app: Hono<RequestState<C>>,
	endpoints: readonly Endpoint[],
	guards: AccessGuards<C>,
): void {
	const mountOne = (endpoint: Endpoint) => {
		const guard = guards[endpoint.access];
		if (!guard) throw new Error(`${endpoint.id}: there is no gate for access ${endpoint.access}`);
		const route = `${endpoint.method} ${endpoint.path}`;
		const nameStage: Middleware<C> = async (c, next) => {
			if (!isDeployed(endpoint, guards, c.get("context"))) return failureResponse(c, PATH_NOT_FOUND);
			const context = c.get("context");
			context.log.endpoint = endpoint.id;
			context.route = route;
			if (endpoint.access === "key" && endpoint.requestKind) context.requestKind = endpoint.requestKind;
			if (endpoint.acceptsApiKeyHeader) context.acceptsApiKeyHeader = true;
			if (endpoint.errorDialect) c.set("errorDialect", endpoint.errorDialect);
			return next();
		};
		const stages: Middleware<C>[] = [nameStage, guard.stage(endpoint)];
		if (endpoint.params) stages.push(validationStage("param", endpoint.params));
		if (endpoint.query) stages.push(validationStage("query", endpoint.query));
		if (endpoint.body) stages.push(bodyStage(endpoint, endpoint.body, endpoints));
		if (endpoint.conditional) stages.push(conditionalStage(endpoint.conditional));
		app.on(endpoint.method, [honoPath(endpoint.path)], ...stages, handlerStage(endpoint, guard));
	};
	// A fixed path refuses other methods before a path with a parameter in its place is tried.
	for (const [path, atPath] of Map.groupBy(endpoints, (endpoint) => endpoint.path)) {
		for (const endpoint of atPath) mountOne(endpoint);
		const errorDialect = atPath.find((endpoint) => endpoint.errorDialect)?.errorDialect;
		app.all(honoPath(path), (c) => {
			const there = atPath.filter((endpoint) => isDeployed(endpoint, guards, c.get("context")));
			if (there.length === 0) return failureResponse(c, PATH_NOT_FOUND);
			if (errorDialect) c.set("errorDialect", errorDialect);
			return failureResponse(c, { reason: "method_not_allowed", allow: allowedMethods(there) });
		});
	}
}
