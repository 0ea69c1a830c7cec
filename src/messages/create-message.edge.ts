// Turns a Messages body into a request to the engine: opens sealed reasoning, applies the rules in force, and decides how the answer
// is worded.

import type { KeyContext } from "../account/context.ts";
import type { Catalog } from "../catalog/catalog.ts";
import { type Failure, fail, ok, type Result } from "../failure.ts";
import type { EntranceRequest } from "../inference/answer-form.ts";
import { applyRules } from "../inference/apply-rules.edge.ts";
import { toEntrancePurpose } from "../inference/entrance-purpose.edge.ts";
import type { ChatPurpose } from "../inference/infer.edge.ts";
import type { CallOptions } from "../inference/plan.ts";
import { reasoningSealer } from "../inference/sealed-reasoning.edge.ts";
import { toSvcBlock } from "../inference/svc-block.ts";
import { isJsonObject } from "../json.ts";
import type { ModelAnswer, Warning } from "../providers/model-call.ts";
import type { BlockForm } from "./answer-blocks.ts";
import { findUnsayable } from "./answer-content.ts";
import { MessageEvents } from "./events.ts";
import { toMessagesWarning, withMessagesFields } from "./field-names.ts";
import { type AnsweredMessage, type MessageWording, toMessage } from "./message.ts";
import { readMessagesCall } from "./read-call.edge.ts";
import type { MessagesRequest } from "./request.ts";
import { deliverToolUse } from "./tool-use-input.ts";

/** The members of a body that are its input (docs/proofs.md, "Typed objects"). */
const MESSAGES_INPUT_MEMBERS = ["system", "messages"] as const;

/** The purpose of a Messages request. */
export function toMessagesPurpose(
	request: Parameters<typeof toEntrancePurpose>[2],
	options: Pick<CallOptions, "config">,
): Promise<Required<ChatPurpose>> {
	const input = {
		entrance: "messages",
		inputMembers: MESSAGES_INPUT_MEMBERS,
		deliverCall: deliverToolUse,
	} as const;
	return toEntrancePurpose(input, options, request);
}

/**
 * The failure of a body that goes on with a thread: without it, the body holds only the end of a conversation. One that begins a
 * thread holds everything.
 */
export function findLostThread(body: Readonly<Record<string, unknown>>): Failure | null {
	const thread = body["thread"];
	if (!isJsonObject(thread) || thread["type"] !== "continue") return null;
	return { reason: "thread_not_found", message: "this service keeps no threads; send the whole conversation" };
}

/** How a model's answer to a body is shown. */
function toBlockForm({ thinking }: MessagesRequest, { findModel, providerFor }: Catalog, modelId: string): BlockForm {
	const model = findModel(modelId);
	const provider = model && providerFor(model);
	const isHidden =
		thinking?.type === "disabled" || (thinking && "display" in thinking && thinking.display === "omitted");
	return {
		modelId,
		isNative: provider?.wire === "anthropic",
		showsThinking: !isHidden,
		returnsReasoning: provider?.returns_reasoning ?? false,
	};
}

/** The warning about what a message has no place for; none where it says everything. */
function toUnsayableWarnings(answer: ModelAnswer | null): Warning[] {
	const names = answer ? findUnsayable(answer) : [];
	if (names.length === 0) return [];
	const message = `a message has no place for what the model's answer also has: ${names.join(", ")}`;
	return [{ code: "output_dropped", param: null, message }];
}

/** How the answer to a body is worded. */
function toMessageWording(body: MessagesRequest, { settings, account, env }: KeyContext): MessageWording {
	const { catalog } = settings;
	return {
		toBlockForm: (modelId) => toBlockForm(body, catalog, modelId),
		seal: reasoningSealer(account, settings, env),
		toSvcBlock(settled, answer) {
			const svc = toSvcBlock(settled, toMessagesWarning);
			return { ...svc, warnings: [...svc.warnings, ...toUnsayableWarnings(answer).map(toMessagesWarning)] };
		},
	};
}

/** The request of a body, and how its answer is worded. */
export async function toMessagesEntrance(
	body: MessagesRequest,
	context: KeyContext,
): Promise<Result<EntranceRequest<AnsweredMessage>>> {
	const lost = findLostThread(body);
	if (lost) return fail(lost);
	const read = await readMessagesCall(body, context);
	if (!read.ok) return read;
	const { call, options, warnings, origins } = read.value;
	const withClientFields = (failure: Failure) => withMessagesFields(failure, origins);
	const toRequest: Parameters<typeof applyRules>[1] = (config) =>
		ok({ call, options: { ...options, config, gate: null, warnings } });
	const request = await applyRules(body, toRequest, context);
	if (!request.ok) return fail(withClientFields(request.failure));
	const wording = toMessageWording(body, context);
	return ok({
		request: request.value,
		purpose: await toMessagesPurpose(context, request.value.options),
		toAnswer: (settled) => toMessage(settled, wording),
		toStream: () => new MessageEvents(wording),
		withClientFields,
	});
}
