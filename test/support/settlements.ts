// Reservations and settlements as the engine makes them, for tests that drive a meter directly.
import type { Reservation, Settlement, UsageRow } from "../../src/meter/settlement.ts";
import { usd } from "../../src/proof/money.ts";
import type { ChatReceipt } from "../../src/proof/receipt.ts";
import { sealReceipt } from "../../src/proof/receipt.ts";

/** The part of an admission that says what its key may do: everything. */
export const UNLIMITED_KEY = { keyVersion: 1, keyLimits: null, keyBudget: null, budgetKeyId: "key" };

function writtenDown(
	userId: string,
	requestId: string,
	costNanoUsd: number,
	model: string,
): { usage: UsageRow; receipt: ChatReceipt } {
	const at = new Date(Date.now()).toISOString();
	const amounts = { tokens: costNanoUsd, input_tokens: 1, cost_nano_usd: costNanoUsd };
	const answer = { model, provider: `provider of ${model}`, mode: "direct" };
	return {
		usage: {
			request_id: requestId,
			user_id: userId,
			api_key_id: "key_1",
			created_at: at,
			kind: "chat",
			...answer,
			...amounts,
			estimated: false,
			outcome: "complete",
			latency_ms: 1,
			fallback: false,
			calls: [{ model, provider: answer.provider, ...amounts }],
		},
		receipt: {
			type: "svc.receipt.v1",
			kind: "chat",
			request_id: requestId,
			timestamp: at,
			outcome: "complete",
			estimated: false,
			cost_usd: usd(costNanoUsd),
			bound_usd: usd(costNanoUsd),
			input_hash: "sha256:0",
			output_hash: "sha256:0",
			compliance: null,
			catalog_version: "test",
			config_digest: null,
			...answer,
			upstream_host: "sandbox.test",
			reason: "a test",
			prompt_tokens: 1,
			completion_tokens: 1,
			fallback_from: null,
			skill_id: null,
		},
	};
}

/** A reservation that is settled at so much when its time is over. */
export function reservationFor(
	userId: string,
	requestId: string,
	boundNanoUsd: number,
	expiresAtMs: number,
): Reservation {
	return { expiresAtMs, holdNanoUsd: boundNanoUsd, ...writtenDown(userId, requestId, boundNanoUsd, "bound") };
}

/** A settlement of so much, with as many letters in its receipt as asked for. */
export async function settlementFor(
	userId: string,
	requestId: string,
	costNanoUsd: number,
	letters = 0,
): Promise<Settlement> {
	const { usage, receipt } = writtenDown(userId, requestId, costNanoUsd, "real");
	return { usage, receipt: await sealReceipt({ ...receipt, reason: "x".repeat(letters) }, null) };
}
