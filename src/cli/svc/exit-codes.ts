// What the exit codes of `svc` mean, and how failures read. Pure.
import { SvcError } from "../../client/errors.ts";
import { LocalError, UsageError } from "./failures.ts";

export const EXIT = {
	ok: 0,
	/** The service refused, or what was asked did not hold. */
	failed: 1,
	/** Wrong words, no key, no connection: nothing was asked or answered. */
	notAsked: 2,
	confirm: 10,
	approve: 11,
	deny: 12,
	/** Ctrl-C, as shells count it. */
	interrupted: 130,
} as const;

/** What to do about an error, where that is known. */
function adviceFor({ code, status, details }: SvcError): string {
	if (code === "connection_failed") return "is the service running? --url names another; `npm start` runs one here";
	if (status === 401) return "svc login keeps a key; SVC_API_KEY or --key give one";
	const wait = details["retry_after_seconds"] ?? details["retry_after"];
	return status === 429 && typeof wait === "number" ? `again in ${wait} s` : "";
}

/** The calls that failed, where the message names only the last. */
function listAttempts({ details, message }: SvcError): string[] {
	const attempts = Array.isArray(details["attempts"]) ? details["attempts"].map(String) : [];
	return attempts.length > 1
		? attempts.filter((attempt) => attempt !== message).map((attempt) => `before: ${attempt}`)
		: [];
}

/** A failure as its exit code and the lines for standard error. */
export function explainFailure(error: unknown): { code: number; lines: string[] } {
	if (error instanceof UsageError) return { code: EXIT.notAsked, lines: [`svc: ${error.message}`] };
	if (error instanceof LocalError || error instanceof TypeError)
		return { code: EXIT.notAsked, lines: [`svc: ${error.message}`] };
	if (!(error instanceof SvcError))
		return { code: EXIT.failed, lines: [`svc: ${String(Object(error).stack ?? error)}`] };
	const { code, status, requestId, message } = error;
	// Work that had begun fails under the status of its answer, which says nothing then.
	const hasStatus = status !== null && status >= 400;
	const facts = [code, hasStatus ? `HTTP ${status}` : "", requestId ?? ""].filter(Boolean).join(", ");
	const advice = adviceFor(error);
	return {
		// What is no answer of the service says nothing about what was asked.
		code: status === null || code === "invalid_answer" ? EXIT.notAsked : EXIT.failed,
		lines: [`svc: ${message} (${facts})`, ...listAttempts(error), ...(advice ? [advice] : [])],
	};
}

/** A failure as JSON, for `--json`. */
export function failureAsJson(error: unknown): unknown {
	if (!(error instanceof SvcError))
		return { error: { code: "not_asked", message: explainFailure(error).lines.join(" ") } };
	const { code, status, requestId, message, details } = error;
	return { error: { code, status, request_id: requestId, message, ...details } };
}
