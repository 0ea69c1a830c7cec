// What becomes of the members of a Messages body that its schema does not read, and of the values of `anthropic-beta`: a table for
// people to edit. Pure.
import { isJsonObject } from "../json.ts";
import type { MessagesRequest } from "./request.ts";
import type { EntranceWarnings } from "./warnings.ts";

/** A member or a beta that this service does not honour. */
interface DroppedFeature {
	/** What it would change, and what to use instead. */
	why: string;
	/** Values that ask for nothing. Default: none does. */
	isWithoutEffect?(value: unknown): boolean;
}

function isListOf(value: unknown, test: (item: unknown) => boolean): boolean {
	return Array.isArray(value) && value.every(test);
}

/** `clear_thinking` that keeps all thinking clears nothing. */
function clearsNothing(value: unknown): boolean {
	if (!isJsonObject(value)) return false;
	return isListOf(
		value["edits"] ?? [],
		(edit) =>
			isJsonObject(edit) && String(edit["type"]).startsWith("clear_thinking") && (edit["keep"] ?? "all") === "all",
	);
}

/** Members of Anthropic's bodies that are left out, because they change price, retention or who answers. */
export const DROPPED_MEMBERS: Readonly<Record<string, DroppedFeature>> = {
	billing_policy: { why: "who pays is the owner of the API key" },
	compaction: { why: "conversations are not summarized; the client has to" },
	container: { why: "this service runs no code in containers" },
	context_management: { why: "conversations are sent as they come", isWithoutEffect: clearsNothing },
	diagnostics: {
		why: "caches of prompts are not compared",
		isWithoutEffect: (value) => isJsonObject(value) && value["previous_message_id"] == null,
	},
	fallback_credit_token: { why: "failed calls cost nothing here" },
	fallbacks: { why: "fallbacks are those of routing; brain_config names others" },
	inference_geo: { why: "where models run is for compliance to say (jurisdictions, residencies)" },
	mcp_servers: {
		why: "this service connects to no MCP server",
		isWithoutEffect: (value) => Array.isArray(value) && value.length === 0,
	},
	service_tier: { why: "it changes the price; requests run at the provider's standard tier" },
	speed: { why: "it changes the price; models run at their standard speed", isWithoutEffect: (v) => v === "standard" },
	thread: { why: "this service keeps no threads; send the whole conversation" },
	top_k: { why: "it has no equivalent at most providers; use top_p" },
	user_profile_id: { why: "this service keeps no user profiles" },
	workspace_id: { why: "what counts is the API key" },
};

/** Betas that are left out, by their names without the date. */
export const DROPPED_BETAS: Readonly<Record<string, DroppedFeature>> = {
	"context-1m": { why: "it changes the price; a model has the context window of list_models" },
	"fast-mode": { why: "it changes the price; models run at their standard speed" },
	"user-profiles-billing": { why: "who pays is the owner of the API key" },
};

/**
 * Betas that need no word, by their names without the date: what they allow is served anyway, shapes only an answer of
 * Anthropic's, or is a tool or a member with a warning of its own.
 */
export const SILENT_BETAS: ReadonlySet<string> = new Set([
	"adaptive-thinking",
	"advanced-tool-use",
	"advisor-tool",
	"agent-memory",
	"cache-diagnosis",
	"claude-code",
	"code-execution",
	"compact",
	"computer-use",
	"context-management",
	"dev-full-thinking",
	"effort",
	"extended-cache-ttl",
	"fallback-credit",
	"files-api",
	"fine-grained-tool-streaming",
	"inline-tools",
	"interleaved-thinking",
	"max-tokens-3-5-sonnet",
	"mcp-client",
	"message-threads",
	"mid-conversation-output-config",
	"mid-conversation-system-clear-at",
	"mid-conversation-tool-changes",
	"model-context-window-exceeded",
	"oauth",
	"output-128k",
	"output-300k",
	"pdfs",
	"per-turn-control",
	"prompt-caching",
	"prompt-caching-scope",
	"redact-thinking",
	"search-results",
	"server-side-fallback",
	"skills",
	"structured-outputs",
	"task-budgets",
	"thinking-binding-controls",
	"thinking-display-updates",
	"thinking-token-count",
	"token-counting",
	"token-efficient-tools",
	"tool-examples",
	"tool-search-tool",
	"user-profiles",
	"web-fetch",
	"web-search",
]);

/** More than any client names. */
const MAX_BETAS = 64;
const MAX_BETA_CHARS = 60;
/** Unknown betas that the warning about them names. */
const MAX_NAMED_BETAS = 5;

/** A beta without its date, which differs between versions. */
function betaFamily(beta: string): string {
	return beta.replace(/-\d{4}-?\d{2}-?\d{2}$/, "");
}

/** The values of `anthropic-beta`, which clients also send as the member `betas`. */
function listBetas(header: string | null, member: unknown): string[] {
	const named = Array.isArray(member) ? member.filter((beta) => typeof beta === "string") : [];
	const betas = [...(header ?? "").split(","), ...named].map((beta) => beta.trim().slice(0, MAX_BETA_CHARS));
	return [...new Set(betas)].filter((beta) => beta !== "").slice(0, MAX_BETAS);
}

/** Warns of the betas that are not honoured; of all unknown ones together. */
export function warnOfBetas(header: string | null, member: unknown, warnings: EntranceWarnings): void {
	const unknown: string[] = [];
	for (const beta of listBetas(header, member)) {
		const family = betaFamily(beta);
		const dropped = Object.hasOwn(DROPPED_BETAS, family) ? DROPPED_BETAS[family] : undefined;
		if (dropped) warnings.add("parameter_dropped", "anthropic-beta", `${beta} was left out: ${dropped.why}`);
		else if (!SILENT_BETAS.has(family)) unknown.push(beta);
	}
	if (unknown.length === 0) return;
	const others = unknown.length > MAX_NAMED_BETAS ? ` and ${unknown.length - MAX_NAMED_BETAS} more` : "";
	const names = unknown.slice(0, MAX_NAMED_BETAS).join(", ");
	warnings.add("parameter_dropped", "anthropic-beta", `${names}${others}: not known to this service and not sent`);
}

/** Warns of the members of a body that are not honoured. A null counts as absent. */
export function warnOfMembers(body: MessagesRequest, known: object, warnings: EntranceWarnings): void {
	for (const [name, value] of Object.entries(body)) {
		if (value == null || name === "betas" || Object.hasOwn(known, name)) continue;
		const dropped = Object.hasOwn(DROPPED_MEMBERS, name) ? DROPPED_MEMBERS[name] : undefined;
		if (dropped?.isWithoutEffect?.(value)) continue;
		const quoted = name.slice(0, MAX_BETA_CHARS);
		const why = dropped
			? `${quoted} was left out: ${dropped.why}`
			: `${quoted} is not known to this service and was not sent`;
		warnings.add("parameter_dropped", name, why);
	}
}
