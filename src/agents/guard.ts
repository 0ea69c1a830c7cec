// The spend guard of a run: it holds a step's worst case, settles the step's cost, and never exceeds the cap. Amounts are integers.
// As spending grows, the guard lowers the intensity and raises alerts. The caller computes worst cases. step-decision.ts decides
// what a step may be. Pure.
import { Budget } from "../inference/budget.ts";
import { usd, usdText } from "../proof/money.ts";
import {
	decideStep,
	type Intensity,
	lowerIntensity,
	type StepAllowance,
	type StepCall,
	type StepRequest,
	type StepStop,
	toSpendCeiling,
} from "./step-decision.ts";

/** The intensity that a run starts with, by its policy. */
export const START_INTENSITY = { efficiency: "Foton", balanced: "Halo", depth: "Laser" } as const satisfies Record<
	string,
	Intensity
>;
export type RunPolicy = keyof typeof START_INTENSITY;

type AlertLevel = "WARNING" | "CRITICAL";

interface Threshold {
	/** Share of the run's cap that is spent, in percent. */
	percent: number;
	level: AlertLevel;
	/** The highest intensity from then on. */
	intensity: Intensity;
}

/** Ascending (docs/reference/agents.md, "Agents"). */
const THRESHOLDS: readonly Threshold[] = [
	{ percent: 70, level: "WARNING", intensity: "Halo" },
	{ percent: 90, level: "CRITICAL", intensity: "Foton" },
];

/** An entry of `alerts` in a run's answer. */
export interface BudgetAlert {
	level: AlertLevel;
	/**
	 * `budget_pressure`: a threshold was passed; `provider_overrun`: more usage was reported than the step's bound;
	 * `model_replaced`: a resumed run goes on without models that are gone; `webhook_failed`: a webhook was given up;
	 * `placeholder_not_restored`: a model changed or made up placeholders of masked values; `step_refused`: a step's models refused;
	 * `loop_detected`: a step ended because its model made the same tool call again and again; `tools_ended`: a limit ended a step's calls, or its
	 * models rejected what it had come to.
	 */
	code:
		| "budget_pressure"
		| "provider_overrun"
		| "model_replaced"
		| "webhook_failed"
		| "placeholder_not_restored"
		| "step_refused"
		| "loop_detected"
		| "tools_ended";
	/** Share of the cap, 0.7 or 0.9; else null. */
	threshold: number | null;
	/** Rounded down to four digits. */
	consumed_share: number;
	consumed_usd: number;
	max_cost_usd: number;
	/** The step whose cost caused it. */
	step_index: number;
	/** In force after the alert. */
	intensity: Intensity;
	message: string;
}

/** What a run may spend, integer nano-USD. */
export interface SpendLimits {
	capNanoUsd: number;
	/** At most the cap. */
	stepCapNanoUsd: number;
}

/** A guard between two steps, as JSON. Holds are not in it: after a crash they must be made and settled again. */
export interface GuardState extends SpendLimits {
	spentNanoUsd: number;
	intensity: Intensity;
	/** So far, oldest first. */
	alerts: BudgetAlert[];
}

/** The reported cost of a step that ended. */
export interface GuardCharge {
	/** Of all its calls, nano-USD; null when some usage was not reported. */
	costNanoUsd: number | null;
	/** A call reported more usage than its request allowed. `costNanoUsd` then counts its bound instead. */
	overrun?: boolean;
}

interface SettledStep {
	/** The charged cost, never above the step's worst case. */
	costNanoUsd: number;
	/** No usable cost was reported, so the worst case is charged. */
	estimated: boolean;
	/** Alerts caused by this step. */
	alerts: BudgetAlert[];
}

/** The worst case of one step, held until its cost is known. To be settled or released once. */
export interface StepHold {
	readonly worstCaseNanoUsd: number;
	settle(stepIndex: number, charge: GuardCharge): SettledStep;
	/** The step cost nothing. */
	release(): void;
}

/** A step that may be made, and the hold for it. */
export interface HeldStep extends StepCall {
	hold: StepHold;
}

function isAmount(nanoUsd: number): boolean {
	return Number.isSafeInteger(nanoUsd) && nanoUsd >= 0;
}

/** The cost to charge: the reported one, or the worst case if nothing usable or more than it was reported. */
function toStepCost({ costNanoUsd, overrun = false }: GuardCharge, worstCaseNanoUsd: number) {
	if (costNanoUsd === null || Number.isNaN(costNanoUsd) || costNanoUsd < 0)
		return { nanoUsd: worstCaseNanoUsd, estimated: true, overrun };
	if (costNanoUsd > worstCaseNanoUsd) return { nanoUsd: worstCaseNanoUsd, estimated: false, overrun: true };
	return { nanoUsd: Math.ceil(costNanoUsd), estimated: false, overrun };
}

export class SpendGuard {
	readonly capNanoUsd: number;
	readonly stepCapNanoUsd: number;
	readonly #budget: Budget;
	#intensity: Intensity;
	#alerts: BudgetAlert[];

	private constructor({ capNanoUsd, stepCapNanoUsd, spentNanoUsd, intensity, alerts }: GuardState) {
		if (![capNanoUsd, stepCapNanoUsd, spentNanoUsd].every(isAmount) || stepCapNanoUsd > capNanoUsd)
			throw new RangeError("a guard takes amounts in integer nano-USD, and a step's cap within the run's");
		this.capNanoUsd = capNanoUsd;
		this.stepCapNanoUsd = stepCapNanoUsd;
		this.#budget = new Budget(capNanoUsd, spentNanoUsd);
		this.#intensity = intensity;
		this.#alerts = [...alerts];
	}

	/** @throws RangeError for invalid amounts, and for a step's cap above the run's. */
	static open(limits: SpendLimits, policy: RunPolicy): SpendGuard {
		return new SpendGuard({ ...limits, spentNanoUsd: 0, intensity: START_INTENSITY[policy], alerts: [] });
	}

	/** Restores a guard. Its holds are gone, and must be made and settled again if their money may have been spent. */
	static resume(state: GuardState): SpendGuard {
		return new SpendGuard(state);
	}

	get state(): GuardState {
		const { capNanoUsd, stepCapNanoUsd, spentNanoUsd } = this;
		return { capNanoUsd, stepCapNanoUsd, spentNanoUsd, intensity: this.#intensity, alerts: [...this.#alerts] };
	}

	/** The sum of all charges. */
	get spentNanoUsd(): number {
		return this.#budget.spentNanoUsd;
	}

	/** The cap minus all charges. */
	get remainingNanoUsd(): number {
		return this.capNanoUsd - this.spentNanoUsd;
	}

	/** The highest intensity that the next step may have. */
	get intensity(): Intensity {
		return this.#intensity;
	}

	/** So far, oldest first. */
	get alerts(): readonly BudgetAlert[] {
		return this.#alerts;
	}

	get #allowance(): StepAllowance {
		const { stepCapNanoUsd } = this;
		return { intensity: this.#intensity, freeNanoUsd: this.#budget.freeNanoUsd, stepCapNanoUsd };
	}

	/** The most that the next step may cost beside a reserve. */
	ceilingNanoUsd(reserveNanoUsd: number): number {
		return toSpendCeiling(this.#allowance, reserveNanoUsd).nanoUsd;
	}

	/** Whether a step's worst case is within what is free and within the cap per step. */
	canHold(worstCaseNanoUsd: number): boolean {
		const { freeNanoUsd, stepCapNanoUsd } = this.#allowance;
		return isAmount(worstCaseNanoUsd) && worstCaseNanoUsd <= Math.min(freeNanoUsd, stepCapNanoUsd);
	}

	/** Holds a step's worst case; null when it does not fit. */
	hold(worstCaseNanoUsd: number): StepHold | null {
		const hold = this.canHold(worstCaseNanoUsd) ? this.#budget.hold(worstCaseNanoUsd) : null;
		if (!hold) return null;
		return {
			worstCaseNanoUsd,
			release: () => hold.release(),
			settle: (stepIndex, charge) => {
				const { nanoUsd: costNanoUsd, estimated, overrun } = toStepCost(charge, worstCaseNanoUsd);
				hold.spend(costNanoUsd);
				const alerts = overrun ? [this.#overrunAlert(stepIndex, costNanoUsd)] : [];
				alerts.push(...this.#pressureAlerts(stepIndex));
				this.#alerts.push(...alerts);
				return { costNanoUsd, estimated, alerts };
			},
		};
	}

	/** Decides on the next step and holds its worst case. If the decision lowers the intensity, it stays lowered. */
	decideAndHold(request: StepRequest): HeldStep | StepStop {
		const decision = decideStep(request, this.#allowance);
		if (decision.kind === "stop") return decision;
		const hold = this.hold(decision.worstCaseNanoUsd);
		if (!hold) throw new RangeError("a worst case is an integer number of nano-USD");
		this.#intensity = decision.intensity;
		return { ...decision, hold };
	}

	#alert(stepIndex: number, alert: Pick<BudgetAlert, "level" | "code" | "threshold">, message: string): BudgetAlert {
		const { capNanoUsd, spentNanoUsd } = this;
		return {
			...alert,
			consumed_share: capNanoUsd === 0 ? 1 : Math.floor((spentNanoUsd * 1e4) / capNanoUsd) / 1e4,
			consumed_usd: usd(spentNanoUsd),
			max_cost_usd: usd(capNanoUsd),
			step_index: stepIndex,
			intensity: this.#intensity,
			message,
		};
	}

	/** Adds an alert that models are gone, and others are asked instead. */
	reportReplaced(stepIndex: number, models: readonly string[]): void {
		const alert = { level: "WARNING", code: "model_replaced", threshold: null } as const;
		const message = `the catalog no longer has ${models.join(", ")}; the run goes on with other models`;
		this.#alerts.push(this.#alert(stepIndex, alert, message));
	}

	/** Adds an alert that a step's text holds placeholders that stand for nothing, and returns it. */
	reportStrays(stepIndex: number, message: string): BudgetAlert {
		const alert = this.#alert(
			stepIndex,
			{ level: "WARNING", code: "placeholder_not_restored", threshold: null },
			message,
		);
		this.#alerts.push(alert);
		return alert;
	}

	/** Adds an alert that a step's models refused, and returns it. */
	reportRefused(stepIndex: number, message: string): BudgetAlert {
		const alert = this.#alert(stepIndex, { level: "WARNING", code: "step_refused", threshold: null }, message);
		this.#alerts.push(alert);
		return alert;
	}

	/** Adds an alert that a step was ended because it made the same call again and again, and returns it. */
	reportLoop(stepIndex: number, tool: string): BudgetAlert {
		const message = `step ${stepIndex} called ${tool} again and again with the same arguments; it gets no more calls`;
		const alert = this.#alert(stepIndex, { level: "WARNING", code: "loop_detected", threshold: null }, message);
		this.#alerts.push(alert);
		return alert;
	}

	/** Adds an alert that a limit ended the tool calls of a step, and returns it. @param why with what to raise. */
	reportToolsEnded(stepIndex: number, why: string): BudgetAlert {
		const alert = { level: "WARNING", code: "tools_ended", threshold: null } as const;
		const added = this.#alert(stepIndex, alert, `step ${stepIndex} got no more tool calls: ${why}`);
		this.#alerts.push(added);
		return added;
	}

	#overrunAlert(stepIndex: number, costNanoUsd: number): BudgetAlert {
		const alert = { level: "WARNING", code: "provider_overrun", threshold: null } as const;
		const message = `step ${stepIndex} reported more usage than it was allowed; it is charged at ${usdText(costNanoUsd)}, within its bound`;
		return this.#alert(stepIndex, alert, message);
	}

	/** One alert for each threshold that is passed and has none yet. */
	#pressureAlerts(stepIndex: number): BudgetAlert[] {
		const reported = new Set(this.#alerts.map(({ threshold }) => threshold));
		// Both sides times 100, so that they stay integers.
		const passed = THRESHOLDS.filter(({ percent }) => this.spentNanoUsd * 100 >= this.capNanoUsd * percent);
		return passed
			.filter(({ percent }) => !reported.has(percent / 100))
			.map(({ percent, level, intensity }) => {
				this.#intensity = lowerIntensity(this.#intensity, intensity);
				const amounts = `${usdText(this.spentNanoUsd)} of ${usdText(this.capNanoUsd)}`;
				const message = `${percent}% of the run's cap is spent (${amounts}); the run goes on at ${this.#intensity}`;
				return this.#alert(stepIndex, { level, code: "budget_pressure", threshold: percent / 100 }, message);
			});
	}
}
