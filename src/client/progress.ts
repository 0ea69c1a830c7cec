// Work that reports while it goes on: its progress, then its result. An agent's run is joined again when the connection breaks.
import { SvcError, toSvcError } from "./errors.ts";
import type { CallSettings, EndpointAnswer, EndpointArguments, EndpointId, Transport } from "./transport.ts";
import { sleepUntilAborted } from "./transport.ts";

/** What happens, by its `type`; the other members depend on it (reference, "Orchestration", "Code", "Agents"). */
export interface Progress {
	type: string;
	[member: string]: unknown;
}

/** An item of work that streams: progress, and once, at its end, the result. */
export type WorkEvent<Id extends EndpointId> =
	| { type: "progress"; progress: Progress }
	| { type: "result"; result: EndpointAnswer<Id> };

/** Tries in a row to join a run again without an event in between. */
const MAX_JOINS = 5;
const JOIN_DELAY_MS = 1_000;

/** The events of work that streams. @throws SvcError for its error, and `stream_broken` when it ends without a result. */
export async function* readWork<Id extends EndpointId>(
	transport: Transport,
	id: Id,
	given: EndpointArguments<Id>,
	settings: CallSettings = {},
): AsyncGenerator<WorkEvent<Id>> {
	let lastRequestId: string | null = null;
	for await (const { name, text, requestId } of transport.events(id, given, settings)) {
		lastRequestId = requestId;
		// The boundary: what each event holds is what the service documents.
		const value: unknown = JSON.parse(text);
		if (name === "error") throw toSvcError(value, 200, requestId);
		if (name === "progress") yield { type: "progress", progress: value as Progress };
		// A run that waits for its client or for a person ends its stream as one that is over does: with the run.
		if (name !== "result" && name !== "requires_action") continue;
		yield { type: "result", result: value as EndpointAnswer<Id> };
		return;
	}
	throw new SvcError({
		code: "stream_broken",
		message: "the stream ended without a result",
		requestId: lastRequestId,
	});
}

/** Whether work that goes on without its caller can be followed again. */
function isBroken(error: unknown): boolean {
	return error instanceof SvcError && ["stream_broken", "connection_failed"].includes(error.code);
}

/**
 * The events of a run, which goes on when its connection breaks: the same request joins it again. Events of the time between are
 * missing; the result is whole.
 * @param given must be one that the service takes for the same request again.
 */
export async function* followWork<Id extends EndpointId>(
	transport: Transport,
	id: Id,
	given: EndpointArguments<Id>,
	settings: CallSettings = {},
): AsyncGenerator<WorkEvent<Id>> {
	for (let joins = 0; ; joins++) {
		try {
			for await (const event of readWork(transport, id, given, { ...settings, isRepeatable: true })) {
				joins = 0;
				yield event;
			}
			return;
		} catch (error) {
			if (!isBroken(error) || joins >= MAX_JOINS) throw error;
			await sleepUntilAborted(JOIN_DELAY_MS, settings.signal);
		}
	}
}
