// Usage in groups, by API key, tag, model or day: rollup rows with what D1 lacks, merged, ordered and paged. Pure.
import type { RollupCounts, RollupPart } from "../meter/rollup.ts";
import type { Totals } from "../meter/usage-totals.ts";
import type { DayRange } from "./day-range.ts";

/** What usage can be grouped by. */
export const GROUPINGS = ["key", "tag", "model", "day"] as const;
export type Grouping = (typeof GROUPINGS)[number];

/** Rollup rows that were summed up under one name: an API key's id, a model's, or a day. */
export interface NamedCounts extends RollupCounts {
	name: string;
}

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

/** One group; its name is empty for what has no key or no tag. */
export interface UsageGroup extends GroupTotals {
	name: string;
}

/** The name under which a rollup row counts, before keys become tags. */
function countedName({ api_key_id, model, day }: RollupPart, grouping: Grouping): string {
	return { key: api_key_id, tag: api_key_id, model, day }[grouping];
}

function addCounts(sums: Map<string, RollupCounts>, name: string, added: RollupCounts): void {
	const sum = sums.get(name);
	sums.set(name, {
		requests: (sum?.requests ?? 0) + added.requests,
		model_requests: (sum?.model_requests ?? 0) + added.model_requests,
		calls: (sum?.calls ?? 0) + added.calls,
		tokens: (sum?.tokens ?? 0) + added.tokens,
		input_tokens: (sum?.input_tokens ?? 0) + added.input_tokens,
		cost_nano_usd: (sum?.cost_nano_usd ?? 0) + added.cost_nano_usd,
	});
}

function sumByName(counts: Iterable<NamedCounts>): NamedCounts[] {
	const sums = new Map<string, RollupCounts>();
	for (const { name, ...added } of counts) addCounts(sums, name, added);
	return [...sums].map(([name, sum]) => ({ name, ...sum }));
}

/**
 * Adds what D1 lacks to what it has.
 * @param stored by the names of `countedName`.
 */
export function mergeCounts(
	stored: readonly NamedCounts[],
	parts: readonly RollupPart[],
	grouping: Grouping,
	{ since, until }: DayRange,
): NamedCounts[] {
	const inRange = parts.filter(({ day }) => day >= since && day <= until);
	return sumByName([...stored, ...inRange.map((part) => ({ ...part, name: countedName(part, grouping) }))]);
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
		.filter(({ calls }) => grouping !== "model" || calls > 0)
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
