// Asks the service's own endpoints for a tool, a resource or a prompt: with the caller's key, as a request by itself.
import { createParser } from "eventsource-parser";
import type { ServiceContext } from "../account/context.ts";
import type { Failure } from "../failure.ts";
import type { Endpoint } from "../http/endpoint.ts";
import { toHttpFailure } from "../http/errors.ts";
import { type ToolAnswer, toToolAnswer, toToolRequest } from "./tools.ts";

/** What asking takes of the request that it is for. */
export type EndpointCaller = Pick<
	ServiceContext,
	"address" | "dispatch" | "headers" | "origin" | "requestId" | "signal"
>;

/** An endpoint's answer, and under which id it was given; null for arguments that no request can carry. */
export interface ToolCallResult extends ToolAnswer {
	requestId: string | null;
}

/** What says who asks. Not what says which library does: errors keep the form that the reference documents. */
function callerHeaders({ headers, address }: EndpointCaller): Headers {
	const own = new Headers({ "content-type": "application/json" });
	const authorization = headers.get("authorization");
	if (authorization !== null) own.set("authorization", authorization);
	if (headers.has("cf-connecting-ip")) own.set("cf-connecting-ip", address);
	return own;
}

type ProgressListener = (event: Record<string, unknown>) => void;

/** Reads a stream of progress events to its `result` or `error`, which is the answer. */
async function readProgressStream(
	body: ReadableStream<Uint8Array>,
	onProgress: ProgressListener,
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

function toFailedAnswer(failure: Failure): ToolAnswer {
	const { status, body } = toHttpFailure(failure);
	return toToolAnswer(status, JSON.stringify(body));
}

/**
 * Makes the request that arguments stand for and reads its whole answer.
 * @param onProgress is told of progress, where the endpoint tells of it.
 */
export async function callEndpoint(
	caller: EndpointCaller,
	endpoint: Endpoint,
	args: Readonly<Record<string, unknown>>,
	onProgress: ProgressListener | null = null,
): Promise<ToolCallResult> {
	const request = toToolRequest(endpoint, args, onProgress && endpoint.streamsProgress ? { stream: true } : {});
	if (!request.ok) return { ...toFailedAnswer(request.failure), requestId: null };
	const { target, body } = request.value;
	const init = { method: endpoint.method, headers: callerHeaders(caller), body, signal: caller.signal };
	const response = await caller.dispatch(new Request(`${caller.origin}${target}`, init));
	const requestId = response.headers.get("x-request-id");
	const isStream = response.headers.get("content-type")?.startsWith("text/event-stream");
	if (!isStream || !response.body || !onProgress)
		return { ...toToolAnswer(response.status, await response.text()), requestId };
	const last = await readProgressStream(response.body, onProgress);
	// Without a last event the stream broke off, and what became of the work is in the log.
	return { ...(last ?? toFailedAnswer({ reason: "internal_error", requestId: requestId ?? "" })), requestId };
}
