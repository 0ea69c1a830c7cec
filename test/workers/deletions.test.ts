// Deleting manifests and runs: what is gone, what stays, what it frees of the quota, and who may.

import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { RunResponse } from "../../src/agents/response.ts";
import { hasTable } from "../../src/durable/table-rows.edge.ts";
import { ROLLING_DAYS } from "../../src/meter/stored-bytes.ts";
import { postRun, readRun, runAgent } from "../support/agents.ts";
import { useService } from "../support/per-test.ts";
import { call, callWithKey, db, proofOf, withKey } from "../support/service.ts";

const DAY_MS = 86_400_000;
const WORKSPACE = "deletions";
const MANIFEST_PATH = `/v1/workspace/${WORKSPACE}/manifest`;

const { key } = useService("personal");
afterEach(() => {
	vi.useRealTimers();
});

async function json<T = Record<string, unknown>>(answer: Response | Promise<Response>, status = 200): Promise<T> {
	const response = await answer;
	const text = await response.text();
	expect(response.status, text).toBe(status);
	return JSON.parse(text) as T;
}

const stored = async () =>
	(await json<{ storage: { stored_bytes: number } }>(callWithKey(key.key, "/v1/usage"))).storage.stored_bytes;
const put = (manifest: object) => call(MANIFEST_PATH, { ...withKey(key.key, manifest), method: "PUT" });
const remove = (path: string, by = key.key) => call(path, { ...withKey(by), method: "DELETE" });
const inForce = (query = "") =>
	json<{ source: string; version: number | null; digest: string; manifest: Record<string, unknown> }>(
		callWithKey(key.key, `${MANIFEST_PATH}${query}`),
	);
const events = async (type: string) =>
	(
		await json<{ data: { actor: string; workspace_id: string | null; payload: Record<string, unknown> }[] }>(
			callWithKey(key.key, `/v1/audit/events?event_type=${type}`),
		)
	).data;
const text = (letter: string) => ({ protected_paths: ["infra/"], stack: [letter.repeat(500)] });
async function agentKey(ownOnly: boolean): Promise<string> {
	const made = await json<{ key: string }>(callWithKey(key.key, "/v1/keys", { role: "agent", own_only: ownOnly }));
	return made.key;
}

describe("manifests of a workspace", () => {
	it("are deleted with all versions: only the built-in rules apply then, the event says what became weaker, and the bytes are free", async () => {
		for (const letter of ["a", "b"]) await json(put(text(letter)));
		const before = await stored();
		const { digest } = await inForce();
		const deleted = await json<{ freed_bytes: number }>(remove(MANIFEST_PATH));
		expect(deleted).toMatchObject({
			object: "workspace.manifest",
			workspace_id: WORKSPACE,
			deleted: true,
			versions: 2,
		});
		expect(deleted.freed_bytes).toBeGreaterThan(1_500);
		expect(await inForce()).toMatchObject({ source: "default", version: null });
		await json(callWithKey(key.key, `${MANIFEST_PATH}?version=1`), 404);
		const [event] = await events("manifest_deleted");
		expect(event).toMatchObject({ actor: `key:${key.key_id}`, workspace_id: WORKSPACE });
		expect(event?.payload).toMatchObject({
			version: 2,
			older_only: false,
			previous_digest: digest,
			digest: (await inForce()).digest,
			weaker: [{ member: "protected_paths", removed: "infra/" }],
		});
		const ofEvent = JSON.stringify(event?.payload).length + 256;
		expect(await stored()).toBe(before - deleted.freed_bytes + ofEvent);
		await json(remove(MANIFEST_PATH), 404);
		expect(await stored()).toBe(before - deleted.freed_bytes + ofEvent);
		await json(put(text("c")));
		expect(await inForce()).toMatchObject({ source: "stored", version: 1, manifest: text("c") });
	});

	it("before the one in force are deleted alone, and one that shares their text keeps it", async () => {
		for (const letter of ["a", "b", "a"]) await json(put(text(letter)));
		const current = await inForce();
		const before = await stored();
		const deleted = await json<{ freed_bytes: number }>(remove(`${MANIFEST_PATH}?older_only=true`));
		expect(deleted).toMatchObject({ deleted: true, versions: 2 });
		expect(await inForce()).toEqual(current);
		expect(current).toMatchObject({ version: 3, manifest: text("a") });
		await json(callWithKey(key.key, `${MANIFEST_PATH}?version=1`), 404);
		const [event] = await events("manifest_deleted");
		expect(event?.payload).toMatchObject({ version: 3, older_only: true, digest: current.digest, weaker: [] });
		// One of two texts is gone, and two of three rows.
		const row = await db
			.prepare("SELECT octet_length(manifest) + 256 AS bytes FROM workspace_manifests WHERE user_id = ?")
			.bind(key.user_id)
			.all<{ bytes: number }>();
		expect(row.results).toHaveLength(1);
		expect(before - (await stored())).toBe(deleted.freed_bytes - JSON.stringify(event?.payload).length - 256);
		await json(remove(`${MANIFEST_PATH}?older_only=true`), 404);
		await json(put(text("d")));
		expect(await inForce()).toMatchObject({ version: 4, manifest: text("d") });
	});

	it("are all read while others are put and deleted at the same time", async () => {
		for (const letter of ["a", "b", "a"]) await json(put(text(letter)));
		const rounds = Array.from({ length: 12 }, (_, at) => text(String.fromCharCode(97 + (at % 3))));
		const answers = await Promise.all(
			rounds.flatMap((manifest, at) => [put(manifest), remove(`${MANIFEST_PATH}${at % 2 ? "?older_only=true" : ""}`)]),
		);
		expect(answers.map(({ status }) => status).filter((status) => status !== 200 && status !== 404)).toEqual([]);
		expect((await events("manifest_deleted")).length).toBeGreaterThan(0);
		const rows = await db
			.prepare("SELECT version, length(manifest) AS chars, same_as FROM workspace_manifests WHERE user_id = ?")
			.bind(key.user_id)
			.all<{ version: number; chars: number; same_as: number | null }>();
		for (const { version } of rows.results)
			expect((await inForce(`?version=${version}`)).manifest).toMatchObject({ protected_paths: ["infra/"] });
		const texts = rows.results.filter(({ chars }) => chars > 0).map(({ version }) => version);
		expect(rows.results.every(({ same_as }) => same_as === null || texts.includes(same_as))).toBe(true);
	});

	it("are the owner's to delete", async () => {
		await json(put(text("a")));
		await json(remove(MANIFEST_PATH, await agentKey(false)), 403);
		expect(await inForce()).toMatchObject({ source: "stored" });
	});
});

describe("a run that has ended", () => {
	const pathOf = ({ run_id }: Pick<RunResponse, "run_id">) => `/v1/agent/${run_id}`;

	it("is deleted with its texts; its receipt, its usage and its events stay, and the bytes are free", async () => {
		const run = await runAgent(key, { idempotency_key: "once" });
		const before = await stored();
		const deleted = await json<{ freed_bytes: number }>(remove(pathOf(run)));
		expect(deleted).toEqual({
			object: "agent.run",
			run_id: run.run_id,
			deleted: true,
			freed_bytes: deleted.freed_bytes,
		});
		const [event] = await events("agent_run_deleted");
		expect(event).toMatchObject({
			actor: `key:${key.key_id}`,
			payload: { run_id: run.run_id, status: "complete" },
		});
		expect(await stored()).toBe(before - deleted.freed_bytes + JSON.stringify(event?.payload).length + 256);
		for (const path of ["", "/trajectory", "/steps/0", "/events?stream=false"])
			await json(callWithKey(key.key, `${pathOf(run)}${path}`), 404);
		await json(remove(pathOf(run)), 404);
		expect((await json<{ count: number }>(callWithKey(key.key, "/v1/agent/runs"))).count).toBe(0);
		expect((await proofOf(run.run_id)).receipt).toMatchObject({ kind: "agent", request_id: run.run_id });
		expect((await events("agent_record")).map(({ payload }) => payload["run_id"])).toEqual([run.run_id]);
		const left = await runInRun(run);
		expect(left).toEqual(0);
		const again = await json<RunResponse>(postRun(key, { idempotency_key: "once" }), 503).then(() =>
			runAgent(key, { idempotency_key: "once" }),
		);
		expect(again.run_id).not.toBe(run.run_id);
	});

	it("frees the texts of its steps on the day that they count on", async () => {
		vi.useFakeTimers({ now: Date.now(), toFake: ["Date"] });
		const run = await runAgent(key, {});
		const other = await runAgent(key, {});
		vi.setSystemTime(Date.now() + 3 * DAY_MS);
		const before = await stored();
		const { freed_bytes } = await json<{ freed_bytes: number }>(remove(pathOf(run)));
		const [event] = await events("agent_run_deleted");
		const ofEvent = JSON.stringify(event?.payload).length + 256;
		expect(await stored()).toBe(before - freed_bytes + ofEvent);
		vi.setSystemTime(Date.now() + (ROLLING_DAYS + 1) * DAY_MS);
		const row = await db
			.prepare("SELECT stored_bytes FROM agent_runs WHERE id = ?")
			.bind(other.run_id)
			.first<{ stored_bytes: number }>();
		expect(await stored()).toBe(row?.stored_bytes);
	});

	it("is deleted by those who may cancel it; one of others is not there to an agent that reads its own only", async () => {
		const run = await runAgent(key, {});
		const [own, all] = [await agentKey(true), await agentKey(false)];
		await json(remove(pathOf(run), own), 404);
		await json(remove(pathOf(run), all), 403);
		expect((await readRun(key, run.run_id)).run_id).toBe(run.run_id);
		const made = await json<RunResponse>(
			callWithKey(own, "/v1/agent/run", { goal: "Say a", max_steps: 1, max_cost_usd: 0.05 }),
		);
		await json(remove(pathOf(made), own));
		await json(callWithKey(key.key, pathOf(made)), 404);
	});
});

/** How many rows the run's object still has of it. */
async function runInRun({ run_id }: RunResponse): Promise<number> {
	return runInDurableObject(env.AGENT_RUN.getByName(`run:${run_id}`), (_, { storage: { sql } }) =>
		["run", ...(hasTable(sql, "parts") ? ["parts WHERE part >= 0"] : [])]
			.map((table) => sql.exec<{ n: number }>(`SELECT count(*) AS n FROM ${table}`).one().n)
			.reduce((sum, n) => sum + n, 0),
	);
}
