// A model catalog: its data, and look-ups by id. The one that ships is in shipped.ts. Pure.
import type { EncoderModel } from "./encoder.ts";
import type { Model, Provider } from "./schema.ts";
import type { QualityIntent, Tier } from "./vocabulary.ts";

/** The data of a catalog. */
interface CatalogData {
	/** Date of the data; part of every receipt. */
	version: string;
	/** By intent: how much easier its public test is than the general one, in logits. */
	testEase: Readonly<Partial<Record<QualityIntent, number>>>;
	models: readonly Model[];
	/** The models that make no text: they stand in no list of models that answer. */
	encoders: readonly EncoderModel[];
	providers: readonly Provider[];
	/** Ids of the models that the Free plan may call. */
	freeModels: readonly string[];
}

/** A catalog with look-ups by id. */
export interface Catalog extends CatalogData {
	/** The model that an id means, or an alias of an operator's row; undefined where it means none. */
	findModel(id: string): Model | undefined;
	/** The encoder model that an id means, or an alias of an operator's row. */
	findEncoder(id: string): EncoderModel | undefined;
	/** The provider with this id, or undefined. */
	findProvider(id: string): Provider | undefined;
	/**
	 * The provider of a model in this catalog.
	 * @throws when the catalog does not have it.
	 */
	providerFor(model: Pick<Model, "id" | "provider">): Provider;
}

/** Rows by their ids and aliases. */
function indexById<Row extends Pick<Model, "id" | "aliases">>(rows: readonly Row[]): Map<string, Row> {
	return new Map([
		...rows.flatMap((row) => (row.aliases ?? []).map((alias) => [alias, row] as const)),
		...rows.map((row) => [row.id, row] as const),
	]);
}

/** Indexes a catalog's data by id. */
export function createCatalog(data: CatalogData): Catalog {
	const models = indexById(data.models);
	const encoders = indexById(data.encoders);
	const providers = new Map(data.providers.map((provider) => [provider.id, provider]));
	return {
		...data,
		findModel: (id) => models.get(id),
		findEncoder: (id) => encoders.get(id),
		findProvider: (id) => providers.get(id),
		providerFor(model) {
			const provider = providers.get(model.provider);
			if (!provider) throw new Error(`catalog: model ${model.id} names no known provider`);
			return provider;
		},
	};
}

/** The tiers of each intensity, by the id that a client sends as `model` (docs/reference/models.md, "Routing"). */
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

/** The models that lists show. Who names a hidden one is answered. */
export const listedModels = perCatalog(({ models }) => models.filter(({ hidden }) => !hidden));

/** Whether a request that does not name the model may be answered by it. */
export function isChoosable({ auto, hidden }: Pick<Model, "auto" | "hidden">): boolean {
	return auto !== false && !hidden;
}

/** The models that requests are routed over that name none. */
export const choosableModels = perCatalog(({ models }) => models.filter(isChoosable));
