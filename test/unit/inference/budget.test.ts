// A run's budget: spent and held never exceed the bound, whatever happens in whatever order.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Budget, type Hold } from "../../../src/inference/budget.ts";

const nano = fc.integer({ min: 0, max: 1_000 });
const step = fc.oneof(
	fc.record({ kind: fc.constant("hold" as const), nanoUsd: nano }),
	fc.record({ kind: fc.constant("spend" as const), share: fc.double({ min: 0, max: 1, noNaN: true }) }),
	fc.record({ kind: fc.constant("release" as const) }),
);

type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** A budget beside the sums that it must agree with. */
class Checked {
	readonly budget: Budget;
	#open: { hold: Hold; worst: number }[] = [];
	#spent = 0;

	constructor(bound: number) {
		this.budget = new Budget(bound);
	}

	take(each: Step): void {
		if (each.kind === "hold") this.#hold(each.nanoUsd);
		else this.#settle(each.kind === "spend" ? each.share : null);
		const held = this.#open.reduce((sum, { worst }) => sum + worst, 0);
		expect(this.budget.spentNanoUsd).toBe(this.#spent);
		expect(this.budget.freeNanoUsd).toBe(this.budget.boundNanoUsd - this.#spent - held);
		expect(this.budget.freeNanoUsd).toBeGreaterThanOrEqual(0);
	}

	#hold(worst: number): void {
		const { freeNanoUsd } = this.budget;
		const hold = this.budget.hold(worst);
		expect(hold !== null).toBe(worst <= freeNanoUsd);
		if (hold) this.#open.push({ hold, worst });
	}

	#settle(share: number | null): void {
		const next = this.#open.shift();
		if (!next) return;
		const cost = Math.floor(next.worst * (share ?? 0));
		if (share === null) next.hold.release();
		else next.hold.spend(cost);
		this.#spent += cost;
	}
}

describe("a budget", () => {
	it("never spends and holds more than its bound together", () => {
		fc.assert(
			fc.property(nano, fc.array(step, { maxLength: 60 }), (bound, steps) => {
				const checked = new Checked(bound);
				for (const each of steps) checked.take(each);
			}),
		);
	});

	it("goes on from what was spent before, and from no more than its bound", () => {
		const resumed = new Budget(10, 7);
		expect([resumed.spentNanoUsd, resumed.freeNanoUsd, resumed.hold(4)]).toEqual([7, 3, null]);
		expect(() => new Budget(10, 11)).toThrow("bound");
	});

	it("refuses a cost above what was held, and a second settlement", () => {
		const hold = new Budget(10).hold(5);
		expect(() => hold?.spend(6)).toThrow("worst case");
		hold?.spend(5);
		expect(() => hold?.release()).toThrow("once");
	});
});
