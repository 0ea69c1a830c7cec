// Members of a body that an endpoint cannot honour: refused where they shape the answer, else warned of.
import { describe, expect, it } from "vitest";
import { findFormIssues, ignoredMemberWarnings } from "../../../src/inference/ignored-members.ts";

const PARSED = { task: "t", message: { role: "user" } };
const refused = (more: object) => findFormIssues({ ...PARSED, ...more }, PARSED).map(({ path }) => path);
const warned = (more: object) => ignoredMemberWarnings({ ...PARSED, ...more }, PARSED).map(({ param }) => param);

describe("members of a body that its endpoint does not have", () => {
	it.each([
		[{ tools: [{ type: "function" }] }, ["tools"]],
		[{ functions: [{ name: "f" }], n: 2 }, ["functions", "n"]],
		[{ response_format: { type: "json_object" } }, ["response_format"]],
		[{ logprobs: true, modalities: ["text", "audio"] }, ["logprobs", "modalities"]],
		[{ tools: [], n: 1, logprobs: false, modalities: ["text"], response_format: { type: "text" } }, []],
		[{ seed: 7, top_p: 0.1, stop: ["x"] }, []],
	])("%j: %j shape the answer", (more, paths) => {
		expect(refused(more)).toEqual(paths);
	});

	it.each([
		[{ seed: 7, top_p: 0.1, stop: ["x"] }, ["seed", "top_p", "stop"]],
		[{ model: "gpt", user: "u" }, ["model", "user"]],
		[{ model: "auto", tools: [], tool_choice: "auto", n: 1, metadata: {}, logprobs: false, seed: null }, []],
		[{ message: { role: "user", name: "Ann" } }, ["message.name"]],
	])("%j: %j are ignored with a warning", (more, params) => {
		expect(warned(more)).toEqual(params);
	});

	it.each([
		[{ tool_choice: "none", parallel_tool_calls: false }, ["tool_choice", "parallel_tool_calls"]],
		[{ tool_choice: { type: "function", name: "f" } }, ["tool_choice"]],
		[{ tool_choice: "auto", parallel_tool_calls: true }, []],
		[{ tool_choice: { type: "auto" } }, []],
	])("%j: %j say in vain how tools are called, where tools are called", (more, params) => {
		const parsed = { tools: [{ type: "function", name: "f" }] };
		expect(ignoredMemberWarnings({ ...parsed, ...more }, parsed).map(({ param }) => param)).toEqual(params);
	});

	it("are those that the endpoint honours in no case", () => {
		const parsed = { response_format: { type: "json_object" } };
		expect(findFormIssues(parsed, parsed)).toEqual([]);
		expect(ignoredMemberWarnings(parsed, parsed)).toEqual([]);
	});

	it("get 50 warnings at most, with names of at most 100 characters, and one that counts the rest", () => {
		const many = Object.fromEntries(Array.from({ length: 60 }, (_, at) => [`${"x".repeat(200)}${at}`, 1]));
		const warnings = ignoredMemberWarnings(many, {});
		expect(warnings).toHaveLength(51);
		expect(warnings.at(-1)).toMatchObject({ param: null, message: expect.stringContaining("10 more") });
		expect(warnings.every(({ param }) => (param ?? "").length <= 100)).toBe(true);
	});
});
