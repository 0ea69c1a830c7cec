// The definition of an endpoint. Routing, validation, OpenAPI and the contract test are all derived from it.
import type { z } from "zod";
import type { Failure } from "../failure.ts";
import type { RequestContext } from "./context.ts";
import type { ErrorDialect } from "./dialects.ts";
import type { RequestKind } from "./request-kind.ts";

/** Methods of endpoints. HEAD follows GET, and CORS answers OPTIONS. */
export const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const;
export type Method = (typeof METHODS)[number];

/** Media types of a success. For all but JSON, the handler writes the text. */
type MediaType = "application/json" | "text/plain" | "text/html" | "image/svg+xml";

/** What a caller must have. `key`: a user's API key; `operator`: the ADMIN_TOKEN; `metrics`: the METRICS_TOKEN; `session`: a signed-in browser. */
export type Access = "public" | "key" | "operator" | "metrics" | "session";

/** Roles of API keys: an agent's key may not change what governs agents; an approver's reads runs and decides on what they wait for. */
export const KEY_ROLES = ["owner", "agent", "approver"] as const;
export type KeyRole = (typeof KEY_ROLES)[number];

/** Who may call an endpoint that does not say it: an approver's key is let in by name only. */
const USUAL_ROLES: readonly KeyRole[] = ["owner", "agent"];

/** Groups of tools, of which an MCP client lists some. */
export const TOOL_GROUPS = [
	"chat",
	"orchestration",
	"agents",
	"skills",
	"policy",
	"handoffs",
	"workspaces",
	"configs",
	"compliance",
	"proofs",
	"account",
] as const;
export type ToolGroup = (typeof TOOL_GROUPS)[number];

/** Where the value of an argument comes from that a request cannot make up. The names of endpoints are ids. */
export type IdSource =
	/** A member of the answer to another endpoint's example, by default of the argument's name; `null` for all of the answer. */
	| { answerOf: string; member?: string | null }
	/** An argument of another endpoint's example, by default of the same name: what its user chose to call something. */
	| { chosenIn: string; argument?: string }
	/** The `next_cursor` of this list, to which another endpoint's example has added two entries. */
	| { pageAfter: string };

/** By the name of the argument. */
export type IdSources = Readonly<Record<string, IdSource>>;

export interface ExampleRequest {
	/** Values of the path's parameters. */
	params?: Readonly<Record<string, string>>;
	query?: Readonly<Record<string, string>>;
	body?: unknown;
}

/** An example as an endpoint defines it: what its `ids` fill in is left out. */
export type ExampleDefinition = ExampleRequest & {
	/** The whole body is what another endpoint answers. */
	bodyFrom?: IdSource;
};

/** A handler's answer: a value, a response of its own, or a failure. */
export type HandlerResult<T> =
	| JsonResult<T>
	/** A response that is not JSON: a stream. */
	| { ok: true; response: Response };

/** A complete answer, 200 unless it says otherwise, or a failure. */
export type JsonResult<T> =
	| {
			ok: true;
			value: T;
			headers?: Record<string, string>;
			status?: 202 | 503;
			/** The name of a stream's last event, where that is not `result`. */
			event?: "requires_action";
	  }
	| { ok: false; failure: Failure };

/** An object's schema. At the top of a file it is built on first use: 1,400 schemas took two thirds of the start-up. */
export type ObjectSchema = z.ZodObject | z.ZodLazy<z.ZodObject>;
type Parsed<S> = S extends z.ZodType ? z.output<S> : undefined;

export interface Definition<Params, Query, Body, Result extends z.ZodType, Context> {
	/** The operationId, and the name in logs and tools. */
	id: string;
	method: Method;
	/** In OpenAPI's style, such as `/v1/models/{id}`. The only place where the path is written. */
	path: `/${string}`;
	summary: string;
	/** When to use it, what it costs and what it changes, for readers and models that need more than the summary. */
	description?: string;
	params?: Params;
	query?: Query;
	body?: Body;
	result: Result;
	/** Default: JSON. */
	mediaType?: MediaType;
	/**
	 * A GET with an ETag, which answers 304 to a request that names it (RFC 9110, section 13). The ETag is the handler's own
	 * `etag` header, else the SHA-256 of the body. `weak`: two answers may mean the same although their bytes differ.
	 */
	conditional?: "strong" | "weak";
	/** Cache-Control of a success and of its 304, unless the handler sets one. */
	cacheControl?: string;
	/** The dialect of all its errors. Default: the caller's. */
	errorDialect?: ErrorDialect;
	/** A key may come in `x-api-key` as well, as Anthropic's libraries send it. */
	acceptsApiKeyHeader?: boolean;
	/** Describes the answer as CSV, which callers get that prefer it, for the OpenAPI document. */
	csv?: string;
	/** Describes the answer as Server-Sent Events, for the OpenAPI document. */
	eventStream?: string;
	/** With `stream` in the body, it sends `progress` events before one `result` or `error` (long-answer.edge.ts). */
	streamsProgress?: boolean;
	/** For an endpoint that carries a protocol of its own. */
	protocol?: {
		/** When it answers 202 without a body. */
		accepted: string;
		/** The schema of the protocol's errors. */
		error: z.ZodType;
		/** The protocol's error for a body that is not one of its messages; null for failures that HTTP reports. */
		refuse(failure: Failure, rawBody: unknown): Response | null;
	};
	/** With `background` in the body it answers 202 with its result and a `Location`; says what the result is then. */
	background?: string;
	/** Its result may have status 503, because it reports what is down. */
	degrades?: boolean;
	/** An empty body counts as `{}`. */
	isBodyOptional?: boolean;
	/** Parses its bodies, throws for what is no JSON. Default: JSON.parse. */
	parseBody?(text: string): unknown;
	/** Which limit its bodies have. Chat bodies may hold images. */
	bodyLimit?: "default" | "chat";
	/** Marked `x-internal` although a key may call it. Those that take a token of the deployment always are. */
	internal?: boolean;
	/**
	 * What a request changes: nothing, or it adds something, or it replaces or ends something. Default: by method, GET nothing,
	 * POST adds, PUT, PATCH and DELETE replace.
	 */
	effect?: "none" | "adds" | "replaces";
	/** Optional members of arguments, at any depth, that an MCP client's list of tools leaves out. They are accepted all the same. */
	unlistedArguments?: readonly string[];
	/** Members of its answer that its schema as an MCP tool leaves out: those that no model reads. They are answered all the same. */
	unlistedMembers?: readonly string[];
	/** A request that is answered with 200: for readers, and for the tests that every endpoint passes. Default: one that says nothing. */
	example?: ExampleDefinition;
	/** The command of `svc` that calls it. */
	command?: string;
	/** The section of the console that calls it. */
	page?: string;
	/** The failure for a missing or empty body field, instead of 422 (docs/reference/errors.md, "Errors"). */
	emptyField?: { name: string; failure: Failure };
	handle(request: {
		params: Parsed<Params>;
		query: Parsed<Query>;
		body: Parsed<Body>;
		context: Context;
	}): Promise<HandlerResult<z.output<Result>>>;
}

/** What an endpoint for clients says of itself as a tool for models. */
interface ToolMembers {
	/** Null: no tool. It does not answer JSON, is about the tools or this interface, or is for people to tidy up with. */
	toolGroup: ToolGroup | null;
	/** A client lists it that names no group: enough to work, in less than 6,000 tokens. */
	isDefaultTool?: true;
}

interface PublicDefinition extends ToolMembers {
	access: "public";
	/** Where its example finds the ids that it names. */
	ids?: IdSources;
	/** Limited per address, best effort, for endpoints that compute or read storage. */
	limited?: boolean;
}

interface KeyDefinition extends ToolMembers {
	access: "key";
	/**
	 * Which arguments name what belongs to a user, and where it comes from. `none`: nothing of it could be another's; `public`: all
	 * may read what it names; `walked apart`: the isolation walk has a case of its own for it (test/support/examples.ts).
	 */
	ids: IdSources | "none" | "public" | "walked apart";
	/**
	 * `first` (the default): the request is counted before its handler, once its body has been read. `handler`: the handler has
	 * it counted together with the reservation of its worst case. `event`: the event in its body says whether it is
	 * counted or is a record, so the handler has it done, and a limit that is reached does not refuse it before. `none`: the endpoint calls other endpoints, which count their own requests.
	 */
	admission?: "first" | "handler" | "event" | "none";
	/** False: the request counts towards the minute, not towards the day. */
	countsTowardsDay?: boolean;
	/** The roles of keys that may call it. Default: all but `approver`, so that a new endpoint is closed to approvers. */
	roles?: readonly KeyRole[];
	/** What its requests are: one that fails without a bill is kept as a row, too. Absent: it calls no model. */
	requestKind?: RequestKind;
}

interface OperatorDefinition {
	access: "operator" | "metrics" | "session";
	ids?: IdSources;
}

/** The further members of a definition, by its access. */
export type AccessDefinition<A extends Access> = (A extends "public"
	? PublicDefinition
	: A extends "key"
		? KeyDefinition
		: OperatorDefinition) & { access: A };

/** An endpoint of any types, as the list holds it. */
export type Endpoint = Omit<
	Definition<ObjectSchema | undefined, ObjectSchema | undefined, z.ZodType | undefined, z.ZodType, never>,
	"handle"
> &
	(PublicDefinition | KeyDefinition | OperatorDefinition) & {
		handle(request: {
			params: unknown;
			query: unknown;
			body: unknown;
			context: RequestContext;
		}): Promise<HandlerResult<unknown>>;
	};

/** The roles of keys that may call an endpoint; all where it takes no key of a user's. */
export function rolesOf(endpoint: Endpoint): readonly KeyRole[] {
	return endpoint.access === "key" ? (endpoint.roles ?? USUAL_ROLES) : KEY_ROLES;
}
