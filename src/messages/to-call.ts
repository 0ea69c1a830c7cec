// The model call that a Messages body stands for, with what this service cannot do of it. Pure.
import { findModelOrAlias } from "../catalog/aliases.ts";
import type { Catalog } from "../catalog/catalog.ts";
import type { Effort } from "../catalog/vocabulary.ts";
import { clip } from "../clip.ts";
import { fail, ok, type Result } from "../failure.ts";
import { findDroppedMembers } from "../http/dropped-members.ts";
import { DEFAULT_CEILING_TOKENS, toOutputCeiling } from "../inference/output-ceiling.ts";
import type { CallOptions } from "../inference/plan.ts";
import { findCallingModel } from "../inference/tool-call-ids.ts";
import { knownFields } from "../inference/unknown-fields.ts";
import { optionalMember } from "../json.ts";
import type { Message, ModelCall, OutputFormat, Warning } from "../providers/model-call.ts";
import { REASONING_SHARE } from "../providers/wire.ts";
import { warnOfBetas, warnOfMembers } from "./beta.ts";
import { markLastPart } from "./cache-marks.ts";
import { type ContentContext, toAssistantMessages, toTextPart, toUserMessages } from "./content.ts";
import type { MessageOrigins } from "./field-names.ts";
import { type MessagesRequest, messagesRequestSchema } from "./request.ts";
import { type ToolChange, toMessagesToolChoice, toParallelToolCalls, toToolDefinitions } from "./tool-definitions.ts";
import { EntranceWarnings } from "./warnings.ts";

/** The efforts that a budget of thinking can mean; higher ones have no larger share. */
const BUDGET_EFFORTS: readonly Effort[] = ["minimal", "low", "medium", "high"];
/** Thinking that the model measures itself. Without any effort named, a model would get its lowest, which may be none. */
const ADAPTIVE_EFFORT: Effort = "medium";
/** A client may give a member a name of any length. */
const MAX_PATH_CHARS = 200;
/** Other forms name the schema of an answer. */
const OUTPUT_NAME = "output";

const UNREADABLE_SEAL =
	"a redacted_thinking block of this service cannot be opened: it was changed, or sealed for another user";
const NOTHING_TO_SEND = { path: "messages", message: "holds nothing that a model can be sent" };

export interface MessagesContext {
	catalog: Catalog;
	/**
	 * What the `data` of redacted thinking holds that this service sealed (read-call.edge.ts); null where it cannot be
	 * opened. Data that is not in it is Anthropic's own.
	 */
	opened: ContentContext["opened"];
	/** The body before validation, which drops unknown members inside known ones. Default: the body. */
	rawBody?: unknown;
	/** The header `anthropic-beta`. */
	betas?: string | null;
}

/** A body as a call, and how that may be routed and limited. */
export interface MessagesCall {
	call: ModelCall;
	options: Pick<CallOptions, "model" | "mode" | "outputLimit" | "defaultMaxTokens">;
	warnings: Warning[];
	origins: MessageOrigins;
}

type ClientMessage = MessagesRequest["messages"][number];
type SystemMessage = Extract<ClientMessage, { role: "system" }>;

function toSystemMessages(content: SystemMessage["content"]): Message[] {
	const texts = (content ?? []).filter((block) => block.type === "text").filter(({ text }) => text !== "");
	return texts.length > 0 ? [{ role: "system", content: texts.map(toTextPart) }] : [];
}

function fromClientMessage(message: ClientMessage, path: string, context: ContentContext): Message[] {
	switch (message.role) {
		case "system":
			return toSystemMessages(message.content);
		case "user":
			return toUserMessages(message.content, path, context);
		case "assistant":
			return toAssistantMessages(message.content, path, context);
	}
}

/** A message of a call, and the index of the client's message that it was made of; null for the top-level `system`. */
interface PlacedMessage {
	message: Message;
	origin: number | null;
}

/** The conversation's messages, the top-level `system` first. Without system messages that ended when the user spoke again. */
function toCallMessages({ system, messages }: MessagesRequest, context: ContentContext): PlacedMessage[] {
	const lastUserIndex = messages.findLastIndex(({ role }) => role === "user");
	const hasEnded = (message: ClientMessage, index: number) =>
		message.role === "system" && message.clear_at === "next_user_message" && index < lastUserIndex;
	const conversation = messages.flatMap((message, index) =>
		hasEnded(message, index)
			? []
			: fromClientMessage(message, `messages[${index}]`, context).map((made) => ({ message: made, origin: index })),
	);
	return [...toSystemMessages(system).map((message) => ({ message, origin: null })), ...conversation];
}

/** The changes of tools in system messages, in order. */
function listToolChanges({ messages }: MessagesRequest): ToolChange[] {
	return messages.flatMap((message, index) =>
		message.role !== "system"
			? []
			: (message.content ?? []).flatMap((block, at) =>
					block.type === "text" ? [] : [{ block, path: `messages[${index}].content[${at}]` }],
				),
	);
}

/** The effort whose share of an output limit is nearest to a budget of thinking. */
function nearestToBudget(budgetTokens: number, maxTokens: number): Effort {
	const share = budgetTokens / maxTokens;
	const distance = (effort: Effort) => Math.abs(REASONING_SHARE[effort] - share);
	return BUDGET_EFFORTS.reduce((nearest, effort) => (distance(effort) < distance(nearest) ? effort : nearest));
}

/** Sets the effort from `thinking` and `output_config`. What a system message says of it last counts. */
function effortMembers(
	body: MessagesRequest,
	warnings: EntranceWarnings,
): Pick<ModelCall, "effort" | "preferredEffort"> {
	const { thinking, output_config, max_tokens } = body;
	const later = body.messages.flatMap((message) =>
		message.role === "system" ? (message.output_config?.effort ?? []) : [],
	);
	const named = later.at(-1) ?? output_config?.effort;
	if (thinking?.type === "disabled") {
		if (named && named !== "none")
			warnings.add("parameter_dropped", "output_config.effort", "thinking is disabled, so no effort was sent");
		return { effort: "none" };
	}
	if (named) return { effort: named };
	switch (thinking?.type) {
		case undefined:
			return {};
		case "enabled":
			return { preferredEffort: nearestToBudget(thinking.budget_tokens, max_tokens ?? DEFAULT_CEILING_TOKENS) };
		default:
			return { preferredEffort: ADAPTIVE_EFFORT };
	}
}

function toOutput({ output_config, output_format }: MessagesRequest): OutputFormat {
	const format = output_config?.format ?? output_format;
	return format ? { type: "json_schema", name: OUTPUT_NAME, schema: format.schema } : { type: "text" };
}

/** The model whose tool calls the last turn answers: the user's results follow the assistant's calls. */
function findLoopModel({ messages }: MessagesRequest, catalog: Catalog): string | undefined {
	const last = messages.findLast(({ role }) => role !== "system");
	if (last?.role !== "user" || !last.content.some(({ type }) => type === "tool_result")) return undefined;
	const caller = messages.findLast(({ role }) => role === "assistant");
	const calls = caller?.role === "assistant" ? caller.content.filter((block) => block.type === "tool_use") : [];
	return findCallingModel(
		calls.map(({ id }) => id),
		catalog,
	);
}

/** Whether a named model goes on with an assistant's last message; the others answer after it. */
function continuesAnswers(modelId: string | null | undefined, catalog: Catalog): boolean {
	const model = modelId ? findModelOrAlias(modelId, catalog) : null;
	return model !== null && catalog.providerFor(model).wire === "anthropic";
}

/** Warns of what the body has beside the members that become the call. */
function warnOfRest(body: MessagesRequest, context: MessagesContext, warnings: EntranceWarnings): void {
	const { catalog, rawBody = body, betas = null } = context;
	warnOfBetas(betas, body["betas"], warnings);
	warnOfMembers(body, knownFields(messagesRequestSchema), warnings);
	for (const path of findDroppedMembers(rawBody, body))
		warnings.add(
			"parameter_dropped",
			path,
			`${clip(path, MAX_PATH_CHARS)} is not known to this service and was not sent`,
		);
	if (
		body.messages.findLast(({ role }) => role !== "system")?.role === "assistant" &&
		!continuesAnswers(body.model, catalog)
	)
		warnings.add(
			"parameter_changed",
			`messages[${body.messages.length - 1}]`,
			"only some of Anthropic's models continue the assistant's last message; others answer after it",
		);
}

function hasUnreadableSeal({ messages }: MessagesRequest, { opened }: MessagesContext): boolean {
	return messages.some(
		(message) =>
			message.role === "assistant" &&
			message.content.some((block) => block.type === "redacted_thinking" && opened.get(block.data) === null),
	);
}

/**
 * The call of a Messages body. The same conversation in chat's form gives the same call, but for marks of caches.
 * @returns a failure for what no warning can cover: a forced tool that cannot be sent, reasoning that was sealed for someone else.
 */
export function toMessagesCall(body: MessagesRequest, context: MessagesContext): Result<MessagesCall> {
	const warnings = new EntranceWarnings();
	const { catalog, opened } = context;
	if (hasUnreadableSeal(body, context))
		return fail({ reason: "invalid_encrypted_content", message: UNREADABLE_SEAL, param: "messages" });
	warnOfRest(body, context, warnings);
	const placed = toCallMessages(body, { catalog, opened, warnings });
	const messages = placed.map(({ message }) => message);
	if (messages.length === 0) return fail({ reason: "invalid_request", issues: [NOTHING_TO_SEND] });
	if (body.cache_control) markLastPart(messages, body.cache_control);
	const tools = toToolDefinitions(body.tools ?? [], listToolChanges(body), warnings);
	const toolChoice = toMessagesToolChoice(body.tool_choice, tools);
	if (!toolChoice.ok) return toolChoice;
	const { temperature, top_p } = body;
	const { maxTokens, ...limit } = toOutputCeiling(body.max_tokens);
	const call: ModelCall = {
		messages,
		tools,
		output: toOutput(body),
		maxTokens,
		stop: body.stop_sequences ?? [],
		sampling: { ...optionalMember("temperature", temperature), ...optionalMember("top_p", top_p) },
		unknownFields: {},
		...effortMembers(body, warnings),
		...optionalMember("toolChoice", toolChoice.value),
		...optionalMember("parallelToolCalls", toParallelToolCalls(body.tool_choice)),
		...optionalMember("user", body.metadata?.user_id),
		...optionalMember("toolLoopModel", findLoopModel(body, catalog)),
	};
	const options = {
		model: body.model ?? "auto",
		mode: body.routing_mode ?? null,
		...limit,
	};
	return ok({ call, options, warnings: warnings.toList(), origins: placed.map(({ origin }) => origin) });
}
