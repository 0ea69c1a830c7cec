// What the engine says of a request's fields, under the names that Responses clients send them by. Pure.
import type { BlockedPlace, Failure } from "../failure.ts";
import { type ClientWarning, withContextOverflow } from "../inference/client-fields.ts";
import type { Warning } from "../providers/model-call.ts";

/** Only the names that differ. */
const RESPONSE_FIELDS: Readonly<Record<string, string>> = {
	messages: "input",
	output: "text.format",
	response_format: "text.format",
	effort: "reasoning.effort",
	reasoning_effort: "reasoning.effort",
	max_tokens: "max_output_tokens",
	logprobs: "include",
	config: "brain_config",
};

function toResponseField(name: string): string {
	return Object.hasOwn(RESPONSE_FIELDS, name) ? (RESPONSE_FIELDS[name] ?? name) : name;
}

/** A warning of the engine under the same names. */
export function toResponsesWarning({ code, param, message }: Warning): ClientWarning {
	return { code, param: param === null ? null : toResponseField(param), message };
}

/** A place in the client's body. */
function toClientPlace(place: BlockedPlace, places: readonly string[]): BlockedPlace {
	if (place.message === null) return { ...place, path: toResponseField(place.path) };
	return { ...place, path: places[place.message] ?? "input", message: null };
}

/**
 * A failure of the engine under the names of a Responses body. A prompt that is too long is named so that agents compact.
 * @param places for each message of the call, the member that it was made of, such as `input[3]`.
 */
export function withResponsesFields(failed: Failure, places: readonly string[]): Failure {
	const failure = withContextOverflow(failed);
	if (failure.reason === "invalid_request") {
		const issues = failure.issues.map(({ path, message }) => ({ path: toResponseField(path), message }));
		return { ...failure, issues };
	}
	if (failure.reason !== "compliance_blocked" || !failure.notice) return failure;
	const { notice } = failure;
	return { ...failure, notice: { ...notice, places: notice.places.map((place) => toClientPlace(place, places)) } };
}
