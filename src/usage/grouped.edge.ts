// A user's usage in groups, up to the last answered request, as JSON or CSV.
import type { KeyContext } from "../account/context.ts";
import { recordKeptBack } from "../account/failed-requests.edge.ts";
import { readableMakers } from "../account/makers.ts";
import { ok } from "../failure.ts";
import { prefersCsv, renderCsv } from "../http/csv.ts";
import type { HandlerResult } from "../http/endpoint.ts";
import { toNextPage } from "../http/list-answer.ts";
import { optionalMember } from "../json.ts";
import type { SumColumn, SumRange } from "../meter/fold-table.edge.ts";
import type { NamedCounts } from "../meter/meter-calls.ts";
import type { MeterClient } from "../meter/meter-client.edge.ts";
import type { NamedColumn } from "../meter/name-sums.edge.ts";
import { addTimes, mergeTimes, type NamedTimes, NO_TIMES, type TimeCounts } from "../meter/time-sums.ts";
import { type GroupLabel, type GroupRequest, LABEL_MEMBERS, toGroupLabel, toLabelCells } from "./group-views.ts";
import { findKeyLabels } from "./groups.store.ts";
import {
	addFailedOnly,
	type Grouping,
	type GroupPage,
	type GroupTotals,
	type KeyLabel,
	pageGroups,
	renameCounts,
	renderGroupCursor,
	spreadOverTags,
	spreadTimes,
	sumCounts,
	toGroups,
} from "./groups.ts";

/** What sums of days know. Tags are those of keys. */
const SUM_COLUMNS: Partial<Record<Grouping, SumColumn>> = {
	key: "api_key",
	tag: "api_key",
	model: "model",
	provider: "model",
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
	/** How long requests took, and how many others failed, by group. */
	times: ReadonlyMap<string, TimeCounts>;
	totalTimes: TimeCounts;
}

/** What a reader of groups needs. */
type GroupContext = Pick<KeyContext, "db" | "meter" | "timings" | "waitUntil"> & {
	account: Pick<KeyContext["account"], "userId" | "key">;
	settings: { catalog: Pick<KeyContext["settings"]["catalog"], "findModel" | "findEncoder"> };
};

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

/** How long requests took, and how many others failed: by the names of sums, and of everything. */
async function readTimes(
	meter: MeterClient,
	grouping: Grouping,
	range: SumRange,
): Promise<{ times: NamedTimes[]; totalTimes: TimeCounts }> {
	const column = NAMED_COLUMNS[grouping] ?? SUM_COLUMNS[grouping] ?? "day";
	const [times, days] = await Promise.all([
		meter.timesBy(column, range),
		column === "day" ? null : meter.timesBy("day", range),
	]);
	return { times, totalTimes: (days ?? times).reduce<TimeCounts>(addTimes, NO_TIMES) };
}

/** A page of groups: sums of the meter's, with the labels of API keys from D1. @param isTimed whether failures and times are read. */
export async function readGroups(
	context: GroupContext,
	{ grouping, range, after, limit, exceptModels }: GroupRequest,
	isTimed: boolean,
): Promise<CurrentGroups> {
	const { account, db, timings, settings } = context;
	const { userId } = account;
	const meter = context.meter(userId);
	const sums = { ...range, apiKeyIds: readableMakers(account), ...optionalMember("exceptModels", exceptModels) };
	if (isTimed) await recordKeptBack(context, userId);
	const [{ counts, total, countedSince }, read] = await Promise.all([
		readCounts(meter, grouping, sums),
		isTimed ? readTimes(meter, grouping, sums) : { times: [], totalTimes: NO_TIMES },
	]);
	const findLabels = (names: string[]) => timings.measure("d1", () => findKeyLabels(db, userId, names));
	const found = { total, countedSince, totalTimes: read.totalTimes };
	const toPage = (named: readonly NamedCounts[], times: readonly NamedTimes[]) => ({
		...found,
		page: pageGroups(toGroups(addFailedOnly(named, times, grouping), grouping), grouping, { after, limit }),
		times: new Map(times.map(({ name, ...each }) => [name, each])),
	});
	if (grouping === "tag") {
		const keys = await findLabels([...counts, ...read.times].map(({ name }) => name));
		return { ...toPage(spreadOverTags(counts, keys), spreadTimes(read.times, keys)), keys };
	}
	if (grouping === "provider") {
		const toProvider = (model: string) =>
			(settings.catalog.findModel(model) ?? settings.catalog.findEncoder(model))?.provider ?? "";
		const reached = read.times.filter(({ name }) => name !== "");
		const times = mergeTimes(reached.map((each) => ({ ...each, name: toProvider(each.name) })));
		return { ...toPage(renameCounts(counts, toProvider), times), keys: new Map() };
	}
	const groups = toPage(counts, read.times);
	const keys = grouping === "key" ? await findLabels(groups.page.groups.map(({ name }) => name)) : new Map();
	return { ...groups, keys };
}

/** Numbers, or some that belong together, each of which has a column of its own in CSV. */
type Amounts = Record<string, number | Readonly<Record<string, number | null>>>;

function toColumns(amounts: Amounts): [string, number | null][] {
	return Object.entries(amounts).flatMap(([name, value]): [string, number | null][] =>
		typeof value === "number"
			? [[name, value]]
			: Object.entries(value).map(([part, each]) => [`${name}_${part}`, each]),
	);
}

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
 * @param amounts of a group, and of all; whether they say how long requests took, and how many others failed.
 */
export async function answerGroups<Kind extends string, A extends Amounts>(
	context: KeyContext,
	request: GroupRequest,
	kind: Kind,
	{ isTimed, toAmounts }: { isTimed: boolean; toAmounts: (totals: GroupTotals, times: TimeCounts) => A },
): Promise<HandlerResult<GroupList<A> & { object: Kind }>> {
	const { grouping, range } = request;
	const { page, total, keys, countedSince, times, totalTimes } = await readGroups(context, request, isTimed);
	const cursor = page.lastName === null ? null : renderGroupCursor(grouping, page.lastName);
	const rows = page.groups.map((group) => ({
		label: toGroupLabel(group.name, grouping, keys),
		amounts: toAmounts(group, times.get(group.name) ?? NO_TIMES),
	}));
	const totalAmounts = toAmounts(total, totalTimes);
	if (prefersCsv(context.headers.get("accept"))) {
		const names = [...LABEL_MEMBERS[grouping], ...toColumns(totalAmounts).map(([name]) => name)];
		const cells = rows.map(({ label, amounts }) => [
			...toLabelCells(label, grouping),
			...toColumns(amounts).map(([, value]) => value),
		]);
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
