// Makes and reads ids of requests and runs under the service's key.
import type { Settings } from "../settings.ts";
import type { Account, ServiceContext } from "./context.ts";
import {
	decodeRequestId,
	deriveTagKey,
	encodeRequestId,
	type RequestIdParts,
	type RequestIdPrefix,
	type TagKey,
} from "./request-tag.ts";

const tagKeys = new WeakMap<Settings, TagKey>();

function tagKeyFor(settings: Settings): TagKey {
	const known = tagKeys.get(settings);
	if (known) return known;
	const key = deriveTagKey(settings.keyPepper);
	tagKeys.set(settings, key);
	return key;
}

/** An id for a request or a run of a user. */
export function newRequestId(
	account: Account,
	{ settings, startedAtMs }: ServiceContext,
	prefix: RequestIdPrefix = "svc-",
): string {
	const random = crypto.getRandomValues(new Uint8Array(5));
	return encodeRequestId(tagKeyFor(settings), account.number, startedAtMs, random, prefix);
}

/** The parts of an id; null for a text that is not an id. */
export function parseRequestId(id: string, settings: Settings): RequestIdParts | null {
	return decodeRequestId(tagKeyFor(settings), id);
}
