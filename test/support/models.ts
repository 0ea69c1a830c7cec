// Models of the shipped catalog by what a test needs of them: one that is renamed, repriced or replaced changes no test.
import { priceAt } from "../../src/catalog/price.ts";
import type { Model, Price } from "../../src/catalog/schema.ts";
import { CATALOG } from "../../src/catalog/shipped.ts";
import type { WireName } from "../../src/catalog/vocabulary.ts";
import { BEDROCK_CATALOG } from "./bedrock-rows.ts";
import { modelWhere } from "./catalog.ts";

type Condition = (model: Model) => boolean;

/** The wire format that a model is called in. */
export function wireNameOf(model: Model): WireName {
	return BEDROCK_CATALOG.providerFor(model).wire;
}

/** Answers without reasoning unless it is asked to. */
export const canBeSilent: Condition = ({ reasoning }) => reasoning?.efforts[0] === "none";

/** Reasons whatever it is asked. */
export const alwaysReasons: Condition = ({ reasoning }) => reasoning !== null && reasoning.efforts[0] !== "none";

/** The price that a model has today. */
export function currentPrice(model: Model): Price {
	return priceAt(model, Date.now());
}

/** Costs the same at any hour and prompt length. */
export const hasOnePrice: Condition = (model) => currentPrice(model).tiers.length === 0;

/** The first shipped model of a wire format for which a condition holds; of Bedrock's, one of BEDROCK_ROWS. */
export function modelOnWire(wire: WireName, holds: Condition = () => true): Model {
	return modelWhere(BEDROCK_CATALOG, (model) => wireNameOf(model) === wire && holds(model));
}

/** The first shipped model of a provider. */
export function modelOf(providerId: string): Model {
	return modelWhere(CATALOG, ({ provider }) => provider === providerId);
}

/** Everybody's but this model's provider, for a routing config that is to leave one. */
export function providersBut(model: Model): string[] {
	return CATALOG.providers.map(({ id }) => id).filter((id) => id !== model.provider);
}

/** The output limit that an upstream was sent, whatever its format calls it. */
export function sentLimitOf(body: Record<string, unknown> | undefined): number {
	const { max_tokens, max_completion_tokens, generationConfig, inferenceConfig } = body ?? {};
	const google: Record<string, unknown> = Object(generationConfig);
	const bedrock: Record<string, unknown> = Object(inferenceConfig);
	return Number(max_tokens ?? max_completion_tokens ?? google["maxOutputTokens"] ?? bedrock["maxTokens"]);
}
