// Makes a catalog of the shipped one and an operator's rows, with every fault of the rows and its path. Pure.
import { type Catalog, createCatalog, INTENSITIES } from "../catalog/catalog.ts";
import type { Model, Provider } from "../catalog/schema.ts";
import type { Tier, WireName } from "../catalog/vocabulary.ts";
import { type DocumentFault, inDocumentOrder, type Path, parseMembers } from "../faults.ts";
import { isJsonObject } from "../json.ts";
import { hashObject } from "../proof/hash.ts";
import { quoteInput, renderSuggestion } from "../suggest.ts";
import { type AddressRules, findAddressFault } from "./address.ts";
import { type ModelRow, operatorCatalogSchema, type ProviderRow } from "./rows.ts";
import templates from "./templates.json" with { type: "json" };

/** Characters of the rows' digest in the catalog's version. */
const DIGEST_CHARS = 12;
/** What a request says instead of a model's id. */
const RESERVED_IDS: readonly string[] = ["auto", ...Object.keys(INTENSITIES)];

/** The wires that can be told an effort in this way. */
const CONTROL_WIRES: Readonly<Record<NonNullable<Model["reasoning"]>["control"], WireName>> = {
	reasoning_effort: "openai",
	thinking_type: "openai",
	thinking_type_and_effort: "openai",
	enable_thinking: "openai",
	anthropic_effort: "anthropic",
	thinking_type_and_output_config: "openai",
	google_thinking_budget: "google",
	google_thinking_level: "google",
};

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

/** Collects faults of a document. */
class Faults {
	readonly list: DocumentFault[] = [];

	add(path: Path, message: string, at: DocumentFault["at"] = "value"): void {
		this.list.push({ path, at, message });
	}

	/** Notes what a row lacks; true when it lacks nothing. */
	require(row: object, names: readonly string[], path: Path): boolean {
		const missing = names.filter((name) => !Object.hasOwn(row, name) || Reflect.get(row, name) === undefined);
		if (missing.length > 0) this.add(path, `needs ${missing.join(", ")}`);
		return missing.length === 0;
	}
}

/** The members of an object that have a value. */
function given<T extends object>(row: T): Partial<T> {
	return Object.fromEntries(Object.entries(row).filter(([, value]) => value !== undefined)) as Partial<T>;
}

const toPrefix = (id: string) => id.toUpperCase().replaceAll("-", "_");

/** The members of the template that a row names, or whose name is its id. */
function findTemplate({ id, template }: ProviderRow): Partial<ProviderRow> {
	const name = template ?? (Object.hasOwn(templates, id) ? (id as keyof typeof templates) : undefined);
	return name ? (templates[name] as Partial<ProviderRow>) : {};
}

/** A provider of a row; null where it lacks something. */
function toProvider(row: ProviderRow, path: Path, shipped: Catalog, faults: Faults): Provider | null {
	const { template: named, facts: _, max_tokens_field: __, ...members } = row;
	const known = shipped.findProvider(row.id);
	if (known && named !== undefined)
		faults.add([...path, "template"], `${row.id} ships with the service and has no template`);
	const { max_tokens_field: ___, ...template } = findTemplate(row);
	const base = known ?? { ...PLAIN_DIALECT, name: row.id, wire: "openai" as const, ...template };
	const provider = { ...base, ...given(members), owner: "operator" as const };
	if (!faults.require(provider, ["base_url"], path)) return null;
	return { env_prefix: toPrefix(row.id), ...provider } as Provider;
}

/** The providers of an extended catalog, and by id the path of each row's address. */
function toProviders(rows: readonly ProviderRow[], shipped: Catalog, rules: AddressRules, faults: Faults): Provider[] {
	const own = new Map<string, Provider>();
	for (const [index, row] of rows.entries()) {
		const path = ["providers", index];
		if (own.has(row.id)) faults.add([...path, "id"], `${quoteInput(row.id)} stands here twice`);
		const provider = toProvider(row, path, shipped, faults);
		if (!provider) continue;
		own.set(row.id, provider);
		const addressFault = findAddressFault(provider.base_url, rules);
		if (addressFault !== null) faults.add(row.base_url === undefined ? path : [...path, "base_url"], addressFault);
		const others = [...shipped.providers, ...own.values()].filter(({ id }) => id !== row.id);
		const twin = others.find(({ env_prefix }) => env_prefix === provider.env_prefix);
		if (twin)
			faults.add([...path, "id"], `its key would be ${provider.env_prefix}_API_KEY, which is that of ${twin.id}`);
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

/** A row's members in the form of the catalog, without those that it does not say. */
function toModelMembers(row: ModelRow): Partial<Model> {
	const {
		upstream,
		name,
		supports,
		reasoning,
		quality,
		speed,
		hidden,
		auto: _,
		replaces: __,
		max_tokens_field: ___,
		rejects: ____,
		...members
	} = row;
	return given({
		...members,
		upstream_model: upstream,
		display_name: name,
		supports: supports && { ...NO_SUPPORT, ...given(supports) },
		reasoning: reasoning && {
			...reasoning,
			inside_max_tokens: reasoning.inside_max_tokens ?? true,
			tokens: reasoning.tokens ?? DEFAULT_REASONING_TOKENS,
		},
		quality: quality && { by_intent: {}, low_effort_ratio: 1, ...given(quality) },
		speed: speed && { high_effort: speed, low_effort: speed },
		hidden: hidden ? (true as const) : undefined,
	} as Partial<Model>);
}

/** Reasoning tokens of a typical answer, where a row does not say them: the medians of the shipped models that reason. */
const DEFAULT_REASONING_TOKENS = { low_effort: 500, high_effort: 8_000 };

/** A model of a row; null where it lacks something. */
function toModel(row: ModelRow, path: Path, shipped: Catalog, faults: Faults): Model | null {
	const replaced = row.replaces === undefined ? undefined : shipped.findModel(row.replaces);
	if (row.replaces !== undefined && !replaced) {
		const hint = renderSuggestion(
			row.replaces,
			shipped.models.map(({ id }) => id),
		);
		faults.add([...path, "replaces"], `no shipped model is ${quoteInput(row.replaces)}${hint}`);
		return null;
	}
	const members = { ...toModelMembers(row), id: row.id ?? row.replaces };
	if (!faults.require({ ...replaced, ...members }, ["id", "provider", "tier", "prices", "limits"], path)) return null;
	const id = members.id ?? "";
	const tier = (members.tier ?? replaced?.tier) as Tier;
	const isFigured = members.quality !== undefined || (replaced !== undefined && row.provider === undefined);
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
		...figuresOf(tier, shipped),
		...replaced,
		...members,
		id,
		request: {
			...(replaced?.request ?? { max_tokens_field: "max_tokens", rejects: [] }),
			...given({ max_tokens_field: row.max_tokens_field, rejects: row.rejects }),
		},
		owner: "operator",
		...(isFigured || row.auto ? {} : { auto: false as const }),
		...(row.auto === false ? { auto: false as const } : {}),
	} as Model;
}

/** Notes what does not fit together in a model. */
function checkModel(model: Model, path: Path, providers: ReadonlyMap<string, Provider>, faults: Faults): void {
	const { limits, reasoning, prices } = model;
	const provider = providers.get(model.provider);
	if (!provider) {
		const hint = renderSuggestion(model.provider, [...providers.keys()]);
		faults.add([...path, "provider"], `no provider is ${quoteInput(model.provider)}${hint}`);
	}
	if (provider && reasoning && CONTROL_WIRES[reasoning.control] !== provider.wire)
		faults.add(
			[...path, "reasoning", "control"],
			`is of the ${CONTROL_WIRES[reasoning.control]} wire, and ${provider.id} speaks ${provider.wire}`,
		);
	for (const name of ["max_output_tokens", "max_input_tokens"] as const)
		if ((limits[name] ?? 0) > limits.context_window)
			faults.add([...path, "limits", name], `must be at most context_window, ${limits.context_window}`);
	const times = prices.map(({ effective_from }) => (effective_from === null ? 0 : Date.parse(effective_from)));
	if (times.some((time, index) => index > 0 && time <= (times[index - 1] ?? 0)))
		faults.add([...path, "prices"], "must be in the order of their effective_from");
}

/** Notes ids that mean two things. */
function checkIds(
	rows: readonly ModelRow[],
	models: readonly (Model | null)[],
	shipped: Catalog,
	faults: Faults,
): void {
	const replaced = new Set(rows.map(({ replaces }) => replaces));
	const taken = new Map<string, string>(
		shipped.models
			.filter(({ id }) => !replaced.has(id))
			.map(({ id }) => [id, `the shipped model ${id}; say replaces: ${id} to change it`]),
	);
	for (const id of RESERVED_IDS) taken.set(id, "what a request says to be routed");
	for (const [index, row] of rows.entries()) {
		const own = models[index]?.id;
		const names = [
			...(own === undefined ? [] : [["id", own] as const]),
			...(row.aliases ?? []).map((alias, at) => [`aliases.${at}`, alias] as const),
		];
		for (const [member, id] of names) {
			const meaning = taken.get(id);
			const step = member === "id" ? ["id"] : ["aliases", Number(member.slice("aliases.".length))];
			if (meaning !== undefined) faults.add(["models", index, ...step], `${quoteInput(id)} is ${meaning}`);
			else taken.set(id, `already models.${index}.${member}`);
		}
	}
}

/** Ids of the models that the Free plan may call: the shipped ones, what takes their place, and rows that say so. */
function toFreeModels(models: readonly Model[], rows: readonly ModelRow[], shipped: Catalog): string[] {
	const replacements = new Map(rows.flatMap(({ id, replaces }) => (replaces ? [[replaces, id ?? replaces]] : [])));
	const kept = new Set(shipped.freeModels.map((id) => replacements.get(id) ?? id));
	return models.filter(({ id, plans }) => (plans ? plans.includes("free") : kept.has(id))).map(({ id }) => id);
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
	const { value, faults: schemaFaults } = parseMembers(operatorCatalogSchema, document);
	const faults = new Faults();
	const { providers: providerRows = [], models: modelRows = [] } = value;
	const fields = new Map(
		providerRows.map((row) => [row.id, row.max_tokens_field ?? findTemplate(row).max_tokens_field]),
	);
	const rows = modelRows.map((row) => ({
		...row,
		max_tokens_field: row.max_tokens_field ?? fields.get(row.provider ?? ""),
	}));
	const providers = toProviders(providerRows, shipped, rules, faults);
	const byId = new Map(providers.map((provider) => [provider.id, provider]));
	const made = rows.map((row, index) => toModel(row, ["models", index], shipped, faults));
	// Where the list of providers is at fault itself, each model that names one of them would be named, too.
	if (!schemaFaults.some(({ path: [list] }) => list === "providers"))
		for (const [index, model] of made.entries()) if (model) checkModel(model, ["models", index], byId, faults);
	checkIds(rows, made, shipped, faults);
	const all = [...schemaFaults, ...faults.list];
	if (all.length > 0) return { catalog: shipped, faults: inDocumentOrder(all, document) };
	const own = made.filter((model) => model !== null);
	const replacements = new Map(
		rows.flatMap(({ replaces }, index) => (replaces ? [[replaces, own[index]] as const] : [])),
	);
	const isNew = rows.map(({ replaces }) => replaces === undefined);
	const models = [
		...shipped.models.map((model) => replacements.get(model.id) ?? model),
		...own.filter((_, index) => isNew[index]),
	];
	const digest = hashObject({ type: "svc.catalog.v1", ...document }).slice(
		"sha256:".length,
		"sha256:".length + DIGEST_CHARS,
	);
	const version = `${shipped.version}+${digest}`;
	const freeModels = toFreeModels(models, rows, shipped);
	return { catalog: createCatalog({ ...shipped, version, models, providers, freeModels }), faults: [] };
}
