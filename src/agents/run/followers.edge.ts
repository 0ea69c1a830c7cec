// Who follows a run while it goes on: each gets a stream of what happens, from the run's beginning in this life of its object.
import type { RunEvent } from "./executor.edge.ts";

/** Events that a follower who comes late is told; a run has three a step. */
const MAX_REPLAYED_EVENTS = 4_000;

export class RunFollowers {
	#lines: string[] = [];
	#writers = new Set<WritableStreamDefaultWriter<Uint8Array>>();
	#encoder = new TextEncoder();

	#write(writer: WritableStreamDefaultWriter<Uint8Array>, text: string): void {
		void writer.write(this.#encoder.encode(text)).catch(() => this.#writers.delete(writer));
	}

	/** One JSON object a line; ends with the run. */
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

	/** Ends every stream. */
	closeAll(): void {
		for (const writer of this.#writers) void writer.close().catch(() => undefined);
		this.#writers.clear();
	}
}
