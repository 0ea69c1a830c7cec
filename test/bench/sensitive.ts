// `npm run bench:sensitive`: CPU time of the detector of sensitive data on 256 KiB, 512 KiB and 1 MiB of prose, code and hostile text;
// and that of the classifier of statements.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type Conversation, plainConversation } from "../../src/compliance/conversation.ts";
import { detect } from "../../src/compliance/detect.ts";
import { inferStatements } from "../../src/compliance/statements/infer.ts";
import { runSteps } from "../../src/compliance/steps.ts";
import { HOSTILE_UNITS, PROSE, repeatToLength } from "./sensitive-inputs.ts";
import { renderTable } from "./table.ts";

const MIB = 1 << 20;
const SIZES = [MIB / 4, MIB / 2, MIB] as const;
const RUNS = 2;
const SRC = join(import.meta.dirname, "../../src");

/** Joins the files of a folder of src. */
function joinFiles(folder: string, suffix: string): string {
	const names = readdirSync(join(SRC, folder)).filter((name) => name.endsWith(suffix));
	return names.map((name) => readFileSync(join(SRC, folder, name), "utf8")).join("\n");
}

/** The least CPU time of some runs, ms. Other processes and the first compilation only add to it. */
function leastCpuMs(text: string, read: (conversation: Conversation) => unknown): number {
	let least = Number.POSITIVE_INFINITY;
	for (let run = 0; run < RUNS; run++) {
		const before = process.cpuUsage();
		read(plainConversation(text));
		const { user, system } = process.cpuUsage(before);
		least = Math.min(least, (user + system) / 1000);
	}
	return least;
}

function measureUnit(name: string, unit: string, read: (conversation: Conversation) => unknown): string[] {
	// Through bytes, so that the text is flat in memory, as a parsed body is.
	const times = SIZES.map((size) => leastCpuMs(Buffer.from(repeatToLength(unit, size)).toString(), read));
	const [, half = 0, whole = 0] = times;
	return [name, ...times.map((ms) => ms.toFixed(0)), (whole / half).toFixed(2), (1000 / whole).toFixed(1)];
}

function measureDetection(): void {
	const ordinary: readonly (readonly [string, string])[] = [
		["prose", PROSE],
		["documents of this repository", joinFiles("docs", ".md")],
		["code of this repository", joinFiles("policy", ".ts")],
	];
	const units = [...ordinary, ...HOSTILE_UNITS];
	for (const [detector, read] of [
		["patterns", detect],
		["statements", (conversation: Conversation) => runSteps(inferStatements(conversation))],
	] as const) {
		const rows = units.map(([name, unit]) => measureUnit(name, unit, read));
		console.log(renderTable([[detector, "256 KiB ms", "512 KiB ms", "1 MiB ms", "ratio", "MiB/s"], ...rows]));
	}
}

measureDetection();
