// Verification of trajectories through the front door, by anybody: what the bundle says of itself, and what this service signed.
import { ulid } from "ulid";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { deriveTagKey, encodeRequestId } from "../../src/account/request-tag.ts";
import { CATALOG } from "../../src/catalog/shipped.ts";
import { lastBilledCall, type RequestPurpose } from "../../src/inference/accounting.ts";
import { callSetFor } from "../../src/inference/call-runner.edge.ts";
import { planCall } from "../../src/inference/plan.ts";
import { ReceiptInput } from "../../src/inference/receipt-input.edge.ts";
import { hashText } from "../../src/proof/hash.ts";
import type { ReceiptDetail } from "../../src/proof/receipt.ts";
import { inProcessCaller } from "../support/caller.ts";
import { reserveCalls } from "../support/calls.ts";
import { always, onlyFor, useFaults } from "../support/faults.ts";
import { useService } from "../support/per-test.ts";
import { type Bundle, issueBundle } from "../support/second-trajectory.ts";
import { anAddress, call, chat, db, inMeter, proofOf, settledCount } from "../support/service.ts";
import { TEST_VARIABLES } from "../support/variables.ts";

const MODEL = CATALOG.freeModels[0] ?? "";

const { key } = useService("corporate");
let address: string;
let userNumber: number;
let faults: { restore(): void } | undefined;
beforeEach(async () => {
	address = anAddress();
	const number = db.prepare("SELECT number FROM users WHERE id = ?").bind(key.user_id);
	userNumber = (await number.first<number>("number")) ?? 0;
});
afterEach(() => {
	faults?.restore();
});

const TAG_KEY = deriveTagKey(TEST_VARIABLES["KEY_PEPPER"] ?? "");

/** An id of a run of the key's user. */
function aRunId(): string {
	return encodeRequestId(TAG_KEY, userNumber, Date.now(), crypto.getRandomValues(new Uint8Array(5)), "agt_");
}

function bundle(run_id = aRunId(), count = 3): Required<Bundle> {
	const steps = Array.from({ length: count }, (_, index) => ({
		index,
		model: MODEL,
		input_hash: hashText(`in ${index}`),
		output_hash: hashText(`out ${index}`),
		cost_usd: 0.000001 * index,
		confidence: 0.5,
		timestamp: "2026-07-22T10:00:00.000Z",
	}));
	return issueBundle({ run_id, policy: "balanced", strategy: "single" }, steps, "done");
}

async function verify(body: unknown, status = 200): Promise<Record<string, unknown>> {
	const headers = { "content-type": "application/json", "cf-connecting-ip": address };
	const response = await call("/v1/agent/verify", { method: "POST", headers, body: JSON.stringify(body) });
	const text = await response.text();
	expect(response.status, text).toBe(status);
	return JSON.parse(text);
}

/** Settles and signs a run of the key's user, as an agent would, under its bundle's run id. */
async function signRun({ run_id, policy, strategy, trajectory_proof, steps, output_hash }: Bundle): Promise<void> {
	const caller = await inProcessCaller(key, run_id);
	const message = { role: "user" as const, content: [{ type: "text" as const, text: "hi" }] };
	const modelCall = { messages: [message], tools: [], output: { type: "text" as const }, maxTokens: 50, stop: [] };
	const request = { ...modelCall, sampling: {}, unknownFields: {} };
	const wishes = { model: MODEL, mode: null, config: null, gate: null };
	const plan = planCall({ call: request, options: wishes }, caller.account.plan, caller.settings, caller.startedAtMs);
	if (!plan.ok) throw new Error(JSON.stringify(plan.failure));
	const detail: ReceiptDetail = {
		kind: "agent",
		status: "complete",
		policy,
		strategy,
		trajectory_proof,
		n_steps: steps.length,
		max_cost_usd: 0.5,
	};
	const purpose: RequestPurpose = {
		input: new ReceiptInput("the goal"),
		configDigest: null,
		gate: null,
		describe: (billed) => {
			const { model } = lastBilledCall(billed).candidate;
			return {
				receipt: detail,
				usage: { model: model.id, provider: model.provider, mode: "balanced", fallback: false },
			};
		},
	};
	const set = callSetFor(plan.value, caller);
	const { calls, settlement } = await reserveCalls(caller, purpose, [set]);
	await calls.complete(set);
	expect(await settlement.settle("complete", output_hash as `sha256:${string}`)).not.toBeNull();
}

describe("a verification", () => {
	it("needs no key and says that an issued bundle holds, whoever asks", async () => {
		const given = bundle();
		const expected = {
			valid: true,
			recomputed_proof: given.trajectory_proof,
			mismatched_steps: [],
			faults: [],
			issued: null,
		};
		expect(await verify(given)).toEqual(expected);
		const { output: _, output_hash: __, step_proofs: ___, ...least } = issueBundle(given, given.steps, "out 2");
		expect(await verify(least)).toEqual({ ...expected, recomputed_proof: least.trajectory_proof });
	});

	it("names the changed step, and what else does not hold", async () => {
		const given = bundle();
		const [first, second, third] = given.steps;
		const steps = [first, { ...second, cost_usd: 0 }, third];
		expect(await verify({ ...given, steps })).toMatchObject({
			valid: false,
			mismatched_steps: [1],
			faults: ["root_mismatch"],
		});
		const { step_proofs: _, ...rest } = given;
		expect(await verify({ ...rest, steps: [first, third], output: "another" })).toMatchObject({
			valid: false,
			mismatched_steps: [],
			faults: ["index_gap:1", "output_hash_mismatch", "root_mismatch"],
		});
	});

	it("takes 2,000 steps and refuses one more, cut hashes, and proofs that are not one for each step", async () => {
		const most = bundle(undefined, 2_000);
		expect(await verify(most)).toMatchObject({ valid: true });
		const [step] = most.steps;
		const refused = async (body: object) => (await verify(body, 422))["issues"];
		expect(await refused({ ...most, steps: [...most.steps, step], step_proofs: null })).toMatchObject([
			{ path: "steps" },
		]);
		const given = bundle();
		expect(await refused({ ...given, step_proofs: given.step_proofs.slice(1) })).toMatchObject([
			{ path: "step_proofs" },
		]);
		const cut = given.trajectory_proof.slice(0, 19);
		expect(await refused({ ...given, trajectory_proof: cut })).toMatchObject([{ path: "trajectory_proof" }]);
		expect(
			await refused({ ...given, steps: [{ ...given.steps[0], input_hash: cut }], step_proofs: null }),
		).toMatchObject([{ path: "steps.0.input_hash" }]);
	});
});

describe("issued", () => {
	it("is true for the root that was signed for the run, whatever else the bundle says", async () => {
		const given = bundle();
		await signRun(given);
		expect(await proofOf(given.run_id)).toMatchObject({ valid: true, signed: true, kind: "agent" });
		expect(await verify({ ...given, output: null })).toMatchObject({ valid: true, issued: true });
		expect(await verify({ ...given, output: null, steps: given.steps.slice(1), step_proofs: null })).toMatchObject({
			valid: false,
			issued: true,
		});
	});

	it("is false for another root of the same run, however consistent", async () => {
		const given = bundle();
		await signRun(given);
		const forged = issueBundle(given, given.steps.slice(0, 2), "something else");
		expect(await verify({ ...forged, output: null })).toMatchObject({ valid: true, issued: false });
	});

	it("is true at once for a run whose settlement is stranded in D1, before its meter has it", async () => {
		const given = bundle();
		faults = useFaults({ ACCOUNT_METER: onlyFor(["settle", "takeStranded"], always("fail")) });
		await signRun(given);
		expect(await verify({ ...given, output: null })).toMatchObject({ valid: true, issued: true });
		expect(await settledCount(key)).toBe(0);
	});

	it("is null for a run that nobody knows, an id that cannot be one, and the id of another kind of request", async () => {
		const chatId = (await chat(key.key, "hi")).headers.get("x-request-id") ?? "";
		expect((await proofOf(chatId)).valid).toBe(true);
		for (const id of [`agt_${ulid()}`, "agt_", "", "a".repeat(5_000), chatId])
			expect(await verify(bundle(id)), id.slice(0, 40)).toMatchObject({ valid: true, issued: null });
	});

	it("is null where what is stored is unsigned, or does not hold any more", async () => {
		for (const [change, issued] of [
			[`receipt = replace(receipt, '"n_steps":3', '"n_steps":4')`, null],
			[`receipt = replace(receipt, '"n_steps":4', '"n_steps":3')`, true],
			["signature = NULL, key_id = NULL", null],
		] as const) {
			const given = bundle();
			await signRun(given);
			await inMeter(key, (sql) => sql.exec(`UPDATE requests SET ${change} WHERE id = ?`, given.run_id).toArray());
			expect(await verify({ ...given, output: null }), change).toMatchObject({ valid: true, issued });
		}
	});

	it("is not guessed while storage is away: 503", async () => {
		faults = useFaults({ DB: () => "fail" });
		expect(await verify(bundle(), 503)).toMatchObject({ error: "storage_unavailable" });
	});

	it("cannot be asked for run after run: guesses count as those of proofs do", async () => {
		const empty = { ...bundle(undefined, 0), step_proofs: [] };
		for (let guess = 0; guess <= 300; guess++) {
			const headers = { "content-type": "application/json", "cf-connecting-ip": address };
			const body = JSON.stringify({ ...empty, run_id: `agt_${ulid()}` });
			const response = await call("/v1/agent/verify", { method: "POST", headers, body });
			if (response.status === 200) continue;
			expect([response.status, await response.json()]).toMatchObject([
				429,
				{ detail: { error: "rate_limit_exceeded" } },
			]);
			return;
		}
		throw new Error("guessing is not limited");
	});
});
