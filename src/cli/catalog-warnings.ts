// What may be a slip in an operator's catalog although the service takes it: prices far from their tier's, providers without a model;
// and what only a local service takes. Pure.
import type { Catalog } from "../catalog/catalog.ts";
import { TIERS, type Tier } from "../catalog/vocabulary.ts";
import { type DocumentFault, inDocumentOrder } from "../faults.ts";
import { isJsonObject } from "../json.ts";
import type { AddressRules } from "../operator-catalog/address.ts";
import { splitEncoders } from "../operator-catalog/encoders.ts";
import { extendCatalog, toRows } from "../operator-catalog/extend.ts";
import { type OperatorRows, operatorCatalogSchema } from "../operator-catalog/rows.ts";

/** A price so many times above or below its tier's median is likely per thousand tokens, or in cents. */
const FAR_PRICE = 100;
const RATES = ["input", "output"] as const;

function median(values: readonly number[]): number {
	const sorted = values.toSorted((a, b) => a - b);
	const middle = sorted.length / 2;
	return ((sorted[Math.ceil(middle) - 1] ?? 0) + (sorted[Math.floor(middle)] ?? 0)) / 2;
}

/** The median prices of each tier's shipped models, as they are at first. */
function medianRates({ models }: Catalog): ReadonlyMap<Tier, Record<(typeof RATES)[number], number>> {
	return new Map(
		TIERS.map((tier) => {
			const prices = models.filter((model) => model.tier === tier).flatMap((model) => model.prices[0] ?? []);
			return [
				tier,
				{ input: median(prices.map(({ input }) => input)), output: median(prices.map(({ output }) => output)) },
			];
		}),
	);
}

/** Prices far from what a tier's models cost. A 0 was written on purpose. */
function findFarPrices({ models = [] }: OperatorRows, catalog: Catalog, shipped: Catalog): DocumentFault[] {
	const medians = medianRates(shipped);
	return models.flatMap(({ id, replaces, prices = [] }, row) => {
		const tier = catalog.findModel(id ?? replaces ?? "")?.tier;
		const usual = tier && medians.get(tier);
		if (!usual) return [];
		return prices.flatMap((price, index) =>
			RATES.filter((rate) => price[rate] > usual[rate] * FAR_PRICE || price[rate] < usual[rate] / FAR_PRICE)
				.filter((rate) => price[rate] !== 0)
				.map((rate): DocumentFault => {
					const side = price[rate] > usual[rate] ? "above" : "below";
					const message = `${price[rate]} is far ${side} the ${usual[rate]} of ${tier} models; prices are USD per million tokens`;
					return { path: ["models", row, "prices", index, rate], at: "value", message };
				}),
		);
	});
}

/** Providers beside the shipped ones that nothing is called at. */
function findUnusedProviders(
	{ providers = [], models = [] }: OperatorRows,
	{ encoders }: Catalog,
	shipped: Catalog,
): DocumentFault[] {
	const used = new Set([...models, ...encoders].map(({ provider }) => provider));
	return providers.flatMap(({ id }, row) =>
		shipped.findProvider(id) || used.has(id)
			? []
			: [{ path: ["providers", row, "id"], at: "value", message: `no model is of ${id}, so that it is never called` }],
	);
}

/**
 * What may be a slip in a catalog without faults.
 * @param document the rows as they were written.
 * @param catalog what it was extended to.
 */
export function findSlips(document: unknown, catalog: Catalog, shipped: Catalog): DocumentFault[] {
	const rows = operatorCatalogSchema.parse(
		isJsonObject(document) ? toRows(splitEncoders(document).document) : document,
	);
	return inDocumentOrder(
		[...findUnusedProviders(rows, catalog, shipped), ...findFarPrices(rows, catalog, shipped)],
		document,
	);
}

/** What a deployed service refuses in a catalog that a local one takes: addresses. */
export function findLocalOnly(document: unknown, shipped: Catalog, { hosts }: AddressRules): DocumentFault[] {
	return extendCatalog(shipped, document, { isLocal: false, hosts }).faults.map((fault) => ({
		...fault,
		message: `works in a local service only: ${fault.message}`,
	}));
}
