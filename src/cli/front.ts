// What stands between the network and the Worker's socket in Miniflare, a simulator for developers: it believes a header of its own,
// opens the runtime's protocol to a CONNECT, which this server does not pass on, and fails without a word at a Host that it cannot
// read. Its other headers and paths are refused as well: nobody outside has a use for them. Everything else passes as it is, streams
// included.
import { once } from "node:events";
import { Agent, createServer, type IncomingMessage, request as openRequest, type ServerResponse } from "node:http";
import { pipeline } from "node:stream";
import { isHost } from "../http/deployment.ts";

/** Miniflare's own headers: another URL, another service, the client's address. */
const OWN_HEADER = /^mf-/i;
/** Miniflare's own paths, and the platform's. The service has none below. */
const OWN_PATH = /^\/+cdn-cgi(?:\/|$)/i;

interface FrontRefusal {
	status: number;
	code: string;
	message: string;
}

function decodePath(path: string): string {
	try {
		return decodeURIComponent(path);
	} catch {
		return path;
	}
}

/**
 * Why a request must not reach Miniflare; null for one that may.
 * @param target as the request line has it.
 * @param headerNames of all headers.
 * @param host the header of that name, at which the runtime would fail without a word.
 */
export function findFrontRefusal(
	target: string,
	headerNames: readonly string[],
	host = "localhost",
): FrontRefusal | null {
	const base = "http://127.0.0.1";
	// The form of a proxy's request line names a host of its own beside the header.
	if (!target.startsWith("/") || !URL.canParse(target, base) || new URL(target, base).origin !== base)
		return { status: 400, code: "invalid_request", message: "the request line must name a path" };
	if (!isHost(host)) return { status: 400, code: "invalid_host", message: "the Host header names no host" };
	// Nobody knows which one an intermediary went by (RFC 9112, section 3.2).
	if (headerNames.filter((name) => name.toLowerCase() === "host").length > 1)
		return { status: 400, code: "invalid_host", message: "there is more than one Host header" };
	const { pathname } = new URL(target, base);
	if (OWN_PATH.test(pathname) || OWN_PATH.test(decodePath(pathname)))
		return { status: 404, code: "not_found", message: "no such path; GET /openapi.json lists them all" };
	const own = headerNames.find((name) => OWN_HEADER.test(name));
	return own === undefined
		? null
		: { status: 400, code: "invalid_request", message: `the header ${own.slice(0, 60)} is not accepted` };
}

function sendFault(response: ServerResponse, { status, code, message }: FrontRefusal): void {
	if (response.headersSent) {
		response.destroy();
		return;
	}
	response.writeHead(status, { "content-type": "application/json", connection: "close" });
	response.end(JSON.stringify({ error: code, message }));
}

/** Sends a request on, and its answer back. When either side hangs up, so does the other. */
function forward(request: IncomingMessage, response: ServerResponse, target: URL, agent: Agent): void {
	const { method, url: path, rawHeaders: headers } = request;
	const { hostname: host, port } = target;
	const onward = openRequest({ host, port, method, path, headers, agent, setDefaultHeaders: false }, (answer) => {
		response.writeHead(answer.statusCode ?? 502, answer.statusMessage, answer.rawHeaders);
		// An answer that breaks off must not look whole.
		pipeline(answer, response, (error) => error && response.destroy());
	});
	onward.on("error", () =>
		sendFault(response, { status: 502, code: "unavailable", message: "the service does not answer" }),
	);
	response.on("close", () => onward.destroy());
	pipeline(request, onward, () => {});
}

interface Front {
	stop(): Promise<void>;
}

/**
 * Starts the front.
 * @param serviceUrl the service on loopback.
 * @throws when the address or the port cannot be bound.
 */
export async function startFront(serviceUrl: string, address: string, port: number): Promise<Front> {
	const target = new URL(serviceUrl);
	const agent = new Agent({ keepAlive: true });
	const server = createServer((request, response) => {
		const names = request.rawHeaders.filter((_, index) => index % 2 === 0);
		const refusal = findFrontRefusal(request.url ?? "", names, request.headers.host);
		if (!refusal) return forward(request, response, target, agent);
		request.resume();
		sendFault(response, refusal);
	});
	server.listen(port, address);
	await once(server, "listening");
	return {
		async stop() {
			const closed = once(server, "close");
			server.close();
			server.closeAllConnections();
			await closed;
			agent.destroy();
		},
	};
}
