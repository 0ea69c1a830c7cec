// What is owed while objects hold audit events that D1 lacks: reads that are complete or say that they are not, and marks
// that are there before an answer and gone after the flush, wherever an object dies.
import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { MAX_OWNERS_READ } from "../../src/audit/owners.edge.ts";
import type { MarkedOwner } from "../../src/meter/meter-client.edge.ts";
import {
	alarmAtMs,
	type Fault,
	type FaultPlan,
	inOrder,
	killObject,
	passAll,
	useFaults,
	writes,
} from "../support/faults.ts";
import { handOn, readChain } from "../support/ledger.ts";
import { callWithKey, db, eventually, newKey, type TestKey } from "../support/service.ts";

let key: TestKey;
/** Whether D1 takes writes. */
let d1: "takes writes" | "refuses";
/** What becomes of calls of the meter about marks. */
let marking: FaultPlan;
let faults: { restore(): void };
/** Got before the faults, for the test's own look at things. */
let meter: ReturnType<typeof env.ACCOUNT_METER.getByName>;
let ledgerOf: (workspace: string) => ReturnType<typeof env.WORKSPACE_LEDGER.getByName>;

beforeEach(async () => {
	key = await newKey("corporate");
	const meters = env.ACCOUNT_METER.getByName.bind(env.ACCOUNT_METER);
	meter = meters(key.user_id);
	const ledgers = env.WORKSPACE_LEDGER.getByName.bind(env.WORKSPACE_LEDGER);
	ledgerOf = (workspace) => ledgers(`${key.user_id}/${workspace}`);
	d1 = "takes writes";
	marking = passAll;
	faults = useFaults({
		DB: (operation) => (d1 === "refuses" && writes(operation) ? "fail" : "pass"),
		ACCOUNT_METER: (operation) => {
			// Objects of the tests before are still at work.
			const isOwn = operation.target === key.user_id && /^(?:un)?markOwner$/.test(operation.method);
			return isOwn ? marking(operation) : "pass";
		},
	});
});
afterEach(() => {
	vi.useRealTimers();
	faults.restore();
});

/** Calls of one method go wrong in this order; the others pass. */
function faultsOf(method: "markOwner" | "unmarkOwner", ...sequence: Fault[]): void {
	const plan = inOrder(sequence);
	marking = (operation) => (operation.method === method ? plan(operation) : "pass");
}

const away: Fault[] = Array.from({ length: 100 }, () => "fail");

function marks(): Promise<MarkedOwner[]> {
	return Promise.resolve(meter.markedOwners("", 1_000));
}

async function marked(): Promise<string[]> {
	return (await marks()).map(({ owner }) => owner.replace("workspace:", "")).toSorted();
}

/** Hands on in a workspace; the id of its audit event is what reads are held to. */
async function write(workspace: string): Promise<string> {
	return (await handOn(key, { workspace_id: workspace })).id;
}

function read(query = ""): Promise<Response> {
	return callWithKey(key.key, `/v1/audit/events?limit=200${query}`);
}

/** The handoffs that the audit log shows, in order of their ids. */
async function listed(query = ""): Promise<unknown[]> {
	const response = await read(query);
	expect(response.status, await response.clone().text()).toBe(200);
	const { data } = (await response.json()) as { data: { payload: Record<string, unknown> }[] };
	return data.map(({ payload }) => payload["handoff_id"]).toSorted();
}

async function storedEvents(): Promise<number | null> {
	return db.prepare("SELECT count(*) AS n FROM audit_events WHERE user_id = ?").bind(key.user_id).first<number>("n");
}

const workspaces = (count: number) => Array.from({ length: count }, (_, n) => `w${String(n).padStart(2, "0")}`);

describe("a read over many owners", () => {
	it("is 503 and says why, for ever so many of them; of one workspace it is complete; and all ends without a read", async () => {
		const all = workspaces(60);
		d1 = "refuses";
		const ids = new Map<string, string>();
		for (const workspace of all) ids.set(workspace, await write(workspace));
		expect(await marked()).toEqual(all);
		const refused = await read();
		expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "2"]);
		expect(await refused.json()).toEqual({
			error: "storage_unavailable",
			message: expect.stringMatching(
				/^more than 5 of your workspaces and runs hold writes .* ask about one workspace, or try again$/,
			),
		});
		const byId = await callWithKey(key.key, `/v1/handoff/${ids.get("w07")}`);
		expect([byId.status, await byId.json()]).toMatchObject([503, { error: "storage_unavailable" }]);
		for (const workspace of ["w00", "w31", "w59"]) {
			expect(await listed(`&workspace_id=${workspace}`)).toEqual([ids.get(workspace)]);
			expect(await readChain(key, "", workspace)).toMatchObject({ count: 1, verification: { ok: true } });
		}

		d1 = "takes writes";
		for (const workspace of all) await runDurableObjectAlarm(ledgerOf(workspace));
		await eventually(async () => (await marked()).length === 0);
		expect(await listed()).toEqual([...ids.values()].toSorted());
		expect((await callWithKey(key.key, `/v1/handoff/${ids.get("w07")}`)).status).toBe(200);
	});

	it("asks a few, and refuses from one more on", async () => {
		d1 = "refuses";
		const ids: string[] = [];
		for (const workspace of workspaces(MAX_OWNERS_READ)) ids.push(await write(workspace));
		expect(await listed()).toEqual(ids.toSorted());
		await write("one-more");
		expect((await read()).status).toBe(503);
	});

	it("has them catch up where D1 takes their writes again, and is complete at once", async () => {
		d1 = "refuses";
		const ids: string[] = [];
		for (const workspace of workspaces(4 * MAX_OWNERS_READ)) ids.push(await write(workspace));
		d1 = "takes writes";
		expect(await listed()).toEqual(ids.toSorted());
		expect(await marked()).toEqual([]);
	});

	it("is refused, and wakes whom it would have asked, so that owners without an alarm come to an end", async () => {
		d1 = "refuses";
		const all = workspaces(2 * MAX_OWNERS_READ + 1);
		const ids: string[] = [];
		for (const workspace of all) ids.push(await write(workspace));
		for (const workspace of all) {
			await runInDurableObject(ledgerOf(workspace), (_, { storage }) => storage.deleteAlarm());
			await evictDurableObject(ledgerOf(workspace));
		}
		d1 = "takes writes";
		await eventually(async () => (await read()).status === 200);
		expect(await listed()).toEqual(ids.toSorted());
	});
});

describe("a mark", () => {
	it("is there before the answer, also when the meter's answer to it was lost", async () => {
		d1 = "refuses";
		faultsOf("markOwner", "failAfter");
		const id = await write("shop");
		expect(await marked()).toEqual(["shop"]);
		expect(await listed()).toEqual([id]);
	});

	it("is not made for what D1 takes", async () => {
		const calls: string[] = [];
		marking = ({ method }) => {
			calls.push(method);
			return "pass";
		};
		for (const workspace of ["shop", "depot", "shop"]) await write(workspace);
		expect(calls).toEqual([]);
	});

	it("is made once for many writes", async () => {
		d1 = "refuses";
		let calls = 0;
		marking = () => {
			calls++;
			return "pass";
		};
		await Promise.all(Array.from({ length: 10 }, () => write("shop")));
		expect(calls).toBe(1);
	});

	it("that could not be made leaves the write answered, and is made by the next alarm", async () => {
		d1 = "refuses";
		faultsOf("markOwner", ...away);
		const id = await write("shop");
		expect(await marked()).toEqual([]);
		await killObject(ledgerOf("shop"));
		marking = passAll;
		await runDurableObjectAlarm(ledgerOf("shop"));
		expect(await marked()).toEqual(["shop"]);
		expect(await listed()).toEqual([id]);
	});

	it("that is on its way when the object dies is answered for by the next object, and gone in the end", async () => {
		d1 = "refuses";
		faultsOf("markOwner", { slowMs: 300 });
		const writing = write("shop");
		await eventually(async () => (await ledgerOf("shop").state()).unflushed === 1);
		await killObject(ledgerOf("shop"));
		const id = await writing;
		expect(await listed()).toEqual([id]);
		d1 = "takes writes";
		await runDurableObjectAlarm(ledgerOf("shop"));
		await eventually(async () => (await marked()).length === 0);
		expect(await storedEvents()).toBe(1);
	});

	it("is taken away after the flush, by an object that died in between, on waking", async () => {
		d1 = "refuses";
		await write("shop");
		d1 = "takes writes";
		faultsOf("unmarkOwner", ...away);
		await runDurableObjectAlarm(ledgerOf("shop"));
		expect([await storedEvents(), await marked()]).toEqual([1, ["shop"]]);
		// The alarm is lost with the object: any call wakes it.
		await runInDurableObject(ledgerOf("shop"), (_, { storage }) => storage.deleteAlarm());
		await killObject(ledgerOf("shop"));
		marking = passAll;
		expect(await ledgerOf("shop").isIdle()).toBe(true);
		await eventually(async () => {
			await runDurableObjectAlarm(ledgerOf("shop"));
			return (await marked()).length === 0;
		});
		expect(await alarmAtMs(ledgerOf("shop"))).toBeNull();
	});

	it("that was taken away without the owner knowing is made anew for the next write", async () => {
		d1 = "refuses";
		const first = await write("shop");
		const [before] = await marks();
		d1 = "takes writes";
		faultsOf("unmarkOwner", "failAfter", "failAfter");
		await runDurableObjectAlarm(ledgerOf("shop"));
		expect(await marked()).toEqual([]);
		d1 = "refuses";
		for (const blow of [async () => undefined, killObject]) {
			await blow(ledgerOf("shop"));
			const ids = [first, await write("shop")];
			expect(await marked()).toEqual(["shop"]);
			expect((await marks())[0]?.mark).toBeGreaterThan(before?.mark ?? 0);
			expect(await listed()).toEqual(expect.arrayContaining(ids));
		}
	});

	it("that meets the end of its flush is gone", async () => {
		d1 = "refuses";
		faultsOf("markOwner", { slowMs: 300 });
		const writing = write("shop");
		await eventually(async () => (await ledgerOf("shop").state()).unflushed === 1);
		d1 = "takes writes";
		await runDurableObjectAlarm(ledgerOf("shop"));
		await writing;
		await eventually(async () => (await marked()).length === 0 && (await storedEvents()) === 1);
	});

	it("is there for a write that comes while the one before is taken away", async () => {
		d1 = "refuses";
		const first = await write("shop");
		d1 = "takes writes";
		faultsOf("unmarkOwner", { slowMs: 300 });
		const flushing = runDurableObjectAlarm(ledgerOf("shop"));
		await eventually(async () => (await storedEvents()) === 1);
		d1 = "refuses";
		const second = await write("shop");
		expect(await marked()).toEqual(["shop"]);
		expect(await listed()).toEqual([first, second].toSorted());
		await flushing;
		expect(await marked()).toEqual(["shop"]);
	});

	it("is not taken away by a reader who saw the owner idle before a later write", async () => {
		d1 = "refuses";
		await write("shop");
		const [seen] = await marks();
		d1 = "takes writes";
		faultsOf("unmarkOwner", ...away);
		await runDurableObjectAlarm(ledgerOf("shop"));
		expect(await ledgerOf("shop").isIdle()).toBe(true);
		d1 = "refuses";
		const id = await write("shop");
		await meter.unmarkOwner(seen?.owner ?? "", seen?.mark ?? 0);
		expect(await marked()).toEqual(["shop"]);
		expect(await listed()).toContain(id);
	});

	it("that a lost call left behind is taken away by a read", async () => {
		await write("shop");
		await meter.markOwner("workspace:shop", 7);
		expect(await listed()).toHaveLength(1);
		await eventually(async () => (await marked()).length === 0);
	});

	it("lasts as long as D1 is away, an hour and through evictions, and not longer", async () => {
		d1 = "refuses";
		const ids = [await write("shop"), await write("depot")].toSorted();
		const endsAtMs = Date.now() + 3_600_000;
		vi.useFakeTimers({ toFake: ["Date"] });
		for (let round = 0; Date.now() < endsAtMs; round++) {
			for (const workspace of ["shop", "depot"]) {
				const atMs = await alarmAtMs(ledgerOf(workspace));
				vi.setSystemTime(Math.max(Date.now(), atMs ?? 0));
				await runDurableObjectAlarm(ledgerOf(workspace));
				if (round === 20) await evictDurableObject(ledgerOf(workspace));
			}
			expect([await marked(), await listed()]).toEqual([["depot", "shop"], ids]);
		}
		d1 = "takes writes";
		for (const workspace of ["shop", "depot"]) await runDurableObjectAlarm(ledgerOf(workspace));
		expect([await marked(), await storedEvents()]).toEqual([[], 2]);
		for (const workspace of ["shop", "depot"]) expect(await alarmAtMs(ledgerOf(workspace))).toBeNull();
	});
});
