// The Worker's side of a user's AccountMeter. Every call is idempotent by request id and tried twice.

import type { PlanId } from "../catalog/plans.ts";
import { callObject } from "../durable/call-object.edge.ts";
import type { AccountMeter } from "./account-meter.object.ts";
import { ArchivedRequests } from "./archived-requests.edge.ts";
import type { ComplianceRefusal } from "./compliance-refusals.ts";
import type { UnbilledRequest } from "./failed-request.ts";
import type { SumColumn, SumRange } from "./fold-table.edge.ts";
import type { SealedTexts } from "./kept-texts.ts";
import type { BudgetStatus, KeyCosts } from "./key-budget.ts";
import type {
	AdmitRequest,
	AdmitVerdict,
	BudgetQuery,
	BudgetRoom,
	ChangedBudget,
	CheckedDay,
	ExtendVerdict,
	FeedbackVerdict,
	GivenFeedback,
	KeyStanding,
	MarkedOwner,
	MeterFeedbackVerdict,
	MeterSnapshot,
	NamedCounts,
	PageVerdict,
	RecordVerdict,
	SettleVerdict,
} from "./meter-calls.ts";
import type { MeterEvent } from "./meter-events.ts";
import type { CountedDecision } from "./meter-metrics.edge.ts";
import type { NamedColumn, NameSums } from "./name-sums.edge.ts";
import type { RequestArchive } from "./request-archive.object.ts";
import type {
	ArchivedRequest,
	RatedRequest,
	RemovedRequest,
	RequestDetail,
	RequestPagePart,
	RequestPageQuery,
} from "./request-page.ts";
import type { SessionHeads, SessionRequests, SessionsQuery } from "./session-page.ts";
import type { Reservation, Settlement, StoredReceipt } from "./settlement.ts";
import type { StorageVerdict, StoredDeletion, StoredWrite } from "./stored-bytes.ts";
import type { CountedWrite } from "./stored-quota.edge.ts";
import type { NamedTimes } from "./time-sums.ts";
import type { MeterSeries, SeriesQuery } from "./usage-series.ts";

export type { MarkedOwner, MeterSnapshot, Quota } from "./meter-calls.ts";

export interface MeterClient {
	admit(request: AdmitRequest): Promise<AdmitVerdict>;
	/** The salt of the hashes in the receipt of a request or a run. */
	salt(requestId: string): Promise<string>;
	/** A key of the user's for one purpose. To be kept in memory alone, and for five minutes at most. */
	subkey(purpose: string): Promise<Uint8Array>;
	/** Takes a record of a coding agent's hook, of which a user has so many a minute. */
	takeRecord(keyId: string, keyVersion: number): Promise<RecordVerdict>;
	/** @param stored what is stored with the settlement beside what was counted before; absent for nothing. */
	settle(settlement: Settlement, stored?: StoredWrite): Promise<SettleVerdict>;
	/** Counts what is stored by a request that was admitted before. */
	countStored(write: CountedWrite): Promise<StorageVerdict>;
	/** Counts kept bytes no more, because they were deleted. @param id names the deletion. */
	dropStored(id: string, userId: string, deletion: StoredDeletion): Promise<void>;
	/** Takes back what was counted under a name, because it was not stored. */
	giveBackStored(id: string): Promise<void>;
	release(requestId: string): Promise<void>;
	/** Replaces an open reservation by another. */
	extend(requestId: string, reservation: Reservation): Promise<ExtendVerdict>;
	snapshot(plan: PlanId): Promise<MeterSnapshot>;
	/** Takes over a user's settlements that are stranded in D1. */
	takeStranded(userId: string): Promise<void>;
	/** Sums of a range of days under the names of a column. */
	sumsBy(column: SumColumn, range: SumRange): Promise<NamedCounts[]>;
	/** Usage over time, and what it was read from. */
	usageSeries(query: SeriesQuery): Promise<MeterSeries>;
	/** How long requests of a range of days took, and how many others failed, under the names of a column. */
	timesBy(column: SumColumn | NamedColumn, range: SumRange): Promise<NamedTimes[]>;
	/** Usage of a range of days under names of clients, from its latest requests. */
	nameSums(column: NamedColumn, range: SumRange): Promise<NameSums>;
	/** The requests of a page, one more than it holds if there are more. */
	requestPage(query: RequestPageQuery): Promise<RequestPagePart>;
	/** Keeps sealed texts of a request until they expire. */
	keepTexts(texts: SealedTexts): Promise<void>;
	/** Sealed texts of a request; null where none are kept. */
	texts(requestId: string): Promise<Omit<SealedTexts, "requestId"> | null>;
	/** Sessions whose newest request arrived before a time. Those of archived requests are not among them. */
	sessionHeads(query: SessionsQuery): Promise<SessionHeads>;
	/** What the requests of sessions come to; none for a session without any. @param apiKeyIds of these keys; null for all. */
	sessionRequests(sessionIds: readonly string[], apiKeyIds: readonly string[] | null): Promise<SessionRequests[]>;
	/** A settled request; `open` while it is not settled. */
	request(requestId: string): Promise<RequestDetail | RemovedRequest | "open" | null>;
	/** The receipt of a settled request; `open` while it is not settled. */
	receipt(requestId: string): Promise<StoredReceipt | "open" | null>;
	/** The same for anybody; `busy` when too many are asked for at once, `unbilled` for a request that failed without a bill. */
	publicReceipt(requestId: string): Promise<StoredReceipt | "open" | "busy" | "unbilled" | null>;
	/** Stores feedback on a settled request, or changes what it has. */
	giveFeedback(given: GivenFeedback): Promise<FeedbackVerdict>;
	/** Settled requests with what was decided and how they were rated, behind a request, oldest first. */
	decisions(after: string, limit: number): Promise<RatedRequest[]>;
	/** Days behind one that have sums, oldest first. */
	daysAfter(day: string, limit: number): Promise<string[]>;
	/** Compares the sums of a day with its rows. */
	checkDay(day: string): Promise<CheckedDay>;
	/** Writes to D1 what it lacks. */
	flushNow(): Promise<void>;
	setPlan(plan: PlanId): Promise<void>;
	/** Refuses requests that carry an earlier version of a key, and learns its budget. */
	changeKey(keyId: string, version: number, budget: ChangedBudget): Promise<void>;
	/** Whether a key may still be used that was good as this version. */
	keyStanding(keyId: string, version: number): Promise<KeyStanding>;
	/** Ends a session of the console. @param endsAtMs when it would end by itself, after which it need not be remembered. */
	endSession(sessionId: string, endsAtMs: number): Promise<void>;
	isSessionEnded(sessionId: string): Promise<boolean>;
	/** Takes a page of the console in a session, of which a user has so many a minute. */
	takePage(sessionId: string): Promise<PageVerdict>;
	/** Budgets of keys now, in the order of the queries. */
	budgets(queries: readonly BudgetQuery[]): Promise<BudgetStatus[]>;
	/** What the requests of keys have cost, in the order of the ids. @param budgetKeyIds the keys that costs are booked on. */
	keyCosts(budgetKeyIds: readonly string[]): Promise<KeyCosts[]>;
	/** What an open request may hold in the budget of its key; null without a budget, and when it is not open. */
	room(requestId: string): Promise<BudgetRoom | null>;
	/** Refuses a key for ever. @param retiredBudget the key that its costs are booked on, if all keys of it are revoked. */
	revokeKey(keyId: string, retiredBudget: string | null): Promise<void>;
	/** Counts a refusal by compliance, for an audit event. */
	recordRefusal(refusal: ComplianceRefusal): Promise<void>;
	/** Stores requests that failed without a bill. */
	recordFailed(userId: string, failed: readonly UnbilledRequest[]): Promise<void>;
	/** Counts a decision of the policy for the metrics. */
	countCheck(check: CountedDecision): Promise<void>;
	/** Audit events of the meter's own that D1 does not have. */
	unflushedEvents(): Promise<MeterEvent[]>;
	/** Marks an owner: it holds audit events that D1 does not have. */
	markOwner(owner: string, mark: number): Promise<void>;
	/** Marked owners whose key has a prefix: any `limit` of them. */
	markedOwners(prefix: string, limit: number): Promise<MarkedOwner[]>;
	/** Removes an owner's marks up to this one. */
	unmarkOwner(owner: string, mark: number): Promise<void>;
	ping(): Promise<"pong">;
}

/** What a meter answers about a request. */
type Found<Answer> = Answer | ArchivedRequest | null;

/** A client for the meter of one user. @param archives absent where nothing is read: then no archive is asked. */
export function meterClient(
	namespace: DurableObjectNamespace<AccountMeter>,
	userId: string,
	archives?: DurableObjectNamespace<RequestArchive>,
): MeterClient {
	const archived = new ArchivedRequests(archives ?? null, userId);
	const twice = <T>(call: (stub: DurableObjectStub<AccountMeter>) => Promise<T>) => callObject(namespace, userId, call);
	return {
		admit: (request) => twice(async (stub) => (await stub.admit(request)) as AdmitVerdict),
		salt: (requestId) => twice((stub) => stub.salt(requestId)),
		subkey: (purpose) => twice((stub) => stub.subkey(purpose)),
		takeRecord: (keyId, keyVersion) =>
			twice(async (stub) => (await stub.takeRecord(keyId, keyVersion)) as RecordVerdict),
		settle: (settlement, stored) => twice((stub) => stub.settle(settlement, stored)),
		countStored: (write) => twice(async (stub) => (await stub.countStored(write)) as StorageVerdict),
		dropStored: (id, userId, deletion) => twice((stub) => stub.dropStored(id, userId, deletion)),
		giveBackStored: (id) => twice((stub) => stub.giveBackStored(id)),
		release: (requestId) => twice((stub) => stub.release(requestId)),
		extend: (requestId, reservation) => twice((stub) => stub.extend(requestId, reservation)),
		takeStranded: (userId) => twice((stub) => stub.takeStranded(userId)),
		sumsBy: (column, range) => twice(async (stub) => await stub.sumsBy(column, range)),
		timesBy: (column, range) => twice(async (stub) => await stub.timesBy(column, range)),
		nameSums: (column, range) => twice(async (stub) => await stub.nameSums(column, range)),
		usageSeries: (query) => twice(async (stub) => (await stub.usageSeries(query)) as MeterSeries),
		requestPage: (query) => twice(async (stub) => archived.page(await stub.requestPage(query), query)),
		keepTexts: (texts) => twice((stub) => stub.keepTexts(texts)),
		texts: (requestId) => twice(async (stub) => await stub.texts(requestId)),
		sessionHeads: (query) => twice(async (stub) => await stub.sessionHeads(query)),
		sessionRequests: (sessionIds, apiKeyIds) =>
			twice(async (stub) =>
				archived.sessionRequests(await stub.sessionRequests(sessionIds, apiKeyIds), sessionIds, apiKeyIds),
			),
		request: (requestId) =>
			twice(async (stub) => {
				const found = (await stub.request(requestId)) as Found<RequestDetail | RemovedRequest | "open">;
				return archived.findIn(found, async (archive) => await archive.request(requestId));
			}),
		receipt: (requestId) =>
			twice(async (stub) => {
				const found = (await stub.receipt(requestId)) as Found<StoredReceipt | "open">;
				return archived.findIn(found, async (archive) => await archive.receipt(requestId));
			}),
		publicReceipt: (requestId) =>
			twice(async (stub) => {
				const found = (await stub.publicReceipt(requestId)) as Found<StoredReceipt | "open" | "busy" | "unbilled">;
				return archived.findIn(found, async (archive) => await archive.receipt(requestId));
			}),
		giveFeedback: (given) =>
			twice(async (stub) => archived.giveFeedback((await stub.giveFeedback(given)) as MeterFeedbackVerdict, given)),
		decisions: (after, limit) =>
			twice(async (stub) => archived.decisions(await stub.decisions(after, limit), after, limit)),
		daysAfter: (day, limit) => twice(async (stub) => await stub.daysAfter(day, limit)),
		checkDay: (day) => twice(async (stub) => await stub.checkDay(day)),
		flushNow: () => twice((stub) => stub.flushNow()),
		snapshot: (plan) => twice(async (stub) => await stub.snapshot(plan)),
		setPlan: (plan) => twice((stub) => stub.setPlan(plan)),
		changeKey: (keyId, version, budget) => twice((stub) => stub.changeKey(keyId, version, budget)),
		keyStanding: (keyId, version) => twice(async (stub) => await stub.keyStanding(keyId, version)),
		takePage: (sessionId) => twice(async (stub) => (await stub.takePage(sessionId)) as PageVerdict),
		endSession: (sessionId, endsAtMs) => twice((stub) => stub.endSession(sessionId, endsAtMs)),
		isSessionEnded: (sessionId) => twice((stub) => stub.isSessionEnded(sessionId)),
		budgets: (queries) => twice(async (stub) => await stub.budgets(queries)),
		keyCosts: (budgetKeyIds) => twice(async (stub) => await stub.keyCosts(budgetKeyIds)),
		room: (requestId) => twice(async (stub) => await stub.room(requestId)),
		revokeKey: (keyId, retiredBudget) => twice((stub) => stub.revokeKey(keyId, retiredBudget)),
		recordRefusal: (refusal) => twice((stub) => stub.recordRefusal(refusal)),
		recordFailed: (userId, failed) => twice((stub) => stub.recordFailed(userId, failed)),
		countCheck: (check) => twice((stub) => stub.countCheck(userId, check)),
		unflushedEvents: () => twice(async (stub) => await stub.unflushedEvents()),
		markOwner: (owner, mark) => twice((stub) => stub.markOwner(owner, mark)),
		markedOwners: (prefix, limit) => twice(async (stub) => await stub.markedOwners(prefix, limit)),
		unmarkOwner: (owner, mark) => twice((stub) => stub.unmarkOwner(owner, mark)),
		ping: () => twice((stub) => stub.ping()),
	};
}
