// Names of the user's keys, for pages that say who did something.
import type { Api } from "./api.ts";

/** The most keys that a user may have, and the API lists at once. */
export const ALL_KEYS = 1_000;

/** What a key is called by. */
interface NamedKey {
	key_id: string;
	name: string | null;
	last4: string;
}

/** Keys by id: those that the session's key may see and that are not deleted. */
export type KeyNames = ReadonlyMap<string, NamedKey>;

/** Reads the names of keys; none where the API does not answer, so that a page is shown all the same. */
export async function readKeyNames(api: Api): Promise<KeyNames> {
	const list = await api.get<{ data: NamedKey[] }>(`/v1/keys?limit=${ALL_KEYS}`);
	return new Map(list.ok ? list.value.data.map((key) => [key.key_id, key]) : []);
}

/** Characters of an id that tell it from others, where a key has no name any more. */
const ID_TAIL = 6;

/** What people call a key. */
export function keyLabel(names: KeyNames, keyId: string): string {
	const key = names.get(keyId);
	if (!key) return `key …${keyId.slice(-ID_TAIL)}`;
	return key.name ?? `unnamed …${key.last4}`;
}

/** Keys as the options of a filter, by name. */
export function keyOptions(names: KeyNames, toValue: (keyId: string) => string): [value: string, label: string][] {
	return [...names.keys()]
		.map((keyId): [string, string] => [toValue(keyId), keyLabel(names, keyId)])
		.sort(([, a], [, b]) => a.localeCompare(b, "en"));
}

/** What people call an actor of an event: the name of its key, or `operator`. */
export function actorLabel(names: KeyNames, actor: string): string {
	const keyId = /^key:(.+)$/.exec(actor)?.[1];
	return keyId === undefined ? actor : keyLabel(names, keyId);
}
