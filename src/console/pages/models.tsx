// The catalog: what models cost and can, whether they can be called now, and what of the last month went to them.
import type { Child } from "hono/jsx";
import type { ApiAnswer } from "../api.ts";
import { failurePage } from "../failure-page.tsx";
import { formatCount, formatShare, formatShortCount, formatUsd } from "../format.ts";
import type { ConsolePage, PageAnswer } from "../page.ts";
import { chooseRows, type RowChoice } from "../row-choice.ts";
import { readUsageLines, type UsageLine } from "../usage-lines.ts";
import { Sparkline } from "../views/bars.tsx";
import { type Filter, Filters } from "../views/filters.tsx";
import {
	Badge,
	Card,
	type Column,
	Definitions,
	type PlainTile,
	PlainTiles,
	Table,
	Time,
	Usd,
} from "../views/parts.tsx";

const PATH = "/console/models";
const FRAME = { section: "models", title: "Models" } as const;
const DAYS = 30;

/** A model as the API lists it; the same as its `modelEntrySchema`, of which the page shows most members. */
interface ListedModel {
	id: string;
	display_name: string;
	provider: string;
	tier: string;
	created_at: string;
	pricing: { input_usd_mtok: number; output_usd_mtok: number };
	context_window: number;
	max_output_tokens: number;
	capabilities: {
		tools: boolean;
		vision: boolean;
		pdf: boolean;
		audio: boolean;
		json_schema: boolean;
		logprobs: boolean;
		reasoning: boolean;
		reasoning_efforts: string[];
	};
	knowledge_cutoff: string | null;
	open_weights: boolean;
	source: string;
	trains_on_inputs: string | null;
	available: boolean;
	not_served?: true;
	/** Only for an owner. */
	key_state?: { state: "ok" | "throttled" | "refused" | "failing"; until: string | null };
}

/** A model with what it was used for. */
interface UsedModel extends ListedModel {
	used: UsageLine | null;
}

/** Abilities by the name that a filter and a badge have. */
const ABILITIES = {
	tools: "tools",
	vision: "images",
	pdf: "PDF",
	audio: "audio",
	json_schema: "JSON schema",
	reasoning: "reasoning",
	logprobs: "logprobs",
} as const;
type Ability = keyof typeof ABILITIES;
const ABILITY_NAMES = Object.keys(ABILITIES) as Ability[];

function can(model: ListedModel, ability: Ability): boolean {
	return model.capabilities[ability];
}

/** In words; null for a model that can be called. */
function whyNot({ available, not_served }: ListedModel): string | null {
	if (not_served) return "not served now";
	return available ? null : "not for this key";
}

/** How the operator's keys stand for a model, where it is told and they do not stand well. */
function KeyTrouble({ key_state }: Pick<ListedModel, "key_state">) {
	if (!key_state || key_state.state === "ok") return null;
	const { state, until } = key_state;
	return (
		<Badge kind={state === "throttled" ? "warn" : "bad"}>
			{state}
			{until === null ? null : (
				<>
					{" until "}
					<Time iso={until} /> UTC
				</>
			)}
		</Badge>
	);
}

const TIER_ORDER = ["budget", "mid", "premium", "frontier"];

const byName = (a: UsedModel, b: UsedModel) => a.display_name.localeCompare(b.display_name, "en");

const CHOICE: RowChoice<UsedModel> = {
	searched: ({ id, display_name, provider }) => [id, display_name, provider],
	filters: {
		provider: ({ provider }, value) => provider === value,
		tier: ({ tier }, value) => tier === value,
		can: (model, value) => ABILITY_NAMES.some((ability) => ability === value && can(model, ability)),
		state: (model, value) => (value === "callable") === (whyNot(model) === null),
	},
	orders: {
		used: (a, b) => (b.used?.requests ?? 0) - (a.used?.requests ?? 0) || byName(a, b),
		name: byName,
		price: (a, b) => a.pricing.output_usd_mtok - b.pricing.output_usd_mtok || byName(a, b),
		tier: (a, b) => TIER_ORDER.indexOf(b.tier) - TIER_ORDER.indexOf(a.tier) || byName(a, b),
		context: (a, b) => b.context_window - a.context_window || byName(a, b),
		newest: (a, b) => b.created_at.localeCompare(a.created_at) || byName(a, b),
	},
};

function filtersOf(models: readonly ListedModel[]): readonly Filter[] {
	const providers = [...new Set(models.map(({ provider }) => provider))].sort();
	return [
		{ name: "q", label: "Search", type: "text", placeholder: "name or id" },
		{ name: "provider", label: "Provider", options: providers.map((name) => [name, name] as const) },
		{ name: "tier", label: "Tier", options: TIER_ORDER.map((name) => [name, name] as const) },
		{ name: "can", label: "Can", options: ABILITY_NAMES.map((name) => [name, ABILITIES[name]] as const) },
		{
			name: "state",
			label: "State",
			options: [
				["callable", "can be called"],
				["other", "cannot"],
			],
		},
		{
			name: "order",
			label: "Order",
			none: "most used",
			options: [
				["name", "name"],
				["price", "cheapest first"],
				["tier", "strongest first"],
				["context", "largest context"],
				["newest", "newest"],
			],
		},
	];
}

function Price({ usd }: { usd: number }) {
	return <span class="number">{formatUsd(usd)}</span>;
}

const TRAINING: Readonly<Record<string, string>> = {
	no: "no",
	opt_in: "if you allow it",
	opt_out: "unless you object",
};

function ModelFacts({ model }: { model: UsedModel }) {
	const { created_at, knowledge_cutoff, max_output_tokens, open_weights, source, trains_on_inputs } = model;
	const { reasoning_efforts } = model.capabilities;
	const facts: readonly (readonly [string, Child])[] = [
		["Released", created_at.startsWith("1970") ? "not published" : created_at.slice(0, 10)],
		["Knows until", knowledge_cutoff ?? "not published"],
		["Output", `at most ${formatCount(max_output_tokens)} tokens`],
		["Reasoning efforts", reasoning_efforts.length === 0 ? null : reasoning_efforts.join(", ")],
		["Weights", open_weights ? "published" : "not published"],
		["Trains on what it is sent", trains_on_inputs === null ? "not published" : TRAINING[trains_on_inputs]],
		["In the catalog", source === "operator" ? "by the operator" : "as shipped"],
	];
	return <Definitions entries={facts} />;
}

function ModelName({ model }: { model: UsedModel }) {
	const why = whyNot(model);
	return (
		<details class="row-details">
			<summary>
				<strong>{model.display_name}</strong>{" "}
				{model.source === "operator" ? <Badge kind="plain">operator's</Badge> : null}{" "}
				{why === null ? null : <Badge kind={model.not_served ? "bad" : "plain"}>{why}</Badge>} <KeyTrouble {...model} />
				<span class="hint">
					<code>{model.id}</code>
				</span>
			</summary>
			<ModelFacts model={model} />
		</details>
	);
}

const COLUMNS: readonly Column<UsedModel>[] = [
	{ label: "Model", cell: (model) => <ModelName model={model} /> },
	{
		label: "Provider",
		cell: ({ provider, tier }) => (
			<>
				{provider}
				<span class="hint">{tier}</span>
			</>
		),
	},
	{ label: "Input, per M tokens", isNumeric: true, cell: ({ pricing }) => <Price usd={pricing.input_usd_mtok} /> },
	{ label: "Output, per M tokens", isNumeric: true, cell: ({ pricing }) => <Price usd={pricing.output_usd_mtok} /> },
	{ label: "Context, tokens", isNumeric: true, cell: ({ context_window }) => formatShortCount(context_window) },
	{
		label: "Can",
		cell: (model) => (
			<span class="abilities">
				{ABILITY_NAMES.filter((ability) => can(model, ability)).map((ability) => (
					<Badge kind="plain">{ABILITIES[ability]}</Badge>
				))}
			</span>
		),
	},
	{
		label: `Requests, ${DAYS} days`,
		isNumeric: true,
		cell: ({ id, used }) =>
			used === null ? (
				<span class="faint">–</span>
			) : (
				<a class="used" href={`/console/requests?model=${encodeURIComponent(id)}`}>
					<Sparkline values={used.counts} label={`${formatCount(used.requests)} requests in ${DAYS} days`} />
					{formatCount(used.requests)}
				</a>
			),
	},
	{
		label: `Cost, ${DAYS} days`,
		isNumeric: true,
		cell: ({ used }) => (used === null ? "–" : <Usd usd={used.costUsd} />),
	},
	{
		label: "Try",
		cell: (model) =>
			whyNot(model) === null ? (
				<a class="button quiet small" href={`/console/playground?model=${encodeURIComponent(model.id)}`}>
					Try<span class="unseen"> {model.display_name}</span>
				</a>
			) : null,
	},
];

/** What is known of a provider from its models and their use. */
interface ProviderRow {
	name: string;
	models: readonly UsedModel[];
	callable: number;
	unserved: readonly UsedModel[];
	requests: number;
	costUsd: number;
}

function toProviders(models: readonly UsedModel[]): ProviderRow[] {
	const rows = [...Map.groupBy(models, ({ provider }) => provider)].map(([name, own]) => ({
		name,
		models: own,
		callable: own.filter((model) => whyNot(model) === null).length,
		unserved: own.filter(({ not_served }) => not_served),
		requests: own.reduce((sum, { used }) => sum + (used?.requests ?? 0), 0),
		costUsd: own.reduce((sum, { used }) => sum + (used?.costUsd ?? 0), 0),
	}));
	return rows.sort((a, b) => b.requests - a.requests || a.name.localeCompare(b.name, "en"));
}

function ProviderState({ callable, unserved }: ProviderRow) {
	if (unserved.length > 0) return <Badge kind="bad">some not served</Badge>;
	return callable > 0 ? <Badge kind="good">ready</Badge> : <Badge kind="plain">no key, or not for yours</Badge>;
}

/** How the operator's keys of a provider stand: those of each of its models together. */
function ProviderKeys({ models }: Pick<ProviderRow, "models">) {
	const told = models.filter(({ available, key_state }) => available && key_state !== undefined);
	const troubled = told.filter(({ key_state }) => key_state?.state !== "ok");
	if (told.length === 0) return <span class="faint">–</span>;
	if (troubled.length === 0) return <Badge kind="good">healthy</Badge>;
	return (
		<ul class="plain-list">
			{troubled.map((model) => (
				<li>
					{troubled.length === told.length && troubled.length === 1 ? null : `${model.display_name}: `}
					<KeyTrouble {...model} />
				</li>
			))}
		</ul>
	);
}

function Providers({ models, whole }: { models: readonly UsedModel[]; whole: number }) {
	const columns: readonly Column<ProviderRow>[] = [
		{ label: "Provider", cell: ({ name }) => <a href={`${PATH}?provider=${encodeURIComponent(name)}`}>{name}</a> },
		{ label: "State", cell: ProviderState },
		{
			label: "Models",
			isNumeric: true,
			cell: ({ models: own, callable }) => `${callable} of ${own.length}`,
		},
		...(models.some(({ key_state }) => key_state) ? [{ label: "Keys", cell: ProviderKeys }] : []),
		{
			label: "Not served within ten minutes",
			cell: ({ unserved }) => unserved.map(({ display_name }) => display_name).join(", ") || "none",
		},
		{ label: `Requests, ${DAYS} days`, isNumeric: true, cell: ({ requests }) => formatCount(requests) },
		{
			label: "Share",
			isNumeric: true,
			cell: ({ requests }) => (whole === 0 ? "–" : formatShare(requests / whole)),
		},
		{ label: `Cost, ${DAYS} days`, isNumeric: true, cell: ({ costUsd }) => <Usd usd={costUsd} /> },
	];
	return (
		<>
			<Table caption="Providers" rows={toProviders(models)} columns={columns} empty="There is no provider." />
			{models.some(({ key_state }) => key_state) ? (
				<p class="hint source-note">
					Keys are the operator's, of a provider all together, as the part of the service that answered this page has
					seen them. Their number and names are the operator's to see.
				</p>
			) : null}
		</>
	);
}

function Tiles({ models, whole }: { models: readonly UsedModel[]; whole: number }) {
	const callable = models.filter((model) => whyNot(model) === null);
	const providers = new Set(models.map(({ provider }) => provider));
	const most = models.reduce<UsedModel | null>(
		(best, model) => ((model.used?.requests ?? 0) > (best?.used?.requests ?? 0) ? model : best),
		null,
	);
	const cheapest = callable.reduce<UsedModel | null>(
		(best, model) => (best === null || model.pricing.output_usd_mtok < best.pricing.output_usd_mtok ? model : best),
		null,
	);
	const unserved = models.filter(({ not_served }) => not_served);
	const tiles: readonly PlainTile[] = [
		{
			label: "Can be called",
			value: formatCount(callable.length),
			hint: `of ${models.length} models of ${providers.size} providers`,
		},
		{
			label: "Most used",
			value: most?.display_name ?? "none yet",
			hint: whole === 0 ? "" : `${formatShare((most?.used?.requests ?? 0) / whole)} of ${formatCount(whole)} requests`,
		},
		{
			label: "Cheapest",
			value: cheapest?.display_name ?? "none",
			hint: cheapest ? `${formatUsd(cheapest.pricing.output_usd_mtok)} a million output tokens` : "",
		},
		{
			label: "Not served",
			value: formatCount(unserved.length),
			hint: "their providers said so within ten minutes",
		},
	];
	return <PlainTiles tiles={tiles} />;
}

function CatalogContent({ models, query }: { models: readonly UsedModel[]; query: URLSearchParams }) {
	const whole = models.reduce((sum, { used }) => sum + (used?.requests ?? 0), 0);
	const shown = chooseRows(models, query, CHOICE);
	return (
		<>
			<Tiles models={models} whole={whole} />
			<Filters path={PATH} query={query} filters={filtersOf(models)} />
			<Table
				caption={
					shown.length === models.length ? `${models.length} models` : `${shown.length} of ${models.length} models`
				}
				rows={shown}
				columns={COLUMNS}
				empty={
					<p>
						No model matches. <a href={PATH}>Show all</a>
					</p>
				}
			/>
			<Providers models={models} whole={whole} />
			<Card title="How a model is chosen">
				<p>
					A request that names <code>auto</code>, or no model, is routed by its prompt, a mode and your{" "}
					<a href="/console/config">routing config</a>. The <a href="/console/playground">playground</a> shows the
					choice with every candidate and every exclusion, without calling a model.
				</p>
			</Card>
		</>
	);
}

const modelsPage: ConsolePage = {
	id: "models",
	method: "GET",
	path: PATH,
	async handle({ api, query, service }): Promise<PageAnswer> {
		const [list, lines]: [ApiAnswer<{ data: ListedModel[] }>, ReadonlyMap<string, UsageLine>] = await Promise.all([
			api.get<{ data: ListedModel[] }>("/v1/models"),
			readUsageLines(api, "model", DAYS, service.nowMs),
		]);
		if (!list.ok) return failurePage(FRAME, list.failure);
		const models = list.value.data.map((model) => ({ ...model, used: lines.get(model.id) ?? null }));
		return {
			kind: "page",
			...FRAME,
			lead: "What each costs and can, whether this key may call it now, and what was routed where.",
			content: <CatalogContent models={models} query={query} />,
		};
	},
};

export const modelPages: readonly ConsolePage[] = [modelsPage];
