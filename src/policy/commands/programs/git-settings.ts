// Settings of git: which of them git runs, and what it runs. `-c`, `git config` and variables set them.
import { type Effect, forbiddenEffect, riskyEffect, runEffect, scriptEffect } from "../effects.ts";
import { StarredMap, starredNames } from "../starred-names.ts";
import gitFile from "./git.json" with { type: "json" };

const EXECUTED_SETTINGS = starredNames(gitFile.executed_settings);
const UNSAFE_SETTINGS = new StarredMap(Object.entries(gitFile.unsafe_settings));

/** Programs that these settings usually name. */
const USUAL_PROGRAMS: ReadonlySet<string> = new Set(gitFile.usual_programs);

/** Marks of a line that does more than run its first word, and options of ssh that run something. */
const MORE_THAN_A_PROGRAM = /[;&|`$<>(){}\n]|\b(?:proxycommand|localcommand|knownhostscommand)\b|\s-F/i;

/** A longer line is not a usual one. */
const MAX_USUAL_CHARS = 512;

function isUsualProgram(value: string): boolean {
	const line = value.trim().replace(/^!/, "");
	if (line === "") return true;
	const [program = ""] = line.split(/\s/, 1);
	return line.length <= MAX_USUAL_CHARS && USUAL_PROGRAMS.has(program) && !MORE_THAN_A_PROGRAM.test(line);
}

/** Finds what a setting makes git run, now or later. */
export function findSettingEffects(written: string, value: string): readonly Effect[] {
	const name = written.toLowerCase();
	if (name.startsWith("alias.")) {
		return value.startsWith("!")
			? [scriptEffect(value.slice(1))]
			: [runEffect(["git", ...value.split(/\s+/).filter((word) => word !== "")])];
	}
	// `!` runs a command instead of an update.
	if (/^submodule\..*\.update$/s.test(name) && value.startsWith("!")) return [scriptEffect(value.slice(1))];
	const unsafe = UNSAFE_SETTINGS.get(name);
	if (unsafe !== undefined && !/^(?:|never|true|user)$/i.test(value)) return [riskyEffect(unsafe)];
	if (!EXECUTED_SETTINGS.has(name) || isUsualProgram(value)) return [];
	return [forbiddenEffect(`git runs the program set as ${name}`), scriptEffect(value.replace(/^!/, ""))];
}
