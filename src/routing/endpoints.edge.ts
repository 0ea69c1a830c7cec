// The model catalog over HTTP, in the shape of OpenAI's model list with additions.

import * as z from "zod";
import type { Account } from "../account/context.ts";
import { endpoint } from "../account/endpoint.ts";
import { priceAt } from "../catalog/price.ts";
import type { Model } from "../catalog/schema.ts";
import { EFFORTS, TIERS } from "../catalog/vocabulary.ts";
import { fail, ok } from "../failure.ts";
import type { Endpoint } from "../http/endpoint.ts";
import { isAvailable } from "../providers/wires.ts";
import type { Settings } from "../settings.ts";
import { isListed } from "./routing-config.ts";

const modelEntrySchema = z.lazy(() =>
	z.object({
		id: z.string(),
		object: z.literal("model"),
		created: z.int(),
		owned_by: z.string(),
		display_name: z.string(),
		provider: z.string(),
		tier: z.enum(TIERS),
		pricing: z.object({ input_usd_mtok: z.number(), output_usd_mtok: z.number() }),
		context_window: z.int(),
		max_output_tokens: z.int(),
		capabilities: z.object({
			tools: z.boolean(),
			vision: z.boolean(),
			json_schema: z.boolean(),
			logprobs: z.boolean(),
			reasoning: z.boolean(),
			reasoning_efforts: z.array(z.enum(EFFORTS)),
		}),
		available: z.boolean(),
	}),
);

/** @param account whose key may not call every model; null without a key. */
function toModelEntry(
	model: Model,
	settings: Settings,
	account: Account | null,
	nowMs: number,
): z.infer<typeof modelEntrySchema> {
	const price = priceAt(model, nowMs);
	const { tools, vision, json_schema, logprobs } = model.supports;
	return {
		id: model.id,
		object: "model",
		// OpenAI clients expect a number. 0 means that the release date is not known.
		created: model.released ? Date.parse(model.released) / 1000 : 0,
		owned_by: model.provider,
		display_name: model.display_name,
		provider: model.provider,
		tier: model.tier,
		pricing: { input_usd_mtok: price.input, output_usd_mtok: price.output },
		context_window: model.limits.context_window,
		max_output_tokens: model.limits.max_output_tokens,
		capabilities: {
			tools,
			vision,
			json_schema,
			logprobs,
			reasoning: model.reasoning !== null,
			reasoning_efforts: model.reasoning?.efforts ?? [],
		},
		available: isAvailable(model, settings) && isListed(model, account?.key.rules?.models ?? ["*"]),
	};
}

const listModelsEndpoint = endpoint({
	id: "list_models",
	method: "GET",
	path: "/v1/models",
	access: "public",
	summary: "All models of the catalog, with price, limits and whether a provider key is configured.",
	description:
		"For ids to pin with `model`, their prices, limits and abilities, and whether they can be called now, by the key that was sent.",
	result: z.lazy(() => z.object({ object: z.literal("list"), data: z.array(modelEntrySchema) })),
	async handle({ context }) {
		const caller = await context.caller();
		if (!caller.ok) return caller;
		const { settings, startedAtMs } = context;
		return ok({
			object: "list" as const,
			data: settings.catalog.models.map((model) => toModelEntry(model, settings, caller.value, startedAtMs)),
		});
	},
});

const getModelEndpoint = endpoint({
	id: "get_model",
	method: "GET",
	path: "/v1/models/{id}",
	access: "public",
	summary: "One model of the catalog.",
	params: z.lazy(() => z.object({ id: z.string() })),
	result: modelEntrySchema,
	async handle({ params, context }) {
		const model = context.settings.catalog.findModel(params.id);
		if (!model) return fail({ reason: "model_not_found", message: "no such model; GET /v1/models lists them all" });
		const caller = await context.caller();
		if (!caller.ok) return caller;
		return ok(toModelEntry(model, context.settings, caller.value, context.startedAtMs));
	},
});

export const modelEndpoints: readonly Endpoint[] = [listModelsEndpoint, getModelEndpoint];
