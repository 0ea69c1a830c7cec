// Request and run ids of users, and the way back from an id to a user's meter.
import type { Settings } from "../settings.ts";
import type { Account, ServiceContext } from "./context.ts";
import {
	type RequestIdParts,
	type RequestIdPrefix,
	readRequestId,
	type TagKey,
	taggedRequestId,
	tagKeyOf,
} from "./request-tag.ts";

const keys = new WeakMap<Settings, TagKey>();

function keyOf(settings: Settings): TagKey {
	const known = keys.get(settings);
	if (known) return known;
	const key = tagKeyOf(settings.keyPepper);
	keys.set(settings, key);
	return key;
}

/** An id for a request or a run of a user. */
export function newRequestId(
	account: Account,
	{ settings, startedAtMs }: ServiceContext,
	prefix: RequestIdPrefix = "svc-",
): string {
	const random = crypto.getRandomValues(new Uint8Array(5));
	return taggedRequestId(keyOf(settings), account.number, startedAtMs, random, prefix);
}

/** What an id says; null for what is none. */
export function parseRequestId(id: string, settings: Settings): RequestIdParts | null {
	return readRequestId(keyOf(settings), id);
}
