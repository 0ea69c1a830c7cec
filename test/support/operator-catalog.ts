// An operator's catalog as contract tests have it: models of a provider of its own and of shipped ones, free, hidden, replaced and under
// other names.

const limits = { context_window: 32_768, max_output_tokens: 4_096 };

export const OPERATOR_CATALOG = {
	providers: [{ id: "own-server", base_url: "https://models.example.com/v1" }],
	models: [
		{
			id: "own/free",
			provider: "own-server",
			tier: "budget",
			prices: { input: 0, output: 0 },
			limits,
			plans: ["free", "pro", "corporate"],
		},
		{
			id: "own/chosen",
			provider: "own-server",
			upstream: "chosen:70b",
			tier: "mid",
			prices: { input: 0.05, output: 0.1 },
			limits,
			supports: { tools: true, vision: true, json_schema: true },
			quality: { general: 0.8 },
			aliases: ["own-alias"],
		},
		{
			id: "own/hidden",
			provider: "openai",
			tier: "premium",
			prices: { input: 90_000, output: 90_000 },
			limits,
			hidden: true,
		},
		{ replaces: "gpt-5-nano", prices: { input: 0.01, output: 0.02 } },
	],
};

/** What a request may call them. */
export const OPERATOR_IDS = ["own/free", "own/chosen", "own-alias", "own/hidden", "own-server"];
