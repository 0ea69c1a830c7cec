// The followers of a run under way. Each gets a stream of all its events since this instance of the object started or took it over.
import type { RunEvent } from "./executor.edge.ts";

/** A follower who joins late gets up to this many earlier events. A step has three. */
const MAX_REPLAYED_EVENTS = 4_000;

export class RunFollowers {
	#lines: string[] = [];
	#writers = new Set<WritableStreamDefaultWriter<Uint8Array>>();
	#encoder = new TextEncoder();

	#write(writer: WritableStreamDefaultWriter<Uint8Array>, text: string): void {
		void writer.write(this.#encoder.encode(text)).catch(() => this.#writers.delete(writer));
	}

	/** The events, one JSON object per line. The stream ends with the run. */
	follow(): ReadableStream<Uint8Array> {
		const { readable, writable } = new IdentityTransformStream();
		const writer = writable.getWriter();
		if (this.#lines.length > 0) this.#write(writer, this.#lines.join(""));
		this.#writers.add(writer);
		return readable;
	}

	publish(event: RunEvent): void {
		const line = `${JSON.stringify(event)}\n`;
		if (this.#lines.length < MAX_REPLAYED_EVENTS) this.#lines.push(line);
		for (const writer of this.#writers) this.#write(writer, line);
	}

	closeAll(): void {
		for (const writer of this.#writers) void writer.close().catch(() => undefined);
		this.#writers.clear();
	}
}
