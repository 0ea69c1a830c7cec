// Which labelled rows parts of a room decide: those lost without a part, and those won. Rows that were written for a part do
// not judge it.
import { countLines, findOwnNames, type Room } from "./parts.ts";

/** A labelled row with what came out for it. */
export interface GradedRow {
	readonly set: string;
	readonly text: string;
	/** The part that the row was written for. */
	readonly for?: string | undefined;
	/** What was decided or found, as it is printed. */
	readonly outcome: string;
	/** How well that fits the label. More is better. */
	readonly grade: number;
}

/** A row whose outcome a part changes. */
export interface ChangedRow {
	readonly row: GradedRow;
	/** The same row without the part. */
	readonly left: GradedRow;
}

/** The rows of others that come out otherwise without parts. */
export function findChanged(
	whole: readonly GradedRow[],
	without: readonly GradedRow[],
	ownNames: ReadonlySet<string>,
): readonly ChangedRow[] {
	return whole.flatMap((row, at) => {
		const left = without[at];
		if (left === undefined) throw new Error("a row is missing where parts are left out");
		const isOwn = row.for !== undefined && ownNames.has(row.for);
		return isOwn || left.outcome === row.outcome ? [] : [{ row, left }];
	});
}

/** Rows lost, won, and changed without being either, as `-3 +1 ~2`. */
function renderCounts(changed: readonly ChangedRow[]): string {
	const count = (sign: number) => changed.filter(({ row, left }) => Math.sign(left.grade - row.grade) === sign).length;
	const [lost, won, same] = [count(-1), count(1), count(0)];
	return changed.length === 0 ? "." : [`-${lost}`, `+${won}`, ...(same > 0 ? [`~${same}`] : [])].join(" ");
}

const NAME_WIDTH = 30;
const LINES_WIDTH = 6;
const SET_WIDTH = 18;

/** Prints what is lost and won without each part, by set. */
export async function printAblation(
	room: Room,
	grade: (without: readonly string[]) => Promise<readonly GradedRow[]>,
): Promise<void> {
	const whole = await grade([]);
	const sets = [...new Set(whole.map(({ set }) => set))];
	const printLine = (name: string, lines: string, cells: readonly string[], rest: string) =>
		console.log(
			`${name.padEnd(NAME_WIDTH)}${lines.padStart(LINES_WIDTH)}  ${cells.map((cell) => cell.padEnd(SET_WIDTH)).join("")}${rest}`.trimEnd(),
		);
	console.log("Rows of others lost (-), won (+) and otherwise changed (~) without each part:");
	printLine("part", "lines", sets, "");
	for (const part of room.parts) {
		const changed = findChanged(whole, await grade([part.name]), findOwnNames(room.parts, [part.name]));
		printLine(
			part.name,
			String(countLines(room, part)),
			sets.map((set) => renderCounts(changed.filter(({ row }) => row.set === set))),
			changed.length > 0 ? "" : `goes${part.kept === undefined ? "" : `, but is kept: ${part.kept}`}`,
		);
	}
}

/** Prints the rows of others that come out otherwise without parts. */
export async function printWithout(
	room: Room,
	parts: readonly string[],
	grade: (without: readonly string[]) => Promise<readonly GradedRow[]>,
): Promise<void> {
	const changed = findChanged(await grade([]), await grade(parts), findOwnNames(room.parts, parts));
	console.log(`${changed.length} rows come out otherwise without ${parts.join(", ")}:`);
	for (const { row, left } of changed) {
		const mark = { "-1": "-", "0": "~", "1": "+" }[String(Math.sign(left.grade - row.grade))] ?? "";
		console.log(`${mark} ${row.set}: ${row.outcome} -> ${left.outcome} ${JSON.stringify(row.text)}`);
	}
}

/** The values of a repeated option: `--without a --without b,c`. */
export function findOptionValues(words: readonly string[], option: string): readonly string[] {
	return words.flatMap((word, at) => (word === option ? (words[at + 1] ?? "").split(",") : []));
}
