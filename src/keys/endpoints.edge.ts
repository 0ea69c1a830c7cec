// A user's own keys over HTTP: made, listed, changed, rotated and deleted. None of these endpoints is a tool.
import * as z from "zod";
import type { KeyContext } from "../account/context.ts";
import { type CountWrite, makeCountedWrite } from "../account/counted-write.ts";
import { endpoint } from "../account/endpoint.ts";
import { readableMakers } from "../account/makers.ts";
import { toActor } from "../audit/event.ts";
import { fail, ok, type Result } from "../failure.ts";
import type { Endpoint } from "../http/endpoint.ts";
import { cursorParam, listSchema, toNextPage } from "../http/list-answer.ts";
import { readListCursor, renderCursor } from "../http/list-position.ts";
import { integerParam } from "../http/query.ts";
import { changeKey, type KeyChange, type KeyMaker, makeKey, NO_KEY, revokeKey, rotateKey } from "./changes.edge.ts";
import { inheritOptions, isKeyId, type KeyOptions, MAX_USER_KEYS } from "./key.ts";
import { findKey, listUserKeys } from "./keys.store.ts";
import { keyRequestSchema, readKeyOptions, rotateRequestSchema, toKeyBasis } from "./request.ts";
import { keySchema, madeKeySchema, rotatedKeySchema } from "./schemas.ts";
import { viewKey, viewKeys } from "./views.edge.ts";

const DEFAULT_LISTED_KEYS = 100;

const ownKeyParams = z.lazy(() => z.object({ key_id: z.string() }));

interface OwnKeyMaker extends KeyMaker {
	options: KeyOptions;
}

/** The key that makes a request, with its options as D1 has them now. */
async function findMaker({ account, db, timings }: KeyContext, count: CountWrite | null): Promise<Result<OwnKeyMaker>> {
	const own = await timings.measure("d1", () => findKey(db, account.userId, account.keyId));
	return own ? ok({ actor: toActor(account), keyId: own.id, options: own.options, count }) : fail(NO_KEY);
}

/** A change of one of the caller's keys. A malformed id is an unknown one. */
async function toKeyChange(keyId: string, context: KeyContext, count: CountWrite | null): Promise<Result<KeyChange>> {
	if (!isKeyId(keyId)) return fail(NO_KEY);
	const maker = await findMaker(context, count);
	return maker.ok ? ok({ userId: context.account.userId, keyId, maker: maker.value }) : maker;
}

/** Makes a change that counts what it stores, and is taken back where it was not made. */
function makeCounted<T>(context: KeyContext, change: (count: CountWrite) => Promise<Result<T>>): Promise<Result<T>> {
	return makeCountedWrite(context, change, () => true);
}

const createKeyEndpoint = endpoint({
	id: "create_key",
	method: "POST",
	path: "/v1/keys",
	access: "key",
	roles: ["owner"],
	isBodyOptional: true,
	toolGroup: null,
	command: "keys create",
	page: "keys",
	summary: "Makes a key, with the limits of the calling key where none are named. The key itself is shown this once.",
	body: keyRequestSchema,
	result: madeKeySchema,
	ids: "none",
	example: {
		body: {
			name: "nightly build",
			role: "agent",
			budget_usd: 2,
			budget_period: "day",
			models: ["budget", "gpt-6-luna"],
			tags: ["ci"],
		},
	},
	async handle({ body, context }) {
		const { account, settings, startedAtMs } = context;
		const wanted = await readKeyOptions(body, toKeyBasis(account.plan.id, settings, startedAtMs));
		if (!wanted.ok) return wanted;
		const made = await makeCounted(context, async (count) => {
			const own = await findMaker(context, count);
			if (!own.ok) return own;
			return makeKey(context, account.userId, inheritOptions(wanted.value, own.value.options), own.value);
		});
		return made.ok ? ok({ ...(await viewKey(context, made.value.key, true)), key: made.value.secret }) : made;
	},
});

const listKeysEndpoint = endpoint({
	id: "list_keys",
	method: "GET",
	path: "/v1/keys",
	access: "key",
	toolGroup: null,
	command: "keys list",
	page: "keys",
	summary:
		"The caller's keys that are not deleted, newest first, without the keys themselves; a key that reads only its own sees itself.",
	query: z.lazy(() =>
		z.object({
			limit: integerParam(1, MAX_USER_KEYS).default(DEFAULT_LISTED_KEYS).describe("Keys of a page."),
			cursor: cursorParam(),
		}),
	),
	result: z.lazy(() => listSchema(keySchema)),
	ids: { cursor: { pageAfter: "create_key" } },
	async handle({ query: { limit, cursor }, context }) {
		const { account, db, timings } = context;
		const after = readListCursor(cursor, isKeyId);
		if (!after.ok) return after;
		const { keys, hasMore } = await timings.measure("d1", () =>
			listUserKeys(db, { userId: account.userId, only: readableMakers(account) }, limit, after.value),
		);
		const last = keys.at(-1);
		return ok({
			object: "list" as const,
			...toNextPage(hasMore && last ? renderCursor({ created_at: last.createdAt, id: last.id }) : null),
			data: await viewKeys(context, { userId: account.userId, isOwner: account.key.role === "owner" }, keys),
		});
	},
});

const changeKeyEndpoint = endpoint({
	id: "change_key",
	method: "PATCH",
	path: "/v1/keys/{key_id}",
	access: "key",
	roles: ["owner"],
	toolGroup: null,
	page: "keys",
	summary: "Changes what one of the caller's keys may do, from its next request on; null removes a limit.",
	params: ownKeyParams,
	body: keyRequestSchema,
	result: keySchema,
	ids: { key_id: { answerOf: "create_key" } },
	example: { body: { rpm: 30 } },
	async handle({ params, body, context }) {
		const { account, settings, startedAtMs } = context;
		const wanted = await readKeyOptions(body, toKeyBasis(account.plan.id, settings, startedAtMs));
		if (!wanted.ok) return wanted;
		const changed = await makeCounted(context, async (count) => {
			const change = await toKeyChange(params.key_id, context, count);
			return change.ok ? changeKey(context, change.value, wanted.value) : change;
		});
		return changed.ok ? ok(await viewKey(context, changed.value, true)) : changed;
	},
});

const rotateKeyEndpoint = endpoint({
	id: "rotate_key",
	method: "POST",
	path: "/v1/keys/{key_id}/rotate",
	access: "key",
	roles: ["owner"],
	isBodyOptional: true,
	toolGroup: null,
	command: "keys rotate",
	page: "keys",
	summary:
		"Makes a key that replaces one of the caller's, with the same options; the old one ends at once or after an overlap.",
	params: ownKeyParams,
	body: rotateRequestSchema,
	result: rotatedKeySchema,
	ids: { key_id: { answerOf: "create_key" } },
	example: { body: { overlap_seconds: 3_600 } },
	async handle({ params, body, context }) {
		const rotated = await makeCounted(context, async (count) => {
			const change = await toKeyChange(params.key_id, context, count);
			return change.ok ? rotateKey(context, change.value, body.overlap_seconds) : change;
		});
		if (!rotated.ok) return rotated;
		const { key, secret, previousEndsAt } = rotated.value;
		return ok({ ...(await viewKey(context, key, true)), key: secret, previous_ends_at: previousEndsAt });
	},
});

const deleteKeyEndpoint = endpoint({
	id: "delete_key",
	method: "DELETE",
	path: "/v1/keys/{key_id}",
	access: "key",
	roles: ["owner"],
	toolGroup: null,
	command: "keys revoke",
	page: "keys",
	summary: "Deletes one of the caller's keys; it is refused before this answers.",
	params: ownKeyParams,
	result: z.lazy(() => z.object({ object: z.literal("key"), key_id: z.string(), deleted: z.literal(true) })),
	ids: { key_id: { answerOf: "create_key" } },
	async handle({ params, context }) {
		// What ends a key is stored whatever the quota says, and is small.
		const change = await toKeyChange(params.key_id, context, null);
		if (!change.ok) return change;
		const revoked = await revokeKey(context, change.value);
		return revoked.ok ? ok({ object: "key" as const, key_id: revoked.value.id, deleted: true as const }) : revoked;
	},
});

export const keyEndpoints: readonly Endpoint[] = [
	createKeyEndpoint,
	listKeysEndpoint,
	changeKeyEndpoint,
	deleteKeyEndpoint,
	rotateKeyEndpoint,
];
