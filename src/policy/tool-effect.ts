// What the texts in a tool's arguments do, in the members of a policy check: paths, addresses, SQL and commands. How the texts are
// found is up to who calls the tool (hooks/, agents/tools/). Pure.
import { toShellWord } from "../text/shell-word.ts";
import { type FindHiddenSpans, hideSecrets } from "./hidden-secrets.ts";
import verbs from "./path-verbs.json" with { type: "json" };
import { isAbsolutePath } from "./workspace-path.ts";

/** What a tool call does, in the members of a policy check. */
export interface ToolEffect {
	action: string;
	action_kind?: "edit" | "delete";
	commands?: string[];
	files_affected?: string[];
	/** Why a person is asked all the same. */
	asks?: string[];
	/** Where it reaches, as patterns may name it. */
	place?: string;
}

const READING: ReadonlySet<string> = new Set(verbs.reading_verbs);
const DELETING: ReadonlySet<string> = new Set(verbs.deleting_verbs);

/** What a tool does to the paths in its arguments, as its name says. A name that does not say reading may well be writing. */
export function readPathEffect(tool: string): "read" | "edit" | "delete" {
	const words = tool
		.replace(/([a-z0-9])([A-Z])/g, "$1 $2")
		.toLowerCase()
		.split(/[^a-z0-9]+/);
	if (words.some((word) => DELETING.has(word))) return "delete";
	const verb = words.find((word) => READING.has(word));
	return verb === undefined ? "edit" : "read";
}

/** A change of files. Outside the root no rule of the workspace names them, so they are judged as the command that does it. */
export function toFileChange(kind: "edit" | "delete", files: readonly string[]): Omit<ToolEffect, "action"> {
	const verb = kind === "delete" ? "rm" : "tee";
	return {
		action_kind: kind,
		files_affected: [...files],
		commands: files.filter(isAbsolutePath).map((path) => `${verb} -- ${toShellWord(path)}`),
	};
}

/** How patterns name a call of a tool that reaches a host: as settings of Claude Code do. */
export function toDomainPlace(tool: string, hostname: string): string {
	return `${tool}(domain:${hostname.replace(/\.+$/, "")})`;
}

/** Characters of an address or a question that are searched for secrets. */
const MAX_SEARCHED_CHARS = 8_192;

/** Why a person is asked before a text leaves the machine. */
export function askAboutText(what: string, text: string, findSecrets: FindHiddenSpans): string[] {
	if (text.length > MAX_SEARCHED_CHARS) return [`${what} has more than ${MAX_SEARCHED_CHARS} characters`];
	return hideSecrets(text, findSecrets) === text ? [] : [`${what} has a secret in it`];
}

/** The texts in a tool's arguments that can be judged, in their order. */
export interface EffectTexts {
	/** As a workspace's rules name them. */
	paths: readonly string[];
	urls: readonly string[];
	/** Statements of SQL. */
	sql: readonly string[];
	/** As one shell gets them. */
	commands: readonly string[];
}

/** What the texts in a tool's arguments do. Reading a file shows a secret as `cat` does, an address is asked as by `curl`. */
export function toArgumentEffect(
	tool: string,
	{ paths, urls, sql, commands }: EffectTexts,
	findSecrets: FindHiddenSpans,
): ToolEffect {
	const effect = readPathEffect(tool);
	const change = effect === "read" ? null : toFileChange(effect, paths);
	return {
		action: `Call ${tool}`,
		...(effect === "delete" && paths.length > 0 ? { action_kind: "delete" } : {}),
		files_affected: change?.files_affected ?? [],
		commands: [
			...(change?.commands ?? paths.map((path) => `cat -- ${toShellWord(path)}`)),
			...urls.map((url) => `curl -- ${toShellWord(url)}`),
			...sql.map((text) => `psql -c ${toShellWord(text)}`),
			...commands,
		],
		asks: [...new Set(urls.flatMap((url) => askAboutText("an address", url, findSecrets)))],
	};
}
