// A coding agent's conversation upstream: each request begins with the bytes of the one before it, as the client's own do.
import { describe, expect, it } from "vitest";
import type { EffortChoice, WireName } from "../../../src/catalog/vocabulary.ts";
import { isJsonObject } from "../../../src/json.ts";
import type { CacheMark, Message, ModelCall, TextPart, ToolDefinition } from "../../../src/providers/model-call.ts";
import { utf8Bytes } from "../../../src/providers/wire.ts";
import { plainCall, render } from "../../support/rendered.ts";
import { hasSharedData, readSharedData } from "../../support/shared-data.ts";

const TURNS = 30;
/** Of the bytes that a client's own bodies repeat. */
const LEAST_SHARE = 0.95;

type Fields = Record<string, unknown>;

/** A text of the length that a recording names instead of it. */
function filled(value: unknown): unknown {
	if (typeof value === "string") {
		const length = Number(/^<(\d+) characters>$/.exec(value)?.[1] ?? 0);
		return length === 0
			? value
			: "All of this was left out of the recording. ".repeat(length / 40 + 1).slice(0, length);
	}
	if (Array.isArray(value)) return value.map(filled);
	return isJsonObject(value)
		? Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, filled(inner)]))
		: value;
}

function recordedBody(name: string): Fields {
	return filled(JSON.parse(readSharedData(`clients/${name}.json`)).body) as Fields;
}

/** One turn of a client: the body that it sends, and the call that it comes to. */
interface Turn {
	body: Fields;
	call: ModelCall;
}

/** What differs from turn to turn without being part of the conversation. */
function settingsOf(turn: number): Pick<ModelCall, "maxTokens" | "toolChoice" | "stop"> {
	return {
		maxTokens: 32_000 - 700 * turn,
		toolChoice: turn % 3 === 0 ? "required" : "auto",
		stop: turn % 4 === 0 ? ["X"] : [],
	};
}

const output = (turn: number) => `file ${turn}: ${"a line of it\n".repeat(1 + (turn % 7) * 5)}`;
const isReminded = (turn: number) => turn % 10 === 5;
const REMINDER = "The user opened another file meanwhile.";

const text = (value: string, cache?: CacheMark): TextPart => ({
	type: "text",
	text: value,
	...(cache ? { cache } : {}),
});

/** Text blocks of an Anthropic body as parts. */
function toTextParts(content: unknown): TextPart[] {
	if (typeof content === "string") return [text(content)];
	const blocks = content as { text: string; cache_control?: unknown }[];
	return blocks.map((block) => text(block.text, block.cache_control ? {} : undefined));
}

/** Claude Code: the mark of its cache moves to the last tool result, and it puts reminders between the turns. */
function claudeTurn(recorded: Fields, turn: number): Turn {
	const [user, system] = recorded["messages"] as { content: unknown }[];
	const sent: Fields[] = [
		{ role: "user", content: user?.content },
		{ role: "system", content: toTextParts(system?.content)[0]?.text },
	];
	const messages: Message[] = [
		{ role: "system", content: toTextParts(recorded["system"]) },
		{ role: "user", content: toTextParts(user?.content) },
		{ role: "system", content: toTextParts(system?.content).map((part) => text(part.text)) },
	];
	for (let step = 1; step <= turn; step++) {
		const id = `toolu_${step}`;
		const input = { command: `cat file-${step}`, description: "x" };
		const isLast = step === turn;
		sent.push(
			{ role: "assistant", content: [{ type: "tool_use", id, name: "Bash", input }] },
			{
				role: "user",
				content: [
					{
						tool_use_id: id,
						type: "tool_result",
						content: output(step),
						is_error: false,
						...(isLast ? { cache_control: { type: "ephemeral" } } : {}),
					},
				],
			},
		);
		messages.push(
			{ role: "assistant", content: [{ type: "tool_call", id, name: "Bash", arguments: JSON.stringify(input) }] },
			{
				role: "user",
				content: [{ type: "tool_result", callId: id, content: [text(output(step))], ...(isLast ? { cache: {} } : {}) }],
			},
		);
		if (!isReminded(step)) continue;
		sent.push({ role: "system", content: REMINDER });
		messages.push({ role: "system", content: [text(REMINDER)] });
	}
	const tools = (recorded["tools"] as { name: string; description: string; input_schema: Fields }[]).map(
		({ name, description, input_schema: parameters }): ToolDefinition => ({ name, description, parameters }),
	);
	return { body: { ...recorded, messages: sent }, call: plainCall({ messages, tools, ...settingsOf(turn) }) };
}

type CodexTool = Fields & { name: string; description: string; type: string; tools?: CodexTool[] };

function toCodexTools(tools: readonly CodexTool[]): ToolDefinition[] {
	return tools.flatMap((tool): ToolDefinition[] => {
		const { type, name, description, tools: inner = [] } = tool;
		if (type === "namespace") return toCodexTools(inner);
		if (type === "custom") return [{ name, description, input: "text" }];
		return type === "function" ? [{ name, description, parameters: tool["parameters"] as Fields }] : [];
	});
}

/** Codex: every item has an id of its own, and a reasoning item that only its provider can open stands before each call. */
function codexTurn(recorded: Fields, turn: number): Turn {
	const begun = recorded["input"] as { type: string; role: string; content: { text: string }[]; tools?: CodexTool[] }[];
	const sent: Fields[] = [...begun];
	const tools = toCodexTools((recorded["tools"] as CodexTool[] | undefined) ?? begun[0]?.tools ?? []);
	const tool = tools[0]?.name ?? "";
	const messages = begun.flatMap(({ type, role, content }): Message[] =>
		type === "message"
			? [{ role: role === "developer" ? "system" : "user", content: content.map(({ text: value }) => text(value)) }]
			: [],
	);
	for (let step = 1; step <= turn; step++) {
		const id = `call_${String(step).padStart(4, "0")}`;
		const args = tools[0]?.input === "text" ? { input: `cat "file-${step}"` } : { cmd: `cat file-${step}` };
		const isText = "input" in args;
		const item = `01a2027c-2fc7-7173-ac44-${String(step).padStart(12, "0")}`;
		sent.push(
			isText
				? {
						type: "custom_tool_call",
						status: "completed",
						id: `ctc_${step}`,
						name: tool,
						input: args.input,
						call_id: id,
					}
				: {
						type: "function_call",
						status: "completed",
						id: `fc_${step}`,
						name: tool,
						arguments: JSON.stringify(args),
						call_id: id,
					},
			{
				type: isText ? "custom_tool_call_output" : "function_call_output",
				id: `fco_${item}`,
				call_id: id,
				output: output(step),
			},
		);
		messages.push(
			{ role: "assistant", content: [{ type: "tool_call", id, name: tool, arguments: JSON.stringify(args) }] },
			{ role: "user", content: [{ type: "tool_result", callId: id, content: [text(output(step))] }] },
		);
		if (!isReminded(step)) continue;
		sent.push({
			type: "message",
			id: `msg_${item}`,
			role: "developer",
			content: [{ type: "input_text", text: REMINDER }],
		});
		messages.push({ role: "system", content: [text(REMINDER)] });
	}
	return { body: { ...recorded, input: sent }, call: plainCall({ messages, tools, ...settingsOf(turn) }) };
}

/** How many bytes two bodies begin with in common. */
function commonBytes(one: string, other: string): number {
	const [first, second] = [utf8Bytes(one), utf8Bytes(other)];
	const length = Math.min(first.length, second.length);
	for (let at = 0; at < length; at++) if (first[at] !== second[at]) return at;
	return length;
}

const CLIENTS: [client: string, turnOf: (recorded: Fields, turn: number) => Turn][] = [
	["claude-code-2.1.330-1", claudeTurn],
	["codex-0.169-auto-1", codexTurn],
	["codex-0.169-gpt-6-sol", codexTurn],
];
const WIRES: WireName[] = ["openai", "anthropic", "google"];

describe.runIf(hasSharedData("clients"))("over thirty turns of a coding agent", () => {
	it.each(CLIENTS.flatMap(([client, turnOf]) => WIRES.map((wire) => [client, wire, turnOf] as const)))(
		"%s repeats what it repeats (%s)",
		(client, wire, turnOf) => {
			const recorded = recordedBody(client);
			const sent = Array.from({ length: TURNS }, (_, turn) => {
				const { body, call } = turnOf(recorded, turn);
				const effort: EffortChoice = turn % 2 === 0 ? "low" : "high";
				return { own: JSON.stringify(body), upstream: render(wire, call, { custom_tools: true }, effort).body };
			});
			for (const [turn, { own, upstream }] of sent.entries()) {
				const before = sent[turn - 1];
				if (!before) continue;
				const repeated = commonBytes(before.own, own);
				expect(repeated, `turn ${turn}`).toBeGreaterThan(500);
				const kept = commonBytes(before.upstream, upstream);
				expect(kept / repeated, `turn ${turn}`).toBeGreaterThanOrEqual(LEAST_SHARE);
				// Tools come first upstream, so what is kept could be tools alone.
				expect(kept / utf8Bytes(before.upstream).length, `turn ${turn}`).toBeGreaterThanOrEqual(LEAST_SHARE);
			}
		},
	);
});
