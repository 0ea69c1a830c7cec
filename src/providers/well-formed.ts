// Keeps streamed text valid Unicode: rejoins a surrogate pair that an upstream split over two events. Pure.
import type { StreamPart } from "./wire.ts";

type TextBearingPart = Extract<StreamPart, { text: string }>;

/** The first half of a character that is cut in two. */
export const HIGH_SURROGATE_AT_END = /[\ud800-\udbff]$/;

/** Makes the texts of one stream well-formed, for each kind of text and each tool call separately. */
export class WellFormedParts {
	#heldBack = new Map<string, { half: string; part: TextBearingPart }>();

	/** The part as it may be delivered; null while nothing of it may be. */
	pass(part: StreamPart): StreamPart | null {
		if (!("text" in part)) return part;
		const key = "index" in part ? `${part.type} ${part.index}` : part.type;
		const text = (this.#heldBack.get(key)?.half ?? "") + part.text;
		this.#heldBack.delete(key);
		const half = HIGH_SURROGATE_AT_END.exec(text)?.[0];
		if (half) this.#heldBack.set(key, { half, part });
		const whole = half ? text.slice(0, -1) : text;
		return whole === "" ? null : { ...part, text: whole.toWellFormed() };
	}

	/** What was held back and never completed, as U+FFFD. */
	end(): StreamPart[] {
		return [...this.#heldBack.values()].map(({ part }) => ({ ...part, text: "\ufffd" }));
	}
}
