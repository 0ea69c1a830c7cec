// Reads Server-Sent Events from the bytes of a stream.
import { createParser } from "eventsource-parser";
import type { EventReader, StreamEvent } from "./wire.ts";

/** @param onEvent is called with each event as soon as its bytes are there. */
export function createSseReader(onEvent: (event: StreamEvent) => void): EventReader {
	const decoder = new TextDecoder();
	const parser = createParser({ onEvent: ({ event, data }) => onEvent({ event, data }) });
	return {
		feed: (piece) => parser.feed(decoder.decode(piece, { stream: true })),
		// Some upstreams omit the blank line after their last event.
		end: () => parser.feed("\n\n"),
	};
}
