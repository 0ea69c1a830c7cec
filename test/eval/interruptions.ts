// How often the policy interrupts harmless commands, and how often it allows dangerous ones, by kind: on our own day of an agent
// (test/corpus/policy/agent-day.jsonl), and on the rows of an author who never read the tables (unseen-commands.jsonl).
import type { Decision } from "../../src/audit/event.ts";
import { decideRow, readPolicyCorpus } from "../support/policy-corpus.ts";
import { readRows, UNSEEN_FILE, unseenRow } from "./policy-rows.ts";

interface KindRow {
	readonly kind: string;
	readonly command: string;
	readonly isHarmless: boolean;
	readonly decision: Decision;
}

function readDay(): readonly KindRow[] {
	return (readPolicyCorpus().get("agent-day.jsonl") ?? []).map((row) => ({
		kind: row.class.replace(/^day: /, ""),
		command: row.commands.join("\n"),
		isHarmless: (row.label ?? row.decision) === "allow",
		decision: decideRow(row).decision,
	}));
}

function readUnseen(): readonly KindRow[] {
	return readRows(UNSEEN_FILE, unseenRow).map(({ command, label, kind }) => ({
		...{ kind, command, isHarmless: label === "allow" },
		decision: decideRow({ commands: [command] }).decision,
	}));
}

/** The sets, each with a table of its kinds. Kinds without a miss are left out. */
export function printInterruptions(
	printTable: (head: readonly string[], rows: readonly (readonly string[])[]) => void,
	renderShare: (part: number, whole: number) => string,
	showMisses: boolean,
): void {
	for (const [name, rows] of [
		["a day of an agent", readDay()],
		["unseen commands", readUnseen()],
	] as const) {
		const isMissed = ({ isHarmless, decision }: KindRow) => isHarmless !== (decision === "allow");
		const toCells = (group: readonly KindRow[]) =>
			[true, false].map((wanted) => {
				const own = group.filter(({ isHarmless }) => isHarmless === wanted);
				return renderShare(own.filter(isMissed).length, own.length);
			});
		const kinds = [...new Set(rows.filter(isMissed).map(({ kind }) => kind))].sort();
		printTable(
			[`${name}, by kind`, "harmless interrupted", "dangerous allowed"],
			[["all", ...toCells(rows)], ...kinds.map((kind) => [kind, ...toCells(rows.filter((row) => row.kind === kind))])],
		);
		for (const row of showMisses ? rows.filter(isMissed) : [])
			console.log(`${row.kind.padEnd(22)} ${row.decision.padEnd(8)} ${JSON.stringify(row.command)}`);
	}
}
