// The wait that a response asks for. Pure.

/** The wait in `retry-after-ms` or `Retry-After` (seconds or a date), in ms; null when there is none. */
export function parseRetryAfterMs(headers: Headers, nowMs: number): number | null {
	const ms = Number(headers.get("retry-after-ms") ?? Number.NaN);
	if (Number.isFinite(ms) && ms >= 0) return ms;
	const value = headers.get("retry-after");
	if (value === null) return null;
	const seconds = Number(value);
	if (Number.isFinite(seconds)) return Math.max(0, seconds * 1000);
	const date = Date.parse(value);
	return Number.isNaN(date) ? null : Math.max(0, date - nowMs);
}
