// What an entrance that answers as chat does asks the engine for, and its own words for what comes back. Pure.
import type { Failure } from "../failure.ts";
import type { ChatPurpose, SettledRequest } from "../inference/infer.edge.ts";
import type { InferenceRequest } from "../inference/plan.ts";
import type { SvcBlock } from "./completion.ts";

export interface ChatExtras<Svc extends SvcBlock = SvcBlock> {
	request: InferenceRequest;
	purpose: ChatPurpose;
	/** The `svc` block of its answers. */
	svcOf(settled: SettledRequest): Svc;
	/** A failure of the engine in the names of its body. */
	inFields(failure: Failure): Failure;
}
