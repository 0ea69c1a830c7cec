// Runs with `output_schema` through the front door: the output is JSON of that form, repaired once, and what does not fit is told.
import { describe, expect, it } from "vitest";
import { expectAccounted, postRun, runAgent } from "../support/agents.ts";
import { useService } from "../support/per-test.ts";
import { answers } from "../support/scripted.ts";
import { OPENAI_FORMAT, toolModel } from "../support/tool-model.ts";

const { upstream, key } = useService("pro");

const schema = {
	type: "object",
	properties: { name: { type: "string" }, total: { type: "number" } },
	required: ["name", "total"],
	additionalProperties: false,
};
const ONLY_OPENAI = { blocked: ["anthropic", "google"] };
const SEVERAL = "Compare two offers:\n- Read the offer of Anna\n- Read the offer of Ben\n- Say who is cheaper";
const ONE = "Explain in depth how the ledger of double entries balances, and who invented it in Venice.";

/** Answers by what stands last in the prompt. */
function sayByPrompt(say: (prompt: string) => string): string[] {
	const prompts: string[] = [];
	upstream.replace(async (request) => {
		const prompt = await request.clone().text();
		prompts.push(prompt);
		return answers(prompt.includes('{\\"subtasks\\": [') ? "no plan" : say(prompt));
	});
	return prompts;
}

const run = (body: Record<string, unknown>) => runAgent(key, { output_schema: schema, ...body });

describe("a run with output_schema", () => {
	it.each([ONE, SEVERAL, "What is 2+2?"])("answers in its form: %s", async (goal) => {
		const ended = await run({ goal });
		expect(ended).toMatchObject({ status: "complete", format_met: true });
		expect(JSON.parse(ended.output)).toEqual({ name: expect.any(String), total: expect.any(Number) });
		expect(ended.final_message).toBeUndefined();
		await expectAccounted(key, ended);
	});

	it("a goal that asks for sections has one JSON value, too", async () => {
		const goal = "Write a report:\n- Write chapter one on rivers\n- Write chapter two on boats";
		const ended = await run({ goal });
		expect(JSON.parse(ended.output)).toHaveProperty("total");
	});

	it("an answer in another form is repaired once, and both calls are paid for", async () => {
		const prompts = sayByPrompt((prompt) =>
			prompt.includes("has not the form that was asked for") ? '{"name":"Ada","total":1.5}' : '{"name":"Ada"}',
		);
		const ended = await run({ goal: ONE, brain_config: ONLY_OPENAI, policy: "efficiency" });
		expect(JSON.parse(ended.output)).toEqual({ name: "Ada", total: 1.5 });
		expect(ended).toMatchObject({ status: "complete", format_met: true });
		expect(prompts.filter((prompt) => prompt.includes("has not the form")).length).toBe(1);
		await expectAccounted(key, ended);
	});

	it("what no repair mends is delivered, and the member that does not fit is named", async () => {
		sayByPrompt(() => '{"name":"Ada","total":"much"}');
		const ended = await run({ goal: ONE, brain_config: ONLY_OPENAI, policy: "efficiency" });
		// Who asked for a form cannot use another one.
		expect(ended).toMatchObject({ status: "complete", format_met: false, goal_outcome: "partial" });
		expect(ended.final_message).toMatch(/output_schema: total: must be /);
		await expectAccounted(key, ended);
	});

	it("each step of several keeps its own words, and the final step alone is asked in the form", async () => {
		const prompts = sayByPrompt((prompt) => (prompt.includes("json_schema") ? '{"name":"B","total":2}' : "Words."));
		const ended = await run({ goal: SEVERAL, brain_config: ONLY_OPENAI, policy: "efficiency" });
		expect(JSON.parse(ended.output)).toEqual({ name: "B", total: 2 });
		expect(prompts.filter((prompt) => prompt.includes('"json_schema"')).length).toBe(1);
	});

	it("a run that its cap ends says that the output has not the form", async () => {
		const ended = await run({ goal: SEVERAL, max_steps: 1 });
		expect(ended).toMatchObject({ status: "max_steps_reached", format_met: false });
		expect(ended.final_message).toContain("has not the form of output_schema");
	});

	it.each([
		[{ type: "objekt" }, "output_schema.type"],
		[{ type: "object", properties: { a: { $ref: "#/$defs/lost" } } }, "output_schema.properties.a.$ref"],
		[{ type: "object", required: "a" }, "output_schema.required"],
		[{ properties: { a: 1 } }, "output_schema.properties.a"],
		[{ properties: { a: { pattern: "(" } } }, "output_schema.properties.a.pattern"],
	])("a schema that nothing can be checked by is 422 before anything is spent: %j", async (output_schema, path) => {
		const response = await postRun(key, { goal: ONE, output_schema });
		expect(response.status).toBe(422);
		expect(await response.json()).toMatchObject({ error: "invalid_request", issues: [{ path }] });
		expect(upstream.answered).toBe(0);
	});

	it("without it, no prompt says anything of a form", async () => {
		const prompts = sayByPrompt(() => "Words.");
		const ended = await runAgent(key, { goal: ONE, brain_config: ONLY_OPENAI, policy: "efficiency" });
		expect(ended).not.toHaveProperty("format_met");
		expect(prompts.join("")).not.toContain("JSON Schema. What is unknown");
	});
});

describe("a run with tools and output_schema", () => {
	const tools = [{ type: "compute" }];
	const sum = { calls: [{ name: "compute", args: { expression: "40 + 2" } }] };
	const GOAL_WITH_TOOLS = "Add the two numbers forty and two for Ada, and give her name and the total";
	const runTools = (script: Parameters<typeof toolModel>[0], more: Record<string, unknown> = {}) => {
		upstream.replace(toolModel(script).answer);
		return run({ goal: GOAL_WITH_TOOLS, tools, workspace_id: "w", brain_config: OPENAI_FORMAT, ...more });
	};

	it.each([
		'{"name":"Ada","total":42}',
		'Here it is:\n\n```json\n{"name":"Ada","total":42}\n```\nIs there anything else?',
		'The answer is {"name":"Ada","total":42} as asked.',
	])("takes the JSON out of the words of its step, without a further call: %j", async (text) => {
		const ended = await runTools(({ results }) => (results.length === 0 ? sum : { text }));
		expect(ended).toMatchObject({ status: "complete", format_met: true, output: '{"name":"Ada","total":42}' });
		expect(ended.steps.map(({ strategy }) => strategy)).toEqual(["single", "tools"]);
		await expectAccounted(key, ended);
	});

	it("has one more step write words in the form", async () => {
		const ended = await runTools(({ results }) => (results.length === 0 ? sum : { text: "Ada has 42." }));
		expect(ended).toMatchObject({ status: "complete", format_met: true });
		expect(JSON.parse(ended.output)).toEqual({ name: expect.any(String), total: expect.any(Number) });
		expect(ended.steps.map(({ role, strategy }) => [role, strategy]).at(-1)).toEqual(["finalize", "single"]);
		await expectAccounted(key, ended);
	});

	it("says so where its steps do not suffice for that", async () => {
		const ended = await runTools(({ results }) => (results.length === 0 ? sum : { text: "Ada has 42." }), {
			max_steps: 1,
		});
		expect(ended).toMatchObject({ format_met: false, output: "Ada has 42." });
		expect(ended.final_message).toContain("The text is not JSON");
		await expectAccounted(key, ended);
	});

	it("keeps the form where a limit ends its calls", async () => {
		const ended = await runTools(
			({ toolChoice, results }) =>
				toolChoice === "none"
					? { text: '{"name":"Ada","total":42}' }
					: { calls: [{ name: "compute", args: { expression: `${results.length} + 1` } }] },
			{ max_tool_calls: 2 },
		);
		expect(ended).toMatchObject({ status: "complete", format_met: true });
		await expectAccounted(key, ended);
	});

	it("tells each turn of the form", async () => {
		const model = toolModel(() => ({ text: '{"name":"Ada","total":42}' }));
		upstream.replace(model.answer);
		await run({ goal: GOAL_WITH_TOOLS, tools, workspace_id: "w", brain_config: OPENAI_FORMAT });
		expect(model.asked[0]?.body).toContain("fits this JSON Schema");
	});
});
