// What checking a proof found, line by line.

/** More would tell nobody more. */
const MAX_FAULTS_SHOWN = 20;
const MAX_LINE_LENGTH = 600;

/** `note`: something that was not there to be checked, which is no fault. */
export interface Finding {
	verdict: "ok" | "FAIL" | "note";
	/** One line. */
	text: string;
}

/** A finding by whether it holds; the second text says what is wrong. */
export function finding(holds: boolean, ifSo: string, ifNot: string): Finding {
	return holds ? { verdict: "ok", text: ifSo } : { verdict: "FAIL", text: ifNot };
}

/** One fault. */
export function failure(text: string): Finding {
	return { verdict: "FAIL", text };
}

/** Many faults of one sort: the first of them, and how many more there are. */
export function failedFindings(texts: readonly string[]): Finding[] {
	const shown = texts.slice(0, MAX_FAULTS_SHOWN).map(failure);
	const more = texts.length - shown.length;
	return more > 0 ? [...shown, failure(`and ${more} more of these`)] : shown;
}

/**
 * What an answer says beside its proof, held against what follows from the proof: it counts only against the answer. Members
 * that are not there say nothing.
 * @param what the answer is called.
 * @param follows what each member has to be.
 */
export function contradictionFindings(
	what: string,
	said: Readonly<Record<string, unknown>>,
	follows: Readonly<Record<string, unknown>>,
): Finding[] {
	const names = Object.entries(follows).flatMap(([name, value]) =>
		said[name] === undefined || JSON.stringify(said[name]) === JSON.stringify(value) ? [] : [name],
	);
	return names.length === 0 ? [] : [failure(`${what}: shows ${names.join(", ")} that its proof contradicts`)];
}

/** Names that no proof covers, so that nobody takes them for proven. */
export function unprovenFindings(what: string, names: Iterable<string>): Finding[] {
	const each = [...new Set(names)];
	return each.length === 0 ? [] : [{ verdict: "note", text: `${what}: nothing proves ${each.join(", ")}` }];
}

/** Whether all of it holds. */
export function allHold(findings: readonly Finding[]): boolean {
	return findings.every(({ verdict }) => verdict !== "FAIL");
}

/** A finding's text for people. What a file says may hold line breaks, marks that turn lines around, and no end; this does not. */
export function printableText({ text }: Finding): string {
	const line = text.slice(0, MAX_LINE_LENGTH).replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, " ");
	return text.length > MAX_LINE_LENGTH ? `${line.toWellFormed()}…` : line;
}

/** As printed. */
export function renderFinding(finding: Finding): string {
	return `${finding.verdict.padEnd(4)}  ${printableText(finding)}`;
}
