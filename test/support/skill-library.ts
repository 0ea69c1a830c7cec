// The skills as files, and what a machine can hold against one: its form, its length, filler, what it shares with others, and
// the promises of skill-promises.ts.
import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseSkill, type Skill } from "../../src/skills/skill.ts";
import { findBrokenPromises } from "./skill-promises.ts";

const LIBRARY = resolve(import.meta.dirname, "../../src/skills/library");

/** Every skill of the library, by id. */
export function readLibrary(): Skill[] {
	const names = readdirSync(LIBRARY).toSorted();
	return names.map((name) => parseSkill(readFileSync(join(LIBRARY, name), "utf8")));
}

/** In this order, under the title and the role. */
const SECTIONS = ["When to use", "Method", "Output", "Pitfalls", "Example"];

const WORDS = { min: 450, max: 950 };
const DESCRIPTION_CHARS = { min: 60, max: 170 };
/** Numbered steps; a method of fewer is advice. */
const MIN_STEPS = 6;
const PITFALLS = { min: 5, max: 8 };
const MIN_EXAMPLE_WORDS = 60;
/** Share of a body's five-word sequences that another may have as well. */
const MAX_SHARED = 0.01;
const SHINGLE_WORDS = 5;

/** Words that would stand in any system prompt and tell a model nothing. Examples may quote them. */
const FILLER = [
	/\bas an? (?:expert|experienced|seasoned|senior|professional)\b/i,
	/\byou are an? (?:expert|helpful|experienced|world[- ]class|highly)\b/i,
	/\b(?:high|top)[- ]quality\b/i,
	/\bbest practices?\b/i,
	/\bindustry[- ]standards?\b/i,
	/\b(?:world[- ]class|cutting[- ]edge|state[- ]of[- ]the[- ]art)\b/i,
	/\b(?:comprehensive|thorough|meticulous|holistic|actionable|insightful|valuable insights?)(?:ly)?\b/i,
	/\b(?:leverag|utiliz|utilis|delv|streamlin)(?:e|es|ed|ing)\b/i,
	/\b(?:it is|it's) (?:important|crucial|essential|worth noting)\b/i,
	/\b(?:ensur|foster)(?:e|es|ing)\b/i,
	/\b(?:as (?:needed|appropriate|applicable|necessary)|where relevant|if applicable|and so on)\b/i,
	/\b(?:etc\.|in order to|make sure|keep in mind|at the end of the day)/i,
	/\b(?:be|stay) (?:careful|mindful|clear|concise|specific|professional)\b/i,
	/\bstep[- ]by[- ]step\b/i,
];

function words(text: string): string[] {
	return text.toLowerCase().match(/[\p{L}\p{N}][\p{L}\p{N}'’_-]*/gu) ?? [];
}

/** The section's text by its heading; the role stands under the empty one. */
function sectionsOf({ raw }: Skill): Map<string, string> {
	const [role = "", ...sections] = raw.replace(/^# .+\n/, "").split(/^## /m);
	const titled = sections.map((text): [string, string] => {
		const end = text.indexOf("\n");
		return [text.slice(0, end), text.slice(end)];
	});
	return new Map([["", role], ...titled]);
}

function shinglesOf({ raw }: Skill): Set<string> {
	const all = words(raw);
	return new Set(all.slice(SHINGLE_WORDS - 1).map((_, at) => all.slice(at, at + SHINGLE_WORDS).join(" ")));
}

/** What two bodies have in common. */
interface Overlap {
	/** The other's id. */
	with: string;
	/** Share of the shorter one's five-word sequences. */
	share: number;
	/** Three of them at the most. */
	sequences: string[];
}

function overlapOf(shingles: ReadonlySet<string>, other: Skill): Overlap {
	const others = shinglesOf(other);
	const sequences = [...shingles].filter((shingle) => others.has(shingle));
	return { with: other.id, share: sequences.length / Math.min(shingles.size, others.size), sequences };
}

/** What a check of one skill finds. */
export interface SkillReport {
	id: string;
	words: number;
	steps: number;
	pitfalls: number;
	exampleWords: number;
	/** With the skill that it has most in common with. */
	nearest: Overlap;
	/** Empty in one that may ship. */
	faults: string[];
}

const outside = (value: number, { min, max }: { min: number; max: number }) => value < min || value > max;

function faultsOf(skill: Skill, report: Omit<SkillReport, "faults">): string[] {
	const { name, description, raw } = skill;
	const sections = sectionsOf(skill);
	const titles = [...sections.keys()].slice(1);
	const own = raw.slice(0, raw.indexOf("\n## Example\n"));
	const filler = FILLER.flatMap((pattern) => pattern.exec(`${description}\n${own}`)?.[0] ?? []);
	const checks: [boolean, string][] = [
		[!raw.startsWith(`# ${name}\n`), "its title is not its name"],
		[!/^\s*You /.test(sections.get("") ?? ""), "its role does not address the model"],
		[titles.join() !== SECTIONS.join(), `its sections are ${titles.join(", ")}`],
		[outside(description.length, DESCRIPTION_CHARS), `its description has ${description.length} characters`],
		[!/^[A-Z][a-z]+s .+\.$/.test(description), "its description does not say what it does in one sentence"],
		[outside(report.words, WORDS), `it has ${report.words} words`],
		[report.steps < MIN_STEPS, `its method has ${report.steps} steps`],
		[outside(report.pitfalls, PITFALLS), `it has ${report.pitfalls} pitfalls`],
		[report.exampleWords < MIN_EXAMPLE_WORDS, `its example has ${report.exampleWords} words`],
		[filler.length > 0, `it has filler: ${filler.join(", ")}`],
		[
			report.nearest.share > MAX_SHARED,
			`it shares with ${report.nearest.with}: ${report.nearest.sequences.slice(0, 3).join(" | ")}`,
		],
	];
	const formFaults = checks.filter(([isFault]) => isFault).map(([, fault]) => fault);
	return [...formFaults, ...findBrokenPromises(skill, sections)];
}

/** Checks a skill beside the others of its library. */
export function reportOn(skill: Skill, library: readonly Skill[]): SkillReport {
	const sections = sectionsOf(skill);
	const count = (title: string, pattern: RegExp) => sections.get(title)?.match(pattern)?.length ?? 0;
	const shingles = shinglesOf(skill);
	const overlaps = library.filter(({ id }) => id !== skill.id).map((other) => overlapOf(shingles, other));
	const none: Overlap = { with: "nobody", share: 0, sequences: [] };
	const report = {
		id: skill.id,
		words: words(skill.raw).length,
		steps: count("Method", /^\d+\. /gm),
		pitfalls: count("Pitfalls", /^- /gm),
		exampleWords: words(sections.get("Example") ?? "").length,
		nearest: overlaps.reduce((most, overlap) => (overlap.share > most.share ? overlap : most), none),
	};
	return { ...report, faults: faultsOf(skill, report) };
}
