// Puts a request into a meter's state as a meter does: admitted, then settled.
import type { MeterState } from "../../src/meter/meter-state.edge.ts";
import type { Settlement, UsageRow } from "../../src/meter/settlement.ts";
import type { Receipt } from "../../src/proof/receipt.ts";

const HOLD = { holdNanoUsd: 20_000_000, forMs: 600_000 };
const PROOF = {
	proof_hash: `sha256:${"2".repeat(64)}`,
	signature: Buffer.alloc(64, 7).toString("base64"),
	key_id: "81900622a7386e82",
};

/** A request that arrives, and is over at once. */
interface SettledRequest extends Pick<Settlement, "facts" | "end"> {
	atMs: number;
	usage: UsageRow;
	/** With what tables need of it. */
	receipt: Record<string, unknown>;
}

/** Admits and settles a request. */
export function settleRequest(state: MeterState, { atMs, usage, receipt, ...more }: SettledRequest): void {
	const { request_id: id, api_key_id: keyId, kind, created_at } = usage;
	const { holdNanoUsd } = HOLD;
	const expiresAtMs = atMs + HOLD.forMs;
	state.admit({
		id,
		apiKeyId: keyId,
		atMs,
		counting: "day",
		isLimited: false,
		budgetKeyId: keyId,
		bookedDay: state.today(atMs),
		nanoUsd: holdNanoUsd,
		keyBudget: null,
		expiresAtMs,
		reservation: { holdNanoUsd, expiresAtMs, usage, receipt: receipt as unknown as Receipt },
	});
	const open = state.findOpen(id);
	if (!open) throw new Error("a request was not admitted");
	const sealed = { request_id: id, kind, receipt: JSON.stringify(receipt), ...PROOF, created_at };
	state.settle(open, { usage, receipt: sealed, ...more });
}
