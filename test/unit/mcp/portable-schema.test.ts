// Arguments' schemas in the form that every client can pass on.
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { ENDPOINTS } from "../../../src/endpoints.ts";
import { toJsonSchema } from "../../../src/http/json-schema.ts";
import { toPortableSchema } from "../../../src/mcp/portable-schema.ts";
import { toTools } from "../../../src/mcp/tools.ts";

const of = (schema: z.ZodType) => toPortableSchema(toJsonSchema(schema, "input"));

describe("a portable schema", () => {
	it("says what an argument is when it is there, and keeps what it is called", () => {
		const schema = z.object({
			word: z.string().nullish().describe("A word."),
			mode: z.enum(["a", "b"]).nullish(),
			stop: z.union([z.string(), z.array(z.string())]).nullish(),
			list: z.array(z.object({ id: z.int(), note: z.string().nullish() })).nullish(),
		});
		expect(of(schema)).toEqual({
			type: "object",
			properties: {
				word: { type: "string", description: "A word." },
				mode: { type: "string", enum: ["a", "b"] },
				stop: { anyOf: [{ type: "string" }, { type: "array", items: { type: "string" } }] },
				list: {
					type: "array",
					items: {
						type: "object",
						properties: {
							id: { type: "integer", minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER },
							note: { type: "string" },
						},
						required: ["id"],
					},
				},
			},
		});
	});

	it("keeps null where an argument has to be there", () => {
		expect(of(z.object({ goal: z.string().nullable() }))).toEqual({
			type: "object",
			properties: { goal: { anyOf: [{ type: "string" }, { type: "null" }] } },
			required: ["goal"],
		});
	});

	it("does not name what is only there to be refused", () => {
		expect(of(z.object({ tools: z.null().optional() }))).toEqual({ type: "object", properties: {} });
	});

	it("says plainly that an object takes anything", () => {
		expect(of(z.record(z.string(), z.unknown()))).toEqual({ type: "object", additionalProperties: true });
		const upper = of(z.record(z.string().regex(/^[A-Z]$/), z.number()));
		expect(upper).toMatchObject({ propertyNames: { pattern: "^[A-Z]$" }, additionalProperties: { type: "number" } });
	});
});

/** OpenAI's own fields, which every model knows, ids, which the tool's description speaks of. */
const SELF_SPEAKING = [
	...["id", "request_id", "run_id", "handoff_id", "share_id", "skill_id", "workspace_id"],
	...[
		"temperature",
		"top_p",
		"presence_penalty",
		"frequency_penalty",
		"seed",
		"logit_bias",
		"logprobs",
		"top_logprobs",
	],
	...["stop", "n", "tools", "tool_choice", "parallel_tool_calls", "response_format", "user", "metadata"],
	...["stream", "stream_options", "max_completion_tokens"],
];

/** Every schema inside a schema, itself included. */
function* within(value: unknown): Generator<Record<string, unknown>> {
	if (typeof value !== "object" || value === null) return;
	if (!Array.isArray(value)) yield { ...value };
	for (const each of Object.values(value)) yield* within(each);
}

describe("every tool's schema", () => {
	it.each(toTools(ENDPOINTS).map((tool) => [tool.name, tool] as const))("of %s has one type a place", (_, tool) => {
		const all = [...within(tool.inputSchema)];
		expect(all.length).toBeGreaterThan(0);
		for (const schema of all) {
			expect(Array.isArray(schema["type"]), JSON.stringify(schema)).toBe(false);
			expect(schema["additionalProperties"]).not.toEqual({});
		}
	});

	it.each(toTools(ENDPOINTS).map((tool) => [tool.name, tool] as const))(
		"of %s says what each argument is",
		(_, tool) => {
			const properties = Object.entries(Object(tool.inputSchema["properties"]));
			const silent = properties.filter(
				([name, schema]) => !Object(schema).description && !SELF_SPEAKING.includes(name),
			);
			expect(silent.map(([name]) => name)).toEqual([]);
		},
	);
});
