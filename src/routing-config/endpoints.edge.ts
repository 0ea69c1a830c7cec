// Routing configs over HTTP: validation, sharing, lists, a page for people, the badge.
import * as z from "zod";
import type { ServiceContext } from "../account/context.ts";
import { endpoint } from "../account/endpoint.ts";
import { type Failure, fail, ok } from "../failure.ts";
import type { Endpoint } from "../http/endpoint.ts";
import { logError } from "../http/log.edge.ts";
import { integerParam } from "../http/query.ts";
import { type BadgeValue, DEFAULT_LABEL, renderBadge } from "./badge.ts";
import { pageHeaders, renderSharePage } from "./page.ts";
import { exceedsConfigLimit, MAX_CONFIG_BYTES, type ReadConfig, readConfigObject, readConfigText } from "./read.ts";
import { isShareId, MAX_SHARE_TITLE_CHARS, type Share, type SharedConfig, shortConfigDigest } from "./share.ts";
import { findOwnShare, findShare, listShares, storeShare } from "./shares.store.ts";

const MAX_PAGE_SHARES = 100;
const DEFAULT_PAGE_SHARES = 50;

/** The fields of a config in one of its two forms. */
const configFields = () => ({
	brain_md: z
		.string()
		.refine((text) => !exceedsConfigLimit(text), `must have at most ${MAX_CONFIG_BYTES} bytes`)
		.nullish()
		.describe("YAML, or Markdown with YAML front matter or one fenced yaml block."),
	brain_config: z
		.record(z.string(), z.unknown())
		.refine((config) => !exceedsConfigLimit(JSON.stringify(config)), `must have at most ${MAX_CONFIG_BYTES} bytes`)
		.nullish()
		.describe("The same, parsed already; instead of brain_md."),
});

type ConfigInput = Partial<z.output<z.ZodObject<ReturnType<typeof configFields>>>>;

function requireOneForm({ brain_md, brain_config }: ConfigInput, issues: z.RefinementCtx): void {
	const issue = (message: string) => issues.addIssue({ code: "custom", path: ["brain_md"], message });
	if (brain_md != null && brain_config != null) issue("is given, and so is brain_config; a config has one form");
	if (brain_md == null && brain_config == null) issue("is missing, and so is brain_config");
}

function readConfigInput({ brain_md, brain_config }: ConfigInput, { settings }: ServiceContext): Promise<ReadConfig> {
	return brain_md != null
		? readConfigText(brain_md, settings.catalog)
		: readConfigObject(brain_config, settings.catalog);
}

const configSchema = z.lazy(() =>
	z
		.looseObject({
			model: z.string(),
			routing_mode: z.string().nullable(),
			max_cost: z.number().nullable(),
			blocked: z.array(z.string()),
			fallback: z.array(z.string()),
			rules: z.array(z.looseObject({})).optional(),
			compliance: z.looseObject({}).optional(),
		})
		.describe("Normalized. Of an invalid config: the members that are valid."),
);

/** A config in the types of the schema above. */
function toConfigFields(config: ReadConfig["config"]): z.output<typeof configSchema> {
	return {
		...config,
		rules: config.rules?.map((rule) => ({ ...rule })),
		compliance: config.compliance && { ...config.compliance },
	};
}

const validateConfigEndpoint = endpoint({
	id: "validate_brain_config",
	method: "POST",
	path: "/v1/brain/validate",
	access: "public",
	limited: true,
	summary: "Whether a routing config is valid, what is wrong with it and where, and its normal form.",
	description: "Before using or sharing a routing config. Nothing is stored.",
	body: z.lazy(() => z.object(configFields()).superRefine(requireOneForm)),
	result: z.lazy(() =>
		z.object({
			object: z.literal("brain.validation"),
			valid: z.boolean(),
			errors: z.array(z.string()),
			warnings: z.array(z.string()),
			config: configSchema,
		}),
	),
	async handle({ body, context }) {
		const { config, errors, warnings } = await readConfigInput(body, context);
		return ok({
			object: "brain.validation" as const,
			valid: errors.length === 0,
			errors,
			warnings,
			config: toConfigFields(config),
		});
	},
});

function shareUrls({ id }: Pick<Share, "id">, { origin, settings }: ServiceContext) {
	return {
		json: `${origin}/v1/b/${id}`,
		page: `${settings.shortUrlBase ?? origin}/b/${id}`,
		badge: `${origin}/v1/brain/badge?share=${id}`,
	};
}

function toUnixSeconds(createdAt: string): number {
	return Math.floor(Date.parse(createdAt) / 1000);
}

const createShareEndpoint = endpoint({
	id: "create_brain_share",
	method: "POST",
	path: "/v1/brain/share",
	access: "key",
	summary: "Shares a routing config under a short public id; sharing the same again answers with the same share.",
	description: "Anybody who has the id can read it, and it cannot be taken back.",
	body: z.lazy(() =>
		z
			.object({
				...configFields(),
				title: z
					.string()
					.refine(
						(title) => [...title].length <= MAX_SHARE_TITLE_CHARS,
						`must have at most ${MAX_SHARE_TITLE_CHARS} characters`,
					)
					.nullish()
					.describe("What lists show beside the id."),
			})
			.superRefine(requireOneForm),
	),
	result: z.lazy(() =>
		z.object({
			object: z.literal("brain.share"),
			share_id: z.string(),
			url: z.string(),
			short_url: z.string(),
			title: z.string().nullable(),
			config: configSchema,
			valid: z.boolean(),
			errors: z.array(z.string()),
		}),
	),
	async handle({ body, context }) {
		const { config, errors } = await readConfigInput(body, context);
		const title = body.title?.trim() || null;
		const shared: SharedConfig = { title, brainMd: body.brain_md ?? null, config, errors };
		const createdAt = new Date(context.startedAtMs).toISOString();
		const random = (count: number) => crypto.getRandomValues(new Uint8Array(count));
		const share = await context.timings.measure("d1", () =>
			storeShare(context.db, context.account.userId, shared, createdAt, random),
		);
		const { json, page } = shareUrls(share, context);
		return ok({
			object: "brain.share" as const,
			share_id: share.id,
			url: json,
			short_url: page,
			title: share.title,
			config: toConfigFields(share.config),
			valid: share.errors.length === 0,
			errors: share.errors,
		});
	},
});

const listSharesEndpoint = endpoint({
	id: "list_brain_shares",
	method: "GET",
	path: "/v1/brain/shares",
	access: "key",
	summary: "The caller's shared routing configs, newest first.",
	query: z.object({
		limit: integerParam(1, MAX_PAGE_SHARES).default(DEFAULT_PAGE_SHARES).describe("Shares of a page."),
		cursor: z.string().optional().describe("`next_cursor` of the page before."),
	}),
	result: z.lazy(() =>
		z.object({
			object: z.literal("list"),
			has_more: z.boolean(),
			next_cursor: z.string().nullable(),
			data: z.array(
				z.object({
					share_id: z.string(),
					title: z.string().nullable(),
					config: configSchema,
					url: z.string(),
					short_url: z.string(),
					created_at: z.number().describe("Unix timestamp."),
				}),
			),
		}),
	),
	async handle({ query, context }) {
		const { db, account } = context;
		const { cursor, limit } = query;
		// The cursor is the last share of the page before, so new shares do not move the pages.
		const after = cursor === undefined || !isShareId(cursor) ? null : await findOwnShare(db, account.userId, cursor);
		if (cursor !== undefined && after === null) {
			const message = "is not a next_cursor of this endpoint";
			return fail({ reason: "invalid_request", issues: [{ path: "cursor", message }] });
		}
		const found = await context.timings.measure("d1", () => listShares(db, account.userId, limit + 1, after));
		const shares = found.slice(0, limit);
		const hasMore = found.length > limit;
		return ok({
			object: "list" as const,
			has_more: hasMore,
			next_cursor: hasMore ? (shares.at(-1)?.id ?? null) : null,
			data: shares.map((share) => {
				const { json, page } = shareUrls(share, context);
				const created_at = toUnixSeconds(share.createdAt);
				return {
					share_id: share.id,
					title: share.title,
					config: toConfigFields(share.config),
					url: json,
					short_url: page,
					created_at,
				};
			}),
		});
	},
});

const NO_SHARE: Failure = { reason: "share_not_found", message: "no routing config is shared under this id" };

/** Any user's share by its id. A text that cannot be an id is not looked up. */
async function findAnyShare(id: string, { db, timings }: ServiceContext): Promise<Share | null> {
	return isShareId(id) ? timings.measure("d1", () => findShare(db, id)) : null;
}

const shareParams = z.object({ share_id: z.string() });

const getShareEndpoint = endpoint({
	id: "get_brain_share",
	method: "GET",
	path: "/v1/b/{share_id}",
	access: "public",
	limited: true,
	conditional: "strong",
	cacheControl: "public, max-age=300",
	summary: "A shared routing config: its normal form, and its text if it was shared as one.",
	description:
		"To read a config that somebody shared by its id of ten characters; its `config` goes into `brain_config` of a request.",
	params: shareParams,
	result: z.lazy(() =>
		z.object({
			object: z.literal("brain.share"),
			share_id: z.string(),
			title: z.string().nullable(),
			config: configSchema,
			brain_md: z.string().nullable(),
			valid: z.boolean(),
			errors: z.array(z.string()),
			created_at: z.number().describe("Unix timestamp."),
		}),
	),
	async handle({ params, context }) {
		const share = await findAnyShare(params.share_id, context);
		if (!share) return fail(NO_SHARE);
		return ok({
			object: "brain.share" as const,
			share_id: share.id,
			title: share.title,
			config: toConfigFields(share.config),
			brain_md: share.brainMd,
			valid: share.errors.length === 0,
			errors: share.errors,
			created_at: toUnixSeconds(share.createdAt),
		});
	},
});

const showSharePageEndpoint = endpoint({
	id: "show_brain_share",
	method: "GET",
	path: "/b/{share_id}",
	access: "public",
	limited: true,
	conditional: "strong",
	cacheControl: "public, max-age=300",
	mediaType: "text/html",
	summary: "A shared routing config as a page for people.",
	params: shareParams,
	result: z.string(),
	async handle({ params, context }) {
		const share = await findAnyShare(params.share_id, context);
		if (!share) return fail(NO_SHARE);
		return { ok: true, value: renderSharePage(share, shareUrls(share, context)), headers: pageHeaders() };
	},
});

/** Changes with the looks of badges. */
const BADGE_VERSION = 1;
const BADGE_CACHE_SECONDS = 86_400;

function badgeKey(shareId: string): string {
	return `badge:${BADGE_VERSION}:${shareId}`;
}

function modelBadge(id: string | undefined, { settings }: ServiceContext): BadgeValue {
	if (id === undefined || id === "" || id === "auto") return { text: "auto", tone: "auto" };
	const model = settings.catalog.findModel(id);
	return model ? { text: model.display_name, tone: model.tier } : { text: "unknown model", tone: "unknown" };
}

async function shareBadge(id: string, context: ServiceContext): Promise<BadgeValue> {
	const share = await findAnyShare(id, context);
	if (!share) return { text: "unknown share", tone: "unknown" };
	const tone = share.errors.length === 0 ? "valid" : "invalid";
	return { text: `${tone} ${shortConfigDigest(share)}`, tone };
}

/**
 * The badge of a share with the default label, cached in KV, which saves the D1 query. Only badges of existing shares are
 * cached, one each. A model's badge is computed faster than KV answers.
 */
async function cachedShareBadge(id: string, context: ServiceContext): Promise<string> {
	const { KV } = context.env;
	const key = badgeKey(id);
	const logFailure = (error: unknown) => {
		logError("badge_not_kept", error);
		return null;
	};
	const cached = isShareId(id) ? await KV.get(key, { cacheTtl: 3600 }).catch(logFailure) : null;
	if (cached !== null) return cached;
	const value = await shareBadge(id, context);
	const badge = renderBadge(DEFAULT_LABEL, value);
	if (value.tone !== "unknown")
		context.waitUntil(KV.put(key, badge, { expirationTtl: BADGE_CACHE_SECONDS }).catch(logFailure));
	return badge;
}

const getBadgeEndpoint = endpoint({
	id: "get_brain_badge",
	method: "GET",
	path: "/v1/brain/badge",
	access: "public",
	limited: true,
	conditional: "strong",
	cacheControl: "public, max-age=3600",
	mediaType: "image/svg+xml",
	summary: "A badge for a README: a model in the colour of its tier, or whether a shared routing config is valid.",
	query: z.object({
		model: z.string().optional().describe("A model id; without it the badge says auto."),
		share: z.string().optional().describe("A share id, instead of a model."),
		label: z.string().default(DEFAULT_LABEL).describe("What stands before the value; cut when it is too long."),
	}),
	result: z.string(),
	async handle({ query, context }) {
		const { model, share, label } = query;
		// An SVG that is opened by itself could run scripts in this origin. The policy forbids them; a badge has none.
		const headers = { "content-security-policy": "default-src 'none'", "x-content-type-options": "nosniff" };
		if (share !== undefined && label === DEFAULT_LABEL)
			return { ok: true, value: await cachedShareBadge(share, context), headers };
		const value = share === undefined ? modelBadge(model, context) : await shareBadge(share, context);
		return { ok: true, value: renderBadge(label, value), headers };
	},
});

export const routingConfigEndpoints: readonly Endpoint[] = [
	validateConfigEndpoint,
	createShareEndpoint,
	listSharesEndpoint,
	getBadgeEndpoint,
	getShareEndpoint,
	showSharePageEndpoint,
];
