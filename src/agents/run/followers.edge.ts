// The followers of a run under way. Each gets a stream of its events: all since this instance of the object started or took it over,
// or those from now on.
import type { RunEvent } from "./run-event.ts";

/** A follower who wants the earlier events gets up to this many. A step has three. */
const MAX_REPLAYED_EVENTS = 4_000;

/** A follower that has not taken this many characters gets no more: its stream breaks, and it may follow anew. */
const MAX_WAITING_CHARS = 4_000_000;

interface Follower {
	writer: WritableStreamDefaultWriter<Uint8Array>;
	/** Characters that it has not taken yet. */
	waitingChars: number;
}

export class RunFollowers {
	#lines: string[] = [];
	#followers = new Set<Follower>();
	#encoder = new TextEncoder();

	#write(follower: Follower, text: string): void {
		if (follower.waitingChars > MAX_WAITING_CHARS) {
			this.#followers.delete(follower);
			void follower.writer.abort(new Error("the follower is too slow")).catch(() => undefined);
			return;
		}
		follower.waitingChars += text.length;
		void follower.writer.write(this.#encoder.encode(text)).then(
			() => {
				follower.waitingChars -= text.length;
			},
			() => this.#followers.delete(follower),
		);
	}

	/** The events, one JSON object per line. The stream ends with the run. @param withEarlier also those that have been. */
	follow(withEarlier: boolean): ReadableStream<Uint8Array> {
		const { readable, writable } = new IdentityTransformStream();
		const follower = { writer: writable.getWriter(), waitingChars: 0 };
		this.#followers.add(follower);
		if (withEarlier && this.#lines.length > 0) this.#write(follower, this.#lines.join(""));
		return readable;
	}

	publish(event: RunEvent): void {
		const line = `${JSON.stringify(event)}\n`;
		if (this.#lines.length < MAX_REPLAYED_EVENTS) this.#lines.push(line);
		for (const follower of this.#followers) this.#write(follower, line);
	}

	closeAll(): void {
		for (const { writer } of this.#followers) void writer.close().catch(() => undefined);
		this.#followers.clear();
	}
}
