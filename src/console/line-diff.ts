// What changed between two texts, line by line. Pure.

export interface DiffLine {
	kind: "same" | "removed" | "added";
	text: string;
}

/** `lengths[i][j]`: how many lines the rests of both texts share, from line i of one and j of the other. */
function sharedLengths(before: readonly string[], after: readonly string[]): number[][] {
	const lengths = Array.from({ length: before.length + 1 }, () => new Array<number>(after.length + 1).fill(0));
	for (let i = before.length - 1; i >= 0; i--)
		for (let j = after.length - 1; j >= 0; j--)
			(lengths[i] ?? [])[j] =
				before[i] === after[j]
					? (lengths[i + 1]?.[j + 1] ?? 0) + 1
					: Math.max(lengths[i + 1]?.[j] ?? 0, lengths[i]?.[j + 1] ?? 0);
	return lengths;
}

/** The longest common subsequence of lines, with what each text has beside it. Takes time with the product of their lines. */
export function diffLines(before: string, after: string): DiffLine[] {
	const [from, to] = [before.split("\n"), after.split("\n")];
	const lengths = sharedLengths(from, to);
	const lines: DiffLine[] = [];
	let [i, j] = [0, 0];
	while (i < from.length || j < to.length) {
		const [removed, added] = [from[i], to[j]];
		if (removed !== undefined && removed === added) {
			lines.push({ kind: "same", text: removed });
			i++;
			j++;
		} else if (
			removed !== undefined &&
			(added === undefined || (lengths[i + 1]?.[j] ?? 0) >= (lengths[i]?.[j + 1] ?? 0))
		) {
			lines.push({ kind: "removed", text: removed });
			i++;
		} else {
			lines.push({ kind: "added", text: added ?? "" });
			j++;
		}
	}
	return lines;
}
