// Names of providers in the GenAI conventions' list of well-known values; others keep the catalog's. Pure.

const WELL_KNOWN: ReadonlyMap<string, string> = new Map([
	["openai", "openai"],
	["anthropic", "anthropic"],
	["google", "gcp.gemini"],
	["mistral", "mistral_ai"],
	["xai", "x_ai"],
	["deepseek", "deepseek"],
	["cohere", "cohere"],
	["groq", "groq"],
	["moonshot", "moonshot_ai"],
]);

/** Rows of clouds, by the ids that follow from their templates. */
const CLOUDS: readonly [RegExp, string][] = [
	[/^bedrock(?:-|$)/, "aws.bedrock"],
	[/^vertex(?:-|$)/, "gcp.vertex_ai"],
	[/^azure-openai(?:-|$)/, "azure.ai.openai"],
];

/** The value of `gen_ai.provider.name` for a provider of the catalog. */
export function toProviderName(provider: string): string {
	return WELL_KNOWN.get(provider) ?? CLOUDS.find(([ids]) => ids.test(provider))?.[1] ?? provider;
}
