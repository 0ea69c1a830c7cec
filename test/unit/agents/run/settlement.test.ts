import { describe, expect, it } from "vitest";
import { runFromReceipt } from "../../../../src/agents/run/receipt.ts";
import { toRunEnd } from "../../../../src/agents/run/run-end.ts";
import { draftInterimSettlement, draftSettlement } from "../../../../src/agents/run/settlement.ts";
import { initialToolState } from "../../../../src/agents/tools/tool-state.ts";
import { CATALOG } from "../../../../src/catalog/shipped.ts";
import { createGate } from "../../../../src/compliance/gate.ts";
import { MATRIX } from "../../../../src/compliance/matrix.ts";
import { RUN_ID, runSpec, runWith, usageCall } from "../../../support/run-spec.ts";
import { saltedHash } from "../../../support/second-ledger.ts";

const AT = Date.UTC(2026, 0, 1, 0, 1);

function settledCase(charges: Parameters<typeof draftSettlement>[0]["charges"], outputs = ["a", "b"]) {
	const { state, steps } = runWith(outputs, { subtasksDone: outputs.length });
	const end = toRunEnd(runSpec(), state, steps, charges);
	return { run: { spec: runSpec(), state, steps, charges, end, gate: null, catalog: CATALOG }, end, state, steps };
}

describe("a run as it is settled", () => {
	it("is one row with every call, and a receipt of the same cost", () => {
		const { run, end } = settledCase([
			{ calls: [usageCall(100), usageCall(20, "b")], estimated: false },
			{ calls: [usageCall(3, "c")], estimated: true },
		]);
		const { usage, receipt } = draftSettlement(run, AT);
		expect(usage).toMatchObject({
			request_id: RUN_ID,
			kind: "agent",
			model: "c",
			mode: "balanced",
			tokens: 30,
			input_tokens: 12,
			cost_nano_usd: 123,
			estimated: true,
			latency_ms: 60_000,
		});
		expect(usage.calls.map(({ model }) => model)).toEqual(["a", "b", "c"]);
		expect(receipt).toMatchObject({
			kind: "agent",
			status: "max_steps_reached",
			outcome: "complete",
			cost_usd: 123e-9,
			bound_usd: 0.001,
			trajectory_proof: end.trajectoryProof,
			n_steps: 2,
		});
	});

	it("names providers as they were called, whatever the catalog has by now", () => {
		const levels = { operator: null, key: null, request: { require_zero_retention: true } };
		const basis = { matrix: MATRIX, catalog: CATALOG, attestations: new Map() };
		const gate = createGate(levels, { classes: [], kinds: {}, findings: [] }, basis);
		const [shipped, other] = CATALOG.models;
		if (!shipped || !other) throw new Error("the catalog has models");
		const { run } = settledCase([{ calls: [usageCall(1, "vanished"), usageCall(1, shipped.id)], estimated: false }]);
		const state = { ...run.state, readers: ["vanished", shipped.id, other.id] };
		const { receipt, usage } = draftSettlement({ ...run, state, gate }, AT);
		expect(receipt.compliance?.providers).toEqual(
			["provider of vanished", `provider of ${shipped.id}`, other.provider].sort(),
		);
		expect(usage).toMatchObject({ model: shipped.id, provider: `provider of ${shipped.id}` });
	});

	it("has hashes over the run's salt, and what became of the goal; of one that is not admitted yet, none", () => {
		const { run, end } = settledCase([]);
		const salt = "000102030405060708090a0b0c0d0e0f";
		const { receipt } = draftSettlement({ ...run, spec: { ...run.spec, salt } }, AT);
		expect(receipt).toMatchObject({
			type: "svc.receipt.v2",
			input_hash: saltedHash(salt, "Reach it"),
			output_hash: saltedHash(salt, end.output),
			goal_outcome: "partial",
		});
		const { receipt: reserved } = draftInterimSettlement(run, AT);
		expect(reserved).toMatchObject({ type: "svc.receipt.v2", input_hash: null, output_hash: null });
	});

	it("counts the calls of its tools, on its way and at its end; a run without tools has no such member", () => {
		const { run } = settledCase([]);
		const counts = { requested: 6, allowed: 2, denied: 1, approved: 1, rejected: 1, expired: 1 };
		const withTools = { ...run, state: { ...run.state, tools: { counts } } };
		for (const draft of [draftSettlement, draftInterimSettlement]) {
			expect(draft(withTools, AT).receipt.tool_calls).toEqual(counts);
			expect(draft(run, AT).receipt).not.toHaveProperty("tool_calls");
		}
	});

	it("without a call names the model that was meant to work", () => {
		expect(draftSettlement(settledCase([]).run, AT).usage).toMatchObject({
			model: "first",
			cost_nano_usd: 0,
			calls: [],
		});
	});

	it("on its way has its calls as one for each model where they are many, with the same sums", () => {
		const calls = Array.from({ length: 60 }, (_, at) => usageCall(at, at % 2 === 0 ? "a" : "b"));
		const { run } = settledCase([{ calls, estimated: false }]);
		const { usage } = draftInterimSettlement(run, AT);
		expect(usage.calls).toMatchObject([
			{ model: "a", requests: 30 },
			{ model: "b", requests: 30 },
		]);
		expect(usage.cost_nano_usd).toBe(draftSettlement(run, AT).usage.cost_nano_usd);
		expect(usage.tokens).toBe(draftSettlement(run, AT).usage.tokens);
		expect(draftSettlement(run, AT).usage.calls).toHaveLength(60);
	});
});

describe("a run that was settled elsewhere", () => {
	it("is what the receipt says: its cost, its root, and no step more", () => {
		const before = settledCase([{ calls: [usageCall(700)], estimated: true }], ["a"]);
		const { receipt } = draftInterimSettlement(before.run, AT);
		const { state, steps } = runWith(["a", "b"], { subtasksDone: 2 });
		const { end, state: shown, steps: kept } = runFromReceipt({ state, steps }, { receipt: JSON.stringify(receipt) });
		expect(kept).toEqual(steps.slice(0, 1));
		expect(shown.trajectory).toEqual(before.state.trajectory);
		expect(end).toMatchObject({ status: "interrupted", costNanoUsd: 700, output: "a" });
		expect(end.trajectoryProof).toBe(before.end.trajectoryProof);
	});

	it("counts the calls of its tools as the receipt does, and has no open step", () => {
		const counts = { requested: 1, allowed: 1, denied: 0, approved: 0, rejected: 0, expired: 0 };
		const { run, state, steps } = settledCase([]);
		const tools = { ...initialToolState(), counts };
		const { receipt } = draftInterimSettlement({ ...run, state: { ...state, tools } }, AT);
		const later = { ...tools, counts: { ...counts, requested: 2, denied: 1 } };
		const settled = runFromReceipt({ state: { ...state, tools: later }, steps }, { receipt: JSON.stringify(receipt) });
		expect(settled.state.tools).toEqual({ ...tools, open: null });
	});
});
