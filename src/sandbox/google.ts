// The sandbox in Gemini's generateContent format: request to prompt, answer to body and chunks, error body.
import { countTokens, type SandboxAnswer, toPieces } from "./answer.ts";
import {
	type AcceptedRequest,
	DISLIKED,
	isFramed,
	type JsonFields,
	OVERFLOW,
	Refusal,
	type SandboxFormat,
	type WireRequest,
} from "./format.ts";
import { type GoogleRequest, parseGoogle, signsCalls, signThought } from "./google-request.ts";
import { googleError } from "./google-schema.ts";
import { readSandboxAudio, readSandboxPdf, sumMediaTokens } from "./media.ts";
import type { SandboxMedia, SandboxPrompt } from "./reply.ts";

/** The text of the last user turn that has one, and the function responses after it. */
function lastGoogleTurn(contents: GoogleRequest["contents"]): Pick<SandboxPrompt, "userText" | "toolResults"> {
	const hasText = contents.findLastIndex(({ role, parts }) => {
		const hasResponses = parts.some(({ functionResponse }) => functionResponse);
		return role === "user" && parts.some(({ text }) => text !== undefined && !(hasResponses && isFramed(text)));
	});
	const responses = contents.slice(hasText + 1).flatMap(({ parts }) => parts.map((part) => part.functionResponse));
	return {
		userText: (contents[hasText]?.parts ?? []).flatMap(({ text }) => text ?? []).join("\n"),
		toolResults: responses
			.filter((response) => response !== undefined)
			.map(({ response }) => {
				const only = Object.values(response);
				return only.length === 1 && typeof only[0] === "string" ? only[0] : JSON.stringify(response);
			}),
	};
}

function thinks({ generationConfig }: GoogleRequest): boolean {
	const { thinkingLevel, thinkingBudget = 0 } = generationConfig?.thinkingConfig ?? {};
	return thinkingLevel !== undefined || thinkingBudget !== 0;
}

/** Gemini 3 counts a page by its image alone, earlier ones by image and text. */
function readGoogleMedia(model: string, { contents }: GoogleRequest): SandboxMedia[] {
	const tokensPerPage = signsCalls(model) ? 560 : 758;
	return contents
		.flatMap(({ parts }) => parts)
		.flatMap(({ inlineData }) => {
			if (!inlineData || inlineData.mimeType.startsWith("image/")) return [];
			const { mimeType, data } = inlineData;
			if (mimeType === "application/pdf") return [readSandboxPdf(data, { tokensPerPage, maxPages: 1_000 })];
			return [readSandboxAudio(data, mimeType.replace(/^audio\//, ""))];
		});
}

/** Media count by what they show: their bytes stay out of the count of texts. */
function withoutData(contents: GoogleRequest["contents"]): unknown {
	return contents.map(({ parts }) => parts.map(({ inlineData: _, ...rest }) => rest));
}

function toGooglePrompt(model: string, request: GoogleRequest): SandboxPrompt {
	const { mode = "AUTO", allowedFunctionNames: allowed = [] } = request.toolConfig?.functionCallingConfig ?? {};
	const config = request.generationConfig;
	const declared = (request.tools ?? []).flatMap(({ functionDeclarations }) => functionDeclarations ?? []);
	return {
		model,
		systemText: (request.systemInstruction?.parts ?? []).flatMap(({ text }) => text ?? []).join("\n"),
		...lastGoogleTurn(request.contents),
		tools: declared
			.filter(({ name }) => allowed.length === 0 || allowed.includes(name))
			.map(({ name, description, parameters, parametersJsonSchema }) => ({
				name,
				description: description ?? "",
				parameters: parameters ?? parametersJsonSchema ?? {},
			})),
		toolChoice: mode === "NONE" ? "none" : mode === "ANY" ? "required" : "auto",
		parallelToolCalls: true,
		json:
			config?.responseMimeType === "application/json"
				? (config.responseSchema ?? config.responseJsonSchema ?? true)
				: null,
		reasoning: thinks(request),
		media: readGoogleMedia(model, request),
	};
}

/** Gemini counts cached input inside the prompt, and thoughts beside the candidates. */
function renderGoogleUsage({ usage }: SandboxAnswer, outputSoFar?: number): JsonFields | null {
	if (!usage) return null;
	const prompt = usage.uncachedInput + usage.cacheRead;
	const candidates = Math.min(outputSoFar ?? usage.outputText, usage.outputText);
	return {
		promptTokenCount: prompt,
		...(usage.cacheRead > 0 ? { cachedContentTokenCount: usage.cacheRead } : {}),
		...(candidates > 0 ? { candidatesTokenCount: candidates } : {}),
		...(usage.reasoning > 0 ? { thoughtsTokenCount: usage.reasoning } : {}),
		totalTokenCount: prompt + candidates + usage.reasoning,
		promptTokensDetails: [{ modality: "TEXT", tokenCount: prompt }],
	};
}

function callParts({ toolCalls, model, reasoning }: SandboxAnswer): JsonFields[] {
	const signed = signsCalls(model) || reasoning !== null;
	return toolCalls.map(({ name, arguments: args }, index) => ({
		functionCall: { name, args },
		// Only the first of parallel calls is signed.
		...(signed && index === 0 ? { thoughtSignature: signThought(name, args) } : {}),
	}));
}

function finishReason({ finish }: SandboxAnswer): string {
	if (finish === "refusal") return "SAFETY";
	return finish === "length" ? "MAX_TOKENS" : "STOP";
}

function renderGoogleChunk(
	answer: SandboxAnswer,
	parts: JsonFields[],
	finish: string | null,
	usage: JsonFields | null,
): JsonFields {
	return {
		candidates: [
			{
				content: { ...(parts.length > 0 ? { parts } : {}), role: "model" },
				...(finish ? { finishReason: finish } : {}),
				index: 0,
			},
		],
		...(usage ? { usageMetadata: usage } : {}),
		modelVersion: answer.model,
		responseId: answer.id,
	};
}

function responseBody(answer: SandboxAnswer, showThoughts: boolean): JsonFields {
	const parts = [
		...(answer.reasoning !== null && showThoughts ? [{ text: answer.reasoning, thought: true }] : []),
		...(answer.text ? [{ text: answer.text }] : []),
		...callParts(answer),
	];
	return renderGoogleChunk(answer, parts, finishReason(answer), renderGoogleUsage(answer));
}

/** Chunks with the usage so far; the last one has the finish reason. */
function* chunks(answer: SandboxAnswer, showThoughts: boolean): Generator<JsonFields> {
	const thoughts = showThoughts ? (answer.reasoning ?? "") : "";
	for (const text of toPieces(thoughts))
		yield renderGoogleChunk(answer, [{ text, thought: true }], null, renderGoogleUsage(answer, 0));
	let length = 0;
	for (const text of toPieces(answer.text ?? "")) {
		length += text.length;
		yield renderGoogleChunk(answer, [{ text }], null, renderGoogleUsage(answer, Math.ceil(length / 4)));
	}
	for (const part of callParts(answer)) yield renderGoogleChunk(answer, [part], null, renderGoogleUsage(answer));
	yield renderGoogleChunk(answer, [{ text: "" }], finishReason(answer), renderGoogleUsage(answer));
}

/** Google ends its lines with CR LF. */
function* sseFrames(all: Iterable<JsonFields>): Generator<string> {
	for (const each of all) yield `data: ${JSON.stringify(each)}\r\n\r\n`;
}

/** Without `alt=sse` the stream is one JSON array. */
function* arrayFrames(all: Iterable<JsonFields>): Generator<string> {
	let before = "[";
	for (const each of all) {
		yield `${before}${JSON.stringify(each)}`;
		before = ",\r\n";
	}
	yield "]";
}

function readGoogle({ modelAndVerb, query, headers, body }: WireRequest): AcceptedRequest {
	const [, model, verb] = /^(.+):(generateContent|streamGenerateContent)$/.exec(modelAndVerb) ?? [];
	if (model === undefined) throw new Refusal(404, `models/${modelAndVerb} is not found for API version v1beta.`);
	const request = parseGoogle(model, headers, body);
	const showThoughts = request.generationConfig?.thinkingConfig?.includeThoughts === true;
	const prompt = toGooglePrompt(model, request);
	const texts = [request.systemInstruction ?? "", request.tools ?? "", withoutData(request.contents)];
	const promptTokens = countTokens(JSON.stringify(texts)) + sumMediaTokens(prompt.media);
	const inArray = query.get("alt") !== "sse";
	const failure = JSON.stringify(googleError(503, "The model is overloaded. Please try again later."));
	const broken = `{"candidates":[{"content":{"parts":[{"te`;
	return {
		request: {
			request,
			prompt,
			maxTokens: request.generationConfig?.maxOutputTokens,
			promptTokens,
		},
		body: (answer) => responseBody(answer, showThoughts),
		stream:
			verb === "generateContent"
				? null
				: {
						contentType: inArray ? "application/json; charset=UTF-8" : "text/event-stream",
						frames: (answer) => (inArray ? arrayFrames : sseFrames)(chunks(answer, showThoughts)),
						garbage: inArray ? `,\r\n${broken}` : `data: ${broken}\r\n\r\n`,
						error: inArray ? `,\r\n${failure}]` : `data: ${failure}\r\n\r\n`,
						ping: inArray ? "\r\n" : ": keep-alive\r\n\r\n",
					},
	};
}

/** Google states the wait in the body, not in a header. */
function details(status: number, retryAfterSeconds: number | null): JsonFields[] {
	const google = "type.googleapis.com/google.rpc";
	const quotaId = "GenerateRequestsPerMinutePerProjectPerModel-FreeTier";
	return [
		...(status === 429 ? [{ "@type": `${google}.QuotaFailure`, violations: [{ quotaId }] }] : []),
		...(retryAfterSeconds === null ? [] : [{ "@type": `${google}.RetryInfo`, retryDelay: `${retryAfterSeconds}s` }]),
	];
}

export const googleFormat: SandboxFormat = {
	read: readGoogle,
	failure: (status, message, retryAfterSeconds) => ({
		body: googleError(status, message, details(status, retryAfterSeconds)),
		headers: {},
	}),
	overflow: () => {
		const { promptTokens, windowTokens } = OVERFLOW;
		return new Refusal(
			400,
			`The input token count (${promptTokens}) exceeds the maximum number of tokens allowed (${windowTokens}).`,
		);
	},
	refusals: {
		unserved: (model) =>
			new Refusal(
				404,
				`models/${model} is not found for API version v1beta, or is not supported for generateContent. Call ListModels to see the list of available models and their supported methods.`,
			),
		forbidden: () => new Refusal(403, "The caller does not have permission"),
		disliked: () => new Refusal(403, DISLIKED),
	},
	overloaded: 503,
};
