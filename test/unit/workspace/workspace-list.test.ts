import { describe, expect, it } from "vitest";
import {
	mergeWorkspaces,
	parseWorkspaceCursor,
	renderWorkspaceCursor,
	type StoredWorkspace,
} from "../../../src/workspace/workspace-list.ts";

const stored = (workspace_id: string, more: Partial<StoredWorkspace> = {}): StoredWorkspace => ({
	workspace_id,
	last_event_at: "2026-01-02T00:00:00.000Z",
	handoffs: 2,
	manifest_version: null,
	manifest_updated_at: null,
	...more,
});
const unflushed = (workspace_id: string) => ({ workspace_id, last_event_at: "2026-01-03T00:00:00.000Z", handoffs: 3 });
const namesOf = ({ workspaces }: ReturnType<typeof mergeWorkspaces>) => workspaces.map((each) => each.workspace_id);

describe("a page of workspaces", () => {
	it("has those of D1 and those that it lacks, by name, each once", () => {
		const page = mergeWorkspaces([stored("b"), stored("d")], [unflushed("a"), unflushed("d")], "", 5);
		expect(namesOf(page)).toEqual(["a", "b", "d"]);
		expect(page.nextCursor).toBeNull();
		expect(page.workspaces[2]).toMatchObject({ last_activity_at: "2026-01-03T00:00:00.000Z", handoffs: 3 });
	});

	it("was last active when its latest event or its manifest came", () => {
		const manifest = { manifest_version: 4, manifest_updated_at: "2026-01-09T00:00:00.000Z" };
		const page = mergeWorkspaces([stored("a", { last_event_at: null, ...manifest }), stored("b", manifest)], [], "", 5);
		expect(page.workspaces).toMatchObject([
			{ last_activity_at: "2026-01-09T00:00:00.000Z", manifest_version: 4 },
			{ last_activity_at: "2026-01-09T00:00:00.000Z" },
		]);
	});

	it("begins behind its cursor and names the next", () => {
		const all = ["a", "b", "c", "d"].map((name) => stored(name));
		const first = mergeWorkspaces(all.slice(0, 3), [unflushed("c")], "", 2);
		expect(namesOf(first)).toEqual(["a", "b"]);
		const after = parseWorkspaceCursor(first.nextCursor ?? "") ?? "";
		expect(namesOf(mergeWorkspaces(all.slice(2), [unflushed("a")], after, 2))).toEqual(["c", "d"]);
	});
});

describe("a cursor", () => {
	it.each(["shop", "a/b@c:d", "x".repeat(128)])("leads back to %s", (name) => {
		expect(parseWorkspaceCursor(renderWorkspaceCursor(name))).toBe(name);
	});

	it.each([
		"",
		"a2V5",
		"!",
		renderWorkspaceCursor(".."),
		renderWorkspaceCursor("a b"),
		`${renderWorkspaceCursor("a")}=`,
	])("is nothing else: %s", (text) => {
		expect(parseWorkspaceCursor(text)).toBeNull();
	});
});
