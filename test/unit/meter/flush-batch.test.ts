// What goes to D1 in one statement.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { BATCH_BYTES, BATCH_ROWS, cutDown, firstBatch } from "../../../src/meter/flush-batch.ts";
import type { Settlement, UsageCall } from "../../../src/meter/settlement.ts";
import { UsageTotals } from "../../../src/meter/usage-totals.ts";

const call: UsageCall = { model: "m", provider: "p", tokens: 5, input_tokens: 3, cost_nano_usd: 10 };

function settlement(requestId: string, receipt: string, calls: UsageCall[] = [call]): Settlement {
	const sum = (of: (one: UsageCall) => number) => calls.reduce((total, one) => total + of(one), 0);
	return {
		usage: {
			request_id: requestId,
			user_id: "u",
			api_key_id: "k",
			created_at: "2026-01-01T00:00:00.000Z",
			kind: "chat",
			model: "m",
			provider: "p",
			mode: "direct",
			tokens: sum(({ tokens }) => tokens),
			input_tokens: sum(({ input_tokens }) => input_tokens),
			cost_nano_usd: sum(({ cost_nano_usd }) => cost_nano_usd),
			estimated: false,
			outcome: "complete",
			latency_ms: 1,
			fallback: false,
			calls,
		},
		receipt: {
			request_id: requestId,
			kind: "chat",
			receipt,
			proof_hash: "h",
			signature: "s",
			key_id: "k",
			created_at: "2026-01-01T00:00:01.000Z",
		},
	};
}

describe("a batch", () => {
	it("takes rows in order, as many as fit, and one at least", () => {
		const sizes = fc.array(fc.constantFrom(10, 1_000, 300_000, 900_000, 1_500_000), { minLength: 1, maxLength: 12 });
		fc.assert(
			fc.property(sizes, fc.constantFrom("x", "ü"), (lengths, letter) => {
				const given = lengths.map((length, n) => settlement(`r${n}`, letter.repeat(length)));
				const batch = firstBatch(given);
				expect(batch.map(({ row }) => row.request_id)).toEqual(
					given.slice(0, batch.length).map(({ usage }) => usage.request_id),
				);
				const bytes = (count: number) =>
					given.slice(0, count).reduce((sum, one) => sum + Buffer.byteLength(firstBatch([one])[0]?.text ?? "") + 1, 0);
				if (batch.length > 1) expect(bytes(batch.length)).toBeLessThanOrEqual(BATCH_BYTES);
				if (batch.length < given.length) expect(bytes(batch.length + 1)).toBeGreaterThan(BATCH_BYTES);
			}),
			{ numRuns: 30 },
		);
	});

	it("has no more than so many rows, and asks for no more than it takes", () => {
		let asked = 0;
		const endless = function* () {
			for (;;) yield settlement(`r${asked++}`, "{}");
		};
		expect(firstBatch(endless()).length).toBe(BATCH_ROWS);
		expect(asked).toBe(BATCH_ROWS);
		expect(firstBatch([])).toEqual([]);
	});
});

describe("a row that is cut down", () => {
	it("keeps every amount, hash and signature, and says what it is", () => {
		const calls = Array.from({ length: 5_000 }, (_, n) => ({ ...call, model: `m${n % 3}`, cost_nano_usd: n }));
		const receipt = { type: "svc.receipt.v1", request_id: "r", cost_usd: 1, files: ["x".repeat(1_000_000)] };
		const [whole] = firstBatch([settlement("r", JSON.stringify(receipt), calls)]);
		if (!whole) throw new Error("there is no row");
		const small = cutDown(whole);
		expect(small.text.length).toBeLessThan(2_000);
		expect({ ...small.row, calls: null, receipt: null }).toEqual({ ...whole.row, calls: null, receipt: null });
		expect(JSON.parse(small.row.receipt)).toEqual({
			type: "svc.receipt.v1",
			request_id: "r",
			cost_usd: 1,
			cut_down: expect.stringMatching(/[0-9]+ bytes/),
		});
		const totals = [whole, small].map(({ row }) => {
			const sum = new UsageTotals();
			sum.addRow(row);
			return sum.rows();
		});
		expect(totals[0]).toEqual(totals[1]);
	});
});
