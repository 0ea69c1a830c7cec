// Responses bodies as calls, the way the entrance makes them, and failures as texts.
import type { Failure, Result } from "../../src/failure.ts";
import { toInputItems } from "../../src/responses/items.ts";
import { responsesRequestSchema } from "../../src/responses/request.ts";
import { type ResponsesCall, type ResponsesCallContext, toResponsesCall } from "../../src/responses/to-call.ts";
import { TEST_CATALOG } from "./catalog.ts";

/** The call of a body, or why there is none. */
export function tryCall(rawBody: object, context: Partial<ResponsesCallContext> = {}): Result<ResponsesCall> {
	const body = responsesRequestSchema.parse(rawBody);
	return toResponsesCall(body, toInputItems(body.input), {
		catalog: TEST_CATALOG,
		opened: new Map(),
		rawBody,
		...context,
	});
}

/** The call of a body that can be served. */
export function callFor(rawBody: object, context: Partial<ResponsesCallContext> = {}): ResponsesCall {
	const made = tryCall(rawBody, context);
	if (!made.ok) throw new Error(JSON.stringify(made.failure));
	return made.value;
}

/** The failure of a body that cannot. */
export function failureFor(rawBody: object, context: Partial<ResponsesCallContext> = {}): Failure {
	const made = tryCall(rawBody, context);
	if (made.ok) throw new Error("the body has a call");
	return made.failure;
}

/** The faults of a body of a wrong form, as `path: message`. */
export function faultsOf(rawBody: unknown): string[] {
	const { error } = responsesRequestSchema.safeParse(rawBody);
	return (error?.issues ?? []).map(({ path, message }) => `${path.join(".")}: ${message}`);
}
