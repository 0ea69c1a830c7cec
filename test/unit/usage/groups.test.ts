import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type RollupPart, toRollupParts } from "../../../src/meter/rollup.ts";
import {
	GROUPINGS,
	type KeyLabel,
	mergeCounts,
	type NamedCounts,
	pageGroups,
	parseGroupCursor,
	renderGroupCursor,
	spreadOverTags,
	sumCounts,
	toGroups,
} from "../../../src/usage/groups.ts";

const RANGE = { since: "2026-02-01", until: "2026-02-28" };

/** The parts of a request that called some models once each, for as many tokens as nano-dollars. */
function requestParts(id: string, day: string, key: string, calls: Record<string, number>): RollupPart[] {
	return toRollupParts({
		request_id: id,
		user_id: "usr_1",
		api_key_id: key,
		created_at: `${day}T12:00:00.000Z`,
		model: Object.keys(calls)[0] ?? "none",
		calls: Object.entries(calls).map(([model, tokens]) => ({
			...{ model, provider: "p", tokens, input_tokens: 1, cost_nano_usd: tokens },
		})),
	});
}

const REQUESTS = [
	...requestParts("1", "2026-02-01", "key_1", { a: 10, b: 20 }),
	...requestParts("2", "2026-02-28", "key_1", { b: 5 }),
	...requestParts("3", "2026-02-28", "key_2", { a: 1, c: 2, b: 3 }),
	...requestParts("4", "2026-02-28", "key_2", {}),
	...requestParts("before", "2026-01-31", "key_1", { a: 100 }),
	...requestParts("after", "2026-03-01", "key_1", { a: 100 }),
];

function keyLabel(id: string, tags: string[]): [string, KeyLabel] {
	return [id, { id, name: null, last4: "abcd", tags, revokedAt: null }];
}

function groupsBy(grouping: (typeof GROUPINGS)[number]) {
	const groups = toGroups(mergeCounts([], REQUESTS, grouping, RANGE), grouping);
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
		const byKey = mergeCounts([], [...REQUESTS, ...requestParts("5", "2026-02-02", "", { a: 7 })], "tag", RANGE);
		const groups = toGroups(spreadOverTags(byKey, keys), "tag");
		expect(groups.map(({ name, requests, tokens }) => [name, requests, tokens])).toEqual([
			["", 1, 7],
			["ci", 4, 41],
			["team:a", 2, 35],
		]);
	});

	it("have one total, by whatever they are grouped", () => {
		for (const grouping of GROUPINGS)
			expect(sumCounts(mergeCounts([], REQUESTS, grouping, RANGE)), grouping).toEqual({
				requests: 4,
				calls: 6,
				tokens: 41,
				inputTokens: 6,
				costNanoUsd: 41,
			});
	});

	it("are the same however much of them D1 has", () => {
		const dayOrKey = fc.constantFrom(...GROUPINGS);
		fc.assert(
			fc.property(dayOrKey, fc.nat(REQUESTS.length), (grouping, flushed) => {
				const stored: NamedCounts[] = mergeCounts([], REQUESTS.slice(0, flushed), grouping, RANGE);
				const merged = mergeCounts(stored, REQUESTS.slice(flushed), grouping, RANGE);
				expect(toGroups(merged, grouping)).toEqual(toGroups(mergeCounts([], REQUESTS, grouping, RANGE), grouping));
			}),
		);
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
