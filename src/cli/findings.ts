// What checking a proof found, line by line.

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

/** As printed. */
export function lineOf({ verdict, text }: Finding): string {
	return `${verdict.padEnd(4)}  ${text}`;
}
