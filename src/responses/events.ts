// Writes the events of a streamed Response as Server-Sent Events, with their sequence numbers. Pure.
import type { StreamError } from "../inference/answer-form.ts";
import type { SvcBlock } from "../inference/svc-block.ts";
import type { JsonObject } from "../json.ts";
import type { ItemEvent } from "./open-item.ts";

/** Events about the Response as a whole. */
type LifecycleEventType = `response.${"created" | "in_progress" | "completed" | "incomplete" | "failed"}`;

/** The events of one stream. */
export class ResponseEvents {
	#sequenceNumber = 0;
	/** The members of every Response of this stream, as JSON without braces: instructions and tools may be long. */
	readonly #echoes: string;

	/** @param echoes what a Response repeats of its request. */
	constructor(echoes: JsonObject) {
		this.#echoes = JSON.stringify(echoes).slice(1, -1);
	}

	#write(type: string, members: string): string {
		return `event: ${type}\ndata: {"type":"${type}","sequence_number":${this.#sequenceNumber++},${members}}\n\n`;
	}

	/** An event about an item. */
	item({ type, ...members }: ItemEvent): string {
		return this.#write(type, JSON.stringify(members).slice(1, -1));
	}

	/** An event about the Response. @param response without what it repeats of the request. */
	lifecycle(type: LifecycleEventType, response: JsonObject): string {
		return this.#write(type, `"response":${JSON.stringify(response).slice(0, -1)},${this.#echoes}}`);
	}

	/** The only event of a stream that breaks off before its Response begins. Clients read `error`, or the members beside it. */
	error({ type, code, message }: StreamError, svc: SvcBlock | null): string {
		const error = { type, code, message, param: null };
		const members = { code, message, param: null, error, ...(svc ? { svc } : {}) };
		return this.#write("error", JSON.stringify(members).slice(1, -1));
	}
}
