// A user's usage in groups, up to the last answered request, as JSON or CSV.
import type { KeyContext } from "../account/context.ts";
import { readableMakers } from "../account/makers.ts";
import { ok } from "../failure.ts";
import { prefersCsv, renderCsv } from "../http/csv.ts";
import type { HandlerResult } from "../http/endpoint.ts";
import { toNextPage } from "../http/list-answer.ts";
import type { SumColumn, SumRange } from "../meter/fold-table.edge.ts";
import type { NamedCounts } from "../meter/meter-calls.ts";
import type { MeterClient } from "../meter/meter-client.edge.ts";
import type { NamedColumn } from "../meter/name-sums.edge.ts";
import { type GroupLabel, type GroupRequest, LABEL_MEMBERS, toGroupLabel, toLabelCells } from "./group-views.ts";
import { findKeyLabels } from "./groups.store.ts";
import {
	type Grouping,
	type GroupPage,
	type GroupTotals,
	type KeyLabel,
	pageGroups,
	renderGroupCursor,
	spreadOverTags,
	sumCounts,
	toGroups,
} from "./groups.ts";

/** What sums of days know. Tags are those of keys. */
const SUM_COLUMNS: Partial<Record<Grouping, SumColumn>> = {
	key: "api_key",
	tag: "api_key",
	model: "model",
	day: "day",
};
/** What only rows know, because clients name it. */
const NAMED_COLUMNS: Partial<Record<Grouping, NamedColumn>> = { end_user: "end_user", session: "session_id" };

interface CurrentGroups {
	page: GroupPage;
	total: GroupTotals;
	/** The API keys on the page, by id. */
	keys: ReadonlyMap<string, KeyLabel>;
	/** Earlier requests are in no group, ISO 8601; null where all are. */
	countedSince: string | null;
}

/** The sums of a grouping, and those of everything. */
async function readCounts(
	meter: MeterClient,
	grouping: Grouping,
	range: SumRange,
): Promise<{ counts: NamedCounts[]; total: GroupTotals; countedSince: string | null }> {
	const named = NAMED_COLUMNS[grouping];
	if (named === undefined) {
		const counts = await meter.sumsBy(SUM_COLUMNS[grouping] ?? "day", range);
		return { counts, total: sumCounts(counts), countedSince: null };
	}
	const [{ sums, countedFromMs }, days] = await Promise.all([meter.nameSums(named, range), meter.sumsBy("day", range)]);
	const countedSince = countedFromMs === null ? null : new Date(countedFromMs).toISOString();
	return { counts: sums, total: sumCounts(days), countedSince };
}

/** A page of groups: sums of the meter's, with the labels of API keys from D1. */
export async function readGroups(
	{
		account,
		db,
		meter,
		timings,
	}: Pick<KeyContext, "db" | "meter" | "timings"> & { account: Pick<KeyContext["account"], "userId" | "key"> },
	{ grouping, range, after, limit }: GroupRequest,
): Promise<CurrentGroups> {
	const { userId } = account;
	const sums = { ...range, apiKeyIds: readableMakers(account) };
	const { counts, total, countedSince } = await readCounts(meter(userId), grouping, sums);
	const findLabels = (names: string[]) => timings.measure("d1", () => findKeyLabels(db, userId, names));
	if (grouping === "tag") {
		const keys = await findLabels(counts.map(({ name }) => name));
		const groups = toGroups(spreadOverTags(counts, keys), grouping);
		return { page: pageGroups(groups, grouping, { after, limit }), total, keys, countedSince };
	}
	const page = pageGroups(toGroups(counts, grouping), grouping, { after, limit });
	const keys = grouping === "key" ? await findLabels(page.groups.map(({ name }) => name)) : new Map();
	return { page, total, keys, countedSince };
}

type Amounts = Record<string, number>;

interface GroupList<A extends Amounts> {
	group_by: GroupRequest["grouping"];
	since: string;
	until: string;
	total: A;
	has_more: boolean;
	next_cursor: string | null;
	counted_since: string | null;
	data: (GroupLabel & A)[];
}

/** The media type depends on the request, which a cache must know. */
const VARY = { vary: "accept" };

/**
 * Answers with a page of groups, as CSV if the caller prefers it.
 * @param toAmounts the amounts of a group, and of all.
 */
export async function answerGroups<Kind extends string, A extends Amounts>(
	context: KeyContext,
	request: GroupRequest,
	kind: Kind,
	toAmounts: (totals: GroupTotals) => A,
): Promise<HandlerResult<GroupList<A> & { object: Kind }>> {
	const { grouping, range } = request;
	const { page, total, keys, countedSince } = await readGroups(context, request);
	const cursor = page.lastName === null ? null : renderGroupCursor(grouping, page.lastName);
	const rows = page.groups.map((group) => ({
		label: toGroupLabel(group.name, grouping, keys),
		amounts: toAmounts(group),
	}));
	const totalAmounts = toAmounts(total);
	if (prefersCsv(context.headers.get("accept"))) {
		const names = [...LABEL_MEMBERS[grouping], ...Object.keys(totalAmounts)];
		const cells = rows.map(({ label, amounts }) => [...toLabelCells(label, grouping), ...Object.values(amounts)]);
		const headers = new Headers({ ...VARY, "content-type": "text/csv; charset=utf-8; header=present" });
		if (cursor !== null) headers.set("x-svc-next-cursor", cursor);
		if (countedSince !== null) headers.set("x-svc-counted-since", countedSince);
		return { ok: true, response: new Response(renderCsv(names, cells), { headers }) };
	}
	const list: GroupList<A> = {
		group_by: grouping,
		...range,
		total: totalAmounts,
		...toNextPage(cursor),
		counted_since: countedSince,
		data: rows.map(({ label, amounts }) => ({ ...label, ...amounts })),
	};
	return { ...ok({ object: kind, ...list }), headers: VARY };
}
