// What the engine says of a request's fields, under the names of Anthropic's body. Pure.
import type { BlockedPlace, Failure } from "../failure.ts";
import { type ClientWarning, withContextOverflow } from "../inference/client-fields.ts";
import type { Warning } from "../providers/model-call.ts";

/** Only the names that differ: of the engine's fields, and of the places where compliance finds something. */
const MESSAGES_FIELDS: Readonly<Record<string, string>> = {
	output: "output_config.format",
	response_format: "output_config.format",
	effort: "output_config.effort",
	stop: "stop_sequences",
	user: "metadata.user_id",
	parallel_tool_calls: "tool_choice.disable_parallel_tool_use",
	config: "brain_config",
};

function toMessagesField(name: string): string {
	return Object.hasOwn(MESSAGES_FIELDS, name) ? (MESSAGES_FIELDS[name] ?? name) : name;
}

/** A warning of the engine under the names of a Messages body. */
export function toMessagesWarning({ code, param, message }: Warning): ClientWarning {
	return { code, param: param === null ? null : toMessagesField(param), message };
}

/** For each message of a call, the index of the client's message that it was made of; null for the top-level `system`. */
export type MessageOrigins = readonly (number | null)[];

function toClientPlace(place: BlockedPlace, origins: MessageOrigins): BlockedPlace {
	if (place.message === null) return { ...place, path: toMessagesField(place.path) };
	const message = origins[place.message] ?? null;
	return { ...place, path: message === null ? "system" : `messages[${message}]`, message };
}

/** A failure of the engine under the names of a Messages body. A prompt that is too long is named so that agents compact. */
export function withMessagesFields(failed: Failure, origins: MessageOrigins): Failure {
	const failure = withContextOverflow(failed);
	if (failure.reason === "invalid_request") {
		const issues = failure.issues.map(({ path, message }) => ({ path: toMessagesField(path), message }));
		return { ...failure, issues };
	}
	if (failure.reason !== "compliance_blocked" || !failure.notice) return failure;
	const { notice } = failure;
	return { ...failure, notice: { ...notice, places: notice.places.map((place) => toClientPlace(place, origins)) } };
}
