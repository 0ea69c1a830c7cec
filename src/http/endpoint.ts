// What an endpoint is: one definition, from which routing, validation, OpenAPI and the contract test are read.
import type { z } from "zod";
import type { Failure } from "../failure.ts";
import type { RequestContext } from "./context.ts";
import type { ErrorDialect } from "./dialects.ts";

/** Methods that an endpoint may have. HEAD follows GET, OPTIONS is answered for all by CORS. */
export const METHODS = ["GET", "POST", "PUT", "DELETE"] as const;
export type Method = (typeof METHODS)[number];

/** What a success may be sent as. All but JSON are texts that the handler writes. */
export type MediaType = "application/json" | "text/plain" | "text/html" | "image/svg+xml";

/** `key`: a user's API key; `operator`: the ADMIN_TOKEN; `session`: a signed-in browser; `public`: nothing. */
export type Access = "public" | "key" | "operator" | "session";

/** What a handler answers: a value with status 200 and optional headers, or a failure. */
export type HandlerResult<T> =
	| JsonResult<T>
	/** A response of another kind than JSON: a stream. */
	| { ok: true; response: Response };

/** An answer that is there as a whole. */
export type JsonResult<T> =
	| { ok: true; value: T; headers?: Record<string, string>; status?: 503 }
	| { ok: false; failure: Failure };

/** An object's schema, built at once or, at the top of a file, on first use: 1,400 schemas took two thirds of the start-up. */
export type ObjectSchema = z.ZodObject | z.ZodLazy<z.ZodObject>;
type Parsed<S> = S extends z.ZodType ? z.output<S> : undefined;

export interface Definition<Params, Query, Body, Result extends z.ZodType, Context> {
	/** operationId, log name and tool name. */
	id: string;
	method: Method;
	/** OpenAPI style: `/v1/models/{id}`. Written here and nowhere else. */
	path: `/${string}`;
	summary: string;
	/** When to use it, what it costs and what it changes, for readers and models to whom the summary is not enough. */
	description?: string;
	params?: Params;
	query?: Query;
	body?: Body;
	result: Result;
	/** JSON by default, else the text that the handler answers. */
	mediaType?: MediaType;
	/**
	 * A GET with an ETag, which answers 304 to who has it already (RFC 9110, section 13): the handler's own `etag` header,
	 * else the SHA-256 of the body. `weak` where two answers mean the same though their bytes differ.
	 */
	conditional?: "strong" | "weak";
	/** Cache-Control of a success and of its 304, unless the handler sets another. */
	cacheControl?: string;
	/** The form that its errors always have; default: the caller's. */
	errorDialect?: ErrorDialect;
	/** What the answer is when it comes as Server-Sent Events instead, for the OpenAPI document. */
	eventStream?: string;
	/** Its stream, asked for by `stream` in the body, is `progress` events before one `result` or `error` (long-answer.edge.ts). */
	streamsProgress?: boolean;
	/** Where it carries a protocol of its own: when 202 comes without a body, and the form of that protocol's errors. */
	protocol?: { accepted: string; error: z.ZodType };
	/** Its result may come with status 503: it reports on what is down. */
	degrades?: boolean;
	/** Which body limit holds; chat bodies may hold images. */
	bodyLimit?: "default" | "chat";
	/** Left out of the public reference and of the tools. */
	internal?: boolean;
	/** Not a tool though it answers JSON: it is about the tools, or about this interface. */
	notATool?: boolean;
	/** The failure when this body field is missing or empty, instead of 422 (docs/reference.md, "Errors"). */
	emptyField?: { name: string; failure: Failure };
	handle(request: {
		params: Parsed<Params>;
		query: Parsed<Query>;
		body: Parsed<Body>;
		context: Context;
	}): Promise<HandlerResult<z.output<Result>>>;
}

interface PublicDefinition {
	access: "public";
	/** Limited per address, best effort: the endpoint computes or reads storage. */
	limited?: boolean;
}

interface KeyDefinition {
	access: "key";
	/**
	 * `first` (the default) counts the request before its body is read; `handler` lets the handler reserve its worst case with
	 * it. `none` counts nothing: it is a way to other endpoints, and what it asks of them counts there.
	 */
	admission?: "first" | "handler" | "none";
	/** False: counts towards the minute, not towards the day. */
	countsTowardsDay?: boolean;
}

/** What an endpoint says besides, by its access. */
export type AccessDefinition<A extends Access> = (A extends "public"
	? PublicDefinition
	: A extends "key"
		? KeyDefinition
		: object) & { access: A };

/** An endpoint with its types forgotten, as the list holds it. */
export type Endpoint = Omit<
	Definition<ObjectSchema | undefined, ObjectSchema | undefined, z.ZodType | undefined, z.ZodType, never>,
	"handle"
> &
	(PublicDefinition | KeyDefinition | { access: "operator" | "session" }) & {
		handle(request: {
			params: unknown;
			query: unknown;
			body: unknown;
			context: RequestContext;
		}): Promise<HandlerResult<unknown>>;
	};
