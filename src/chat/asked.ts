// What an entrance that answers as chat does asks the engine for, and its own words for what comes back. Pure.
import type { Failure } from "../failure.ts";
import type { Settled, SingleAnswer } from "../inference/infer.edge.ts";
import type { InferenceRequest } from "../inference/plan.ts";
import type { SvcBlock } from "./completion.ts";

export interface Asked<Svc extends SvcBlock = SvcBlock> {
	request: InferenceRequest;
	purpose: SingleAnswer;
	/** The `svc` block of its answers. */
	svcOf(settled: Settled): Svc;
	/** A failure of the engine in the names of its body. */
	inFields(failure: Failure): Failure;
}
