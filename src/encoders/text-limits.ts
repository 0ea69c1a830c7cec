// What is surely too long for a model, and how it is said. What may be short enough is sent: each provider counts by itself. Pure.
import type { EncoderModel } from "../catalog/encoder.ts";
import { type Failure, fail, type Issue } from "../failure.ts";
import type { EmbeddingInput } from "../providers/encoders/encoder-call.ts";
import { leastTokens } from "./token-bounds.ts";

/** OpenAI's limits of a request. */
export const MAX_INPUTS = 2_048;
export const MAX_REQUEST_TOKENS = 300_000;

/** More tells nobody more. */
const MAX_ISSUES = 20;

export function refuseInput(issues: readonly Issue[]): { ok: false; failure: Failure } {
	return fail({ reason: "invalid_request", issues: issues.slice(0, MAX_ISSUES) });
}

/** The path of an input. @param isList the body has a list of them. */
export function inputPath(index: number, isList: boolean): string {
	return isList ? `input.${index}` : "input";
}

/** The first input that a model surely cannot read, and inputs that are too many tokens together. */
export function findLengthFaults(inputs: readonly EmbeddingInput[], isList: boolean, model: EncoderModel): Issue[] {
	const issues: Issue[] = [];
	const { context_window: window } = model.limits;
	const counts = inputs.map(leastTokens);
	const long = counts.findIndex((count) => count > window);
	if (long >= 0)
		issues.push({
			path: inputPath(long, isList),
			message: `has at least ${counts[long]} tokens, and ${model.id} reads at most ${window} of an input`,
		});
	const all = counts.reduce((sum, count) => sum + count, 0);
	if (all > MAX_REQUEST_TOKENS)
		issues.push({
			path: "input",
			message: `has at least ${all} tokens in all, and a request at most ${MAX_REQUEST_TOKENS}: send several requests`,
		});
	return issues;
}
