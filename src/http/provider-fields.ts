// The members of OpenAI's and Anthropic's requests. Clients of theirs send them here, so none of them is a mistyped name. Pure.

/** A request schema of a provider, with the source of its list. */
interface ProviderRequest {
	request: string;
	source: string;
	/** In alphabetical order, with deprecated ones and those in beta. */
	fields: readonly string[];
}

const words = (text: string) => text.split(" ");

/** Read on 2026-11-22. */
export const PROVIDER_REQUESTS: readonly ProviderRequest[] = [
	{
		request: "OpenAI, POST /v1/chat/completions",
		source: "npm openai 7.55.0, resources/chat/completions/completions.d.ts, ChatCompletionCreateParamsBase",
		fields: [
			...words("audio frequency_penalty function_call functions logit_bias logprobs max_completion_tokens max_tokens"),
			...words("messages metadata modalities model moderation n parallel_tool_calls prediction presence_penalty"),
			...words("prompt_cache_key prompt_cache_options prompt_cache_retention reasoning_effort response_format"),
			...words("safety_identifier seed service_tier stop store stream stream_options temperature tool_choice tools"),
			...words("top_logprobs top_p user verbosity web_search_options"),
		],
	},
	{
		request: "OpenAI, POST /v1/responses",
		source: "npm openai 7.55.0, resources/responses/responses.d.ts, ResponseCreateParamsBase",
		fields: [
			...words("access_programs background context_management conversation image include input instructions"),
			...words("max_output_tokens max_tool_calls metadata model moderation parallel_tool_calls previous_response_id"),
			...words("prompt prompt_cache_key prompt_cache_options prompt_cache_retention reasoning safety_identifier"),
			...words("service_tier store stream stream_options temperature text tool_choice tools top_logprobs top_p"),
			...words("truncation user"),
		],
	},
	{
		request: "Anthropic, POST /v1/messages and /v1/messages/count_tokens",
		source: "github.com/anthropics/anthropic-sdk-python, src/anthropic/types/beta/message_create_params.py",
		fields: [
			...words(
				"cache_control container context_management inference_geo max_tokens mcp_servers messages metadata model",
			),
			...words("output_config output_format service_tier speed stop_sequences stream system temperature thinking"),
			...words("tool_choice tools top_k top_p user_profile_id"),
		],
	},
];
