// Anthropic's `cache_control` as marks of a call. Pure.
import type { CacheMark, ContentPart, Message } from "../providers/model-call.ts";
import type { CacheControl } from "./blocks.ts";

function toCacheMark({ ttl }: CacheControl): CacheMark {
	return ttl ? { ttl } : {};
}

/** The member of a part that ends a cached prefix; none without `cache_control`. */
export function toCacheMember(control: CacheControl | null | undefined): { cache?: CacheMark } {
	return control ? { cache: toCacheMark(control) } : {};
}

const MARKABLE = ["text", "image", "file", "tool_call", "tool_result"] as const;
type MarkablePart = Extract<ContentPart, { type: (typeof MARKABLE)[number] }>;

function isMarkable(part: ContentPart): part is MarkablePart {
	return (MARKABLE as readonly string[]).includes(part.type);
}

/** Ends a cached prefix with the last part that can (the top-level `cache_control`). An own mark of that part stays. */
export function markLastPart(messages: readonly Message[], control: CacheControl): void {
	const last = messages.flatMap(({ content }): readonly ContentPart[] => content).findLast(isMarkable);
	if (last) last.cache ??= toCacheMark(control);
}
