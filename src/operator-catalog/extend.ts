// Puts an operator's rows into the shipped catalog, or names all that is wrong with them. Pure.
import { type Catalog, createCatalog } from "../catalog/catalog.ts";
import type { Model } from "../catalog/schema.ts";
import type { Tier } from "../catalog/vocabulary.ts";
import { type DocumentFault, inDocumentOrder, type Path, parseMembers } from "../faults.ts";
import { isJsonObject } from "../json.ts";
import { hashObject } from "../proof/hash.ts";
import { quoteInput, renderSuggestion } from "../suggest.ts";
import type { AddressRules } from "./address.ts";
import { checkIds, checkModel, checkProvider, checkReplaced, Faults, takenNames } from "./checks.ts";
import { type Cloud, findCloud, withProfiles, withRowIds } from "./clouds.ts";
import { mergeEncoders, readEncoders, splitEncoders } from "./encoders.ts";
import { findTemplate, given, templateName, toProviders } from "./provider-rows.ts";
import {
	type ModelRow,
	modelRowSchema,
	type OperatorRows,
	operatorCatalogSchema,
	type ProviderRow,
	providerRowSchema,
} from "./rows.ts";

/** Characters of the rows' digest in the catalog's version. */
const DIGEST_CHARS = 12;
interface ExtendedCatalog {
	/** The shipped catalog where there are faults. */
	catalog: Catalog;
	/** In the order of the document. */
	faults: DocumentFault[];
}

/** The model whose figures a model of a tier is taken to have where it has none: the tier's weakest and its slowest. */
function figuresOf(tier: Tier, { models }: Catalog): Pick<Model, "quality" | "speed"> {
	const peers = models.filter((model) => model.tier === tier);
	const least = peers.reduce(
		(low, model) => (model.quality.general < low.quality.general ? model : low),
		peers[0] as Model,
	);
	const slowest = peers.reduce(
		(slow, model) =>
			model.speed.low_effort.output_tokens_per_s < slow.speed.low_effort.output_tokens_per_s ? model : slow,
		peers[0] as Model,
	);
	return {
		quality: { general: least.quality.general, by_intent: {}, low_effort_ratio: least.quality.low_effort_ratio },
		speed: slowest.speed,
	};
}

const NO_SUPPORT = { tools: false, vision: false, json_schema: false, logprobs: false };
const PLAIN_REQUEST: Model["request"] = { max_tokens_field: "max_tokens", rejects: [] };

/** Reasoning tokens of a typical answer, where a row does not say them: the medians of the shipped models that reason. */
const DEFAULT_REASONING_TOKENS = { low_effort: 500, high_effort: 8_000 };

/** A row's members in the form of the catalog, without those that it does not say. */
function toModelMembers(row: ModelRow, kept: Partial<Model>): Partial<Model> {
	const { upstream, name, supports, reasoning, max_tokens_field, rejects, quality, speed, auto, hidden, ...rest } = row;
	const { replaces: _, same_as: __, ...members } = rest;
	return given({
		...members,
		upstream_model: upstream,
		display_name: name,
		supports: supports && { ...(kept.supports ?? NO_SUPPORT), ...given(supports) },
		reasoning: reasoning && {
			...reasoning,
			inside_max_tokens: reasoning.inside_max_tokens ?? true,
			tokens: reasoning.tokens ?? DEFAULT_REASONING_TOKENS,
		},
		request: { ...(kept.request ?? PLAIN_REQUEST), ...given({ max_tokens_field, rejects }) },
		quality: quality && { by_intent: {}, low_effort_ratio: 1, ...given(quality) },
		speed: speed && { high_effort: speed, low_effort: speed },
		hidden: hidden ? (true as const) : undefined,
		auto: auto === false ? auto : undefined,
	} as Partial<Model>);
}

/**
 * What a row keeps of the shipped model that it replaces. The same product under other terms keeps all. Another model of the same
 * provider keeps how it is called, and one of another provider only its place and what it refuses: what those cost, and how good they
 * are, is the row's to say.
 */
function toKept({ provider, upstream }: ModelRow, replaced: Model): Partial<Model> {
	const { tier, hyper_frontier, limits, supports, documents, reasoning, request, speed } = replaced;
	const place = {
		tier,
		hyper_frontier,
		display_name: replaced.display_name,
		request: { ...PLAIN_REQUEST, rejects: request.rejects },
	};
	if ((provider ?? replaced.provider) !== replaced.provider) return place;
	if ((upstream ?? replaced.upstream_model) === replaced.upstream_model) return replaced;
	const called = { provider: replaced.provider, limits, supports, reasoning, request, speed };
	return { ...place, ...called, ...(documents ? { documents } : {}) };
}

/** What a row keeps of the shipped model that it is at another provider: all but what it costs there, and what that lacks. */
function toSame({ prices: _, id: __, provider: ___, ...same }: Model, cloud: Cloud | undefined): Partial<Model> {
	const lacks: readonly string[] = cloud?.lacks ?? [];
	return Object.fromEntries(Object.entries(same).filter(([name]) => !lacks.includes(name)));
}

/** The shipped model that a member names; null, and noted, where there is none. */
function findShipped(
	row: ModelRow,
	member: "replaces" | "same_as",
	path: Path,
	shipped: Catalog,
	faults: Faults,
): Model | null | undefined {
	const id = row[member];
	if (id === undefined) return undefined;
	const found = shipped.findModel(id);
	if (found) return found;
	const hint = renderSuggestion(
		id,
		shipped.models.map((model) => model.id),
	);
	faults.add([...path, member], `no shipped model is ${quoteInput(id)}${hint}`);
	return null;
}

/** A model of a row; null where it lacks something. @param cloud of its provider. */
function toModel(row: ModelRow, path: Path, shipped: Catalog, cloud: Cloud | undefined, faults: Faults): Model | null {
	const replaced = findShipped(row, "replaces", path, shipped, faults);
	const same = findShipped(row, "same_as", path, shipped, faults);
	if (replaced === null || same === null) return null;
	const kept: Partial<Model> = { ...(replaced ? toKept(row, replaced) : {}), ...(same ? toSame(same, cloud) : {}) };
	const id = row.id ?? replaced?.id;
	const members = { ...kept, ...toModelMembers(row, kept), id };
	if (!faults.require(members, ["id", "provider", "tier", "prices", "limits"], path) || id === undefined) return null;
	const aliases = [...(row.aliases ?? []), ...(replaced && replaced.id !== id ? [replaced.id] : [])];
	return {
		upstream_model: id,
		display_name: id,
		hyper_frontier: false,
		released: null,
		knowledge_cutoff: null,
		open_weights: false,
		supports: NO_SUPPORT,
		reasoning: null,
		answer_length: null,
		...figuresOf(members.tier as Tier, shipped),
		...members,
		id,
		owner: "operator",
		...(aliases.length > 0 ? { aliases: [...new Set(aliases)] } : {}),
		...(members.quality ? {} : { assumed_quality: true, ...(row.auto ? {} : { auto: false }) }),
	} as Model;
}

/** Ids of the models that the Free plan may call: the shipped ones or what takes their place, and rows that say so. */
function toFreeModels(catalog: Catalog, shipped: Catalog): string[] {
	const kept = shipped.freeModels
		.flatMap((id) => catalog.findModel(id) ?? [])
		.filter(({ plans }) => !plans || plans.includes("free"));
	const opened = catalog.models.filter(({ plans }) => plans?.includes("free"));
	return [...new Set([...kept, ...opened])].map(({ id }) => id);
}

/** The shipped models with those of rows in the places that they take, and behind them the others. */
function mergeModels(rows: readonly ModelRow[], own: readonly Model[], shipped: Catalog): Model[] {
	const places = new Map(rows.map(({ replaces }, index) => [replaces, own[index]]));
	const isNew = rows.map(({ replaces }) => replaces === undefined);
	return [...shipped.models.map((model) => places.get(model.id) ?? model), ...own.filter((_, index) => isNew[index])];
}

/** The version of a catalog with rows: the shipped one's and the rows' digest. */
function toVersion(document: Readonly<Record<string, unknown>>, { version }: Catalog): string {
	const digest = hashObject({ type: "svc.catalog.v1", ...document }).slice("sha256:".length);
	return `${version}+${digest.slice(0, DIGEST_CHARS)}`;
}

/** The rows of a document, each provider with an id. */
export function toRows(document: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
	return "providers" in document ? { ...document, providers: withRowIds(document["providers"]) } : document;
}

interface ReadRows {
	/** Null for one with a fault. */
	providerRows: (ProviderRow | null)[];
	/** Of one with a fault the members that have none. */
	modelRows: ModelRow[];
	schemaFaults: DocumentFault[];
}

/** Reads rows one by one where some have faults, so that all mistakes of the others are found, too. */
function readRows(document: Readonly<Record<string, unknown>>): ReadRows {
	const { value, faults: schemaFaults } = parseMembers(operatorCatalogSchema, document);
	const written = (list: keyof OperatorRows) => (Array.isArray(document[list]) ? document[list] : []);
	return {
		providerRows: value.providers ?? written("providers").map((row) => providerRowSchema.safeParse(row).data ?? null),
		modelRows: value.models ?? written("models").map((row) => parseMembers(modelRowSchema, row).value),
		schemaFaults,
	};
}

/**
 * The shipped catalog with an operator's rows in it. A catalog with a fault is not applied in part: it is the shipped one.
 * @param document the rows as they were written, as plain values.
 */
export function extendCatalog(shipped: Catalog, document: unknown, rules: AddressRules): ExtendedCatalog {
	if (document === null || document === undefined) return { catalog: shipped, faults: [] };
	if (!isJsonObject(document))
		return {
			catalog: shipped,
			faults: [{ path: [], at: "value", message: "must be a mapping of providers and models" }],
		};
	const split = splitEncoders(document);
	const { providerRows, modelRows, schemaFaults } = readRows(toRows(split.document));
	const faults = new Faults();
	const fields = new Map(
		providerRows.flatMap((row) =>
			row ? [[row.id, row.max_tokens_field ?? findTemplate(row).max_tokens_field] as const] : [],
		),
	);
	const clouds = new Map(providerRows.flatMap((row) => (row ? [[row.id, findCloud(templateName(row))] as const] : [])));
	const rows = modelRows.map((row) => ({
		...row,
		max_tokens_field: row.max_tokens_field ?? fields.get(row.provider ?? ""),
	}));
	const providers = toProviders(providerRows, shipped, rules, faults);
	const byId = new Map(providers.map((provider) => [provider.id, provider]));
	const faulty = new Set(schemaFaults.map(({ path: [list, index] }) => `${list}.${index}`));
	const made = rows.map((row, index) => {
		// What it lacks may be a member with a fault.
		if (faulty.has(`models.${index}`) || split.rows.has(index)) return null;
		return toModel(row, ["models", index], shipped, clouds.get(row.provider ?? ""), faults);
	});
	// Where the list of providers is at fault itself, each model that names one of them would be named, too.
	const knowsProviders = !schemaFaults.some(({ path: [list] }) => list === "providers");
	for (const [index, model] of made.entries()) {
		const path = ["models", index];
		const provider = model?.provider ?? rows[index]?.provider;
		if (provider !== undefined && knowsProviders) checkProvider(provider, path, byId, faults);
		if (model) checkModel(model, path, byId, faults);
	}
	const encoders = readEncoders(split.rows, shipped, byId, faults);
	const named = rows.map((row, index) => encoders.rows.get(index) ?? row);
	const anyModels = made.map((model, index) => encoders.made.get(index) ?? model);
	checkIds(named, anyModels, takenNames(named, providers, shipped), faults);
	checkReplaced(named, faults);
	const all = [...schemaFaults, ...encoders.schemaFaults, ...faults.list];
	if (all.length > 0) return { catalog: shipped, faults: inDocumentOrder(all, document) };
	if (rows.length === 0 && providerRows.length === 0) return { catalog: shipped, faults: [] };
	const own = made.filter((model) => model !== null);
	const models = mergeModels(
		rows.filter((_, index) => !split.rows.has(index)),
		own,
		shipped,
	);
	const merged = createCatalog({
		...shipped,
		version: toVersion(document, shipped),
		models,
		encoders: mergeEncoders(encoders, shipped),
		providers: withProfiles(providers, models),
	});
	return { catalog: createCatalog({ ...merged, freeModels: toFreeModels(merged, shipped) }), faults: [] };
}
