// `npm run bench:policy`: CPU time of one decision on each hostile policy check, each in its own process, dearest first.
// `npm run bench:policy -- --search N` tries N generated checks instead and prints the slowest (policy-search.ts).
import { spawnSync } from "node:child_process";
import { decide } from "../../src/policy/decide.ts";
import { WorkBudget } from "../../src/policy/work-budget.ts";
import { HOSTILE_INPUTS, type HostileInput, type HostileSize } from "./policy-inputs.ts";
import { buildRecipe, type Recipe, renderRecipe, type SearchFigures, searchSlowRecipes } from "./policy-search.ts";
import { renderTable } from "./table.ts";

/** Size limit of a check's body. */
const BODY_BYTES = 2_097_152;
/** A case that takes longer is ended and reported as such. */
const TIMEOUT_MS = Number(process.env["BENCH_POLICY_TIMEOUT_MS"] ?? 120_000);

/** Few long pieces, many short ones, and many commands. Which is dearest depends on what bounds the work. */
const SHAPES: readonly Omit<HostileSize, "chars">[] = [
	{ commands: 1, repeats: 300 },
	{ commands: 1, repeats: 3_000 },
	{ commands: 1, repeats: 19_000 },
	{ commands: 40, repeats: 19_000 },
	{ commands: 2_000, repeats: 19_000 },
];

/** Counts the work done before the budget ran out. */
class CountingBudget extends WorkBudget {
	done = 0;

	override charge(units: number): boolean {
		const affordable = super.charge(units);
		if (affordable) this.done += units;
		return affordable;
	}
}

interface CheckFigures {
	readonly name: string;
	readonly shape: string;
	readonly decision: string;
	readonly cpuMs: number;
	/** Units of work done, in millions. */
	readonly millionUnits: number;
	readonly peakMb: number;
	readonly bodyBytes: number;
}

/** Builds the largest check that fits a body. JSON escapes some characters, and UTF-8 takes up to three bytes for one. */
function buildLargest(hostile: HostileInput, shape: Omit<HostileSize, "chars">) {
	for (let chars = BODY_BYTES - 8192; chars > 0; ) {
		const built = hostile.build({ ...shape, chars });
		const bodyBytes = Buffer.byteLength(JSON.stringify(built.input));
		if (bodyBytes <= BODY_BYTES) return { ...built, bodyBytes };
		chars = Math.floor((chars * BODY_BYTES) / bodyBytes) - 1000;
	}
	throw new Error(`${hostile.name} is larger than a body may be, however small it is built`);
}

function measureHere(name: string, at: number): CheckFigures {
	const hostile = HOSTILE_INPUTS.find((candidate) => candidate.name === name);
	const shape = SHAPES[at];
	if (!hostile || !shape) throw new Error(`no hostile input is called ${name}, or no shape is number ${at}`);
	const { input, rules, bodyBytes } = buildLargest(hostile, shape);
	const before = process.cpuUsage();
	const work = new CountingBudget();
	const { decision } = decide(input, rules, work);
	const { user, system } = process.cpuUsage(before);
	return {
		name,
		shape: `${shape.commands} × ${shape.repeats}`,
		decision,
		cpuMs: (user + system) / 1000,
		millionUnits: work.done / 1_000_000,
		peakMb: process.resourceUsage().maxRSS / 1024,
		bodyBytes,
	};
}

/** Measures in a new process, so that earlier cases neither warm it up nor leave it their garbage. */
function measureInChild(name: string, at: number): CheckFigures {
	const child = spawnSync(process.execPath, [import.meta.filename, "--case", name, String(at)], {
		timeout: TIMEOUT_MS,
		encoding: "utf8",
		killSignal: "SIGKILL",
	});
	if (child.status === 0) return JSON.parse(child.stdout) as CheckFigures;
	const thrown = child.stderr.match(/^\w*Error: .*|^FATAL ERROR: .*/m)?.[0] ?? `exit code ${child.status}`;
	const decision = child.signal === null ? thrown : `ended after ${TIMEOUT_MS} ms`;
	const shape = SHAPES[at];
	return {
		name,
		shape: `${shape?.commands} × ${shape?.repeats}`,
		decision,
		cpuMs: TIMEOUT_MS,
		millionUnits: 0,
		peakMb: 0,
		bodyBytes: 0,
	};
}

/** Measures each different shape of an input; returns the dearest. */
function measureDearestShape(hostile: HostileInput): CheckFigures | undefined {
	const built = new Set<string>();
	const rows = SHAPES.flatMap((shape, at) => {
		const body = JSON.stringify(hostile.build({ ...shape, chars: BODY_BYTES / 2 }));
		if (built.has(body)) return [];
		built.add(body);
		return [measureInChild(hostile.name, at)];
	});
	return rows.sort((one, other) => other.cpuMs - one.cpuMs)[0];
}

/** Decides on a generated check in this process. */
function measureRecipe(recipe: Recipe, chars: number): SearchFigures {
	const { input, rules } = buildRecipe(recipe, chars);
	const bytes = Buffer.byteLength(JSON.stringify(input));
	const work = new WorkBudget();
	const before = process.cpuUsage();
	const { decision } = decide(input, rules, work);
	const { user, system } = process.cpuUsage(before);
	return { ms: (user + system) / 1000, bytes, decision, examined: !work.spent };
}

/** The same seed finds the same checks, as far as the clock allows. */
const SEARCH_SEED = 29;

function runSearch(tries: number): void {
	const found = searchSlowRecipes(tries, SEARCH_SEED, measureRecipe);
	const rows = found.map(({ recipe, ms, bytes }) => {
		const full = measureRecipe(recipe, BODY_BYTES / 2);
		return [
			renderRecipe(recipe),
			(ms / (bytes / 1_048_576)).toFixed(0),
			full.ms.toFixed(0),
			String(full.bytes),
			full.examined ? full.decision : "given up",
		];
	});
	console.log(renderTable([["generated check", "ms a MiB", "ms at most", "bytes", "verdict"], ...rows]));
}

function runPolicyBench(): void {
	const searched = process.argv.indexOf("--search");
	if (searched >= 0) {
		runSearch(Number(process.argv[searched + 1] ?? 500));
		return;
	}
	const at = process.argv.indexOf("--case");
	if (at >= 0) {
		console.log(JSON.stringify(measureHere(process.argv[at + 1] ?? "", Number(process.argv[at + 2]))));
		return;
	}
	const wanted = process.argv[2] ?? "";
	const rows: CheckFigures[] = [];
	for (const hostile of HOSTILE_INPUTS.filter(({ name }) => name.includes(wanted))) {
		const row = measureDearestShape(hostile);
		if (!row) continue;
		rows.push(row);
		console.error(`${row.cpuMs.toFixed(0).padStart(7)} ms  ${row.millionUnits.toFixed(1).padStart(6)} M  ${row.name}`);
	}
	rows.sort((one, other) => other.cpuMs - one.cpuMs);
	console.log(
		renderTable([
			["hostile check", "commands × repeats", "body bytes", "peak MB", "M units", "CPU ms", "decision"],
			...rows.map((row) => [
				row.name,
				row.shape,
				String(row.bodyBytes),
				row.peakMb.toFixed(0),
				row.millionUnits.toFixed(1),
				row.cpuMs.toFixed(0),
				row.decision,
			]),
		]),
	);
	console.log(`\n${rows.length} checks, the dearest ${rows[0]?.cpuMs.toFixed(0) ?? 0} ms`);
}

runPolicyBench();
