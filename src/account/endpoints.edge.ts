// Operator endpoints: make, list, rotate and revoke keys.

import { ulid } from "ulid";
import * as z from "zod";
import { PLAN_IDS, type PlanId } from "../catalog/plans.ts";
import { fail, ok } from "../failure.ts";
import type { Endpoint } from "../http/endpoint.ts";
import { findKey, insertKey, listKeys, markRevoked, upsertUser } from "./accounts.store.ts";
import { forgetRefusals } from "./admission.edge.ts";
import { apiKeyDigest, generateApiKey } from "./api-key.ts";
import type { ServiceContext } from "./context.ts";
import { endpoint } from "./endpoint.ts";

export const planIdSchema = z.enum(PLAN_IDS);
const createdKey = z.lazy(() =>
	z.object({ user_id: z.string(), key_id: z.string(), plan: planIdSchema, key: z.string() }),
);
const listedKey = z.lazy(() =>
	z.object({
		key_id: z.string(),
		user_id: z.string(),
		user: z.string(),
		plan: z.string(),
		last4: z.string(),
		created_at: z.string(),
		revoked_at: z.string().nullable(),
		rotated_from: z.string().nullable(),
	}),
);
const keyParams = z.lazy(() => z.object({ key_id: z.string() }));
const unknownKey = fail({ reason: "key_not_found", message: "no such key" });

/** Stores a new key and returns it; this is the only time it is shown. */
async function storeNewKey(context: ServiceContext, userId: string, rotatedFrom: string | null) {
	const key = generateApiKey((count) => crypto.getRandomValues(new Uint8Array(count)));
	const keyId = `key_${ulid()}`;
	await insertKey(context.db, {
		id: keyId,
		userId,
		digest: apiKeyDigest(context.settings.keyPepper, key),
		last4: key.slice(-4),
		createdAt: new Date(context.startedAtMs).toISOString(),
		rotatedFrom,
	});
	return { keyId, key };
}

/** The meter first: it refuses the key at once, and a crash before D1 knows leaves the key unusable, not usable. */
async function revoke(context: ServiceContext, userId: string, keyId: string): Promise<void> {
	await context.meter(userId).revokeKey(keyId);
	forgetRefusals(userId);
	await markRevoked(context.db, keyId, new Date(context.startedAtMs).toISOString());
}

const createKeyEndpoint = endpoint({
	id: "operator_create_key",
	method: "POST",
	path: "/internal/keys",
	access: "operator",
	internal: true,
	summary: "Make a user, if new, and a key; an existing user gets the plan named.",
	body: z.lazy(() => z.object({ user: z.string().trim().min(1).max(128), plan: planIdSchema })),
	result: createdKey,
	async handle({ body, context }) {
		const userId = await upsertUser(context.db, {
			id: `usr_${ulid()}`,
			name: body.user,
			plan: body.plan,
			createdAt: new Date(context.startedAtMs).toISOString(),
		});
		await context.meter(userId).setPlan(body.plan);
		forgetRefusals(userId);
		const { keyId, key } = await storeNewKey(context, userId, null);
		return ok({ user_id: userId, key_id: keyId, plan: body.plan, key });
	},
});

const listKeysEndpoint = endpoint({
	id: "operator_list_keys",
	method: "GET",
	path: "/internal/keys",
	access: "operator",
	internal: true,
	summary: "All keys, or those of one user, without the keys themselves.",
	query: z.lazy(() => z.object({ user: z.string().optional() })),
	result: z.lazy(() => z.object({ object: z.literal("list"), data: z.array(listedKey) })),
	async handle({ query, context }) {
		return ok({ object: "list" as const, data: await listKeys(context.db, query.user) });
	},
});

const rotateKeyEndpoint = endpoint({
	id: "operator_rotate_key",
	method: "POST",
	path: "/internal/keys/{key_id}/rotate",
	access: "operator",
	internal: true,
	summary: "Make a key that replaces another, and revoke the other.",
	params: keyParams,
	result: createdKey,
	async handle({ params, context }) {
		const old = await findKey(context.db, params.key_id);
		if (!old || old.revoked_at !== null) return unknownKey;
		// The new key is stored before the old one stops: whatever fails, the user is left with a working key.
		const { keyId, key } = await storeNewKey(context, old.user_id, old.key_id);
		await revoke(context, old.user_id, old.key_id);
		return ok({ user_id: old.user_id, key_id: keyId, plan: old.plan as PlanId, key });
	},
});

const revokeKeyEndpoint = endpoint({
	id: "operator_revoke_key",
	method: "POST",
	path: "/internal/keys/{key_id}/revoke",
	access: "operator",
	internal: true,
	summary: "Revoke a key; it is refused before this answers.",
	params: keyParams,
	result: z.lazy(() => z.object({ key_id: z.string(), user_id: z.string(), revoked: z.literal(true) })),
	async handle({ params, context }) {
		const key = await findKey(context.db, params.key_id);
		if (!key) return unknownKey;
		await revoke(context, key.user_id, key.key_id);
		return ok({ key_id: key.key_id, user_id: key.user_id, revoked: true as const });
	},
});

export const accountEndpoints: readonly Endpoint[] = [
	createKeyEndpoint,
	listKeysEndpoint,
	rotateKeyEndpoint,
	revokeKeyEndpoint,
];
