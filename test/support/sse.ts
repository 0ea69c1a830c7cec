// Reads a streamed completion as a client does: events in order, and what is in them.
import { createParser } from "eventsource-parser";

export interface Chunk {
	id?: string;
	model?: string;
	choices?: {
		delta: {
			content?: string;
			reasoning_content?: string;
			tool_calls?: { index: number; id?: string; function: { name?: string; arguments?: string } }[];
		};
		finish_reason: string | null;
	}[];
	usage?: { prompt_tokens: number; completion_tokens: number; total_tokens: number } | null;
	svc?: {
		cost: { total_usd: number; estimated: boolean };
		proof: { request_id: string; proof_hash: string };
		fallback: boolean;
		fallback_from: string | null;
	};
	error?: { message: string; type: string; code: string };
}

export interface StreamRead {
	chunks: Chunk[];
	/** Whether the stream ended with `[DONE]`. */
	done: boolean;
	/** Text of all content deltas. */
	text: string;
	/** Everything, as it came. */
	raw: string;
}

/** The events of a text, by name. */
export function eventsOf(text: string): { event: string; data: string }[] {
	const events: { event: string; data: string }[] = [];
	createParser({ onEvent: ({ event = "message", data }) => events.push({ event, data }) }).feed(text);
	return events;
}

/** Reads a response to its end. */
export async function readStream(response: Response): Promise<StreamRead> {
	const raw = await response.text();
	const events: string[] = [];
	createParser({ onEvent: ({ data }) => events.push(data) }).feed(raw);
	const done = events.at(-1) === "[DONE]";
	const chunks = events.filter((data) => data !== "[DONE]").map((data) => JSON.parse(data) as Chunk);
	const text = chunks.map(({ choices }) => choices?.[0]?.delta.content ?? "").join("");
	return { chunks, done, text, raw };
}
