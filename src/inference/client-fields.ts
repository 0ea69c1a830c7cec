// What the engine says of a request's fields, under the names that clients send them by. Pure.
import * as z from "zod";
import type { BlockedPlace, Failure } from "../failure.ts";
import type { Warning } from "../providers/model-call.ts";

/** Only the names that differ. */
const CLIENT_FIELDS: Readonly<Record<string, string>> = {
	output: "response_format",
	effort: "reasoning_effort",
	config: "brain_config",
};

function toClientField(name: string): string {
	return Object.hasOwn(CLIENT_FIELDS, name) ? (CLIENT_FIELDS[name] ?? name) : name;
}

/** A failure of the engine under the names of a client's body. */
export function withClientFieldNames(failure: Failure): Failure {
	if (failure.reason !== "invalid_request") return failure;
	return { ...failure, issues: failure.issues.map(({ path, message }) => ({ path: toClientField(path), message })) };
}

/** A refusal that a shorter prompt would cure, in the word by which coding agents know to compact; other failures stay as they are. */
export function withContextOverflow(failure: Failure): Failure {
	if (!("overflow" in failure) || !failure.overflow) return failure;
	const message = "issues" in failure ? failure.issues[0]?.message : failure.message;
	return {
		reason: "context_length_exceeded",
		message: message ?? "the prompt is too long for the model",
		...failure.overflow,
	};
}

/**
 * A failure of a request that has one text in place of messages.
 * @param field the member of the body that holds the text. A message of another index is not the client's.
 */
export function withTextField(failure: Failure, field: string): Failure {
	if (failure.reason !== "compliance_blocked" || !failure.notice) return failure;
	const toFieldPlace = (place: BlockedPlace): BlockedPlace =>
		place.message === null ? place : { ...place, path: field, message: null };
	return { ...failure, notice: { ...failure.notice, places: failure.notice.places.map(toFieldPlace) } };
}

/** `svc.warnings` of an answer. */
export const warningsSchema = z.lazy(() =>
	z.array(z.object({ code: z.string(), param: z.string().nullable(), message: z.string() })),
);
export type ClientWarning = z.output<typeof warningsSchema>[number];

/** A warning of the engine under the same names. */
export function toClientWarning({ code, param, message }: Warning): ClientWarning {
	return { code, param: param === null ? null : toClientField(param), message };
}
