// Whatever is stored, read, deleted, too much or too old, in whatever order: the object has what a plain list of responses has.
// VITE_FAULT_SEED and VITE_FAULT_RUNS choose other sequences, and more of them.
import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import type { env } from "cloudflare:workers";
import fc from "fast-check";
import { expect, it, vi } from "vitest";
import { MAX_STORED_BYTES, MAX_STORED_RESPONSES, RESPONSE_RETENTION_MS } from "../../src/responses/stored-response.ts";
import { alarmAtMs, type Fault, killObject, useFaults } from "../support/faults.ts";
import { call, callWithKey, newKey, type TestKey } from "../support/service.ts";
import { queryStored, resolve, storedResponsesOf, storeText, textEntry } from "../support/stored-responses.ts";

const SEED = Number(process.env["VITE_FAULT_SEED"] ?? 20_261_122);
const RUNS = Number(process.env["VITE_FAULT_RUNS"] ?? 15);

const SHRINKING_MS = 600_000;
const DAY_MS = 86_400_000;
/** Stored before the sequence begins, so that the limit by number is near. */
const FILLED = MAX_STORED_RESPONSES - 4;
const HEAVY_BYTES = MAX_STORED_BYTES / 3;

/** Calls that meet faults. */
const CALLS = new Set(["put", "has", "read", "remove", "conversation"]);

/** A response as the model knows it. */
interface ModelRow {
	atMs: number;
	bytes: number;
	/** Null for those that fill the object: nobody reads them. */
	text: string | null;
	previousId: string | null;
}

class Trial {
	readonly #key: TestKey;
	readonly #faults: { restore(): void };
	readonly #queue: Fault[] = [];
	readonly #rows = new Map<string, ModelRow>();
	/** Ids of all responses that were stored with a text, also of those that are gone. */
	readonly #known: string[] = [];
	#made = 0;

	private constructor(key: TestKey) {
		this.#key = key;
		this.#faults = useFaults({
			STORED_RESPONSES: ({ method, target }) =>
				(CALLS.has(method) && target === key.user_id ? this.#queue.shift() : undefined) ?? "pass",
		});
	}

	/** Begins with a new user, whose object is nearly full. The clock stands still a day ahead, so that no alarm goes off by itself. */
	static async begin(): Promise<Trial> {
		vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + DAY_MS });
		const trial = new Trial(await newKey("corporate"));
		await trial.#fill();
		return trial;
	}

	async #fill(): Promise<void> {
		const atMs = Date.now() - 20 * DAY_MS;
		const sealed = new ArrayBuffer(4);
		for (let i = 0; i < FILLED; i++) {
			const row = { atMs: atMs + i, bytes: 12, text: null, previousId: null };
			this.#rows.set(textEntry("", "", row).response.id, row);
		}
		const object = this.#object as unknown as ReturnType<typeof env.STORED_RESPONSES.getByName>;
		await runInDurableObject(object, (instance) => {
			for (const id of this.#rows.keys())
				instance.put({ id, previousId: null, keyId: "key_1", response: sealed, input: sealed, output: sealed });
		});
	}

	/** A new stub each time: one of an object that was killed is broken. */
	get #object(): DurableObjectStub<undefined> {
		return storedResponsesOf(this.#key);
	}

	end(): void {
		this.#faults.restore();
		vi.useRealTimers();
	}

	#isVisible(id: string): boolean {
		const row = this.#rows.get(id);
		return row !== undefined && Date.now() < row.atMs + RESPONSE_RETENTION_MS;
	}

	/** One of the responses that were stored with a text; null before there is one. */
	#pick(choice: number): string | null {
		return this.#known.at(-1 - (choice % 8)) ?? null;
	}

	/** Stores a response. Where its previous one is not stored, it begins a conversation: the entrance would have refused. */
	async put(choice: number, lateMs: number): Promise<void> {
		const picked = this.#pick(choice);
		const previousId = choice % 3 > 0 && picked && this.#isVisible(picked) ? picked : null;
		const [text, atMs] = [`text ${this.#made++}`, Date.now() - lateMs];
		const id = await storeText(this.#key, text, `${text}, answered`, { previousId, atMs });
		const [stored] = await queryStored(this.#key, "SELECT bytes FROM responses WHERE id = ?", id);
		this.#rows.set(id, { atMs, bytes: Number(stored?.["bytes"]), text, previousId });
		this.#known.push(id);
		this.#dropOldest(id);
	}

	#dropOldest(exceptId: string): void {
		const sum = () => [...this.#rows.values()].reduce((total, { bytes }) => total + bytes, 0);
		while (this.#rows.size > MAX_STORED_RESPONSES || sum() > MAX_STORED_BYTES) {
			const [oldest] = [...this.#rows.keys()].filter((id) => id !== exceptId).sort();
			this.#rows.delete(oldest ?? "");
		}
	}

	/** Makes a response as heavy as a third of the limit. The object counts it when it wakes. */
	async weigh(choice: number): Promise<void> {
		const id = this.#pick(choice);
		const row = id === null ? undefined : this.#rows.get(id);
		if (!row) return;
		row.bytes = HEAVY_BYTES;
		await queryStored(this.#key, "UPDATE responses SET bytes = ? WHERE id = ?", HEAVY_BYTES, id);
		await this.evict();
	}

	async remove(choice: number): Promise<void> {
		const id = this.#pick(choice);
		if (id === null) return;
		const headers = { authorization: `Bearer ${this.#key.key}` };
		const { status } = await call(`/v1/responses/${id}`, { method: "DELETE", headers });
		expect(status).toBe(this.#isVisible(id) ? 200 : 404);
		if (status === 200) this.#rows.delete(id);
	}

	async read(choice: number): Promise<void> {
		const id = this.#pick(choice);
		if (id === null) return;
		const response = await callWithKey(this.#key.key, `/v1/responses/${id}`);
		expect(response.status).toBe(this.#isVisible(id) ? 200 : 404);
		if (response.status === 200) expect(await response.text()).toContain(`${this.#rows.get(id)?.text}, answered`);
	}

	/** The texts of a conversation; null where a link of it is gone. */
	#conversation(id: string | null): string[] | null {
		if (id === null) return [];
		const row = this.#isVisible(id) ? this.#rows.get(id) : undefined;
		const before = row ? this.#conversation(row.previousId) : null;
		return row && before ? [...before, `${row.text}`, `${row.text}, answered`] : null;
	}

	async chain(choice: number): Promise<void> {
		const id = this.#pick(choice);
		if (id === null) return;
		const resolved = await resolve(this.#key, { previous_response_id: id });
		const expected = this.#conversation(id);
		expect(resolved.ok).toBe(expected !== null);
		if (!resolved.ok || !expected) return;
		const texts = JSON.stringify(resolved.value.items).match(/text \d+(?:, answered)?/g);
		expect(texts).toEqual(expected);
	}

	async pass(days: number): Promise<void> {
		vi.setSystemTime(Date.now() + days * DAY_MS);
	}

	async ring(): Promise<void> {
		await runDurableObjectAlarm(this.#object);
		for (const id of [...this.#rows.keys()]) if (!this.#isVisible(id)) this.#rows.delete(id);
	}

	async evict(): Promise<void> {
		// An object that is not running cannot be evicted.
		await evictDurableObject(this.#object).catch(() => undefined);
	}

	async kill(): Promise<void> {
		await killObject(this.#object);
	}

	/** The next call of the object meets a fault; the call after it is the retry. */
	fault(fault: Fault): void {
		this.#queue.splice(0, this.#queue.length, fault, "pass");
	}

	/** The object has what the model has, and an alarm for the oldest of it. */
	async compare(): Promise<void> {
		const rows = await queryStored(this.#key, "SELECT id FROM responses ORDER BY id");
		expect(rows.map(({ id }) => id)).toEqual([...this.#rows.keys()].sort());
		const firstMs = Math.min(...[...this.#rows.values()].map(({ atMs }) => atMs + RESPONSE_RETENTION_MS));
		if (this.#rows.size > 0) expect(await alarmAtMs(this.#object)).toBeLessThanOrEqual(firstMs);
	}
}

type Step = (trial: Trial) => unknown;

/** A step with its words, so that a failing sequence can be read. */
function named(name: string, step: Step): Step {
	return Object.assign(step, { [fc.toStringMethod]: () => name });
}

const aChoice = fc.nat({ max: 23 });
const chosen = (what: "weigh" | "remove" | "read" | "chain") =>
	aChoice.map((choice) => named(`${what} ${choice}`, (trial) => trial[what](choice)));

const aStep: fc.Arbitrary<Step> = fc.oneof(
	{
		weight: 8,
		arbitrary: fc
			.tuple(aChoice, fc.constantFrom(0, 1, 600_000))
			.map(([choice, lateMs]) => named(`put ${choice} ${lateMs}`, (trial) => trial.put(choice, lateMs))),
	},
	{ weight: 2, arbitrary: chosen("weigh") },
	{ weight: 2, arbitrary: chosen("remove") },
	{ weight: 2, arbitrary: chosen("read") },
	{ weight: 4, arbitrary: chosen("chain") },
	{
		weight: 3,
		arbitrary: fc.constantFrom(1, 9, 10, 30).map((days) => named(`${days} days pass`, (trial) => trial.pass(days))),
	},
	{
		weight: 4,
		arbitrary: fc
			.constantFrom("ring" as const, "evict" as const, "kill" as const)
			.map((what) => named(what, (trial) => trial[what]())),
	},
	{
		weight: 2,
		arbitrary: fc
			.constantFrom<Fault>("fail", "failAfter", { slowMs: 10 })
			.map((fault) => named(`fault ${JSON.stringify(fault)}`, (trial) => trial.fault(fault))),
	},
);

it(
	"what is stored is what a list of responses would hold, and a conversation is whole or refused",
	async () => {
		const property = fc.asyncProperty(fc.array(aStep, { minLength: 8, maxLength: 24 }), async (steps) => {
			const trial = await Trial.begin();
			try {
				for (const step of steps) {
					await step(trial);
					await trial.compare();
				}
			} finally {
				trial.end();
			}
		});
		await fc.assert(property, { seed: SEED, numRuns: RUNS });
	},
	SHRINKING_MS,
);
