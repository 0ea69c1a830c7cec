// Webhooks of budget alerts: sent by the meter's alarm, once for each threshold in a period, whatever fails on the way.
import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import { fromBase64, verifySignature } from "../../src/proof/signing.ts";
import { killObject, useFaults } from "../support/faults.ts";
import { nano } from "../support/money.ts";
import { useService } from "../support/per-test.ts";
import {
	call,
	callWith,
	callWithKey,
	chat,
	eventually,
	operator,
	receiptOf,
	type TestKey,
	withKey,
} from "../support/service.ts";
import { aRequestId, reservationFor, settlementFor } from "../support/settlements.ts";
import { TEST_ADMIN_TOKEN } from "../support/variables.ts";
import { useReceiver, WEBHOOK_URL, type WebhookReceiver } from "../support/webhook-receiver.ts";

const { upstream, key: owner } = useService("corporate");
let receiver: WebhookReceiver | undefined;
let faults: { restore(): void } | undefined;
afterEach(() => {
	faults?.restore();
	faults = undefined;
	receiver?.restore();
	receiver = undefined;
});

interface KeyView {
	key_id: string;
	key: string;
	alert_webhook: string | null;
}

async function json<T>(response: Response | Promise<Response>, status = 200): Promise<T> {
	const answer = await response;
	const text = await answer.text();
	expect(answer.status, text).toBe(status);
	return JSON.parse(text) as T;
}

const make = (body: unknown) => json<KeyView>(callWithKey(owner.key, "/v1/keys", body));
const change = (id: string, body: unknown) =>
	json<KeyView>(call(`/v1/keys/${id}`, { ...withKey(owner.key, body), method: "PATCH" }));
const ask = ({ key }: Pick<KeyView, "key">) => chat(key, "Say hello", { model: "gpt-5-nano", max_tokens: 500 });

const meterOf = ({ user_id }: TestKey) =>
	env.ACCOUNT_METER.getByName(user_id) as unknown as DurableObjectStub<undefined>;

/** A key with a webhook that has spent something, and how much, in USD. */
async function spentKey(more: Record<string, unknown> = {}): Promise<KeyView & { costUsd: number }> {
	const key = await make({ budget_usd: 1, budget_period: "month", alert_webhook: WEBHOOK_URL, ...more });
	const { id } = await json<{ id: string }>(ask(key));
	return { ...key, costUsd: Number((await receiptOf(id))["cost_usd"]) };
}

/** Lowers a budget to so many times what is spent, and lets a request find it exceeded. */
async function alertAt({ key, key_id, costUsd }: KeyView & { costUsd: number }, times: number): Promise<void> {
	await change(key_id, { budget_usd: nano(costUsd * times) / 1e9 });
	expect((await ask({ key })).status).toBe(402);
}

const thresholds = () => receiver?.received.map(({ body }) => (JSON.parse(body) as { threshold: number }).threshold);

/** Makes the next try be due, and lets the alarm make it. */
async function nextTry(): Promise<void> {
	await runInDurableObject(meterOf(owner), (_, { storage }) => {
		storage.sql.exec("UPDATE webhooks SET next_at_ms = 1");
	});
	await evictDurableObject(meterOf(owner)).catch(() => undefined);
	await runDurableObjectAlarm(meterOf(owner));
}

function waitingTries(): Promise<number[]> {
	return runInDurableObject(meterOf(owner), (_, { storage }) =>
		storage.sql
			.exec<{ tries: number }>("SELECT tries FROM webhooks")
			.toArray()
			.map(({ tries }) => tries),
	);
}

async function events(type: string): Promise<{ actor: string; payload: Record<string, unknown> }[]> {
	await env.ACCOUNT_METER.getByName(owner.user_id).flushNow();
	const path = `/v1/audit/events?event_type=${type}`;
	return (await json<{ data: { actor: string; payload: Record<string, unknown> }[] }>(callWithKey(owner.key, path)))
		.data;
}

describe("the address of a key's alerts", () => {
	it("is shown whole to owners, and to others without its path", async () => {
		const key = await make({ alert_webhook: WEBHOOK_URL });
		expect(key.alert_webhook).toBe(WEBHOOK_URL);
		const listed = async (by: string) =>
			(await json<{ data: KeyView[] }>(callWithKey(by, "/v1/keys"))).data.find(({ key_id }) => key_id === key.key_id);
		expect(await listed(owner.key)).toMatchObject({ alert_webhook: WEBHOOK_URL });
		const agent = await make({ role: "agent", own_only: false });
		expect(agent.alert_webhook).toBeNull();
		const masked = { alert_webhook: "https://hooks.example.com/…" };
		expect(await listed(agent.key)).toMatchObject(masked);
		const all = await json<{ data: KeyView[] }>(operator("GET", `/internal/keys?user=${owner.user_id}`));
		expect(all.data.find(({ key_id }) => key_id === key.key_id)).toMatchObject(masked);
		const rotated = await json<KeyView>(callWithKey(owner.key, `/v1/keys/${key.key_id}/rotate`, {}));
		expect(rotated.alert_webhook).toBe(WEBHOOK_URL);
		expect((await change(rotated.key_id, { alert_webhook: null })).alert_webhook).toBeNull();
	});

	it("is in the audit log without its path, also when that alone changes", async () => {
		const key = await make({ alert_webhook: WEBHOOK_URL });
		await change(key.key_id, { alert_webhook: `${WEBHOOK_URL}&other=secret` });
		const [created, changed] = [await events("key_created"), await events("key_changed")];
		const masked = { alert_webhook: "https://hooks.example.com/…" };
		expect(created[0]?.payload).toMatchObject({ key_id: key.key_id, ...masked });
		expect(changed.map(({ payload }) => payload)).toEqual([{ key_id: key.key_id, before: masked, after: masked }]);
	});

	it.each([
		["http://hooks.example.com/"],
		["https://hooks.example.com:8443/"],
		["https://other.example.com/"],
		["https://user:password@hooks.example.com/"],
		["https://127.0.0.1/"],
		["not an address"],
		[""],
	])("is not %j, whoever makes or changes the key", async (alert_webhook) => {
		const refusal = { error: "webhook_unavailable" };
		expect(await json(callWithKey(owner.key, "/v1/keys", { alert_webhook }), 422)).toMatchObject(refusal);
		const patch = { method: "PATCH", body: JSON.stringify({ alert_webhook }) };
		const path = `/v1/keys/${owner.key_id}`;
		expect(await json(call(path, { ...withKey(owner.key), ...patch }), 422)).toMatchObject(refusal);
		const headers = { authorization: `Bearer ${TEST_ADMIN_TOKEN}`, "content-type": "application/json" };
		expect(await json(call(`/internal/keys/${owner.key_id}`, { headers, ...patch }), 422)).toMatchObject(refusal);
		const body = { user: "webhooks", plan: "pro", alert_webhook };
		expect(await json(operator("POST", "/internal/keys", body), 422)).toMatchObject(refusal);
	});

	it.each(["WEBHOOK_HOSTS", "SIGNING_KEY"])("cannot be set in a service without %s", async (name) => {
		const init = withKey(owner.key, { alert_webhook: WEBHOOK_URL });
		const refused = callWith({ [name]: "" } as Partial<Env>, "/v1/keys", init);
		expect(await json(refused, 422)).toMatchObject({ error: "webhook_unavailable" });
	});
});

describe("the webhook of an alert", () => {
	it("is sent once for each threshold, signed, with the amounts, and never logged with its address", async () => {
		const lines: string[] = [];
		const spies = (["log", "warn", "error"] as const).map((method) =>
			vi.spyOn(console, method).mockImplementation((...line: unknown[]) => void lines.push(line.join(" "))),
		);
		receiver = useReceiver();
		const key = await spentKey();
		await alertAt(key, 2);
		await eventually(async () => receiver?.received.length === 1);
		await alertAt(key, 1);
		for (let calls = 0; calls < 3; calls++) await ask(key);
		await eventually(async () => receiver?.received.length === 3);
		await runDurableObjectAlarm(meterOf(owner));
		expect(thresholds()?.toSorted((a, b) => a - b)).toEqual([50, 80, 100]);
		expect(await events("key_budget_alert")).toHaveLength(3);
		const [first] = receiver.received;
		expect(JSON.parse(first?.body ?? "")).toEqual({
			type: "key.budget_alert",
			key_id: key.key_id,
			threshold: 50,
			budget_usd: nano(key.costUsd * 2) / 1e9,
			spent_usd: key.costUsd,
			held_usd: 0,
			resets_at: expect.stringMatching(/^\d{4}-\d\d-01T00:00:00\.000Z$/),
		});
		expect(first).toMatchObject({ url: WEBHOOK_URL, redirect: "manual" });
		const header = (name: string) => first?.headers.get(`webhook-${name}`) ?? "";
		const { keys } = await json<{ keys: { public_key: string }[] }>(call("/v1/proof/pubkey"));
		const [version, signature = ""] = header("signature").split(",");
		const signed = `${header("id")}.${header("timestamp")}.${first?.body}`;
		const publicKey = fromBase64(keys[0]?.public_key ?? "") ?? new Uint8Array();
		expect([version, await verifySignature(publicKey, signed, signature)]).toEqual(["v1a", true]);
		expect(await waitingTries()).toEqual([]);
		expect(lines.join("\n")).not.toContain("hooks.example.com");
		expect(lines.length).toBeGreaterThan(0);
		for (const spy of spies) spy.mockRestore();
	});

	it("is sent again after a failure, under the same id, also by a meter that was restarted", async () => {
		receiver = useReceiver((nth) => new Response(null, { status: nth < 2 ? 500 : 204 }));
		await alertAt(await spentKey(), 2);
		await eventually(async () => receiver?.received.length === 1);
		expect(await waitingTries()).toEqual([1]);
		const dueAtMs = await runInDurableObject(
			meterOf(owner),
			(_, { storage }) => storage.sql.exec<{ due: number }>("SELECT next_at_ms AS due FROM webhooks").one().due,
		);
		expect(dueAtMs - Date.now()).toBeGreaterThan(20_000);
		for (const tries of [2, 3]) {
			await nextTry();
			await eventually(async () => receiver?.received.length === tries);
		}
		await eventually(async () => (await waitingTries()).length === 0);
		expect(new Set(receiver.received.map(({ headers }) => headers.get("webhook-id"))).size).toBe(1);
		expect(new Set(receiver.received.map(({ body }) => body)).size).toBe(1);
		expect(await events("key_webhook_failed")).toEqual([]);
	});

	it("is sent when the meter dies between its storage and its first try", async () => {
		receiver = useReceiver();
		const key = await spentKey();
		const { key_id } = key;
		const budget = { limitNanoUsd: nano(key.costUsd), period: "month", alertWebhook: WEBHOOK_URL } as const;
		await runInDurableObject(meterOf(owner), async (instance, { storage }) => {
			const meter = instance as unknown as { admit(request: object): Promise<{ admitted: boolean }> };
			const requestId = aRequestId();
			const reservation = reservationFor(owner.user_id, requestId, 1, Date.now() + 60_000);
			const asked = { keyVersion: 1, keyLimits: null, budgetKeyId: key_id, plan: "corporate", countsTowardsDay: false };
			const verdict = await meter.admit({ ...asked, requestId, keyId: key_id, keyBudget: budget, reservation });
			expect(verdict.admitted).toBe(false);
			await storage.deleteAlarm();
		});
		expect(await waitingTries()).toEqual([0, 0, 0]);
		await killObject(meterOf(owner));
		await runInDurableObject(meterOf(owner), () => undefined);
		await eventually(async () => receiver?.received.length === 3);
		await eventually(async () => (await waitingTries()).length === 0);
		expect(thresholds()?.toSorted((a, b) => a - b)).toEqual([50, 80, 100]);
	});

	it("is sent while D1 refuses, and its event follows", async () => {
		receiver = useReceiver();
		const key = await spentKey();
		await change(key.key_id, { budget_usd: nano(key.costUsd * 2) / 1e9 });
		faults = useFaults({ DB: ({ target }) => (/insert into "audit_events"/i.test(target) ? "fail" : "pass") });
		expect((await ask(key)).status).toBe(402);
		await eventually(async () => receiver?.received.length === 1);
		faults.restore();
		expect(await events("key_budget_alert")).toHaveLength(1);
	});

	it("that is never taken is given up after five tries, which the audit log says without the address", async () => {
		receiver = useReceiver(() => new Response(null, { status: 302, headers: { location: WEBHOOK_URL } }));
		const key = await spentKey();
		await alertAt(key, 2);
		for (let tries = 1; tries < 5; tries++) {
			await eventually(async () => receiver?.received.length === tries);
			await nextTry();
		}
		await eventually(async () => (await events("key_webhook_failed")).length === 1);
		const [failed] = await events("key_webhook_failed");
		const [alert] = await events("key_budget_alert");
		expect(failed).toMatchObject({ actor: `key:${key.key_id}`, workspace_id: null });
		const { resets_at } = alert?.payload ?? {};
		expect(failed?.payload).toEqual({ key_id: key.key_id, threshold: 50, resets_at, tries: 5 });
		await nextTry();
		expect(receiver.received).toHaveLength(5);
		expect(await waitingTries()).toEqual([]);
	});

	it("whose receiver hangs, and whose meter dies in each try, is given up all the same", async () => {
		receiver = useReceiver(() => new Promise<Response>(() => undefined));
		await alertAt(await spentKey(), 2);
		for (let tries = 1; tries <= 5; tries++) {
			await eventually(async () => receiver?.received.length === tries);
			await killObject(meterOf(owner));
			expect(await waitingTries()).toEqual([tries]);
			await runInDurableObject(meterOf(owner), async (_, { storage }) => {
				storage.sql.exec("UPDATE webhooks SET next_at_ms = 1");
				await storage.setAlarm(Date.now());
			});
		}
		await eventually(async () => (await events("key_webhook_failed")).length === 1);
		expect(receiver.received).toHaveLength(5);
	});

	it("whose receiver hangs holds up neither a flush nor the end of a reservation", async () => {
		receiver = useReceiver(() => new Promise<Response>(() => undefined));
		const key = await spentKey();
		const meter = env.ACCOUNT_METER.getByName(owner.user_id);
		await alertAt(key, 2);
		await eventually(async () => receiver?.received.length === 1);
		await killObject(meterOf(owner));
		const requestId = aRequestId();
		await runInDurableObject(meterOf(owner), async (instance, { storage }) => {
			const reservation = reservationFor(owner.user_id, requestId, 7, Date.now() - 1);
			const asked = { keyVersion: 1, keyLimits: null, keyBudget: null, budgetKeyId: owner.key_id };
			const request = { ...asked, plan: "corporate", countsTowardsDay: false, requestId, keyId: owner.key_id };
			const admitting = instance as unknown as { admit(request: object): Promise<{ admitted: boolean }> };
			expect((await admitting.admit({ ...request, reservation })).admitted).toBe(true);
			storage.sql.exec("UPDATE webhooks SET next_at_ms = 1");
			await storage.setAlarm(Date.now());
		});
		await eventually(async () => (await meter.receipt(requestId)) !== "open");
		expect(await meter.receipt(requestId)).toMatchObject({ request_id: requestId, kind: "chat" });
		expect(receiver.received).toHaveLength(2);
		expect(await waitingTries()).toEqual([2]);
		expect(await meter.settle(await settlementFor(owner.user_id, requestId, 3))).toBe("late");
	});

	it("goes to the address of the moment, of a key that ends meanwhile too", async () => {
		receiver = useReceiver();
		const key = await spentKey();
		const second = `${WEBHOOK_URL}&second=1`;
		await alertAt(key, 2);
		await eventually(async () => receiver?.received.length === 1);
		await change(key.key_id, { alert_webhook: second, budget_usd: 1 });
		const release = Promise.withResolvers<void>();
		receiver.restore();
		upstream.replace(async () => {
			await release.promise;
			return undefined;
		});
		receiver = useReceiver();
		const last = ask(key);
		await eventually(async () => upstream.requests.length === 1);
		// What the request holds passes the lowered budget, which its cost then reaches.
		await change(key.key_id, { budget_usd: nano(key.costUsd) / 1e9 });
		const path = `/v1/keys/${key.key_id}`;
		expect((await call(path, { ...withKey(owner.key), method: "DELETE" })).status).toBe(200);
		release.resolve();
		expect((await last).status).toBe(200);
		await eventually(async () => receiver?.received.length === 2);
		expect(receiver.received.map(({ url }) => url)).toEqual([second, second]);
		expect(thresholds()?.toSorted((a, b) => a - b)).toEqual([80, 100]);
		expect((await ask(key)).status).toBe(401);
	});

	it("is not sent by a key without an address, or after its address is removed", async () => {
		receiver = useReceiver();
		const key = await spentKey();
		await alertAt(key, 2);
		await eventually(async () => receiver?.received.length === 1);
		await change(key.key_id, { alert_webhook: null });
		await alertAt(key, 1);
		await runDurableObjectAlarm(meterOf(owner));
		expect(await events("key_budget_alert")).toHaveLength(3);
		expect(receiver.received).toHaveLength(1);
		expect(await waitingTries()).toEqual([]);
	});

	it("of many keys at once reaches everybody, a few at a time", async () => {
		receiver = useReceiver();
		const meter = meterOf(owner);
		await runInDurableObject(meter, async (_, { storage }) => {
			for (let nth = 0; nth < 45; nth++)
				storage.sql.exec(
					"INSERT INTO webhooks (id, url, body, tries, next_at_ms) VALUES (?, ?, '{}', 0, 1)",
					`msg_${nth}`,
					WEBHOOK_URL,
				);
			await storage.setAlarm(Date.now());
		});
		await eventually(async () => receiver?.received.length === 45);
		await eventually(async () => (await waitingTries()).length === 0);
	});
});
