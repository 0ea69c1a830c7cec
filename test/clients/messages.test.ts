// `/v1/messages` and `/v1/models` against the running service with the libraries that speak them: @anthropic-ai/sdk and
// the AI SDK's Anthropic provider.
import { createAnthropic } from "@ai-sdk/anthropic";
import Anthropic, { APIError, AuthenticationError, BadRequestError, InternalServerError } from "@anthropic-ai/sdk";
import { betaZodTool } from "@anthropic-ai/sdk/helpers/beta/zod";
import { zodOutputFormat } from "@anthropic-ai/sdk/helpers/zod";
import type { MessageParam, Tool } from "@anthropic-ai/sdk/resources/messages/messages";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import * as z from "zod";
import { CATALOG } from "../../src/catalog/shipped.ts";
import { WIRE_NAMES } from "../../src/catalog/vocabulary.ts";
import { svcBlockSchema } from "../../src/inference/svc-block.ts";
import { WITH_BEDROCK } from "../support/bedrock-rows.ts";
import { alwaysReasons, canBeSilent, modelOnWire } from "../support/models.ts";
import { expectSameText, expectStructuredOutput, expectToolLoop } from "./ai-sdk-checks.ts";
import { failureOf, fetchPems, fetchProof, isSound, startTestService, type TestService } from "./support.ts";

let service: TestService | undefined;
let apiKey = "";
let baseURL = "";

beforeAll(async () => {
	service = await startTestService(WITH_BEDROCK);
	apiKey = (await service.newKey("corporate")).key;
	baseURL = service.url;
});
afterAll(() => service?.stop());

/** It sends `x-api-key`, or a bearer with `authToken`. */
function newClient(credentials: { apiKey: string } | { apiKey: null; authToken: string } = { apiKey }): Anthropic {
	return new Anthropic({ baseURL, maxRetries: 0, ...credentials });
}

/** Of every wire format, a model that need not reason and one that always does. */
const SILENT_MODELS = WIRE_NAMES.map((wire) => modelOnWire(wire, canBeSilent).id);
const REASONING_MODELS = WIRE_NAMES.map((wire) => modelOnWire(wire, alwaysReasons).id);
const MODELS = [...SILENT_MODELS, ...REASONING_MODELS];

const QUESTION = "What is the weather like in Lisbon?";
const WEATHER_TOOL: Tool = {
	name: "get_weather",
	description: "Current weather of a city",
	input_schema: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
};
const WEATHER_ANSWER = "The tool answered: 23 degrees";
const HELLO = { max_tokens: 2_000, messages: [{ role: "user" as const, content: "Say hello" }] };

const Trip = z.object({ destination: z.string(), nights: z.int(), season: z.enum(["spring", "summer"]) });

function textIn({ content }: { content: readonly { type: string }[] }): string {
	return content.map((block) => ("text" in block ? String(block.text) : "")).join("");
}

describe.each(MODELS)("the Anthropic client's message of %s", (model) => {
	it("has text, usage, ids and the svc block", async () => {
		const message = await newClient().messages.create({ model, ...HELLO });
		expect(textIn(message)).toContain('you wrote "Say hello"');
		expect([message.type, message.role, message.stop_reason]).toEqual(["message", "assistant", "end_turn"]);
		expect(message.usage.input_tokens).toBeGreaterThan(0);
		expect(message.usage.output_tokens).toBeGreaterThan(0);
		const { svc } = z.looseObject({ svc: svcBlockSchema }).parse(message);
		expect(svc.proof.request_id).toBe(message.id.replace(/^msg_/, "svc-"));
		expect(svc.cost.total_usd).toBeGreaterThan(0);
	});

	it("streams what it answers", async () => {
		const request = { model, max_tokens: 2_000, messages: [{ role: "user" as const, content: "Tell me of Norway" }] };
		const whole = await newClient().messages.create(request);
		const types: string[] = [];
		let text = "";
		const stream = newClient()
			.messages.stream(request)
			.on("streamEvent", ({ type }) => types.push(type))
			.on("text", (delta) => {
				text += delta;
			});
		const final = await stream.finalMessage();
		expect(text).toBe(textIn(whole));
		expect(textIn(final)).toBe(text);
		expect([final.stop_reason, final.usage.input_tokens, final.usage.output_tokens]).toEqual([
			"end_turn",
			whole.usage.input_tokens,
			whole.usage.output_tokens,
		]);
		expect([types[0], types.at(-2), types.at(-1)]).toEqual(["message_start", "message_delta", "message_stop"]);
	});

	it.each([
		{ type: "disabled" as const },
		{ type: "enabled" as const, budget_tokens: 1_024 },
		{ type: "adaptive" as const },
	])("ends a tool loop by hand, with $type thinking", async (thinking) => {
		const request = { model, max_tokens: 8_000, tools: [WEATHER_TOOL], thinking };
		const question: MessageParam = { role: "user", content: QUESTION };
		for (const streamed of [false, true]) {
			const ask = (messages: MessageParam[]) =>
				streamed
					? newClient()
							.messages.stream({ ...request, messages })
							.finalMessage()
					: newClient().messages.create({ ...request, messages });
			const asked = await ask([question]);
			expect(asked.stop_reason).toBe("tool_use");
			const calls = asked.content.filter((block) => block.type === "tool_use");
			expect(calls.map(({ name, input }) => [name, input])).toEqual([["get_weather", { city: "Lisbon" }]]);
			const answered = await ask([
				question,
				// What the model wrote goes back exactly as it came.
				{ role: "assistant", content: asked.content },
				{
					role: "user",
					content: calls.map(({ id }) => ({ type: "tool_result", tool_use_id: id, content: "23 degrees" })),
				},
			]);
			expect([textIn(answered), answered.stop_reason]).toEqual([WEATHER_ANSWER, "end_turn"]);
		}
	});

	it("runs tools by itself with the tool runner", async () => {
		const cities: string[] = [];
		const weather = betaZodTool({
			name: "get_weather",
			description: "Current weather of a city",
			inputSchema: z.object({ city: z.string() }),
			run: ({ city }) => {
				cities.push(city);
				return "23 degrees";
			},
		});
		const request = { model, max_tokens: 2_000, messages: [{ role: "user" as const, content: QUESTION }] };
		const runner = newClient().beta.messages.toolRunner({ ...request, tools: [weather] });
		expect(textIn(await runner.runUntilDone())).toBe(WEATHER_ANSWER);
		const streamed = newClient().beta.messages.toolRunner({ ...request, tools: [weather], stream: true });
		expect(textIn(await streamed.runUntilDone())).toBe(WEATHER_ANSWER);
		expect(cities).toEqual(["Lisbon", "Lisbon"]);
	});

	it("is parsed by the schema that was sent", async () => {
		const message = await newClient().messages.parse({
			model,
			max_tokens: 2_000,
			messages: [{ role: "user", content: "plan a trip to Norway" }],
			output_config: { format: zodOutputFormat(Trip) },
		});
		expect(message.parsed_output?.destination).toBe("Norway");
	});
});

describe("the Anthropic client", () => {
	it("may send its key either way", async () => {
		const model = "auto";
		const bearer = newClient({ apiKey: null, authToken: apiKey });
		expect((await bearer.messages.create({ model, ...HELLO })).type).toBe("message");
		expect((await bearer.models.list()).data.length).toBeGreaterThan(0);
		const wrong = await failureOf(newClient({ apiKey: "svc_sk_wrong" }).messages.create({ model, ...HELLO }));
		if (!(wrong instanceof AuthenticationError)) throw wrong;
		expect(wrong.error).toMatchObject({ type: "error", error: { type: "authentication_error" } });
	});

	it("gets errors in Anthropic's form", async () => {
		const full = await failureOf(
			newClient().messages.create({
				model: "auto",
				max_tokens: 100,
				messages: [{ role: "user", content: "hi [[overflow]]" }],
			}),
		);
		if (!(full instanceof BadRequestError)) throw full;
		expect(full.error).toMatchObject({ type: "error", error: { type: "invalid_request_error" } });
		expect(full.message).toMatch(/prompt is too long: \d+ tokens > \d+ maximum/);
		const failed = await failureOf(
			newClient().messages.create({
				model: "auto",
				max_tokens: 100,
				messages: [{ role: "user", content: "hi [[status 500]]" }],
			}),
		);
		expect(failed).toBeInstanceOf(InternalServerError);
	});

	it("tells of a stream that breaks off", async () => {
		const stream = newClient().messages.stream({
			model: modelOnWire("openai", canBeSilent).id,
			max_tokens: 2_000,
			messages: [{ role: "user", content: "Go on [[long 200]] [[stall 200]] [[cut]]" }],
		});
		let text = "";
		stream.on("text", (delta) => {
			text += delta;
		});
		expect(await failureOf(stream.finalMessage())).toBeInstanceOf(APIError);
		expect(text).not.toBe("");
	});

	it("stops at its limit and at its stop sequences", async () => {
		const model = modelOnWire("anthropic", canBeSilent).id;
		const ask = (more: { max_tokens: number }) =>
			newClient().messages.create({ model, messages: [{ role: "user", content: "Talk [[long 900]]" }], ...more });
		expect((await ask({ max_tokens: 40 })).stop_reason).toBe("max_tokens");
	});

	it("counts tokens before it asks", async () => {
		const { messages } = newClient();
		const count = async (content: string) =>
			(await messages.countTokens({ model: "auto", messages: [{ role: "user", content }] })).input_tokens;
		const short = await count("Say hello");
		expect(short).toBeGreaterThan(0);
		expect(await count("Say hello ".repeat(100))).toBeGreaterThan(short);
	});

	it("lists all models, page by page", async () => {
		const ids: string[] = [];
		for await (const { id, type, display_name, created_at } of newClient().models.list({ limit: 5 })) {
			expect([type, typeof display_name]).toEqual(["model", "string"]);
			// The epoch is a date that is not known.
			expect(new Date(created_at).getTime()).toBeGreaterThanOrEqual(0);
			ids.push(id);
		}
		expect(new Set(ids).size).toBe(ids.length);
		expect(ids).toEqual(expect.arrayContaining(CATALOG.models.map(({ id }) => id)));
	});

	it("gets a receipt that a stranger can check", async () => {
		if (!service) throw new Error("the service did not start");
		const { id } = await newClient().messages.create({ model: "auto", ...HELLO });
		const proof = await fetchProof(service.url, id.replace(/^msg_/, "svc-"));
		expect(isSound(proof, await fetchPems(service.url))).toBe(true);
	});
});

describe.each(REASONING_MODELS)("the AI SDK's Anthropic provider with %s", (model) => {
	const provider = () => createAnthropic({ baseURL: `${baseURL}/v1`, apiKey })(model);

	it("generates and streams the same text", async () => {
		await expectSameText(provider(), { maxOutputTokens: 2_000 });
	});

	it.each([
		["without thinking", {}],
		["thinking", { thinking: { type: "enabled", budgetTokens: 1_024 } }],
	])("calls a tool and ends with text, %s", async (_, anthropic) => {
		await expectToolLoop(provider(), { maxOutputTokens: 4_000, providerOptions: { anthropic } });
	});

	it("gets structured output against the schema it sent", async () => {
		await expectStructuredOutput(provider(), { maxOutputTokens: 2_000 });
	});
});
