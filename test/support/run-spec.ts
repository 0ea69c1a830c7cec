// Runs for tests of their pure parts.

import { chainStep } from "../../src/agents/run/chain-step.ts";
import type { StepCharge } from "../../src/agents/run/charges.ts";
import { initialRunState, type RunSpec, type RunState, type RunStep } from "../../src/agents/run/run.ts";
import type { UsageCall } from "../../src/meter/settlement.ts";
import { hashText } from "../../src/proof/hash.ts";
import { NONCE } from "./nonce.ts";

export const RUN_ID = "agt_01ARZ3NDEKTSV4RRFFQ69G5FAV";

export function runSpec(more: Partial<RunSpec> = {}): RunSpec {
	return {
		runId: RUN_ID,
		userId: "usr_1",
		keyId: "key_1",
		planId: "pro",
		goal: "Reach it",
		nonce: NONCE,
		policy: "balanced",
		maxTokens: 1_024,
		temperature: 0.5,
		capNanoUsd: 1_000_000,
		stepCapNanoUsd: 1_000_000,
		maxSteps: 50,
		budget: { plan: "pro", plan_envelope_usd: 0.5, tier_limit_usd: 2.5, max_cost_usd: 0.001, multiplier: 5 },
		workspaceId: null,
		config: null,
		configDigest: null,
		compliance: null,
		intendedModel: "first",
		startedAtMs: Date.UTC(2026, 0, 1),
		...more,
	};
}

export function usageCall(cost_nano_usd: number, model = "a"): UsageCall {
	return { model, provider: `provider of ${model}`, tokens: 10, input_tokens: 4, cost_nano_usd };
}

/** A run after steps with these outputs. With `hasPlan` the first step is its plan. */
export function runWith(
	outputs: readonly string[],
	more: Partial<RunState> = {},
	hasPlan = false,
): { state: RunState; steps: RunStep[]; charges: StepCharge[] } {
	let state = initialRunState(runSpec());
	const steps: RunStep[] = [];
	for (const [at, output] of outputs.entries()) {
		const { trajectory, record } = chainStep(state.trajectory, {
			role: "subtask",
			model: "a",
			intensity: "Halo",
			strategy: "single",
			cost_usd: 1e-6,
			confidence: 0.5,
			input_hash: hashText("in"),
			output_hash: hashText(output),
			timestamp: "2026-01-01T00:00:00.000Z",
		});
		state = { ...state, trajectory };
		steps.push({ record, subtask: `subtask ${at}`, hasResult: !(hasPlan && at === 0), output });
	}
	const charges = outputs.map(() => ({ calls: [usageCall(1_000)], estimated: false }));
	return { state: { ...state, hasPlan: true, plan: ["one", "two", "three"], ...more }, steps, charges };
}
