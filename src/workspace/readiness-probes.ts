// Paths and commands on which readiness tries a manifest's patterns. The lists are in readiness-probes.json.

import probesFile from "./readiness-probes.json" with { type: "json" };
/** Where repositories keep secrets. */
export const SECRET_PATHS: readonly string[] = probesFile.secret_paths;

/** Definitions that a CI system runs with the repository's own rights. */
export const CI_PATHS: readonly string[] = probesFile.ci_paths;

/** Files that change machines or stored records when they are applied. */
export const INFRASTRUCTURE_PATHS: readonly string[] = probesFile.infrastructure_paths;

/** Files that pin what is installed. */
export const LOCK_PATHS: readonly string[] = probesFile.lock_paths;

/** Ordinary files with nothing in common. An entry that protects all of them protects the whole repository. */
export const ORDINARY_PATHS: readonly string[] = probesFile.ordinary_paths;

/** Deletions of files that no commit may hold. */
export const DELETING_COMMANDS: readonly string[] = probesFile.deleting_commands;

/** Commands that lose commits or uncommitted work. */
export const HISTORY_COMMANDS: readonly string[] = probesFile.history_commands;

/** Commands that destroy machines, clusters or stored records. */
export const DESTROYING_COMMANDS: readonly string[] = probesFile.destroying_commands;

/** Commands that publish something, so that it cannot be called back. */
export const PUBLISHING_COMMANDS: readonly string[] = probesFile.publishing_commands;

/** Commands that only look. An entry that forbids one of them blocks all work. */
export const READING_COMMANDS: readonly string[] = probesFile.reading_commands;
