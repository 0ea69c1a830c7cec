// Catalogs of operators with many models, for measuring what they cost those who do not name them. Pure.

const PROVIDERS = 10;
export const OPERATOR_MODELS = 300;

/**
 * An operator's catalog of so many models at ten providers.
 * @param isAuto whether requests that name no model are routed over them, too.
 */
export function operatorRows(models: number, isAuto: boolean): Record<string, Record<string, unknown>[]> {
	return {
		providers: Array.from({ length: PROVIDERS }, (_, index) => ({
			id: `box-${index}`,
			base_url: `https://box-${index}.example/v1`,
			auth: "none",
		})),
		models: Array.from({ length: models }, (_, index) => ({
			id: `box-model-${index}`,
			provider: `box-${index % PROVIDERS}`,
			tier: "mid",
			prices: { input: 2, output: 8 },
			limits: { context_window: 131_072, max_output_tokens: 8_192 },
			supports: { tools: true },
			...(isAuto ? { auto: true } : {}),
		})),
	};
}
