// Text tables.

export type TableRow = readonly string[];

/** Aligns columns: the first to the left, figures to the right. */
export function renderTable(rows: readonly TableRow[]): string {
	const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
	const line = (row: TableRow) =>
		row.map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0)));
	return rows.map((row) => line(row).join("  ").trimEnd()).join("\n");
}

/** A number with at most two digits after the point. */
export function renderFigure(value: number | null): string {
	return value === null ? "not measured" : String(Math.round(value * 100) / 100);
}
