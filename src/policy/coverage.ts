// What patterns of a manifest catch by themselves, without the built-in rules: for readiness, which judges the manifest.
import { analyse } from "./analysis.ts";
import { compileProtectedPaths } from "./paths.ts";
import { parsePattern } from "./patterns.ts";

/** Whether a write to a path touches one of these `protected_paths`. */
export function protects(patterns: readonly string[]): (path: string) => boolean {
	const compiled = compileProtectedPaths(patterns);
	return (path) => compiled.find(path) !== undefined;
}

/** Whether a command would be refused for one of these `forbidden_commands`. */
export function forbids(patterns: readonly string[]): (command: string) => boolean {
	const forbidden = patterns.flatMap((written) => parsePattern(written) ?? []);
	const protectedPaths = compileProtectedPaths([]);
	return (command) => analyse([command], { protectedPaths, forbidden }).has("forbidden_command");
}
