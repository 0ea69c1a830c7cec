// The filters of the list of requests: those of the API's query, with days of the page's time zone and one field for metadata. Pure.
import { fromLocalMs } from "../usage/time-zones.ts";

/** Filters that stand in the address under the names that the API has for them. */
export const SAME_NAMES = [
	"outcome",
	"code",
	"key_id",
	"tag",
	"model",
	"provider",
	"kind",
	"session_id",
	"end_user",
	"q",
] as const;
const DAYS = ["since", "until"] as const;
const METADATA = "metadata";

/** A day as the beginning of it in a zone; any other text as it is, for the API to say what is wrong with it. */
function toTime(text: string, zone: string): string {
	if (!/^\d{4}-\d\d-\d\d$/.test(text) || Number.isNaN(Date.parse(text))) return text;
	return new Date(fromLocalMs(Date.parse(text), zone)).toISOString();
}

/** `team=search` as a member of the API's query. A name without a value is one with an empty value. */
function toMetadataMember(pair: string): readonly [name: string, value: string] {
	const at = pair.indexOf("=");
	const [name, value] = at < 0 ? [pair, ""] : [pair.slice(0, at), pair.slice(at + 1)];
	return [`${METADATA}[${name.trim()}]`, value.trim()];
}

function valueIn(query: URLSearchParams, name: string): string {
	return query.get(name)?.trim() ?? "";
}

/** Whether an address narrows the list. */
export function isNarrowed(query: URLSearchParams): boolean {
	return [...SAME_NAMES, ...DAYS, METADATA].some((name) => valueIn(query, name) !== "");
}

/** Whether it does so by one of the filters that are folded away. */
export function usesMoreFilters(query: URLSearchParams, more: readonly string[]): boolean {
	return more.some((name) => valueIn(query, name) !== "");
}

/** The API's query for a page's address. */
export function toRequestQuery(query: URLSearchParams, zone: string, limit: number): string {
	const members = new URLSearchParams({ limit: String(limit) });
	for (const name of [...SAME_NAMES, "cursor"]) {
		const value = valueIn(query, name);
		if (value !== "") members.set(name, value);
	}
	for (const name of DAYS) {
		const value = valueIn(query, name);
		if (value !== "") members.set(name, toTime(value, zone));
	}
	const pair = valueIn(query, METADATA);
	if (pair !== "") members.set(...toMetadataMember(pair));
	return `/v1/requests?${members}`;
}
