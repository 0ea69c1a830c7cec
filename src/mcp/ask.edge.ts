// Asks the service's own endpoints for a tool, a resource or a prompt: with the caller's key, as a request by itself.
import type { ServiceContext } from "../account/context.ts";
import type { Endpoint } from "../http/endpoint.ts";
import { toHttpFailure } from "../http/errors.ts";
import { type ToolAnswer, toolAnswer, toolRequest } from "./tools.ts";

/** What asking takes of the request that it is for. */
export type Asker = Pick<ServiceContext, "address" | "dispatch" | "headers" | "origin" | "signal">;

/** An endpoint's answer, and under which id it was given; null for arguments that no request can carry. */
export interface Asked extends ToolAnswer {
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

/** Makes the request that arguments stand for and reads its whole answer. */
export async function ask(asker: Asker, endpoint: Endpoint, given: Readonly<Record<string, unknown>>): Promise<Asked> {
	const request = toolRequest(endpoint, given);
	if (!request.ok) {
		const { status, body } = toHttpFailure(request.failure);
		return { ...toolAnswer(status, JSON.stringify(body)), requestId: null };
	}
	const { target, body } = request.value;
	const init = { method: endpoint.method, headers: headersOf(asker), body, signal: asker.signal };
	const response = await asker.dispatch(new Request(`${asker.origin}${target}`, init));
	return { ...toolAnswer(response.status, await response.text()), requestId: response.headers.get("x-request-id") };
}
