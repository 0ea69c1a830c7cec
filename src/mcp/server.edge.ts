// The MCP server: one exchange over streamable HTTP without a session, by the official SDK. Tools, resources and prompts are
// answers of the service's own endpoints. The SDK is heavy, so this is loaded with the first request that needs it.
import {
	type CallToolResult,
	createMcpHandler,
	isLegacyRequest,
	localhostAllowedOrigins,
	originValidationResponse,
	ProtocolError,
	ProtocolErrorCode,
	Server,
	type ServerContext,
	WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";
import { CfWorkerJsonSchemaValidator } from "@modelcontextprotocol/server/validators/cf-worker";
import type { KeyGrant } from "../account/context.ts";
import { type Endpoint, type KeyRole, rolesOf } from "../http/endpoint.ts";
import { logError } from "../http/log.edge.ts";
import { findNearMisses } from "../http/near-misses.ts";
import {
	callEndpoint,
	type EndpointCaller,
	type ToolCallResult,
	type ToolProgressListener,
	toFailedAnswer,
} from "./call-endpoint.edge.ts";
import { type McpBody, toMessages } from "./json-rpc.ts";
import { MCP_PATH } from "./manifest.ts";
import { getPrompt, listPrompts, listResources, readResource } from "./resources.edge.ts";
import { RESOURCE_TEMPLATES } from "./resources.ts";
import { isInToolGroup, parseGroups, TOOL_GROUP_NAMES } from "./tool-groups.ts";
import { isTool, type McpTool, toProgressText, toTool } from "./tools.ts";

/** A tool with the endpoint behind it. */
interface ServedTool {
	endpoint: Endpoint;
	tool: McpTool;
}

/** A client of the server, with the grant of its key. */
type McpCaller = EndpointCaller & { account: { key: KeyGrant } };

/** A client that asked for progress is notified this often that its call is under way. */
const PROGRESS_MS = 10_000;

const INSTRUCTIONS =
	"Tools are the endpoints of this service: a result is the JSON that the endpoint answers, and each call is a request of its own, with its cost and limits. Skills are prompts and resources. There are more tools than tools/list shows: `?tools=all` at this server's address lists all, and any can be called.";

/** Characters of an unknown name that a message quotes. */
const MAX_QUOTED_NAME_CHARS = 64;

const toolsByEndpoints = new WeakMap<readonly Endpoint[], ReadonlyMap<string, ServedTool>>();

/** The tools among endpoints, by name. Computed once. */
function servedTools(endpoints: readonly Endpoint[]): ReadonlyMap<string, ServedTool> {
	const known = toolsByEndpoints.get(endpoints);
	if (known) return known;
	const tools = endpoints.filter(isTool).map((endpoint) => ({ endpoint, tool: toTool(endpoint) }));
	const byName = new Map(tools.map((each) => [each.tool.name, each]));
	toolsByEndpoints.set(endpoints, byName);
	return byName;
}

/** A tool's entry in `tools/list`. */
export function toToolListing({ name, title, description, effect, listedSchema, outputSchema }: McpTool) {
	const isReplacing = effect === "replaces";
	return {
		name,
		title,
		description,
		inputSchema: { ...listedSchema, type: "object" as const },
		outputSchema: { ...outputSchema, type: "object" as const },
		// A tool that changes nothing has no further hints.
		annotations:
			effect === "none"
				? { readOnlyHint: true }
				: { readOnlyHint: false, destructiveHint: isReplacing, ...(isReplacing ? { idempotentHint: true } : {}) },
	};
}

/** Whether a key of a role may call a tool's endpoint. */
function isForRole({ endpoint }: ServedTool, role: KeyRole): boolean {
	return rolesOf(endpoint).includes(role);
}

/** The tools of groups that a role may call, in the order of their endpoints. @throws ProtocolError for an unknown group. */
function listTools(endpoints: readonly Endpoint[], groups: readonly string[], role: KeyRole) {
	const unknown = groups.find((name) => !TOOL_GROUP_NAMES.includes(name));
	if (unknown !== undefined) {
		const known = TOOL_GROUP_NAMES.join(", ");
		const message = `there is no tool group ${unknown.slice(0, MAX_QUOTED_NAME_CHARS)}; groups are ${known}`;
		throw new ProtocolError(ProtocolErrorCode.InvalidParams, message);
	}
	const isAskedFor = ({ endpoint }: ServedTool) => groups.some((group) => isInToolGroup(endpoint, group));
	const tools = [...servedTools(endpoints).values()].filter((each) => isAskedFor(each) && isForRole(each, role));
	return { tools: tools.map(({ tool }) => toToolListing(tool)) };
}

/** Does work and sends progress to a client that asked for it: at the start, for the endpoint's events, and every ten seconds. */
async function withProgress<T>(
	{ mcpReq }: ServerContext,
	work: (onProgress: ToolProgressListener | null) => Promise<T>,
): Promise<T> {
	const progressToken = mcpReq._meta?.progressToken;
	if (progressToken === undefined) return work(null);
	let progress = 0;
	const notify = (message: string) => {
		const params = { progressToken, progress: progress++, message };
		// A client that has left gets no notification.
		return mcpReq.notify({ method: "notifications/progress", params }).catch(() => undefined);
	};
	await notify("started");
	let seconds = 0;
	const timer = setInterval(() => {
		seconds += PROGRESS_MS / 1000;
		return notify(`under way for ${seconds} s`);
	}, PROGRESS_MS);
	try {
		return await work((event) => notify(toProgressText(event)));
	} finally {
		clearInterval(timer);
	}
}

/**
 * Calls a tool. Of an endpoint with a body, the endpoint itself refuses mistyped rules; without one, its arguments would become a
 * query, which nobody checks.
 */
async function callTool(
	{ endpoint }: ServedTool,
	args: Record<string, unknown>,
	caller: EndpointCaller,
	endpoints: readonly Endpoint[],
	onProgress: ToolProgressListener | null,
): Promise<CallToolResult> {
	const issues = endpoint.body ? [] : findNearMisses(args, endpoints);
	const answer: ToolCallResult =
		issues.length > 0
			? { ...toFailedAnswer({ reason: "invalid_request", issues }), requestId: null }
			: await callEndpoint(caller, endpoint, args, onProgress);
	const { text, value, failed, requestId } = answer;
	return {
		content: [{ type: "text", text }],
		...(value ? { structuredContent: value } : {}),
		...(failed ? { isError: true } : {}),
		...(requestId === null ? {} : { _meta: { "svc/request_id": requestId } }),
	};
}

/** Does work for a client. An unexpected error is logged, and the client does not see it. */
async function withProtocolErrors<T>({ requestId }: EndpointCaller, work: () => T | Promise<T>): Promise<T> {
	try {
		return await work();
	} catch (error) {
		if (error instanceof ProtocolError) throw error;
		logError("mcp_failed", error, { request_id: requestId });
		const message = `an unexpected error; the log has it under ${requestId}`;
		throw new ProtocolError(ProtocolErrorCode.InternalError, message);
	}
}

/** A server for one exchange. @param groups the tools that it lists. */
function createServer(endpoints: readonly Endpoint[], caller: McpCaller, groups: readonly string[]): Server {
	const server = new Server(
		{ name: "svc", title: "svc", version: "0.1.0" },
		{
			capabilities: { tools: {}, resources: {}, prompts: {} },
			instructions: INSTRUCTIONS,
			// The SDK's default validator compiles schemas to code, which workerd forbids.
			jsonSchemaValidator: new CfWorkerJsonSchemaValidator(),
		},
	);
	const safely = <T>(work: () => T | Promise<T>) => withProtocolErrors(caller, work);
	server.setRequestHandler("tools/list", () => safely(() => listTools(endpoints, groups, caller.account.key.role)));
	server.setRequestHandler("tools/call", ({ params }, context) =>
		safely(() => {
			const tool = servedTools(endpoints).get(params.name);
			if (!tool) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `there is no tool ${params.name}`);
			return withProgress(context, (onProgress) =>
				callTool(tool, params.arguments ?? {}, caller, endpoints, onProgress),
			);
		}),
	);
	server.setRequestHandler("resources/list", ({ params }) =>
		safely(() => listResources(endpoints, caller, params?.cursor)),
	);
	server.setRequestHandler("resources/templates/list", () => ({ resourceTemplates: [...RESOURCE_TEMPLATES] }));
	server.setRequestHandler("resources/read", ({ params }) => safely(() => readResource(endpoints, caller, params.uri)));
	server.setRequestHandler("prompts/list", () => safely(() => listPrompts(endpoints, caller)));
	server.setRequestHandler("prompts/get", ({ params }) => safely(() => getPrompt(endpoints, caller, params)));
	return server;
}

/** One exchange with a client of a protocol version up to 2025-11-25. */
async function answerLegacy(server: Server, request: Request, body: McpBody, streams: boolean): Promise<Response> {
	const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: !streams });
	await server.connect(transport);
	const response = await transport.handleRequest(request, { parsedBody: body });
	if (!streams) await server.close();
	return response;
}

/**
 * Whether the answer is a stream: the client reads streams, and it calls a tool that may take long or asks for progress.
 */
function needsStream(body: McpBody, headers: Headers, endpoints: readonly Endpoint[]): boolean {
	if (!headers.get("accept")?.includes("text/event-stream")) return false;
	const tools = servedTools(endpoints);
	return toMessages(body).some(({ method, params = {} }) => {
		if (method !== "tools/call") return false;
		const isLong = tools.get(String(params["name"]))?.endpoint.eventStream !== undefined;
		return isLong || Object(params["_meta"])["progressToken"] !== undefined;
	});
}

/** The request for the SDK. The body was parsed already, and a client that names no media type gets JSON. */
function toSdkRequest(caller: EndpointCaller): Request {
	const headers = new Headers(caller.headers);
	headers.set("accept", "application/json, text/event-stream");
	headers.set("content-type", "application/json");
	return new Request(`${caller.origin}${MCP_PATH}`, { method: "POST", headers, signal: caller.signal });
}

/**
 * The refusal of a browser's page by its origin. Allowed are pages of this machine and, over HTTPS, of the service itself, whose
 * certificate proves its name. Any other page may have reached a service on this machine by DNS rebinding.
 */
function refuseOrigin(request: Request): Response | undefined {
	const { protocol, hostname } = new URL(request.url);
	const own = protocol === "https:" ? [hostname] : [];
	return originValidationResponse(request, [...localhostAllowedOrigins(), ...own]);
}

/**
 * Answers a client's messages.
 * @param endpoints those that are served as tools.
 * @param tools groups of those that are listed.
 */
export async function answerMcp(
	body: McpBody,
	endpoints: readonly Endpoint[],
	caller: McpCaller,
	tools = "",
): Promise<Response> {
	const groups = parseGroups(tools);
	const request = toSdkRequest(caller);
	const refused = refuseOrigin(request);
	if (refused) return refused;
	const streams = needsStream(body, caller.headers, endpoints);
	if (await isLegacyRequest(request, body))
		return answerLegacy(createServer(endpoints, caller, groups), request, body, streams);
	const handler = createMcpHandler(() => createServer(endpoints, caller, groups), {
		legacy: "reject",
		responseMode: streams ? "sse" : "auto",
		// Tools, resources and prompts do not change during a subscription.
		maxSubscriptions: 0,
	});
	return handler.fetch(request, { parsedBody: body });
}
