// The sandbox's replies: deterministic, and sensible enough that every feature shows its real behaviour offline.
import type { CallStage } from "../providers/sandbox-stage.ts";
import { agentReply } from "./agent-reply.ts";
import { CODE_REPLIES } from "./code-reply.ts";
import { readConversation, type SandboxConversation } from "./conversation.ts";
import { disagreement, STRATEGY_REPLIES } from "./orchestration-reply.ts";
import type { SandboxCall, SandboxTool } from "./sandbox-tool.ts";
import { findCommand, findShellTool } from "./shell-call.ts";
import { oneLine, replyFrom } from "./stage-reply.ts";
import { toolStepCalls, toolStepText } from "./tool-step.ts";

/** A file or a recording. */
export interface SandboxMedia {
	/** In words, such as `report.pdf (3 pages, 29310 bytes)`. */
	description: string;
	/** As a provider counts it. */
	tokens: number;
}

/** A prompt, independent of the wire format. */
export interface SandboxPrompt {
	model: string;
	/** Texts of the instructions, wherever they stand. */
	systemText: string;
	/** Text of the last user message. */
	userText: string;
	/** Texts of the tool results after it. */
	toolResults: string[];
	tools: SandboxTool[];
	toolChoice: "auto" | "none" | "required" | { name: string };
	parallelToolCalls: boolean;
	/** A JSON Schema, `true` for any JSON object, null for text. */
	json: Record<string, unknown> | true | null;
	/** Whether the request turns reasoning on. */
	reasoning: boolean;
	/** Files and recordings of the whole conversation. */
	media: readonly SandboxMedia[];
}

interface SandboxReply {
	text: string | null;
	/** Null when reasoning is off. */
	reasoning: string | null;
	toolCalls: SandboxCall[];
}

type Schema = Record<string, unknown>;

function subschemaAt(schema: Schema, key: string): Schema {
	const value = schema[key];
	return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Schema) : {};
}

/** A text for a string property: the last capitalized word of the prompt, which is often its subject. */
function exampleString(prompt: string): string {
	return prompt.match(/\b[A-Z][a-z]+\b(?!.*\b[A-Z][a-z]+\b)/s)?.[0] ?? "example";
}

/** The first type of a schema in lower case, since Google writes types in capitals. */
function firstType(schema: Schema): string {
	const type: unknown = Array.isArray(schema["type"]) ? schema["type"][0] : schema["type"];
	if (typeof type === "string") return type.toLowerCase();
	return "properties" in schema ? "object" : "string";
}

const MAX_SCHEMA_DEPTH = 12;

/** A value that fits a JSON Schema, as far as type, enum, const, properties and items go. */
function valueFor(schema: Schema, prompt: string, depth = 0): unknown {
	if ("const" in schema) return schema["const"];
	const choices = schema["enum"];
	if (Array.isArray(choices) && choices.length > 0) return choices[0];
	const alternatives = schema["anyOf"] ?? schema["oneOf"];
	if (Array.isArray(alternatives) && alternatives.length > 0 && depth < MAX_SCHEMA_DEPTH)
		return valueFor(alternatives[0] as Schema, prompt, depth + 1);
	switch (firstType(schema)) {
		case "object": {
			const entries = depth < MAX_SCHEMA_DEPTH ? Object.entries(subschemaAt(schema, "properties")) : [];
			return Object.fromEntries(
				entries.map(([key, property]) => [key, valueFor(property as Schema, prompt, depth + 1)]),
			);
		}
		case "array":
			return depth < MAX_SCHEMA_DEPTH ? [valueFor(subschemaAt(schema, "items"), prompt, depth + 1)] : [];
		case "integer":
			return typeof schema["minimum"] === "number" ? Math.ceil(schema["minimum"]) : 1;
		case "number":
			return typeof schema["minimum"] === "number" ? schema["minimum"] : 1.5;
		case "boolean":
			return true;
		case "null":
			return null;
		default:
			return exampleString(prompt);
	}
}

/** Whether a prompt is about a tool: it contains one of the longer words of its name or description. */
function isAbout({ name, description }: SandboxTool, prompt: string): boolean {
	const text = prompt.toLowerCase();
	return `${name} ${description}`
		.toLowerCase()
		.split(/[^a-z]+/)
		.some((word) => word.length >= 4 && text.includes(word));
}

function chooseTools({ tools, toolChoice, userText, parallelToolCalls, toolResults }: SandboxPrompt): SandboxTool[] {
	if (toolChoice === "none" || toolResults.length > 0) return [];
	if (typeof toolChoice === "object") return tools.filter(({ name }) => name === toolChoice.name);
	const fitting = tools.filter((tool) => isAbout(tool, userText));
	const chosen = fitting.length === 0 && toolChoice === "required" ? tools.slice(0, 1) : fitting;
	return parallelToolCalls ? chosen : chosen.slice(0, 1);
}

function toSandboxCall({ name, input }: SandboxTool, args: Record<string, unknown>): SandboxCall {
	return { name, arguments: args, ...(input === "text" ? { custom: true } : {}) };
}

function exampleArguments({ parameters, input }: SandboxTool, prompt: string): Record<string, unknown> {
	if (input === "text") return { input: exampleString(prompt) };
	return valueFor({ type: "object", ...parameters }, prompt) as Record<string, unknown>;
}

/** The members that a tool's schema requires. */
function requiredArguments({ parameters }: SandboxTool, prompt: string): Record<string, unknown> {
	const required = Array.isArray(parameters["required"]) ? parameters["required"].map(String) : [];
	const properties = subschemaAt(parameters, "properties");
	return Object.fromEntries(required.map((key) => [key, valueFor(subschemaAt(properties, key), prompt)]));
}

/**
 * What a prompt with a shell among its tools calls: the shell, if it asks to run a command. An agent's many tools are
 * described at such length that every prompt is about all of them. Null leaves the choice to the words of the prompt.
 */
function shellCalls({ tools, toolChoice, toolResults, userText }: SandboxPrompt): SandboxCall[] | null {
	const shell = toolChoice === "none" || toolResults.length > 0 ? null : findShellTool(tools);
	if (shell === null || (typeof toolChoice === "object" && toolChoice.name !== shell.tool.name)) return null;
	const command = findCommand(userText);
	if (command === null) return toolChoice === "auto" ? [] : null;
	return [toSandboxCall(shell.tool, { ...requiredArguments(shell.tool, userText), ...shell.argumentsFor(command) })];
}

const REPLIES = { ...STRATEGY_REPLIES, ...CODE_REPLIES };

function textFor(prompt: SandboxPrompt, stage: CallStage | null): string {
	const staged = stage && { ...prompt, stage };
	const known = (staged && replyFrom(REPLIES, staged)) ?? disagreement(prompt) ?? (staged && agentReply(staged));
	if (known !== null) return known;
	if (prompt.json !== null) {
		const value =
			prompt.json === true
				? { answer: "This is the sandbox; no model was called." }
				: valueFor(prompt.json, prompt.userText);
		return JSON.stringify(value);
	}
	if (prompt.toolResults.length > 0) return `The tool answered: ${prompt.toolResults.join("; ")}`;
	const files = prompt.media.map(({ description }) => description).join(", ");
	const sent = files === "" ? "" : ` You sent ${files}.`;
	return `The sandbox answers for ${prompt.model}: you wrote "${oneLine(prompt.userText, 200)}".${sent} No model was called.`;
}

/** Answers a turn of a run's tool step. */
function toolStepReply({ tools, toolChoice }: SandboxPrompt, conversation: SandboxConversation): SandboxReply {
	const toolCalls = toolChoice === "none" ? [] : toolStepCalls(tools, conversation);
	return { text: toolCalls.length > 0 ? null : toolStepText(conversation), reasoning: null, toolCalls };
}

/** Answers a prompt, by its stage if it has one. @param request the body, for what the prompt does not tell. */
export function replyTo(prompt: SandboxPrompt, stage: CallStage | null, request: unknown): SandboxReply {
	if (stage?.stage === "turn" && prompt.json === null) return toolStepReply(prompt, readConversation(request));
	const toolCalls =
		shellCalls(prompt) ??
		chooseTools(prompt).map((tool) => toSandboxCall(tool, exampleArguments(tool, prompt.userText)));
	return {
		text: toolCalls.length > 0 ? null : textFor(prompt, stage),
		reasoning: prompt.reasoning ? `I was asked: "${oneLine(prompt.userText, 60)}". I am no model, so I say so.` : null,
		toolCalls,
	};
}

const LONG_WORDS = "the quiet river carries small boats past old mills while patient herons watch from reeds".split(
	" ",
);

/** A meaningless text of `words` words. */
export function longText(words: number): string {
	return Array.from({ length: words }, (_, index) => LONG_WORDS[(index * 7) % LONG_WORDS.length]).join(" ");
}
