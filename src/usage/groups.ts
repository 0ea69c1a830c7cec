// Usage in groups, by API key, tag, model, provider, day, end user or session: sums in order and in pages. Pure.
import { addCounts, NO_COUNTS } from "../meter/day-sums.ts";
import type { NamedCounts } from "../meter/meter-calls.ts";
import { mergeTimes, type NamedTimes } from "../meter/time-sums.ts";
import type { Totals } from "../meter/usage-totals.ts";

/** What usage can be grouped by. */
export const GROUPINGS = ["key", "tag", "model", "provider", "day", "end_user", "session"] as const;
export type Grouping = (typeof GROUPINGS)[number];

/** An API key as groups show it. A revoked one keeps its name and its tags. */
export interface KeyLabel {
	id: string;
	name: string | null;
	last4: string;
	tags: readonly string[];
	revokedAt: string | null;
}

export interface GroupTotals extends Totals {
	/** Model calls, of which a request may make several. */
	calls: number;
}

/** One group; its name is empty for what has no key, tag, end user or session. */
export interface UsageGroup extends GroupTotals {
	name: string;
}

function sumByName(counts: Iterable<NamedCounts>): NamedCounts[] {
	const sums = new Map<string, NamedCounts>();
	for (const each of counts) {
		const { name } = each;
		sums.set(name, { name, ...addCounts(sums.get(name) ?? NO_COUNTS, each) });
	}
	return [...sums.values()];
}

/** Counts of keys under their tags: the whole of a key under each of its own, and what has none under an empty name. */
export function spreadOverTags(byKey: readonly NamedCounts[], keys: ReadonlyMap<string, KeyLabel>): NamedCounts[] {
	return sumByName(
		byKey.flatMap((counts) => {
			const tags = new Set(keys.get(counts.name)?.tags ?? []);
			return (tags.size === 0 ? [""] : [...tags]).map((name) => ({ ...counts, name }));
		}),
	);
}

/** Counts under other names. */
export function renameCounts(counts: readonly NamedCounts[], toName: (name: string) => string): NamedCounts[] {
	return sumByName(counts.map((each) => ({ ...each, name: toName(each.name) })));
}

/** Times of keys under their tags, as their counts. */
export function spreadTimes(byKey: readonly NamedTimes[], keys: ReadonlyMap<string, KeyLabel>): NamedTimes[] {
	return mergeTimes(
		byKey.flatMap((times) => {
			const tags = new Set(keys.get(times.name)?.tags ?? []);
			return (tags.size === 0 ? [""] : [...tags]).map((name) => ({ ...times, name }));
		}),
	);
}

/** Whether requests that reached no model have a name among the groups. */
function hasNameless(grouping: Grouping): boolean {
	return grouping !== "model" && grouping !== "provider";
}

/** The counts with those names added under which requests only failed: nothing was billed for them. */
export function addFailedOnly(
	counts: readonly NamedCounts[],
	times: readonly NamedTimes[],
	grouping: Grouping,
): NamedCounts[] {
	const names = new Set(counts.map(({ name }) => name));
	const added = times.filter(
		({ name, refused, failed }) => refused + failed > 0 && !names.has(name) && (name !== "" || hasNameless(grouping)),
	);
	return [...counts, ...added.map(({ name }) => ({ name, ...NO_COUNTS }))];
}

function toGroup(
	{ name, requests, model_requests, calls, tokens, input_tokens, cost_nano_usd }: NamedCounts,
	grouping: Grouping,
): UsageGroup {
	const counted = grouping === "model" ? model_requests : requests;
	return { name, requests: counted, calls, tokens, inputTokens: input_tokens, costNanoUsd: cost_nano_usd };
}

/** Groups in their order: days newest first, all others by name. A model that a request chose and did not call is none. */
export function toGroups(counts: readonly NamedCounts[], grouping: Grouping): UsageGroup[] {
	const direction = grouping === "day" ? -1 : 1;
	return counts
		.filter(({ calls, requests }) => grouping !== "model" || calls > 0 || requests === 0)
		.map((each) => toGroup(each, grouping))
		.sort((a, b) => (a.name < b.name ? -direction : direction));
}

/** Everything that was counted: each request once, whatever it is grouped by. */
export function sumCounts(counts: readonly NamedCounts[]): GroupTotals {
	const sum = (amount: (each: NamedCounts) => number) => counts.reduce((total, each) => total + amount(each), 0);
	return {
		requests: sum(({ requests }) => requests),
		calls: sum(({ calls }) => calls),
		tokens: sum(({ tokens }) => tokens),
		inputTokens: sum(({ input_tokens }) => input_tokens),
		costNanoUsd: sum(({ cost_nano_usd }) => cost_nano_usd),
	};
}

/** A cursor behind a group, as base64url. */
export function renderGroupCursor(grouping: Grouping, name: string): string {
	const text = btoa(encodeURIComponent(`${grouping} ${name}`));
	return text.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** The name of the group behind which a page starts; null when renderGroupCursor did not write the cursor for this grouping. */
export function parseGroupCursor(cursor: string, grouping: Grouping): string | null {
	let text: string;
	try {
		text = decodeURIComponent(atob(cursor.replaceAll("-", "+").replaceAll("_", "/")));
	} catch {
		return null;
	}
	const name = text.slice(grouping.length + 1);
	return renderGroupCursor(grouping, name) === cursor ? name : null;
}

/** A page of groups in their order. */
export interface GroupPage {
	groups: UsageGroup[];
	/** The name of the last one, if there are more. */
	lastName: string | null;
}

/** @param after the name behind which the page starts; null for the first page. */
export function pageGroups(
	groups: readonly UsageGroup[],
	grouping: Grouping,
	{ after, limit }: { after: string | null; limit: number },
): GroupPage {
	const isAfter = ({ name }: UsageGroup) => after === null || (grouping === "day" ? name < after : name > after);
	const rest = groups.filter(isAfter);
	const page = rest.slice(0, limit);
	return { groups: page, lastName: rest.length > limit ? (page.at(-1)?.name ?? null) : null };
}
