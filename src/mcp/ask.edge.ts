// Asks the service's own endpoints for a tool, a resource or a prompt: with the caller's key, as a request by itself.
import { createParser } from "eventsource-parser";
import type { ServiceContext } from "../account/context.ts";
import type { Failure } from "../failure.ts";
import type { Endpoint } from "../http/endpoint.ts";
import { toHttpFailure } from "../http/errors.ts";
import { type ToolAnswer, toolAnswer, toolRequest } from "./tools.ts";

/** What asking takes of the request that it is for. */
export type Asker = Pick<ServiceContext, "address" | "dispatch" | "headers" | "origin" | "requestId" | "signal">;

/** An endpoint's answer, and under which id it was given; null for arguments that no request can carry. */
export interface ToolCallResult extends ToolAnswer {
	requestId: string | null;
}

/** What says who asks. Not what says which library does: errors keep the form that the reference documents. */
function headersOf({ headers, address }: Asker): Headers {
	const own = new Headers({ "content-type": "application/json" });
	const authorization = headers.get("authorization");
	if (authorization !== null) own.set("authorization", authorization);
	if (headers.has("cf-connecting-ip")) own.set("cf-connecting-ip", address);
	return own;
}

type Hear = (event: Record<string, unknown>) => void;

/** Reads a stream of progress events to its `result` or `error`, which is the answer. */
async function lastOf(body: ReadableStream<Uint8Array>, hear: Hear): Promise<ToolAnswer | null> {
	let last: ToolAnswer | null = null;
	const parser = createParser({
		onEvent({ event, data }) {
			if (event === "progress") hear(toolAnswer(200, data).value ?? {});
			else last = { ...toolAnswer(200, data), failed: event !== "result" };
		},
	});
	const decoder = new TextDecoder();
	for await (const piece of body) parser.feed(decoder.decode(piece, { stream: true }));
	return last;
}

function failed(failure: Failure): ToolAnswer {
	const { status, body } = toHttpFailure(failure);
	return toolAnswer(status, JSON.stringify(body));
}

/**
 * Makes the request that arguments stand for and reads its whole answer.
 * @param hear is told of progress, where the endpoint tells of it.
 */
export async function callEndpoint(
	asker: Asker,
	endpoint: Endpoint,
	given: Readonly<Record<string, unknown>>,
	hear: Hear | null = null,
): Promise<ToolCallResult> {
	const request = toolRequest(endpoint, given, hear && endpoint.streamsProgress ? { stream: true } : {});
	if (!request.ok) return { ...failed(request.failure), requestId: null };
	const { target, body } = request.value;
	const init = { method: endpoint.method, headers: headersOf(asker), body, signal: asker.signal };
	const response = await asker.dispatch(new Request(`${asker.origin}${target}`, init));
	const requestId = response.headers.get("x-request-id");
	const isStream = response.headers.get("content-type")?.startsWith("text/event-stream");
	if (!isStream || !response.body || !hear) return { ...toolAnswer(response.status, await response.text()), requestId };
	const last = await lastOf(response.body, hear);
	// Without a last event the stream broke off, and what became of the work is in the log.
	return { ...(last ?? failed({ reason: "internal_error", requestId: requestId ?? "" })), requestId };
}
