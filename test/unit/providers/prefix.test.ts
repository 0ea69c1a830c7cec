// A coding agent's conversation upstream: each request begins with the bytes of the one before it, as the client's own do.
import { describe, expect, it } from "vitest";
import { type EffortChoice, WIRE_NAMES } from "../../../src/catalog/vocabulary.ts";
import { messagesRequestSchema } from "../../../src/messages/request.ts";
import { toMessagesCall } from "../../../src/messages/to-call.ts";
import type { ModelCall } from "../../../src/providers/model-call.ts";
import { utf8Bytes } from "../../../src/providers/wire.ts";
import { responsesRequestSchema } from "../../../src/responses/request.ts";
import { toResponsesCall } from "../../../src/responses/to-call.ts";
import { TEST_CATALOG } from "../../support/catalog.ts";
import { fillRecorded } from "../../support/fill-recorded.ts";
import { render } from "../../support/rendered.ts";
import { hasSharedData, readSharedData } from "../../support/shared-data.ts";

const TURNS = 30;
/** Of the bytes that a client's own bodies repeat. */
const LEAST_SHARE = 0.95;

type Fields = Record<string, unknown>;

function recordedBody(name: string): Fields {
	return fillRecorded(JSON.parse(readSharedData(`clients/${name}.json`)).body) as Fields;
}

/** What differs from turn to turn without being part of the conversation. */
function settingsAt(turn: number): Fields {
	return { max_tokens: 900 - turn, max_output_tokens: 900 - turn, tool_choice: toolChoices[turn % 3] };
}
const toolChoices = [undefined, "auto", "required"];

const output = (turn: number) => `file ${turn}: ${"a line of it\n".repeat(1 + (turn % 7) * 5)}`;
const isReminded = (turn: number) => turn % 10 === 5;
const REMINDER = "The user opened another file meanwhile.";

/** Claude Code: the mark of its cache moves to the last tool result, and it puts reminders between the turns. */
function claudeBody(recorded: Fields, turn: number): Fields {
	const [user, system] = recorded["messages"] as { content: { text: string }[] }[];
	const messages: Fields[] = [
		{ role: "user", content: user?.content },
		{ role: "system", content: system?.content[0]?.text },
	];
	for (let step = 1; step <= turn; step++) {
		const id = `toolu_${step}`;
		const input = { command: `cat file-${step}`, description: "x" };
		const mark = step === turn ? { cache_control: { type: "ephemeral" } } : {};
		const result = { tool_use_id: id, type: "tool_result", content: output(step), is_error: false, ...mark };
		messages.push(
			{ role: "assistant", content: [{ type: "tool_use", id, name: "Bash", input }] },
			{ role: "user", content: [result] },
		);
		if (isReminded(step)) messages.push({ role: "system", content: REMINDER });
	}
	const { max_tokens } = settingsAt(turn);
	return { ...recorded, messages, max_tokens };
}

function claudeCall(body: Fields): ModelCall {
	const read = toMessagesCall(messagesRequestSchema.parse(body), { catalog: TEST_CATALOG, opened: new Map() });
	if (!read.ok) throw new Error(JSON.stringify(read.failure));
	return read.value.call;
}

/** Codex: every item has an id of its own, and developer messages come between the turns. */
function codexBody(recorded: Fields, turn: number): Fields {
	const input = [...(recorded["input"] as Fields[])];
	const isText = input[0]?.["type"] === "additional_tools";
	for (let step = 1; step <= turn; step++) {
		const call_id = `call_${String(step).padStart(4, "0")}`;
		const item = `01a2027c-2fc7-7173-ac44-${String(step).padStart(12, "0")}`;
		const call = isText
			? { type: "custom_tool_call", id: `ctc_${step}`, name: "exec", input: `cat "file-${step}"` }
			: { type: "function_call", id: `fc_${step}`, name: "exec_command", arguments: `{"cmd":"cat file-${step}"}` };
		const type = isText ? "custom_tool_call_output" : "function_call_output";
		input.push({ ...call, status: "completed", call_id }, { type, id: `fco_${item}`, call_id, output: output(step) });
		const content = [{ type: "input_text", text: REMINDER }];
		if (isReminded(step)) input.push({ type: "message", id: `msg_${item}`, role: "developer", content });
	}
	const { max_output_tokens, tool_choice } = settingsAt(turn);
	return { ...recorded, input, max_output_tokens, ...(tool_choice ? { tool_choice } : {}) };
}

function codexCall(body: Fields): ModelCall {
	const parsed = responsesRequestSchema.parse(body);
	const items = typeof parsed.input === "string" ? [] : (parsed.input ?? []);
	const settings = { catalog: TEST_CATALOG, opened: new Map<string, never>(), rawBody: body };
	const read = toResponsesCall(parsed, items, settings);
	if (!read.ok) throw new Error(JSON.stringify(read.failure));
	return read.value.call;
}

/** How many bytes two bodies begin with in common. */
function commonBytes(one: string, other: string): number {
	const [first, second] = [utf8Bytes(one), utf8Bytes(other)];
	const length = Math.min(first.length, second.length);
	for (let at = 0; at < length; at++) if (first[at] !== second[at]) return at;
	return length;
}

const CLIENTS: [
	client: string,
	bodyAt: (recorded: Fields, turn: number) => Fields,
	toCall: (body: Fields) => ModelCall,
][] = [
	["claude-code-2.1.330-1", claudeBody, claudeCall],
	["codex-0.169-auto-1", codexBody, codexCall],
	["codex-0.169-gpt-6-sol", codexBody, codexCall],
];
/** What Bedrock makes the prompt of, in its order: it caches that, whatever the order of a body's members, and the choice of tools is not in it. */
function toPromptText({ toolConfig, system, messages }: Fields): string {
	return JSON.stringify([Object(toolConfig).tools, system, messages]);
}

describe.runIf(hasSharedData("clients"))("over thirty turns of a coding agent", () => {
	it.each(CLIENTS.flatMap(([client, ...rest]) => WIRE_NAMES.map((wire) => [client, wire, ...rest] as const)))(
		"%s repeats upstream what it repeats (%s)",
		(client, wire, bodyAt, toCall) => {
			const recorded = recordedBody(client);
			const sent = Array.from({ length: TURNS }, (_, turn) => {
				const body = bodyAt(recorded, turn);
				const effort: EffortChoice = turn % 2 === 0 ? "low" : "high";
				const { body: sentBody, json } = render(wire, toCall(body), { custom_tools: true }, effort);
				return { own: JSON.stringify(body), upstream: wire === "bedrock" ? toPromptText(json) : sentBody };
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
