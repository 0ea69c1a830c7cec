// The badge of a model or a shared routing config, and its cache in KV.
import * as z from "zod";
import type { ServiceContext } from "../account/context.ts";
import { endpoint } from "../account/endpoint.ts";
import { findExactModel } from "../catalog/aliases.ts";
import { logError } from "../http/log.edge.ts";
import { type BadgeValue, DEFAULT_LABEL, renderBadge } from "./badge.ts";
import { isShareId, shortConfigDigest } from "./share.ts";
import { findAnyShare } from "./shares.store.ts";

/** Changes with the looks of badges. */
const BADGE_VERSION = 1;
/**
 * The badge of a deleted share is grey within an hour: the entry in KV, an edge's copy of it and a client's copy of the answer
 * may each be taken just before the one before expires, and deleting the entry may fail.
 */
const BADGE_KV_SECONDS = 900;
const BADGE_EDGE_SECONDS = 600;
const SHARE_BADGE_CLIENT_SECONDS = 1_800;

function badgeKey(shareId: string): string {
	return `badge:${BADGE_VERSION}:${shareId}`;
}

function logKvFailure(error: unknown): null {
	logError("badge_not_kept", error);
	return null;
}

/** Removes a deleted share's badge from KV. Should that fail, the entry expires by itself. */
export async function forgetShareBadge({ KV }: Pick<Env, "KV">, shareId: string): Promise<void> {
	await KV.delete(badgeKey(shareId)).catch(logKvFailure);
}

function modelBadge(id: string | undefined, { settings }: ServiceContext): BadgeValue {
	if (id === undefined || id === "" || id === "auto") return { text: "auto", tone: "auto" };
	const model = findExactModel(id, settings.catalog);
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
	const cached = isShareId(id) ? await KV.get(key, { cacheTtl: BADGE_EDGE_SECONDS }).catch(logKvFailure) : null;
	if (cached !== null) return cached;
	const value = await shareBadge(id, context);
	const badge = renderBadge(DEFAULT_LABEL, value);
	if (value.tone !== "unknown")
		context.waitUntil(KV.put(key, badge, { expirationTtl: BADGE_KV_SECONDS }).catch(logKvFailure));
	return badge;
}

export const badgeEndpoint = endpoint({
	id: "get_brain_badge",
	method: "GET",
	path: "/v1/brain/badge",
	access: "public",
	limited: true,
	conditional: "strong",
	cacheControl: "public, max-age=3600",
	mediaType: "image/svg+xml",
	toolGroup: null,
	summary: "A badge for a README: a model in the colour of its tier, or whether a shared routing config is valid.",
	query: z.object({
		model: z.string().optional().describe("A model id; without it the badge says auto."),
		share: z.string().optional().describe("A share id, instead of a model."),
		label: z.string().default(DEFAULT_LABEL).describe("Text before the value; a long one is cut."),
	}),
	result: z.string(),
	example: { query: { model: "claude-haiku-5-5" } },
	async handle({ query, context }) {
		const { model, share, label } = query;
		// An SVG that is opened by itself could run scripts in this origin. The policy forbids them; a badge has none.
		const headers = { "content-security-policy": "default-src 'none'", "x-content-type-options": "nosniff" };
		if (share === undefined) return { ok: true, value: renderBadge(label, modelBadge(model, context)), headers };
		const shareHeaders = { ...headers, "cache-control": `public, max-age=${SHARE_BADGE_CLIENT_SECONDS}` };
		const svg =
			label === DEFAULT_LABEL
				? await cachedShareBadge(share, context)
				: renderBadge(label, await shareBadge(share, context));
		return { ok: true, value: svg, headers: shareHeaders };
	},
});
