// An agent's call of a tool, as the policy decides on it. Pure.
import { clip } from "../clip.ts";
import { isJsonObject } from "../json.ts";
import { MAX_ACTION_CHARS, MAX_COMMANDS, MAX_PATHS } from "../policy/check.ts";
import type { PolicyTool } from "../policy/decide.ts";
import type { FindHiddenSpans } from "../policy/hidden-secrets.ts";
import { askAboutText, type ToolEffect, toArgumentEffect, toDomainPlace, toFileChange } from "../policy/tool-effect.ts";
import { toWholePath, toWorkspacePath } from "../policy/workspace-path.ts";
import { toShellWord } from "../text/shell-word.ts";
import { collectArgumentTexts } from "./argument-texts.ts";
import type { HookCall } from "./hook-input.ts";
import tables from "./tools.json" with { type: "json" };

/** A tool call that is decided on. */
export interface JudgedUse extends Required<Pick<ToolEffect, "action" | "commands" | "files_affected">> {
	action_kind: "edit" | "delete" | null;
	tool: PolicyTool;
}

/** The workspace that a call is judged in. */
export interface UsePlace {
	/** The workspace's root, absolute. */
	root: string;
	findSecrets: FindHiddenSpans;
}

/** What a call does; null where its input does not say. */
type ToolReader = (call: HookCall, place: UsePlace) => ToolEffect | "harmless" | null;

function firstText(...values: unknown[]): string | undefined {
	return values.find((value): value is string => typeof value === "string" && value !== "");
}

/** Commands with the folder that they start in. All commands of a check share one shell. */
function inFolder(commands: readonly string[], folder: string, root: string): string[] {
	const place = toWorkspacePath(folder, folder, root);
	return place === "." ? [...commands] : [`cd ${toShellWord(place)}`, ...commands];
}

function shellText(command: unknown): string | null {
	if (typeof command === "string") return command;
	if (!Array.isArray(command)) return null;
	return command.map((word) => toShellWord(String(word))).join(" ");
}

function readCommand(call: HookCall, place: UsePlace): ToolEffect | null {
	const { input, folder } = call;
	const { root } = place;
	const command = shellText(input["command"] ?? input["cmd"]);
	// What Monitor listens to is a command, or an address.
	if (isJsonObject(input["ws"]) && !command) return readFetch({ ...call, input: input["ws"] }, place);
	if (command === null || command.trim() === "") return null;
	const action = firstText(input["description"], input["justification"]) ?? "Run a command";
	const workdir = firstText(input["workdir"]);
	return { action, commands: inFolder([command], toWholePath(workdir ?? ".", folder), root) };
}

/** Keys that are sent to a command that runs. A shell may be at the other end, so they are judged as its commands. */
function readKeys({ input, folder }: HookCall, { root }: UsePlace): ToolEffect | "harmless" | null {
	const keys = input["chars"];
	if (keys === undefined || keys === "") return "harmless";
	return typeof keys === "string"
		? { action: "Press keys in a running command", commands: inFolder([keys], folder, root) }
		: null;
}

/** The files that a patch of Codex names, and what becomes of them. */
function patchedFiles(patch: string): { path: string; isDeleted: boolean }[] {
	return [...patch.matchAll(/^\*\*\* (Add File|Update File|Delete File|Move to): (.+?)\s*$/gm)].map(
		([, verb, path = ""]) => ({ path, isDeleted: verb === "Delete File" }),
	);
}

function readPatch({ input, folder }: HookCall, { root }: UsePlace): ToolEffect | null {
	const files = patchedFiles(firstText(input["command"], input["patch"], input["input"]) ?? "");
	if (files.length === 0) return null;
	const kind = files.some(({ isDeleted }) => isDeleted) ? "delete" : "edit";
	const paths = files.map(({ path }) => toWorkspacePath(path, folder, root));
	return { action: "Apply a patch", ...toFileChange(kind, paths) };
}

function namedPath({ input }: HookCall): string | undefined {
	return firstText(input["file_path"], input["notebook_path"], input["filePath"], input["dir_path"], input["path"]);
}

function readEdit(call: HookCall, { root }: UsePlace): ToolEffect | null {
	const path = namedPath(call);
	if (path === undefined) return null;
	return { action: `${call.tool} a file`, ...toFileChange("edit", [toWorkspacePath(path, call.folder, root)]) };
}

/** Reading shows a secret as `cat` does. */
function readRead(call: HookCall, { root }: UsePlace): ToolEffect | null {
	const path = namedPath(call);
	if (path === undefined) return null;
	return { action: "Read a file", commands: [`cat -- ${toShellWord(toWorkspacePath(path, call.folder, root))}`] };
}

/** A glob as a word of a shell, in which its wildcards keep their meaning. */
function toGlobWord(glob: string): string {
	return glob
		.split(/([*?[\]{},!^]+)/)
		.map((part, at) => (at % 2 === 1 || part === "" ? part : toShellWord(part)))
		.join("");
}

/** Searching shows lines of files as `grep` does; of those that a glob names, as `cat` of the glob. */
function readSearch(call: HookCall, { root }: UsePlace): ToolEffect | null {
	const { input, folder } = call;
	const pattern = firstText(input["pattern"]);
	if (pattern === undefined) return null;
	const path = toWorkspacePath(namedPath(call) ?? ".", folder, root);
	const glob = firstText(input["glob"], input["include"]);
	const shown =
		glob === undefined || glob.startsWith("!")
			? []
			: [`cat -- ${path === "." ? "" : `${toShellWord(path)}/`}${toGlobWord(glob.replace(/^\/+/, ""))}`];
	return {
		action: "Search in files",
		commands: [`grep -r -e ${toShellWord(pattern)} -- ${toShellWord(path)}`, ...shown],
	};
}

/** Listing shows names only. */
function readList(call: HookCall, { root }: UsePlace): ToolEffect | null {
	const { input, folder } = call;
	const glob = firstText(input["pattern"]);
	const path = namedPath(call) ?? (glob === undefined ? undefined : ".");
	if (path === undefined) return null;
	return { action: "List files", commands: [`ls -- ${toShellWord(toWorkspacePath(path, folder, root))}`] };
}

/** Fetching asks a host as `curl` does. */
function readFetch({ tool, input }: HookCall, place: UsePlace): ToolEffect | null {
	const url = firstText(input["url"]);
	if (url === undefined) return null;
	const host = URL.parse(url)?.hostname ?? "";
	return {
		action: "Fetch a page",
		commands: [`curl -- ${toShellWord(url)}`],
		asks: askAboutText("the address", url, place.findSecrets),
		...(host === "" ? {} : { place: toDomainPlace(tool, host) }),
	};
}

/** A question to a search engine leaves the machine as an address does. */
function readQuestion({ input }: HookCall, place: UsePlace): ToolEffect | null {
	const query = firstText(input["query"]);
	if (query === undefined) return null;
	return { action: "Search the web", asks: askAboutText("the question", query, place.findSecrets) };
}

/** What the arguments of an MCP tool say. */
function readArguments({ input, folder }: HookCall, name: string, place: UsePlace): ToolEffect | null {
	const texts = collectArgumentTexts(input);
	if (!texts) return null;
	const paths = texts.paths.map((path) => toWorkspacePath(path, folder, place.root));
	const commands = texts.commands.length > 0 ? inFolder(texts.commands, folder, place.root) : [];
	return toArgumentEffect(name, { ...texts, paths, commands }, place.findSecrets);
}

const READERS: Readonly<Record<string, ToolReader>> = {
	command: readCommand,
	keys: readKeys,
	edit: readEdit,
	patch: readPatch,
	read: readRead,
	search: readSearch,
	list: readList,
	fetch: readFetch,
	question: readQuestion,
	harmless: () => "harmless",
};

const TOOLS: ReadonlyMap<string, string> = new Map(Object.entries(tables.tools));

/** The prefix of MCP tools, `mcp__server__tool`. */
const MCP_PREFIX = "mcp__";

/** The name that patterns and reasons have for a tool: of an MCP tool, `server__tool`. */
export function toToolName(tool: string): string {
	return tool.startsWith(MCP_PREFIX) ? tool.slice(MCP_PREFIX.length) : tool;
}

function readEffect(call: HookCall, place: UsePlace): ToolEffect | "harmless" | "unknown" | null {
	if (call.tool.startsWith(MCP_PREFIX)) return readArguments(call, toToolName(call.tool), place);
	const reader = READERS[TOOLS.get(call.tool) ?? ""];
	return reader ? reader(call, place) : "unknown";
}

/**
 * A tool call as what is decided on; `harmless` for built-in tools that are recorded only. What is known of a tool that is not
 * known is its name. Input that does not say what a known tool would do must not pass.
 */
export function toJudgedUse(call: HookCall, place: UsePlace): JudgedUse | "harmless" {
	const effect = readEffect(call, place);
	if (effect === "harmless") return "harmless";
	const name = toToolName(call.tool);
	const {
		action,
		action_kind,
		commands = [],
		files_affected = [],
		asks = [],
		place: reached,
	}: ToolEffect = effect === null || effect === "unknown" ? { action: `Call ${name}` } : effect;
	const isTooMuch = commands.length > MAX_COMMANDS || files_affected.length > MAX_PATHS;
	return {
		action: clip(action.trim() === "" ? `Call ${name}` : action, MAX_ACTION_CHARS),
		action_kind: action_kind ?? null,
		commands: isTooMuch ? [] : commands,
		files_affected: isTooMuch ? [] : files_affected,
		tool: {
			names: [name, ...(name === call.tool ? [] : [call.tool])],
			...(reached === undefined ? {} : { places: [reached] }),
			isKnown: effect !== "unknown" && name === call.tool,
			isUnreadable: effect === null || isTooMuch,
			asks,
		},
	};
}
