// Whether a response may be stored. Pure.
import { type PolicyLevels, requiresZeroRetention } from "../compliance/policy-levels.ts";
import type { Warning } from "../providers/model-call.ts";
import type { Settings } from "../settings.ts";

/** Whether a response is to be stored, and why not where its request wants it. */
interface StorageDecision {
	stores: boolean;
	warnings: Warning[];
}

/** Says that a response that was to be stored is not. */
export function notStored(message: string): Warning {
	return { code: "not_stored", param: "store", message };
}

/**
 * Decides before a response is made whether it is to be stored.
 * @param store the request's own word; without one, it wants it stored.
 * @param levels the compliance policies in force.
 */
export function decideStorage(
	store: boolean | null | undefined,
	levels: PolicyLevels | null,
	{ storesTexts }: Pick<Settings, "storesTexts">,
): StorageDecision {
	if (store === false) return { stores: false, warnings: [] };
	if (!storesTexts)
		return { stores: false, warnings: [notStored("the response is not stored: this service stores no texts")] };
	if (levels && requiresZeroRetention(levels))
		return {
			stores: false,
			warnings: [notStored("the response is not stored: a policy in force requires zero retention")],
		};
	return { stores: true, warnings: [] };
}
