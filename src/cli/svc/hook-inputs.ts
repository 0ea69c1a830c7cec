// What `svc hook` reads from a coding agent and writes to it. What a call amounts to is decided by the service. Pure.
import { basename } from "node:path";
import { isJsonObject, type JsonObject, parseJson } from "../../json.ts";

/** Reads a hook's input. Null for text that is none, which must not pass. */
export function parseHookInput(text: string): (JsonObject & { hook_event_name: string }) | null {
	const input = parseJson(text);
	if (!isJsonObject(input)) return null;
	const { hook_event_name } = input;
	return typeof hook_event_name === "string" ? { ...input, hook_event_name } : null;
}

/** The workspace's id where none is given: the name of its folder, in the letters that ids have. */
export function nameWorkspace(root: string): string {
	const name = basename(root)
		.replace(/[^A-Za-z0-9._:/@-]/g, "-")
		.slice(0, 128);
	return /^\.{0,2}$/.test(name) ? "workspace" : name;
}

/** What a hook prints, and how it ends. */
export interface HookOutput {
	stdout: string;
	stderr: string;
	exitCode: number;
}

/** No objection: the agent's own rules go on to decide. */
export const PASSES: HookOutput = { stdout: "", stderr: "", exitCode: 0 };

/** A refusal without a decision: exit code 2 blocks in both agents, and what is on standard error is read by the model. */
export function refuse(reason: string): HookOutput {
	return { stdout: "", stderr: `${reason}\n`, exitCode: 2 };
}

/** The service's answer, which is in the agent's own form. */
export function toHookOutput(answer: object): HookOutput {
	return Object.keys(answer).length === 0 ? PASSES : { ...PASSES, stdout: `${JSON.stringify(answer)}\n` };
}
