// Models of Bedrock, of which none ships: an operator's catalog with a region and two models, one of which always reasons.
import { CATALOG } from "../../src/catalog/shipped.ts";
import { extendCatalog } from "../../src/operator-catalog/extend.ts";

const row = {
	provider: "bedrock-eu-central-1",
	tier: "premium",
	prices: { input: 3.3, output: 16.5, cached_input: 0.33, cache_write: 4.125 },
	limits: { context_window: 200_000, max_output_tokens: 64_000 },
	supports: { tools: true, vision: true, json_schema: true },
	reasoning: { control: "anthropic_effort", efforts: ["none", "low", "high"] },
};

export const BEDROCK_ROWS = {
	providers: [{ template: "bedrock", region: "eu-central-1" }],
	models: [
		{ ...row, id: "bedrock-claude", upstream: "eu.anthropic.claude-sonnet-4-6" },
		{
			...row,
			id: "bedrock-thinker",
			upstream: "global.anthropic.claude-opus-4-6-v1",
			reasoning: { ...row.reasoning, efforts: ["low", "high"] },
			rejects: ["temperature", "top_p"],
		},
	],
};

/** The shipped catalog with those rows. */
export const BEDROCK_CATALOG = (() => {
	const { catalog, faults } = extendCatalog(CATALOG, BEDROCK_ROWS, { isLocal: false, hosts: new Set() });
	if (faults.length > 0) throw new Error(JSON.stringify(faults));
	return catalog;
})();

/** Settings of a service that has them. */
export const WITH_BEDROCK = { CATALOG: JSON.stringify(BEDROCK_ROWS) };

/** Bedrock alone does not say how many tokens of an answer were reasoning. */
export function countsReasoning(modelId: string): boolean {
	return !BEDROCK_ROWS.models.some(({ id }) => id === modelId);
}
