// `npm run bench:sensitive`: CPU time of the detector of sensitive data on 256 KiB, 512 KiB and 1 MiB of prose, code and hostile text,
// that of the classifier of statements, and what masks take on top.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type Conversation, plainConversation } from "../../src/compliance/conversation.ts";
import { detect } from "../../src/compliance/detect.ts";
import { planMask } from "../../src/compliance/mask/plan.ts";
import { inferStatements } from "../../src/compliance/statements/infer.ts";
import { runSteps } from "../../src/turns/steps.ts";
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
function leastCpuMs(work: () => unknown): number {
	let least = Number.POSITIVE_INFINITY;
	for (let run = 0; run < RUNS; run++) {
		const before = process.cpuUsage();
		work();
		const { user, system } = process.cpuUsage(before);
		least = Math.min(least, (user + system) / 1000);
	}
	return least;
}

function measureUnit(name: string, unit: string, read: (conversation: Conversation) => unknown): string[] {
	// Through bytes, so that the text is flat in memory, as a parsed body is.
	const texts = SIZES.map((size) => plainConversation(Buffer.from(repeatToLength(unit, size)).toString()));
	const times = texts.map((text) => leastCpuMs(() => read(text)));
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

/** Prose with a text of its own after every so many characters. */
function proseWith(chars: number, toText: (number: number) => string): string {
	const prose = repeatToLength(PROSE, MIB);
	let text = "";
	for (let at = 0; at < MIB; at += chars) text += `${prose.slice(at, at + chars)} ${toText(at / chars)} `;
	return Buffer.from(text).toString();
}

const address = (number: number) => `${number.toString(36)}.reader@mail${number % 7}.example.net`;

/** Texts by how much of them is masked. */
const MASKED: readonly (readonly [string, string])[] = [
	["prose with no address", proseWith(MIB, () => "")],
	["prose with an address every KiB", proseWith(1024, address)],
	["prose with an address every 64 characters", proseWith(64, address)],
	["prose with the same address every 64 characters", proseWith(64, () => address(1))],
	[
		"addresses that end alike, each longer than the last",
		proseWith(4096, (number) => `${"a.".repeat(number)}${address(1)}`),
	],
];

function measureMasks(): void {
	const rows = MASKED.map(([name, text]) => {
		const conversation = plainConversation(text);
		const { findings } = detect(conversation);
		const perKib = (work: () => unknown) => ((1000 * leastCpuMs(work)) / (text.length / 1024)).toFixed(1);
		const mask = planMask(conversation, findings);
		const masked = mask.maskText(text);
		const planned = perKib(() => planMask(conversation, findings).maskText(text));
		return [name, String(findings.length), planned, perKib(() => mask.restore(masked))];
	});
	console.log(renderTable([["text", "findings", "mask µs/KiB", "restore µs/KiB"], ...rows]));
}

measureDetection();
measureMasks();
