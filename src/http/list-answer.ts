// What answers that list page by page have in common: the members that lead on, in the schema and in the answer. Pure.
import * as z from "zod";

/** The query's parameter that names a page. */
export function cursorParam() {
	return z.string().optional().describe("`next_cursor` of the page before.");
}

/** The members of an answer's schema that lead to the next page. */
export function nextPageMembers() {
	return { has_more: z.boolean(), next_cursor: z.string().nullable() };
}

/** The member of a list whose search stops where it has looked at enough. */
export function searchedBackToMember() {
	const text = "Where a page ended that found few: `next_cursor` goes on from there. Null on other pages.";
	return { searched_back_to: z.string().nullable().describe(text) };
}

/** The schema of a list of which nothing else is said. */
export function listSchema<Entry extends z.ZodType>(entry: Entry) {
	return z.object({ object: z.literal("list"), ...nextPageMembers(), data: z.array(entry) });
}

/** The members of an answer that lead to the next page. @param nextCursor null on the last page. */
export function toNextPage(nextCursor: string | null): { has_more: boolean; next_cursor: string | null } {
	return { has_more: nextCursor !== null, next_cursor: nextCursor };
}
