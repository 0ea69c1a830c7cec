// Which endpoints are tools, what a model is told of each, and which request a call stands for. Pure.
import { fail, ok, type Result } from "../failure.ts";
import type { Endpoint } from "../http/endpoint.ts";
import { type JsonSchema, toJsonSchema } from "../http/json-schema.ts";
import { toPortableSchema } from "./portable-schema.ts";

/** A tool: an endpoint as a model sees it. */
export interface McpTool {
	/** The endpoint's id. */
	name: string;
	description: string;
	method: Endpoint["method"];
	/** OpenAPI style; its parameters are arguments. */
	path: Endpoint["path"];
	/** An object; params, query and body are one list of arguments. */
	inputSchema: JsonSchema;
	authRequired: boolean;
}

/** Arguments that ask for a stream, which no tool answers with. */
const STREAM_ARGUMENTS = ["stream", "stream_options"];

/**
 * True for an endpoint that is a tool: it answers JSON, to anybody or to a key, and is meant for clients. Keys are made and
 * shown by operators and by people in a browser, so no tool does.
 */
export function isTool({ access, mediaType, internal, notATool }: Endpoint): boolean {
	const isJson = (mediaType ?? "application/json") === "application/json";
	return isJson && (access === "public" || access === "key") && !internal && !notATool;
}

interface ArgumentSchema extends JsonSchema {
	properties?: Record<string, JsonSchema>;
	required?: string[];
}

/** Schemas of a request's places in the order path, query, body, as far as the endpoint has them. */
function toArgumentSchemas({ params, query, body }: Endpoint): ArgumentSchema[] {
	return [params, query, body].flatMap((schema) => (schema ? [toJsonSchema(schema, "input")] : []));
}

/**
 * Puts the arguments of one place behind those before it.
 * @throws when a name would have to be in two places.
 */
function mergeArguments(all: ArgumentSchema, place: ArgumentSchema, { id }: Endpoint): ArgumentSchema {
	const known = all.properties ?? {};
	const twice = place.required?.find((name) => Object.hasOwn(known, name));
	if (twice !== undefined) throw new Error(`${id}: ${twice} has to be in two places`);
	const required = [...(all.required ?? []), ...(place.required ?? [])];
	return { ...all, ...place, properties: { ...known, ...place.properties, ...known }, required };
}

/**
 * The one schema of an endpoint's arguments. A name that the path and the body have is an argument of the path alone.
 * @throws when a name would have to be in two places, or a place takes anything but an object that refers to nothing.
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

function toolDescription({ summary, description }: Endpoint): string {
	return description === undefined ? summary : `${summary} ${description}`;
}

/** The tool that an endpoint is. */
export function toTool(endpoint: Endpoint): McpTool {
	return {
		name: endpoint.id,
		description: toolDescription(endpoint),
		method: endpoint.method,
		path: endpoint.path,
		inputSchema: toInputSchema(endpoint),
		authRequired: endpoint.access !== "public",
	};
}

/** The tools of a service that has these endpoints, in the list's order. */
export function toTools(endpoints: readonly Endpoint[]): McpTool[] {
	return endpoints.filter(isTool).map(toTool);
}

/** A request as a tool's call makes it. */
export interface ToolRequest {
	/** Path and query. */
	target: string;
	/** JSON; null for an endpoint without a body. */
	body: string | null;
}

/** An argument as a path or a query writes it. */
function argumentText(value: unknown): string {
	return (typeof value === "string" ? value : (JSON.stringify(value) ?? "")).toWellFormed();
}

/** Why a value cannot stand in a path; null when it can. Clients resolve dot segments before they send (WHATWG URL, 4.4). */
function pathProblem(value: unknown): string | null {
	if (value === undefined || value === null || value === "") return "is missing";
	return /^\.{1,2}$/.test(argumentText(value)) ? "cannot be . or .." : null;
}

/**
 * The request that arguments stand for: those that the path names go there, the others into the body, or into the query of
 * an endpoint that has no body.
 * @param own members of the body that are not the caller's to choose.
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
	const stated = others.filter(([, value]) => value !== undefined && value !== null);
	const query = new URLSearchParams(stated.map(([name, value]) => [name, argumentText(value)]));
	return ok({ target: query.size > 0 ? `${path}?${query}` : path, body: null });
}

/** An answer's parts that a tool's result is made of. */
export interface ToolAnswer {
	/** What the client sees of it: the JSON text of the answer, and the same parsed. */
	text: string;
	value: Record<string, unknown> | null;
	failed: boolean;
}

function parseObject(text: string): Record<string, unknown> | null {
	try {
		const value: unknown = JSON.parse(text);
		return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : null;
	} catch {
		return null;
	}
}

/**
 * An HTTP answer as a tool's: the same body, without the white space that kept a long one alive. What failed after its head
 * was sent says its status in the body (docs/reference.md, "Long answers").
 */
export function toToolAnswer(status: number, body: string): ToolAnswer {
	const text = body.trim();
	const value = parseObject(text);
	const failedLate = typeof value?.["error"] === "string" && typeof value["status"] === "number";
	return { text, value, failed: status >= 400 || failedLate };
}

/** A progress event in words, such as `call finished: stage propose, model gpt-6-luna, ok true`. */
export function toProgressText({ type, ...members }: Readonly<Record<string, unknown>>): string {
	const said = Object.entries(members).flatMap(([name, value]) =>
		typeof value === "object" ? [] : [`${name.replaceAll("_", " ")} ${value}`],
	);
	const what = String(type ?? "progress").replaceAll("_", " ");
	return said.length === 0 ? what : `${what}: ${said.join(", ")}`;
}
