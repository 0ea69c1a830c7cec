// What the engine calls parts of a call, in the names of a chat body: for failures and warnings. Pure.
import type { Failure } from "../failure.ts";
import type { Warning } from "../providers/model-call.ts";

/** Only those that differ. */
const CHAT_FIELDS: Readonly<Record<string, string>> = {
	output: "response_format",
	effort: "reasoning_effort",
	config: "brain_config",
};

function chatField(name: string): string {
	return Object.hasOwn(CHAT_FIELDS, name) ? (CHAT_FIELDS[name] ?? name) : name;
}

/** A failure of the engine, as the sender of a chat body understands it. */
export function withChatFieldNames(failure: Failure): Failure {
	if (failure.reason !== "invalid_request") return failure;
	return { ...failure, issues: failure.issues.map(({ path, message }) => ({ path: chatField(path), message })) };
}

/** A warning in the same names. */
export function chatWarning({ code, param, message }: Warning): {
	code: string;
	param: string | null;
	message: string;
} {
	return { code, param: param === null ? null : chatField(param), message };
}
