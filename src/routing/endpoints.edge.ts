// The model catalog over HTTP, in the shape of OpenAI's model list with additions.

import * as z from "zod";
import { endpoint } from "../account/endpoint.ts";
import { findModelOrAlias, findNamedEncoder } from "../catalog/aliases.ts";
import { type Catalog, listedModels } from "../catalog/catalog.ts";
import { listedEncoders } from "../catalog/encoder.ts";
import { ENCODER_KINDS } from "../catalog/vocabulary.ts";
import { loadMatrix } from "../compliance/load.ts";
import { fail, ok, type Result } from "../failure.ts";
import type { Endpoint } from "../http/endpoint.ts";
import { integerParam } from "../http/query.ts";
import {
	encoderEntrySchema,
	type ModelEntry,
	type ModelListBasis,
	modelEntrySchema,
	toEncoderEntry,
	toModelEntry,
} from "./model-entry.edge.ts";

const MAX_PAGE_SIZE = 1_000;

/** Anthropic's page of a list. Without a limit, a list has all entries after or before the one that is named. */
const pageQuerySchema = z.lazy(() =>
	z.object({
		limit: integerParam(1, MAX_PAGE_SIZE).optional().describe("How many models a page has. Default: all."),
		after_id: z.string().optional().describe("The page begins after this model."),
		before_id: z.string().optional().describe("The page ends before this model."),
		kind: z
			.enum(["chat", ...ENCODER_KINDS, "all"])
			.default("chat")
			.describe("Only models of this kind: those that write text are `chat`."),
	}),
);

type PageQuery = z.output<typeof pageQuerySchema>;

const anyEntrySchema = z.lazy(() => z.union([modelEntrySchema, encoderEntrySchema]));

type AnyEntry = z.infer<typeof anyEntrySchema>;

type ToEntry = (basis: ModelListBasis) => AnyEntry;

/** The models of a kind that lists show, each with how its entry is made. */
function listModels(catalog: Catalog, kind: PageQuery["kind"]): { id: string; toEntry: ToEntry }[] {
	const models = kind === "chat" || kind === "all" ? listedModels(catalog) : [];
	const encoders = listedEncoders(catalog).filter((model) => kind === "all" || kind === model.kind);
	return [
		...models.map((model) => ({ id: model.id, toEntry: (basis: ModelListBasis) => toModelEntry(model, basis) })),
		...encoders.map((model) => ({ id: model.id, toEntry: (basis: ModelListBasis) => toEncoderEntry(model, basis) })),
	];
}

/** How the entry of a named model is made; null where there is no such model. */
function findEntry(id: string, catalog: Catalog): ToEntry | null {
	const model = findModelOrAlias(id, catalog);
	if (model) return (basis) => toModelEntry(model, basis);
	const encoder = findNamedEncoder(id, catalog);
	return encoder && ((basis) => toEncoderEntry(encoder, basis));
}

/** The entries of a page, and whether there are more in its direction. */
function toPage<Entry extends { id: string }>(
	entries: readonly Entry[],
	{ limit = entries.length, after_id, before_id }: PageQuery,
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
		"For ids to pin with `model`, their prices, limits and abilities, and whether they can be called now, by the key that was sent. Models that make vectors, findings or an order in place of text are listed by `kind`.",
	query: pageQuerySchema,
	result: z.lazy(() =>
		z.object({
			object: z.literal("list"),
			data: z.array(anyEntrySchema),
			first_id: z.string().nullable(),
			last_id: z.string().nullable(),
			has_more: z.boolean(),
		}),
	),
	async handle({ query, context }) {
		const caller = await context.caller();
		if (!caller.ok) return caller;
		const { settings, startedAtMs } = context;
		const page = toPage(listModels(settings.catalog, query.kind), query);
		if (!page.ok) return page;
		const basis = { settings, account: caller.value, matrix: await loadMatrix(), nowMs: startedAtMs };
		const data = page.value.data.map(({ toEntry }) => toEntry(basis));
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
	result: anyEntrySchema,
	example: { params: { id: "claude-haiku-5-5" } },
	async handle({ params, context }) {
		const { settings, startedAtMs } = context;
		const toEntry = findEntry(params.id, settings.catalog);
		if (!toEntry)
			return fail({ reason: "model_not_found", message: "no such model; GET /v1/models?kind=all lists them all" });
		const caller = await context.caller();
		if (!caller.ok) return caller;
		const basis = { settings, account: caller.value, matrix: await loadMatrix(), nowMs: startedAtMs };
		const entry = toEntry(basis);
		return ok(entry.id === params.id ? entry : { ...entry, alias: params.id });
	},
});

/** GET /v1/models without a kind, as other parts of the service read it. */
export type ModelList = { data: ModelEntry[] };

export const modelEndpoints: readonly Endpoint[] = [listModelsEndpoint, getModelEndpoint];
