// Runs of agents through the front door: what they answer, what they cost, what stops them, and who sees them.
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { runSchema, type ShownRun } from "../../src/agents/response.ts";
import { callWithKey, newKey, type TestKey, type Upstream, useSandbox } from "../support/service.ts";

let upstream: Upstream;
let key: TestKey;

beforeEach(async () => {
	upstream = useSandbox();
	key = await newKey("pro");
});
afterEach(() => upstream.restore());

const GOAL = "Name three rivers of France. Say where each begins. Put them in a table";

function post(goal: string, more: Record<string, unknown> = {}, by: TestKey = key): Promise<Response> {
	return callWithKey(by.key, "/v1/agent/run", { goal, ...more });
}

async function ran(goal: string, more: Record<string, unknown> = {}, by?: TestKey): Promise<ShownRun> {
	const response = await post(goal, more, by);
	const body = await response.json();
	if (response.status !== 200) throw new Error(`${response.status} ${JSON.stringify(body)}`);
	return runSchema.parse(body);
}

describe("a run", () => {
	it("plans, works and puts together", async () => {
		const t = Date.now();
		const run = await ran(GOAL);
		console.log(Date.now() - t, JSON.stringify(run, null, 1));
		expect(run.status).toBe("complete");
	});
});
