// Requests move from a user's meter into archives: nobody sees a difference, whatever dies meanwhile, and what is no longer kept leaves the
// archives too.
import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { ulid } from "ulid";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { ObjectRecord } from "../../src/backup/backup.ts";
import type { BackedUpObject } from "../../src/durable/backed-up-object.edge.ts";
import type { ObjectPage } from "../../src/durable/object-rows.edge.ts";
import { numberTimeMs, requestNumber } from "../../src/meter/request-number.ts";
import { always, type Fault, type FaultPlan, inOrder, killObject, onlyFor, useFaults } from "../support/faults.ts";
import {
	call,
	callWithKey,
	chat,
	db,
	inMeter,
	meterAlarm,
	newKey,
	operator,
	proofOf,
	type TestKey,
	type Upstream,
	usageOf,
	useSandbox,
	withKey,
} from "../support/service.ts";

const DAY_MS = 86_400_000;
const START_MS = Date.UTC(2027, 0, 10, 12);
/** Requests of a day from which on those of 90 days before are archived. */
const HELD_DAYS = 90;
/** These many stay in the meter, because usage shows them. */
const RECENT = 20;

let upstream: Upstream;
let key: TestKey;
/** Ids in the order of the list: newest first. */
let ids: string[];
const meter = () => env.ACCOUNT_METER.getByName(key.user_id);

function setDay(day: number): void {
	vi.setSystemTime(START_MS + day * DAY_MS);
}

async function chats(count: number): Promise<string[]> {
	const made: string[] = [];
	for (let nth = 0; nth < count; nth++) {
		vi.setSystemTime(Date.now() + 1_000);
		const response = await chat(key.key, `chat ${nth}`);
		made.unshift(((await response.json()) as { id: string }).id);
	}
	ids.unshift(...made);
	return made;
}

beforeEach(async () => {
	upstream = useSandbox();
	vi.useFakeTimers({ toFake: ["Date"], now: START_MS });
	key = await newKey("corporate");
	ids = [];
});
afterEach(() => {
	vi.useRealTimers();
	upstream.restore();
});

/** All ids of the list, read in pages. */
async function listedIds(query = "limit=7"): Promise<string[]> {
	const listed: string[] = [];
	for (let cursor = ""; ; ) {
		const response = await callWithKey(key.key, `/v1/requests?${query}${cursor}`);
		const page = (await response.json()) as { data: { request_id: string }[]; next_cursor: string | null };
		listed.push(...page.data.map(({ request_id }) => request_id));
		if (page.next_cursor === null) return listed;
		cursor = `&cursor=${page.next_cursor}`;
	}
}

async function exportedIds(limit = "7"): Promise<string[]> {
	const exported: string[] = [];
	for (let after = ""; ; ) {
		const response = await operator("GET", `/internal/decisions?limit=${limit}&after=${encodeURIComponent(after)}`);
		const page = (await response.json()) as { data: { request_id: string; user_id: string }[]; next: string | null };
		exported.push(...page.data.filter(({ user_id }) => user_id === key.user_id).map(({ request_id }) => request_id));
		if (page.next === null) return exported;
		after = page.next;
	}
}

/** Whether all that was asked is answered as ever. */
async function expectAllThere(): Promise<void> {
	expect(await listedIds()).toEqual(ids);
	for (const id of [ids.at(-1) ?? "", ids[ids.length >> 1] ?? "", ids[0] ?? ""]) {
		expect((await callWithKey(key.key, `/v1/requests/${id}`)).status).toBe(200);
		expect(await proofOf(id)).toMatchObject({ valid: true, request_id: id });
	}
	const usage = await usageOf(key);
	expect(usage).toMatchObject({ total_requests: ids.length, kept_since: null });
	expect(usage.recent.map(({ request_id }) => request_id)).toEqual(ids.slice(0, RECENT));
}

function heldIds(): Promise<string[]> {
	return inMeter(key, (sql) =>
		[...sql.exec<{ id: string }>("SELECT id FROM requests ORDER BY n DESC")].map(({ id }) => id),
	);
}

interface ListedArchive extends Record<string, SqlStorageValue> {
	nth: number;
}

async function archiveNumbers(): Promise<{ listed: number[]; inD1: number[] }> {
	const listed = await inMeter(key, (sql) =>
		[...sql.exec<ListedArchive>("SELECT nth FROM archives ORDER BY nth")].map(({ nth }) => nth),
	);
	const rows = await db
		.prepare("SELECT nth FROM request_archives WHERE user_id = ? ORDER BY nth")
		.bind(key.user_id)
		.all<ListedArchive>();
	return { listed, inD1: rows.results.map(({ nth }) => nth) };
}

it("shows requests as ever once their days are archived", async () => {
	await chats(6);
	setDay(1);
	await chats(5);
	setDay(60);
	const held = await chats(RECENT + 2);
	await meterAlarm(key);
	expect(await heldIds()).toHaveLength(ids.length);
	await expectAllThere();

	setDay(HELD_DAYS + 2);
	await meterAlarm(key);
	expect(await heldIds()).toEqual(held);
	expect(await archiveNumbers()).toEqual({ listed: [1], inD1: [1] });
	await expectAllThere();
	expect(await listedIds("limit=3&kind=chat")).toEqual(ids);
	expect(await listedIds(`until=2027-01-11T00:00:00Z&limit=4`)).toEqual(ids.slice(-6));
	expect(await listedIds(`since=2027-01-11T00:00:00Z&until=2027-02-01T00:00:00Z&limit=4`)).toEqual(ids.slice(-11, -6));
	expect(await exportedIds()).toEqual(ids.toReversed());
	const check = await operator("GET", "/internal/accounts/check");
	const { data } = (await check.json()) as { data: { user_id: string; agrees: boolean }[] };
	expect(data.filter(({ user_id }) => user_id === key.user_id).every(({ agrees }) => agrees)).toBe(true);

	const rate = (score: number) => callWithKey(key.key, "/v1/feedback", { request_id: ids.at(-1), score });
	expect((await rate(1)).status).toBe(200);
	expect(await (await rate(-1)).json()).toMatchObject({ score: -1 });
	const unknown = await callWithKey(key.key, `/v1/requests/${ids.at(-1)?.slice(0, -4)}0000`);
	expect(unknown.status).toBe(404);
});

it("leaves open requests and runs in the meter, and the latest requests however old they are", async () => {
	await chats(3);
	const run = await callWithKey(key.key, "/v1/agent/run", { task: "Say hello.", wait: true });
	const { run_id } = (await run.json()) as { run_id?: string };
	setDay(HELD_DAYS + 1);
	await meterAlarm(key);
	expect((await heldIds()).length).toBeGreaterThanOrEqual(3);
	setDay(HELD_DAYS + 2);
	const held = await chats(RECENT);
	await meterAlarm(key);
	const stays = await heldIds();
	expect(stays.filter((id) => id.startsWith("svc-"))).toEqual(held);
	if (run_id) expect(stays).toContain(run_id);
});

describe("a death", () => {
	const faultsOf = (fault: Fault): [string, Record<"DB" | "REQUEST_ARCHIVE", FaultPlan>][] => [
		[
			`before or after an archive is recorded (${fault})`,
			{ DB: ({ target }) => (target.includes("request_archives") ? fault : "pass"), REQUEST_ARCHIVE: always("pass") },
		],
		[
			`before or after rows are copied (${fault})`,
			{ DB: always("pass"), REQUEST_ARCHIVE: onlyFor(["take"], always(fault)) },
		],
	];

	it.each([...faultsOf("fail"), ...faultsOf("failAfter")])("%s loses and repeats nothing", async (_, plans) => {
		await chats(4);
		setDay(1);
		await chats(3);
		setDay(HELD_DAYS + 2);
		await chats(RECENT);
		const faults = useFaults(plans);
		await meterAlarm(key);
		const [more] = await Promise.all([chats(1), meterAlarm(key)]);
		expect(more).toHaveLength(1);
		faults.restore();
		await killObject(meter() as unknown as DurableObjectStub<undefined>);
		await expectAllThere();
		await meterAlarm(key);
		await killObject(meter() as unknown as DurableObjectStub<undefined>);
		await expectAllThere();
		expect(await heldIds()).toHaveLength(RECENT + 1);
		expect(await archiveNumbers()).toEqual({ listed: [1], inD1: [1] });
	});

	it("after rows are copied counts none twice in the sums of its session", async () => {
		const chatIn = (nth: number) => {
			const init = withKey(key.key, { messages: [{ role: "user", content: `chat ${nth}` }] });
			return call("/v1/chat/completions", { ...init, headers: { ...init.headers, "x-session-id": "ada" } });
		};
		for (let nth = 0; nth < 3; nth++) await (await chatIn(nth)).text();
		const sums = async () => {
			const response = await callWithKey(key.key, "/v1/sessions/ada");
			const { requests, cost_usd, first_at } = await response.json<Record<string, unknown>>();
			return { requests, cost_usd, first_at };
		};
		const before = await sums();
		expect(before.requests).toBe(3);
		setDay(HELD_DAYS + 2);
		await chats(RECENT);
		const faults = useFaults({ REQUEST_ARCHIVE: onlyFor(["take"], always("failAfter")) });
		await meterAlarm(key);
		faults.restore();
		// The archive has them, and the meter has them still.
		expect(await archiveNumbers()).toMatchObject({ listed: [1] });
		expect(await sums()).toEqual(before);
		await meterAlarm(key);
		expect(await heldIds()).toHaveLength(RECENT);
		expect(await sums()).toEqual(before);
	});

	it("of an archive that is being read is an answer later", async () => {
		await chats(2);
		setDay(HELD_DAYS + 2);
		await chats(RECENT);
		await meterAlarm(key);
		const faults = useFaults({ REQUEST_ARCHIVE: inOrder(["fail", "fail", "fail", "fail"]) });
		expect((await callWithKey(key.key, "/v1/requests")).status).toBe(503);
		faults.restore();
		await evictDurableObject(env.REQUEST_ARCHIVE.getByName(`${key.user_id}/1`));
		await expectAllThere();
	});
});

it("takes no settlement from D1 of a request that is archived already", async () => {
	await chats(2);
	const id = ids[1] ?? "";
	setDay(HELD_DAYS + 2);
	await chats(RECENT);
	await meterAlarm(key);
	const usage = { request_id: id, user_id: key.user_id, api_key_id: key.key_id };
	await db
		.prepare("INSERT INTO stranded_settlements VALUES (?, ?, ?, 'sha256:00', ?, NULL)")
		.bind(id, key.user_id, JSON.stringify({ usage, receipt: {} }), new Date().toISOString())
		.run();
	await meter().takeStranded(key.user_id);
	const taken = db.prepare("SELECT taken_at FROM stranded_settlements WHERE request_id = ?").bind(id);
	expect(await taken.first("taken_at")).not.toBeNull();
	expect(await heldIds()).toHaveLength(RECENT);
	await expectAllThere();
});

it("keeps feedback that is given while its request is copied", async () => {
	await chats(2);
	setDay(HELD_DAYS + 2);
	await chats(RECENT);
	const faults = useFaults({ REQUEST_ARCHIVE: onlyFor(["take"], inOrder([{ slowMs: 300 }])) });
	const [id] = ids.slice(-1);
	const moving = meterAlarm(key);
	const given = await callWithKey(key.key, "/v1/feedback", { request_id: id, score: 1 });
	expect(given.status).toBe(200);
	await moving;
	faults.restore();
	await meterAlarm(key);
	expect(await heldIds()).toHaveLength(RECENT);
	const again = await callWithKey(key.key, "/v1/feedback", { request_id: id, score: 1 });
	expect(await again.json()).toMatchObject({ created_at: ((await given.json()) as { created_at: string }).created_at });
});

it("begins another archive with a day for which the last one is too large", async () => {
	await chats(2);
	setDay(1);
	await chats(2);
	setDay(2);
	await chats(RECENT);
	setDay(HELD_DAYS + 1);
	await meterAlarm(key);
	expect(await archiveNumbers()).toEqual({ listed: [1], inD1: [1] });
	await inMeter(key, (sql) => sql.exec("UPDATE archives SET bytes = 6000000000"));
	await killObject(meter() as unknown as DurableObjectStub<undefined>);
	setDay(HELD_DAYS + 2);
	await meterAlarm(key);
	expect(await archiveNumbers()).toEqual({ listed: [1, 2], inD1: [1, 2] });
	expect(await heldIds()).toHaveLength(RECENT);
	await expectAllThere();
	expect(await exportedIds()).toEqual(ids.toReversed());
});

it("removes days from archives, and archives that have none left", async () => {
	const KEPT_DAYS = 400;
	const first = await chats(2);
	setDay(1);
	const second = await chats(2);
	setDay(KEPT_DAYS - 1);
	await chats(RECENT);
	await meterAlarm(key);
	expect(await heldIds()).toHaveLength(RECENT);
	await expectAllThere();

	setDay(KEPT_DAYS + 1);
	await meterAlarm(key);
	ids = ids.filter((id) => !first.includes(id));
	expect(await listedIds()).toEqual(ids);
	expect(await usageOf(key)).toMatchObject({ kept_since: "2027-01-11", total_requests: RECENT + 4 });
	const removed = await callWithKey(key.key, `/v1/requests/${first[0]}`);
	expect(await removed.json()).toMatchObject({ error: "request_not_found", kept_since: "2027-01-11" });
	expect((await callWithKey(key.key, `/v1/requests/${second[0]}`)).status).toBe(200);

	setDay(KEPT_DAYS + 2);
	const faults = useFaults({ REQUEST_ARCHIVE: onlyFor(["clear"], always("failAfter")) });
	await meterAlarm(key);
	faults.restore();
	expect(await archiveNumbers()).toEqual({ listed: [1], inD1: [1] });
	ids = ids.filter((id) => !second.includes(id));
	expect(await listedIds()).toEqual(ids);
	await killObject(meter() as unknown as DurableObjectStub<undefined>);
	await meterAlarm(key);
	expect(await archiveNumbers()).toEqual({ listed: [], inD1: [] });
	expect(await listedIds()).toEqual(ids);
	expect(await usageOf(key)).toMatchObject({ kept_since: "2027-01-12", total_requests: RECENT + 4 });
});

/** What archiving and removal write into a meter, also from a fold. Chats beside them write nothing of it. */
const KEEPING_WRITE =
	/^\s*(?:INSERT INTO archives|UPDATE archives|DELETE FROM archives|UPDATE account SET (?:archived_to|kept_since)|DELETE FROM (?:requests|large_receipts|feedback|late_requests))/;

/** Lets a meter die before its nth write of keeping, and of a failing call beside it. @returns whether there was one. */
async function dieAtWrite(nth: number, work: () => Promise<unknown>): Promise<boolean> {
	let left = nth;
	const stub = meter() as unknown as DurableObjectStub<undefined>;
	await runInDurableObject(stub, (_, { storage }) => {
		const exec = storage.sql.exec.bind(storage.sql);
		vi.spyOn(storage.sql, "exec").mockImplementation((query, ...bindings) => {
			if (KEEPING_WRITE.test(query) && left-- <= 0) throw new Error("killed by a test");
			return exec(query, ...bindings);
		});
	});
	await work();
	await killObject(stub);
	return left < 0;
}

describe("a death at each write", () => {
	/** Lets keeping die at its first write, its second and so on, while a request runs, until it gets through. @returns deaths. */
	async function dieOnTheWay(): Promise<number> {
		let deaths = 0;
		while (await dieAtWrite(deaths, () => Promise.all([chats(1), meterAlarm(key).catch(() => undefined)]))) {
			deaths++;
			expect(await listedIds()).toEqual(ids);
		}
		return deaths;
	}

	it("of archiving loses and repeats nothing", async () => {
		await chats(3);
		await callWithKey(key.key, "/v1/feedback", { request_id: ids[1], score: 1 });
		setDay(1);
		await chats(2);
		setDay(HELD_DAYS + 2);
		await chats(RECENT);
		const deaths = await dieOnTheWay();
		expect(deaths).toBeGreaterThan(4);
		await meterAlarm(key);
		await expectAllThere();
		expect(await heldIds()).toEqual(ids.slice(0, RECENT + deaths + 1));
		expect(await archiveNumbers()).toEqual({ listed: [1], inD1: [1] });
	});

	it("of removal takes whole days, and leaves the sums", async () => {
		const KEPT_DAYS = 400;
		const removed = await chats(3);
		await callWithKey(key.key, "/v1/feedback", { request_id: removed[1], score: 1 });
		setDay(1);
		await chats(2);
		setDay(KEPT_DAYS + 1);
		await chats(1);
		ids = ids.filter((id) => !removed.includes(id));
		const before = ids.length;
		let deaths = 0;
		while (await dieAtWrite(deaths, () => Promise.all([chats(1), meterAlarm(key).catch(() => undefined)]))) {
			deaths++;
			const listed = await listedIds();
			expect(listed.filter((id) => !removed.includes(id))).toEqual(ids);
		}
		expect(deaths).toBeGreaterThan(1);
		await meterAlarm(key);
		expect(await listedIds()).toEqual(ids);
		expect(await usageOf(key)).toMatchObject({
			kept_since: "2027-01-11",
			total_requests: removed.length + before + deaths + 1,
		});
	});
});

describe("removal from archives", () => {
	const KEPT_DAYS = 400;
	const ofForgetting = ({ target }: { target: string }) => /delete from "?request_archives/i.test(target);
	const plans = (fault: Fault): [string, Record<"DB" | "REQUEST_ARCHIVE", FaultPlan>][] => [
		[`removes days (${fault})`, { DB: always("pass"), REQUEST_ARCHIVE: onlyFor(["removeBefore"], always(fault)) }],
		[`clears an archive (${fault})`, { DB: always("pass"), REQUEST_ARCHIVE: onlyFor(["clear"], always(fault)) }],
		[
			`forgets an archive (${fault})`,
			{ DB: (operation) => (ofForgetting(operation) ? fault : "pass"), REQUEST_ARCHIVE: always("pass") },
		],
	];

	it.each([...plans("fail"), ...plans("failAfter")])("that dies while it %s is made up for", async (_, faulty) => {
		const first = await chats(2);
		setDay(1);
		const second = await chats(2);
		setDay(KEPT_DAYS - 1);
		await chats(RECENT);
		await meterAlarm(key);
		const all = ids.length;
		for (const [day, removed] of [first, second].entries()) {
			setDay(KEPT_DAYS + 1 + day);
			const faults = useFaults(faulty);
			await Promise.all([chats(1), meterAlarm(key).catch(() => undefined)]);
			faults.restore();
			ids = ids.filter((id) => !removed.includes(id));
			// What is due is not shown any more, whatever the archive still has.
			expect(await listedIds()).toEqual(ids);
			await killObject(meter() as unknown as DurableObjectStub<undefined>);
			expect(await listedIds()).toEqual(ids);
			await meterAlarm(key);
			await meterAlarm(key);
			expect(await listedIds()).toEqual(ids);
			const listed = day === 0 ? [1] : [];
			expect(await archiveNumbers()).toEqual({ listed, inD1: listed });
		}
		expect(await usageOf(key)).toMatchObject({ kept_since: "2027-01-12", total_requests: all + 2 });
	});
});

/** Adds requests like the one that the meter has, one every ten seconds before the latest. */
async function fillDay(count: number): Promise<void> {
	const nowMs = Date.now();
	const added = Array.from({ length: count }, (_, nth) => `svc-${ulid(nowMs - (nth + 1) * 2_000)}`);
	await inMeter(key, (sql) => {
		const cursor = sql.exec("SELECT * FROM requests ORDER BY n DESC LIMIT 1");
		const columns = cursor.columnNames;
		const row = cursor.one();
		const insert = `INSERT INTO requests (${columns.join(", ")}) VALUES (${columns.map(() => "?").join(", ")})`;
		for (const id of added) {
			const n = requestNumber(id);
			const changed: Record<string, SqlStorageValue> = { ...row, id, n, created_at_ms: numberTimeMs(n) };
			sql.exec(insert, ...columns.map((name) => changed[name] ?? null));
		}
	});
	ids.push(...added);
}

it("moves a day in pages while requests go on", async () => {
	await chats(1);
	await fillDay(1_200);
	setDay(HELD_DAYS + 2);
	await chats(RECENT);
	const counts: number[] = [];
	for (let step = 0; step < 6; step++) {
		await Promise.all([meterAlarm(key), chats(1)]);
		counts.push((await heldIds()).length);
		expect(await listedIds("limit=200")).toEqual(ids);
	}
	expect(counts).toEqual([972, 723, 474, 225, 25, 26]);
	expect(await exportedIds("1000")).toEqual(ids.toReversed());
});

type BackedUpStub = DurableObjectStub<BackedUpObject>;

/** Replaces all that an object stores by what a backup has of it. */
async function restore(
	stubOf: () => BackedUpStub,
	pages: readonly Pick<ObjectPage, "version" | "rows">[],
): Promise<void> {
	await runInDurableObject(stubOf() as unknown as DurableObjectStub<undefined>, async (_, { storage }) => {
		await storage.deleteAll();
	});
	await killObject(stubOf() as unknown as DurableObjectStub<undefined>);
	for (const [part, { rows, version }] of pages.entries())
		expect(await stubOf().takePart({ backupId: "bak_1", part, version, rows })).toBe("taken");
	expect(await stubOf().finishParts("bak_1", pages.length)).toBe(true);
	await killObject(stubOf() as unknown as DurableObjectStub<undefined>);
}

it("are there after a restore, also those that were moved while the backup was taken", async () => {
	await chats(3);
	setDay(1);
	await chats(3);
	setDay(3);
	await chats(RECENT);
	setDay(HELD_DAYS + 1);
	await meterAlarm(key);
	setDay(HELD_DAYS + 2);
	await meter().flushNow();
	// The meter is read before a day is moved, the archive afterwards.
	const ofMeter = await meter().readRows(null);
	expect(ofMeter.next).toBeNull();
	await meterAlarm(key);
	expect(await heldIds()).toHaveLength(RECENT);
	const ofArchive: ObjectRecord[] = [];
	for (let after: string | null = ""; after !== null; ) {
		const response = await operator("GET", `/internal/backup/objects?${new URLSearchParams({ after })}`);
		const page = (await response.json()) as { data: ObjectRecord[]; next: string | null };
		ofArchive.push(...page.data.filter(({ name }) => name === `${key.user_id}/1`));
		after = page.next;
	}
	expect(ofArchive).toMatchObject([{ class: "RequestArchive", part: 0 }]);

	await restore(() => meter() as unknown as BackedUpStub, [ofMeter]);
	await restore(() => env.REQUEST_ARCHIVE.getByName(`${key.user_id}/1`) as unknown as BackedUpStub, ofArchive);
	expect(await heldIds()).toHaveLength(RECENT + 3);
	await expectAllThere();
	await chats(1);
	await meterAlarm(key);
	expect(await heldIds()).toHaveLength(RECENT + 1);
	await expectAllThere();
});
