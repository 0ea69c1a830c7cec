import { describe, expect, it } from "vitest";
import { countByDay, countByName, type SummedCheck, subjectOf } from "../../../src/console/policy-summary.ts";

function check(at: string, more: Partial<SummedCheck> = {}): SummedCheck {
	return { workspace_id: "shop", actor: "key:a", payload: {}, created_at: at, ...more };
}

describe("checks by day", () => {
	it("name each day up to today, in UTC, and leave out what is earlier", () => {
		const checks = ["2026-11-25T00:00:01Z", "2026-11-25T23:59:59Z", "2026-11-23T12:00:00Z", "2026-11-01T00:00:00Z"];
		expect(
			countByDay(
				checks.map((at) => check(at)),
				3,
				Date.parse("2026-11-25T23:30:00Z"),
			),
		).toEqual([
			{ day: "2026-11-23", count: 1 },
			{ day: "2026-11-24", count: 0 },
			{ day: "2026-11-25", count: 2 },
		]);
	});
});

describe("checks by name", () => {
	it("are the most frequent, those with as many by their names, and none without one", () => {
		const at = "2026-11-25T00:00:00Z";
		const names = ["b", "c", "a", "b", null, "d", "e", "f"];
		const checks = names.map((workspace_id) => check(at, { workspace_id }));
		expect(countByName(checks, ({ workspace_id }) => workspace_id)).toEqual([
			{ name: "b", count: 2 },
			{ name: "a", count: 1 },
			{ name: "c", count: 1 },
			{ name: "d", count: 1 },
		]);
	});
});

describe("the subject of a check", () => {
	it.each([
		[
			{ commands: ["npm test"], action: "Test" },
			{ text: "npm test", isCode: true, others: 0 },
		],
		[
			{ commands: ["a", "b"], files_affected: ["x.ts"] },
			{ text: "a", isCode: true, others: 2 },
		],
		[
			{ commands: [], files_affected: ["src/x.ts"] },
			{ text: "src/x.ts", isCode: true, others: 0 },
		],
		[{ action: "Tidy up" }, { text: "Tidy up", isCode: false, others: 0 }],
		[
			{ commands: "not a list", files_affected: [1, null] },
			{ text: "", isCode: false, others: 0 },
		],
	])("of %j", (payload, expected) => {
		expect(subjectOf(payload)).toEqual(expected);
	});
});
