// The one error of the client: what the service refused, or why it could not be asked. Pure.

/** What an error says. */
interface ErrorParts {
	code: string;
	message: string;
	status?: number | null;
	requestId?: string | null;
	details?: Record<string, unknown>;
	cause?: unknown;
}

/**
 * A refusal of the service, or a request that did not reach it.
 *
 * `code` is the service's (reference, "Errors"), or one of the client's own: `connection_failed`, `timed_out`, `stream_broken`,
 * `invalid_answer`.
 */
export class SvcError extends Error {
	override name = "SvcError";
	readonly code: string;
	/** The HTTP status; null when there was no answer. */
	readonly status: number | null;
	/** Names the request in the service's log; null when there was no answer. */
	readonly requestId: string | null;
	/** Further members of the error, such as `tier_limit_usd` or `issues`. */
	readonly details: Record<string, unknown>;

	constructor({ code, message, status = null, requestId = null, details = {}, cause }: ErrorParts) {
		super(message, cause === undefined ? undefined : { cause });
		this.code = code;
		this.status = status;
		this.requestId = requestId;
		this.details = details;
	}
}

function toRecord(value: unknown): Record<string, unknown> {
	return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : {};
}

/** The members of an error body in any of its forms: flat, wrapped in `detail`, or OpenAI's `error` object. */
function readMembers(body: unknown): Record<string, unknown> {
	const { detail, error, ...flat } = toRecord(body);
	if (typeof error === "string") return { ...flat, code: error };
	const wrapped = toRecord(detail);
	if (typeof wrapped["error"] === "string") {
		const { error: code, ...rest } = wrapped;
		return { ...flat, ...rest, code };
	}
	return { ...flat, ...toRecord(error) };
}

/** The first issue of a request, in brackets; empty for none, and for one that the message has said. */
function firstIssue(issues: unknown, message: string): string {
	const [issue] = Array.isArray(issues) ? issues.map(toRecord) : [];
	if (!issue || message.includes(String(issue["message"]))) return "";
	return ` (${[issue["path"], issue["message"]].filter(Boolean).join(" ")})`;
}

/**
 * An error of an answer's body.
 * @param body as parsed; text that is no JSON is its own message.
 * @param status of the answer, unless the body has one: an answer that was long in coming has it there.
 */
export function toSvcError(body: unknown, status: number, requestId: string | null): SvcError {
	const { code, message, status: late, ...details } = readMembers(body);
	const text = typeof message === "string" ? message : typeof body === "string" ? body.slice(0, 300) : "";
	return new SvcError({
		code: typeof code === "string" ? code : `http_${status}`,
		message: `${text || `the service answered ${status}`}${firstIssue(details["issues"], text)}`,
		status: typeof late === "number" ? late : status,
		requestId,
		details,
	});
}

/** Whether a JSON answer with status 200 is the error of work that had begun (reference, "Long answers"). */
export function isLateError(body: unknown): boolean {
	const { status, error, detail } = toRecord(body);
	return typeof status === "number" && (error !== undefined || detail !== undefined);
}
