import { expect, it } from "vitest";
import { agentRecordEvent, planEvent } from "../../../../src/agents/run/events.ts";
import { toRunEnd } from "../../../../src/agents/run/run-end.ts";
import { RUN_ID, runSpec, runWith } from "../../../support/run-spec.ts";

const AT = Date.UTC(2026, 0, 1);

it("the events of a run name its user, its key and its workspace, and repeat of the goal no more than its beginning", () => {
	const spec = runSpec({ workspaceId: "shop", goal: "x".repeat(600) });
	const { state, steps, charges } = runWith(["a"], { subtasksDone: 1, isGoalMet: true });
	const plan = planEvent(spec, state, "ae_1", AT);
	expect(plan).toMatchObject({
		id: "ae_1",
		user_id: "usr_1",
		workspace_id: "shop",
		event_type: "agent_plan",
		actor: "key:key_1",
		decision: null,
		created_at: "2026-01-01T00:00:00.000Z",
	});
	expect(JSON.parse(plan.payload)).toEqual({
		run_id: RUN_ID,
		goal: "x".repeat(500),
		policy: "balanced",
		strategy: "cascade",
		plan: ["one", "two", "three"],
		max_steps: 50,
		max_cost_usd: 0.001,
	});
	const end = toRunEnd(spec, state, steps, charges);
	const record = agentRecordEvent(spec, state, end, "ae_2", AT);
	expect(record).toMatchObject({ id: "ae_2", event_type: "agent_record", workspace_id: "shop" });
	expect(JSON.parse(record.payload)).toEqual({
		run_id: RUN_ID,
		status: "complete",
		steps_taken: 1,
		cost_consumed_usd: 1e-6,
		max_cost_usd: 0.001,
		trajectory_proof: end.trajectoryProof,
	});
});

it("the plan in an event is whole, unless it is the text of a long goal", () => {
	const planOf = (plan: string[]) =>
		(JSON.parse(planEvent(runSpec(), runWith([], { plan }).state, "ae_1", AT).payload) as { plan: string[] }).plan;
	const twenty = Array.from({ length: 20 }, (_, at) => `${at}`.repeat(2_000));
	expect(planOf(twenty)).toEqual(twenty);
	const [cut = ""] = planOf(["😀".repeat(500_000)]);
	expect([cut.length, cut.isWellFormed()]).toEqual([100_000, true]);
});
