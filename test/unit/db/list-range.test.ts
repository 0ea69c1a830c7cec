import { SQLiteSyncDialect } from "drizzle-orm/sqlite-core";
import { describe, expect, it } from "vitest";
import { isInListRange } from "../../../src/db/list-range.ts";
import { agentRuns } from "../../../src/db/schema.ts";

const after = { created_at: "2026-01-05T00:00:00.000Z", id: "agt_5" };

function rendered(range: Parameters<typeof isInListRange>[1]): unknown {
	const condition = isInListRange(agentRuns, range);
	if (!condition) return null;
	const { sql, params } = new SQLiteSyncDialect().sqlToQuery(condition);
	return [sql.replaceAll('"agent_runs".', "").replaceAll('"', ""), ...params];
}

describe("the range of a page", () => {
	it("is the whole list on the first page without bounds", () => {
		expect(rendered({ after: null })).toBeNull();
	});

	it("ends at the earlier of cursor and bound, so that SQLite has no choice between them", () => {
		const [earlier, later] = ["2026-01-04T00:00:00.000Z", "2026-01-06T00:00:00.000Z"];
		const behindCursor = ["(created_at, id) < (?, ?)", after.created_at, after.id];
		expect(rendered({ after })).toEqual(behindCursor);
		expect(rendered({ after, until: later })).toEqual(behindCursor);
		expect(rendered({ after, until: earlier })).toEqual(["created_at < ?", earlier]);
		expect(rendered({ after, until: after.created_at })).toEqual(["created_at < ?", after.created_at]);
		expect(rendered({ after: null, until: later })).toEqual(["created_at < ?", later]);
	});

	it("begins with its first moment", () => {
		const since = "2026-01-01T00:00:00.000Z";
		expect(rendered({ after: null, since })).toEqual(["created_at >= ?", since]);
		expect(rendered({ after, since })).toEqual([
			"(created_at >= ? and (created_at, id) < (?, ?))",
			since,
			after.created_at,
			after.id,
		]);
	});
});
