// Why a decision was made, as a person reads it: which command fired a factor, what it does, and what would pass instead.
// When a factor fires is left to the rules.

import type { Decision } from "../audit/event.ts";
import { quoteShellWord } from "../text/shell-word.ts";
import { type Factor, type FactorId, RISK_THRESHOLDS } from "./factors.ts";
import { type FindHiddenSpans, hideSecrets } from "./hidden-secrets.ts";
import type { Reach } from "./path-patterns.ts";
import { shortenForReason } from "./placeholders.ts";

/** The simple command that a finding concerns. */
export interface CommandPlace {
	/** The command of the check that it is part of, counted from 1. */
	readonly command: number;
	/** Its words as they were expanded. */
	readonly words: readonly string[];
	/** The redirect that the finding concerns: operator and path. Absent, it concerns the words. */
	readonly redirect?: readonly [operator: string, path: string] | undefined;
	/** The finding would be gone if `allowed_commands` had the command. */
	readonly isListable?: boolean | undefined;
}

/** Why a factor fired. */
export interface FactorReason {
	readonly because: string;
	/** A short text of what would pass. */
	readonly instead?: string | undefined;
	/** Absent where no command is to blame. */
	readonly place?: CommandPlace | undefined;
}

/** What the reasons of one check have in common. */
export interface ReasonContext {
	/** The check has one command, so its number says nothing. */
	readonly isOneCommand: boolean;
	readonly findSecrets: FindHiddenSpans;
}

/** Characters of words that are joined for a reason, which shows fewer. */
const MAX_JOINED_CHARS = 400;

/**
 * A word for a reader, in quotes where a shell would split it or read it as more than a word. Others have none, not even with
 * `*` or `~`: whether the command had them in quotes is not known here.
 */
function showWord(word: string): string {
	return /[\s;&|<>()]/.test(word) ? quoteShellWord(word) : word;
}

/** The words of a command as one line. Secrets are hidden before the line is cut, because a piece of one looks harmless. */
function renderWords(words: readonly string[], findSecrets: FindHiddenSpans): string {
	const [only = ""] = words;
	let line = words.length === 1 ? only.slice(0, MAX_JOINED_CHARS) : "";
	for (const word of words.length === 1 ? [] : words) {
		if (line.length > MAX_JOINED_CHARS) break;
		line += `${line === "" ? "" : " "}${showWord(word.slice(0, MAX_JOINED_CHARS))}`;
	}
	return shortenForReason(hideSecrets(line, findSecrets)).replaceAll("`", "'");
}

/** A redirect as it is written: `> a.txt`. */
function renderRedirect([operator, path]: readonly [string, string], findSecrets: FindHiddenSpans): string {
	return `${operator} ${renderWords([path, ""], findSecrets)}`.trimEnd();
}

/** Says which command a reason is about: "command 2, `git push -f`". Empty where it is about none. */
function renderPlace({ place }: FactorReason, { isOneCommand, findSecrets }: ReasonContext): string {
	if (!place) return "";
	const redirect = place.redirect === undefined ? "" : renderRedirect(place.redirect, findSecrets);
	const text = [renderWords(place.words, findSecrets), redirect].filter((part) => part !== "").join(" ");
	const parts = [isOneCommand ? "" : `command ${place.command}`, text === "" ? "" : `\`${text}\``];
	return parts.filter((part) => part !== "").join(", ");
}

/**
 * Renders the reasons for a factor, those about the same command together: "command 2, `git push -f`: overwrites what
 * others have; instead: git push --force-with-lease".
 */
export function renderReasons(reasons: readonly FactorReason[], context: ReasonContext): string {
	const texts = new Map<string, string[]>();
	for (const reason of reasons) {
		const place = renderPlace(reason, context);
		const because = hideSecrets(reason.because, context.findSecrets);
		const text = reason.instead === undefined ? because : `${because}; instead: ${reason.instead}`;
		texts.set(place, [...(texts.get(place) ?? []), text]);
	}
	return [...texts].map(([place, found]) => `${place === "" ? "" : `${place}: `}${found.join(", ")}`).join("; ");
}

/** What would pass, where a factor's reasons do not say. */
const FACTOR_ADVICE: Partial<Readonly<Record<FactorId, string>>> = {
	oversize_command: "Split it into smaller commands",
	protected_path: "Leave out the protected paths, or ask their owner",
	exec_action: "Put the code that it runs into the command",
	unparsable_command: "Write it so that `bash -n` accepts it",
};

/** Factors that a command no longer has once `allowed_commands` has it. */
const LISTABLE_FACTORS: ReadonlySet<FactorId> = new Set(["risky_command", "exec_action"]);

/** Factors that deny by themselves. Beside one of them, what would do for another factor would not pass. */
const DENYING_FACTORS: ReadonlySet<FactorId> = new Set([
	"forbidden_tool",
	"unreadable_tool",
	"forbidden_command",
	"oversize_command",
]);

/** Says who can let the commands of a factor's reasons pass. Null where listing them is not enough. */
function listingAdvice(factor: FactorId, reasons: readonly FactorReason[]): string | null {
	const isListable = reasons.length > 0 && reasons.every(({ place }) => place?.isListable === true);
	if (!isListable || !LISTABLE_FACTORS.has(factor)) return null;
	const commands = new Set(reasons.map(({ place }) => place?.words.join(" ")));
	return `list the command${commands.size > 1 ? "s" : ""} in allowed_commands`;
}

/** What would pass, for one factor of a decision. Empty where its reasons say it, and where nothing helps. */
function adviceFor(factor: FactorId, reasons: readonly FactorReason[], decision: Decision): readonly string[] {
	if (decision === "allow" || (decision === "deny" && factor !== "oversize_command")) return [];
	const isSaid = reasons.some(({ instead }) => instead !== undefined);
	// An assignment without a command has no words, and nothing that could be put anywhere.
	const isCode = reasons.some(({ place }) => place && place.words.length > 0);
	const own = isSaid || (factor === "exec_action" && !isCode) ? undefined : FACTOR_ADVICE[factor];
	const listing = listingAdvice(factor, reasons);
	if (listing === null) return own === undefined ? [] : [own];
	return [own === undefined ? `A person can ${listing}` : `${own}, or have a person ${listing}`];
}

/** Says that a path is protected by a pattern. An effect that reaches below a path may only touch files in it. */
export function describeProtection(path: string, pattern: string, reach: Reach): string {
	const [shown, protecting] = [shortenForReason(path), shortenForReason(pattern)];
	if (/[*?[]/.test(path)) return `${shown} can mean a path that ${protecting} protects`;
	return reach === "below"
		? `${shown} is, or contains, a path that ${protecting} protects`
		: `${shown} is protected by ${protecting}`;
}

/** Files that are named as unseen. */
const MAX_NAMED_FILES = 3;

/** Says which files run without having been seen. */
function renderUnseenFiles(files: readonly string[]): readonly string[] {
	const named = files.slice(0, MAX_NAMED_FILES);
	const others = files.length > named.length ? ["others"] : [];
	const all = [...named, ...others];
	if (all.length === 0) return [];
	const list = all.length === 1 ? all[0] : `${all.slice(0, -1).join(", ")} and ${all.at(-1)}`;
	return [`The check has not seen what ${list} ${all.length === 1 ? "does" : "do"}`];
}

const DECISION_PHRASES: Readonly<Record<Decision, string>> = {
	allow: "Allowed",
	confirm: "Needs confirmation",
	approve: "Needs approval",
	deny: "Denied",
};

/** A decision that is to be explained. */
interface ExplainedDecision {
	readonly decision: Decision;
	readonly score: number;
	readonly tier: string;
	readonly factors: readonly (Factor & { readonly triggered: boolean })[];
	/** Why each factor fired. The label explains a factor without reasons. */
	readonly reasons: ReadonlyMap<FactorId, readonly FactorReason[]>;
	readonly unseenFiles: readonly string[];
}

/**
 * Explains a decision by its score, its tier's threshold and the factors found. It claims no factor that was only not
 * ruled out.
 */
export function explainDecision(
	{ decision, score, tier, factors, reasons, unseenFiles }: ExplainedDecision,
	context: ReasonContext,
): string {
	const triggered = factors.filter((factor) => factor.triggered);
	const from = RISK_THRESHOLDS.find((row) => row.tier === tier)?.from ?? 0;
	const reached = decision === "allow" ? "" : ` reaches the ${tier} threshold of ${from}`;
	const isDenied = triggered.some(({ id }) => DENYING_FACTORS.has(id));
	const because = triggered.flatMap(({ id, label }) => {
		const found = reasons.get(id);
		if (!found) return [];
		const helps = !isDenied || DENYING_FACTORS.has(id);
		const rendered = renderReasons(helps ? found : found.map(({ because, place }) => ({ because, place })), context);
		return [rendered === "" ? label : `${label} (${rendered})`, ...adviceFor(id, found, decision)];
	});
	const against = triggered.length === 0 ? "no risk factor was triggered" : `risk score ${score}${reached}`;
	return `${[`${DECISION_PHRASES[decision]}: ${against}`, ...because, ...renderUnseenFiles(unseenFiles)].join(". ")}.`;
}
