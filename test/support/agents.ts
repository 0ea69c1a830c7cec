// Agent runs over HTTP, and what holds for each: one usage row, one receipt, one valid proof, and no cost above its cap.
import { expect } from "vitest";
import { type RunResponse, runSchema, type TrajectoryResponse, trajectorySchema } from "../../src/agents/response.ts";
import { nano } from "./money.ts";
import { call, callWithKey, proofOf, type TestKey, usageOf } from "./service.ts";

/** A goal that the sandbox plans as three subtasks. */
export const GOAL = "Name three rivers of France. Say where each begins. Put them in a table";

export function postRun({ key }: TestKey, body: Record<string, unknown> = {}): Promise<Response> {
	return callWithKey(key, "/v1/agent/run", { goal: GOAL, ...body });
}

/** Makes a run, which must be answered with status 200 and in its schema. */
export async function runAgent(key: TestKey, body: Record<string, unknown> = {}): Promise<RunResponse> {
	const response = await postRun(key, body);
	const answer = await response.json();
	if (response.status !== 200) throw new Error(`${response.status} ${JSON.stringify(answer)}`);
	return runSchema.parse(answer);
}

/** Reads a run as its user. */
export async function readRun({ key }: TestKey, runId: string): Promise<RunResponse> {
	const response = await callWithKey(key, `/v1/agent/${runId}`);
	if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`);
	return runSchema.parse(await response.json());
}

export async function readTrajectory({ key }: TestKey, runId: string): Promise<TrajectoryResponse> {
	return trajectorySchema.parse(await (await callWithKey(key, `/v1/agent/${runId}/trajectory?full=true`)).json());
}

export async function postVerify(body: unknown): Promise<Record<string, unknown>> {
	const response = await call("/v1/agent/verify", { method: "POST", body: JSON.stringify(body) });
	return (await response.json()) as Record<string, unknown>;
}

/** Checks a run against its steps, receipt, usage and trajectory. No other request of its user may have called a model. */
export async function expectAccounted(key: TestKey, run: RunResponse): Promise<void> {
	expect(run.steps.reduce((sum, { cost_usd }) => sum + nano(cost_usd), 0)).toBe(nano(run.cost_consumed_usd));
	await expectSettled(key, run);
}

/** The same for a run that its meter settled: the receipt may charge for calls under way that are no step. */
export async function expectSettled(key: TestKey, run: RunResponse): Promise<void> {
	expect(run.cost_consumed_usd).toBeLessThanOrEqual(run.max_cost_usd);
	expect(nano(run.remaining_usd)).toBe(nano(run.max_cost_usd) - nano(run.cost_consumed_usd));
	expect(run.steps.reduce((sum, { cost_usd }) => sum + nano(cost_usd), 0)).toBeLessThanOrEqual(
		nano(run.cost_consumed_usd),
	);
	expect(run.steps.map(({ index }) => index)).toEqual(run.steps.map((_, at) => at));
	const { valid, receipt } = await proofOf(run.run_id);
	expect({ valid, receipt }).toMatchObject({
		valid: true,
		receipt: {
			kind: "agent",
			request_id: run.run_id,
			status: run.status,
			cost_usd: run.cost_consumed_usd,
			bound_usd: run.max_cost_usd,
			max_cost_usd: run.max_cost_usd,
			trajectory_proof: run.trajectory_proof,
			n_steps: run.steps_taken,
			policy: run.policy,
			strategy: run.strategy,
		},
	});
	const usage = await usageOf(key);
	expect(usage).toMatchObject({ total_requests: 1, total_cost_usd: run.cost_consumed_usd, open: [], held_usd: 0 });
	expect(usage.recent.filter(({ request_id }) => request_id === run.run_id)).toHaveLength(1);
	const { verification, verify_request } = await readTrajectory(key, run.run_id);
	expect(verification).toMatchObject({ valid: true, n_steps: run.steps_taken, mismatched_steps: [] });
	expect(await postVerify({ ...verify_request, output: run.output })).toMatchObject({ valid: true, issued: true });
}

/** Checks an interrupted run: its steps add up, it is not signed, and its hold is given back but for what was charged. */
export async function expectInterrupted(key: TestKey, run: RunResponse): Promise<void> {
	expect(run).toMatchObject({ status: "interrupted", sealed: false });
	expect(run.steps.reduce((sum, { cost_usd }) => sum + nano(cost_usd), 0)).toBe(nano(run.cost_consumed_usd));
	expect((await call(`/v1/proof/${run.run_id}`)).status).toBe(404);
	const { open, held_usd } = await usageOf(key);
	expect({ open, held_usd }).toMatchObject({
		open: [{ request_id: run.run_id, spent_usd: run.cost_consumed_usd, held_usd: 0 }],
		held_usd: 0,
	});
	const { verification, verify_request } = await readTrajectory(key, run.run_id);
	expect(verification).toMatchObject({ valid: true, n_steps: run.steps_taken });
	expect(await postVerify({ ...verify_request, output: run.output })).toMatchObject({ valid: true, issued: null });
}
