// How an entrance words the engine's answers: whole, and as a stream of events. The engine knows no entrance; each brings its
// form along. Pure.
import type { Failure } from "../failure.ts";
import type { StreamPart } from "../providers/wire.ts";
import type { ChatPurpose, SettledAnswer, SettledRequest } from "./infer.edge.ts";
import type { InferenceRequest } from "./plan.ts";

/** What is known of a streamed answer when its first part is there. */
export interface StreamHead {
	/** `svc-` and a ULID. */
	requestId: string;
	startedAtMs: number;
	/** Catalog id of the model that answers. */
	modelId: string;
	/** The provider's account that it answers under. */
	account: string;
}

/** Why a stream broke off: `upstream_error` for a fault of the upstream, `server_error` for one of this service. */
export interface StreamError {
	type: "upstream_error" | "server_error";
	code: string;
	message: string;
}

/** How an entrance words one stream. It may keep state. */
export interface StreamForm {
	/** The events before the first part. Until then, nothing is sent but comments. */
	begin(head: StreamHead): string;
	/** The events of one part; an empty text for none. */
	part(part: StreamPart): string | Promise<string>;
	/** The events that end a complete answer, after its settlement. Not called for a client that has left. */
	end(settled: SettledAnswer): string | Promise<string>;
	/**
	 * The events that end a broken stream, also one that has not begun.
	 * @param settled null where nothing was billed, or where that could not be stored.
	 */
	fail(error: StreamError, settled: SettledRequest | null): string | Promise<string>;
	/** What keeps a silent stream open from its begin on; default: a comment. */
	readonly keepAlive?: string;
}

/** A request to the engine, and how its outcome is worded. */
export interface EntranceRequest<Answer> {
	request: InferenceRequest;
	purpose: ChatPurpose;
	/** The whole answer. */
	toAnswer(settled: SettledAnswer): Answer | Promise<Answer>;
	/** The form of one stream. */
	toStream(): StreamForm;
	/** A failure of the engine under the names of the client's body. */
	withClientFields(failure: Failure): Failure;
	/** Headers of the response besides the service's own. */
	headers?: Readonly<Record<string, string>>;
}

/** The ULID of a request id. */
export function requestUlid(requestId: string): string {
	return requestId.replace(/^svc-/, "");
}

/** The id of an answer in an entrance's form: the request's ULID behind the entrance's prefix. */
export function answerId(prefix: "resp_" | "msg_", requestId: string): string {
	return `${prefix}${requestUlid(requestId)}`;
}
