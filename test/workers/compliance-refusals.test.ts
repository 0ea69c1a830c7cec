// Refusals by compliance: their trail at the meter and in the audit log, folded by minute, and what their bodies say.
import { runDurableObjectAlarm } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { MAX_REFUSALS_PER_MINUTE } from "../../src/meter/compliance-refusals.ts";
import { type MeterClient, meterClient } from "../../src/meter/meter-client.edge.ts";
import { killObject, useFaults } from "../support/faults.ts";
import { callWithKey, db, newKey, type TestKey, type Upstream, useSandbox } from "../support/service.ts";

interface RefusalEvent {
	id: string;
	workspace_id: null;
	actor: string;
	created_at: string;
	payload: { refusals: number; request_id: string; last_at: string; mixed?: true } & Record<string, unknown>;
}

let upstream: Upstream;
let key: TestKey;
let meter: MeterClient;
let faults: { restore(): void } | undefined;
beforeEach(async () => {
	upstream = useSandbox();
	key = await newKey("corporate");
	meter = meterClient(env.ACCOUNT_METER, key.user_id);
});
afterEach(() => {
	vi.useRealTimers();
	faults?.restore();
	upstream.restore();
});

const stub = () => env.ACCOUNT_METER.getByName(key.user_id);

/** The refusals that the audit log lists, oldest first. */
async function listed(query = ""): Promise<RefusalEvent[]> {
	const response = await callWithKey(key.key, `/v1/audit/events?event_type=compliance_blocked${query}`);
	expect(response.status).toBe(200);
	return (await response.json<{ data: RefusalEvent[] }>()).data.toReversed();
}

async function storedInD1(): Promise<{ id: string; payload: string }[]> {
	const query = "SELECT id, payload FROM audit_events WHERE user_id = ? AND event_type = 'compliance_blocked'";
	return (await db.prepare(query).bind(key.user_id).all<{ id: string; payload: string }>()).results;
}

function refuse(requestId: string, likeness = "same", details: Record<string, unknown> = { kinds: {} }): Promise<void> {
	return meter.recordRefusal({ requestId, userId: key.user_id, keyId: key.key_id, likeness, details });
}

/** Starts at the beginning of a minute, so that the next one does not begin meanwhile. */
function stopClock(): number {
	const startMs = Math.ceil(Date.now() / 60_000) * 60_000;
	vi.useFakeTimers({ toFake: ["Date"], now: startMs });
	return startMs;
}

describe("refusals of one minute", () => {
	it("that are alike are one event with their number, listed at once and in D1 when the minute is over", async () => {
		const startMs = stopClock();
		for (let number = 1; number <= 200; number++) await refuse(`svc-${number}`);
		const [event, ...others] = await listed();
		expect(others).toEqual([]);
		expect(event).toMatchObject({
			id: expect.stringMatching(/^ae_/),
			workspace_id: null,
			actor: `key:${key.key_id}`,
			created_at: new Date(startMs).toISOString(),
			payload: { request_id: "svc-1", kinds: {}, refusals: 200, last_at: new Date(startMs).toISOString() },
		});
		expect(await storedInD1()).toEqual([]);
		vi.setSystemTime(startMs + 60_000);
		expect(await runDurableObjectAlarm(stub())).toBe(true);
		expect((await storedInD1()).map(({ payload }) => JSON.parse(payload).refusals)).toEqual([200]);
		expect(await listed()).toEqual([event]);
		expect(await meter.unflushedEvents()).toEqual([]);
		await refuse("svc-201");
		expect((await listed()).map(({ payload }) => payload.refusals)).toEqual([200, 1]);
	});

	it("are counted once however often the call is repeated", async () => {
		stopClock();
		for (const id of ["svc-1", "svc-1", "svc-2", "svc-2"]) await refuse(id);
		expect((await listed()).map(({ payload }) => payload.refusals)).toEqual([2]);
	});

	it("that differ have an event each, up to a limit, and share one beyond it", async () => {
		stopClock();
		const many = MAX_REFUSALS_PER_MINUTE + 30;
		for (let number = 1; number <= many; number++) await refuse(`svc-${number}`, `likeness ${number}`, { number });
		await refuse("svc-again", "likeness 1");
		const events = await listed("&limit=200");
		expect(events).toHaveLength(MAX_REFUSALS_PER_MINUTE + 1);
		expect(events.filter(({ payload }) => payload.mixed)).toMatchObject([
			{ payload: { refusals: 30, number: MAX_REFUSALS_PER_MINUTE + 1 } },
		]);
		expect(events.find(({ payload }) => payload["number"] === 1)?.payload.refusals).toBe(2);
	});

	it("survive their object and a D1 that is away", async () => {
		const startMs = stopClock();
		await refuse("svc-1");
		await killObject(stub());
		await refuse("svc-2");
		faults = useFaults({ DB: ({ target }) => (/audit_events/i.test(target) ? "fail" : "pass") });
		vi.setSystemTime(startMs + 60_000);
		await runDurableObjectAlarm(stub());
		expect(await meter.unflushedEvents()).toHaveLength(1);
		faults.restore();
		expect(await storedInD1()).toEqual([]);
		vi.setSystemTime(startMs + 600_000);
		expect(await runDurableObjectAlarm(stub())).toBe(true);
		expect((await storedInD1()).map(({ payload }) => JSON.parse(payload).refusals)).toEqual([2]);
	});
});
