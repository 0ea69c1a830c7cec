// Command lines of remote platforms by verb, whoever the provider: what changes something there asks, what looks or stays
// on this machine does not, and a verb that nobody knows asks. What takes away or deploys is in resources.ts.
import { type Effect, type Invocation, riskyEffect } from "../effects.ts";
import { type Argument, parseArguments } from "../grammar.ts";
import { isCommandRole } from "../program-tables.ts";
import { findDanger, findOpening } from "./dangers.ts";
import platformsFile from "./platforms.json" with { type: "json" };
import { staysOnThisMachine } from "./requests.ts";
import resourcesFile from "./resources.json" with { type: "json" };

const LOCAL_CLIENTS: ReadonlySet<string> = new Set(platformsFile.local_clients);
const VERB_FIRST_CLIENTS: ReadonlySet<string> = new Set(platformsFile.verb_first_clients);
const NOUNS: ReadonlySet<string> = new Set(platformsFile.nouns);
const READING_VERBS: ReadonlySet<string> = new Set(platformsFile.reading_verbs);
const LOCAL_VERBS: ReadonlySet<string> = new Set(platformsFile.local_verbs);
const CHANGING_VERBS: ReadonlySet<string> = new Set(platformsFile.changing_verbs);
/** Options whose value is code, which is judged by itself, or which keep a command on this machine. */
const JUDGED_BY_CODE: ReadonlyMap<string, readonly string[]> = new Map(Object.entries(platformsFile.judged_by_code));
const OWN_LOCAL_VERBS: ReadonlyMap<string, readonly string[]> = new Map(Object.entries(platformsFile.own_local_verbs));
const USUAL_CHANGES: ReadonlyMap<string, readonly string[]> = new Map(Object.entries(platformsFile.usual_changes));
/** Clients whose first word is a service, whatever it is called, and those of their first words that stay here. */
const SERVICE_FIRST: ReadonlyMap<string, readonly string[]> = new Map(
	Object.entries(platformsFile.service_first_clients),
);
/** Verbs that are also groups, if another verb follows: `gh run list`. */
const GROUPS_NAMED_LIKE_VERBS: ReadonlySet<string> = new Set(platformsFile.groups_named_like_verbs);
/** Options that take no value, whatever the client. */
export const OPTIONS_WITHOUT_VALUE: ReadonlySet<string> = new Set(resourcesFile.options_without_value);

/** Groups before a verb. A command line with more of them is unknown, which asks. */
const MAX_GROUPS = 6;

type VerbClass = "changes" | "reads" | "stays" | null;

/** The verb of `create-bucket`, `config:set`, `admin-get-user`: its first or last part, or its first two. */
function findVerbParts(word: string): readonly string[] {
	const parts = word.split(/[-_]/);
	return [word, ...word.split(":").slice(1), parts[0] ?? "", parts.slice(0, 2).join("-")];
}

/** Whether a first word keeps the command on this machine. */
function staysHere(client: string, word: string): boolean {
	const services = SERVICE_FIRST.get(client);
	if (services) return services.includes(word);
	return LOCAL_VERBS.has(word) || OWN_LOCAL_VERBS.get(client)?.includes(word) === true;
}

function classifyVerb(word: string): VerbClass {
	const parts = findVerbParts(word);
	if (parts.some((part) => READING_VERBS.has(part))) return "reads";
	if (parts.some((part) => CHANGING_VERBS.has(part))) return "changes";
	// `cluster_status`, `queue-info`: the last part says what is looked at.
	return READING_VERBS.has(word.split(/[-_]/).at(-1) ?? "") ? "reads" : null;
}

/** Verbs behind a group, by their first part. */
const CHANGING_OR_ENDING =
	/^(?:delete|destroy|remove|rm|purge|drop|clear|wipe|terminate|update|create|set|put|add)(?:$|[-_])/;

/** Whether a word that is a verb to some programs names a group to this one: `images` in front of `delete`. */
export function isGroupBefore(client: string, word: string, next: string | undefined): boolean {
	return NOUNS.has(word) && !VERB_FIRST_CLIENTS.has(client) && next !== undefined && CHANGING_OR_ENDING.test(next);
}

/** Whether a verb that changes something is only a group here, because a verb that looks follows. */
export function isGroupThatLooks(word: string, next: string | undefined): boolean {
	return GROUPS_NAMED_LIKE_VERBS.has(word) && next !== undefined && READING_VERBS.has(next);
}

/** `ServiceDelete` of some clients is `service-delete` to others. */
export function normalizeVerb(word: string): string {
	return word.replace(/([a-z])(?=[A-Z])/g, "$1-").toLowerCase();
}

/** Whether a word may be the value of the option before it. */
function mayBeValue(words: readonly string[], at: number): boolean {
	const previous = words[at - 1] ?? "";
	return /^-./.test(previous) && !previous.includes("=") && !OPTIONS_WITHOUT_VALUE.has(previous);
}

/** The first words that are neither options nor the values of options. */
export function findGroups(command: Invocation): readonly string[] {
	const groups: string[] = [];
	for (const [at, word] of command.words.entries()) {
		if (word === "--" || groups.length === MAX_GROUPS) break;
		if (!/^-./.test(word) && !mayBeValue(command.words, at)) groups.push(normalizeVerb(word));
	}
	return groups;
}

function findVerbClass(client: string, groups: readonly string[]): VerbClass {
	if (staysHere(client, groups[0] ?? "")) return "stays";
	for (const [at, word] of groups.entries()) {
		if (!/^[a-z][a-z0-9_:.-]*$/.test(word)) return null;
		const next = groups[at + 1];
		const isGroup =
			(at === 0 && SERVICE_FIRST.has(client)) ||
			(at === 1 && client === "gcloud" && /^(?:alpha|beta|preview)$/.test(groups[0] ?? "")) ||
			isGroupBefore(client, word, next) ||
			isGroupThatLooks(word, next);
		const found = isGroup ? null : classifyVerb(word);
		if (found !== null) return found;
	}
	return null;
}

/** Options of an API call that give it a body, so that it is no GET. */
const API_BODY_OPTIONS = /^(?:-[fF]|--(?:raw-)?field|--input)/;

/** `gh api path` only gets. With fields it posts, but a query of GraphQL, which is posted too, only gets. */
function isReadingApiCall({ words }: Invocation, groups: readonly string[]): boolean {
	if (groups[0] !== "api") return false;
	const methodAt = words.findIndex((word) => /^(?:-X|--method)/.test(word));
	const method = methodAt < 0 ? "" : words.slice(methodAt, methodAt + 2).join(" ");
	if (/^(?:-X|--method)[ =]?GET\b/i.test(method)) return true;
	if (methodAt >= 0) return false;
	const sendsBody = words.some((word) => API_BODY_OPTIONS.test(word));
	const asksOnly = groups[1] === "graphql" && !words.some((word) => /\bmutation\b|^--input|=@/.test(word));
	return !sendsBody || asksOnly;
}

/** Verbs that copy, either way. */
const COPYING_VERBS: ReadonlySet<string> = new Set(["cp", "copy", "sync", "mirror", "download"]);

/** Whether something is copied from a platform to this machine: to `.`, or from an address to what is none. */
function copiesHere(command: Invocation, groups: readonly string[]): boolean {
	if (!groups.some((word) => COPYING_VERBS.has(word))) return false;
	const isAddress = (word: string) => /^[A-Za-z0-9][A-Za-z0-9+./-]{0,63}:\//.test(word);
	const words = command.words.filter((word) => !/^-./.test(word));
	const places = command.words.filter((word, at) => !/^-./.test(word) && !mayBeValue(command.words, at));
	const endsWithOption = /^-./.test(command.words.at(-1) ?? "");
	const last = (endsWithOption ? places : words).at(-1) ?? "";
	if (isAddress(last) || isAddress(places.at(-1) ?? "")) return false;
	return words.some(isAddress) || last === "." || last.startsWith("./");
}

/** `heroku addons`, `heroku pg:backups`, `ibmcloud resource groups`: several things without a verb are listed. */
function listsThings(groups: readonly string[]): boolean {
	return groups.length <= 2 && /^(?:[a-z]+:)?[a-z-]{3,}s$/.test(groups.at(-1) ?? "");
}

/** A shell without a script, in which somebody types. */
const LONE_SHELL = /^(?:\/(?:usr\/)?bin\/)?(?:ba|da|z|k|a)?sh(?: -[il]+)?$/;

/** What a shell without a script runs, nobody sees. */
function findLoneShell({ role, text, at }: Argument, { words }: Invocation): readonly Effect[] {
	return LONE_SHELL.test(role === "run" ? words.slice(at).join(" ") : text)
		? [riskyEffect("opens a shell on another machine")]
		: [];
}

const LOCAL_TARGET = new RegExp(platformsFile.local_target);
const TARGET_OPTIONS: ReadonlySet<string> = new Set(platformsFile.target_options);

/** Whether an option says that the cluster or the service is on this machine: `--context kind-dev`, `--endpoint-url http://localhost:4566`. */
export function staysOnLocalTarget({ words }: Invocation): boolean {
	const targets = words.flatMap((word, at) => {
		const [option = "", ...value] = word.split("=");
		if (!TARGET_OPTIONS.has(option)) return [];
		return [word.includes("=") ? value.join("=") : (words[at + 1] ?? "")];
	});
	return targets.length > 0 && targets.every((target) => LOCAL_TARGET.test(target) || staysOnThisMachine([target]));
}

/** Finds what a command line of a remote platform asks for by its verb. */
export function findPlatformEffects(command: Invocation): readonly Effect[] {
	const { name, options } = command;
	if (LOCAL_CLIENTS.has(name)) return [];
	const judged = JUDGED_BY_CODE.get(name) ?? [];
	if (options.flags.some((flag) => judged.includes(flag))) return [];
	const groups = findGroups(command);
	// `gcloud --version`: what has no word but options only shows itself.
	if (groups.length === 0) return [];
	const usual = USUAL_CHANGES.get(name) ?? [];
	if (usual.some((change) => groups.join(" ").startsWith(change)) || copiesHere(command, groups)) return [];
	if (isReadingApiCall(command, groups)) return [];
	// What runs at the other end is judged by itself.
	const line = parseArguments(command).find(({ role }) => isCommandRole(role));
	if (line) return findLoneShell(line, command);
	const found = findVerbClass(name, groups);
	if (found === "reads" || found === "stays" || (found === null && listsThings(groups))) return [];
	if (found === null) {
		// The path of an API call has nouns, and no verb.
		const find = groups[0] === "api" ? findDanger : findOpening;
		return [
			riskyEffect(find(groups, command.words)?.because ?? `the check does not know what ${name} does with these words`),
		];
	}
	const danger = findDanger(groups, command.words);
	const because = danger?.because ?? `${groups.slice(0, 2).join(" ")} changes something on a remote service`;
	return [riskyEffect(because, danger?.instead)];
}
