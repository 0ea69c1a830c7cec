// What checking a proof found, line by line.

/** More would tell nobody more. */
const MAX_LINES = 20;

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
export function failures(texts: readonly string[]): Finding[] {
	const shown = texts.slice(0, MAX_LINES).map(failure);
	const more = texts.length - shown.length;
	return more > 0 ? [...shown, failure(`and ${more} more of these`)] : shown;
}

/** Whether all of it holds. */
export function allHold(findings: readonly Finding[]): boolean {
	return findings.every(({ verdict }) => verdict !== "FAIL");
}

/** As printed. What the file says may hold line breaks and control characters; a line does not. */
export function lineOf({ verdict, text }: Finding): string {
	return `${verdict.padEnd(4)}  ${text.replace(/\p{Cc}+/gu, " ")}`;
}
