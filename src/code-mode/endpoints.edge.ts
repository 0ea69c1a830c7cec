// The endpoint of code mode.

import { endpoint } from "../account/endpoint.ts";
import { NAME_FIELDS } from "../account/request-names.ts";
import type { Endpoint } from "../http/endpoint.ts";
import { longAnswer } from "../http/long-answer.edge.ts";
import { withRefusalTrail } from "../inference/record-refusal.edge.ts";
import { writeCode } from "./code.edge.ts";
import { codeRequestSchema } from "./request.ts";
import { codeSchema } from "./response.ts";

const writeCodeEndpoint = endpoint({
	id: "write_code",
	unlistedArguments: ["rules", "reasoning_effort", ...NAME_FIELDS],
	method: "POST",
	path: "/v2/code",
	access: "key",
	admission: "handler",
	requestKind: "code",
	toolGroup: "orchestration",
	command: "code",
	summary:
		"Code for a task: one model writes it, another reviews it, and it is repaired until it passes; it is never run.",
	description:
		"For whole files: a model writes them, another reviews, and they are repaired until the review passes. Nothing is run or saved; the files come in the answer. It costs several calls.",
	emptyField: { name: "task", failure: { reason: "no_task" } },
	body: codeRequestSchema,
	result: codeSchema,
	streamsProgress: true,
	eventStream:
		"With `stream: true`: `event: progress` with what happens, then `event: result` with the final object, or `event: error`.",
	ids: "none",
	example: { body: { task: "Write a TypeScript function that turns a title into a slug" } },
	handle: ({ body, context }) =>
		longAnswer(context, { stream: body.stream ?? false }, (progress, signal) =>
			withRefusalTrail(writeCode(body, context, { progress, signal }), context),
		),
});

export const codeModeEndpoints: readonly Endpoint[] = [writeCodeEndpoint];
