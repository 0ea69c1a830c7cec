// Renames the engine's fields to those of a chat body, for failures and warnings. Pure.
import type { Failure } from "../failure.ts";
import type { Warning } from "../providers/model-call.ts";

/** Only the names that differ. */
const CHAT_FIELDS: Readonly<Record<string, string>> = {
	output: "response_format",
	effort: "reasoning_effort",
	config: "brain_config",
};

function toChatField(name: string): string {
	return Object.hasOwn(CHAT_FIELDS, name) ? (CHAT_FIELDS[name] ?? name) : name;
}

/** A failure of the engine under the names of a chat body. */
export function withChatFieldNames(failure: Failure): Failure {
	if (failure.reason !== "invalid_request") return failure;
	return { ...failure, issues: failure.issues.map(({ path, message }) => ({ path: toChatField(path), message })) };
}

/** A warning of the engine under the same names. */
export function toChatWarning({ code, param, message }: Warning): {
	code: string;
	param: string | null;
	message: string;
} {
	return { code, param: param === null ? null : toChatField(param), message };
}
