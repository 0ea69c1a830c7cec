// The model catalog: the data files, typed, with the look-ups everything else uses.
import modelsFile from "./models.json" with { type: "json" };
import providersFile from "./providers.json" with { type: "json" };
import type { Model, Provider } from "./schema.ts";
import type { Tier } from "./vocabulary.ts";

/** Date of the data, part of every receipt. */
export const CATALOG_VERSION: string = modelsFile.version;

// Trusted as they are: the files ship with the code, the catalog test checks them against schema.ts, and parsing them
// here would take a fifth of the Worker's start-up.
export const MODELS = modelsFile.models as unknown as readonly Model[];
export const PROVIDERS = providersFile.providers as unknown as readonly Provider[];

const modelsById = new Map(MODELS.map((model) => [model.id, model]));
const providersById = new Map(PROVIDERS.map((provider) => [provider.id, provider]));

/** The catalog model of that id, or undefined. */
export function findModel(id: string): Model | undefined {
	return modelsById.get(id);
}

/** The provider of that id, or undefined. */
export function findProvider(id: string): Provider | undefined {
	return providersById.get(id);
}

/** The provider that serves a model; the catalog test proves that each model has one. */
export function providerOf(model: Model): Provider {
	const provider = providersById.get(model.provider);
	if (!provider) throw new Error(`catalog: model ${model.id} names no known provider`);
	return provider;
}

/** The three cheapest budget models (spec section 8, rule 2), all that a Free key may call. */
export const FREE_MODELS: readonly string[] = ["llama-3.2-3b-instruct", "gpt-5-nano", "gemini-2.5-flash-lite"];

/** Ids that route within an intensity tier (spec 2.20). */
export const INTENSITIES: Readonly<Record<string, { name: "Laser" | "Halo" | "Foton"; tiers: readonly Tier[] }>> = {
	"laser-1": { name: "Laser", tiers: ["premium", "frontier"] },
	"halo-1": { name: "Halo", tiers: ["mid"] },
	"foton-1": { name: "Foton", tiers: ["budget"] },
};
