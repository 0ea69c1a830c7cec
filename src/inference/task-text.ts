// The text of a goal or a task, which is planned with, judged and stored as a whole: its limit. Pure.
import * as z from "zod";
import { utf8Length } from "../text/utf8.ts";

/** UTF-8 bytes of the longest goal or task. */
export const MAX_TASK_BYTES = 262_144;

function fits(text: string): boolean {
	// Neither a short text nor one that is far too long is encoded.
	if (text.length > MAX_TASK_BYTES) return false;
	return text.length * 3 <= MAX_TASK_BYTES || utf8Length(text) <= MAX_TASK_BYTES;
}

/** A goal or a task: a text of at most MAX_TASK_BYTES. */
export function taskTextSchema() {
	return z.string().refine(fits, `must have at most ${MAX_TASK_BYTES} bytes of UTF-8 (256 KiB)`);
}
