// Finds the catalog's model for an id that its provider has, or had: of another version, of a dated snapshot, with a suffix. The
// families are a table (aliases.json); an id of none of them has no alias. Pure.
import aliasesFile from "./aliases.json" with { type: "json" };
import type { Catalog } from "./catalog.ts";
import type { AliasesFile, Model } from "./schema.ts";

// Not parsed here, as the other data files: the catalog test checks it against its schema.
const { brands }: AliasesFile = aliasesFile;

/** Claude Code's mark for the long context, which every model has by itself. */
const LONG_CONTEXT = /\[1m\]$/;

/** A snapshot's day: `-20251101`, `@20251101`, `-2025-12-11`, or `-0613` of OpenAI's older ones. */
const SNAPSHOT = /(?:[-@]\d{8}|-\d{4}-\d{2}-\d{2}|-[01]\d{3})(?=-|$)/;

const VERSION = /^\d{1,2}(?:\.\d+)?(?=o?$)/;

/** An id in its parts: `gpt-5.1-codex-mini` is brand `gpt`, version 5.1, words `codex` and `mini`. */
interface IdParts {
	brand: string;
	/** Null where the id has none. */
	version: number | null;
	words: string[];
}

function parseModelId(id: string): IdParts | null {
	const [, brand, first = "", rest = ""] = /^([a-z]+)(\d*)((?:-[a-z0-9.]+)*)$/.exec(id) ?? [];
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

/** The catalog's model of an id, or the one that stands for it; null where there is neither. */
export function findModelOrAlias(id: string, { findModel }: Pick<Catalog, "findModel">): Model | null {
	const unmarked = id.toLowerCase().replace(LONG_CONTEXT, "");
	const same = findModel(id) ?? findModel(unmarked);
	if (same) return same;
	const parts = parseModelId(unmarked.replace(/-latest$/, "").replace(SNAPSHOT, ""));
	const brand = brands.find(({ brand: name }) => name === parts?.brand);
	if (!parts || !brand) return null;
	const [word = null, ...others] = parts.words.filter((name) => !brand.silent.includes(name));
	const family = others.length === 0 ? brand.families.find((each) => each.word === word) : undefined;
	const nearest = family && nearestModel(family.models, parts.version);
	return (nearest !== undefined && findModel(nearest)) || null;
}
