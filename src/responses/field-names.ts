// What the engine says of a request's fields, under the names that Responses clients send them by. Pure.
import type { Failure } from "../failure.ts";
import {
	type ClientWarning,
	fieldNamer,
	renameIssues,
	renameWarning,
	replacePlaces,
	withContextOverflow,
} from "../inference/client-fields.ts";
import type { Warning } from "../providers/model-call.ts";

const toResponseField = fieldNamer({
	messages: "input",
	output: "text.format",
	response_format: "text.format",
	effort: "reasoning.effort",
	reasoning_effort: "reasoning.effort",
	max_tokens: "max_output_tokens",
	logprobs: "include",
	config: "brain_config",
});

/** A warning of the engine under the names of a Responses body. */
export function toResponsesWarning(warning: Warning): ClientWarning {
	return renameWarning(warning, toResponseField);
}

/**
 * A failure of the engine under the names of a Responses body. A prompt that is too long is named so that agents compact.
 * @param places for each message of the call, the member that it was made of, such as `input[3]`.
 */
export function withResponsesFields(failure: Failure, places: readonly string[]): Failure {
	return replacePlaces(renameIssues(withContextOverflow(failure), toResponseField), (place) =>
		place.message === null
			? { ...place, path: toResponseField(place.path) }
			: { ...place, path: places[place.message] ?? "input", message: null },
	);
}
