// Records requests that failed without an answer and without a bill, at the meter of a known key's user: the one place for all endpoints. Nobody
// waits for it but who then reads the list of requests here.
import { summarizeFailure } from "../http/failure-summary.ts";
import { logError } from "../http/log.edge.ts";
import { withDeadline } from "../in-time.edge.ts";
import { toUnbilledOutcome, toUnbilledTelemetry, type UnbilledRequest } from "../meter/failed-request.ts";
import { FailureLog } from "../meter/failure-log.ts";
import { findCaller } from "./access-guards.edge.ts";
import type { ServiceContext } from "./context.ts";
import { readRequestNames } from "./request-names.ts";

/** What is kept back is sent so long after the first of it, ms: work may go on for half a minute after an answer. */
const SEND_AFTER_MS = 20_000;

/** The most that anybody waits for what others are recording, ms. */
const OTHERS_MS = 2_000;

const failures = new FailureLog();
/** What is being recorded, by user. */
const underWay = new Map<string, Promise<void>>();
/** Users of whom something is kept back, and is sent soon: since when, ms since the epoch. */
const waiting = new Map<string, number>();

type RecordContext = Pick<ServiceContext, "meter" | "waitUntil"> &
	Partial<Pick<ServiceContext, "trace" | "requestId" | "route" | "log">>;

/** Hands over the spans of failed requests that are recorded. Those that were kept back belong to traces that nobody remembers. */
function traceFailed(context: RecordContext, userId: string, failed: readonly UnbilledRequest[]): void {
	const { trace, requestId, route = null, log } = context;
	for (const each of failed) {
		const parent = each.requestId === requestId ? (trace?.parent ?? null) : null;
		const endpoint = each.endpoint === log?.endpoint ? route : null;
		trace?.handRequest(() => toUnbilledTelemetry(each, userId, { endpoint, parent }));
	}
}

/**
 * Waits for what is being recorded of a user. It may belong to an invocation that has ended meanwhile, and then nobody ever settles it: so
 * it is waited for once, and not for long.
 */
async function waitForOthers(userId: string): Promise<void> {
	const others = underWay.get(userId);
	if (!others) return;
	await withDeadline(others, OTHERS_MS, () => {
		if (underWay.get(userId) === others) underWay.delete(userId);
	});
}

/** Records failed requests behind those that are being recorded. Never throws: what could not be recorded is kept back. */
function record(context: RecordContext, userId: string, failed: readonly UnbilledRequest[]): Promise<void> {
	const recorded = waitForOthers(userId).then(async () => {
		try {
			await context.meter(userId).recordFailed(userId, failed);
			traceFailed(context, userId, failed);
		} catch (error) {
			failures.giveBack(userId, failed);
			logError("failed_requests_not_recorded", error);
		}
	});
	const last = recorded.finally(() => {
		if (underWay.get(userId) === last) underWay.delete(userId);
	});
	underWay.set(userId, last);
	return last;
}

/** Records what is kept back of a user, and waits for all that is being recorded. */
export async function recordKeptBack(context: RecordContext, userId: string): Promise<void> {
	const keptBack = failures.take(userId);
	if (keptBack.length > 0) context.waitUntil(record(context, userId, keptBack));
	await waitForOthers(userId);
}

/** Has what is kept back of a user recorded in a while. */
function sendLater(context: RecordContext, userId: string): void {
	const nowMs = Date.now();
	// Whoever has waited for longer was ended by the platform.
	const isWaiting = Math.abs(nowMs - (waiting.get(userId) ?? Number.NEGATIVE_INFINITY)) < 2 * SEND_AFTER_MS;
	if (isWaiting || !failures.hasKeptBack(userId)) return;
	waiting.set(userId, nowMs);
	const sent = new Promise<void>((resolve) => setTimeout(resolve, SEND_AFTER_MS)).then(() => {
		waiting.delete(userId);
		return recordKeptBack(context, userId);
	});
	context.waitUntil(sent);
}

/** The failed request to be recorded of an exchange that is over; null where there is none: it has a row at the meter, or needs none. */
function toFailedRequest(context: ServiceContext): (UnbilledRequest & { userId: string }) | null {
	const { trail, requestKind: kind, startedAtMs: atMs, requestId, log, signal } = context;
	const { failure, attempts, isReserved, sentStatus } = trail;
	const account = findCaller(context);
	if (!failure || !kind || !account || isReserved) return null;
	const { status, ...error } = summarizeFailure(failure);
	// The key is not one any more.
	if (status === 401) return null;
	const outcome = toUnbilledOutcome(attempts, status, signal.aborted);
	return {
		...{ userId: account.userId, requestId, apiKeyId: account.keyId, atMs, latencyMs: Date.now() - atMs },
		...{ endpoint: log.endpoint, kind, outcome, error, attempts, count: 1 },
		status: sentStatus ?? (outcome === "client_closed" ? null : status),
		names: readRequestNames(context.headers, context.rawBody).names,
	};
}

/** Has the request of an exchange that is over recorded, if it failed without a bill under a known key. */
export function recordIfFailed(context: ServiceContext): void {
	const failed = toFailedRequest(context);
	if (!failed) return;
	const { userId, ...request } = failed;
	const first = failures.note(userId, request);
	if (first.length > 0) context.waitUntil(record(context, userId, first));
	sendLater(context, userId);
}
