// Reservations and settlements as the engine makes them, for tests that drive a meter directly.
import { decodeTime, ulid } from "ulid";
import type { Reservation, Settlement, UsageRow } from "../../src/meter/settlement.ts";
import { usd } from "../../src/proof/money.ts";
import type { ChatReceipt } from "../../src/proof/receipt.ts";
import { sealReceipt } from "../../src/proof/receipt.ts";

const ZERO_HASH = `sha256:${"0".repeat(64)}`;

/** The API key of all requests here, unless a test says otherwise: their admissions have it as well. */
export const TEST_KEY_ID = "key";

/** The part of an admission that says what its key may do: everything. */
export const UNLIMITED_KEY = { keyVersion: 1, keyLimits: null, keyBudget: null, budgetKeyId: TEST_KEY_ID };

/** An id of a request of this moment, or of another one. It leads to no user. */
export function aRequestId(atMs = Date.now()): string {
	return `svc-${ulid(atMs)}`;
}

function writtenDown(
	userId: string,
	requestId: string,
	costNanoUsd: number,
	model: string,
): { usage: UsageRow; receipt: ChatReceipt } {
	// A request is created when its id is made.
	const at = new Date(decodeTime(requestId.slice("svc-".length))).toISOString();
	const amounts = { tokens: costNanoUsd, input_tokens: 1, cost_nano_usd: costNanoUsd };
	const answer = { model, provider: `provider of ${model}`, mode: "direct" };
	return {
		usage: {
			request_id: requestId,
			user_id: userId,
			api_key_id: TEST_KEY_ID,
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
			input_hash: ZERO_HASH,
			output_hash: ZERO_HASH,
			compliance: null,
			catalog_version: "test",
			config_digest: null,
			...answer,
			upstream_host: "sandbox.test",
			reason: "a test",
			prompt_tokens: 1,
			completion_tokens: Math.max(0, costNanoUsd - 1),
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
