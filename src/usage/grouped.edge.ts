// A user's usage in groups, up to the last answered request, as JSON or CSV.
import type { KeyContext } from "../account/context.ts";
import { readableMakers } from "../account/makers.ts";
import { ok } from "../failure.ts";
import { prefersCsv, renderCsv } from "../http/csv.ts";
import type { HandlerResult } from "../http/endpoint.ts";
import { toNextPage } from "../http/list-answer.ts";
import type { SumColumn } from "../meter/fold-table.edge.ts";
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

/** Tags are those of keys. */
const SUM_COLUMNS: Record<Grouping, SumColumn> = { key: "api_key", tag: "api_key", model: "model", day: "day" };

interface CurrentGroups {
	page: GroupPage;
	total: GroupTotals;
	/** The API keys on the page, by id. */
	keys: ReadonlyMap<string, KeyLabel>;
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
	const counts = await meter(userId).sumsBy(SUM_COLUMNS[grouping], { ...range, apiKeyIds: readableMakers(account) });
	const total = sumCounts(counts);
	const findLabels = (names: string[]) => timings.measure("d1", () => findKeyLabels(db, userId, names));
	if (grouping === "tag") {
		const keys = await findLabels(counts.map(({ name }) => name));
		const groups = toGroups(spreadOverTags(counts, keys), grouping);
		return { page: pageGroups(groups, grouping, { after, limit }), total, keys };
	}
	const page = pageGroups(toGroups(counts, grouping), grouping, { after, limit });
	const keys = grouping === "key" ? await findLabels(page.groups.map(({ name }) => name)) : new Map();
	return { page, total, keys };
}

type Amounts = Record<string, number>;

interface GroupList<A extends Amounts> {
	group_by: GroupRequest["grouping"];
	since: string;
	until: string;
	total: A;
	has_more: boolean;
	next_cursor: string | null;
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
	const { page, total, keys } = await readGroups(context, request);
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
		return { ok: true, response: new Response(renderCsv(names, cells), { headers }) };
	}
	const list: GroupList<A> = {
		group_by: grouping,
		...range,
		total: totalAmounts,
		...toNextPage(cursor),
		data: rows.map(({ label, amounts }) => ({ ...label, ...amounts })),
	};
	return { ...ok({ object: kind, ...list }), headers: VARY };
}
