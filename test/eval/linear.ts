// Linear algebra of a few dimensions.

/** Solves a small symmetric system by elimination. */
export function solveLinear(matrix: readonly (readonly number[])[], right: readonly number[]): number[] {
	const rows = matrix.map((row, at) => [...row, right[at] ?? 0]);
	for (const [pivot, pivotRow] of rows.entries()) {
		for (const [at, row] of rows.entries()) {
			if (at === pivot) continue;
			const factor = (row[pivot] ?? 0) / (pivotRow[pivot] ?? 1);
			for (const column of row.keys()) row[column] = (row[column] ?? 0) - factor * (pivotRow[column] ?? 0);
		}
	}
	return rows.map((row, at) => (row.at(-1) ?? 0) / (row[at] ?? 1));
}
