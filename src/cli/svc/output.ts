// How values are written for people: money, columns, colours, and text of others that must not steer the terminal. Pure.

/** The styles that are used, by their SGR codes. */
const STYLES = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33 } as const;

export type Style = keyof typeof STYLES;

/** Wraps text in a style. */
export function paint(style: Style, text: string): string {
	return `\u001b[${STYLES[style]}m${text}\u001b[0m`;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what it looks for
const CONTROL = /\u001b\[[0-9;]{0,8}m|[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;

/** Removes what could move the cursor, set a title, turn text around or hide it; colours stay. For text that a model or a user wrote. */
export function toPrintable(text: string): string {
	return text.replace(CONTROL, (found) => (found.endsWith("m") && found.length > 1 ? found : ""));
}

/** An amount in USD: `0.0000228 USD`. Nine places are nano-dollars, in which the service counts. */
export function renderUsd(amount: number): string {
	const text = amount.toFixed(9).replace(/0+$/, "").replace(/\.$/, "");
	return `${text} USD`;
}

/** Rows as columns of equal width, two spaces between them. */
export function renderColumns(rows: readonly (readonly string[])[]): string[] {
	const widths = rows.reduce<number[]>((most, row) => row.map((cell, at) => Math.max(most[at] ?? 0, cell.length)), []);
	return rows.map((row) =>
		row
			.map((cell, at) => (at === row.length - 1 ? cell : cell.padEnd(widths[at] ?? 0)))
			.join("  ")
			.trimEnd(),
	);
}

/** The first line of a text, cut to a width. */
export function firstLine(text: string, width: number): string {
	const line = text.trim().split(/\r?\n/, 1)[0] ?? "";
	return line.length > width ? `${line.slice(0, width - 1)}…` : line;
}
