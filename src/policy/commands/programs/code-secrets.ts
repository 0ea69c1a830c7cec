// Secrets in the values of code: the environment, variables named like a secret, and what is built of them.
import { isSecretVariable } from "../secret-names.ts";
import callsFile from "./code-calls.json" with { type: "json" };
import type { CodeValue } from "./code-values.ts";

/** Arguments with these names say who asks. A secret in them is where it belongs. */
export const CREDENTIAL_PLACES =
	/^(?:headers?|auth|authorization|x-api-key|api_?key|token|password|credentials?|env|environ)$/i;

export const THE_ENVIRONMENT = "the environment";

const ENVIRONMENTS: ReadonlySet<string> = new Set(callsFile.environments);

/** Whether a dotted name is the whole environment. */
export const isEnvironment = (path: string): boolean => ENVIRONMENTS.has(path);

/** Functions that read a variable by its name, or without one all of them. */
export const ENVIRONMENT_READERS: ReadonlySet<string> = new Set(callsFile.environment_readers);

export const secretVariable = (name: string): string | undefined =>
	isSecretVariable(name) ? `the variable ${name}` : undefined;

/** The secret in a value: its own, or the whole environment. */
export function findSecret({ secret, path }: CodeValue): string | undefined {
	return secret ?? (path !== null && ENVIRONMENTS.has(path) ? THE_ENVIRONMENT : undefined);
}

/** A value that the secrets of its parts are in. */
export function withSecret(value: CodeValue, parts: readonly CodeValue[]): CodeValue {
	if (value.secret !== undefined) return value;
	for (const part of parts) {
		const secret = findSecret(part);
		if (secret !== undefined) return { ...value, secret };
	}
	return value;
}

/** A value that the secret of one of two others is in. */
export function withEitherSecret(value: CodeValue, left: CodeValue, right: CodeValue): CodeValue {
	const secret = value.secret === undefined ? (findSecret(left) ?? findSecret(right)) : undefined;
	return secret === undefined ? value : { ...value, secret };
}
