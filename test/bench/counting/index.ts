// The Worker as it is, with every billed operation counted, and a clock that the benchmark moves; built for the benchmark only.
import worker, { AccountMeter as Meter } from "../../../src/index.ts";
import {
	countingDatabase,
	countingKeyValue,
	countingNamespace,
	countingSql,
	counts,
	database,
	isBusy,
	resetCounts,
	standIn,
	whileActive,
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

/** One wrapped environment for each, as the service remembers what it made of one. */
const environments = new WeakMap<Env, Env>();

function countingEnv(env: Env): Env {
	const known = environments.get(env);
	if (known) return known;
	const wrapped = {
		...env,
		DB: countingDatabase(env.DB),
		KV: countingKeyValue(env.KV),
		ACCOUNT_METER: countingNamespace(env.ACCOUNT_METER),
	};
	environments.set(env, wrapped);
	return wrapped;
}

/** When each meter's alarm is due, by the moved clock; the real clock rings none. */
const alarms = new Map<string, number>();

/** Meters in memory. */
const meters = new Set<string>();

export class AccountMeter extends Meter {
	#name: string;

	constructor(state: DurableObjectState, env: Env) {
		const name = state.id.name ?? state.id.toString();
		const waitUntil = state.waitUntil.bind(state);
		const storage = standIn(state.storage, {
			sql: countingSql(state.storage.sql),
			setAlarm: async (at: number) => {
				counts.objectRowsWritten++;
				alarms.set(name, at);
			},
		});
		// The platform's base class takes nothing but the platform's own state, so its members are replaced on it.
		Object.defineProperty(state, "storage", { value: storage });
		Object.defineProperty(state, "waitUntil", {
			value: (work: Promise<unknown>) => waitUntil(whileActive(name, work)),
		});
		super(state, countingEnv(env));
		this.#name = name;
		meters.add(name);
	}

	/** Runs the alarm. */
	async ring(): Promise<void> {
		counts.objectRequests++;
		await whileActive(this.#name, this.alarm());
	}

	/** Drops the object from memory, as the platform does with an idle one. */
	evict(): void {
		this.ctx.abort("evicted by the benchmark");
	}
}

function meterNamed(env: Env, name: string): DurableObjectStub<AccountMeter> {
	return (env.ACCOUNT_METER as unknown as DurableObjectNamespace<AccountMeter>).getByName(name);
}

/** Moves the clock on and rings the alarms that are due by then. */
async function moveClock(env: Env, byMs: number): Promise<void> {
	movedMs += byMs;
	for (const [name, dueAtMs] of alarms) {
		if (dueAtMs > Date.now()) continue;
		alarms.delete(name);
		await meterNamed(env, name).ring();
	}
}

async function evictAll(env: Env): Promise<void> {
	for (const name of meters) {
		// The abort is what its caller gets.
		await Promise.resolve(meterNamed(env, name).evict()).catch(() => undefined);
		// A call would make an object that is not in memory, and count what that reads.
		meters.delete(name);
	}
}

/** What the benchmark asks for, by path; every answer says where the counts stand. */
async function control(url: URL, env: Env): Promise<Response> {
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
		if (url.pathname.startsWith("/bench/")) return control(url, env);
		counts.workerRequests++;
		return worker.fetch(request, countingEnv(env), context);
	},
};
