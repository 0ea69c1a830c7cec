// Settles requests through D1: those that have expired, and those that a Worker has settled there while the meter was away.
//
// A reservation whose caller died is settled at its bound, unless D1 has a settlement that a Worker stranded there. So the meter writes
// its own there first, and settles with what it reads back. From the moment that it may ask D1, the row says so, and nothing else
// settles the request.
import { database } from "../db/client.edge.ts";
import { Backoff } from "../durable/backoff.ts";
import { callObject } from "../durable/call-object.edge.ts";
import { StorageUnavailableError } from "../failure.ts";
import { logError } from "../http/log.edge.ts";
import { runObjectName } from "../ids.ts";
import { type Receipt, withEmptyOutput } from "../proof/receipt.ts";
import { cachedSettings } from "../settings.ts";
import type { TraceParent } from "../telemetry/trace-context.ts";
import type { DataKey } from "./data-key.edge.ts";
import type { MeterAccount } from "./meter-account.edge.ts";
import type { MeterState } from "./meter-state.edge.ts";
import type { RequestKeeper } from "./request-keeper.edge.ts";
import type { OpenRequest } from "./request-table.edge.ts";
import { type ReservedEnd, type Settlement, settleAtBound } from "./settlement.ts";
import { listUntaken, markTaken, strand } from "./stranded.store.ts";
import { traceAtBound } from "./unsettled-trace.edge.ts";

/** Settlements of one statement: a chat's have 2 KB, those of long runs a hundred, and D1 takes 2 MB. */
const CLAIMED_AT_ONCE = 15;
/** So long an expired run may take to go on once its object was woken: it looks at its state within seconds. */
const RUN_GRACE_MS = 15_000;

/** What the meter provides. */
interface ClaimOwner {
	account: MeterAccount;
	state: MeterState;
	keeper: RequestKeeper;
	dataKey: DataKey;
	/** Settles an open request, with all that follows from its cost. */
	settle(open: OpenRequest, settlement: Settlement, nowMs: number): void;
	/** Releases an open request that cost nothing. */
	release(requestId: string, nowMs: number): void;
	waitUntil(work: Promise<unknown>): void;
}

function logStrandedFailure(error: unknown): void {
	logError("stranded_settlement_failed", error);
}

export class ExpiredRequests {
	#env: Env;
	#owner: ClaimOwner;
	#state: MeterState;
	/** Asks D1 for settlements, one call after the other. */
	#claims: Promise<void> = Promise.resolve();
	#backoff = new Backoff();
	/** Expired runs whose objects were asked, and until when they may go on. */
	#awaitedRuns = new Map<string, number>();

	constructor(env: Env, owner: ClaimOwner) {
		this.#env = env;
		this.#owner = owner;
		this.#state = owner.state;
	}

	/** Until what has expired is to be looked at again: D1 may be asked by then, and runs have gone on. */
	get retryDelayMs(): number {
		const delayMs = this.#backoff.failures > 0 ? this.#backoff.delayMs : 0;
		return this.#awaitedRuns.size > 0 ? Math.max(delayMs, RUN_GRACE_MS) : delayMs;
	}

	/** Settles what has expired, as far as D1 can be asked, but for runs that may still go on. One that never began is released. */
	async settleExpired(): Promise<void> {
		const nowMs = Date.now();
		const expired = this.#state.expired(nowMs);
		for (const id of this.#awaitedRuns.keys())
			if (!expired.some((open) => open.id === id)) this.#awaitedRuns.delete(id);
		if (expired.length === 0) return;
		const due: OpenRequest[] = [];
		for (const open of expired) if ((await this.#askRun(open, nowMs)) === "due") due.push(open);
		if (due.length > 0) await this.#claim(due);
		const { userId } = this.#owner.account;
		if (userId !== null) await this.takeStranded(userId).catch(logStrandedFailure);
	}

	/**
	 * Asks the object of an expired run, which wakes it. One that has begun is given time to go on, or to settle itself, with all its steps;
	 * the meter knows of fewer. One that never began is released, and begins no more: whoever admitted it died in between. It called nobody
	 * and nobody knows its id, so it stands in no total. Anything else is due.
	 */
	async #askRun(open: OpenRequest, nowMs: number): Promise<"awaited" | "released" | "due"> {
		const { id, isClaiming } = open;
		if (isClaiming) return "due";
		const { usage } = this.#state.table.reserved(open, this.#owner.account.userId ?? "");
		if (usage.kind !== "agent") return "due";
		const untilMs = this.#awaitedRuns.get(id);
		if (untilMs !== undefined) return nowMs < untilMs ? "awaited" : "due";
		try {
			const isAbandoned = await callObject(this.#env.AGENT_RUN, runObjectName(id), (run) => run.abandon());
			if (isAbandoned && usage.calls.length === 0) {
				this.#owner.release(id, nowMs);
				return "released";
			}
			// One that was deleted, or is of a backup that knows it no more, has no object that goes on.
			if (isAbandoned) return "due";
		} catch (error) {
			logError("expired_run_not_asked", error, { request_id: id });
			return "due";
		}
		this.#awaitedRuns.set(id, nowMs + RUN_GRACE_MS);
		return "awaited";
	}

	/** An open request that only the meter settles; undefined where it is not open. @throws StorageUnavailableError while D1 is to be asked and is away. */
	async findUnclaimed(requestId: string): Promise<OpenRequest | undefined> {
		const open = this.#state.findOpen(requestId);
		if (!open?.isClaiming) return open;
		await this.#claim([open]);
		if (this.#state.findOpen(requestId)) throw new StorageUnavailableError("D1 may have a settlement of the request");
		return undefined;
	}

	/** Takes over settlements that Workers have stranded in D1. Idempotent. */
	async takeStranded(userId: string): Promise<void> {
		const db = database(this.#env.DB);
		for (;;) {
			const settlements = await listUntaken(db, userId);
			if (settlements.length === 0) return;
			for (const settlement of settlements)
				if (!(await this.#owner.keeper.isArchived(userId, settlement.usage.request_id))) this.#take(settlement);
			const ids = settlements.map(({ usage }) => usage.request_id);
			await markTaken(db, userId, ids, Date.now());
		}
	}

	/** Settles open requests with what D1 has for them, which is their bound unless a Worker was there before. Never throws. */
	#claim(requests: readonly OpenRequest[]): Promise<void> {
		const claimed = this.#claims.then(async () => {
			try {
				await this.#claimAll(requests.map(({ id }) => id));
			} catch (error) {
				this.#backoff.recordFailure();
				logStrandedFailure(error);
			}
		});
		this.#claims = claimed;
		return claimed;
	}

	async #claimAll(requestIds: readonly string[]): Promise<void> {
		for (let from = 0; from < requestIds.length; from += CLAIMED_AT_ONCE) {
			const nowMs = Date.now();
			// Until it is claimed, a request may be settled or extended: while others wait for D1, for example.
			const some = requestIds.slice(from, from + CLAIMED_AT_ONCE).flatMap((id) => this.#state.findOpen(id) ?? []);
			await this.#claimSome(some.filter(({ isClaiming, expiresAtMs }) => isClaiming || expiresAtMs <= nowMs));
		}
		this.#backoff.recordSuccess();
	}

	async #claimSome(requests: readonly OpenRequest[]): Promise<void> {
		if (requests.length === 0) return;
		const env = this.#env;
		const db = database(env.DB);
		const { signer } = cachedSettings(env);
		const userId = this.#owner.account.userId ?? "";
		for (const open of requests) this.#state.claim(open);
		const parents = new Map<string, TraceParent | null>();
		const atBounds = requests.map(async (open) => {
			const { parent = null, ...reserved } = this.#state.table.reserved(open, userId);
			parents.set(open.id, parent);
			return settleAtBound(await this.#withOutput(reserved), Date.now(), signer);
		});
		const settlements = await strand(db, await Promise.all(atBounds), Date.now());
		const taken = settlements.filter((settlement) => this.#take(settlement));
		const waitUntil = (work: Promise<unknown>) => this.#owner.waitUntil(work);
		waitUntil(traceAtBound({ env, waitUntil }, taken, parents));
		const ids = settlements.map(({ usage }) => usage.request_id);
		await markTaken(db, userId, ids, Date.now()).catch(logStrandedFailure);
	}

	/**
	 * Settles a request with its settlement from D1. One that the meter does not know was admitted before it was restored.
	 * @returns whether it was open.
	 */
	#take(settlement: Settlement): boolean {
		const { request_id: id, api_key_id: apiKeyId } = settlement.usage;
		const nowMs = Date.now();
		if (!this.#state.wasAdmitted(id)) {
			const receipt = JSON.parse(settlement.receipt.receipt) as Receipt;
			this.#state.admit({
				id,
				apiKeyId,
				atMs: nowMs,
				counting: "none",
				isLimited: false,
				budgetKeyId: apiKeyId,
				bookedDay: this.#state.today(nowMs),
				nanoUsd: 0,
				keyBudget: null,
				expiresAtMs: nowMs,
				reservation: { usage: settlement.usage, receipt, expiresAtMs: nowMs, holdNanoUsd: 0 },
			});
		}
		const open = this.#state.findOpen(id);
		if (!open) return false;
		// Its Worker may have believed that it had no reservation.
		this.#state.failed.drop(id);
		this.#owner.settle(open, settlement, nowMs);
		return true;
	}

	/** A reservation whose receipt says that nothing was delivered, where it was written before the request had its salt. */
	async #withOutput(reservation: ReservedEnd): Promise<ReservedEnd> {
		const { receipt } = reservation;
		if (receipt.output_hash !== null) return reservation;
		try {
			const salt = await this.#owner.dataKey.salt(receipt.request_id);
			return { ...reservation, receipt: withEmptyOutput(receipt, salt) };
		} catch (error) {
			// What it cost is recorded all the same.
			logError("data_key_closed", error);
			return reservation;
		}
	}
}
