// Why a decision was made, as a person reads it: which command fired a factor, what it does, and what would pass instead.
// When a factor fires is left to the rules.

import type { Decision } from "../audit/event.ts";
import { type Factor, type FactorId, RISK_THRESHOLDS } from "./factors.ts";
import { type FindHiddenSpans, hideSecrets } from "./hidden-secrets.ts";
import { shortenForReason } from "./placeholders.ts";

/** The simple command that a finding concerns. */
export interface CommandPlace {
	/** The command of the check that it is part of, counted from 1. */
	readonly command: number;
	/** Its words as they were expanded. */
	readonly words: readonly string[];
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

/** The words of a command as one line. Secrets are hidden before the line is cut, because a piece of one looks harmless. */
function renderWords(words: readonly string[], findSecrets: FindHiddenSpans): string {
	let line = "";
	for (const word of words) {
		if (line.length > MAX_JOINED_CHARS) break;
		line += `${line === "" ? "" : " "}${word.slice(0, MAX_JOINED_CHARS)}`;
	}
	return shortenForReason(hideSecrets(line, findSecrets)).replaceAll("`", "'");
}

/** Renders a reason: "command 2, `git push -f`: overwrites what others have; instead: git push --force-with-lease". */
export function renderReason(
	{ because, instead, place }: FactorReason,
	{ isOneCommand, findSecrets }: ReasonContext,
): string {
	const text = place ? renderWords(place.words, findSecrets) : "";
	const at = [place && !isOneCommand ? `command ${place.command}` : "", text === "" ? "" : `\`${text}\``];
	const named = at.filter((part) => part !== "").join(", ");
	const better = instead === undefined ? "" : `; instead: ${instead}`;
	return `${named === "" ? "" : `${named}: `}${hideSecrets(because, findSecrets)}${better}`;
}

/** What would pass, where a factor's reasons do not say. Nothing here helps a command that is forbidden. */
const FACTOR_ADVICE: Partial<Readonly<Record<FactorId, string>>> = {
	oversize_command: "Split it into smaller commands",
	protected_path: "Leave out the protected paths, or ask their owner",
	risky_command: "A person can list it in allowed_commands",
	exec_action: "Put the code into the command, or have a person list the command in allowed_commands",
	unparsable_command: "Write it so that `bash -n` accepts it",
};

function adviceFor(factor: FactorId, reasons: readonly FactorReason[], decision: Decision): readonly string[] {
	const isUseless = decision === "deny" && factor !== "oversize_command";
	const advice = isUseless || reasons.some(({ instead }) => instead !== undefined) ? undefined : FACTOR_ADVICE[factor];
	return advice === undefined || decision === "allow" ? [] : [advice];
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
	return [`What ${list} ${all.length === 1 ? "does" : "do"} was not seen`];
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
	const because = triggered.flatMap(({ id, label }) => {
		const found = reasons.get(id);
		if (!found) return [];
		const rendered = found.map((reason) => renderReason(reason, context));
		return [rendered.length > 0 ? `${label} (${rendered.join("; ")})` : label, ...adviceFor(id, found, decision)];
	});
	const against = triggered.length === 0 ? "no risk factor was triggered" : `risk score ${score}${reached}`;
	return `${[`${DECISION_PHRASES[decision]}: ${against}`, ...because, ...renderUnseenFiles(unseenFiles)].join(". ")}.`;
}
