// What readiness tries a manifest's patterns on: paths and commands that stand for a kind. Data; nothing here decides.

import probesFile from "./readiness-probes.json" with { type: "json" };
/** Where repositories keep what nobody may read out of a commit. */
export const SECRET_PATHS: readonly string[] = probesFile.secret_paths;

/** Definitions that a CI system runs with the repository's own rights. */
export const CI_PATHS: readonly string[] = probesFile.ci_paths;

/** What changes machines or stored records when it is applied. */
export const INFRASTRUCTURE_PATHS: readonly string[] = probesFile.infrastructure_paths;

/** Files that pin what gets installed. */
export const LOCK_PATHS: readonly string[] = probesFile.lock_paths;

/** Ordinary files with nothing in common: an entry that protects all of them protects the whole repository. */
export const ORDINARY_PATHS: readonly string[] = probesFile.ordinary_paths;

/** Deletions that take files along which no commit holds. */
export const DELETING_COMMANDS: readonly string[] = probesFile.deleting_commands;

/** What takes commits, or uncommitted work, from others or from oneself. */
export const HISTORY_COMMANDS: readonly string[] = probesFile.history_commands;

/** What destroys machines, clusters or stored records. */
export const DESTROYING_COMMANDS: readonly string[] = probesFile.destroying_commands;

/** What puts something before users, where it cannot be called back. */
export const PUBLISHING_COMMANDS: readonly string[] = probesFile.publishing_commands;

/** Looking around, which no project has a reason to forbid: an entry that forbids one of these blocks all work. */
export const READING_COMMANDS: readonly string[] = probesFile.reading_commands;
