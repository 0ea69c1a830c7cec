// PDF files and recordings as the official clients and the AI SDK send them, against the running service, on every wire.
import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAI } from "@ai-sdk/openai";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import Anthropic from "@anthropic-ai/sdk";
import { generateText, type LanguageModel, streamText } from "ai";
import OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { flatTree, toBase64, toPdf, toWav } from "../support/sent-files.ts";
import { startTestService, type TestService } from "./support.ts";

let service: TestService | undefined;
let apiKey = "";
let url = "";

beforeAll(async () => {
	service = await startTestService();
	apiKey = (await service.newKey("corporate")).key;
	url = service.url;
});
afterAll(() => service?.stop());

const PDF = toBase64(toPdf(flatTree(4)));
const WAV = toBase64(toWav(2));
const READ = /You sent (?:report\.pdf|Report|a file|\S+\.pdf) \(4 pages, \d+ bytes\)/;
const MODELS = ["gpt-5-nano", "claude-haiku-5-5", "gemini-3.8-flash"];

describe.each(MODELS)("a PDF to %s", (model) => {
	it("is sent by the OpenAI client, in chat and in Responses", async () => {
		const client = new OpenAI({ apiKey, baseURL: `${url}/v1`, maxRetries: 0 });
		const file_data = `data:application/pdf;base64,${PDF}`;
		const completion = await client.chat.completions.create({
			model,
			messages: [
				{
					role: "user",
					content: [
						{ type: "file", file: { filename: "report.pdf", file_data } },
						{ type: "text", text: "Sum it up" },
					],
				},
			],
		});
		expect(completion.choices[0]?.message.content).toMatch(READ);
		const response = await client.responses.create({
			model,
			input: [
				{
					role: "user",
					content: [
						{ type: "input_file", filename: "report.pdf", file_data },
						{ type: "input_text", text: "Sum it up" },
					],
				},
			],
		});
		expect(response.output_text).toMatch(READ);
	});

	it("is sent by the Anthropic client, and counted", async () => {
		const client = new Anthropic({ baseURL: url, apiKey, maxRetries: 0 });
		const messages: Anthropic.MessageParam[] = [
			{
				role: "user",
				content: [
					{
						type: "document",
						source: { type: "base64", media_type: "application/pdf", data: PDF },
						title: "Report",
						cache_control: { type: "ephemeral" },
					},
					{ type: "text", text: "Sum it up" },
				],
			},
		];
		const message = await client.messages.create({ model, max_tokens: 500, messages });
		expect(JSON.stringify(message.content)).toMatch(READ);
		expect((await client.messages.countTokens({ model, messages })).input_tokens).toBeGreaterThan(6_000);
	});

	const providers: [string, () => LanguageModel][] = [
		["OpenAI-compatible", () => createOpenAICompatible({ name: "svc", baseURL: `${url}/v1`, apiKey })(model)],
		["OpenAI", () => createOpenAI({ baseURL: `${url}/v1`, apiKey }).responses(model)],
		["Anthropic", () => createAnthropic({ baseURL: `${url}/v1`, apiKey })(model)],
	];
	it.each(providers)("is sent by the AI SDK's %s provider, whole and streamed", async (_, toModel) => {
		const messages = [
			{
				role: "user" as const,
				content: [
					{ type: "text" as const, text: "Sum it up" },
					{ type: "file" as const, data: PDF, mediaType: "application/pdf", filename: "report.pdf" },
				],
			},
		];
		expect((await generateText({ model: toModel(), messages })).text).toMatch(READ);
		expect(await streamText({ model: toModel(), messages }).text).toMatch(READ);
	});
});

describe("a recording", () => {
	it("is sent by the OpenAI client and by the AI SDK", async () => {
		const client = new OpenAI({ apiKey, baseURL: `${url}/v1`, maxRetries: 0 });
		const completion = await client.chat.completions.create({
			model: "auto",
			messages: [{ role: "user", content: [{ type: "input_audio", input_audio: { data: WAV, format: "wav" } }] }],
		});
		expect(completion.choices[0]?.message.content).toContain("You sent audio in wav (3 seconds");
		const model = createOpenAICompatible({ name: "svc", baseURL: `${url}/v1`, apiKey })("auto");
		const content = [{ type: "file" as const, data: WAV, mediaType: "audio/wav" }];
		const { text } = await generateText({ model, messages: [{ role: "user", content }] });
		expect(text).toContain("You sent audio in wav (3 seconds");
	});
});

describe("a client's upload", () => {
	it("is told what to send instead", async () => {
		const client = new OpenAI({ apiKey, baseURL: `${url}/v1`, maxRetries: 0 });
		const content = [{ type: "file" as const, file: { file_id: "file-abc" } }];
		await expect(
			client.chat.completions.create({ model: "auto", messages: [{ role: "user", content }] }),
		).rejects.toThrow("files are not stored here; send the content itself as file_data");
	});
});
