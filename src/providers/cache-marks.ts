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
 * Each mark as it may be sent, null for one that may not be: the last four stay, because each covers all before it, and none for an
 * hour follows one for minutes. Anthropic refuses both.
 * @param marks of the whole request, in the order of its prompt: tools, system, messages.
 */
export function fitCacheMarks(marks: readonly CacheMark[]): (CacheMark | null)[] {
	let isAfterMinutes = false;
	return marks.map((mark, index) => {
		if (index < marks.length - MAX_CACHE_MARKS) return null;
		isAfterMinutes ||= mark.ttl !== "1h";
		return isAfterMinutes ? {} : mark;
	});
}

/**
 * Keeps the marks that may be sent. Changes the blocks.
 * @param blocks of the whole request, in the order of its prompt.
 * @returns whether the request writes a cache that is kept for an hour.
 */
export function limitCacheMarks(blocks: Iterable<JsonObject>): boolean {
	const marked = [...markedBlocks(blocks)];
	const isForHour = ({ cache_control }: JsonObject) => isJsonObject(cache_control) && cache_control["ttl"] === "1h";
	const kept = fitCacheMarks(marked.map((block) => (isForHour(block) ? { ttl: "1h" } : {})));
	for (const [index, block] of marked.entries()) {
		const mark = kept[index];
		block["cache_control"] = mark ? toCacheControl({ cache: mark }).cache_control : undefined;
	}
	return kept.some((mark) => mark?.ttl === "1h");
}
