// The spend guard: whatever steps cost and whatever is reported, a run never spends more than its cap, and gives its reasons.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
	type GuardCharge,
	type HeldStep,
	type RunPolicy,
	SpendGuard,
	START_INTENSITY,
} from "../../../src/agents/guard.ts";
import {
	decideStep,
	INTENSITIES_DESCENDING,
	type Intensity,
	MIN_VISIBLE_TOKENS,
	type StepAllowance,
	type StepRequest,
} from "../../../src/agents/step-decision.ts";
import { usd } from "../../../src/proof/money.ts";

const CASES = { numRuns: 3_000 };

/** The price of a call at an intensity: its input, and each token of its answer. Null: the plan allows no such model. */
type Prices = Readonly<Record<Intensity, { input: number; token: number } | null>>;

const price = fc.record({
	input: fc.oneof(fc.integer({ min: 0, max: 200_000 }), fc.integer({ min: 0, max: 20_000_000 })),
	token: fc.oneof(fc.integer({ min: 0, max: 400 }), fc.integer({ min: 0, max: 90_000 })),
});
const prices: fc.Arbitrary<Prices> = fc.record({
	Laser: fc.option(price, { freq: 5 }),
	Halo: fc.option(price, { freq: 5 }),
	Foton: fc.option(price, { freq: 8 }),
});

/** The outcome of one call: the reported share of its bound, or a value that no provider should report. */
const outcome = fc.oneof(
	{ weight: 6, arbitrary: fc.double({ min: 0, max: 1, noNaN: true }) },
	{ weight: 2, arbitrary: fc.constantFrom(0, 1) },
	{ weight: 2, arbitrary: fc.double({ min: 1, max: 50, noNaN: true }) },
	{
		weight: 1,
		arbitrary: fc.constantFrom(Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, -1, 1e300, 0.1),
	},
	{ weight: 1, arbitrary: fc.constant(null) },
);

/** A step of up to three calls, in sequence or in parallel. `null`: it makes no call in the end. */
const stepCase = fc.record({
	calls: fc.option(fc.array(outcome, { minLength: 1, maxLength: 3 }), { freq: 8 }),
	maxTokens: fc.oneof(fc.integer({ min: 1, max: 4_096 }), fc.constantFrom(1, 63, 64, 65, 1_024)),
	reserveNanoUsd: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 20_000_000 })),
	billOverrun: fc.boolean(),
	/** The run's object dies after this step and is restored. */
	resumes: fc.boolean(),
});
type StepCase = typeof stepCase extends fc.Arbitrary<infer T> ? T : never;

const runCase = fc.record({
	capNanoUsd: fc.oneof(
		fc.integer({ min: 0, max: 10_000_000_000 }),
		fc.integer({ min: 0, max: 20_000_000 }),
		fc.constantFrom(0, 1),
	),
	stepShare: fc.oneof(fc.constant(1), fc.double({ min: 0, max: 1, noNaN: true })),
	policy: fc.constantFrom<RunPolicy>("efficiency", "balanced", "depth"),
	prices,
	stepCases: fc.array(stepCase, { maxLength: 40 }),
});
type RunCase = typeof runCase extends fc.Arbitrary<infer T> ? T : never;

function toStepRequest(table: Prices, { calls, maxTokens, reserveNanoUsd }: StepCase): StepRequest {
	const count = calls?.length ?? 1;
	return {
		maxTokens,
		reserveNanoUsd,
		worstCaseNanoUsd(intensity, tokens) {
			const at = table[intensity];
			return at && count * (at.input + tokens * at.token);
		},
	};
}

/** The cost of a step as the sum of its calls' bills, which may be above their bounds. */
function toGuardCharge({ calls, billOverrun }: StepCase, worstCaseNanoUsd: number): GuardCharge {
	const shares = calls ?? [];
	if (shares.includes(null)) return { costNanoUsd: null, overrun: billOverrun };
	const bound = Math.floor(worstCaseNanoUsd / Math.max(1, shares.length));
	const costNanoUsd = shares.reduce<number>((sum, share) => sum + (share ?? 0) * bound, 0);
	return { costNanoUsd, overrun: billOverrun };
}

interface PlayedRun {
	guard: SpendGuard;
	/** The settled steps: charge, intensity and worst case. */
	steps: { costNanoUsd: number; intensity: Intensity; worstCaseNanoUsd: number }[];
}

/** Plays a run and checks after every step what must always hold. */
function playRun({ capNanoUsd, stepShare, policy, prices: table, stepCases }: RunCase): PlayedRun {
	const stepCapNanoUsd = Math.floor(capNanoUsd * stepShare);
	let guard = SpendGuard.open({ capNanoUsd, stepCapNanoUsd }, policy);
	const steps: PlayedRun["steps"] = [];
	for (const each of stepCases) {
		const before = guard.intensity;
		const held = guard.decideAndHold(toStepRequest(table, each));
		expect(held.reason).not.toBe("");
		if (held.kind === "stop") continue;
		expect(held.worstCaseNanoUsd).toBeLessThanOrEqual(stepCapNanoUsd);
		expect(INTENSITIES_DESCENDING.indexOf(held.intensity)).toBeGreaterThanOrEqual(
			INTENSITIES_DESCENDING.indexOf(before),
		);
		if (each.calls === null) held.hold.release();
		else settleStep(guard, held, each, steps);
		if (each.resumes) guard = SpendGuard.resume(JSON.parse(JSON.stringify(guard.state)));
		expect(guard.spentNanoUsd).toBeLessThanOrEqual(capNanoUsd);
		expect(guard.spentNanoUsd).toBe(steps.reduce((sum, { costNanoUsd }) => sum + costNanoUsd, 0));
		expect(guard.remainingNanoUsd).toBe(capNanoUsd - guard.spentNanoUsd);
		expect(INTENSITIES_DESCENDING.indexOf(guard.intensity)).toBeGreaterThanOrEqual(
			INTENSITIES_DESCENDING.indexOf(held.intensity),
		);
	}
	return { guard, steps };
}

function settleStep(guard: SpendGuard, held: HeldStep, each: StepCase, steps: PlayedRun["steps"]): void {
	const { intensity, worstCaseNanoUsd, hold } = held;
	const charge = toGuardCharge(each, worstCaseNanoUsd);
	const alertCount = guard.alerts.length;
	const settled = hold.settle(steps.length, charge);
	steps.push({ costNanoUsd: settled.costNanoUsd, intensity, worstCaseNanoUsd });
	expect(Number.isSafeInteger(settled.costNanoUsd)).toBe(true);
	expect(settled.costNanoUsd).toBeLessThanOrEqual(worstCaseNanoUsd);
	const { costNanoUsd } = charge;
	const isUsable = costNanoUsd !== null && costNanoUsd >= 0;
	expect(settled.estimated).toBe(!isUsable);
	expect(settled.costNanoUsd).toBe(isUsable ? Math.min(Math.ceil(costNanoUsd), worstCaseNanoUsd) : worstCaseNanoUsd);
	const isOver = each.billOverrun || (isUsable && costNanoUsd > worstCaseNanoUsd);
	expect(settled.alerts.filter(({ code }) => code === "provider_overrun")).toHaveLength(isOver ? 1 : 0);
	expect(guard.alerts.slice(alertCount)).toEqual(settled.alerts);
}

describe("a run", () => {
	it("never spends more than its cap, and what it spends is the sum of its steps, whatever becomes of them", () => {
		fc.assert(
			fc.property(runCase, (drawn) => {
				playRun(drawn);
			}),
			CASES,
		);
	});

	it("tells of each threshold once, at the step that passes it, with what is in force from there on", () => {
		fc.assert(
			fc.property(runCase, (drawn) => {
				const { guard, steps } = playRun(drawn);
				const { capNanoUsd } = drawn;
				const pressure = guard.alerts.filter(({ code }) => code === "budget_pressure");
				const passedAt = (percent: number) => {
					let spent = 0;
					return steps.findIndex(({ costNanoUsd }) => {
						spent += costNanoUsd;
						return BigInt(spent) * 100n >= BigInt(capNanoUsd) * BigInt(percent);
					});
				};
				const expected = [
					{ threshold: 0.7, level: "WARNING", at: passedAt(70), highest: "Halo" as const },
					{ threshold: 0.9, level: "CRITICAL", at: passedAt(90), highest: "Foton" as const },
				].filter(({ at }) => at >= 0);
				expect(pressure.map(({ threshold, level, step_index }) => ({ threshold, level, at: step_index }))).toEqual(
					expected.map(({ threshold, level, at }) => ({ threshold, level, at })),
				);
				for (const [place, alert] of pressure.entries()) {
					const highest = expected[place]?.highest ?? "Laser";
					expect(INTENSITIES_DESCENDING.indexOf(alert.intensity)).toBeGreaterThanOrEqual(
						INTENSITIES_DESCENDING.indexOf(highest),
					);
					expect(alert.consumed_share).toBeGreaterThanOrEqual(alert.threshold ?? 2);
					expect(alert.consumed_share).toBeLessThanOrEqual(1);
					expect(alert.consumed_usd).toBeLessThanOrEqual(alert.max_cost_usd);
					for (const { intensity } of steps.slice(alert.step_index + 1))
						expect(INTENSITIES_DESCENDING.indexOf(intensity)).toBeGreaterThanOrEqual(
							INTENSITIES_DESCENDING.indexOf(alert.intensity),
						);
				}
			}),
			CASES,
		);
	});

	it("only goes down the ladder, from where its policy starts", () => {
		fc.assert(
			fc.property(runCase, (drawn) => {
				const { steps, guard } = playRun(drawn);
				const rungs = [START_INTENSITY[drawn.policy], ...steps.map(({ intensity }) => intensity), guard.intensity].map(
					(intensity) => INTENSITIES_DESCENDING.indexOf(intensity),
				);
				expect(rungs).toEqual(rungs.toSorted((a, b) => a - b));
			}),
			CASES,
		);
	});

	it("goes on as if nothing had happened where it is restored from what was stored of it", () => {
		fc.assert(
			fc.property(runCase, (drawn) => {
				const resumes = (value: boolean) => ({
					...drawn,
					stepCases: drawn.stepCases.map((each) => ({ ...each, resumes: value })),
				});
				expect(playRun(resumes(true)).guard.state).toEqual(playRun(resumes(false)).guard.state);
			}),
			{ numRuns: 500 },
		);
	});
});

describe("a decision", () => {
	const room: fc.Arbitrary<StepAllowance> = fc.record({
		intensity: fc.constantFrom<Intensity>(...INTENSITIES_DESCENDING),
		freeNanoUsd: fc.integer({ min: 0, max: 400_000_000 }),
		stepCapNanoUsd: fc.integer({ min: 0, max: 400_000_000 }),
	});

	it("is the highest intensity that fits at half the length or more, else the longest answer that fits, else none", () => {
		fc.assert(
			fc.property(room, prices, stepCase, (given, table, each) => {
				const request = toStepRequest(table, each);
				const { maxTokens, reserveNanoUsd = 0 } = request;
				const spendable = Math.min(given.stepCapNanoUsd, Math.max(0, given.freeNanoUsd - reserveNanoUsd));
				const fits = (intensity: Intensity, tokens: number) => {
					const worst = request.worstCaseNanoUsd(intensity, tokens, "intended");
					return worst !== null && worst <= spendable;
				};
				const ladder = INTENSITIES_DESCENDING.slice(INTENSITIES_DESCENDING.indexOf(given.intensity));
				const half = Math.min(maxTokens, Math.max(MIN_VISIBLE_TOKENS, Math.ceil(maxTokens / 2)));
				const kept = ladder.find((intensity) => fits(intensity, half));
				const cut = ladder.find((intensity) => fits(intensity, Math.min(maxTokens, MIN_VISIBLE_TOKENS)));
				const decision = decideStep(request, given);
				if (decision.kind === "stop") {
					expect(cut).toBeUndefined();
					return;
				}
				expect(decision.worstCaseNanoUsd).toBe(
					request.worstCaseNanoUsd(decision.intensity, decision.maxTokens, decision.models),
				);
				expect(fits(decision.intensity, decision.maxTokens)).toBe(true);
				expect(decision.intensity).toBe(kept ?? cut);
				expect(decision.models).toBe("intended");
				expect(decision.reason).toContain(decision.intensity);
				expect(decision.maxTokens).toBeGreaterThanOrEqual(kept ? half : MIN_VISIBLE_TOKENS);
				if (fits(decision.intensity, maxTokens)) {
					expect(decision.maxTokens).toBe(maxTokens);
					return;
				}
				expect(decision.maxTokens).toBeLessThan(maxTokens);
				expect(fits(decision.intensity, decision.maxTokens + 1)).toBe(false);
				expect(decision.reason).toContain(`${decision.maxTokens} tokens`);
			}),
			CASES,
		);
	});

	/** Decides with the most that a step may cost, where each token costs as much as at the intensity. */
	const decideWith = (freeNanoUsd: number, more: Partial<StepRequest> = {}) =>
		decideStep(
			{
				maxTokens: 1_000,
				worstCaseNanoUsd: (intensity, tokens, models) =>
					(models === "cheapest" ? 1 : { Laser: 1_000, Halo: 100, Foton: 10 }[intensity]) * tokens,
				...more,
			},
			{ intensity: "Laser", freeNanoUsd, stepCapNanoUsd: freeNanoUsd },
		);

	it.each([
		[1_000_000, "Laser", 1_000, "intended"],
		[999_999, "Laser", 999, "intended"],
		[500_000, "Laser", 500, "intended"],
		[499_999, "Halo", 1_000, "intended"],
		[99_999, "Halo", 999, "intended"],
		[49_999, "Foton", 1_000, "intended"],
		[5_000, "Foton", 500, "intended"],
		[4_999, "Foton", 499, "intended"],
		[640, "Foton", 64, "intended"],
		[639, "Foton", 639, "cheapest"],
		[64, "Foton", 64, "cheapest"],
	] as const)("with %i to spend is %s with %i tokens of the %s models", (free, intensity, maxTokens, models) => {
		expect(decideWith(free)).toMatchObject({ kind: "call", intensity, maxTokens, models });
	});

	it("keeps every answer at 64 tokens or more, also where half of the request is less", () => {
		expect(decideWith(70_000, { maxTokens: 100 })).toMatchObject({ intensity: "Laser", maxTokens: 70 });
		expect(decideWith(63_999, { maxTokens: 100 })).toMatchObject({ intensity: "Halo", maxTokens: 100 });
	});

	it("holds what completes a cut answer where there is room for it, and never instead of the answer", () => {
		const completing = { completionNanoUsd: () => 500 };
		const whole = decideWith(1_000_500, completing);
		expect(whole).toMatchObject({ intensity: "Laser", maxTokens: 1_000, worstCaseNanoUsd: 1_000_500 });
		expect(whole.reason).toMatch(/costs at most 0.001 USD .*, and 0.0000005 USD more if its answer is cut$/);
		expect(decideWith(1_000_499, completing)).toMatchObject({ maxTokens: 1_000, worstCaseNanoUsd: 1_000_000 });
	});

	it("fits also where a longer answer may cost less than a shorter one", () => {
		const costs = fc.array(fc.integer({ min: 0, max: 100 }), { minLength: 300, maxLength: 300 });
		fc.assert(
			fc.property(costs, fc.integer({ min: 0, max: 100 }), (table, free) => {
				const request = { maxTokens: 299, worstCaseNanoUsd: (_: Intensity, tokens: number) => table[tokens] ?? 0 };
				const decision = decideStep(request, { intensity: "Foton", freeNanoUsd: free, stepCapNanoUsd: free });
				if (decision.kind === "call") expect(table[decision.maxTokens]).toBeLessThanOrEqual(free);
			}),
		);
	});

	const table: Prices = {
		Laser: { input: 1_000_000, token: 10_000 },
		Halo: { input: 200_000, token: 2_000 },
		Foton: { input: 20_000, token: 200 },
	};
	const stepWith = (more: Partial<StepCase> = {}): StepCase => ({
		...{ calls: [0], maxTokens: 1_000, reserveNanoUsd: 0, billOverrun: false, resumes: false },
		...more,
	});
	const decide = (free: number, more: Partial<StepAllowance> = {}, each: Partial<StepCase> = {}) =>
		decideStep(toStepRequest(table, stepWith(each)), {
			...{ intensity: "Laser", freeNanoUsd: free, stepCapNanoUsd: free },
			...more,
		});

	it("says in words what it rests on", () => {
		expect([
			decide(20_000_000),
			decide(5_000_000),
			decide(100_000),
			decide(30_000),
			decide(20_000_000, { stepCapNanoUsd: 2_200_000 }),
			decide(20_000_000, { stepCapNanoUsd: 1_000 }, { maxTokens: 10 }),
			decide(400_000, {}, { reserveNanoUsd: 390_000 }),
		]).toEqual([
			{
				kind: "call",
				intensity: "Laser",
				maxTokens: 1_000,
				models: "intended",
				worstCaseNanoUsd: 11_000_000,
				reason: "Laser costs at most 0.011 USD of the 0.02 USD left of the run's cap",
			},
			{
				kind: "call",
				intensity: "Halo",
				maxTokens: 1_000,
				models: "intended",
				worstCaseNanoUsd: 2_200_000,
				reason: "Laser could cost 0.011 USD; Halo costs at most 0.0022 USD of the 0.005 USD left of the run's cap",
			},
			{
				kind: "call",
				intensity: "Foton",
				maxTokens: 400,
				models: "intended",
				worstCaseNanoUsd: 100_000,
				reason:
					"Laser could cost 0.011 USD, Halo could cost 0.0022 USD, Foton could cost 0.00022 USD with 1000 tokens, against the 0.0001 USD left of the run's cap; Foton with 400 tokens costs at most 0.0001 USD",
			},
			{
				kind: "stop",
				limit: "run_cap",
				reason:
					"Laser could cost 0.011 USD, Halo could cost 0.0022 USD, Foton could cost 0.00022 USD with 1000 tokens, against the 0.00003 USD left of the run's cap; not even 64 tokens fit",
			},
			{
				kind: "call",
				intensity: "Halo",
				maxTokens: 1_000,
				models: "intended",
				worstCaseNanoUsd: 2_200_000,
				reason: "Laser could cost 0.011 USD; Halo costs at most 0.0022 USD of the 0.0022 USD that a step may cost",
			},
			{
				kind: "stop",
				limit: "step_cap",
				reason:
					"Laser could cost 0.0011 USD, Halo could cost 0.00022 USD, Foton could cost 0.000022 USD with 10 tokens, against the 0.000001 USD that a step may cost; not even 10 tokens fit",
			},
			{
				kind: "stop",
				limit: "final_step",
				reason:
					"Laser could cost 0.011 USD, Halo could cost 0.0022 USD, Foton could cost 0.00022 USD with 1000 tokens, against the 0.00001 USD left of the run's cap beside what the final step needs; not even 64 tokens fit",
			},
		]);
	});

	it("that is optional is cut short or left out, and lowers nothing that models are there for", () => {
		const maxTokens = 1_000;
		const at = { intensity: "Laser", freeNanoUsd: 500_000, stepCapNanoUsd: 500_000 } as const;
		const table = { Laser: 2_000, Halo: 100, Foton: 10 };
		const worstCaseNanoUsd = (intensity: Intensity, tokens: number) => table[intensity] * tokens;
		const optional = { worstCaseNanoUsd, maxTokens, isOptional: true };
		expect(decideStep({ worstCaseNanoUsd: worstCaseNanoUsd, maxTokens }, at)).toMatchObject({
			kind: "call",
			intensity: "Halo",
		});
		expect(decideStep(optional, at)).toMatchObject({ kind: "call", intensity: "Laser", maxTokens: 250 });
		expect(decideStep(optional, { ...at, freeNanoUsd: 50_000 })).toMatchObject({ kind: "stop", limit: "run_cap" });
		const withoutLaser = (intensity: Intensity, tokens: number) =>
			intensity === "Laser" ? null : worstCaseNanoUsd(intensity, tokens);
		const without = { ...optional, worstCaseNanoUsd: withoutLaser };
		expect(decideStep(without, at)).toMatchObject({ kind: "call", intensity: "Halo", maxTokens: 1_000 });
		expect(decideStep({ ...optional, worstCaseNanoUsd: () => null }, at)).toMatchObject({
			kind: "stop",
			limit: "no_model",
		});
	});

	it("is never shorter than what is of use", () => {
		const at = { intensity: "Foton", freeNanoUsd: 2_550, stepCapNanoUsd: 1e9 } as const;
		const worstCaseNanoUsd = (_: Intensity, tokens: number) => 10 * tokens;
		expect(decideStep({ worstCaseNanoUsd, maxTokens: 256 }, at)).toMatchObject({ kind: "call", maxTokens: 255 });
		expect(decideStep({ worstCaseNanoUsd, maxTokens: 256, leastTokens: 256 }, at)).toMatchObject({
			kind: "stop",
			limit: "run_cap",
		});
	});

	it("passes over an intensity without a model, and stops where there is none at all", () => {
		const none: Prices = { Laser: null, Halo: null, Foton: null };
		const at = { intensity: "Laser", freeNanoUsd: 1e9, stepCapNanoUsd: 1e9 } as const;
		const reason = "Laser has no model for it, Halo has no model for it; Foton costs at most 0.00022 USD";
		const { Foton } = table;
		expect(decideStep(toStepRequest({ ...none, Foton }, stepWith()), at)).toMatchObject({
			intensity: "Foton",
			reason: `${reason} of the 1 USD left of the run's cap`,
		});
		expect(decideStep(toStepRequest(none, stepWith()), at)).toEqual({
			kind: "stop",
			limit: "no_model",
			reason: "no model can make this step",
		});
	});
});

describe("an alert", () => {
	const open = (policy: RunPolicy) => SpendGuard.open({ capNanoUsd: 1_000_000, stepCapNanoUsd: 1_000_000 }, policy);

	it("has the shape that a run shows", () => {
		const guard = open("depth");
		expect(guard.hold(690_000)?.settle(0, { costNanoUsd: 690_000 }).alerts).toEqual([]);
		expect(guard.hold(60_000)?.settle(1, { costNanoUsd: 60_001 }).alerts).toEqual([
			{
				level: "WARNING",
				code: "provider_overrun",
				threshold: null,
				consumed_share: 0.75,
				consumed_usd: 0.00075,
				max_cost_usd: 0.001,
				step_index: 1,
				intensity: "Laser",
				message: "step 1 reported more usage than it was allowed; it is charged at 0.00006 USD, within its bound",
			},
			{
				level: "WARNING",
				code: "budget_pressure",
				threshold: 0.7,
				consumed_share: 0.75,
				consumed_usd: 0.00075,
				max_cost_usd: 0.001,
				step_index: 1,
				intensity: "Halo",
				message: "70% of the run's cap is spent (0.00075 USD of 0.001 USD); the run goes on at Halo",
			},
		]);
	});

	it("is two when one step passes both thresholds, the second with the lower intensity", () => {
		const guard = open("depth");
		const alerts = guard.hold(1_000_000)?.settle(0, { costNanoUsd: null }).alerts ?? [];
		expect(alerts.map(({ level, intensity }) => [level, intensity])).toEqual([
			["WARNING", "Halo"],
			["CRITICAL", "Foton"],
		]);
	});

	it("leaves a run that is lower already where it is", () => {
		const guard = open("efficiency");
		const alerts = guard.hold(700_000)?.settle(0, { costNanoUsd: 700_000 }).alerts ?? [];
		expect(alerts.map(({ threshold, intensity }) => [threshold, intensity])).toEqual([[0.7, "Foton"]]);
	});
});

describe("a hold", () => {
	it("keeps its money from other steps until it is settled or released, once", () => {
		const guard = SpendGuard.open({ capNanoUsd: 100, stepCapNanoUsd: 60 }, "balanced");
		expect([guard.canHold(61), guard.canHold(60), guard.canHold(0.5), guard.canHold(-1)]).toEqual([
			false,
			true,
			false,
			false,
		]);
		const first = guard.hold(60);
		expect([guard.hold(41), guard.canHold(40)]).toEqual([null, true]);
		first?.release();
		expect(guard.canHold(60)).toBe(true);
		const second = guard.hold(60);
		second?.settle(0, { costNanoUsd: 10 });
		expect(() => second?.release()).toThrow("once");
		expect([guard.spentNanoUsd, guard.remainingNanoUsd, usd(guard.capNanoUsd)]).toEqual([10, 90, 1e-7]);
	});

	it("of a step that nobody knows the end of is settled at its bound by whoever takes the run over", () => {
		const guard = SpendGuard.open({ capNanoUsd: 100, stepCapNanoUsd: 100 }, "balanced");
		guard.hold(80);
		const next = SpendGuard.resume(guard.state);
		expect(next.hold(80)?.settle(0, { costNanoUsd: null })).toMatchObject({ costNanoUsd: 80, estimated: true });
		expect(next.remainingNanoUsd).toBe(20);
	});

	it("takes whole amounts, and a step's cap within the run's", () => {
		for (const [capNanoUsd, stepCapNanoUsd] of [
			[1.5, 1],
			[-1, 0],
			[Number.NaN, 0],
			[10, 11],
		] as const)
			expect(() => SpendGuard.open({ capNanoUsd, stepCapNanoUsd }, "balanced")).toThrow(RangeError);
	});
});
