// What holds without a manifest, and beneath every manifest: protected paths and forbidden commands, as patterns.

import defaultsFile from "./defaults.json" with { type: "json" };
/** Paths that need elevated approval before anything writes to them. Examples and templates of secrets files do not. */
export const DEFAULT_PROTECTED_PATHS: readonly string[] = defaultsFile.protected_paths.flatMap(
	({ patterns }) => patterns,
);

/**
 * Forbidden without a manifest, as patterns. They name what everyone knows; what commands do beyond these words, and in
 * which other ways the same is done, commands/programs/ describes, and that holds always.
 */
export const DEFAULT_FORBIDDEN_COMMANDS: readonly string[] = defaultsFile.forbidden_commands.flatMap(
	({ patterns }) => patterns,
);
