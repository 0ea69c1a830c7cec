// The keys that a model may be called with, and which of them a call gets: a conversation keeps its key, and with it the provider's
// prompt cache, without anything being stored. Pure.
import { isKeyFor, type ProviderKey } from "../catalog/provider-keys.ts";
import type { Model } from "../catalog/schema.ts";
import { hashText } from "../proof/hash.ts";
import type { ProviderAccess } from "../settings.ts";

/** Identifies a provider under one key. The key cannot be read from it. */
export function keyId({ provider }: Pick<ProviderAccess, "provider">, { mark }: Pick<ProviderKey, "mark">): string {
	return `${provider.id} ${mark}`;
}

/** Identifies a model under one key. */
export function callId(key: string, modelId: string): string {
	return `${key} ${modelId}`;
}

/** Whether an operator gave a provider several keys. Then a key that is refused is left alone, and not the provider. */
export function hasSeveralKeys({ keys }: Pick<ProviderAccess, "keys">): boolean {
	return keys.length > 1;
}

/** The keys that a model may be called with. */
export function modelKeys({ keys }: Pick<ProviderAccess, "keys">, model: Pick<Model, "id">): readonly ProviderKey[] {
	return keys.length === 1 ? keys : keys.filter((key) => isKeyFor(key, model));
}

/** 52 bits, which a number holds exactly. */
const DRAW_HEX = 13;

/** A number between 0 and 1, exclusively, drawn from a text. */
function draw(text: string): number {
	const digits = hashText(text).slice("sha256:".length, "sha256:".length + DRAW_HEX);
	return (Number.parseInt(digits, 16) + 0.5) / 16 ** DRAW_HEX;
}

/**
 * The keys in the order in which a conversation's calls take them: each is first for its share of the conversations, and a key more or
 * less moves only what it gains or had (weighted rendezvous hashing).
 * @param conversation is asked only where there is a choice.
 */
export function rankKeys(
	keys: readonly ProviderKey[],
	conversation: () => string,
	modelId: string,
): readonly ProviderKey[] {
	if (keys.length < 2) return keys;
	const name = conversation();
	return keys
		.map((key) => ({ key, cost: -Math.log(draw(`${name} ${modelId} ${key.place}`)) / key.weight }))
		.sort((a, b) => a.cost - b.cost)
		.map(({ key }) => key);
}
