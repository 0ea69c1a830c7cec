// A user's account on trial: requests, faults, crashes and waits one after the other, and a journal of what really happened.
// It judges nothing; the test that drives it compares the journal with what the service says.
import {
	createExecutionContext,
	evictDurableObject,
	runDurableObjectAlarm,
	runInDurableObject,
	waitOnExecutionContext,
} from "cloudflare:test";
import { env } from "cloudflare:workers";
import { vi } from "vitest";
import { app } from "../../src/app.ts";
import type { SettlementDetail } from "../../src/meter/request-page.ts";
import type { NamedTotals } from "../../src/meter/usage-totals.ts";
import { type Entrance, endOf, entranceNamed, sentence } from "./entrances.ts";
import { alarmAtMs, type Fault, type FaultPlan, killObject, type Operation, useFaults, writes } from "./faults.ts";
import {
	eventually,
	meterOf,
	newKey,
	ORIGIN,
	settledRequests,
	sumsUnlikeD1,
	type TestKey,
	type Upstream,
	type UpstreamCall,
	type UsageReport,
	usageOf,
	useSandbox,
	withKey,
} from "./service.ts";
import type { Chunk } from "./sse.ts";

/** A request of the trial. */
export interface Ask {
	entrance: Entrance["name"];
	/** Faults for the sandbox, in double brackets. */
	words: string;
	model: string;
	stream: boolean;
	/** The client goes after the first piece of a stream. */
	leaves: boolean;
}

/** Where a trial's faults are put. */
export type FaultyPlace =
	| "d1 reads"
	| "d1 writes"
	| "admit"
	| "settle"
	| "take over"
	| "release"
	| "snapshot"
	| "upstream";

/** What can happen to the meter in the middle of an upstream call, or between two requests. */
export type Blow = "evict" | "kill" | "alarm" | "expiry";

/** What the client of a request got. */
export interface Heard {
	requestId: string;
	status: number;
	/** A whole answer, or a stream that ended as its form has it. */
	delivered: boolean;
	/** The error's code, in a body or in a stream. */
	error: string | null;
	svc: Chunk["svc"] | null;
	/** Cost in an error body. */
	costUsd: number | null;
	left: boolean;
}

/** A request and what is known of it. */
export interface Entry {
	ask: Ask;
	heard: Heard;
	/** Upstream calls, in order. */
	calls: UpstreamCall[];
	/** Its reservation ran out while the upstream was busy with it. */
	expired: boolean;
}

/** A call of the meter about one request. */
interface MeterCall {
	method: string;
	requestId: string;
	/** Whether it reached the object. */
	applied: boolean;
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Longer than any reservation. */
const PAST_RESERVATIONS_MS = 900_000;

function requestIdOf({ method, args }: Operation): string | null {
	if (method === "admit") return (args[0] as { requestId: string }).requestId;
	if (method === "settle") return (args[0] as { receipt: { request_id: string } }).receipt.request_id;
	return method === "release" ? String(args[0]) : null;
}

async function heardWhole(entrance: Entrance, response: Response): Promise<Heard> {
	const body = (await response.json()) as { svc?: Chunk["svc"]; error?: unknown; cost_usd?: number };
	const isDelivered = response.status === 200;
	// Chat's form has the fields of an error at the top, the others within.
	const fields = typeof body.error === "object" ? (body.error as { cost_usd?: number } | null) : body;
	const code = isDelivered ? null : entrance.errorCode({ ...body });
	return {
		requestId: response.headers.get("x-request-id") ?? "",
		status: response.status,
		delivered: isDelivered,
		error: typeof code === "string" ? code : null,
		svc: body.svc ?? null,
		costUsd: fields?.cost_usd ?? null,
		left: false,
	};
}

async function heardStream(entrance: Entrance, response: Response, leaves: boolean): Promise<Heard> {
	if (response.status !== 200) return heardWhole(entrance, response);
	const heard = { requestId: response.headers.get("x-request-id") ?? "", status: 200, costUsd: null };
	if (leaves) {
		const reader = response.body?.getReader();
		await reader?.read();
		await reader?.cancel();
		return { ...heard, delivered: false, error: null, svc: null, left: true };
	}
	const { isWhole, code, svc } = await endOf(entrance, response);
	return { ...heard, delivered: isWhole, error: typeof code === "string" ? code : null, svc, left: false };
}

export class Trial {
	readonly key: TestKey;
	readonly entries: Entry[] = [];
	readonly meterCalls: MeterCall[] = [];
	#faults: { restore(): void };
	#upstream: Upstream;
	/** Faults still to come, by place. */
	#queues = new Map<FaultyPlace, Fault[]>();
	#d1IsAway = false;
	#readsPass = false;
	/** Closed while an upstream call is to wait. */
	#gate: Promise<void> = Promise.resolve();
	#asked = 0;
	/** Got before the faults: it is for the platform's own tools. */
	#meter: () => DurableObjectStub<undefined>;

	private constructor(key: TestKey, getMeter: () => DurableObjectStub<undefined>) {
		this.key = key;
		this.#meter = getMeter;
		this.#upstream = useSandbox(
			async () => {
				await this.#gate;
				return undefined;
			},
			() => this.#next("upstream"),
		);
		this.#faults = useFaults({ DB: this.#d1Plan, ACCOUNT_METER: this.#meterPlan });
	}

	/**
	 * Begins with a new user. The clock stands still a day ahead, so that no alarm goes off by itself.
	 * @param toKey the key that makes the requests, by that of the new user.
	 */
	static async begin(toKey: (owner: TestKey) => Promise<TestKey> = async (owner) => owner): Promise<Trial> {
		const key = await toKey(await newKey("corporate"));
		const getByName = env.ACCOUNT_METER.getByName.bind(env.ACCOUNT_METER);
		vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 24 * HOUR_MS });
		return new Trial(key, () => getByName(key.user_id) as unknown as DurableObjectStub<undefined>);
	}

	end(): void {
		this.#faults.restore();
		this.#upstream.restore();
		vi.useRealTimers();
	}

	#next(place: FaultyPlace): Fault {
		return this.#queues.get(place)?.shift() ?? "pass";
	}

	#d1Plan: FaultPlan = (operation) => {
		const writing = writes(operation);
		if (!writing && this.#readsPass) return "pass";
		return this.#d1IsAway ? "fail" : this.#next(writing ? "d1 writes" : "d1 reads");
	};

	#meterPlan: FaultPlan = (operation) => {
		const { method } = operation;
		if (this.#readsPass) return "pass";
		if (method === "snapshot") return this.#next(method);
		if (method === "takeStranded") return this.#next("take over");
		if (method !== "admit" && method !== "settle" && method !== "release") return "pass";
		const fault = this.#next(method);
		this.meterCalls.push({ method, requestId: requestIdOf(operation) ?? "", applied: fault !== "fail" });
		return fault;
	};

	/** The next calls there go wrong in this way. */
	faults(place: FaultyPlace, faults: Fault[]): void {
		this.#queues.set(place, [...faults]);
	}

	/** Makes a request and hears it to its end, with all that is left to do after it. */
	async ask(ask: Ask, expired = false): Promise<void> {
		const mark = `mark-${this.#asked++}-end`;
		const content = `${mark} ${ask.words}${ask.leaves ? " [[long 3000]]" : ""}`;
		const { stream, model } = ask;
		const entrance = entranceNamed(ask.entrance);
		const init = withKey(this.key.key, { ...entrance.toBody(sentence(content, { model, maxTokens: 1_000 })), stream });
		const context = createExecutionContext();
		const response = await app.fetch(new Request(`${ORIGIN}${entrance.path}`, init), env, context);
		const heard = await (stream ? heardStream(entrance, response, ask.leaves) : heardWhole(entrance, response));
		await waitOnExecutionContext(context);
		const calls = this.#upstream.requests.filter(({ body }) => JSON.stringify(body).includes(mark));
		this.entries.push({ ask, heard, calls, expired });
	}

	/** Makes a request, and lets something happen to the meter while the upstream is busy with it. */
	async askDuring(ask: Ask, blow: Blow): Promise<void> {
		const open = Promise.withResolvers<void>();
		this.#gate = open.promise;
		const before = this.#upstream.requests.length;
		let over = false;
		const asking = this.ask(ask, blow === "expiry").finally(() => {
			over = true;
		});
		await eventually(async () => over || this.#upstream.requests.length > before);
		await this.blow(blow);
		open.resolve();
		await asking;
	}

	async blow(blow: Blow): Promise<void> {
		if (blow === "kill") await killObject(this.#meter());
		// An object that is not running cannot be evicted.
		else if (blow === "evict") await evictDurableObject(this.#meter()).catch(() => undefined);
		else {
			if (blow === "expiry") this.wait(PAST_RESERVATIONS_MS);
			await runDurableObjectAlarm(this.#meter());
		}
	}

	/** Moves the clock on; alarms do not go off by it. */
	wait(ms: number): void {
		vi.setSystemTime(Date.now() + ms);
	}

	/** Goes through an hour, alarm by alarm, in which D1 is away. */
	async hourWithoutD1(): Promise<void> {
		this.#d1IsAway = true;
		await this.#runAlarmsUntil(Date.now() + HOUR_MS);
		this.#d1IsAway = false;
	}

	async #runAlarmsUntil(endsAtMs: number): Promise<void> {
		for (;;) {
			const atMs = await alarmAtMs(this.#meter());
			if (atMs === null || atMs > endsAtMs) break;
			vi.setSystemTime(Math.max(atMs, Date.now()));
			await runDurableObjectAlarm(this.#meter());
		}
	}

	/** Ends all faults and lets alarms come until the meter wants none. */
	async recover(): Promise<void> {
		this.#queues.clear();
		await this.#runAlarmsUntil(Date.now() + HOUR_MS);
	}

	/** What the user is told while faults go on, D1's reads alone left in peace. */
	async usage(): Promise<UsageReport> {
		this.#readsPass = true;
		try {
			return await usageOf(this.key);
		} finally {
			this.#readsPass = false;
		}
	}

	/**
	 * What the meter still holds: sums that D1 has otherwise, requests that are open. An alarm more than a day ahead is none: it lets the
	 * stored bytes of a day leave their sum.
	 */
	async held(): Promise<{ unsent: number; open: number; alarmAtMs: number | null }> {
		const open = await runInDurableObject(
			this.#meter(),
			(_, { storage }) =>
				storage.sql.exec<{ n: number }>("SELECT count(*) AS n FROM requests WHERE expires_at_ms IS NOT NULL").one().n,
		);
		const unsent = await sumsUnlikeD1(this.key);
		const atMs = await alarmAtMs(this.#meter());
		return { unsent, open, alarmAtMs: atMs !== null && atMs > Date.now() + DAY_MS ? null : atMs };
	}

	/** All settled requests, newest first. */
	settled(): Promise<SettlementDetail[]> {
		return settledRequests(this.key);
	}

	/** The totals that the meter has counted. */
	async totals(): Promise<NamedTotals[]> {
		return (await meterOf(this.key).snapshot("corporate")).totals;
	}

	/** Requests that were let in, whether their caller heard of it or not. */
	admitted(): Set<string> {
		const applied = this.meterCalls.filter(({ method, applied }) => method === "admit" && applied);
		return new Set(applied.map(({ requestId }) => requestId));
	}

	/** Whether a request's reservation was to be released and the meter never heard of it. */
	releasesLost(requestId: string): boolean {
		const releases = this.meterCalls.filter((call) => call.method === "release" && call.requestId === requestId);
		return releases.length > 0 && releases.every(({ applied }) => !applied);
	}
}
