// What the commands of a check break: effects held against a workspace's rules, and the reasons for each factor that fired.
import type { FactorId } from "../factors.ts";
import { shortenForReason } from "../placeholders.ts";
import type { FactorReason } from "../reasons.ts";
import { canBeAllowed } from "./allowed.ts";
import type { CommandCheck } from "./command-check.ts";
import type { PathEffect } from "./judge.ts";
import { type CommandWords, commandName } from "./patterns.ts";
import type { Redirect } from "./shell/script.ts";

/** Reasons kept for each factor. */
const MAX_REASONS = 3;

/** Every factor that a command can raise. When the work is spent, none of them is ruled out. */
const COMMAND_FACTORS: readonly FactorId[] = [
	"forbidden_command",
	"oversize_command",
	"protected_path",
	"delete_action",
	"risky_command",
	"deploy_action",
	"exec_action",
	"unparsable_command",
];

/** What an allowed command is excused from. */
const EXCUSED_FACTORS: ReadonlySet<FactorId> = new Set(["exec_action", "unparsable_command", "risky_command"]);

/** Unseen files that are kept. A reason names fewer, and says that there are more. */
const MAX_UNSEEN_FILES = 4;

/** What was found, and what may have been missed. */
export interface Findings {
	/** Why each factor fired, in the order found. */
	readonly reasons: ReadonlyMap<FactorId, readonly FactorReason[]>;
	/** Factors that count as triggered because the work was spent. One of them has a reason only where one was found. */
	readonly notRuledOut: readonly FactorId[];
	/** Workspace files that commands run, whose content is not part of the check. */
	readonly unseenFiles: readonly string[];
}

/** Findings concern another place while it is followed. */
function concernPlace(check: CommandCheck, place: Partial<CommandCheck["place"]>, follow: () => void): void {
	const outer = check.place;
	check.place = { ...outer, ...place };
	follow();
	check.place = outer;
}

/** Follows what runs inside the current command without being in its words. An allowed command excuses none of it. */
export function concernInside(check: CommandCheck, follow: () => void): void {
	concernPlace(check, { isAllowed: false, isListable: false }, follow);
}

/** Findings concern the words of a command while its redirects are followed. It cannot be an allowed one. */
export function concernWords(check: CommandCheck, words: readonly string[], follow: () => void): void {
	concernPlace(check, { words, redirect: undefined, isAllowed: false, isListable: false }, follow);
}

/** Findings concern the simple command of these words while it is followed, except inside other commands. */
export function concernCommand(
	check: CommandCheck,
	words: readonly string[],
	redirects: readonly Redirect[],
	follow: () => void,
): void {
	const isAllowed = check.allowed.cover(words, redirects);
	concernPlace(check, { words, redirect: undefined, isAllowed, isListable: canBeAllowed(words, redirects) }, follow);
}

/** Findings concern a redirect of the current command while it is followed. */
export function concernRedirect(check: CommandCheck, operator: string, path: string, follow: () => void): void {
	concernPlace(check, { redirect: [operator, path] }, follow);
}

/**
 * Raises a factor because of the current simple command, unless the command is allowed. Of the factor's reasons, the
 * first three different ones are kept; one command of the check gives the same reason once.
 * @param instead A short text of what would pass.
 */
export function addFinding(check: CommandCheck, factor: FactorId, because: string, instead?: string): void {
	const { isAllowed, ...place } = check.place;
	if (isAllowed && EXCUSED_FACTORS.has(factor)) return;
	const reasons = check.reasons.get(factor) ?? [];
	const same = reasons.findIndex((known) => known.because === because && known.place?.command === place.command);
	if (same < 0 && reasons.length < MAX_REASONS) reasons.push({ because, instead, place });
	else if (instead !== undefined && reasons[same]?.instead === undefined) reasons[same] = { because, instead, place };
	check.reasons.set(factor, reasons);
}

/** Asks because the current command runs something that is not in its words. */
export function addUnknownRun(check: CommandCheck, because: string): void {
	concernInside(check, () => addFinding(check, "exec_action", because));
}

/**
 * Keeps the findings of `follow` out of the result, and gives the first reason for a factor, or null without one.
 * Inside another `findAside`, it follows nothing.
 */
export function findAside(check: CommandCheck, factor: FactorId, follow: () => void): string | null {
	if (check.isAside) return null;
	const kept = check.reasons;
	check.reasons = new Map();
	check.isAside = true;
	follow();
	const because = check.reasons.get(factor)?.[0]?.because ?? null;
	check.reasons = kept;
	check.isAside = false;
	return because;
}

/** Records that a file of the workspace is run whose content is not known. It raises nothing. */
export function addUnseenFile({ unseenFiles }: CommandCheck, path: string): void {
	if (unseenFiles.size < MAX_UNSEEN_FILES) unseenFiles.add(shortenForReason(path));
}

/** Whether there are forbidden commands of this name, or whose name is not plain. */
export function mayForbid({ forbidden }: CommandCheck, name: string): boolean {
	return forbidden.hasPatternsFor(commandName(name));
}

/**
 * Holds a command against the forbidden commands. One pattern is reason enough. One that ends as the command does comes
 * first: `rm -rf ~` is also matched by `rm -rf /`.
 */
export function matchForbidden(check: CommandCheck, command: CommandWords): void {
	const found = check.forbidden.findCompleted(command);
	const last = command.words.at(-1) ?? "";
	const named = found.find(({ text }) => text.endsWith(` ${last}`)) ?? found[0];
	if (named) addFinding(check, "forbidden_command", `matches the forbidden command ${shortenForReason(named.text)}`);
}

/**
 * Judges an effect on a path, and on where a link leads it, from each folder that the command may run in. Removing a link
 * itself leaves what it leads to.
 */
export function judgePath(check: CommandCheck, effect: PathEffect, folders: readonly string[]): void {
	judgeFrom(check, effect, folders);
	for (const { path, below } of check.files.findLinked(effect.path, folders))
		if (below || effect.kind !== "remove") judgeFrom(check, { ...effect, path }, folders);
}

function judgeFrom(check: CommandCheck, effect: PathEffect, folders: readonly string[]): void {
	for (const folder of folders) {
		for (const { factor, because } of check.paths.judge(effect, folder)) addFinding(check, factor, because);
		if (check.work.spent) return;
	}
}

/** The findings so far. Once the work is spent, they say that nothing is ruled out. */
export function toFindings(check: CommandCheck): Findings {
	const { spent } = check.work;
	if (spent)
		addFinding(check, "oversize_command", "too large, too deep or too complex: nothing it could do is ruled out");
	return {
		reasons: check.reasons,
		notRuledOut: spent ? COMMAND_FACTORS : [],
		unseenFiles: [...check.unseenFiles],
	};
}
