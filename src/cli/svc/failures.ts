// The failures of `svc` that are not the service's. Their messages say it all.

/** A command that was not called as it must be. The message says how. */
export class UsageError extends Error {
	override name = "UsageError";
}

/** A failure of this machine, such as a file that cannot be read. */
export class LocalError extends Error {
	override name = "LocalError";
}
