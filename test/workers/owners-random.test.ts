// Whatever fails and dies, in whatever order: an answered write is in the next list, and no mark outlives what it stands for.
// VITE_FAULT_SEED and VITE_FAULT_RUNS choose other sequences, and more of them.
import { evictDurableObject, runDurableObjectAlarm } from "cloudflare:test";
import { env } from "cloudflare:workers";
import fc from "fast-check";
import { expect, it, vi } from "vitest";
import { alarmAtMs, type Fault, killObject, useFaults, writes } from "../support/faults.ts";
import { callWithKey, db, newKey, type TestKey } from "../support/service.ts";

const SEED = Number(process.env["VITE_FAULT_SEED"] ?? 20_261_121);
const RUNS = Number(process.env["VITE_FAULT_RUNS"] ?? 25);

/** A failing sequence is made as short as possible before it is shown. */
const SHRINKING_MS = 600_000;
const DAY_MS = 86_400_000;
/** One flushes, one more looks after what a fault left; the rest is patience. */
const MOST_ALARMS = 10;

const WORKSPACES = ["shop", "depot", "till"] as const;
type Workspace = (typeof WORKSPACES)[number];
type MeterCall = "markOwner" | "unmarkOwner";

class Trial {
	/** Handoffs that were answered. */
	readonly answered: string[] = [];
	readonly #key: TestKey;
	readonly #faults: { restore(): void };
	readonly #queues = new Map<string, Fault[]>();
	/** Got before the faults: they are for the platform's own tools. */
	readonly #ledgerOf: (workspace: Workspace) => DurableObjectStub<undefined>;
	readonly #meter: ReturnType<typeof env.ACCOUNT_METER.getByName>;
	#d1Refuses = false;

	private constructor(key: TestKey) {
		this.#key = key;
		this.#meter = env.ACCOUNT_METER.getByName(key.user_id);
		const getByName = env.WORKSPACE_LEDGER.getByName.bind(env.WORKSPACE_LEDGER);
		this.#ledgerOf = (workspace) => getByName(`${key.user_id}/${workspace}`) as unknown as DurableObjectStub<undefined>;
		this.#faults = useFaults({
			DB: (operation) => (this.#d1Refuses && writes(operation) ? "fail" : "pass"),
			// Objects of the trials before may still be at work.
			ACCOUNT_METER: ({ method, target }) =>
				(target === key.user_id ? this.#queues.get(method)?.shift() : undefined) ?? "pass",
		});
	}

	/** Begins with a new user. The clock stands still a day ahead, so that no alarm goes off by itself. */
	static async begin(): Promise<Trial> {
		const key = await newKey("corporate");
		vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + DAY_MS });
		return new Trial(key);
	}

	end(): void {
		this.#faults.restore();
		vi.useRealTimers();
	}

	d1(refuses: boolean): void {
		this.#d1Refuses = refuses;
	}

	faults(method: MeterCall, faults: Fault[]): void {
		this.#queues.set(method, [...faults]);
	}

	async write(workspace_id: Workspace): Promise<void> {
		const body = { workspace_id, objective: "Hand on" };
		const response = await callWithKey(this.#key.key, "/v1/handoff", body);
		if (response.status === 200) this.answered.push(((await response.json()) as { id: string }).id);
	}

	async kill(workspace: Workspace): Promise<void> {
		await killObject(this.#ledgerOf(workspace));
	}

	async evict(workspace: Workspace): Promise<void> {
		// An object that is not running cannot be evicted.
		await evictDurableObject(this.#ledgerOf(workspace)).catch(() => undefined);
	}

	async ring(workspace: Workspace): Promise<void> {
		await runDurableObjectAlarm(this.#ledgerOf(workspace));
	}

	/** Handoffs that the audit log shows. */
	async listed(): Promise<unknown[]> {
		const response = await callWithKey(this.#key.key, "/v1/audit/events?limit=200");
		expect(response.status, await response.clone().text()).toBe(200);
		const { data } = (await response.json()) as { data: { payload: Record<string, unknown> }[] };
		return data.map(({ payload }) => payload["handoff_id"]);
	}

	/** Ends all faults and lets alarms come, until nobody wants one. */
	async recover(): Promise<void> {
		this.#d1Refuses = false;
		this.#queues.clear();
		for (const workspace of WORKSPACES) {
			for (let rung = 0; rung < MOST_ALARMS; rung++) {
				const atMs = await alarmAtMs(this.#ledgerOf(workspace));
				if (atMs === null) break;
				vi.setSystemTime(Math.max(atMs, Date.now()));
				await this.ring(workspace);
			}
			expect(await alarmAtMs(this.#ledgerOf(workspace))).toBeNull();
		}
	}

	async marked(): Promise<string[]> {
		return (await this.#meter.markedOwners("", 100)).map(({ owner }) => owner);
	}

	async stored(): Promise<string[]> {
		const query = "SELECT payload ->> 'handoff_id' AS id FROM audit_events WHERE user_id = ?";
		const { results } = await db.prepare(query).bind(this.#key.user_id).all<{ id: string }>();
		return results.map(({ id }) => id);
	}
}

type Step = (trial: Trial) => Promise<unknown>;

/** A step with its words, so that a failing sequence can be read. */
function named(name: string, step: Step): Step {
	return Object.assign(step, { [fc.toStringMethod]: () => name });
}

const aWorkspace = fc.constantFrom(...WORKSPACES);
/** Of two calls at least one comes through: a mark that was never made is another matter. */
const markFaults = fc.constantFrom<Fault[]>(["failAfter"], ["fail"], [{ slowMs: 20 }], ["failAfter", "failAfter"]);
const unmarkFaults = fc.array(fc.constantFrom<Fault>("fail", "failAfter", { slowMs: 20 }), {
	minLength: 1,
	maxLength: 6,
});

const aStep: fc.Arbitrary<Step> = fc.oneof(
	{ weight: 4, arbitrary: aWorkspace.map((one) => named(`write ${one}`, (trial) => trial.write(one))) },
	{
		weight: 3,
		arbitrary: fc
			.tuple(aWorkspace, aWorkspace, fc.constantFrom("write", "ring", "kill", "evict", "listed"))
			.map(([one, other, what]) =>
				named(`write ${one} and ${what} ${other} at once`, async (trial) => {
					await Promise.all([trial.write(one), trial[what](other)]);
				}),
			),
	},
	{
		weight: 4,
		arbitrary: fc
			.boolean()
			.map((refuses) => named(`d1 ${refuses ? "refuses" : "takes"}`, async (trial) => trial.d1(refuses))),
	},
	{ weight: 4, arbitrary: aWorkspace.map((one) => named(`ring ${one}`, (trial) => trial.ring(one))) },
	{ weight: 1, arbitrary: aWorkspace.map((one) => named(`kill ${one}`, (trial) => trial.kill(one))) },
	{ weight: 1, arbitrary: aWorkspace.map((one) => named(`evict ${one}`, (trial) => trial.evict(one))) },
	{
		weight: 2,
		arbitrary: markFaults.map((faults) =>
			named(`mark: ${JSON.stringify(faults)}`, async (trial) => trial.faults("markOwner", faults)),
		),
	},
	{
		weight: 2,
		arbitrary: unmarkFaults.map((faults) =>
			named(`unmark: ${JSON.stringify(faults)}`, async (trial) => trial.faults("unmarkOwner", faults)),
		),
	},
);

it(
	"an answered write is in every list after it, and in the end nothing is marked",
	async () => {
		const property = fc.asyncProperty(fc.array(aStep, { minLength: 6, maxLength: 16 }), async (steps) => {
			const trial = await Trial.begin();
			try {
				for (const step of steps) {
					await step(trial);
					expect(await trial.listed()).toEqual(expect.arrayContaining(trial.answered));
				}
				await trial.recover();
				expect(await trial.marked()).toEqual([]);
				const stored = await trial.stored();
				expect(new Set(stored).size).toBe(stored.length);
				expect(stored).toEqual(expect.arrayContaining(trial.answered));
			} finally {
				trial.end();
			}
		});
		await fc.assert(property, { seed: SEED, numRuns: RUNS });
	},
	SHRINKING_MS,
);
