// What the patterns of a manifest catch by themselves, without the built-in rules. Readiness judges manifests by it.
import { analyse, parseForbiddenCommands } from "./commands/analyse.ts";
import { compileProtectedPaths } from "./paths.ts";
import { WorkBudget } from "./work-budget.ts";

/**
 * The work that matching a list against all examples may take: five milliseconds, and more for a long list. Readiness
 * asks once for each of a manifest's up to 200 entries. An entry that takes longer gets no credit.
 */
function coverageWork(patterns: readonly string[]): WorkBudget {
	return new WorkBudget(500_000 + 20_000 * patterns.length);
}

/** Compiles `protected_paths` to a test of whether a write to a path touches one of them. */
export function compilePathMatcher(patterns: readonly string[]): (path: string) => boolean {
	const work = coverageWork(patterns);
	const compiled = compileProtectedPaths(patterns, work);
	return (path) => compiled.find(path) !== null && !work.spent;
}

/**
 * Compiles `forbidden_commands` to a test of whether a command is refused for one of them. Many commands are refused
 * whatever the list says, so only reasons that the list adds count.
 */
export function compileCommandMatcher(patterns: readonly string[]): (command: string) => boolean {
	const work = coverageWork(patterns);
	const forbidden = parseForbiddenCommands(patterns, work);
	const protectedPaths = compileProtectedPaths([], work);
	const reasons = (command: string, listed: typeof forbidden) =>
		(
			analyse([command], { protectedPaths, forbidden: listed, allowed: [] }, work).reasons.get("forbidden_command") ??
			[]
		).map(({ because }) => because);
	return (command) => {
		const foundReasons = reasons(command, forbidden);
		if (foundReasons.length === 0) return false;
		const builtInReasons = reasons(command, []);
		return !work.spent && foundReasons.some((reason) => !builtInReasons.includes(reason));
	};
}
