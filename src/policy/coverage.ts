// What patterns of a manifest catch by themselves, without the built-in rules: for readiness, which judges the manifest.
import { analyse, parseForbiddenCommands } from "./commands/analyse.ts";
import { compileProtectedPaths } from "./paths.ts";

/** Whether a write to a path touches one of these `protected_paths`. */
export function protects(patterns: readonly string[]): (path: string) => boolean {
	const compiled = compileProtectedPaths(patterns);
	return (path) => compiled.find(path) !== undefined;
}

/**
 * Whether a command would be refused for one of these `forbidden_commands`. What many commands do is refused whatever is
 * listed, so the patterns are credited with the reasons that only they give.
 */
export function forbids(patterns: readonly string[]): (command: string) => boolean {
	const forbidden = parseForbiddenCommands(patterns);
	const protectedPaths = compileProtectedPaths([]);
	const reasons = (command: string, listed: typeof forbidden) =>
		analyse([command], { protectedPaths, forbidden: listed }).reasons.get("forbidden_command") ?? [];
	return (command) => {
		const found = reasons(command, forbidden);
		if (found.length === 0) return false;
		const anyway = reasons(command, []);
		return found.some((reason) => !anyway.includes(reason));
	};
}
