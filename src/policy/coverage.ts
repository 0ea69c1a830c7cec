// What patterns of a manifest catch by themselves, without the built-in rules: for readiness, which judges the manifest.
import { analyse, parseForbiddenCommands } from "./commands/analyse.ts";
import { compileProtectedPaths } from "./paths.ts";
import { WorkBudget } from "./work-budget.ts";

/**
 * What holding a list against all its examples may cost: five milliseconds, and more for a long list. Readiness asks for
 * each of the 200 entries that a manifest may have; one that takes longer is credited with nothing.
 */
function coverageWork(patterns: readonly string[]): WorkBudget {
	return new WorkBudget(500_000 + 20_000 * patterns.length);
}

/** Whether a write to a path touches one of these `protected_paths`. */
export function pathMatcher(patterns: readonly string[]): (path: string) => boolean {
	const work = coverageWork(patterns);
	const compiled = compileProtectedPaths(patterns, work);
	return (path) => compiled.find(path) !== null && !work.spent;
}

/**
 * Whether a command would be refused for one of these `forbidden_commands`. What many commands do is refused whatever is
 * listed, so the patterns are credited with the reasons that only they give.
 */
export function commandMatcher(patterns: readonly string[]): (command: string) => boolean {
	const work = coverageWork(patterns);
	const forbidden = parseForbiddenCommands(patterns, work);
	const protectedPaths = compileProtectedPaths([], work);
	const reasons = (command: string, listed: typeof forbidden) =>
		analyse([command], { protectedPaths, forbidden: listed }, work).reasons.get("forbidden_command") ?? [];
	return (command) => {
		const found = reasons(command, forbidden);
		if (found.length === 0) return false;
		const anyway = reasons(command, []);
		return !work.spent && found.some((reason) => !anyway.includes(reason));
	};
}
