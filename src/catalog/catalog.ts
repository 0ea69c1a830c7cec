// A model catalog: data with the look-ups everything else uses. The one that ships is shipped.ts. Pure.
import type { Model, Provider } from "./schema.ts";
import type { Tier } from "./vocabulary.ts";

/** What a catalog is made of. */
export interface CatalogData {
	/** Date of the data, part of every receipt. */
	version: string;
	models: readonly Model[];
	providers: readonly Provider[];
	/** Ids of the models that a Free key may call. */
	freeModels: readonly string[];
}

export interface Catalog extends CatalogData {
	/** The model of an id, or undefined. */
	findModel(id: string): Model | undefined;
	/** The provider of an id, or undefined. */
	findProvider(id: string): Provider | undefined;
	/** The provider that serves a model of this catalog. */
	providerOf(model: Model): Provider;
}

/** Indexes a catalog's data. */
export function createCatalog(data: CatalogData): Catalog {
	const models = new Map(data.models.map((model) => [model.id, model]));
	const providers = new Map(data.providers.map((provider) => [provider.id, provider]));
	return {
		...data,
		findModel: (id) => models.get(id),
		findProvider: (id) => providers.get(id),
		providerOf(model) {
			const provider = providers.get(model.provider);
			if (!provider) throw new Error(`catalog: model ${model.id} names no known provider`);
			return provider;
		},
	};
}

/** Ids that route within an intensity tier (docs/reference.md, "Routing"). */
export const INTENSITIES: Readonly<Record<string, { name: "Laser" | "Halo" | "Foton"; tiers: readonly Tier[] }>> = {
	"laser-1": { name: "Laser", tiers: ["premium", "frontier"] },
	"halo-1": { name: "Halo", tiers: ["mid"] },
	"foton-1": { name: "Foton", tiers: ["budget"] },
};

/** Derives something from each catalog once, on first use. */
export function perCatalog<T>(make: (catalog: Catalog) => T): (catalog: Catalog) => T {
	const made = new WeakMap<Catalog, { value: T }>();
	return (catalog) => {
		const known = made.get(catalog) ?? { value: make(catalog) };
		made.set(catalog, known);
		return known.value;
	};
}
