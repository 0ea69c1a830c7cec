// The sandbox in the format of Bedrock's Converse and ConverseStream: request to prompt, answer to body and binary events, errors.
import { countTokens, type SandboxAnswer, shortHash, toPieces } from "./answer.ts";
import { signThinking } from "./anthropic-request.ts";
import { streamEvent, streamException } from "./aws-event-stream.ts";
import { checkAwsSignature, SANDBOX_AWS } from "./aws-signature.ts";
import {
	type ConverseBlock,
	type ConverseRequest,
	documentBlock,
	findOutputSchema,
	parseConverse,
} from "./bedrock-request.ts";
import {
	type AcceptedRequest,
	DISLIKED,
	isFramed,
	type JsonFields,
	Refusal,
	type SandboxFormat,
	type WireRequest,
} from "./format.ts";
import { readSandboxPdf, sumMediaTokens } from "./media.ts";
import type { SandboxMedia, SandboxPrompt } from "./reply.ts";

/** The service of Bedrock's signatures, whatever the host is called. */
const SERVICE = "bedrock";

/** The request is signed, or has an API key of Bedrock's. */
function checkAccess({ headers, url, text }: WireRequest): void {
	const authorization = headers.get("authorization") ?? "";
	if (/^Bearer \S/.test(authorization)) return;
	if (authorization === "")
		throw new Refusal(403, "Missing Authentication Token", null, "MissingAuthenticationTokenException");
	const { host, pathname: path, search } = new URL(url);
	const request = { method: "POST", path, query: search.slice(1), host, headers, body: text };
	checkAwsSignature(request, SERVICE, SANDBOX_AWS, Date.now());
}

function toolResultText(block: Extract<ConverseBlock, { toolResult: unknown }>): string {
	return block.toolResult.content.map((part) => ("text" in part ? part.text : "")).join("\n");
}

/** The text of the last user message that has one, and the tool results after it. */
function lastTurn(messages: ConverseRequest["messages"]): Pick<SandboxPrompt, "userText" | "toolResults"> {
	let userText = "";
	let toolResults: string[] = [];
	for (const { role, content } of messages) {
		if (role !== "user") continue;
		const results = content.flatMap((block) => ("toolResult" in block ? [toolResultText(block)] : []));
		const texts = content.flatMap((block) => ("text" in block ? [block.text] : []));
		const said = texts.filter((text) => !(results.length > 0 && isFramed(text)));
		toolResults.push(...results);
		if (said.length === 0) continue;
		userText = said.join("\n");
		toolResults = [];
	}
	return { userText, toolResults };
}

/** Claude's, as Anthropic's own API counts and bounds them. */
const CLAUDE_PDF = { tokensPerPage: 2_347, maxPages: 600 };

function readConverseMedia(messages: ConverseRequest["messages"]): SandboxMedia[] {
	const blocks = messages.flatMap(({ content }) => content as readonly ConverseBlock[]);
	const shown = blocks.flatMap((block): readonly object[] =>
		"toolResult" in block ? block.toolResult.content : [block],
	);
	return shown.flatMap((block) => {
		const { data: sent } = documentBlock.safeParse(block);
		if (!sent) return [];
		const { name, source } = sent.document;
		return [readSandboxPdf(source.bytes, { name, ...CLAUDE_PDF })];
	});
}

/** Media count by what they show: their bytes stay out of the count of texts. */
function withoutBytes(name: string, value: unknown): unknown {
	return name === "bytes" ? undefined : value;
}

function toChoice({ toolConfig, additionalModelRequestFields }: ConverseRequest): SandboxPrompt["toolChoice"] {
	const choice = toolConfig?.toolChoice;
	const own = additionalModelRequestFields?.tool_choice;
	if (choice && "tool" in choice) return choice.tool;
	if (own?.type === "tool") return { name: own.name ?? "" };
	if (own?.type === "none") return "none";
	return (choice && "any" in choice) || own?.type === "any" ? "required" : "auto";
}

function toConversePrompt(model: string, request: ConverseRequest): SandboxPrompt {
	const { system = [], messages, toolConfig, additionalModelRequestFields: fields } = request;
	return {
		model,
		systemText: system.map((block) => ("text" in block ? block.text : "")).join("\n"),
		...lastTurn(messages),
		tools: (toolConfig?.tools ?? []).flatMap((tool) => {
			if (!("toolSpec" in tool)) return [];
			const { name, description = "", inputSchema } = tool.toolSpec;
			return [{ name, description, parameters: inputSchema.json }];
		}),
		toolChoice: toChoice(request),
		parallelToolCalls: fields?.tool_choice?.disable_parallel_tool_use !== true,
		json: findOutputSchema(request),
		reasoning: fields?.thinking
			? fields.thinking.type !== "disabled"
			: Boolean(fields?.output_config ?? fields?.reasoning_effort),
		media: readConverseMedia(messages),
	};
}

const CONVERSE_STOPS = {
	stop: "end_turn",
	length: "max_tokens",
	tool_calls: "tool_use",
	refusal: "content_filtered",
};

/** Bedrock counts cached input beside `inputTokens`, and reasoning inside `outputTokens`. */
function renderUsage({ usage }: SandboxAnswer): JsonFields {
	if (!usage) return {};
	const { uncachedInput, cacheRead, outputText, reasoning } = usage;
	return {
		usage: {
			inputTokens: uncachedInput,
			outputTokens: outputText + reasoning,
			totalTokens: uncachedInput + cacheRead + outputText + reasoning,
			cacheReadInputTokens: cacheRead,
			cacheWriteInputTokens: 0,
			serverToolUsage: {},
		},
	};
}

type AnswerBlock =
	| { reasoningContent: { reasoningText: { text: string; signature?: string } } }
	| { text: string }
	| { toolUse: { toolUseId: string; name: string; input: JsonFields } };

/** @param isSigned the model signs its reasoning, as Claude does. */
function answerBlocks({ id, text, reasoning, refusal, toolCalls }: SandboxAnswer, isSigned: boolean): AnswerBlock[] {
	const said = [text, refusal].filter(Boolean).join("");
	const signature = (thought: string) => (isSigned ? { signature: signThinking(thought) } : {});
	return [
		...(reasoning === null
			? []
			: [{ reasoningContent: { reasoningText: { text: reasoning, ...signature(reasoning) } } }]),
		...(said === "" ? [] : [{ text: said }]),
		...toolCalls.map(({ name, arguments: input }, index) => ({
			toolUse: { toolUseId: `tooluse_${id}_${index}`, name, input },
		})),
	];
}

const METRICS = { metrics: { latencyMs: 1 } };

function converseBody(answer: SandboxAnswer, isSigned: boolean): JsonFields {
	return {
		output: { message: { role: "assistant", content: answerBlocks(answer, isSigned) } },
		stopReason: CONVERSE_STOPS[answer.finish],
		...renderUsage(answer),
		...METRICS,
	};
}

/** The deltas that make a block. */
function* answerDeltas(block: AnswerBlock): Generator<JsonFields> {
	if ("text" in block) for (const text of toPieces(block.text)) yield { text };
	else if ("toolUse" in block)
		for (const input of toPieces(JSON.stringify(block.toolUse.input))) yield { toolUse: { input } };
	else {
		const { text, signature } = block.reasoningContent.reasoningText;
		for (const piece of toPieces(text)) yield { reasoningContent: { text: piece } };
		if (signature !== undefined) yield { reasoningContent: { signature } };
	}
}

function* messageFrames(answer: SandboxAnswer, isSigned: boolean): Generator<Uint8Array> {
	yield streamEvent("messageStart", { role: "assistant" });
	for (const [contentBlockIndex, block] of answerBlocks(answer, isSigned).entries()) {
		if ("toolUse" in block) {
			const { input: _, ...toolUse } = block.toolUse;
			yield streamEvent("contentBlockStart", { contentBlockIndex, start: { toolUse } });
		}
		for (const delta of answerDeltas(block)) yield streamEvent("contentBlockDelta", { contentBlockIndex, delta });
		yield streamEvent("contentBlockStop", { contentBlockIndex });
	}
	yield streamEvent("messageStop", { stopReason: CONVERSE_STOPS[answer.finish] });
	yield streamEvent("metadata", { ...renderUsage(answer), ...METRICS });
}

/** A message whose last byte is not the one that was sent. */
function garbledEvent(): Uint8Array {
	const message = streamEvent("contentBlockDelta", { contentBlockIndex: 0, delta: { text: "?" } });
	return message.with(-1, (message.at(-1) ?? 0) ^ 1);
}

function readConverse(sent: WireRequest): AcceptedRequest {
	checkAccess(sent);
	const request = parseConverse(sent.body);
	const isSigned = !request.additionalModelRequestFields?.reasoning_effort;
	const { additionalModelResponseFieldPaths: _, ...rest } = request;
	const prompt = toConversePrompt(sent.modelId, request);
	const texts = JSON.stringify([request.system ?? "", request.toolConfig ?? "", request.messages], withoutBytes);
	const promptTokens = countTokens(texts) + sumMediaTokens(prompt.media);
	return {
		request: {
			request: rest,
			prompt,
			maxTokens: request.inferenceConfig?.maxTokens,
			promptTokens,
		},
		body: (answer) => converseBody(answer, isSigned),
		stream:
			sent.verb === "converse-stream"
				? {
						contentType: "application/vnd.amazon.eventstream",
						frames: (answer) => messageFrames(answer, isSigned),
						garbage: garbledEvent(),
						error: streamException("modelStreamErrorException", "The model stream failed."),
						ping: streamEvent("ping", {}),
					}
				: null,
	};
}

const AWS_ERRORS: Readonly<Record<number, string>> = {
	400: "ValidationException",
	403: "AccessDeniedException",
	404: "ResourceNotFoundException",
	408: "ModelTimeoutException",
	424: "ModelErrorException",
	429: "ThrottlingException",
	503: "ServiceUnavailableException",
};

export const bedrockFormat: SandboxFormat = {
	read: readConverse,
	failure: (status, message, retryAfterSeconds, _provider, code) => ({
		body: { message },
		headers: {
			"x-amzn-errortype": `${code ?? AWS_ERRORS[status] ?? "InternalServerException"}:http://internal.amazon.com/coral/com.amazon.bedrock/`,
			"x-amzn-requestid": shortHash([status, message]),
			...(retryAfterSeconds === null ? {} : { "retry-after": String(retryAfterSeconds) }),
		},
	}),
	overflow: () => new Refusal(400, "Input is too long for requested model."),
	refusals: {
		unserved: () => new Refusal(400, "The provided model identifier is invalid."),
		forbidden: () =>
			new Refusal(403, "The security token included in the request is invalid.", null, "UnrecognizedClientException"),
		disliked: () => new Refusal(403, DISLIKED),
	},
	overloaded: 503,
};
