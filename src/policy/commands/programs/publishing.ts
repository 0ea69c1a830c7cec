// Commands that publish: packages, images, apps, sites. Where they publish to does not matter. Clouds are in resources.ts.
import {
	type Effect,
	forbiddenEffect,
	type Invocation,
	type ProgramRule,
	raiseEffect,
	riskyEffect,
} from "../effects.ts";
import { firstOperandIndexes } from "../options.ts";
import publishingFile from "./publishing.json" with { type: "json" };

/** Why a deployment or a publication asks. Which one it is, the place of the reason shows. */
export const CHANGES_FOR_OTHERS = "changes what others use";

/** First words of a command. `null` stands for any words between. */
type WordSequence = readonly (string | null)[];

const SEQUENCES: ReadonlyMap<string, readonly WordSequence[]> = new Map(
	Object.entries(publishingFile.publishing).flatMap(([names, written]) => {
		const sequences = written.map((text) =>
			text.split(" ").flatMap((word): (string | null)[] => (word === "" ? [] : [word === "..." ? null : word])),
		);
		return names.split(" ").map((name): [string, readonly WordSequence[]] => [name, sequences]);
	}),
);

const REHEARSAL_OPTIONS: ReadonlySet<string> = new Set(publishingFile.dry_run_options);
/** The option that only shows what would be published, by the program and the words that publish. */
const DRY_RUNS: ReadonlyMap<string, string> = new Map(
	Object.entries(publishingFile.dry_runs).flatMap(([option, commands]) =>
		commands.map((words) => [words, option] as const),
	),
);
const PUBLISHING_SCRIPTS: readonly string[] = publishingFile.publishing_scripts;

/** Runners of a project's own scripts, and the word that a script's name follows. Null: it may be the first word. */
const SCRIPT_RUNNERS: ReadonlyMap<string, readonly (string | null)[]> = new Map(
	Object.entries<readonly (string | null)[]>({
		npm: ["run", "run-script", "rum"],
		pnpm: ["run", "run-script", null],
		yarn: ["run", null],
		bun: ["run", null],
		deno: ["task"],
		make: [null],
		gmake: [null],
		just: [null],
		task: [null],
		rake: [null],
		mise: ["run", "r"],
		composer: ["run-script", "run", null],
		gradle: [null],
		gradlew: [null],
		nx: [null],
	}),
);

/** Options of make and its likes that only print what would run. */
const PRINTING_OPTION = /^(?:-[a-zA-Z]*n[a-zA-Z]*|--just-print|--recon|--question)$/;

/** Whether an option among the words says that nothing is published: `--dry-run`. */
export function isShownOnly(words: readonly string[]): boolean {
	return words.some((word) => REHEARSAL_OPTIONS.has(word.replace(/=(?:true|1|client|server)$/, "")));
}

function onlyShows({ name, words }: Pick<Invocation, "name" | "words">): boolean {
	if (/^(?:g?make|just|task)$/.test(name) && words.some((word) => PRINTING_OPTION.test(word))) return true;
	return isShownOnly(words);
}

/** Whether the words from `from` on begin with a sequence. An option stands in one only where the sequence names it. */
function beginsWith(words: readonly string[], from: number, sequence: WordSequence): boolean {
	let at = from;
	let isGap = false;
	for (const wanted of sequence) {
		if (wanted === null) {
			isGap = true;
			continue;
		}
		while (at < words.length && words[at] !== wanted && (isGap || /^-/.test(words[at] ?? ""))) at++;
		if (words[at] !== wanted) return false;
		at++;
		isGap = false;
	}
	return sequence.length > 0 || words.every((word) => word.startsWith("-"));
}

/** The words that a project's script may be named by: `deploy`, `deploy:prod`, `release-all`. */
function isPublishingScript(word: string | undefined): boolean {
	return PUBLISHING_SCRIPTS.some(
		(name) => word === name || (word?.startsWith(name) === true && /^[:_-]/.test(word.slice(name.length))),
	);
}

/** Whether a file's name says that it publishes: `deploy.sh`, `scripts/release-prod.py`. */
export function isPublishingFile(path: string): boolean {
	const name = /([^/\\]+?)(?:[-_](?:all|prod|production|live))?(?:\.\w{1,4})?$/.exec(path)?.[1] ?? "";
	return PUBLISHING_SCRIPTS.includes(name);
}

function findScript({ name, words }: Invocation): string | undefined {
	const markers = SCRIPT_RUNNERS.get(name);
	if (!markers) return undefined;
	return firstOperandIndexes(words)
		.map((at) => (markers.includes(words[at] ?? "") ? words[at + 1] : markers.includes(null) ? words[at] : undefined))
		.find(isPublishingScript);
}

/** Finds what a command publishes by its first words. */
function* publishesByWords(command: Invocation, sequences: readonly WordSequence[]): Iterable<Effect> {
	const { name, words, work } = command;
	const starts = [...firstOperandIndexes(words), ...(/^-/.test(words[0] ?? "") || words.length === 0 ? [0] : [])];
	if (!work.charge(2 * starts.length * sequences.length * (1 + words.length / 8))) return;
	const found = sequences.find((sequence) => starts.some((at) => beginsWith(words, at, sequence)));
	if (!found) return;
	const dryRun = DRY_RUNS.get([name, ...found.map((word) => word ?? "...")].join(" "));
	yield raiseEffect("deploy_action", CHANGES_FOR_OTHERS, dryRun && `the same with ${dryRun}`);
}

/** Options with which a program publishes what it builds. */
const PUBLISHING_OPTIONS: ReadonlyMap<string, (word: string) => boolean> = new Map([
	...["docker", "podman", "nerdctl", "depot", "earthly"].map((name): [string, (word: string) => boolean] => [
		name,
		(word) => /^--push(?:=true)?$|[,=]push=true(?:,|$)|^type=registry/.test(word),
	]),
	...["gradle", "gradlew"].map((name): [string, (word: string) => boolean] => [
		name,
		(word) => /(?:^|:)publish/.test(word) && !word.includes("ToMavenLocal"),
	]),
	["electron-builder", (word: string) => /^(?:--publish|-p)(?:=|$)/.test(word)] as const,
]);

/** The programs that may publish. */
export const PUBLISHERS: ReadonlySet<string> = new Set([
	...SEQUENCES.keys(),
	...PUBLISHING_OPTIONS.keys(),
	...SCRIPT_RUNNERS.keys(),
]);

/** Finds what a command publishes. `python setup.py …` is a command of its own. */
export function* findPublications(command: Invocation): Iterable<Effect> {
	const { name, words } = command;
	if (/^(?:python|py)[0-9.]*$/.test(name)) {
		const setup = words.findIndex((word) => /(?:^|\/)setup\.py$/.test(word));
		if (setup >= 0) yield* findPublications({ ...command, name: "setup.py", words: words.slice(setup + 1) });
		return;
	}
	const sequences = SEQUENCES.get(name);
	const publishes = PUBLISHING_OPTIONS.get(name);
	if ((!sequences && !publishes && !SCRIPT_RUNNERS.has(name)) || onlyShows(command)) return;
	if (sequences) yield* publishesByWords(command, sequences);
	if (publishes && words.some(publishes)) yield raiseEffect("deploy_action", "publishes what it builds");
	const script = findScript(command);
	if (script !== undefined) yield raiseEffect("deploy_action", `runs the script ${script}`);
}

/** Package managers of languages: they take back packages that others rely on, and change who may publish. */
const packageManager: ProgramRule = (command) => {
	const starts = firstOperandIndexes(command.words);
	if (!command.work.charge(4 * starts.length * command.words.length)) return [];
	const verbs = starts.map((at) => command.words.slice(at).filter((word) => !/^-/.test(word)));
	const taken = verbs.find(
		([verb, next]) =>
			/^(?:unpublish|yank)$/.test(verb ?? "") || (verb === "npm" && next === "unpublish") || verb === "hex.retire",
	);
	if (taken && !onlyShows(command)) return [forbiddenEffect("withdraws a published package")];
	return verbs.some(([verb]) => /^(?:deprecate|owner|token|adduser|login|access|hook|org|team)$/.test(verb ?? ""))
		? [riskyEffect("changes a published package, its owners or an account")]
		: [];
};

/** The package managers by name. */
export const PACKAGE_MANAGERS: Readonly<Record<string, ProgramRule>> = Object.fromEntries(
	publishingFile.package_managers.map((name) => [name, packageManager]),
);
