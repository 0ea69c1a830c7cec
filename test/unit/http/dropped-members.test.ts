// What of a chat body goes no further is named, wherever it stands.
import { describe, expect, it } from "vitest";
import { chatRequestSchema } from "../../../src/chat/request.ts";
import { findDroppedMembers } from "../../../src/http/dropped-members.ts";

const dropped = (body: unknown) => findDroppedMembers(body, chatRequestSchema.parse(body));

describe("members of a chat body that nobody knows", () => {
	it("are named by their paths, each once; a null, and what is left to others to read, is not", () => {
		const part = { type: "text", text: "hi", cache_control: { type: "ephemeral" } };
		const parameters = { type: "object", "x-mine": 1, properties: { a: { "x-mine": 2 } } };
		const body = {
			messages: [
				{ role: "user", content: [part, part], priority: 1 },
				{ role: "user", content: "hi", priority: 2, absent: null },
				{ role: "assistant", content: "ho", annotations: [] },
			],
			tools: [{ type: "function", function: { name: "f", parameters, deferred: true }, cache_control: {} }],
			stream_options: { include_usage: true, include_obfuscation: false },
			response_format: { type: "json_schema", json_schema: { name: "n", schema: { a: 1 } }, extra: 1 },
			metadata: { anything: "goes" },
			brain_config: { model: "auto" },
			verbosity: "low",
		};
		expect(dropped(body)).toEqual([
			"messages[].content[].cache_control",
			"messages[].priority",
			"messages[].annotations",
			"tools[].function.deferred",
			"tools[].cache_control",
			"stream_options.include_obfuscation",
			"response_format.extra",
		]);
	});

	it("are none in a body that holds none", () => {
		expect(dropped({ messages: [{ role: "user", content: "hi" }], n: 1, seed: null })).toEqual([]);
	});

	it("are looked for up to a thousand, and not by their prototypes", () => {
		const many = Object.fromEntries(Array.from({ length: 5_000 }, (_, i) => [`field_${i}`, i]));
		expect(dropped({ messages: [{ role: "user", content: "hi", ...many }] })).toHaveLength(1_000);
		const body: unknown = JSON.parse(
			'{"messages":[{"role":"user","content":"hi","constructor":1,"__proto__":{"a":1}}]}',
		);
		expect(dropped(body)).toEqual(["messages[].constructor", "messages[].__proto__"]);
	});
});
