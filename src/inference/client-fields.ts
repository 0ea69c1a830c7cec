// What the engine says of a request's fields, under the names that clients send them by: chat's here, and what the other entrances
// need to have theirs. Pure.
import * as z from "zod";
import type { BlockedPlace, Failure } from "../failure.ts";
import type { Warning } from "../providers/model-call.ts";

/** The client's name of a field of the engine. */
export type FieldNamer = (name: string) => string;

/** Names fields as the bodies of one entrance do. @param names only those that differ. */
export function fieldNamer(names: Readonly<Record<string, string>>): FieldNamer {
	return (name) => (Object.hasOwn(names, name) ? (names[name] ?? name) : name);
}

/** A warning of the engine under the client's names. */
export function renameWarning({ code, param, message, isCuredBySetting }: Warning, toField: FieldNamer): ClientWarning {
	const name = param === null ? null : toField(param);
	return { code, param: name, message: isCuredBySetting ? `${message}: set ${name}` : message };
}

/** A failure of the engine with the faults of fields under the client's names. */
export function renameIssues(failure: Failure, toField: FieldNamer): Failure {
	if (failure.reason !== "invalid_request") return failure;
	return { ...failure, issues: failure.issues.map(({ path, message }) => ({ path: toField(path), message })) };
}

/** A refusal by compliance with its places as the client's body has them; other failures stay as they are. */
export function replacePlaces(failure: Failure, toPlace: (place: BlockedPlace) => BlockedPlace): Failure {
	if (failure.reason !== "compliance_blocked" || !failure.notice) return failure;
	const { notice } = failure;
	return { ...failure, notice: { ...notice, places: notice.places.map(toPlace) } };
}

const toChatField = fieldNamer({ output: "response_format", effort: "reasoning_effort", config: "brain_config" });

/** A failure of the engine under the names of a chat body. */
export function withClientFieldNames(failure: Failure): Failure {
	return renameIssues(failure, toChatField);
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
	return replacePlaces(failure, (place) => (place.message === null ? place : { ...place, path: field, message: null }));
}

/** `svc.format_met` of an answer; absent where there is no form to check. */
export const formatMetSchema = z.lazy(() =>
	z
		.boolean()
		.describe("Whether a whole answer has the form that `response_format` asks for, as far as it can be checked."),
);

/** `svc.warnings` of an answer. */
export const warningsSchema = z.lazy(() =>
	z
		.array(z.object({ code: z.string(), param: z.string().nullable(), message: z.string() }))
		.describe("Parameters and parts that had no effect, or another one than was asked for."),
);
export type ClientWarning = z.output<typeof warningsSchema>[number];

/** A warning of the engine under the names of a chat body. */
export function toClientWarning(warning: Warning): ClientWarning {
	return renameWarning(warning, toChatField);
}
