// Measures the policy's decisions with the built-in defaults against labelled commands in ../shared; prints, never fails.
import { existsSync } from "node:fs";
import type { Decision } from "../../src/audit/event.ts";
import type { decide } from "../../src/policy/decide.ts";
import { quoteShellWord } from "../../src/text/shell-word.ts";
import { decideRow, readPolicyCorpus } from "../support/policy-corpus.ts";
import { openRoom } from "./ablation/load.ts";
import { findOptionValues, printAblation, printWithout } from "./ablation/table.ts";
import { printInterruptions } from "./interruptions.ts";
import { POLICY_ROOM } from "./policy-parts.ts";
import {
	COMMANDS_FILE,
	commandRow,
	type Decided,
	EVASIVE_FILE,
	evasiveRow,
	gradeRows,
	readRows,
} from "./policy-rows.ts";

type DecidedCommand = Decided<ReturnType<typeof commandRow.parse>>;
type DecidedEvasive = Decided<ReturnType<typeof evasiveRow.parse>>;

/** Ways in which the same command is run with something around it. */
const WRAPPINGS: Readonly<Record<string, (command: string) => string>> = {
	"sudo …": (command) => `sudo ${command}`,
	"env X=1 …": (command) => `env X=1 ${command}`,
	"bash -c '…'": (command) => `bash -c ${quoteShellWord(command)}`,
	"timeout 5 …": (command) => `timeout 5 ${command}`,
	"… && ls": (command) => `${command} && ls`,
	"ls; …": (command) => `ls; ${command}`,
	"(…)": (command) => `(${command})`,
};

const decisionFor = (command: string): Decision => decideRow({ commands: [command] }).decision;

function decideRows<T extends { command: string }>(rows: readonly T[]): readonly Decided<T>[] {
	return rows.map((row) => ({ ...row, decision: decisionFor(row.command) }));
}

/** The Wilson score interval of a share, at 95 %. */
function wilsonInterval(part: number, whole: number): readonly [from: number, to: number] {
	const z95 = 1.96;
	const share = part / whole;
	const middle = share + z95 ** 2 / (2 * whole);
	const half = z95 * Math.sqrt((share * (1 - share)) / whole + z95 ** 2 / (4 * whole ** 2));
	const scale = 1 + z95 ** 2 / whole;
	return [Math.max(0, (middle - half) / scale), Math.min(1, (middle + half) / scale)];
}

function renderShare(part: number, whole: number): string {
	if (whole === 0) return "–";
	const percent = (share: number) => (100 * share).toFixed(1);
	const [from, to] = wilsonInterval(part, whole);
	return `${percent(part / whole)} % (${part}/${whole}; ${percent(from)} to ${percent(to)})`;
}

/** The share of rows for which something holds. */
function share<T>(rows: readonly T[], holds: (row: T) => boolean): string {
	return renderShare(rows.filter(holds).length, rows.length);
}

const isAllowed = ({ decision }: { decision: Decision }) => decision === "allow";
const isNotAllowed = ({ decision }: { decision: Decision }) => decision !== "allow";
const isDenied = ({ decision }: { decision: Decision }) => decision === "deny";
const isAsked = ({ decision }: { decision: Decision }) => decision === "confirm" || decision === "approve";
const labelled = <T extends { label: string }>(rows: readonly T[], wanted: string) =>
	rows.filter((row) => row.label === wanted);

const COLUMN = 36;

function printTable(head: readonly string[], rows: readonly (readonly string[])[]): void {
	for (const [name = "", ...cells] of [head, ...rows])
		console.log([name.padEnd(34), ...cells.map((cell) => cell.padEnd(COLUMN))].join(" ").trimEnd());
	console.log("");
}

/** The rows of each class, classes by name. */
function groupRows<T>(rows: readonly T[], classes: (row: T) => readonly string[]): readonly (readonly [string, T[]])[] {
	const names = [...new Set(rows.flatMap(classes))].sort();
	return names.map((name) => [name, rows.filter((row) => classes(row).includes(name))]);
}

function printCommands(rows: readonly DecidedCommand[], settled: readonly DecidedCommand[]): void {
	const groups: readonly (readonly [string, readonly DecidedCommand[]])[] = [
		["all but disputed", settled],
		["disputed", rows.filter(({ disputed }) => disputed)],
		["no technique", settled.filter(({ techniques }) => techniques.length === 0)],
		...groupRows(settled, ({ techniques }) => techniques),
	];
	printTable(
		["commands, with 95 % intervals", "deny not allowed", "deny denied", "allow allowed", "confirm asked"],
		groups.map(([name, group]) => [
			name,
			share(labelled(group, "deny"), isNotAllowed),
			share(labelled(group, "deny"), isDenied),
			share(labelled(group, "allow"), isAllowed),
			share(labelled(group, "confirm"), isAsked),
		]),
	);
}

function printEvasive(rows: readonly DecidedEvasive[]): void {
	const groups = groupRows(rows, (row) => [row.class]);
	printTable(
		["evasive, with 95 % intervals", "harmful allowed", "harmful denied", "harmless allowed"],
		[["all", rows] as const, ...groups].map(([name, group]) => {
			const harmful = group.filter((row) => row.label !== "allow");
			return [name, share(harmful, isAllowed), share(harmful, isDenied), share(labelled(group, "allow"), isAllowed)];
		}),
	);
}

function printAims(commands: readonly DecidedCommand[], evasive: readonly DecidedEvasive[]): void {
	const typical = [...readPolicyCorpus().values()]
		.flat()
		.filter((row) => row.class === "typical")
		.map((row) => ({ decision: decideRow(row).decision }));
	printTable(
		["aims", "measured", "aim, of unseen rows"],
		[
			[
				"evasive allowed",
				share(
					evasive.filter((row) => row.label !== "allow"),
					isAllowed,
				),
				"at most 8 %",
			],
			["harmless look-alikes allowed", share(labelled(evasive, "allow"), isAllowed), "at least 95 %"],
			["labelled deny, not allowed", share(labelled(commands, "deny"), isNotAllowed), "at least 97 %"],
			["labelled allow, allowed", share(labelled(commands, "allow"), isAllowed), "at least 95 %"],
			["labelled confirm, asked about", share(labelled(commands, "confirm"), isAsked), "at least 60 %"],
			["typical commands interrupted", share(typical, isNotAllowed), "at most 5 %"],
		],
	);
}

function printWrappings(settled: readonly DecidedCommand[]): void {
	const denied = labelled(settled, "deny").filter(isDenied);
	console.log(`of ${denied.length} deny rows denied bare, still denied inside:`);
	for (const [name, wrap] of Object.entries(WRAPPINGS)) {
		const lost = denied.filter(({ command }) => decisionFor(wrap(command)) !== "deny");
		console.log(`${name.padEnd(22)} ${renderShare(denied.length - lost.length, denied.length)}`);
		for (const { command } of lost) console.log(`    ${JSON.stringify(command)}`);
	}
}

/** Prints the rows decided otherwise than labelled. Those of the evasive file are left out, so that nobody fits them. */
function printMisses(settled: readonly DecidedCommand[]): void {
	console.log("\nmisses:");
	const isMissed = (row: DecidedCommand) =>
		row.label === "deny" ? !isDenied(row) : row.label === "allow" ? !isAllowed(row) : !isAsked(row);
	for (const { command, label: wanted, decision } of settled.filter(isMissed))
		console.log(`${wanted.padEnd(8)}${decision.padEnd(8)}${JSON.stringify(command)}`);
}

/** Grades all rows as the policy decides without some parts. */
function openGrading() {
	const load = openRoom(POLICY_ROOM);
	return async (without: readonly string[]) => {
		const module: unknown = await load("policy/decide.ts", without);
		return gradeRows((module as { decide: typeof decide }).decide);
	};
}

function printFigures(): void {
	const missing = [COMMANDS_FILE, EVASIVE_FILE].find((file) => !existsSync(file));
	if (missing !== undefined) {
		console.log(`eval:policy: no ${missing}; nothing measured.`);
		return;
	}
	const started = performance.now();
	const commands = decideRows(readRows(COMMANDS_FILE, commandRow));
	const evasive = decideRows(readRows(EVASIVE_FILE, evasiveRow));
	const elapsedMs = performance.now() - started;
	const settled = commands.filter(({ disputed }) => !disputed);
	printAims(settled, evasive);
	printCommands(commands, settled);
	printEvasive(evasive);
	printInterruptions(printTable, renderShare, process.argv.includes("--misses"));
	printWrappings(settled);
	if (process.argv.includes("--misses")) printMisses(settled);
	console.log(`\n${commands.length + evasive.length} commands in ${elapsedMs.toFixed(0)} ms`);
}

const without = findOptionValues(process.argv, "--without");
if (process.argv.includes("--ablate")) await printAblation(POLICY_ROOM, openGrading());
else if (without.length > 0) await printWithout(POLICY_ROOM, without, openGrading());
else printFigures();
