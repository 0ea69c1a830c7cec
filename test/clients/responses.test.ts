// `/v1/responses` against the running service with the libraries that speak it: openai, the AI SDK's OpenAI provider, the
// OpenAI Agents SDK.
import { createOpenAI } from "@ai-sdk/openai";
import { Agent, tool as agentTool, OpenAIProvider, Runner } from "@openai/agents";
import OpenAI, { APIError, AuthenticationError, BadRequestError, NotFoundError } from "openai";
import { zodTextFormat } from "openai/helpers/zod";
import { toResponseInputItems } from "openai/lib/responses/ResponseInputItems";
import type { FunctionTool, ResponseInputItem, ResponseOutputItem } from "openai/resources/responses/responses";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import * as z from "zod";
import { WIRE_NAMES } from "../../src/catalog/vocabulary.ts";
import { svcBlockSchema } from "../../src/inference/svc-block.ts";
import { countsReasoning, WITH_BEDROCK } from "../support/bedrock-rows.ts";
import { alwaysReasons, canBeSilent, modelOnWire } from "../support/models.ts";
import { expectSameText, expectStructuredOutput, expectToolLoop } from "./ai-sdk-checks.ts";
import { collect, failureOf, fetchPems, fetchProof, isSound, startTestService, type TestService } from "./support.ts";

let service: TestService | undefined;
let apiKey = "";
let baseURL = "";

beforeAll(async () => {
	service = await startTestService(WITH_BEDROCK);
	apiKey = (await service.newKey("corporate")).key;
	baseURL = `${service.url}/v1`;
});
afterAll(() => service?.stop());

function newClient(key = apiKey): OpenAI {
	return new OpenAI({ baseURL, apiKey: key, maxRetries: 0 });
}

/** Of every wire format, a model that need not reason and one that always does. */
const SILENT_MODELS = WIRE_NAMES.map((wire) => modelOnWire(wire, canBeSilent).id);
const REASONING_MODELS = WIRE_NAMES.map((wire) => modelOnWire(wire, alwaysReasons).id);
const MODELS = [...SILENT_MODELS, ...REASONING_MODELS];

const QUESTION = "What is the weather like in Lisbon?";
const WEATHER_TOOL: FunctionTool = {
	type: "function",
	name: "get_weather",
	description: "Current weather of a city",
	parameters: {
		type: "object",
		properties: { city: { type: "string" } },
		required: ["city"],
		additionalProperties: false,
	},
	strict: true,
};
const WEATHER_ANSWER = "The tool answered: 23 degrees";

const Trip = z.object({
	destination: z.string(),
	nights: z.int(),
	season: z.enum(["spring", "summer"]),
	stops: z.array(z.object({ city: z.string(), booked: z.boolean() })),
});

/** The outputs of an answer's function calls, as a program that knows the weather gives them. */
function callOutputs(output: readonly ResponseOutputItem[]): ResponseInputItem[] {
	return output
		.filter((item) => item.type === "function_call")
		.map((call) => {
			expect([call.name, JSON.parse(call.arguments)]).toEqual(["get_weather", { city: "Lisbon" }]);
			return { type: "function_call_output", call_id: call.call_id, output: "23 degrees" };
		});
}

describe.each(MODELS)("the openai client's responses of %s", (model) => {
	it("has text, usage, ids and the svc block", async () => {
		const response = await newClient().responses.create({ model, input: "Say hello" });
		expect(response.output_text).toContain('you wrote "Say hello"');
		expect([response.status, response.error, response.incomplete_details]).toEqual(["completed", null, null]);
		const { input_tokens, output_tokens, total_tokens } = response.usage ?? {};
		expect(input_tokens).toBeGreaterThan(0);
		expect(output_tokens).toBeGreaterThan(0);
		expect(total_tokens).toBe(Number(input_tokens) + Number(output_tokens));
		expect(response._request_id).toBe(response.id.replace(/^resp_/, "svc-"));
		const { svc } = z.looseObject({ svc: svcBlockSchema }).parse(response);
		expect(svc.proof.request_id).toBe(response._request_id);
		expect(svc.cost.total_usd).toBeGreaterThan(0);
	});

	it("streams what it answers", async () => {
		const client = newClient();
		const input = "Tell me of Norway";
		const whole = await client.responses.create({ model, input });
		const types: string[] = [];
		const numbers: number[] = [];
		let text = "";
		const stream = client.responses
			.stream({ model, input })
			.on("event", ({ type, sequence_number }) => {
				types.push(type);
				numbers.push(sequence_number);
			})
			.on("response.output_text.delta", ({ delta }) => {
				text += delta;
			});
		const final = await stream.finalResponse();
		expect(text).toBe(whole.output_text);
		expect(final.output_text).toBe(text);
		expect(final.usage).toEqual(whole.usage);
		expect(types.slice(0, 2)).toEqual(["response.created", "response.in_progress"]);
		expect(types.at(-1)).toBe("response.completed");
		expect(numbers).toEqual(numbers.map((_, index) => index));
		expect(types.filter((type) => type === "response.output_text.delta").length).toBeGreaterThan(2);
	});

	it("is parsed by the schema that was sent", async () => {
		const format = { format: zodTextFormat(Trip, "trip") };
		const input = "plan a trip to Norway";
		const whole = await newClient().responses.parse({ model, input, text: format });
		expect(whole.output_parsed?.destination).toBe("Norway");
		const streamed = await newClient().responses.stream({ model, input, text: format }).finalResponse();
		expect(streamed.output_parsed).toEqual(whole.output_parsed);
	});

	it.each([
		["unstored", "none"],
		["unstored", "high"],
		["stored", "high"],
	] as const)("ends a tool loop by hand, %s, with %s effort", async (kept, effort) => {
		const client = newClient();
		const store = kept === "stored";
		const settings = {
			model,
			tools: [WEATHER_TOOL],
			store,
			...(effort === "none" ? {} : { reasoning: { effort } }),
			...(store ? {} : { include: ["reasoning.encrypted_content" as const] }),
		};
		const input: ResponseInputItem[] = [{ role: "user", content: QUESTION }];
		const asked = await client.responses.create({ ...settings, input });
		const outputs = callOutputs(asked.output);
		expect(outputs).toHaveLength(1);
		const answered = await client.responses.create(
			store
				? { ...settings, previous_response_id: asked.id, input: outputs }
				: // What the model wrote goes back exactly as it came.
					{ ...settings, input: [...input, ...toResponseInputItems(asked.output), ...outputs] },
		);
		expect(answered.output_text).toBe(WEATHER_ANSWER);
		expect(answered.previous_response_id ?? null).toBe(store ? asked.id : null);
		if (effort === "high" && countsReasoning(model))
			expect(asked.usage?.output_tokens_details.reasoning_tokens).toBeGreaterThan(0);
	});

	it("streams a tool call whose arguments parse", async () => {
		const stream = newClient().responses.stream({ model, input: QUESTION, tools: [WEATHER_TOOL] });
		let written = "";
		stream.on("response.function_call_arguments.delta", ({ delta }) => {
			written += delta;
		});
		const { output } = await stream.finalResponse();
		expect(JSON.parse(written)).toEqual({ city: "Lisbon" });
		expect(callOutputs(output)).toHaveLength(1);
	});

	it("calls a custom tool with a text", async () => {
		const tools = [{ type: "custom" as const, name: "shell", description: "Runs a command" }];
		const request = { model, input: "run echo hi", tools };
		const { output } = await newClient().responses.create(request);
		const call = output.find((item) => item.type === "custom_tool_call");
		expect([call?.name, call?.input]).toEqual(["shell", "echo hi"]);
		const streamed = await newClient().responses.stream(request).finalResponse();
		expect(streamed.output.find((item) => item.type === "custom_tool_call")?.input).toBe("echo hi");
		const answered = await newClient().responses.create({
			...request,
			input: [
				{ role: "user", content: request.input },
				...toResponseInputItems(output),
				{ type: "custom_tool_call_output", call_id: call?.call_id ?? "", output: "hi" },
			],
		});
		expect(answered.output_text).toBe("The tool answered: hi");
	});
});

describe("the openai client's responses", () => {
	it("are kept, listed with their input, deleted, and then unknown", async () => {
		const client = newClient();
		const first = await client.responses.create({ model: "auto", input: "Say one" });
		const second = await client.responses.create({
			model: "auto",
			input: [
				{ role: "developer", content: "Be brief." },
				{ role: "user", content: "Say two" },
			],
			previous_response_id: first.id,
		});
		const kept = await client.responses.retrieve(second.id);
		expect(kept.output_text).toBe(second.output_text);
		expect(kept.previous_response_id).toBe(first.id);
		const texts = (await collect(client.responses.inputItems.list(second.id, { limit: 1, order: "asc" }))).map((item) =>
			JSON.stringify(item),
		);
		expect(texts).toEqual([expect.stringContaining("Be brief."), expect.stringContaining("Say two")]);

		await client.responses.delete(second.id);
		expect(await failureOf(client.responses.retrieve(second.id))).toBeInstanceOf(NotFoundError);
		const failed = await failureOf(
			client.responses.create({ model: "auto", input: "Say three", previous_response_id: second.id }),
		);
		if (!(failed instanceof BadRequestError)) throw failed;
		expect([failed.code, failed.param]).toEqual(["previous_response_not_found", "previous_response_id"]);
		const other = newClient((await service?.newKey("corporate"))?.key);
		expect(await failureOf(other.responses.retrieve(first.id))).toBeInstanceOf(NotFoundError);
	});

	it("are not kept where that was not wanted", async () => {
		const client = newClient();
		const { id } = await client.responses.create({ model: "auto", input: "Say hello", store: false });
		expect(await failureOf(client.responses.retrieve(id))).toBeInstanceOf(NotFoundError);
	});

	it("have a receipt that a stranger can check", async () => {
		if (!service) throw new Error("the service did not start");
		const { _request_id } = await newClient().responses.create({ model: "auto", input: "Say hello" });
		const proof = await fetchProof(service.url, _request_id ?? "");
		expect(isSound(proof, await fetchPems(service.url))).toBe(true);
	});

	it("count their input before they are asked for", async () => {
		const client = newClient();
		const short = await client.responses.inputTokens.count({ model: "auto", input: "Say hello" });
		const long = await client.responses.inputTokens.count({ model: "auto", input: "Say hello ".repeat(100) });
		expect(short.object).toBe("response.input_tokens");
		expect(short.input_tokens).toBeGreaterThan(0);
		expect(long.input_tokens).toBeGreaterThan(short.input_tokens);
	});

	it("say why they are incomplete", async () => {
		const response = await newClient().responses.create({
			model: modelOnWire("openai", canBeSilent).id,
			input: "Talk [[long 900]]",
			max_output_tokens: 40,
		});
		expect([response.status, response.incomplete_details]).toEqual(["incomplete", { reason: "max_output_tokens" }]);
		expect(response.output_text).not.toBe("");
	});

	it("fail as OpenAI's do", async () => {
		const wrongKey = await failureOf(newClient("svc_sk_wrong").responses.create({ model: "auto", input: "hi" }));
		expect(wrongKey).toBeInstanceOf(AuthenticationError);
		const full = await failureOf(newClient().responses.create({ model: "auto", input: "hi [[overflow]]" }));
		if (!(full instanceof APIError)) throw full;
		expect([full.status, full.code]).toEqual([400, "context_length_exceeded"]);
		const broken = newClient().responses.stream({ model: "auto", input: "Go on [[long 200]] [[stall 200]] [[cut]]" });
		const types: string[] = [];
		broken.on("event", ({ type }) => types.push(type));
		await failureOf(broken.finalResponse()).catch(() => null);
		expect(types.at(-1)).toBe("response.failed");
	});
});

describe.each(REASONING_MODELS)("the AI SDK's OpenAI provider with %s", (model) => {
	const provider = () => createOpenAI({ baseURL, apiKey })(model);

	it("generates and streams the same text", async () => {
		const { warnings } = await expectSameText(provider());
		expect(warnings ?? []).toEqual([]);
	});

	/** A stored loop refers to its items by id; an unstored one sends them back. */
	it.each([
		["stored", {}],
		["unstored", { store: false, reasoningEffort: "high", include: ["reasoning.encrypted_content"] }],
	])("calls a tool and ends with text, %s", async (_, openai) => {
		await expectToolLoop(provider(), { providerOptions: { openai } });
	});

	it("gets structured output against the schema it sent", async () => {
		await expectStructuredOutput(provider());
	});
});

describe.each(REASONING_MODELS)("the OpenAI Agents SDK with %s", (model) => {
	it("runs an agent with a tool, whole and streamed", async () => {
		const cities: string[] = [];
		const agent = new Agent({
			name: "Weather",
			instructions: "Answer briefly.",
			model,
			tools: [
				agentTool({
					name: "get_weather",
					description: "Current weather of a city",
					parameters: z.object({ city: z.string() }),
					execute: async ({ city }) => {
						cities.push(city);
						return "23 degrees";
					},
				}),
			],
		});
		const runner = new Runner({
			modelProvider: new OpenAIProvider({ apiKey, baseURL, useResponses: true }),
			tracingDisabled: true,
		});
		const { finalOutput } = await runner.run(agent, QUESTION);
		expect(finalOutput).toBe(WEATHER_ANSWER);
		const streamed = await runner.run(agent, QUESTION, { stream: true });
		await streamed.completed;
		expect(streamed.finalOutput).toBe(WEATHER_ANSWER);
		expect(cities).toEqual(["Lisbon", "Lisbon"]);
	});
});
