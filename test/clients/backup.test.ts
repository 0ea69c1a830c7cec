// A running service is backed up and restored into an empty one: what was there is there again, and nothing is signed that must not be.
import { randomBytes } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { restoreBackup } from "../../src/cli/backup/put-back.ts";
import { writeBackup } from "../../src/cli/backup/write.ts";
import { type CreatedKey, callOperator } from "../../src/cli/operator.ts";
import { chat, fetchPems, fetchProof, isSound, startTestService, type TestService } from "./support.ts";

const folder = mkdtempSync(join(tmpdir(), "svc-backup-"));
const SECRETS = { SIGNING_KEY: randomBytes(32).toString("hex"), KEY_PEPPER: randomBytes(16).toString("hex") };
const services: TestService[] = [];

async function start(variables: Record<string, string> = {}): Promise<TestService> {
	const service = await startTestService({ ...SECRETS, ...variables });
	services.push(service);
	return service;
}

afterAll(async () => {
	await Promise.all(services.map((service) => service.stop()));
	rmSync(folder, { recursive: true, force: true });
});

// biome-ignore lint/suspicious/noExplicitAny: answers of many endpoints, whose members the tests name.
type Answer = any;

async function call(service: TestService, key: string, method: string, path: string, body?: unknown): Promise<Answer> {
	const response = await fetch(`${service.url}${path}`, {
		method,
		headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
		...(body === undefined ? {} : { body: JSON.stringify(body) }),
	});
	const text = await response.text();
	const value: unknown = text.startsWith("{") ? JSON.parse(text) : text;
	return { status: response.status, body: value };
}

async function ok(service: TestService, key: string, method: string, path: string, body?: unknown): Promise<Answer> {
	const answer = await call(service, key, method, path, body);
	if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
	return answer.body;
}

const handOn = (service: TestService, key: string, objective: string, workspace = "shop") =>
	ok(service, key, "POST", "/v1/handoff", { workspace_id: workspace, objective, from_tool: "a", to_tool: "b" });

/** What a user sees of the service, without what depends on the moment of asking. */
async function viewOf(service: TestService, { key }: CreatedKey): Promise<Answer> {
	const get = (path: string) => ok(service, key, "GET", path);
	const usage = await get("/v1/usage?group_by=model");
	const { data: runs } = await get("/v1/agent/runs");
	const view = {
		usage: { ...usage, limits: null },
		spent: (await get("/v1/usage")).total_cost_usd,
		requests: await get("/v1/requests"),
		keys: await get("/v1/keys"),
		runs,
		run: await get(`/v1/agent/${runs[0].run_id}`),
		trajectory: await get(`/v1/agent/${runs[0].run_id}/trajectory?full=true`),
		chain: await get("/v1/handoff/chain/shop"),
		manifest: await get("/v1/workspace/shop/manifest"),
		shares: await get("/v1/brain/shares"),
		events: await get("/v1/audit/events?limit=200"),
		workspaces: await get("/v1/workspaces"),
	};
	return JSON.parse(JSON.stringify(view).replaceAll(service.url, "https://svc"));
}

async function usageAgrees({ url, adminToken }: TestService): Promise<void> {
	const { data } = (await callOperator(url, adminToken, "GET", "/internal/accounts/check")) as Answer;
	for (const user of data) expect(user).toMatchObject({ agrees: true, disagreements: [] });
}

describe("a backup of a service at rest", () => {
	const file = join(folder, "rest.jsonl.gz");
	let before: TestService;
	let after: TestService;
	let owner: CreatedKey;
	let limited: Answer;
	let revoked: CreatedKey;
	let seen: Answer;
	let response: Answer;
	let requestId = "";
	let checkpoint = "";

	beforeAll(async () => {
		before = await start();
		owner = await before.newKey("corporate", "ada");
		revoked = await before.newKey("corporate", "ada");
		await before.revokeKey(revoked.key_id);
		limited = await ok(before, owner.key, "POST", "/v1/keys", {
			name: "capped",
			budget_usd: 1,
			budget_period: "total",
		});
		await chat(before.url, limited.key, "Say hello");
		const answer = await chat(before.url, owner.key, "Say hello");
		requestId = ((await answer.json()) as Answer).id;
		response = await ok(before, owner.key, "POST", "/v1/responses", {
			model: "auto",
			input: "My name is Ada \u2028 👩‍💻",
		});
		await ok(before, owner.key, "POST", "/v1/agent/run", {
			goal: "1. Name a river\n2. Name a city",
			max_cost_usd: 0.05,
			idempotency_key: "once",
		});
		await ok(before, owner.key, "PUT", "/v1/workspace/shop/manifest", { protected_paths: ["infra/"] });
		for (const n of [1, 2, 3]) await handOn(before, owner.key, `step ${n} \u2028`);
		await ok(before, owner.key, "POST", "/v1/brain/share", { brain_md: "model: auto", title: "ours" });
		await ok(before, owner.key, "POST", "/v1/feedback", { request_id: requestId, score: 1 });
		await usageAgrees(before);
		seen = await viewOf(before, owner);
		await writeBackup(file, before.url, before.adminToken);
		// What comes later is in no backup.
		for (const n of [4, 5]) await handOn(before, owner.key, `step ${n}`);
		checkpoint = await ok(before, owner.key, "GET", "/v1/handoff/chain/shop/checkpoint");
		await ok(before, owner.key, "GET", "/v1/handoff/chain/empty/checkpoint");
		after = await start();
		await after.newKey("corporate", "first");
		await restoreBackup(file, after.url, after.adminToken);
	});

	it("is a file that only its owner reads, and that holds no secret", () => {
		expect(statSync(file).mode & 0o777).toBe(0o600);
		const text = gunzipSync(readFileSync(file)).toString();
		for (const secret of [SECRETS.SIGNING_KEY, SECRETS.KEY_PEPPER, owner.key, limited.key])
			expect(text).not.toContain(secret);
		expect(text).not.toContain("My name is Ada");
	});

	it("brings everything back as its user sees it", async () => {
		expect(await viewOf(after, owner)).toEqual(seen);
		await usageAgrees(after);
	});

	it("brings receipts back that verify", async () => {
		const proof = await fetchProof(after.url, requestId);
		expect(proof.valid).toBe(true);
		expect(isSound(proof, await fetchPems(after.url))).toBe(true);
		const { salt } = await ok(before, owner.key, "GET", `/v1/requests/${requestId}`);
		expect(salt).toMatch(/^[0-9a-f]{32}$/);
		expect(await ok(after, owner.key, "GET", `/v1/requests/${requestId}`)).toMatchObject({ salt });
	});

	it("brings keys back with what they may do and what they spent", async () => {
		expect((await call(after, revoked.key, "GET", "/v1/usage")).status).toBe(401);
		const keys = await ok(after, owner.key, "GET", "/v1/keys");
		const capped = keys.data.find(({ name }: Answer) => name === "capped");
		expect(capped.spent_usd).toBeGreaterThan(0);
		expect((await chat(after.url, limited.key, "Say hello again")).status).toBe(200);
	});

	it("ends the key that the new deployment had", async () => {
		const users = (await callOperator(after.url, after.adminToken, "GET", "/internal/keys")) as Answer;
		expect(new Set(users.data.map(({ user }: Answer) => user))).toEqual(new Set(["ada"]));
	});

	it("opens sealed texts again", async () => {
		const next = await ok(after, owner.key, "POST", "/v1/responses", {
			model: "auto",
			input: "Say hello",
			previous_response_id: response.id,
		});
		expect(next.status).toBe("completed");
		const { data } = await ok(after, owner.key, "GET", `/v1/responses/${response.id}/input_items`);
		expect(JSON.stringify(data)).toContain("👩‍💻");
		const { run_id: id } = seen.run;
		expect(await ok(after, owner.key, "GET", `/v1/agent/${id}/steps/0`)).toEqual(
			await ok(before, owner.key, "GET", `/v1/agent/${id}/steps/0`),
		);
	});

	it("keeps what idempotency keys stand for", async () => {
		const request = { goal: "1. Name a river\n2. Name a city", max_cost_usd: 0.05, idempotency_key: "once" };
		expect((await ok(after, owner.key, "POST", "/v1/agent/run", request)).run_id).toBe(seen.run.run_id);
		const other = await call(after, owner.key, "POST", "/v1/agent/run", { ...request, goal: "Another" });
		expect(other).toMatchObject({ status: 409, body: { error: "idempotency_conflict" } });
	});

	it("shows that a chain lacks what was signed after the backup, and signs no checkpoint under that name again", async () => {
		const size = Number(checkpoint.split("\n")[1]);
		expect(size).toBe(5);
		const { verification } = await ok(after, owner.key, "GET", `/v1/handoff/chain/shop?expected_size=${size}`);
		expect(verification).toMatchObject({ ok: true, n: 3, complete: false });
		const refused = { status: 409, body: { error: "chain_restored" } };
		for (const workspace of ["shop", "empty", "new"]) {
			expect(await call(after, owner.key, "GET", `/v1/handoff/chain/${workspace}/checkpoint`)).toMatchObject(refused);
		}
		for (const n of [4, 5, 6]) await handOn(after, owner.key, `another step ${n}`);
		expect(await call(after, owner.key, "GET", "/v1/handoff/chain/shop/checkpoint")).toMatchObject(refused);
		expect((await ok(after, owner.key, "GET", "/v1/handoff/chain/shop")).verification).toMatchObject({
			ok: true,
			n: 6,
		});
	});

	it("is restored once: a second time changes nothing, and another backup is refused", async () => {
		const events = await ok(after, owner.key, "GET", "/v1/audit/events?limit=200");
		await restoreBackup(file, after.url, after.adminToken);
		expect(await ok(after, owner.key, "GET", "/v1/audit/events?limit=200")).toEqual(events);
		const second = join(folder, "second.jsonl.gz");
		await writeBackup(second, after.url, after.adminToken);
		await expect(restoreBackup(second, after.url, after.adminToken)).rejects.toThrow(/was restored from bak_/);
	});

	it("is signed for under another name", async () => {
		const renamed = await start({ LOG_ORIGIN: "second.example" });
		await restoreBackup(file, renamed.url, renamed.adminToken);
		const note = await ok(renamed, owner.key, "GET", "/v1/handoff/chain/shop/checkpoint");
		expect(note).toMatch(/^second\.example\/[0-9a-f]{16}\/shop\n3\n/);
	});

	it("is refused by a service with other secrets, and by one that is not empty", async () => {
		const stranger = await start({
			KEY_PEPPER: randomBytes(16).toString("hex"),
			SIGNING_KEY: randomBytes(32).toString("hex"),
		});
		await expect(restoreBackup(file, stranger.url, stranger.adminToken)).rejects.toThrow(
			/SIGNING_KEY is another.*KEY_PEPPER is another/,
		);
		await expect(restoreBackup(file, before.url, before.adminToken)).rejects.toThrow(
			/not empty: it has requests, handoffs, manifests, shared configs, runs, audit events/,
		);
		expect((await ok(before, owner.key, "GET", "/v1/handoff/chain/shop")).verification).toMatchObject({
			ok: true,
			n: 5,
		});
	});

	it("is refused when its file is cut or changed, before anything is restored", async () => {
		const text = gunzipSync(readFileSync(file)).toString();
		const empty = await start();
		const { key } = await empty.newKey("corporate", "first");
		const damaged: [string, Buffer, RegExp][] = [
			["cut", gzipSync(text.slice(0, text.lastIndexOf("\n", text.length - 2) + 1)), /its last line is missing/],
			["half", readFileSync(file).subarray(0, 2_000), /cannot be read|is no backup|is cut/],
			["changed", gzipSync(text.replace("step 1", "step 9")), /was changed since it was written/],
			[
				"earlier",
				gzipSync(text.replace('"version":2', '"version":1')),
				/made by a version from before 25 November 2026.* version 1 of its format/,
			],
			[
				"of tomorrow",
				gzipSync(text.replace('"version":2', '"version":3')),
				/version 3 of its format.*: update it first/,
			],
			["other", Buffer.from("not a backup"), /cannot be read|is no backup/],
		];
		for (const [name, bytes, message] of damaged) {
			const path = join(folder, `${name}.gz`);
			writeFileSync(path, bytes);
			await expect(restoreBackup(path, empty.url, empty.adminToken), name).rejects.toThrow(message);
		}
		expect((await call(empty, key, "GET", "/v1/usage")).status).toBe(200);
	});

	it("goes on where a restore was interrupted, at whatever step", async () => {
		const target = await start();
		const plain = globalThis.fetch;
		let allowed = 0;
		let tries = 0;
		try {
			for (let isDone = false; !isDone; tries++) {
				allowed = 1 + 2 * tries;
				globalThis.fetch = (...args) => {
					allowed--;
					if (allowed < 0) return Promise.reject(new Error("the connection broke"));
					return plain(...args);
				};
				isDone = await restoreBackup(file, target.url, target.adminToken).then(
					() => true,
					() => false,
				);
			}
		} finally {
			globalThis.fetch = plain;
		}
		expect(tries).toBeGreaterThan(5);
		expect(await viewOf(target, owner)).toEqual(seen);
		await usageAgrees(target);
	});
});

describe("a backup of a service at work", () => {
	it("is of one moment for each account and each chain", async () => {
		const busy = await start();
		const keys = await Promise.all(["ada", "bob", "eve"].map((name) => busy.newKey("corporate", name)));
		let isOver = false;
		let answered = 0;
		const work = keys.flatMap(({ key }) =>
			["a", "b"].map(async (name) => {
				for (let n = 0; !isOver; n++) {
					expect((await chat(busy.url, key, `hello ${n}`)).status).toBe(200);
					await handOn(busy, key, `${name} ${n}`);
					answered++;
				}
			}),
		);
		const file = join(folder, "busy.jsonl.gz");
		while (answered < 20) await new Promise((resolve) => setTimeout(resolve, 20));
		await writeBackup(file, busy.url, busy.adminToken);
		isOver = true;
		await Promise.all(work);
		const restored = await start();
		await restoreBackup(file, restored.url, restored.adminToken);
		await usageAgrees(restored);
		for (const { key } of keys) {
			const { verification } = await ok(restored, key, "GET", "/v1/handoff/chain/shop");
			expect(verification).toMatchObject({ ok: true });
			expect(verification.n).toBeGreaterThan(0);
			expect((await chat(restored.url, key, "hello")).status).toBe(200);
			await handOn(restored, key, "after the restore");
		}
		await usageAgrees(restored);
	});

	it("leaves a run interrupted that was under way, and spends nothing for it until it is resumed", async () => {
		const busy = await start();
		const { key } = await busy.newKey("corporate", "ada");
		const goal = "1. Name a river [[slow 1500]]\n2. Name a city [[slow 1500]]\n3. Name a lake [[slow 1500]]";
		const begun = await call(busy, key, "POST", "/v1/agent/run", { goal, max_cost_usd: 0.05, background: true });
		const { run_id: id } = begun.body;
		for (let steps = 0; steps < 1; ) {
			await new Promise((resolve) => setTimeout(resolve, 100));
			steps = (await ok(busy, key, "GET", `/v1/agent/${id}`)).steps_taken;
		}
		const file = join(folder, "run.jsonl.gz");
		await writeBackup(file, busy.url, busy.adminToken);
		const restored = await start();
		await restoreBackup(file, restored.url, restored.adminToken);
		let run: Answer;
		do {
			await new Promise((resolve) => setTimeout(resolve, 100));
			run = await ok(restored, key, "GET", `/v1/agent/${id}`);
		} while (run.status === "running");
		expect(run).toMatchObject({ status: "interrupted", sealed: false });
		expect(restored.upstreamAnswers()).toBe(0);
		const { data } = await ok(restored, key, "GET", "/v1/agent/runs?status=interrupted");
		expect(data.map(({ run_id }: Answer) => run_id)).toEqual([id]);
		const resumed = await ok(restored, key, "POST", `/v1/agent/${id}/resume`, {});
		expect(resumed).toMatchObject({ run_id: id, status: "complete", sealed: true });
		expect(resumed.cost_consumed_usd).toBeLessThanOrEqual(0.05);
		await usageAgrees(restored);
	});
});
