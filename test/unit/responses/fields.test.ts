// The fields of a Responses body besides its conversation: what each becomes, what is refused, what is warned of.
import { describe, expect, it } from "vitest";
import { callFor, failureFor, faultsOf } from "../../support/responses.ts";

const made = (body: object) => callFor({ input: "hi", ...body });
const warningsOf = (body: object) => made(body).warnings.map(({ param }) => param);

describe("a field", () => {
	it("that is null counts as absent", () => {
		const names =
			"instructions model previous_response_id store stream stream_options max_output_tokens max_tool_calls temperature top_p top_logprobs include tools tool_choice parallel_tool_calls text reasoning truncation metadata user safety_identifier prompt_cache_key prompt_cache_retention service_tier client_metadata background conversation prompt routing_mode brain_config compliance some_new_field";
		const nulls = Object.fromEntries(names.split(" ").map((name) => [name, null]));
		expect(made(nulls)).toEqual(made({}));
	});

	it.each([
		["background", true],
		["conversation", "conv_1"],
		["conversation", { id: "conv_1" }],
		["prompt", { id: "pmpt_1" }],
	])("%s, which would change the answer, is refused by name", (name, value) => {
		expect(failureFor({ input: "hi", [name]: value })).toMatchObject({
			reason: "invalid_request",
			issues: [{ path: name }],
		});
	});

	it("under chat's name is not read, and the warning says its name here", () => {
		const body = {
			max_tokens: 5,
			response_format: { type: "json_object" },
			reasoning_effort: "high",
			verbosity: "low",
		};
		const { call, warnings } = made(body);
		expect(warnings.map(({ message }) => message)).toEqual([
			"max_tokens is chat's name and was not read; here it is max_output_tokens",
			"reasoning_effort is chat's name and was not read; here it is reasoning.effort",
			"response_format is chat's name and was not read; here it is text.format",
			"verbosity is chat's name and was not read; here it is text.verbosity",
		]);
		expect(call).toEqual(made({}).call);
	});

	it("that limits the answer is a ceiling; what must fit is at most 1,024 tokens", () => {
		expect(made({ max_output_tokens: 128_000 })).toMatchObject({
			call: { maxTokens: 1_024 },
			options: { outputLimit: { atMost: 128_000 } },
		});
		expect(made({ max_output_tokens: 16 })).toMatchObject({
			call: { maxTokens: 16 },
			options: { outputLimit: { atMost: 16 } },
		});
	});

	it("that names the conversation also goes to providers that know it", () => {
		const { call, options } = made({ prompt_cache_key: "k", safety_identifier: "s", text: { verbosity: "high" } });
		expect(options.conversation).toBe("k");
		expect(call.unknownFields).toEqual({ verbosity: "high", prompt_cache_key: "k", safety_identifier: "s" });
	});

	it("that nobody knows is named, also inside others", () => {
		const { call } = made({ future: 1, text: { mood: "calm" }, input: [{ role: "user", content: "hi", future: 2 }] });
		expect(call.unknownFields).toEqual({ future: 1, "text.mood": true, "input[].future": true });
	});

	it("that would change price or retention, or has no effect, is warned of", () => {
		expect(
			warningsOf({
				service_tier: "priority",
				prompt_cache_retention: "24h",
				max_tool_calls: 3,
				include: ["reasoning.encrypted_content", "telepathy"],
				top_logprobs: 2,
			}),
		).toEqual(["service_tier", "prompt_cache_retention", "max_tool_calls", "include[1]", "top_logprobs"]);
	});

	it("that asks for nothing more is not", () => {
		expect(
			warningsOf({
				service_tier: "auto",
				prompt_cache_retention: "in_memory",
				include: ["web_search_call.results"],
				top_logprobs: 0,
				background: false,
				metadata: { a: "b" },
				client_metadata: { any: { thing: 1 } },
				stream_options: { include_obfuscation: true },
				reasoning: { summary: "auto", generate_summary: "auto", context: "all_turns" },
			}),
		).toEqual([]);
	});

	it("of the wrong form is named by its place", () => {
		const pairs = Object.fromEntries(Array.from({ length: 17 }, (_, index) => [`k${index}`, "v"]));
		expect(faultsOf({ input: "hi", metadata: pairs })).toEqual(["metadata: must have at most 16 pairs"]);
		expect(faultsOf({ input: "hi", tool_choice: "some" })).toEqual([
			"tool_choice: must be none, auto, required or an object with a type",
		]);
	});
});

describe("warnings", () => {
	it("are at most fifty and one that counts the others", () => {
		const tools = Array.from({ length: 200 }, () => ({ type: "web_search" }));
		const { warnings } = made({ tools });
		expect(warnings).toHaveLength(51);
		expect(warnings.at(-1)?.message).toBe("150 more warnings are not listed");
	});
});
