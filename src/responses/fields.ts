// Fields of a Responses body that this service refuses, and those that have no effect, which a warning says. Pure.
import type { Issue } from "../failure.ts";
import type { Warning } from "../providers/model-call.ts";
import type { ResponsesRequest } from "./request.ts";

/** Without them the answer would be another one. */
const REFUSED_FIELDS: readonly { name: "background" | "conversation" | "prompt"; message: string }[] = [
	{ name: "background", message: "this service answers at once; use /v1/agent/run for work in the background" },
	{ name: "conversation", message: "conversations are not kept here; use previous_response_id" },
	{ name: "prompt", message: "prompt templates are not kept here; send their text" },
];

/** What keeps a body from being answered as it asks. */
export function findRefusedFields(body: ResponsesRequest): Issue[] {
	return REFUSED_FIELDS.filter(({ name }) => body[name] != null && body[name] !== false).map(({ name, message }) => ({
		path: name,
		message,
	}));
}

/** Members of chat's form by their names here. They are not read. */
export const CHAT_FIELDS: Readonly<Record<string, string>> = {
	max_tokens: "max_output_tokens",
	max_completion_tokens: "max_output_tokens",
	messages: "input",
	reasoning_effort: "reasoning.effort",
	response_format: "text.format",
	verbosity: "text.verbosity",
};

/** What `include` may name. Names that belong to tools that are left out have no effect. */
const INCLUDABLE: readonly string[] = [
	"file_search_call.results",
	"web_search_call.results",
	"web_search_call.action.sources",
	"message.input_image.image_url",
	"computer_call_output.output.image_url",
	"code_interpreter_call.outputs",
	"reasoning.encrypted_content",
	"message.output_text.logprobs",
];
export const LOGPROBS_INCLUDE = "message.output_text.logprobs";

/** Values by which a field asks for no more than without it. */
const WITHOUT_EFFECT: Readonly<Record<"service_tier" | "prompt_cache_retention", readonly string[]>> = {
	service_tier: ["auto", "default"],
	prompt_cache_retention: ["in_memory"],
};

function dropped(param: string, message: string): Warning {
	return { code: "parameter_dropped", param, message };
}

/** A warning for each field that has no effect here. */
export function findIgnoredFields(body: ResponsesRequest): Warning[] {
	const warnings: Warning[] = [];
	const { service_tier: tier, prompt_cache_retention: retention, include, top_logprobs } = body;
	if (tier != null && !WITHOUT_EFFECT.service_tier.includes(tier))
		warnings.push(dropped("service_tier", "it would change the price, so the provider's own default holds"));
	if (retention != null && !WITHOUT_EFFECT.prompt_cache_retention.includes(retention))
		warnings.push(
			dropped("prompt_cache_retention", "it would keep the prompt longer, so the provider's own default holds"),
		);
	for (const [name, here] of Object.entries(CHAT_FIELDS))
		if (body[name] != null) warnings.push(dropped(name, `${name} is chat's name and was not read; here it is ${here}`));
	if (body.max_tool_calls != null)
		warnings.push(dropped("max_tool_calls", "it limits tools that the service runs, and this one runs none"));
	for (const [index, name] of (include ?? []).entries())
		if (!INCLUDABLE.includes(name)) warnings.push(dropped(`include[${index}]`, `${name} is not known`));
	if (top_logprobs && !include?.includes(LOGPROBS_INCLUDE))
		warnings.push(dropped("top_logprobs", `include must name ${LOGPROBS_INCLUDE} for it`));
	return warnings;
}
