// Thirty turns of the two coding agents through the front door, as they were recorded: each turn sends back what the last one was
// answered. The upstream gets the prefix again that the client repeats, from one model to the end.
import { describe, expect, it } from "vitest";
import { CATALOG } from "../../src/catalog/shipped.ts";
import type { WireName } from "../../src/catalog/vocabulary.ts";
import { streamEvent } from "../../src/sandbox/aws-event-stream.ts";
import { noteSharedData } from "../support/absent-data.ts";
import { BEDROCK_CATALOG } from "../support/bedrock-rows.ts";
import { answerIn, type Entrance, entranceNamed } from "../support/entrances.ts";
import { fillRecorded } from "../support/fill-recorded.ts";
import { canBeSilent, modelOnWire } from "../support/models.ts";
import { useBedrock, useService } from "../support/per-test.ts";
import { DONE, event, finish, named, providerOf, ROLE, says, saysEvents, word } from "../support/scripted.ts";
import { callWithKey } from "../support/service.ts";

type Json = Record<string, unknown>;

const ROOT = "../../../shared/data/clients/";
const files = import.meta.glob<string>("../../../shared/data/clients/*.json", { query: "?raw", import: "default" });
const hasClients = noteSharedData("clients", Object.keys(files).length > 0);

const TURNS = 30;
/** Of the bytes that a client's own bodies repeat. */
const LEAST_SHARE = 0.95;
/** After so many turns the model answers with text, and the user asks on: the loop is not what keeps the model then. */
const TURNS_PER_QUESTION = 6;

const { upstream, key } = useService("corporate");
useBedrock();

async function recordedBody(name: string): Promise<Json> {
	const load = files[`${ROOT}${name}.json`] ?? expect.fail(`${name} is not among the recordings`);
	return fillRecorded((JSON.parse(await load()) as { body: unknown }).body) as Json;
}

interface Shape {
	/** The tool is a custom one. */
	isText: boolean;
	/** The model signs what it thought. Codex gets that sealed, in more bytes than go upstream. */
	isSigned: boolean;
}

const usageMetadata = { promptTokenCount: 9, candidatesTokenCount: 7 };

/** The same call of a tool on each wire. */
function callsTool(wire: WireName, name: string, turn: number, { isText, isSigned }: Shape): Response {
	const text = `cat "file-${turn}"`;
	const args = isText ? { input: text } : { cmd: text, command: text };
	const id = `call_${turn}`;
	const toChunk = (call: Json) =>
		event({ choices: [{ index: 0, delta: { tool_calls: [{ index: 0, ...call }] }, finish_reason: null }] });
	switch (wire) {
		case "openai":
			return says(
				ROLE,
				toChunk({ id, type: "function", function: { name, arguments: JSON.stringify(args) } }),
				finish("tool_calls"),
				DONE,
			);
		case "anthropic": {
			const block = (index: number, content_block: Json, delta: Json) =>
				named({ type: "content_block_start", index, content_block }) +
				named({ type: "content_block_delta", index, delta }) +
				named({ type: "content_block_stop", index });
			const signature = { type: "signature_delta", signature: `c2ln${turn}` };
			const input = { type: "input_json_delta", partial_json: JSON.stringify(args) };
			return says(
				named({ type: "message_start", message: { content: [], usage: { input_tokens: 9, output_tokens: 1 } } }),
				isSigned ? block(0, { type: "thinking", thinking: "", signature: "" }, signature) : "",
				block(isSigned ? 1 : 0, { type: "tool_use", id, name, input: {} }, input),
				anthropicEnd("tool_use"),
			);
		}
		case "google": {
			const signature = isSigned ? { thoughtSignature: `R2VtaW5p${turn}` } : {};
			return says(
				event({
					candidates: [
						{
							content: { parts: [{ functionCall: { name, args }, ...signature }] },
							finishReason: "STOP",
						},
					],
					usageMetadata,
				}),
			);
		}
		case "bedrock": {
			const text = (contentBlockIndex: number, delta: Json) =>
				streamEvent("contentBlockDelta", { contentBlockIndex, delta });
			const start = { toolUse: { toolUseId: id, name } };
			return saysEvents(
				...(isSigned ? [text(0, { reasoningContent: { signature: `c2ln${turn}` } })] : []),
				streamEvent("contentBlockStart", { contentBlockIndex: 1, start }),
				text(1, { toolUse: { input: JSON.stringify(args) } }),
				...bedrockEnd("tool_use"),
			);
		}
	}
}

function bedrockEnd(stopReason: string): Uint8Array[] {
	const usage = { inputTokens: 9, outputTokens: 7, totalTokens: 16 };
	return [streamEvent("messageStop", { stopReason }), streamEvent("metadata", { usage })];
}

function anthropicEnd(stop_reason: string): string {
	const usage = { input_tokens: 9, output_tokens: 7 };
	return named({ type: "message_delta", delta: { stop_reason }, usage }) + named({ type: "message_stop" });
}

function saysDone(wire: WireName): Response {
	switch (wire) {
		case "openai":
			return says(ROLE, word("Done."), finish(), DONE);
		case "anthropic":
			return says(
				named({ type: "message_start", message: { content: [], usage: { input_tokens: 9, output_tokens: 1 } } }),
				named({ type: "content_block_start", index: 0, content_block: { type: "text", text: "Done." } }),
				named({ type: "content_block_stop", index: 0 }),
				anthropicEnd("end_turn"),
			);
		case "google":
			return says(
				event({ candidates: [{ content: { parts: [{ text: "Done." }] }, finishReason: "STOP" }], usageMetadata }),
			);
		case "bedrock":
			return saysEvents(
				streamEvent("contentBlockDelta", { contentBlockIndex: 0, delta: { text: "Done." } }),
				...bedrockEnd("end_turn"),
			);
	}
}

/** How many bytes two bodies begin with in common. */
function commonBytes(one: string, other: string): number {
	const [first, second] = [one, other].map((text) => new TextEncoder().encode(text));
	if (!first || !second) return 0;
	const length = Math.min(first.length, second.length);
	for (let at = 0; at < length; at++) if (first[at] !== second[at]) return at;
	return length;
}

function byteLength(text: string): number {
	return new TextEncoder().encode(text).length;
}

interface Agent {
	recording: string;
	entrance: Entrance;
	/** The tool that the model calls, as upstreams know it. */
	tool: string;
	isText?: true;
	ask(body: Json, question: string): Json;
}

const askClaude = (body: Json, content: string) => ({
	...body,
	messages: [...(body["messages"] as Json[]), { role: "user", content }],
});
const askCodex = (body: Json, text: string) => ({
	...body,
	input: [...(body["input"] as Json[]), { type: "message", role: "user", content: [{ type: "input_text", text }] }],
});
const AGENTS: readonly Agent[] = [
	{ recording: "claude-code-2.1.330-1", entrance: entranceNamed("messages"), tool: "Bash", ask: askClaude },
	{ recording: "codex-0.169-auto-1", entrance: entranceNamed("responses"), tool: "exec_command", ask: askCodex },
	{
		recording: "codex-0.169-gpt-6-sol",
		entrance: entranceNamed("responses"),
		tool: "functions__exec",
		isText: true,
		ask: askCodex,
	},
];
/** By routing, and one of each wire. */
const MODELS = [
	{ model: "auto", isSigned: false },
	{
		model: modelOnWire("openai", (model) => canBeSilent(model) && !CATALOG.providerFor(model).custom_tools).id,
		isSigned: false,
	},
	...[modelOnWire("anthropic"), modelOnWire("google"), modelOnWire("bedrock")].flatMap(({ id: model }) => [
		{ model, isSigned: false },
		{ model, isSigned: true },
	]),
];

describe.runIf(hasClients)("over thirty turns", () => {
	it.each(AGENTS.flatMap((agent) => MODELS.map((model) => ({ ...agent, ...model }))))(
		"$recording keeps its model and its prefix ($model, signed: $isSigned)",
		async ({ recording, entrance, tool, isText = false, ask, model, isSigned }) => {
			const sent: { own: string; upstream: string; model: string }[] = [];
			let turn = 0;
			let sentUpstream = "";
			const isQuestion = () => turn % TURNS_PER_QUESTION === TURNS_PER_QUESTION - 1;
			upstream.replace(async (request) => {
				sentUpstream = await request.text();
				const wire = BEDROCK_CATALOG.providers.find(({ id }) => id === providerOf(request))?.wire ?? "openai";
				expect(sentUpstream).toContain(`"name":"${tool}"`);
				return isQuestion() ? saysDone(wire) : callsTool(wire, tool, turn, { isText, isSigned });
			});
			// It is read whole: how it is streamed changes nothing that is sent.
			let body: Json = { ...(await recordedBody(recording)), model, stream: false };
			for (; turn < TURNS; turn++) {
				const answer = await answerIn(await callWithKey(key.key, entrance.path, body));
				sent.push({ own: JSON.stringify(body), upstream: sentUpstream, model: String(answer["model"]) });
				const output = `file ${turn}: ${"a line of it\n".repeat(1 + (turn % 7) * 5)}`;
				const answered = entrance.goOn(body, answer, [output]);
				body = isQuestion() ? ask(withoutEmptyTurn(answered), `And file ${turn}?`) : answered;
			}
			expect(new Set(sent.map((one) => one.model)).size, "models").toBe(1);
			for (const [index, { own, upstream: bytes }] of sent.entries()) {
				const before = sent[index - 1];
				if (!before) continue;
				const repeated = commonBytes(before.own, own);
				const kept = commonBytes(before.upstream, bytes);
				if (!isSigned) expect(kept / repeated, `turn ${index}`).toBeGreaterThanOrEqual(LEAST_SHARE);
				expect(kept / byteLength(before.upstream), `turn ${index}`).toBeGreaterThanOrEqual(LEAST_SHARE);
			}
		},
	);
});

/** Without the user's turn of no results that follows an answer without calls. */
function withoutEmptyTurn(body: Json): Json {
	const messages = body["messages"];
	if (!Array.isArray(messages)) return body;
	return { ...body, messages: messages.filter(({ content }: Json) => !Array.isArray(content) || content.length > 0) };
}
