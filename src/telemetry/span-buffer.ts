// Spans on their way to the collector: encoded, bounded, the oldest dropped first. What is under way stays here until it is known to have
// arrived. Pure; the clock is an argument.
import { utf8Length } from "../text/utf8.ts";

/** What waits for the collector and is under way to it, bytes. */
export const MAX_BUFFER_BYTES = 2_097_152;
/** Spans of one request to the collector. */
export const MAX_BATCH_SPANS = 512;
/** The first span of a batch waits so long for others. */
export const BATCH_WAIT_MS = 5_000;
/** Waits after failures: the first, and the longest. */
const FIRST_RETRY_MS = 1_000;
const LAST_RETRY_MS = 60_000;
/** The longest wait that a collector may ask for. */
const LONGEST_ASKED_MS = 600_000;
/** Whoever sends a batch for longer has been ended by the platform: others may send it again. */
const ABANDONED_AFTER_MS = 30_000;

/** Of what is not to wait any more. */
const LONG_AGO_MS = Number.NEGATIVE_INFINITY;

interface WaitingSpan {
	text: string;
	bytes: number;
}

interface SentBatch {
	id: number;
	spans: WaitingSpan[];
	sinceMs: number;
}

/** Spans that are to be sent together. */
export interface OutgoingSpans {
	id: number;
	texts: readonly string[];
}

/** How a batch was answered. */
export type BatchAnswer =
	/** The collector has it, and will not keep some of its spans. */
	| { kind: "taken"; rejected: number }
	/** No repetition would help. */
	| { kind: "refused" }
	/** `askedMs`: the wait that the collector names; null where it names none. */
	| { kind: "away"; askedMs: number | null };

export class SpanBuffer {
	#waiting: WaitingSpan[] = [];
	#bytes = 0;
	#underWay: SentBatch | null = null;
	/** Since when the first of those that wait does. */
	#waitingSinceMs: number | null = null;
	#batches = 0;
	#failures = 0;
	#nextTryAtMs = 0;
	/** Spans that arrived, and those that were dropped, since they were last taken. */
	#sent = 0;
	#dropped = 0;

	/** Spans that wait or are under way. */
	get size(): number {
		return this.#waiting.length + (this.#underWay?.spans.length ?? 0);
	}

	/** Their bytes, at most MAX_BUFFER_BYTES. */
	get bytes(): number {
		return this.#bytes;
	}

	/** Failures since the collector last answered well. */
	get failures(): number {
		return this.#failures;
	}

	add(texts: readonly string[], nowMs: number): void {
		for (const text of texts) {
			const bytes = utf8Length(text);
			this.#waiting.push({ text, bytes });
			this.#bytes += bytes;
		}
		this.#waitingSinceMs ??= nowMs;
		this.#dropOldest();
	}

	/** What waits is sent as soon as the collector takes it. */
	hurry(): void {
		if (this.#waiting.length > 0) this.#waitingSinceMs = LONG_AGO_MS;
	}

	/** Those under way are older, but nobody can call them back; a repetition of them is dropped. */
	#dropOldest(): void {
		let dropped = 0;
		while (this.#bytes > MAX_BUFFER_BYTES) {
			const oldest = this.#waiting[dropped];
			if (!oldest) break;
			this.#bytes -= oldest.bytes;
			dropped++;
		}
		this.#waiting.splice(0, dropped);
		this.#dropped += dropped;
	}

	/** When the next batch is to be sent, ms since the epoch; null while none is, or one is under way. */
	dueAtMs(nowMs: number): number | null {
		if (this.#underWay && nowMs - this.#underWay.sinceMs < ABANDONED_AFTER_MS) return null;
		if (this.size === 0) return null;
		const isHurried = this.#underWay !== null || this.size >= MAX_BATCH_SPANS;
		// A clock that went back prolongs no wait.
		const sinceMs = Math.min(this.#waitingSinceMs ?? nowMs, nowMs);
		const triesAtMs = Math.min(this.#nextTryAtMs, nowMs + LONGEST_ASKED_MS);
		return Math.max(isHurried ? nowMs : sinceMs + BATCH_WAIT_MS, triesAtMs);
	}

	/** Begins to send a batch; null where none is due. */
	take(nowMs: number): OutgoingSpans | null {
		const dueAtMs = this.dueAtMs(nowMs);
		if (dueAtMs === null || dueAtMs > nowMs) return null;
		// Whoever sent it was ended before it heard an answer.
		if (this.#underWay) this.#putBack();
		const spans = this.#waiting.splice(0, MAX_BATCH_SPANS);
		this.#waitingSinceMs = this.#waiting.length > 0 ? nowMs : null;
		this.#underWay = { id: ++this.#batches, spans, sinceMs: nowMs };
		return { id: this.#batches, texts: spans.map(({ text }) => text) };
	}

	#putBack(): void {
		const { spans } = this.#underWay ?? { spans: [] };
		this.#underWay = null;
		this.#waiting.unshift(...spans);
		this.#waitingSinceMs = LONG_AGO_MS;
		this.#dropOldest();
	}

	/** Records how a batch was answered. One that was abandoned meanwhile is unknown here. */
	answered(id: number, answer: BatchAnswer, nowMs: number): void {
		const batch = this.#underWay;
		if (batch?.id !== id) return;
		if (answer.kind === "away") {
			this.#failures++;
			const backOffMs = Math.min(LAST_RETRY_MS, FIRST_RETRY_MS * 2 ** Math.min(16, this.#failures - 1));
			const askedMs = Math.min(LONGEST_ASKED_MS, answer.askedMs ?? 0);
			this.#nextTryAtMs = nowMs + Math.max(backOffMs, askedMs);
			this.#putBack();
			return;
		}
		this.#failures = 0;
		this.#nextTryAtMs = 0;
		this.#underWay = null;
		this.#bytes -= batch.spans.reduce((sum, { bytes }) => sum + bytes, 0);
		const rejected = answer.kind === "refused" ? batch.spans.length : Math.min(answer.rejected, batch.spans.length);
		this.#dropped += rejected;
		this.#sent += batch.spans.length - rejected;
	}

	/** Spans that arrived and that were dropped since this was last asked. */
	takeCounts(): { sent: number; dropped: number } {
		const counts = { sent: this.#sent, dropped: this.#dropped };
		this.#sent = 0;
		this.#dropped = 0;
		return counts;
	}
}
