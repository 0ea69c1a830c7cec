// Derives tools from endpoints: which are tools, their schemas, and the request that a tool call stands for. Pure.
import { clip } from "../clip.ts";
import { fail, ok, type Result } from "../failure.ts";
import type { Endpoint } from "../http/endpoint.ts";
import { type JsonSchema, toJsonSchema } from "../http/json-schema.ts";
import { spreadPairs } from "../http/pairs.ts";
import { isJsonObject, type JsonObject, parseJson } from "../json.ts";
import { toPortableSchema } from "./portable-schema.ts";

/** A tool: an endpoint as a model sees it. */
export interface McpTool {
	/** The endpoint's id. */
	name: string;
	/** The name for people. */
	title: string;
	description: string;
	effect: NonNullable<Endpoint["effect"]>;
	method: Endpoint["method"];
	/** In OpenAPI's style. Its parameters are arguments. */
	path: Endpoint["path"];
	/** The schema of an object: params, query and body as one list of arguments. */
	inputSchema: JsonSchema;
	/** The same, shorter, for `tools/list`. */
	listedSchema: JsonSchema;
	/** The members of the answer, as far as an error's body meets it too. */
	outputSchema: JsonSchema;
	authRequired: boolean;
}

/** Arguments that ask for a stream. Tools do not stream. */
const STREAM_ARGUMENTS = ["stream", "stream_options"];

/** An endpoint that says which group it is in as a tool. */
type ToolEndpoint = Extract<Endpoint, { toolGroup: unknown }>;

/** Whether an endpoint is a tool. Those of operators and of signed-in browsers create and show keys, so they are none. */
export function isTool(endpoint: Endpoint): endpoint is ToolEndpoint {
	return "toolGroup" in endpoint && endpoint.toolGroup !== null;
}

interface ArgumentSchema extends JsonSchema {
	properties?: Record<string, JsonSchema>;
	required?: string[];
}

/** The schemas of path, query and body, as far as the endpoint has them. */
function toArgumentSchemas({ params, query, body }: Endpoint): ArgumentSchema[] {
	return [params, query, body].flatMap((schema) => (schema ? [toJsonSchema(schema, "input")] : []));
}

/**
 * Adds the arguments of one place to those before it.
 * @throws when a name is required in two places.
 */
function mergeArguments(all: ArgumentSchema, place: ArgumentSchema, { id }: Endpoint): ArgumentSchema {
	const known = all.properties ?? {};
	const twice = place.required?.find((name) => Object.hasOwn(known, name));
	if (twice !== undefined) throw new Error(`${id}: ${twice} has to be in two places`);
	const required = [...(all.required ?? []), ...(place.required ?? [])];
	return { ...all, ...place, properties: { ...known, ...place.properties, ...known }, required };
}

/**
 * The schema of all arguments of an endpoint. A name of both path and body is an argument of the path only.
 * @throws when a name is required in two places, or when a place is no object or refers to definitions.
 */
export function toInputSchema(endpoint: Endpoint): JsonSchema {
	const places = toArgumentSchemas(endpoint);
	if (places.some((place) => place["type"] !== "object" || "$defs" in place))
		throw new Error(`${endpoint.id}: its arguments are not one plain object`);
	const merged = places.reduce((all, place) => mergeArguments(all, place, endpoint), { type: "object" });
	const { properties = {}, required = [], ...rest } = merged;
	const named = Object.entries(properties).filter(
		([name]) => !(endpoint.eventStream && STREAM_ARGUMENTS.includes(name)),
	);
	return toPortableSchema({
		...rest,
		properties: Object.fromEntries(named),
		...(required.length > 0 ? { required } : {}),
	});
}

/** Keywords that only refuse a value. The endpoint does that with a message. */
const REFUSALS = new Set(["minLength", "maxLength", "minItems", "maxItems", "pattern", "exclusiveMinimum"]);

function isRefusal([name, value]: [string, unknown]): boolean {
	if (name === "additionalProperties") return value === false;
	return REFUSALS.has(name) || (name === "maximum" && value === Number.MAX_SAFE_INTEGER);
}

/** A schema as `tools/list` shows it, where each session pays for its length: without some optional properties, at any depth. */
function toListedSchema(schema: JsonSchema, unlisted: readonly string[]): JsonSchema {
	const required = Array.isArray(schema["required"]) ? schema["required"] : [];
	const reduce = (value: unknown): unknown => {
		if (Array.isArray(value)) return value.map(reduce);
		return isJsonObject(value) ? toListedSchema(value, unlisted) : value;
	};
	const members = Object.entries(schema).filter((member) => !isRefusal(member));
	const reduced = members.map(([name, value]): [string, unknown] => {
		if (name !== "properties" || !isJsonObject(value)) return [name, reduce(value)];
		const listed = Object.entries(value).filter(([each]) => !unlisted.includes(each) || required.includes(each));
		return [name, Object.fromEntries(listed.map(([property, each]) => [property, reduce(each)]))];
	});
	return Object.fromEntries(reduced);
}

/** Members of errors' bodies that some answers have too, with other types. */
const ERROR_MEMBERS = new Set(["error", "message", "detail", "status", "plan", "attempts", "errors", "limit"]);

/** The type of a schema, or its types; undefined when it does not say. */
function typesIn({ type, anyOf, const: constant }: JsonSchema): unknown {
	if (type !== undefined) return type;
	if (constant !== undefined) return typeof constant;
	if (!Array.isArray(anyOf)) return undefined;
	const types = anyOf.map((branch: unknown) => (isJsonObject(branch) ? branch["type"] : undefined));
	return types.every((each) => typeof each === "string") ? [...new Set(types)] : undefined;
}

/** The properties of an object's schema, or of those that it may be one of, each with every schema that it has there. */
function toProperties({ properties, anyOf }: JsonSchema): Record<string, JsonSchema> {
	if (!Array.isArray(anyOf)) return Object(properties) as Record<string, JsonSchema>;
	const members = anyOf.flatMap((branch: unknown) =>
		isJsonObject(branch) ? Object.entries(toProperties(branch)) : [],
	);
	const byName = Map.groupBy(members, ([name]) => name);
	return Object.fromEntries(
		[...byName].map(([name, same]) => {
			const [[, first] = ["", {}], ...more] = same;
			return [name, more.length === 0 ? first : { anyOf: same.map(([, schema]) => schema) }];
		}),
	);
}

/**
 * The schema of an endpoint's answer: its members and their types, no deeper, without those that repeat an argument or that a list
 * leaves out. Clients check errors' bodies against it as well, so it requires none.
 */
function toOutputSchema({ result, unlistedMembers = [] }: Endpoint, { properties: given }: JsonSchema): JsonSchema {
	const own = Object.entries(toProperties(toJsonSchema(result, "output"))).filter(
		([name]) => !Object.hasOwn(Object(given), name) && !unlistedMembers.includes(name),
	);
	const members = own.map(([name, schema]) => {
		const type = ERROR_MEMBERS.has(name) ? undefined : typesIn(schema);
		return [name, type === undefined ? {} : { type }];
	});
	return { type: "object", properties: Object.fromEntries(members) };
}

const EFFECTS: Readonly<Record<Endpoint["method"], McpTool["effect"]>> = {
	GET: "none",
	POST: "adds",
	PUT: "replaces",
	PATCH: "replaces",
	DELETE: "replaces",
};

/** `get_agent_run` as `Get agent run`. */
function toolTitle(name: string): string {
	const words = name.replaceAll("_", " ");
	return words.charAt(0).toUpperCase() + words.slice(1);
}

function toolDescription({ summary, description }: Endpoint): string {
	return description === undefined ? summary : `${summary} ${description}`;
}

/** An endpoint as a tool. */
export function toTool(endpoint: Endpoint): McpTool {
	const inputSchema = toInputSchema(endpoint);
	return {
		name: endpoint.id,
		title: toolTitle(endpoint.id),
		effect: endpoint.effect ?? EFFECTS[endpoint.method],
		description: toolDescription(endpoint),
		method: endpoint.method,
		path: endpoint.path,
		inputSchema,
		listedSchema: toListedSchema(inputSchema, endpoint.unlistedArguments ?? []),
		outputSchema: toOutputSchema(endpoint, inputSchema),
		authRequired: endpoint.access !== "public",
	};
}

/** The tools among endpoints, in the same order. */
export function toTools(endpoints: readonly Endpoint[]): McpTool[] {
	return endpoints.filter(isTool).map(toTool);
}

/** The request of a tool call. */
interface ToolRequest {
	/** Path and query. */
	target: string;
	/** JSON; null for an endpoint without a body. */
	body: string | null;
}

/** An argument as text in a path or a query. */
function argumentText(value: unknown): string {
	return (typeof value === "string" ? value : (JSON.stringify(value) ?? "")).toWellFormed();
}

/** Why a value cannot be in a path; null when it can. Clients resolve dot segments before they send (WHATWG URL, 4.4). */
function pathProblem(value: unknown): string | null {
	if (value === undefined || value === null || value === "") return "is missing";
	return /^\.{1,2}$/.test(argumentText(value)) ? "cannot be . or .." : null;
}

/**
 * The request that arguments stand for. Those of the path go there, the others into the body, or into the query of an endpoint
 * without a body.
 * @param own members of the body that the caller cannot choose.
 */
export function toToolRequest(
	endpoint: Endpoint,
	args: Readonly<Record<string, unknown>>,
	own: Readonly<Record<string, unknown>> = {},
): Result<ToolRequest> {
	const names = [...endpoint.path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);
	const issues = names.flatMap((name) => {
		const message = pathProblem(args[name]);
		return message === null ? [] : [{ path: name, message }];
	});
	if (issues.length > 0) return fail({ reason: "invalid_request", issues });
	const path = endpoint.path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(argumentText(args[name])));
	const streams = endpoint.eventStream ? STREAM_ARGUMENTS : [];
	const others = Object.entries(args).filter(([name]) => !names.includes(name) && !streams.includes(name));
	if (endpoint.body) return ok({ target: path, body: JSON.stringify({ ...Object.fromEntries(others), ...own }) });
	const present = others.filter(([, value]) => value !== undefined && value !== null);
	const query = new URLSearchParams(present.flatMap(([name, value]) => spreadPairs(name, value, argumentText)));
	return ok({ target: query.size > 0 ? `${path}?${query}` : path, body: null });
}

/** The parts of an endpoint's answer that become a tool's result. */
export interface ToolAnswer {
	/** The JSON text of the answer. */
	text: string;
	/** The parsed text; null when it is no object. */
	value: Record<string, unknown> | null;
	failed: boolean;
}

function parseObject(text: string): JsonObject | null {
	const value = parseJson(text);
	return isJsonObject(value) ? value : null;
}

/**
 * An HTTP answer as a tool's answer: the body without the white space of a long answer. A failure after the head has its status
 * in the body (docs/reference/conventions.md, "Long answers").
 */
export function toToolAnswer(status: number, body: string): ToolAnswer {
	const text = body.trim();
	const value = parseObject(text);
	const failedLate = typeof value?.["error"] === "string" && typeof value["status"] === "number";
	return { text, value, failed: status >= 400 || failedLate };
}

/** A longer detail is cut: the text of a step would fill the message. */
const MAX_DETAIL_UNITS = 200;

/** A progress event in words, such as `call finished: stage propose, model gpt-6-luna, ok true`. */
export function toProgressText({ type, ...members }: Readonly<Record<string, unknown>>): string {
	const details = Object.entries(members).flatMap(([name, value]) =>
		typeof value === "object" ? [] : [`${name.replaceAll("_", " ")} ${clip(String(value), MAX_DETAIL_UNITS)}`],
	);
	const what = String(type ?? "progress").replaceAll("_", " ");
	return details.length === 0 ? what : `${what}: ${details.join(", ")}`;
}
