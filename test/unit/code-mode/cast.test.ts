// Who takes part: coders of different providers, a critic that is none of them, and the client's wishes as far as they go.
import { describe, expect, it } from "vitest";
import type { Model } from "../../../src/catalog/schema.ts";
import { type CodeCastSize, chooseCodeCast } from "../../../src/code-mode/cast.ts";
import type { CodeOptions } from "../../../src/code-mode/request.ts";
import type { Rankings } from "../../../src/orchestration/strategy.ts";
import type { Candidate } from "../../../src/routing/selection.ts";

function candidate(id: string, provider: string, cost = 1): Candidate {
	const model = { id, provider } as Model;
	return { model, expectation: { cost: { totalNanoUsd: cost } } } as Candidate;
}

const [a1, a2, b1, c1] = [
	candidate("a1", "a", 4),
	candidate("a2", "a", 3),
	candidate("b1", "b", 2),
	candidate("c1", "c", 1),
];
const ALL: Rankings = { panel: [a1, a2, b1, c1], best: [a1, a2, b1, c1], cheap: [c1, b1, a2, a1] };
const ASKED: CodeOptions = { policy: "balanced", review: true, iterations: 3, coderModel: null, reviewerModel: null };
const LONE = { fitting: b1, cheapest: c1 };
const ONE: CodeCastSize = { width: 1, review: true, price: "any" };

const leads = ({ coders, critic }: ReturnType<typeof chooseCodeCast>) => [
	coders.map(([id]) => id),
	critic?.[0] ?? null,
];

describe("a cast", () => {
	it("has a critic of another provider than the coder's, although the coder's own ranks higher", () => {
		expect(leads(chooseCodeCast(ALL, LONE, ASKED, ONE))).toEqual([["a1"], "b1"]);
	});

	it("in depth has coders of as many providers, and a critic that is no coder", () => {
		expect(leads(chooseCodeCast(ALL, LONE, { ...ASKED, policy: "depth" }, { ...ONE, width: 3 }))).toEqual([
			["a1", "b1", "c1"],
			"a2",
		]);
	});

	it("has no coder twice where there are few", () => {
		const few: Rankings = { panel: [a1, b1], best: [a1, b1], cheap: [b1, a1] };
		const cast = chooseCodeCast(few, LONE, ASKED, { ...ONE, width: 3 });
		expect(leads(cast)[0]).toEqual(["a1", "b1"]);
		expect(cast.notes).toEqual(["no other model may serve, so the coder reviews its own code"]);
	});

	it("under efficiency, and where money is short, is written by the cheapest", () => {
		expect(leads(chooseCodeCast(ALL, LONE, { ...ASKED, policy: "efficiency" }, ONE))[0]).toEqual(["c1"]);
		expect(leads(chooseCodeCast(ALL, LONE, { ...ASKED, coderModel: "a1" }, { ...ONE, price: "low" }))).toEqual([
			["c1"],
			"b1",
		]);
	});

	it("has whom the client prefers, and says whom it cannot have", () => {
		expect(leads(chooseCodeCast(ALL, LONE, { ...ASKED, coderModel: "a2", reviewerModel: "c1" }, ONE))).toEqual([
			["a2"],
			"c1",
		]);
		const unknown = chooseCodeCast(ALL, LONE, { ...ASKED, coderModel: "x", reviewerModel: "y" }, ONE);
		expect([...leads(unknown), unknown.notes.length]).toEqual([["a1"], "b1", 2]);
		const same = chooseCodeCast(ALL, LONE, { ...ASKED, coderModel: "b1", reviewerModel: "b1" }, ONE);
		expect([...leads(same), same.notes]).toEqual([["b1"], "a1", ["b1 writes the code, so another model reviews it"]]);
	});

	it("is one coder alone where money is for no more: who it is enough for, at last the cheapest", () => {
		const alone = (price: "fitting" | "lowest") =>
			leads(chooseCodeCast(ALL, LONE, { ...ASKED, coderModel: "a1" }, { ...ONE, review: false, price }));
		expect([alone("fitting"), alone("lowest")]).toEqual([
			[["b1"], null],
			[["c1"], null],
		]);
	});

	it("has no critic without a review", () => {
		expect(leads(chooseCodeCast(ALL, LONE, ASKED, { ...ONE, review: false }))).toEqual([["a1"], null]);
	});

	it("has stand-ins that are not dearer, and neither coder nor critic", () => {
		const { coders, critic } = chooseCodeCast(ALL, LONE, ASKED, ONE);
		expect(coders[0]).toEqual(["a1", "c1", "a2"]);
		expect(critic).toEqual(["b1", "c1"]);
	});
});
