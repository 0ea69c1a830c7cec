// A person's decision on an action as it is kept, once it was made by a key that may make it. Pure.
import type { Hash } from "../../proof/hash.ts";
import { mayResolve } from "./may-resolve.ts";
import type { PersonDecision } from "./resolution.ts";
import type { ResolverStand } from "./resolving-key.edge.ts";
import type { CallApproval } from "./tool-call.ts";

/** @param digest of the action, as it was put up. */
export function toApproval(
	{ decision, reason }: PersonDecision,
	{ key, rules }: ResolverStand,
	digest: Hash,
	kind: "approval" | "plan",
	nowMs: number,
): CallApproval {
	const permitted = mayResolve(kind, key, rules);
	if (!permitted.ok) throw new Error("who decides was asked before");
	return {
		keyId: key.keyId,
		decision,
		at: new Date(nowMs).toISOString(),
		digest,
		...(permitted.value.isSelfApproval ? { isSelfApproval: true as const } : {}),
		...(reason === null ? {} : { reason }),
	};
}
