// Grouped usage in requests and answers: query parameters, members of a group, and its cells in CSV. Pure.
import * as z from "zod";
import { fail, ok, type Result } from "../failure.ts";
import type { CsvCell } from "../http/csv.ts";
import { cursorParam, nextPageMembers } from "../http/list-answer.ts";
import { integerParam } from "../http/query.ts";
import { type DayRange, dayParam, toDayRange } from "./day-range.ts";
import { GROUPINGS, type Grouping, type KeyLabel, parseGroupCursor } from "./groups.ts";

const DEFAULT_GROUPS = 100;
const MAX_GROUPS = 1_000;

export const groupQueryMembers = () => ({
	group_by: z.enum(GROUPINGS).optional().describe("Groups by this. The other parameters need it."),
	since: dayParam.optional().describe("First UTC day; by default 30 days up to `until`. At most 366 days."),
	until: dayParam.optional().describe("Last UTC day; by default today."),
	limit: integerParam(1, MAX_GROUPS).optional().describe(`Groups of a page; ${DEFAULT_GROUPS} by default.`),
	cursor: cursorParam(),
});

export interface GroupQuery {
	group_by?: Grouping | undefined;
	since?: string | undefined;
	until?: string | undefined;
	limit?: number | undefined;
	cursor?: string | undefined;
}

/** A page of groups that was asked for. */
export interface GroupRequest {
	grouping: Grouping;
	range: DayRange;
	/** The name behind which the page starts; null for the first page. */
	after: string | null;
	limit: number;
	/** Models whose calls are left out. */
	exceptModels?: readonly string[];
}

function invalid(path: string, message: string): Result<never> {
	return fail({ reason: "invalid_request", issues: [{ path, message }] });
}

/** Reads the parameters; null without `group_by`, which the others need. */
export function parseGroupRequest(
	{ group_by: grouping, limit, cursor, ...days }: GroupQuery,
	nowMs: number,
): Result<GroupRequest | null> {
	if (grouping === undefined) {
		const others = Object.entries({ ...days, limit, cursor });
		const alone = others.find(([, value]) => value !== undefined);
		return alone ? invalid(alone[0], "needs group_by") : ok(null);
	}
	const range = toDayRange(days, nowMs);
	if (typeof range === "string") return invalid("since", range);
	const after = cursor === undefined ? null : parseGroupCursor(cursor, grouping);
	if (cursor !== undefined && after === null) return invalid("cursor", "is not a next_cursor of these groups");
	return ok({ grouping, range, after, limit: limit ?? DEFAULT_GROUPS });
}

/** What a group is of. */
const labelSchema = z.lazy(() =>
	z.object({
		key_id: z.string().nullable().optional().describe("By key, as the four below; null where it was not recorded."),
		name: z.string().nullable().optional(),
		last4: z.string().nullable().optional(),
		tags: z.array(z.string()).optional(),
		revoked_at: z.string().nullable().optional(),
		tag: z.string().nullable().optional().describe("By tag; null for keys without one."),
		model: z.string().optional(),
		provider: z
			.string()
			.nullable()
			.optional()
			.describe("By provider; null for models that are no longer in the catalog."),
		day: z.string().optional(),
		end_user: z.string().nullable().optional().describe("By end user; null for requests without one."),
		session_id: z.string().nullable().optional().describe("By session; null for requests without one."),
	}),
);
export type GroupLabel = z.output<typeof labelSchema>;

/** The members of a label, in the order of CSV's columns. */
export const LABEL_MEMBERS: Readonly<Record<Grouping, readonly (keyof GroupLabel)[]>> = {
	key: ["key_id", "name", "last4", "tags", "revoked_at"],
	tag: ["tag"],
	model: ["model"],
	provider: ["provider"],
	day: ["day"],
	end_user: ["end_user"],
	session: ["session_id"],
};

/** @param name of a group; empty for what has no key, tag, end user or session. */
export function toGroupLabel(name: string, grouping: Grouping, keys: ReadonlyMap<string, KeyLabel>): GroupLabel {
	if (grouping === "model") return { model: name };
	if (grouping === "day") return { day: name };
	if (grouping === "provider") return { provider: name || null };
	if (grouping === "tag") return { tag: name || null };
	if (grouping === "end_user") return { end_user: name || null };
	if (grouping === "session") return { session_id: name || null };
	const key = keys.get(name);
	return {
		key_id: name || null,
		name: key?.name ?? null,
		last4: key?.last4 ?? null,
		tags: [...(key?.tags ?? [])],
		revoked_at: key?.revokedAt ?? null,
	};
}

/** A label's cells; the tags of a key in one, with spaces between them. */
export function toLabelCells(label: GroupLabel, grouping: Grouping): CsvCell[] {
	return LABEL_MEMBERS[grouping].map((member) => {
		const value = label[member] ?? null;
		return Array.isArray(value) ? value.join(" ") : value;
	});
}

/** A list of groups: what each is of, with amounts. */
export function groupListSchema<Kind extends string, Amounts extends z.ZodRawShape>(kind: Kind, amounts: Amounts) {
	return z.object({
		object: z.literal(kind),
		group_by: z.enum(GROUPINGS),
		since: z.string(),
		until: z.string(),
		total: z.object(amounts).describe("Of all pages: every request once, though it may be in several groups."),
		...nextPageMembers(),
		counted_since: z
			.string()
			.nullable()
			.describe(
				"By end user or session: requests that arrived before are in `total` alone, because a meter reads so many of the latest. Null where all are in groups.",
			),
		data: z.array(z.object({ ...labelSchema.unwrap().shape, ...amounts })),
	});
}

/** How endpoints of groups describe their CSV. */
export const GROUPS_AS_CSV =
	"With group_by: the page's groups, a line each under a line of names. x-svc-next-cursor is `next_cursor`, x-svc-counted-since `counted_since`, if there is one.";
