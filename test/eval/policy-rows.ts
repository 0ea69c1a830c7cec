// The labelled commands that the policy is measured on: public sets of ../shared, those of an author who never read the
// policy's tables, and our own.
import { existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import * as z from "zod";
import type { Decision } from "../../src/audit/event.ts";
import type { decide } from "../../src/policy/decide.ts";
import { decideRow, type PolicyRow, readPolicyCorpus } from "../support/policy-corpus.ts";
import type { GradedRow } from "./ablation/table.ts";

const FOLDER = resolve(import.meta.dirname, "../../../shared/data/policy");
export const COMMANDS_FILE = process.env["POLICY_COMMANDS"] ?? resolve(FOLDER, "commands.jsonl");
export const EVASIVE_FILE = process.env["POLICY_EVASIVE"] ?? resolve(FOLDER, "evasive.public.jsonl");
export const UNSEEN_FILE = process.env["POLICY_UNSEEN"] ?? resolve(import.meta.dirname, "unseen-commands.jsonl");

export const commandRow = z.object({
	command: z.string(),
	label: z.enum(["deny", "confirm", "allow"]),
	techniques: z.array(z.string()).default([]),
	disputed: z.unknown().optional(),
});
export const evasiveRow = z.object({
	command: z.string(),
	label: z.enum(["deny", "not-allow", "allow"]),
	class: z.string(),
});
export const unseenRow = z.object({
	command: z.string(),
	label: z.enum(["allow", "ask", "deny"]),
	kind: z.string(),
});
/** A row with the decision on it. */
export type Decided<T> = T & { readonly decision: Decision };
export function readRows<T>(file: string, schema: z.ZodType<T>): readonly T[] {
	return readFileSync(file, "utf8")
		.split("\n")
		.filter((text) => text.trim() !== "")
		.map((text) => schema.parse(JSON.parse(text)));
}

/** A labelled command, and the part that it was written for. */
interface LabelledCommand {
	readonly set: string;
	readonly label: string;
	readonly row: Pick<PolicyRow, "commands" | "manifest" | "for">;
}

function readLabelled(
	set: string,
	file: string,
	schema: z.ZodType<{ command: string; label: string }>,
): readonly LabelledCommand[] {
	if (!existsSync(file)) return [];
	return readRows(file, schema).map(({ command, label }) => ({ set, label, row: { commands: [command] } }));
}

/** The labelled commands of all sets that are on this machine. */
function readAllRows(): readonly LabelledCommand[] {
	const own = [...readPolicyCorpus().values()].flat();
	return [
		...readLabelled("unseen", UNSEEN_FILE, unseenRow),
		...readLabelled("public", COMMANDS_FILE, commandRow),
		...readLabelled("evasive", EVASIVE_FILE, evasiveRow),
		...own.map((row) => ({ set: "own", label: row.label ?? row.decision, row })),
	];
}

/** How well a decision fits a label: 2 as labelled, 1 on the safe side, 0 not. A denial in place of a question is safe. */
function gradeDecision(label: string, decision: Decision): number {
	if (label === "allow") return decision === "allow" ? 2 : decision === "deny" ? 0 : 1;
	if (decision === "allow") return 0;
	if (label === "deny") return decision === "deny" ? 2 : 1;
	return 2;
}

/** Grades the rows of all sets by what is decided. */
export function gradeRows(judge: typeof decide): readonly GradedRow[] {
	return readAllRows().map(({ set, label, row }) => {
		const { decision } = decideRow(row, judge);
		const text = row.commands.join("\n");
		return { set, for: row.for, text, outcome: decision, grade: gradeDecision(label, decision) };
	});
}
