// The conditions of a list of requests in SQL. The tables of settled and of failed requests name their columns alike. Pure.
import { MOST_COLLISIONS, type NumberRange, requestNumber } from "./request-number.ts";
import type { RequestFilter } from "./request-page.ts";

/** A condition, and the values of its places. */
interface Condition {
	text: string;
	values: SqlStorageValue[];
}

/** Columns with the members of a filter that they must equal. */
const EQUAL_COLUMNS = [
	["kind", "kind"],
	["model", "model"],
	["provider", "provider"],
	["outcome", "outcome"],
	["error_code", "code"],
	["session_id", "sessionId"],
	["end_user", "endUser"],
] as const;

/** All columns that conditions read. */
export const CONDITION_COLUMNS =
	"id, kind, model, provider, outcome, error_code, session_id, end_user, api_key, metadata";

/** What a row must have; null where every row matches. Times are conditions of row numbers, and not among these. */
export function toCondition(filter: RequestFilter): Condition | null {
	const conditions: Condition[] = [];
	for (const [column, member] of EQUAL_COLUMNS) {
		const value = filter[member];
		if (value !== undefined) conditions.push({ text: `${column} = ?`, values: [value] });
	}
	if (filter.apiKeyIds)
		conditions.push({
			text: "api_key IN (SELECT value FROM json_each(?))",
			values: [JSON.stringify(filter.apiKeyIds)],
		});
	for (const [name, value] of Object.entries(filter.metadata ?? {}))
		conditions.push({
			text: "EXISTS (SELECT 1 FROM json_each(metadata) WHERE key = ? AND value = ?)",
			values: [name, value],
		});
	const start = filter.idStart === undefined ? null : toIdStart(filter.idStart);
	if (start) conditions.push({ text: "substr(id, ?, ?) = ?", values: [start.from, start.text.length, start.text] });
	if (conditions.length === 0) return null;
	return {
		text: conditions.map(({ text }) => text).join(" AND "),
		values: conditions.flatMap(({ values }) => values),
	};
}

/** The beginning of an id: with its prefix, or without. */
export const ID_START = /^(svc-|agt_)?([0-9A-HJKMNP-TV-Z]*)$/;
/** Digits of an id's time, and of the random part that its number has. */
const NUMBER_DIGITS = 13;

/** The beginning of an id with the place where it stands, counted from 1. */
function toIdStart(text: string): { from: number; text: string; digits: string } {
	const [, prefix = "", digits = ""] = ID_START.exec(text) ?? [];
	return { from: prefix === "" ? 5 : 1, text, digits };
}

/** The numbers of rows whose ids begin so. An id's time stands at its beginning. */
export function numbersOfStart(idStart: string): NumberRange {
	const { digits } = toIdStart(idStart);
	const first = digits.slice(0, NUMBER_DIGITS);
	const numberWith = (filler: string) => requestNumber(`svc-${first.padEnd(NUMBER_DIGITS, filler)}`);
	return { from: numberWith("0"), before: Math.min(Number.MAX_SAFE_INTEGER, numberWith("Z") + MOST_COLLISIONS) };
}
