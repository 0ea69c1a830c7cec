// The built-in rules: protected paths and forbidden commands that hold without a manifest and beneath every manifest.

import defaultsFile from "./defaults.json" with { type: "json" };
/**
 * Patterns of paths that need approval before anything writes to them. Examples and templates of secrets files need
 * none.
 */
export const DEFAULT_PROTECTED_PATHS: readonly string[] = defaultsFile.protected_paths.flatMap(
	({ patterns }) => patterns,
);

/**
 * Patterns of the best known forbidden commands. Other dangerous commands, and other spellings of these, are described
 * in commands/programs/, which always applies.
 */
export const DEFAULT_FORBIDDEN_COMMANDS: readonly string[] = defaultsFile.forbidden_commands.flatMap(
	({ patterns }) => patterns,
);
