// The fields of a request's own rules. in-force.edge.ts reads them. The JSON Schema of a config shows its normal form;
// config-schema.ts parses it. Pure.
import * as z from "zod";
import { INTENTS, TIERS } from "../catalog/vocabulary.ts";
import { policyField } from "../compliance/policy-field.ts";
import { ROUTING_MODES } from "../routing/mode.ts";

const WORD = { type: "string" };
const WORDS = { type: "array", items: WORD };
const AMOUNT = { type: "number", exclusiveMinimum: 0 };
const MODE = { type: "string", enum: [...ROUTING_MODES] };

const CONDITION = {
	type: "object",
	properties: {
		intent: { type: ["array", "string"], items: { type: "string", enum: [...INTENTS] } },
		contains: WORD,
		matches: WORD,
		min_tokens: { type: "integer" },
		max_tokens: { type: "integer" },
		has_tools: { type: "boolean" },
		has_images: { type: "boolean" },
	},
};

const RULE_CHOICE = {
	type: "object",
	properties: { model: WORD, routing_mode: MODE, tier: { type: "string", enum: [...TIERS] }, max_cost: AMOUNT },
};

const RULE = {
	type: "object",
	properties: { name: WORD, when: CONDITION, use: RULE_CHOICE },
	required: ["when", "use"],
};

/** A routing config as a client sends it. */
function routingConfigField() {
	return z.record(z.string(), z.unknown()).meta({
		properties: {
			model: WORD,
			routing_mode: MODE,
			max_cost: { ...AMOUNT, description: "USD a request." },
			blocked: { ...WORDS, description: "Models, providers, globs." },
			fallback: WORDS,
			default_max_tokens: { type: "integer", minimum: 1, description: "Output limit where the request names none." },
			rules: { type: "array", items: RULE, description: "First match wins." },
		},
	});
}

/** Every request that calls models may have these fields. A `null` counts as absent. */
export function ruleFields() {
	return {
		brain_config: routingConfigField().nullish().describe("A routing config."),
		compliance: policyField().nullish().describe("Which models may see the request."),
	};
}
