// How the sandbox tells calls of the service apart: by their stage, never by the words of their prompts.
import type { CallStage } from "../providers/sandbox-stage.ts";

/** A prompt of a call that has a stage. */
export interface StagedPrompt {
	model: string;
	systemText: string;
	userText: string;
	stage: CallStage;
}

/** What the sandbox says to a prompt; null where it has nothing of its own to say. */
export type StageReply = (prompt: StagedPrompt) => string | null;

/** Replies by stage and role, such as `rank judge`; a stage's number does not count. */
export type StageReplies = Readonly<Record<string, StageReply>>;

/** Says what a table has for a prompt's stage. */
export function replyFrom(replies: StageReplies, prompt: StagedPrompt): string | null {
	const { stage, role } = prompt.stage;
	const reply = new Map(Object.entries(replies)).get(`${stage.replace(/:\d+$/, "")} ${role}`);
	return reply?.(prompt) ?? null;
}

/** The number of a stage such as `round:1`; 0 without one. */
export function stageNumber({ stage }: CallStage): number {
	return Number(/:(\d+)$/.exec(stage)?.[1] ?? 0);
}

/** A text on one line, cut. */
export function oneLine(text: string, maxChars: number): string {
	return text
		.replace(/\s+/g, " ")
		.trim()
		.slice(0, maxChars)
		.replace(/[\uD800-\uDBFF]$/, "");
}

/** Prose in the place of the JSON that was asked for, where a prompt wants it so; else the JSON. */
export function jsonOrProse(promptText: string, json: string): string {
	const [word] = promptText.match(/\[\[(?:malformed|never) json\]\]/) ?? [];
	return word === undefined ? json : `That is hard to say. ${word}`;
}

/** A repair of such prose, unless the prompt wants prose again. */
export function repairedJson(promptText: string, json: string): string {
	return promptText.includes("[[never json]]") ? "There is no object in it." : json;
}
