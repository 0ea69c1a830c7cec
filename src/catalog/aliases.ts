// Finds the catalog's model for an id that clients write: in another spelling, behind the name of its provider, of another version, of
// a dated snapshot. The families are a table (aliases.json); an id of none of them has no alias. Pure.
import aliasesFile from "./aliases.json" with { type: "json" };
import { type Catalog, perCatalog } from "./catalog.ts";
import type { EncoderModel } from "./encoder.ts";
import type { AliasesFile, Model } from "./schema.ts";

// Not parsed here, as the other data files: the catalog test checks it against its schema.
const { brands, prefixes }: AliasesFile = aliasesFile;

/** Claude Code's mark for the long context, which every model has by itself. */
const LONG_CONTEXT = /\[1m\]$/;

/** A snapshot's day or number: `-20251101`, `@20251101`, `-2025-12-11`, `-09-2025`, `-05-06`, `-001`, `-2411`, `-0613` of OpenAI's older ones. */
const SNAPSHOT = /(?:[-@]\d{8}|-\d{4}-\d{2}-\d{2}|-(?:0\d|1[0-2])-\d{2}(?:\d{2})?|-00\d|-[0-2]\d{3})(?=-|$)/;

const VERSION = /^\d{1,2}(?:\.\d+)?(?=o?$)/;

/** An id in its parts: `gpt-5.1-codex-mini` is brand `gpt`, version 5.1, words `codex` and `mini`. */
interface IdParts {
	brand: string;
	/** Null where the id has none. */
	version: number | null;
	words: string[];
}

function parseModelId(id: string): IdParts | null {
	const [, brand, first = "", rest = ""] = /^([a-z]+)(\d*(?:\.\d+)?)((?:-[a-z0-9.]+)*)$/.exec(id) ?? [];
	if (brand === undefined) return null;
	const parts = [...(first === "" ? [] : [first]), ...rest.split("-").slice(1)];
	// Anthropic writes 4.5 as 4-5.
	const digits = parts.flatMap((part) => VERSION.exec(part)?.[0] ?? []);
	if (digits.length > 2) return null;
	const version = digits.length === 0 ? null : Number(digits.join("."));
	return { brand, version, words: parts.filter((part) => !VERSION.test(part)) };
}

/** The id of the family's model whose version is nearest; of two as near, and without a version, the newer. */
function nearestModel(models: AliasesFile["brands"][number]["families"][number]["models"], asked: number | null) {
	const distance = (version: number) => (asked === null ? 0 : Math.abs(version - asked));
	return models.toSorted((a, b) => distance(a.version) - distance(b.version) || b.version - a.version)[0]?.id;
}

/** What an id means in a catalog. */
export interface NamedModel {
	model: Model;
	/** The id is that model's own, whatever its spelling and its prefix; else the model is the nearest of the id's family. */
	isExact: boolean;
}

/** An id in one spelling: OpenRouter writes 5-5 as 5.5. */
export function toSpelling(id: string): string {
	return id.toLowerCase().replace(LONG_CONTEXT, "").replaceAll(".", "-");
}

/** Models by the spellings of their ids, and of what their providers call them. What an operator adds takes no shipped model's. */
const modelsBySpelling = perCatalog(({ models }) => {
	// Of two that stand for the same, the last entry counts: an id before a provider's name, the shipped before the operator's.
	return new Map([
		...models.toReversed().map((model) => [toSpelling(model.upstream_model), model] as const),
		...models.flatMap((model) => [...(model.aliases ?? []), model.id].map((id) => [toSpelling(id), model] as const)),
	]);
});

/** The nearest model of the family that an id belongs to; null where it belongs to none. */
function findRelative(id: string, { findModel }: Catalog): Model | null {
	const parts = parseModelId(
		id
			.replace(LONG_CONTEXT, "")
			.replace(/-latest$/, "")
			.replace(SNAPSHOT, ""),
	);
	const brand = brands.find(({ brand: name }) => name === parts?.brand);
	if (!parts || !brand) return null;
	const word = parts.words.filter((name) => !brand.silent.includes(name)).join("-") || null;
	const family = brand.families.find((each) => each.word === word);
	const nearest = family && nearestModel(family.models, parts.version);
	return (nearest !== undefined && findModel(nearest)) || null;
}

/** What an id without a prefix means. */
function findBare(id: string, catalog: Catalog): NamedModel | null {
	const own = modelsBySpelling(catalog).get(toSpelling(id));
	if (own) return { model: own, isExact: true };
	const relative = findRelative(id.toLowerCase(), catalog);
	return relative && { model: relative, isExact: false };
}

/** What an id means; null where it means nothing. Behind a prefix, it means a model of that provider. */
export function findNamedModel(id: string, catalog: Catalog): NamedModel | null {
	const model = catalog.findModel(id);
	if (model) return { model, isExact: true };
	const bare = findBare(id, catalog);
	const slash = id.indexOf("/");
	if (bare || slash < 0) return bare;
	const prefix = id.slice(0, slash).toLowerCase();
	const provider = Object.hasOwn(prefixes, prefix) ? prefixes[prefix] : prefix;
	const named = findBare(id.slice(slash + 1), catalog);
	return named?.model.provider === provider ? named : null;
}

/** The catalog's model of an id, or the one that stands for it; null where there is neither. */
export function findModelOrAlias(id: string, catalog: Catalog): Model | null {
	return findNamedModel(id, catalog)?.model ?? null;
}

/** The catalog's model whose own id this is, whatever its spelling and its prefix; null where it is none's. */
export function findExactModel(id: string, catalog: Catalog): Model | null {
	const named = findNamedModel(id, catalog);
	return named?.isExact ? named.model : null;
}

/** Encoder models by the spellings of their ids, and of what their providers call them. */
const encodersBySpelling = perCatalog(
	({ encoders }) =>
		new Map([
			...encoders.toReversed().map((model) => [toSpelling(model.upstream_model), model] as const),
			...encoders.flatMap((model) =>
				[...(model.aliases ?? []), model.id].map((id) => [toSpelling(id), model] as const),
			),
		]),
);

/** The encoder model that an id means, in whatever spelling, and behind the name of its provider; null where it is none's. */
export function findNamedEncoder(id: string, catalog: Catalog): EncoderModel | null {
	const own = catalog.findEncoder(id) ?? encodersBySpelling(catalog).get(toSpelling(id));
	const slash = id.indexOf("/");
	if (own || slash < 0) return own ?? null;
	const prefix = id.slice(0, slash).toLowerCase();
	const provider = Object.hasOwn(prefixes, prefix) ? prefixes[prefix] : prefix;
	const named = encodersBySpelling(catalog).get(toSpelling(id.slice(slash + 1)));
	return named && named.provider === provider ? named : null;
}
