// The part of a conversation that is read: both ends of the last user turns. Pure; bounded for conversations of any size.
import type { Message, ModelCall } from "../../providers/model-call.ts";

/** User turns that count beside the last one. */
export const MAX_PRIOR_TURNS = 2;
/** Characters read from each end of a turn. The middle of a longer one is skipped. */
const HEAD_CHARS = 400;
const TAIL_CHARS = 300;

/** A user's turn, as far as it is read. */
export interface Turn {
	text: string;
	/** Length of the whole turn. */
	chars: number;
}

/** Both ends of a turn made of texts, which are joined by newlines. */
export function toTurn(texts: readonly string[]): Turn {
	const chars = texts.reduce((sum, text) => sum + text.length + 1, -1);
	if (chars <= HEAD_CHARS + TAIL_CHARS) return { text: texts.join("\n"), chars: Math.max(0, chars) };
	let head = "";
	for (const text of texts) {
		if (head.length >= HEAD_CHARS) break;
		head += `${text.slice(0, HEAD_CHARS)}\n`;
	}
	let tail = "";
	for (const text of texts.toReversed()) {
		if (tail.length >= TAIL_CHARS) break;
		tail = `\n${text.slice(-TAIL_CHARS)}${tail}`;
	}
	return { text: `${head.slice(0, HEAD_CHARS)}\n${tail.slice(-TAIL_CHARS)}`, chars };
}

/** The texts of a user's message; null for tool results, which are not the user's words. */
function userTexts({ role, content }: Message): string[] | null {
	if (role !== "user" || content.every(({ type }) => type === "tool_result")) return null;
	return content.flatMap((part) => (part.type === "text" ? [part.text] : []));
}

/** The last user turns, the last one first. */
export function readTurns({ messages }: Pick<ModelCall, "messages">): [Turn, ...Turn[]] {
	const turns: Turn[] = [];
	for (let at = messages.length - 1; at >= 0 && turns.length <= MAX_PRIOR_TURNS; at--) {
		const message = messages[at];
		const texts = message ? userTexts(message) : null;
		if (texts) turns.push(toTurn(texts));
	}
	const [last = toTurn([]), ...earlier] = turns;
	return [last, ...earlier];
}

/** The length of all turns together. */
export function countChars(turns: readonly Turn[]): number {
	let sum = 0;
	for (const { chars } of turns) sum += chars;
	return sum;
}
