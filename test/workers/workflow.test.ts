// A workflow: batches of calls under one bound, side by side, written into the reservation before they are sent.
import { runDurableObjectAlarm } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it } from "vitest";
import { CATALOG } from "../../src/catalog/shipped.ts";
import type { Caller } from "../../src/inference/caller.edge.ts";
import { ReceiptInput } from "../../src/inference/receipt-input.edge.ts";
import { RequestWorkflow } from "../../src/inference/request-workflow.edge.ts";
import type { Trace } from "../../src/inference/trace.ts";
import { boundCall } from "../../src/inference/workflow.edge.ts";
import type { CallSpec, WorkflowPurpose } from "../../src/inference/workflow.ts";
import type { Reservation } from "../../src/meter/settlement.ts";
import { hashText } from "../../src/proof/hash.ts";
import { usd } from "../../src/proof/money.ts";
import type { ModelCall } from "../../src/providers/model-call.ts";
import { inProcessCaller } from "../support/caller.ts";
import { useService } from "../support/per-test.ts";
import { answers, pause, providerOf } from "../support/scripted.ts";
import { eventually, proofOf, settledCount, usageOf } from "../support/service.ts";

const MAX_MS = 60_000;

const { upstream, key } = useService("corporate");
let caller: Caller;

beforeEach(async () => {
	caller = await inProcessCaller(key);
});

/** One model each of several providers. */
const MODELS = [...new Map(CATALOG.models.map((model) => [model.provider, model])).values()];
const [FIRST, SECOND, THIRD] = MODELS as [(typeof MODELS)[0], (typeof MODELS)[0], (typeof MODELS)[0]];

function modelCall(text: string): ModelCall {
	return {
		messages: [{ role: "user", content: [{ type: "text", text }] }],
		tools: [],
		output: { type: "text" },
		maxTokens: 200,
		stop: [],
		sampling: {},
		unknownFields: {},
	};
}

function spec(text: string, models: CallSpec["models"], stage = "propose"): CallSpec {
	return {
		stage,
		role: "proposer",
		call: modelCall(text),
		options: { model: "auto", mode: "balanced", config: null, gate: null },
		models,
	};
}

function boundOf(...specs: CallSpec[]): number {
	return specs.reduce((sum, one) => {
		const bound = boundCall(caller, one);
		if (!bound.ok) throw new Error(JSON.stringify(bound.failure));
		return sum + bound.value;
	}, 0);
}

const PURPOSE: WorkflowPurpose = {
	get input() {
		return new ReceiptInput("input");
	},
	configDigest: null,
	gate: null,
	describe: (trace: Trace) => ({
		receipt: {
			kind: "orchestration",
			policy: "depth",
			strategy: "ensemble_moa",
			models_used: trace.modelsUsed(),
			confidence: 0.5,
			agreement: 0.5,
			stages: trace.receiptStages(),
		},
		usage: { model: FIRST.id, provider: FIRST.provider, mode: "quality", fallback: false },
	}),
};

async function open(boundNanoUsd: number, by: Caller = caller): Promise<RequestWorkflow> {
	const opened = await RequestWorkflow.open(by, PURPOSE, { boundNanoUsd, maxMs: MAX_MS });
	if (!opened.ok) throw new Error(JSON.stringify(opened.failure));
	return opened.value;
}

/** What a settled run shows in all its places. */
async function shown() {
	await eventually(async () => (await settledCount(key)) === 1);
	return { usage: await usageOf(key), proof: await proofOf(caller.requestId) };
}

type Stages = { name: string; results: { model: string; ok: boolean; cost_usd: number }[] }[];

function stagesOf(receipt: Record<string, unknown>): Stages {
	return receipt["stages"] as Stages;
}

describe("a workflow", () => {
	it("settles many batches as one row and one receipt, and each says the same sum", async () => {
		const specs = [spec("one", [FIRST.id]), spec("two", [SECOND.id]), spec("three", [THIRD.id], "aggregate")];
		const request = await open(boundOf(...specs));
		const { workflow } = request;
		const [one, two] = await workflow.askAll(specs.slice(0, 2));
		const three = await workflow.ask(specs[2] as CallSpec);
		for (const asked of [one, two, three]) expect(asked).toMatchObject({ ok: true });
		if (one?.ok) one.rate({ confidence: 0.123456, confidenceBasis: "agreement" });
		const receipt = await request.settle("complete", hashText("x"));
		expect(receipt).not.toBeNull();
		const { usage, proof } = await shown();
		const sum = stagesOf(proof.receipt)
			.flatMap(({ results }) => results)
			.reduce((total, { cost_usd }) => total + Math.round(cost_usd * 1e9), 0);
		expect(sum).toBe(workflow.totals.costNanoUsd);
		expect(proof).toMatchObject({
			valid: true,
			receipt: { cost_usd: usd(sum), models_used: [FIRST.id, SECOND.id, THIRD.id] },
		});
		expect(usage.total_cost_usd).toBe(usd(sum));
		expect(usage.total_requests).toBe(1);
		expect(Object.keys(usage.by_model).sort()).toEqual([FIRST.id, SECOND.id, THIRD.id].sort());
		expect(stagesOf(proof.receipt)).toMatchObject([
			{ name: "propose", results: [{ confidence: 0.1235 }, { confidence: 0 }] },
			{ name: "aggregate" },
		]);
	});

	it("asks a stand-in where the first has failed, and shows both", async () => {
		const one = spec(`[[fail ${FIRST.provider}]]`, [FIRST.id, SECOND.id]);
		const request = await open(boundOf(one));
		const { workflow } = request;
		expect(await workflow.ask(one)).toMatchObject({ ok: true, model: SECOND.id });
		expect(workflow.trace.answerStages()).toMatchObject([
			{
				results: [
					{ model: FIRST.id, ok: false, cost_usd: 0 },
					{ model: SECOND.id, ok: true },
				],
			},
		]);
		await request.settle("complete", hashText("x"));
	});

	it("does not ask what has no room in the bound, though others do", async () => {
		const [one, two] = [spec("one", [FIRST.id]), spec("two", [FIRST.id])];
		const request = await open(boundOf(one) + 1);
		const { workflow } = request;
		const asked = await workflow.askAll([one, two]);
		expect(asked.map(({ ok }) => ok)).toEqual([true, false]);
		expect(upstream.answered).toBe(1);
		await request.settle("complete", hashText("x"));
	});

	it("keeps its bound when every call overruns", async () => {
		const specs = ["a", "b", "c"].map((text) => spec(`${text} [[overrun]]`, [FIRST.id, SECOND.id]));
		const bound = boundOf(...specs);
		const request = await open(bound);
		const { workflow } = request;
		await workflow.askAll(specs);
		const receipt = await request.settle("complete", hashText("x"));
		expect(workflow.totals.costNanoUsd).toBeGreaterThan(0);
		expect(workflow.totals.costNanoUsd).toBeLessThanOrEqual(bound);
		expect(receipt).not.toBeNull();
	});

	it("waits for no more than six heads at once", async () => {
		let [waiting, most] = [0, 0];
		upstream.replace(async () => {
			most = Math.max(most, ++waiting);
			await pause(20);
			waiting--;
			return undefined;
		});
		const specs = Array.from({ length: 9 }, (_, index) => spec(String(index), [FIRST.id]));
		const request = await open(boundOf(...specs));
		const { workflow } = request;
		expect((await workflow.askAll(specs)).every(({ ok }) => ok)).toBe(true);
		expect(most).toBe(6);
		await request.settle("complete", hashText("x"));
	});

	it("calls nobody once the meter cannot be told, and says why", async () => {
		const deaf = { ...caller, funds: { ...caller.funds, extend: async () => "late" as const } };
		const request = await open(boundOf(spec("one", [FIRST.id])), deaf);
		const { workflow } = request;
		expect(await workflow.ask(spec("one", [FIRST.id]))).toMatchObject({ ok: false });
		expect(upstream.requests).toEqual([]);
		expect(await request.fail({ reason: "internal_error", requestId: "" })).toMatchObject({
			failure: { reason: "storage_unavailable" },
			receipt: null,
		});
	});

	it("that is stopped breaks off its calls, makes no other and is accounted for", async () => {
		const one = spec("[[think 5000]]", [FIRST.id]);
		const request = await open(2 * boundOf(one));
		const { workflow } = request;
		const asking = workflow.ask(one);
		await eventually(async () => upstream.answered === 1);
		workflow.stop();
		expect(await asking).toMatchObject({ ok: false, stopped: true });
		expect(await workflow.ask(one)).toMatchObject({ ok: false, stopped: true });
		expect(upstream.requests).toHaveLength(1);
		await request.fail({ reason: "all_models_failed", attempts: [], costUsd: 0, retryAfterMs: null });
		const { proof } = await shown();
		expect(proof.receipt).toMatchObject({ outcome: "client_closed", estimated: true });
	});
});

describe("a workflow whose process dies", () => {
	/** A caller that keeps what it told the meter. */
	function toldBy(reservations: Reservation[]): Caller {
		const extend = (reservation: Reservation) => {
			reservations.push(reservation);
			return caller.funds.extend(reservation);
		};
		return { ...caller, funds: { ...caller.funds, extend } };
	}

	/** Lets the time of what the meter was told last be over. */
	async function expire(reservations: readonly Reservation[]): Promise<void> {
		const last = reservations.at(-1);
		if (!last) throw new Error("the meter was told nothing");
		await caller.funds.extend({ ...last, expiresAtMs: 1 });
		await runDurableObjectAlarm(env.ACCOUNT_METER.getByName(key.user_id));
	}

	it("is settled at what was billed and the worst case of the calls that had begun, each under its own model", async () => {
		upstream.replace(async (request) => {
			if (providerOf(request) !== SECOND.provider) return undefined;
			await pause(500);
			return answers();
		});
		const [one, two, three] = [spec("one", [FIRST.id]), spec("two", [SECOND.id]), spec("three", [THIRD.id], "later")];
		const bound = boundOf(one, two, three, three);
		const told: Reservation[] = [];
		const request = await open(bound, toldBy(told));
		const { workflow } = request;
		const both = workflow.askAll([one, two]);
		await eventually(async () => workflow.billed.length === 1);
		const spent = workflow.totals.costNanoUsd;
		const third = workflow.ask(three);
		await eventually(async () => told.length === 2);
		await expire(told);
		await Promise.all([both, third]);

		const { usage, proof } = await shown();
		const begun = boundOf(two) + boundOf(three);
		expect(proof).toMatchObject({
			valid: true,
			receipt: { outcome: "cut", estimated: true, cost_usd: usd(spent + begun), bound_usd: usd(bound) },
		});
		expect(usage.total_cost_usd).toBe(usd(spent + begun));
		expect(usage.by_model).toMatchObject({
			[FIRST.id]: { requests: 1, cost_usd: usd(spent) },
			[SECOND.id]: { requests: 1, cost_usd: usd(boundOf(two)) },
			[THIRD.id]: { requests: 1, cost_usd: usd(boundOf(three)) },
		});
		expect(stagesOf(proof.receipt).map(({ results }) => results.map(({ model, ok }) => [model, ok]))).toEqual([
			[
				[FIRST.id, true],
				[SECOND.id, false],
			],
			[[THIRD.id, false]],
		]);
	});

	it("names a stand-in that had begun, not the model it stood in for", async () => {
		const reservations: Reservation[] = [];
		const one = spec(`[[fail ${FIRST.provider}]]`, [FIRST.id, SECOND.id]);
		const request = await open(boundOf(one), toldBy(reservations));
		const { workflow } = request;
		await workflow.ask(one);
		await request.settle("complete", hashText("x"));
		expect(reservations.map(({ usage }) => usage.calls.map(({ model }) => model))).toEqual([[FIRST.id], [SECOND.id]]);
	});

	it("before its first call has cost nothing", async () => {
		const reservations: Reservation[] = [];
		const { funds } = caller;
		const reserve = (reservation: Reservation) => {
			reservations.push(reservation);
			return funds.reserve({ ...reservation, expiresAtMs: 1 });
		};
		await open(5_000, { ...caller, funds: { ...funds, reserve } });
		await runDurableObjectAlarm(env.ACCOUNT_METER.getByName(key.user_id));
		const { usage, proof } = await shown();
		expect(usage).toMatchObject({ total_requests: 1, total_cost_usd: 0, by_model: {} });
		expect(proof).toMatchObject({ valid: true, receipt: { cost_usd: 0, bound_usd: usd(5_000) } });
	});
});
