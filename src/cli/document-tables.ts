// Tables of the documents that are written by code, found by their heads. Pure.

export interface DocumentTable {
	/** The line that begins it. Its rows are the lines below its rule that begin with a bar. */
	head: string;
	/** Cells, as Markdown. */
	rows: readonly (readonly string[])[];
}

/** A word of the code in a cell. */
export function asCode(text: string): string {
	return `\`${text}\``;
}

/** A page with these rows in the table; unchanged where the table stands on another. */
export function replaceRows(page: string, { head, rows }: DocumentTable): string {
	const lines = page.split("\n");
	const at = lines.indexOf(head);
	if (at < 0) return page;
	const below = lines.slice(at + 2);
	const end = below.findIndex((line) => !line.startsWith("|"));
	const written = rows.map((cells) => `| ${cells.join(" | ")} |`);
	return [...lines.slice(0, at + 2), ...written, ...below.slice(end)].join("\n");
}
