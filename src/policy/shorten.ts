// Text of a command or a path, cut to what a reason has room for.
import { LISTED, UNKNOWN } from "./placeholders.ts";

/** Shortens text for a reason: one line of at most 80 characters, unknown parts as an ellipsis. */
export function shortenForReason(text: string): string {
	const line = text.slice(0, 400).replace(/\s+/g, " ").replaceAll(UNKNOWN, "…").replaceAll(LISTED, "…").trim();
	const characters = [...line];
	return characters.length > 80 ? `${characters.slice(0, 79).join("")}…` : line;
}
