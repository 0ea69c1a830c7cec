// What a version made that this one does not read: states, databases and backups in which a user's accounts had two homes. Nothing
// of it is converted, because nothing had been released. Pure.

/** Who made it, in messages. */
export const FORMER_VERSION = "a version from before 25 November 2026";

/** The first migration that every such database has. */
const FORMER_MIGRATION = "0000_users.sql";

/** Whether such a version made a database. @param applied names of the migrations that it has. */
export function isFormerDatabase(applied: readonly string[]): boolean {
	return applied.includes(FORMER_MIGRATION);
}
