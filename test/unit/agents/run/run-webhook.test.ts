// What a run's webhook says, and its alert.
import { describe, expect, it } from "vitest";
import { runSchema, toRunResponse } from "../../../../src/agents/response.ts";
import { toRunEnd } from "../../../../src/agents/run/run-end.ts";
import { toRunWebhook, webhookAlert } from "../../../../src/agents/run/run-webhook.ts";
import { runSpec, runWith } from "../../../support/run-spec.ts";

const spec = runSpec({ webhook: "https://hooks.example.com/?token=hidden" });
const running = { spec, ...runWith(["secret output", "b"]), end: null };
const ended = { ...running, end: toRunEnd(spec, running.state, running.steps, running.charges) };
const interrupted = { ...running, state: { ...running.state, resumableUntilMs: 1 } };

describe("a run's webhook", () => {
	it("has five members, and none that the user or a model wrote", () => {
		const { run_id, status, cost_consumed_usd, trajectory_proof } = toRunResponse(ended);
		const body = toRunWebhook(toRunResponse(ended));
		expect(body).toEqual({ type: "agent.run.ended", run_id, status, cost_consumed_usd, trajectory_proof });
		expect(toRunWebhook(toRunResponse(interrupted))).toMatchObject({
			type: "agent.run.interrupted",
			status: "interrupted",
		});
	});
});

describe("the alert of a webhook that was given up", () => {
	const alert = webhookAlert(spec, running.state, running.charges);

	it("stands among the run's alerts, after the guard's, and changes no proof", () => {
		const state = { ...ended.state, webhookAlerts: [alert] };
		const told = runSchema.parse(toRunResponse({ ...ended, state }));
		expect(told.alerts).toEqual([alert]);
		expect({ ...told, alerts: [] }).toEqual(toRunResponse(ended));
	});

	it("says what was spent, and never the address", () => {
		expect(alert).toMatchObject({ level: "WARNING", code: "webhook_failed", threshold: null, consumed_usd: 2e-6 });
		expect(alert).toMatchObject({ consumed_share: 0.002, max_cost_usd: 0.001, step_index: 1, intensity: "Halo" });
		expect(JSON.stringify([alert, toRunResponse(ended)])).not.toContain("hooks.example.com");
	});
});
