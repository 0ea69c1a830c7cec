// What a call of an encoder model is billed: what was reported, at most its bound, and the bound where that is not known.
import { describe, expect, it } from "vitest";
import type { EncoderPrice } from "../../../src/catalog/encoder.ts";
import { encoderCharges, priceEncoder, priceEncoderWorstCase } from "../../../src/catalog/encoder-price.ts";
import { CATALOG } from "../../../src/catalog/shipped.ts";
import { billEncoderCall, type EncoderPlannedCall, mostAmounts } from "../../../src/encoders/encoder-calls.ts";

const shipped = CATALOG.findEncoder("text-embedding-3-small");
if (!shipped) throw new Error("it is shipped");
const modelOf = (...prices: Omit<EncoderPrice, "effective_from">[]) => ({
	...shipped,
	prices: prices.map((price, index) => ({
		...price,
		effective_from: index === 0 ? null : new Date(index * 1_000).toISOString(),
	})),
});

/** A call of at most 10 tokens and 2 searches. */
function billOf(price: { input: number; search?: number }, inputTokens: number | null, searches: number | null) {
	const model = modelOf(price);
	const most = { tokens: 10, searches: 2 };
	const attempt = { most, likely: { tokens: 3, searches: 1 }, worstCase: priceEncoder(model, most, 0) };
	const call = { candidate: { model }, attempt } as unknown as EncoderPlannedCall;
	const { promptTokens, cost, estimated, overrun } = billEncoderCall(call, { inputTokens, searches }, 0);
	return [promptTokens, cost.totalNanoUsd, estimated, overrun];
}

describe("a call of an encoder model", () => {
	it.each<[string, ReturnType<typeof billOf>, unknown[]]>([
		["as reported", billOf({ input: 1 }, 4, null), [4, 4_000, false, false]],
		["its bound, where more is reported", billOf({ input: 1 }, 11, null), [10, 10_000, false, true]],
		["its bound, where nothing is", billOf({ input: 1 }, null, null), [3, 10_000, true, false]],
		["its bound, where zero is", billOf({ input: 1 }, 0, null), [3, 10_000, true, false]],
		["its searches", billOf({ input: 0, search: 2 }, null, 1), [3, 2_000_000, false, false]],
		["its bound, where no search is reported", billOf({ input: 0, search: 2 }, 4, null), [4, 4_000_000, true, false]],
		["its bound, where zero searches are", billOf({ input: 0, search: 2 }, 4, 0), [4, 4_000_000, true, false]],
		["both", billOf({ input: 1, search: 2 }, 4, 1), [4, 2_004_000, false, false]],
		["nothing, where it is free", billOf({ input: 0 }, 4, null), [4, 0, false, false]],
	])("is billed %s", (_, billed, expected) => {
		expect(billed).toEqual(expected);
	});

	it("never shows more tokens than it can have, even where they cost nothing", () => {
		const most = Number.MAX_SAFE_INTEGER;
		expect(billOf({ input: 0 }, most, null)[0]).toBe(10);
		expect(billOf({ input: 0, search: 2 }, most, 1)[0]).toBe(10);
		expect(billOf({ input: 0, search: 2 }, most, null)[0]).toBe(10);
	});

	it("is bound by the query with each document, and by the pieces of long documents", () => {
		const rerank = (query: string, documents: string[]) =>
			mostAmounts({ kind: "rerank", query, documents, topN: null });
		expect(rerank("ab", ["c", "def"])).toEqual({ tokens: 2 * 10 + 9 + 11, searches: 1 });
		expect(rerank("ab", Array(100).fill("c")).searches).toBe(1);
		expect(rerank("ab", Array(101).fill("c")).searches).toBe(2);
		// Beside the query's 10 tokens 490 are left in a piece.
		expect(rerank("ab", Array(100).fill("c".repeat(482))).searches).toBe(1);
		expect(rerank("ab", Array(100).fill("c".repeat(483))).searches).toBe(2);
		// A query that fills a piece leaves 100.
		expect(rerank("q".repeat(900), Array(100).fill("c".repeat(292))).searches).toBe(3);
	});
});

describe("a price of an encoder model", () => {
	it("is the sum of tokens and searches, rounded up", () => {
		expect(priceEncoder(modelOf({ input: 0.02, search: 2 }), { tokens: 1, searches: 1 }, 0).totalNanoUsd).toBe(
			2_000_020,
		);
		expect(priceEncoder(modelOf({ input: 0.0001 }), { tokens: 1, searches: 0 }, 0).totalNanoUsd).toBe(1);
	});

	it.each([
		[{ input: 1 }, true, false],
		[{ input: 0 }, true, false],
		[{ input: 0, search: 2 }, false, true],
		[{ input: 1, search: 2 }, true, true],
	])("%j is by tokens: %s, by searches: %s", (price, byTokens, bySearches) => {
		expect(encoderCharges(modelOf(price), 0)).toEqual({ byTokens, bySearches });
	});

	it("is bound by the dearer of now and soon", () => {
		const amounts = { tokens: 10, searches: 0 };
		for (const prices of [
			[{ input: 1 }, { input: 2 }],
			[{ input: 2 }, { input: 1 }],
		])
			expect(priceEncoderWorstCase(modelOf(...prices), amounts, 999).totalNanoUsd).toBe(20_000);
	});
});
