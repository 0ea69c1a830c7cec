// Reads the sentences that the classifier of statements is trained on, and fills in their slots. Deterministic.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { DATA_CLASSES, type DataClass } from "../../../src/compliance/vocabulary.ts";
import { hashUnits, mixHash } from "../../../src/text/hash.ts";
import { createRandom } from "../random.ts";

/**
 * A file a language: `== name` begins a slot's words or the frames of a class; `none` has the sentences of no class. `topics` has
 * many more illnesses, medicines and matters of money, and sentences about any of them.
 */
const FOLDERS = ["sentences", "topics"].map((name) => join(import.meta.dirname, name));

/** Languages that share words of a slot that they have not. */
const SHARED = "shared";
const NO_CLASS = "none";

/** A sentence with slots and alternatives, `{who} <has|had> {cond}`. Before `>>` stands what was said before it. */
export interface Frame {
	readonly lang: string;
	readonly text: string;
	readonly classes: readonly DataClass[];
	/** Words by slot. */
	readonly slots: ReadonlyMap<string, readonly string[]>;
}

type Sections = ReadonlyMap<string, readonly string[]>;

/** The sections of a language, from every folder that has its file. */
function readSections(file: string): Sections {
	const sections = new Map<string, string[]>();
	for (const path of FOLDERS.map((folder) => join(folder, file)).filter((each) => existsSync(each))) {
		let lines: string[] = [];
		for (const line of readFileSync(path, "utf8").split("\n")) {
			const name = /^== (\w+)$/.exec(line)?.[1];
			if (name !== undefined) {
				lines = sections.get(name) ?? [];
				sections.set(name, lines);
			} else if (line.trim() !== "") lines.push(line);
		}
	}
	return sections;
}

function isClass(name: string): name is DataClass {
	return (DATA_CLASSES as readonly string[]).includes(name);
}

function isFrames(name: string): boolean {
	return name === NO_CLASS || isClass(name);
}

function toSlots(sections: Sections, shared: Sections): ReadonlyMap<string, readonly string[]> {
	const own = [...shared, ...sections].filter(([name]) => !isFrames(name));
	return new Map(own.map(([name, lines]) => [name, lines.flatMap((line) => line.split("|"))]));
}

/** The full name of somebody makes a sentence of a class personal, too. */
function toClasses(name: string, text: string): DataClass[] {
	if (!isClass(name)) return [];
	return DATA_CLASSES.filter((each) => each === name || (each === "PII" && text.includes("{name}")));
}

/** All frames, by language. */
export function readFrames(): Frame[] {
	const files = readdirSync(FOLDERS[0] ?? "").sort();
	const shared = readSections(`${SHARED}.txt`);
	return files.flatMap((file) => {
		const lang = file.replace(/\.txt$/, "");
		const sections = readSections(file);
		const slots = toSlots(sections, shared);
		return [...sections].flatMap(([name, lines]) =>
			isFrames(name) ? lines.map((text) => ({ lang, text, classes: toClasses(name, text), slots })) : [],
		);
	});
}

/** Whether a word may be used: cross-validation holds words out. */
export type WordFilter = (word: string) => boolean;

/** The fold of a text. */
export function findTextFold(text: string, folds: number): number {
	return mixHash(hashUnits(text)) % folds;
}

type Random = () => number;

function pick<T>(items: readonly T[], random: Random): T | undefined {
	return items[Math.floor(random() * items.length)];
}

function toDigits(count: number, random: Random): string {
	return Array.from({ length: count }, (_, at) =>
		String(Math.floor(random() * (at === 0 ? 9 : 10)) + (at === 0 ? 1 : 0)),
	).join("");
}

/** A number of money, as people write it. */
function writeNumber(random: Random): string {
	const digits = toDigits(2 + Math.floor(random() * 5), random);
	const thousands = random() < 0.5 ? "" : (pick([",", ".", " ", ""], random) ?? "");
	return digits.replace(/\B(?=(\d{3})+$)/g, thousands);
}

const GENERATED: Readonly<Record<string, (random: Random) => string>> = {
	n: writeNumber,
	phone: (random) =>
		`${pick(["+", "0", "00", ""], random)}${toDigits(2, random)} ${toDigits(3, random)} ${toDigits(2 + Math.floor(random() * 4), random)}`,
	id: (random) => `${pick(["", "X", "AB", "K-"], random)}${toDigits(6 + Math.floor(random() * 4), random)}`,
	dob: (random) =>
		`${1 + Math.floor(random() * 28)}${pick([".", "/", "-"], random)}${1 + Math.floor(random() * 12)}${pick([".", "/", "-"], random)}${1940 + Math.floor(random() * 75)}`,
};

/** Words that are not held out: they are few, and no content. */
const CLOSED_SLOTS = ["month", "who", "amt"];

function fillSlot(name: string, frame: Frame, filter: WordFilter, random: Random): string {
	const generated = GENERATED[name];
	if (generated) return generated(random);
	const words = frame.slots.get(name);
	if (words === undefined) throw new Error(`${frame.lang} has no words for {${name}} in: ${frame.text}`);
	const usable = CLOSED_SLOTS.includes(name) ? words : words.filter(filter);
	return fillFrame({ ...frame, text: pick(usable.length > 0 ? usable : words, random) ?? "" }, filter, random);
}

function fillFrame(frame: Frame, filter: WordFilter, random: Random): string {
	let text = frame.text;
	for (let found = /<([^<>]*)>/.exec(text); found; found = /<([^<>]*)>/.exec(text))
		text = text.replace(found[0], () => pick((found?.[1] ?? "").split("|"), random) ?? "");
	return text.replace(/\{(\w+)\}/g, (_, name: string) => fillSlot(name, frame, filter, random));
}

/** People do not always write capitals and full stops. */
function vary(text: string, random: Random): string {
	const chance = random();
	if (chance < 0.2) return text.toLowerCase();
	if (chance < 0.6) return text.charAt(0).toUpperCase() + text.slice(1);
	return text;
}

/**
 * Sentences of a frame: the turns of a conversation, mostly one.
 * @param seed other ones each.
 */
export function expandFrame(frame: Frame, count: number, filter: WordFilter = () => true, seed = 0): string[][] {
	const random = createRandom((hashUnits(frame.text) + seed) & 0x7fffffff);
	const found = new Map<string, string[]>();
	for (let attempt = 0; attempt < count; attempt++) {
		const turns = frame.text.split(" >> ").map((text) =>
			vary(
				fillFrame({ ...frame, text }, filter, random)
					.replace(/ {2,}/g, " ")
					.replace(/ ([,.])/g, "$1")
					.trim(),
				random,
			),
		);
		found.set(turns.join("\n"), turns);
	}
	return [...found.values()];
}
