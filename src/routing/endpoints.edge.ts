// The model catalog over HTTP, in the shape of OpenAI's model list with additions.

import * as z from "zod";
import type { Account } from "../account/context.ts";
import { endpoint } from "../account/endpoint.ts";
import { findModelOrAlias } from "../catalog/aliases.ts";
import { listedModels } from "../catalog/catalog.ts";
import { isInPlan } from "../catalog/plans.ts";
import { priceAt } from "../catalog/price.ts";
import type { Model } from "../catalog/schema.ts";
import { EFFORTS, MODEL_SOURCES, TIERS, TRAINING_USES } from "../catalog/vocabulary.ts";
import { loadMatrix } from "../compliance/load.ts";
import { fail, ok, type Result } from "../failure.ts";
import type { Endpoint } from "../http/endpoint.ts";
import { integerParam } from "../http/query.ts";
import { breakerKey } from "../providers/health.ts";
import { health } from "../providers/isolate-health.edge.ts";
import { isAvailable } from "../providers/wires.ts";
import type { Settings } from "../settings.ts";
import { isListed } from "./routing-config.ts";

const KEY_STATES = ["ok", "throttled", "refused", "failing"] as const;

const modelEntrySchema = z.lazy(() =>
	z.object({
		id: z.string().describe("Its id in the catalog."),
		object: z.literal("model"),
		type: z.literal("model"),
		created: z.int().describe("The same as `created_at`, in Unix seconds."),
		created_at: z.iso.datetime().describe("The release date; the epoch where it is not known."),
		owned_by: z.string().describe("The same as `provider`."),
		display_name: z.string().describe("Name for people."),
		provider: z.string().describe("Who serves it."),
		tier: z.enum(TIERS).describe("From cheap to strong: `budget`, `mid`, `premium`, `frontier`."),
		pricing: z
			.object({ input_usd_mtok: z.number(), output_usd_mtok: z.number() })
			.describe("Today's rates of a short prompt, in USD per million tokens."),
		context_window: z.int().describe("Most tokens of prompt and answer together."),
		max_output_tokens: z.int().describe("Most tokens of an answer."),
		max_input_tokens: z.int().describe("Most tokens of a prompt."),
		max_tokens: z.int().describe("The same as max_output_tokens, as Anthropic's libraries read it."),
		capabilities: z
			.object({
				tools: z.boolean(),
				vision: z.boolean(),
				pdf: z.boolean(),
				audio: z.boolean(),
				json_schema: z.boolean(),
				logprobs: z.boolean(),
				reasoning: z.boolean(),
				reasoning_efforts: z.array(z.enum(EFFORTS)),
			})
			.describe("What it can do."),
		knowledge_cutoff: z
			.string()
			.nullable()
			.describe("Until when its training data reach: a year, month or day; null where it is not published."),
		open_weights: z.boolean().describe("Whether its weights are published."),
		source: z
			.enum(MODEL_SOURCES)
			.describe("Whose row it is: it ships with the service, or the operator added or changed it."),
		trains_on_inputs: z
			.enum(TRAINING_USES)
			.nullable()
			.describe(
				"Whether its provider trains on what it is sent: no, if you allow it (`opt_in`), unless you object (`opt_out`). Null: not published, or the base address is replaced. Of a provider that the operator describes, it is the operator's word.",
			),
		available: z
			.boolean()
			.describe("Its provider has a key here, and your API key, if you sent one, may call it under its plan."),
		not_served: z
			.literal(true)
			.optional()
			.describe("Its provider has said within ten minutes that it does not serve it."),
		key_state: z
			.object({
				state: z.enum(KEY_STATES),
				until: z.iso.datetime().nullable().describe("Until when; null where nobody knows, and of `ok`."),
			})
			.optional()
			.describe(
				"For an owner's key: how the operator's keys stand for it, all together, as this isolate has seen. `throttled`: after a 429; `refused`: the provider refuses the key; `failing`: the provider is passed by after failures. The keys themselves are the operator's to see.",
			),
		alias: z.string().optional().describe("The id you sent, if it is an alias."),
	}),
);

type ModelEntry = z.infer<typeof modelEntrySchema>;

function isPassedBy({ id, provider }: Model, { providers }: Pick<Settings, "providers">): boolean {
	const access = providers.get(provider);
	return access !== undefined && health.modelState(access, { id }, Date.now()).unserved !== null;
}

/** How the operator's keys stand for a model, which tenants are told without their number and their names. */
function readKeyState(model: Model, { providers }: Pick<Settings, "providers">, userId: string, nowMs: number) {
	const access = providers.get(model.provider);
	if (!access) return {};
	const { refusedMs, throttledMs } = health.modelState(access, model, nowMs);
	const isPaused = !health.isOpenTo(breakerKey(access), userId, nowMs);
	const state = refusedMs > 0 ? "refused" : throttledMs > 0 ? "throttled" : isPaused ? "failing" : "ok";
	const waitMs = refusedMs || throttledMs;
	const isKnown = waitMs > 0 && Number.isFinite(waitMs);
	return { key_state: { state, until: isKnown ? new Date(nowMs + waitMs).toISOString() : null } } as const;
}

/** What a list of models is made with. */
interface ModelListBasis {
	settings: Settings;
	/** Whose key may not call every model; null without a key. */
	account: Account | null;
	matrix: Awaited<ReturnType<typeof loadMatrix>>;
	nowMs: number;
}

/** Whether a key's plan and its own list have a model. */
function mayCall({ plan, key }: Account, model: Model, { catalog }: Settings): boolean {
	return isInPlan(model, plan, catalog) && isListed(model, key.rules?.models ?? ["*"]);
}

function toModelEntry(model: Model, { settings, account, matrix, nowMs }: ModelListBasis): ModelEntry {
	const price = priceAt(model, nowMs);
	const { tools, vision, json_schema, logprobs } = model.supports;
	const { context_window, max_input_tokens, max_output_tokens } = model.limits;
	// Clients expect a date. The epoch means that the release date is not known.
	const createdMs = model.released ? Date.parse(model.released) : 0;
	return {
		id: model.id,
		object: "model",
		type: "model",
		created: createdMs / 1000,
		created_at: new Date(createdMs).toISOString(),
		owned_by: model.provider,
		display_name: model.display_name,
		provider: model.provider,
		tier: model.tier,
		pricing: { input_usd_mtok: price.input, output_usd_mtok: price.output },
		context_window,
		max_output_tokens,
		max_input_tokens: max_input_tokens ?? context_window,
		max_tokens: max_output_tokens,
		capabilities: {
			tools,
			vision,
			pdf: model.documents !== undefined,
			audio: model.audio !== undefined,
			json_schema,
			logprobs,
			reasoning: model.reasoning !== null,
			reasoning_efforts: model.reasoning?.efforts ?? [],
		},
		knowledge_cutoff: model.knowledge_cutoff,
		open_weights: model.open_weights,
		source: model.owner ?? "shipped",
		trains_on_inputs: matrix.findFacts(model.provider, { ...settings, matrix: matrix.MATRIX }).values.trains_on_inputs,
		available: isAvailable(model, settings) && (account === null || mayCall(account, model, settings)),
		...(isPassedBy(model, settings) ? { not_served: true } : {}),
		...(account?.key.role === "owner" ? readKeyState(model, settings, account.userId, nowMs) : {}),
	};
}

const MAX_PAGE_SIZE = 1_000;

/** Anthropic's page of a list. Without a limit, a list has all entries after or before the one that is named. */
const pageQuerySchema = z.lazy(() =>
	z.object({
		limit: integerParam(1, MAX_PAGE_SIZE).optional().describe("How many models a page has. Default: all."),
		after_id: z.string().optional().describe("The page begins after this model."),
		before_id: z.string().optional().describe("The page ends before this model."),
	}),
);

/** The entries of a page, and whether there are more in its direction. */
function toPage<Entry extends { id: string }>(
	entries: readonly Entry[],
	{ limit = entries.length, after_id, before_id }: z.output<typeof pageQuerySchema>,
): Result<{ data: Entry[]; has_more: boolean }> {
	const refuse = (path: string, message: string) => fail({ reason: "invalid_request", issues: [{ path, message }] });
	if (after_id !== undefined && before_id !== undefined)
		return refuse("before_id", "cannot be set together with after_id");
	const cursor = after_id ?? before_id;
	const position = entries.findIndex(({ id }) => id === cursor);
	if (cursor !== undefined && position < 0)
		return refuse(after_id === undefined ? "before_id" : "after_id", "is not the id of a model in this list");
	if (before_id !== undefined) {
		const from = Math.max(0, position - limit);
		return ok({ data: entries.slice(from, position), has_more: from > 0 });
	}
	const to = position + 1 + limit;
	return ok({ data: entries.slice(position + 1, to), has_more: to < entries.length });
}

const listModelsEndpoint = endpoint({
	id: "list_models",
	method: "GET",
	path: "/v1/models",
	access: "public",
	acceptsApiKeyHeader: true,
	toolGroup: "chat",
	command: "models",
	page: "models",
	summary: "All models of the catalog, with price, limits and whether a provider key is configured.",
	description:
		"For ids to pin with `model`, their prices, limits and abilities, and whether they can be called now, by the key that was sent.",
	query: pageQuerySchema,
	result: z.lazy(() =>
		z.object({
			object: z.literal("list"),
			data: z.array(modelEntrySchema),
			first_id: z.string().nullable(),
			last_id: z.string().nullable(),
			has_more: z.boolean(),
		}),
	),
	async handle({ query, context }) {
		const caller = await context.caller();
		if (!caller.ok) return caller;
		const { settings, startedAtMs } = context;
		const page = toPage(listedModels(settings.catalog), query);
		if (!page.ok) return page;
		const basis = { settings, account: caller.value, matrix: await loadMatrix(), nowMs: startedAtMs };
		const data = page.value.data.map((model) => toModelEntry(model, basis));
		const [first_id, last_id] = [data.at(0)?.id ?? null, data.at(-1)?.id ?? null];
		return ok({ object: "list" as const, data, first_id, last_id, has_more: page.value.has_more });
	},
});

const getModelEndpoint = endpoint({
	id: "get_model",
	method: "GET",
	path: "/v1/models/{id}",
	access: "public",
	acceptsApiKeyHeader: true,
	toolGroup: "chat",
	summary: "One model of the catalog, by its id or that of another version of its family.",
	params: z.lazy(() => z.object({ id: z.string() })),
	result: modelEntrySchema,
	example: { params: { id: "claude-haiku-5-5" } },
	async handle({ params, context }) {
		const { settings, startedAtMs } = context;
		const model = findModelOrAlias(params.id, settings.catalog);
		if (!model) return fail({ reason: "model_not_found", message: "no such model; GET /v1/models lists them all" });
		const caller = await context.caller();
		if (!caller.ok) return caller;
		const basis = { settings, account: caller.value, matrix: await loadMatrix(), nowMs: startedAtMs };
		const entry = toModelEntry(model, basis);
		return ok(model.id === params.id ? entry : { ...entry, alias: params.id });
	},
});

/** GET /v1/models, as other parts of the service read it. */
export type ModelList = { data: ModelEntry[] };

export const modelEndpoints: readonly Endpoint[] = [listModelsEndpoint, getModelEndpoint];
