// The list of workspaces: each once, by name, up to the last write, and without reading what is in them.
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { statementsOf } from "../support/d1-statements.ts";
import { type FaultPlan, useFaults, writes } from "../support/faults.ts";
import { handOn, handOnTimes } from "../support/ledger.ts";
import { useService } from "../support/per-test.ts";
import { call, callWithKey, db, newKey, withKey } from "../support/service.ts";

const { key } = useService("corporate");
let faults: { restore(): void } | undefined;
beforeEach(() => {
	faults = undefined;
});
afterEach(() => faults?.restore());

const failWrites: FaultPlan = (operation) => (writes(operation) ? "fail" : "pass");

interface Workspace {
	workspace_id: string;
	last_activity_at: string;
	handoffs: number;
	manifest_version: number | null;
}

interface List {
	has_more: boolean;
	next_cursor: string | null;
	data: Workspace[];
}

async function list(query = "", own = key.key): Promise<List> {
	const response = await callWithKey(own, `/v1/workspaces${query}`);
	expect(response.status, await response.clone().text()).toBe(200);
	return response.json();
}

async function walk(limit: number): Promise<string[]> {
	const names: string[] = [];
	for (let query = `?limit=${limit}`; query !== ""; ) {
		const { data, next_cursor, has_more } = await list(query);
		expect(has_more).toBe(next_cursor !== null);
		names.push(...data.map(({ workspace_id }) => workspace_id));
		query = next_cursor === null ? "" : `?limit=${limit}&cursor=${next_cursor}`;
	}
	return names;
}

async function putManifest(workspace: string, project_name: string): Promise<void> {
	const init = { ...withKey(key.key, { project_name }), method: "PUT" };
	expect((await call(`/v1/workspace/${encodeURIComponent(workspace)}/manifest`, init)).status).toBe(200);
}

async function checkPolicy(workspace_id: string): Promise<void> {
	const response = await callWithKey(key.key, "/v1/policy/check", { workspace_id, action: "Tidy up" });
	expect(response.status).toBe(200);
}

describe("GET /v1/workspaces", () => {
	it("has what a handoff, a policy check, a manifest or a run named, by name, and no other user's", async () => {
		await handOnTimes(key, 3, { workspace_id: "shop" });
		await checkPolicy("a/b@c:d");
		await putManifest("shop", "One");
		await putManifest("shop", "Two");
		await putManifest("Zoo", "Zoo");
		const run = { goal: "Say hello", max_steps: 2, workspace_id: "runs" };
		expect((await callWithKey(key.key, "/v1/agent/run", run)).status).toBe(200);
		const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
		const plain = { object: "workspace", last_activity_at: time, handoffs: 0, manifest_version: null };
		const versioned = (manifest_version: number) => ({ ...plain, manifest_version, manifest_updated_at: time });
		expect((await list()).data).toEqual([
			{ ...versioned(1), workspace_id: "Zoo" },
			{ ...plain, workspace_id: "a/b@c:d", manifest_updated_at: null },
			{ ...plain, workspace_id: "runs", manifest_updated_at: null },
			{ ...versioned(2), workspace_id: "shop", handoffs: 3 },
		]);
		expect((await list("", (await newKey("corporate")).key)).data).toEqual([]);
	});

	it("goes page by page through all of them", async () => {
		const names = ["a", "b", "c/1", "c/2", "d"];
		for (const name of names) await checkPolicy(name);
		for (const limit of [1, 2, 5, 200]) expect(await walk(limit)).toEqual(names);
	});

	it("sees what D1 does not have yet", async () => {
		await handOn(key, { workspace_id: "old" });
		const [before] = (await list()).data;
		faults = useFaults({ DB: failWrites });
		await handOn(key, { workspace_id: "old" });
		await handOn(key, { workspace_id: "new" });
		await checkPolicy("checked");
		const { data } = await list();
		expect(data).toMatchObject([
			{ workspace_id: "checked", handoffs: 0 },
			{ workspace_id: "new", handoffs: 1, manifest_version: null },
			{ workspace_id: "old", handoffs: 2 },
		]);
		expect((data[2]?.last_activity_at ?? "") > (before?.last_activity_at ?? "")).toBe(true);
		for (const limit of [1, 2]) expect(await walk(limit)).toEqual(["checked", "new", "old"]);
	});

	it.each(["limit=0", "limit=201", "cursor=a2V5"])("refuses %s", async (query) => {
		expect((await callWithKey(key.key, `/v1/workspaces?${query}`)).status).toBe(422);
	});

	it("reads a few index entries for each workspace of a page, however many events they have", async () => {
		await db
			.prepare(
				`WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 19999)
				INSERT INTO audit_events (id, user_id, workspace_id, event_type, actor, payload, created_at)
				SELECT 'ae_' || printf('%020d', i) || substr(?1, -6), ?1, 'w' || printf('%03d', i % 100), 'handoff_created', 'key:k', '{}',
					strftime('%Y-%m-%dT%H:%M:%S.000Z', '2026-01-01', i || ' seconds') FROM n`,
			)
			.bind(key.user_id)
			.run();
		await callWithKey(key.key, "/v1/plans");
		const middle = (await list("?limit=45")).next_cursor;
		for (const query of ["?limit=10", `?limit=10&cursor=${middle}`]) {
			const statements = await statementsOf(() => list(query));
			const rowsRead = statements.reduce((sum, statement) => sum + statement.rowsRead, 0);
			expect(rowsRead, JSON.stringify(statements)).toBeLessThanOrEqual(12 * 11);
			for (const { plan } of statements) expect(plan).not.toMatch(/SCAN (?:audit_events|handoffs|workspace_manifests)/);
		}
	});
});
