// Reads what decides who may resolve what a run waits for: where the caller's key comes from, and the manifest in force.
import type { KeyContext } from "../../account/context.ts";
import { isMaker } from "../../account/makers.ts";
import { comesFrom } from "../../keys/key-origins.store.ts";
import { findManifest } from "../../policy/manifests.store.ts";
import { type ResolutionKind, type ResolvingKey, type SelfApprovalRules, settlesAsApprover } from "./may-resolve.ts";

/** What a run says of who may decide for it. */
export interface RunStarter {
	/** The key that began it. */
	keyId: string;
	workspaceId: string | null;
	/** An owner's key began it, and asked for self-approval. */
	isSelfApprovalAsked: boolean;
}

/** The caller's key and the rules, as `mayResolve` takes them. */
export interface ResolverStand {
	key: ResolvingKey;
	rules: SelfApprovalRules;
}

async function isSelfApprovalForbidden(
	{ workspaceId, isSelfApprovalAsked }: RunStarter,
	{ account, db, timings }: KeyContext,
): Promise<boolean> {
	if (!isSelfApprovalAsked || workspaceId === null) return false;
	const key = { userId: account.userId, workspaceId };
	const stored = await timings.measure("d1", () => findManifest(db, key));
	return stored?.manifest.tools?.self_approval === false;
}

/**
 * How the caller's key stands to a run. D1 is asked only where the kinds hold an approval or a plan that the key's role may decide on:
 * results and answers are taken while D1 is away.
 * @param kinds of all that the request resolves.
 */
export async function readResolverStand(
	starter: RunStarter,
	kinds: readonly ResolutionKind[],
	context: KeyContext,
): Promise<ResolverStand> {
	const { account, db, timings } = context;
	const { keyId, userId } = account;
	const { role } = account.key;
	const isBeginner = isMaker(account, starter.keyId);
	const isAsked = starter.isSelfApprovalAsked;
	const key = { keyId, role, isBeginner };
	// What was not read is refused, should the run wait for an approval by the time that it is asked.
	if (role === "agent" || !kinds.some(settlesAsApprover))
		return { key: { ...key, isOfBeginner: true }, rules: { isAsked, isForbidden: true } };
	const isOfBeginner =
		isBeginner || (await timings.measure("d1", () => comesFrom(db, userId, keyId, { origin: starter.keyId })));
	const isForbidden = isOfBeginner && (await isSelfApprovalForbidden(starter, context));
	return { key: { ...key, isOfBeginner }, rules: { isAsked, isForbidden } };
}
