// Searches code of any language for calls that remove, write or run, and for texts in it that are commands. What the calls of a
// script do by their arguments is in code-calls.ts.
import { UNKNOWN } from "../../placeholders.ts";
import { codeEffect, type Effect, forbiddenEffect, guessedScriptEffect, raiseEffect, writeEffect } from "../effects.ts";
import { locatePath } from "../locations.ts";
import { decodeBase64Text } from "../shell/output.ts";
import { blankQuoted, findQuoted } from "./quoted.ts";

/** Calls that remove a folder with everything below, in the usual languages. */
const FOLDER_REMOVAL_CALLS =
	/\b(?:rmtree|rm_rf|rm_r|remove_dir_all|remove_entry_secure|rimraf|emptyDir(?:Sync)?|removedirs|deltree|remove_tree|RemoveAll|deleteTree|deleteRecursively)\b|\bFileUtils\s*\.\s*rm_?r?f?\b|\bfs\s*\.\s*rm(?:Sync)?\b/;

/** What begins a removal, ends it, or makes it recursive. */
const REMOVAL_MARKS = /\brm(?:Sync|dirSync|dir)?\s*\(|\bfile\.remove\b|recursive|[)\n]/g;

/** How far behind `rm(`, and behind `file.remove`, its `recursive` may stand, in characters. */
const RM_OPTIONS_CHARS = 500;
const FILE_REMOVE_OPTIONS_CHARS = 200;

/**
 * Finds `rm(path, { recursive: true })` and `file.remove … recursive`. In a loop, because an expression would search
 * 500 characters behind each call.
 */
function removesRecursively(text: string): boolean {
	let rmEnd = Number.NEGATIVE_INFINITY;
	let removeEnd = Number.NEGATIVE_INFINITY;
	for (const { 0: found, index } of text.matchAll(REMOVAL_MARKS)) {
		if (found === ")") rmEnd = Number.NEGATIVE_INFINITY;
		else if (found === "\n") removeEnd = Number.NEGATIVE_INFINITY;
		else if (found === "file.remove") removeEnd = index + found.length;
		else if (found !== "recursive") rmEnd = index + found.length;
		else if (index - removeEnd <= FILE_REMOVE_OPTIONS_CHARS) return true;
		else if (index - rmEnd <= RM_OPTIONS_CHARS && /^\W?recursive(?!\w)/.test(text.slice(index - 1, index + 10)))
			return true;
	}
	return false;
}

/** Calls that remove one file or an empty folder. */
const FILE_REMOVAL_CALLS =
	/\b(?:os\s*\.\s*(?:remove|unlink|rmdir)|unlink(?:Sync)?|rmdir(?:Sync)?|File\s*\.\s*(?:delete|unlink)|Dir\s*\.\s*(?:delete|rmdir|unlink)|Deno\s*\.\s*remove(?:Sync)?|Files\s*\.\s*delete\w*|send2trash)\b/;

/** Calls that run a program or a line of shell. */
const RUN_CALLS =
	/\b(?:system|popen|exec[lv]?p?e?|execSync|execFile(?:Sync)?|spawn(?:Sync|l|v|lp|vp)?|subprocess|shell_exec|passthru|proc_open|pcntl_exec|check_output|check_call|getoutput|IO\s*\.\s*popen|Open3|child_process|Command|os\s*\.\s*(?:startfile|execute)|do shell script|qx|pty|ShellExecute|shellOut|Runtime|ProcessBuilder|call_user_func|array_map|getattr|methodcaller)\b|`|\$\(|%x[{([!|]/;

/** Calls that turn text into code. */
const EVAL_CALLS = /\b(?:exec|eval|compile|__import__|Function|loadstring|instance_eval|assert|getattr)\s*\(/;
const DECODE_CALLS =
	/\b(?:b64decode|atob|base64_decode|decode64|from\s*\(|fromhex|unhexlify|decode_base64|pack|unpack|fromCharCode|chr|codecs|zlib|gzinflate|str_rot13|hex2bin)\b/;

/** Calls whose first argument is a file they write. */
const WRITE_CALLS =
	/\b(?:writeFile(?:Sync)?|appendFile(?:Sync)?|createWriteStream|file_put_contents|File\s*\.\s*write|IO\s*\.\s*write|write_text|write_bytes|truncate(?:Sync)?|writeTextFile(?:Sync)?)\s*\(\s*(["'])([^"'\n]{1,512})\1|\bopen\s*\(\s*(["'])([^"'\n]{1,512})\3\s*,\s*(?:mode\s*=\s*)?["'](?:[wax]|r\+|>)|\bPath\s*\(\s*(["'])([^"'\n]{1,512})\5\s*\)\s*\.\s*(?:write_|unlink|touch|rename|open\s*\(\s*["'][wax])|\b(?:rename|copy\w*|move|symlink|replace)(?:Sync)?\s*\(\s*["'][^"'\n]{1,512}["']\s*,\s*(["'])([^"'\n]{1,512})\7/g;

/** Joins neighbouring strings of a list, `['rm', '-rf', '/']`, or of a sum, `'rm ' + '-rf /'`. */
export function joinStrings(text: string): readonly string[] {
	const lists: string[] = [];
	let words: string[] = [];
	let sum = "";
	let end = -1;
	for (const { value, from, to } of findQuoted(text)) {
		const between = end < 0 ? "|" : text.slice(end, from).trim();
		if (/^[\s+.]*$/.test(between)) {
			sum += value;
			words[Math.max(0, words.length - 1)] = (words.at(-1) ?? "") + value;
		} else if (/^[,)]?\s*[,[(]*$/.test(between)) {
			words.push(value);
			sum = value;
		} else {
			lists.push(words.join(" "), sum);
			words = [value];
			sum = value;
		}
		end = to;
	}
	lists.push(words.join(" "), sum);
	return [...new Set(lists)].filter((list) => list !== "");
}

function findRemovals(text: string): readonly Effect[] {
	if (FOLDER_REMOVAL_CALLS.test(text) || removesRecursively(text))
		return [forbiddenEffect("code removes a folder and everything in it")];
	if (!FILE_REMOVAL_CALLS.test(text)) return [];
	const outside = findQuoted(text).some(
		({ value }) => /^[/~]|^[A-Za-z]:\\/.test(value) && locatePath(value) !== "temporary",
	);
	const many = /\bglob\b|\bwalk\b|\blistdir\b|\breaddir|\*/.test(text);
	return [
		outside || many ? forbiddenEffect("code removes files") : raiseEffect("delete_action", "code removes a file"),
	];
}

/** The strings that may be code, to be read as such. */
function findCodeStrings(source: string): readonly Effect[] {
	return findQuoted(source).flatMap(({ value }) => (value.includes("(") ? [codeEffect("code", value)] : []));
}

/** Characters of a line of shell that stands where code should. A longer text was meant as code, and fails as such. */
const MAX_MISTAKE_CHARS = 10_000;

/** Finds what a piece of code in an unknown language does. */
export function findCodeEffects(source: string): readonly Effect[] {
	const unquoted = blankQuoted(source);
	const runs = RUN_CALLS.test(unquoted) || /child_process|subprocess/.test(source);
	const evaluates = EVAL_CALLS.test(unquoted);
	const effects: Effect[] = [
		...findRemovals(source),
		...Array.from(source.matchAll(WRITE_CALLS), (found) =>
			writeEffect(found[2] ?? found[4] ?? found[6] ?? found[8] ?? ""),
		),
		...(runs ? joinStrings(source).map(guessedScriptEffect) : []),
		...(evaluates ? findCodeStrings(source) : []),
		...((evaluates || runs) && DECODE_CALLS.test(source) ? decodeHiddenScripts(source) : []),
	];
	if (EVAL_CALLS.test(source) && /\b(?:urlopen|requests\s*\.|fetch\s*\(|http\.get|Net::HTTP|LWP)/.test(source))
		effects.push(forbiddenEffect("code runs what it downloads"));
	if (/\bsocket\b/.test(source) && /\b(?:dup2|exec|pty|spawn|\/bin\/(?:ba)?sh)\b/.test(source))
		effects.push(forbiddenEffect("code connects a shell to the network"));
	if (source.includes(UNKNOWN) && runs)
		effects.push(raiseEffect("exec_action", "runs code that is put together at run time"));
	// Some of these are a line of shell by mistake, so what a shell would do with it counts too.
	const isShort = source.length <= MAX_MISTAKE_CHARS;
	if (isShort && (!/[()[\]{}]/.test(source) || /^\s*rm\s/.test(source))) effects.push(guessedScriptEffect(source));
	return effects;
}

/** Decodes hidden text where that is possible. That text is hidden counts by itself. */
export function decodeHiddenScripts(text: string): readonly Effect[] {
	const scripts = findQuoted(text).flatMap(({ value }) =>
		/^[A-Za-z0-9+/=]{8,}$/.test(value) ? (decodeBase64Text(value) ?? []) : [],
	);
	return [
		raiseEffect("exec_action", "code runs text that it decodes first"),
		...scripts.flatMap((hidden) => [guessedScriptEffect(hidden), codeEffect("code", hidden)]),
	];
}
