import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { addCounts, type DayCounts, type DaySum, DaySums, NO_COUNTS } from "../../../src/meter/day-sums.ts";
import type { NamedCounts } from "../../../src/meter/meter-calls.ts";
import {
	GROUPINGS,
	type Grouping,
	type KeyLabel,
	pageGroups,
	parseGroupCursor,
	renderGroupCursor,
	spreadOverTags,
	sumCounts,
	toGroups,
} from "../../../src/usage/groups.ts";

/** The sums of a request that called some models once each, for as many tokens as nano-dollars. */
function requestSums(day: string, key: string, calls: Record<string, number>): DaySum[] {
	const sums = new DaySums();
	sums.addRow({
		api_key_id: key,
		created_at: `${day}T12:00:00.000Z`,
		model: Object.keys(calls)[0] ?? "none",
		calls: Object.entries(calls).map(([model, tokens]) => ({
			...{ model, provider: "p", tokens, input_tokens: 1, cost_nano_usd: tokens },
		})),
	});
	return sums.all();
}

/** Sums under the names that they are grouped by, as the meter answers with them. */
function namedCounts(sums: readonly DaySum[], grouping: Grouping): NamedCounts[] {
	const nameOf = ({ day, api_key_id: key, model }: DaySum) =>
		// As clients name sessions and users, keys stand for them here.
		({ key, tag: key, model, provider: model, day, end_user: key, session: key })[grouping];
	const byName = Map.groupBy(sums, nameOf);
	return [...byName].map(([name, same]) => ({ name, ...same.reduce<DayCounts>(addCounts, NO_COUNTS) }));
}

const REQUESTS = [
	...requestSums("2026-02-01", "key_1", { a: 10, b: 20 }),
	...requestSums("2026-02-28", "key_1", { b: 5 }),
	...requestSums("2026-02-28", "key_2", { a: 1, c: 2, b: 3 }),
	...requestSums("2026-02-28", "key_2", {}),
];

function keyLabel(id: string, tags: string[]): [string, KeyLabel] {
	return [id, { id, name: null, last4: "abcd", tags, revokedAt: null }];
}

function groupsBy(grouping: Grouping) {
	const groups = toGroups(namedCounts(REQUESTS, grouping), grouping);
	return groups.map(({ name, requests, calls, tokens, costNanoUsd }) => [name, requests, calls, tokens, costNanoUsd]);
}

describe("groups", () => {
	it("count a request once by key and by day, newest day first, whatever it called", () => {
		expect(groupsBy("key")).toEqual([
			["key_1", 2, 3, 35, 35],
			["key_2", 2, 3, 6, 6],
		]);
		expect(groupsBy("day")).toEqual([
			["2026-02-28", 3, 4, 11, 11],
			["2026-02-01", 1, 2, 30, 30],
		]);
	});

	it("count a request in each model that it called, with that model's share", () => {
		expect(groupsBy("model")).toEqual([
			["a", 2, 2, 11, 11],
			["b", 3, 3, 28, 28],
			["c", 1, 1, 2, 2],
		]);
	});

	it("count a key once under each of its tags, and what has none under no tag", () => {
		const keys = new Map([keyLabel("key_1", ["ci", "team:a", "ci"]), keyLabel("key_2", ["ci"])]);
		const byKey = namedCounts([...REQUESTS, ...requestSums("2026-02-02", "", { a: 7 })], "tag");
		const groups = toGroups(spreadOverTags(byKey, keys), "tag");
		expect(groups.map(({ name, requests, tokens }) => [name, requests, tokens])).toEqual([
			["", 1, 7],
			["ci", 4, 41],
			["team:a", 2, 35],
		]);
	});

	it("have one total, by whatever they are grouped", () => {
		for (const grouping of GROUPINGS)
			expect(sumCounts(namedCounts(REQUESTS, grouping)), grouping).toEqual({
				requests: 4,
				calls: 6,
				tokens: 41,
				inputTokens: 6,
				costNanoUsd: 41,
			});
	});
});

describe("pages", () => {
	const names = fc.uniqueArray(fc.oneof(fc.constant(""), fc.stringMatching(/^[a-z0-9:._-]{1,5}$/)), { maxLength: 12 });

	it("have every group once, in order", () => {
		fc.assert(
			fc.property(fc.constantFrom(...GROUPINGS), names, fc.integer({ min: 1, max: 5 }), (grouping, all, limit) => {
				const counts = all.map((name) => ({
					...{ name, requests: 1, model_requests: 1, calls: 1, tokens: 1, input_tokens: 1, cost_nano_usd: 1 },
				}));
				const groups = toGroups(counts, grouping);
				const found: string[] = [];
				for (let after: string | null = null, isLast = false; !isLast; ) {
					const page = pageGroups(groups, grouping, { after, limit });
					found.push(...page.groups.map(({ name }) => name));
					expect(page.groups.length).toBeLessThanOrEqual(limit);
					isLast = page.lastName === null;
					if (page.lastName !== null) after = parseGroupCursor(renderGroupCursor(grouping, page.lastName), grouping);
				}
				expect(found).toEqual(groups.map(({ name }) => name));
			}),
		);
	});

	it("follow only cursors of their own", () => {
		const cursor = renderGroupCursor("key", "key_1");
		expect(parseGroupCursor(cursor, "key")).toBe("key_1");
		expect(parseGroupCursor(renderGroupCursor("tag", ""), "tag")).toBe("");
		expect(parseGroupCursor(renderGroupCursor("model", "ein-größeres"), "model")).toBe("ein-größeres");
		for (const other of [`${cursor}=`, `${cursor}A`, "", "key_1", "%", "a b"])
			expect(parseGroupCursor(other, "key"), other).toBeNull();
		expect(parseGroupCursor(cursor, "tag")).toBeNull();
		expect(parseGroupCursor(cursor, "day")).toBeNull();
	});
});
