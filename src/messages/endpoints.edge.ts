// The Messages entrance: a message, whole or streamed; count-tokens.edge.ts counts a prompt.
import type { KeyContext } from "../account/context.ts";
import { endpoint } from "../account/endpoint.ts";
import type { Catalog } from "../catalog/catalog.ts";
import { type Failure, fail, ok } from "../failure.ts";
import type { Endpoint } from "../http/endpoint.ts";
import type { EntranceRequest } from "../inference/answer-form.ts";
import { applyRules } from "../inference/apply-rules.edge.ts";
import { respond } from "../inference/respond.edge.ts";
import { sealReasoning } from "../inference/sealed-reasoning.edge.ts";
import { toSvcBlock } from "../inference/svc-block.ts";
import type { ModelAnswer, Warning } from "../providers/model-call.ts";
import type { BlockForm } from "./answer-blocks.ts";
import { findUnsaid } from "./answer-content.ts";
import { countMessageTokensEndpoint } from "./count-tokens.edge.ts";
import { MessageEvents } from "./events.ts";
import { toMessagesWarning, withMessagesFields } from "./field-names.ts";
import { type AnsweredMessage, answeredMessageSchema, type MessageWording, toMessage } from "./message.ts";
import { openThinking } from "./open-thinking.edge.ts";
import { toMessagesPurpose } from "./purpose.ts";
import { type MessagesRequest, messagesRequestSchema } from "./request.ts";
import { findLostThread } from "./threads.ts";
import { toMessagesCall } from "./to-call.ts";

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
function toUnsaidWarnings(answer: ModelAnswer | null): Warning[] {
	const names = answer ? findUnsaid(answer) : [];
	if (names.length === 0) return [];
	const message = `a message has no place for what the model's answer also has: ${names.join(", ")}`;
	return [{ code: "output_dropped", param: null, message }];
}

function toWording(body: MessagesRequest, { settings, account: { userId } }: KeyContext): MessageWording {
	const { catalog } = settings;
	return {
		toBlockForm: (modelId) => toBlockForm(body, catalog, modelId),
		seal(parts, modelId) {
			const provider = catalog.findModel(modelId)?.provider ?? "";
			return sealReasoning(parts, { userId, provider, modelId }, settings);
		},
		toSvcBlock(settled, answer) {
			const svc = toSvcBlock(settled, toMessagesWarning);
			return { ...svc, warnings: [...svc.warnings, ...toUnsaidWarnings(answer).map(toMessagesWarning)] };
		},
	};
}

export const createMessageEndpoint = endpoint({
	id: "create_message",
	method: "POST",
	path: "/v1/messages",
	access: "key",
	admission: "handler",
	bodyLimit: "chat",
	notATool: true,
	errorDialect: "anthropic",
	acceptsApiKeyHeader: true,
	summary: "A message in Anthropic's form, whole or streamed, by the model that routing picks or the one named.",
	description:
		"The same engine as chat's, for clients of Anthropic's Messages API: routing, limits, compliance, receipts and prices are the same. `model` is `auto`, an id of list_models or a family name; `anthropic-version` is needed nowhere.",
	emptyField: { name: "messages", failure: { reason: "no_messages" } },
	body: messagesRequestSchema,
	result: answeredMessageSchema,
	eventStream:
		"With `stream: true`: Anthropic's events from `message_start` to `message_stop`, `svc` on `message_delta`, or an `error`.",
	async handle({ body, context }) {
		const { settings, account, headers, rawBody } = context;
		const lost = findLostThread(body);
		if (lost) return fail(lost);
		const opened = await openThinking(body, account.userId, settings);
		const read = toMessagesCall(body, {
			catalog: settings.catalog,
			opened,
			rawBody,
			betas: headers.get("anthropic-beta"),
		});
		if (!read.ok) return read;
		const { call, options, warnings, origins } = read.value;
		const withClientFields = (failure: Failure) => withMessagesFields(failure, origins);
		const request = await applyRules(
			body,
			(config) => ok({ call, options: { ...options, config, gate: null, warnings } }),
			context,
		);
		if (!request.ok) return fail(withClientFields(request.failure));
		const wording = toWording(body, context);
		const entrance: EntranceRequest<AnsweredMessage> = {
			request: request.value,
			purpose: toMessagesPurpose(rawBody, request.value.options),
			toAnswer: (settled) => toMessage(settled, wording),
			toStream: () => new MessageEvents(wording),
			withClientFields,
		};
		return respond(entrance, body.stream === true, context);
	},
});

export const messagesEndpoints: readonly Endpoint[] = [createMessageEndpoint, countMessageTokensEndpoint];
