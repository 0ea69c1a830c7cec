// How the sandbox tells the service's calls apart: by their stage, never by the words of our prompts.
import { clip } from "../clip.ts";
import type { CallStage } from "../providers/sandbox-stage.ts";

/** A prompt of a call that has a stage. */
export interface StagedPrompt {
	model: string;
	systemText: string;
	userText: string;
	/** A JSON Schema, `true` for any JSON object; text without it. */
	json?: Record<string, unknown> | true | null;
	stage: CallStage;
}

/** Answers a prompt; null leaves it to the reply that any chat gets. */
type StageReply = (prompt: StagedPrompt) => string | null;

/** Replies by stage and role, such as `rank judge`. A stage's number is left out: `round debater`. */
export type StageReplies = Readonly<Record<string, StageReply>>;

/** The reply that a table has for a prompt's stage; null if it has none. */
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
	return clip(text.replace(/\s+/g, " ").trim(), maxChars);
}

/** Prose instead of JSON, if the prompt asks for it; else the JSON. */
export function jsonOrProse(promptText: string, json: string): string {
	const [word] = promptText.match(/\[\[(?:malformed|never) json\]\]/) ?? [];
	return word === undefined ? json : `That is hard to say. ${word}`;
}

/** The repair of such prose; prose again, if the prompt asks for it. */
export function repairedJson(promptText: string, json: string): string {
	return promptText.includes("[[never json]]") ? "There is no object in it." : json;
}
