// Who may resolve what a waiting run asks for. What is known of keys is read in resolving-key.edge.ts. Pure.
import { type Failure, fail, ok, type Result } from "../../failure.ts";
import type { KeyRole } from "../../http/endpoint.ts";
import { isApprovalKind, type PendingKind } from "./pending.ts";

/** What a key does to a run that waits: it settles one of the run's pendings, or steers the run with a message. */
export type ResolutionKind = PendingKind | "message";

/** Whether a person's approval settles it, and not an answer of the run's own side. */
export function settlesAsApprover(kind: ResolutionKind): boolean {
	return kind !== "message" && isApprovalKind(kind);
}

/** The key that resolves, as it stands to the key that began the run. */
export interface ResolvingKey {
	keyId: string;
	role: KeyRole;
	/** It began the run, or replaced by rotation the key that did. */
	isBeginner: boolean;
	/** It began the run, is of the rotation line of the key that did, or comes from a key of that line: made by it, at any remove. */
	isOfBeginner: boolean;
}

/** Whether the run's own side may approve. */
export interface SelfApprovalRules {
	/** An owner's key began the run, and asked for it. */
	isAsked: boolean;
	/** The workspace's manifest in force says `tools.self_approval: false`. */
	isForbidden: boolean;
}

/** A permission, with what the record of the decision shows of it. */
export interface ResolvePermission {
	/** The run's own side decides. */
	isSelfApproval: boolean;
}

function forbid(message: string): { ok: false; failure: Failure } {
	return fail({ reason: "approval_forbidden", message });
}

const NAMES: Readonly<Record<ResolutionKind, string>> = {
	client_tool: "a client tool's result",
	input: "an answer to the run's question",
	message: "a message to the run",
	approval: "an approval",
	plan: "an approval of a plan",
};

/** Why the run's own side may not approve. */
function selfRefusal(kind: ResolutionKind, { isAsked, isForbidden }: SelfApprovalRules): string {
	const others = `${NAMES[kind]} takes an owner's or approver's key that neither began the run nor comes from the key that did`;
	const reason = isAsked && isForbidden ? "; the workspace's manifest forbids self_approval" : "";
	return `${others}${reason}`;
}

/**
 * Whether a key may resolve a pending of a kind, or send a message. Failure: `approval_forbidden`, which says which key may.
 * @param rules of the run and its workspace as they are now.
 */
export function mayResolve(
	kind: ResolutionKind,
	key: ResolvingKey,
	rules: SelfApprovalRules,
): Result<ResolvePermission> {
	if (!settlesAsApprover(kind)) {
		const may = key.role === "owner" || (key.role === "agent" && key.isBeginner);
		return may
			? ok({ isSelfApproval: false })
			: forbid(`${NAMES[kind]} takes the key that began the run, or an owner's`);
	}
	if (key.role === "agent")
		return forbid(`${NAMES[kind]} takes an owner's or approver's key, and this key has the role agent`);
	if (!key.isOfBeginner) return ok({ isSelfApproval: false });
	if (rules.isAsked && !rules.isForbidden) return ok({ isSelfApproval: true });
	return forbid(selfRefusal(kind, rules));
}
