// The Worker with every billed operation counted and a clock that the benchmark moves. It is built for the benchmark only.
import type { DurableObject } from "cloudflare:workers";
import worker, {
	WorkspaceLedger as Ledger,
	AccountMeter as Meter,
	StoredResponses as Responses,
	AgentRun as Run,
} from "../../../src/index.ts";
import {
	countAlarmSet,
	countingDatabase,
	countingKeyValue,
	countingNamespace,
	countingSql,
	countRing,
	counts,
	database,
	isBusy,
	resetCounts,
	sources,
	whileActive,
	whileBusy,
	withMembersReplaced,
} from "./counts.ts";

export * from "../../../src/index.ts";

let movedMs = 0;
const realNow = Date.now.bind(Date);
// Limits, alarms and the purge of old rows use this clock, so that minutes of traffic take seconds.
Date.now = () => realNow() + movedMs;

for (const level of ["log", "warn", "error"] as const) {
	const write = console[level].bind(console);
	console[level] = (...args: unknown[]) => {
		counts.logLines++;
		write(...args);
	};
}

/** Deadlines of calls are longer. A shorter timer is work that will be done, such as a flush that gathers rows. */
const LONGEST_WORK_TIMER_MS = 2_000;

const { setTimeout: realSetTimeout, clearTimeout: realClearTimeout } = globalThis;
const workTimers = new Map<unknown, PromiseWithResolvers<void>>();

function endWorkTimer(timer: unknown): void {
	workTimers.get(timer)?.resolve();
	workTimers.delete(timer);
}

// Timers use the real clock. While one is pending that is work, the counts are not final.
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

/** One wrapper per environment, because the service caches what it derives from one. */
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
		STORED_RESPONSES: countingNamespace(env.STORED_RESPONSES, "responses"),
	};
	environments.set(env, wrapped);
	return wrapped;
}

/** The calls that the benchmark makes to an object. */
interface CountedObject extends Rpc.DurableObjectBranded {
	/** Runs the alarm. */
	ring(): Promise<void>;
	/** Drops the object from memory, as the platform does with an idle one. */
	evict(): void;
}

/** By class and name. Alarms are due by the moved clock. The real clock rings none. */
const objects = new Map<string, KnownObject>();

interface KnownObject {
	stub: (env: Env) => CountedStub;
	alarmAtMs: number | null;
	inMemory: boolean;
}

type CountedStub = DurableObjectStub<CountedObject>;

type ObjectBinding = "ACCOUNT_METER" | "WORKSPACE_LEDGER" | "AGENT_RUN" | "STORED_RESPONSES";

function stubByName(namespace: ObjectBinding, name: string) {
	return (env: Env) => (env[namespace] as unknown as DurableObjectNamespace<CountedObject>).getByName(name);
}

/**
 * Makes an object's state count its operations. The platform's base class accepts only the platform's own state object, so
 * members of that object are replaced.
 */
function countStateUse(
	state: DurableObjectState,
	kind: string,
	namespace: ObjectBinding,
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
		sql: countingSql(state.storage.sql, kind),
		setAlarm: async (at: number | Date) => {
			countAlarmSet(kind);
			entry.alarmAtMs = Number(at);
			onAlarmSet(entry.alarmAtMs);
		},
		getAlarm: async () => entry.alarmAtMs,
		deleteAlarm: async () => {
			countAlarmSet(kind);
			entry.alarmAtMs = null;
		},
	});
	Object.defineProperty(state, "storage", { value: storage });
	Object.defineProperty(state, "waitUntil", {
		value: (work: Promise<unknown>) => waitUntil(whileActive(key, work)),
	});
	return key;
}

type AlarmedObject = DurableObject<Env> & { alarm(): Promise<void> };

/** A class of objects that counts what its objects use. Its objects can be rung and evicted. */
function countingObject(
	Counted: new (state: DurableObjectState, env: Env) => AlarmedObject,
	name: string,
	binding: ObjectBinding,
) {
	return class extends Counted {
		#key: string;

		constructor(state: DurableObjectState, env: Env) {
			const key = countStateUse(state, name, binding);
			super(state, countingEnv(env));
			this.#key = key;
		}

		async ring(): Promise<void> {
			countRing(name);
			await whileActive(this.#key, Promise.resolve(this.alarm()));
		}

		evict(): void {
			this.ctx.abort("evicted by the benchmark");
		}
	};
}

export const AccountMeter = countingObject(Meter, "meter", "ACCOUNT_METER");
export const WorkspaceLedger = countingObject(Ledger, "ledger", "WORKSPACE_LEDGER");
export const StoredResponses = countingObject(Responses, "responses", "STORED_RESPONSES");
export { RequestArchive } from "../../../src/index.ts";

/** A run goes from step to step by alarms that are due at once. Those ring without moving the clock. */
export class AgentRun extends Run {
	#key: string;
	#rung: Promise<void> = Promise.resolve();

	constructor(state: DurableObjectState, env: Env) {
		const isDue = (atMs: number) => atMs <= Date.now();
		// Not in the constructor's own turn, which may set one.
		const ringIfDue = (atMs: number) => void (isDue(atMs) && queueMicrotask(() => state.waitUntil(this.#ringNext())));
		const key = countStateUse(state, "run", "AGENT_RUN", ringIfDue);
		super(state, countingEnv(env));
		this.#key = key;
	}

	/** Rings after the alarm that is running, unless that one has set another time. */
	#ringNext(): Promise<void> {
		this.#rung = this.#rung.then(async () => {
			const object = objects.get(this.#key);
			if (!object || object.alarmAtMs === null || object.alarmAtMs > Date.now()) return;
			object.alarmAtMs = null;
			await this.#ringOnce();
		});
		return this.#rung;
	}

	/** As on the platform, alarms of one object ring one after the other. */
	async ring(): Promise<void> {
		this.#rung = this.#rung.then(() => this.#ringOnce());
		await this.#rung;
	}

	async #ringOnce(): Promise<void> {
		countRing("run");
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
		// A call would load an evicted object and count its reads.
		if (!object.inMemory) continue;
		object.inMemory = false;
		// The caller gets the abort as an error.
		await Promise.resolve(object.stub(env).evict()).catch(() => undefined);
	}
}

/** The benchmark's own paths. Every answer has the counts. */
async function answerControl(url: URL, env: Env): Promise<Response> {
	if (url.pathname === "/bench/reset") resetCounts();
	if (url.pathname === "/bench/clock") await moveClock(env, Number(url.searchParams.get("ms")));
	if (url.pathname === "/bench/evict") await evictAll(env);
	return Response.json({
		counts,
		sources: Object.fromEntries(sources),
		databaseBytes: database.sizeBytes,
		busy: isBusy(),
	});
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
