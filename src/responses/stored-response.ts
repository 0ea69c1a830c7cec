// Stored responses: their ids and age, the ids of their items, and how their items are listed. Pure.
import { decodeTime, encodeTime } from "ulid";
import type { JsonObject } from "../json.ts";

/** Stored responses are kept this long, from the arrival of their request on. */
export const RESPONSE_RETENTION_MS = 30 * 24 * 60 * 60 * 1_000;
/** The most responses of one user. The oldest goes first. */
export const MAX_STORED_RESPONSES = 2_000;
/** The most bytes of one user's responses. */
export const MAX_STORED_BYTES = 268_435_456;
/** The most bytes of one response with its input. A row of a Durable Object has at most 2 MB. */
export const MAX_RESPONSE_BYTES = 1_048_576;

const PREFIX = "resp_";
const ULID_TIME_DIGITS = 10;
const RESPONSE_ID = /^resp_[0-7][0-9A-HJKMNP-TV-Z]{25}$/;

/** Whether a text has the form of a response's id: `resp_` and a ULID. */
export function isResponseId(text: string): boolean {
	return RESPONSE_ID.test(text);
}

/** When a response expires, ms since the epoch. A ULID begins with its time, so the order of ids is the order of their times. */
export function responseExpiresAtMs(id: string): number {
	return decodeTime(id.slice(PREFIX.length)) + RESPONSE_RETENTION_MS;
}

/** What divides ids by their age: responses whose ids come before it have expired. */
export function expiryBoundary(nowMs: number): string {
	return PREFIX + encodeTime(nowMs - RESPONSE_RETENTION_MS + 1, ULID_TIME_DIGITS);
}

/** The two lists of a response's items. */
type ItemList = "input" | "output";

/** What is sealed apart of a response: its items, and the response without its output. */
export type SealedPart = ItemList | "response";

/** The name under which a part is sealed. It opens under no other. */
export function sealedPartName(responseId: string, part: SealedPart): string {
	return `${responseId}/${part}`;
}

/** Where an item stands: its response, and which of its lists. */
export interface ItemPlace {
	responseId: string;
	list: ItemList;
}

/** Prefixes of item ids by type. */
const ITEM_PREFIXES: Readonly<Record<string, string>> = {
	message: "msg",
	reasoning: "rs",
	function_call: "fc",
	function_call_output: "fco",
	custom_tool_call: "ctc",
	custom_tool_call_output: "ctco",
};

/** Ids of items hold the ULID of their response, so that no index is needed to find one; those of input items end in `i` and a number. */
const ITEM_ID = /^[a-z]{1,8}_([0-7][0-9A-HJKMNP-TV-Z]{25})(i\d{1,4}$)?/;

/** Where the item of an id stands, if it is stored; null for an id that a client has made. */
export function toItemPlace(itemId: string): ItemPlace | null {
	const [, ulid, ofInput] = ITEM_ID.exec(itemId) ?? [];
	return ulid === undefined ? null : { responseId: PREFIX + ulid, list: ofInput === undefined ? "output" : "input" };
}

/** An item as far as lists need to know it. */
interface NamedItem {
	/** A message need not name its own. */
	type?: string | null | undefined;
	id?: string | null | undefined;
}

/** Input items with an id each: the client's own, else one made of the response's id and the position. */
export function withItemIds<Item extends NamedItem>(
	items: readonly Item[],
	responseId: string,
): (Item & { id: string })[] {
	return items.map((item, index) => {
		const prefix = ITEM_PREFIXES[item.type ?? "message"] ?? "item";
		return { ...item, id: item.id || `${prefix}_${responseId.slice(PREFIX.length)}i${index}` };
	});
}

/** The content of a message as a list of parts. */
function toContentParts(content: unknown, role: unknown): unknown {
	if (typeof content !== "string") return content;
	return role === "assistant"
		? [{ type: "output_text", text: content, annotations: [] }]
		: [{ type: "input_text", text: content }];
}

/** A stored item. */
export type StoredItem = JsonObject & { id: string };

/** A stored item as lists show it. */
type ListedItem = StoredItem & { type: string; status: string };

/** An item as lists show it: with its type and status, and a message's content as parts. */
export function toListedItem(item: StoredItem): ListedItem {
	const { type, status, content, role } = item;
	const named = { ...item, type: String(type ?? "message"), status: String(status ?? "completed") };
	return named.type === "message" ? { ...named, content: toContentParts(content, role) } : named;
}

/** An item of an answer. */
export type OutputItem = JsonObject & { type: string };

/** Output items as a read of the response shows them. @param include names that the request lists in `include`. */
export function toShownOutput(output: readonly OutputItem[], include: readonly string[]): OutputItem[] {
	if (include.includes("reasoning.encrypted_content")) return [...output];
	return output.map((item) => {
		const { encrypted_content: _, ...shown } = item;
		return item.type === "reasoning" ? { ...shown, type: item.type } : item;
	});
}

/** How a page of a list is requested. */
interface ItemPageQuery {
	limit: number;
	order: "asc" | "desc";
	/** Id of the item before the page. */
	after?: string | undefined;
}

/** A page of items. */
interface ItemPage<Item> {
	items: Item[];
	hasMore: boolean;
}

/** One page of items, which are in the order of the request; null when `after` is none of them. */
export function selectItemPage<Item extends { id: string }>(
	items: readonly Item[],
	{ limit, order, after }: ItemPageQuery,
): ItemPage<Item> | null {
	const ordered = order === "asc" ? items : items.toReversed();
	const before = after === undefined ? -1 : ordered.findIndex(({ id }) => id === after);
	if (after !== undefined && before < 0) return null;
	const rest = ordered.slice(before + 1);
	return { items: rest.slice(0, limit), hasMore: rest.length > limit };
}
