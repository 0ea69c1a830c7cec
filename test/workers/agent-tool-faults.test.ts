// Upstreams that fail in the middle of a loop of turns and calls: another model goes on with the exchange, and no call runs twice.
import { beforeEach, describe, expect, it } from "vitest";
import { expectAccounted } from "../support/agents.ts";
import { useService } from "../support/per-test.ts";
import { OPENAI_FORMAT, readAsked, type ScriptedTurn, sayTurn, toolModel } from "../support/tool-model.ts";
import { driveRun, putManifest, READ_TOOL } from "../support/tool-runs.ts";

const { upstream, key } = useService("pro");

beforeEach(() => putManifest(key, { tools: { unknown: "allow" } }));

const refusal = (status: number, error: object) => () => Response.json({ error }, { status });
const TOO_LONG = refusal(400, {
	code: "context_length_exceeded",
	message: "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.",
});

/** What the first model that is asked for a turn says instead, once and for all. */
const FAULTS: Record<string, (isStream: boolean) => Response> = {
	"400: a prompt that is too long for it": TOO_LONG,
	"400: a tool schema that it cannot read": refusal(400, {
		code: "invalid_function_parameters",
		message: "Invalid schema for function 'read_note': schema must have type 'object'.",
	}),
	"404: no such model": refusal(404, { code: "model_not_found", message: "no such model" }),
	"429: too many requests": refusal(429, { message: "slow down" }),
	"500: broken": refusal(500, { message: "broken" }),
	"a connection that drops": () => {
		throw new Error("Network connection lost.");
	},
	"an empty answer": (isStream) => sayTurn({ text: "" }, isStream),
	"a filtered answer": (isStream) => sayTurn({ text: "", finish: "content_filter" }, isStream),
};

/** Turns by the results so far: two calls, then words. */
function script({ results }: { results: string[] }): ScriptedTurn {
	if (results.length >= 2) return { text: `It says ${results.join(" and ")}` };
	return { text: `Reading ${results.length}.`, calls: [{ name: "read_note", args: { name: `n${results.length}` } }] };
}

describe.each(Object.entries(FAULTS))("a model that fails with %s", (_, fault) => {
	it.each([0, 1, 2])("at turn %i leaves the rest to another one", async (turn) => {
		const model = toolModel(script);
		let failing: string | null = null;
		upstream.replace(async (request) => {
			const body = await request.clone().text();
			const asked = body.startsWith("{") ? readAsked(body) : null;
			if (asked && asked.tools.length > 0 && asked.results.length === turn) {
				failing ??= asked.model;
				if (asked.model === failing) return fault(asked.isStream);
			}
			return model.answer(request);
		});
		const dispatched: string[] = [];
		const body = { goal: "Read two notes and say what they hold", brain_config: OPENAI_FORMAT, tools: [READ_TOOL] };
		const run = await driveRun(key, body, ({ arguments: args }) => {
			dispatched.push(JSON.stringify(args));
			return { output: `note ${dispatched.length}` };
		});
		expect(run).toMatchObject({ status: "complete", goal_outcome: "done", output: "It says note 1 and note 2" });
		expect(dispatched).toEqual(['{"name":"n0"}', '{"name":"n1"}']);
		expect(model.asked.at(-1)?.model).not.toBe(failing);
		expect(model.asked.at(-1)?.results).toEqual(["note 1", "note 2"]);
		await expectAccounted(key, run);
	});
});

/** Runs with models that all fail the turns that are chosen; the requests of those turns. */
async function runFailing(
	isChosen: (asked: ReturnType<typeof readAsked>) => boolean,
	fault: () => Response,
	more: Record<string, unknown> = {},
) {
	const model = toolModel(script);
	const failed: { model: string; provider: string | undefined }[] = [];
	upstream.replace(async (request) => {
		const body = await request.clone().text();
		const asked = body.startsWith("{") ? readAsked(body) : null;
		if (!asked || asked.tools.length === 0 || !isChosen(asked)) return model.answer(request);
		failed.push({ model: asked.model, provider: new URL(request.url).pathname.split("/")[1] });
		return fault();
	});
	let dispatched = 0;
	const body = { goal: "Read two notes and say what they hold", brain_config: OPENAI_FORMAT, tools: [READ_TOOL] };
	const run = driveRun(key, { ...body, ...more }, () => ({ output: `note ${++dispatched}` }));
	return { run: await run.catch(String), failed, dispatched: () => dispatched };
}

describe("a turn that every model rejects", () => {
	it("ends its step with what that has come to", async () => {
		const { run, failed, dispatched } = await runFailing(({ results }) => results.length === 1, TOO_LONG);
		if (typeof run === "string") throw new Error(run);
		const rejected =
			"The models that were asked to go on with this step rejected what it had come to, so it came to no answer.";
		expect(run).toMatchObject({
			status: "complete",
			goal_outcome: "partial",
			output: `Reading 0.\n\n${rejected}`,
			tool_calls: { requested: 1, allowed: 1 },
		});
		expect(run.alerts).toMatchObject([{ code: "tools_ended", message: expect.stringContaining("rejected it") }]);
		expect(failed).toHaveLength(3);
		expect(new Set(failed.map((each) => each.model)).size).toBe(3);
		expect(failed[1]?.provider).not.toBe(failed[0]?.provider);
		expect(dispatched()).toBe(1);
		await expectAccounted(key, run);
	});

	it("leaves a step that has come to nothing, and its run, as a refusal of any other step does", async () => {
		const { run, failed, dispatched } = await runFailing(() => true, TOO_LONG);
		expect(run).toMatch(/502 .*no model answered the final step .*maximum context length/);
		expect(failed).toHaveLength(3);
		expect(dispatched()).toBe(0);
	});
});

describe("a last turn, after a limit, that every model fails for good", () => {
	it.each([
		["rejecting it", TOO_LONG],
		["failing", refusal(500, { message: "broken" })],
		["refusing the account", refusal(401, { message: "no such key" })],
	])("by %s ends its step with what that has come to", async (_, fault) => {
		const isLast = ({ toolChoice }: { toolChoice: unknown }) => toolChoice === "none";
		const { run, dispatched } = await runFailing(isLast, fault, { max_tool_calls: 1 });
		if (typeof run === "string") throw new Error(run);
		expect(run).toMatchObject({
			status: "complete",
			goal_outcome: "partial",
			output: "Reading 0.\n\nThe step made all the tool calls that it may make, and came to no answer.",
		});
		const message = expect.stringContaining("the run has made its one tool call; raise max_tool_calls");
		expect(run.alerts).toMatchObject([{ code: "tools_ended", message }]);
		expect(dispatched()).toBe(1);
		await expectAccounted(key, run);
	});
});

describe("a turn that is too long for a row", () => {
	/** Its calls, and the one call of the turn after it. */
	const run = async (calls: NonNullable<ScriptedTurn["calls"]>) => {
		const model = toolModel(({ results }) =>
			results.length === 0 ? { calls } : { text: `${results.length} results` },
		);
		upstream.replace(model.answer);
		const body = { goal: "Read the notes and say what they hold", brain_config: OPENAI_FORMAT, tools: [READ_TOOL] };
		const ended = await driveRun(key, body, () => ({ output: "a note" }));
		expect(model.asked).toHaveLength(2);
		await expectAccounted(key, ended);
		return { ended, last: model.asked.at(-1)?.body ?? "" };
	};

	it("keeps the beginning of tools' names that its model made up", async () => {
		const { ended } = await run(
			Array.from({ length: 12 }, (_, n) => ({ name: `${n}${"x".repeat(300_000)}`, args: {} })),
		);
		expect(ended).toMatchObject({
			status: "complete",
			output: "12 results",
			tool_calls: { requested: 12, allowed: 0 },
		});
	});

	it("leaves out calls beyond a mebibyte, and says so", async () => {
		const { ended, last } = await run(
			Array.from({ length: 12 }, (_, n) => ({ name: "read_note", args: { name: `${n}${" ".repeat(250_000)}` } })),
		);
		expect(ended).toMatchObject({ status: "complete", output: "4 results", tool_calls: { requested: 4, allowed: 4 } });
		expect(last).toContain("8 more calls of your last turn were left out");
	});
});
