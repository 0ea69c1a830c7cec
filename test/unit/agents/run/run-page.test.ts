import { describe, expect, it } from "vitest";
import { type ListedRunRow, mergeRunPage, type RunPageQuery } from "../../../../src/agents/run/run-page.ts";
import { parseListCursor } from "../../../../src/http/list-position.ts";

const row = (second: number, status = "complete", revision = 1): ListedRunRow => ({
	id: `agt_${second}`,
	created_at: `2026-01-01T00:00:0${second}.000Z`,
	revision,
	status,
	summary: "{}",
	api_key_id: "key_1",
});
const page = (limit: number, filter: RunPageQuery["filter"] = {}, after: RunPageQuery["after"] = null) => ({
	filter,
	after,
	limit,
});
const secondsOf = ({ entries }: ReturnType<typeof mergeRunPage>) => entries.map(({ id }) => Number(id.slice(4)));

describe("a page of runs", () => {
	it("has what D1 has and what it lacks, newest first, each run as its later row has it", () => {
		const merged = mergeRunPage(
			[row(5, "running", 2), row(3)],
			[row(4, "running"), row(5, "complete", 3), row(3, "running", 0)],
			page(9),
		);
		expect(merged.entries).toEqual([row(5, "complete", 3), row(4, "running"), row(3)]);
		expect(merged.nextCursor).toBeNull();
	});

	it("leaves out a run whose later row does not match, and takes one in that does", () => {
		const merged = mergeRunPage(
			[row(5, "running")],
			[row(5, "complete", 2), row(2, "running")],
			page(9, { status: "running" }),
		);
		expect(secondsOf(merged)).toEqual([2]);
		const range = { since: row(2).created_at, until: row(4).created_at };
		expect(secondsOf(mergeRunPage([], [row(1), row(2), row(3), row(4)], page(9, range)))).toEqual([3, 2]);
		expect(secondsOf(mergeRunPage([], [row(1), row(2), row(3)], page(9, {}, row(3))))).toEqual([2, 1]);
	});

	it("that lost a run goes on behind the last one that D1 has looked at", () => {
		const merged = mergeRunPage(
			[row(5, "running"), row(4, "running"), row(3, "running")],
			[row(5, "complete", 2)],
			page(2),
		);
		expect(secondsOf(merged)).toEqual([5, 4]);
		const filtered = mergeRunPage(
			[row(5, "running"), row(4, "running"), row(3, "running")],
			[row(5, "complete", 2)],
			page(2, { status: "running" }),
		);
		expect(secondsOf(filtered)).toEqual([4, 3]);
		expect(parseListCursor(filtered.nextCursor ?? "", () => true)).toEqual({
			created_at: row(3).created_at,
			id: "agt_3",
		});
	});
});
