// The schemas of one call together: how large they are as they are written out, and what is refused before it is.
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../src/json.ts";
import {
	compileGoogleSchema,
	MAX_SCHEMA_BYTES,
	measureGoogleSchemaInSteps,
} from "../../../src/providers/google-schema.ts";
import type { ToolDefinition } from "../../../src/providers/model-call.ts";
import { findSchemaExcessInSteps, MAX_SCHEMA_NODES } from "../../../src/providers/schema-limits.ts";
import { runSteps } from "../../../src/turns/steps.ts";

const TEXT = { type: "text" } as const;

const findSchemaExcess = (call: Parameters<typeof findSchemaExcessInSteps>[0]) =>
	runSteps(findSchemaExcessInSteps(call));
const measureGoogleSchema = (schema: JsonObject, mostBytes: number) =>
	runSteps(measureGoogleSchemaInSteps(schema, mostBytes));

function tool(name: string, parameters: JsonObject): ToolDefinition {
	return { name, parameters };
}

/** A schema of some hundred bytes that stands for `2 ** levels` others. */
function doubling(levels: number, seed = ""): JsonObject {
	const level = (at: number) => ({ type: "object", properties: { a: ref(at), b: ref(at) } });
	const ref = (at: number) => (at === 0 ? { type: "string" } : { $ref: `#/$defs/${seed}${at - 1}` });
	const $defs = Object.fromEntries(Array.from({ length: levels }, (_, at) => [`${seed}${at}`, level(at)]));
	return { type: "object", properties: { root: { $ref: `#/$defs/${seed}${levels - 1}` } }, $defs };
}

/** Tools that tell how many of them have been looked at. */
function watched(count: number, parametersOf: (index: number) => JsonObject) {
	const looked = new Set<number>();
	const tools = Array.from({ length: count }, (_, index) => ({
		name: `tool_${index}`,
		get parameters() {
			looked.add(index);
			return parametersOf(index);
		},
	}));
	return { tools, looked };
}

describe("the schemas of a call", () => {
	it("of 512 tools of a kilobyte that stand for millions are refused after a few", () => {
		const { tools, looked } = watched(512, (index) => doubling(16, `d${index}_`));
		const issue = findSchemaExcess({ tools, output: TEXT });
		expect(issue).toMatchObject({ path: "tools", message: expect.stringContaining(String(MAX_SCHEMA_NODES)) });
		// Each alone is cut at 5,000.
		expect(looked.size).toBeLessThanOrEqual(MAX_SCHEMA_NODES / 5_000 + 1);
	});

	it("are refused by bytes before they are written out, however short they are", () => {
		const long = { type: "string", description: "d".repeat(100_000) };
		const properties = Object.fromEntries(
			Array.from({ length: 1_000 }, (_, at) => [`p${at}`, { $ref: "#/$defs/long" }]),
		);
		const schema = { type: "object", properties, $defs: { long } };
		const measured = measureGoogleSchema(schema, MAX_SCHEMA_BYTES);
		expect(measured.bytes).toBeLessThan(MAX_SCHEMA_BYTES + 200_000);
		expect(JSON.stringify(measured.compiled.schema).length).toBeLessThan(MAX_SCHEMA_BYTES + 200_000);
		expect(findSchemaExcess({ tools: [tool("a", schema)], output: TEXT })).toMatchObject({
			path: "tools",
			message: expect.stringContaining(String(MAX_SCHEMA_BYTES)),
		});
	});

	it.each([
		["values of branches that share them", { anyOf: Array(1_000).fill({}), enum: ["e".repeat(1_000_000)] }],
		[
			"names of branches that share them",
			{
				anyOf: Array.from({ length: 1_000 }, (_, at) => ({ properties: { [`x${at}`]: {} } })),
				properties: Object.fromEntries(Array.from({ length: 1_000 }, (_, at) => [`${at}`.padEnd(2_000, "_"), {}])),
			},
		],
		[
			"unions in unions",
			Array.from({ length: 12 }).reduce<JsonObject>(
				(inner, _, at) => ({ anyOf: [{ type: "object", properties: { [`at${at}`]: inner } }, { type: "string" }] }),
				{ type: "string", description: "d".repeat(400_000) },
			),
		],
	])("are refused for %s", (_, schema) => {
		expect(findSchemaExcess({ tools: [tool("a", schema)], output: TEXT })).toMatchObject({ path: "tools" });
		expect(JSON.stringify(compileGoogleSchema(schema).schema).length).toBeLessThan(2 * MAX_SCHEMA_BYTES);
	});

	/** A chain of references at whose end are so many properties. Each link adds one of its own. */
	function chained(links: number, properties: number): JsonObject {
		const link = (at: number) => ({ properties: { [`link${at}`]: true }, $ref: `#/$defs/d${at + 1}` });
		const $defs = Object.fromEntries(Array.from({ length: links }, (_, at) => [`d${at}`, link(at)]));
		const last = Object.fromEntries(Array.from({ length: properties }, (_, at) => [`p${at}`, true]));
		return { type: "object", $ref: "#/$defs/d0", $defs: { ...$defs, [`d${links}`]: { properties: last } } };
	}

	it("count what a chain of references copies at each of its links", () => {
		const [short, long] = [1, 21].map((links) => measureGoogleSchema(chained(links, 2_000), MAX_SCHEMA_BYTES));
		expect(short?.compiled.dropped).toEqual([]);
		expect(long?.compiled.dropped).toEqual([]);
		// The names of 2,000 properties are 15 KB.
		expect((long?.bytes ?? 0) - (short?.bytes ?? 0)).toBeGreaterThan(20 * 15_000);
		const tools = Array.from({ length: 20 }, (_, at) => tool(`t${at}`, { ...chained(28, 2_000), title: `${at}` }));
		expect(findSchemaExcess({ tools, output: TEXT })).toMatchObject({ path: "tools" });
	});

	it("copy no more properties than a schema may have, and count those of any value", () => {
		const { compiled, nodes } = measureGoogleSchema(chained(28, 30_000), MAX_SCHEMA_BYTES);
		expect(nodes).toBe(5_000);
		expect(compiled.dropped).toContain("properties");
		expect(Object.keys(compiled.schema["properties"] ?? {}).length).toBeLessThan(5_100);
		expect(measureGoogleSchema(chained(1, 3_000), MAX_SCHEMA_BYTES).nodes).toBeGreaterThan(3_000);
	});

	it("may require more than a call can take for arguments", () => {
		const required = Array.from({ length: 200_000 }, (_, at) => `r${at}`);
		const schema = { type: "object", required: ["a"], allOf: [{ required }] };
		expect(findSchemaExcess({ tools: [tool("a", schema)], output: TEXT })).toBeNull();
	});

	it("pause often while they are compiled, however short they are", () => {
		const work = [...findSchemaExcessInSteps({ tools: [tool("a", doubling(11))], output: TEXT })];
		expect(work.length).toBeGreaterThan(20);
		expect(Math.max(...work)).toBeLessThan(32_768);
		expect(work.reduce((sum, chars) => sum + chars, 0)).toBeGreaterThan(10 * JSON.stringify(doubling(11)).length);
	});

	it("are refused as they are sent, too, and count with the schema of the answer", () => {
		const half = { type: "object", description: "d".repeat(MAX_SCHEMA_BYTES / 2) };
		const output = { type: "json_schema", name: "a", schema: { ...half } } as const;
		expect(findSchemaExcess({ tools: [tool("a", half)], output: TEXT })).toBeNull();
		expect(findSchemaExcess({ tools: [tool("a", half)], output })).toMatchObject({ path: "output" });
		const unread = { type: "object", "x-unread": [half, half] };
		expect(findSchemaExcess({ tools: [tool("a", unread)], output: TEXT })).toMatchObject({ path: "tools" });
	});

	it("are compiled once for each text, and written for each tool", () => {
		const schema = () => doubling(6);
		const tools = [tool("a", schema()), tool("b", schema())];
		const output = { type: "json_schema", name: "o", schema: schema() } as const;
		expect(findSchemaExcess({ tools, output })).toBeNull();
		const [first, ...others] = [...tools.map(({ parameters }) => parameters), output.schema].map((each) =>
			compileGoogleSchema(each ?? {}),
		);
		for (const other of others) expect(other).toBe(first);
		const size = measureGoogleSchema(schema(), MAX_SCHEMA_BYTES);
		const many = Math.floor(MAX_SCHEMA_NODES / size.nodes);
		const repeated = (count: number) => Array.from({ length: count }, (_, at) => tool(`t${at}`, schema()));
		expect(findSchemaExcess({ tools: repeated(many), output: TEXT })).toBeNull();
		expect(findSchemaExcess({ tools: repeated(many + 1), output: TEXT })).toMatchObject({ path: "tools" });
	});

	it("of coding agents with a hundred tools are far within the limits", () => {
		const parameters = (at: number) => ({
			type: "object",
			properties: Object.fromEntries(
				Array.from({ length: 12 }, (_, of) => [
					`argument_${at}_${of}`,
					{ anyOf: [{ type: "string" }, { type: "null" }], description: "What this is good for. ".repeat(20) },
				]),
			),
			required: [`argument_${at}_0`],
		});
		const tools = Array.from({ length: 100 }, (_, at) => tool(`mcp__server__tool_${at}`, parameters(at)));
		expect(findSchemaExcess({ tools, output: TEXT })).toBeNull();
	});
});
