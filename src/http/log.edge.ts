// The service's log: JSON lines without content, keys or request texts.

/** What may be said of an error: its name, its frames, and its message with everything quoted cut out. */
function describeError(error: unknown): Record<string, unknown> {
	if (!(error instanceof Error)) return { error_name: typeof error };
	// A parser quotes its input in its message, Drizzle lists a query's parameters: there is where content could hide.
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

/** Logs something unexpected. */
export function logError(event: string, error: unknown, fields: Record<string, unknown> = {}): void {
	console.error(JSON.stringify({ level: "error", event, ...fields, ...describeError(error) }));
}

/** Logs the one line of a request. */
export function logRequest(fields: Record<string, unknown>): void {
	console.log(JSON.stringify({ level: "info", event: "request", ...fields }));
}
