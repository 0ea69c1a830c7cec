// The faults that tests put on bindings and the upstream: where each of them stands in the order of things, and who meets them.
import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it } from "vitest";
import {
	always,
	type Fault,
	type FaultPlan,
	faultyD1,
	faultyKv,
	faultyNamespace,
	faultyUpstream,
	inOrder,
	onlyFor,
	useFaults,
	writes,
} from "../support/faults.ts";
import { chat, db, newKey, requestsInD1, settledCount, type Upstream, useSandbox } from "../support/service.ts";

/** Something that can be changed and looked at. */
interface Place {
	change(plan: FaultPlan): Promise<unknown>;
	changed(): Promise<boolean>;
}

function d1Place(change: (db: D1Database, statement: D1PreparedStatement) => Promise<unknown>): () => Place {
	return () => {
		const id = crypto.randomUUID();
		return {
			async change(plan) {
				const faulty = faultyD1(db, plan);
				const insert = `INSERT INTO users (id, name, plan, created_at, number)
					SELECT ?1, ?1, 'pro', '', coalesce(max(number), 0) + 1 FROM users`;
				await change(faulty, faulty.prepare(insert).bind(id));
			},
			changed: async () => (await db.prepare("SELECT 1 FROM users WHERE id = ?").bind(id).first()) !== null,
		};
	};
}

const places: Record<string, () => Place> = {
	"a D1 statement": d1Place((_, statement) => statement.run()),
	"a D1 batch": d1Place((faulty, statement) => faulty.batch([statement])),
	"a D1 batch in a session": d1Place((faulty, statement) => faulty.withSession().batch([statement])),
	KV: () => {
		const name = crypto.randomUUID();
		return {
			change: (plan) => faultyKv(env.KV, plan).put(name, "x"),
			changed: async () => (await env.KV.get(name)) !== null,
		};
	},
	"an object by name": () => {
		const name = crypto.randomUUID();
		return {
			change: (plan) => faultyNamespace(env.ACCOUNT_METER, plan).getByName(name).setPlan("free"),
			changed: async () => (await env.ACCOUNT_METER.getByName(name).snapshot("pro")).quota.plan === "free",
		};
	},
	"an object by id": () => {
		const id = env.ACCOUNT_METER.newUniqueId();
		return {
			change: (plan) => faultyNamespace(env.ACCOUNT_METER, plan).get(id).setPlan("free"),
			changed: async () => (await env.ACCOUNT_METER.get(id).snapshot("pro")).quota.plan === "free",
		};
	},
	"the upstream": () => {
		let reached = false;
		const upstream = async () => {
			reached = true;
			return new Response();
		};
		return {
			change: (plan) => faultyUpstream(upstream, plan)(new Request("http://sandbox.test/openai/chat/completions")),
			changed: async () => reached,
		};
	},
};

describe.each(Object.entries(places))("%s", (_, place) => {
	it.each<[Fault, string, boolean]>([
		["pass", "answers", true],
		["fail", "fails", false],
		["failAfter", "fails", true],
		[{ slowMs: 1 }, "answers", true],
	])("with %j %s; it is applied: %s", async (fault, outcome, applied) => {
		const { change, changed } = place();
		const answered = change(inOrder([fault])).then(
			() => "answers",
			() => "fails",
		);
		expect(await answered).toBe(outcome);
		expect(await changed()).toBe(applied);
	});

	it("that is slow lets another call go first", async () => {
		const order: string[] = [];
		const plan = inOrder([{ slowMs: 200 }]);
		const slow = place()
			.change(plan)
			.then(() => order.push("slow"));
		await place()
			.change(plan)
			.then(() => order.push("quick"));
		await slow;
		expect(order).toEqual(["quick", "slow"]);
	});
});

describe("faults on the service's own bindings", () => {
	let faults: { restore(): void } | undefined;
	let upstream: Upstream | undefined;
	afterEach(() => {
		faults?.restore();
		upstream?.restore();
	});

	it("are met by the Worker and by its object, before and after it is evicted, until they are taken off", async () => {
		upstream = useSandbox();
		const key = await newKey("pro");
		const meter = env.ACCOUNT_METER.getByName(key.user_id);
		const flush = () => runInDurableObject(meter, (instance) => instance.alarm());
		const refused: string[] = [];
		const plan: FaultPlan = ({ target }) => {
			refused.push(target);
			return "fail";
		};
		faults = useFaults({
			DB: (operation) => (writes(operation) ? plan(operation) : "pass"),
			ACCOUNT_METER: onlyFor(["settle"], plan),
		});
		// Not settled with the object, which is asked twice, nor stranded in D1.
		expect((await chat(key.key, "hi")).status).toBe(503);
		expect(refused.map((target) => target === key.user_id)).toEqual([true, true, false]);
		faults.restore();

		faults = useFaults({ DB: (operation) => (writes(operation) ? plan(operation) : "pass") });
		refused.length = 0;
		expect((await chat(key.key, "hi")).status).toBe(200);
		await flush();
		// Either the meter's own timer or this alarm was the first to ask.
		const first = refused.length;
		expect(first).toBeGreaterThan(0);
		await flush();
		expect(refused.length).toBe(first + 1);
		await evictDurableObject(meter);
		await flush();
		expect(refused.length).toBeGreaterThan(first + 1);
		expect([await settledCount(key), await requestsInD1(key)]).toEqual([1, 0]);
		faults.restore();
		await flush();
		expect(await requestsInD1(key)).toBe(1);
	});

	it("are put on once at a time, so that no test inherits another's", () => {
		faults = useFaults({ KV: always("fail") });
		expect(() => useFaults({ KV: always("fail") })).toThrow("KV");
	});
});
