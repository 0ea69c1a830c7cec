// What a meter answers about the requests that it holds, and which archives may have the others.
import { DAY_MS } from "./budget-period.ts";
import { FeedbackTable } from "./feedback-table.edge.ts";
import type { SumRange } from "./fold-table.edge.ts";
import type { CheckedDay, GivenFeedback, MeterFeedbackVerdict } from "./meter-calls.ts";
import type { MeterState } from "./meter-state.edge.ts";
import { type NamedColumn, type NameSums, sumByName } from "./name-sums.edge.ts";
import type { RequestKeeper } from "./request-keeper.edge.ts";
import { firstNumberAt, numberTimeMs, requestNumber } from "./request-number.ts";
import type { ArchivedRequest, RatedRequest, RemovedRequest, RequestDetail } from "./request-page.ts";
import { recomputeDay } from "./request-reader.edge.ts";
import { addSessionRequests, type HeldSessionRequests, type SessionHeads, type SessionsQuery } from "./session-page.ts";
import { SessionTable } from "./session-table.edge.ts";
import type { StoredReceipt } from "./settlement.ts";
import { toStoredDetail, toStoredReceipt } from "./stored-request.ts";
import { chooseSource, readDaySeries, readRowSeries } from "./usage-series.edge.ts";
import type { MeterSeries, SeriesQuery } from "./usage-series.ts";

/** Receipts that a meter shows to strangers in a second. Isolates keep those that they have seen. */
const PUBLIC_LOOKUPS_PER_SECOND = 100;
/** Sums of sessions are begun again so often while requests are moved. */
const MOST_SUM_TRIES = 5;

export class RequestLookup {
	#sql: SqlStorage;
	#state: MeterState;
	#keeper: RequestKeeper;
	#feedback: FeedbackTable;
	#sessions: SessionTable;
	/** Receipts that strangers have asked for in a second. */
	#publicLookups = { second: 0, count: 0 };

	constructor(sql: SqlStorage, state: MeterState, keeper: RequestKeeper) {
		this.#sql = sql;
		this.#state = state;
		this.#keeper = keeper;
		this.#feedback = new FeedbackTable(sql, state.table);
		this.#sessions = new SessionTable(sql, true);
	}

	/** A settled request; `open` while it is not settled. */
	detail(requestId: string): RequestDetail | RemovedRequest | ArchivedRequest | "open" | null {
		const { keptSince } = this.#keeper;
		if (keptSince !== null && this.#isRemoved(requestId)) return { keptSince };
		const whole = this.#wholeRow(requestId);
		if (whole) return toStoredDetail(whole);
		const failed = this.#state.failed.find(requestId);
		return failed ? { request: failed.request, calls: [] } : this.#elsewhere(requestId);
	}

	/** The receipt of a settled request; `open` while it is not settled. */
	receipt(requestId: string): StoredReceipt | ArchivedRequest | "open" | null {
		const receipt = this.#isRemoved(requestId) ? null : this.receiptOf(requestId);
		return receipt ?? this.#elsewhere(requestId);
	}

	/** The same for anybody: so many a second, so that admissions are not kept waiting. */
	publicReceipt(
		requestId: string,
		nowMs: number,
	): StoredReceipt | ArchivedRequest | "open" | "busy" | "unbilled" | null {
		const second = Math.floor(nowMs / 1_000);
		if (this.#publicLookups.second !== second) this.#publicLookups = { second, count: 0 };
		if (++this.#publicLookups.count > PUBLIC_LOOKUPS_PER_SECOND) return "busy";
		const found = this.receipt(requestId);
		return found === null && this.#state.failed.find(requestId) ? "unbilled" : found;
	}

	/** The receipt of a settled request that stands here, kept or not. */
	receiptOf(requestId: string): StoredReceipt | undefined {
		const whole = this.#wholeRow(requestId);
		return whole && toStoredReceipt(whole);
	}

	#wholeRow(requestId: string) {
		const row = this.#state.table.find(requestId);
		return row && this.#state.table.whole(row);
	}

	/** Whether a request would be of a day that is no longer kept. One of those that is still open is shown. */
	#isRemoved(requestId: string): boolean {
		return this.#keeper.isRemoved(requestNumber(requestId)) && !this.#state.findOpen(requestId);
	}

	/** Where a request may be found that is not settled here. */
	#elsewhere(requestId: string): ArchivedRequest | "open" | null {
		if (this.#state.findOpen(requestId)) return "open";
		const archives = this.#isRemoved(requestId) ? [] : this.#keeper.archivesFor(requestId);
		return archives.length > 0 ? { archives } : null;
	}

	/** Stores feedback on a settled request, or changes what it has while it is open. Of many at once the last one stays. */
	giveFeedback(given: GivenFeedback): MeterFeedbackVerdict {
		const verdict = this.#feedback.give(given);
		const elsewhere = verdict.outcome === "no_request" ? this.#elsewhere(given.requestId) : null;
		return typeof elsewhere === "object" && elsewhere ? elsewhere : verdict;
	}

	/** Settled requests behind one, oldest first, with their feedback, and the archives that may have others, newest first. */
	decisions(after: string, limit: number): { rated: RatedRequest[]; archives: number[] } {
		const from = after === "" ? 0 : requestNumber(after);
		return {
			rated: this.#feedback.rated(after, limit),
			archives: this.#keeper.archivesOf({ from, before: Number.MAX_SAFE_INTEGER }),
		};
	}

	/** Usage of a range of days under names of clients, from its latest requests. */
	async nameSums(column: NamedColumn, { since, until, ...which }: SumRange): Promise<NameSums> {
		const { firstKept } = this.#keeper;
		const from = firstNumberAt(Date.parse(since));
		const range = { from: Math.max(from, firstKept), before: firstNumberAt(Date.parse(until) + DAY_MS) };
		const read = await sumByName(this.#sql, column, range, which);
		if (read.countedFromMs !== null) return read;
		const archived = this.#keeper.archivesOf(range).length > 0 ? this.#keeper.heldFromMs : null;
		return { ...read, countedFromMs: archived ?? (from < firstKept ? numberTimeMs(firstKept) : null) };
	}

	/** Usage over time, and what it was read from. */
	series(query: SeriesQuery): MeterSeries {
		const source = chooseSource(this.#state, this.#keeper, query);
		const series =
			source === "rows" ? readRowSeries(this.#state, this.#keeper, query) : readDaySeries(this.#state, query);
		return { ...series, source };
	}

	/** Sessions whose newest request arrived in a range of time. */
	sessionHeads({ sinceMs, beforeMs, ...query }: SessionsQuery): Promise<SessionHeads> {
		const range = {
			from: Math.max(this.#keeper.firstKept, firstNumberAt(sinceMs)),
			before: Math.min(firstNumberAt(beforeMs), Number.MAX_SAFE_INTEGER),
		};
		return this.#sessions.heads(range, query);
	}

	/** What the requests of sessions come to, and the archives that may have others. */
	async sessionRequests(
		sessionIds: readonly string[],
		apiKeyIds: readonly string[] | null,
	): Promise<HeldSessionRequests> {
		for (let tries = 1; ; tries++) {
			const { archived } = this.#keeper;
			const all = { from: archived.from, before: Number.MAX_SAFE_INTEGER };
			const sums = addSessionRequests(await this.#sessions.sums(sessionIds, apiKeyIds, all));
			// What was moved meanwhile is counted in part.
			if (this.#keeper.archived.before !== archived.before && tries < MOST_SUM_TRIES) continue;
			return { sums, archives: this.#keeper.archivesOf(archived), archived };
		}
	}

	/** The sums of a day, and what its rows come to at the same moment, if they all are here. */
	async checkDay(day: string): Promise<CheckedDay> {
		const sums = this.#state.sumsOfDay(day);
		if (!this.#keeper.hasAllOf(day)) return { day, sums, rows: null };
		const rows = await recomputeDay(this.#state, day, this.#state.lastChange);
		return { day, sums, rows: this.#keeper.hasAllOf(day) ? rows : null };
	}
}
