// Programs of sed: the lines of shell that they run, and the files that they read and write. Which words are a program is in
// grammar/text.json.
import { type Effect, guessedScriptEffect, raiseEffect, readEffect, scriptEffect, writeEffect } from "../effects.ts";
import { isStandardStream } from "../locations.ts";

/** What separates commands, and their addresses: `1,$`, `/from/I,+2`, `!`. */
const ADDRESSES = /(?:[\s;{}\d,$!~+IM]+|\/(?:[^\\/]+|\\[\s\S])*\/)+/y;
/** `s/from/to/flags`, with any mark for the slash. */
const SUBSTITUTION = /([sy])([^\w\s\\])(?:\\[\s\S]|(?!\2)[^\\])*\2((?:\\[\s\S]|(?!\2)[^\\])*)\2([gpeiIMm\d]*)/y;
const UNCLOSED_SUBSTITUTION = /[sy][^\w\s\\]/y;
/** Commands that take the rest of their line, and `w` of a substitution. */
const REST_OF_LINE = /([aicrRwW#])[ \t]*((?:[^\\\n]+|\\[\s\S])*)/y;
/** A command that runs a line of shell, or without one each line that is read. */
const EXECUTION = /e[ \t]*([^;}\n][^\n]*)?/y;
/** Any other command, with the label that it may name. */
const OTHER_COMMAND = /[btT:][^;}\n]*|[\s\S]/y;

function commandFileEffects(command: string, rest: string): readonly Effect[] {
	const path = rest.trim();
	if (!/[rRwW]/.test(command) || path === "" || isStandardStream(path)) return [];
	return [/[wW]/.test(command) ? writeEffect(path) : readEffect(path)];
}

function substitutionEffects(name: string, replacement: string, flags: string): readonly Effect[] {
	if (name !== "s" || !flags.includes("e")) return [];
	return [
		guessedScriptEffect(replacement.replace(/\\([^0-9])/g, "$1")),
		raiseEffect("exec_action", "sed runs the result of a substitution"),
	];
}

/** Finds what a program of sed does, from its first command to its last. */
export function findSedEffects(text: string): readonly Effect[] {
	const effects: Effect[] = [];
	let at = 0;
	const take = (pattern: RegExp): RegExpExecArray | null => {
		pattern.lastIndex = at;
		const found = pattern.exec(text);
		at += found?.[0].length ?? 0;
		return found;
	};
	while (at < text.length) {
		take(ADDRESSES);
		const substitution = take(SUBSTITUTION);
		if (substitution !== null) {
			const [, name = "", , replacement = "", flags = ""] = substitution;
			effects.push(...substitutionEffects(name, replacement, flags));
			continue;
		}
		if (take(UNCLOSED_SUBSTITUTION)) break;
		const line = take(REST_OF_LINE);
		const execution = line ? null : take(EXECUTION);
		if (line) effects.push(...commandFileEffects(line[1] ?? "", line[2] ?? ""));
		else if (execution?.[1] !== undefined) effects.push(scriptEffect(execution[1].trim()));
		else if (execution) effects.push(raiseEffect("exec_action", "sed runs each line that it reads"));
		else take(OTHER_COMMAND);
	}
	return effects;
}
