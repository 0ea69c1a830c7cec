// What a call of a client's tool would do, in the members of a policy check: the commands, files and hosts that stand at its tool's
// JSON pointers (RFC 6901). Pure.
import { isJsonObject, type JsonObject } from "../../json.ts";
import { MAX_COMMANDS, MAX_PATHS } from "../../policy/check.ts";
import type { PolicyTool } from "../../policy/decide.ts";
import type { FindHiddenSpans } from "../../policy/hidden-secrets.ts";
import { toArgumentEffect, toDomainPlace } from "../../policy/tool-effect.ts";
import { toFilePath } from "../../policy/workspace-path.ts";
import { toShellWord } from "../../text/shell-word.ts";
import type { RunTool } from "./tool.ts";

/** A call that is to be judged, as the policy sees it. */
export interface CallEffect {
	action: string;
	action_kind: "edit" | "delete" | null;
	commands: string[];
	files_affected: string[];
	tool: PolicyTool;
	/** Its arguments hold commands or hosts. */
	reachesOut: boolean;
}

const unescapeSegment = (segment: string) => segment.replaceAll("~1", "/").replaceAll("~0", "~");

/** The value at a pointer; undefined where there is none. Only own members count: `__proto__` is a name like others. */
function findValue(from: JsonObject, pointer: string): unknown {
	let value: unknown = from;
	for (const segment of pointer.split("/").slice(1).map(unescapeSegment)) {
		if (Array.isArray(value)) value = /^(?:0|[1-9]\d{0,9})$/.test(segment) ? value[Number(segment)] : undefined;
		else value = isJsonObject(value) && Object.hasOwn(value, segment) ? value[segment] : undefined;
	}
	return value;
}

/** Texts at pointers, and the pointers at which something else stands. */
interface PointedTexts {
	texts: string[];
	/** The texts of each list, which may be the words of one command. */
	lists: string[][];
	unreadable: string[];
}

/** Collects the texts at pointers: of a list all its texts. What is not there, or is null or blank, was left out. */
function collectTexts(from: JsonObject, pointers: readonly string[]): PointedTexts {
	const found: PointedTexts = { texts: [], lists: [], unreadable: [] };
	for (const pointer of pointers) {
		const value = findValue(from, pointer) ?? [];
		const items = Array.isArray(value) ? value : [value];
		const texts = items.filter((item) => typeof item === "string");
		if (texts.length < items.length) found.unreadable.push(pointer);
		if (Array.isArray(value)) found.lists.push(texts);
		found.texts.push(...texts.filter((text) => text.trim() !== ""));
	}
	return found;
}

/** A list of texts may be commands, or the words of one: both are judged. */
function toCommands({ texts, lists }: PointedTexts): string[] {
	return [...texts, ...lists.filter((words) => words.length > 1).map((words) => words.map(toShellWord).join(" "))];
}

/** The host that programs which read addresses as browsers do find in one; null where they find none. */
function parseHost(address: string): string | null {
	const hostname = URL.parse(address)?.hostname ?? "";
	return hostname === "" ? null : hostname;
}

const WITH_SCHEME = /^[a-z][a-z0-9+.-]*:\/\//i;
/** What programs read as browsers do even where slashes lack: `http:/host` leads to that host, and is no host `http`. */
const SLASHLESS = /^(?:https?|wss?|ftp|file):/i;
const PLAIN_HOST = /^(?:[a-z0-9._-]+|\[[0-9a-f:.]+\])$/;

/** A mail address in its plain form, of which all readers take the same domain. */
const MAIL_ADDRESS = /^[a-z0-9][\w.+-]*@([a-z0-9-]+(?:\.[a-z0-9-]+)+)$/i;

/** The host of a host, an address or a mail address. Null where programs that read it may disagree on it. */
function readHostname(text: string): string | null {
	const written = text.trim().replace(MAIL_ADDRESS, "$1");
	// Controls, spaces and backslashes are dropped, or read as slashes, by some readers of addresses and not by others; what stands
	// before an `@` passes for the host.
	if (/[\s\\@\p{C}]/u.test(written)) return null;
	if (!WITH_SCHEME.test(written) && SLASHLESS.test(written)) return null;
	const address = WITH_SCHEME.test(written) ? written : `https://${written.replace(/^\/\//, "")}`;
	const hostname = parseHost(address);
	// A list in one text has commas or semicolons, which may stand in a host.
	return hostname !== null && PLAIN_HOST.test(hostname) ? hostname : null;
}

/** Parts of an address that are looked at for a host. */
const MAX_HOST_PARTS = 100;

/** The hosts that some program may find in an address on which programs disagree. */
function possibleHosts(text: string): string[] {
	const whole = text.replace(/[\s\p{C}]/gu, "");
	const parts = text.split(/[^\p{L}\p{N}\p{M}._\u3002\uff0e\uff61-]+/u, MAX_HOST_PARTS);
	const addresses = [whole, ...[whole, ...parts].map((part) => `https://${part}`)];
	return addresses.flatMap((address) => parseHost(address) ?? []);
}

/** PATH_MAX of Linux. */
const MAX_PATH_CHARS = 4_096;

function isOrdinaryPath(text: string): boolean {
	return text.length <= MAX_PATH_CHARS && !/\p{Cc}/u.test(text);
}

/** What a built-in tool does is known: nothing outside the run. */
function toBuiltInEffect(name: string): CallEffect {
	const tool: PolicyTool = { names: [name], isKnown: true, asks: [], isUnreadable: false };
	return { action: `Call ${name}`, action_kind: null, commands: [], files_affected: [], tool, reachesOut: false };
}

/**
 * What a call would do. A value at a pointer that is no text cannot be judged, so a person is asked; more commands or files than a check
 * takes are as unreadable as in a hook.
 */
export function toCallEffect(tool: RunTool, given: JsonObject, findSecrets: FindHiddenSpans): CallEffect {
	if (tool.kind === "built_in") return toBuiltInEffect(tool.name);
	const { name } = tool;
	const commands = collectTexts(given, tool.commands);
	const files = collectTexts(given, tool.files);
	const hosts = collectTexts(given, tool.hosts);
	const hostnames = hosts.texts.map(readHostname);
	const effect = toArgumentEffect(
		name,
		{ paths: files.texts.map(toFilePath), urls: hosts.texts, sql: [], commands: toCommands(commands) },
		findSecrets,
	);
	const { commands: lines = [], files_affected = [], asks = [] } = effect;
	const unreadable = [...commands.unreadable, ...files.unreadable, ...hosts.unreadable];
	const isTooMuch = lines.length > MAX_COMMANDS || files_affected.length > MAX_PATHS;
	const isUnsure = hostnames.includes(null);
	const certain = hostnames.flatMap((host) => host ?? []);
	const possible = hosts.texts.flatMap((text, at) => (hostnames[at] === null ? possibleHosts(text) : []));
	const reached = [...new Set([...certain, ...possible])].map((host) => toDomainPlace(name, host));
	return {
		action: effect.action,
		action_kind: effect.action_kind ?? null,
		commands: isTooMuch ? [] : lines,
		files_affected: isTooMuch ? [] : files_affected,
		reachesOut: commands.texts.length + hosts.texts.length + unreadable.length > 0,
		tool: {
			names: [name],
			// A pattern of `deny` names any host that may be meant. None of `allow` names a place that cannot be told, unless it names all.
			places: isUnsure ? [...reached, toDomainPlace(name, "?")] : reached,
			isKnown: false,
			isUnreadable: isTooMuch,
			asks: [
				...asks,
				...unreadable.map((pointer) => `${pointer === "" ? "the arguments" : pointer} holds something else than text`),
				...(isUnsure ? ["an address can be read in more than one way"] : []),
				...(files.texts.every(isOrdinaryPath) ? [] : ["a path is too long, or has control characters"]),
			],
		},
	};
}
