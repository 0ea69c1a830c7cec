// The trace: one record of what was asked, from which answer and receipt are written.
import { describe, expect, it } from "vitest";
import { PLANS } from "../../../src/catalog/plans.ts";
import { billAtBound, billCall, type PlannedCall } from "../../../src/inference/accounting.ts";
import { planCall } from "../../../src/inference/plan.ts";
import { roundShare, Trace } from "../../../src/inference/trace.ts";
import { hashText } from "../../../src/proof/hash.ts";
import { usd } from "../../../src/proof/money.ts";
import { parseSettings } from "../../../src/settings.ts";
import { TEST_CATALOG } from "../../support/catalog.ts";
import { variablesFor } from "../../support/variables.ts";

const SETTINGS = parseSettings(variablesFor(TEST_CATALOG), TEST_CATALOG);

/** The members of a call in a receipt, sorted (docs/proofs.md, "Receipts"). */
const RECEIPT_CALL = ["confidence", "cost_usd", "in_tokens", "model", "ok", "out_tokens", "output_hash", "role"];

/** A call of each of two models. */
function twoCalls(): [PlannedCall, PlannedCall] {
	const call = {
		messages: [{ role: "user" as const, content: [{ type: "text" as const, text: "hi" }] }],
		tools: [],
		output: { type: "text" as const },
		maxTokens: 100,
		stop: [],
		sampling: {},
		unknownFields: {},
	};
	const options = { model: "auto", mode: null, config: null, gate: null };
	const plan = planCall({ call, options }, PLANS.corporate, SETTINGS, 0);
	if (!plan.ok) throw new Error(JSON.stringify(plan.failure));
	const planned = plan.value.selection.candidates.map(
		(candidate): PlannedCall => ({
			plan: plan.value,
			candidate,
			attempt: plan.value.attempt(candidate.model, candidate.effort),
			intendedWasAsked: true,
		}),
	);
	const [first, second] = planned;
	if (!first || !second) throw new Error("two models were to be eligible");
	return [first, second];
}

describe("a trace", () => {
	const [first, second] = twoCalls();

	it("holds calls in the order they were asked for, whenever they end", () => {
		const trace = new Trace(hashText, () => 0);
		const asks = [trace.begin("propose", "proposer"), trace.begin("propose", "proposer")];
		asks[1]?.end(second, null, "two", 5);
		asks[0]?.end(first, billCall(first, null, null, 0), "one", 9);
		const [stage] = trace.receiptStages();
		expect(stage?.results.map(({ model }) => model)).toEqual([first.candidate.model.id, second.candidate.model.id]);
		expect(stage?.results.map(({ output_hash }) => output_hash)).toEqual([hashText("one"), hashText("two")]);
		expect(trace.modelsUsed()).toEqual([first.candidate.model.id, second.candidate.model.id]);
	});

	it("rates the answer that served, with four digits, and none that failed", () => {
		const trace = new Trace(hashText, () => 0);
		const ask = trace.begin("answer", "answerer");
		ask.end(first, null, null, 1);
		ask.end(second, null, "said", 1);
		ask.rate({ confidence: 0.123456, confidenceBasis: "agreement" });
		expect(trace.answerStages()[0]?.results).toMatchObject([
			{ ok: false, confidence: 0, confidence_basis: null, cost_usd: 0 },
			{ ok: true, confidence: 0.1235, confidence_basis: "agreement" },
		]);
		// What receipts hash keeps its members.
		expect(Object.keys(trace.receiptStages()[0]?.results[1] ?? {}).sort()).toEqual(RECEIPT_CALL);
		expect(trace.modelsUsed()).toEqual([second.candidate.model.id]);
	});

	it("shows a call under way at its bound until it has ended", () => {
		const trace = new Trace(hashText, () => 0);
		const ask = trace.begin("answer", "answerer");
		ask.underWay = billAtBound(first, 0);
		const bound = usd(first.attempt.worstCase.totalNanoUsd);
		expect(trace.underWay()).toHaveLength(1);
		expect(trace.receiptStages()[0]?.results).toMatchObject([{ ok: false, cost_usd: bound }]);
		ask.end(first, null, "said", 1);
		expect(trace.underWay()).toEqual([]);
		expect(trace.receiptStages()[0]?.results).toMatchObject([{ ok: true, cost_usd: 0 }]);
	});

	it("keeps a stage without calls", () => {
		const trace = new Trace(hashText, () => 0);
		trace.describe("vote", { votes: [] });
		expect(trace.answerStages()).toEqual([{ name: "vote", results: [], detail: { votes: [] } }]);
		expect(trace.has("sample")).toBe(false);
	});

	it("rounds once, and into the range", () => {
		expect([0.00004, 0.00005, 0.99996, 1.2, -1].map(roundShare)).toEqual([0, 0.0001, 1, 1, 0]);
	});
});
