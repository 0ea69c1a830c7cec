// The digest of the exact action that a decision is bound to (docs/proofs.md, "Actions"). How arguments are read is in arguments.ts;
// who may decide, in may-resolve.ts. Pure.
import { type Hash, hashObject } from "../../proof/hash.ts";
import type { PolicyStand } from "./tool-call.ts";

/** A call of a tool, with all that an approval of it holds for. */
export interface ToolAction {
	runId: string;
	callId: string;
	tool: string;
	/** Of the tool's definition (tool.ts, `definitionHash`). */
	definition: Hash;
	/** Salted, over the canonical arguments. */
	argumentsHash: Hash;
	/** What it was judged by. */
	policy: PolicyStand;
}

/** The digest of an action, type `svc.action.v1`. Another argument, definition, manifest or policy engine is another action. */
export function actionDigest({ runId, callId, tool, definition, argumentsHash, policy }: ToolAction): Hash {
	return hashObject({
		type: "svc.action.v1",
		run_id: runId,
		call_id: callId,
		tool,
		definition,
		arguments: argumentsHash,
		policy: { manifest_digest: policy.manifestDigest, version: policy.version },
	});
}

/** The digest of a plan that waits for approval, type `svc.plan.v1`. @param planHash salted, over the canonical JSON of what is shown. */
export function planDigest(runId: string, planHash: Hash): Hash {
	return hashObject({ type: "svc.plan.v1", run_id: runId, plan: planHash });
}
