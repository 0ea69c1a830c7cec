// Checks a Gemini generateContent request: its shape, and the rules between turns.
import * as z from "zod";
import { shortHash } from "./answer.ts";
import { type JsonFields, jsonFields, Refusal } from "./format.ts";
import { refuseFor, refuseGoogle, schemaViolations, toFieldPath, unknownName } from "./google-schema.ts";

const inlineData = z.strictObject({ mimeType: z.string().min(1), data: z.base64().min(1) });
const fileData = z.strictObject({ mimeType: z.string().optional(), fileUri: z.string().min(1) });
const partSchema = z
	.strictObject({
		text: z.string().optional(),
		inlineData: inlineData.optional(),
		fileData: fileData.optional(),
		functionCall: z
			.strictObject({ id: z.string().optional(), name: z.string(), args: jsonFields.optional() })
			.optional(),
		functionResponse: z
			.strictObject({ id: z.string().optional(), name: z.string().default(""), response: jsonFields })
			.optional(),
		thought: z.boolean().optional(),
		thoughtSignature: z.string().optional(),
		mediaResolution: z.unknown().optional(),
	})
	.readonly();
type SandboxGooglePart = z.infer<typeof partSchema>;
const geminiTurnSchema = z.strictObject({ role: z.enum(["user", "model"]), parts: z.array(partSchema) });
const instruction = z.strictObject({ role: z.string().optional(), parts: z.array(partSchema).min(1) });

const thinkingConfig = z.strictObject({
	includeThoughts: z.boolean().optional(),
	thinkingBudget: z.int().min(-1).optional(),
	thinkingLevel: z
		.string()
		.regex(/^(?:minimal|low|medium|high)$/i)
		.optional(),
});
const generationConfig = z.strictObject({
	maxOutputTokens: z.int().positive().optional(),
	temperature: z.number().min(0).max(2).optional(),
	topP: z.number().min(0).max(1).optional(),
	topK: z.number().optional(),
	stopSequences: z.array(z.string()).max(5).optional(),
	seed: z.int().optional(),
	candidateCount: z.literal(1).optional(),
	presencePenalty: z.number().optional(),
	frequencyPenalty: z.number().optional(),
	responseMimeType: z.enum(["text/plain", "application/json"]).optional(),
	responseSchema: jsonFields.optional(),
	responseJsonSchema: jsonFields.optional(),
	responseLogprobs: z.boolean().optional(),
	logprobs: z.int().optional(),
	responseModalities: z.array(z.string()).optional(),
	mediaResolution: z.string().optional(),
	thinkingConfig: thinkingConfig.optional(),
});
const declarationSchema = z.strictObject({
	name: z.string().regex(/^[a-zA-Z_][a-zA-Z0-9_.:-]{0,127}$/),
	description: z.string().optional(),
	parameters: jsonFields.optional(),
	parametersJsonSchema: jsonFields.optional(),
});
const googleRequest = z.strictObject({
	contents: z.array(geminiTurnSchema).min(1),
	systemInstruction: instruction.optional(),
	tools: z.array(z.strictObject({ functionDeclarations: z.array(declarationSchema).optional() })).optional(),
	toolConfig: z
		.strictObject({
			functionCallingConfig: z
				.strictObject({
					mode: z.enum(["AUTO", "ANY", "NONE", "VALIDATED"]).optional(),
					allowedFunctionNames: z.array(z.string()).optional(),
				})
				.optional(),
		})
		.optional(),
	generationConfig: generationConfig.optional(),
	safetySettings: z.array(z.strictObject({ category: z.string(), threshold: z.string() })).optional(),
	cachedContent: z.string().optional(),
	labels: jsonFields.optional(),
	serviceTier: z.string().optional(),
});
export type GoogleRequest = z.infer<typeof googleRequest>;

/** The sentinel that Google documents for history written by another model. */
const SKIP_SIGNATURE = "skip_thought_signature_validator";

/** The sandbox's signature of a function call. */
export function signThought(name: string, args: JsonFields): string {
	return btoa(`svc-sandbox-thought-${shortHash([name, args])}`);
}

/** Whether a model writes thought signatures and requires them back. */
export function signsCalls(model: string): boolean {
	return Number(/^gemini-(\d+)/.exec(model)?.[1] ?? 0) >= 3;
}

function checkSignature(model: string, current: boolean, first: boolean, turn: number, given: SandboxGooglePart): void {
	const { functionCall, thoughtSignature } = given;
	if (!functionCall) return;
	const { name, args = {} } = functionCall;
	if (thoughtSignature !== undefined) {
		if (thoughtSignature !== SKIP_SIGNATURE && thoughtSignature !== signThought(name, args))
			refuseGoogle("Corrupted thought signature.");
	} else if (signsCalls(model) && current && first)
		refuseGoogle(
			`Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, and missing thought_signature may lead to degraded model performance. Additional data, function call \`default_api:${name}\` , position ${turn + 1}. Please refer to https://ai.google.dev/gemini-api/docs/thought-signatures for more details.`,
		);
}

function checkParts(parts: readonly SandboxGooglePart[], role: "user" | "model", turn: number): void {
	const where = `* GenerateContentRequest.contents[${turn}].parts`;
	if (parts.length === 0) refuseGoogle(`${where}: contents.parts must not be empty.`);
	for (const [index, given] of parts.entries()) {
		const kinds = [given.text, given.inlineData, given.fileData, given.functionCall, given.functionResponse];
		if (kinds.filter((kind) => kind !== undefined).length !== 1)
			refuseGoogle(`${where}[${index}].data: required oneof field 'data' must have one initialized field`);
		if (given.functionResponse?.name === "")
			refuseGoogle(`${where}[${index}].function_response.name: Name cannot be empty.`);
		if (given.functionCall?.name === "") refuseGoogle(`${where}[${index}].function_call.name: Name cannot be empty.`);
		if ((given.functionCall && role !== "model") || (given.functionResponse && role !== "user"))
			refuseGoogle("Please use a valid role: user, model.");
	}
}

/** Responses must answer the calls of the turn before, and calls must carry their signatures during the turn. */
function checkGoogleTurns(model: string, contents: GoogleRequest["contents"]): void {
	const question = contents.findLastIndex(
		({ role, parts }) => role === "user" && parts.some(({ functionResponse }) => !functionResponse),
	);
	let open: string[] = [];
	for (const [turn, { role, parts }] of contents.entries()) {
		checkParts(parts, role, turn);
		const names = parts.flatMap(({ functionResponse }) => (functionResponse ? [functionResponse.name] : []));
		if (names.length !== open.length)
			refuseGoogle(
				"Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.",
			);
		if (names.toSorted().join() !== open.toSorted().join())
			refuseGoogle("Please ensure that function response turn comes immediately after a function call turn.");
		const calls = parts.filter(({ functionCall }) => functionCall);
		if (calls.length > 0 && turn === 0)
			refuseGoogle(
				"Please ensure that function call turn comes immediately after a user turn or after a function response turn.",
			);
		for (const [index, call] of calls.entries()) checkSignature(model, turn > question, index === 0, turn, call);
		open = calls.flatMap(({ functionCall }) => (functionCall ? [functionCall.name] : []));
	}
}

function checkConfig(model: string, { generationConfig: config, tools, toolConfig }: GoogleRequest): void {
	const thinking = config?.thinkingConfig;
	if (thinking?.thinkingBudget !== undefined && thinking.thinkingLevel !== undefined)
		refuseGoogle("You can only set only one of thinking budget and thinking level.");
	if (thinking?.thinkingLevel !== undefined && !signsCalls(model))
		refuseGoogle("Thinking level is not supported for this model.");
	const json = config?.responseMimeType === "application/json";
	if ((config?.responseSchema ?? config?.responseJsonSchema) && !json)
		refuseGoogle(
			"* GenerateContentRequest.generation_config.response_schema: only allowed when response_mime_type is application/json",
		);
	const declared = (tools ?? [])
		.flatMap(({ functionDeclarations }) => functionDeclarations ?? [])
		.map(({ name }) => name);
	if (json && declared.length > 0 && !signsCalls(model))
		refuseGoogle("Function calling with a response mime type: 'application/json' is unsupported");
	if (new Set(declared).size < declared.length) refuseGoogle("Duplicate function declaration found");
	const calling = toolConfig?.functionCallingConfig;
	const allowed = calling?.allowedFunctionNames ?? [];
	if (allowed.length > 0 && calling?.mode !== "ANY" && calling?.mode !== "VALIDATED")
		refuseGoogle("allowed_function_names should only be set when mode is ANY or VALIDATED.");
	if (allowed.some((name) => !declared.includes(name)))
		refuseGoogle("allowed_function_names has a name that is not declared.");
}

/** Vertex, which takes a token, knows no ids of calls. @throws {Refusal} status 400. */
function checkNoCallIds({ contents }: GoogleRequest): void {
	const faults = contents.flatMap(({ parts }, turn) =>
		parts.flatMap(({ functionCall, functionResponse }, index) =>
			(functionCall?.id ?? functionResponse?.id) === undefined
				? []
				: [
						unknownName(
							"id",
							`contents[${turn}].parts[${index}].${functionCall ? "function_call" : "function_response"}`,
						),
					],
		),
	);
	if (faults.length > 0) refuseFor(faults);
}

/**
 * Checks a request as Gemini does.
 * @throws {Refusal} status 400, or 403 without a key.
 */
export function parseGoogle(model: string, headers: Headers, body: unknown): GoogleRequest {
	// AI Studio takes a key, Vertex a token.
	if (!headers.get("x-goog-api-key") && !headers.get("authorization"))
		throw new Refusal(403, "Method doesn't allow unregistered callers (callers without established identity).");
	const parsed = googleRequest.safeParse(body);
	if (!parsed.success)
		refuseFor(
			parsed.error.issues.flatMap((issue) =>
				issue.code === "unrecognized_keys"
					? issue.keys.map((key) => unknownName(key, toFieldPath(issue.path)))
					: [
							{
								field: toFieldPath(issue.path),
								description: `Invalid value at '${toFieldPath(issue.path)}': ${issue.message}`,
							},
						],
			),
		);
	const request = googleRequest.parse(body);
	if (headers.get("authorization")) checkNoCallIds(request);
	const violations = (request.tools ?? []).flatMap(({ functionDeclarations = [] }, tool) =>
		functionDeclarations.flatMap(({ parameters }, at) =>
			parameters ? schemaViolations(parameters, `tools[${tool}].function_declarations[${at}].parameters`) : [],
		),
	);
	const { responseSchema } = request.generationConfig ?? {};
	if (responseSchema) violations.push(...schemaViolations(responseSchema, "generation_config.response_schema"));
	refuseFor(violations);
	checkGoogleTurns(model, request.contents);
	checkConfig(model, request);
	return request;
}
