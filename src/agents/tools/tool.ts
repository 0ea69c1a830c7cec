// The tools of a run: what the client's own are, what is built in, and the hash of a definition. Pure.
import { type Hash, hashObject } from "../../proof/hash.ts";

/** What a tool does outside the run. It counts only once the run has read what others wrote (containment.ts). */
export const TOOL_EFFECTS = ["read", "write", "external"] as const;
export type ToolEffects = (typeof TOOL_EFFECTS)[number];

/** The definition that a model is sent. */
export interface ToolForm {
	name: string;
	description?: string;
	/** JSON Schema of the arguments. */
	parameters?: Record<string, unknown>;
	strict?: boolean;
}

/** A tool that the client runs. */
export interface ClientTool extends ToolForm {
	kind: "client";
	effects: ToolEffects;
	/** Others write what it returns. */
	isUntrusted: boolean;
	/** What it returns is private. */
	isPrivate: boolean;
	/** JSON pointers to commands, paths of files and hosts or addresses in its arguments. */
	commands: string[];
	files: string[];
	hosts: string[];
	/** Most calls in the run; null for as many as the run may make. */
	maxCalls: number | null;
	/** How long its result is waited for. */
	timeoutMs: number;
	/** Its result is read by a model without tools, which answers in a schema. */
	isQuarantined: boolean;
}

export const BUILT_IN_TOOLS = ["compute", "ask_user"] as const;
export type BuiltInToolName = (typeof BUILT_IN_TOOLS)[number];

/** A tool of the service's own, by its request: `{type: "compute"}`, `{type: "ask_user"}`. */
export interface BuiltInTool {
	kind: "built_in";
	name: BuiltInToolName;
}

/** A tool's kind decides where it runs; nothing else differs. */
export type RunTool = ClientTool | BuiltInTool;

/** The hash of a tool's definition, with all that is judged by, type `svc.tool.v1`. */
export function definitionHash(tool: RunTool): Hash {
	if (tool.kind === "built_in") return hashObject({ type: "svc.tool.v1", kind: tool.name });
	const { name, description, parameters, strict } = tool;
	return hashObject({
		type: "svc.tool.v1",
		kind: "function",
		name,
		description: description ?? null,
		parameters: parameters ?? null,
		strict: strict ?? null,
		effects: tool.effects,
		untrusted: tool.isUntrusted,
		private: tool.isPrivate,
		commands: tool.commands,
		files: tool.files,
		hosts: tool.hosts,
		max_calls: tool.maxCalls,
		timeout_s: tool.timeoutMs / 1_000,
		quarantine: tool.isQuarantined,
	});
}
