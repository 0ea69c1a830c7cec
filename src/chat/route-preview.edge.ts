// The routing preview: which model a chat request would run on, and why. It calls no model.

import * as z from "zod";
import { endpoint } from "../account/endpoint.ts";
import type { CallCost } from "../catalog/price.ts";
import { INTENTS, MODEL_SOURCES, QUALITY_INTENTS, type QualityIntent, TIERS } from "../catalog/vocabulary.ts";
import { fail, ok } from "../failure.ts";
import { runInTurns } from "../http/long-work.edge.ts";
import { choiceWarnings } from "../inference/accounting.ts";
import { toClientWarning, warningsSchema, withClientFieldNames } from "../inference/client-fields.ts";
import { observeFor } from "../inference/observe.edge.ts";
import { callChars, planInSteps } from "../inference/plan.ts";
import { usd } from "../proof/money.ts";
import { MODES } from "../routing/mode.ts";
import { type Observed, observedSchema } from "../routing/observed.ts";
import { unknownFigures } from "../routing/quality.ts";
import { toIntentShares, toSignalFlags } from "../routing/signals.ts";
import { applyChatRules } from "./apply-rules.edge.ts";
import { UNLISTED_CHAT_FIELDS } from "./field-names.ts";
import { type ChatRequest, chatRequestSchema } from "./request.ts";

const costSchema = z.lazy(() => z.object({ input_usd: z.number(), output_usd: z.number(), total_usd: z.number() }));

function costFields({ inputNanoUsd, outputNanoUsd, totalNanoUsd }: CallCost): z.infer<typeof costSchema> {
	return { input_usd: usd(inputNanoUsd), output_usd: usd(outputNanoUsd), total_usd: usd(totalNanoUsd) };
}

function unknownMember(unknown: QualityIntent[]): { unknown?: QualityIntent[] } {
	return unknown.length === 0 ? {} : { unknown };
}

/** What hardly changes the route, or serves only to repeat one. */
const UNLISTED_ROUTE_FIELDS = [
	"observed",
	"temperature",
	"stop",
	"stream",
	"stream_options",
	"response_format",
	"tools",
	"tool_calls",
	"tool_call_id",
];

/** A chat body, or one with `prompt` for its only user message, and what was observed when its choice was made; null when it is to be made now. */
interface PreviewRequest {
	request: ChatRequest;
	observedThen: Observed | null;
}

const routeRequestSchema = z.lazy(() =>
	chatRequestSchema
		.unwrap()
		.extend({
			messages: chatRequestSchema.unwrap().shape.messages.optional(),
			prompt: z.string().nullish().describe("One user message, in place of `messages`."),
			observed: observedSchema
				.nullish()
				.describe(
					"The svc.routing.observed of an answer: repeats its choice. Without it, what is observed now counts.",
				),
		})
		.transform(({ prompt, messages, observed, ...rest }, issues): PreviewRequest => {
			const observedThen = observed ?? null;
			if (messages) return { request: { ...rest, messages }, observedThen };
			if (prompt?.trim()) return { request: { ...rest, messages: [{ role: "user", content: prompt }] }, observedThen };
			issues.addIssue({ code: "custom", path: ["messages"], message: "is missing, and so is prompt" });
			return z.NEVER;
		}),
);

export const routePreviewSchema = z.lazy(() =>
	z.object({
		object: z.literal("route"),
		model: z.string().describe("The model that would be called."),
		model_display: z.string().describe("Its name for people."),
		provider: z.string().describe("Who serves it."),
		tier: z.enum(TIERS).describe("Its tier."),
		mode: z
			.enum(MODES)
			.describe("How quality, price and speed were weighed; `direct`: the request or its config named the model."),
		reason: z.string().describe("Why this model, in words."),
		signals_detected: z.record(z.string(), z.boolean()).describe("A boolean for each signal."),
		intents: z.record(z.enum(INTENTS), z.number()).describe("How likely the prompt has each intent."),
		observed: observedSchema.describe("Observations that the choice was made with; send them back to repeat it."),
		estimated_cost: costSchema.describe("Expected cost of the call."),
		candidates: z
			.array(
				z.object({
					model: z.string().describe("Its id."),
					provider: z.string().describe("Who serves it."),
					tier: z.enum(TIERS).describe("Its tier."),
					source: z.enum(MODEL_SOURCES).describe("Whose row it is: shipped with the service, or the operator's."),
					score: z.number().describe("What the ranking goes by; may be negative."),
					expected_quality: z.number().describe("0 to 1, by the catalog."),
					estimated_cost_usd: z.number().describe("Expected cost."),
					expected_latency_ms: z.int().describe("Expected time to the whole answer."),
					unknown: z
						.array(z.enum(QUALITY_INTENTS))
						.optional()
						.describe("Intents without a figure in the catalog; the general figure of the model stands in."),
					below_floor: z
						.literal(true)
						.optional()
						.describe("It is expected to be far worse than the best, and ranks behind the others."),
					failing: z
						.literal(true)
						.optional()
						.describe("Many of its calls failed lately, so it is called after the others."),
				}),
			)
			.describe("All models that may serve, best first."),
		excluded: z.record(z.string(), z.array(z.string())).describe("By model: why it may not serve."),
		masked: z
			.record(z.string(), z.int())
			.optional()
			.describe("Under a policy that masks: how many different values of each kind would be masked."),
		warnings: warningsSchema.describe("Warnings about the choice that the answer would have."),
		matched_rule: z
			.string()
			.nullable()
			.describe("Name of the rule of the routing config that matched, else its position."),
	}),
);

export const previewRouteEndpoint = endpoint({
	id: "preview_route",
	effect: "none",
	unlistedArguments: [...UNLISTED_CHAT_FIELDS, ...UNLISTED_ROUTE_FIELDS],
	method: "POST",
	path: "/v1/route",
	access: "key",
	bodyLimit: "chat",
	toolGroup: "chat",
	isDefaultTool: true,
	command: "route",
	page: "playground",
	summary: "What a chat request would run on: every candidate, every exclusion, no model called.",
	description:
		"Before spending: which model a prompt would go to, what it would cost, which were left out and why. It calls no model and costs nothing.",
	emptyField: { name: "messages", failure: { reason: "no_messages" } },
	body: routeRequestSchema,
	result: routePreviewSchema,
	ids: "none",
	example: { body: { prompt: "Write a Python function that reverses a list", routing_mode: "quality" } },
	async handle({ body, context }) {
		const { account, settings, startedAtMs } = context;
		const request = await applyChatRules(body.request, context);
		if (!request.ok) return request;
		const { observedThen } = body;
		const mask = request.value.options.gate?.mask;
		const atMs = observedThen ? Date.parse(observedThen.at) : startedAtMs;
		const observe = observedThen ? () => observedThen : observeFor({ userId: account.userId }, settings);
		const steps = planInSteps(request.value, account.plan, settings, atMs, observe);
		const planned = await runInTurns(context, steps, callChars(request.value.call));
		if (!planned.ok) return fail(withClientFieldNames(planned.failure));
		const { selection, signals, observed } = planned.value;
		const { model, expectation } = selection.candidates[0];
		return ok({
			object: "route" as const,
			model: model.id,
			model_display: model.display_name,
			provider: model.provider,
			tier: model.tier,
			mode: selection.mode,
			reason: selection.reason,
			signals_detected: toSignalFlags(signals),
			intents: toIntentShares(signals),
			observed,
			estimated_cost: costFields(expectation.cost),
			candidates: [...new Set([...selection.candidates, ...selection.failover])].map((candidate) => ({
				model: candidate.model.id,
				provider: candidate.model.provider,
				tier: candidate.model.tier,
				source: candidate.model.owner ?? ("shipped" as const),
				score: candidate.score,
				expected_quality: Math.round(candidate.expectation.quality * 1e4) / 1e4,
				estimated_cost_usd: usd(candidate.expectation.cost.totalNanoUsd),
				expected_latency_ms: candidate.expectation.latencyMs,
				...unknownMember(unknownFigures(candidate.model, signals)),
				...(candidate.isBelowFloor ? { below_floor: true as const } : {}),
				...(candidate.isFailing ? { failing: true as const } : {}),
			})),
			excluded: selection.excluded(),
			...(mask ? { masked: mask.counts } : {}),
			warnings: choiceWarnings(planned.value, selection.candidates[0]).map(toClientWarning),
			matched_rule: planned.value.matchedRule,
		});
	},
});
