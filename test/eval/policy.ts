// Measures the policy's decisions with the built-in defaults against labelled commands in ../shared; prints, never fails.
import { existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import * as z from "zod";
import type { Decision } from "../../src/audit/event.ts";
import { decide } from "../../src/policy/decide.ts";

const FILE =
	process.env["POLICY_COMMANDS"] ?? resolve(import.meta.dirname, "../../../shared/data/policy/commands.jsonl");

const row = z.object({
	command: z.string(),
	label: z.enum(["deny", "confirm", "allow"]),
	techniques: z.array(z.string()).default([]),
	disputed: z.unknown().optional(),
});
type Row = z.infer<typeof row>;

const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;

/** Ways in which the same command is run with something around it. */
const WRAPPINGS: Readonly<Record<string, (command: string) => string>> = {
	"sudo …": (command) => `sudo ${command}`,
	"env X=1 …": (command) => `env X=1 ${command}`,
	"bash -c '…'": (command) => `bash -c ${quoted(command)}`,
	"timeout 5 …": (command) => `timeout 5 ${command}`,
	"… && ls": (command) => `${command} && ls`,
	"ls; …": (command) => `ls; ${command}`,
	"(…)": (command) => `(${command})`,
};

function decisionOf(command: string): Decision {
	const input = { action: "Run a command", action_kind: "edit" as const, files_affected: [], commands: [command] };
	return decide(input, { protectedPaths: [], forbiddenCommands: [], budgetUsd: Number.POSITIVE_INFINITY }).decision;
}

const share = (part: number, whole: number) =>
	whole === 0 ? "–" : `${((100 * part) / whole).toFixed(1)} % (${part}/${whole})`;

function line(name: string, rows: readonly (Row & { readonly decision: Decision })[]): string {
	const deny = rows.filter(({ label }) => label === "deny");
	const allow = rows.filter(({ label }) => label === "allow");
	const confirm = rows.filter(({ label }) => label === "confirm");
	return [
		name.padEnd(22),
		share(deny.filter(({ decision }) => decision !== "allow").length, deny.length).padEnd(18),
		share(deny.filter(({ decision }) => decision === "deny").length, deny.length).padEnd(18),
		share(allow.filter(({ decision }) => decision === "allow").length, allow.length).padEnd(18),
		share(confirm.filter(({ decision }) => decision === "confirm" || decision === "approve").length, confirm.length),
	].join(" ");
}

function main(): void {
	if (!existsSync(FILE)) {
		console.log(`eval:policy: no ${FILE}; nothing measured.`);
		return;
	}
	const lines = readFileSync(FILE, "utf8")
		.split("\n")
		.filter((text) => text.trim() !== "");
	const started = performance.now();
	const rows = lines
		.map((text) => row.parse(JSON.parse(text)))
		.map((entry) => ({ ...entry, decision: decisionOf(entry.command) }));
	const elapsedMs = performance.now() - started;
	const settled = rows.filter(({ disputed }) => !disputed);
	const techniques = [...new Set(settled.flatMap((entry) => entry.techniques))].sort();
	console.log(
		[
			"".padEnd(22),
			"deny not allowed".padEnd(18),
			"deny denied".padEnd(18),
			"allow allowed".padEnd(18),
			"confirm asked",
		].join(" "),
	);
	console.log(line("all but disputed", settled));
	console.log(
		line(
			"disputed",
			rows.filter(({ disputed }) => disputed),
		),
	);
	console.log(
		line(
			"no technique",
			settled.filter((entry) => entry.techniques.length === 0),
		),
	);
	for (const technique of techniques)
		console.log(
			line(
				technique,
				settled.filter((entry) => entry.techniques.includes(technique)),
			),
		);
	const denied = settled.filter(({ label, decision }) => label === "deny" && decision === "deny");
	console.log(`\nof ${denied.length} deny rows denied bare, still denied inside:`);
	for (const [name, wrap] of Object.entries(WRAPPINGS)) {
		const lost = denied.filter(({ command }) => decisionOf(wrap(command)) !== "deny");
		console.log(`${name.padEnd(22)} ${share(denied.length - lost.length, denied.length)}`);
		for (const { command } of lost) console.log(`    ${JSON.stringify(command)}`);
	}
	if (process.argv.includes("--misses")) {
		console.log("\nmisses:");
		const missed = settled.filter(
			({ label, decision }) =>
				(label === "deny" && decision !== "deny") ||
				(label === "allow" && decision !== "allow") ||
				(label === "confirm" && (decision === "allow" || decision === "deny")),
		);
		for (const { command, label, decision } of missed)
			console.log(`${label.padEnd(8)}${decision.padEnd(8)}${JSON.stringify(command)}`);
	}
	console.log(`\n${rows.length} commands in ${elapsedMs.toFixed(0)} ms`);
}

main();
