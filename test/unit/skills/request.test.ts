// What an invocation may say, and the chat request it stands for.
import { describe, expect, it } from "vitest";
import { toInferenceRequest } from "../../../src/chat/inference-request.ts";
import { withConfiguredLimit } from "../../../src/inference/output-ceiling.ts";
import type { CompiledConfig } from "../../../src/routing/routing-config.ts";
import {
	skillRequestSchema,
	toChatRequest,
	withSkillDefaults,
	withSkillFieldNames,
} from "../../../src/skills/request.ts";
import { TEST_CATALOG } from "../../support/catalog.ts";
import { compiledConfig } from "../../support/config.ts";

const SKILL = { id: "a", name: "A", description: "Does a.", raw: "# A\n\nYou do.\n" };
const MESSAGES = [
	{ role: "system", content: SKILL.raw },
	{ role: "user", content: " Do it. " },
];

function chatOf(rawBody: Record<string, unknown>) {
	return toChatRequest(skillRequestSchema.parse(rawBody), SKILL, rawBody);
}

function pathsOf(body: unknown): string[] {
	return (skillRequestSchema.safeParse(body).error?.issues ?? []).map(({ path }) => path.join("."));
}

describe("the body of an invocation", () => {
	it.each([undefined, null, "", " \n", "\u3000\u00a0\ufeff", 7, ["x"]])("has no task %j", (task) => {
		expect(pathsOf({ task })).toEqual(["task"]);
	});

	it("takes no messages and no tools, unless they are null", () => {
		expect(pathsOf({ task: "x", messages: [], tools: [] })).toEqual(["messages", "tools"]);
		expect(pathsOf({ task: "x", messages: null, tools: null })).toEqual([]);
	});

	it("is held to the limits of chat in what it shares with it", () => {
		const body = { task: "x", temperature: 3, max_tokens: 0, routing_mode: "nope", tool_choice: 5, stop: [1] };
		expect(pathsOf(body).toSorted()).toEqual(["max_tokens", "routing_mode", "stop", "temperature", "tool_choice"]);
	});
});

describe("the chat request of an invocation", () => {
	it("has the skill's body and the task, as it is, for messages, before validation and after", () => {
		const { body, rawBody } = chatOf({ task: " Do it. ", temperature: 0.2, messages: null });
		expect([body.messages, rawBody["messages"]]).toEqual([MESSAGES, MESSAGES]);
		expect([body.temperature, "task" in body, "task" in rawBody]).toEqual([0.2, false, false]);
	});

	it("names what nobody knows, and nothing that was said to the skill alone", () => {
		const { body, rawBody } = chatOf({ task: "x", hue: 1, tools: null, stream_options: { colour: 2 } });
		const { call } = toInferenceRequest(body, TEST_CATALOG, null, rawBody);
		expect(call.unknownFields).toEqual({ hue: 1, "stream_options.colour": true });
		expect(call.tools).toEqual([]);
	});
});

describe("the length of an answer", () => {
	const lengthOf = (
		limits: { max_tokens?: number | null; max_completion_tokens?: number | null },
		config: CompiledConfig | null = null,
	) => {
		const { body } = chatOf({ task: "x", ...limits });
		const asked = withSkillDefaults(withConfiguredLimit(toInferenceRequest(body, TEST_CATALOG, config)));
		return [asked.call.maxTokens, asked.options.outputLimit];
	};

	it("is left to the plan, at 1,000 visible tokens or more, where nobody says it", () => {
		expect(lengthOf({})).toEqual([1_000, "most"]);
		expect(lengthOf({ max_tokens: null, max_completion_tokens: null })).toEqual([1_000, "most"]);
	});

	it("is what the client says, under either name", () => {
		expect(lengthOf({ max_tokens: 5 })).toEqual([5, undefined]);
		expect(lengthOf({ max_completion_tokens: 6 })).toEqual([6, undefined]);
		expect(lengthOf({ max_tokens: 5, max_completion_tokens: 6 })).toEqual([6, undefined]);
	});

	it("is at most the config's default where the client says nothing", () => {
		const config = compiledConfig({ default_max_tokens: 300 }, TEST_CATALOG);
		expect(lengthOf({}, config)).toEqual([300, { atMost: 300 }]);
		expect(lengthOf({ max_tokens: 5 }, config)).toEqual([5, undefined]);
	});
});

describe("a failure", () => {
	it("speaks of the task where chat speaks of messages", () => {
		const issues = ["messages", "output", "max_tokens"].map((path) => ({ path, message: "no" }));
		expect(withSkillFieldNames({ reason: "invalid_request", issues })).toMatchObject({
			issues: [{ path: "task" }, { path: "response_format" }, { path: "max_tokens" }],
		});
		expect(withSkillFieldNames({ reason: "no_messages" })).toEqual({ reason: "no_messages" });
	});
});
