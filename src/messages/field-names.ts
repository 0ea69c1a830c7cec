// What the engine says of a request's fields, under the names of Anthropic's body. Pure.
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

const toMessagesField = fieldNamer({
	output: "output_config.format",
	response_format: "output_config.format",
	effort: "output_config.effort",
	stop: "stop_sequences",
	user: "metadata.user_id",
	parallel_tool_calls: "tool_choice.disable_parallel_tool_use",
	config: "brain_config",
});

/** A warning of the engine under the names of a Messages body. */
export function toMessagesWarning(warning: Warning): ClientWarning {
	return renameWarning(warning, toMessagesField);
}

/** For each message of a call, the index of the client's message that it was made of; null for the top-level `system`. */
export type MessageOrigins = readonly (number | null)[];

/** A failure of the engine under the names of a Messages body. A prompt that is too long is named so that agents compact. */
export function withMessagesFields(failure: Failure, origins: MessageOrigins): Failure {
	return replacePlaces(renameIssues(withContextOverflow(failure), toMessagesField), (place) => {
		if (place.message === null) return { ...place, path: toMessagesField(place.path) };
		const message = origins[place.message] ?? null;
		return { ...place, path: message === null ? "system" : `messages[${message}]`, message };
	});
}
