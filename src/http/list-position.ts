// Positions in a list that is read newest first, and the cursors that name them. Pure.
import { fail, ok, type Result } from "../failure.ts";

/** A position: that of the last entry of a page. Time and id together order all entries permanently. */
export interface ListPosition {
	/** ISO 8601 with three fractional digits, in UTC. */
	created_at: string;
	id: string;
}

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** Renders a position as base64url. Entries that appear or vanish later do not shift the pages after it. */
export function renderCursor({ created_at, id }: ListPosition): string {
	return btoa(`${created_at} ${id}`).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/**
 * Parses a cursor; null when renderCursor did not write it.
 * @param isId whether a text can be the id of an entry.
 */
export function parseListCursor(cursor: string, isId: (text: string) => boolean): ListPosition | null {
	let text: string;
	try {
		text = atob(cursor.replaceAll("-", "+").replaceAll("_", "/"));
	} catch {
		return null;
	}
	const [created_at = "", id = "", ...rest] = text.split(" ");
	const position = { created_at, id };
	return rest.length === 0 && TIME.test(created_at) && isId(id) && renderCursor(position) === cursor ? position : null;
}

/** The position that a request's cursor names; null without a cursor. Fails for one that the list did not give. */
export function readListCursor(
	cursor: string | undefined,
	isId: (text: string) => boolean,
): Result<ListPosition | null> {
	if (cursor === undefined) return ok(null);
	const position = parseListCursor(cursor, isId);
	if (position) return ok(position);
	const message = "is not a next_cursor of this endpoint";
	return fail({ reason: "invalid_request", issues: [{ path: "cursor", message }] });
}
