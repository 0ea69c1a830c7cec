// Findings: the result of a check, line by line.

import { canonicalJson } from "../proof/canonical.ts";

/** Further faults add nothing. */
const MAX_FAULTS_SHOWN = 20;
const MAX_LINE_LENGTH = 600;

/** `note`: something was not there to be checked, which is not a fault. */
export interface Finding {
	verdict: "ok" | "FAIL" | "note";
	/** A single line. */
	text: string;
}

/** A finding with one text for success and one for the fault. */
export function finding(holds: boolean, ifSo: string, ifNot: string): Finding {
	return holds ? { verdict: "ok", text: ifSo } : { verdict: "FAIL", text: ifNot };
}

/** One fault. */
export function failedFinding(text: string): Finding {
	return { verdict: "FAIL", text };
}

/** Many faults of one kind: the first ones, and how many more there are. */
export function failedFindings(texts: readonly string[]): Finding[] {
	const shown = texts.slice(0, MAX_FAULTS_SHOWN).map(failedFinding);
	const more = texts.length - shown.length;
	return more > 0 ? [...shown, failedFinding(`and ${more} more of these`)] : shown;
}

/**
 * Compares what an answer claims beside its proof with what follows from the proof. A claim can only count against the
 * answer. Missing members claim nothing.
 * @param what the name of the answer in the finding.
 * @param follows the value that each member must have.
 */
export function contradictionFindings(
	what: string,
	said: Readonly<Record<string, unknown>>,
	follows: Readonly<Record<string, unknown>>,
): Finding[] {
	const names = Object.entries(follows).flatMap(([name, value]) =>
		said[name] === undefined || canonicalJson(said[name]) === canonicalJson(value ?? null) ? [] : [name],
	);
	return names.length === 0 ? [] : [failedFinding(`${what}: shows ${names.join(", ")} that its proof contradicts`)];
}

/** A note that names the members that no proof covers, so that nobody takes them for proven. */
export function unprovenFindings(what: string, names: Iterable<string>): Finding[] {
	const each = [...new Set(names)];
	return each.length === 0 ? [] : [{ verdict: "note", text: `${what}: nothing proves ${each.join(", ")}` }];
}

/** Whether no finding is a fault. */
export function allHold(findings: readonly Finding[]): boolean {
	return findings.every(({ verdict }) => verdict !== "FAIL");
}

/**
 * A finding's text, safe to show. A file may contain line breaks, marks that change the text direction, and texts of
 * any length; the result does not.
 */
export function printableText({ text }: Finding): string {
	const line = text.slice(0, MAX_LINE_LENGTH).replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, " ");
	return text.length > MAX_LINE_LENGTH ? `${line.toWellFormed()}…` : line;
}

/** A finding as the command line prints it. */
export function renderFinding(finding: Finding): string {
	return `${finding.verdict.padEnd(4)}  ${printableText(finding)}`;
}
