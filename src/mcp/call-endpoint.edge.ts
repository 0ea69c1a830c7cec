// Calls the service's own endpoints for a tool, a resource or a prompt, each as a request of its own with the caller's key.
import { createParser } from "eventsource-parser";
import type { ServiceContext } from "../account/context.ts";
import type { Failure } from "../failure.ts";
import type { Endpoint } from "../http/endpoint.ts";
import { toHttpFailure } from "../http/errors.ts";
import { type ToolAnswer, toToolAnswer, toToolRequest } from "./tools.ts";

/** The parts of a request's context that calls on its behalf need. */
export type EndpointCaller = Pick<
	ServiceContext,
	"address" | "dispatch" | "headers" | "origin" | "requestId" | "signal"
>;

/** An endpoint's answer and the id of its request; the id is null when the arguments make no request. */
export interface ToolCallResult extends ToolAnswer {
	requestId: string | null;
}

/** Headers that identify the caller. Those that name its library are left out, so that errors have the documented form. */
function callerHeaders({ headers, address }: EndpointCaller): Headers {
	const own = new Headers({ "content-type": "application/json" });
	const authorization = headers.get("authorization");
	if (authorization !== null) own.set("authorization", authorization);
	if (headers.has("cf-connecting-ip")) own.set("cf-connecting-ip", address);
	return own;
}

export type ToolProgressListener = (event: Record<string, unknown>) => void;

/** Reads a stream of progress events up to its `result` or `error`, which is the answer. */
async function readProgressStream(
	body: ReadableStream<Uint8Array>,
	onProgress: ToolProgressListener,
): Promise<ToolAnswer | null> {
	let last: ToolAnswer | null = null;
	const parser = createParser({
		onEvent({ event, data }) {
			if (event === "progress") onProgress(toToolAnswer(200, data).value ?? {});
			else last = { ...toToolAnswer(200, data), failed: event !== "result" };
		},
	});
	const decoder = new TextDecoder();
	for await (const piece of body) parser.feed(decoder.decode(piece, { stream: true }));
	return last;
}

/** A failure as a tool's answer. */
export function toFailedAnswer(failure: Failure): ToolAnswer {
	const { status, body } = toHttpFailure(failure);
	return toToolAnswer(status, JSON.stringify(body));
}

/**
 * Sends the request that the arguments stand for and reads its complete answer.
 * @param onProgress called for the progress events of an endpoint that sends them.
 */
export async function callEndpoint(
	caller: EndpointCaller,
	endpoint: Endpoint,
	args: Readonly<Record<string, unknown>>,
	onProgress: ToolProgressListener | null = null,
): Promise<ToolCallResult> {
	const streams = onProgress !== null && endpoint.streamsProgress && args["background"] !== true;
	const request = toToolRequest(endpoint, args, streams ? { stream: true } : {});
	if (!request.ok) return { ...toFailedAnswer(request.failure), requestId: null };
	const { target, body } = request.value;
	const init = { method: endpoint.method, headers: callerHeaders(caller), body, signal: caller.signal };
	const response = await caller.dispatch(new Request(`${caller.origin}${target}`, init));
	const requestId = response.headers.get("x-request-id");
	const isStream = response.headers.get("content-type")?.startsWith("text/event-stream");
	if (!isStream || !response.body || !onProgress)
		return { ...toToolAnswer(response.status, await response.text()), requestId };
	const last = await readProgressStream(response.body, onProgress);
	// Without a last event, the stream broke off; the log has the outcome of the work.
	return { ...(last ?? toFailedAnswer({ reason: "internal_error", requestId: requestId ?? "" })), requestId };
}
