// The MCP server: one exchange over streamable HTTP, without a session, by the official SDK. Tools, resources and prompts are
// all answers of the service's own endpoints. Heavy, so it is loaded with the first request that asks for it.
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
import type { Endpoint } from "../http/endpoint.ts";
import { logError } from "../http/log.edge.ts";
import { type Asker, callEndpoint } from "./ask.edge.ts";
import { type McpBody, messagesIn } from "./json-rpc.ts";
import { MCP_PATH } from "./manifest.ts";
import { getPrompt, listPrompts, listResources, readResource } from "./readings.edge.ts";
import { TEMPLATES } from "./resources.ts";
import { isTool, type McpTool, progressText, toolOf } from "./tools.ts";

/** A tool with the endpoint behind it. */
interface Served {
	endpoint: Endpoint;
	tool: McpTool;
}

/** How often a client that asked for it hears that a call is under way. */
const PROGRESS_MS = 10_000;

const INSTRUCTIONS =
	"Tools are the endpoints of this service: a result is the JSON that the endpoint answers, and each call is a request of its own, with its cost and limits. Skills are prompts and resources.";

const served = new WeakMap<readonly Endpoint[], ReadonlyMap<string, Served>>();

/** The tools among endpoints, by name; made once. */
function servedFrom(endpoints: readonly Endpoint[]): ReadonlyMap<string, Served> {
	const known = served.get(endpoints);
	if (known) return known;
	const tools = endpoints.filter(isTool).map((endpoint) => ({ endpoint, tool: toolOf(endpoint) }));
	const byName = new Map(tools.map((each) => [each.tool.name, each]));
	served.set(endpoints, byName);
	return byName;
}

/** A tool as `tools/list` shows it; the hints are what HTTP says of its method (RFC 9110, section 9.2). */
function shown({ name, description, method, inputSchema }: McpTool) {
	return {
		name,
		description,
		inputSchema: { ...inputSchema, type: "object" as const },
		annotations: {
			readOnlyHint: method === "GET",
			destructiveHint: method === "DELETE",
			idempotentHint: method !== "POST",
		},
	};
}

type Hear = NonNullable<Parameters<typeof callEndpoint>[3]>;

/**
 * Does work and tells the client, if it asked to be told, that it has begun, what the endpoint says of its progress, and
 * after each ten seconds that it goes on.
 */
async function withProgress<T>({ mcpReq }: ServerContext, work: (hear: Hear | null) => Promise<T>): Promise<T> {
	const progressToken = mcpReq._meta?.progressToken;
	if (progressToken === undefined) return work(null);
	let progress = 0;
	const tell = (message: string) => {
		const params = { progressToken, progress: progress++, message };
		// Who has gone need not be told.
		return mcpReq.notify({ method: "notifications/progress", params }).catch(() => undefined);
	};
	await tell("started");
	let seconds = 0;
	const timer = setInterval(() => {
		seconds += PROGRESS_MS / 1000;
		return tell(`under way for ${seconds} s`);
	}, PROGRESS_MS);
	try {
		return await work((event) => tell(progressText(event)));
	} finally {
		clearInterval(timer);
	}
}

async function callTool(
	{ endpoint }: Served,
	given: Record<string, unknown>,
	asker: Asker,
	hear: Hear | null,
): Promise<CallToolResult> {
	const { text, value, failed, requestId } = await callEndpoint(asker, endpoint, given, hear);
	return {
		content: [{ type: "text", text }],
		...(value ? { structuredContent: value } : {}),
		...(failed ? { isError: true } : {}),
		...(requestId === null ? {} : { _meta: { "svc/request_id": requestId } }),
	};
}

/** Does what a client asks; a bug is the log's to tell of, and not the client's to read. */
async function guarded<T>({ requestId }: Asker, work: () => T | Promise<T>): Promise<T> {
	try {
		return await work();
	} catch (error) {
		if (error instanceof ProtocolError) throw error;
		logError("mcp_failed", error, { request_id: requestId });
		const message = `an unexpected error; the log has it under ${requestId}`;
		throw new ProtocolError(ProtocolErrorCode.InternalError, message);
	}
}

/** A server for one exchange. */
function serverFor(endpoints: readonly Endpoint[], asker: Asker): Server {
	const server = new Server(
		{ name: "svc", title: "svc", version: "0.1.0" },
		{
			capabilities: { tools: {}, resources: {}, prompts: {} },
			instructions: INSTRUCTIONS,
			// The SDK's other one compiles schemas to code, which workerd forbids.
			jsonSchemaValidator: new CfWorkerJsonSchemaValidator(),
		},
	);
	const safely = <T>(work: () => T | Promise<T>) => guarded(asker, work);
	server.setRequestHandler("tools/list", () =>
		safely(() => ({ tools: [...servedFrom(endpoints).values()].map(({ tool }) => shown(tool)) })),
	);
	server.setRequestHandler("tools/call", ({ params }, context) =>
		safely(() => {
			const tool = servedFrom(endpoints).get(params.name);
			if (!tool) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `there is no tool ${params.name}`);
			return withProgress(context, (hear) => callTool(tool, params.arguments ?? {}, asker, hear));
		}),
	);
	server.setRequestHandler("resources/list", ({ params }) =>
		safely(() => listResources(endpoints, asker, params?.cursor)),
	);
	server.setRequestHandler("resources/templates/list", () => ({ resourceTemplates: [...TEMPLATES] }));
	server.setRequestHandler("resources/read", ({ params }) => safely(() => readResource(endpoints, asker, params.uri)));
	server.setRequestHandler("prompts/list", () => safely(() => listPrompts(endpoints, asker)));
	server.setRequestHandler("prompts/get", ({ params }) => safely(() => getPrompt(endpoints, asker, params)));
	return server;
}

/** One exchange with a client of the protocol versions up to 2025-11-25. */
async function answerLegacy(server: Server, request: Request, body: McpBody, streams: boolean): Promise<Response> {
	const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: !streams });
	await server.connect(transport);
	const response = await transport.handleRequest(request, { parsedBody: body });
	if (!streams) await server.close();
	return response;
}

/**
 * True when the answer is to be a stream: a tool is called that takes its time, or whose caller wants to hear of its
 * progress, by a client that reads streams.
 */
function streamsAnswer(body: McpBody, headers: Headers, endpoints: readonly Endpoint[]): boolean {
	if (!headers.get("accept")?.includes("text/event-stream")) return false;
	const tools = servedFrom(endpoints);
	return messagesIn(body).some(({ method, params = {} }) => {
		if (method !== "tools/call") return false;
		const isLong = tools.get(String(params["name"]))?.endpoint.eventStream !== undefined;
		return isLong || Object(params["_meta"])["progressToken"] !== undefined;
	});
}

/** The request as the SDK wants it: any JSON was taken already, and a client that names no media type gets JSON. */
function requestFor(asker: Asker): Request {
	const headers = new Headers(asker.headers);
	headers.set("accept", "application/json, text/event-stream");
	headers.set("content-type", "application/json");
	return new Request(`${asker.origin}${MCP_PATH}`, { method: "POST", headers, signal: asker.signal });
}

/**
 * Origins that may call from a browser: pages of this machine, and of the service itself where its certificate shows that
 * the name is its own. Any other page may have reached a service on this machine by a name of its own making.
 */
function refusal(request: Request): Response | undefined {
	const { protocol, hostname } = new URL(request.url);
	const own = protocol === "https:" ? [hostname] : [];
	return originValidationResponse(request, [...localhostAllowedOrigins(), ...own]);
}

/**
 * Answers what a client posted.
 * @param endpoints whose tools are served.
 */
export async function answerMcp(body: McpBody, endpoints: readonly Endpoint[], asker: Asker): Promise<Response> {
	const request = requestFor(asker);
	const refused = refusal(request);
	if (refused) return refused;
	const streams = streamsAnswer(body, asker.headers, endpoints);
	if (await isLegacyRequest(request, body)) return answerLegacy(serverFor(endpoints, asker), request, body, streams);
	const handler = createMcpHandler(() => serverFor(endpoints, asker), {
		legacy: "reject",
		responseMode: streams ? "sse" : "auto",
		// Nothing here changes while somebody listens.
		maxSubscriptions: 0,
	});
	return handler.fetch(request, { parsedBody: body });
}
