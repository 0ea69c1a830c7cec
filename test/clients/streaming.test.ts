// The official OpenAI client against the running service, one model per wire format: streams, tool loops, reasoning, faults.
import OpenAI, { APIError, APIUserAbortError, BadRequestError } from "openai";
import { zodResponseFormat } from "openai/helpers/zod";
import type { ChatCompletion, ChatCompletionMessageParam } from "openai/resources/chat/completions";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import * as z from "zod";
import { WIRE_NAMES, type WireName } from "../../src/catalog/vocabulary.ts";
import { chatCompletionSchema } from "../../src/chat/completion.ts";
import { countsReasoning, WITH_BEDROCK } from "../support/bedrock-rows.ts";
import { alwaysReasons, canBeSilent, modelOnWire } from "../support/models.ts";
import { failureOf, fetchProof, startTestService, type TestService } from "./support.ts";

let service: TestService | undefined;

beforeAll(async () => {
	service = await startTestService(WITH_BEDROCK);
});
afterAll(() => service?.stop());

const usage = z.object({
	total_requests: z.int(),
	total_cost_usd: z.number(),
	by_model: z.record(z.string(), z.object({ requests: z.int() })),
	recent: z.array(z.object({ request_id: z.string() })),
});

const weatherTool = {
	type: "function" as const,
	function: {
		name: "get_weather",
		description: "Current weather of a city",
		parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
	},
};

const Trip = z.object({
	destination: z.string(),
	nights: z.int(),
	season: z.enum(["spring", "summer"]),
	stops: z.array(z.object({ city: z.string(), booked: z.boolean() })),
	note: z.string().nullable(),
});

/** What a provider wants back unchanged with a tool call: signed thinking of Anthropic's or Bedrock's, Gemini's thought signature. */
const signedBlocks = z.looseObject({
	thinking_blocks: z.tuple([
		z.looseObject({ type: z.enum(["thinking", "bedrock.reasoning_content"]), signature: z.string().min(1) }),
	]),
});
const signedCalls = z.looseObject({
	tool_calls: z.tuple([
		z.looseObject({
			extra_content: z.object({ google: z.object({ thought_signature: z.string().min(1) }) }),
		}),
	]),
});

/** A message with its signature replaced by another; null for a wire without one. */
function forged(wire: WireName, message: unknown): ChatCompletionMessageParam | null {
	if (wire === "anthropic" || wire === "bedrock") {
		const { thinking_blocks, ...rest } = signedBlocks.parse(message);
		const blocks = thinking_blocks.map((block) => ({ ...block, signature: "Zm9yZ2Vk" }));
		return { ...rest, role: "assistant", thinking_blocks: blocks } as ChatCompletionMessageParam;
	}
	if (wire === "google") {
		const { tool_calls, ...rest } = signedCalls.parse(message);
		const calls = tool_calls.map((call) => ({
			...call,
			extra_content: { google: { thought_signature: "Zm9yZ2Vk" } },
		}));
		return { ...rest, role: "assistant", tool_calls: calls } as unknown as ChatCompletionMessageParam;
	}
	return null;
}

function onlyCall(completion: ChatCompletion) {
	const choice = completion.choices[0];
	const [call, ...others] = choice?.message.tool_calls ?? [];
	if (!choice || call?.type !== "function" || others.length > 0) throw new Error("not one function was called");
	return { message: choice.message, finishReason: choice.finish_reason, call };
}

/** Per wire format: a model that answers at once, and one that reasons before it does. */
const MODELS = WIRE_NAMES.map((wire) => {
	const { id: model, provider } = modelOnWire(wire, canBeSilent);
	return { wire, provider, model, reasoner: modelOnWire(wire, alwaysReasons).id };
});

describe.each(MODELS)("the openai client with $model", ({ wire, provider, model, reasoner }) => {
	let url = "";
	let key = "";
	let client = new OpenAI({ apiKey: "none yet" });

	// Every promise has a user of its own, so that usage counts what the promise did.
	beforeEach(async () => {
		if (!service) throw new Error("the service did not start");
		url = service.url;
		key = (await service.newKey("corporate")).key;
		client = new OpenAI({ baseURL: `${url}/v1`, apiKey: key });
	});

	const asking = (content: string) => ({ model, messages: [{ role: "user" as const, content }] });
	const withUsage = { stream_options: { include_usage: true } };

	async function fetchUsage() {
		const response = await fetch(`${url}/v1/usage`, { headers: { authorization: `Bearer ${key}` } });
		return usage.parse(await response.json());
	}

	it("accumulates text, usage, finish reason and the svc block of a stream", async () => {
		const stream = client.chat.completions.stream({ ...asking("Say hello"), ...withUsage });
		const pieces: string[] = [];
		stream.on("content", (delta) => pieces.push(delta));
		const completion = await stream.finalChatCompletion();
		const { id, model: served, choices, usage, svc } = chatCompletionSchema.parse(completion);
		expect(served).toBe(model);
		expect(pieces.length).toBeGreaterThan(2);
		expect(choices[0].message.content).toBe(pieces.join(""));
		expect(choices[0].message.content).toContain('you wrote "Say hello"');
		expect(choices[0].finish_reason).toBe("stop");
		expect(usage.prompt_tokens).toBeGreaterThan(0);
		expect(usage.completion_tokens).toBeGreaterThan(0);
		expect(usage.total_tokens).toBe(usage.prompt_tokens + usage.completion_tokens);
		expect(svc.routing.provider).toBe(provider);
		expect(svc.fallback).toBe(false);
		expect(svc.warnings).toEqual([]);
		const { receipt, proof_hash } = await fetchProof(url, id);
		expect(svc.proof).toMatchObject({ request_id: id, proof_hash });
		expect(receipt).toMatchObject({ outcome: "complete", estimated: false, cost_usd: svc.cost.total_usd });
	});

	it("streams the text that it gives whole, at the same cost", async () => {
		const streamed = chatCompletionSchema.parse(
			await client.chat.completions.stream({ ...asking("Tell me of Norway"), ...withUsage }).finalChatCompletion(),
		);
		const whole = chatCompletionSchema.parse(await client.chat.completions.create(asking("Tell me of Norway")));
		expect(streamed.choices[0].message.content).toBe(whole.choices[0].message.content);
		expect(streamed.choices).toEqual(whole.choices.map((choice) => expect.objectContaining(withoutMessage(choice))));
		expect(streamed.usage).toEqual(whole.usage);
		expect(streamed.svc.cost).toEqual(whole.svc.cost);
		expect(whole.svc.cost.total_usd).toBeGreaterThan(0);
	});

	it("carries the svc block on the chunk that has the finish reason when no usage was asked for", async () => {
		const chunks: unknown[] = [];
		for await (const chunk of await client.chat.completions.create({ ...asking("Say hello"), stream: true }))
			chunks.push(chunk);
		const last = z.looseObject({
			choices: z.tuple([z.looseObject({ finish_reason: z.literal("stop") })]),
			svc: chatCompletionSchema.unwrap().shape.svc,
		});
		expect(last.parse(chunks.at(-1)).svc.routing.provider).toBe(provider);
		expect(chunks.filter((chunk) => z.looseObject({ svc: z.unknown() }).safeParse(chunk).data?.svc)).toHaveLength(1);
		expect(chunks.some((chunk) => z.looseObject({ usage: z.object({}) }).safeParse(chunk).success)).toBe(false);
	});

	it("carries a streamed tool loop over two turns", async () => {
		const { messages } = asking("What is the weather like in Paris?");
		const asked = await client.chat.completions
			.stream({ model, messages, tools: [weatherTool], ...withUsage })
			.finalChatCompletion();
		const { message, finishReason, call } = onlyCall(asked);
		expect(finishReason).toBe("tool_calls");
		expect(call.function.name).toBe("get_weather");
		expect(JSON.parse(call.function.arguments)).toEqual({ city: "Paris" });

		const answered = await client.chat.completions
			.stream({
				model,
				messages: [...messages, message, { role: "tool", tool_call_id: call.id, content: "18 degrees, sunny" }],
				tools: [weatherTool],
			})
			.finalChatCompletion();
		expect(answered.model).toBe(model);
		expect(answered.choices[0]?.finish_reason).toBe("stop");
		expect(answered.choices[0]?.message.content).toBe("The tool answered: 18 degrees, sunny");
	});

	const weatherOf = (cities: unknown[]) => ({
		type: "function" as const,
		function: {
			...weatherTool.function,
			parse: JSON.parse,
			function: (args: unknown) => {
				cities.push(args);
				return "23 degrees";
			},
		},
	});

	it("runs tools by itself with runTools", async () => {
		const cities: unknown[] = [];
		const request = asking("What is the weather like in Lisbon?");
		const runner = client.chat.completions.runTools({ ...request, tools: [weatherOf(cities)] });
		expect(await runner.finalContent()).toBe("The tool answered: 23 degrees");
		expect(cities).toEqual([{ city: "Lisbon" }]);
	});

	it("runs tools by itself with runTools over streams", async () => {
		const cities: unknown[] = [];
		const request = asking("What is the weather like in Lisbon?");
		const runner = client.chat.completions.runTools({ ...request, stream: true, tools: [weatherOf(cities)] });
		expect(await runner.finalContent()).toBe("The tool answered: 23 degrees");
		expect(cities).toEqual([{ city: "Lisbon" }]);
		expect((await fetchUsage()).total_requests).toBe(2);
	});

	describe.each([true, false])("with reasoning, streamed: %s", (streamed) => {
		const thinking = { model: reasoner, reasoning_effort: "high" as const, max_tokens: 2000, tools: [weatherTool] };
		const { messages } = asking("What is the weather like in Oslo?");

		function complete(more: ChatCompletionMessageParam[]): Promise<ChatCompletion> {
			const body = { ...thinking, messages: [...messages, ...more] };
			return streamed
				? client.chat.completions.stream({ ...body, ...withUsage }).finalChatCompletion()
				: client.chat.completions.create(body);
		}

		it("takes the message of a tool call back as it came", async () => {
			const asked = await complete([]);
			const { message, call } = onlyCall(asked);
			const { reasoning_tokens } = chatCompletionSchema.parse(asked).usage.completion_tokens_details;
			if (countsReasoning(reasoner)) expect(reasoning_tokens).toBeGreaterThan(0);
			if (wire === "anthropic" || wire === "bedrock") signedBlocks.parse(message);
			if (wire === "google") signedCalls.parse(message);

			const answered = await complete([message, { role: "tool", tool_call_id: call.id, content: "4 degrees" }]);
			expect(answered.model).toBe(reasoner);
			expect(answered.choices[0]?.message.content).toBe("The tool answered: 4 degrees");
			expect(chatCompletionSchema.parse(answered).svc.warnings).toEqual([]);
		});

		it.skipIf(wire === "openai")("passes a forged signature on, and the provider refuses it", async () => {
			const { message, call } = onlyCall(await complete([]));
			const altered = forged(wire, message);
			if (!altered) throw new Error("nothing to forge");
			const error = await failureOf(complete([altered, { role: "tool", tool_call_id: call.id, content: "4 degrees" }]));
			expect(error).toBeInstanceOf(BadRequestError);
			expect(error).toMatchObject({ status: 400, code: "upstream_rejected" });
		});
	});

	it("parses structured output against the schema it sent", async () => {
		const completion = await client.chat.completions.parse({
			...asking("plan a trip to Norway"),
			response_format: zodResponseFormat(Trip, "trip"),
		});
		const message = completion.choices[0]?.message;
		expect(message?.parsed).toEqual(Trip.parse(JSON.parse(message?.content ?? "")));
		expect(message?.parsed?.destination).toBe("Norway");
		expect(completion.model).toBe(model);
	});

	it("parses streamed structured output against the schema it sent", async () => {
		const stream = client.chat.completions.stream({
			...asking("plan a trip to Norway"),
			response_format: zodResponseFormat(Trip, "trip"),
		});
		const message = (await stream.finalChatCompletion()).choices[0]?.message;
		expect(message?.parsed).toEqual(Trip.parse(JSON.parse(message?.content ?? "")));
		expect(message?.parsed?.destination).toBe("Norway");
	});

	// With and without a pause: the service notices a client that has gone while it writes, and while it waits.
	// An answer of megabytes: a short one could be written whole before the client has hung up.
	it.each(["[[long 50000]]", "[[long 5000]] [[stall 20000]]"])("counts an aborted stream once: %s", async (words) => {
		const stream = client.chat.completions.stream({ ...asking(`Go on ${words}`), max_tokens: 60_000, ...withUsage });
		let id = "";
		let received = 0;
		const error = await failureOf(
			(async () => {
				for await (const chunk of stream) {
					id = chunk.id;
					received += chunk.choices[0]?.delta.content?.length ?? 0;
					if (received > 0) stream.abort();
				}
			})(),
		);
		expect(error).toBeInstanceOf(APIUserAbortError);
		expect(received).toBeGreaterThan(0);

		await expect
			.poll(async () => (await fetchProof(url, id).catch(() => null))?.receipt, { timeout: 50_000, interval: 100 })
			.toMatchObject({ outcome: "client_closed", estimated: true, model, provider });
		const proof = await fetchProof(url, id);
		expect(proof.valid).toBe(true);
		const { total_requests, total_cost_usd, by_model, recent } = await fetchUsage();
		expect(total_requests).toBe(1);
		expect(total_cost_usd).toBe(proof.receipt["cost_usd"]);
		expect(by_model).toEqual({ [model]: expect.objectContaining({ requests: 1 }) });
		expect(recent.map(({ request_id }) => request_id)).toEqual([id]);
	});

	it("throws APIError when a stream is cut after its first words, and the receipt says so", async () => {
		// The pause lets the words before the cut leave the sandbox's socket.
		const stream = await client.chat.completions.create({ ...asking("Go on [[stall 200]] [[cut]]"), stream: true });
		let id = "";
		let text = "";
		const error = await failureOf(
			(async () => {
				for await (const chunk of stream) {
					id = chunk.id;
					text += chunk.choices[0]?.delta.content ?? "";
				}
			})(),
		);
		expect(text).not.toBe("");
		expect(error).toBeInstanceOf(APIError);
		expect(error).toMatchObject({ code: "upstream_cut", type: "upstream_error" });
		const { receipt } = await fetchProof(url, id);
		expect(receipt).toMatchObject({ outcome: "cut", estimated: true, model, provider });
		expect((await fetchUsage()).total_requests).toBe(1);
	});

	it("throws APIError when the provider reports an error in its stream", async () => {
		const stream = client.chat.completions.stream(asking("Go on [[error]]"));
		expect(await failureOf(stream.finalChatCompletion())).toBeInstanceOf(APIError);
	});

	it("gets the stream from another provider when its own fails", async () => {
		const request = { ...asking(`Say hello [[fail ${provider}]]`), ...withUsage };
		const completion = await client.chat.completions.stream(request).finalChatCompletion();
		const { id, choices, svc, ...served } = chatCompletionSchema.parse(completion);
		expect(svc.routing.provider).not.toBe(provider);
		expect(served.model).not.toBe(model);
		expect(svc).toMatchObject({ fallback: true, fallback_from: model, fallback_to: served.model });
		expect(choices[0].message.content).toContain("Say hello");
		expect((await fetchProof(url, id)).receipt).toMatchObject({ fallback_from: model, model: served.model });
		expect((await fetchUsage()).by_model).toEqual({ [served.model]: expect.objectContaining({ requests: 1 }) });
	});
});

// Nothing is said while every call is silent: only the keep-alive finds out that the client has gone, should the platform not.
describe.each([
	["/v2/orchestrate", { messages: [{ role: "user", content: "Why? [[think 20000]]" }], strategy: "ensemble_moa" }],
	["/v2/code", { task: "Write a queue [[think 20000]]" }],
])("a stream of %s", (path, body) => {
	it("that its client leaves stops its calls within seconds, and is settled", async () => {
		if (!service) throw new Error("no service");
		const { url } = service;
		const { key } = await service.newKey("corporate");
		const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
		const leaving = new AbortController();
		const response = await fetch(`${url}${path}`, {
			method: "POST",
			headers,
			body: JSON.stringify({ ...body, stream: true }),
			signal: leaving.signal,
		});
		const id = response.headers.get("x-request-id") ?? "";
		await response.body?.getReader().read();
		await new Promise((resolve) => setTimeout(resolve, 1_000));
		leaving.abort();
		await expect
			.poll(async () => (await fetchProof(url, id).catch(() => null))?.receipt, { timeout: 6_000, interval: 100 })
			.toMatchObject({ outcome: "client_closed", estimated: true });
	});
});

function withoutMessage<Choice extends { message: unknown }>({ message: _, ...rest }: Choice): Omit<Choice, "message"> {
	return rest;
}
