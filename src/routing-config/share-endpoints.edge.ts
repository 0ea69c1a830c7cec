// Shared routing configs over HTTP: made, listed, read as JSON or as a page for people, deleted.
import * as z from "zod";
import type { ServiceContext } from "../account/context.ts";
import { type CountWrite, makeCountedWrite } from "../account/counted-write.ts";
import { dropStored } from "../account/drop-stored.edge.ts";
import { endpoint } from "../account/endpoint.ts";
import { type Failure, fail, ok } from "../failure.ts";
import type { Endpoint } from "../http/endpoint.ts";
import { cursorParam, listSchema, toNextPage } from "../http/list-answer.ts";
import { readListCursor, renderCursor } from "../http/list-position.ts";
import { integerParam } from "../http/query.ts";
import { forgetShareBadge } from "./badge-endpoint.edge.ts";
import { configFields, configSchema, readConfigInput, requireOneForm, toConfigFields } from "./config-input.ts";
import { pageHeaders, renderSharePage } from "./page.ts";
import { isShareId, MAX_SHARE_TITLE_CHARS, MAX_USER_SHARES, type Share, type SharedConfig } from "./share.ts";
import { findShareSecrets } from "./share-secrets.edge.ts";
import { deleteShare, findAnyShare, listShares, storeShare } from "./shares.store.ts";

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
	roles: ["owner"],
	toolGroup: "configs",
	command: "config share",
	page: "config",
	summary: "Shares a routing config under a short public id; sharing the same again answers with the same share.",
	description:
		"Anybody who has the id can read it until its owner deletes it. What looks like a secret is refused. At most 1,000 shares a user.",
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
					.describe("Title that lists show beside the id."),
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
	ids: { title: { chosenIn: "create_brain_share" } },
	example: { body: { brain_md: "model: auto\nmax_cost: 0.01\nblocked:\n  - grok-*\n", title: "Cheap and careful" } },
	async handle({ body, context }) {
		const { config, errors } = await readConfigInput(body, context.settings.catalog);
		const title = body.title?.trim() || null;
		const secrets = await findShareSecrets(
			body,
			{ title, config, errors },
			{ user: context.account.userId, signal: context.signal },
		);
		if (secrets.length > 0) return fail({ reason: "secret_in_share", secrets });
		const shared: SharedConfig = { title, brainMd: body.brain_md ?? null, config, errors };
		const createdAt = new Date(context.startedAtMs).toISOString();
		const random = (count: number) => crypto.getRandomValues(new Uint8Array(count));
		const store = (count: CountWrite) =>
			storeShare(context.db, context.account.userId, shared, createdAt, random, count);
		const stored = await context.timings.measure("d1", () =>
			makeCountedWrite(context, store, (value) => value?.isNew ?? false),
		);
		if (!stored.ok) return stored;
		if (!stored.value) return fail({ reason: "share_limit_reached", limit: MAX_USER_SHARES });
		const { share } = stored.value;
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
	toolGroup: "configs",
	summary: "The caller's shared routing configs, newest first.",
	query: z.object({
		limit: integerParam(1, MAX_USER_SHARES).default(MAX_USER_SHARES).describe("Shares of a page."),
		cursor: cursorParam(),
	}),
	result: z.lazy(() =>
		listSchema(
			z.object({
				share_id: z.string(),
				title: z.string().nullable(),
				config: configSchema,
				url: z.string(),
				short_url: z.string(),
				created_at: z.number().describe("Unix timestamp."),
			}),
		),
	),
	ids: { cursor: { pageAfter: "create_brain_share" } },
	async handle({ query, context }) {
		const { db, account } = context;
		const { cursor, limit } = query;
		const after = readListCursor(cursor, isShareId);
		if (!after.ok) return after;
		const { shares, hasMore } = await context.timings.measure("d1", () =>
			listShares(db, account.userId, limit, after.value),
		);
		const last = shares.at(-1);
		return ok({
			object: "list" as const,
			...toNextPage(hasMore && last ? renderCursor({ created_at: last.createdAt, id: last.id }) : null),
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

const shareParams = z.object({ share_id: z.string() });

const getShareEndpoint = endpoint({
	id: "get_brain_share",
	method: "GET",
	path: "/v1/b/{share_id}",
	access: "public",
	limited: true,
	conditional: "strong",
	cacheControl: "public, max-age=300",
	toolGroup: "configs",
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
	ids: { share_id: { answerOf: "create_brain_share" } },
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
	toolGroup: null,
	summary: "A shared routing config as a page for people.",
	params: shareParams,
	result: z.string(),
	ids: { share_id: { answerOf: "create_brain_share" } },
	async handle({ params, context }) {
		const share = await findAnyShare(params.share_id, context);
		if (!share) return fail(NO_SHARE);
		return { ok: true, value: renderSharePage(share, shareUrls(share, context)), headers: pageHeaders() };
	},
});

const deletedShareSchema = z.lazy(() =>
	z.object({ object: z.literal("brain.share"), share_id: z.string(), deleted: z.literal(true) }),
);

/** Deletes a share. @param userId its owner; null for the operator, who may delete anybody's. */
async function deleteShareById(id: string, userId: string | null, context: ServiceContext) {
	const { db, env, timings } = context;
	const deleted = isShareId(id) ? await timings.measure("d1", () => deleteShare(db, id, userId)) : null;
	if (!deleted) return fail(NO_SHARE);
	await dropStored(`share ${id} deleted`, deleted.userId, { keptBytes: deleted.bytes }, context);
	await forgetShareBadge(env, id);
	return ok({ object: "brain.share" as const, share_id: id, deleted: true as const });
}

const deleteShareEndpoint = endpoint({
	id: "delete_brain_share",
	method: "DELETE",
	path: "/v1/b/{share_id}",
	access: "key",
	roles: ["owner"],
	toolGroup: "configs",
	summary: "Deletes one of the caller's shared routing configs; its id is never used again.",
	description: "Copies that others took stay with them. The same config shared again gets a new id.",
	params: shareParams,
	result: deletedShareSchema,
	ids: { share_id: { answerOf: "create_brain_share" } },
	handle: ({ params, context }) => deleteShareById(params.share_id, context.account.userId, context),
});

const takeDownShareEndpoint = endpoint({
	id: "operator_delete_share",
	method: "DELETE",
	path: "/internal/shares/{share_id}",
	access: "operator",
	summary: "Take down a shared routing config, whoever shared it.",
	params: shareParams,
	result: deletedShareSchema,
	ids: { share_id: { answerOf: "create_brain_share" } },
	handle: ({ params, context }) => deleteShareById(params.share_id, null, context),
});

export const shareEndpoints: readonly Endpoint[] = [
	createShareEndpoint,
	listSharesEndpoint,
	getShareEndpoint,
	deleteShareEndpoint,
	showSharePageEndpoint,
	takeDownShareEndpoint,
];
