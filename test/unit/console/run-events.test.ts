import { describe, expect, it } from "vitest";
import { applyRunEvent, splitEvents } from "../../../src/console/run-events.ts";
import type { Run } from "../../../src/console/views/run.tsx";

const RUN = {
	object: "agent.run",
	run_id: "agt_1",
	status: "running",
	plan: [],
	steps: [],
	alerts: [],
	steps_taken: 0,
	cost_consumed_usd: 0.1,
	remaining_usd: 0.4,
	max_cost_usd: 0.5,
} as unknown as Run;

const progress = (data: Record<string, unknown>) => ({ name: "progress", data });
const step = (index: number, cost_usd = 0.2) => progress({ type: "step_done", step: { index, cost_usd }, text: "" });

describe("the events of a run", () => {
	it("are split from a stream that comes in pieces, without its comments", () => {
		const text = `:working\n\nevent: progress\ndata: {"type":"alert"}\n\n:\n\nevent: result\ndata: {"a":"\\n"}\n\nevent: pro`;
		expect(splitEvents(text)).toEqual({
			events: [progress({ type: "alert" }), { name: "result", data: { a: "\n" } }],
			rest: "event: pro",
		});
		let rest = "";
		const found = [...text].flatMap((character) => {
			const split = splitEvents(rest + character);
			rest = split.rest;
			return split.events;
		});
		expect(found).toHaveLength(2);
	});

	it("change the run that they tell of, to the nano-dollar", () => {
		const events = [
			progress({ type: "run", run: RUN }),
			progress({ type: "planned", plan: ["a", "b"] }),
			progress({ type: "step_started", index: 0 }),
			step(0),
			step(0),
			step(1, 0.000_000_001),
			progress({ type: "alert", alert: { code: "budget_pressure" } }),
			progress({ type: "of a later version" }),
		];
		const run = events.reduce<Run | null>(applyRunEvent, null);
		expect(run).toMatchObject({ plan: ["a", "b"], steps_taken: 2, alerts: [{ code: "budget_pressure" }] });
		expect(run?.steps.map(({ index }) => index)).toEqual([0, 1]);
		expect([run?.cost_consumed_usd, run?.remaining_usd]).toEqual([0.300_000_001, 0.199_999_999]);
		expect(applyRunEvent(run, { name: "result", data: { ...RUN, status: "complete" } })).toMatchObject({
			status: "complete",
		});
	});

	it("before the run is told, and errors, change nothing", () => {
		expect(applyRunEvent(null, step(0))).toBeNull();
		expect(applyRunEvent(RUN, { name: "error", data: { status: 401 } })).toBe(RUN);
	});
});
