// The labelled commands that the policy is measured on: public sets of ../shared, those of an author who never read the
// policy's tables, and our own.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import * as z from "zod";
import type { Decision } from "../../src/audit/event.ts";
import type { decide } from "../../src/policy/decide.ts";
import type { GradedRow } from "./ablation/table.ts";

const FOLDER = resolve(import.meta.dirname, "../../../shared/data/policy");
export const COMMANDS_FILE = process.env["POLICY_COMMANDS"] ?? resolve(FOLDER, "commands.jsonl");
export const EVASIVE_FILE = process.env["POLICY_EVASIVE"] ?? resolve(FOLDER, "evasive.public.jsonl");
export const UNSEEN_FILE = process.env["POLICY_UNSEEN"] ?? resolve(import.meta.dirname, "unseen-commands.jsonl");
const OWN_FOLDER = resolve(import.meta.dirname, "../corpus/policy");

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
const ownRow = z.object({
	command: z.string(),
	decision: z.string(),
	for: z.string().optional(),
});

/** A row with the decision on it. */
export type Decided<T> = T & { readonly decision: Decision };
export type Decide = (command: string) => Decision;

/** Decides as an account does that has written no rules. */
export function toDecide(decidePolicy: typeof decide): Decide {
	return (command) =>
		decidePolicy(
			{ action: "Run a command", action_kind: "edit", files_affected: [], commands: [command] },
			{ protectedPaths: [], forbiddenCommands: [], budgetUsd: Number.POSITIVE_INFINITY },
		).decision;
}

export function readRows<T>(file: string, schema: z.ZodType<T>): readonly T[] {
	return readFileSync(file, "utf8")
		.split("\n")
		.filter((text) => text.trim() !== "")
		.map((text) => schema.parse(JSON.parse(text)));
}

/** A row of any set. `label` is what should be decided. */
interface LabelledCommand {
	readonly set: string;
	readonly command: string;
	readonly label: string;
	readonly for?: string | undefined;
}

function readOwnRows(): readonly LabelledCommand[] {
	if (!existsSync(OWN_FOLDER)) return [];
	return readdirSync(OWN_FOLDER)
		.filter((name) => name.endsWith(".jsonl"))
		.flatMap((name) => readRows(resolve(OWN_FOLDER, name), ownRow))
		.map(({ command, decision, for: part }) => ({ set: "own", command, label: decision, for: part }));
}

function readLabelled(set: string, file: string, schema: z.ZodType<{ command: string; label: string }>) {
	return existsSync(file) ? readRows(file, schema).map(({ command, label }) => ({ set, command, label })) : [];
}

/** The labelled commands of all sets that are on this machine. */
function readAllRows(): readonly LabelledCommand[] {
	return [
		...readLabelled("unseen", UNSEEN_FILE, unseenRow),
		...readLabelled("public", COMMANDS_FILE, commandRow),
		...readLabelled("evasive", EVASIVE_FILE, evasiveRow),
		...readOwnRows(),
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
export function gradeRows(decideCommand: Decide): readonly GradedRow[] {
	return readAllRows().map(({ command, label, ...row }) => {
		const decision = decideCommand(command);
		return { set: row.set, for: row.for, text: command, outcome: decision, grade: gradeDecision(label, decision) };
	});
}
