// Makes the model call of a Responses body and of the items that it continues. Pure.
import { findModelOrAlias } from "../catalog/aliases.ts";
import { type Catalog, choosableModels } from "../catalog/catalog.ts";
import type { Model } from "../catalog/schema.ts";
import { fail, ok, type Result } from "../failure.ts";
import { findDroppedMembers } from "../http/dropped-members.ts";
import { toOutputCeiling } from "../inference/output-ceiling.ts";
import type { CallOptions } from "../inference/plan.ts";
import { toOutputFormat } from "../inference/response-format.ts";
import type { OpenedReasoning } from "../inference/sealed-reasoning.edge.ts";
import { findUnknownFields, knownFields } from "../inference/unknown-fields.ts";
import { optionalMember } from "../json.ts";
import type { Message, ModelCall, OutputFormat, Warning } from "../providers/model-call.ts";
import { detectSignals } from "../routing/signals.ts";
import { CHAT_FIELDS, findIgnoredFields, findRefusedFields, LOGPROBS_INCLUDE } from "./fields.ts";
import { type InputItem, toInputItems } from "./items.ts";
import { type ResponsesRequest, responsesRequestSchema } from "./request.ts";
import { ItemReader } from "./to-messages.ts";
import { applyToolChoice } from "./tool-choice.ts";
import { type ToolNames, type ToolSource, ToolTable } from "./tool-table.ts";
import { truncateItems } from "./truncation.ts";

/** More than any client causes. Those beyond share one warning that counts them. */
const MAX_RESPONSES_WARNINGS = 50;
const MAX_CALL_ISSUES = 20;

export interface ResponsesCallContext {
	catalog: Catalog;
	/** What was sealed, by its sealed text; null where it could not be opened. */
	opened: ReadonlyMap<string, OpenedReasoning | null>;
	/** The body before validation, whose unknown members are named in warnings. */
	rawBody?: unknown;
	/** Whether a model can serve this caller, for `truncation`. Default: every model of the catalog. */
	mayServe?(model: Model): boolean;
}

/** What a Responses body asks for. */
export interface ResponsesCall {
	call: ModelCall;
	options: Pick<CallOptions, "model" | "mode" | "outputLimit" | "defaultMaxTokens" | "conversation">;
	tools: ToolNames;
	/** For each message of the call, the member of the body that it was made of, such as `input[3]`. */
	places: string[];
	warnings: Warning[];
}

/** The sealed texts of a conversation, for its entrance to open. */
export function listSealedTexts(items: readonly InputItem[]): string[] {
	return items.flatMap((item) => (item.type === "reasoning" && item.encrypted_content ? [item.encrypted_content] : []));
}

/** Names the place of an item in the body. Items before the request's own came with `previous_response_id`. */
function itemPaths(input: ResponsesRequest["input"], items: readonly InputItem[]): (item: InputItem) => string {
	const first = items.length - toInputItems(input).length;
	const indexes = new Map(items.map((item, index) => [item, index]));
	return (item) => {
		const index = (indexes.get(item) ?? 0) - first;
		if (index < 0) return "previous_response_id";
		return typeof input === "string" ? "input" : `input[${index}]`;
	};
}

function toToolSources(
	tools: ResponsesRequest["tools"],
	items: readonly InputItem[],
	pathTo: (item: InputItem) => string,
): ToolSource[] {
	const added = items.flatMap((item): ToolSource[] =>
		item.type === "additional_tools" ? [{ path: `${pathTo(item)}.tools`, tools: item.tools }] : [],
	);
	return [{ path: "tools", tools: tools ?? [] }, ...added];
}

function toTextFormat(text: ResponsesRequest["text"]): OutputFormat {
	const format = text?.format;
	return toOutputFormat(format?.type === "json_schema" ? { type: format.type, json_schema: format } : format);
}

/** The instructions as a message; none without any. */
function toInstructions(instructions: string | null | undefined): Message[] {
	return instructions ? [{ role: "system", content: [{ type: "text", text: instructions }] }] : [];
}

function truncationWarnings(leftOut: number): Warning[] {
	if (leftOut === 0) return [];
	const message = `the conversation is too long for its model, so its oldest ${leftOut} items were left out`;
	return [{ code: "input_dropped", param: "truncation", message }];
}

/** The members of a call that do not come from its items. */
function toCallSettings(body: ResponsesRequest, rawBody: unknown): Omit<ModelCall, "messages" | "tools"> {
	const { temperature, top_p, include, top_logprobs } = body;
	const dropped = rawBody === undefined ? [] : findDroppedMembers(rawBody, body);
	return {
		output: toTextFormat(body.text),
		maxTokens: toOutputCeiling(body.max_output_tokens).maxTokens,
		stop: [],
		sampling: { ...optionalMember("temperature", temperature), ...optionalMember("top_p", top_p) },
		unknownFields: {
			...optionalMember("verbosity", body.text?.verbosity),
			...optionalMember("prompt_cache_key", body.prompt_cache_key),
			...optionalMember("safety_identifier", body.safety_identifier),
			...findUnknownFields(body, { ...knownFields(responsesRequestSchema), ...CHAT_FIELDS }, dropped),
		},
		...(include?.includes(LOGPROBS_INCLUDE) ? { logprobs: { ...optionalMember("top", top_logprobs) } } : {}),
		...optionalMember("parallelToolCalls", body.parallel_tool_calls),
		...optionalMember("effort", body.reasoning?.effort),
		...optionalMember("user", body.user),
	};
}

function toLimitOptions(named: ResponsesRequest["max_output_tokens"]) {
	const { maxTokens: _, ...options } = toOutputCeiling(named);
	return options;
}

/** The longest prompt that the model that is named takes, else that those take that may serve; in tokens. */
function longestPrompt(
	{ model }: ResponsesRequest,
	{ maxTokens }: Pick<ModelCall, "maxTokens">,
	{ catalog, mayServe = () => true }: ResponsesCallContext,
): number {
	const named = findModelOrAlias(model ?? "auto", catalog);
	const models = named ? [named] : choosableModels(catalog).filter(mayServe);
	const rooms = models.map(({ limits: { context_window, max_input_tokens } }) =>
		Math.min(max_input_tokens ?? context_window, context_window - maxTokens),
	);
	return Math.max(0, ...rooms);
}

/** Whether the call of some items has a prompt of at most so many tokens. */
function fitsIn(tokens: number, toCall: (items: readonly InputItem[]) => ModelCall) {
	return (some: readonly InputItem[]) => detectSignals(toCall(some)).contextTokens <= tokens;
}

function boundWarnings(warnings: readonly Warning[]): Warning[] {
	const more = warnings.length - MAX_RESPONSES_WARNINGS;
	const first = warnings.slice(0, MAX_RESPONSES_WARNINGS);
	return more > 0
		? [...first, { code: "parameter_dropped", param: "input", message: `${more} more warnings are not listed` }]
		: first;
}

/**
 * The call of a body.
 * @param items the conversation with all that the body refers to; the body's own items come last, one for each of `input`.
 * @returns 422 for what cannot be served, 400 for reasoning that was not sealed here and for references that are not resolved.
 */
export function toResponsesCall(
	body: ResponsesRequest,
	items: readonly InputItem[],
	context: ResponsesCallContext,
): Result<ResponsesCall> {
	const pathTo = itemPaths(body.input, items);
	const table = new ToolTable(toToolSources(body.tools, items, pathTo));
	const chosen = applyToolChoice(body.tool_choice, table);
	const settings = toCallSettings(body, context.rawBody);
	const { catalog, opened } = context;
	const read = (some: readonly InputItem[]) => {
		const reader = new ItemReader({ catalog, opened, table, pathTo });
		reader.readAll(some);
		return reader;
	};
	const toCall = ({ messages, toolLoopModel }: ItemReader): ModelCall => ({
		messages: [...toInstructions(body.instructions), ...messages],
		tools: chosen.definitions,
		...settings,
		...optionalMember("toolChoice", chosen.choice),
		...optionalMember("toolLoopModel", toolLoopModel),
	});
	const kept =
		body.truncation === "auto"
			? truncateItems(
					items,
					fitsIn(longestPrompt(body, settings, context), (some) => toCall(read(some))),
				)
			: items;
	const reader = read(kept);
	const issues = [...findRefusedFields(body), ...table.issues, ...chosen.issues, ...reader.notes.issues];
	const call = toCall(reader);
	if (call.messages.length === 0) {
		const message = items.length === 0 ? "is missing or empty" : "holds nothing that a model can be sent";
		issues.push({ path: "input", message });
	}
	if (issues.length > 0) return fail({ reason: "invalid_request", issues: issues.slice(0, MAX_CALL_ISSUES) });
	if (reader.failure) return fail(reader.failure);
	return ok({
		call,
		options: {
			model: body.model ?? "auto",
			mode: body.routing_mode ?? null,
			...toLimitOptions(body.max_output_tokens),
			...optionalMember("conversation", body.prompt_cache_key),
		},
		tools: table.names,
		places: [...toInstructions(body.instructions).map(() => "instructions"), ...reader.places],
		warnings: boundWarnings([
			...table.warnings,
			...truncationWarnings(items.length - kept.length),
			...reader.notes.warnings,
			...findIgnoredFields(body),
		]),
	});
}
