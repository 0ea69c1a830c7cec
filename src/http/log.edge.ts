// The service's log: JSON lines without content, keys or request texts.

/** The loggable fields of an error: its name, its frames, and its message without quoted text. */
function describeError(error: unknown): Record<string, unknown> {
	if (!(error instanceof Error)) return { error_name: typeof error };
	// Parsers quote their input and Drizzle lists a query's parameters, so messages may hold content.
	const message =
		error.name === "SyntaxError"
			? undefined
			: error.message
					.replace(/params: [\s\S]*/, "")
					.replace(/"[^"]*"|'[^']*'|`[^`]*`/g, "…")
					.slice(0, 300);
	const frames = error.stack
		?.split("\n")
		.filter((line) => line.trimStart().startsWith("at "))
		.slice(0, 8)
		.map((line) => line.trim());
	const cause = error.cause === undefined ? {} : { cause: describeError(error.cause) };
	return { error_name: error.name, error_message: message, frames, ...cause };
}

/** Logs an unexpected error. */
export function logError(event: string, error: unknown, fields: Record<string, unknown> = {}): void {
	console.error(JSON.stringify({ level: "error", event, ...fields, ...describeError(error) }));
}

/** Logs what its operator should look at, although the service goes on. */
export function logWarning(event: string, fields: Record<string, unknown>): void {
	console.warn(JSON.stringify({ level: "warning", event, ...fields }));
}

/** Logs a request's one line. */
export function logRequest(fields: Record<string, unknown>): void {
	console.log(JSON.stringify({ level: "info", event: "request", ...fields }));
}
