// The compliance preview: which models a policy would allow for a text, and what that costs more. It calls no model.
import * as z from "zod";
import type { KeyContext } from "../account/context.ts";
import { endpoint } from "../account/endpoint.ts";
import { ok, type Result } from "../failure.ts";
import type { Endpoint } from "../http/endpoint.ts";
import { attestationSchema } from "./attestation.ts";
import { plainConversation } from "./conversation.ts";
import { loadDetector, loadGate } from "./load.ts";
import { policyConfigField, policyField } from "./policy-field.ts";
import type { PolicyLevels } from "./policy-levels.ts";
import { inertPreview, toCompliancePreview } from "./preview.ts";
import { scanConversation } from "./scans.edge.ts";

const previewTextPartSchema = z.lazy(() => z.looseObject({ type: z.string(), text: z.string().optional() }));
const previewMessageSchema = z.lazy(() =>
	z.looseObject({ role: z.string(), content: z.union([z.string(), z.array(previewTextPartSchema)]).nullish() }),
);
type PreviewMessage = z.output<typeof previewMessageSchema>;

/** The text of the last user message; null when there is none. */
function lastUserMessageText(messages: readonly PreviewMessage[]): string | null {
	const content = messages.findLast(({ role }) => role === "user")?.content ?? null;
	if (content === null || typeof content === "string") return content;
	return content.flatMap(({ text }) => text ?? []).join("\n");
}

const policySchema = z.lazy(() => attestationSchema.unwrap().shape.policy);
const excludedSchema = z.record(z.string(), z.array(z.string()));

/** Finds the policies in force for a request. It is passed in, because routing configs are a layer above this one. */
type FindPolicies = (
	request: { brain_config?: unknown; compliance?: unknown },
	context: KeyContext,
) => Promise<Result<{ levels: PolicyLevels | null }>>;

function previewComplianceEndpoint(findPolicies: FindPolicies): Endpoint {
	return endpoint({
		id: "preview_compliance",
		method: "POST",
		effect: "none",
		path: "/v2/compliance/preview",
		access: "key",
		summary:
			"What a compliance policy would let through for a text: the classes of data in it, every model with its reasons, the price of it. No model is called.",
		description:
			"Before sending a text that may hold personal, health, financial or secret data: which models may see it under a policy.",
		body: z.lazy(() =>
			z
				.object({
					prompt: z.string().nullish().describe("The text to classify."),
					messages: z
						.array(previewMessageSchema)
						.max(2_000, "must have at most 2000 entries")
						.nullish()
						.describe("Instead of prompt: the last user message is classified."),
					compliance: policyField().nullish().describe("The policy; before that of the config."),
					brain_config: policyConfigField().nullish().describe("Its compliance block is used without one."),
				})
				.transform(({ prompt, messages, ...rules }, issues) => {
					const text = prompt?.trim() ? prompt : lastUserMessageText(messages ?? []);
					if (text?.trim()) return { ...rules, text };
					const message = "neither prompt nor a user message in messages gives any text";
					issues.addIssue({ code: "custom", path: ["prompt"], message });
					return z.NEVER;
				}),
		),
		result: z.lazy(() =>
			z.object({
				active: z.boolean(),
				ok: z.boolean().optional(),
				policy: policySchema.optional(),
				detected_classes: z.array(z.string()),
				classification: excludedSchema,
				allowed_models: z.array(z.string()).optional(),
				excluded_models: excludedSchema.optional(),
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
					.optional(),
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
					.optional(),
				sample_attestation: z.string().optional(),
				matrix_version: z.string().optional(),
				note: z.string().optional(),
			}),
		),
		async handle({ body, context }) {
			const rules = await findPolicies(body, context);
			if (!rules.ok) return rules;
			const { settings, startedAtMs } = context;
			const { levels } = rules.value;
			const conversation = plainConversation(body.text);
			const owner = { user: context.account.userId, signal: context.signal };
			if (!levels) {
				const { detectInSteps } = await loadDetector();
				return ok(inertPreview(await scanConversation(conversation, detectInSteps, owner)));
			}
			const { shippedGate } = await loadGate();
			const gate = await scanConversation(conversation, (scanned) => shippedGate(levels, scanned, settings), owner);
			return ok(toCompliancePreview(gate, settings.catalog, startedAtMs));
		},
	});
}

export function complianceEndpoints(findPolicies: FindPolicies): readonly Endpoint[] {
	return [previewComplianceEndpoint(findPolicies)];
}
