// The compliance preview: which models the policies in force would allow for a text, and what that costs more. It takes what chat
// takes, so that it reads a request as the gate of a chat would. It calls no model.
import * as z from "zod";
import type { KeyContext } from "../account/context.ts";
import { endpoint } from "../account/endpoint.ts";
import { attestationSchema } from "../compliance/attestation.ts";
import type { Conversation } from "../compliance/conversation.ts";
import { gateConversation } from "../compliance/gate.edge.ts";
import { loadNotices } from "../compliance/load.ts";
import type { Mask } from "../compliance/mask/mask.ts";
import { policyConfigField, policyField } from "../compliance/policy-field.ts";
import type { PolicyLevels } from "../compliance/policy-levels.ts";
import { inertPreview, toCompliancePreview } from "../compliance/preview.ts";
import { scanConversation } from "../compliance/scans.edge.ts";
import { type BlockedPlace, fail, ok } from "../failure.ts";
import type { Endpoint } from "../http/endpoint.ts";
import { callConversation } from "../inference/call-conversation.ts";
import { loadDetector } from "../load-detector.ts";
import { rulesInForce } from "../routing-config/in-force.edge.ts";
import { UNLISTED_CHAT_FIELDS } from "./field-names.ts";
import { toInferenceRequest } from "./inference-request.ts";
import { type ChatRequest, chatRequestSchema } from "./request.ts";

/** What hardly changes what is found. */
const UNLISTED_PREVIEW_FIELDS = [
	"model",
	"max_tokens",
	"temperature",
	"stop",
	"stream",
	"stream_options",
	"response_format",
	"reasoning_effort",
	"routing_mode",
	"tools",
	"tool_calls",
	"tool_call_id",
];

const previewRequestSchema = z.lazy(() => {
	const chat = chatRequestSchema.unwrap();
	return chat.extend({
		prompt: z.string().nullish().describe("The text to classify."),
		messages: z
			.array(chat.shape.messages.element)
			.max(2_000, "must have at most 2000 entries")
			.nullish()
			.describe("Instead of prompt: the last user message is classified."),
		scope: z
			.enum(["last", "all"])
			.nullish()
			.describe("`all`: every text of a call is classified, and `places` says where."),
		compliance: policyField().nullish().describe("The policy; before that of the config."),
		brain_config: policyConfigField().nullish().describe("Its compliance block is used without one."),
	});
});

type PreviewBody = z.output<typeof previewRequestSchema>;

/** The part of a body that is classified, as chat would read it. */
interface PreviewedRequest {
	request: ChatRequest;
	/** The prompt's index among the messages; null without one. */
	promptIndex: number | null;
	/** Index of the last user message, which the prompt is; -1 without one. */
	lastIndex: number;
}

/** So much of the last user message is shown as models would read it, in UTF-16 units. */
const MAX_MASKED_TEXT = 4_000;

/** The last user message is the prompt, if there is one. */
function toPreviewedRequest({ prompt, scope, messages, ...rest }: PreviewBody): PreviewedRequest {
	const all: ChatRequest["messages"] = [...(messages ?? [])];
	const hasPrompt = prompt != null && prompt.trim() !== "";
	if (hasPrompt) all.push({ role: "user", content: prompt });
	const lastIndex = all.findLastIndex(({ role }) => role === "user");
	if (scope === "all")
		return { request: { ...rest, messages: all }, promptIndex: hasPrompt ? all.length - 1 : null, lastIndex };
	const classified = all.slice(lastIndex < 0 ? all.length : lastIndex).slice(0, 1);
	return { request: { messages: classified }, promptIndex: null, lastIndex: classified.length - 1 };
}

function hasText({ texts }: Conversation): boolean {
	return texts.some(({ message, text }) => message !== null && text.trim() !== "");
}

/** Places under the names of a preview's body. */
function withPrompt(places: readonly BlockedPlace[], promptIndex: number | null): BlockedPlace[] {
	return places.map((place) =>
		place.message !== null && place.message === promptIndex ? { ...place, path: "prompt", message: null } : place,
	);
}

/** A message as a model would read it. */
function toMaskedText(mask: Mask, { texts }: Conversation, index: number): string {
	const parts = texts.filter(({ message }) => message === index).map(({ text }) => mask.maskText(text));
	return parts.join("\n").slice(0, MAX_MASKED_TEXT).toWellFormed();
}

/** What the policies in force decide, and what they decide it by. */
async function previewDecision(
	levels: PolicyLevels | null,
	conversation: Conversation,
	lastIndex: number,
	context: KeyContext,
) {
	const { settings, startedAtMs, account, signal } = context;
	const owner = { user: account.userId, signal };
	if (!levels) {
		const { detectInSteps } = await loadDetector();
		const detection = await scanConversation(conversation, detectInSteps, owner);
		return { detection, preview: inertPreview(detection) };
	}
	const gate = await gateConversation(levels, conversation, settings, owner);
	const shown = gate.mask ? { masked_text: toMaskedText(gate.mask, conversation, lastIndex) } : {};
	return {
		detection: gate.detection,
		preview: { ...toCompliancePreview(gate, settings.catalog, startedAtMs), ...shown },
	};
}

const policySchema = z.lazy(() => attestationSchema.unwrap().shape.policy);
const excludedSchema = z.record(z.string(), z.array(z.string()));

const previewSchema = z.lazy(() =>
	z.object({
		active: z
			.boolean()
			.describe("Whether a policy applies. Without one, only `detected_classes`, `classification` and `note` follow."),
		ok: z.boolean().optional().describe("Some model may serve."),
		policy: policySchema.optional().describe("The policy with all its members."),
		floor: z
			.array(z.object({ level: z.string(), members: z.array(z.string()), digest: z.string() }))
			.optional()
			.describe("The policies above the request's, by level. They hold for every call."),
		detected_classes: z.array(z.string()).describe("Classes of data in the text."),
		classification: excludedSchema.describe("By class: the kinds that were found."),
		inferred: z
			.object({ detected_classes: z.array(z.string()), classification: excludedSchema })
			.optional()
			.describe("Under `detect: inferred`: findings beyond patterns."),
		places: z
			.array(
				z.object({
					path: z.string(),
					message: z.int().nullable(),
					place: z.string(),
					kinds: z.array(z.string()),
					count: z.int(),
				}),
			)
			.optional()
			.describe("With scope `all`: where the data stand, as in a refusal."),
		masked: z
			.record(z.string(), z.int())
			.optional()
			.describe("Under a policy that masks: how many different values of each kind would be masked."),
		masked_text: z
			.string()
			.optional()
			.describe("Under a policy that masks: the last user message as models would read it, at most 4,000 characters."),
		allowed_models: z.array(z.string()).optional().describe("Models that may serve."),
		excluded_models: excludedSchema.optional().describe("By model: why it may not serve."),
		compliance_cost_premium: z
			.object({
				compliant_available: z.boolean(),
				cheapest_unrestricted: z.string().nullable(),
				unrestricted_min_usd_mtok: z.number().nullable(),
				cheapest_compliant: z.string().nullable(),
				compliant_min_usd_mtok: z.number().nullable(),
				premium_usd_mtok: z.number().nullable(),
				premium_pct: z.number().nullable(),
			})
			.optional()
			.describe(
				"The cheapest model of all beside the cheapest allowed one; (3 × input + output) / 4 in USD per million tokens. `premium_pct` is null where the cheapest costs nothing.",
			),
		decision: z
			.object({
				policy: policySchema,
				policy_active: z.boolean(),
				detected_classes: z.array(z.string()),
				allowed: z.array(z.string()),
				allowed_count: z.int(),
				excluded: excludedSchema,
				excluded_count: z.int(),
				matrix_version: z.string(),
			})
			.optional()
			.describe("The same decision in one object."),
		operator_facts: z
			.array(z.string())
			.optional()
			.describe(
				"Providers about which the operator of this service says something, beside or instead of what is published.",
			),
		sample_attestation: z.string().optional().describe("Hash of an attestation for the cheapest allowed model."),
		matrix_version: z.string().optional().describe("Version of the facts about providers."),
		note: z.string().optional().describe("Remark on the answer."),
	}),
);

const previewComplianceEndpoint = endpoint({
	id: "preview_compliance",
	unlistedArguments: [...UNLISTED_CHAT_FIELDS, ...UNLISTED_PREVIEW_FIELDS],
	method: "POST",
	effect: "none",
	path: "/v2/compliance/preview",
	access: "key",
	bodyLimit: "chat",
	toolGroup: "compliance",
	summary:
		"What a compliance policy would allow for a text: the classes of data in it, every model with its reasons, what it costs more. No model is called.",
	description:
		"Before sending a text that may hold personal, health, financial or secret data: which models may see it under a policy. What models answer is not checked.",
	body: previewRequestSchema,
	result: previewSchema,
	ids: "none",
	example: {
		body: {
			prompt: "Card 4111 1111 1111 1111",
			compliance: { block_data_classes: ["FINANCIAL"], frameworks: ["GDPR"] },
		},
	},
	async handle({ body, context }) {
		const rules = await rulesInForce(body, context);
		if (!rules.ok) return rules;
		const { levels, config } = rules.value;
		const { request, promptIndex, lastIndex } = toPreviewedRequest(body);
		const conversation = callConversation(toInferenceRequest(request, context.settings.catalog, config).call);
		if (!hasText(conversation)) {
			const message = "neither prompt nor a user message in messages gives any text";
			return fail({ reason: "invalid_request", issues: [{ path: "prompt", message }] });
		}
		const { detection, preview } = await previewDecision(levels, conversation, lastIndex, context);
		if (body.scope !== "all") return ok(preview);
		const { listDataPlaces } = await loadNotices();
		return ok({ ...preview, places: withPrompt(listDataPlaces(conversation, detection), promptIndex) });
	},
});

export const complianceEndpoints: readonly Endpoint[] = [previewComplianceEndpoint];
