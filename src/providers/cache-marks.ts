// Anthropic's cache marks: how a part's mark is written, and which marks a request keeps. Pure.
import { isJsonObject, type JsonObject } from "../json.ts";
import type { CacheMark } from "./model-call.ts";

/** Anthropic refuses a request with more. */
const MAX_CACHE_MARKS = 4;

/** A part's mark as a member of its block; nothing where it has none. Five minutes are Anthropic's default. */
export function toCacheControl({ cache }: { cache?: CacheMark }): { cache_control?: JsonObject } {
	if (!cache) return {};
	return { cache_control: { type: "ephemeral", ...(cache.ttl === "1h" ? { ttl: "1h" } : {}) } };
}

function* markedBlocks(blocks: Iterable<JsonObject>): Generator<JsonObject> {
	for (const block of blocks) {
		// The content of a tool result may have marks of its own.
		if (Array.isArray(block["content"])) yield* markedBlocks(block["content"].filter(isJsonObject));
		if (isJsonObject(block["cache_control"])) yield block;
	}
}

/**
 * Keeps the last four marks, because each covers all before it, and lets no mark for an hour follow one for minutes:
 * Anthropic refuses both. Changes the blocks.
 * @param blocks of the whole request, in the order of its prompt: tools, system, messages.
 * @returns whether the request writes a cache that is kept for an hour.
 */
export function limitCacheMarks(blocks: Iterable<JsonObject>): boolean {
	const marked = [...markedBlocks(blocks)];
	for (const block of marked.splice(0, marked.length - MAX_CACHE_MARKS)) block["cache_control"] = undefined;
	const isForHour = ({ cache_control }: JsonObject) => isJsonObject(cache_control) && cache_control["ttl"] === "1h";
	const hourMarks = marked.findIndex((block) => !isForHour(block));
	if (hourMarks < 0) return marked.length > 0;
	for (const block of marked.slice(hourMarks)) block["cache_control"] = { type: "ephemeral" };
	return hourMarks > 0;
}
