// The requests of a meter's user: rows and fold in SQLite, and the windows, holds and sums that follow from them in memory. Synchronous.
// Every method writes first and changes memory afterwards, so that a write that throws changes nothing.
//
// Every admission, extension, settlement and release has the next number. A fold counts everything up to one number, and names where to
// find what came later: an id's time is not the time of admission, so rows below the fold's floor are listed.
import { addCounts, type DayCounts, type DayPlace, type DaySum, DaySums, NO_COUNTS, toDaySums } from "./day-sums.ts";
import { toFailureSum, type UnbilledRequest } from "./failed-request.ts";
import { FailedTable } from "./failed-table.edge.ts";
import { FoldTable, type NamedDaySum, type SumColumn, type SumRange, type UnsentSums } from "./fold-table.edge.ts";
import type { BudgetStatus, KeyBudget, KeyCosts } from "./key-budget.ts";
import { KeyLedger } from "./key-ledger.ts";
import { KeyWindows } from "./key-windows.ts";
import { countAdmissions, emptyWindows, type LimitWindows, packWindows, unpackWindows } from "./packed-windows.ts";
import { firstNumberAt, requestNumber } from "./request-number.ts";
import {
	type Counting,
	type NewRequest,
	type OpenRequest,
	type RequestRow,
	RequestTable,
} from "./request-table.edge.ts";
import { MINUTE_MS, toMinute } from "./rolling-window.ts";
import type { OpenHold, Reservation, Settlement, UsageRow } from "./settlement.ts";
import { toCountedRow, type WholeRow } from "./stored-request.ts";
import { mergeTimes, type NamedTimes, TimeSums } from "./time-sums.ts";
import { type DayFailures, TimeTable } from "./time-table.edge.ts";
import { type NamedTotals, UsageTotals } from "./usage-totals.ts";

/** A fold comes after so many changes, so that its rows add little to the cost of a request and a wake-up reads few. */
const FOLD_AFTER_CHANGES = 256;
/** Requests are admitted this soon after their ids were made, as a rule. Others are listed one by one. */
const USUAL_DELAY_MS = 2_000;
/** While D1 is away for long, sums that it lacks are stored by their days. */
const MOST_UNSENT_PLACES = 1_000;
/** Requests that cost nothing are known by their ids for so many others. */
const REMEMBERED_FREE = 1_000;

/** An admission without a reservation: it only counts. */
export interface FreeRequest {
	requestId: string;
	isOfDay: boolean;
	/** The key, if it has limits of its own. */
	limitedKeyId: string | null;
}

/** A sum as it is now, for D1. */
export interface OutgoingDaySum extends DaySum {
	/** Of this row in D1: a lower one never replaces a higher one. */
	revision: number;
}

const COUNTED: Record<Counting, { requests: number; ofDay: number }> = {
	none: { requests: 0, ofDay: 0 },
	minute: { requests: 1, ofDay: 0 },
	day: { requests: 1, ofDay: 1 },
};

/** The sums of a range's days and keys. */
function within<Sum extends DayPlace>({ since, until, apiKeyIds }: SumRange, sums: readonly Sum[]): Sum[] {
	return sums.filter(
		({ day, api_key_id }) => day >= since && day <= until && (apiKeyIds === null || apiKeyIds.includes(api_key_id)),
	);
}

export class MeterState {
	readonly table: RequestTable;
	/** Requests that failed without a bill. They count nowhere. */
	readonly failed: FailedTable;
	readonly fold: FoldTable;
	/** Of keys that have limits of their own. */
	readonly keys: KeyWindows;
	/** Called in the transaction of a fold, with the change that it goes up to. */
	onFold: ((changed: number) => void) | null = null;
	readonly #storage: DurableObjectStorage;
	#windows: LimitWindows;
	#ledger: KeyLedger;
	#totals: UsageTotals;
	/** What the sums have grown by since the fold. */
	#grown = new DaySums();
	/** How long the requests took that came after the fold. */
	#grownTimes = new TimeSums();
	readonly #times: TimeTable;
	/** Sums that D1 may have with earlier counts, and the change that they grew with. */
	#unsent = new Map<string, DayPlace & { changed: number }>();
	#open = new Map<string, OpenRequest>();
	/** Ids of the latest requests that cost nothing. */
	#free = new Set<string>();
	#retiredBudgets: Set<string>;
	#changed: number;
	#floor: number;
	#changesSinceFold = 0;
	/** The latest time that anything was recorded at. */
	#latestMs: number;

	/** @param retiredBudgets those of which all keys are revoked. */
	constructor(storage: DurableObjectStorage, nowMs: number, retiredBudgets: Iterable<string> = []) {
		this.#storage = storage;
		this.#retiredBudgets = new Set(retiredBudgets);
		this.table = new RequestTable(storage.sql);
		this.failed = new FailedTable(storage.sql);
		this.#times = new TimeTable(storage.sql);
		this.fold = new FoldTable(storage.sql);
		const fold = this.fold.read();
		this.#changed = fold.changed;
		this.#floor = fold.floor;
		this.#windows = fold.windows ? unpackWindows(fold.windows) : emptyWindows();
		this.keys = new KeyWindows(this.fold.keyWindows());
		this.#totals = new UsageTotals(fold.totals);
		for (const place of fold.unsent.places) this.#markUnsent(place, fold.changed);
		const rows = this.#changedRows([...fold.open, ...this.fold.late()], fold.floor, fold.changed);
		this.#ledger = new KeyLedger(
			this.fold.keySpending(),
			rows.filter(({ isOpen }) => isOpen),
			rows.filter(({ settled }) => settled !== null),
		);
		for (const id of this.#retiredBudgets) this.#ledger.touch(id);
		this.#latestMs = Math.max(this.#windows.minute.latestMs, this.#windows.day.latestMs);
		this.#recount(rows, fold.changed);
		for (const day of fold.unsent.days) this.#markDayUnsent(day);
		this.followClock(nowMs);
	}

	/** Requests that were settled after a change; those alone that came after the fold, where that is later. */
	settledSince(change: number): WholeRow[] {
		const { changed, floor, open } = this.fold.read();
		const rows = this.#changedRows([...open, ...this.fold.late()], floor, changed);
		return rows
			.filter(({ settled }) => settled !== null && settled > Math.max(change, changed))
			.flatMap((row) => this.table.whole(row) ?? []);
	}

	/** Rows that are open, or have changed since a fold. */
	#changedRows(numbers: number[], floor: number, foldedAt: number): RequestRow[] {
		const rows = new Map([...this.table.rows(numbers), ...this.table.rowsFrom(floor)].map((row) => [row.n, row]));
		return [...rows.values()].filter(({ isOpen, changed }) => isOpen || changed > foldedAt);
	}

	/** Counts what came after the fold. */
	#recount(rows: readonly RequestRow[], foldedAt: number): void {
		const admitted = rows
			.filter(({ admitted: number }) => number > foldedAt)
			.toSorted((a, b) => a.admitted - b.admitted);
		const free = this.fold.minuteCounts();
		const admissions = [
			...admitted.map(({ atMs, counting, isLimited, apiKeyId }) => ({
				atMs,
				counted: COUNTED[counting],
				keyId: isLimited ? apiKeyId : "",
			})),
			// When in its minute each came is not known: all count as the last one.
			...free.map(({ last_ms: atMs, requests, of_day: ofDay, api_key: keyId }) => ({
				atMs,
				counted: { requests, ofDay },
				keyId,
			})),
		];
		for (const { atMs, counted, keyId } of admissions.toSorted((a, b) => a.atMs - b.atMs)) {
			countAdmissions(this.#windows, atMs, counted);
			if (keyId !== "") countAdmissions(this.keys.changedWindowsFor(keyId), atMs, counted);
			this.#latestMs = Math.max(this.#latestMs, atMs);
		}
		for (const row of rows) {
			this.#changed = Math.max(this.#changed, row.changed);
			if (row.isOpen) this.#open.set(row.id, row);
			if (row.settled === null || row.settled <= foldedAt) continue;
			const whole = this.table.whole(row);
			if (whole) this.#addUsage(toCountedRow(whole), whole.row.first_token_ms, row.settled);
		}
		this.#changesSinceFold = rows.length + free.length;
	}

	get minute() {
		return this.#windows.minute;
	}

	get day() {
		return this.#windows.day;
	}

	/**
	 * To be called before a request is admitted. A clock that was ahead by hours has recorded admissions and expiries that lie
	 * hours ahead. They are brought to now, so that they hold for one window from now. Budgets keep the day that they are booked on.
	 * @returns whether that was so: then the first expiry is another.
	 */
	followClock(nowMs: number): boolean {
		const wentBack = this.#latestMs - nowMs >= MINUTE_MS;
		this.#latestMs = wentBack ? nowMs : Math.max(this.#latestMs, nowMs);
		if (!wentBack) return false;
		const ahead = [...this.#open.values()].filter(({ atMs }) => atMs > nowMs);
		const expiryOf = ({ atMs, expiresAtMs }: OpenRequest) => expiresAtMs - (atMs - nowMs);
		this.#storage.transactionSync(() => {
			for (const [nth, request] of ahead.entries())
				this.table.rewind({ n: request.n, atMs: nowMs, expiresAtMs: expiryOf(request) }, this.#next + nth);
		});
		for (const request of ahead) {
			this.#advance();
			Object.assign(request, { atMs: nowMs, expiresAtMs: expiryOf(request) });
		}
		this.foldNow(nowMs);
		return true;
	}

	/** The number of the next change, for its write. It is used up when that is done: D1 knows sums by the last number, as a wake-up does. */
	get #next(): number {
		return this.#changed + 1;
	}

	/** Records that the next change is written. */
	#advance(): void {
		this.#changed++;
		this.#changesSinceFold++;
	}

	get earliestExpiryMs(): number | null {
		let earliest: number | null = null;
		for (const { expiresAtMs } of this.#open.values())
			if (earliest === null || expiresAtMs < earliest) earliest = expiresAtMs;
		return earliest;
	}

	findOpen(id: string): OpenRequest | undefined {
		return this.#open.get(id);
	}

	/** Whether a request was admitted, as far as that is known: of one that costs nothing, for a while. */
	wasAdmitted(id: string): boolean {
		return this.#open.has(id) || this.#free.has(id) || this.table.find(id) !== undefined;
	}

	/** Counts an admission that costs nothing. False when it was counted, as one with a reservation too: then the answer to that was lost. */
	admitFree({ requestId, isOfDay, limitedKeyId }: FreeRequest, nowMs: number): boolean {
		if (this.wasAdmitted(requestId)) return false;
		this.fold.countInMinute(toMinute(nowMs), limitedKeyId ?? "", isOfDay, nowMs);
		this.#changesSinceFold++;
		this.#free.add(requestId);
		if (this.#free.size > REMEMBERED_FREE) this.#free.delete(this.#free.values().next().value ?? "");
		this.#count(nowMs, isOfDay ? "day" : "minute", limitedKeyId);
		return true;
	}

	#count(atMs: number, counting: Counting, limitedKeyId: string | null): void {
		countAdmissions(this.#windows, atMs, COUNTED[counting]);
		if (limitedKeyId !== null) countAdmissions(this.keys.changedWindowsFor(limitedKeyId), atMs, COUNTED[counting]);
	}

	/** The day on which a request of now is booked. */
	today(nowMs: number): number {
		return this.#ledger.today(nowMs);
	}

	/** Stores an admission and counts it. False when the request has a row. */
	admit(request: NewRequest): boolean {
		const place = this.#insert(request);
		if (place === null) return false;
		this.#advance();
		const { reservation: _, counting, isLimited, ...open } = request;
		this.#open.set(open.id, { ...open, ...place, isClaiming: false });
		this.#count(open.atMs, counting, isLimited ? open.apiKeyId : null);
		return true;
	}

	/** Inserts a row, and where it is to be found if that is not among the latest. */
	#insert(request: NewRequest): Pick<OpenRequest, "n" | "isLarge"> | null {
		const insert = () => this.table.insert(request, this.#next);
		if (requestNumber(request.id) >= this.#floor) return insert();
		return this.#storage.transactionSync(() => {
			const place = insert();
			if (place !== null && place.n < this.#floor) this.fold.addLate(place.n);
			return place;
		});
	}

	/** Replaces a reservation. One that holds more is booked on today, because only today's period can be asked for more. */
	extend(open: OpenRequest, reservation: Reservation, nowMs: number): void {
		const { expiresAtMs, holdNanoUsd: nanoUsd } = reservation;
		const bookedDay = nanoUsd > open.nanoUsd ? this.#ledger.today(nowMs) : open.bookedDay;
		const isLarge = this.table.extend(open, reservation, { bookedDay, nanoUsd }, this.#next);
		this.#advance();
		Object.assign(open, { expiresAtMs, bookedDay, nanoUsd, isLarge });
	}

	/** A key's budget now. @param except an open request that does not count, because it is to hold another amount. */
	budgetStatus(budgetKeyId: string, budget: KeyBudget, nowMs: number, except?: OpenRequest): BudgetStatus {
		const open = [...this.#open.values()];
		const others = except ? open.filter((request) => request !== except) : open;
		return this.#ledger.status(budgetKeyId, budget, others, nowMs);
	}

	/** What a key's requests have cost. */
	keyCosts(budgetKeyId: string, nowMs: number): KeyCosts {
		return this.#ledger.costs(budgetKeyId, nowMs);
	}

	/** The first day of a budget's current period. */
	budgetPeriodStart({ period }: KeyBudget, nowMs: number): number {
		return this.#ledger.periodStart(period, nowMs);
	}

	/** Records that D1 is to be asked for the settlement of an open request. */
	claim(open: OpenRequest): void {
		if (open.isClaiming) return;
		this.table.claim(open, this.#next);
		this.#advance();
		open.isClaiming = true;
	}

	settle(open: OpenRequest, settlement: Settlement): void {
		const settled = this.#next;
		this.table.settle(open, settlement, settled);
		this.#advance();
		this.#open.delete(open.id);
		this.#ledger.book({ ...open, nanoUsd: settlement.usage.cost_nano_usd });
		this.#addUsage(settlement.usage, settlement.facts?.firstTokenMs ?? null, settled);
	}

	release(open: OpenRequest): void {
		this.table.release(open, this.#next);
		this.#advance();
		this.#open.delete(open.id);
		if (this.#retiredBudgets.has(open.budgetKeyId)) this.#ledger.touch(open.budgetKeyId);
	}

	/**
	 * Stores a request that failed without a bill, once, or counts it where others are alike. To be called in a transaction.
	 * @returns whether it is new.
	 */
	recordFailed(failed: UnbilledRequest): boolean {
		const isNew = this.failed.record(failed);
		if (isNew) this.#times.add([toFailureSum(failed)]);
		return isNew;
	}

	#addUsage(
		usage: Pick<
			UsageRow,
			| "created_at"
			| "api_key_id"
			| "kind"
			| "model"
			| "mode"
			| "tokens"
			| "input_tokens"
			| "cost_nano_usd"
			| "calls"
			| "latency_ms"
		>,
		firstTokenMs: number | null,
		settled: number,
	): void {
		this.#totals.addRow(usage);
		this.#grownTimes.addRequest({ ...usage, firstTokenMs });
		for (const sum of toDaySums(usage)) {
			this.#grown.add(sum);
			this.#markUnsent(sum, settled);
		}
	}

	#markUnsent(sum: DayPlace, changed: number): void {
		const { day, api_key_id, model } = sum;
		this.#unsent.set(DaySums.key(sum), { day, api_key_id, model, changed });
	}

	#markDayUnsent(day: string): void {
		for (const sum of this.sumsOfDay(day)) this.#markUnsent(sum, this.#changed);
	}

	/** Open requests whose reservation has expired. */
	expired(nowMs: number): OpenRequest[] {
		return [...this.#open.values()].filter(({ expiresAtMs }) => expiresAtMs <= nowMs);
	}

	holds(): OpenHold[] {
		return this.#open.size === 0 ? [] : this.table.holds([...this.#open.values()].map(({ n }) => n));
	}

	/** Folds where that is due. */
	foldIfDue(nowMs: number): void {
		if (this.#changesSinceFold >= FOLD_AFTER_CHANGES) this.foldNow(nowMs);
	}

	foldNow(nowMs: number): void {
		const isOver = this.#toRetiredTest();
		const floor = firstNumberAt(nowMs - USUAL_DELAY_MS);
		const fold = {
			changed: this.#changed,
			floor,
			open: [...this.#open.values()].map(({ n }) => n),
			windows: packWindows(this.#windows, nowMs),
			totals: this.#totals.rows(),
			unsent: this.#packUnsent(),
		};
		const parts = {
			keyWindows: this.keys.packChanged(nowMs),
			keySpending: this.#ledger.packChanged(isOver),
			daySums: this.#grown.all(),
		};
		this.#storage.transactionSync(() => {
			this.fold.write(fold, parts);
			this.#times.add(this.#grownTimes.all());
			this.onFold?.(fold.changed);
		});
		this.#floor = floor;
		this.#changesSinceFold = 0;
		this.keys.folded(nowMs);
		this.#ledger.folded(isOver);
		this.#grown.clear();
		this.#grownTimes.clear();
	}

	#packUnsent(): UnsentSums {
		const places = [...this.#unsent.values()].map(({ day, api_key_id, model }) => ({ day, api_key_id, model }));
		if (places.length <= MOST_UNSENT_PLACES) return { places, days: [] };
		return { places: [], days: [...new Set(places.map(({ day }) => day))] };
	}

	/** Whether all keys of a budget are revoked, and no open request of theirs is left that might need its sums. */
	#toRetiredTest(): (budgetKeyId: string) => boolean {
		const open = new Set([...this.#open.values()].map(({ budgetKeyId }) => budgetKeyId));
		return (budgetKeyId) => this.#retiredBudgets.has(budgetKeyId) && !open.has(budgetKeyId);
	}

	/** Leaves the sums of a budget out of the next fold that finds no open request on it. All of its keys are revoked. */
	retireBudget(budgetKeyId: string): void {
		this.#retiredBudgets.add(budgetKeyId);
		this.#ledger.touch(budgetKeyId);
	}

	/** Totals of everything settled so far. */
	totals(): NamedTotals[] {
		return this.#totals.rows();
	}

	/** Sums of a range under the names of a column. */
	sumsBy(column: SumColumn, range: SumRange): (DayCounts & { name: string })[] {
		const sums = new Map<string, DayCounts>(
			this.fold.sumsBy(column, range).map(({ name, ...counts }) => [name, counts]),
		);
		for (const { day, api_key_id, model, ...counts } of within(range, this.#grown.all())) {
			if (range.exceptModels?.includes(model)) continue;
			const name = { day, api_key: api_key_id, model }[column];
			sums.set(name, addCounts(sums.get(name) ?? NO_COUNTS, counts));
		}
		return [...sums].map(([name, counts]) => ({ name, ...counts }));
	}

	/** How long requests of a range took, and how many others failed, under the names of a column. */
	timesBy(column: SumColumn, range: SumRange): NamedTimes[] {
		const grown = within(range, this.#grownTimes.all()).map(({ day, api_key_id, model, ...times }) => ({
			name: { day, api_key: api_key_id, model }[column],
			...times,
		}));
		// By key, there are no histograms.
		return mergeTimes([...this.#times.sumsBy(column, range), ...(column === "api_key" ? [] : grown)]);
	}

	/** Requests without an answer, as sumsByDay has the others. */
	failuresByDay(column: Exclude<SumColumn, "day"> | null, range: SumRange): DayFailures[] {
		return this.#times.failuresByDay(column, range);
	}

	/** Sums of each day of a range under the names of a column; of all under one empty name without a column. */
	sumsByDay(column: SumColumn | null, range: SumRange): NamedDaySum[] {
		const sums = new Map<string, NamedDaySum>();
		const add = (sum: NamedDaySum) => {
			const place = `${sum.day} ${sum.name}`;
			const known = sums.get(place);
			sums.set(place, known ? { ...known, ...addCounts(known, sum) } : sum);
		};
		for (const sum of this.fold.sumsByDay(column, range)) add(sum);
		for (const { day, api_key_id, model, ...counts } of within(range, this.#grown.all())) {
			add({ day, name: column === null ? "" : { day, api_key: api_key_id, model }[column], ...counts });
		}
		return [...sums.values()];
	}

	/** The sums of one day. */
	sumsOfDay(day: string): DaySum[] {
		const sums = new DaySums();
		for (const sum of this.fold.sumsOfDay(day)) sums.add(sum);
		for (const sum of this.#grown.all()) if (sum.day === day) sums.add(sum);
		return sums.all();
	}

	/** Days behind one that have sums, oldest first. */
	daysAfter(day: string, limit: number): string[] {
		const grown = this.#grown.all().flatMap((sum) => (sum.day > day ? sum.day : []));
		return [...new Set([...this.fold.daysAfter(day, limit), ...grown])].sort().slice(0, limit);
	}

	/** The newest day of a range with requests of a model and of some keys; null where there is none. */
	newestDay(range: SumRange, model: string | undefined): string | null {
		const grown = within(range, this.#grown.all())
			.filter((sum) => sum.requests > 0 && (model === undefined || sum.model === model))
			.map(({ day }) => day);
		return [this.fold.newestDay(range, model) ?? [], ...grown].flat().sort().at(-1) ?? null;
	}

	/** The number of the last change: rows that were settled later have higher ones. */
	get lastChange(): number {
		return this.#changed;
	}

	get hasUnsent(): boolean {
		return this.#unsent.size > 0;
	}

	/** Sums that D1 may have with earlier counts, as they are now. @param revisionBase what revisions lie above. */
	unsentSums(revisionBase: number): OutgoingDaySum[] {
		const revision = revisionBase + this.#changed;
		return [...this.#unsent.values()].map(({ day, api_key_id, model }) => {
			const place = { day, api_key_id, model };
			const counts = addCounts(this.fold.daySum(place) ?? NO_COUNTS, this.#grown.find(place));
			return { ...place, ...counts, revision };
		});
	}

	/** Records that D1 has sums. Those that have grown since stay unsent. */
	markSent(sums: readonly OutgoingDaySum[], revisionBase: number): void {
		for (const sum of sums) {
			const key = DaySums.key(sum);
			const unsent = this.#unsent.get(key);
			if (unsent && revisionBase + unsent.changed <= sum.revision) this.#unsent.delete(key);
		}
	}

	/** Looks at all sums anew: D1 may lack some of them. */
	markAllUnsent(): void {
		for (const day of this.daysAfter("", Number.MAX_SAFE_INTEGER)) this.#markDayUnsent(day);
	}
}
