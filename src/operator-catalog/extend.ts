import { type Catalog, createCatalog } from "../catalog/catalog.ts";
import type { Model, OperatorFacts, Provider } from "../catalog/schema.ts";
import { TIERS, type Tier } from "../catalog/vocabulary.ts";
import { type DocumentFault, inDocumentOrder, type Path, parseMembers } from "../faults.ts";
import { isJsonObject } from "../json.ts";
import { hashObject } from "../proof/hash.ts";
import { quoteInput, renderSuggestion } from "../suggest.ts";
import { type AddressRules, findAddressFault, stripTrailingSlash } from "./address.ts";
import {
	checkIds,
	checkModel,
	checkProvider,
	checkReplaced,
	checkTwins,
	Faults,
	ROUTED_IDS,
	takenNames,
} from "./checks.ts";
import { fillAddress, findCloud, publishedFacts, regionIds, withProfiles, withRowIds } from "./clouds.ts";
import { mergeEncoders, readEncoders, splitEncoders } from "./encoders.ts";
import {
	type ModelRow,
	modelRowSchema,
	type OperatorRows,
	operatorCatalogSchema,
	type ProviderRow,
	providerRowSchema,
} from "./rows.ts";
import templates from "./templates.json" with { type: "json" };

/** Characters of the rows' digest in the catalog's version. */
const DIGEST_CHARS = 12;
/** Words of lists of models, and the name under which clients keep the service's own key. */
const RESERVED_PROVIDERS: readonly string[] = [...ROUTED_IDS, ...TIERS, "svc"];

/** What is known of the dialect of a provider of the operator's: the plainest form. */
const PLAIN_DIALECT = {
	key_env_alternatives: [],
	drops: [],
	renames: {},
	stream_usage: "ask",
	tool_call_ids: "common",
	shows_reasoning: false,
	passes: [],
	custom_tools: false,
	returns_reasoning: false,
} as const;

interface ExtendedCatalog {
	/** The shipped catalog where there are faults. */
	catalog: Catalog;
	/** In the order of the document. */
	faults: DocumentFault[];
}

/** The members of an object that have a value. */
function given<T extends object>(row: T): Partial<T> {
	return Object.fromEntries(Object.entries(row).filter(([, value]) => value !== undefined)) as Partial<T>;
}

const toPrefix = (id: string) => id.toUpperCase().replaceAll("-", "_");

/** The template that a row names, or whose name is its id. */
function templateName({ id, template }: Pick<ProviderRow, "id" | "template">): keyof typeof templates | undefined {
	return template ?? (Object.hasOwn(templates, id) ? (id as keyof typeof templates) : undefined);
}

/** The members of a row's template. Two providers of one template do not share its name. */
function findTemplate(row: Pick<ProviderRow, "id" | "template">): Partial<ProviderRow> {
	const found = templateName(row);
	if (!found) return {};
	const { name, ...members } = templates[found] as Partial<ProviderRow>;
	return { ...members, ...(name === undefined ? {} : { name: row.id === found ? name : `${name} (${row.id})` }) };
}

/** What an operator says of a provider, with the parent that is known of its cloud. */
function toFacts({ facts }: ProviderRow, parent: string | undefined, path: Path, faults: Faults): OperatorFacts {
	const { jurisdiction, ...others } = facts ?? {};
	if (!jurisdiction) return given(others);
	const known = jurisdiction.parent ?? parent;
	if (known === undefined) faults.add([...path, "facts", "jurisdiction"], "needs parent");
	return { ...given(others), jurisdiction: { contract: jurisdiction.contract, parent: known ?? "" } };
}

/** The address and paths of a row, and what its cloud publishes of the region that is called there; null where it lacks something. */
function toPlace(
	row: ProviderRow,
	{ base_url, paths, api_version }: Partial<ProviderRow>,
	path: Path,
	faults: Faults,
): Pick<Provider, "base_url" | "paths" | "published"> | null {
	const cloud = findCloud(templateName(row));
	const isCloudsOwn = cloud !== undefined && row.base_url === undefined;
	if (isCloudsOwn && row.region !== undefined && !regionIds(cloud).includes(row.region)) {
		const hint = renderSuggestion(row.region, regionIds(cloud));
		const way = "one that is new needs base_url and facts.regions";
		faults.add([...path, "region"], `${quoteInput(row.region)} is no region that is known here${hint}; ${way}`);
		return null;
	}
	if (base_url === undefined) {
		faults.add(path, "needs base_url");
		return null;
	}
	const parts = { ...row, api_version: row.api_version ?? api_version };
	const filled = [base_url, paths?.whole ?? "", paths?.stream ?? ""].map((text) => fillAddress(text, parts, cloud));
	const [address = "", whole = "", stream = ""] = filled.map((each) => each.address);
	const missing = [...new Set(filled.flatMap((each) => each.missing))];
	if (missing.length > 0) {
		faults.add(path, `needs ${missing.join(", ")}${isCloudsOwn ? ", or base_url" : ""}`);
		return null;
	}
	return {
		base_url: address,
		...(paths ? { paths: { whole, stream } } : {}),
		...(isCloudsOwn ? { published: publishedFacts(cloud, row.region) } : {}),
	};
}

/** A provider of a row; null where it lacks something. */
function toProvider(row: ProviderRow, path: Path, shipped: Catalog, faults: Faults): Provider | null {
	const {
		template: named,
		max_tokens_field: _,
		project: __,
		resource: ___,
		api_version: ____,
		facts,
		...members
	} = row;
	const known = shipped.findProvider(row.id);
	if (known && named !== undefined)
		faults.add([...path, "template"], `${row.id} ships with the service and has no template`);
	if (known && row.wire !== undefined && row.wire !== known.wire)
		faults.add([...path, "wire"], `${row.id} ships with the service and speaks ${known.wire}; give another id`);
	const { max_tokens_field: _____, api_version, ...template } = findTemplate(row);
	const base = known ?? { ...PLAIN_DIALECT, name: row.id, wire: "openai" as const, ...template };
	const { remote_images, ...provider } = { ...base, ...given(members), owner: "operator" as const };
	// A signature is for one region, wherever the address leads.
	if (provider.auth === "aws" && !faults.require(provider, ["region"], path)) return null;
	const place = toPlace(row, { ...given(provider as Partial<ProviderRow>), api_version }, path, faults);
	if (!place) return null;
	const isMoved = known !== undefined && stripTrailingSlash(known.base_url) !== stripTrailingSlash(place.base_url);
	return {
		env_prefix: toPrefix(row.id),
		...provider,
		...place,
		...(remote_images === false ? { remote_images } : {}),
		...(facts ? { facts: toFacts(row, findCloud(templateName(row))?.parent, path, faults) } : {}),
		...(isMoved ? { product_url: known.base_url } : {}),
	} as Provider;
}

/** The providers of an extended catalog. */
function toProviders(
	rows: readonly (ProviderRow | null)[],
	shipped: Catalog,
	rules: AddressRules,
	faults: Faults,
): Provider[] {
	const own = new Map<string, Provider>();
	for (const [index, row] of rows.entries()) {
		if (!row) continue;
		const path = ["providers", index];
		if (own.has(row.id)) faults.add([...path, "id"], `${quoteInput(row.id)} stands here twice`);
		if (RESERVED_PROVIDERS.includes(row.id)) faults.add([...path, "id"], `${quoteInput(row.id)} is taken`);
		const provider = toProvider(row, path, shipped, faults);
		if (!provider) continue;
		own.set(row.id, provider);
		const addressFault = findAddressFault(provider.base_url, rules);
		if (addressFault !== null) faults.add(row.base_url === undefined ? path : [...path, "base_url"], addressFault);
		const others = [...shipped.providers.filter(({ id }) => !own.has(id)), ...own.values()];
		checkTwins(
			provider,
			others.filter(({ id }) => id !== row.id),
			path,
			faults,
		);
	}
	const kept = shipped.providers.map((provider) => own.get(provider.id) ?? provider);
	return [...kept, ...[...own.values()].filter(({ id }) => !shipped.findProvider(id))];
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

/** What a row keeps of the shipped model that it is at another provider: all but what it costs there. */
function toSame({ prices: _, id: __, provider: ___, ...same }: Model): Partial<Model> {
	return same;
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

/** A model of a row; null where it lacks something. */
function toModel(row: ModelRow, path: Path, shipped: Catalog, faults: Faults): Model | null {
	const replaced = findShipped(row, "replaces", path, shipped, faults);
	const same = findShipped(row, "same_as", path, shipped, faults);
	if (replaced === null || same === null) return null;
	const kept: Partial<Model> = { ...(replaced ? toKept(row, replaced) : {}), ...(same ? toSame(same) : {}) };
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
		return toModel(row, ["models", index], shipped, faults);
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
