// When a request is sent again, and after how long: as the headers of the answer say. Pure.

/** Waits that the service announces are kept up to this; a longer one is the caller's decision. */
const MAX_ANNOUNCED_WAIT_MS = 60_000;
const FIRST_WAIT_MS = 500;
const MAX_WAIT_MS = 8_000;

/** How an attempt failed. */
export interface FailedAttempt {
	/** Null for a connection that failed. */
	status: number | null;
	headers: Headers | null;
	/** From 0. */
	attempt: number;
	/** Whether a second request changes nothing that the first has not. */
	isRepeatable: boolean;
	/** From 0 to below 1. */
	jitter: number;
}

/** The wait that an answer announces in milliseconds (RFC 9110, section 10.2.3: seconds or a date); null for none. */
function announcedWaitMs(headers: Headers, nowMs: number): number | null {
	const exact = Number.parseFloat(headers.get("retry-after-ms") ?? "");
	if (exact >= 0) return exact;
	const text = headers.get("retry-after");
	if (text === null) return null;
	const seconds = Number(text);
	const waitMs = Number.isFinite(seconds) ? seconds * 1_000 : Date.parse(text) - nowMs;
	return Number.isNaN(waitMs) ? null : Math.max(0, waitMs);
}

/** Whether the service did nothing, so that any request may be sent again. */
function isUntouched(status: number | null): boolean {
	return status === 429 || status === 503;
}

function mayRetry({ status, headers, isRepeatable }: FailedAttempt): boolean {
	const said = headers?.get("x-should-retry");
	if (said === "true" || said === "false") return said === "true";
	if (isUntouched(status)) return true;
	return isRepeatable && (status === null || status === 408 || status >= 500);
}

/** Milliseconds until the next attempt; null when there is to be none. */
export function retryDelayMs(failed: FailedAttempt, nowMs: number): number | null {
	if (!mayRetry(failed)) return null;
	const announced = failed.headers ? announcedWaitMs(failed.headers, nowMs) : null;
	if (announced !== null) return announced <= MAX_ANNOUNCED_WAIT_MS ? announced : null;
	return Math.min(MAX_WAIT_MS, FIRST_WAIT_MS * 2 ** failed.attempt) * (1 - failed.jitter / 4);
}
