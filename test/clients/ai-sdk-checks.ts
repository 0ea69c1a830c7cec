// What every provider of the AI SDK must do with a model of this service: text, tool loops and structured output, whole and
// streamed alike.
import { generateText, type LanguageModel, Output, stepCountIs, streamText, tool } from "ai";
import { expect } from "vitest";
import * as z from "zod";
import { collect } from "./support.ts";

/** Settings of a call that a provider needs or is tried with. */
type CallOptions = Omit<Parameters<typeof generateText>[0], "model" | "prompt" | "messages" | "tools">;

const Trip = z.object({ destination: z.string(), nights: z.int(), season: z.enum(["spring", "summer"]) });

/** Expects the same text and usage, whole and streamed. Gives the whole answer. */
export async function expectSameText(model: LanguageModel, options: CallOptions = {}) {
	const request = { ...options, model, prompt: "Tell me of Norway" };
	const whole = await generateText(request);
	expect(whole.text).toContain('you wrote "Tell me of Norway"');
	expect(whole.finishReason).toBe("stop");
	const streamed = streamText(request);
	const pieces = await collect(streamed.textStream);
	expect(pieces.length).toBeGreaterThan(2);
	expect(pieces.join("")).toBe(whole.text);
	const { inputTokens, outputTokens } = whole.usage;
	expect(await streamed.usage).toMatchObject({ inputTokens, outputTokens });
	return whole;
}

/** Expects one call of a tool and then the text made of its result, whole and streamed. */
export async function expectToolLoop(model: LanguageModel, options: CallOptions = {}): Promise<void> {
	const tools = {
		get_weather: tool({
			description: "Current weather of a city",
			inputSchema: z.object({ city: z.string() }),
			execute: async ({ city }) => `23 degrees in ${city}`,
		}),
	};
	const prompt = "What is the weather like in Lisbon?";
	const request = { ...options, model, prompt, stopWhen: stepCountIs(3), tools };
	const { text, steps } = await generateText(request);
	expect(text).toBe("The tool answered: 23 degrees in Lisbon");
	expect(steps.map(({ finishReason }) => finishReason)).toEqual(["tool-calls", "stop"]);
	expect(await streamText(request).text).toBe(text);
}

/** Expects an object of the schema that was sent, the same whole and streamed. */
export async function expectStructuredOutput(model: LanguageModel, options: CallOptions = {}): Promise<void> {
	const request = { ...options, model, prompt: "plan a trip to Norway", output: Output.object({ schema: Trip }) };
	const { output } = await generateText(request);
	expect(output.destination).toBe("Norway");
	expect(await streamText(request).output).toEqual(output);
}
