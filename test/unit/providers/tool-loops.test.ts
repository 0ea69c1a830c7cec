// A tool loop that one provider's model began and another's goes on with, in each format.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { WireName } from "../../../src/catalog/vocabulary.ts";
import type { AssistantPart, Message, ModelCall } from "../../../src/providers/model-call.ts";
import { parseAnthropic, signThinking } from "../../../src/sandbox/anthropic-request.ts";
import { parseConverse } from "../../../src/sandbox/bedrock-request.ts";
import { parseGoogle } from "../../../src/sandbox/google-request.ts";
import { hasRecordings, recordedText, recordingsEnding, wireOfRecording } from "../../support/recordings.ts";
import { plainCall, render } from "../../support/rendered.ts";

const PNG = "data:image/png;base64,AAAA";

/** What each provider's model leaves behind when it calls a tool. */
const BEGINNINGS: Record<WireName, AssistantPart[]> = {
	openai: [
		{ type: "reasoning", text: "hm" },
		{ type: "tool_call", id: "functions.look:0", name: "look", arguments: '{"at":1}' },
		{ type: "tool_call", id: "functions.look:1", name: "look", arguments: '{"at":2}' },
	],
	anthropic: [
		{ type: "reasoning", text: "hm" },
		{ type: "provider", wire: "anthropic", block: { type: "thinking", thinking: "hm", signature: "s" } },
		{ type: "tool_call", id: "toolu_01", name: "look", arguments: '{"at":1}' },
		{ type: "tool_call", id: "toolu_02", name: "look", arguments: '{"at":2}' },
	],
	google: [
		{ type: "reasoning", text: "hm" },
		{ type: "tool_call", id: "call_r1_0", name: "look", arguments: '{"at":1}', signature: "SIG" },
		{ type: "tool_call", id: "call_r1_1", name: "look", arguments: '{"at":2}' },
	],
	bedrock: [
		{ type: "reasoning", text: "hm" },
		{
			type: "provider",
			wire: "bedrock",
			block: { type: "bedrock.reasoning_content", text: "hm", signature: signThinking("hm") },
		},
		{ type: "tool_call", id: "tooluse_01", name: "look", arguments: '{"at":1}' },
		{ type: "tool_call", id: "tooluse_02", name: "look", arguments: '{"at":2}' },
	],
};

/** One call failed; the other saw an image. The outputs came in the other order. */
function loopOf(beginning: readonly AssistantPart[]): ModelCall {
	const [first = "", second = ""] = beginning.flatMap((part) => (part.type === "tool_call" ? [part.id] : []));
	const messages: Message[] = [
		{ role: "user", content: [{ type: "text", text: "go" }] },
		{ role: "assistant", content: [...beginning] },
		{
			role: "user",
			content: [
				{
					type: "tool_result",
					callId: second,
					content: [
						{ type: "text", text: "seen" },
						{ type: "image", url: PNG },
					],
				},
			],
		},
		{
			role: "user",
			content: [{ type: "tool_result", callId: first, content: [{ type: "text", text: "no" }], isError: true }],
		},
	];
	return plainCall({ messages, tools: [{ name: "look", parameters: { type: "object", properties: {} } }] });
}

const BEGAN = Object.keys(BEGINNINGS) as WireName[];

describe.each(BEGAN)("a tool loop that a model of %s began", (began) => {
	const call = loopOf(BEGINNINGS[began]);

	it("goes on in OpenAI's format with texts for results and images from the user", () => {
		const messages = render("openai", call, { returns_reasoning: false }).json["messages"] as Record<string, unknown>[];
		expect(messages).toMatchObject([
			{ role: "user" },
			{ role: "assistant", content: null, tool_calls: [{ type: "function" }, { type: "function" }] },
			{
				role: "tool",
				content: [
					{ type: "text", text: "The tool failed:" },
					{ type: "text", text: "no" },
				],
			},
			{ role: "tool", content: [{ type: "text", text: "seen" }, { type: "text" }] },
			{ role: "user", content: [{ type: "text" }, { type: "image_url", image_url: { url: PNG } }] },
		]);
		const { tool_calls } = messages[1] as { tool_calls: { id: string }[] };
		const ids = tool_calls.map(({ id }) => id);
		expect(messages.slice(2, 4).map(({ tool_call_id }) => tool_call_id)).toEqual(ids);
		for (const id of ids) expect(id).toMatch(/^[A-Za-z0-9_-]{1,40}$/);
		expect(JSON.stringify(messages)).not.toMatch(/thinking|SIG|hm/);
	});

	it("goes on with reasoning in every message since the first call where a provider wants it back", () => {
		const answered = (value: string): Message => ({ role: "assistant", content: [{ type: "text", text: value }] });
		const hidden = call.messages.map((message): Message => {
			if (message.role !== "assistant") return message;
			return { ...message, content: message.content.filter(({ type }) => type !== "reasoning") };
		});
		const reasoning = (messages: Message[], returns_reasoning: boolean) => {
			const { json } = render("openai", { ...call, messages }, { returns_reasoning });
			const sent = json["messages"] as { role: string; reasoning_content?: string }[];
			return sent.flatMap(({ role, reasoning_content }) => (role === "assistant" ? [reasoning_content] : []));
		};
		const conversation = [answered("before"), ...hidden, answered("after")];
		expect(reasoning(conversation, true)).toEqual([undefined, " ", " "]);
		expect(reasoning(conversation, false)).toEqual([undefined, undefined, undefined]);
		expect(reasoning(call.messages, true)).toEqual(["hm"]);
	});

	it("goes on in Anthropic's format with one user turn, and only its own thinking", () => {
		const messages = render("anthropic", call).json["messages"] as {
			role: string;
			content: Record<string, unknown>[];
		}[];
		expect(messages.map(({ role }) => role)).toEqual(["user", "assistant", "user"]);
		const thinking = began === "anthropic" ? ["thinking"] : [];
		expect(messages[1]?.content.map(({ type }) => type)).toEqual([...thinking, "tool_use", "tool_use"]);
		const ids = messages[1]?.content.flatMap(({ type, id }) => (type === "tool_use" ? [id] : []));
		expect(messages[2]?.content).toMatchObject([
			{ type: "tool_result", tool_use_id: ids?.[0], is_error: true, content: [{ text: "no" }] },
			{ type: "tool_result", tool_use_id: ids?.[1], content: [{ text: "seen" }, { type: "image" }] },
		]);
		for (const id of ids ?? []) expect(id).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
	});

	it("goes on in Bedrock's format with one user turn, and only its own reasoning", () => {
		const { json } = render("bedrock", call);
		const messages = json["messages"] as { role: string; content: Record<string, unknown>[] }[];
		expect(() => parseConverse(json)).not.toThrow();
		expect(messages.map(({ role }) => role)).toEqual(["user", "assistant", "user"]);
		const reasoning = { reasoningContent: { reasoningText: { text: "hm", signature: signThinking("hm") } } };
		const calls = [1, 2].map((at) => ({ toolUse: { name: "look", input: { at } } }));
		expect(messages[1]?.content).toMatchObject([...(began === "bedrock" ? [reasoning] : []), ...calls]);
		expect(messages[1]?.content).toHaveLength(began === "bedrock" ? 3 : 2);
		expect(messages[2]?.content).toMatchObject([
			{ toolResult: { status: "error", content: [{ text: "no" }] } },
			{
				toolResult: {
					content: [{ text: "seen" }, { image: { format: "png", source: { bytes: "AAAA" } } }],
				},
			},
		]);
		const ids = (at: number, kind: string) =>
			messages[at]?.content.flatMap((block) => Object(block[kind]).toolUseId ?? []);
		expect(ids(2, "toolResult")).toEqual(ids(1, "toolUse"));
		for (const id of ids(1, "toolUse") ?? []) expect(id).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
	});

	it("goes on in Google's format with a signature, its own or the sentinel", () => {
		const contents = render("google", call).json["contents"] as { role: string; parts: Record<string, unknown>[] }[];
		expect(contents).toMatchObject([
			{ role: "user" },
			{
				role: "model",
				parts: [
					{
						functionCall: { name: "look", args: { at: 1 } },
						thoughtSignature: began === "google" ? "SIG" : "skip_thought_signature_validator",
					},
					{ functionCall: { name: "look", args: { at: 2 } } },
				],
			},
			{
				role: "user",
				parts: [
					{ functionResponse: { name: "look", response: { error: "no" } } },
					{ functionResponse: { name: "look", response: { result: "seen" } } },
					{ inlineData: { mimeType: "image/png" } },
				],
			},
		]);
		expect(contents[1]?.parts[1]).not.toHaveProperty("thoughtSignature");
	});
});

describe.each(BEGAN)("an interrupted tool loop (%s)", (wire) => {
	const { messages, ...rest } = loopOf(BEGINNINGS[wire]);
	const asked: Message = { role: "user", content: [{ type: "text", text: "stop, what did you find?" }] };

	it("has an output for every call, the same on every turn", () => {
		const interrupted = [...messages.slice(0, 2), asked];
		const { body } = render(wire, { ...rest, messages: interrupted });
		expect(body.split("No output of this call was given.")).toHaveLength(3);
		const answer: Message = { role: "assistant", content: [{ type: "text", text: "nothing" }] };
		const later = render(wire, { ...rest, messages: [...interrupted, answer, asked] }).body;
		const common = body.slice(0, body.indexOf("what did you find?"));
		expect(later.startsWith(common)).toBe(true);
	});

	it("tells an output without its call as the user's text", () => {
		const { body } = render(wire, { ...rest, messages: [asked, ...messages.slice(3)] });
		expect(body).toContain("Error of tool call");
		expect(body).not.toMatch(/tool_result|toolResult|functionResponse|"tool_call_id"/);
	});
});

describe.runIf(hasRecordings())("a tool loop that a recorded answer began", () => {
	const recorded = recordingsEnding(".json").flatMap((path) => {
		const { name, wire } = wireOfRecording(path);
		const { content = [] } = wire.parseAnswer(JSON.parse(recordedText(path))) ?? {};
		return content.some(({ type }) => type === "tool_call") ? [[path, name, content] as const] : [];
	});

	it.each(recorded)("goes on with the other providers: %s", (_, began, content) => {
		const call = loopOf(content);
		const anthropic = render("anthropic", call);
		const google = render("google", call);
		const bedrock = render("bedrock", call);
		const openai = render("openai", call, { returns_reasoning: true });
		// Nobody but a provider itself knows its signatures and its own blocks.
		if (began !== "anthropic")
			expect(() => parseAnthropic(new Headers(anthropic.headers), anthropic.json)).not.toThrow();
		if (began !== "google")
			expect(() => parseGoogle("gemini-3-pro", new Headers(google.headers), google.json)).not.toThrow();
		expect(() => parseConverse(bedrock.json)).not.toThrow();
		for (const { body } of began === "anthropic" ? [google, openai, bedrock] : [])
			expect(body).not.toMatch(/"signature"|server_tool_use|redacted_thinking/);
		for (const { body } of began === "google" ? [anthropic, openai, bedrock] : [])
			expect(body).not.toMatch(/thoughtSignature/i);
	});
});

describe("any conversation with tools", () => {
	const word = fc.constantFrom("a", "b", "c");
	const words = fc.uniqueArray(word, { minLength: 1, maxLength: 3 });
	const made = (id: string): AssistantPart => ({ type: "tool_call", id, name: "look", arguments: '{"at":1}' });
	const message = fc.oneof(
		words.map((ids): Message => ({ role: "assistant", content: ids.map(made) })),
		fc.tuple(fc.array(word, { minLength: 1, maxLength: 3 }), fc.boolean()).map(
			([ids, isError]): Message => ({
				role: "user",
				content: ids.map((callId) => ({
					type: "tool_result",
					callId,
					content: [{ type: "text", text: "out" }, ...(isError ? [] : [{ type: "image" as const, url: PNG }])],
					...(isError ? { isError: true as const } : {}),
				})),
			}),
		),
		word.map((value): Message => ({ role: "user", content: [{ type: "text", text: value }] })),
		word.map((value): Message => ({ role: "assistant", content: [{ type: "text", text: value }] })),
		word.map((value): Message => ({ role: "system", content: [{ type: "text", text: value }] })),
	);
	const conversation = fc.array(message, { maxLength: 8 }).map((messages) =>
		plainCall({
			messages: [...messages, { role: "user", content: [{ type: "text", text: "and?" }] }],
			tools: [{ name: "look", parameters: { type: "object", properties: { at: { type: "number" } } } }],
		}),
	);
	const holds = (check: (call: ModelCall) => void) => fc.assert(fc.property(conversation, check), { numRuns: 300 });

	it("is one that Anthropic takes", () => {
		holds((call) => {
			const { headers, json } = render("anthropic", call);
			expect(() => parseAnthropic(new Headers(headers), json)).not.toThrow();
		});
	});

	it("is one that Bedrock takes, also where the request defines no tool", () => {
		holds((call) => {
			for (const tools of [call.tools, []])
				expect(() => parseConverse(render("bedrock", { ...call, tools }).json)).not.toThrow();
		});
	});

	it("is one that Gemini takes", () => {
		holds((call) => {
			const { headers, json } = render("google", call);
			expect(() => parseGoogle("gemini-3-pro", new Headers(headers), json)).not.toThrow();
		});
	});

	it("has OpenAI's tool messages right after their calls, and images from the user alone", () => {
		holds((call) => {
			const messages = render("openai", call).json["messages"] as {
				role: string;
				tool_call_id?: string;
				tool_calls?: { id: string }[];
			}[];
			let open: (string | undefined)[] = [];
			for (const { role, tool_call_id, tool_calls, ...rest } of messages) {
				if (role === "tool") expect(tool_call_id).toBe(open.shift());
				else {
					expect(open).toEqual([]);
					open = (tool_calls ?? []).map(({ id }) => id);
				}
				if (role !== "user") expect(JSON.stringify(rest)).not.toContain("image_url");
			}
			expect(open).toEqual([]);
		});
	});
});
