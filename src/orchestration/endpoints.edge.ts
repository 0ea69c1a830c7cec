// The endpoint for orchestrations.

import { endpoint } from "../account/endpoint.ts";
import { NAME_FIELDS } from "../account/request-names.ts";
import type { Endpoint } from "../http/endpoint.ts";
import { longAnswer } from "../http/long-answer.edge.ts";
import { withRefusalTrail } from "../inference/record-refusal.edge.ts";
import { orchestrate } from "./orchestrate.edge.ts";
import { orchestrationRequestSchema } from "./request.ts";
import { orchestrationSchema } from "./response.ts";

const orchestrateEndpoint = endpoint({
	id: "orchestrate",
	unlistedArguments: ["rules", "response_format", "reasoning_effort", ...NAME_FIELDS],
	method: "POST",
	path: "/v2/orchestrate",
	access: "key",
	admission: "handler",
	requestKind: "orchestration",
	bodyLimit: "chat",
	toolGroup: "orchestration",
	isDefaultTool: true,
	command: "orchestrate",
	summary:
		"One answer from several models: by the strategy that policy and prompt call for, or the one named, with cost, stages and receipt.",
	description:
		"For a hard question that is worth several calls: it costs as many, takes seconds to minutes, and says how sure and how unanimous the models were. For one plain answer use create_chat_completion.",
	emptyField: { name: "messages", failure: { reason: "no_messages" } },
	body: orchestrationRequestSchema,
	result: orchestrationSchema,
	streamsProgress: true,
	eventStream:
		"With `stream: true`: `event: progress` with what happens, then `event: result` with the final object, or `event: error`.",
	ids: "none",
	example: {
		body: {
			strategy: "self_consistency",
			messages: [{ role: "user", content: "A farmer has 17 sheep, all but 9 run away. How many are left?" }],
		},
	},
	handle: ({ body, context }) =>
		longAnswer(context, { stream: body.stream ?? false }, (progress, signal) =>
			withRefusalTrail(orchestrate(body, context, { progress, signal }), context),
		),
});

export const orchestrationEndpoints: readonly Endpoint[] = [orchestrateEndpoint];
