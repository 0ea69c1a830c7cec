// The AI SDK's OpenAI-compatible provider against the running service: text, streams, tool loops, structured output, a wrong key.
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { APICallError, generateText, Output, stepCountIs, streamText, tool } from "ai";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import * as z from "zod";
import { WIRE_NAMES } from "../../src/catalog/vocabulary.ts";
import { countsReasoning, WITH_BEDROCK } from "../support/bedrock-rows.ts";
import { alwaysReasons, canBeSilent, modelOnWire } from "../support/models.ts";
import { startTestService, type TestService } from "./support.ts";

let service: TestService | undefined;
let apiKey = "";

beforeAll(async () => {
	service = await startTestService(WITH_BEDROCK);
	apiKey = (await service.newKey("corporate")).key;
});
afterAll(() => service?.stop());

function provider(key = apiKey) {
	if (!service) throw new Error("the service did not start");
	return createOpenAICompatible({
		name: "svc",
		baseURL: `${service.url}/v1`,
		apiKey: key,
		includeUsage: true,
		supportsStructuredOutputs: true,
	});
}

/** A weather tool that notes what it was asked. */
function weather(cities: string[]) {
	return tool({
		description: "Current weather of a city",
		inputSchema: z.object({ city: z.string() }),
		execute: async ({ city }) => {
			cities.push(city);
			return `23 degrees in ${city}`;
		},
	});
}

const Trip = z.object({
	destination: z.string(),
	nights: z.int(),
	season: z.enum(["spring", "summer"]),
	stops: z.array(z.object({ city: z.string(), booked: z.boolean() })),
});

/** Every wire format, with reasoning and without. */
const MODELS = WIRE_NAMES.flatMap((wire) => [canBeSilent, alwaysReasons].map((holds) => modelOnWire(wire, holds).id));

describe.each(MODELS)("the AI SDK with %s", (model) => {
	it("generates text with its usage", async () => {
		const { text, finishReason, usage, response } = await generateText({
			model: provider()(model),
			prompt: "Say hello",
		});
		expect(text).toContain('you wrote "Say hello"');
		expect(finishReason).toBe("stop");
		expect(response.modelId).toBe(model);
		expect(response.id).toMatch(/^svc-/);
		expect(usage.inputTokens).toBeGreaterThan(0);
		expect(usage.outputTokens).toBeGreaterThan(0);
	});

	it("streams the text that it generates, with the same usage", async () => {
		const prompt = "Tell me of Norway";
		const whole = await generateText({ model: provider()(model), prompt });
		const streamed = streamText({ model: provider()(model), prompt });
		const pieces: string[] = [];
		for await (const piece of streamed.textStream) pieces.push(piece);
		expect(pieces.length).toBeGreaterThan(2);
		expect(pieces.join("")).toBe(whole.text);
		expect(await streamed.finishReason).toBe("stop");
		const { inputTokens, outputTokens } = whole.usage;
		expect(await streamed.usage).toMatchObject({ inputTokens, outputTokens });
		expect(inputTokens).toBeGreaterThan(0);
	});

	const question = {
		prompt: "What is the weather like in Lisbon?",
		stopWhen: stepCountIs(3),
	};

	it("calls a tool and ends with text", async () => {
		const cities: string[] = [];
		const tools = { get_weather: weather(cities) };
		const { text, steps } = await generateText({ model: provider()(model), ...question, tools });
		expect(cities).toEqual(["Lisbon"]);
		expect(steps.map(({ finishReason }) => finishReason)).toEqual(["tool-calls", "stop"]);
		expect(text).toBe("The tool answered: 23 degrees in Lisbon");
	});

	it("calls a tool from a stream and ends with text", async () => {
		const cities: string[] = [];
		const tools = { get_weather: weather(cities) };
		const streamed = streamText({ model: provider()(model), ...question, tools });
		expect(await streamed.text).toBe("The tool answered: 23 degrees in Lisbon");
		expect(cities).toEqual(["Lisbon"]);
		expect((await streamed.steps).map(({ finishReason }) => finishReason)).toEqual(["tool-calls", "stop"]);
	});

	it("carries a tool loop with reasoning turned on", async () => {
		const cities: string[] = [];
		const { text, steps } = await generateText({
			model: provider()(model),
			...question,
			maxOutputTokens: 2000,
			providerOptions: { svc: { reasoningEffort: "high" } },
			tools: { get_weather: weather(cities) },
		});
		if (countsReasoning(model)) expect(steps[0]?.usage.outputTokenDetails.reasoningTokens).toBeGreaterThan(0);
		expect(text).toBe("The tool answered: 23 degrees in Lisbon");
		expect(cities).toEqual(["Lisbon"]);
	});

	it("gets structured output against the schema it sent", async () => {
		const { output } = await generateText({
			model: provider()(model),
			prompt: "plan a trip to Norway",
			output: Output.object({ schema: Trip }),
		});
		expect(output).toEqual(Trip.parse(output));
		expect(output.destination).toBe("Norway");
	});

	it("gets streamed structured output against the schema it sent", async () => {
		const { output } = streamText({
			model: provider()(model),
			prompt: "plan a trip to Norway",
			output: Output.object({ schema: Trip }),
		});
		expect(Trip.parse(await output).destination).toBe("Norway");
	});

	it("gets an error with status 401 for an invalid key", async () => {
		const failed = await generateText({ model: provider("svc_sk_wrong")(model), prompt: "Say hello" }).then(
			() => null,
			(error: unknown) => error,
		);
		if (!APICallError.isInstance(failed)) throw failed ?? new Error("it succeeded");
		expect(failed.statusCode).toBe(401);
		expect(failed.isRetryable).toBe(false);
		expect(failed.message).toBe("the API key is malformed");
		expect(failed.data).toMatchObject({ error: { code: "invalid_api_key" } });
	});

	it("gets the service's own words for a request that is refused", async () => {
		const failed = await generateText({ model: provider()(model), prompt: "hi", temperature: 9 }).then(
			() => null,
			(error: unknown) => error,
		);
		if (!APICallError.isInstance(failed)) throw failed ?? new Error("it succeeded");
		expect(failed.message).toMatch(/^temperature: /);
		expect(failed.data).toMatchObject({ error: { code: "invalid_request", param: "temperature" } });
	});

	it("tells of a stream that breaks off", async () => {
		const errors: unknown[] = [];
		const streamed = streamText({
			model: provider()(model),
			// Long enough that the middle is past the reasoning; the pause lets what is before it leave the sandbox's socket.
			prompt: "Go on [[long 200]] [[stall 200]] [[cut]]",
			onError: ({ error }) => {
				errors.push(error);
			},
		});
		let text = "";
		for await (const piece of streamed.textStream) text += piece;
		expect(text).not.toBe("");
		expect(errors).toHaveLength(1);
	});
});
