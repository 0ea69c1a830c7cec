// What the sandbox says where a prompt asks it not to answer: refusals, echoes, invisible texts, error messages, JSON that fits nothing.
import type { CallStage } from "../providers/sandbox-stage.ts";
import type { SandboxFaults } from "./faults.ts";
import type { SandboxPrompt } from "./reply.ts";

/** A text, or a refusal by the format's own sign. */
interface SaidText {
	text: string | null;
	refusal: string | null;
}

const REFUSAL = "I'm sorry, but I can't assist with that request.";
const TEXTS: Readonly<Record<Exclude<SandboxFaults["instead"][number]["word"], "echo" | "filtered">, string>> = {
	unwilling: REFUSAL,
	toolless: "I don't have access to the internet or your files, so I can't complete this task.",
	blank: "\u200b\u00a0\u200b",
	overloaded: "Error: overloaded",
	thinking: "<think>The user asks something. Let me see",
};

/** Whether a call is the one that a word names: by its stage, what it asks for, or the number of a subtask. */
function isAt(name: string, { userText }: SandboxPrompt, stage: CallStage | null): boolean {
	const [, number] = /^subtask (\d+)$/.exec(name) ?? [];
	if (number !== undefined) return userText.includes(`Subtask ${number} of `);
	return stage !== null && [stage.stage.replace(/:\d+$/, ""), stage.asksFor?.split(":")[0]].includes(name);
}

/** What is said instead of an answer at a stage; null for an answer. JSON is written all the same, unless a stage is named. */
export function saidInstead(
	{ instead }: SandboxFaults,
	prompt: SandboxPrompt,
	stage: CallStage | null,
): SaidText | null {
	const chosen = instead.find((one) => (one.stage === null ? prompt.json === null : isAt(one.stage, prompt, stage)));
	if (!chosen) return null;
	if (chosen.word === "filtered") return { text: null, refusal: REFUSAL };
	return { text: chosen.word === "echo" ? prompt.userText : TEXTS[chosen.word], refusal: null };
}

/** What is written instead of fitting JSON; null where it fits. */
export function unfitJson({ unfitJson: word }: SandboxFaults, { json }: SandboxPrompt): string | null {
	if (word === null || json === null) return null;
	return word === "unfit json" ? JSON.stringify({ unfit: true }) : "Certainly! It is all there is to say.";
}
