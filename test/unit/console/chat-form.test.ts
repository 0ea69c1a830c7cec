import { describe, expect, it } from "vitest";
import { toChatBody } from "../../../src/console/chat-form.ts";

const body = (fields: Record<string, string>) => toChatBody(new URLSearchParams(fields));
const messages = (fields: Record<string, string>) => body(fields)["messages"];

describe("the playground's form as a request", () => {
	it("is the least that there is, where nothing else is said", () => {
		expect(body({ prompt: "Hi", model: " ", mode: "", tools: " ", images: "" })).toEqual({
			model: "auto",
			messages: [{ role: "user", content: "Hi" }],
		});
	});

	it("has what is said", () => {
		const tool = { type: "function", function: { name: "weather" } };
		expect(
			body({
				prompt: "Hi",
				system: "Be short",
				model: "gpt-6-luna",
				mode: "quality",
				max_tokens: "9",
				max_cost: "0.1",
				tools: JSON.stringify([tool]),
			}),
		).toEqual({
			model: "gpt-6-luna",
			routing_mode: "quality",
			max_tokens: 9,
			brain_config: { max_cost: 0.1 },
			tools: [tool],
			messages: [
				{ role: "system", content: "Be short" },
				{ role: "user", content: "Hi" },
			],
		});
	});

	it("goes on with a conversation, behind the system's message", () => {
		const before = [
			{ role: "user", content: "a" },
			{ role: "assistant", content: "b" },
		];
		expect(messages({ prompt: "c", system: "s", conversation: JSON.stringify(before) })).toEqual([
			{ role: "system", content: "s" },
			...before,
			{ role: "user", content: "c" },
		]);
	});

	it("asks nothing else after results of tools, unless there is a prompt", () => {
		const before = [{ role: "tool", tool_call_id: "1", content: "rain" }];
		const conversation = JSON.stringify(before);
		expect(messages({ prompt: " ", conversation })).toEqual(before);
		expect(messages({ prompt: "And?", conversation })).toEqual([...before, { role: "user", content: "And?" }]);
	});

	it("has images beside the prompt, or alone", () => {
		const images = JSON.stringify(["data:image/png;base64,AA=="]);
		const image = { type: "image_url", image_url: { url: "data:image/png;base64,AA==" } };
		expect(messages({ prompt: "What?", images })).toEqual([
			{ role: "user", content: [{ type: "text", text: "What?" }, image] },
		]);
		expect(messages({ prompt: "", images })).toEqual([{ role: "user", content: [image] }]);
		const pdf = "data:application/pdf;base64,AA==";
		expect(messages({ prompt: "", images: JSON.stringify([pdf]) })).toEqual([
			{ role: "user", content: [{ type: "file", file: { file_data: pdf } }] },
		]);
	});

	it("leaves what is no JSON for the API to refuse", () => {
		expect(body({ prompt: "Hi", tools: "[{" })["tools"]).toBe("[{");
		expect(messages({ prompt: "Hi", conversation: "no list" })).toBe("no list");
	});
});
