// Makes, changes, rotates and ends keys: D1 has them, and the meter refuses what is over.
//
// Order. D1 decides first, because only there a statement sees all keys of a user. Then the meter is told, before the request is
// answered: from then on it refuses what isolates remember of the key. Should the meter not be reached, the request is 503, and
// isolates take at most 30 seconds to see the change by themselves; the same request again tells the meter again. A rotation is
// answered all the same, because its new key is shown nowhere else.
import { ulid } from "ulid";
import { forgetRefusals } from "../account/admission.edge.ts";
import { apiKeyDigest, generateApiKey } from "../account/api-key.ts";
import { forgetAccount } from "../account/auth.edge.ts";
import type { ServiceContext } from "../account/context.ts";
import type { CountWrite } from "../account/counted-write.ts";
import { type AuditEventRow, OPERATOR_ACTOR, type PlainEvent, toPlainEvent } from "../audit/event.ts";
import { redactPayloadSecrets } from "../compliance/audit-secrets.ts";
import { type Failure, fail, ok, type Result } from "../failure.ts";
import { logError } from "../http/log.edge.ts";
import { toMeteredBudget } from "../meter/key-budget.ts";
import { eventBytes } from "../meter/stored-bytes.ts";
import {
	type ApiKey,
	areSameOptions,
	findOwnOnlyIssue,
	findWiderMember,
	isLiveKey,
	type KeyOptions,
	MAX_USER_KEYS,
	mergeOptions,
	toBudgetKeyId,
	toKeyLife,
	type WantedOptions,
} from "./key.ts";
import { keyChangedEvent, keyCreatedEvent, keyRevokedEvent } from "./key-event.ts";
import {
	findKey,
	hasUnrevokedKey,
	insertKey,
	type NewKey,
	replaceKey,
	replaceOptions,
	revokeStoredKey,
} from "./keys.store.ts";

type ChangeContext = Pick<ServiceContext, "db" | "meter" | "settings" | "startedAtMs" | "timings">;

/** Who makes or changes keys: a key, or the operator. */
export interface KeyMaker {
	/** As audit events name it. */
	actor: string;
	/** Null for the operator. */
	keyId: string | null;
	/** Of the key; null for the operator, whom nothing limits. */
	options: KeyOptions | null;
	/** Counts what a change stores; null where it counts for nobody. */
	count: CountWrite | null;
}

export const OPERATOR: KeyMaker = { actor: OPERATOR_ACTOR, keyId: null, options: null, count: null };

/** A full quota stops no change of a key that stores less: it may be one that is needed for safety. A key with a long config is more. */
const SMALL_CHANGE_BYTES = 4_096;

/** Counts the events of a change before it is made: once, however often it is tried. */
async function countChange({ count }: KeyMaker, ...events: readonly AuditEventRow[]): Promise<Result<unknown>> {
	if (!count) return ok(null);
	const rollingBytes = events.reduce((sum, { payload }) => sum + eventBytes(payload), 0);
	const small = rollingBytes <= SMALL_CHANGE_BYTES ? { reducedRollingBytes: rollingBytes } : {};
	return count({ rollingBytes, keptBytes: 0, ...small });
}

export const NO_KEY: Failure = { reason: "key_not_found", message: "no such key" };

/** A new key, which is shown this once. */
export interface MadeKey {
	key: ApiKey;
	secret: string;
}

/** Changes to one key at the same time are tried one after the other. */
const MAX_CHANGE_TRIES = 200;

function toIso(ms: number): string {
	return new Date(ms).toISOString();
}

function draftKey(
	{ settings, startedAtMs }: ChangeContext,
	userId: string,
	options: KeyOptions,
	{ keyId }: KeyMaker,
	rotated: ApiKey | null,
): MadeKey & { row: NewKey } {
	const secret = generateApiKey((count) => crypto.getRandomValues(new Uint8Array(count)));
	const shown = {
		id: `key_${ulid(startedAtMs)}`,
		userId,
		last4: secret.slice(-4),
		createdAt: toIso(startedAtMs),
		rotatedFrom: rotated?.id ?? null,
		madeBy: keyId,
		budgetKeyId: rotated && toBudgetKeyId(rotated),
		options,
	};
	const row = { ...shown, digest: apiKeyDigest(settings.keyPepper, secret) };
	return { secret, row, key: { ...shown, revokedAt: null, version: 1 } };
}

/** An event as it is stored. */
async function toStoredEvent(event: PlainEvent, { settings }: ChangeContext): Promise<AuditEventRow> {
	const nowMs = Date.now();
	const payload = await redactPayloadSecrets(event.payload, settings);
	return toPlainEvent({ ...event, payload }, ulid(nowMs), nowMs);
}

/** Makes a key of a user. */
export async function makeKey(
	context: ChangeContext,
	userId: string,
	options: KeyOptions,
	maker: KeyMaker,
): Promise<Result<MadeKey>> {
	const issue = findOwnOnlyIssue(options);
	if (issue) return fail({ reason: "invalid_request", issues: [issue] });
	const excess = maker.options && findWiderMember(options, maker.options, context.settings);
	if (excess) return fail({ reason: "key_scope_exceeded", member: excess });
	const { row, ...made } = draftKey(context, userId, options, maker, null);
	const event = await toStoredEvent(keyCreatedEvent(made.key, maker.actor), context);
	const counted = await countChange(maker, event);
	if (!counted.ok) return counted;
	const isStored = await context.timings.measure("d1", () => insertKey(context.db, row, event));
	return isStored ? ok(made) : fail({ reason: "key_limit_reached", limit: MAX_USER_KEYS });
}

/** Tells the meter and this isolate that a key has changed. */
async function publishChange({ meter }: ChangeContext, key: ApiKey): Promise<void> {
	const { id, userId, version, options } = key;
	const budget = {
		budgetKeyId: toBudgetKeyId(key),
		budget: toMeteredBudget(options.budget, options.alertWebhook),
	};
	if (version > 1) await meter(userId).changeKey(id, version, budget);
	forgetAccount(userId);
	forgetRefusals(id);
}

/**
 * Tells the meter and this isolate that a key is revoked.
 * @param isBudgetRetired whether all keys are revoked that its costs were booked with.
 */
async function publishRevocation({ meter }: ChangeContext, key: ApiKey, isBudgetRetired: boolean): Promise<void> {
	const { id, userId } = key;
	await meter(userId).revokeKey(id, isBudgetRetired ? toBudgetKeyId(key) : null);
	forgetAccount(userId);
	forgetRefusals(userId);
	forgetRefusals(id);
}

/** What becomes of a key that others may change at the same time. `taken` is false when one of them was first. */
type Attempt<T> = (before: ApiKey) => Promise<Result<{ taken: true; value: T } | { taken: false }>>;

/**
 * Tries a change until nobody else's comes in between. A key that stays as it was in spite of it is the last owner key.
 * @param userId its owner; null finds anybody's.
 */
async function attemptChange<T>(
	{ db, timings }: ChangeContext,
	userId: string | null,
	keyId: string,
	attempt: Attempt<T>,
): Promise<Result<T>> {
	const read = () => timings.measure("d1", () => findKey(db, userId, keyId));
	let before = await read();
	for (let tries = 0; before && tries < MAX_CHANGE_TRIES; tries++) {
		const tried = await attempt(before);
		if (!tried.ok) return tried;
		if (tried.value.taken) return ok(tried.value.value);
		const now = await read();
		if (now?.version === before.version) return fail({ reason: "last_owner_key" });
		before = now;
	}
	if (!before) return fail(NO_KEY);
	return fail({ reason: "storage_unavailable", message: "this key is changed by others all the time; try again" });
}

/** The key to be changed, and who changes it. */
export interface KeyChange {
	/** Its owner; null finds anybody's. */
	userId: string | null;
	keyId: string;
	maker: KeyMaker;
}

/** Changes options of a key. A revoked one is unknown. */
export async function changeKey(
	context: ChangeContext,
	{ userId, keyId, maker }: KeyChange,
	wanted: WantedOptions,
): Promise<Result<ApiKey>> {
	const { db, startedAtMs, timings } = context;
	const changed = await attemptChange<ApiKey>(context, userId, keyId, async (before) => {
		if (before.revokedAt !== null) return fail(NO_KEY);
		const options = mergeOptions(before.options, wanted);
		const issue = findOwnOnlyIssue(options);
		if (issue) return fail({ reason: "invalid_request", issues: [issue] });
		const excess = maker.options && findWiderMember(options, maker.options, context.settings, before.options);
		if (excess) return fail({ reason: "key_scope_exceeded", member: excess });
		if (areSameOptions(options, before.options)) return ok({ taken: true, value: before });
		const now = toIso(startedAtMs);
		const value = { ...before, options, version: before.version + 1 };
		const event = await toStoredEvent(keyChangedEvent(before, value, maker.actor), context);
		const counted = await countChange(maker, event);
		if (!counted.ok) return counted;
		const isStored = await timings.measure("d1", () => replaceOptions(db, before, options, now, event));
		return ok(isStored ? { taken: true, value } : { taken: false });
	});
	// Also of a key that is as wanted already: the request may be one that did not reach the meter before.
	if (changed.ok) await publishChange(context, changed.value);
	return changed;
}

/** Whether no key is left that costs are booked with. Where D1 cannot say it, the meter keeps the sums. */
async function isBudgetRetired({ db, timings }: ChangeContext, key: ApiKey): Promise<boolean> {
	try {
		return !(await timings.measure("d1", () => hasUnrevokedKey(db, key.userId, toBudgetKeyId(key))));
	} catch (error) {
		logError("key_budget_not_retired", error, { key_id: key.id });
		return false;
	}
}

/** Revokes a key. One that is revoked stays as it is. */
export async function revokeKey(context: ChangeContext, { userId, keyId, maker }: KeyChange): Promise<Result<ApiKey>> {
	const { db, startedAtMs, timings } = context;
	const revokedAt = toIso(startedAtMs);
	const mayBeLast = maker.options === null;
	const revoked = await attemptChange<ApiKey>(context, userId, keyId, async (before) => {
		if (before.revokedAt !== null) return ok({ taken: true, value: before });
		const event = await toStoredEvent(keyRevokedEvent(before, maker.actor, null), context);
		const isStored = await timings.measure("d1", () => revokeStoredKey(db, before, { revokedAt, mayBeLast }, event));
		return ok(isStored ? { taken: true, value: { ...before, revokedAt } } : { taken: false });
	});
	if (revoked.ok) await publishRevocation(context, revoked.value, await isBudgetRetired(context, revoked.value));
	return revoked;
}

/** A key that replaces another, and when the other ends. */
export interface Rotation extends MadeKey {
	previousEndsAt: string;
}

/** Replaces a key by a new one with the same options. The old one ends at once, or after an overlap. */
export async function rotateKey(
	context: ChangeContext,
	{ userId, keyId, maker }: KeyChange,
	overlapSeconds: number,
): Promise<Result<Rotation>> {
	const { db, startedAtMs, timings } = context;
	const now = toIso(startedAtMs);
	const rotated = await attemptChange<Rotation & { before: ApiKey }>(context, userId, keyId, async (before) => {
		const { options } = before;
		if (!isLiveKey(toKeyLife(before), now)) return fail(NO_KEY);
		const excess = maker.options && findWiderMember(options, maker.options, context.settings);
		if (excess) return fail({ reason: "key_scope_exceeded", member: excess });
		const { row, ...made } = draftKey(context, before.userId, options, maker, before);
		const overlapEnd = toIso(startedAtMs + overlapSeconds * 1_000);
		const isSooner = options.expiresAt !== null && options.expiresAt < overlapEnd;
		const previousEndsAt = isSooner && options.expiresAt !== null ? options.expiresAt : overlapEnd;
		const end = overlapSeconds > 0 ? { expiresAt: previousEndsAt } : { revokedAt: now };
		const ended = { ...before, options: { ...options, ...(overlapSeconds > 0 ? { expiresAt: previousEndsAt } : {}) } };
		const endEvent =
			overlapSeconds > 0
				? keyChangedEvent(before, ended, maker.actor)
				: keyRevokedEvent(before, maker.actor, made.key.id);
		const events = {
			made: await toStoredEvent(keyCreatedEvent(made.key, maker.actor), context),
			ended: await toStoredEvent(endEvent, context),
		};
		const counted = await countChange(maker, events.made, events.ended);
		if (!counted.ok) return counted;
		const isStored = await timings.measure("d1", () => replaceKey(db, before, row, end, events));
		return ok(isStored ? { taken: true, value: { ...made, previousEndsAt, before } } : { taken: false });
	});
	if (!rotated.ok) return rotated;
	const { before, ...rotation } = rotated.value;
	try {
		if (overlapSeconds > 0) await publishChange(context, { ...before, version: before.version + 1 });
		else await publishRevocation(context, before, false);
	} catch (error) {
		// The new key is stored and the old one ended. Without this answer, nobody would have either.
		logError("key_rotation_unpublished", error, { key_id: before.id });
	}
	return ok(rotation);
}
