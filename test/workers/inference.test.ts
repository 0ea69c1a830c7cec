// The engine without an entrance: another caller in the process makes several calls under one reservation, and they are
// written down under any kind.
import { beforeEach, describe, expect, it } from "vitest";
import { CATALOG } from "../../src/catalog/shipped.ts";
import { ENCODER_KINDS, type EncoderKind } from "../../src/catalog/vocabulary.ts";
import {
	type BilledCall,
	lastBilledCall,
	type RequestDescription,
	type RequestPurpose,
} from "../../src/inference/accounting.ts";
import { callSetFor } from "../../src/inference/call-runner.edge.ts";
import type { Caller } from "../../src/inference/caller.edge.ts";
import type { CallSet } from "../../src/inference/failover.ts";
import { planCall } from "../../src/inference/plan.ts";
import { ReceiptInput } from "../../src/inference/receipt-input.edge.ts";
import { hashText } from "../../src/proof/hash.ts";
import { usd } from "../../src/proof/money.ts";
import type { ReceiptDetail, ReceiptKind } from "../../src/proof/receipt.ts";
import { joinText, type ModelCall } from "../../src/providers/model-call.ts";
import { inProcessCaller } from "../support/caller.ts";
import { type ReservedCalls, reserveCalls } from "../support/calls.ts";
import { useService } from "../support/per-test.ts";
import { eventually, proofOf, settledCount, usageOf } from "../support/service.ts";

const { upstream, key } = useService("corporate");
let caller: Caller;

beforeEach(async () => {
	caller = await inProcessCaller(key);
});

/** A model of each wire format, by the catalog. */
const [OPENAI, ANTHROPIC, GOOGLE] = (["openai", "anthropic", "google"] as const).map((wire) => {
	const model = CATALOG.models.find((candidate) => CATALOG.providerFor(candidate).wire === wire);
	if (!model) throw new Error(`no model on the ${wire} wire`);
	return model.id;
}) as [string, string, string];

/** A call in the engine's own words: ordered parts, a failed tool's result among them. */
function modelCall(text: string): ModelCall {
	return {
		messages: [
			{ role: "system", content: [{ type: "text", text: "Answer briefly." }] },
			{ role: "user", content: [{ type: "text", text: "How warm is it?" }] },
			{
				role: "assistant",
				content: [
					{ type: "reasoning", text: "A tool knows." },
					{ type: "text", text: "Let me look." },
					{ type: "tool_call", id: "c1", name: "thermometer", arguments: "{}" },
				],
			},
			{
				role: "user",
				content: [
					{ type: "tool_result", callId: "c1", content: [{ type: "text", text: "offline" }], isError: true },
					{ type: "text", text },
				],
			},
		],
		tools: [{ name: "thermometer", description: "Reads the temperature." }],
		output: { type: "text" },
		maxTokens: 200,
		stop: [],
		sampling: {},
		unknownFields: {},
	};
}

function callsOf(model: string, text: string): CallSet {
	const options = { model, mode: null, config: null, gate: null };
	const plan = planCall({ call: modelCall(text), options }, caller.account.plan, caller.settings, caller.startedAtMs);
	if (!plan.ok) throw new Error(JSON.stringify(plan.failure));
	return callSetFor(plan.value, caller);
}

const STAGE_CONFIDENCE = 0.5;

function modelsUsed(billed: readonly BilledCall[]): string[] {
	return [...new Set(billed.map(({ candidate }) => candidate.model.id))];
}

function stagesOf(billed: readonly BilledCall[]) {
	const results = billed.map(({ candidate, bill }) => ({
		model: candidate.model.id,
		ok: true,
		role: "proposer",
		in_tokens: bill.promptTokens,
		out_tokens: bill.completionTokens,
		cost_usd: usd(bill.cost.totalNanoUsd),
		confidence: STAGE_CONFIDENCE,
		output_hash: hashText("x"),
	}));
	return [{ name: "propose", results }];
}

/** What only the receipt of each kind says. */
const DETAILS: Readonly<Record<ReceiptKind, (billed: readonly BilledCall[]) => ReceiptDetail>> = {
	chat: (billed) => ({ kind: "chat", ...single(billed), skill_id: null }),
	skill: (billed) => ({ kind: "skill", ...single(billed), skill_id: "code-review" }),
	embedding: (billed) => encoder("embedding", billed),
	moderation: (billed) => encoder("moderation", billed),
	rerank: (billed) => encoder("rerank", billed),
	orchestration: (billed) => ({
		kind: "orchestration",
		policy: "depth",
		strategy: "ensemble_moa",
		models_used: modelsUsed(billed),
		confidence: 0.75,
		agreement: 0.5,
		stages: stagesOf(billed),
	}),
	code: (billed) => ({
		kind: "code",
		policy: "balanced",
		language: "typescript",
		passed: true,
		confidence: 0.9,
		models_used: modelsUsed(billed),
		files: [{ path_hash: hashText("a.ts"), language: "typescript", bytes: 1, hash: hashText("a") }],
		stages: stagesOf(billed),
	}),
	agent: () => ({
		kind: "agent",
		status: "complete",
		policy: "balanced",
		strategy: "single",
		trajectory_proof: hashText("trajectory"),
		n_steps: 2,
		max_cost_usd: 0.5,
	}),
};

/** Nothing is written. */
function encoder(kind: EncoderKind, billed: readonly BilledCall[]): ReceiptDetail {
	const { completion_tokens: _, ...detail } = single(billed);
	return { kind, ...detail, skill_id: null };
}

function single(billed: readonly BilledCall[]) {
	const { candidate, attempt, bill } = lastBilledCall(billed);
	return {
		model: candidate.model.id,
		provider: candidate.model.provider,
		upstream_host: attempt.access.host,
		mode: "quality",
		reason: "a test asked for it",
		prompt_tokens: bill.promptTokens,
		completion_tokens: bill.completionTokens,
		fallback_from: null,
	};
}

function purposeOf(kind: ReceiptKind): RequestPurpose {
	return {
		input: new ReceiptInput("input"),
		configDigest: null,
		gate: null,
		describe: (billed): RequestDescription => {
			const { model } = lastBilledCall(billed).candidate;
			const usage = { model: model.id, provider: model.provider, mode: "quality", fallback: false };
			return { receipt: DETAILS[kind](billed), usage };
		},
	};
}

function reserve(kind: ReceiptKind, sets: readonly [CallSet, ...CallSet[]]): Promise<ReservedCalls> {
	return reserveCalls(caller, purposeOf(kind), sets);
}

describe.each(Object.keys(DETAILS) as ReceiptKind[])("a request of kind %s", (kind) => {
	it("makes several calls at once under one reservation and settles them as one row and one signed receipt", async () => {
		const sets = [callsOf(OPENAI, "one"), callsOf(ANTHROPIC, "two"), callsOf(GOOGLE, "three")] as const;
		const { calls, settlement } = await reserve(kind, sets);
		expect(calls.budget.boundNanoUsd).toBe(sets.reduce((sum, { boundNanoUsd }) => sum + boundNanoUsd, 0));
		const turns = await Promise.all(sets.map((set) => calls.complete(set)));
		const answers = turns.map((turn) => {
			if (!turn.ok) throw new Error(JSON.stringify(turn.failure));
			return turn.served.answer;
		});
		for (const answer of answers) expect(joinText(answer.content, "text")).toContain("sandbox");
		const receipt = await settlement.settle("complete", hashText(answers.length.toString()));
		expect(receipt?.kind).toBe(kind);

		expect(upstream.answered).toBe(3);
		await eventually(async () => (await usageOf(key)).total_requests === 1);
		const usage = await usageOf(key);
		expect(Object.keys(usage.by_model).sort()).toEqual([OPENAI, ANTHROPIC, GOOGLE].sort());
		expect(usage.total_cost_usd).toBe(usd(calls.budget.spentNanoUsd));
		expect(usage.recent[0]).toMatchObject({ request_id: caller.requestId, kind });

		// An id that no gate has made leads to no meter: its receipt is found when D1 has it.
		await eventually(async () => (await settledCount(key)) === 1);
		const proof = await proofOf(caller.requestId);
		expect(proof).toMatchObject({ valid: true, signed: true });
		expect(proof.receipt).toMatchObject({
			kind,
			cost_usd: usage.total_cost_usd,
			bound_usd: usd(calls.budget.boundNanoUsd),
			outcome: "complete",
			...(["chat", "skill", ...ENCODER_KINDS].includes(kind)
				? {}
				: JSON.parse(JSON.stringify(DETAILS[kind](calls.billed)))),
		});
	});
});

describe("calls under one reservation", () => {
	it("carry ordered parts to every wire: reasoning, text, calls, and a result that says it failed", async () => {
		const sets = [callsOf(OPENAI, "one"), callsOf(ANTHROPIC, "two"), callsOf(GOOGLE, "three")] as const;
		const { calls, settlement } = await reserve("orchestration", sets);
		for (const set of sets) await calls.complete(set);
		const [openai, anthropic, google] = upstream.requests.map(({ body }) => body);
		expect(openai?.["messages"]).toMatchObject([
			{ role: "system" },
			{ role: "user" },
			{ role: "assistant", content: "Let me look.", tool_calls: [{ id: "c1" }] },
			{ role: "tool", tool_call_id: "c1", content: [{ text: "The tool failed:" }, { text: "offline" }] },
			{ role: "user", content: "one" },
		]);
		expect(anthropic?.["messages"]).toMatchObject([
			{ role: "user" },
			{
				role: "assistant",
				content: [
					{ type: "text", text: "Let me look." },
					{ type: "tool_use", id: "c1" },
				],
			},
			{
				role: "user",
				content: [
					{ type: "tool_result", tool_use_id: "c1", is_error: true },
					{ type: "text", text: "two" },
				],
			},
		]);
		expect(google?.["contents"]).toMatchObject([
			{ role: "user" },
			{ role: "model", parts: [{ text: "Let me look." }, { functionCall: { name: "thermometer" } }] },
			{
				role: "user",
				parts: [{ functionResponse: { name: "thermometer", response: { error: "offline" } } }, { text: "three" }],
			},
		]);
		await settlement.settle("complete", hashText(""));
	});

	it("stream parts to whoever asks, and bill the same as a whole answer of the same call", async () => {
		const whole = await reserve("agent", [callsOf(ANTHROPIC, "same")]);
		const answered = await whole.calls.complete(callsOf(ANTHROPIC, "same"));
		await whole.settlement.settle("complete", hashText(""));
		caller = await inProcessCaller(key);
		const set = callsOf(ANTHROPIC, "same");
		const streamed = await reserve("agent", [set]);
		const opened = await streamed.calls.stream(set);
		if (!opened.ok || !answered.ok) throw new Error("a call failed");
		let text = "";
		for await (const parts of opened.served.parts) {
			for (const part of parts) if (part.type === "text") text += part.text;
		}
		const end = opened.served.finish(false);
		await streamed.settlement.settle(end.outcome, hashText(""));
		expect(end).toMatchObject({ outcome: "complete", lost: null });
		expect(text).toBe(joinText(answered.served.answer.content, "text"));
		expect(end.call.bill).toEqual(answered.served.call.bill);
	});

	it("make no call that what is left of the reservation does not cover, not even beside others", async () => {
		const set = callsOf(OPENAI, "one");
		const [call] = set.calls;
		const worst = call.attempt.worstCase.totalNanoUsd;
		// Room for one call and a half.
		const { calls, settlement } = await reserve("agent", [
			{ ...set, calls: [call], boundNanoUsd: Math.floor(worst * 1.5) },
		]);
		const turns = await Promise.all(
			[1, 2, 3].map(() => calls.complete({ ...set, calls: [call], boundNanoUsd: worst })),
		);
		expect(turns.filter(({ ok }) => ok)).toHaveLength(1);
		expect(upstream.answered).toBe(1);
		expect(calls.budget.spentNanoUsd).toBeLessThanOrEqual(worst);
		await settlement.settle("complete", hashText(""));
	});

	it("that are not made release it and leave neither row nor receipt", async () => {
		const { settlement } = await reserve("agent", [callsOf(OPENAI, "one")]);
		await settlement.fail({ reason: "no_messages" }, false);
		expect((await usageOf(key)).total_requests).toBe(0);
	});
});
