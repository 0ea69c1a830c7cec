// What Langfuse and Phoenix make of our spans, by what they document:
// - Langfuse: https://langfuse.com/integrations/native/opentelemetry, "Attribute Mapping" (langfuse/langfuse-docs at 011ec694), and the
//   types of observations by `gen_ai.operation.name` in its source (langfuse/langfuse at 005da4e5, ObservationTypeMapper.ts).
// - Phoenix: https://arize.com/docs/phoenix/release-notes/05-2026/05-15-2026-otel-semconv-conversion. Its conversion is also a package
//   of its makers, @arizeai/openinference-genai, which is run here.
import { convertGenAISpanAttributesToOpenInferenceSpanAttributes } from "@arizeai/openinference-genai";
import { describe, expect, it } from "vitest";
import { toRequestSpans } from "../../../src/telemetry/request-spans.ts";
import type { RequestTelemetry } from "../../../src/telemetry/request-telemetry.ts";
import type { Span } from "../../../src/telemetry/span.ts";
import { attemptTelemetry, refusedTelemetry, requestTelemetry } from "../../support/telemetry.ts";

const CHAT = requestTelemetry({
	asked: {
		model: "gpt-5.4",
		maxTokens: 500,
		temperature: 0.2,
		topP: 0.9,
		effort: null,
		previousResponseId: null,
	},
	sessionId: "session-1",
	endUser: "customer-7",
	tools: [
		{
			name: "search",
			callId: "call_1",
			type: "extension",
			startedMs: 300,
			ms: 20,
			error: null,
			arguments: '{"q":"x"}',
			result: '{"hits":1}',
		},
	],
	content: {
		system: [{ type: "text", content: "Be brief." }],
		input: [
			{ role: "user", parts: [{ type: "text", content: "Weather in Paris?" }] },
			{ role: "assistant", parts: [{ type: "tool_call", id: "call_1", name: "search", arguments: { q: "x" } }] },
			{ role: "tool", parts: [{ type: "tool_call_response", id: "call_1", response: "rainy" }] },
		],
		output: [{ role: "assistant", parts: [{ type: "text", content: "Rainy." }], finish_reason: "stop" }],
	},
});

function spansOf(members: Partial<RequestTelemetry> = {}): readonly Span[] {
	return toRequestSpans({ ...CHAT, ...members });
}

/** Langfuse's fields of an observation, and the attributes that it reads for each, the first that is there. `*` is a prefix. */
const LANGFUSE_FIELDS = {
	userId: ["langfuse.user.id", "user.id"],
	sessionId: ["langfuse.session.id", "session.id"],
	model: ["langfuse.observation.model.name", "gen_ai.request.model", "gen_ai.response.model", "llm.model_name"],
	modelParameters: ["gen_ai.request.*"],
	usage: ["gen_ai.usage.*"],
} as const;

const LANGFUSE_TYPES: Readonly<Record<string, string>> = {
	chat: "GENERATION",
	embeddings: "EMBEDDING",
	invoke_agent: "AGENT",
	execute_tool: "TOOL",
};

function readLangfuse({ attributes, error }: Span) {
	const read = (sources: readonly string[]) => {
		for (const source of sources) {
			if (!source.endsWith("*")) {
				if (attributes[source] !== undefined) return attributes[source];
				continue;
			}
			const prefix = source.slice(0, -1);
			const found = Object.entries(attributes).filter(([name]) => name.startsWith(prefix));
			return Object.fromEntries(found.map(([name, value]) => [name.slice(prefix.length), value]));
		}
		return undefined;
	};
	const fields = Object.entries(LANGFUSE_FIELDS).map(([field, sources]) => [field, read(sources)] as const);
	return {
		...Object.fromEntries(fields),
		type: LANGFUSE_TYPES[String(attributes["gen_ai.operation.name"])],
		level: error ? "ERROR" : "DEFAULT",
		statusMessage: error?.message,
	};
}

describe("Langfuse", () => {
	it("sees a generation with its model, parameters, usage, session and user", () => {
		const [root, attempt] = spansOf();
		expect.assert(root && attempt);
		expect(readLangfuse(root)).toEqual({
			type: "GENERATION",
			level: "DEFAULT",
			statusMessage: undefined,
			userId: "customer-7",
			sessionId: "session-1",
			model: "gpt-5.4",
			modelParameters: { model: "gpt-5.4", stream: true, max_tokens: 500, temperature: 0.2, top_p: 0.9 },
			usage: {
				input_tokens: 1_200,
				output_tokens: 300,
				"cache_read.input_tokens": 1_000,
				"reasoning.output_tokens": 120,
			},
		});
		// Otherwise it would add up the same tokens twice.
		expect(readLangfuse(attempt)).toMatchObject({ usage: {} });
		expect(Object.keys(attempt.attributes).filter((name) => name.startsWith("gen_ai.usage."))).toEqual([]);
	});

	it("finds session and user on every span, by which it filters", () => {
		for (const span of spansOf())
			expect(readLangfuse(span)).toMatchObject({ sessionId: "session-1", userId: "customer-7" });
	});

	it.each([
		["AGENT", { kind: "agent" }],
		["EMBEDDING", { kind: "embedding" }],
	] as const)("sees an observation of type %s", (type, members) => {
		const [root] = spansOf(members);
		expect.assert(root);
		expect(readLangfuse(root).type).toBe(type);
	});

	it("sees tools, failed attempts and refusals as what they are", () => {
		const spans = spansOf({
			attempts: [attemptTelemetry({ status: 503, error: "status" }), attemptTelemetry({ startedMs: 50 })],
		});
		expect(spans.map(readLangfuse).map(({ type, level }) => [type, level])).toEqual([
			["GENERATION", "DEFAULT"],
			["GENERATION", "ERROR"],
			["GENERATION", "DEFAULT"],
			["TOOL", "DEFAULT"],
		]);
		const [refused] = toRequestSpans(refusedTelemetry());
		expect.assert(refused);
		expect(readLangfuse(refused)).toMatchObject({ level: "ERROR", statusMessage: "too many requests in a minute" });
	});
});

function readPhoenix({ attributes }: Span) {
	return convertGenAISpanAttributesToOpenInferenceSpanAttributes(structuredClone(attributes) as never) ?? {};
}

describe("Phoenix", () => {
	it("converts a chat to OpenInference with its model, messages, tools and tokens", () => {
		const [root] = spansOf();
		expect.assert(root);
		expect(readPhoenix(root)).toMatchObject({
			"openinference.span.kind": "LLM",
			"llm.provider": "openai",
			"llm.model_name": "gpt-5.4",
			"llm.finish_reason": "stop",
			"llm.invocation_parameters": JSON.stringify({
				model: "gpt-5.4",
				temperature: 0.2,
				top_p: 0.9,
				max_completion_tokens: 500,
			}),
			"llm.token_count.prompt": 1_200,
			"llm.token_count.completion": 300,
			"llm.token_count.total": 1_500,
			"llm.token_count.prompt_details.cache_read": 1_000,
			"llm.input_messages.0.message.role": "system",
			"llm.input_messages.0.message.contents.0.message_content.text": "Be brief.",
			"llm.input_messages.1.message.role": "user",
			"llm.input_messages.1.message.contents.0.message_content.text": "Weather in Paris?",
			"llm.input_messages.2.message.tool_calls.0.tool_call.function.name": "search",
			"llm.input_messages.2.message.tool_calls.0.tool_call.function.arguments": '{"q":"x"}',
			"llm.input_messages.3.message.role": "tool",
			"llm.input_messages.3.message.content": "rainy",
			"llm.output_messages.0.message.role": "assistant",
			"llm.output_messages.0.message.contents.0.message_content.text": "Rainy.",
		});
	});

	it("gives each kind of span its own", () => {
		const kindOf = (span: Span | undefined) => {
			expect.assert(span);
			return readPhoenix(span)["openinference.span.kind"];
		};
		expect(kindOf(spansOf({ kind: "agent" })[0])).toBe("AGENT");
		expect(kindOf(spansOf({ kind: "orchestration", workflow: "panel" })[0])).toBe("CHAIN");
		expect(kindOf(spansOf({ kind: "embedding" })[0])).toBe("EMBEDDING");
		expect(kindOf(spansOf().find(({ kind }) => kind === "client"))).toBe("LLM");
		const tool = spansOf().find(({ name }) => name === "execute_tool search");
		expect(kindOf(tool)).toBe("TOOL");
		expect.assert(tool);
		expect(readPhoenix(tool)).toMatchObject({ "tool.name": "search", "tool_call.id": "call_1" });
	});

	it("counts no token twice", () => {
		const counts = spansOf().map((span) => readPhoenix(span)["llm.token_count.total"]);
		expect(counts).toEqual([1_500, undefined, undefined]);
	});
});
