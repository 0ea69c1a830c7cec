// The Worker as it is, with every billed operation counted, and a clock that the benchmark moves; built for the benchmark only.
import worker, { WorkspaceLedger as Ledger, AccountMeter as Meter, AgentRun as Run } from "../../../src/index.ts";
import {
	countingDatabase,
	countingKeyValue,
	countingNamespace,
	countingSql,
	counts,
	database,
	isBusy,
	resetCounts,
	whileActive,
	whileBusy,
	withMembersReplaced,
} from "./counts.ts";

export * from "../../../src/index.ts";

let movedMs = 0;
const realNow = Date.now.bind(Date);
// Limits, alarms and the purge of old rows go by this clock, so that minutes of traffic take seconds.
Date.now = () => realNow() + movedMs;

for (const level of ["log", "warn", "error"] as const) {
	const write = console[level].bind(console);
	console[level] = (...args: unknown[]) => {
		counts.logLines++;
		write(...args);
	};
}

/** Deadlines of calls are longer; what waits for less is work that will be done, such as a flush that gathers rows. */
const LONGEST_WORK_TIMER_MS = 2_000;

const { setTimeout: realSetTimeout, clearTimeout: realClearTimeout } = globalThis;
const workTimers = new Map<unknown, PromiseWithResolvers<void>>();

function endWorkTimer(timer: unknown): void {
	workTimers.get(timer)?.resolve();
	workTimers.delete(timer);
}

// Timers go by the real clock. One that is work keeps the counts from being taken for final.
Object.assign(globalThis, {
	setTimeout: (callback: (...args: unknown[]) => void, ms = 0, ...args: unknown[]) => {
		const timer: unknown = realSetTimeout(() => {
			endWorkTimer(timer);
			callback(...args);
		}, ms);
		if (ms <= LONGEST_WORK_TIMER_MS) {
			const waiting = Promise.withResolvers<void>();
			workTimers.set(timer, waiting);
			whileBusy(waiting.promise);
		}
		return timer;
	},
	clearTimeout: (timer: number | null) => {
		endWorkTimer(timer);
		realClearTimeout(timer);
	},
});

/** One wrapped environment for each, as the service remembers what it made of one. */
const environments = new WeakMap<Env, Env>();

function countingEnv(env: Env): Env {
	const known = environments.get(env);
	if (known) return known;
	const wrapped = {
		...env,
		DB: countingDatabase(env.DB),
		KV: countingKeyValue(env.KV),
		ACCOUNT_METER: countingNamespace(env.ACCOUNT_METER, "meter"),
		WORKSPACE_LEDGER: countingNamespace(env.WORKSPACE_LEDGER, "ledger"),
		AGENT_RUN: countingNamespace(env.AGENT_RUN, "run"),
	};
	environments.set(env, wrapped);
	return wrapped;
}

/** What the benchmark asks of an object. */
interface CountedObject extends Rpc.DurableObjectBranded {
	/** Runs the alarm. */
	ring(): Promise<void>;
	/** Drops the object from memory, as the platform does with an idle one. */
	evict(): void;
}

/** By class and name. Alarms are due by the moved clock; the real clock rings none. */
const objects = new Map<string, KnownObject>();

interface KnownObject {
	stub: (env: Env) => CountedStub;
	alarmAtMs: number | null;
	inMemory: boolean;
}

type CountedStub = DurableObjectStub<CountedObject>;

function stubByName(namespace: keyof Pick<Env, "ACCOUNT_METER" | "WORKSPACE_LEDGER" | "AGENT_RUN">, name: string) {
	return (env: Env) => (env[namespace] as unknown as DurableObjectNamespace<CountedObject>).getByName(name);
}

/**
 * Has an object's state count what is done with it. The platform's base class takes nothing but the platform's own state,
 * so its members are replaced on it.
 */
function countStateUse(
	state: DurableObjectState,
	kind: string,
	namespace: Parameters<typeof stubByName>[0],
	onAlarmSet: (atMs: number) => void = () => undefined,
): string {
	const name = state.id.name ?? state.id.toString();
	const key = `${kind}:${name}`;
	const waitUntil = state.waitUntil.bind(state);
	const entry: KnownObject = {
		stub: stubByName(namespace, name),
		alarmAtMs: objects.get(key)?.alarmAtMs ?? null,
		inMemory: true,
	};
	objects.set(key, entry);
	const storage = withMembersReplaced(state.storage, {
		sql: countingSql(state.storage.sql),
		setAlarm: async (at: number | Date) => {
			counts.objectRowsWritten++;
			entry.alarmAtMs = Number(at);
			onAlarmSet(entry.alarmAtMs);
		},
		getAlarm: async () => entry.alarmAtMs,
		deleteAlarm: async () => {
			counts.objectRowsWritten++;
			entry.alarmAtMs = null;
		},
	});
	Object.defineProperty(state, "storage", { value: storage });
	Object.defineProperty(state, "waitUntil", {
		value: (work: Promise<unknown>) => waitUntil(whileActive(key, work)),
	});
	return key;
}

export class AccountMeter extends Meter {
	#key: string;

	constructor(state: DurableObjectState, env: Env) {
		const key = countStateUse(state, "meter", "ACCOUNT_METER");
		super(state, countingEnv(env));
		this.#key = key;
	}

	async ring(): Promise<void> {
		counts.objectRequests++;
		await whileActive(this.#key, this.alarm());
	}

	evict(): void {
		this.ctx.abort("evicted by the benchmark");
	}
}

export class WorkspaceLedger extends Ledger {
	#key: string;

	constructor(state: DurableObjectState, env: Env) {
		const key = countStateUse(state, "ledger", "WORKSPACE_LEDGER");
		super(state, countingEnv(env));
		this.#key = key;
	}

	async ring(): Promise<void> {
		counts.objectRequests++;
		await whileActive(this.#key, this.alarm());
	}

	evict(): void {
		this.ctx.abort("evicted by the benchmark");
	}
}

/** A run goes from step to step by alarms that are due at once: those ring without the clock being moved. */
export class AgentRun extends Run {
	#key: string;
	#rung: Promise<void> = Promise.resolve();

	constructor(state: DurableObjectState, env: Env) {
		const isDue = (atMs: number) => atMs <= Date.now();
		// Not in the turn of the constructor, which may set one.
		const ringIfDue = (atMs: number) => void (isDue(atMs) && queueMicrotask(() => state.waitUntil(this.#ringNext())));
		const key = countStateUse(state, "run", "AGENT_RUN", ringIfDue);
		super(state, countingEnv(env));
		this.#key = key;
	}

	/** Rings after the alarm that is at work, unless that has set another time. */
	#ringNext(): Promise<void> {
		this.#rung = this.#rung.then(async () => {
			const object = objects.get(this.#key);
			if (!object || object.alarmAtMs === null || object.alarmAtMs > Date.now()) return;
			object.alarmAtMs = null;
			await this.ring();
		});
		return this.#rung;
	}

	async ring(): Promise<void> {
		counts.objectRequests++;
		await whileActive(this.#key, this.alarm());
	}

	evict(): void {
		this.ctx.abort("evicted by the benchmark");
	}
}

/** Moves the clock on and rings the alarms that are due by then. */
async function moveClock(env: Env, byMs: number): Promise<void> {
	movedMs += byMs;
	for (const object of objects.values()) {
		if (object.alarmAtMs === null || object.alarmAtMs > Date.now()) continue;
		object.alarmAtMs = null;
		await object.stub(env).ring();
	}
}

async function evictAll(env: Env): Promise<void> {
	for (const object of objects.values()) {
		// A call would make an object that is not in memory, and count what that reads.
		if (!object.inMemory) continue;
		object.inMemory = false;
		// The abort is what its caller gets.
		await Promise.resolve(object.stub(env).evict()).catch(() => undefined);
	}
}

/** What the benchmark asks for, by path; every answer says where the counts stand. */
async function answerControl(url: URL, env: Env): Promise<Response> {
	if (url.pathname === "/bench/reset") resetCounts();
	if (url.pathname === "/bench/clock") await moveClock(env, Number(url.searchParams.get("ms")));
	if (url.pathname === "/bench/evict") await evictAll(env);
	return Response.json({ counts, databaseBytes: database.sizeBytes, busy: isBusy() });
}

// biome-ignore lint/style/noDefaultExport: the Worker's entry.
export default {
	...worker,
	fetch(request: Request, env: Env, context: ExecutionContext) {
		const url = new URL(request.url);
		if (url.pathname.startsWith("/bench/")) return answerControl(url, env);
		counts.workerRequests++;
		return worker.fetch(request, countingEnv(env), context);
	},
};
