// A request as the detector reads it: its texts in order, who says each, and where it stands. Pure; entrances build it.
import type { UnreadContent } from "./vocabulary.ts";

/** Where a text stands in a request. */
export type TextPlace =
	| "text"
	| "refusal"
	| "reasoning"
	| "tool_call"
	| "tool_result"
	| "image_address"
	| "provider_block"
	| "name"
	| "tool_definition"
	| "schema"
	| "stop"
	| "user"
	| "unknown_field";

export interface PlacedText {
	readonly text: string;
	/** Index in `messages`; null for a text outside them: tool definitions, stop sequences, schemas. */
	readonly message: number | null;
	readonly role: "system" | "user" | "assistant" | "tool" | null;
	readonly place: TextPlace;
	/** The spans that may be masked, where the rest must stay as it is: names, keywords. Absent where the place decides. */
	readonly maskable?: readonly (readonly [start: number, end: number])[];
}

/** An image, a file, or a text that is not there as one. The detector cannot read it. */
export interface UnreadPart {
	readonly message: number | null;
	readonly what: UnreadContent;
}

export interface Conversation {
	/** In the order of the request. */
	readonly texts: readonly PlacedText[];
	readonly unread: readonly UnreadPart[];
}

/** A conversation of these texts, a message of the user each. */
export function plainConversation(...texts: readonly string[]): Conversation {
	return {
		texts: texts.map((text, message) => ({ text, message, role: "user", place: "text" })),
		unread: [],
	};
}
