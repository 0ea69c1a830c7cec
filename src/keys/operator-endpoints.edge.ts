// Keys of all users, for the operator: made, listed, changed, rotated and revoked.
import { ulid } from "ulid";
import * as z from "zod";
import { upsertUser } from "../account/accounts.store.ts";
import { forgetRefusals } from "../account/admission.edge.ts";
import type { ServiceContext } from "../account/context.ts";
import { endpoint } from "../account/endpoint.ts";
import { type PlanId, planIdSchema } from "../catalog/plans.ts";
import { fail, ok, type Result } from "../failure.ts";
import type { Endpoint } from "../http/endpoint.ts";
import { changeKey, type KeyChange, makeKey, NO_KEY, OPERATOR, revokeKey, rotateKey } from "./changes.edge.ts";
import { mergeOptions, UNLIMITED } from "./key.ts";
import { findKeyPlan, listKeys } from "./keys.store.ts";
import { keyOptionFields, keyRequestSchema, readKeyOptions, rotateRequestSchema, toKeyBasis } from "./request.ts";
import { keySchema, operatorKeySchema, toKeyMembers } from "./schemas.ts";
import { viewKey } from "./views.edge.ts";

const createdKeySchema = z.lazy(() =>
	z.object({ user_id: z.string(), key_id: z.string(), plan: planIdSchema, key: z.string() }),
);
const keyParams = z.lazy(() => z.object({ key_id: z.string() }));

/** The plan of a key's user. */
async function findPlan({ key_id: keyId }: { key_id: string }, { db }: ServiceContext): Promise<Result<PlanId>> {
	const plan = planIdSchema.safeParse(await findKeyPlan(db, keyId));
	return plan.success ? ok(plan.data) : fail(NO_KEY);
}

/** A change by an operator, whom neither owner nor last owner key limits. */
function toOperatorChange({ key_id: keyId }: { key_id: string }): KeyChange {
	return { userId: null, keyId, maker: OPERATOR };
}

const operatorCreateKeyEndpoint = endpoint({
	id: "operator_create_key",
	method: "POST",
	path: "/internal/keys",
	access: "operator",
	summary: "Make a user, if new, and a key; an existing user gets the plan named.",
	body: z.lazy(() =>
		z.strictObject({ user: z.string().trim().min(1).max(128), plan: planIdSchema, ...keyOptionFields() }),
	),
	result: createdKeySchema,
	example: { body: { user: "ada", plan: "free" } },
	async handle({ body: { user, plan, ...requested }, context }) {
		const wanted = await readKeyOptions(requested, toKeyBasis(plan, context.settings, context.startedAtMs));
		if (!wanted.ok) return wanted;
		const userId = await upsertUser(context.db, {
			id: `usr_${ulid()}`,
			name: user,
			plan,
			createdAt: new Date(context.startedAtMs).toISOString(),
		});
		await context.meter(userId).setPlan(plan);
		forgetRefusals(userId);
		const made = await makeKey(context, userId, mergeOptions(UNLIMITED, wanted.value), OPERATOR);
		return made.ok ? ok({ user_id: userId, key_id: made.value.key.id, plan, key: made.value.secret }) : made;
	},
});

const operatorListKeysEndpoint = endpoint({
	id: "operator_list_keys",
	method: "GET",
	path: "/internal/keys",
	access: "operator",
	summary: "All keys, or those of one user, without the keys themselves.",
	query: z.lazy(() => z.object({ user: z.string().optional() })),
	result: z.lazy(() => z.object({ object: z.literal("list"), data: z.array(operatorKeySchema) })),
	example: { query: { user: "ada" } },
	async handle({ query, context }) {
		const keys = await listKeys(context.db, query.user);
		const data = keys.map(({ key, user, plan }) => ({
			...toKeyMembers(key, false),
			user_id: key.userId,
			user,
			plan,
			revoked_at: key.revokedAt,
		}));
		return ok({ object: "list" as const, data });
	},
});

const operatorChangeKeyEndpoint = endpoint({
	id: "operator_change_key",
	method: "PATCH",
	path: "/internal/keys/{key_id}",
	access: "operator",
	summary: "Change what a key may do, from its next request on.",
	params: keyParams,
	body: keyRequestSchema,
	result: keySchema,
	ids: { key_id: { answerOf: "operator_create_key" } },
	example: { body: { rpm: 5 } },
	async handle({ params, body, context }) {
		const plan = await findPlan(params, context);
		if (!plan.ok) return plan;
		const wanted = await readKeyOptions(body, toKeyBasis(plan.value, context.settings, context.startedAtMs));
		if (!wanted.ok) return wanted;
		const changed = await changeKey(context, toOperatorChange(params), wanted.value);
		return changed.ok ? ok(await viewKey(context, changed.value, false)) : changed;
	},
});

const operatorRotateKeyEndpoint = endpoint({
	id: "operator_rotate_key",
	method: "POST",
	path: "/internal/keys/{key_id}/rotate",
	access: "operator",
	isBodyOptional: true,
	summary: "Make a key that replaces another, which ends at once or after an overlap.",
	params: keyParams,
	body: rotateRequestSchema,
	result: createdKeySchema,
	ids: { key_id: { answerOf: "operator_create_key" } },
	example: { body: { overlap_seconds: 3_600 } },
	async handle({ params, body, context }) {
		const plan = await findPlan(params, context);
		if (!plan.ok) return plan;
		const rotated = await rotateKey(context, toOperatorChange(params), body.overlap_seconds);
		if (!rotated.ok) return rotated;
		const { key, secret } = rotated.value;
		return ok({ user_id: key.userId, key_id: key.id, plan: plan.value, key: secret });
	},
});

const operatorRevokeKeyEndpoint = endpoint({
	id: "operator_revoke_key",
	method: "POST",
	path: "/internal/keys/{key_id}/revoke",
	access: "operator",
	summary: "Revoke a key; it is refused before this answers.",
	params: keyParams,
	result: z.lazy(() => z.object({ key_id: z.string(), user_id: z.string(), revoked: z.literal(true) })),
	ids: { key_id: { answerOf: "operator_create_key" } },
	async handle({ params, context }) {
		const revoked = await revokeKey(context, toOperatorChange(params));
		if (!revoked.ok) return revoked;
		const { id, userId } = revoked.value;
		return ok({ key_id: id, user_id: userId, revoked: true as const });
	},
});

export const operatorKeyEndpoints: readonly Endpoint[] = [
	operatorCreateKeyEndpoint,
	operatorListKeysEndpoint,
	operatorChangeKeyEndpoint,
	operatorRotateKeyEndpoint,
	operatorRevokeKeyEndpoint,
];
