// The spend guard of a run: reserve, call, settle, in integers and never above the cap; what has been spent lowers the
// intensity and is told in alerts. What a step costs at most is its caller's business, what it may be step-decision.ts's. Pure.
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
} from "./step-decision.ts";

/** Where a run starts, by its policy. */
export const START_INTENSITY = { efficiency: "Foton", balanced: "Halo", depth: "Laser" } as const satisfies Record<
	string,
	Intensity
>;
export type RunPolicy = keyof typeof START_INTENSITY;

type AlertLevel = "WARNING" | "CRITICAL";

interface Threshold {
	/** Of the run's cap, in percent. */
	percent: number;
	level: AlertLevel;
	/** The highest intensity from there on. */
	intensity: Intensity;
}

/** Rising (docs/reference.md, "Agents"). */
const THRESHOLDS: readonly Threshold[] = [
	{ percent: 70, level: "WARNING", intensity: "Halo" },
	{ percent: 90, level: "CRITICAL", intensity: "Foton" },
];

/** As a run shows it. */
export interface BudgetAlert {
	level: AlertLevel;
	/** `budget_pressure`: a threshold was passed; `provider_overrun`: more usage was reported than the step's bound. */
	code: "budget_pressure" | "provider_overrun";
	/** Share of the cap, 0.7 or 0.9; null of an overrun. */
	threshold: number | null;
	/** Rounded down to four digits. */
	consumed_share: number;
	consumed_usd: number;
	max_cost_usd: number;
	/** The step whose cost brought it about. */
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

/** A guard between two steps, as JSON. What is held is not in it: who stores a hold settles it anew. */
export interface GuardState extends SpendLimits {
	spentNanoUsd: number;
	intensity: Intensity;
	/** So far, oldest first. */
	alerts: BudgetAlert[];
}

/** What is known of a step's cost when it is over. */
export interface GuardCharge {
	/** Of all its calls, nano-USD; null when some usage was not reported. */
	costNanoUsd: number | null;
	/** A call reported more usage than its request allowed, and `costNanoUsd` has its bound in the place of that. */
	overrun?: boolean;
}

export interface SettledStep {
	/** What the step is charged at: never above its worst case. */
	costNanoUsd: number;
	/** No usable cost was reported: it is the worst case. */
	estimated: boolean;
	/** Brought about by this step. */
	alerts: BudgetAlert[];
}

/** The worst case of one step, held until its cost is known; to be settled or released once. */
export interface StepHold {
	readonly worstCaseNanoUsd: number;
	settle(stepIndex: number, charge: GuardCharge): SettledStep;
	/** The step cost nothing. */
	release(): void;
}

/** A step that may be made, with what it holds. */
export interface HeldStep extends StepCall {
	hold: StepHold;
}

function isAmount(nanoUsd: number): boolean {
	return Number.isSafeInteger(nanoUsd) && nanoUsd >= 0;
}

/** What to charge: what was reported; the worst case where nothing usable was, or more than that. */
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

	/** @throws RangeError for amounts that are none, and a step's cap above the run's. */
	static open(limits: SpendLimits, policy: RunPolicy): SpendGuard {
		return new SpendGuard({ ...limits, spentNanoUsd: 0, intensity: START_INTENSITY[policy], alerts: [] });
	}

	/** The guard as it was; what it held is free again, and must be held and settled anew if it may have been spent. */
	static resume(state: GuardState): SpendGuard {
		return new SpendGuard(state);
	}

	get state(): GuardState {
		const { capNanoUsd, stepCapNanoUsd, spentNanoUsd } = this;
		return { capNanoUsd, stepCapNanoUsd, spentNanoUsd, intensity: this.#intensity, alerts: [...this.#alerts] };
	}

	/** The sum of what the settled steps were charged at. */
	get spentNanoUsd(): number {
		return this.#budget.spentNanoUsd;
	}

	/** The cap less what was spent. */
	get remainingNanoUsd(): number {
		return this.capNanoUsd - this.spentNanoUsd;
	}

	/** The highest that the next step may run at. */
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

	/** Whether a step with this worst case may be made. */
	canHold(worstCaseNanoUsd: number): boolean {
		const { freeNanoUsd, stepCapNanoUsd } = this.#allowance;
		return isAmount(worstCaseNanoUsd) && worstCaseNanoUsd <= Math.min(freeNanoUsd, stepCapNanoUsd);
	}

	/** Holds a step's worst case; null when there is no room for it. */
	hold(worstCaseNanoUsd: number): StepHold | null {
		const held = this.canHold(worstCaseNanoUsd) ? this.#budget.hold(worstCaseNanoUsd) : null;
		if (!held) return null;
		return {
			worstCaseNanoUsd,
			release: () => held.release(),
			settle: (stepIndex, charge) => {
				const { nanoUsd: costNanoUsd, estimated, overrun } = toStepCost(charge, worstCaseNanoUsd);
				held.spend(costNanoUsd);
				const alerts = overrun ? [this.#overrunAlert(stepIndex, costNanoUsd)] : [];
				alerts.push(...this.#pressureAlerts(stepIndex));
				this.#alerts.push(...alerts);
				return { costNanoUsd, estimated, alerts };
			},
		};
	}

	/** What the next step may be; nothing is held yet. */
	decide(request: StepRequest): StepCall | StepStop {
		return decideStep(request, this.#allowance);
	}

	/** Decides on the next step and holds its worst case. A lower intensity than before is kept from then on. */
	decideAndHold(request: StepRequest): HeldStep | StepStop {
		const decision = this.decide(request);
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

	#overrunAlert(stepIndex: number, costNanoUsd: number): BudgetAlert {
		const alert = { level: "WARNING", code: "provider_overrun", threshold: null } as const;
		const message = `step ${stepIndex} reported more usage than it was allowed; it is charged at ${usdText(costNanoUsd)}, within its bound`;
		return this.#alert(stepIndex, alert, message);
	}

	/** One for each threshold that has been passed and was not told of yet. */
	#pressureAlerts(stepIndex: number): BudgetAlert[] {
		const told = new Set(this.#alerts.map(({ threshold }) => threshold));
		// In hundredths of the cap, so that all of it stays whole.
		const passed = THRESHOLDS.filter(({ percent }) => this.spentNanoUsd * 100 >= this.capNanoUsd * percent);
		return passed
			.filter(({ percent }) => !told.has(percent / 100))
			.map(({ percent, level, intensity }) => {
				this.#intensity = lowerIntensity(this.#intensity, intensity);
				const amounts = `${usdText(this.spentNanoUsd)} of ${usdText(this.capNanoUsd)}`;
				const message = `${percent}% of the run's cap is spent (${amounts}); the run goes on at ${this.#intensity}`;
				return this.#alert(stepIndex, { level, code: "budget_pressure", threshold: percent / 100 }, message);
			});
	}
}
