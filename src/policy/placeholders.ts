// Placeholders in a text for what the check cannot know, and how such a text is shown in a reason. No shell can be passed one
// of them, and none occurs in a path.
import { clipCharacters } from "../clip.ts";

/** Text that is only known when the command runs. */
export const UNKNOWN = "\u0000";

/** A name from a list that is only known when the command runs: what xargs, parallel or `find -exec` fill in. */
export const LISTED = "\u0001";

/** Characters of a text in a reason. */
const MAX_REASON_CHARS = 80;

/** Shortens text for a reason: one line, with placeholders as an ellipsis. */
export function shortenForReason(text: string): string {
	const line = text.slice(0, 400).replace(/\s+/g, " ").replaceAll(UNKNOWN, "…").replaceAll(LISTED, "…").trim();
	return clipCharacters(line, MAX_REASON_CHARS) === line ? line : `${clipCharacters(line, MAX_REASON_CHARS - 1)}…`;
}
