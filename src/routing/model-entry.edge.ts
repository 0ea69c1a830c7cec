// The entries of the list of models: those of models that write, in the shape of OpenAI's and Anthropic's, and of those that make no text.

import * as z from "zod";
import type { Account } from "../account/context.ts";
import type { EncoderModel } from "../catalog/encoder.ts";
import { isInPlan } from "../catalog/plans.ts";
import { priceAt } from "../catalog/price.ts";
import type { Model } from "../catalog/schema.ts";
import { EFFORTS, ENCODER_KINDS, MODEL_SOURCES, TIERS, TRAINING_USES } from "../catalog/vocabulary.ts";
import type { loadMatrix } from "../compliance/load.ts";
import { breakerKey } from "../providers/health.ts";
import { health } from "../providers/isolate-health.edge.ts";
import { isAvailable } from "../providers/wires.ts";
import type { Settings } from "../settings.ts";
import { isListed } from "./routing-config.ts";

type AnyModel = Model | EncoderModel;

const KEY_STATES = ["ok", "throttled", "refused", "failing"] as const;

function idMembers() {
	return {
		id: z.string().describe("Its id in the catalog."),
		object: z.literal("model"),
		type: z.literal("model"),
	};
}

function originMembers() {
	return {
		created: z.int().describe("The same as `created_at`, in Unix seconds."),
		created_at: z.iso.datetime().describe("The release date; the epoch where it is not known."),
		owned_by: z.string().describe("The same as `provider`."),
		display_name: z.string().describe("Name for people."),
		provider: z.string().describe("Who serves it."),
	};
}

function standingMembers() {
	return {
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
	};
}

export const modelEntrySchema = z.lazy(() =>
	z.object({
		...idMembers(),
		kind: z.literal("chat").describe("It writes text."),
		...originMembers(),
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
		...standingMembers(),
	}),
);

export type ModelEntry = z.infer<typeof modelEntrySchema>;

/** How an entry of a model says which kind it is of, where it makes no text. */
export const encoderEntrySchema = z.lazy(() =>
	z.object({
		...idMembers(),
		kind: z
			.enum(ENCODER_KINDS)
			.describe(
				"What it makes in place of text: vectors (`embedding`), findings (`moderation`), or an order (`rerank`).",
			),
		...originMembers(),
		pricing: z
			.object({
				input_usd_mtok: z.number().describe("USD per million tokens."),
				searches_usd_k: z.number().describe("USD per thousand searches; 0 where it is charged by tokens alone."),
			})
			.describe("Today's rates."),
		context_window: z.int().describe("Most tokens of one input; of a rerank, of the query and a document."),
		max_inputs: z
			.int()
			.describe("Most inputs of one call to its provider. More are split over several calls, but those of a rerank."),
		max_batch_tokens: z
			.int()
			.nullable()
			.describe("Most tokens of one call to its provider, by which requests are split too; null: no limit is known."),
		dimensions: z
			.object({
				default: z.int(),
				sizes: z
					.union([z.array(z.int()), z.object({ min: z.int(), max: z.int() })])
					.nullable()
					.describe("What `dimensions` may ask for: one of a list, or a range; null: its length is fixed."),
			})
			.nullable()
			.describe("Lengths of its vectors; null where it makes none."),
		token_inputs: z.boolean().describe("It also takes inputs that are arrays of tokens."),
		...standingMembers(),
	}),
);

type EncoderEntry = z.infer<typeof encoderEntrySchema>;

function isPassedBy({ id, provider }: AnyModel, { providers }: Pick<Settings, "providers">): boolean {
	const access = providers.get(provider);
	return access !== undefined && health.modelState(access, { id }, Date.now()).unserved !== null;
}

/** How the operator's keys stand for a model, which tenants are told without their number and their names. */
function readKeyState(model: AnyModel, { providers }: Pick<Settings, "providers">, userId: string, nowMs: number) {
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
export interface ModelListBasis {
	settings: Settings;
	/** Whose key may not call every model; null without a key. */
	account: Account | null;
	matrix: Awaited<ReturnType<typeof loadMatrix>>;
	nowMs: number;
}

/** Whether a key's plan and its own list have a model. */
function mayCall({ plan, key }: Account, model: AnyModel, { catalog }: Settings): boolean {
	return isInPlan(model, plan, catalog) && isListed(model, key.rules?.models ?? ["*"]);
}

/** How a model stands for who asks. */
function toStanding(model: AnyModel, { settings, account, matrix, nowMs }: ModelListBasis) {
	return {
		trains_on_inputs: matrix.findFacts(model.provider, { ...settings, matrix: matrix.MATRIX }).values.trains_on_inputs,
		available: isAvailable(model, settings) && (account === null || mayCall(account, model, settings)),
		...(isPassedBy(model, settings) ? { not_served: true as const } : {}),
		...(account?.key.role === "owner" ? readKeyState(model, settings, account.userId, nowMs) : {}),
	};
}

/** The release date of a model. Clients expect one: the epoch means that it is not known. */
function toCreated({ released }: AnyModel) {
	const createdMs = released ? Date.parse(released) : 0;
	return { created: createdMs / 1000, created_at: new Date(createdMs).toISOString() };
}

export function toModelEntry(model: Model, basis: ModelListBasis): ModelEntry {
	const price = priceAt(model, basis.nowMs);
	const { tools, vision, json_schema, logprobs } = model.supports;
	const { context_window, max_input_tokens, max_output_tokens } = model.limits;
	return {
		id: model.id,
		object: "model",
		type: "model",
		kind: "chat",
		...toCreated(model),
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
		...toStanding(model, basis),
	};
}

/** The entry of a model that makes no text. */
export function toEncoderEntry(model: EncoderModel, basis: ModelListBasis): EncoderEntry {
	const { input, search = 0 } = priceAt(model, basis.nowMs);
	return {
		id: model.id,
		object: "model",
		type: "model",
		kind: model.kind,
		...toCreated(model),
		owned_by: model.provider,
		display_name: model.display_name,
		provider: model.provider,
		pricing: { input_usd_mtok: input, searches_usd_k: search },
		...model.limits,
		dimensions: model.dimensions ?? null,
		token_inputs: model.token_inputs ?? false,
		open_weights: model.open_weights,
		source: model.owner ?? "shipped",
		...toStanding(model, basis),
	};
}
