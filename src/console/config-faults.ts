// Faults of a routing config at the lines that they name. Pure.

export interface NumberedLine {
	number: number;
	text: string;
	/** What is wrong at this line. */
	faults: readonly string[];
}

/** The line that a fault names; null where it names none: the API writes `line L, column C: …` where there is a position. */
function lineNumber(fault: string): number | null {
	const number = /^line (\d+)\b/.exec(fault)?.[1];
	return number === undefined ? null : Number(number);
}

/** The lines of a text with the faults of each, and the faults that stand at none of them. */
export function placeFaults(text: string, faults: readonly string[]): { lines: NumberedLine[]; unplaced: string[] } {
	const texts = text.split(/\r?\n/);
	const byLine = Map.groupBy(faults, (fault) => lineNumber(fault) ?? 0);
	const lines = texts.map((line, index) => ({ number: index + 1, text: line, faults: byLine.get(index + 1) ?? [] }));
	const unplaced = faults.filter((fault) => {
		const number = lineNumber(fault);
		return number === null || number < 1 || number > texts.length;
	});
	return { lines, unplaced };
}
